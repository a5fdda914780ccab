//! Why a run may end before its end time.
//!
//! In: what went wrong in a method or the driver, with names. Out: a [`Failure`], whose message says what went wrong,
//! where, and what can be done about it.

use std::fmt;

use crate::contract::{Description, Name};
use crate::initialize::InitializationError;

/// Why an integration ended before its end time. Results up to then are kept.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Failure {
    /// The step size fell below what the time can resolve.
    StepSizeTooSmall {
        /// Time of the last accepted step.
        t: f64,
        /// The step that was tried.
        h: f64,
        /// What kept the last attempts from being accepted.
        cause: StepCause,
    },
    /// The bound on the number of steps was reached.
    TooManySteps {
        /// Time of the last accepted step.
        t: f64,
        /// The bound.
        max_steps: usize,
        /// Length of the step that would follow.
        h: f64,
        /// The unknown with the largest local error, which keeps the steps short; `None` if steps are as long as the
        /// options allow, or none has been made.
        unknown: Option<Name>,
    },
    /// $F$ is not finite at an accepted state, so that no step can start from it.
    NonFinite {
        /// Time of the state.
        t: f64,
        /// Names of the equations that are not finite.
        equations: Vec<Name>,
    },
    /// No step can be made, since the iteration matrix is singular to working precision.
    SingularIterationMatrix {
        /// Time of the last accepted step.
        t: f64,
        /// An equation that the others already imply there.
        equation: Name,
        /// An unknown that the equations do not determine there.
        unknown: Name,
    },
    /// The method cannot control the error of unknowns of so high an index; another form of the same model suits it.
    UnsuitableMethod {
        /// Name of the method.
        method: Name,
        /// The highest index that it can treat.
        limit: u8,
        /// The formulation.
        form: Name,
        /// An unknown of higher index.
        unknown: Name,
        /// Its index.
        index: u8,
    },
    /// The method is explicit, and the formulation is not solved for its derivatives.
    NotSolved {
        /// Name of the method.
        method: Name,
        /// The formulation.
        form: Name,
    },
    /// The method is symplectic, and the formulation is not known to be that of a Hamiltonian system.
    NotHamiltonian {
        /// Name of the method.
        method: Name,
        /// The formulation.
        form: Name,
        /// Why it is not.
        reason: Name,
    },
    /// The method is half-explicit, and the formulation is not in Hessenberg form of index 2: constraints on differential
    /// unknowns alone, and other equations that, together with the differentiated constraints, determine derivatives and
    /// algebraic unknowns.
    NotHessenberg {
        /// Name of the method.
        method: Name,
        /// The formulation.
        form: Name,
        /// An equation that is left over where equations are assigned to derivatives and algebraic unknowns.
        equation: Name,
        /// An unknown that is left over, or whose derivative is.
        unknown: Name,
    },
    /// A quantity that the text of the model declares to be constant changes along solutions, so that projection onto it
    /// would lead away from them.
    InvariantChanges {
        /// The time at which a run begins.
        t: f64,
        /// The formulation.
        form: Name,
        /// The quantity.
        invariant: Name,
        /// Its derivative along solutions at that time.
        rate: f64,
        /// The sum of the absolute values of the terms of this derivative.
        size: f64,
    },
    /// A state that is to be recorded cannot be projected onto the constraints
    /// ([`Projection::Output`](crate::stepper::Projection::Output)).
    NotProjected {
        /// Its time.
        t: f64,
        /// The unknown that is corrected most.
        unknown: Name,
    },
    /// A multiplier of the formulation, zero on solutions, is not small: either the directions in which it acts no
    /// longer correct the constraints, or the solution has ended. What has been computed since is wrong.
    MultiplierNotZero {
        /// Time of the last accepted step.
        t: f64,
        /// The formulation.
        form: Name,
        /// The multiplier.
        multiplier: Name,
        /// Its value.
        value: f64,
    },
    /// Functions of the unknowns change their branch again and again without progress: the equations of both sides lead
    /// back to where the branch changes, and the solution cannot be followed along the surface.
    Chattering {
        /// Time of the last accepted step.
        t: f64,
        /// The switching function that vanishes there.
        switch: Name,
        /// Why the solution cannot be followed.
        obstacle: Name,
    },
    /// The solution, which slides along surfaces across which $F$ jumps, can leave them in more than one way, or stay
    /// although it need not: where the equations on both sides lead away from a surface, for instance.
    Ambiguous {
        /// The time from which on it can.
        t: f64,
        /// Two of the ways: `x > 0`, and `x < 0`.
        exits: [Name; 2],
    },
    /// An algebraic unknown would have to jump although the equations are continuous and have equally many degrees of
    /// freedom on both sides: ever shorter steps find no continuation of the branch of solutions that the run has
    /// followed, as at a fold.
    BranchEnds {
        /// Time of the last accepted step.
        t: f64,
        /// The unknown.
        unknown: Name,
        /// Its value there.
        before: f64,
        /// The value that was found beyond.
        after: f64,
    },
    /// The number of degrees of freedom of the linearised equations changes at a switch: what is known about the model,
    /// its index and its constraints, holds on one side only.
    FreedomChanges {
        /// Time of the switch.
        t: f64,
        /// The switching function.
        switch: Name,
        /// The equation that changes most.
        equation: Name,
        /// Degrees of freedom before the switch.
        before: usize,
        /// Degrees of freedom after the switch.
        after: usize,
    },
    /// After a switch the equations lead on from a state that no longer satisfies a constraint that this form implies
    /// but does not enforce: the solution jumps there.
    ConstraintLeft {
        /// Time of the switch.
        t: f64,
        /// The switching function.
        switch: Name,
        /// The formulation.
        form: Name,
        /// The constraint.
        invariant: Name,
    },
    /// A constraint that the form implies but does not enforce is violated by more than relative changes of the
    /// unknowns by the square root of the relative tolerance can explain: half of the requested digits are lost.
    ConstraintDrift {
        /// Time of the last accepted step.
        t: f64,
        /// The formulation.
        form: Name,
        /// The constraint.
        invariant: Name,
        /// Its residual.
        residual: f64,
    },
    /// No consistent values were found that keep what an event has set.
    InconsistentReset {
        /// Time of the event.
        t: f64,
        /// Name of the event.
        event: Name,
        /// Why they cannot be made consistent.
        error: Box<InitializationError>,
    },
    /// An event occurs again and again within no time, and the run makes no progress.
    EventsAccumulate {
        /// Time of the last occurrence.
        t: f64,
        /// Name of the event.
        event: Name,
    },
    /// Two events of the model at one time give an unknown different values.
    ConflictingEvents {
        /// Their time.
        t: f64,
        /// The unknown.
        unknown: Name,
        /// Names of the events.
        events: [Name; 2],
    },
    /// Events at one time enter different alternatives of a mode variable.
    ConflictingModes {
        /// Their time.
        t: f64,
        /// Two of the events.
        events: [Name; 2],
    },
    /// A mode of the model cannot be entered.
    ModeNotEntered {
        /// The time.
        t: f64,
        /// The mode.
        mode: Name,
        /// Why.
        obstacle: Name,
    },
    /// The variational equations cannot be solved any further.
    Sensitivity {
        /// Time up to which they were solved.
        t: f64,
        /// The unknown whose derivative is not accurate enough.
        unknown: Name,
        /// The quantity with respect to which it is the derivative.
        quantity: Name,
    },
    /// The solution after an event, or after a change of the equations, is not differentiable with respect to a
    /// quantity.
    NotDifferentiable {
        /// Time of the event or change.
        t: f64,
        /// The quantity with respect to which there is no derivative.
        quantity: Name,
    },
    /// The backward integration of the adjoint equations has ended early.
    Adjoint {
        /// Time down to which it has led.
        t: f64,
    },
    /// The values from which a run was to start do not satisfy an algebraic equation.
    InconsistentStart {
        /// Time of the start.
        t: f64,
        /// The equation.
        equation: Name,
        /// Its residual.
        value: f64,
        /// The residual that changes of the unknowns within their tolerances explain.
        allowed: f64,
    },
    /// An option or a start value is meaningless: a negative tolerance, a step of length zero.
    InvalidOption {
        /// What is wrong, and with which of them.
        message: String,
    },
}

/// What kept a step from being accepted.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum StepCause {
    /// The local error stayed above the tolerance, mostly in this unknown.
    Error {
        /// The unknown with the largest weighted error.
        unknown: Name,
    },
    /// Newton's iteration did not converge, mostly in this unknown.
    Convergence {
        /// The unknown with the largest weighted correction.
        unknown: Name,
    },
    /// The residual was not finite at the new point.
    NonFinite {
        /// The first equation that was not finite.
        equation: Name,
        /// The unknown whose last accepted value would make it finite; `None` if no single unknown is the cause.
        unknown: Option<Name>,
    },
    /// A derivative of the residual was not finite, at the new point or the last accepted one, though the residual was.
    NonFiniteDerivative {
        /// The equation.
        equation: Name,
        /// The unknown with respect to which, or to whose derivative, it was differentiated.
        unknown: Name,
    },
    /// The step is so long that values between its ends overflow.
    Overflow {
        /// The unknown.
        unknown: Name,
    },
    /// Extrapolated from the last step, the constraints come to depend on one another within the next one; where they do,
    /// they do not determine the motion beyond.
    Dependence {
        /// The one that is closest to depending on the others.
        constraint: Name,
    },
    /// The attempts did not settle where a switching function changes its sign, or ceases to have values.
    Switching {
        /// The function.
        function: Name,
    },
}

impl StepCause {
    /// Constraints depend on one another, this invariant on the others.
    pub(crate) fn dependence(of: &Description, invariant: usize) -> StepCause {
        StepCause::Dependence { constraint: of.invariants.get(invariant).map_or("-".into(), |it| it.name.clone()) }
    }
}

impl fmt::Display for StepCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepCause::Error { unknown } => write!(f, "the local error of `{unknown}` stays above the tolerance"),
            StepCause::Convergence { unknown } => {
                write!(f, "Newton's iteration does not converge, worst in `{unknown}`")
            }
            StepCause::NonFinite { equation, unknown: None } => {
                write!(f, "{equation} is not finite just after this time")
            }
            StepCause::NonFinite { equation, unknown: Some(unknown) } => {
                write!(f, "{equation} is not finite just after this time, for what `{unknown}` is then")
            }
            StepCause::Overflow { unknown } => write!(f, "values of `{unknown}` between its ends overflow"),
            StepCause::Dependence { constraint } => {
                write!(f, "{constraint} is about to depend on the other constraints, or to restrict nothing")
            }
            StepCause::Switching { function } => {
                write!(f, "attempts do not settle where `{function}` changes its sign, or ceases to have values")
            }
            StepCause::NonFiniteDerivative { equation, unknown } => {
                write!(f, "the derivative of {equation} by `{unknown}` is not finite just after this time")
            }
        }
    }
}

impl Failure {
    /// The refusal of a symplectic method.
    pub(crate) fn not_hamiltonian(method: &'static str, of: &Description) -> Failure {
        let reason = match &of.hamiltonian {
            Err(reason) => reason.clone(),
            Ok(_) => "the structure in its description does not fit its equations".into(),
        };
        Failure::NotHamiltonian { method: method.into(), form: of.form.clone(), reason }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::StepSizeTooSmall { t, cause: cause @ StepCause::Switching { .. }, .. } => {
                write!(f, "no step is found at t = {t}: {cause}")
            }
            Failure::StepSizeTooSmall { t, h, cause: cause @ StepCause::Overflow { .. } } => {
                write!(f, "a step of {h:.3e} from t = {t} is too long: {cause}")
            }
            Failure::StepSizeTooSmall { t, h, cause: cause @ StepCause::Dependence { .. } } => {
                write!(
                    f,
                    "no step of {h:.3e} is made from t = {t}, since {cause}, as far as the last step tells: where that happens, the \
                     motion beyond is not determined; shorter steps come closer, or pass if it does not happen"
                )
            }
            Failure::StepSizeTooSmall { t, h, cause } => write!(
                f,
                "step size {h:.3e} too small at t = {t}: {cause}; the solution may end, jump or blow up there"
            ),
            Failure::TooManySteps { t, max_steps, h, unknown } => {
                write!(f, "{max_steps} steps done at t = {t}, where steps are {h:.1e} long")?;
                match unknown {
                    Some(unknown) => write!(
                        f,
                        " for the local error of `{unknown}`: raise `max_steps`, or loosen the tolerances if `{unknown}` need not be followed \
                         as closely"
                    ),
                    None => f.write_str(": raise `max_steps`"),
                }
            }
            Failure::NonFinite { t, equations } => {
                write!(f, "not finite at t = {t}: {}", equations.join(", "))
            }
            Failure::SingularIterationMatrix { t, equation, unknown } => write!(
                f,
                "singular iteration matrix at t = {t}: {equation} is implied by the other equations and `{unknown}` is not determined"
            ),
            Failure::UnsuitableMethod { method, limit, form, unknown, index } => write!(
                f,
                "{method} with step size control integrates unknowns of index up to {limit}, and `{unknown}` of the {form} form has \
                 index {index}; integrate the ggl, index2 or index1 form"
            ),
            Failure::NotSolved { method, form } => write!(
                f,
                "{method} is explicit, and the {form} form is not solved for its derivatives; integrate the form underlying, or by Radau5"
            ),
            Failure::NotHamiltonian { method, form, reason } => write!(
                f,
                "{method} integrates Hamiltonian systems, in the form underlying, and the {form} form is not known to be one: {reason}"
            ),
            Failure::NotHessenberg { method, form, equation, unknown } => write!(
                f,
                "{method} is half-explicit: the equations with derivatives or algebraic unknowns, together with the differentiated \
                 constraints on all others, have to determine derivatives and algebraic unknowns; in the {form} form {equation} is \
                 left over, and nothing determines `{unknown}` or its derivative; integrate the ggl, index2 or index1 form, or by Radau5"
            ),
            Failure::InvariantChanges { t, form, invariant, rate, size } => write!(
                f,
                "`{invariant}` is declared to be constant, and changes at t = {t} in the {form} form: its derivative is {rate:.3e}, \
                 with terms that add up to {size:.3e} in absolute value; correct the declaration, or the parameters for which it holds"
            ),
            Failure::NotProjected { t, unknown } => write!(
                f,
                "the state at t = {t} has drifted too far to be projected onto the constraints, worst in `{unknown}`: project every step, or \
                 tighten the tolerances"
            ),
            Failure::MultiplierNotZero { t, form, multiplier, value } => write!(
                f,
                "`{multiplier}` of the {form} form is {value:.3e} at t = {t}, and zero on solutions: its directions do not correct the \
                 constraints any more, or no solution goes on, and values since then are wrong; integrate another form, ggl or tangent for \
                 instance"
            ),
            Failure::Chattering { t, switch, obstacle } => write!(
                f,
                "no solution goes on from t = {t}, where {switch} = 0: the equations for {switch} > 0 and those for {switch} < 0 both lead back \
                 there, and {obstacle}; say by an equation of its own what holds while {switch} = 0, or let the change be smooth, \
                 tanh(({switch})/eps) for its sign"
            ),
            Failure::Ambiguous { t, exits: [first, second] } => write!(
                f,
                "the solution does not go on from t = {t} in one way only: it has slid along a surface across which the equations jump, and \
                 can continue both with {first} and with {second}; say by an equation which of the two holds, or let the change be smooth"
            ),
            Failure::BranchEnds { t, unknown, before, after } => write!(
                f,
                "no continuation of the solution was found beyond t = {t}: the equations are continuous there, and the values that were \
                 found to fulfil them next have {unknown} = {after:.4e}, not {before:.4e}; if it is to jump, end the run there and start another one from the other \
                 branch, or give {unknown} a derivative, eps*der({unknown}) = …"
            ),
            Failure::FreedomChanges { t, switch, equation, before, after } => write!(
                f,
                "where {switch} vanishes at t = {t}, the number of degrees of freedom of the linearised equations changes from {before} to {after} \
                 ({equation} changes most): index and constraints of the model hold on one side only; let both branches \
                 determine the same unknowns, or end the run there and start another model"
            ),
            Failure::ConstraintLeft { t, switch, form, invariant } => write!(
                f,
                "where {switch} vanishes at t = {t}, the solution jumps: the state from which the equations beyond it lead on does not satisfy \
                 {invariant}, which the {form} form does not enforce; take a form that enforces it (`original` or `ggl`), or end the \
                 run there and start another one from consistent values"
            ),
            Failure::ConstraintDrift { t, form, invariant, residual } => write!(
                f,
                "at t = {t} the solution has drifted away from {invariant} (residual {residual:.1e}), which the {form} form does not enforce: less \
                 than half of the digits asked for are left; take a form that enforces it (`ggl`), or a tighter tolerance"
            ),
            Failure::InconsistentReset { t, event, error } => {
                write!(
                    f,
                    "`{event}` at t = {t} leaves a state from which the run cannot go on (what it changes is fixed, and what that is a derivative \
                     of): {error}"
                )
            }
            Failure::EventsAccumulate { t, event } => write!(
                f,
                "`{event}` happens again and again at t = {t}, and the run does not get on: let it be terminal below some size, or say by an \
                 equation how the solution goes on from there"
            ),
            Failure::ConflictingEvents { t, unknown, events: [first, second] } => write!(
                f,
                "`{first}` and `{second}` happen together at t = {t}, and give `{unknown}` different values: say in one `when` what is to \
                 happen, or let the condition of one exclude the other"
            ),
            Failure::ConflictingModes { t, events: [first, second] } => write!(
                f,
                "`{first}` and `{second}` happen together at t = {t}, and enter different modes: let the condition of one exclude the other"
            ),
            Failure::ModeNotEntered { t, mode, obstacle } => {
                write!(f, "the run cannot go on with `{mode}` at t = {t}: {obstacle}")
            }
            Failure::Sensitivity { t, unknown, quantity } => write!(
                f,
                "the sensitivity of `{unknown}` to `{quantity}` cannot be continued from t = {t}: it grows without bounds"
            ),
            Failure::NotDifferentiable { t, quantity } => write!(
                f,
                "the solution has no derivative with respect to `{quantity}` after t = {t}, or none is known: what happens there only touches its zero, or \
                 happens together with something else that depends on `{quantity}` in another way, or the solution slides along a surface from there on"
            ),
            Failure::InconsistentStart { t, equation, value, allowed } => write!(
                f,
                "the start values at t = {t} do not satisfy {equation}: its residual is {value:.1e}, and the tolerances allow {allowed:.1e}; \
                 `run` starts from consistent values that it finds, and `consistent_states` returns them"
            ),
            Failure::Adjoint { t } => write!(
                f,
                "the adjoint equations cannot be solved beyond t = {t}, backwards: the derivatives are not finite there, or the equations nearly singular"
            ),
            Failure::InvalidOption { message } => f.write_str(message),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Failure::InconsistentReset { error, .. } => Some(error),
            _ => None,
        }
    }
}

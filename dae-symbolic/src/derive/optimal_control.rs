//! First-order conditions of optimal control.
//!
//! In: dynamics $y' = f(t, y, u)$ and the cost $\psi(y(t_1)) + \int_{t_0}^{t_1} \varphi(t, y, u)\, \mathrm d t$. Out:
//! the equations that a minimum satisfies (Hairer & Wanner II, Sect. VII.1, eqs. (1.33)–(1.39)), with the Hamiltonian
//! $H = v^\top f + \varphi$
//!
//! $$ y' = f, \qquad v' = -H_y^\top = -f_y^\top v - \varphi_y^\top, \qquad 0 = H_u^\top = f_u^\top v + \varphi_u^\top, $$
//!
//! in this order, and the boundary conditions $v(t_1) = \psi_y^\top$ (zero without a cost at the end, eq. (1.36)). At
//! $t_0$ a state with a fixed start value keeps it; for a free one $\delta y(t_0)$ is arbitrary in eq. (1.34), so that
//! $v(t_0) = 0$.
//!
//! Constraints $g(t, y, u) = 0$ on the path add $\mu\, g$ to $H$. An inequality $g \le 0$ adds the logarithmic barrier
//! $-\beta \ln(-g)$ to the running cost: with the multiplier $\mu = \beta / (-g)$ its derivatives are $\mu\, g_y$ and
//! $\mu\, g_u$, and as $\beta \to 0$, a minimum with barrier tends to one of the problem with inequalities (A. V. Fiacco &
//! G. P. McCormick, *Nonlinear Programming*, 1968; J. Nocedal & S. J. Wright, *Numerical Optimization*, Sect. 19.6). The
//! relation of the slack $s = -g$ and the multiplier is the equation
//!
//! $$ 0 = s - \sqrt\beta\, \exp \operatorname{arsinh} \frac{s - \mu}{2 \sqrt\beta}, $$
//!
//! which has the solutions of $\mu s = \beta$ with $s, \mu > 0$ and no others, whatever values an iteration starts from:
//! the last term is $(s - \mu + \sqrt{(s - \mu)^2 + 4 \beta})/2$, without its cancellation (B. Chen & P. T. Harker,
//! *SIAM J. Matrix Anal. Appl.* 14 (1993); C. Kanzow, *SIAM J. Matrix Anal. Appl.* 17 (1996)).

use super::lagrangian::Constraint;
use super::{Names, jets};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Dag, Expr, Function, Rational, Symbol, UnknownId, gradient};
use crate::model::{self, Domain, Equation, OptimalControl, incidence, residual};
use crate::origin::Origin;
use std::collections::HashMap;

/// A state with its adjoint and its dynamics.
#[derive(Clone, Debug)]
pub struct State {
    /// $y_k$.
    pub unknown: UnknownId,
    /// $v_k$.
    pub adjoint: UnknownId,
    /// Where it is declared as a state.
    pub origin: Origin,
    /// $f_k$.
    pub dynamics: Expr,
    /// Where $f_k$ stands.
    pub place: Origin,
    /// The unknowns of the equation as written, ascending, with their highest orders.
    pub incidence: Vec<(UnknownId, u32)>,
    /// Documentation of the equation, line by line.
    pub docs: Vec<String>,
}

/// A control and the place of its declaration.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// $u_k$.
    pub unknown: UnknownId,
    /// Where it is declared as a control.
    pub origin: Origin,
}

/// A constraint $g(t, y, u) = 0$ or $g(t, y, u) \le 0$ on the path.
#[derive(Clone, Debug)]
pub struct PathConstraint {
    /// $g$ and its multiplier $\mu$.
    pub constraint: Constraint,
    /// Whether it is $g \le 0$.
    pub is_inequality: bool,
}

/// A term of the cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// The expression.
    pub value: Expr,
    /// Where it stands.
    pub origin: Origin,
}

/// A problem of optimal control.
#[derive(Clone, Debug)]
pub struct ControlProblem {
    /// $y$.
    pub states: Vec<State>,
    /// $u$.
    pub controls: Vec<Control>,
    /// $g$.
    pub constraints: Vec<PathConstraint>,
    /// $\beta$; there is one if there are inequalities.
    pub barrier: Option<Expr>,
    /// $\varphi$.
    pub running: Option<Cost>,
    /// $\psi$.
    pub terminal: Option<Cost>,
    /// $t_0$ and $t_1$.
    pub horizon: (Expr, Expr),
}

/// The first-order conditions, and the problem that they were derived from.
#[derive(Clone, Debug)]
pub struct FirstOrder {
    /// Dynamics, adjoint equations, stationarity, constraints.
    pub equations: Vec<Equation>,
    /// The problem; positions of equations are counted from the first of the derived ones.
    pub problem: OptimalControl,
}

/// Derives the first-order conditions.
///
/// # Errors
/// If dynamics, costs or constraints contain derivatives, or unknowns other than states and controls; if the terminal cost
/// contains a control; or if a control has no influence.
pub fn derive(dag: &mut Dag, problem: &ControlProblem, names: Names<'_>) -> Result<FirstOrder, Diagnostics> {
    let mut found = Diagnostics::new();
    let parts = Parts::of(problem);
    for state in &problem.states {
        parts.check(dag, "the dynamics contain", state.dynamics, state.place, names, &mut found);
    }
    if let Some(cost) = problem.running {
        parts.check(dag, "the running cost contains", cost.value, cost.origin, names, &mut found);
    }
    if let Some(cost) = problem.terminal {
        parts.check(dag, "the terminal cost contains", cost.value, cost.origin, names, &mut found);
        parts.check_terminal(dag, cost, names, &mut found);
    }
    for PathConstraint { constraint, .. } in &problem.constraints {
        parts.check(dag, "the constraint contains", constraint.residual, constraint.origin, names, &mut found);
    }
    if !found.is_empty() {
        return Err(found);
    }
    let slopes = slopes(dag, problem, &parts);
    for control in problem.controls.iter().filter(|control| !slopes.contains_key(&control.unknown)) {
        let name = names(Symbol::Unknown { unknown: control.unknown, order: 0 });
        let message = format!("the control `{name}` influences neither the dynamics nor the cost");
        let finding = Diagnostic::error(Code::InvalidControlProblem, message).label(control.origin, "no influence");
        found.push(finding.help("remove it, or use it in the dynamics"));
    }
    if !found.is_empty() {
        return Err(found);
    }
    let equations = equations(dag, problem, &slopes, names);
    let of_end = problem.terminal.map_or_else(HashMap::new, |cost| partials(dag, cost.value, &parts));
    let end = problem.states.iter().map(|state| of_end.get(&state.unknown).copied()).collect();
    let problem = OptimalControl {
        equations: 0..equations.len(),
        states: problem.states.iter().map(|state| state.unknown).collect(),
        adjoints: problem.states.iter().map(|state| state.adjoint).collect(),
        controls: problem.controls.iter().map(|control| control.unknown).collect(),
        constraints: problem.constraints.iter().map(PathConstraint::described).collect(),
        hamiltonian: hamiltonian(dag, problem),
        running_cost: problem.running.map(|cost| cost.value),
        terminal_cost: problem.terminal.map(|cost| cost.value),
        horizon: problem.horizon,
        end,
    };
    Ok(FirstOrder { equations, problem })
}

impl PathConstraint {
    fn described(&self) -> model::PathConstraint {
        let Constraint { multiplier, residual, .. } = self.constraint;
        model::PathConstraint { multiplier, value: residual, is_inequality: self.is_inequality }
    }
}

/// The terms of $v^\top f + \varphi$.
fn unconstrained(dag: &mut Dag, problem: &ControlProblem) -> Vec<(Rational, Expr)> {
    let mut terms: Vec<(Rational, Expr)> = problem.running.iter().map(|cost| (Rational::ONE, cost.value)).collect();
    for state in &problem.states {
        let adjoint = dag.symbol(Symbol::Unknown { unknown: state.adjoint, order: 0 });
        terms.push((Rational::ONE, dag.mul(adjoint, state.dynamics)));
    }
    terms
}

/// $H = v^\top f + \varphi$, with $\mu\, g$ for each constraint that is an equation and $-\beta \ln(-g)$ for each inequality.
fn hamiltonian(dag: &mut Dag, problem: &ControlProblem) -> Expr {
    let mut terms = unconstrained(dag, problem);
    for PathConstraint { constraint, is_inequality } in &problem.constraints {
        terms.push(match problem.barrier.filter(|_| *is_inequality) {
            Some(barrier) => {
                let slack = dag.neg(constraint.residual);
                let logarithm = dag.apply(Function::Ln, &[slack]);
                (Rational::MINUS_ONE, dag.mul(barrier, logarithm))
            }
            None => (Rational::ONE, weighted(dag, constraint)),
        });
    }
    dag.sum(terms)
}

/// $\mu\, g$.
fn weighted(dag: &mut Dag, constraint: &Constraint) -> Expr {
    let multiplier = dag.symbol(Symbol::Unknown { unknown: constraint.multiplier, order: 0 });
    dag.mul(multiplier, constraint.residual)
}

/// The nonzero partial derivatives of $H$ with respect to states and controls, with $\mu$ in place of $\beta / (-g)$.
fn slopes(dag: &mut Dag, problem: &ControlProblem, parts: &Parts) -> HashMap<UnknownId, Expr> {
    let mut terms = unconstrained(dag, problem);
    terms.extend(problem.constraints.iter().map(|it| (Rational::ONE, weighted(dag, &it.constraint))));
    let value = dag.sum(terms);
    partials(dag, value, parts)
}

/// The nonzero partial derivatives with respect to states and controls.
fn partials(dag: &mut Dag, value: Expr, parts: &Parts) -> HashMap<UnknownId, Expr> {
    let wanted = |symbol| match symbol {
        Symbol::Unknown { unknown, order: 0 } => {
            matches!(parts.of_unknown(unknown), Some(Part::State | Part::Control))
        }
        _ => false,
    };
    let partials = gradient(dag, value, wanted).into_iter();
    partials
        .filter_map(|(symbol, partial)| match symbol {
            Symbol::Unknown { unknown, .. } => Some((unknown, partial)),
            _ => None,
        })
        .collect()
}

/// Dynamics, adjoint equations, stationarity, constraints.
fn equations(
    dag: &mut Dag,
    problem: &ControlProblem,
    slopes: &HashMap<UnknownId, Expr>,
    names: Names<'_>,
) -> Vec<Equation> {
    let name = |unknown| names(Symbol::Unknown { unknown, order: 0 });
    let mut equations = Vec::new();
    for state in &problem.states {
        let rate = dag.symbol(Symbol::Unknown { unknown: state.unknown, order: 1 });
        equations.push(Equation {
            name: format!("dynamics of {}", name(state.unknown)),
            docs: state.docs.clone(),
            residual: residual(dag, rate, state.dynamics),
            incidence: state.incidence.clone(),
            domain: Domain::scalar(),
            origin: state.place,
        });
    }
    for state in &problem.states {
        let rate = dag.symbol(Symbol::Unknown { unknown: state.adjoint, order: 1 });
        let slope = slopes.get(&state.unknown).map(|&slope| (Rational::ONE, slope));
        let residual = dag.sum([(Rational::ONE, rate)].into_iter().chain(slope).collect::<Vec<_>>());
        equations.push(derived(dag, "Adjoint equation", &name(state.unknown), residual, state.origin));
    }
    for control in &problem.controls {
        let Some(&residual) = slopes.get(&control.unknown) else { continue };
        equations.push(derived(dag, "Stationarity", &name(control.unknown), residual, control.origin));
    }
    for it in &problem.constraints {
        let Constraint { multiplier, residual, incidence, docs, origin } = &it.constraint;
        let of = name(*multiplier);
        equations.push(match problem.barrier.filter(|_| it.is_inequality) {
            Some(barrier) => {
                let residual = complementarity(dag, *residual, *multiplier, barrier);
                let equation = derived(dag, "Complementarity", &of, residual, *origin);
                Equation { docs: docs.clone(), ..equation }
            }
            None => Equation {
                name: format!("constraint of {of}"),
                docs: docs.clone(),
                residual: *residual,
                incidence: incidence.clone(),
                domain: Domain::scalar(),
                origin: *origin,
            },
        });
    }
    equations
}

/// The relation of the slack $-g$ and the multiplier.
fn complementarity(dag: &mut Dag, value: Expr, multiplier: UnknownId, barrier: Expr) -> Expr {
    let slack = dag.neg(value);
    let multiplier = dag.symbol(Symbol::Unknown { unknown: multiplier, order: 0 });
    let root = dag.apply(Function::Sqrt, &[barrier]);
    let difference = residual(dag, slack, multiplier);
    let doubled = dag.scale(Rational::from(2), root);
    let quotient = dag.div(difference, doubled);
    let exponent = dag.apply(Function::Asinh, &[quotient]);
    let exponential = dag.apply(Function::Exp, &[exponent]);
    let expected = dag.mul(root, exponential);
    residual(dag, slack, expected)
}

fn derived(dag: &Dag, what: &str, of: &str, residual: Expr, origin: Origin) -> Equation {
    let (name, docs) = (format!("{} of {of}", what.to_lowercase()), vec![format!("{what} of `{of}`.")]);
    Equation { name, docs, residual, incidence: incidence(dag, [residual]), domain: Domain::scalar(), origin }
}

/// The role of an unknown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    State,
    Adjoint,
    Control,
    Multiplier,
}

/// The roles of unknowns.
struct Parts(HashMap<UnknownId, Part>);

impl Parts {
    fn of(problem: &ControlProblem) -> Self {
        let states = problem.states.iter().flat_map(|s| [(s.unknown, Part::State), (s.adjoint, Part::Adjoint)]);
        let multipliers = problem.constraints.iter().map(|it| (it.constraint.multiplier, Part::Multiplier));
        let controls = problem.controls.iter().map(|control| (control.unknown, Part::Control));
        Parts(states.chain(controls).chain(multipliers).collect())
    }

    fn of_unknown(&self, unknown: UnknownId) -> Option<Part> {
        self.0.get(&unknown).copied()
    }

    /// Checks that an expression contains no unknowns except states and controls, and no derivatives.
    fn check(&self, dag: &Dag, what: &str, value: Expr, origin: Origin, names: Names<'_>, found: &mut Diagnostics) {
        for (unknown, order) in jets(dag, value) {
            let (why, help) = match (self.of_unknown(unknown), order) {
                (Some(Part::State | Part::Control), 0) => continue,
                (Some(Part::State), _) => ("a derivative", "replace it by the right-hand side of its dynamics"),
                (Some(Part::Control), _) => {
                    ("a derivative", "make the control a state whose derivative is the control: `der(u) = w;`")
                }
                (Some(Part::Multiplier), _) => ("a multiplier", "the multipliers follow from the constraints"),
                (Some(Part::Adjoint), _) => ("an adjoint", "the adjoints follow from dynamics and costs"),
                (None, _) => (
                    "neither state nor control",
                    "make it a state with dynamics, a control, or a `let`: the conditions have to know how it depends on the states",
                ),
            };
            let message = format!("{what} `{}`, {why}", names(Symbol::Unknown { unknown, order }));
            let finding = Diagnostic::error(Code::InvalidControlProblem, message).label(origin, "in this expression");
            found.push(finding.help(help));
        }
    }

    /// Checks that the cost at the end contains no control.
    fn check_terminal(&self, dag: &Dag, cost: Cost, names: Names<'_>, found: &mut Diagnostics) {
        for (unknown, order) in jets(dag, cost.value) {
            if self.of_unknown(unknown) == Some(Part::Control) && order == 0 {
                let name = names(Symbol::Unknown { unknown, order });
                let message = format!("the terminal cost contains the control `{name}`");
                let finding = Diagnostic::error(Code::InvalidControlProblem, message);
                let finding = finding.label(cost.origin, "in this expression");
                found.push(
                    finding
                        .note("a control at a single time has no influence on the states")
                        .help("the terminal cost is a function of the states; put the control into the running cost"),
                );
            }
        }
    }
}

//! Start values that lie on a switch.
//!
//! In: an analysis on the branches that evaluation takes at the start values. Out: that analysis, if its verdict holds
//! on every side of the switches on which the start values lie; with the verdict that all sides share, if evaluation on
//! the switch itself does not give it; otherwise without a verdict, the verdicts of the sides being the reason. A model
//! is rejected only if all sides examined are rejected for the same kind of problem.
//!
//! On one side of a surface $\sigma = 0$ the model is smooth (`expr/surfaces.rs`), and has an analysis of its own. The
//! solution enters one of the sides at once, or stays on the surface. Where $\sigma = 0$ selects what neither side
//! does, the surface counts as a side of its own, unless a derivative of $\sigma$ along its solution shows that the
//! solution leaves it; and where $\sigma$ vanishes identically, or an equation says that it does, the surface is the
//! only side. No comparison is needed after a proof by intervals (`local/proof.rs`), which takes account of all
//! branches, or where the system Jacobian is regular whatever values the jets have on the other sides.

use super::analysis::Analysis;
use super::array::{ArrayFinding, ArrayPoint, ArrayVerdict, constant, exact_parameters};
use super::branch::analyse_as_written;
use super::certificate::{Grounds, LocalRegularity, LowerBound, Verdict};
use super::limits::{self, Limits};
use super::local::Enclosures;
use super::lower_bound::lower_bound;
use super::problem::{Problem, ProblemKind};
use super::settle::Settled;
use crate::diagnostic::Diagnostics;
use crate::expr::ball::{Ball, Calls, Magnitude, PRECISION, evaluate_balls};
use crate::expr::{
    Expr, Notation, Side, Surface, Symbol, piecewise, print_with, reachable, surfaces, total_derivative, vanishes,
};
use crate::model::{Model, Start, incidence};
use crate::system::{listed, written_orders};

/// Completes the analysis where the start values lie on a switch, by comparing the verdicts on its sides.
pub(super) fn compare(
    model: &mut Model,
    mut analysis: Analysis,
    settled: Settled,
    t0: f64,
    limits: &Limits,
) -> Result<Analysis, (Problem, Diagnostics)> {
    let residuals: Vec<Expr> = model.equations.iter().map(|e| e.residual).collect();
    let residuals = model.expand_inputs(&residuals);
    if piecewise(&model.dag, &residuals).is_empty()
        || (settled.is_ok() && holds_on_all_sides(model, &analysis, t0, limits))
    {
        return settled.map(|()| analysis);
    }
    let start = Known::of(model, Some(&analysis), t0, &limits.local);
    let mut leaves = Vec::new();
    let most = limits.switches.surfaces;
    if !split(model, &residuals, &start, most, &mut Vec::new(), &mut leaves) {
        if settled.is_err() || matches!(analysis.certificate.verdict(), Verdict::Exact(_) | Verdict::AtMost { .. }) {
            withdraw(&mut analysis, format!("the start values lie on more than {most} switches, t = {t0}"));
        }
        return Ok(analysis);
    }
    // On all branches off the surfaces, rows were shown to depend on or to contradict one another; only the surfaces
    // themselves are left to examine.
    let is_free = matches!(&settled, Err((problem, _)) if problem.kind == ProblemKind::NotUnique);
    if settled.is_err() && !is_free {
        leaves.retain(|(chosen, _)| chosen.iter().any(|&(_, side)| side == Side::Zero));
    }
    if leaves.len() < 2 && (settled.is_ok() || is_free) {
        return settled.map(|()| analysis);
    }
    let mut sides: Vec<OneSide> = Vec::new();
    let mut leaves = leaves.into_iter();
    while sides.iter().filter(|side| side.is_undecided()).count() < limits.switches.undecided {
        let Some(leaf) = leaves.next() else { break };
        sides.extend(Some(OneSide::of(model, &residuals, leaf, t0, limits)).filter(|side| side.is_entered));
    }
    let kind = settled.as_ref().err().map(|(problem, _)| problem.kind);
    let is_alike = |side: &OneSide| side.found.as_ref().err().map(|problem| problem.kind) == kind;
    if settled.is_err() && sides.iter().all(is_alike) {
        return settled.map(|()| analysis);
    }
    match sides.first().and_then(|side| side.verdict()) {
        Some(verdict) if sides.iter().all(|side| side.is_at_switch && side.verdict() == Some(verdict)) => {
            agree(&mut analysis, &mut sides, verdict, &settled);
        }
        _ => {
            let said: Vec<String> = sides.iter().map(|side| side.describe(model)).collect();
            let unexamined = match leaves.len() {
                0 => String::new(),
                1 => "; one more combination of sides was not examined".into(),
                left => format!("; {left} more combinations of sides were not examined"),
            };
            let reason = format!("the start values lie on a switch, t = {t0}: {}{unexamined}", listed(&said));
            withdraw(&mut analysis, reason);
        }
    }
    Ok(analysis)
}

/// Whether the verdict is structural and holds on all sides at once: because it is proved in a box whose enclosures
/// contain both branches, or because it holds whatever values the jets that are not fixed have on the other sides.
fn holds_on_all_sides(model: &Model, analysis: &Analysis, t0: f64, limits: &Limits) -> bool {
    let certificate = &analysis.certificate;
    if certificate.array.is_some() || !matches!(certificate.verdict(), Verdict::Exact(_)) {
        return false;
    }
    let (condition, jets) = match (&certificate.local, &analysis.jets) {
        (LocalRegularity::Proven { .. }, _) => return true,
        (LocalRegularity::Numerical { condition, .. }, Some(jets)) => (*condition, jets),
        _ => return false,
    };
    let enclosures = Enclosures::new(&analysis.prolonged, t0, &limits.local);
    let Some(there) = enclosures.on_all_sides(jets) else { return false };
    let lower = || {
        let rows = enclosures.system_jacobian(&there);
        lower_bound(&written_orders(model), &analysis.structure, &rows, condition, &limits.lower_bound)
    };
    enclosures.is_regular_within(&there) && matches!(lower(), LowerBound::Trivial | LowerBound::Witness(_))
}

/// Withdraws the verdict: nothing is certified.
fn withdraw(analysis: &mut Analysis, reason: String) {
    let certificate = &mut analysis.certificate;
    match &mut certificate.local {
        LocalRegularity::Singular { message, .. } => message.clone_from(&reason),
        other => *other = LocalRegularity::NotAttempted { reason: reason.clone() },
    }
    certificate.lower = LowerBound::NotAttempted { reason: reason.clone() };
    certificate.array = None;
    analysis.array_ranks = Vec::new();
    analysis.explanation = None;
    analysis.hessenberg = None;
}

/// Completes the analysis where all sides have the same verdict.
fn agree(analysis: &mut Analysis, sides: &mut [OneSide], verdict: (u32, usize), settled: &Settled) {
    let certificate = &mut analysis.certificate;
    let said = (certificate.verdict(), certificate.degrees_of_freedom());
    if settled.is_ok() && said == (Verdict::Exact(verdict.0), Some(verdict.1)) {
        if let Some(finding) = certificate.array.as_mut() {
            finding.exact &= sides.iter().all(OneSide::is_proved);
        }
        return;
    }
    // The side about which least is proved comes first.
    sides.sort_by_key(OneSide::is_proved);
    let Some(Ok(side)) = sides.first().map(|side| &side.found) else { return };
    if side.structure.offsets == analysis.structure.offsets && side.rewrites.len() == analysis.rewrites.len() {
        analysis.certificate = side.certificate.clone();
        analysis.array_ranks.clone_from(&side.array_ranks);
        analysis.jets.clone_from(&side.jets);
        return;
    }
    let of_array = match &side.certificate.array {
        Some(finding) if matches!(finding.verdict, ArrayVerdict::Index(_)) => Some(finding.clone()),
        _ => side.array_ranks.last().map(|last| ArrayFinding {
            verdict: ArrayVerdict::Index(last.differentiations),
            ranks: side.array_ranks.clone(),
            points: 1,
            constant_rank: None,
            exact: false,
        }),
    };
    let of_verdict = |finding: &ArrayFinding| {
        finding.verdict == ArrayVerdict::Index(verdict.0)
            && finding.ranks.last().is_some_and(|ranks| ranks.manifold_dimension() == verdict.1)
    };
    match of_array.filter(of_verdict) {
        Some(finding) => {
            let reason = "the start values lie on a switch, on all sides of which the derivative array says the same";
            if !certificate.local.is_regular() || certificate.structural_degrees != verdict.1 {
                certificate.local = LocalRegularity::NotAttempted { reason: reason.into() };
            }
            analysis.array_ranks = finding.ranks.clone();
            certificate.array = Some(finding);
        }
        None => withdraw(analysis, "the start values lie on a switch".into()),
    }
}

/// Surfaces, each with the side of it that is chosen.
type Chosen = Vec<(Surface, Side)>;

/// Collects all combinations of sides of the switches on which the known values lie, each with the equations there.
/// Returns `false` if there are more than `most` switches.
fn split(
    model: &mut Model,
    roots: &[Expr],
    known: &Known,
    most: usize,
    chosen: &mut Chosen,
    leaves: &mut Vec<(Chosen, Vec<Expr>)>,
) -> bool {
    let touched = surfaces(&mut model.dag, roots).into_iter().find(|s| known.value(model, s.function).contains_zero());
    let Some(surface) = touched else {
        leaves.push((chosen.clone(), roots.to_vec()));
        return true;
    };
    if chosen.len() >= most {
        return false;
    }
    let [positive, negative, zero] = [Side::Positive, Side::Negative, Side::Zero].map(|side| {
        let there: Vec<Expr> = roots.iter().map(|&root| surface.on_side(&mut model.dag, root, side)).collect();
        (side, there)
    });
    let joins =
        [&positive, &negative].map(|(_, there)| is_same_on(model, known, &surface, there, &zero.1)).contains(&true);
    [positive, negative].into_iter().chain((!joins).then_some(zero)).all(|(side, there)| {
        chosen.push((surface.clone(), side));
        let few = split(model, &there, known, most, chosen, leaves);
        chosen.pop();
        few
    })
}

/// Whether expressions have the same values as others on a surface near the known values, where it is the graph of a
/// variable; `false` if that cannot be decided.
fn is_same_on(model: &mut Model, known: &Known, surface: &Surface, some: &[Expr], others: &[Expr]) -> bool {
    if some == others {
        return true;
    }
    let mut variables = surface.linear_variables(&mut model.dag);
    variables.retain(|&(_, slope)| known.value(model, slope).sign().is_some_and(|sign| sign != 0));
    let differing = some.iter().zip(others).filter(|(some, others)| some != others);
    let differences: Vec<Expr> = differing.map(|(&some, &other)| model.dag.sub(some, other)).collect();
    let Some(&(variable, _)) = variables.first() else { return false };
    differences.into_iter().all(|difference| surface.annihilates(&mut model.dag, difference, variable))
}

/// Whether a switching function stays zero: for the default parameters it is zero whatever the unknowns are, or an
/// equation says that it is.
fn stays_zero(model: &mut Model, function: Expr) -> bool {
    let residuals: Vec<Expr> = model.equations.iter().map(|equation| equation.residual).collect();
    let residuals = model.expand_inputs(&residuals);
    if residuals.into_iter().any(|residual| model.dag.primitive_part(residual) == function) {
        return true;
    }
    let function = model.expand_inputs(&[function]);
    let function = model.with_default_parameters(&function);
    function.into_iter().all(|function| vanishes(&mut model.dag, function))
}

/// Whether a derivative of a switching function shows that the solution leaves the zeros of the function.
fn leaves_zero(model: &mut Model, analysis: &Analysis, function: Expr, t0: f64, limits: &Limits) -> bool {
    let known = Known::of(model, Some(analysis), t0, &limits.local);
    let mut derivative = model.expand_inputs(&[function])[0];
    for _ in 0..limits.switches.derivatives {
        derivative = total_derivative(&mut model.dag, derivative);
        if matches!(known.value(model, derivative).sign(), Some(-1 | 1)) {
            return true;
        }
    }
    false
}

/// The analysis on one side of every switch.
struct OneSide {
    chosen: Chosen,
    found: Result<Analysis, Problem>,
    /// Whether its consistent point lies on all the chosen switches and on no others, as far as is known.
    is_at_switch: bool,
    /// Whether the solution may be on this side: its consistent point, if it has one, is not beyond a chosen switch;
    /// and the solution is known neither to leave a surface that is itself the side, nor to stay on a surface that
    /// bounds the side.
    is_entered: bool,
}

impl OneSide {
    fn of(
        model: &Model,
        residuals: &[Expr],
        (chosen, there): (Chosen, Vec<Expr>),
        t0: f64,
        limits: &Limits,
    ) -> OneSide {
        let mut smooth = model.clone();
        for (k, (&written, &residual)) in residuals.iter().zip(&there).enumerate() {
            if written != residual {
                smooth.equations[k].residual = residual;
                smooth.equations[k].incidence = incidence(&smooth.dag, [residual]);
            }
        }
        let found = match analyse_as_written(&mut smooth, t0, limits) {
            Ok((analysis, Ok(()))) => Ok(analysis),
            Ok((_, Err((problem, _)))) | Err((problem, _)) => Err(problem),
        };
        let analysis = found.as_ref().ok();
        let known = Known::of(&smooth, analysis, t0, &limits.local);
        // There may be other switches at its own consistent point.
        let mut others = surfaces(&mut smooth.dag, &there).into_iter();
        let is_smooth = !others.any(|other| known.value(&smooth, other.function).contains_zero());
        let (mut is_at_switch, mut is_entered) = (is_smooth, true);
        for (surface, side) in &chosen {
            let sign = known.value(&smooth, surface.function).sign();
            is_at_switch &= !matches!(sign, Some(-1 | 1));
            is_entered &= match side {
                Side::Positive | Side::Negative => sign != Some(-side.sign()),
                Side::Zero => !matches!(sign, Some(-1 | 1)),
            };
        }
        let has_point = analysis.is_some_and(|analysis| analysis.jets.is_some());
        is_entered |= !has_point;
        for &(ref surface, side) in &chosen {
            is_entered &= match side {
                Side::Zero => {
                    let leaves = |found| leaves_zero(&mut smooth, found, surface.function, t0, limits);
                    !analysis.is_some_and(leaves)
                }
                Side::Positive | Side::Negative => !stays_zero(&mut smooth, surface.function),
            };
        }
        OneSide { chosen, found, is_at_switch, is_entered }
    }

    fn verdict(&self) -> Option<(u32, usize)> {
        let certificate = &self.found.as_ref().ok()?.certificate;
        match (certificate.verdict(), certificate.degrees_of_freedom()) {
            (Verdict::Exact(index), Some(degrees)) => Some((index, degrees)),
            _ => None,
        }
    }

    /// Whether the model can be analysed there, but nothing is certified.
    fn is_undecided(&self) -> bool {
        self.found.is_ok() && self.verdict().is_none()
    }

    fn is_proved(&self) -> bool {
        self.found.as_ref().is_ok_and(|analysis| analysis.certificate.grounds() == Grounds::Proved)
    }

    /// `where t > 0, the index is 2, with 1 degree of freedom`.
    fn describe(&self, model: &Model) -> String {
        let names = model.definition_names().into_iter().collect();
        let spelled = |(surface, side): &(Surface, Side)| {
            let function = print_with(&model.dag, surface.function, Notation::Text, &names, |s| model.symbol_name(s));
            let relation = match side {
                Side::Positive => ">",
                Side::Negative => "<",
                Side::Zero => "=",
            };
            format!("{function} {relation} 0")
        };
        let place = listed(&self.chosen.iter().map(spelled).collect::<Vec<_>>());
        match (self.verdict(), &self.found) {
            (Some((index, degrees)), _) => {
                let freedom = if degrees == 1 { "1 degree".to_string() } else { format!("{degrees} degrees") };
                format!("where {place}, the index is {index}, with {freedom} of freedom")
            }
            (None, Ok(_)) => format!("where {place}, nothing is certified"),
            (None, Err(problem)) => format!("where {place}, there is none ({})", problem.kind.name()),
        }
    }
}

/// Enclosures of what is known of the values at the start.
struct Known {
    t0: f64,
    parameters: Vec<Ball>,
    /// Derivatives by unknown and order.
    jets: Vec<Vec<Ball>>,
}

impl Known {
    /// The values at the consistent point of an analysis; without one, only fixed values are known.
    fn of(model: &Model, analysis: Option<&Analysis>, t0: f64, limits: &limits::Local) -> Known {
        let point = analysis.and_then(|analysis| {
            let jets = analysis.jets.as_ref()?;
            let radius = analysis.certificate.local.radius(limits);
            Some((ArrayPoint::of_jets(&analysis.prolonged, jets, t0), radius))
        });
        let parameters = exact_parameters(model);
        let jet = |j: usize, k: usize| {
            let unknown = &model.unknowns[j];
            if let Some(start) = unknown.start_value(k as u32).filter(|start| start.kind == Start::Fixed) {
                return constant(model, &parameters, start.value);
            }
            let Some((point, radius)) = &point else { return Ball::entire() };
            let Some(_) = point.taylor[j].get(k) else { return Ball::entire() };
            let x = point.derivative(j, k);
            Ball::of_f64(x).widened(Magnitude::of(radius * x.abs().max(unknown.nominal)))
        };
        let highest = |j: usize| {
            let given = model.unknowns[j].derivative_starts.iter().map(|&(order, _)| order as usize + 1);
            given.chain(point.iter().map(|(point, _)| point.taylor[j].len())).max().unwrap_or(0).max(1)
        };
        let jets = (0..model.unknowns.len()).map(|j| (0..highest(j)).map(|k| jet(j, k)).collect()).collect();
        Known { t0, parameters, jets }
    }

    fn value(&self, model: &Model, expr: Expr) -> Ball {
        let order = reachable(&model.dag, [expr]);
        let values = evaluate_balls(&model.dag, &order, PRECISION, Calls::Enclosed, |symbol| match symbol {
            Symbol::Time => Ball::of_f64(self.t0),
            Symbol::Parameter(p) => self.parameters.get(p.index()).cloned().unwrap_or(Ball::entire()),
            Symbol::Unknown { unknown, order } => {
                let jets = self.jets.get(unknown.index()).and_then(|jets| jets.get(order as usize));
                jets.cloned().unwrap_or(Ball::entire())
            }
            Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => Ball::entire(),
        });
        values.last().cloned().unwrap_or(Ball::entire())
    }
}

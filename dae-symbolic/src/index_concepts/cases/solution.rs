//! Values of the unknowns at which the system Jacobian is singular.
//!
//! In: a model whose system Jacobian is generically nonsingular. Out: the factors of its determinant that can vanish,
//! found from its blocks of one and two rows. Where a factor is affine in one unknown, the model is analysed
//! again on the other side.

use dae_runtime::contract::Start;

use super::case::{Case, MAX_CASES, Other, Scope, Side, Subject};
use super::other_side::verdict_of;
use crate::expr::interval::{Interval, evaluate_interval};
use crate::expr::{
    Expr, Function, Node, Notation, Rational, Symbol, UnknownId, differentiate, evaluate_one, print, substitute,
    symbols,
};
use crate::index::array::{ArrayPoint, Consistent, DerivativeArray, consistent_point};
use crate::index::{Analysis, Limits, Verdict};
use crate::model::{Model, StartValue};
use crate::origin::Origin;
use crate::structure::block_triangular_form;

/// A factor whose magnitude at the consistent point is at most this counts as zero there.
const SMALL: f64 = 1e-8;
/// Factors whose text is longer than this are of no use to a reader.
const MAX_LENGTH: usize = 80;
/// Values of unknowns beyond this are not considered.
const EVERYWHERE: f64 = 1e30;
/// Distances of guesses from an exceptional value, tried in this order.
const BESIDE: [(i64, i64); 4] = [(1, 1), (-1, 1), (1, 10), (-1, 10)];

pub(super) fn cases(model: &mut Model, analysis: &Analysis, t0: f64) -> Vec<Case> {
    // A combination of equations brings conditions of its own, which say nothing about the text.
    if !analysis.rewrites.is_empty() {
        return Vec::new();
    }
    let factors = factors(model, analysis);
    if factors.is_empty() {
        return Vec::new();
    }
    let Some(value) = values_at_own_point(model, analysis, &factors, t0) else { return Vec::new() };
    let sides = value.iter().map(|value| if value.abs() > SMALL { Side::Regular } else { Side::Exceptional });
    let sides: Vec<Side> = sides.collect();
    let own = if sides.contains(&Side::Exceptional) { Side::Exceptional } else { Side::Regular };
    // Where one factor vanishes, the others say nothing about the index.
    let relevant = factors.into_iter().zip(sides).filter(|&(_, side)| side == own).enumerate();
    let mut case = |(k, (factor, side))| {
        let (other, analysed_at) =
            if k < MAX_CASES { other_side(model, factor, side, t0) } else { (Other::Open, None) };
        case(model, factor, side, other, analysed_at)
    };
    relevant.map(&mut case).collect()
}

fn other_side(model: &mut Model, factor: Expr, own: Side, t0: f64) -> (Other, Option<String>) {
    match (root(model, factor), own) {
        (Some((unknown, root)), Side::Regular) => on_the_root(model, unknown, root, t0),
        (Some((unknown, root)), Side::Exceptional) => beside_the_root(model, unknown, root, t0),
        (None, _) => (Other::Open, None),
    }
}

fn case(model: &Model, factor: Expr, own: Side, other: Other, analysed_at: Option<String>) -> Case {
    let spelled = spelled(model, factor);
    Case {
        subject: Subject::Solution,
        exceptional: format!("{spelled} = 0"),
        exceptional_values: Vec::new(),
        regular: format!("{spelled} ≠ 0"),
        own,
        scope: Scope::AlmostEvery,
        other,
        analysed_at,
    }
}

fn spelled(model: &Model, e: Expr) -> String {
    print(&model.dag, e, Notation::Text, |symbol| model.symbol_name(symbol))
}

/// Factors of the determinant that contain unknowns and may vanish, each once.
fn factors(model: &mut Model, analysis: &Analysis) -> Vec<Expr> {
    let structure = &analysis.structure;
    let jacobian = analysis.system.jacobian(&mut model.dag, &structure.offsets);
    let entry = |i: usize, j: usize| {
        let found = jacobian.binary_search_by_key(&(i, j), |&(i, j, _)| (i, j));
        found.ok().map(|k| jacobian[k].2)
    };
    let mut list = Vec::new();
    for block in block_triangular_form(&structure.jacobian, &structure.transversal) {
        let determinant = match (block.equations.as_slice(), block.unknowns.as_slice()) {
            (&[i], &[j]) => entry(i, j),
            (&[i, k], &[j, l]) => {
                let mut product = |a: Option<Expr>, b: Option<Expr>| Some(model.dag.mul(a?, b?));
                match (product(entry(i, j), entry(k, l)), product(entry(i, l), entry(k, j))) {
                    (Some(a), Some(b)) => Some(model.dag.sub(a, b)),
                    (a, b) => a.or(b),
                }
            }
            _ => None,
        };
        let Some(determinant) = determinant else { continue };
        for factor in bases(model, determinant) {
            let factor = model.dag.primitive_part(factor);
            if !list.contains(&factor) && can_vanish(model, factor) && spelled(model, factor).len() <= MAX_LENGTH {
                list.push(factor);
            }
        }
    }
    list
}

/// The factors of the numerator of a product.
fn bases(model: &Model, e: Expr) -> Vec<Expr> {
    let e = match model.dag.node(e) {
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => terms[0].1,
        _ => e,
    };
    match model.dag.node(e) {
        Node::Product(factors) => factors.iter().filter(|&&(_, n)| n > 0).map(|&(base, _)| base).collect(),
        _ => vec![e],
    }
}

/// Whether an expression depends on unknowns and, by interval arithmetic at the default parameters, may vanish.
fn can_vanish(model: &mut Model, e: Expr) -> bool {
    let depends = symbols(&model.dag, [e]).iter().any(|s| matches!(s, Symbol::Unknown { .. }));
    // Neither function has a zero, whatever its interval.
    if !depends || matches!(model.dag.node(e), Node::Apply(Function::Exp | Function::Cosh, _)) {
        return false;
    }
    let expanded = model.expand_inputs(&[e]);
    let expanded = model.with_default_parameters(&expanded);
    let any = Interval::new(-EVERYWHERE, EVERYWHERE).unwrap_or(Interval::ENTIRE);
    evaluate_interval(&model.dag, &expanded, |_| any)[0].contains(0.0)
}

/// The values of the factors at the model's own consistent point; `None` without such a point or finite values.
fn values_at_own_point(model: &mut Model, analysis: &Analysis, factors: &[Expr], t0: f64) -> Option<Vec<f64>> {
    let parameters = &analysis.prolonged.parameters;
    let expanded = model.expand_inputs(factors);
    let point = match &analysis.jets {
        Some(_) => None,
        None => {
            let Verdict::Exact(index) = analysis.certificate.verdict() else { return None };
            let array = DerivativeArray::of(model, index, &Limits::DEFAULT.array)?;
            let start = ArrayPoint::of_start_values(model, parameters, t0);
            Some(consistent_point(model, parameters, &array, &start, Consistent::Model).ok()?)
        }
    };
    let derivative = |unknown: UnknownId, order: u32| match (&point, &analysis.jets) {
        (Some(point), _) => point.derivative(unknown.index(), order as usize),
        (None, Some(jets)) => analysis.prolonged.jet(unknown.index(), order).map_or(f64::NAN, |k| jets[k]),
        (None, None) => f64::NAN,
    };
    let value = |&e: &Expr| {
        evaluate_one(&model.dag, e, |symbol| match symbol {
            Symbol::Time => t0,
            Symbol::Parameter(p) => parameters[p.index()],
            Symbol::Unknown { unknown, order } => derivative(unknown, order),
            Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => f64::NAN,
        })
    };
    let values: Vec<f64> = expanded.iter().map(value).collect();
    values.iter().all(|value| value.is_finite()).then_some(values)
}

/// The one unknown that a factor contains, affinely, and its value where the factor vanishes; `None` if the factor is
/// not of this kind, or contains time or inputs.
fn root(model: &mut Model, factor: Expr) -> Option<(UnknownId, Expr)> {
    let used = symbols(&model.dag, [factor]);
    let unknowns = used.iter().filter_map(|&symbol| match symbol {
        Symbol::Unknown { unknown, order } => Some((unknown, order)),
        _ => None,
    });
    let [(unknown, 0)] = unknowns.collect::<Vec<_>>()[..] else { return None };
    if used.iter().any(|symbol| matches!(symbol, Symbol::Time | Symbol::Input { .. })) {
        return None;
    }
    let slope = differentiate(&mut model.dag, factor, Symbol::Unknown { unknown, order: 0 });
    let slope = model.dag.as_constant(slope)?.recip()?;
    let zero = model.dag.integer(0);
    let is_it = |symbol| symbol == Symbol::Unknown { unknown, order: 0 };
    let at_zero = substitute(&mut model.dag, &[factor], |_, symbol| is_it(symbol).then_some(zero))[0];
    Some((unknown, model.dag.scale(slope.neg(), at_zero)))
}

/// The verdict on solutions that start where the factor vanishes.
fn on_the_root(model: &mut Model, unknown: UnknownId, root: Expr, t0: f64) -> (Other, Option<String>) {
    let (other, _) = verdict_of(model, |model| start(model, unknown, root, Start::Fixed), t0);
    match other.is_exact() {
        true => (other, Some(assignment(model, unknown, root))),
        // There need not be such solutions.
        false => (Other::Open, None),
    }
}

/// The verdict on solutions on which the factor does not vanish.
fn beside_the_root(model: &mut Model, unknown: UnknownId, root: Expr, t0: f64) -> (Other, Option<String>) {
    for (numerator, denominator) in BESIDE {
        let Some(distance) = Rational::new(numerator, denominator) else { continue };
        let distance = model.dag.constant(distance);
        let guess = model.dag.add(root, distance);
        let (other, analysis) = verdict_of(model, |model| start(model, unknown, guess, Start::Guess), t0);
        let Some(analysis) = analysis.filter(|it| other.is_exact() && it.certificate.is_regular()) else { continue };
        let reached = analysis.prolonged.jet(unknown.index(), 0).and_then(|k| Some(analysis.jets.as_ref()?[k]));
        let name = &model.unknowns[unknown.index()].name;
        return (other, reached.map(|value| format!("{name} = {}", rounded(value))));
    }
    (Other::Open, None)
}

/// A computed value as a reader expects it: an integer if it is close to one.
fn rounded(value: f64) -> f64 {
    if (value - value.round()).abs() < SMALL { value.round() + 0.0 } else { value }
}

fn start(model: &mut Model, unknown: UnknownId, value: Expr, kind: Start) {
    model.unknowns[unknown.index()].start = Some(StartValue { value, kind, origin: Origin::NONE });
}

fn assignment(model: &Model, unknown: UnknownId, value: Expr) -> String {
    format!("{} = {}", model.unknowns[unknown.index()].name, spelled(model, value))
}

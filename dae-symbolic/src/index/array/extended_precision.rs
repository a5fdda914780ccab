//! Jets that fulfil the derivative array to hundreds of digits, and its ranks there.
//!
//! In: the array and jets that fulfil it to rounding, or start values. Out: jets that fulfil it to hundreds of digits,
//! at the exact values that the text gives, and ranks whose pivots are proved not to be zero there. Where unknowns are
//! sums of large terms, matrices of full rank are nearly singular; where terms cancel identically, their rounding error
//! looks like an entry; and where a coefficient is $10^{-40}$, it looks like rounding. Sixteen digits do not tell these
//! apart; hundreds do.
//!
//! The jets follow by Newton's method in midpoint–radius arithmetic (`expr/ball`), which changes those with the largest
//! pivots; the others keep their values, which are exact. The method converges quadratically to a simple solution and
//! crawls towards a multiple one, which is not decided here. Functions and tables that are known to 16 digits leave
//! numbers of that size in place of zero; then nothing is decided either.

use super::derivative_array::{DerivativeArray, Linearised};
use super::ease::relative_ease;
use super::matrix::{ArrayRanks, Columns};
use super::pivoting::{BallRow, Pivoting, largest};
use super::point::ArrayPoint;
use super::system::{ArraySystem, Consistent};
use super::taylor::{self, Scalar};
use crate::defaults::default_parameters;
use crate::expr::ball::{Ball, Calls, Magnitude, PRECISION, evaluate_balls};
use crate::expr::{Expr, Node, Symbol, reachable};
use crate::index::limits;
use crate::model::Model;
use dae_runtime::contract::Start;

/// Jets as Taylor coefficients by unknown and order.
pub(super) type Digits = Vec<Vec<Ball>>;

impl Scalar for Ball {
    fn zero() -> Ball {
        Ball::zero()
    }
    fn negated(self) -> Ball {
        self.negative()
    }
    fn plus(self, other: Ball) -> Ball {
        Ball::plus(&self, &other)
    }
    fn times(self, other: Ball) -> Ball {
        Ball::times(&self, &other)
    }
    fn over(self, other: Ball) -> Ball {
        Ball::over(&self, &other)
    }
    fn integer(n: u64) -> Ball {
        i64::try_from(n).map_or(Ball::entire(), Ball::integer)
    }
    fn rational(&self, q: &crate::expr::Rational) -> Option<Ball> {
        Some(Ball::rational(q, self.precision()))
    }
}

/// Whether arrays of this size are examined to hundreds of digits.
pub(super) fn is_within_reach(array: &DerivativeArray) -> bool {
    let limits = &array.limits.extended;
    let coefficients = array.tape.nodes().len() * (array.differentiations as usize + 1);
    array.rows() <= limits.rows && coefficients <= limits.coefficients
}

/// Whether the array can be evaluated in any precision: it is small, and no function in it is known to 16 digits only.
pub(super) fn has_all_digits(model: &Model, array: &DerivativeArray) -> bool {
    is_within_reach(array) && !has_calls(model, array)
}

/// Whether functions and tables that are known to 16 digits occur.
fn has_calls(model: &Model, array: &DerivativeArray) -> bool {
    array.tape.nodes().iter().any(|&e| matches!(model.dag.node(e), Node::Call(..)))
}

/// Ranks with at most `m` differentiations at jets with hundreds of digits; `None` if entries are left that are neither
/// zero nor surely nonzero.
pub(super) fn ranks(model: &Model, array: &DerivativeArray, t: f64, jets: &Digits, m: u32) -> Option<ArrayRanks> {
    let [higher, rates, all] = pivots(model, array, t, jets, m, Calls::Enclosed).0?;
    Some(ArrayRanks {
        differentiations: m,
        rows: array.equations.len() * (m as usize + 1),
        unknowns: array.rates.len(),
        states: array.states(),
        higher,
        rates,
        all,
        gap: f64::INFINITY,
        dropped: 0.0,
        clear: true,
    })
}

/// Whether numerical ranks at jets of 16 digits are those of the exact numbers there: entries that vanish on solutions
/// only, or are too small to be seen, make the exact ranks differ, and the rounding error of an identity makes the
/// numerical ones too large. `None` for large arrays.
pub(super) fn are_exact(
    model: &Model,
    array: &DerivativeArray,
    point: &ArrayPoint,
    ranks: &ArrayRanks,
) -> Option<bool> {
    if !is_within_reach(array) {
        return None;
    }
    let jets: Digits = point.taylor.iter().map(|series| series.iter().map(|&x| Ball::of_f64(x)).collect()).collect();
    let found = [ranks.higher, ranks.rates, ranks.all];
    let of = |calls| pivots(model, array, point.t, &jets, ranks.differentiations, calls);
    // With functions known to 16 digits, the ranks are not smaller for any values that these may have, and not larger
    // for almost all.
    let (exact, least) = of(Calls::Enclosed);
    Some(least == found && (exact == Some(found) || of(Calls::InGeneralPosition).0 == Some(found)))
}

/// The ranks of the three blocks, if all remaining entries are zero; and, in any case, the numbers of pivots that
/// exclude zero.
fn pivots(
    model: &Model,
    array: &DerivativeArray,
    t: f64,
    jets: &Digits,
    m: u32,
    calls: Calls,
) -> (Option<[usize; 3]>, [usize; 3]) {
    let at = linearised(model, &exact_parameters(model), array, t, jets, (PRECISION, calls));
    let columns = Columns::new(array, m);
    let rows = rows(array, &at, m, |j, k| Some(columns.of(j, k)));
    let total = rows.len();
    let mut pivoting =
        Pivoting::new(rows, vec![Ball::zero(); total], (PRECISION, array.limits.extended.entry_cancels), &model.work);
    let (mut found, mut end, mut is_clear) = ([0; 3], 0, true);
    for (rank, width) in found.iter_mut().zip(columns.widths) {
        end += width;
        is_clear &= pivoting.exhaust(|column| (column < end).then_some(Magnitude::ONE), Magnitude::ZERO);
        *rank = pivoting.rank();
    }
    (is_clear.then_some(found), found)
}

/// Whether refined jets are those of the same solution, judged by the given values.
pub(super) fn agree(system: &ArraySystem<'_>, point: &ArrayPoint, digits: &Digits) -> bool {
    system.places().filter(|&(j, k)| system.kind(j, k) != Start::Free).all(|(j, k)| {
        let (x, refined) = (point.taylor[j][k], digits[j][k].to_f64());
        (refined - x).abs() <= system.array.limits.extended.same * x.abs().max(system.model.unknowns[j].nominal)
    })
}

/// The jets, rounded.
pub(super) fn rounded(t: f64, digits: &Digits) -> ArrayPoint {
    ArrayPoint { t, taylor: digits.iter().map(|series| series.iter().map(Ball::to_f64).collect()).collect() }
}

/// Rows and columns of the entries that may be zero at exactly these jets, because functions in them are known to 16
/// digits only; none where there are no such functions.
pub(super) fn uncertain_entries(
    model: &Model,
    array: &DerivativeArray,
    point: &ArrayPoint,
    m: u32,
) -> Vec<(usize, usize)> {
    if !has_calls(model, array) {
        return Vec::new();
    }
    let jets: Digits = point.taylor.iter().map(|series| series.iter().map(|&x| Ball::of_f64(x)).collect()).collect();
    let at = linearised(
        model,
        &exact_parameters(model),
        array,
        point.t,
        &jets,
        (array.limits.extended.few_digits, Calls::Enclosed),
    );
    let columns = Columns::new(array, m);
    let rows = rows(array, &at, m, |j, k| Some(columns.of(j, k)));
    let uncertain = |(i, row): (usize, BallRow)| {
        row.into_iter().filter(|(_, x)| x.contains_zero()).map(move |(column, _)| (i, column))
    };
    rows.into_iter().enumerate().flat_map(uncertain).collect()
}

/// Whether jets that fulfil the array to rounding are those of a simple solution, to the known digits: where jets are
/// large, rows may be mere rounding compared with their terms although there is no solution nearby.
pub(super) fn is_simple_solution(system: &ArraySystem<'_>, point: &ArrayPoint) -> bool {
    let limits = &system.array.limits.extended;
    let Some(jets) = refine(system, point, limits.few_digits) else { return false };
    let unknowns = jets.iter().zip(&point.taylor).zip(&system.model.unknowns);
    unknowns.into_iter().all(|((refined, series), unknown)| {
        let close = |(r, x): (&Ball, &f64)| (r.to_f64() - x).abs() <= limits.same * x.abs().max(unknown.nominal);
        refined.iter().zip(series).all(close)
    })
}

/// Whether there is a solution at jets that fulfil equations to rounding, as [`is_simple_solution`] says; `None` if
/// there are many equations, or functions known to fewer digits, or the search is given up.
pub(crate) fn is_solution(
    model: &mut Model,
    parameters: &[f64],
    residuals: &[Expr],
    point: &ArrayPoint,
    limits: &limits::Array,
) -> Option<bool> {
    let residuals = model.expand_inputs(residuals);
    let is_call = |e: &Expr| matches!(model.dag.node(*e), Node::Call(..));
    if residuals.len() > limits.extended.rows || reachable(&model.dag, residuals.iter().copied()).iter().any(is_call) {
        return None;
    }
    let rates = point.taylor.iter().map(|series| series.len() as u32 - 1).collect();
    let array = DerivativeArray::of_equations(&mut model.dag, residuals, rates, 0, limits)?;
    let mut point = point.clone();
    for (j, series) in point.taylor.iter_mut().enumerate() {
        series.resize(array.coefficients(j), 0.0);
    }
    let is_simple = is_simple_solution(&ArraySystem::new(model, parameters, &array, Consistent::Alike), &point);
    (!model.work.is_spent()).then_some(is_simple)
}

/// Whether equations of another array vanish, to hundreds of digits, at a point that fulfils `array` to rounding;
/// `None` where so many digits are not known.
pub(crate) fn vanish(
    model: &Model,
    (array, point): (&DerivativeArray, &ArrayPoint),
    others: &DerivativeArray,
    equations: &[usize],
    how: Consistent,
) -> Option<bool> {
    let parameters = default_parameters(model);
    let system = ArraySystem::new(model, &parameters, array, how);
    let jets = refine(&system, point, PRECISION).filter(|digits| agree(&system, point, digits))?;
    let at = linearised(model, &exact_parameters(model), others, point.t, &jets, (PRECISION, Calls::Enclosed));
    let places: Vec<(usize, usize)> = (0..jets.len()).flat_map(|j| (0..jets[j].len()).map(move |k| (j, k))).collect();
    let rows = rows(others, &at, 0, |j, k| places.binary_search(&(j, k)).ok());
    let holds = array.limits.extended.row_holds;
    let mut all_vanish = true;
    for &k in equations {
        let residual = &at.residuals[k][0];
        let rounding = terms(&rows[k], &places, &jets).shifted(-(PRECISION as i64) * holds.0 / holds.1);
        let vanishes = residual.contains_zero() && !rounding.is_below(residual.upper()?);
        if !vanishes && residual.contains_zero() {
            return None;
        }
        all_vanish &= vanishes;
    }
    Some(all_vanish)
}

/// Jets that fulfil the array to `precision` binary digits, from jets that fulfil it to rounding; jets that the model
/// fixes have the exact values of the text. `None` if none are found.
pub(super) fn refine(system: &ArraySystem<'_>, point: &ArrayPoint, precision: u64) -> Option<Digits> {
    let steps = system.array.limits.extended.steps;
    newton(system, point, precision, steps, Dependence::OnSolutions)
        .or_else(|| newton(system, point, precision, steps, Dependence::None))
}

/// Jets that fulfil the array to hundreds of digits, from start values, where 16 digits lead nowhere.
pub(super) fn refine_from_afar(system: &ArraySystem<'_>, start: &ArrayPoint) -> Option<Digits> {
    newton(system, start, PRECISION, system.array.limits.extended.steps_from_afar, Dependence::None)
}

/// The rows that are taken to depend on one another before the jets are known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dependence {
    /// Those that depend on one another to within the residuals.
    OnSolutions,
    /// Those that depend on one another exactly.
    None,
}

fn newton(
    system: &ArraySystem<'_>,
    point: &ArrayPoint,
    wanted: u64,
    steps: usize,
    dependence: Dependence,
) -> Option<Digits> {
    let ArraySystem { model, array, .. } = *system;
    if !is_within_reach(array) {
        return None;
    }
    let limits = &array.limits.extended;
    let parameters = exact_parameters(model);
    let mut jets = exact_start(system, &parameters, point);
    let ease: Vec<Magnitude> = relative_ease(system, point).into_iter().map(Magnitude::of).collect();
    let units: Vec<Magnitude> = system.places().map(|(j, _)| Magnitude::of(model.unknowns[j].nominal)).collect();
    let places: Vec<(usize, usize)> = system.places().collect();
    let is_fixed = |j: usize, k: usize| system.kind(j, k) == Start::Fixed;
    let mut precision = limits.first_digits.min(wanted);
    let mut holds = false;
    for _ in 0..steps {
        if model.work.is_spent() {
            return None;
        }
        let at = linearised(model, &parameters, array, point.t, &jets, (precision, Calls::Enclosed));
        let column = |j: usize, k: usize| Some(system.column(j, k));
        let whole = rows(array, &at, array.differentiations, column);
        let count = array.equations.len();
        let residuals: Vec<Ball> =
            (0..array.rows()).map(|row| at.residuals[row % count][row / count].clone()).collect();
        // In a row without jets, a residual that is not zero, however small, excludes a solution.
        if whole.iter().zip(&residuals).any(|(row, residual)| row.is_empty() && !residual.contains_zero()) {
            return None;
        }
        let terms: Vec<Magnitude> = whole.iter().map(|row| terms(row, &places, &jets)).collect();
        let mut worst = Magnitude::ZERO;
        for (residual, terms) in residuals.iter().zip(&terms) {
            let relative = residual.upper()?.over(*terms);
            worst = if worst.is_below(relative) { relative } else { worst };
        }
        if worst.bits() < -(precision as i64) * limits.row_holds.0 / limits.row_holds.1 {
            if precision < wanted {
                precision = (2 * precision).min(wanted);
                continue;
            }
            if holds {
                return Some(known(jets, -(precision as i64) * limits.known.0 / limits.known.1, is_fixed));
            }
            holds = true;
        }
        let free = |row: BallRow| row.into_iter().filter(|(c, _)| !is_fixed(places[*c].0, places[*c].1)).collect();
        let rows: Vec<BallRow> = whole.into_iter().map(free).collect();
        let right = residuals.iter().map(Ball::negative).collect();
        let mut pivoting = Pivoting::new(rows, right, (precision, limits.entry_cancels), &model.work);
        let least = match dependence {
            Dependence::OnSolutions => worst.shifted(limits.above_residuals),
            Dependence::None => Magnitude::ZERO,
        };
        pivoting.exhaust(|column| Some(ease[column].times(units[column])), least);
        for (column, change) in pivoting.basic_solution() {
            let (j, k) = places[column];
            if !change.is_bounded() {
                return None;
            }
            let [jet, change] = [&jets[j][k], &change].map(|x| x.clone().with_precision(2 * precision));
            jets[j][k] = Ball::plus(&jet, &change).midpoint();
        }
        if worst.bits() < -(precision as i64) / limits.raised {
            precision = (2 * precision).min(wanted);
        }
    }
    None
}

/// $\sum_j |\partial f / \partial X_j\, X_j|$, plus the largest entry, or one if there is none.
pub(super) fn terms(row: &BallRow, places: &[(usize, usize)], jets: &Digits) -> Magnitude {
    let size = |(column, x): (&usize, &Ball)| {
        let (j, k) = places[*column];
        Some(x.upper()?.times(jets[j][k].upper()?))
    };
    row.iter().filter_map(size).fold(largest(row), Magnitude::plus)
}

/// The jets with radii: those that are not fixed are known to a fraction of their size, two to the power of `known`.
fn known(mut jets: Digits, known: i64, is_fixed: impl Fn(usize, usize) -> bool) -> Digits {
    for (j, series) in jets.iter_mut().enumerate() {
        for (_, x) in series.iter_mut().enumerate().filter(|(k, _)| !is_fixed(j, *k)) {
            let size = x.upper().unwrap_or(Magnitude::ONE).plus(Magnitude::power_of_two(known / 8));
            *x = x.midpoint().widened(size.shifted(known));
        }
    }
    jets
}

/// Enclosures of the default values of the parameters.
pub(crate) fn exact_parameters(model: &Model) -> Vec<Ball> {
    let mut values: Vec<Ball> = Vec::with_capacity(model.parameters.len());
    for parameter in &model.parameters {
        values.push(constant(model, &values, parameter.default));
    }
    values
}

/// The value of an expression of parameters.
pub(crate) fn constant(model: &Model, parameters: &[Ball], expr: Expr) -> Ball {
    let order = reachable(&model.dag, [expr]);
    let values = evaluate_balls(&model.dag, &order, PRECISION, Calls::Enclosed, |symbol| match symbol {
        Symbol::Parameter(p) => parameters.get(p.index()).cloned().unwrap_or(Ball::entire()),
        _ => Ball::entire(),
    });
    values.last().cloned().unwrap_or(Ball::entire())
}

/// The jets of a point, those that the model fixes with the exact values of the text.
fn exact_start(system: &ArraySystem<'_>, parameters: &[Ball], point: &ArrayPoint) -> Digits {
    let model = system.model;
    let mut jets: Digits =
        point.taylor.iter().map(|series| series.iter().map(|&x| Ball::of_f64(x)).collect()).collect();
    for (j, series) in jets.iter_mut().enumerate() {
        for (k, x) in series.iter_mut().enumerate().filter(|&(k, _)| system.kind(j, k) == Start::Fixed) {
            if let Some(start) = model.unknowns[j].start_value(k as u32) {
                let value = constant(model, parameters, start.value);
                let exact = Scalar::over(value, taylor::falling(k, k));
                *x = if exact.is_bounded() { exact } else { x.clone() };
            }
        }
    }
    jets
}

pub(super) fn linearised(
    model: &Model,
    parameters: &[Ball],
    array: &DerivativeArray,
    t: f64,
    jets: &Digits,
    (precision, calls): (u64, Calls),
) -> Linearised<Ball> {
    model.work.spend_with_digits(array.cost_of_series() * array.relative_cost() as u64, precision);
    let values = evaluate_balls(&model.dag, array.tape.nodes(), precision, calls, |symbol| match symbol {
        Symbol::Time => Ball::of_f64(t),
        Symbol::Parameter(p) => parameters.get(p.index()).cloned().unwrap_or(Ball::entire()),
        Symbol::Unknown { unknown, order } => match jets[unknown.index()].get(order as usize) {
            Some(x) => Scalar::times(x.clone(), taylor::falling(order as usize, order as usize)),
            None => Ball::zero(),
        },
        Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => Ball::entire(),
    });
    let rounded = |series: &Vec<Ball>| series.iter().map(|x| x.clone().with_precision(precision)).collect();
    array.linearised(&values, &jets.iter().map(rounded).collect::<Digits>())
}

/// The Jacobian's rows with at most `m` differentiations; `column` gives the column of a jet, or `None` to leave it
/// out.
pub(super) fn rows(
    array: &DerivativeArray,
    at: &Linearised<Ball>,
    m: u32,
    column: impl Fn(usize, usize) -> Option<usize>,
) -> Vec<BallRow> {
    let count = array.equations.len();
    let mut rows = vec![BallRow::new(); count * (m as usize + 1)];
    array.entries(at, m, |l, i, j, k, value| {
        if let Some(column) = column(j, k).filter(|_| !value.is_zero()) {
            let entry = rows[l * count + i].entry(column).or_insert_with(Ball::zero);
            *entry = Ball::plus(entry, &value);
        }
    });
    rows.iter_mut().for_each(|row| row.retain(|_, x| !x.is_zero()));
    rows
}

//! Whether equations contradict fixed values, with hundreds of digits.
//!
//! In: equations of a prolongation, values to start from, and the jets that are fixed. Out: whether one of the
//! equations vanishes for no values of the other jets; or whether, where the search for jets that fulfil the equations
//! ends, rows that contain none of the other jets any more are proved not to vanish. Sixteen digits do not suffice: the
//! rounding error of an identity, times a coefficient of $10^{29}$, is as large as anything, and a decimal fraction
//! differs from the nearest machine number.

use dae_runtime::contract::Start;

use super::derivative_array::DerivativeArray;
use super::extended_precision::{Digits, constant, exact_parameters, is_within_reach, linearised, rows, terms};
use super::pivoting::{BallRow, Pivoting};
use super::point::ArrayPoint;
use super::taylor::{self, Scalar};
use crate::expr::ball::{Ball, Calls, Magnitude, PRECISION};
use crate::expr::interval::{Interval, evaluate_interval};
use crate::expr::{Expr, Symbol};
use crate::index::limits;
use crate::model::Model;

/// Relative changes of the jets that are not fixed, from each of which a search starts: at a guess, derivatives may
/// vanish by accident.
const BESIDE: [f64; 3] = [0.0, 0.03, 0.3];

/// Whether the equations contradict the fixed jets (unknown and order), wherever the search starts.
pub(crate) fn contradict(
    model: &mut Model,
    residuals: &[Expr],
    start: &ArrayPoint,
    is_fixed: impl Fn(usize, usize) -> bool,
    limits: &limits::Array,
) -> bool {
    let residuals = model.expand_inputs(residuals);
    if never_vanish(model, &residuals, start, &is_fixed) {
        return true;
    }
    let rates = start.taylor.iter().map(|series| series.len() as u32 - 1).collect();
    let array = DerivativeArray::of_equations(&mut model.dag, residuals, rates, 0, limits);
    let Some(array) = array.filter(is_within_reach) else { return false };
    (0..).zip(BESIDE).all(|(seed, size)| {
        let point = start.beside(model, size, seed, |_| usize::MAX);
        contradict_near(model, &array, &point, &is_fixed)
    })
}

/// Whether one of the equations vanishes for no values of the jets that are not fixed.
fn never_vanish(
    model: &Model,
    residuals: &[Expr],
    start: &ArrayPoint,
    is_fixed: &impl Fn(usize, usize) -> bool,
) -> bool {
    let parameters: Vec<Interval> = exact_parameters(model).iter().map(Ball::to_interval).collect();
    let jets = start_of(model, &exact_parameters(model), start, is_fixed);
    let number = Interval::new(-f64::MAX, f64::MAX).unwrap_or(Interval::ENTIRE);
    let values = evaluate_interval(&model.dag, residuals, |symbol| match symbol {
        Symbol::Time => Interval::point(start.t),
        Symbol::Parameter(p) => parameters.get(p.index()).copied().unwrap_or(Interval::ENTIRE),
        Symbol::Unknown { unknown, order } if is_fixed(unknown.index(), order as usize) => {
            let factorial = taylor::falling::<Ball>(order as usize, order as usize);
            Ball::times(&jets[unknown.index()][order as usize], &factorial).to_interval()
        }
        Symbol::Unknown { .. } => number,
        Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => Interval::ENTIRE,
    });
    values.iter().any(|value| value.mignitude() > 0.0)
}

fn contradict_near(
    model: &Model,
    array: &DerivativeArray,
    point: &ArrayPoint,
    is_fixed: &impl Fn(usize, usize) -> bool,
) -> bool {
    let limits = &array.limits.extended;
    let parameters = exact_parameters(model);
    let mut jets = start_of(model, &parameters, point, is_fixed);
    let places: Vec<(usize, usize)> = (0..jets.len()).flat_map(|j| (0..jets[j].len()).map(move |k| (j, k))).collect();
    let mut contradicted = false;
    for _ in 0..limits.steps_to_contradiction {
        let at = linearised(model, &parameters, array, point.t, &jets, (PRECISION, Calls::Enclosed));
        let column = |j: usize, k: usize| places.binary_search(&(j, k)).ok();
        let whole = rows(array, &at, 0, column);
        let residuals: Vec<Ball> = at.residuals.iter().map(|row| row[0].clone()).collect();
        let sizes = whole.iter().map(|row| terms(row, &places, &jets));
        let holds = |(residual, size): (&Ball, Magnitude)| {
            let rounding = size.shifted(-(PRECISION as i64) * limits.row_holds.0 / limits.row_holds.1);
            residual.upper().is_some_and(|upper| !rounding.is_below(upper))
        };
        if residuals.iter().zip(sizes).all(holds) {
            return false;
        }
        let free = |row: BallRow| row.into_iter().filter(|(c, _)| !is_fixed(places[*c].0, places[*c].1)).collect();
        let right = residuals.iter().map(Ball::negative).collect();
        let rows = whole.into_iter().map(free).collect();
        let mut pivoting = Pivoting::new(rows, right, (PRECISION, limits.entry_cancels), &model.work);
        pivoting.exhaust(|_| Some(Magnitude::ONE), Magnitude::ZERO);
        contradicted = pivoting.contradicts();
        for (column, change) in pivoting.basic_solution() {
            let (j, k) = places[column];
            if !change.is_bounded() {
                return false;
            }
            jets[j][k] = Ball::plus(&jets[j][k], &change).midpoint();
        }
    }
    contradicted
}

/// The jets of a point, those that are fixed with the exact values of the text.
fn start_of(
    model: &Model,
    parameters: &[Ball],
    point: &ArrayPoint,
    is_fixed: &impl Fn(usize, usize) -> bool,
) -> Digits {
    let jet = |j: usize, k: usize, x: f64| {
        let given = model.unknowns[j].start_value(k as u32).filter(|start| start.kind == Start::Fixed);
        let exact = given.filter(|_| is_fixed(j, k)).map(|start| constant(model, parameters, start.value));
        exact.map_or(Ball::of_f64(x), |value| Scalar::over(value, taylor::falling(k, k)))
    };
    let series = |(j, series): (usize, &Vec<f64>)| series.iter().enumerate().map(|(k, &x)| jet(j, k, x)).collect();
    point.taylor.iter().enumerate().map(series).collect()
}

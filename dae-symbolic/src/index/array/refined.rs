//! Ranks of the derivative array with twice the precision.
//!
//! In: the array and jets that fulfil it to rounding. Out: its ranks at jets that fulfil it to twice as many digits, if there are any. Where unknowns
//! are sums of large terms, matrices of full rank are nearly singular, and jets known to 16 digits do not tell one from the other:
//! then 32 may. They follow from the others by iterated refinement (Golub & Van Loan, *Matrix Computations*, sect. 3.5.3): residuals with all
//! digits, steps with the Jacobian that is there. It converges by many digits a step at a simple solution and crawls at a multiple one,
//! of which nothing is said here.
//!
//! External functions and tables are evaluated with 16 digits. As values at the time of the start they are as good as those next to them; at
//! unknowns they end the refinement, or leave numbers of their size where there is zero. So a number between what is surely there and what
//! is rounding in all 32 digits makes the ranks unclear.

use dae_runtime::rank::equilibrate;
use nalgebra::DMatrix;

use super::full_steps::{least_norm, relative_ease};
use super::functions;
use super::jets::ArraySystem;
use super::judge::UNCERTAINTY;
use super::matrix::Columns;
use super::twofold::Twofold;
use super::{ArrayJacobian, ArrayPoint, ArrayRanks, Consistent, DerivativeArray, Linearised, Scalar, taylor};
use crate::expr::{Dag, Expr, Node, Symbol, reachable};
use crate::model::Model;

/// More equations are not examined.
const MAX_ROWS: usize = 80;
/// Steps of refinement.
const MAX_STEPS: usize = 20;
/// Each leaves at most this part of the step before: at a multiple solution it is a quarter or more.
const LEFT: f64 = 1e-2;
/// Steps that are shorter than this, and the part that they may leave: what is in the way now is the rounding of their own linear algebra.
const KNOWN: f64 = 1e-13;
const LEFT_OF_ROUNDING: f64 = 0.5;
/// Rows that are closer to a combination of others are one.
const DEPENDENT: f64 = 1e-14;
/// Jets that change by a larger part of their size were not those of a solution.
const SAME: f64 = 1e-6;
/// Rows that are smaller than this part of their terms vanish.
const VANISHES: f64 = 1e-23;
/// Entries below this part of the largest of their row are rounding.
const ROUNDING: f64 = 1e-24;
/// Pivots above this part of the largest number in the scaled matrix are there, those below are rounding; in between there must be none.
const THERE: f64 = 1e-12;
const NOTHING: f64 = 1e-21;

/// What twice the precision says about ranks.
pub(super) enum Refined {
    /// Clear ones.
    Ranks(ArrayRanks),
    /// They are not clear with this precision either.
    Unclear,
    /// There is not so much precision: no jets fulfil the array to so many digits, because the solution is a multiple one, or functions with
    /// fewer digits are in the way.
    Unknown,
}

/// Ranks with at most `m` differentiations. `jacobian` is what the array is with the jets as they are: entries that it does not call certain must
/// not matter, however many digits they have, and jets that the model fixes stay, so that a multiple solution is not mistaken for the simple
/// ones beside it.
pub(super) fn ranks(
    model: &Model,
    parameters: &[f64],
    array: &DerivativeArray,
    point: &ArrayPoint,
    jacobian: &ArrayJacobian,
    m: u32,
) -> Refined {
    let system = ArraySystem::new(model, parameters, array, Consistent::Model);
    let Some(jets) = refine(&system, point) else { return Refined::Unknown };
    let Some(values) = values_at(&model.dag, array.tape.nodes(), parameters, point.t, &jets) else {
        return Refined::Unknown;
    };
    let at = array.linearised(&values, &jets);
    let all = |_: usize, _: usize| true;
    let certain = |i: usize, j: usize| jacobian.certain[(i, j)] != 0.0;
    let ranks = Elimination::of(array, &at, m, all).ranks(array, m, THERE, NOTHING);
    // What was left out leaves at most this behind: rounding with 16 digits, or what jets are not known to.
    let agrees = |there: f64, ranks: &ArrayRanks| {
        let without = Elimination::of(array, &at, m, certain).ranks(array, m, there, there);
        without.is_some_and(|without| without.agrees_with(ranks))
    };
    match ranks {
        Some(ranks) if agrees(THERE, &ranks) || agrees(UNCERTAINTY, &ranks) => Refined::Ranks(ranks),
        _ if has_calls(&model.dag, array.tape.nodes()) => Refined::Unknown,
        _ => Refined::Unclear,
    }
}

/// Whether there are functions with fewer digits.
fn has_calls(dag: &Dag, nodes: &[Expr]) -> bool {
    nodes.iter().any(|&e| matches!(dag.node(e), Node::Call(..)))
}

/// Whether jets that fulfil the array to rounding are those of a simple solution, to the digits that they have: where jets are large, rows may
/// be rounding beside their terms and have no solution anywhere near.
pub(super) fn is_simple_solution(system: &ArraySystem<'_>, point: &ArrayPoint) -> bool {
    let Some(jets) = refine(system, point) else { return false };
    let unknowns = jets.iter().zip(&point.taylor).zip(&system.model.unknowns);
    unknowns.into_iter().all(|((refined, series), unknown)| {
        let close = |(r, x): (&Twofold, &f64)| (r.high - x).abs() <= SAME * x.abs().max(unknown.nominal);
        refined.iter().zip(series).all(close)
    })
}

/// Whether there is a solution at jets that fulfil equations to rounding, as [`is_simple_solution`] says; `None` for many equations, and with
/// functions that have fewer digits.
pub(in crate::index) fn is_solution(
    model: &mut Model,
    parameters: &[f64],
    residuals: &[Expr],
    point: &ArrayPoint,
) -> Option<bool> {
    let residuals = model.expand_inputs(residuals);
    let is_call = |e: &Expr| matches!(model.dag.node(*e), Node::Call(..));
    if residuals.len() > MAX_ROWS || reachable(&model.dag, residuals.iter().copied()).iter().any(is_call) {
        return None;
    }
    let rates = point.taylor.iter().map(|series| series.len() as u32 - 1).collect();
    let array = DerivativeArray::of_equations(&mut model.dag, residuals, rates, 0)?;
    let mut point = point.clone();
    for (j, series) in point.taylor.iter_mut().enumerate() {
        series.resize(array.coefficients(j), 0.0);
    }
    Some(is_simple_solution(&ArraySystem::new(model, parameters, &array, Consistent::Alike), &point))
}

/// Jets that fulfil the array.
fn refine(system: &ArraySystem<'_>, point: &ArrayPoint) -> Option<Vec<Vec<Twofold>>> {
    let ArraySystem { model, parameters, array, .. } = *system;
    let mut jets: Vec<Vec<Twofold>> =
        point.taylor.iter().map(|series| series.iter().map(|&x| Twofold::of(x)).collect()).collect();
    let count = array.equations.len();
    let mut before = f64::INFINITY;
    for _ in 0..MAX_STEPS {
        let rounded = jets.iter().map(|series| series.iter().map(|x| x.high).collect()).collect();
        let rounded = ArrayPoint { t: point.t, taylor: rounded };
        let mut here = system.scaled(&rounded).ok()?;
        let ease = relative_ease(system, &rounded);
        here.weigh(&ease);
        let values = values_at(&model.dag, array.residuals.nodes(), parameters, point.t, &jets)?;
        let residuals = array.residuals.run(&values, &jets, array.differentiations as usize);
        here.residual =
            (0..array.rows()).map(|row| residuals[row % count][row / count].high * here.scale[row]).collect();
        if here.hold_to(VANISHES) {
            return Some(jets);
        }
        let opposite: Vec<f64> = here.residual.iter().map(|r| -r).collect();
        let z = least_norm(&here.rows, system.columns, DEPENDENT)?.step(&opposite).z;
        let length = z.iter().fold(0.0_f64, |largest, z| largest.max(z.abs()));
        let allowed = if before > KNOWN { LEFT } else { LEFT_OF_ROUNDING };
        if length.is_nan() || length > allowed * before {
            return None;
        }
        before = length;
        let mut changes = z.iter().zip(&ease).map(|(z, ease)| z * ease);
        for (series, unknown) in jets.iter_mut().zip(&model.unknowns) {
            for (x, change) in series.iter_mut().zip(&mut changes) {
                *x = x.plus(Twofold::of(change * unknown.nominal));
            }
        }
    }
    None
}

/// The values of the nodes of a tape; `None` if a constant has none.
fn values_at(dag: &Dag, nodes: &[Expr], parameters: &[f64], t: f64, jets: &[Vec<Twofold>]) -> Option<Vec<Twofold>> {
    let mut values: Vec<Twofold> = Vec::with_capacity(nodes.len());
    for &expr in nodes {
        let of = |e: Expr| values[nodes.partition_point(|&reached| reached < e)];
        let next = match dag.node(expr) {
            Node::Constant(q) => Twofold::rational(q)?,
            Node::Pi => Twofold::PI,
            Node::Euler => Twofold::EULER,
            Node::Symbol(Symbol::Time) => Twofold::of(t),
            Node::Symbol(Symbol::Parameter(p)) => Twofold::of(*parameters.get(p.index())?),
            &Node::Symbol(Symbol::Unknown { unknown, order }) => {
                let x = jets[unknown.index()].get(order as usize).copied().unwrap_or(Twofold::ZERO);
                x.times(taylor::falling(order as usize, order as usize))
            }
            Node::Symbol(Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_)) => return None,
            Node::Sum { constant, terms } => {
                let mut sum = Twofold::rational(constant)?;
                for (q, term) in terms {
                    sum = sum.plus(Twofold::rational(q)?.times(of(*term)));
                }
                sum
            }
            Node::Product(factors) => {
                let side = |sign: i32| {
                    let chosen = factors.iter().filter(move |&&(_, n)| n * sign > 0);
                    chosen.fold(Twofold::integer(1), |product, &(base, n)| {
                        product.times(power(of(base), n.unsigned_abs()))
                    })
                };
                side(1).over(side(-1))
            }
            Node::Call(call, arguments) => Twofold::of(call.value(arguments.iter().map(|&a| of(a).high))),
            Node::Apply(function, arguments) => {
                let argument = |k: usize| of(*arguments.get(k).unwrap_or(&arguments[0]));
                functions::value(*function, argument(0), argument(1), argument(2))
            }
        };
        values.push(next);
    }
    Some(values)
}

/// By repeated squaring.
fn power(mut base: Twofold, mut exponent: u32) -> Twofold {
    let mut power = Twofold::integer(1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power.times(base);
        }
        exponent >>= 1;
        base = base.times(base);
    }
    power
}

/// Elimination with complete pivoting, block of columns by block.
struct Elimination {
    rows: Vec<Vec<Twofold>>,
    widths: [usize; 3],
    /// Rows and columns used as pivots so far.
    used: usize,
    largest: f64,
    smallest_kept: f64,
    largest_dropped: f64,
}

impl Elimination {
    /// Of the scaled Jacobian, without the entries that do not count.
    fn of(
        array: &DerivativeArray,
        at: &Linearised<Twofold>,
        m: u32,
        counts: impl Fn(usize, usize) -> bool,
    ) -> Elimination {
        let columns = Columns::new(array, m);
        let count = array.equations.len();
        let mut rows = vec![vec![Twofold::ZERO; columns.count()]; count * (m as usize + 1)];
        array.entries(at, m, |l, i, j, k, value| {
            let place = &mut rows[l * count + i][columns.of(j, k)];
            *place = place.plus(value);
        });
        for (i, row) in rows.iter_mut().enumerate() {
            let rounding = ROUNDING * row.iter().fold(0.0_f64, |largest, x| largest.max(x.high.abs()));
            let is_nothing = |(j, x): &(usize, &mut Twofold)| x.high.abs() <= rounding || !counts(i, *j);
            row.iter_mut().enumerate().filter(is_nothing).for_each(|(_, x)| *x = Twofold::ZERO);
        }
        let values = DMatrix::from_fn(rows.len(), columns.count(), |i, j| rows[i][j].high);
        let mut scaled = values.clone();
        equilibrate(&mut scaled);
        for (i, row) in rows.iter_mut().enumerate() {
            for (j, x) in row.iter_mut().enumerate().filter(|(_, x)| x.high != 0.0) {
                // Powers of two.
                *x = x.scaled(scaled[(i, j)] / values[(i, j)]);
            }
        }
        let (largest, smallest_kept) = (scaled.amax(), f64::INFINITY);
        Elimination { rows, widths: columns.widths, used: 0, largest, smallest_kept, largest_dropped: 0.0 }
    }

    /// Clear if pivots are above `there` or at most `nothing`, relative to the largest.
    fn ranks(mut self, array: &DerivativeArray, m: u32, there: f64, nothing: f64) -> Option<ArrayRanks> {
        let mut found = [0; 3];
        let mut first = 0;
        for (rank, width) in found.iter_mut().zip(self.widths) {
            self.exhaust(first, first + width, there);
            first += width;
            *rank = self.used;
        }
        let clear = self.smallest_kept >= there * self.largest && self.largest_dropped <= nothing * self.largest;
        clear.then(|| ArrayRanks {
            differentiations: m,
            rows: self.rows.len(),
            unknowns: array.rates.len(),
            states: array.states(),
            higher: found[0],
            rates: found[1],
            all: found[2],
            gap: self.smallest_kept.min(self.largest) / self.largest_dropped.max(NOTHING * self.largest),
            dropped: self.largest_dropped / self.largest,
            clear,
        })
    }

    /// Takes pivots from the columns `first..end` as long as there are any.
    fn exhaust(&mut self, first: usize, end: usize, there: f64) {
        let mut next = first;
        loop {
            let (mut size, mut pivot) = (0.0, (self.used, next));
            for (i, row) in self.rows.iter().enumerate().skip(self.used) {
                for (j, x) in row.iter().enumerate().take(end).skip(next) {
                    if x.high.abs() > size {
                        (size, pivot) = (x.high.abs(), (i, j));
                    }
                }
            }
            if size <= there * self.largest {
                self.largest_dropped = self.largest_dropped.max(size);
                return;
            }
            self.smallest_kept = self.smallest_kept.min(size);
            self.largest = self.largest.max(size);
            self.eliminate(pivot, next);
            next += 1;
        }
    }

    fn eliminate(&mut self, (i, j): (usize, usize), next: usize) {
        self.rows.swap(self.used, i);
        self.rows.iter_mut().for_each(|row| row.swap(next, j));
        let (head, tail) = self.rows.split_at_mut(self.used + 1);
        let pivot_row = &head[self.used];
        for row in tail.iter_mut().filter(|row| row[next].high != 0.0) {
            let factor = row[next].over(pivot_row[next]);
            for (x, p) in row.iter_mut().zip(pivot_row).skip(next).filter(|(_, p)| p.high != 0.0) {
                *x = x.minus(factor.times(*p));
            }
            row[next] = Twofold::ZERO;
        }
        self.used += 1;
    }
}

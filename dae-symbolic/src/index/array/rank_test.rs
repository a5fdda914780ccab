//! Which derivative array determines $u'$, at how many points, and when none does.
//!
//! In: a model and jets to start from. Out: an [`ArrayFinding`].
//!
//! With growing $m$ the jets are made consistent with the array and its ranks are taken. The index is the least $m$ at
//! which the array is 1-full, provided more differentiations do not change the dimension of the consistent states. It
//! holds *along* the solution if the ranks are constant there. That is checked at a second point of the same solution
//! and at neighbouring consistent points: ranks cannot fall nearby, and at a random neighbour they almost surely are
//! the largest there are, so that ranks that agree are constant. Where the ranks are even those of a random point of
//! the prime field, consistent or not, A2 holds in a whole neighbourhood of the solution. A system that is affine in
//! its unknowns has the same ranks for all their values: where its coefficients are rational functions of time, these
//! ranks are computed exactly, at the start time and at a random one.
//!
//! *No index:* the dimension of the consistent states has not changed for two differentiations and the array is not
//! 1-full. On the remaining manifold the system determines fewer derivatives than there are unknowns and says nothing
//! more, so that a part of the solution may be chosen at will (Rabier & Rheinboldt, *J. Differential Equations* 109,
//! 1994). The free part is read off the kernel of $(G_{u'}, G_w)$.

use std::iter::successors;

use dae_runtime::pivoted_qr::{SparseRow, dependencies};
use dae_runtime::sparse::SparseMatrix;

use super::arrays::Arrays;
use super::derivative_array::DerivativeArray;
use super::error::ArrayError;
use super::extended_precision::{self, Digits};
use super::finding::{ArrayFinding, ArrayVerdict, ConstantRank, FreeDirections, times};
use super::jets::consistent_point;
use super::matrix::{ArrayJacobian, ArrayRanks, decomposition};
use super::point::ArrayPoint;
use super::system::{ArraySystem, Consistent};
use crate::expr::ball::PRECISION;
use crate::expr::prime_field::arithmetic::draw;
use crate::index::limits;
use crate::model::Model;

/// Relative size of the random changes that lead to neighbouring points, tried in this order.
const NEIGHBOURHOOD: [f64; 4] = [1e-2, 1e-3, 0.1, 1e-4];
/// The distance of the second point as a fraction of the time scale of the solution, tried in this order: numbers that
/// no model contains.
const STEPS: [f64; 3] = [0.113_728_465_091_327, 0.021_846_307_295_118, 0.005_371_920_846_613];

/// Why the index is undecided where [`Model::work`] is done.
const TOO_LONG: &str = "the derivative array takes too long to be examined while compiling";

/// Examines the derivative array of the text at the model's own point. `start` holds the jets to start from, `bound` an
/// upper bound on the index, if one is known.
pub fn test_ranks(model: &mut Model, start: &ArrayPoint, bound: Option<u32>, limits: &limits::Array) -> ArrayFinding {
    let mut arrays = Arrays::new(model, limits);
    let finding = search(&mut arrays, start, bound);
    let open = match &finding.verdict {
        // Rows that contradict one another are dependent ones as well, and say more.
        ArrayVerdict::NoConsistentPoint { contradiction, .. } => contradiction.is_empty(),
        ArrayVerdict::Undecided { .. } => true,
        ArrayVerdict::Index(_) | ArrayVerdict::NoIndex(_) | ArrayVerdict::Dependent { .. } => false,
    };
    if open && let Some(rows) = arrays.dependent_rows() {
        return ArrayFinding::without(ArrayVerdict::Dependent { rows }, finding.ranks);
    }
    finding
}

fn search(arrays: &mut Arrays<'_>, start: &ArrayPoint, bound: Option<u32>) -> ArrayFinding {
    let states = arrays.rates.iter().sum::<u32>() + bound.unwrap_or(0);
    let first = bound.map_or(1, |bound| bound + 1);
    let (mut point, mut taken) = (start.clone(), Vec::new());
    let mut least = 0;
    let last = first.max(states + arrays.limits.spare_differentiations);
    let longest = (arrays.limits.rows / arrays.model.equations.len().max(1)).saturating_sub(1) as u32;
    for m in lengths(first, last, longest) {
        let stop = |reason: String, ranks| ArrayFinding::without(ArrayVerdict::Undecided { reason }, ranks);
        let rows = arrays.model.equations.len() * (m as usize + 1);
        if rows > arrays.limits.rows {
            let reason = format!("the derivative array has {rows} rows, more than are examined while compiling");
            return stop(reason, taken);
        }
        let Some(array) = arrays.array(m) else {
            return stop("the derivative array is too long to be examined while compiling".into(), taken);
        };
        let place = match arrays.consistent(&array, &point, Consistent::Model) {
            Ok(place) => place,
            Err(_) if arrays.model.work.is_spent() => return stop(TOO_LONG.into(), taken),
            Err(error) => return ArrayFinding::without(no_point(arrays, &array, &point, error), taken),
        };
        point = place.point.clone();
        let mut ranks = Ranks::new(arrays, &array, &place);
        let outcome = ranks.outcome(&mut least);
        taken = ranks.taken();
        match outcome {
            Err(reason) => return stop(reason, taken),
            Ok(Outcome::Open) => {}
            Ok(Outcome::Index(index)) => {
                taken.truncate(index as usize + 1);
                return arrays.confirm(&array, &place, ArrayVerdict::Index(index), taken);
            }
            Ok(Outcome::Final) => {
                let Some(free) = arrays.free_directions(&array, &point, &taken) else {
                    return stop("the kernel of the derivative array could not be found".into(), taken);
                };
                return arrays.confirm(&array, &place, ArrayVerdict::NoIndex(free), taken);
            }
        }
    }
    let reason = "more differentiations than there are states do not determine all derivatives".into();
    ArrayFinding::without(ArrayVerdict::Undecided { reason }, taken)
}

/// Numbers of differentiations of arrays to be examined in turn: every number at first, and from sixteen on about every
/// eighth part more, because the cost of one array grows with the third power, and each tells the ranks of all shorter
/// ones. `longest` is one of them if it lies between the first and the last.
fn lengths(first: u32, last: u32, longest: u32) -> impl Iterator<Item = u32> {
    let next = move |m: u32| {
        let end = if m < longest { longest.min(last) } else { last };
        (m + (m / 8).max(1)).min(end)
    };
    successors(Some(first), move |&m| (m < last).then(|| next(m)))
}

/// The ranks of an array with each number of differentiations, taken when they are asked for: an array of high order is
/// large, and few of its ranks tell whether a longer one is needed.
struct Ranks<'a, 'm> {
    arrays: &'a Arrays<'m>,
    array: &'a DerivativeArray,
    place: &'a Place,
    /// By the number of differentiations.
    known: Vec<Option<ArrayRanks>>,
}

/// What the ranks of an array say.
enum Outcome {
    /// The index.
    Index(u32),
    /// There is no index: more differentiations will not determine all derivatives.
    Final,
    /// A longer array has to be examined.
    Open,
}

impl<'a, 'm> Ranks<'a, 'm> {
    fn new(arrays: &'a Arrays<'m>, array: &'a DerivativeArray, place: &'a Place) -> Self {
        Ranks { arrays, array, place, known: vec![None; array.differentiations as usize + 1] }
    }

    /// The outcome, supported by the ranks for all fewer differentiations unless it is open. An array contains all
    /// shorter ones, so that it is 1-full if one of them is; `least` is at most the first number of differentiations
    /// for which that is so, and is raised to it.
    fn outcome(&mut self, least: &mut u32) -> Result<Outcome, String> {
        let m = self.array.differentiations;
        let dimension = self.at(m)?.manifold_dimension();
        if self.at(m)?.is_one_full() {
            while !self.at(*least)?.is_one_full() {
                *least += 1;
            }
            if *least == m || self.at(*least)?.manifold_dimension() != dimension {
                return Ok(Outcome::Open);
            }
            let index = self.all()?.into_iter().find(ArrayRanks::is_one_full);
            let index = index.filter(|ranks| ranks.manifold_dimension() == dimension);
            return Ok(index.map_or(Outcome::Open, |ranks| Outcome::Index(ranks.differentiations)));
        }
        *least = m + 1;
        for fewer in 1..=2 {
            if fewer > m || self.at(m - fewer)?.manifold_dimension() != dimension {
                return Ok(Outcome::Open);
            }
        }
        self.all()?;
        Ok(Outcome::Final)
    }

    /// The ranks with `m` differentiations, at most those of the array.
    fn at(&mut self, m: u32) -> Result<ArrayRanks, String> {
        let known = &mut self.known[m as usize];
        match known {
            Some(ranks) => Ok(*ranks),
            None => Ok(*known.insert(self.arrays.ranks(self.array, self.place, m)?)),
        }
    }

    fn all(&mut self) -> Result<Vec<ArrayRanks>, String> {
        (0..=self.array.differentiations).map(|m| self.at(m)).collect()
    }

    fn taken(&self) -> Vec<ArrayRanks> {
        self.known.iter().copied().flatten().collect()
    }
}

/// Ranks at the start values for $0, \dots, m$ differentiations, where the index is already known to be $m$; `None`
/// where they are not clear, no consistent jets are found, or the array is large.
pub fn ranks_up_to(model: &mut Model, start: &ArrayPoint, m: u32, limits: &limits::Array) -> Option<Vec<ArrayRanks>> {
    if model.equations.len() * (m as usize + 1) > limits.rows_in_passing {
        return None;
    }
    let mut arrays = Arrays::new(model, limits);
    let array = arrays.array(m)?;
    let point = consistent_point(arrays.model, &arrays.parameters, &array, start, Consistent::Model).ok()?;
    let ranks: Option<Vec<_>> = (0..=m).map(|k| arrays.ranks_to_rounding(&array, &point, k).ok()).collect();
    ranks.filter(|_| !arrays.model.work.is_spent())
}

/// Jets that fulfil an array.
struct Place {
    /// Jets that fulfil the array to rounding.
    point: ArrayPoint,
    /// The jets to hundreds of digits, where these are known.
    digits: Option<Digits>,
}

impl Arrays<'_> {
    /// Jets that fulfil the array near `start`.
    fn consistent(&self, array: &DerivativeArray, start: &ArrayPoint, how: Consistent) -> Result<Place, ArrayError> {
        let system = ArraySystem::new(self.model, &self.parameters, array, how);
        // Surplus equations may contradict the others by less than rounding.
        let needs_digits =
            self.equations.len() > self.model.unknowns.len() && extended_precision::has_all_digits(self.model, array);
        let found = match consistent_point(self.model, &self.parameters, array, start, how) {
            // Where ranks are exact, no further digits are needed.
            Ok(point) if !needs_digits && self.exact_at(array, point.t, array.differentiations).is_some() => {
                return Ok(Place { point, digits: None });
            }
            Ok(point) => {
                let digits = extended_precision::refine(&system, &point, PRECISION);
                match digits.filter(|digits| extended_precision::agree(&system, &point, digits)) {
                    Some(digits) => return Ok(Place { point, digits: Some(digits) }),
                    None if needs_digits => Err(ArrayError::ToRoundingOnly),
                    None => Ok(Place { point, digits: None }),
                }
            }
            Err(error) => Err(error),
        };
        // Terms may be so large that residuals are rounding, or so small that steps are.
        let mut from = start.clone();
        for (j, series) in from.taylor.iter_mut().enumerate() {
            series.resize(array.coefficients(j), 0.0);
        }
        match extended_precision::refine_from_afar(&system, &from) {
            Some(digits) => Ok(Place { point: extended_precision::rounded(from.t, &digits), digits: Some(digits) }),
            None => found,
        }
    }

    /// Ranks with `m` differentiations: exact ones where the system is affine, otherwise with as many digits as are
    /// known. The error says why there are no ranks.
    fn ranks(&self, array: &DerivativeArray, place: &Place, m: u32) -> Result<ArrayRanks, String> {
        let ranks = self.best_ranks(array, place, m);
        // A search that was given up may have been for more digits.
        if self.model.work.is_spent() {
            return Err(TOO_LONG.into());
        }
        ranks
    }

    fn best_ranks(&self, array: &DerivativeArray, place: &Place, m: u32) -> Result<ArrayRanks, String> {
        if let Some(ranks) = self.exact_at(array, place.point.t, m) {
            return Ok(ranks);
        }
        match &place.digits {
            Some(digits) => extended_precision::ranks(self.model, array, place.point.t, digits, m)
                .ok_or("ranks of the derivative array are not clear: entries are known to too few digits".into()),
            None => self.ranks_to_rounding(array, &place.point, m),
        }
    }

    /// Numerical ranks at jets that are known to rounding.
    fn ranks_to_rounding(&self, array: &DerivativeArray, point: &ArrayPoint, m: u32) -> Result<ArrayRanks, String> {
        let at = array.at(&self.model.dag, &self.parameters, point);
        let moved = point.beside(self.model, self.limits.uncertainty, 0, |_| usize::MAX);
        let moved = array.at(&self.model.dag, &self.parameters, &moved);
        let mut jacobian = ArrayJacobian::new(array, &at, &moved, m);
        self.model.work.spend(decomposition(jacobian.values.rows(), jacobian.values.columns()));
        // The entry may be zero or anything else: where that matters to the ranks, they are not clear.
        for (place, (row, column)) in
            extended_precision::uncertain_entries(self.model, array, point, m).into_iter().enumerate()
        {
            let size = jacobian.values.largest_in_row(row).max(f64::MIN_POSITIVE);
            jacobian.certain[(row, column)] = 0.0;
            jacobian.values[(row, column)] = size * (0.5 + draw(0, &[place as u64]) as f64 / (1_u64 << 61) as f64);
        }
        let ranks = jacobian.ranks(array.states(), array.rates.len()).map_err(|error| error.to_string())?;
        // At computed jets, dropped pivots above the limit may be nonzero.
        let is_clear = ranks.clear && ranks.dropped <= self.limits.dropped * ranks.rows as f64;
        match is_clear && extended_precision::are_exact(self.model, array, point, &ranks) != Some(false) {
            true => Ok(ranks),
            false => Err(format!("ranks of the derivative array are not clear (gap {:.1e})", ranks.gap)),
        }
    }

    /// Compares the ranks with those at other points; returns the finding that they support.
    fn confirm(
        &self,
        array: &DerivativeArray,
        place: &Place,
        verdict: ArrayVerdict,
        ranks: Vec<ArrayRanks>,
    ) -> ArrayFinding {
        let Some(last) = ranks.last().copied() else { return ArrayFinding::without(verdict, ranks) };
        // The last array carries the verdict, the one before it the lower bound.
        let decisive = &ranks[ranks.len().saturating_sub(2)..];
        let generic = self.generic(array, last.differentiations);
        let everywhere = generic.is_some_and(|g| (g.higher, g.rates) == (last.higher, last.rates));
        let constant_rank = if everywhere { ConstantRank::Everywhere } else { ConstantRank::OnSolutions };
        let before = decisive.first().and_then(|r| self.generic(array, r.differentiations));
        let taken_exactly = self.exact_at(array, place.point.t, last.differentiations).is_some();
        let exact = taken_exactly && everywhere && before.is_some_and(|g| g.agrees_with(&decisive[0]));
        let mut finding =
            ArrayFinding { verdict, ranks: ranks.clone(), points: 1, constant_rank: Some(constant_rank), exact };
        if exact {
            return finding;
        }
        let beside = match self.other_points(array, &place.point) {
            Ok(points) => points,
            Err(reason) => {
                finding.verdict = ArrayVerdict::Undecided { reason };
                return finding;
            }
        };
        for (other, what) in &beside {
            for here in decisive {
                let there = match self.ranks(array, other, here.differentiations) {
                    Ok(there) => there,
                    Err(reason) => {
                        finding.verdict = ArrayVerdict::Undecided { reason: format!("{what}, {reason}") };
                        return finding;
                    }
                };
                if !there.agrees_with(here) {
                    finding.verdict = ArrayVerdict::Undecided { reason: disagreement(here, &there, what) };
                    return finding;
                }
            }
            finding.points += 1;
        }
        finding
    }

    /// A second point of the same solution and neighbouring consistent points.
    fn other_points(&self, array: &DerivativeArray, point: &ArrayPoint) -> Result<Vec<(Place, String)>, String> {
        let solve = |start: &ArrayPoint| self.consistent(array, start, Consistent::Alike).ok();
        let scale = time_scale(self.model, point);
        let later = STEPS.iter().find_map(|&part| solve(&point.after(part * scale)));
        let later = later.ok_or("no second point of the solution was found")?;
        let what = format!("at a second point of the solution, t = {:.4}", later.point.t);
        let mut points = vec![(later, what)];
        for seed in 1..=self.limits.neighbours {
            let orders = |j: usize| array.rates[j] as usize;
            let near = NEIGHBOURHOOD.iter().find_map(|&size| solve(&point.beside(self.model, size, seed, orders)));
            let near = near.ok_or("no consistent point beside that of the start values was found")?;
            points.push((near, "at a neighbouring consistent point".into()));
        }
        Ok(points)
    }

    /// The kernel of $(G_{u'}, G_w)$ with all differentiations, seen in $u'$, and the first rows that depend on one
    /// another; `None` if the kernel is not of the dimension that the ranks give.
    fn free_directions(
        &self,
        array: &DerivativeArray,
        point: &ArrayPoint,
        ranks: &[ArrayRanks],
    ) -> Option<FreeDirections> {
        let last = ranks.last()?;
        let m = last.differentiations;
        let at = array.at(&self.model.dag, &self.parameters, point);
        let moved = point.beside(self.model, self.limits.uncertainty, 0, |_| usize::MAX);
        let moved = array.at(&self.model.dag, &self.parameters, &moved);
        let jacobian = ArrayJacobian::new(array, &at, &moved, m);
        let [higher, rates, _] = jacobian.widths;
        // Scaled: dependence must not be a question of units.
        let (count, width) = (jacobian.certain.rows(), jacobian.certain.columns());
        let places = (0..count).flat_map(|i| (0..width).map(move |j| (i, j)));
        let entries = places.map(|(i, j)| (i, j, jacobian.certain[(i, j)])).filter(|(_, _, x)| *x != 0.0);
        let mut matrix = SparseMatrix::from_entries(count, width, entries);
        let (_, units) = matrix.equilibrate();
        let matrix = matrix.to_dense();
        let sparse = |values: &mut dyn Iterator<Item = f64>| -> SparseRow {
            values.enumerate().filter(|&(_, x)| x != 0.0).collect()
        };
        // Columns that depend on one another: vectors of the kernel.
        let columns: Vec<SparseRow> =
            (0..higher + rates).map(|j| sparse(&mut matrix.column(j).iter().copied())).collect();
        let kernel = dependencies(&columns, matrix.rows(), self.limits.dependent);
        if kernel.len() != higher + rates - last.rates {
            return None;
        }
        let n = array.rates.len();
        let seen = |vector: &Vec<(usize, f64)>| -> Vec<(usize, f64)> {
            let size = vector.iter().fold(0.0_f64, |size, (_, x)| size.max(x.abs()));
            let least = self.limits.participates * size;
            let part = vector.iter().filter(|&&(j, x)| j >= higher && x.abs() > least);
            let mut part: Vec<(usize, f64)> = part.map(|&(j, x)| (j - higher, x * units[j])).collect();
            part.sort_unstable_by_key(|&(j, _)| j);
            let most = part.iter().fold(0.0, |a: f64, &(_, b)| if b.abs() > a.abs() { b } else { a });
            part.into_iter().map(|(j, x)| (j, x / most)).collect()
        };
        let directions: Vec<Vec<(usize, f64)>> = kernel.iter().map(seen).filter(|part| !part.is_empty()).collect();
        let unknowns = (0..n).filter(|&j| directions.iter().flatten().any(|&(k, _)| k == j)).collect();
        let direction = directions.into_iter().min_by_key(Vec::len)?;
        let count = array.equations.len();
        let dependent = (0..=m as usize).find_map(|l| {
            let rows: Vec<SparseRow> = (0..count * (l + 1)).map(|row| sparse(&mut matrix.row(row))).collect();
            dependencies(&rows, matrix.columns(), self.limits.dependent).into_iter().next()
        });
        let mut dependent: Vec<(usize, u32)> =
            dependent.into_iter().flatten().map(|(row, _)| (row % count, (row / count) as u32)).collect();
        dependent.sort_unstable();
        Some(FreeDirections {
            unknowns,
            direction,
            dependent,
            functions: last.unknowns + last.higher - last.rates,
            dimension: last.manifold_dimension(),
            differentiations: m,
        })
    }
}

/// The time in which the Taylor series change by their own size, at most one.
fn time_scale(model: &Model, point: &ArrayPoint) -> f64 {
    let mut rate = 1.0_f64;
    for (unknown, series) in model.unknowns.iter().zip(&point.taylor) {
        let size = series.first().map_or(0.0, |x| x.abs()).max(unknown.nominal);
        for (k, x) in series.iter().enumerate().skip(1) {
            rate = rate.max((x.abs() / size).powf(1.0 / k as f64));
        }
    }
    1.0 / rate
}

fn disagreement(here: &ArrayRanks, there: &ArrayRanks, what: &str) -> String {
    let m = here.differentiations;
    let say = |r: &ArrayRanks| if r.is_one_full() { "1-full" } else { "not 1-full" };
    format!(
        "the derivative array with {} has ranks {}, {} and {} ({}) at the start values and {}, {} and {} ({}) {what}",
        times(m),
        here.higher,
        here.rates,
        here.all,
        say(here),
        there.higher,
        there.rates,
        there.all,
        say(there)
    )
}

fn no_point(arrays: &Arrays<'_>, array: &DerivativeArray, start: &ArrayPoint, error: ArrayError) -> ArrayVerdict {
    let message = error.to_string();
    let free = consistent_point(arrays.model, &arrays.parameters, array, start, Consistent::Alike).err();
    let nearby = match (error, free) {
        (ArrayError::Contradiction { .. }, Some(ArrayError::Contradiction { rows })) => rows,
        _ => Vec::new(),
    };
    let contradiction = arrays.contradiction(array);
    ArrayVerdict::NoConsistentPoint { message, contradiction, nearby }
}

#[cfg(test)]
mod tests {
    use super::lengths;

    #[test]
    fn long_arrays_are_not_all_examined() {
        assert_eq!(lengths(1, 4, 100).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(lengths(5, 5, 1).collect::<Vec<_>>(), [5]);
        assert_eq!(lengths(14, 30, 25).collect::<Vec<_>>(), [14, 15, 16, 18, 20, 22, 24, 25, 28, 30]);
    }
}

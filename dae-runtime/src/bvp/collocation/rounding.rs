//! How much rounding errors change a solution.
//!
//! In: a solution of the discretised equations with their factors. Out: the change of the solution if the terms of all
//! equations are off by rounding errors, in units of the error allowed.
//!
//! Rounding errors of different terms have different signs, which are drawn several times: the change is some standard
//! deviations of the responses. Those of the coefficients of the method are the same in all intervals, and add up.

use crate::bvp::iterate::Iterate;
use crate::bvp::mesh::Mesh;
use crate::bvp::scheme::Nodes;
use crate::bvp::tolerances::Tolerances;
use crate::linalg::vector::larger;

use super::equations::Residuals;
use super::lower_order::LowerOrder;
use super::polynomials::Collocation;
use super::states::States;

/// Rounding errors of the equations at nodes and of sums over nodes, as fractions of their terms: there are many
/// operations behind a term.
const OF_NODES: f64 = 4.0 * f64::EPSILON;
/// Rounding errors of conditions and constraints, as fractions of their terms.
const OF_CONDITIONS: f64 = f64::EPSILON;
/// Largest number of draws of the signs.
const DRAWS: u32 = 16;
/// If rounding errors were too large, the response to a draw would be below $\delta$ with a chance of about $\delta$. No
/// more draws are made once the chance that all responses are that small is below this.
const CHANCE: f64 = 1e-4;
/// Responses of this size show after any number of draws that rounding errors are too large.
const FAR_TOO_LARGE: f64 = 10.0;
/// The estimate is this many standard deviations of the responses.
const DEVIATIONS: f64 = 1.5;
/// How far apart in their sequence the signs of two draws begin: $7919 \varphi \bmod 1$ is 0.21, so that no two draws have
/// the same signs.
const APART: u32 = 7919;
/// $\varphi$, the golden ratio minus one.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// Signs in no apparent order: $k \varphi \bmod 1$ is below one half or not (Weyl's sequence of the golden ratio).
struct Signs(u32);

impl Signs {
    fn of_draw(draw: u32) -> Signs {
        Signs(draw * APART)
    }

    fn next(&mut self) -> f64 {
        self.0 += 1;
        if (f64::from(self.0) * GOLDEN).fract() < 0.5 { 1.0 } else { -1.0 }
    }
}

/// Whether rounding errors change the solution near `iterate` by more than is allowed; not so where the linearised
/// equations are singular.
pub(super) fn is_ill_conditioned(
    collocation: &Collocation<'_, '_>,
    nodes: Nodes,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Tolerances,
) -> bool {
    LowerOrder::near(collocation, nodes, mesh, iterate, allowed).is_some_and(|mut found| {
        !found.is_solved || (1.0..f64::INFINITY).contains(&response(&mut found, mesh, allowed))
    })
}

/// The response of a solution to rounding errors in units of the error allowed, as exactly as is needed to tell whether
/// that is too large; infinite if it cannot be computed. The residuals are overwritten.
pub(super) fn response(found: &mut LowerOrder<'_, '_>, mesh: &Mesh, allowed: &Tolerances) -> f64 {
    let LowerOrder { collocation, iterate, factors, residuals, .. } = found;
    let sizes = |residuals: &Residuals| {
        let change = collocation.correction(mesh, factors, residuals)?;
        Some(sizes_of(&change, collocation, mesh, iterate, allowed))
    };
    collocation.round_coefficients(mesh, iterate, residuals);
    let Some(proportional) = sizes(residuals) else { return f64::INFINITY };
    let mut squares = vec![0.0; proportional.len()];
    let largest = proportional.into_iter().fold(0.0, larger);
    let mut deviation = 0.0;
    for draw in 0..DRAWS {
        collocation.round_terms(mesh, iterate, allowed, residuals, draw);
        let Some(drawn) = sizes(residuals) else { return f64::INFINITY };
        squares.iter_mut().zip(drawn).for_each(|(sum, response)| *sum += response * response);
        let mean = squares.iter().copied().fold(0.0, larger) / f64::from(draw + 1);
        deviation = DEVIATIONS * mean.sqrt();
        if deviation < CHANCE.powf(1.0 / f64::from(draw + 1)) || deviation > FAR_TOO_LARGE {
            break;
        }
    }
    larger(largest, deviation)
}

/// The sizes of a change of all unknowns at the ends of intervals, in units of the error allowed.
fn sizes_of(
    change: &Iterate,
    collocation: &Collocation<'_, '_>,
    mesh: &Mesh,
    iterate: &Iterate,
    allowed: &Tolerances,
) -> Vec<f64> {
    let layout = &collocation.problem.layout;
    let mut states = States::new(collocation, mesh, iterate);
    let mut sizes = Vec::new();
    for i in 0..mesh.intervals() {
        let (y, change_of_y) = (&iterate.y[i + 1], &change.y[i + 1]);
        for (k, &unknown) in layout.differential.iter().enumerate() {
            let size = iterate.y[i][k].abs().max(y[k].abs());
            sizes.push(change_of_y[k].abs() / allowed.of(unknown, size));
        }
        if layout.algebraic.is_empty() {
            continue;
        }
        let found = states.algebraic_change(i, 1.0, y, change_of_y, &change.shared).unwrap_or_default();
        let found = found.into_iter().map(Some).chain(std::iter::repeat(None));
        for (&unknown, found) in layout.algebraic.iter().zip(found) {
            sizes.push(found.map_or(0.0, |(value, change)| change.abs() / allowed.of(unknown, value)));
        }
    }
    sizes
}

impl Collocation<'_, '_> {
    /// Sets residuals to the rounding errors of the coefficients of the method: proportional to the terms with derivatives.
    fn round_coefficients(&self, mesh: &Mesh, iterate: &Iterate, residuals: &mut Residuals) {
        let (n, pattern) = (self.problem.description().unknowns.len(), &self.problem.description().jacobian_yp);
        let (mut stage, mut by_yp) = (self.stage(), vec![0.0; pattern.len()]);
        residuals.set_to_zero();
        for i in 0..mesh.intervals() {
            for (j, rounding) in residuals.nodes[i].chunks_exact_mut(n).enumerate() {
                self.set_stage(mesh, iterate, i, j, &mut stage);
                self.dae().jacobian_yp(stage.t, &stage.y, &stage.yp, &mut by_yp);
                let terms = pattern.entries().map(|(row, k, place)| (row, by_yp[place] * stage.yp[k]));
                terms.for_each(|(row, term)| rounding[row] += OF_NODES * term);
            }
        }
    }

    /// Sets residuals to the rounding errors of their terms, with other signs in each `draw`.
    fn round_terms(&self, mesh: &Mesh, iterate: &Iterate, allowed: &Tolerances, residuals: &mut Residuals, draw: u32) {
        let (n, description) = (self.problem.description().unknowns.len(), self.problem.description());
        let [mut by_y, mut by_yp] = [vec![0.0; description.jacobian_y.len()], vec![0.0; description.jacobian_yp.len()]];
        let (mut stage, mut signs) = (self.stage(), Signs::of_draw(draw));
        residuals.set_to_zero();
        for i in 0..mesh.intervals() {
            for (j, rounding) in residuals.nodes[i].chunks_exact_mut(n).enumerate() {
                self.set_stage(mesh, iterate, i, j, &mut stage);
                self.dae().jacobian_y(stage.t, &stage.y, &stage.yp, &mut by_y);
                self.dae().jacobian_yp(stage.t, &stage.y, &stage.yp, &mut by_yp);
                let size = |k: usize| allowed.significant(k, stage.y[k]);
                let values = description.jacobian_y.entries().map(|(row, k, place)| (row, by_y[place] * size(k)));
                let slopes = description.jacobian_yp.entries().map(|(row, k, place)| (row, by_yp[place] * stage.yp[k]));
                values.chain(slopes).for_each(|(row, term)| rounding[row] += OF_NODES * term.abs());
                rounding.iter_mut().for_each(|value| *value *= signs.next());
            }
            for (gap, y) in residuals.gaps[i].iter_mut().zip(&iterate.y[i + 1]) {
                *gap = signs.next() * OF_NODES * y;
            }
        }
        let multiple = || signs.next() * OF_CONDITIONS;
        residuals.conditions.set_to_multiples(self.problem, mesh, iterate, multiple);
        let layout = &self.problem.layout;
        if !layout.is_projected() {
            return;
        }
        let place = |row: usize| layout.constraint_rows.iter().position(|&it| it == row);
        for i in 0..mesh.intervals() {
            let end = self.right_end(mesh, iterate, i);
            self.dae().jacobian_y(end.t, &end.y, &end.yp, &mut by_y);
            let rounding = &mut residuals.constraints[i];
            for (row, k, value) in description.jacobian_y.entries() {
                if let Some(row) = place(row) {
                    rounding[row] += OF_CONDITIONS * (by_y[value] * end.y[k]).abs();
                }
            }
            rounding.iter_mut().for_each(|value| *value *= signs.next());
        }
    }
}

//! Whether the equations have the same number of degrees of freedom after a switch as before it.
//!
//! In: the Jacobians of a formulation at a state before a switch, and at one after it. Out: both numbers of degrees of
//! freedom, if they differ. Each is the degree of $\det(c F_{y'} + F_y)$ in $c$, as for a linear system (F. R.
//! Gantmacher, *The Theory of Matrices* II, chapter XII). Values of $c$ over ten decades have to agree on it; otherwise
//! there is no verdict.

use crate::linalg::matrix::Matrix;

use crate::contract::Dae;
use crate::integrator::stepper::Failure;

/// Systems of more unknowns than this are not examined.
const LARGEST: usize = 200;
/// Pairs of values of $c$, in units of the inverse of the step size.
const RATES: [[f64; 2]; 3] = [[1e4, 1e6], [1e8, 1e10], [1e12, 1e14]];
/// An apparent degree has to be closer than this to an integer.
const CLEAR: f64 = 0.02;

/// The linearised equations just before a switch.
#[derive(Clone, Debug)]
pub(super) struct BeforeSwitch {
    /// The switching function that vanishes.
    switch: usize,
    /// The time just before.
    t: f64,
    /// Length of a step, the unit of time for [`RATES`].
    step: f64,
    /// The entries of $F_{y'}$ and of $F_y$.
    jacobians: [Vec<f64>; 2],
}

impl BeforeSwitch {
    /// Evaluates the Jacobians at a state just before the switch; `None` if the system is empty or too large, or the
    /// step has no length.
    pub(super) fn before(dae: &dyn Dae, switch: usize, at: (f64, &[f64], &[f64]), step: f64) -> Option<BeforeSwitch> {
        let is_small = (1..=LARGEST).contains(&dae.description().unknowns.len());
        (is_small && step > 0.0).then(|| BeforeSwitch { switch, t: at.0, step, jacobians: jacobians(dae, at) })
    }

    /// An error if the number of degrees of freedom is found to be different at a state just after the switch.
    pub(super) fn compare(&self, dae: &dyn Dae, at: (f64, &[f64], &[f64])) -> Result<(), Failure> {
        let beyond = jacobians(dae, at);
        let both = [&self.jacobians, &beyond];
        let Some([before, after]) = changed_degrees(dae, both, self.step) else { return Ok(()) };
        let Some(equation) = most_changed(dae, both) else { return Ok(()) };
        let description = dae.description();
        let switch = description.switches[self.switch].name.clone();
        let equation = description.equations[equation].name.clone();
        Err(Failure::FreedomChanges { t: self.t, switch, equation, before, after })
    }
}

/// Whether the equations have different numbers of degrees of freedom at two states; `false` also if the system is too
/// large to tell, or there is no verdict.
pub(super) fn differs(dae: &dyn Dae, states: [(f64, &[f64], &[f64]); 2], step: f64) -> bool {
    let is_small = (1..=LARGEST).contains(&dae.description().unknowns.len());
    let [before, beyond] = states.map(|at| is_small.then(|| jacobians(dae, at)));
    before.zip(beyond).is_some_and(|(before, beyond)| changed_degrees(dae, [&before, &beyond], step).is_some())
}

/// Both numbers of degrees of freedom, if they are known and differ.
fn changed_degrees(dae: &dyn Dae, both: [&[Vec<f64>; 2]; 2], step: f64) -> Option<[usize; 2]> {
    most_changed(dae, both)?;
    let [before, after] = both.map(|jacobians| degree(dae, jacobians, step));
    before.zip(after).filter(|(before, after)| before != after).map(|(before, after)| [before, after])
}

fn jacobians(dae: &dyn Dae, (t, y, yp): (f64, &[f64], &[f64])) -> [Vec<f64>; 2] {
    let description = dae.description();
    let mut by_derivative = vec![0.0; description.jacobian_yp.len()];
    let mut by_state = vec![0.0; description.jacobian_y.len()];
    dae.jacobian_yp(t, y, yp, &mut by_derivative);
    dae.jacobian_y(t, y, yp, &mut by_state);
    [by_derivative, by_state]
}

/// The degree of the determinant in $c$, if all pairs of values of $c$ show the same.
fn degree(dae: &dyn Dae, jacobians: &[Vec<f64>; 2], step: f64) -> Option<usize> {
    let mut degrees = RATES.iter().map(|rates| {
        let [small, large] = rates.map(|rate| logarithm(dae, jacobians, rate / step));
        let degree = (large - small) / (rates[1] / rates[0]).ln();
        let is_clear = degree.is_finite() && (degree - degree.round()).abs() < CLEAR && degree > -CLEAR;
        is_clear.then_some(degree.round() as usize)
    });
    let first = degrees.next()??;
    degrees.all(|degree| degree == Some(first)).then_some(first)
}

/// The logarithm of $|\det(c F_{y'} + F_y)|$, by elimination with scaled rows.
fn logarithm(dae: &dyn Dae, [by_derivative, by_state]: &[Vec<f64>; 2], c: f64) -> f64 {
    let description = dae.description();
    let n = description.unknowns.len();
    let mut matrix = Matrix::zeros(n, n);
    for (row, column, place) in description.jacobian_yp.entries() {
        matrix[(row, column)] += c * by_derivative[place];
    }
    for (row, column, place) in description.jacobian_y.entries() {
        matrix[(row, column)] += by_state[place];
    }
    let mut sum = 0.0;
    for row in 0..n {
        let size = matrix.largest_in_row(row);
        matrix.divide_row(row, size);
        sum += size.ln();
    }
    // If elimination finds no pivots, the determinant is zero or unknown.
    matrix
        .factors()
        .map_or(f64::NEG_INFINITY, |factors| sum + factors.pivots().map(|pivot| pivot.abs().ln()).sum::<f64>())
}

/// The equation with the partial derivative that changes most, relative to its size; `None` if none changes.
fn most_changed(dae: &dyn Dae, [before, beyond]: [&[Vec<f64>; 2]; 2]) -> Option<usize> {
    let description = dae.description();
    let patterns = [&description.jacobian_yp, &description.jacobian_y];
    let mut most = None;
    for ((pattern, before), beyond) in patterns.into_iter().zip(before).zip(beyond) {
        for (row, _, place) in pattern.entries() {
            let [a, b] = [before[place], beyond[place]];
            let change = (a - b).abs() / a.abs().max(b.abs());
            if change > most.map_or(0.0, |(largest, _)| largest) {
                most = Some((change, row));
            }
        }
    }
    most.map(|(_, row)| row)
}

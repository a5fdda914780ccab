//! Jets that fulfil the derivative array, and points beside them.
//!
//! In: the array and jets to start from. Out: jets at which every row vanishes to rounding, moved as little as possible from the start
//! (Gauss–Newton with least change, `dae_runtime::initialize`: what is fixed stays, what is not given moves first). Where offsets with a
//! regular system Jacobian are known, the rows are solved stage by stage just as the initialisation of an integration does it, so that
//! both stand at the same point; otherwise all at once.
//!
//! A second point of the same solution is the Taylor polynomial a step further, corrected; neighbouring consistent points are
//! corrected random ones.

use dae_runtime::contract::{Jet, JetEquation, Pattern, Prolongation, ProlongationDescription, Start};
use dae_runtime::initialize::{InitializationError, InitializationOptions, consistent_initialization};

use super::DerivativeArray;
use crate::expr::Symbol;
use crate::expr::evaluate_one;
use crate::expr::prime_field::arithmetic::draw;
use crate::model::{Model, derivative_name};
use crate::structure::Offsets;

/// A time and the Taylor coefficients of the unknowns there.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayPoint {
    /// $t$.
    pub t: f64,
    /// $X_{j,k} = x_j^{(k)}/k!$.
    pub taylor: Vec<Vec<f64>>,
}

/// How jets may be moved to fulfil the array.
#[derive(Clone, Copy, Debug)]
pub enum Consistent<'a> {
    /// As the model says: fixed start values stay.
    Model,
    /// The same, stage by stage with offsets whose system Jacobian is regular.
    Staged(&'a Offsets),
    /// All alike: for points beside the model's own.
    Alike,
}

impl ArrayPoint {
    /// $x_j^{(k)}$, zero beyond what is known.
    pub fn derivative(&self, unknown: usize, order: usize) -> f64 {
        let factorial: f64 = (1..=order).map(|k| k as f64).product();
        self.taylor[unknown].get(order).map_or(0.0, |x| x * factorial)
    }

    /// The start values of the model, and zero for what it does not give.
    pub fn of_start_values(model: &Model, parameters: &[f64], t: f64) -> ArrayPoint {
        let value = |e| {
            evaluate_one(&model.dag, e, |symbol| match symbol {
                Symbol::Parameter(p) => parameters.get(p.index()).copied().unwrap_or(f64::NAN),
                _ => f64::NAN,
            })
        };
        let families = model.unknowns.iter().map(|unknown| {
            let highest = unknown.derivative_starts.iter().map(|&(order, _)| order).max().unwrap_or(0);
            (0..=highest).map(|k| unknown.start_value(k).map_or(0.0, |s| value(s.value))).collect::<Vec<f64>>()
        });
        ArrayPoint::of_derivatives(t, families.collect())
    }

    /// Derivatives $x_j^{(k)}$ by unknown and order as Taylor coefficients.
    pub fn of_derivatives(t: f64, mut families: Vec<Vec<f64>>) -> ArrayPoint {
        for family in &mut families {
            let mut factorial = 1.0;
            for (k, x) in family.iter_mut().enumerate().skip(1) {
                factorial *= k as f64;
                *x /= factorial;
            }
        }
        ArrayPoint { t, taylor: families }
    }

    /// The Taylor polynomials of all unknowns, expanded at $t + h$.
    pub fn after(&self, h: f64) -> ArrayPoint {
        let shifted = |series: &Vec<f64>| {
            // Horner's scheme, repeated: the coefficients of the polynomial in powers of (t - h).
            let mut shifted = series.clone();
            for first in 0..shifted.len() {
                for k in (first..shifted.len() - 1).rev() {
                    shifted[k] += h * shifted[k + 1];
                }
            }
            shifted
        };
        ArrayPoint { t: self.t + h, taylor: self.taylor.iter().map(shifted).collect() }
    }

    /// All coefficients changed by `relative` times their size, or their unknown's nominal value if that is larger, times a number
    /// between $-1$ and $1$ that depends on `seed`.
    pub fn beside(&self, model: &Model, relative: f64, seed: u64, orders: impl Fn(usize) -> usize) -> ArrayPoint {
        let mut point = self.clone();
        for (j, series) in point.taylor.iter_mut().enumerate() {
            let nominal = model.unknowns[j].nominal;
            for (k, x) in series.iter_mut().enumerate().take(orders(j)) {
                let fraction = draw(seed, &[j as u64, k as u64]) as f64 / (1_u64 << 60) as f64 - 1.0;
                *x += relative * fraction * x.abs().max(nominal);
            }
        }
        point
    }
}

/// Jets that fulfil the array, from `start`; missing coefficients start at zero.
pub fn consistent_point(
    model: &Model,
    parameters: &[f64],
    array: &DerivativeArray,
    start: &ArrayPoint,
    how: Consistent<'_>,
) -> Result<ArrayPoint, InitializationError> {
    let system = ArraySystem::new(model, parameters, array, start, how);
    let initial = consistent_initialization(&system, start.t, &InitializationOptions::default())?;
    Ok(system.point(start.t, &initial.jets))
}

/// The array as a system of equations for jets.
struct ArraySystem<'a> {
    model: &'a Model,
    parameters: &'a [f64],
    array: &'a DerivativeArray,
    description: ProlongationDescription,
    /// Where the coefficients of each unknown start.
    first: Vec<usize>,
    start: Vec<f64>,
}

impl<'a> ArraySystem<'a> {
    fn new(
        model: &'a Model,
        parameters: &'a [f64],
        array: &'a DerivativeArray,
        start: &ArrayPoint,
        how: Consistent<'_>,
    ) -> Self {
        let (mut first, mut jets, mut values) = (Vec::new(), Vec::new(), Vec::new());
        // All stages are negative: whether the last one is regular is not asked here.
        let top = |stage: i64| (stage - i64::from(u32::from(u16::MAX))) as i32;
        for (j, unknown) in model.unknowns.iter().enumerate() {
            first.push(jets.len());
            for k in 0..array.coefficients(j) {
                jets.push(Jet {
                    name: derivative_name(&unknown.name, k as u32).into(),
                    stage: match how {
                        Consistent::Staged(offsets) => top(k as i64 - i64::from(offsets.unknowns[j])),
                        Consistent::Model | Consistent::Alike => -1,
                    },
                    start: match how {
                        Consistent::Model | Consistent::Staged(_) => {
                            unknown.start_value(k as u32).map_or(Start::Free, |s| s.kind)
                        }
                        Consistent::Alike => Start::Guess,
                    },
                    nominal: unknown.nominal,
                });
                values.push(start.taylor[j].get(k).copied().unwrap_or(0.0));
            }
        }
        let count = array.equations.len();
        let equations: Vec<JetEquation> = (0..array.rows())
            .map(|row| {
                let (l, i) = (row / count, row % count);
                let stage = match how {
                    Consistent::Staged(offsets) => top(l as i64 - i64::from(offsets.equations[i])),
                    Consistent::Model | Consistent::Alike => -1,
                };
                JetEquation { name: derivative_name(&model.equation_name(i), l as u32).into(), stage }
            })
            .collect();
        let jacobian = pattern(array, &first, jets.len());
        let description = ProlongationDescription {
            model: model.name.clone().into(),
            jets: jets.into(),
            equations: equations.into(),
            jacobian,
        };
        ArraySystem { model, parameters, array, description, first, start: values }
    }

    fn point(&self, t: f64, jets: &[f64]) -> ArrayPoint {
        let ends = self.first.iter().skip(1).copied().chain([jets.len()]);
        ArrayPoint { t, taylor: self.first.iter().zip(ends).map(|(&start, end)| jets[start..end].to_vec()).collect() }
    }
}

/// Where the Jacobian of the array may have entries.
fn pattern(array: &DerivativeArray, first: &[usize], columns: usize) -> Pattern {
    let count = array.equations.len();
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); array.rows()];
    for (i, unknown, q) in array.occurrences() {
        for l in 0..=array.differentiations as usize {
            let start = first[unknown.index()] + q as usize;
            rows[l * count + i].extend(start..=start + l);
        }
    }
    let (mut row_starts, mut column_indices) = (vec![0], Vec::new());
    for mut row in rows {
        row.sort_unstable();
        row.dedup();
        column_indices.extend(row);
        row_starts.push(column_indices.len());
    }
    Pattern { columns, row_starts: row_starts.into(), column_indices: column_indices.into() }
}

impl Prolongation for ArraySystem<'_> {
    fn prolongation_description(&self) -> &ProlongationDescription {
        &self.description
    }

    fn start_values(&self, _: f64, jets: &mut [f64]) {
        jets.copy_from_slice(&self.start);
    }

    fn prolonged_residual(&self, t: f64, jets: &[f64], residual: &mut [f64]) {
        let at = self.array.residuals_at(&self.model.dag, self.parameters, &self.point(t, jets));
        let count = self.array.equations.len();
        for (row, value) in residual.iter_mut().enumerate() {
            *value = at[row % count][row / count];
        }
    }

    fn prolonged_jacobian(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        let at = self.array.at(&self.model.dag, self.parameters, &self.point(t, jets));
        let count = self.array.equations.len();
        let pattern = &self.description.jacobian;
        values.fill(0.0);
        self.array.entries(&at, self.array.differentiations, |l, i, j, k, value| {
            let row = l * count + i;
            let (start, end) = (pattern.row_starts[row], pattern.row_starts[row + 1]);
            if let Ok(offset) = pattern.column_indices[start..end].binary_search(&(self.first[j] + k)) {
                values[start + offset] += value;
            }
        });
    }
}

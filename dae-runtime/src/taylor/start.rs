//! Consistent series to start from.
//!
//! In: the start values of a model. Out: its jets at a consistent point, in scaled time, to all digits of the numbers.
//!
//! The consistent initialisation of the crate ([`crate::initialize`]) finds the point in `f64`. For longer numbers it is
//! refined: steps of least change of all stages together, with the Jacobian in `f64` and residuals to full length, gain
//! as many digits each as `f64` has. Where there are so many differentiations that derivatives themselves, instead of
//! Taylor coefficients, cannot be computed in `f64`, the stages are solved from the start values one after the other;
//! that counts only if it leaves fixed values where they are.

use crate::contract::{Prolongation, Start};
use crate::initialize::{InitializationOptions, LeastChange, consistent_initialization};

use super::contract::{Jets, TaylorDae, TaylorDescription};
use super::failure::TaylorError;
use super::scalar::Scalar;
use super::stages::Stages;

/// Free unknowns that could absorb less than this part of a change do not count as able to.
const ABLE: f64 = 1e-3;
/// Upper bound on steps of refinement.
const MAX_REFINEMENTS: usize = 12;
/// Fixed values have not moved if they changed by this many rounding errors at most.
const UNMOVED: f64 = 16.0;

/// The consistent jets $\tilde x_{j,k}$, $k \le d_j$, at `t0`, in series of length `width`.
pub(super) fn consistent_jets<S: Scalar>(
    dae: &dyn TaylorDae<S>,
    stages: &mut Stages<'_, S>,
    (t0, unit): (f64, f64),
    width: usize,
) -> Result<Jets<S>, TaylorError<S>> {
    let (description, prolongation) = (dae.taylor_description(), dae.taylor_prolongation());
    let layout = Layout::of(description, prolongation)?;
    let kinds: Vec<Start> = prolongation.prolongation_description().jets.iter().map(|jet| jet.start).collect();
    let (mut given, mut exact) = (vec![0.0; kinds.len()], vec![S::zero(); kinds.len()]);
    prolongation.start_values(t0, &mut given);
    dae.taylor_start_values(&mut exact);
    if prolongation.initial_equations().is_some() && S::EPSILON < f64::EPSILON {
        let message = "initial equations are solved to the digits of `f64`, and longer numbers are asked for".into();
        return Err(TaylorError::InvalidOption { message });
    }
    let found = consistent_initialization(prolongation, t0, &InitializationOptions::default());
    let chosen: Vec<S> = match &found {
        Ok(initial) => {
            let jets = initial.jets.iter().zip(&given).zip(&exact);
            jets.map(|((&x, &given), &exact)| if x == given { exact } else { S::from_f64(x) }).collect()
        }
        // The stages of the series know no initial equations.
        Err(error) if prolongation.initial_equations().is_some() => return Err(TaylorError::Start(error.clone())),
        Err(_) => exact.clone(),
    };
    let mut jets = Jets::zeros(S::from_f64(t0), unit, description.unknowns.len(), width, S::zero());
    layout.write(&chosen, &mut jets);
    if found.is_ok() && S::EPSILON < f64::EPSILON {
        refine(prolongation, stages, &layout, (t0, &kinds), &mut jets);
    }
    let start = jets.clone();
    let is_fixed = |j: usize, k: usize| kinds[layout.first[j] + k] == Start::Fixed;
    let sizes = sizes(description, &jets);
    let projected = stages.project(&mut jets, &sizes, is_fixed);
    let has_moved = |j: usize| {
        let (before, after) = (start.of(j), jets.of(j));
        (0..=description.unknowns[j].offset).filter(|&k| is_fixed(j, k)).any(|k| {
            let (from, change) = (before[k].to_f64().abs(), (after[k] - before[k]).to_f64().abs());
            change > UNMOVED * S::EPSILON * from.max(sizes[j])
        })
    };
    match found {
        Err(error) if projected.is_err() || (0..description.unknowns.len()).any(has_moved) => {
            Err(TaylorError::Start(error))
        }
        _ => projected.map(|()| jets).map_err(|failure| TaylorError::NoExpansion(stages.named(failure, t0, 0.0))),
    }
}

/// The sizes of the unknowns: that of their largest jet, at least the nominal value.
pub(super) fn sizes<S: Scalar>(description: &TaylorDescription, jets: &Jets<S>) -> Vec<f64> {
    let size = |(j, unknown): (usize, &super::contract::TaylorUnknown)| {
        let jets = jets.of(j)[..=unknown.offset].iter().map(|x| x.to_f64().abs());
        jets.fold(unknown.nominal, f64::max)
    };
    description.unknowns.iter().enumerate().map(size).collect()
}

/// Where the jets and equations of a prolongation are.
struct Layout {
    /// The position of $x_j$ among the jets.
    first: Vec<usize>,
    /// The number of the unknown and the order of each jet.
    jets: Vec<(usize, usize)>,
    /// The position of $f_i^{(l)}$ among the equations, by $i$ and $l$.
    equations: Vec<Vec<usize>>,
}

impl Layout {
    fn of<S>(description: &TaylorDescription, prolongation: &dyn Prolongation) -> Result<Layout, TaylorError<S>> {
        let (mut first, mut jets) = (Vec::new(), Vec::new());
        for (j, unknown) in description.unknowns.iter().enumerate() {
            first.push(jets.len());
            jets.extend((0..=unknown.offset).map(|k| (j, k)));
        }
        let mut equations: Vec<Vec<usize>> = vec![Vec::new(); description.equations.len()];
        let mut count = 0;
        for s in -(description.highest_equation() as i32)..=0 {
            for (i, equation) in description.equations.iter().enumerate() {
                if equation.offset as i32 + s >= 0 {
                    equations[i].push(count);
                    count += 1;
                }
            }
        }
        let prolonged = prolongation.prolongation_description();
        match jets.len() == prolonged.jets.len() && count == prolonged.equations.len() {
            true => Ok(Layout { first, jets, equations }),
            false => Err(TaylorError::InvalidOption {
                message: "the equations for the consistent start are not those of the series".into(),
            }),
        }
    }

    /// Writes jets as coefficients.
    fn write<S: Scalar>(&self, values: &[S], jets: &mut Jets<S>) {
        let unit = jets.unit;
        for (&(j, k), &value) in self.jets.iter().zip(values) {
            jets.of_mut(j)[k] = (1..=k).fold(value, |x, n| x.times(unit) / S::from_f64(n as f64));
        }
    }

    /// The jets themselves.
    fn read<S: Scalar>(&self, jets: &Jets<S>) -> Vec<S> {
        self.jets.iter().map(|&(j, k)| derivative(jets.of(j)[k], k, jets.unit)).collect()
    }
}

/// $x^{(k)}$ from $\tau^k x^{(k)} / k!$.
fn derivative<S: Scalar>(coefficient: S, k: usize, unit: f64) -> S {
    (1..=k).fold(coefficient, |x, n| x.times(n as f64 / unit))
}

/// Moves all jets that are not fixed onto all equations, to all digits as far as that goes: what remains is left to the
/// stages.
fn refine<S: Scalar>(
    prolongation: &dyn Prolongation,
    stages: &mut Stages<'_, S>,
    layout: &Layout,
    (t0, kinds): (f64, &[Start]),
    jets: &mut Jets<S>,
) {
    let description = prolongation.prolongation_description();
    let mut values = layout.read(jets);
    let near: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
    let mut entries = vec![0.0; description.jacobian.len()];
    prolongation.prolonged_jacobian(t0, &near, &mut entries);
    let columns: Vec<usize> = (0..kinds.len()).filter(|&jet| kinds[jet] != Start::Fixed).collect();
    let mut column_of = vec![None; kinds.len()];
    columns.iter().enumerate().for_each(|(column, &jet)| column_of[jet] = Some(column));
    let scale: Vec<f64> = near.iter().zip(description.jets.iter()).map(|(x, jet)| x.abs().max(jet.nominal)).collect();
    let mut rows = Vec::new();
    let mut units = Vec::new();
    for row in 0..description.equations.len() {
        let moving = |(jet, position): (usize, usize)| Some((column_of[jet]?, entries[position] * scale[jet]));
        let mut row: Vec<(usize, f64)> = description.jacobian.row(row).filter_map(moving).collect();
        let largest = row.iter().fold(0.0_f64, |largest, (_, x)| largest.max(x.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        row.iter_mut().for_each(|(_, x)| *x /= unit);
        row.sort_unstable_by_key(|&(column, _)| column);
        rows.push(row);
        units.push(unit);
    }
    let is_free: Vec<bool> = columns.iter().map(|&jet| kinds[jet] == Start::Free).collect();
    let Ok(matrix) = LeastChange::new(&rows, columns.len(), &is_free, ABLE) else { return };
    let mut previous = f64::INFINITY;
    for _ in 0..MAX_REFINEMENTS {
        let mut right = vec![0.0; rows.len()];
        stages.residuals(jets, |i, order, residual| {
            let row = layout.equations[i][order];
            right[row] = -derivative(residual, order, jets.unit).to_f64() / units[row];
        });
        let step = matrix.step(&right).z;
        let size = step.iter().fold(0.0_f64, |size, z| size.max(z.abs()));
        if size.is_nan() || size >= 0.5 * previous {
            return;
        }
        for (&jet, z) in columns.iter().zip(&step) {
            values[jet] += S::from_f64(z * scale[jet]);
        }
        layout.write(&values, jets);
        if size <= S::EPSILON {
            return;
        }
        previous = size;
    }
}

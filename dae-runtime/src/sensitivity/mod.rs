//! Sensitivities: the derivatives of a solution with respect to parameters and start values.
//!
//! In: a formulation, the quantities to differentiate with respect to, the accepted steps of a run. Out:
//! $s = \partial y/\partial p$ wherever the solution is recorded.
//!
//! Differentiating $F(t, y, y', p) = 0$ with respect to $p$ gives the variational equations
//!
//! $$ F_{y'} s' + F_y s + F_p = 0, \qquad s(t_0) = \frac{\partial y(t_0)}{\partial p}, $$
//!
//! linear, of the same index and with the same iteration matrices as $F$. On each step they are integrated after the
//! state (staggered: Feehery, Tolsma & Barton, *Efficient sensitivity analysis of large-scale differential-algebraic
//! systems*, Appl. Numer. Math. 25 (1997)), by Radau IIA whatever the method of the run (`variation.rs`), with exact
//! $F_y$, $F_{y'}$ and $F_p$ and an error control of their own, which divides steps where sensitivities change faster
//! than the state. They begin with the derivatives of the consistent initial values (`initialize/tangent.rs`).
//! Gradients of functionals follow from sensitivities or, without them, from the adjoint equations (`adjoint.rs`).

mod adjoint;
mod collocation;
mod jump;
mod mode;
mod variation;

use crate::contract::{Dae, Prolongation};
use crate::initialize::quantity::Quantity;
use crate::initialize::{AtStart, Direction, EXACTLY, InitializationError, JetPlaces, derivatives_of_jets};
pub use crate::solution::Sensitivities;
pub use adjoint::{Adjoint, Gradient};
pub(crate) use adjoint::{Tape, Way};
pub(crate) use jump::{Carried, InStep};
pub(crate) use variation::Variation;

/// The start of a run, and its derivatives with respect to the quantities.
pub(crate) struct Beginning {
    pub(crate) t0: f64,
    pub(crate) y0: Vec<f64>,
    pub(crate) yp0: Vec<f64>,
    pub(crate) quantities: Vec<Quantity>,
    /// Derivatives of the start, for each of the quantities.
    pub(crate) derivatives: Vec<StartDerivative>,
}

/// Derivatives of $y$ and $y'$ with respect to a quantity, times the scale of the quantity.
#[derive(Clone, Debug)]
pub(crate) struct StartDerivative {
    pub(crate) value: Vec<f64>,
    pub(crate) slope: Vec<f64>,
    /// Derivatives of the eliminated unknowns, used for the constant ones only.
    pub(crate) constants: Vec<f64>,
}

impl StartDerivative {
    /// Derivatives of the start at consistent jets, for each of these quantities.
    pub(crate) fn all(
        dae: &dyn Dae,
        t0: f64,
        jets: &[f64],
        quantities: &[Quantity],
    ) -> Result<Vec<Self>, InitializationError> {
        let places = JetPlaces::of(dae);
        let at_start = AtStart::of(dae.prolongation());
        let all: &dyn Prolongation = at_start.as_ref().map_or(dae.prolongation(), |it| it);
        let directions: Vec<Direction<'_>> = quantities.iter().map(|it| it.direction(all, t0, jets)).collect();
        let found = derivatives_of_jets(all, t0, jets, &directions, EXACTLY)?;
        let of = |derivatives: Vec<f64>| {
            // What corresponds to no jet counts as zero: multipliers of the formulation are, on solutions.
            let at =
                |places: &[Option<usize>]| places.iter().map(|jet| jet.map_or(0.0, |jet| derivatives[jet])).collect();
            StartDerivative { value: at(&places.values), slope: at(&places.slopes), constants: at(&places.eliminated) }
        };
        Ok(found.into_iter().map(of).collect())
    }

    /// Derivatives with respect to the linear combination of quantities with these coefficients.
    fn mixed(of: &[StartDerivative], parts: &[f64]) -> Self {
        let mix = |pick: fn(&StartDerivative) -> &[f64]| {
            let mut sum = vec![0.0; of.first().map_or(0, |first| pick(first).len())];
            for (derivative, part) in of.iter().zip(parts) {
                sum.iter_mut().zip(pick(derivative)).for_each(|(sum, value)| *sum += part * value);
            }
            sum
        };
        StartDerivative { value: mix(|of| &of.value), slope: mix(|of| &of.slope), constants: mix(|of| &of.constants) }
    }
}

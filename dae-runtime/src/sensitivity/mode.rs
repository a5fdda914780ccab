//! Sensitivities across a change of mode.
//!
//! In: the derivatives of the state on arrival at the change, whose time depends on the quantities, too; and the consistent
//! values in the mode that is entered. Out: the variational equations of the formulation there, with the derivatives of
//! these values at a fixed time.

use super::jump::{Carried, equations_by_time};
use super::variation::Column;
use super::{StartDerivative, Variation};
use crate::contract::{Dae, Kind, Name};
use crate::initialize::{
    Change, ChangeBefore, InitializationError, JetPlaces, KeptDerivatives, Passage, Source, restarted_derivatives,
};
use crate::integrator::stepper::{Failure, Options};

impl Variation<'_> {
    /// Goes on with the formulation of another mode, from consistent values $y$ and $y'$ there.
    ///
    /// # Errors
    /// A derivative does not exist.
    pub(crate) fn enter<'d>(
        &self,
        (dae, [t, t_end]): (&'d dyn Dae, [f64; 2]),
        [y, yp]: [&[f64]; 2],
        passage: &Passage,
        carried: &Carried,
        options: &Options,
    ) -> Result<Variation<'d>, Failure> {
        self.check_surfaces(dae, (t, y, yp), carried)?;
        let jets = passage.jets();
        let by_time = equations_by_time(dae, t, jets, carried.scale);
        let mut derivatives = Vec::with_capacity(self.columns().len());
        for (k, column) in self.columns().iter().enumerate() {
            let derivative = self.across((dae, t), [y, yp], (k, column), (passage, carried), &by_time);
            let derivative = derivative.ok().flatten();
            let is_finite = |it: &StartDerivative| it.value.iter().chain(&it.constants).all(|value| value.is_finite());
            derivatives.push(derivative.filter(is_finite).ok_or_else(|| self.no_derivative(t, k))?);
        }
        let quantities = self.columns().iter().map(|column| column.quantity.clone()).collect();
        let mut variation = Variation::new(dae, (t, y, yp), t_end, quantities, derivatives, options);
        variation.add_work(self.statistics());
        Ok(variation)
    }

    /// The derivatives with respect to one quantity; `None` if they are not defined.
    fn across(
        &self,
        (dae, t): (&dyn Dae, f64),
        [y, yp]: [&[f64]; 2],
        (k, column): (usize, &Column),
        (passage, carried): (&Passage, &Carried),
        by_time: &[f64],
    ) -> Result<Option<StartDerivative>, InitializationError> {
        let (tau, prolongation) = (carried.by_time[k], dae.prolongation());
        let (quantity, name): (_, &Name) = (&column.quantity, &column.quantity.name);
        let eliminated = &self.dae().description().eliminated;
        let value = |source: Source| match source {
            Source::Value(entry) => carried.values[k].get(entry).copied(),
            Source::Slope(entry) => carried.slopes[k].as_ref()?.get(entry).copied(),
            Source::Eliminated(unknown) => {
                let constant = column.constants.get(unknown).copied();
                eliminated[unknown].alias_of.value(&carried.values[k]).or(constant)
            }
            Source::Event => Some(0.0),
        };
        // Constraints that depend on time move with the change.
        let equations = |jets: &[f64]| -> Vec<f64> {
            let by_quantity = quantity.derivative_of_equations(prolongation, t, jets);
            let moved = |by_time: &[f64]| by_quantity.iter().zip(by_time).map(|(e, by_t)| e + tau * by_t).collect();
            match (tau, jets == passage.jets()) {
                (0.0, _) => by_quantity,
                (_, true) => moved(by_time),
                (_, false) => moved(&equations_by_time(dae, t, jets, carried.scale)),
            }
        };
        let before = ChangeBefore { name, value: &value, equations: &equations };
        let Some(of_jets) = passage.derivatives(dae, t, &before)? else { return Ok(None) };
        let places = JetPlaces::of(dae);
        let at = |places: &[Option<usize>]| -> Vec<f64> {
            places.iter().map(|place| place.map_or(0.0, |jet| of_jets[jet])).collect()
        };
        let mut total = at(&places.values);
        for ((value, slope), unknown) in total.iter_mut().zip(yp).zip(dae.description().unknowns.iter()) {
            if unknown.kind == Kind::Differential {
                *value -= tau * slope;
            }
        }
        // Unknowns that are not differential follow from the rest at this time.
        let equations = quantity.derivative_of_equations(prolongation, t, passage.jets());
        let change = Change { values: &total, equations, name };
        let point = [y, yp, passage.jets()];
        let (value, slope) = restarted_derivatives(dae, t, point, KeptDerivatives::Nothing, change)?;
        Ok(Some(StartDerivative { value, slope, constants: at(&places.eliminated) }))
    }
}

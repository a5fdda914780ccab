//! A boundary value problem as the discretisations see it.
//!
//! In: a formulation with boundary conditions. Out: the formulation with its layout and its shared quantities, and the
//! times at which conditions hold.

use crate::contract::{Boundary, Dae, Description, Name, Point};

use super::error::BvpError;
use super::layout::Layout;
use super::mesh::{CLOSE, Mesh, Stops};
use super::shared::Shared;

/// A formulation with its boundary conditions, at the present values of its parameters.
pub(super) struct Problem<'d> {
    pub(super) dae: Box<dyn Dae + 'd>,
    pub(super) layout: Layout,
    pub(super) shared: Shared,
    pub(super) points: Vec<Point>,
}

impl<'d> Problem<'d> {
    /// # Errors
    /// The model has no boundary conditions, or their number does not fit; the formulation does not suit.
    pub(super) fn new(dae: Box<dyn Dae + 'd>) -> Result<Problem<'d>, BvpError> {
        let layout = Layout::of(&*dae)?;
        let prolongation = dae.prolongation();
        let d = prolongation.prolongation_description();
        let freedom = d.jets.len() - d.equations.len();
        let Some(boundary) = prolongation.boundary() else {
            return Err(BvpError::NoConditions { model: d.model.clone() });
        };
        let b = boundary.boundary_description();
        let shared = Shared::new(&b.free_parameters, b.has_free_end, dae.description().parameters.len());
        if b.conditions.len() != freedom + shared.count() {
            return Err(BvpError::WrongNumber {
                conditions: b.conditions.to_vec(),
                degrees_of_freedom: freedom,
                free: shared.count(),
            });
        }
        let points = b.points.to_vec();
        Ok(Problem { layout, shared, points, dae })
    }

    /// Sets the free parameters of the formulation, and the end of the mesh.
    pub(super) fn set_shared(&mut self, mesh: &mut Mesh, shared: &[f64]) {
        if !self.shared.parameters.is_empty() {
            let mut parameters = self.dae.parameters().to_vec();
            self.shared.parameters.iter().zip(shared).for_each(|(&k, &value)| parameters[k] = value);
            self.dae.set_parameters(&parameters);
        }
        if let Some(end) = self.shared.end() {
            mesh.set_end(shared[end]);
        }
    }

    pub(super) fn description(&self) -> &Description {
        self.dae.description()
    }

    /// Positions of parameters that the conditions do not determine.
    ///
    /// # Errors
    /// There is no such parameter.
    pub(super) fn parameters_named(&self, names: &[Name]) -> Result<Vec<usize>, BvpError> {
        let parameters = &self.description().parameters;
        let place = |name: &Name| match parameters.iter().position(|it| it == name) {
            Some(k) if self.shared.column(k).is_none() => Ok(k),
            Some(_) => Err(format!("the conditions determine `{name}`: there are no derivatives with respect to it")),
            None => {
                let known: Vec<String> = parameters.iter().map(|it| format!("`{it}`")).collect();
                Err(format!("there is no parameter `{name}`; the model has {}", known.join(", ")))
            }
        };
        let mut places = Vec::new();
        for name in names {
            let place = place(name).map_err(|message| BvpError::InvalidOption { message })?;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(places)
    }

    /// The times at which there are conditions.
    ///
    /// # Errors
    /// They are not finite, or not between the ends.
    pub(super) fn stops(&self, ends: [f64; 2]) -> Result<Stops, BvpError> {
        let mut inner = vec![0.0; self.points.len() - 2];
        if let Some(boundary) = self.boundary() {
            boundary.interior_points(&mut inner);
        }
        let invalid = |message: String| Err(BvpError::InvalidOption { message });
        if ends[0] == ends[1] || ends.iter().any(|t| !t.is_finite()) {
            let [from, to] = ends;
            return invalid(format!("the solution is sought between two times, not between {from} and {to}"));
        }
        let length = ends[1] - ends[0];
        // Where a time is, as a fraction of the interval; times that differ by rounding errors only are one.
        let fraction = |t: f64| (t - ends[0]) / length;
        // A free end would take conditions at its guess along.
        let (beyond, note) = match self.shared.has_end {
            true => (1.0 - CLOSE, "; the guess of the free end has to lie beyond it"),
            false => (1.0 + CLOSE, ""),
        };
        if let Some(t) = inner.iter().find(|&&t| !(-CLOSE..beyond).contains(&fraction(t))) {
            let [from, to] = ends;
            return invalid(format!(
                "there is a condition at t = {t}, which is not between the ends, {from} and {to}{note}"
            ));
        }
        let mut times = ends.to_vec();
        for t in inner.iter().copied() {
            if times.iter().all(|known| (known - t).abs() > CLOSE * length.abs()) {
                times.push(t);
            }
        }
        times.sort_by(|a, b| fraction(*a).total_cmp(&fraction(*b)));
        let place = |t: f64| times.iter().position(|known| (known - t).abs() <= CLOSE * length.abs()).unwrap_or(0);
        let points = [ends[0]].into_iter().chain(inner).chain([ends[1]]).map(place).collect();
        Ok(Stops { points, times })
    }

    /// The conditions; a problem is made of models that have them.
    pub(super) fn boundary(&self) -> Option<&dyn Boundary> {
        self.dae.prolongation().boundary()
    }
}

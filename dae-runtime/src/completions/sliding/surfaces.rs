//! A formulation with surfaces along which solutions can slide.
//!
//! In: a formulation. Out: the formulation together with its equations between the sides, if it has any.

use crate::contract::{Blended, Dae, Name};

/// A formulation with surfaces along which solutions can slide.
#[derive(Clone, Copy)]
pub(crate) struct Surfaces<'d> {
    pub(crate) inner: &'d dyn Dae,
    pub(crate) blended: &'d dyn Blended,
}

impl<'d> Surfaces<'d> {
    /// Of a formulation; `None` if there is nothing to slide along.
    pub(crate) fn of(inner: &'d dyn Dae) -> Option<Self> {
        let blended = inner.blended()?;
        let is_any = !blended.blended_description().surfaces.is_empty();
        is_any.then_some(Surfaces { inner, blended })
    }

    /// The name of the function of a surface.
    pub(crate) fn name(&self, surface: usize) -> Name {
        self.inner.description().switches[self.switch(surface)].name.clone()
    }

    /// The function of a surface, as an entry of the list of switching functions.
    pub(crate) fn switch(&self, surface: usize) -> usize {
        self.blended.blended_description().surfaces[surface]
    }

    /// The surface of a switching function; `None` if solutions cannot slide along it.
    pub(crate) fn surface(&self, switch: usize) -> Option<usize> {
        self.blended.blended_description().surfaces.binary_search(&switch).ok()
    }

    /// The functions of all surfaces.
    pub(crate) fn values(&self, t: f64, y: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.blended.blended_description().surfaces.len()];
        self.blended.surfaces(t, y, &mut values);
        values
    }

    /// The surfaces within whose tolerances a state is.
    pub(crate) fn near(&self, (t, y): (f64, &[f64]), error_weights: &[f64]) -> Vec<usize> {
        let values = self.values(t, y);
        let pattern = &self.blended.blended_description().surfaces_jacobian;
        let mut gradients = vec![0.0; pattern.len()];
        self.blended.surfaces_jacobian(t, y, &mut gradients);
        let allowed =
            |k: usize| pattern.row(k).map(|(i, place)| gradients[place].abs() / error_weights[i]).sum::<f64>();
        (0..values.len()).filter(|&k| values[k].abs() <= allowed(k)).collect()
    }
}

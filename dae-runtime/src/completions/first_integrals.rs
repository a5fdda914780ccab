//! Quantities that do not change along solutions, as invariants.
//!
//! In: a formulation; functions such as an energy, with their gradients, from the text of the model
//! ([`crate::contract::DeclaredIntegrals`]) or from the caller. Out: the formulation with invariants
//! $I(t, y) - I(t_0, y_0)$, where the run began at $(t_0, y_0)$, or began anew after an event. A method that projects its
//! steps ([`Projection::On`](crate::stepper::Projection::On)) then keeps them.
//!
//! The projection is orthogonal in units of the nominal values, onto all invariants at once: constraints of the
//! formulation, onto which it projects first in its own way, stay satisfied ([`super::metric`]).

use std::cell::RefCell;
use std::fmt;
use std::ops::RangeInclusive;

use crate::completions::delegate::{forward_equations_to_inner, forward_switches_to_inner, forward_to_inner};
use crate::completions::metric::{Metric, project_orthogonally};
use crate::contract::class::Classified;
use crate::contract::{Dae, Description, IntegralsDescription, Invariant, Name, Pattern};

/// [`Dae::projection_level`] of a first integral.
const LEVEL: u32 = 0;

/// $I(t, y)$.
type Value<'f> = Box<dyn Fn(f64, &[f64]) -> f64 + 'f>;

/// $\partial I/\partial y$, written into a slice.
type Gradient<'f> = Box<dyn Fn(f64, &[f64], &mut [f64]) + 'f>;

/// A first integral.
struct FirstIntegral<'f> {
    value: Value<'f>,
    gradient: Gradient<'f>,
}

/// A formulation with first integrals as invariants.
///
/// ```
/// use dae_runtime::contract::Dae;
/// use dae_runtime::first_integrals::FirstIntegrals;
///
/// fn with_energy<'f>(oscillator: impl Dae + 'f) -> impl Dae + 'f {
///     FirstIntegrals::of(oscillator).with(
///         "energy",
///         |_, y| 0.5 * (y[0] * y[0] + y[1] * y[1]),
///         |_, y, gradient| gradient.copy_from_slice(y),
///     )
/// }
/// ```
pub struct FirstIntegrals<'f, D> {
    inner: D,
    description: Description,
    /// The number of first integrals of the text.
    declared: usize,
    integrals: Vec<FirstIntegral<'f>>,
    /// The values at the start of the run.
    start: RefCell<Vec<f64>>,
}

impl<D> fmt::Debug for FirstIntegrals<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstIntegrals").field("description", &self.description).finish_non_exhaustive()
    }
}

impl<'f, D: Dae> FirstIntegrals<'f, D> {
    /// A formulation without first integrals yet.
    pub fn of(inner: D) -> Self {
        let description = inner.description().clone();
        FirstIntegrals { inner, description, declared: 0, integrals: Vec::new(), start: RefCell::default() }
    }

    /// A formulation with the first integrals that the text of its model declares.
    pub fn declared(inner: D) -> Self {
        let mut this = FirstIntegrals::of(inner);
        let Some(declared) = this.inner.first_integrals() else { return this };
        let IntegralsDescription { names, jacobian } = declared.integrals_description();
        this.declared = names.len();
        this.start.get_mut().resize(names.len(), 0.0);
        let Description { invariants, invariants_jacobian, .. } = &mut this.description;
        invariants.to_mut().extend(names.iter().map(|name| unenforced(name.clone())));
        let Pattern { row_starts, column_indices, .. } = invariants_jacobian;
        let before = column_indices.len();
        column_indices.to_mut().extend_from_slice(&jacobian.column_indices);
        row_starts.to_mut().extend(jacobian.row_starts.iter().skip(1).map(|end| before + end));
        this
    }

    /// The formulation without first integrals.
    pub fn inner(&self) -> &D {
        &self.inner
    }

    /// Adds a first integral: its name in results and messages, its value at $(t, y)$, and its gradient with respect to
    /// $y$, all of whose entries are to be written. Only the differential entries of $y$ may be used.
    #[must_use]
    pub fn with(
        mut self,
        name: impl Into<Name>,
        value: impl Fn(f64, &[f64]) -> f64 + 'f,
        gradient: impl Fn(f64, &[f64], &mut [f64]) + 'f,
    ) -> Self {
        self.integrals.push(FirstIntegral { value: Box::new(value), gradient: Box::new(gradient) });
        self.start.get_mut().push(0.0);
        let Description { invariants, invariants_jacobian, unknowns, .. } = &mut self.description;
        invariants.to_mut().push(unenforced(name.into()));
        let Pattern { row_starts, column_indices, .. } = invariants_jacobian;
        column_indices.to_mut().extend(0..unknowns.len());
        row_starts.to_mut().push(column_indices.len());
        self
    }

    /// The values of all first integrals.
    fn values(&self, t: f64, y: &[f64], values: &mut [f64]) {
        let (declared, own) = values.split_at_mut(self.declared);
        if let Some(integrals) = self.inner.first_integrals().filter(|_| self.declared > 0) {
            integrals.integrals(t, y, declared);
        }
        own.iter_mut().zip(&self.integrals).for_each(|(value, integral)| *value = (integral.value)(t, y));
    }
}

/// An invariant that no row enforces.
fn unenforced(name: Name) -> Invariant {
    Invariant { name, row: None, prolonged: None }
}

#[diagnostic::do_not_recommend]
impl<D: Classified + Dae> Classified for FirstIntegrals<'_, D> {
    type Class = D::Class;

    fn as_dae(&self) -> &dyn Dae {
        self
    }
}

impl<D: Dae> Dae for FirstIntegrals<'_, D> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn invariants(&self, t: f64, y: &[f64], values: &mut [f64]) {
        let (of_inner, own) = values.split_at_mut(self.inner.description().invariants.len());
        self.inner.invariants(t, y, of_inner);
        self.values(t, y, own);
        own.iter_mut().zip(&*self.start.borrow()).for_each(|(value, start)| *value -= start);
    }

    fn invariants_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]) {
        let (of_inner, own) = values.split_at_mut(self.inner.description().invariants_jacobian.len());
        self.inner.invariants_jacobian(t, y, of_inner);
        let own = match self.inner.first_integrals().filter(|_| self.declared > 0) {
            Some(integrals) => {
                let (declared, own) = own.split_at_mut(integrals.integrals_description().jacobian.len());
                integrals.integrals_jacobian(t, y, declared);
                own
            }
            None => own,
        };
        for (gradient, integral) in own.chunks_exact_mut(y.len()).zip(&self.integrals) {
            (integral.gradient)(t, y, gradient);
        }
    }

    fn projection_level(&self, invariant: usize) -> Option<u32> {
        let is_own = invariant >= self.inner.description().invariants.len();
        if is_own { Some(LEVEL) } else { self.inner.projection_level(invariant) }
    }

    fn project(&self, t: f64, y: &mut [f64], levels: RangeInclusive<u32>) -> Result<(), usize> {
        self.inner.project(t, y, levels.clone())?;
        if levels.contains(&LEVEL) { project_orthogonally(self, t, y, &levels, &Metric::Nominal) } else { Ok(()) }
    }

    /// Takes the values at the start of a run as those to be kept.
    fn choose_coordinates(&self, t: f64, y: &[f64], yp: &[f64], anew: bool) -> bool {
        if anew {
            self.values(t, y, &mut self.start.borrow_mut());
        }
        self.inner.choose_coordinates(t, y, yp, anew)
    }

    forward_to_inner!();
    forward_equations_to_inner!();
    forward_switches_to_inner!();
}

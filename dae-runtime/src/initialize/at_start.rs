//! A prolongation together with its initial equations.
//!
//! In: a prolongation that has initial equations. Out: the prolongation of which they are the last equations, to be
//! solved like any other. It serves the start of a run only; events and later points do not know these equations.

use crate::contract::{InitialEquation, InitialEquations, JetEquation, Pattern, Prolongation, ProlongationDescription};

/// A prolongation with its initial equations after all others.
pub(crate) struct AtStart<'a> {
    inner: &'a dyn Prolongation,
    initial: &'a dyn InitialEquations,
    description: ProlongationDescription,
}

impl<'a> AtStart<'a> {
    /// `None` if there are no initial equations.
    pub(crate) fn of(inner: &'a dyn Prolongation) -> Option<Self> {
        let initial = inner.initial_equations()?;
        let (of_all, of_start) = (inner.prolongation_description(), initial.initial_description());
        // Numbers that no equation of the text has.
        let first = of_all.equations.iter().map(|it| it.equation + 1).max().unwrap_or(0);
        let initial_equation = |(number, it): (usize, &InitialEquation)| JetEquation {
            name: it.name.clone(),
            equation: first + number,
            order: 0,
            stage: it.stage,
        };
        let initial_equations = of_start.equations.iter().enumerate().map(initial_equation);
        let equations: Vec<JetEquation> = of_all.equations.iter().cloned().chain(initial_equations).collect();
        let description = ProlongationDescription {
            equations: equations.into(),
            jacobian: stacked(&of_all.jacobian, &of_start.jacobian),
            jacobian_p: stacked(&of_all.jacobian_p, &of_start.jacobian_p),
            ..of_all.clone()
        };
        Some(AtStart { inner, initial, description })
    }

    fn inner_description(&self) -> &ProlongationDescription {
        self.inner.prolongation_description()
    }
}

/// The rows of one pattern after those of another.
fn stacked(above: &Pattern, below: &Pattern) -> Pattern {
    let entries = above.len();
    let starts = above.row_starts.iter().copied().chain(below.row_starts.iter().skip(1).map(|start| entries + start));
    let columns = above.column_indices.iter().chain(below.column_indices.iter()).copied();
    Pattern { columns: above.columns, row_starts: starts.collect(), column_indices: columns.collect() }
}

impl Prolongation for AtStart<'_> {
    fn prolongation_description(&self) -> &ProlongationDescription {
        &self.description
    }

    fn start_values(&self, t: f64, jets: &mut [f64]) {
        self.inner.start_values(t, jets);
    }

    fn prolonged_residual(&self, t: f64, jets: &[f64], residual: &mut [f64]) {
        let (of_all, of_start) = residual.split_at_mut(self.inner_description().equations.len());
        self.inner.prolonged_residual(t, jets, of_all);
        self.initial.initial_residual(t, jets, of_start);
    }

    fn prolonged_jacobian(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        let (of_all, of_start) = values.split_at_mut(self.inner_description().jacobian.len());
        self.inner.prolonged_jacobian(t, jets, of_all);
        self.initial.initial_jacobian(t, jets, of_start);
    }

    fn prolonged_jacobian_p(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        let (of_all, of_start) = values.split_at_mut(self.inner_description().jacobian_p.len());
        self.inner.prolonged_jacobian_p(t, jets, of_all);
        self.initial.initial_jacobian_p(t, jets, of_start);
    }

    fn start_jacobian_p(&self, t: f64, values: &mut [f64]) {
        self.inner.start_jacobian_p(t, values);
    }
}

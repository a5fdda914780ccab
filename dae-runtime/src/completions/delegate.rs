//! Delegation to an inner formulation, by the formulations that complete it at run time.
//!
//! In: a type with a field `inner`, itself a [`crate::contract::Dae`]. Out: those functions of the contract that are
//! the same for both.

/// Functions of [`crate::contract::Dae`] that delegate to `self.inner`.
macro_rules! forward_to_inner {
    () => {
        fn parameters(&self) -> &[f64] {
            self.inner.parameters()
        }

        fn set_parameters(&mut self, values: &[f64]) {
            self.inner.set_parameters(values);
        }

        fn eliminated(&self, t: f64, y: &[f64], values: &mut [f64]) {
            self.inner.eliminated(t, y, values);
        }

        fn input_error(&self) -> Option<$crate::inputs::signal::InputError> {
            self.inner.input_error()
        }

        fn prolongation(&self) -> &dyn $crate::contract::Prolongation {
            self.inner.prolongation()
        }
    };
}

/// The equations and their Jacobians, where they are those of `self.inner`.
macro_rules! forward_equations_to_inner {
    () => {
        fn residual(&self, t: f64, y: &[f64], yp: &[f64], residual: &mut [f64]) {
            self.inner.residual(t, y, yp, residual);
        }

        fn jacobian_y(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
            self.inner.jacobian_y(t, y, yp, values);
        }

        fn jacobian_yp(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
            self.inner.jacobian_yp(t, y, yp, values);
        }

        fn jacobian_t(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
            self.inner.jacobian_t(t, y, yp, values);
        }

        fn jacobian_p(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
            self.inner.jacobian_p(t, y, yp, values);
        }

        fn unrolled_lu(&self) -> Option<&$crate::contract::UnrolledLu> {
            self.inner.unrolled_lu()
        }

        fn first_integrals(&self) -> Option<&dyn $crate::contract::DeclaredIntegrals> {
            self.inner.first_integrals()
        }

        fn canonical(&self) -> Option<&dyn $crate::contract::Dae> {
            self.inner.canonical()
        }

        fn blended(&self) -> Option<&dyn $crate::contract::Blended> {
            self.inner.blended()
        }

        fn states_from_jets(&self, t: f64, jets: &[f64], y: &mut [f64], yp: &mut [f64]) {
            self.inner.states_from_jets(t, jets, y, yp);
        }
    };
}

/// The invariants, where they are those of `self.inner`.
macro_rules! forward_invariants_to_inner {
    () => {
        fn invariants(&self, t: f64, y: &[f64], values: &mut [f64]) {
            self.inner.invariants(t, y, values);
        }

        fn invariants_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]) {
            self.inner.invariants_jacobian(t, y, values);
        }
    };
}

/// The switching functions, where they are those of `self.inner`.
macro_rules! forward_switches_to_inner {
    () => {
        fn switching_functions(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
            self.inner.switching_functions(t, y, yp, values);
        }

        fn switches_jacobian_p(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
            self.inner.switches_jacobian_p(t, y, yp, values);
        }

        fn watched_functions(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
            self.inner.watched_functions(t, y, yp, values);
        }

        fn switch_enclosures(
            &self,
            t: $crate::interval::TaylorModel,
            y: &[$crate::interval::TaylorModel],
            yp: &[$crate::interval::TaylorModel],
            values: &mut [$crate::interval::TaylorModel],
        ) {
            self.inner.switch_enclosures(t, y, yp, values);
        }
    };
}

pub(crate) use {forward_equations_to_inner, forward_invariants_to_inner, forward_switches_to_inner, forward_to_inner};

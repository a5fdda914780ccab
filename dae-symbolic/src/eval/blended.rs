//! The interpreter between the sides of surfaces.
//!
//! In: a formulation with programs for its equations between the sides. Out: the contract by which solutions slide.

use dae_runtime::contract::{Blended, BlendedDescription};

use super::Interpreter;
use crate::formulation::BlendedProgram;
use crate::program::Program;

impl Interpreter {
    /// Runs one of the programs for the equations between the sides; values stay as they are if there are none.
    fn run_blended(
        &self,
        program: impl Fn(&BlendedProgram) -> &Program,
        t: f64,
        [y, yp]: [&[f64]; 2],
        values: &mut [f64],
    ) {
        if let Some(it) = &self.program.blended {
            self.run(program(it), t, y, yp, values);
        }
    }
}

impl Blended for Interpreter {
    fn blended_description(&self) -> &BlendedDescription {
        const NONE: &BlendedDescription = &BlendedDescription::NONE;
        self.program.blended.as_ref().map_or(NONE, |it| &it.description)
    }

    fn blended_residual(&self, t: f64, ys: &[f64], yp: &[f64], residual: &mut [f64]) {
        self.run_blended(|it| &it.residual, t, [ys, yp], residual);
    }

    fn blended_jacobian_y(&self, t: f64, ys: &[f64], yp: &[f64], values: &mut [f64]) {
        self.run_blended(|it| &it.jacobian_y, t, [ys, yp], values);
    }

    fn blended_jacobian_yp(&self, t: f64, ys: &[f64], yp: &[f64], values: &mut [f64]) {
        self.run_blended(|it| &it.jacobian_yp, t, [ys, yp], values);
    }

    fn blended_jacobian_t(&self, t: f64, ys: &[f64], yp: &[f64], values: &mut [f64]) {
        self.run_blended(|it| &it.jacobian_t, t, [ys, yp], values);
    }

    fn surfaces(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.run_blended(|it| &it.surfaces, t, [y, &[]], values);
    }

    fn surfaces_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.run_blended(|it| &it.surfaces_jacobian, t, [y, &[]], values);
    }

    fn surfaces_jacobian_t(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.run_blended(|it| &it.surfaces_jacobian_t, t, [y, &[]], values);
    }
}

//! The interpreter: a formulation that runs without a compiler.
//!
//! In: a [`FormProgram`] and the [`Prolonged`] model. Out: an object that fulfils the same runtime contract as generated code, with
//! the same operations in the same order.

use std::cell::RefCell;

use dae_runtime::contract::{Dae, Description, Prolongation};

use crate::formulation::FormProgram;
use crate::program::{Point, Program};
use crate::prolong::Prolonged;

/// A formulation under interpretation.
#[derive(Clone, Debug)]
pub struct Interpreter {
    program: FormProgram,
    prolonged: Prolonged,
    scratch: RefCell<Vec<f64>>,
}

impl Interpreter {
    /// Interprets `program` at the default parameters of the model.
    pub fn new(program: FormProgram, prolonged: Prolonged) -> Self {
        let programs = [
            &program.residual,
            &program.jacobian_y,
            &program.jacobian_yp,
            &program.jacobian_t,
            &program.jacobian_p,
            &program.invariants,
            &program.invariants_jacobian,
            &program.switches,
            &program.eliminated,
        ];
        let registers = programs.iter().map(|p| p.registers()).max().unwrap_or(0);
        Interpreter { program, prolonged, scratch: RefCell::new(vec![0.0; registers]) }
    }

    fn run(&self, program: &Program, t: f64, y: &[f64], yp: &[f64], outputs: &mut [f64]) {
        let point = Point { t, parameters: &self.prolonged.parameters, y, yp };
        program.run(point, &mut self.scratch.borrow_mut(), outputs);
    }
}

impl Dae for Interpreter {
    fn description(&self) -> &Description {
        &self.program.description
    }

    fn parameters(&self) -> &[f64] {
        &self.prolonged.parameters
    }

    fn set_parameters(&mut self, values: &[f64]) {
        self.prolonged.parameters.copy_from_slice(values);
    }

    fn residual(&self, t: f64, y: &[f64], yp: &[f64], residual: &mut [f64]) {
        self.run(&self.program.residual, t, y, yp, residual);
    }

    fn jacobian_y(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.run(&self.program.jacobian_y, t, y, yp, values);
    }

    fn jacobian_yp(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.run(&self.program.jacobian_yp, t, y, yp, values);
    }

    fn jacobian_t(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.run(&self.program.jacobian_t, t, y, yp, values);
    }

    fn jacobian_p(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.run(&self.program.jacobian_p, t, y, yp, values);
    }

    fn invariants(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.run(&self.program.invariants, t, y, &[], values);
    }

    fn invariants_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.run(&self.program.invariants_jacobian, t, y, &[], values);
    }

    fn switching_functions(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.run(&self.program.switches, t, y, yp, values);
    }

    fn eliminated(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.run(&self.program.eliminated, t, y, &[], values);
    }

    fn prolongation(&self) -> &dyn Prolongation {
        &self.prolonged
    }

    fn states_from_jets(&self, _t: f64, jets: &[f64], y: &mut [f64], yp: &mut [f64]) {
        for (i, state) in self.program.states.iter().enumerate() {
            y[i] = state.value.map_or(0.0, |jet| jets[jet]);
            yp[i] = state.rate.map_or(0.0, |jet| jets[jet]);
        }
    }
}

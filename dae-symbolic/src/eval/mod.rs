//! The interpreter: a formulation that runs without a compiler.
//!
//! In: a [`FormProgram`] and the [`Prolonged`] model. Out: an object that implements the same runtime contract as
//! generated code, with the same operations in the same order. Unlike generated code, it brings no factorisation of
//! iteration matrices.

mod blended;
#[cfg(feature = "lie")]
mod lie_group;

#[cfg(feature = "lie")]
pub use lie_group::{LieInterpreter, LinearLieInterpreter, NoLieEquation};

use std::cell::RefCell;
use std::sync::Arc;

use dae_runtime::class::{Classified, Open};
use dae_runtime::contract::{Blended, Dae, DeclaredIntegrals, Description, IntegralsDescription, Prolongation};
use dae_runtime::derivative_array::DerivativeArray;
use dae_runtime::first_integrals::FirstIntegrals;
use dae_runtime::interval::TaylorModel;
use dae_runtime::signal::{Input, InputError, Need, unmet};
use dae_runtime::state_space::StateSpace;
use dae_runtime::underlying::UnderlyingOde;

use crate::expr::{External, ExternalSource};
use crate::external_functions::InputNeed;
use crate::formulation::{BlendedProgram, Completion, FormProgram};
use crate::program::{Point, Program};
use crate::prolongation::Prolonged;

/// A formulation that is interpreted.
#[derive(Clone, Debug)]
pub struct Interpreter {
    program: FormProgram,
    prolonged: Prolonged,
    scratch: RefCell<Vec<f64>>,
    /// Parameters and registers.
    enclosures: RefCell<[Vec<TaylorModel>; 2]>,
    /// Why the programs cannot be evaluated, if they cannot.
    error: Option<InputError>,
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
            &program.switches_jacobian_p,
            &program.switches,
            &program.watched,
            &program.eliminated,
        ];
        let integrals = program.first_integrals.iter();
        let integrals = integrals.flat_map(|it| [&it.values, &it.jacobian, &it.jacobian_t]);
        let blended = program.blended.iter().flat_map(|it| it.programs());
        let registers = programs.into_iter().chain(integrals).chain(blended).map(|p| p.registers()).max().unwrap_or(0);
        let mut interpreter = Interpreter {
            scratch: RefCell::new(vec![0.0; registers]),
            enclosures: RefCell::default(),
            error: None,
            program,
            prolonged,
        };
        interpreter.error = interpreter.without_values();
        interpreter
    }

    /// Supplies inputs of the caller; `needs` are those of the compiled model.
    ///
    /// # Errors
    /// If the model has no such input, or one of them does not give the derivatives that are needed.
    pub fn with_inputs(mut self, needs: &[InputNeed], inputs: &[(&str, Input)]) -> Result<Self, InputError> {
        for (name, input) in inputs {
            let Some(need) = needs.iter().find(|need| need.input == *name) else {
                return Err(InputError::Unknown { input: name.to_string().into() });
            };
            let need = Need { input: name, given: input, needed: need.order, because: &need.because };
            if let Some(error) = unmet(&[need]) {
                return Err(error);
            }
            self.supply(name, input);
        }
        self.error = self.without_values();
        Ok(self)
    }

    /// The formulation to integrate, with what the runtime adds to it
    /// ([`Formulation::completion`](crate::formulation::Formulation::completion)).
    pub fn completed(self, completion: Option<Completion>) -> Box<dyn Dae> {
        match completion {
            Some(Completion::Underlying) if self.program.first_integrals.is_some() => {
                Box::new(FirstIntegrals::declared(UnderlyingOde::new(self)))
            }
            Some(Completion::Underlying) => Box::new(UnderlyingOde::new(self)),
            Some(Completion::DerivativeArray { rows }) => Box::new(DerivativeArray::new(self, rows)),
            Some(Completion::Chart(coordinates)) => Box::new(StateSpace::new(self, coordinates)),
            None => Box::new(self),
        }
    }

    fn supply(&mut self, name: &str, input: &Input) {
        for call in self.programs_mut().into_iter().flat_map(Program::calls_mut) {
            if call.function.name == name {
                let External { name, arguments, origin, .. } = &*call.function;
                let source = ExternalSource::Supplied(input.clone());
                let (name, arguments) = (name.clone(), arguments.clone());
                call.function = Arc::new(External { name, arguments, origin: *origin, source });
            }
        }
    }

    /// The first function that has no values here.
    fn without_values(&mut self) -> Option<InputError> {
        let mut calls = self.programs_mut().into_iter().flat_map(|program| program.calls());
        calls.find_map(|call| match &call.function.source {
            ExternalSource::Code(_) => Some(InputError::NotInterpreted { function: call.function.name.clone().into() }),
            ExternalSource::Input => Some(InputError::NotSupplied { input: call.function.name.clone().into() }),
            ExternalSource::Table(_) | ExternalSource::Supplied(_) => None,
        })
    }

    fn programs_mut(&mut self) -> Vec<&mut Program> {
        let (form, prolonged) = (&mut self.program, &mut self.prolonged);
        let blended = form.blended.iter_mut().flat_map(BlendedProgram::programs_mut);
        let others = [
            &mut form.residual,
            &mut form.jacobian_y,
            &mut form.jacobian_yp,
            &mut form.jacobian_t,
            &mut form.jacobian_p,
            &mut form.invariants,
            &mut form.invariants_jacobian,
            &mut form.switches_jacobian_p,
            &mut form.switches,
            &mut form.watched,
            &mut form.eliminated,
            &mut prolonged.residual,
            &mut prolonged.jacobian,
            &mut prolonged.jacobian_p,
            &mut prolonged.start,
            &mut prolonged.start_jacobian_p,
        ];
        others.into_iter().chain(blended).collect()
    }

    fn run(&self, program: &Program, t: f64, y: &[f64], yp: &[f64], outputs: &mut [f64]) {
        let point = Point { t, parameters: &self.prolonged.parameters, y, yp };
        program.run(point, &mut self.scratch.borrow_mut(), outputs);
    }
}

#[diagnostic::do_not_recommend]
impl Classified for Interpreter {
    type Class = Open;

    fn as_dae(&self) -> &dyn Dae {
        self
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

    fn switches_jacobian_p(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.run(&self.program.switches_jacobian_p, t, y, yp, values);
    }

    fn watched_functions(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        self.run(&self.program.watched, t, y, yp, values);
    }

    fn switch_enclosures(&self, t: TaylorModel, y: &[TaylorModel], yp: &[TaylorModel], values: &mut [TaylorModel]) {
        let [parameters, scratch] = &mut *self.enclosures.borrow_mut();
        parameters.clear();
        parameters.extend(self.prolonged.parameters.iter().map(|&p| TaylorModel::point(p)));
        self.program.switches.run(Point { t, parameters, y, yp }, scratch, values);
    }

    fn eliminated(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.run(&self.program.eliminated, t, y, &[], values);
    }

    fn input_error(&self) -> Option<InputError> {
        self.error.clone()
    }

    fn first_integrals(&self) -> Option<&dyn DeclaredIntegrals> {
        self.program.first_integrals.as_ref().map(|_| self as &dyn DeclaredIntegrals)
    }

    fn blended(&self) -> Option<&dyn Blended> {
        self.program.blended.as_ref().map(|_| self as &dyn Blended)
    }

    fn prolongation(&self) -> &dyn Prolongation {
        &self.prolonged
    }
}

impl DeclaredIntegrals for Interpreter {
    fn integrals_description(&self) -> &IntegralsDescription {
        const NONE: &IntegralsDescription = &IntegralsDescription::NONE;
        self.program.first_integrals.as_ref().map_or(NONE, |it| &it.description)
    }

    fn integrals(&self, t: f64, y: &[f64], values: &mut [f64]) {
        if let Some(it) = &self.program.first_integrals {
            self.run(&it.values, t, y, &[], values);
        }
    }

    fn integrals_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]) {
        if let Some(it) = &self.program.first_integrals {
            self.run(&it.jacobian, t, y, &[], values);
        }
    }

    fn integrals_jacobian_t(&self, t: f64, y: &[f64], values: &mut [f64]) {
        if let Some(it) = &self.program.first_integrals {
            self.run(&it.jacobian_t, t, y, &[], values);
        }
    }
}

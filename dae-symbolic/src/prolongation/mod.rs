//! The prolongation: the equations with their derivatives, in the jets of the unknowns.
//!
//! In: the working system and its offsets $c$, $d$. Out: the system $f_i^{(l)} = 0$, $0 \le l \le c_i$, in $x_j^{(k)}$,
//! $0 \le k \le d_j$, with its Jacobian and start values as programs. It is solved stage by stage (Pryce, *A simple
//! structural analysis method for DAEs*, BIT 41, 2001, sect. 2.3): at stage $s = -\max c, \dots, 0$ the equations
//! $f_i^{(c_i + s)}$ determine the jets $x_j^{(d_j + s)}$. Its zeros are the consistent initial values.
//!
//! Where the structure does not give the stages, all equations are differentiated as many times as the index says
//! ([`prolong_alike`]), and solved together.
//!
//! [`Prolonged`] fulfils the runtime's [`Prolongation`] and [`InitialEquations`] contracts by interpretation.

mod boundary;
mod events;
mod initial;
mod whole;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

pub use boundary::{BoundaryProgram, point_numbers};
use dae_runtime::contract::{
    Boundary, DeclaredEvents, InitialDescription, InitialEquations, Jet, JetEquation, Pattern, Prolongation,
    ProlongationDescription, Start,
};
pub use events::EventsProgram;
pub use initial::InitialProgram;

use crate::defaults::{parameter_enclosures, parameter_places, whole_parameters};
use crate::expr::interval::Interval;
use crate::expr::{Dag, Expr, Symbol, UnknownId};
use crate::model::{Domain, Model, Numbering, derivative_name};
use crate::program::{Derivative, Load, Point, Program, Unplaced};
use crate::structure::Offsets;
use crate::system::{System, written_orders};

/// Programs of the prolongation, and parameter values to run them at.
#[derive(Clone, Debug)]
pub struct Prolonged {
    /// Names, stages and patterns.
    pub description: ProlongationDescription,
    /// The offsets $c$ and $d$ it was made with.
    pub offsets: Offsets,
    /// The position in the jet vector at which the jets of each unknown start.
    pub first_jet: Vec<usize>,
    /// The index domain of each jet.
    pub jet_domains: Vec<Domain>,
    /// The index domain of each equation.
    pub equation_domains: Vec<Domain>,
    /// Position of $f_k^{(l)}$ among the equations, $k$ being the number of the equation in the text.
    positions: HashMap<(usize, u32), usize>,
    /// The equations as expressions, inputs not expanded.
    pub residuals: Vec<Expr>,
    /// The equations.
    pub residual: Program,
    /// The Jacobian of the equations with respect to the jets.
    pub jacobian: Program,
    /// The Jacobian of the equations with respect to the parameters.
    pub jacobian_p: Program,
    /// Start values of the jets.
    pub start: Program,
    /// The Jacobian of the start values with respect to the parameters.
    pub start_jacobian_p: Program,
    /// The initial equations, if the model has any and each is one between jets.
    pub initial: Option<InitialProgram>,
    /// The boundary conditions, if the model has any.
    pub boundary: Option<BoundaryProgram>,
    /// The events, if the model has any.
    pub events: Option<EventsProgram>,
    /// Default values of the parameters.
    pub parameters: Vec<f64>,
    /// Enclosures of the exact values that the text gives to the parameters.
    pub parameter_enclosures: Vec<Interval>,
    scratch: RefCell<Vec<f64>>,
}

impl Prolonged {
    /// Position of $x_j^{(k)}$ in the jet vector.
    pub fn jet(&self, unknown: usize, order: u32) -> Option<usize> {
        let end = self.first_jet.get(unknown + 1).copied().unwrap_or(self.description.jets.len());
        let position = self.first_jet.get(unknown)? + order as usize;
        (position < end).then_some(position)
    }

    /// Position of $f_k^{(l)}$ among the equations, if it is one of them.
    pub fn equation(&self, place: Option<(usize, u32)>) -> Option<usize> {
        self.positions.get(&place?).copied()
    }
}

/// Builds the prolongation of `system` with the given offsets. The error is a symbol that has no place in it, or a
/// family of an excerpt whose members do not determine those left out.
pub fn prolong(model: &mut Model, system: &System, offsets: &Offsets) -> Result<Prolonged, Unplaced> {
    prolong_in(model, system, offsets, |stage| stage)
}

/// The derivative array of `system`: every equation with `differentiations` derivatives, all in one stage. That is not
/// stage 0, since no square system Jacobian tells which of its jets the array determines.
pub fn prolong_alike(model: &mut Model, system: &System, differentiations: u32) -> Result<Prolonged, Unplaced> {
    let rates = written_orders(model).into_iter().map(|order| order.max(1) + differentiations);
    let offsets = Offsets { equations: vec![differentiations; system.equations.len()], unknowns: rates.collect() };
    prolong_in(model, system, &offsets, |_| -1)
}

/// Builds the prolongation; `stage` maps a stage of the offsets to the one at which it is solved.
fn prolong_in(
    model: &mut Model,
    system: &System,
    offsets: &Offsets,
    stage: fn(i32) -> i32,
) -> Result<Prolonged, Unplaced> {
    let (first_jet, jets) = jets(model, offsets, stage);
    let position = |unknown: UnknownId, order: u32| first_jet[unknown.index()] + order as usize;
    let arrays = model.unknowns.iter().zip(&offsets.unknowns);
    let arrays: Vec<Domain> =
        arrays.flat_map(|(unknown, &d)| std::iter::repeat_n(unknown.domain.clone(), d as usize + 1)).collect();
    let (jet_places, parameter_places) = (Numbering::of(&arrays)?, parameter_places(model)?);
    let load = |symbol| match symbol {
        Symbol::Time => Some(Load::Time),
        Symbol::Parameter(p) => parameter_places.regular_place_of(p.index()).map(Load::Parameter),
        Symbol::Unknown { unknown, order } => jet_places.regular_place_of(position(unknown, order)).map(Load::Y),
        Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => None,
    };
    let text_places = Numbering::of(model.equations.iter().map(|equation| &equation.domain))?;
    let Equations { described, positions, domains, residuals } =
        equations(&mut model.dag, system, (offsets, stage), &text_places);
    let written = residuals.clone();
    let residuals = model.expand_inputs(&residuals);
    let names = model.definition_names();
    let residual = Program::values(&model.dag, &residuals, &domains, &names, load)?;
    let column = |symbol| match symbol {
        Symbol::Unknown { unknown, order } => Some(position(unknown, order)),
        _ => None,
    };
    let jacobian = Derivative::new(&mut model.dag, &residuals, &domains, jets.len(), &names, column, load)?;
    let parameter = |symbol| match symbol {
        Symbol::Parameter(p) => Some(p.index()),
        _ => None,
    };
    let m = model.parameters.len();
    let jacobian_p = Derivative::new(&mut model.dag, &residuals, &domains, m, &names, parameter, load)?;
    let initial = InitialProgram::new(model, (offsets, &first_jet, stage), load)?;
    let start = start_values(model, offsets);
    let start = model.expand_inputs(&start);
    let start_jacobian_p = Derivative::new(&mut model.dag, &start, &arrays, m, &names, parameter, load)?;
    Ok(Prolonged {
        start: Program::values(&model.dag, &start, &arrays, &names, load)?,
        description: ProlongationDescription {
            model: model.name.clone().into(),
            jets: jets.into(),
            equations: described.into(),
            jacobian: jacobian.pattern,
            jacobian_p: jacobian_p.pattern,
            start_jacobian_p: start_jacobian_p.pattern,
        },
        jet_domains: arrays,
        equation_domains: domains,
        positions,
        offsets: offsets.clone(),
        first_jet,
        residuals: written,
        residual,
        jacobian: jacobian.program,
        jacobian_p: jacobian_p.program,
        start_jacobian_p: start_jacobian_p.program,
        initial,
        boundary: None,
        events: None,
        parameters: whole_parameters(model)?,
        parameter_enclosures: parameter_enclosures(model)?,
        scratch: RefCell::default(),
    })
}

/// The jet vector: unknown by unknown, order by order.
fn jets(model: &Model, offsets: &Offsets, stage: fn(i32) -> i32) -> (Vec<usize>, Vec<Jet>) {
    let mut first = Vec::with_capacity(model.unknowns.len());
    let mut jets = Vec::new();
    for (unknown, &d) in model.unknowns.iter().zip(&offsets.unknowns) {
        first.push(jets.len());
        jets.extend((0..=d).map(|order| Jet {
            name: derivative_name(&unknown.name, order).into(),
            order,
            stage: stage(order as i32 - d as i32),
            start: unknown.start_value(order).map_or(Start::Free, |s| s.kind),
            nominal: unknown.nominal,
        }));
    }
    (first, jets)
}

/// The equations in order of stage, and within a stage in order of the text.
struct Equations {
    described: Vec<JetEquation>,
    positions: HashMap<(usize, u32), usize>,
    domains: Vec<Domain>,
    residuals: Vec<Expr>,
}

fn equations(
    dag: &mut Dag,
    system: &System,
    (offsets, stage): (&Offsets, fn(i32) -> i32),
    text_places: &Numbering,
) -> Equations {
    let derivatives = system.derivatives(dag, &offsets.equations);
    let mut list = Vec::new();
    for (i, family) in derivatives.iter().enumerate() {
        for (order, &residual) in family.iter().enumerate() {
            let (order, of) = (order as u32, &system.equations[i]);
            let stage = stage(order as i32 - offsets.equations[i] as i32);
            let name = derivative_name(&of.provenance.name(), order).into();
            let equation = text_places.place_of(of.text);
            list.push((JetEquation { name, equation, order, stage }, i, residual));
        }
    }
    list.sort_by_key(|(equation, ..)| equation.stage);
    let place = |(position, (described, i, _)): (usize, &(JetEquation, usize, Expr))| {
        ((system.equations[*i].text, described.order), position)
    };
    Equations {
        positions: list.iter().enumerate().map(place).collect(),
        domains: list.iter().map(|&(_, i, _)| system.equations[i].domain.clone()).collect(),
        residuals: list.iter().map(|&(.., residual)| residual).collect(),
        described: list.into_iter().map(|(equation, ..)| equation).collect(),
    }
}

fn start_values(model: &mut Model, offsets: &Offsets) -> Vec<Expr> {
    let zero = model.dag.integer(0);
    let unknowns = model.unknowns.iter().zip(&offsets.unknowns);
    unknowns
        .flat_map(|(unknown, &d)| (0..=d).map(|order| unknown.start_value(order).map_or(zero, |s| s.value)))
        .collect()
}

impl Prolonged {
    fn run(&self, program: &Program, t: f64, jets: &[f64], outputs: &mut [f64]) {
        let point = Point { t, parameters: &self.parameters, y: jets, yp: &[] };
        program.run(point, &mut self.scratch.borrow_mut(), outputs);
    }
}

impl Prolongation for Prolonged {
    fn prolongation_description(&self) -> &ProlongationDescription {
        &self.description
    }

    fn start_values(&self, t: f64, jets: &mut [f64]) {
        self.run(&self.start, t, &[], jets);
    }

    fn prolonged_residual(&self, t: f64, jets: &[f64], residual: &mut [f64]) {
        self.run(&self.residual, t, jets, residual);
    }

    fn prolonged_jacobian(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        self.run(&self.jacobian, t, jets, values);
    }

    fn prolonged_jacobian_p(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        self.run(&self.jacobian_p, t, jets, values);
    }

    fn start_jacobian_p(&self, t: f64, values: &mut [f64]) {
        self.run(&self.start_jacobian_p, t, &[], values);
    }

    fn initial_equations(&self) -> Option<&dyn InitialEquations> {
        self.initial.as_ref().map(|_| self as &dyn InitialEquations)
    }

    fn boundary(&self) -> Option<&dyn Boundary> {
        self.boundary.as_ref().map(|_| self as &dyn Boundary)
    }

    fn declared_events(&self) -> Option<&dyn DeclaredEvents> {
        self.events.as_ref().map(|_| self as &dyn DeclaredEvents)
    }
}

/// No initial equations.
const NONE: &InitialDescription =
    &InitialDescription { equations: Cow::Borrowed(&[]), jacobian: Pattern::EMPTY, jacobian_p: Pattern::EMPTY };

impl InitialEquations for Prolonged {
    fn initial_description(&self) -> &InitialDescription {
        self.initial.as_ref().map_or(NONE, |initial| &initial.description)
    }

    fn initial_residual(&self, t: f64, jets: &[f64], residual: &mut [f64]) {
        self.initial.iter().for_each(|it| self.run(&it.residual, t, jets, residual));
    }

    fn initial_jacobian(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        self.initial.iter().for_each(|it| self.run(&it.jacobian, t, jets, values));
    }

    fn initial_jacobian_p(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        self.initial.iter().for_each(|it| self.run(&it.jacobian_p, t, jets, values));
    }
}

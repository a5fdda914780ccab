//! A model as operations of Taylor arithmetic, to be integrated without index reduction.
//!
//! In: a compiled model. Out: a [`TaylorSystem`], which fulfils the runtime's contract
//! ([`dae_runtime::taylor::contract::TaylorDae`]) by interpretation; or why the model has no series ([`Unsupported`]).
//!
//! The equations are those of the working system, as they are: the offsets of the structural analysis and the
//! recurrences take the place of symbolic derivatives. Numbers are those of the text, to 106 bits: parameters, whose
//! defaults are evaluated in [`DoubleDouble`], and start values as well. Functions defined by branches, of anything that
//! changes in time, and functions from outside the model are refused.

mod operations;
mod unsupported;

use dae_runtime::contract::{Name, ParameterError, Pattern, Prolongation};
use dae_runtime::taylor::contract::{Jets, TaylorDae, TaylorDescription, TaylorEquation, TaylorUnknown, Work};
use dae_runtime::taylor::tape::Tape;
use dae_runtime::taylor::{DoubleDouble, Scalar};

use crate::expr::{Dag, Expr, reachable};
use crate::index::Analysis;
use crate::model::Model;
use crate::pipeline::Compiled;
use crate::prolongation::Prolonged;
use crate::system::highest_orders;
use operations::{Obstacle, Operations};
pub use unsupported::Unsupported;

/// A model that is integrated by Taylor series, by interpretation.
///
/// ```
/// # fn demo() -> Result<(), Box<dyn std::error::Error>> {
/// use dae_runtime::taylor::TaylorIntegration;
/// use dae_symbolic::{pipeline::compile, read_text, taylor::TaylorSystem};
///
/// let (model, _) = read_text("pub struct Decay { var x = 1; der(x) = -x; }").map_err(|_| "no model")?;
/// let system = TaylorSystem::new(&compile(model, 0.0).map_err(|_| "ill-posed")?)?;
/// let solution = TaylorIntegration::<f64>::new(&system).rtol(1e-15).atol(1e-15).run(0.0, 1.0)?;
/// assert!((solution.end_state()[0] - (-1.0_f64).exp()).abs() < 1e-15);
/// # Ok(())
/// # }
/// # demo().unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct TaylorSystem {
    tape: Tape,
    prolonged: Prolonged,
    parameters: Vec<DoubleDouble>,
}

impl TaylorSystem {
    /// The operations of a compiled model, at the default values of its parameters.
    ///
    /// # Errors
    /// The model contains something that has no Taylor series, or its structure does not tell its index.
    pub fn new(compiled: &Compiled) -> Result<TaylorSystem, Unsupported> {
        let analysis = &compiled.analysis;
        check_structure(analysis)?;
        if let Some(event) = compiled.model.events.list.first() {
            return Err(Unsupported::Event { name: event.name.clone() });
        }
        let mut model = compiled.model.clone();
        let names: Vec<Name> =
            analysis.system.equations.iter().map(|equation| equation.provenance.name().into()).collect();
        let residuals: Vec<Expr> = analysis.system.equations.iter().map(|equation| equation.residual).collect();
        let residuals = model.expand_inputs(&residuals);
        let offsets = &analysis.prolonged.offsets;
        let mut operations = Operations::default();
        let equations = operations
            .add(&model.dag, &residuals)
            .map_err(|(expr, obstacle)| unsupported(&model, &residuals, &names, expr, obstacle))?;
        let starts = start_values(&mut model, &offsets.unknowns, &mut operations);
        let unknowns = model.unknowns.iter().zip(&offsets.unknowns);
        let equation = |(name, &c): (Name, &u32)| TaylorEquation { name, offset: c as usize };
        let description = TaylorDescription {
            model: model.name.clone().into(),
            unknowns: unknowns
                .map(|(unknown, &d)| TaylorUnknown {
                    name: unknown.name.clone().into(),
                    offset: d as usize,
                    nominal: unknown.nominal,
                })
                .collect(),
            equations: names.into_iter().zip(&offsets.equations).map(equation).collect(),
            parameters: model.parameters.iter().map(|parameter| parameter.name.clone().into()).collect(),
            jacobian: pattern(&model.dag, &residuals, &offsets.equations, &offsets.unknowns),
        };
        let prolonged = analysis.prolonged.clone();
        let parameters = parameters(&mut model, &prolonged);
        Ok(TaylorSystem { tape: Tape::new(description, operations.list, equations, starts), prolonged, parameters })
    }

    /// Values of the parameters, in the order of the description.
    pub fn parameters(&self) -> &[DoubleDouble] {
        &self.parameters
    }

    /// Replaces the value of one parameter, by its name: `k`, or `k[3]` of an array.
    ///
    /// # Errors
    /// The model has no parameter of this name.
    pub fn set_parameter(&mut self, name: &str, value: DoubleDouble) -> Result<(), ParameterError> {
        let known = &TaylorDae::<f64>::taylor_description(self).parameters;
        let Some(place) = known.iter().position(|it| it == name) else {
            return Err(ParameterError::Unknown { name: name.to_string(), known: known.clone() });
        };
        self.parameters[place] = value;
        self.prolonged.parameters[place] = value.high();
        Ok(())
    }

    /// Number of operations that change in time.
    pub fn operations(&self) -> usize {
        self.tape.len()
    }

    fn values<S: Scalar>(&self) -> Vec<S> {
        self.parameters.iter().map(|&value| S::from_double_double(value)).collect()
    }
}

/// Whether the offsets hold, as far as the analysis knows; a system Jacobian that is singular where a run comes ends it.
fn check_structure(analysis: &Analysis) -> Result<(), Unsupported> {
    let reason = if !analysis.is_generically_regular() {
        "its system Jacobian is singular for all values"
    } else if !analysis.redundant.is_empty() && analysis.sufficient_differentiations().is_none() {
        "it has more equations than unknowns, and that the surplus ones follow from the others is not proved"
    } else {
        return Ok(());
    };
    Err(Unsupported::NoStructure { reason: reason.into() })
}

/// The finding, with the first equation that contains the expression.
fn unsupported(model: &Model, residuals: &[Expr], names: &[Name], expr: Expr, obstacle: Obstacle) -> Unsupported {
    let contains = |root: Expr| reachable(&model.dag, [root]).binary_search(&expr).is_ok();
    let place = residuals.iter().position(|&root| contains(root));
    let equation = place.and_then(|place| names.get(place)).map_or_else(String::new, Name::to_string);
    match obstacle {
        Obstacle::Branches(function) => Unsupported::NotSmooth { function: function.name().into(), equation },
        Obstacle::External(name) => Unsupported::External { name, equation },
        Obstacle::Leaf(symbol) => Unsupported::Misplaced { symbol: model.symbol_name(symbol), equation },
    }
}

/// Operations for the start values, jet by jet; none where there is none.
fn start_values(model: &mut Model, orders: &[u32], operations: &mut Operations) -> Vec<Option<usize>> {
    let given = model.unknowns.iter().zip(orders);
    let values: Vec<Option<Expr>> =
        given.flat_map(|(unknown, &d)| (0..=d).map(|k| unknown.start_value(k).map(|start| start.value))).collect();
    values.into_iter().map(|value| operations.add(&model.dag, &[value?]).ok()?.first().copied()).collect()
}

/// The pattern of the system Jacobian: $x_j$ where $f_i$ contains its derivative of order $d_j - c_i$.
fn pattern(dag: &Dag, residuals: &[Expr], c: &[u32], d: &[u32]) -> Pattern {
    let (mut row_starts, mut columns) = (vec![0], Vec::new());
    for (&residual, &c) in residuals.iter().zip(c) {
        let highest = highest_orders(dag, [residual]);
        columns.extend(highest.into_iter().filter(|&(j, order)| d[j] == c + order).map(|(j, _)| j));
        row_starts.push(columns.len());
    }
    Pattern { columns: d.len(), row_starts: row_starts.into(), column_indices: columns.into() }
}

/// The default values of the parameters.
fn parameters(model: &mut Model, prolonged: &Prolonged) -> Vec<DoubleDouble> {
    let defaults: Vec<Expr> = model.parameters.iter().map(|parameter| parameter.default).collect();
    let defaults = model.with_default_parameters(&defaults);
    let mut operations = Operations::default();
    let places = defaults.iter().map(|&default| Some(operations.add(&model.dag, &[default]).ok()?[0])).collect();
    let nothing = TaylorDescription {
        model: model.name.clone().into(),
        unknowns: Vec::new(),
        equations: Vec::new(),
        parameters: Vec::new(),
        jacobian: Pattern::zero(0, 0),
    };
    let tape = Tape::new(nothing, operations.list, Vec::new(), places);
    let mut values = vec![DoubleDouble::ZERO; defaults.len()];
    tape.start_values(&[], &mut values);
    // A default that calls a function from outside has the value that the rest of the pipeline gives it.
    let near = prolonged.parameters.iter().zip(values);
    near.map(|(&near, value)| {
        let is_same = (value.high() - near).abs() <= 1e-12 * near.abs();
        if is_same { value } else { DoubleDouble::from(near) }
    })
    .collect()
}

impl<S: Scalar> TaylorDae<S> for TaylorSystem {
    fn taylor_description(&self) -> &TaylorDescription {
        self.tape.description()
    }

    fn taylor_prolongation(&self) -> &dyn Prolongation {
        &self.prolonged
    }

    fn taylor_start_values(&self, jets: &mut [S]) {
        self.tape.start_values(&self.values(), jets);
    }

    fn work(&self, last: usize) -> Work<S> {
        self.tape.work(last, &self.values())
    }

    fn expand(&self, work: &mut Work<S>, stage: i32, jets: &Jets<S>, residuals: &mut [S]) {
        self.tape.expand(work, stage, jets, residuals);
    }

    fn taylor_jacobian(&self, work: &mut Work<S>, equations: &[usize], values: &mut [S]) {
        self.tape.jacobian(work, equations, values);
    }

    fn correct(&self, work: &mut Work<S>, stage: i32, unit: f64, changes: &[S]) {
        self.tape.correct(work, stage, unit, changes);
    }
}

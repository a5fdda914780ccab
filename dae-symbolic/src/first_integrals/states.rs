//! The change of a quantity at consistent states.
//!
//! In: a model whose hidden equations are known. Out: its start and several other consistent states, with the default
//! parameters; and the derivative of a quantity along solutions there, compared with the sum of the absolute values of
//! its terms and with what rounding errors of the states explain.

use dae_runtime::contract::{Prolongation, ProlongationDescription, Start};
use dae_runtime::initialize::{InitializationOptions, consistent_initialization};

use super::setting::Setting;
use crate::expr::prime_field::arithmetic::draw;
use crate::expr::{Dag, Expr, Symbol, UnknownId, evaluate, gradient, symbols};
use crate::model::Model;
use crate::prolongation::Prolonged;

/// The number of states beside the start.
const OTHERS: u64 = 5;

/// How far other states are from the start: by this fraction of the values and of the nominal values.
const DISTANCE: f64 = 0.25;

/// The times of other states differ by multiples of this from that of the start.
const LATER: f64 = 0.37;

/// The relative accuracy of consistent values, with a margin.
const ACCURACY: f64 = 1e-9;

/// A change is clear if it is larger than this fraction of its terms.
const CLEAR: f64 = 1e-6;

/// The number of values that a message shows.
const SHOWN: usize = 6;

/// A consistent state.
struct State {
    t: f64,
    /// The values of the jets.
    jets: Vec<f64>,
}

/// Consistent states of a model, that at the start first if `has_start`.
pub(super) struct States {
    list: Vec<State>,
    has_start: bool,
    first_jet: Vec<usize>,
    nominal: Vec<f64>,
    parameters: Vec<f64>,
}

/// A change that is not due to rounding.
pub(super) struct Clear {
    pub(super) t: f64,
    /// The derivative along the solution.
    pub(super) rate: f64,
    /// The sum of the absolute values of its terms.
    pub(super) size: f64,
    /// Values of what the quantity depends on.
    pub(super) at: Vec<(Symbol, f64)>,
    /// Whether this is the start of the model.
    pub(super) is_start: bool,
}

/// How a quantity changes.
pub(super) enum Change {
    /// It changes.
    Clear(Clear),
    /// At none of these states is the change larger than rounding errors may be.
    Rounding {
        states: usize,
        /// The largest change as a fraction of its terms.
        largest: f64,
    },
}

impl States {
    /// No states.
    pub(super) fn none() -> Self {
        States { list: vec![], has_start: false, first_jet: vec![], nominal: vec![], parameters: vec![] }
    }

    /// Finds consistent states.
    pub(super) fn of(model: &Model, setting: &Setting<'_>) -> Self {
        let prolonged = &setting.analysis.prolonged;
        let options = InitializationOptions::default();
        let start = setting.analysis.jets.clone();
        let start = start.or_else(|| Some(consistent_initialization(prolonged, setting.t0, &options).ok()?.jets));
        let mut list = Vec::new();
        let has_start = start.is_some();
        let mut from = vec![0.0; prolonged.description.jets.len()];
        prolonged.start_values(setting.t0, &mut from);
        if let Some(jets) = start {
            from.copy_from_slice(&jets);
            list.push(State { t: setting.t0, jets });
        }
        for seed in 0..OTHERS {
            let t = setting.t0 + LATER * seed as f64;
            let displaced = Displaced::new(prolonged, &from, seed);
            let found = consistent_initialization(&displaced, t, &options);
            list.extend(found.ok().map(|initial| State { t, jets: initial.jets }));
        }
        States {
            list,
            has_start,
            first_jet: prolonged.first_jet.clone(),
            nominal: model.unknowns.iter().map(|unknown| unknown.nominal).collect(),
            parameters: prolonged.parameters.clone(),
        }
    }

    fn value(&self, state: &State, symbol: Symbol) -> f64 {
        match symbol {
            Symbol::Time => state.t,
            Symbol::Parameter(p) => self.parameters.get(p.index()).copied().unwrap_or(f64::NAN),
            Symbol::Unknown { unknown, order } => self.jet(state, unknown, order),
            Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => f64::NAN,
        }
    }

    fn jet(&self, state: &State, unknown: UnknownId, order: u32) -> f64 {
        let end = self.first_jet.get(unknown.index() + 1).copied().unwrap_or(state.jets.len());
        let place = self.first_jet[unknown.index()] + order as usize;
        if place < end { state.jets[place] } else { f64::NAN }
    }

    /// How much an expression may differ from its value because the states are not exact.
    fn uncertainty(&self, dag: &mut Dag, state: &State, expr: Expr) -> f64 {
        let partials = gradient(dag, expr, |symbol| matches!(symbol, Symbol::Unknown { .. }));
        let roots: Vec<Expr> = partials.iter().map(|&(_, partial)| partial).collect();
        let values = evaluate(dag, &roots, |symbol| self.value(state, symbol));
        let part = |(&(symbol, _), value): (&(Symbol, Expr), &f64)| match symbol {
            Symbol::Unknown { unknown, order } => {
                let scale = self.jet(state, unknown, order).abs() + self.nominal[unknown.index()];
                value.abs() * ACCURACY * scale
            }
            _ => 0.0,
        };
        partials.iter().zip(&values).map(part).sum()
    }

    /// Whether an expression is certainly not zero at the start.
    pub(super) fn is_nonzero_at_start(&self, dag: &mut Dag, expr: Expr) -> bool {
        let Some(state) = self.list.first().filter(|_| self.has_start) else { return false };
        let value = evaluate(dag, &[expr], |symbol| self.value(state, symbol))[0].abs();
        value.is_finite() && value > 0.0 && value > 10.0 * self.uncertainty(dag, state, expr)
    }

    /// How a quantity changes along solutions.
    pub(super) fn change(&self, dag: &mut Dag, quantity: Expr) -> Change {
        let is_moving = |symbol| matches!(symbol, Symbol::Time | Symbol::Unknown { .. });
        let partials = gradient(dag, quantity, is_moving);
        let terms: Vec<Expr> = partials.into_iter().map(|(symbol, partial)| term(dag, symbol, partial)).collect();
        let rate = terms.iter().fold(dag.integer(0), |sum, &term| dag.add(sum, term));
        let (mut states, mut largest) = (0, 0.0_f64);
        for (k, state) in self.list.iter().enumerate() {
            let values = evaluate(dag, &terms, |symbol| self.value(state, symbol));
            let (change, size) = (values.iter().sum::<f64>(), values.iter().map(|value| value.abs()).sum::<f64>());
            let uncertainty = self.uncertainty(dag, state, rate);
            if !change.is_finite() || !size.is_finite() || !uncertainty.is_finite() {
                continue;
            }
            states += 1;
            let is_start = k == 0 && self.has_start;
            if change.abs() > CLEAR * size && change.abs() > 10.0 * uncertainty {
                let used =
                    symbols(dag, [quantity]).into_iter().filter(|symbol| matches!(symbol, Symbol::Unknown { .. }));
                let at = used.take(SHOWN).map(|symbol| (symbol, self.value(state, symbol))).collect();
                return Change::Clear(Clear { t: state.t, rate: change, size, at, is_start });
            }
            if size > 0.0 {
                largest = largest.max(change.abs() / size);
            }
        }
        Change::Rounding { states, largest }
    }
}

/// A term of the derivative along solutions.
fn term(dag: &mut Dag, symbol: Symbol, partial: Expr) -> Expr {
    match symbol {
        Symbol::Unknown { unknown, order } => {
            let next = dag.symbol(Symbol::Unknown { unknown, order: order + 1 });
            dag.mul(partial, next)
        }
        _ => partial,
    }
}

/// A model with start values beside those of another state, all of which may move.
struct Displaced<'a> {
    inner: &'a Prolonged,
    description: ProlongationDescription,
    start: Vec<f64>,
}

impl<'a> Displaced<'a> {
    fn new(inner: &'a Prolonged, from: &[f64], seed: u64) -> Self {
        let mut description = inner.description.clone();
        description.jets.to_mut().iter_mut().for_each(|jet| jet.start = Start::Guess);
        let jets = description.jets.iter().zip(from).enumerate();
        let start = jets.map(|(k, (jet, &value))| {
            // Evenly distributed in (-1, 1).
            let drawn = (draw(seed, &[k as u64]) % 2_000_001) as f64 / 1e6 - 1.0;
            value + DISTANCE * drawn * (value.abs() + jet.nominal)
        });
        Displaced { inner, start: start.collect(), description }
    }
}

impl Prolongation for Displaced<'_> {
    fn prolongation_description(&self) -> &ProlongationDescription {
        &self.description
    }

    fn start_values(&self, _t: f64, jets: &mut [f64]) {
        jets.copy_from_slice(&self.start);
    }

    fn prolonged_residual(&self, t: f64, jets: &[f64], residual: &mut [f64]) {
        self.inner.prolonged_residual(t, jets, residual);
    }

    fn prolonged_jacobian(&self, t: f64, jets: &[f64], values: &mut [f64]) {
        self.inner.prolonged_jacobian(t, jets, values);
    }
}

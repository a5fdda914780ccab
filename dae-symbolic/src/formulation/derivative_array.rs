//! The derivative array together with differential equations: for any index, even where structural analysis fails.
//!
//! In: the equations of the text, and how many times to differentiate them. Out: a formulation with the states
//! $x_j, \dots, x_j^{(P_j - 1)}$, $P_j \ge 1$ being the order of $x_j$ in the text, and the higher derivatives that
//! occur. Its rows are
//!
//! | rows | `derivative_array` | `strangeness_free` |
//! |---|---|---|
//! | array | $F^{(l)} = 0$, $0 \le l \le m$, in states and higher derivatives | $F^{(l)} = 0$, $0 \le l \le \max(m - 1, 0)$ |
//! | differential equations | $\dot x_j^{(k)} = x_j^{(k+1)}$, all | these for $k + 1 < P_j$, and $F$ with $\mathrm d x_j^{(P_j - 1)} / \mathrm d t$ for $x_j^{(P_j)}$ |
//!
//! with $m$ the differentiation index, or a bound on it. There are more differential equations than are independent:
//! which of them are used, and what replaces the others, is chosen during a run ([`dae_runtime::derivative_array`],
//! where the sources are). Every member of a family is a row of its own.

use dae_runtime::contract::Kind;

use super::{
    Completion, Form, FormEquation, FormError, FormInvariant, FormUnknown, Formulation, Source,
    classify::differential_states, selection::Material,
};
use crate::expr::{Dag, Expr, Notation, Rational, Symbol, derivatives, print_with, substitute, surfaces, symbols};
use crate::model::{Domain, Model, derivative_name};
use crate::system::{SystemEquation, written_orders};

/// The largest number of unknowns: the work of a step grows with its third power.
const MAX_UNKNOWNS: u32 = 400;
/// The number of sub-expressions that the derivatives of one equation may add.
const MAX_GROWTH: usize = 4_000;

/// Builds the form.
pub(super) fn formulate(model: &mut Model, material: &Material<'_>, form: &Form) -> Result<Formulation, FormError> {
    let refuse = |message: &str| FormError { form: form.clone(), message: message.into(), origin: model.origin };
    if model.is_excerpt() {
        return Err(refuse("every member of a family is a row of its own"));
    }
    let Some(index) = material.index else {
        return Err(refuse("no index is certified, so that it is not known how often to differentiate"));
    };
    let array_form = *form == Form::DerivativeArray;
    let differentiations = if array_form { index } else { index.saturating_sub(1) };
    let equations: Vec<(&SystemEquation, bool)> = material
        .candidates()
        .map(|candidate| (&material.text.equations[candidate.equation.text], candidate.equation.is_text()))
        .collect();
    let layout = Layout::of(model, differentiations);
    if layout.unknowns_in_all() > MAX_UNKNOWNS {
        return Err(refuse(&format!(
            "the derivative array has {} unknowns, which is too many for its dense matrices",
            layout.unknowns_in_all()
        )));
    }
    layout.declare(&mut model.dag);
    let mut rows = Vec::new();
    for &(equation, is_working) in &equations {
        if let Some(message) = jump(model, equation, differentiations) {
            return Err(FormError { form: form.clone(), message, origin: equation.origin });
        }
        let limit = model.dag.len() + MAX_GROWTH;
        let list = derivatives(&mut model.dag, equation.residual, differentiations);
        if model.dag.len() > limit {
            let name = equation.provenance.name();
            let message = format!("{name} has to be differentiated {differentiations} times, and that is too long");
            return Err(FormError { form: form.clone(), message, origin: equation.origin });
        }
        for (order, &derivative) in list.iter().enumerate() {
            let residual = layout.express(&mut model.dag, derivative, Layout::jet);
            let name = derivative_name(&equation.provenance.name(), order as u32);
            let prolonged = is_working.then_some((equation.text, order as u32));
            rows.push(row(equation, name, residual, prolonged));
        }
    }
    let array_rows = rows.len();
    for (j, &rate) in layout.rates.iter().enumerate() {
        let chained = if array_form { rate } else { rate - 1 };
        rows.extend((0..chained).map(|order| layout.definition(model, j, order)));
    }
    if !array_form {
        for &(equation, _) in &equations {
            let residual = layout.express(&mut model.dag, equation.residual, Layout::discretised);
            rows.push(row(equation, format!("{}, discretised", equation.provenance.name()), residual, None));
        }
    }
    let unknowns = layout.unknowns(model, array_form);
    // A row with auxiliary unknowns, which the model does not determine, is no constraint on the solution.
    let is_determined = |symbol: &Symbol| match symbol {
        Symbol::State(place) => !unknowns[*place as usize].kind.is_auxiliary(),
        _ => true,
    };
    let constraints = rows[..array_rows].iter().enumerate();
    let constraints = constraints.filter(|(_, row)| symbols(&model.dag, [row.residual]).iter().all(is_determined));
    let invariant = |(row, equation): (usize, &FormEquation)| FormInvariant {
        name: equation.name.clone(),
        value: equation.residual,
        row: Some(row),
        prolonged: equation.prolonged,
        domain: Domain::scalar(),
    };
    let mut formulation = Formulation {
        form: form.clone(),
        invariants: constraints.map(invariant).collect(),
        unknowns,
        equations: rows,
        first_integrals: Vec::new(),
        eliminated: Vec::new(),
        completion: Some(Completion::DerivativeArray { rows: array_rows }),
        hamiltonian: Err(super::NOT_SOLVED.into()),
    };
    for state in differential_states(&model.dag, &formulation) {
        formulation.unknowns[state].kind = Kind::Differential;
    }
    Ok(formulation)
}

/// A message if a derivative in the array would jump as unknowns change: the array on one side of a jump says nothing
/// about the other side. Jumps in time are harmless, because steps end there.
fn jump(model: &mut Model, equation: &SystemEquation, differentiations: u32) -> Option<String> {
    if differentiations == 0 {
        return None;
    }
    let crossed = |dag: &Dag, f: Expr| symbols(dag, [f]).iter().any(|s| matches!(s, Symbol::Unknown { .. }));
    let found = surfaces(&mut model.dag, &[equation.residual]).into_iter().find(|surface| {
        crossed(&model.dag, surface.function)
            && surface.first_jump(&mut model.dag, equation.residual, differentiations).is_some()
    })?;
    let names = model.definition_names().into_iter().collect();
    let function = print_with(&model.dag, found.function, Notation::Text, &names, |s| model.symbol_name(s));
    let name = equation.provenance.name();
    Some(format!("{name} is not smooth where {function} = 0, and would have to be differentiated"))
}

fn row(equation: &SystemEquation, name: String, residual: Expr, prolonged: Option<(usize, u32)>) -> FormEquation {
    FormEquation { name, residual, prolonged, origin: equation.origin, domain: Domain::scalar() }
}

/// The order of the unknowns: states first, then the higher derivatives.
struct Layout {
    /// $P_j$.
    rates: Vec<u32>,
    /// The place of $x_j$.
    first_state: Vec<u32>,
    /// The place of $x_j^{(P_j)}$.
    first_derivative: Vec<u32>,
    differentiations: u32,
}

impl Layout {
    fn of(model: &Model, differentiations: u32) -> Layout {
        let rates: Vec<u32> = written_orders(model).into_iter().map(|order| order.max(1)).collect();
        let states: u32 = rates.iter().sum();
        let before = |counts: &mut dyn Iterator<Item = u32>, start: u32| {
            let starts = counts.scan(start, |next, count| Some(std::mem::replace(next, *next + count)));
            starts.collect::<Vec<u32>>()
        };
        Layout {
            first_state: before(&mut rates.iter().copied(), 0),
            first_derivative: before(&mut rates.iter().map(|_| differentiations + 1), states),
            rates,
            differentiations,
        }
    }

    /// The number of unknowns.
    fn unknowns_in_all(&self) -> u32 {
        self.rates.iter().map(|rate| rate + self.differentiations + 1).sum()
    }

    /// The place of $x_j^{(k)}$ among the unknowns.
    fn place(&self, unknown: usize, order: u32) -> u32 {
        match order.checked_sub(self.rates[unknown]) {
            None => self.first_state[unknown] + order,
            Some(higher) => self.first_derivative[unknown] + higher,
        }
    }

    /// $x_j^{(k)}$ as an unknown.
    fn jet(&self, unknown: usize, order: u32) -> Symbol {
        Symbol::State(self.place(unknown, order))
    }

    /// $x_j^{(k)}$ as an unknown, except that $x_j^{(P_j)}$ is the derivative of a state.
    fn discretised(&self, unknown: usize, order: u32) -> Symbol {
        match order == self.rates[unknown] {
            true => Symbol::StateDerivative(self.place(unknown, order - 1)),
            false => self.jet(unknown, order),
        }
    }

    fn express(&self, dag: &mut Dag, value: Expr, placed: fn(&Layout, usize, u32) -> Symbol) -> Expr {
        substitute(dag, &[value], |dag, symbol| match symbol {
            Symbol::Unknown { unknown, order } => Some(dag.symbol(placed(self, unknown.index(), order))),
            _ => None,
        })[0]
    }

    /// $\dot x_j^{(k)} = x_j^{(k+1)}$.
    fn definition(&self, model: &mut Model, unknown: usize, order: u32) -> FormEquation {
        let dag = &mut model.dag;
        let rate = dag.symbol(Symbol::StateDerivative(self.place(unknown, order)));
        let next = dag.symbol(self.jet(unknown, order + 1));
        let residual = dag.sum([(Rational::ONE, rate), (Rational::MINUS_ONE, next)]);
        let unknown = &model.unknowns[unknown];
        let name = format!("definition of {}", derivative_name(&unknown.name, order + 1));
        FormEquation { name, residual, prolonged: None, origin: unknown.origin, domain: Domain::scalar() }
    }

    /// Creates the symbols in their order, which will be the order of the operands of sums and products.
    fn declare(&self, dag: &mut Dag) {
        let states: u32 = self.rates.iter().sum();
        for state in 0..self.unknowns_in_all() {
            dag.symbol(Symbol::State(state));
        }
        for state in 0..states {
            dag.symbol(Symbol::StateDerivative(state));
        }
    }

    /// States have their usual names, as have the $x_j^{(P_j)}$ if the array determines them. An unknown that it does
    /// not determine need not equal the derivative that it stands for, and has another name: `w(x, k)`.
    fn unknowns(&self, model: &Model, first_are_determined: bool) -> Vec<FormUnknown> {
        let unknown = |j: usize, order: u32| {
            let (of, rate) = (&model.unknowns[j], self.rates[j]);
            let (name, kind) = match order {
                _ if order < rate + u32::from(first_are_determined) => {
                    (derivative_name(&of.name, order), Kind::Algebraic)
                }
                _ => (format!("w({}, {order})", of.name), Kind::Auxiliary { order }),
            };
            FormUnknown {
                rate: derivative_name(&name, 1),
                name,
                source: Source::Jet { unknown: j, order },
                kind,
                index: 1,
                nominal: of.nominal,
                is_discrete: of.is_discrete && order == 0,
                domain: Domain::scalar(),
            }
        };
        let rates = || self.rates.iter().enumerate();
        let states = rates().flat_map(|(j, &rate)| (0..rate).map(move |order| (j, order)));
        let higher = rates().flat_map(|(j, &rate)| (rate..=rate + self.differentiations).map(move |order| (j, order)));
        states.chain(higher).map(|(j, order)| unknown(j, order)).collect()
    }
}

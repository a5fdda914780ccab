//! From differentiated constraints to a formulation.
//!
//! In: the model, its working system, and which form. Out: unknowns, rows and invariants over states.

use dae_runtime::contract::{Kind, Stand};

use super::classify::classify;
use super::levels::index1_levels;
use super::{Form, FormEliminated, FormEquation, FormError, FormInvariant, FormUnknown, Formulation, Source, ggl};
use crate::alias::{self, Eliminated};
use crate::expr::{Dag, Expr, Rational, Symbol, substitute, symbols};
use crate::model::{Domain, Model, derivative_name};
use crate::origin::Origin;
use crate::reduce::Reduced;
use crate::structure::Structure;
use crate::system::{System, highest_orders};

/// A row or constraint in jets, before states are chosen.
struct Row {
    name: String,
    value: Expr,
    origin: Origin,
    domain: Domain,
}

/// The rows of a form, and constraints beside them.
struct Selection {
    /// One per equation of the system.
    rows: Vec<Row>,
    /// Which rows are constraints on lower derivatives, hence must be free of $y'$.
    constraints: Vec<usize>,
    /// Lower constraints that become rows with a multiplier each.
    appended: Vec<Row>,
    /// Lower constraints that the form only implies.
    implied: Vec<Row>,
}

/// Builds a formulation.
pub fn formulate(
    model: &mut Model,
    system: &System,
    structure: &Structure,
    reduced: &Reduced,
    eliminated: &[Eliminated],
    form: Form,
) -> Result<Formulation, FormError> {
    let text = System::of_text(model);
    let selection = select(&text, system, structure, reduced, eliminated, form);
    let lifted = |row: &Row| highest_orders(&model.dag, row.value);
    let mut states = vec![1; model.unknowns.len()];
    for row in &selection.rows {
        for (j, order) in lifted(row) {
            states[j] = states[j].max(order);
        }
    }
    let appended = selection.appended.iter();
    let implied = selection.implied.iter().filter(|_| form != Form::Original);
    let constraints = selection.constraints.iter().map(|&i| &selection.rows[i]);
    for row in constraints.chain(appended).chain(implied) {
        for (j, order) in lifted(row) {
            states[j] = states[j].max(order + 1);
        }
    }
    eliminated.iter().for_each(|it| states[it.unknown] = 0);
    let layout = Layout::new(&states);
    layout.declare(&mut model.dag);
    let mut formulation = Formulation {
        form,
        unknowns: layout.unknowns(model),
        equations: layout.rows(&mut model.dag, &selection.rows, form)?,
        invariants: Vec::new(),
        eliminated: layout.eliminated(model, eliminated),
    };
    formulation.equations.extend(layout.order_reduction(model));
    let appended = layout.rows(&mut model.dag, &selection.appended, form)?;
    ggl::stabilise(&mut model.dag, &mut formulation, appended)?;
    classify(&model.dag, &mut formulation);
    formulation.invariants = invariants(model, &layout, &selection, &formulation);
    Ok(formulation)
}

fn select(
    text: &System,
    system: &System,
    structure: &Structure,
    reduced: &Reduced,
    eliminated: &[Eliminated],
    form: Form,
) -> Selection {
    let mut gives = vec![false; system.equations.len()];
    eliminated.iter().for_each(|it| gives[it.equation] = true);
    let index1 = index1_levels(structure);
    let mut selection =
        Selection { rows: Vec::new(), constraints: Vec::new(), appended: Vec::new(), implied: Vec::new() };
    for (i, equation) in system.equations.iter().enumerate().filter(|&(i, _)| !gives[i]) {
        let name = equation.provenance.name();
        let derivatives = &reduced.derivatives[i];
        let row = |order: u32| Row {
            name: derivative_name(&name, order),
            value: derivatives[order as usize],
            origin: equation.origin,
            domain: equation.domain.clone(),
        };
        let c = derivatives.len() as u32 - 1;
        if form == Form::Original {
            let written = &text.equations[equation.text];
            let name = written.provenance.name();
            let (origin, domain) = (written.origin, written.domain.clone());
            selection.rows.push(Row { name, value: written.residual, origin, domain });
            // A combination is itself a constraint that the text does not state.
            let first = u32::from(equation.is_text());
            selection.implied.extend((first..c).map(row));
            continue;
        }
        let level = if form == Form::Index1 { index1[i] } else { index1[i].saturating_sub(1) }.min(c);
        if level < c {
            selection.constraints.push(selection.rows.len());
        }
        selection.rows.push(row(level));
        let lower = if form == Form::Ggl { &mut selection.appended } else { &mut selection.implied };
        lower.extend((0..level).map(row));
    }
    selection
}

/// Which jets are states: $x_j, \dots, x_j^{(n_j - 1)}$ stand from `first[j]` on.
struct Layout {
    first: Vec<usize>,
    count: Vec<u32>,
}

impl Layout {
    fn new(count: &[u32]) -> Self {
        let starts = count.iter().scan(0, |next, &n| {
            let start = *next;
            *next += n as usize;
            Some(start)
        });
        Layout { first: starts.collect(), count: count.to_vec() }
    }

    /// Makes the symbols in their order, which is the order in which sums and products will list them.
    fn declare(&self, dag: &mut Dag) {
        let states = self.count.iter().sum::<u32>();
        for state in 0..states {
            dag.symbol(Symbol::State(state));
        }
        for state in 0..states {
            dag.symbol(Symbol::StateDerivative(state));
        }
    }

    fn unknowns(&self, model: &Model) -> Vec<FormUnknown> {
        let families = model.unknowns.iter().zip(&self.count).enumerate();
        families
            .flat_map(|(j, (unknown, &n))| {
                (0..n).map(move |order| FormUnknown {
                    name: derivative_name(&unknown.name, order),
                    rate: derivative_name(&unknown.name, order + 1),
                    source: Source::Jet { unknown: j, order },
                    kind: Kind::Algebraic,
                    index: 1,
                    nominal: unknown.nominal,
                    domain: unknown.domain.clone(),
                })
            })
            .collect()
    }

    /// What the eliminated unknowns are, and those of their derivatives that are states of the others.
    fn eliminated(&self, model: &mut Model, eliminated: &[Eliminated]) -> Vec<FormEliminated> {
        let mut list = Vec::new();
        for it in eliminated {
            let count = match &it.stand {
                alias::Stand::Unknown { unknown, .. } => self.count[*unknown],
                alias::Stand::Steady(_) => 1,
            };
            for order in 0..count {
                let value = it.stand.jet(&mut model.dag, order);
                let Some(value) = self.express(&mut model.dag, value) else { continue };
                let stand = match &it.stand {
                    alias::Stand::Unknown { unknown, factor } => {
                        let state = self.first[*unknown] + order as usize;
                        if factor.is_negative() { Stand::Opposite(state) } else { Stand::Same(state) }
                    }
                    alias::Stand::Steady(_) => Stand::Steady,
                };
                let name = derivative_name(&model.unknowns[it.unknown].name, order);
                list.push(FormEliminated { name, jet: (it.unknown, order), value, stand });
            }
        }
        list
    }

    /// The place of $x_j^{(k)}$ in $(y, y')$.
    fn place(&self, unknown: usize, order: u32) -> Option<Symbol> {
        let (first, n) = (self.first[unknown], self.count[unknown]);
        match order {
            _ if order < n => Some(Symbol::State((first + order as usize) as u32)),
            _ if order == n => Some(Symbol::StateDerivative((first + n as usize - 1) as u32)),
            _ => None,
        }
    }

    /// The expression over states, or `None` if it contains a jet beyond $y'$.
    fn express(&self, dag: &mut Dag, value: Expr) -> Option<Expr> {
        let placed = |(j, order): &(usize, u32)| self.place(*j, *order).is_some();
        highest_orders(dag, value).iter().all(placed).then(|| {
            substitute(dag, &[value], |dag, symbol| match symbol {
                Symbol::Unknown { unknown, order } => {
                    self.place(unknown.index(), order).map(|symbol| dag.symbol(symbol))
                }
                _ => None,
            })[0]
        })
    }

    fn rows(&self, dag: &mut Dag, rows: &[Row], form: Form) -> Result<Vec<FormEquation>, FormError> {
        let express = |row: &Row| match self.express(dag, row.value) {
            Some(residual) => {
                Ok(FormEquation { name: row.name.clone(), residual, origin: row.origin, domain: row.domain.clone() })
            }
            None => Err(FormError {
                form,
                message: format!("{} contains a derivative beyond those of the states", row.name),
                origin: row.origin,
            }),
        };
        rows.iter().map(express).collect()
    }

    /// $\mathrm d x^{(k)} / \mathrm d t = x^{(k+1)}$ between states of the same unknown.
    fn order_reduction(&self, model: &mut Model) -> Vec<FormEquation> {
        let mut rows = Vec::new();
        for (j, &n) in self.count.iter().enumerate() {
            for order in 0..n.saturating_sub(1) {
                let state = self.first[j] as u32 + order;
                let dag = &mut model.dag;
                let (rate, next) = (dag.symbol(Symbol::StateDerivative(state)), dag.symbol(Symbol::State(state + 1)));
                let residual = dag.sum([(Rational::ONE, rate), (Rational::MINUS_ONE, next)]);
                let unknown = &model.unknowns[j];
                let name = format!("definition of {}", derivative_name(&unknown.name, order + 1));
                rows.push(FormEquation { name, residual, origin: unknown.origin, domain: unknown.domain.clone() });
            }
        }
        rows
    }
}

/// Rows without $y'$ are enforced constraints; lower ones that states can express are implied.
fn invariants(
    model: &mut Model,
    layout: &Layout,
    selection: &Selection,
    formulation: &Formulation,
) -> Vec<FormInvariant> {
    let free_of_rates =
        |dag: &Dag, value| !symbols(dag, [value]).iter().any(|s| matches!(s, Symbol::StateDerivative(_)));
    let mut list = Vec::new();
    for (row, equation) in formulation.equations.iter().enumerate() {
        if free_of_rates(&model.dag, equation.residual) {
            let (name, domain) = (equation.name.clone(), equation.domain.clone());
            list.push(FormInvariant { name, value: equation.residual, row: Some(row), domain });
        }
    }
    for row in &selection.implied {
        if let Some(value) = layout.express(&mut model.dag, row.value).filter(|&v| free_of_rates(&model.dag, v)) {
            list.push(FormInvariant { name: row.name.clone(), value, row: None, domain: row.domain.clone() });
        }
    }
    list
}

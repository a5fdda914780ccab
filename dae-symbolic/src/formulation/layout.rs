//! The states of a formulation: which derivatives of which unknowns, and rows written in them.
//!
//! In: the model and the rows of a form. Out: a [`Layout`], with unknowns, rows and order reduction over states.

use dae_runtime::contract::{AliasOf, Kind};

use super::selection::{Material, Row, Selection};
use super::{Form, FormEliminated, FormEquation, FormError, FormUnknown, Source};
use crate::alias::{self, Eliminated};
use crate::expr::{Dag, Expr, Rational, Symbol, substitute_each};
use crate::model::{Model, derivative_name};
use crate::system::highest_orders;

/// Which jets are states: $x_j, \dots, x_j^{(n_j - 1)}$ start at `first[j]`.
pub(super) struct Layout {
    first: Vec<usize>,
    count: Vec<u32>,
}

impl Layout {
    /// The states in which rows and constraints can be written, the constraints without $y'$.
    pub(super) fn of(model: &Model, material: &Material<'_>, selection: &Selection) -> Self {
        let orders = |rows: &mut dyn Iterator<Item = &Row>| highest_orders(&model.dag, rows.map(|row| row.value));
        let mut states = vec![1; model.unknowns.len()];
        for (j, order) in orders(&mut selection.rows.iter()) {
            states[j] = states[j].max(order);
        }
        let implied = selection.implied.iter().filter(|_| !selection.states_of_rows);
        let constraints = selection.constraints.iter().map(|&i| &selection.rows[i]);
        for (j, order) in orders(&mut constraints.chain(&selection.enforced).chain(implied)) {
            states[j] = states[j].max(order + 1);
        }
        material.eliminated.iter().for_each(|it| states[it.unknown] = 0);
        Layout::new(&states)
    }

    /// All jets of the rows and enforced constraints, and the derivatives of lower order.
    pub(super) fn of_jets(model: &Model, material: &Material<'_>, selection: &Selection) -> Self {
        let mut states = vec![1; model.unknowns.len()];
        let rows = selection.rows.iter().chain(&selection.enforced);
        for (j, order) in highest_orders(&model.dag, rows.map(|row| row.value)) {
            states[j] = states[j].max(order + 1);
        }
        material.eliminated.iter().for_each(|it| states[it.unknown] = 0);
        Layout::new(&states)
    }

    /// $(j, k)$ of the states $x_j^{(k)}$ in their order.
    pub(super) fn jets(&self) -> Vec<(usize, u32)> {
        let families = self.count.iter().enumerate();
        families.flat_map(|(j, &n)| (0..n).map(move |order| (j, order))).collect()
    }

    /// The state that is $x_j^{(k)}$.
    pub(super) fn state(&self, unknown: usize, order: u32) -> Option<u32> {
        (order < self.count[unknown]).then(|| self.first[unknown] as u32 + order)
    }

    /// The name of a state.
    pub(super) fn name(&self, model: &Model, state: u32) -> String {
        let (unknown, order) = self.jets()[state as usize];
        derivative_name(&model.unknowns[unknown].name, order)
    }

    fn new(count: &[u32]) -> Self {
        let starts = count.iter().scan(0, |next, &n| {
            let start = *next;
            *next += n as usize;
            Some(start)
        });
        Layout { first: starts.collect(), count: count.to_vec() }
    }

    /// Creates the symbols in their order, which will be the order of the operands of sums and products.
    pub(super) fn declare(&self, dag: &mut Dag) {
        let states = self.count.iter().sum::<u32>();
        for state in 0..states {
            dag.symbol(Symbol::State(state));
        }
        for state in 0..states {
            dag.symbol(Symbol::StateDerivative(state));
        }
    }

    pub(super) fn unknowns(&self, model: &Model) -> Vec<FormUnknown> {
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
                    is_discrete: unknown.is_discrete && order == 0,
                    domain: unknown.domain.clone(),
                })
            })
            .collect()
    }

    /// The values of the eliminated unknowns and of their derivatives, as far as states express them.
    pub(super) fn eliminated(&self, model: &mut Model, eliminated: &[Eliminated]) -> Vec<FormEliminated> {
        let mut list = Vec::new();
        for it in eliminated {
            let count = match &it.alias_of {
                alias::AliasOf::Unknown { unknown, .. } => self.count[*unknown],
                alias::AliasOf::Constant(_) => 1,
            };
            for order in 0..count {
                let value = it.alias_of.jet(&mut model.dag, order);
                let Some(value) = self.express(&mut model.dag, value) else { continue };
                let alias_of = match &it.alias_of {
                    alias::AliasOf::Unknown { unknown, factor } => {
                        let state = self.first[*unknown] + order as usize;
                        if factor.is_negative() { AliasOf::Opposite(state) } else { AliasOf::Same(state) }
                    }
                    alias::AliasOf::Constant(_) => AliasOf::Constant,
                };
                let name = derivative_name(&model.unknowns[it.unknown].name, order);
                list.push(FormEliminated { name, jet: (it.unknown, order), value, alias_of });
            }
        }
        list
    }

    /// The place of $x_j^{(k)}$ in $(y, y')$; `None` if its order is higher.
    pub(super) fn place(&self, unknown: usize, order: u32) -> Option<Symbol> {
        let (first, n) = (self.first[unknown], self.count[unknown]);
        match order {
            _ if order < n => Some(Symbol::State((first + order as usize) as u32)),
            _ if order == n => Some(Symbol::StateDerivative((first + n as usize - 1) as u32)),
            _ => None,
        }
    }

    /// The expression over states, or `None` if it contains a jet beyond $y'$.
    pub(super) fn express(&self, dag: &mut Dag, value: Expr) -> Option<Expr> {
        self.is_expressible(dag, [value]).then(|| self.in_states(dag, &[value])[0])
    }

    /// Whether no expression contains a jet beyond $y'$.
    pub(super) fn is_expressible(&self, dag: &Dag, values: impl IntoIterator<Item = Expr>) -> bool {
        highest_orders(dag, values).iter().all(|&(j, order)| self.place(j, order).is_some())
    }

    /// The expressions with states in place of jets.
    pub(super) fn in_states(&self, dag: &mut Dag, values: &[Expr]) -> Vec<Expr> {
        substitute_each(dag, values, |dag, symbol| match symbol {
            Symbol::Unknown { unknown, order } => self.place(unknown.index(), order).map(|symbol| dag.symbol(symbol)),
            _ => None,
        })
    }

    pub(super) fn rows(&self, dag: &mut Dag, rows: &[Row], form: &Form) -> Result<Vec<FormEquation>, FormError> {
        let values: Vec<Expr> = rows.iter().map(|row| row.value).collect();
        if !self.is_expressible(dag, values.iter().copied())
            && let Some(row) = rows.iter().find(|row| !self.is_expressible(dag, [row.value]))
        {
            return Err(self.not_expressed(row, form));
        }
        let residuals = self.in_states(dag, &values);
        let equation = |(row, residual): (&Row, Expr)| FormEquation {
            name: row.name.clone(),
            residual,
            prolonged: row.prolonged,
            origin: row.origin,
            domain: row.domain.clone(),
        };
        Ok(rows.iter().zip(residuals).map(equation).collect())
    }

    pub(super) fn not_expressed(&self, row: &Row, form: &Form) -> FormError {
        let message = format!("{} contains a derivative beyond those of the states", row.name);
        FormError { form: form.clone(), message, origin: row.origin }
    }

    /// $\mathrm d x^{(k)} / \mathrm d t = x^{(k+1)}$ between states of the same unknown.
    pub(super) fn order_reduction(&self, model: &mut Model) -> Vec<FormEquation> {
        let mut rows = Vec::new();
        for (j, &n) in self.count.iter().enumerate() {
            for order in 0..n.saturating_sub(1) {
                let state = self.first[j] as u32 + order;
                let dag = &mut model.dag;
                let (rate, next) = (dag.symbol(Symbol::StateDerivative(state)), dag.symbol(Symbol::State(state + 1)));
                let residual = dag.sum([(Rational::ONE, rate), (Rational::MINUS_ONE, next)]);
                let unknown = &model.unknowns[j];
                let name = format!("definition of {}", derivative_name(&unknown.name, order + 1));
                let (origin, domain) = (unknown.origin, unknown.domain.clone());
                rows.push(FormEquation { name, residual, prolonged: None, origin, domain });
            }
        }
        rows
    }
}

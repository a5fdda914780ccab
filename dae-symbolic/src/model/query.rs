//! Questions that later stages ask of a model.
//!
//! In: a model. Out: start values by order, named sub-expressions, functions from outside the model, and expressions
//! with inputs replaced by their definitions, or parameters by their defaults.

use super::{Derivation, Domain, Input, Model, Start, StartValue, Unknown};
use crate::expr::{
    Dag, Expr, External, ExternalSource, Node, Symbol, UnknownId, reachable, substitute, total_derivative,
};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Unknown {
    /// The start value of the derivative of the given order, if the model gives one.
    pub fn start_value(&self, order: u32) -> Option<&StartValue> {
        if order == 0 {
            return self.start.as_ref();
        }
        self.derivative_starts.iter().find(|(k, _)| *k == order).map(|(_, start)| start)
    }
}

impl Model {
    /// Whether there are arrays of unknowns or parameters, or families of equations.
    pub fn has_families(&self) -> bool {
        let unknowns = self.unknowns.iter().map(|u| &u.domain);
        let equations = self.equations.iter().map(|e| &e.domain);
        let parameters = self.parameters.iter().map(|p| &p.domain);
        unknowns.chain(equations).chain(parameters).any(Domain::is_family)
    }

    /// Gives an unknown a fixed integer as its start value.
    pub(crate) fn fix_start(&mut self, unknown: UnknownId, value: i64) {
        let value = self.dag.integer(value);
        if let Some(it) = self.unknowns.get_mut(unknown.index()) {
            it.start = Some(StartValue { value, kind: Start::Fixed, origin: it.origin });
        }
    }

    /// Whether the text has boundary conditions, or a description from which they follow.
    pub fn has_boundary(&self) -> bool {
        let is_control = |derivation: &Derivation| matches!(derivation, Derivation::OptimalControl(_));
        self.boundary.is_some() || self.derivations.iter().any(is_control)
    }

    /// Whether members of arrays of unknowns or of families of equations are left out.
    pub fn is_excerpt(&self) -> bool {
        let has_gaps = |domain: &Domain| {
            domain.member.as_ref().is_some_and(|member| member.gaps.iter().any(|gap| !gap.is_empty()))
        };
        self.unknowns.iter().any(|u| has_gaps(&u.domain)) || self.equations.iter().any(|e| has_gaps(&e.domain))
    }

    /// The named sub-expressions that are more than a symbol or a constant, each with its name.
    pub fn definition_names(&self) -> Vec<(Expr, String)> {
        let is_bare =
            |value| matches!(self.dag.node(value), Node::Symbol(_) | Node::Constant(_) | Node::Pi | Node::Euler);
        self.definitions.iter().filter(|d| !is_bare(d.value)).map(|d| (d.value, d.name.clone())).collect()
    }

    /// The expressions with every parameter replaced by its default.
    pub fn with_default_parameters(&mut self, roots: &[Expr]) -> Vec<Expr> {
        let mut defaults: Vec<Expr> = Vec::with_capacity(self.parameters.len());
        for k in 0..self.parameters.len() {
            let default = self.parameters[k].default;
            defaults.extend(substitute(&mut self.dag, &[default], |_, symbol| earlier(&defaults, symbol)));
        }
        substitute(&mut self.dag, roots, |_, symbol| earlier(&defaults, symbol))
    }

    /// The inputs that the caller supplies: position among the inputs, and name.
    pub fn supplied_inputs(&self) -> Vec<(usize, String)> {
        let inputs = self.inputs.iter().enumerate();
        inputs
            .filter(|(_, input)| self.is_supplied(input.definition))
            .map(|(k, input)| (k, input.name.clone()))
            .collect()
    }

    pub(crate) fn is_supplied(&self, definition: Expr) -> bool {
        match self.dag.node(definition) {
            Node::Call(call, _) => matches!(call.function.source, ExternalSource::Input),
            _ => false,
        }
    }

    /// The functions that equations, definitions and inputs of the model call and that it does not define by an
    /// expression, in the order of their names.
    pub fn externals(&self) -> Vec<Arc<External>> {
        let equations = self.equations.iter().chain(&self.initial_equations).map(|e| e.residual);
        let definitions = self.definitions.iter().map(|d| d.value);
        let roots = equations.chain(definitions).chain(self.inputs.iter().map(|i| i.definition));
        let mut found: BTreeMap<String, Arc<External>> = BTreeMap::new();
        for expr in reachable(&self.dag, roots) {
            if let Node::Call(call, _) = self.dag.node(expr) {
                found.entry(call.function.name.clone()).or_insert_with(|| call.function.clone());
            }
        }
        found.into_values().collect()
    }

    /// The names of the functions and inputs that have no values while the model is analysed; for each of them a
    /// function in general position stands in.
    pub fn stand_ins(&self) -> Vec<String> {
        let unknown = |f: &Arc<External>| matches!(f.source, ExternalSource::Code(_) | ExternalSource::Input);
        self.externals().into_iter().filter(unknown).map(|external| external.name.clone()).collect()
    }

    /// Whether any function or input has no values while the model is analysed.
    pub fn has_stand_ins(&self) -> bool {
        !self.stand_ins().is_empty()
    }

    /// The expressions with every input, and every derivative of one, replaced by its definition.
    pub fn expand_inputs(&mut self, roots: &[Expr]) -> Vec<Expr> {
        expand_inputs(&mut self.dag, &self.inputs, roots)
    }
}

/// The default of a parameter, if it is among those given.
fn earlier(defaults: &[Expr], symbol: Symbol) -> Option<Expr> {
    match symbol {
        Symbol::Parameter(p) => defaults.get(p.index()).copied(),
        Symbol::Time
        | Symbol::Input { .. }
        | Symbol::Unknown { .. }
        | Symbol::State(_)
        | Symbol::StateDerivative(_) => None,
    }
}

/// The expressions with inputs and their derivatives replaced by the definitions and their derivatives.
pub fn expand_inputs(dag: &mut Dag, inputs: &[Input], roots: &[Expr]) -> Vec<Expr> {
    if inputs.is_empty() {
        return roots.to_vec();
    }
    let mut derivatives: Vec<Vec<Expr>> = inputs.iter().map(|input| vec![input.definition]).collect();
    substitute(dag, roots, |dag, symbol| {
        let Symbol::Input { input, order } = symbol else { return None };
        let list = derivatives.get_mut(input.index())?;
        while list.len() <= order as usize {
            let next = total_derivative(dag, list[list.len() - 1]);
            list.push(next);
        }
        list.get(order as usize).copied()
    })
}

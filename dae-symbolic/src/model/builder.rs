//! Models without text.
//!
//! In: names and expressions, built in the builder's own [`Dag`]. Out: a verified [`Model`], or what is wrong with it.

use super::{
    DeclaredInvariant, Definition, Domain, Equation, Events, Input, Model, Parameter, Start, StartValue, Unknown, Work,
    incidence, numbered_equation, verify,
};
use crate::diagnostic::Diagnostics;
use crate::expr::{Dag, Expr, InputId, ParameterId, Symbol, UnknownId};
use crate::form::Form;
use crate::origin::Origin;

/// Builds a model at run time.
///
/// ```
/// use dae_symbolic::expr::Rational;
/// use dae_symbolic::model::{ModelBuilder, Start};
///
/// // x' = -k x, x(0) = 1
/// let mut builder = ModelBuilder::new("Decay");
/// let one = builder.dag().integer(1);
/// let rate = builder.parameter("k", one);
/// let x = builder.unknown("x");
/// builder.start(x, 0, Start::Fixed, one);
/// let (rate, x, slope) = (builder.parameter_symbol(rate), builder.jet(x, 0), builder.jet(x, 1));
/// let right = builder.dag().product([(rate, 1), (x, 1)]);
/// let right = builder.dag().scale(Rational::MINUS_ONE, right);
/// builder.equation(slope, right);
/// let model = builder.finish()?;
/// assert_eq!(model.equations[0].incidence, [(dae_symbolic::expr::UnknownId(0), 1)]);
/// # Ok::<(), dae_symbolic::diagnostic::Diagnostics>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    model: Model,
}

impl ModelBuilder {
    /// A builder of a model without anything in it.
    pub fn new(name: impl Into<String>) -> Self {
        let model = Model {
            dag: Dag::new(),
            name: name.into(),
            origin: Origin::NONE,
            docs: Vec::new(),
            visibility: "pub".to_string(),
            parameters: Vec::new(),
            unknowns: Vec::new(),
            inputs: Vec::new(),
            definitions: Vec::new(),
            equations: Vec::new(),
            initial_equations: Vec::new(),
            derivations: Vec::new(),
            invariants: Vec::new(),
            boundary: None,
            events: Events::default(),
            forms: Form::DEFAULT.to_vec(),
            form_origins: Vec::new(),
            work: Work::default(),
        };
        ModelBuilder { model }
    }

    /// Where the expressions of the model are built.
    pub fn dag(&mut self) -> &mut Dag {
        &mut self.model.dag
    }

    /// Declares a parameter.
    pub fn parameter(&mut self, name: impl Into<String>, default: Expr) -> ParameterId {
        let domain = Domain::scalar();
        let parameter = Parameter { name: name.into(), docs: Vec::new(), default, domain, origin: Origin::NONE };
        self.model.parameters.push(parameter);
        ParameterId(self.model.parameters.len() as u32 - 1)
    }

    /// Declares an unknown without start value.
    pub fn unknown(&mut self, name: impl Into<String>) -> UnknownId {
        self.model.unknowns.push(Unknown {
            name: name.into(),
            docs: Vec::new(),
            domain: Domain::scalar(),
            start: None,
            derivative_starts: Vec::new(),
            nominal: 1.0,
            is_discrete: false,
            origin: Origin::NONE,
        });
        UnknownId(self.model.unknowns.len() as u32 - 1)
    }

    /// Declares an input, given as an expression of time and parameters.
    pub fn input(&mut self, name: impl Into<String>, definition: Expr) -> InputId {
        let input = Input { name: name.into(), docs: Vec::new(), definition, origin: Origin::NONE };
        self.model.inputs.push(input);
        InputId(self.model.inputs.len() as u32 - 1)
    }

    /// Gives (or replaces) the start value of $x^{(k)}$; [`Start::Free`] removes it. Ids of another builder are
    /// ignored.
    pub fn start(&mut self, unknown: UnknownId, order: u32, kind: Start, value: Expr) {
        let Some(unknown) = self.model.unknowns.get_mut(unknown.index()) else { return };
        let start = (kind != Start::Free).then_some(StartValue { value, kind, origin: Origin::NONE });
        if order == 0 {
            unknown.start = start;
            return;
        }
        unknown.derivative_starts.retain(|(given, _)| *given != order);
        unknown.derivative_starts.extend(start.map(|start| (order, start)));
        unknown.derivative_starts.sort_by_key(|(order, _)| *order);
    }

    /// Sets the typical magnitude of an unknown. Ids of another builder are ignored.
    pub fn nominal(&mut self, unknown: UnknownId, nominal: f64) {
        if let Some(unknown) = self.model.unknowns.get_mut(unknown.index()) {
            unknown.nominal = nominal;
        }
    }

    /// Names a sub-expression.
    pub fn definition(&mut self, name: impl Into<String>, value: Expr) {
        let (domain, origin) = (Domain::scalar(), Origin::NONE);
        self.model.definitions.push(Definition { name: name.into(), docs: Vec::new(), value, domain, origin });
    }

    /// Declares that a quantity does not change along solutions.
    pub fn invariant(&mut self, name: impl Into<String>, value: Expr) {
        let (docs, origin) = (Vec::new(), Origin::NONE);
        self.model.invariants.push(DeclaredInvariant { name: name.into(), docs, value, origin });
    }

    /// $x^{(k)}$ as an expression.
    pub fn jet(&mut self, unknown: UnknownId, order: u32) -> Expr {
        self.model.dag.symbol(Symbol::Unknown { unknown, order })
    }

    /// A parameter as an expression.
    pub fn parameter_symbol(&mut self, parameter: ParameterId) -> Expr {
        self.model.dag.symbol(Symbol::Parameter(parameter))
    }

    /// An input as an expression.
    pub fn input_symbol(&mut self, input: InputId) -> Expr {
        self.model.dag.symbol(Symbol::Input { input, order: 0 })
    }

    /// Adds the equation `left = right`.
    pub fn equation(&mut self, left: Expr, right: Expr) {
        let residual = residual(&mut self.model.dag, left, right);
        let incidence = incidence(&self.model.dag, [residual]);
        let (domain, name) = (Domain::scalar(), numbered_equation(self.model.equations.len()));
        let (docs, origin) = (Vec::new(), Origin::NONE);
        self.model.equations.push(Equation { name, docs, residual, incidence, domain, origin });
    }

    /// The model, if it is one.
    ///
    /// # Errors
    /// Everything [`verify()`] finds.
    pub fn finish(self) -> Result<Model, Diagnostics> {
        verify(&self.model)?;
        Ok(self.model)
    }
}

/// The residual of `left = right`; sums on either side are merged, not nested.
pub(crate) fn residual(dag: &mut Dag, left: Expr, right: Expr) -> Expr {
    use crate::expr::{Node, Rational};
    if dag.is_zero(left) {
        return right;
    }
    if dag.is_zero(right) {
        return left;
    }
    let mut all = Vec::new();
    for (sign, side) in [(Rational::ONE, left), (Rational::MINUS_ONE, right)] {
        let Node::Sum { constant, terms } = dag.node(side) else {
            all.push((sign, side));
            continue;
        };
        let (constant, terms) = (constant.clone(), terms.clone());
        all.extend(terms.iter().map(|(q, term)| (sign.mul(q), *term)));
        all.push((sign, dag.constant(constant)));
    }
    dag.sum(all)
}

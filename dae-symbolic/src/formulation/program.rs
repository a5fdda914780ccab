//! A formulation as programs.
//!
//! In: a formulation. Out: its [`Description`], which relates every state to the model, with residual, Jacobians and
//! invariants as programs. Code generation spells a [`FormProgram`], the interpreter runs it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use dae_runtime::contract::{
    Description, Eliminated, Equation, IntegralsDescription, Invariant, Kind, Leading, Name, Role, Switch, Unknown,
};

use super::blended::{BlendedProgram, Found, blended};
use super::{FormIntegral, FormUnknown, Formulation, Source};
use crate::defaults::parameter_places;
use crate::expr::{Dag, Expr, Notation, Surface, Symbol, differentiate, print_with, surfaces, symbols};
use crate::model::{Domain, Model, Numbering};
use crate::program::{Derivative, Load, Program, Rows, Unplaced};
use crate::prolongation::Prolonged;

/// A formulation as programs, with its description.
#[derive(Clone, Debug, PartialEq)]
pub struct FormProgram {
    /// The data that do not change from call to call.
    pub description: Description,
    /// $F$.
    pub residual: Program,
    /// $\partial F/\partial y$.
    pub jacobian_y: Program,
    /// $\partial F/\partial y'$.
    pub jacobian_yp: Program,
    /// $\partial F/\partial t$, one output per row.
    pub jacobian_t: Program,
    /// $\partial F/\partial p$.
    pub jacobian_p: Program,
    /// $\varphi$.
    pub invariants: Program,
    /// $\partial\varphi/\partial y$.
    pub invariants_jacobian: Program,
    /// Derivatives of the switching functions with respect to the parameters.
    pub switches_jacobian_p: Program,
    /// The switching functions, whose signs decide the branches of $F$.
    pub switches: Program,
    /// The switching functions that are watched during a run.
    pub watched: Program,
    /// The eliminated unknowns.
    pub eliminated: Program,
    /// The domain of each switch.
    pub switch_domains: Vec<Domain>,
    /// The declared first integrals, if there are any.
    pub first_integrals: Option<IntegralsProgram>,
    /// The equations between the sides of surfaces along which solutions may slide, if there are any.
    pub blended: Option<BlendedProgram>,
}

/// First integrals as programs.
#[derive(Clone, Debug, PartialEq)]
pub struct IntegralsProgram {
    /// Their names, and the pattern of their gradients.
    pub description: IntegralsDescription,
    /// $I$.
    pub values: Program,
    /// $\partial I/\partial y$.
    pub jacobian: Program,
    /// $\partial I/\partial t$.
    pub jacobian_t: Program,
}

impl IntegralsProgram {
    fn new(
        dag: &mut Dag,
        integrals: &[FormIntegral],
        states: usize,
        names: &[(Expr, String)],
        load: impl Fn(Symbol) -> Option<Load> + Copy,
    ) -> Result<Option<Self>, Unplaced> {
        if integrals.is_empty() {
            return Ok(None);
        }
        let roots: Vec<Expr> = integrals.iter().map(|it| it.value).collect();
        let domains = vec![Domain::scalar(); roots.len()];
        let gradient = Derivative::new(dag, &roots, &domains, states, names, state, load)?;
        let in_time: Vec<Expr> = roots.iter().map(|&value| differentiate(dag, value, Symbol::Time)).collect();
        Ok(Some(IntegralsProgram {
            description: IntegralsDescription {
                names: integrals.iter().map(|it| it.name.clone().into()).collect(),
                jacobian: gradient.pattern,
            },
            values: Program::new(dag, &roots, names, load)?,
            jacobian: gradient.program,
            jacobian_t: Program::new(dag, &in_time, names, load)?,
        }))
    }
}

impl FormProgram {
    /// Schedules a formulation; `leading_rank` is the generic rank of $\partial F/\partial y'$.
    pub fn new(
        model: &mut Model,
        formulation: &Formulation,
        prolonged: &Prolonged,
        leading_rank: usize,
    ) -> Result<FormProgram, Unplaced> {
        let (residuals, families): (Vec<Expr>, Vec<Domain>) =
            formulation.equations.iter().map(|e| (e.residual, e.domain.clone())).unzip();
        let (constraints, constraint_families): (Vec<Expr>, Vec<Domain>) =
            formulation.invariants.iter().map(|i| (i.value, i.domain.clone())).unzip();
        let eliminated: Vec<Expr> = formulation.eliminated.iter().map(|it| it.value).collect();
        let Switches { functions, surfaces, domains: switch_domains, names: switch_names } =
            switches(model, formulation, &residuals);
        let watched = functions.iter().zip(&switch_domains).zip(switch_names.iter()).filter(|(_, s)| s.is_watched());
        let (watched, watched_domains): (Vec<Expr>, Vec<Domain>) =
            watched.map(|((&function, domain), _)| (function, domain.clone())).unzip();
        let residuals = model.expand_inputs(&residuals);
        let constraints = model.expand_inputs(&constraints);
        let parameters: Vec<Name> = model.parameters.iter().map(|p| p.name.clone().into()).collect();
        let (n, m) = (formulation.unknowns.len(), parameters.len());
        let names = state_names(model, formulation);
        let state_places = Numbering::of(formulation.unknowns.iter().map(|u| &u.domain))?;
        let parameter_places = parameter_places(model)?;
        let found = Found { surfaces: &surfaces, switches: &switch_names, domains: &switch_domains };
        let blended = blended(model, formulation, prolonged, &found, &names, &parameter_places)?;
        let load = |symbol| match symbol {
            Symbol::Time => Some(Load::Time),
            Symbol::Parameter(p) => parameter_places.regular_place_of(p.index()).map(Load::Parameter),
            Symbol::State(i) => state_places.regular_place_of(i as usize).map(Load::Y),
            Symbol::StateDerivative(i) => state_places.regular_place_of(i as usize).map(Load::Yp),
            Symbol::Input { .. } | Symbol::Unknown { .. } => None,
        };
        let dag = &mut model.dag;
        let jacobian_y = Derivative::new(dag, &residuals, &families, n, &names, state, load)?;
        let jacobian_yp = Derivative::new(dag, &residuals, &families, n, &names, rate, load)?;
        let jacobian_p = Derivative::new(dag, &residuals, &families, m, &names, parameter, load)?;
        let invariants_jacobian = Derivative::new(dag, &constraints, &constraint_families, n, &names, state, load)?;
        let switches_jacobian_p = Derivative::new(dag, &functions, &switch_domains, m, &names, parameter, load)?;
        let in_time: Vec<Expr> = residuals.iter().map(|&f| differentiate(dag, f, Symbol::Time)).collect();
        let leading = leading(dag, &residuals);
        let is_affine = is_affine(dag, formulation, &residuals);
        let first_integrals = IntegralsProgram::new(dag, &formulation.first_integrals, n, &names, load)?;
        let values = |roots: &[Expr], domains: &[Domain]| {
            let row_starts: Vec<usize> = (0..=roots.len()).collect();
            let places = Numbering::of(domains)?;
            Program::with_families(dag, Rows { roots, row_starts: &row_starts, domains, places: &places }, &names, load)
        };
        Ok(FormProgram {
            residual: values(&residuals, &families)?,
            jacobian_t: values(&in_time, &families)?,
            invariants: values(&constraints, &constraint_families)?,
            switches: values(&functions, &switch_domains)?,
            watched: values(&watched, &watched_domains)?,
            eliminated: Program::new(dag, &eliminated, &names, load)?,
            description: Description {
                model: model.name.clone().into(),
                form: formulation.form.to_string().into(),
                unknowns: formulation.unknowns.iter().map(|unknown| described(unknown, prolonged)).collect(),
                equations: formulation
                    .equations
                    .iter()
                    .map(|e| Equation { name: e.name.clone().into(), prolonged: prolonged.equation(e.prolonged) })
                    .collect(),
                parameters: parameters.into(),
                invariants: formulation
                    .invariants
                    .iter()
                    .map(|i| Invariant {
                        name: i.name.clone().into(),
                        row: i.row,
                        prolonged: prolonged.equation(i.prolonged),
                    })
                    .collect(),
                switches: switch_names,
                eliminated: formulation
                    .eliminated
                    .iter()
                    .map(|it| Eliminated {
                        name: it.name.clone().into(),
                        jet: prolonged.jet(it.jet.0, it.jet.1),
                        alias_of: it.alias_of,
                    })
                    .collect(),
                hamiltonian: formulation.hamiltonian.clone().map_err(Name::from),
                leading,
                is_affine,
                leading_rank,
                jacobian_y: jacobian_y.pattern,
                jacobian_yp: jacobian_yp.pattern,
                jacobian_p: jacobian_p.pattern,
                invariants_jacobian: invariants_jacobian.pattern,
                switches_jacobian_p: switches_jacobian_p.pattern,
            },
            switch_domains,
            first_integrals,
            blended,
            jacobian_y: jacobian_y.program,
            jacobian_yp: jacobian_yp.program,
            jacobian_p: jacobian_p.program,
            invariants_jacobian: invariants_jacobian.program,
            switches_jacobian_p: switches_jacobian_p.program,
        })
    }
}

/// The functions whose signs decide the branches of the rows and of the inputs in them.
struct Switches {
    functions: Vec<Expr>,
    /// The surfaces of the rows themselves, whose functions come first.
    surfaces: Vec<Surface>,
    /// For each, the domain of the first member of a family in which it occurs; scalar if there is none.
    domains: Vec<Domain>,
    names: Cow<'static, [Switch]>,
}

fn switches(model: &mut Model, formulation: &Formulation, residuals: &[Expr]) -> Switches {
    let of_residuals = surfaces(&mut model.dag, residuals);
    let mut functions: Vec<Expr> = of_residuals.iter().map(|s| s.function).collect();
    let jumps = jumps(model, residuals);
    let mut rows: HashMap<Expr, &Domain> = HashMap::new();
    let members = formulation.equations.iter().filter(|e| e.domain.member.is_some() && !functions.is_empty());
    for equation in members {
        for surface in surfaces(&mut model.dag, &[equation.residual]) {
            rows.entry(surface.function).or_insert(&equation.domain);
        }
    }
    let mut domains: Vec<Domain> =
        functions.iter().map(|f| rows.get(f).map_or_else(Domain::scalar, |&domain| domain.clone())).collect();
    let (of_rows, expanded) = (model.expand_inputs(&functions), model.expand_inputs(residuals));
    let mut of_inputs: Vec<Expr> = surfaces(&mut model.dag, &expanded).into_iter().map(|s| s.function).collect();
    of_inputs.retain(|f| !of_rows.contains(f));
    domains.extend(of_inputs.iter().map(|_| Domain::scalar()));
    functions.extend(&of_inputs);
    let definitions = if functions.is_empty() { Vec::new() } else { state_names(model, formulation) };
    let definitions = definitions.into_iter().collect();
    let name = |symbol| formulation.symbol_name(model, symbol);
    let values: Vec<Expr> = of_rows.into_iter().chain(of_inputs).collect();
    let of_time = |f| symbols(&model.dag, [f]).iter().all(|s| matches!(s, Symbol::Time | Symbol::Parameter(_)));
    let described = functions.iter().zip(&values).map(|(&written, &value)| Switch {
        name: print_with(&model.dag, written, Notation::Text, &definitions, name).into(),
        of_time: of_time(value),
        jumps: jumps.contains(&written),
    });
    let names = described.collect();
    Switches { functions: values, surfaces: of_residuals, domains, names }
}

/// The switching functions of the rows themselves, not of their inputs, across whose zeros a row jumps.
fn jumps(model: &mut Model, residuals: &[Expr]) -> HashSet<Expr> {
    let mut found = HashSet::new();
    for &residual in residuals {
        for surface in surfaces(&mut model.dag, &[residual]) {
            if !found.contains(&surface.function) && surface.first_jump(&mut model.dag, residual, 0).is_some() {
                found.insert(surface.function);
            }
        }
    }
    found
}

fn described(unknown: &FormUnknown, prolonged: &Prolonged) -> Unknown {
    let role = match unknown.source {
        Source::Multiplier { row } => Role::Multiplier { row },
        Source::Defined { value, derivative } => Role::Defined { value, derivative },
        Source::Jet { unknown, order } => prolonged.jet(unknown, order).map_or(Role::HigherDerivative, Role::Jet),
    };
    let FormUnknown { name, kind, index, nominal, is_discrete, .. } = unknown;
    let is_discrete = *is_discrete;
    Unknown { name: name.clone().into(), role, kind: *kind, index: *index, nominal: *nominal, is_discrete }
}

/// The model's named sub-expressions, with unknowns written in the states of this formulation.
pub fn state_names(model: &mut Model, formulation: &Formulation) -> Vec<(Expr, String)> {
    let places: HashMap<Symbol, u32> = formulation
        .unknowns
        .iter()
        .enumerate()
        .filter_map(|(state, u)| match u.source {
            Source::Jet { unknown, order } => {
                let unknown = crate::expr::UnknownId(unknown as u32);
                Some((Symbol::Unknown { unknown, order }, state as u32))
            }
            Source::Multiplier { .. } | Source::Defined { .. } => None,
        })
        .collect();
    let (values, names): (Vec<Expr>, Vec<String>) = model.definition_names().into_iter().unzip();
    let eliminated: HashMap<Symbol, Expr> = formulation
        .eliminated
        .iter()
        .map(|it| (Symbol::Unknown { unknown: crate::expr::UnknownId(it.jet.0 as u32), order: it.jet.1 }, it.value))
        .collect();
    let values = crate::expr::substitute(&mut model.dag, &values, |dag, symbol| match places.get(&symbol) {
        Some(&state) => Some(dag.symbol(Symbol::State(state))),
        None => eliminated.get(&symbol).copied(),
    });
    values.into_iter().zip(names).collect()
}

fn state(symbol: Symbol) -> Option<usize> {
    match symbol {
        Symbol::State(i) => Some(i as usize),
        _ => None,
    }
}

fn rate(symbol: Symbol) -> Option<usize> {
    match symbol {
        Symbol::StateDerivative(i) => Some(i as usize),
        _ => None,
    }
}

fn parameter(symbol: Symbol) -> Option<usize> {
    match symbol {
        Symbol::Parameter(p) => Some(p.index()),
        _ => None,
    }
}

/// The way in which $y'$ enters, read off the entries of $\partial F/\partial y'$.
fn leading(dag: &mut Dag, residuals: &[Expr]) -> Leading {
    let entries: Vec<Expr> = Derivative::entries(dag, residuals, rate).into_iter().map(|(.., value)| value).collect();
    let symbols = symbols(dag, entries);
    if symbols.iter().any(|s| matches!(s, Symbol::StateDerivative(_))) {
        Leading::Nonlinear
    } else if symbols.iter().any(|s| !matches!(s, Symbol::Parameter(_))) {
        Leading::Quasilinear
    } else {
        Leading::Constant
    }
}

/// Whether derivatives of differential unknowns and all other unknowns enter linearly: no partial derivative by one of
/// them contains any.
fn is_affine(dag: &mut Dag, formulation: &Formulation, residuals: &[Expr]) -> bool {
    let is_differential = |k: usize| formulation.unknowns.get(k).is_some_and(|it| it.kind == Kind::Differential);
    let is_determined = |symbol| match symbol {
        Symbol::State(k) => !is_differential(k as usize),
        Symbol::StateDerivative(_) => true,
        _ => false,
    };
    let others = |symbol| state(symbol).filter(|_| is_determined(symbol));
    let mut entries = Derivative::entries(dag, residuals, rate);
    entries.extend(Derivative::entries(dag, residuals, others));
    let symbols = symbols(dag, entries.into_iter().map(|(.., value)| value));
    !symbols.into_iter().any(is_determined)
}

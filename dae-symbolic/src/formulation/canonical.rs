//! The underlying equation of a model with a `hamiltonian` block.
//!
//! In: the form `underlying`, and what the equations of the block were derived from. Out: its
//! [`HamiltonianStructure`]; or why it has none.
//!
//! Nothing has to be proved here: the equations $q' = H_p$, $p' = -H_q - G^\top \lambda$ were derived from a Hamiltonian
//! $H(p, q)$ and constraints $g(q)$. It suffices that the form contains them unchanged, that there are no forces, and that
//! $H$ and $g$ contain nothing else that changes.

use dae_runtime::contract::{HamiltonianStructure, Kind};

use super::{Formulation, Source};
use crate::expr::{Dag, Expr, Symbol, UnknownId, substitute, symbols};
use crate::model::{Canonical, Derivation, Model};

/// Why a formulation is not that of a Hamiltonian system.
type Reason = String;

/// The structure that follows from the `hamiltonian` blocks of a model. `otherwise` is the reason for one without such a
/// block.
pub(super) fn structure(
    model: &mut Model,
    form: &Formulation,
    otherwise: Reason,
) -> Result<HamiltonianStructure, Reason> {
    let blocks: Vec<Canonical> = model
        .derivations
        .iter()
        .filter_map(|derivation| match derivation {
            Derivation::Canonical(block) => Some(block.clone()),
            Derivation::Mechanics(_) | Derivation::OptimalControl(_) | Derivation::LieGroup(_) => None,
        })
        .collect();
    if blocks.is_empty() || model.is_excerpt() {
        return Err(otherwise);
    }
    let mut parts = Parts::default();
    blocks.iter().try_for_each(|block| parts.add(model, form, block))?;
    let is_known = |k: &usize| parts.positions.contains(k) || parts.momenta.contains(k);
    let differential = (0..form.unknowns.len()).filter(|&k| form.unknowns[k].kind == Kind::Differential);
    if let Some(other) = differential.into_iter().find(|k| !is_known(k)) {
        return Err(format!("`{}` is neither a coordinate nor a momentum", form.unknowns[other].name));
    }
    let is_taken = |k: &usize| {
        parts.position_equations.contains(k) || parts.momentum_equations.contains(k) || parts.differentiated.contains(k)
    };
    let has_rates = |k: &usize| {
        let used = symbols(&model.dag, [form.equations[*k].residual]);
        used.iter().any(|symbol| matches!(symbol, Symbol::StateDerivative(_)))
    };
    if let Some(other) = (0..form.equations.len()).find(|k| !is_taken(k) && has_rates(k)) {
        return Err(format!("{} is no canonical equation", form.equations[other].name));
    }
    Ok(HamiltonianStructure {
        positions: parts.positions.into(),
        momenta: parts.momenta.into(),
        multipliers: parts.multipliers.into(),
        position_equations: parts.position_equations.into(),
        momentum_equations: parts.momentum_equations.into(),
        constraints: parts.constraints.into(),
        has_constant_masses: false,
        has_normal_forces: true,
    })
}

/// The parts of a structure.
#[derive(Default)]
struct Parts {
    positions: Vec<usize>,
    momenta: Vec<usize>,
    multipliers: Vec<usize>,
    position_equations: Vec<usize>,
    momentum_equations: Vec<usize>,
    constraints: Vec<usize>,
    /// Rows that are second derivatives of constraints.
    differentiated: Vec<usize>,
}

impl Parts {
    /// Adds the parts of a block.
    fn add(&mut self, model: &mut Model, form: &Formulation, block: &Canonical) -> Result<(), Reason> {
        check(model, block)?;
        let n = block.coordinates.len();
        let first = block.equations.start;
        for &multiplier in &block.multipliers {
            self.multipliers.push(state(model, form, multiplier)?);
        }
        for k in 0..n {
            self.positions.push(state(model, form, block.coordinates[k])?);
            self.momenta.push(state(model, form, block.momenta[k])?);
            self.position_equations.push(unchanged(model, form, first + k)?);
            self.momentum_equations.push(unchanged(model, form, first + n + k)?);
        }
        for equation in first + 2 * n..block.equations.end {
            let name = model.equation_name(equation);
            let of = |prolonged, order| prolonged == Some((equation, order));
            let constraint = form.invariants.iter().position(|it| of(it.prolonged, 0));
            let row = form.equations.iter().position(|it| of(it.prolonged, 2));
            let (Some(constraint), Some(row)) = (constraint, row) else {
                return Err(format!("{name} is not differentiated twice, like a constraint on positions"));
            };
            self.constraints.push(constraint);
            self.differentiated.push(row);
        }
        Ok(())
    }
}

/// Checks that a block has no forces, and that its functions depend on nothing but its coordinates and momenta.
fn check(model: &Model, block: &Canonical) -> Result<(), Reason> {
    let dag = &model.dag;
    if let Some(k) = block.forces.iter().position(|&force| !dag.is_zero(force)) {
        let coordinate = model.symbol_name(Symbol::Unknown { unknown: block.coordinates[k], order: 0 });
        return Err(format!("a force acts on `{coordinate}`"));
    }
    let functions = block.constraints.iter().enumerate().map(|(k, &constraint)| {
        let name = model.equation_name(block.equations.start + 2 * block.coordinates.len() + k);
        (name, constraint)
    });
    for (name, function) in functions.chain([("the Hamiltonian".to_string(), block.hamiltonian)]) {
        let is_foreign = |symbol: &Symbol| match symbol {
            Symbol::Unknown { unknown, .. } => !block.coordinates.contains(unknown) && !block.momenta.contains(unknown),
            Symbol::Time | Symbol::Input { .. } => true,
            Symbol::Parameter(_) | Symbol::State(_) | Symbol::StateDerivative(_) => false,
        };
        if let Some(foreign) = symbols(dag, [function]).into_iter().find(is_foreign) {
            return Err(format!("{name} depends on `{}`", model.symbol_name(foreign)));
        }
    }
    Ok(())
}

/// The state that an unknown of the model is.
fn state(model: &Model, form: &Formulation, unknown: UnknownId) -> Result<usize, Reason> {
    let source = Source::Jet { unknown: unknown.index(), order: 0 };
    form.unknowns.iter().position(|it| it.source == source).ok_or_else(|| {
        let name = model.symbol_name(Symbol::Unknown { unknown, order: 0 });
        format!("`{name}` is equal to another unknown, or constant")
    })
}

/// The row that is an equation of the text, as written.
fn unchanged(model: &mut Model, form: &Formulation, equation: usize) -> Result<usize, Reason> {
    let written = model.equations.get(equation).map(|it| it.residual);
    let written = written.map(|residual| in_states(&mut model.dag, form, residual));
    let row = form.equations.iter().position(|it| it.prolonged == Some((equation, 0)));
    row.filter(|&row| Some(form.equations[row].residual) == written)
        .ok_or_else(|| format!("{} is not among its equations as it was derived", model.equation_name(equation)))
}

/// An equation of the text in the states of the form.
fn in_states(dag: &mut Dag, form: &Formulation, residual: Expr) -> Expr {
    let state = |unknown: UnknownId, order: u32| {
        let source = Source::Jet { unknown: unknown.index(), order };
        form.unknowns.iter().position(|it| it.source == source)
    };
    substitute(dag, &[residual], |dag, symbol| {
        let Symbol::Unknown { unknown, order } = symbol else { return None };
        let place = match (state(unknown, order), order.checked_sub(1)) {
            (Some(state), _) => Symbol::State(u32::try_from(state).ok()?),
            (None, Some(lower)) => Symbol::StateDerivative(u32::try_from(state(unknown, lower)?).ok()?),
            (None, None) => return None,
        };
        Some(dag.symbol(place))
    })[0]
}

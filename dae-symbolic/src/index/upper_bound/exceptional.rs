//! Exceptional values of parameters: those for which the system Jacobian is singular whatever the unknowns and the time
//! are.
//!
//! In: a system Jacobian $J(x, p)$ that is nonsingular for generic parameters, with the pivots of the combinations
//! where equations were combined. Out: the parameters whose defaults make $\det J(\cdot, p_0) \equiv 0$, if there are
//! any. Then entries or minors of $J$ that contain these parameters vanish; for almost all other values what the
//! structure says is true, and the index found at the defaults is that of an exceptional case.

use super::generic;
#[cfg(feature = "report")]
use crate::expr::prime_field::arithmetic;
use crate::expr::{Expr, Notation, ParameterId, Symbol, print, substitute, symbols};
use crate::index::certificate::GenericRegularity;
use crate::index::limits;
use crate::model::Model;
use crate::system::listed;

/// Multiples of the distance from a root at which the order of the root is measured.
#[cfg(feature = "report")]
const MULTIPLES: [u32; 3] = [2, 3, 5];

/// A matrix of expressions whose determinant depends on parameters.
#[derive(Clone, Debug)]
pub(crate) struct Determinant {
    size: usize,
    entries: Vec<(usize, usize, Expr)>,
    /// The parameters in it, ascending.
    pub(crate) parameters: Vec<ParameterId>,
    limits: limits::UpperBound,
}

impl Determinant {
    /// $\det J \prod_k q_k$ with the pivots $q_k$: where it is not zero, nothing is lost by combining equations and the
    /// system Jacobian is regular.
    pub(crate) fn of(
        model: &Model,
        size: usize,
        mut entries: Vec<(usize, usize, Expr)>,
        pivots: &[Expr],
        limits: &limits::UpperBound,
    ) -> Determinant {
        entries.extend(pivots.iter().enumerate().map(|(k, &q)| (size + k, size + k, q)));
        let used = symbols(&model.dag, entries.iter().map(|&(.., value)| value));
        let parameters = used.into_iter().filter_map(|symbol| match symbol {
            Symbol::Parameter(p) => Some(p),
            Symbol::Time
            | Symbol::Unknown { .. }
            | Symbol::Input { .. }
            | Symbol::State(_)
            | Symbol::StateDerivative(_) => None,
        });
        Determinant { size: size + pivots.len(), parameters: parameters.collect(), entries, limits: *limits }
    }

    /// Whether the matrix is small enough to examine the parameters one by one.
    pub(crate) fn is_small(&self) -> bool {
        self.entries.len() <= self.limits.exceptional_entries
            && self.parameters.len() <= self.limits.exceptional_parameters
    }

    /// Whether the determinant vanishes identically with some parameters replaced by expressions; `false` where it has
    /// no value.
    pub(crate) fn vanishes_at(&self, model: &mut Model, values: &[(ParameterId, Expr)]) -> bool {
        let of = |symbol| match symbol {
            Symbol::Parameter(p) => values.iter().find(|&&(q, _)| q == p).map(|&(_, value)| value),
            Symbol::Time
            | Symbol::Unknown { .. }
            | Symbol::Input { .. }
            | Symbol::State(_)
            | Symbol::StateDerivative(_) => None,
        };
        let roots: Vec<Expr> = self.entries.iter().map(|&(.., value)| value).collect();
        let replaced = substitute(&mut model.dag, &roots, |_, symbol| of(symbol));
        let entries: Vec<_> = self.entries.iter().zip(replaced).map(|(&(i, j, _), value)| (i, j, value)).collect();
        let found = generic::regularity(model, self.size, &entries, self.limits.points);
        matches!(found, GenericRegularity::Singular { .. })
    }

    /// Whether the determinant vanishes identically at no other value of the parameter than `value`, be it a number or
    /// a function of everything else: as a function of the parameter alone it is $c\,(p - p_0)^k$ at a random point of
    /// the prime field. `false` where that is not so or cannot be decided.
    #[cfg(feature = "report")]
    pub(crate) fn vanishes_only_at(&self, model: &mut Model, parameter: ParameterId, value: Expr) -> bool {
        let symbol = model.dag.symbol(Symbol::Parameter(parameter));
        let mut at = |factor: u32| {
            // p = p0 + factor (p - p0)
            let distance = model.dag.sub(symbol, value);
            let scaled = model.dag.scale(i64::from(factor).into(), distance);
            let moved = model.dag.add(value, scaled);
            let roots: Vec<Expr> = self.entries.iter().map(|&(.., value)| value).collect();
            let roots = substitute(&mut model.dag, &roots, |_, s| (s == Symbol::Parameter(parameter)).then_some(moved));
            let entries: Vec<_> = self.entries.iter().zip(roots).map(|(&(i, j, _), value)| (i, j, value)).collect();
            generic::value(model, self.size, &entries)
        };
        let Some(first) = at(1).filter(|&d| d != 0) else { return false };
        let Some(second) = at(MULTIPLES[0]) else { return false };
        let scaled = |factor: u32, k| arithmetic::mul(first, arithmetic::pow(u64::from(factor), k));
        let size = self.size as u64;
        let Some(order) = (0..=size).find(|&k| scaled(MULTIPLES[0], k) == second) else { return false };
        MULTIPLES[1..].iter().all(|&factor| at(factor) == Some(scaled(factor, order)))
    }
}

/// The parameters whose defaults make the determinant vanish identically: each that does so on its own, if there are
/// any, otherwise a minimal set that does so jointly; all that occur, if the matrix is large. Empty if the determinant
/// does not vanish.
pub(crate) fn exceptional_defaults(model: &mut Model, determinant: &Determinant) -> Vec<ParameterId> {
    if determinant.parameters.is_empty() {
        return Vec::new();
    }
    let defaults = default_values(model, &determinant.parameters);
    if !determinant.vanishes_at(model, &defaults) {
        return Vec::new();
    }
    let ids = |list: &[(ParameterId, Expr)]| list.iter().map(|&(p, _)| p).collect();
    if !determinant.is_small() {
        return ids(&defaults);
    }
    let alone: Vec<_> = defaults.iter().copied().filter(|&one| determinant.vanishes_at(model, &[one])).collect();
    if !alone.is_empty() {
        return ids(&alone);
    }
    let mut together = defaults.clone();
    for (p, _) in defaults {
        let fewer: Vec<_> = together.iter().copied().filter(|&(q, _)| q != p).collect();
        if determinant.vanishes_at(model, &fewer) {
            together = fewer;
        }
    }
    ids(&together)
}

/// Parameters with their defaults, in which no other parameters occur.
pub(crate) fn default_values(model: &mut Model, parameters: &[ParameterId]) -> Vec<(ParameterId, Expr)> {
    let symbols: Vec<Expr> = parameters.iter().map(|&p| model.dag.symbol(Symbol::Parameter(p))).collect();
    let values = model.with_default_parameters(&symbols);
    parameters.iter().copied().zip(values).collect()
}

/// `Cs = 0`, `a = 0 and b = 1`: parameters with their defaults.
pub(crate) fn at_defaults(model: &Model, parameters: &[ParameterId]) -> String {
    let spelled = |&p: &ParameterId| {
        let default = model.parameters[p.index()].default;
        let value = print(&model.dag, default, Notation::Text, |symbol| model.symbol_name(symbol));
        format!("{} = {value}", model.symbol_name(Symbol::Parameter(p)))
    };
    listed(&parameters.iter().map(spelled).collect::<Vec<_>>())
}

//! The leaves of templates: accesses, and numbers that are constant in time.
//!
//! In: arrays with indices. Out: the same leaf for the same access, numbered as
//! [`FamilyModel`](crate::model::family::FamilyModel) says; and indices as affine functions of loop variables.

use crate::expr::{Dag, Expr, Node, ParameterId, Rational, Symbol, UnknownId};
use crate::model::family::{Access, Affine, TimeInvariant};
use std::collections::HashMap;

/// The accesses and numbers that leaves stand for.
#[derive(Default)]
pub(super) struct Leaves {
    pub(super) accesses: Vec<Access>,
    pub(super) time_invariant: Vec<TimeInvariant>,
    access_ids: HashMap<Access, UnknownId>,
    time_invariant_ids: HashMap<TimeInvariant, ParameterId>,
}

/// Why an expression is not an index.
pub(super) enum NoIndex {
    /// It contains something other than numbers, entries of tables and loop variables.
    Foreign,
    /// It is a number that is not an integer, or has such a coefficient.
    Fraction,
    /// It is not a number plus multiples of loop variables.
    NotAffine,
}

impl Leaves {
    /// The first leaves: scalar unknowns and parameters in the order of declaration.
    pub(super) fn scalars(&mut self, unknowns: &[usize], parameters: &[usize]) {
        for &array in unknowns {
            self.access(Access { array, indices: Vec::new() });
        }
        for &array in parameters {
            self.time_invariant(TimeInvariant::Parameter(Access { array, indices: Vec::new() }));
        }
    }

    pub(super) fn access(&mut self, access: Access) -> UnknownId {
        let next = UnknownId(self.accesses.len() as u32);
        let accesses = &mut self.accesses;
        *self.access_ids.entry(access).or_insert_with_key(|access| {
            accesses.push(access.clone());
            next
        })
    }

    pub(super) fn time_invariant(&mut self, leaf: TimeInvariant) -> ParameterId {
        let next = ParameterId(self.time_invariant.len() as u32);
        let time_invariant = &mut self.time_invariant;
        *self.time_invariant_ids.entry(leaf).or_insert_with_key(|leaf| {
            time_invariant.push(leaf.clone());
            next
        })
    }

    /// An expression as an affine function of loop variables.
    pub(super) fn affine(&self, dag: &Dag, expr: Expr) -> Result<Affine, NoIndex> {
        let integer = |q: &Rational| q.to_integer().ok_or(NoIndex::Fraction);
        match dag.node(expr) {
            Node::Constant(value) => Ok(Affine::number(integer(value)?)),
            Node::Symbol(_) => Ok(Affine::variable(self.level(dag, expr)?)),
            Node::Sum { constant, terms } => {
                let mut coefficients = Vec::with_capacity(terms.len());
                for (q, term) in terms {
                    coefficients.push((self.level(dag, *term)?, integer(q)?));
                }
                coefficients.sort_unstable();
                Ok(Affine { constant: integer(constant)?, coefficients })
            }
            Node::Pi | Node::Euler => Err(NoIndex::Fraction),
            Node::Product(_) | Node::Apply(..) | Node::Call(..) => self.level(dag, expr).map(Affine::variable),
        }
    }

    fn level(&self, dag: &Dag, expr: Expr) -> Result<usize, NoIndex> {
        if let Node::Symbol(Symbol::Parameter(id)) = dag.node(expr)
            && let Some(TimeInvariant::Index(level)) = self.time_invariant.get(id.index())
        {
            return Ok(*level);
        }
        let foreign = |symbol| match symbol {
            Symbol::Parameter(id) => {
                !matches!(self.time_invariant.get(id.index()), Some(TimeInvariant::Index(_) | TimeInvariant::Table(_)))
            }
            _ => true,
        };
        let symbols = crate::expr::symbols(dag, [expr]);
        Err(if symbols.into_iter().any(foreign) { NoIndex::Foreign } else { NoIndex::NotAffine })
    }

    /// Whether an expression contains loop variables or entries of tables, and no other symbols.
    pub(super) fn is_of_loops(&self, dag: &Dag, expr: Expr) -> bool {
        let symbols = crate::expr::symbols(dag, [expr]);
        !symbols.is_empty()
            && symbols.into_iter().all(|symbol| match symbol {
                Symbol::Parameter(id) => {
                    matches!(
                        self.time_invariant.get(id.index()),
                        Some(TimeInvariant::Index(_) | TimeInvariant::Table(_))
                    )
                }
                _ => false,
            })
    }
}

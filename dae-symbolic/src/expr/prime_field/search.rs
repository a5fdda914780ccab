//! A point at which all roots exist.
//!
//! In: the structure of expressions. Out: residues of the generators and of all nodes.
//!
//! Half of the residues have a square root, a third a cube root. With many roots it is hopeless to draw whole points
//! until all exist at once, so generators are fixed one after the other, those that occur in most radicands first, and
//! each one is drawn again until the radicands that it completes have roots. A radicand that cannot be completed makes
//! its root opaque.

use std::collections::{BTreeMap, BTreeSet};

use super::super::dag::{ExprMap, ExprSet};
use super::super::{Expr, Symbol};
use super::arithmetic::sub;
use super::evaluation::{Branch, FieldError};
use super::pass::{self, Stop};
use super::point::Point;
use super::structure::{Generator, Generators, compared, values_reachable};

/// The number of points tried before a divisor counts as identically zero.
const RESTARTS: u64 = 8;
/// The number of draws of one generator.
const MAX_DRAWS: u64 = 1 << 11;
/// More radicands than this can hardly be expected to have roots at once in any of [`MAX_DRAWS`] draws: half of the
/// residues are squares, a third are cubes.
const MAX_COMPLETED: usize = 24;
/// The number of node evaluations, and of nodes below radicands, after which the roots still missing become opaque.
const BUDGET: usize = 10_000_000;

/// A point, and the values there of all nodes in the `order` of the generators.
pub(super) struct Found {
    pub(super) point: Point,
    /// Values by node.
    pub(super) values: Vec<u64>,
    /// Numbers of the roots that have no residue and count as opaque.
    pub(super) opaque_roots: Vec<usize>,
}

impl Found {
    /// The branches taken.
    pub(super) fn branches(&self, structure: &Generators) -> Vec<Branch> {
        let branch = |(expr, arguments): (Expr, &[Expr])| {
            let value = |e: Expr| self.values[e.index()];
            let b = compared(structure.dag, expr).map_or(0, value);
            Branch { expr, sign: pass::sign(structure, expr, sub(value(arguments[0]), b)) }
        };
        structure.piecewise().map(branch).collect()
    }
}

/// Finds a point; on failure, the error names an expression that divides by zero.
pub(super) fn search(structure: &Generators, seed: u64, given: &BTreeMap<Symbol, u64>) -> Result<Found, FieldError> {
    let stages = stages(structure, given);
    let mut failed = None;
    for restart in 0..RESTARTS {
        let mut search = Search {
            structure,
            point: Point::random(structure, seed, restart << 32, given),
            values: vec![0; structure.order.last().map_or(0, |last| last.index() + 1)],
            opaque: ExprSet::default(),
            spent: 0,
        };
        for stage in &stages {
            search.complete(stage, restart);
        }
        match search.finish() {
            Ok(found) => return Ok(found),
            Err(expr) => failed = Some(expr),
        }
    }
    // There is a failure if no restart succeeded.
    Err(FieldError::DivisionByZero(failed.unwrap_or_else(|| Expr::at(0))))
}

/// The radicands that one generator completes.
struct Stage {
    /// `None` if there is nothing to draw again.
    generator: Option<usize>,
    roots: Vec<Expr>,
    /// The nodes that the values of the roots depend on, children first; empty if the budget is exceeded.
    cone: Vec<Expr>,
}

fn stages(structure: &Generators, given: &BTreeMap<Symbol, u64>) -> Vec<Stage> {
    let free = |k: &usize| !matches!(structure.generators[*k], Generator::Symbol(s) if given.contains_key(&s));
    let mut size = 0;
    let mut generators_of: Vec<BTreeSet<usize>> = Vec::new();
    // Roots ascend, so that those below a root come before it: their generators are known and not collected again.
    let number: ExprMap<usize> = structure.roots.iter().enumerate().map(|(k, root)| (root.expr, k)).collect();
    for root in &structure.roots {
        let mut generators = BTreeSet::new();
        if size < BUDGET {
            let below = structure.values_above_roots(structure.dag.children(root.expr));
            size += below.len();
            for expr in below {
                match number.get(&expr) {
                    Some(&k) => {
                        let inner: &BTreeSet<usize> = &generators_of[k];
                        size += inner.len();
                        generators.extend(inner);
                    }
                    None => generators.extend(structure.leaf_generators(expr).into_iter().filter(free)),
                }
            }
        }
        generators_of.push(generators);
    }
    let mut occurrences = vec![0usize; structure.generators.len()];
    for generator in generators_of.iter().flatten() {
        occurrences[*generator] += 1;
    }
    // Generators that occur most often come first.
    let place = |k: usize| (usize::MAX - occurrences[k], k);
    let mut completed: BTreeMap<Option<(usize, usize)>, Vec<Expr>> = BTreeMap::new();
    for (root, generators) in structure.roots.iter().zip(&generators_of) {
        let last = generators.iter().map(|&k| place(k)).max();
        completed.entry(last).or_default().push(root.expr);
    }
    let stage = |(last, roots): (Option<(usize, usize)>, Vec<Expr>)| {
        let cone = if size < BUDGET { values_reachable(structure.dag, roots.iter().copied()) } else { Vec::new() };
        Stage { generator: last.map(|(_, k)| k), roots, cone }
    };
    completed.into_iter().map(stage).collect()
}

struct Search<'a> {
    structure: &'a Generators<'a>,
    point: Point,
    values: Vec<u64>,
    opaque: ExprSet,
    spent: usize,
}

impl Search<'_> {
    /// Draws the generator of the stage until its radicands have roots; those without one in the end become opaque.
    fn complete(&mut self, stage: &Stage, restart: u64) {
        let draws = if stage.generator.is_some() && stage.roots.len() <= MAX_COMPLETED { MAX_DRAWS } else { 0 };
        let (mut draw, mut from) = (0, 0);
        loop {
            self.spent += stage.cone.len() - from;
            match self.run(&stage.cone[from..]) {
                Ok(()) => return,
                Err(_) if from == 0 && draw < draws && self.spent < BUDGET => {
                    draw += 1;
                    if let Some(generator) = stage.generator {
                        self.point.draw(self.structure, generator, (restart << 32) + draw);
                    }
                }
                // From here on nothing is drawn again, and the values before the root stay.
                Err(Stop::NoRoot(root)) => {
                    self.opaque.insert(root);
                    from = stage.cone.binary_search(&root).unwrap_or(0);
                }
                // `finish` comes upon the division again and reports it.
                Err(Stop::Division(_)) => return,
            }
            if stage.roots.iter().all(|root| self.opaque.contains(root)) {
                return;
            }
        }
    }

    fn run(&mut self, order: &[Expr]) -> Result<(), Stop> {
        pass::run(self.structure, &self.point, &self.opaque, order, &mut self.values)
    }

    /// Evaluates everything; the error is the expression that divides by zero.
    fn finish(mut self) -> Result<Found, Expr> {
        let structure = self.structure;
        let mut from = 0;
        // Only radicands for which the budget did not suffice stop here, and the values before them stay.
        while let Err(stop) = self.run(&structure.order[from..]) {
            match stop {
                Stop::Division(expr) => return Err(expr),
                Stop::NoRoot(root) => {
                    self.opaque.insert(root);
                    from = structure.order.binary_search(&root).unwrap_or(from);
                }
            }
        }
        let opaque_roots = (0..structure.roots.len()).filter(|&k| self.opaque.contains(&structure.roots[k].expr));
        Ok(Found { opaque_roots: opaque_roots.collect(), point: self.point, values: self.values })
    }
}

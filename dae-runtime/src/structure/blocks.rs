//! Block-triangular form: in which order, and in which groups, equations can be solved (Duff & Reid 1978).
//!
//! In: which unknown occurs in which equation, and a transversal. Out: the smallest groups of equations that have to be
//! solved together, each after the groups whose unknowns it uses.
//!
//! With the unknown that the transversal gives it, an equation depends on the equations of its other unknowns. The
//! groups are the strongly connected components of that graph; they do not depend on the transversal chosen. Tarjan's
//! algorithm (1972) finds a component after all those it leads to, which is the order of solution.

use std::ops::Range;

use super::incidence::Incidence;
use super::matching::Transversal;

/// Equations to be solved together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The equations, ascending.
    pub equations: Vec<usize>,
    /// The unknowns they determine; the `k`-th is the transversal's unknown of the `k`-th equation.
    pub unknowns: Vec<usize>,
    /// The blocks, all earlier ones, whose unknowns occur in the equations; ascending.
    pub depends_on: Vec<usize>,
}

/// The blocks of a square pattern in order of solution: the equations of a block contain only its unknowns and
/// those of the blocks it depends on.
pub fn block_triangular_form(pattern: &Incidence, transversal: &Transversal) -> Vec<Block> {
    let components = strongly_connected_components(pattern, transversal);
    let mut block_of = vec![0; transversal.len()];
    for (block, equations) in components.iter().enumerate() {
        for &equation in equations {
            block_of[equation] = block;
        }
    }
    let describe = |(block, equations): (usize, Vec<usize>)| {
        let used = equations.iter().flat_map(|&equation| pattern.row(equation));
        let mut depends_on: Vec<usize> =
            used.map(|&unknown| block_of[transversal.equation_of(unknown)]).filter(|&other| other != block).collect();
        depends_on.sort_unstable();
        depends_on.dedup();
        let unknowns = equations.iter().map(|&equation| transversal.unknown_of(equation)).collect();
        Block { equations, unknowns, depends_on }
    };
    components.into_iter().enumerate().map(describe).collect()
}

const UNSEEN: usize = usize::MAX;

/// Tarjan's depth-first search over equations.
struct Tarjan {
    /// Number of each equation in the order of discovery.
    index: Vec<usize>,
    /// Least index known to be reachable within the component.
    low: Vec<usize>,
    /// Whether the component of an equation is complete.
    complete: Vec<bool>,
    /// Equations discovered whose component is not complete.
    open: Vec<usize>,
    /// The path from the root: each equation with its entries not yet followed.
    path: Vec<(usize, Range<usize>)>,
    discovered: usize,
}

/// The components, each ascending, in the order in which they are completed.
fn strongly_connected_components(pattern: &Incidence, transversal: &Transversal) -> Vec<Vec<usize>> {
    let n = transversal.len();
    let mut search = Tarjan {
        index: vec![UNSEEN; n],
        low: vec![UNSEEN; n],
        complete: vec![false; n],
        open: Vec::new(),
        path: Vec::new(),
        discovered: 0,
    };
    let mut components = Vec::new();
    for root in 0..n {
        if search.index[root] == UNSEEN {
            search.discover(root, pattern);
        }
        while let Some((equation, untried)) = search.path.last_mut() {
            let equation = *equation;
            let Some(position) = untried.next() else {
                search.path.pop();
                components.extend(search.leave(equation));
                continue;
            };
            let next = transversal.equation_of(pattern.unknown_at(position));
            if search.index[next] == UNSEEN {
                search.discover(next, pattern);
            } else if !search.complete[next] {
                search.low[equation] = search.low[equation].min(search.index[next]);
            }
        }
    }
    components
}

impl Tarjan {
    fn discover(&mut self, equation: usize, pattern: &Incidence) {
        self.index[equation] = self.discovered;
        self.low[equation] = self.discovered;
        self.discovered += 1;
        self.open.push(equation);
        self.path.push((equation, pattern.positions(equation)));
    }

    /// Hands on to its predecessor what an equation reaches, and returns its component if it was discovered first.
    fn leave(&mut self, equation: usize) -> Option<Vec<usize>> {
        if let Some(&(parent, _)) = self.path.last() {
            self.low[parent] = self.low[parent].min(self.low[equation]);
        }
        if self.low[equation] != self.index[equation] {
            return None;
        }
        let first = self.open.iter().rposition(|&open| open == equation)?;
        let mut component = self.open.split_off(first);
        for &member in &component {
            self.complete[member] = true;
        }
        component.sort_unstable();
        Some(component)
    }
}

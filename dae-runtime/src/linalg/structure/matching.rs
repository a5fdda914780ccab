//! Maximum matching of equations and unknowns (Hopcroft & Karp 1973).
//!
//! In: a bipartite graph. Out: a largest set of pairs, each of an equation and an unknown in it, of which no two share
//! an equation or an unknown; and, if that covers everything, the corresponding [`Transversal`].
//!
//! An *augmenting path* leads from an unpaired equation to an unpaired unknown and alternates between entries that are
//! not pairs and entries that are; exchanging the two kinds along it gains one pair. Each phase finds a maximal set of
//! disjoint shortest augmenting paths, so that $O(\sqrt n)$ phases, each linear in the number of entries, are enough.

use super::incidence::Incidence;

/// Pairs of an equation and an unknown that occurs in it, of which no two share an equation or an unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    unknown_of: Vec<Option<usize>>,
    equation_of: Vec<Option<usize>>,
}

/// A matching that leaves no equation and no unknown unpaired: a permutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transversal {
    unknown_of: Vec<usize>,
    equation_of: Vec<usize>,
}

impl Transversal {
    /// Number of equations, and of unknowns.
    pub fn len(&self) -> usize {
        self.unknown_of.len()
    }

    /// Whether there is no equation.
    pub fn is_empty(&self) -> bool {
        self.unknown_of.is_empty()
    }

    /// The unknown paired with an equation.
    pub fn unknown_of(&self, equation: usize) -> usize {
        self.unknown_of[equation]
    }

    /// The equation paired with an unknown.
    pub fn equation_of(&self, unknown: usize) -> usize {
        self.equation_of[unknown]
    }

    /// The unknown of each equation.
    pub fn unknowns(&self) -> &[usize] {
        &self.unknown_of
    }
}

impl Matching {
    /// The matching without pairs.
    pub fn empty(equations: usize, unknowns: usize) -> Self {
        Self { unknown_of: vec![None; equations], equation_of: vec![None; unknowns] }
    }

    /// A matching with as many pairs as possible.
    pub fn maximum(pattern: &Incidence) -> Self {
        let mut matching = Self::empty(pattern.equations(), pattern.unknowns());
        let mut free = matching.free_equations();
        while let Some(levels) = matching.levels(pattern, &free) {
            let level_of = |equation: Option<usize>| equation.map(|equation| levels[equation]);
            matching.augment_disjoint(pattern, &free, |matching, equation, position| {
                // A free unknown ends the path, a paired one leads one level deeper.
                let next = level_of(matching.equation_of(pattern.unknown_at(position)));
                next.is_none_or(|next| next == levels[equation] + 1)
            });
            free = matching.free_equations();
        }
        matching
    }

    /// The unknown paired with an equation.
    pub fn unknown_of(&self, equation: usize) -> Option<usize> {
        self.unknown_of[equation]
    }

    /// The equation paired with an unknown.
    pub fn equation_of(&self, unknown: usize) -> Option<usize> {
        self.equation_of[unknown]
    }

    /// Number of pairs.
    pub fn size(&self) -> usize {
        self.unknown_of.iter().flatten().count()
    }

    /// The unpaired equations, ascending.
    pub fn free_equations(&self) -> Vec<usize> {
        (0..self.unknown_of.len()).filter(|&equation| self.unknown_of[equation].is_none()).collect()
    }

    /// The unpaired unknowns, ascending.
    pub fn free_unknowns(&self) -> Vec<usize> {
        (0..self.equation_of.len()).filter(|&unknown| self.equation_of[unknown].is_none()).collect()
    }

    /// The permutation, if no equation and no unknown is unpaired.
    pub fn transversal(&self) -> Option<Transversal> {
        Some(Transversal {
            unknown_of: self.unknown_of.iter().copied().collect::<Option<_>>()?,
            equation_of: self.equation_of.iter().copied().collect::<Option<_>>()?,
        })
    }

    /// Distance of each equation from the free ones along alternating paths, up to the first free unknown;
    /// `None` if there is no augmenting path.
    fn levels(&self, pattern: &Incidence, free: &[usize]) -> Option<Vec<usize>> {
        const UNSEEN: usize = usize::MAX;
        let mut levels = vec![UNSEEN; pattern.equations()];
        let mut layer = free.to_vec();
        let mut level = 0;
        while !layer.is_empty() {
            let mut next_layer = Vec::new();
            let mut reached_free_unknown = false;
            for &equation in &layer {
                levels[equation] = level;
            }
            for &unknown in layer.iter().flat_map(|&equation| pattern.row(equation)) {
                match self.equation_of[unknown] {
                    None => reached_free_unknown = true,
                    Some(next) if levels[next] == UNSEEN => {
                        levels[next] = level + 1;
                        next_layer.push(next);
                    }
                    Some(_) => {}
                }
            }
            if reached_free_unknown {
                return Some(levels);
            }
            layer = next_layer;
            level += 1;
        }
        None
    }

    /// Exchanges pairs along a maximal set of disjoint augmenting paths that start at `free` equations and use only
    /// entries for which `admissible(self, equation, position)` is true. Every unknown is visited at most once, so the
    /// cost is linear.
    pub fn augment_disjoint(
        &mut self,
        pattern: &Incidence,
        free: &[usize],
        admissible: impl Fn(&Self, usize, usize) -> bool,
    ) {
        let mut visited = vec![false; pattern.unknowns()];
        // The path so far: each equation with the positions it has not tried yet.
        let mut path = Vec::new();
        for &root in free {
            path.push((root, pattern.positions(root)));
            while let Some((equation, untried)) = path.last_mut() {
                let step = untried
                    .find(|&position| !visited[pattern.unknown_at(position)] && admissible(self, *equation, position));
                let Some(position) = step else {
                    path.pop();
                    continue;
                };
                let unknown = pattern.unknown_at(position);
                visited[unknown] = true;
                match self.equation_of[unknown] {
                    Some(next) => path.push((next, pattern.positions(next))),
                    None => {
                        // The last position an equation tried is the one before its untried ones.
                        for (equation, untried) in path.drain(..) {
                            self.pair(equation, pattern.unknown_at(untried.start - 1));
                        }
                    }
                }
            }
        }
    }

    fn pair(&mut self, equation: usize, unknown: usize) {
        self.unknown_of[equation] = Some(unknown);
        self.equation_of[unknown] = Some(equation);
    }
}

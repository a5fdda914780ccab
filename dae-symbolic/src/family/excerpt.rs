//! The members of long families from which all others follow.
//!
//! In: a family model, the signature matrix of all its instances and its offsets. Out: an [`Excerpt`]: the members near
//! the ends of each long index range, where everything is the same in between. Symbolic work is done on these alone,
//! and does not grow with the range.
//!
//! Loop variables and dimensions of arrays that are linked by accesses $i + c$ form an *index space*, in which the same
//! values are left out. What happens at a single index (an end of a loop, a boundary of a class, a constant index, a
//! number that bends or vanishes) is a *landmark*, and the longest stretch without one is shortened. Indices of other
//! forms ($2 i$, $n - i$, indices into tables) leave their spaces whole.

use std::collections::{BTreeMap, BTreeSet};

use super::classes::{Class, UnknownClass};
use super::numbers::Numbers;
use crate::expr::{Expr, Node, Symbol, reachable};
use crate::model::Gap;
use crate::model::family::{Access, Affine, Body, Excerpt, FamilyModel, Indexed, Loop, TimeInvariant};

/// The number of members next to a landmark that are kept, beyond those that may differ because of it: enough to find a
/// rule and to confirm it.
const REGULAR: i64 = 4;
/// Members further apart than this do not count as neighbours.
const FURTHEST: i64 = 8;

/// An index: the item that has it, and its number.
type Index = (Indexed, usize);

/// The excerpt in which no regular member depends on others further away than `reach`; `None` if nothing can be left
/// out.
pub fn excerpt(model: &FamilyModel, classes: &[Class], unknowns: &[UnknownClass], reach: i64) -> Option<Excerpt> {
    if !model.derivations.is_empty() {
        return None;
    }
    let mut spaces = Spaces::new(model);
    spaces.read();
    for class in classes {
        spaces.box_edges(Indexed::Equation(class.family), &class.domain);
    }
    for class in unknowns {
        spaces.box_edges(Indexed::Unknown(class.array), &class.domain);
    }
    let gaps = spaces.gaps(reach);
    let excerpt = Excerpt::with(model, |of, k| gaps.get(&(of, k)).cloned().unwrap_or_default());
    gaps.values().any(|gap| !gap.is_empty()).then_some(excerpt)
}

struct Spaces<'a> {
    model: &'a FamilyModel,
    /// The number of each index.
    number: BTreeMap<Index, usize>,
    /// Links that lead from every index to the one that represents its space.
    parent: Vec<usize>,
    landmarks: Vec<BTreeSet<i64>>,
    /// Whether an index keeps its space whole.
    whole: Vec<bool>,
    /// First and one past the last value of each.
    ranges: Vec<(i64, i64)>,
}

impl<'a> Spaces<'a> {
    fn new(model: &'a FamilyModel) -> Self {
        let mut spaces = Spaces {
            model,
            number: BTreeMap::new(),
            parent: Vec::new(),
            landmarks: Vec::new(),
            whole: Vec::new(),
            ranges: Vec::new(),
        };
        let over = |extents: &[usize]| -> Vec<(i64, i64)> { extents.iter().map(|&n| (0, n as i64)).collect() };
        let loops = |loops: &[Loop]| -> Vec<(i64, i64)> { loops.iter().map(|it| (it.start, it.end)).collect() };
        model.equations.iter().enumerate().for_each(|(k, e)| spaces.add(Indexed::Equation(k), &loops(&e.loops)));
        model.unknowns.iter().enumerate().for_each(|(k, u)| spaces.add(Indexed::Unknown(k), &over(&u.extents)));
        model.parameters.iter().enumerate().for_each(|(k, p)| spaces.add(Indexed::Parameter(k), &over(&p.extents)));
        model.definitions.iter().enumerate().for_each(|(k, d)| spaces.add(Indexed::Definition(k), &loops(&d.loops)));
        model.starts.iter().enumerate().for_each(|(k, s)| spaces.add(Indexed::Start(k), &loops(&s.loops)));
        spaces
    }

    fn add(&mut self, of: Indexed, ranges: &[(i64, i64)]) {
        for (k, &(start, end)) in ranges.iter().enumerate() {
            self.number.insert((of, k), self.parent.len());
            self.parent.push(self.parent.len());
            self.landmarks.push(BTreeSet::from([start, end]));
            self.ranges.push((start, end));
            self.whole.push(false);
        }
    }

    fn box_edges(&mut self, of: Indexed, domain: &[(i64, i64)]) {
        for (k, &(start, end)) in domain.iter().enumerate() {
            if let Some(&number) = self.number.get(&(of, k)) {
                self.landmarks[number].extend([start, end]);
            }
        }
    }

    /// The index that represents the space.
    fn root(&mut self, mut number: usize) -> usize {
        while self.parent[number] != number {
            self.parent[number] = self.parent[self.parent[number]];
            number = self.parent[number];
        }
        number
    }

    /// Reads everything that the model says about indices.
    fn read(&mut self) {
        let model = self.model;
        for (k, equation) in model.equations.iter().enumerate() {
            self.body(Indexed::Equation(k), &equation.body, |body| body.residual);
            for body in equation.body.all() {
                for &(access, _) in &body.incidence {
                    self.access(Indexed::Equation(k), Indexed::Unknown, &model.accesses[access.index()]);
                }
            }
        }
        for (k, definition) in model.definitions.iter().enumerate() {
            self.body(Indexed::Definition(k), &definition.body, |&body| body);
        }
        for (k, parameter) in model.parameters.iter().enumerate() {
            self.body(Indexed::Parameter(k), &parameter.default, |&body| body);
        }
        for (k, start) in model.starts.iter().enumerate() {
            self.body(Indexed::Start(k), &start.body, |body| body.value);
            for body in start.body.all() {
                let access = Access { array: start.unknown, indices: body.indices.clone() };
                self.access(Indexed::Start(k), Indexed::Unknown, &access);
            }
        }
    }

    fn body<T>(&mut self, of: Indexed, body: &Body<T>, root: impl Fn(&T) -> Expr) {
        if let Body::Pieces(pieces) = body {
            pieces.iter().for_each(|piece| self.box_edges(of, &piece.domain));
        }
        body.all().into_iter().for_each(|body| self.expression(of, root(body)));
    }

    /// Keeps the space of an index whole.
    fn keep(&mut self, of: Indexed, k: usize) {
        if let Some(&number) = self.number.get(&(of, k)) {
            self.whole[number] = true;
        }
    }

    fn expression(&mut self, of: Indexed, root: Expr) {
        let model = self.model;
        let nodes = reachable(&model.dag, [root]);
        for &expr in &nodes {
            match model.dag.node(expr) {
                Node::Symbol(Symbol::Unknown { unknown, .. }) => {
                    self.access(of, Indexed::Unknown, &model.accesses[unknown.index()]);
                }
                Node::Symbol(Symbol::Parameter(id)) => match &model.time_invariant[id.index()] {
                    TimeInvariant::Parameter(access) => self.access(of, Indexed::Parameter, access),
                    TimeInvariant::Table(access) => self.table(of, access),
                    TimeInvariant::Index(_) => {}
                },
                _ => {}
            }
        }
        let mut numbers = Numbers::new(model, &nodes);
        for (part, levels) in numbers.parts() {
            match (part, levels.as_slice()) {
                (Some(part), &[level]) => {
                    if let Some(&number) = self.number.get(&(of, level)) {
                        let (start, end) = self.ranges[number];
                        self.landmarks[number].extend(numbers.landmarks(part, level, start..end));
                    }
                }
                (_, levels) => levels.iter().for_each(|&level| self.keep(of, level)),
            }
        }
    }

    /// Keeps the spaces of the indices into a table whole, unless all its entries are equal.
    fn table(&mut self, of: Indexed, access: &Access) {
        let values = &self.model.tables[access.array].values;
        if values.windows(2).any(|pair| pair[0] != pair[1]) {
            let levels = access.indices.iter().flat_map(|index| &index.coefficients).map(|&(level, _)| level);
            levels.for_each(|level| self.keep(of, level));
        }
    }

    fn access(&mut self, of: Indexed, array: fn(usize) -> Indexed, access: &Access) {
        for (dimension, index) in access.indices.iter().enumerate() {
            self.index(of, (array(access.array), dimension), index);
        }
    }

    fn index(&mut self, of: Indexed, of_array: Index, index: &Affine) {
        let Some(&array) = self.number.get(&of_array) else { return };
        match index.coefficients.as_slice() {
            [] => self.landmarks[array].extend([index.constant, index.constant + 1]),
            &[(level, 1)] if index.constant.abs() <= FURTHEST => {
                let Some(&variable) = self.number.get(&(of, level)) else { return };
                let (a, b) = (self.root(variable), self.root(array));
                self.parent[a] = b;
            }
            coefficients => {
                self.whole[array] = true;
                coefficients.iter().for_each(|&(level, _)| self.keep(of, level));
            }
        }
    }

    /// The gap of every index, where there is one.
    fn gaps(&mut self, reach: i64) -> BTreeMap<Index, Gap> {
        let roots: Vec<usize> = (0..self.parent.len()).map(|number| self.root(number)).collect();
        let mut landmarks: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
        let mut whole = BTreeSet::new();
        for (number, &root) in roots.iter().enumerate() {
            landmarks.entry(root).or_default().extend(&self.landmarks[number]);
            if self.whole[number] {
                whole.insert(root);
            }
        }
        let mut of_space: BTreeMap<usize, Gap> = BTreeMap::new();
        for (&root, landmarks) in landmarks.iter().filter(|(root, _)| !whole.contains(root)) {
            let landmarks: Vec<i64> = landmarks.iter().copied().collect();
            let Some(stretch) = landmarks.windows(2).max_by_key(|pair| pair[1] - pair[0]) else { continue };
            // Neighbours are up to `FURTHEST` away, and members that depend on them up to `reach`.
            let margin = 3 * reach + REGULAR + FURTHEST.min(reach);
            let left_out = stretch[0] + margin..stretch[1] - margin;
            if !left_out.is_empty() {
                of_space.insert(root, Gap { left_out, reach });
            }
        }
        let gaps =
            self.number.iter().filter_map(|(&index, &number)| Some((index, of_space.get(&roots[number])?.clone())));
        gaps.collect()
    }
}

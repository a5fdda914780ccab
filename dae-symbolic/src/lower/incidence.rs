//! The unknowns that an expression contains, as it is written.
//!
//! In: occurrences and unions of them, while expressions are built. Out: for an equation, each of its unknowns with
//! the highest order of its derivatives. Canonical expressions do not tell: in them $x - x$ is zero. Sets are
//! hash-consed nodes, so that the value of a function call can be looked up by the sets of its arguments.

use crate::expr::UnknownId;
use std::collections::HashMap;

/// A set of occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SetId(u32);

impl SetId {
    /// The empty set: no unknown occurs.
    pub(super) const EMPTY: SetId = SetId(0);
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Set {
    Occurrence(UnknownId, u32),
    Union(Box<[SetId]>),
}

/// All sets of a model.
pub(super) struct Sets {
    sets: Vec<Set>,
    index: HashMap<Set, SetId>,
    /// The round in which each set was last visited.
    seen: Vec<u32>,
    round: u32,
}

impl Sets {
    pub(super) fn new() -> Self {
        Sets { sets: vec![Set::Union(Box::default())], index: HashMap::new(), seen: Vec::new(), round: 0 }
    }

    /// The set of a single derivative of an unknown.
    pub(super) fn occurrence(&mut self, unknown: UnknownId, order: u32) -> SetId {
        self.intern(Set::Occurrence(unknown, order))
    }

    /// The union of the sets.
    pub(super) fn union(&mut self, sets: impl IntoIterator<Item = SetId>) -> SetId {
        let mut members: Vec<SetId> = sets.into_iter().filter(|set| *set != SetId::EMPTY).collect();
        members.sort_unstable();
        members.dedup();
        match members.as_slice() {
            [] => SetId::EMPTY,
            [single] => *single,
            _ => self.intern(Set::Union(members.into())),
        }
    }

    /// The set as one union of occurrences, of each unknown only that of the highest order.
    pub(super) fn flatten(&mut self, set: SetId) -> SetId {
        let members: Vec<SetId> =
            self.highest_orders(set).into_iter().map(|(u, order)| self.occurrence(u, order)).collect();
        self.union(members)
    }

    /// Each unknown in the set with its highest order, ascending.
    pub(super) fn highest_orders(&mut self, set: SetId) -> Vec<(UnknownId, u32)> {
        self.round += 1;
        self.seen.resize(self.sets.len(), 0);
        let mut found = Vec::new();
        let mut stack = vec![set];
        while let Some(SetId(id)) = stack.pop() {
            let id = id as usize;
            if std::mem::replace(&mut self.seen[id], self.round) == self.round {
                continue;
            }
            match &self.sets[id] {
                Set::Occurrence(unknown, order) => found.push((*unknown, *order)),
                Set::Union(members) => stack.extend(members.iter()),
            }
        }
        // The highest order comes first within each unknown, and is the one that is kept.
        found.sort_unstable_by_key(|&(unknown, order)| (unknown, std::cmp::Reverse(order)));
        found.dedup_by_key(|(unknown, _)| *unknown);
        found
    }

    fn intern(&mut self, set: Set) -> SetId {
        if let Some(id) = self.index.get(&set) {
            return *id;
        }
        let id = SetId(self.sets.len() as u32);
        self.sets.push(set.clone());
        self.index.insert(set, id);
        id
    }
}

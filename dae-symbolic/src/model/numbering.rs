//! Positions in the lists of a model from an excerpt of it.
//!
//! In: the domains of the entries that an excerpt has of a list. Out: their positions in the list of the whole model,
//! and the length of that list. The members left out are inserted where they belong: a list runs through a family in
//! ascending order of its indices, with one or more entries for each member, and each member left out has as many
//! entries as the last one before the gap. Without gaps the positions are unchanged.

use super::{Domain, Gap, Member};

/// The positions of the entries of a list in the list of the whole model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbering {
    /// The positions, ascending.
    places: Vec<usize>,
    /// The positions in the excerpt of the entries to which regular ones must not refer, ascending.
    core: Vec<usize>,
    total: usize,
}

/// An excerpt that does not determine the members left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn;

/// Entries of one member, or of members that agree in their outer indices.
struct Cells<'a> {
    /// Positions in the list, with the indices.
    entries: &'a [(usize, &'a Member)],
    /// The number of the next index that distinguishes them.
    dimension: usize,
}

impl Numbering {
    /// The numbering of a list.
    ///
    /// # Errors
    /// If a family is interrupted close to a gap.
    pub fn of<'a>(domains: impl IntoIterator<Item = &'a Domain>) -> Result<Numbering, Torn> {
        let members: Vec<Option<&Member>> = domains.into_iter().map(|domain| domain.member.as_deref()).collect();
        let of_excerpt = |member: &Option<&Member>| member.is_some_and(|m| m.gaps.iter().any(|gap| !gap.is_empty()));
        if !members.iter().any(of_excerpt) {
            return Ok(Numbering { places: (0..members.len()).collect(), core: Vec::new(), total: members.len() });
        }
        let at_core = |k: &usize| members[*k].is_some_and(Member::is_at_core);
        let core = (0..members.len()).filter(at_core).collect();
        let mut numbering = Numbering { places: Vec::with_capacity(members.len()), core, total: 0 };
        let listed: Vec<(usize, Option<&Member>)> = members.into_iter().enumerate().collect();
        let follows = |a: &(usize, Option<&Member>), b: &(usize, Option<&Member>)| match (a.1, b.1) {
            (Some(a), Some(b)) => a.family == b.family && a.gaps == b.gaps && a.indices <= b.indices,
            _ => false,
        };
        for run in listed.chunk_by(follows) {
            let entries: Option<Vec<(usize, &Member)>> = run.iter().map(|&(k, member)| Some((k, member?))).collect();
            match entries {
                Some(entries) => numbering.total += numbering.place(&Cells { entries: &entries, dimension: 0 })?,
                None => {
                    numbering.places.push(numbering.total);
                    numbering.total += 1;
                }
            }
        }
        Ok(numbering)
    }

    /// Places the entries from the position `total` on, and returns how many they are in the whole model.
    fn place(&mut self, cells: &Cells<'_>) -> Result<usize, Torn> {
        let (start, dimension) = (self.total, cells.dimension);
        if cells.entries[0].1.indices.len() <= dimension {
            let count = cells.entries.len();
            self.places.extend(start..start + count);
            return Ok(count);
        }
        let gap = cells.entries[0].1.gaps.get(dimension).cloned().unwrap_or_default();
        let mut count = 0;
        let mut met = Vec::new();
        for entries in cells.entries.chunk_by(|a, b| a.1.indices[dimension] == b.1.indices[dimension]) {
            let index = entries[0].1.indices[dimension];
            met.push(index);
            self.total = start + count;
            let one = self.place(&Cells { entries, dimension: dimension + 1 })?;
            let repeated = !gap.is_empty() && index + 1 == gap.left_out.start;
            count += one * if repeated { 1 + gap.size() } else { 1 };
        }
        self.total = start;
        if is_interrupted(&gap, &met) { Err(Torn) } else { Ok(count) }
    }

    /// The place of the entry at a position of the excerpt.
    pub fn place_of(&self, position: usize) -> usize {
        self.places[position]
    }

    /// The place of the entry at a position, if it exists and regular entries may refer to it.
    pub fn regular_place_of(&self, position: usize) -> Option<usize> {
        let is_regular = self.core.binary_search(&position).is_err();
        self.places.get(position).copied().filter(|_| is_regular)
    }

    /// All places, ascending.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// The position in the excerpt of the entry at a place; `None` if that entry is left out.
    pub fn position(&self, place: usize) -> Option<usize> {
        self.places.binary_search(&place).ok()
    }

    /// The length of the list of the whole model.
    pub fn total(&self) -> usize {
        self.total
    }
}

/// Whether some, but not all, of the members around a gap are among the ascending indices.
fn is_interrupted(gap: &Gap, met: &[i64]) -> bool {
    let seam = gap.seam();
    let wanted = seam.clone().filter(|index| !gap.left_out.contains(index));
    let found = met.iter().filter(|index| seam.contains(index)).count();
    !gap.is_empty() && found > 0 && found != wanted.count()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn domain(family: u32, indices: &[i64], gaps: &Arc<[Gap]>) -> Domain {
        let member = Member { family, indices: indices.to_vec(), label: String::new(), gaps: gaps.clone() };
        Domain { extents: Vec::new(), member: Some(Arc::new(member)) }
    }

    #[test]
    fn entries_of_members_left_out_are_counted() {
        let gaps: Arc<[Gap]> = Arc::new([Gap { left_out: 4..104, reach: 1 }]);
        let kept = || (0..4).chain(104..108);
        // A scalar, two entries per member, and the family again.
        let mut list = vec![Domain::scalar()];
        list.extend(kept().flat_map(|i| [domain(0, &[i], &gaps), domain(0, &[i], &gaps)]));
        list.extend(kept().map(|i| domain(0, &[i], &gaps)));
        let numbering = Numbering::of(&list).unwrap();
        assert_eq!(numbering.total(), 1 + 2 * 108 + 108);
        assert_eq!(numbering.places()[1..5], [1, 2, 3, 4]);
        assert_eq!(numbering.place_of(1 + 2 * 4), 1 + 2 * 104);
        assert_eq!(numbering.place_of(17), 217);
        assert_eq!(numbering.position(217), Some(17));
        assert_eq!(numbering.position(100), None);
    }

    #[test]
    fn both_dimensions_of_a_box_have_gaps() {
        let gaps: Arc<[Gap]> = Arc::new([Gap { left_out: 2..5, reach: 1 }, Gap { left_out: 3..9, reach: 1 }]);
        let rows = || (0..2).chain(5..7);
        let list: Vec<Domain> = rows()
            .flat_map(|i| (0..3).chain(9..12).map(move |j| (i, j)))
            .map(|(i, j)| domain(0, &[i, j], &gaps))
            .collect();
        let numbering = Numbering::of(&list).unwrap();
        for (domain, &place) in list.iter().zip(numbering.places()) {
            let indices = &domain.member.as_ref().unwrap().indices;
            assert_eq!(place as i64, 12 * indices[0] + indices[1]);
        }
        assert_eq!(numbering.total(), 7 * 12);
    }

    #[test]
    fn a_family_that_ends_in_a_seam_is_torn() {
        let gaps: Arc<[Gap]> = Arc::new([Gap { left_out: 4..104, reach: 1 }]);
        let list: Vec<Domain> = (0..4).map(|i| domain(0, &[i], &gaps)).collect();
        assert_eq!(Numbering::of(&list), Err(Torn));
    }
}

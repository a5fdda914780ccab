//! Where an element or instance belongs: to a family, at which indices.
//!
//! In: extents and indices. Out: the link that travels with every unknown, parameter and equation through working
//! system and formulations, so that programs and tables can recover the loops.
//!
//! A model may be an *excerpt* of a larger one: of a long family it has the members near the ends, and none in between
//! ([`Gap`]). Indices, names and positions are those of the larger model.

use std::ops::Range;
use std::sync::Arc;

/// Where an unknown, parameter or equation belongs: nowhere (a scalar of its own), or to a family.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Domain {
    /// Extents of the family, one per index; empty for a scalar.
    pub extents: Vec<usize>,
    /// Which member of which family it is; `None` in a model without families.
    pub member: Option<Arc<Member>>,
}

/// A member of a family.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Position of the family among the equations, unknowns or parameters of the
    /// [`FamilyModel`](super::family::FamilyModel).
    pub family: u32,
    /// Values of its indices; none for a scalar.
    pub indices: Vec<i64>,
    /// `equation 4[i = 17]`, `q[3]`.
    pub label: String,
    /// The gaps of the family, index by index; empty if no members are left out.
    pub gaps: Arc<[Gap]>,
}

/// Members that an excerpt leaves out along one index, because they are treated like their neighbours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Gap {
    /// The values of the index that are left out.
    pub left_out: Range<i64>,
    /// Members within this distance of those left out may have a neighbour from the other side, and do not represent
    /// others.
    pub reach: i64,
}

impl Gap {
    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.left_out.is_empty()
    }

    /// The members around the gap that no regular member may refer to.
    pub fn core(&self) -> Range<i64> {
        self.left_out.start - self.reach..self.left_out.end + self.reach
    }

    /// The members around the gap that do not represent others: they may refer to its core.
    pub fn seam(&self) -> Range<i64> {
        self.left_out.start - 2 * self.reach..self.left_out.end + 2 * self.reach
    }

    /// An index among those that are not left out; `None` for one that is.
    pub fn folded(&self, index: i64) -> Option<i64> {
        match () {
            () if self.is_empty() || index < self.left_out.start => Some(index),
            () if index >= self.left_out.end => Some(index - self.size() as i64),
            () => None,
        }
    }

    /// The number of values left out.
    pub fn size(&self) -> usize {
        usize::try_from(self.left_out.end - self.left_out.start).unwrap_or(0)
    }
}

impl Member {
    /// The indices, each with the gap along it.
    fn along_gaps(&self) -> impl Iterator<Item = (&i64, &Gap)> {
        self.indices.iter().zip(self.gaps.iter()).filter(|(_, gap)| !gap.is_empty())
    }

    /// Whether it is close to members left out, and so does not represent them.
    pub fn is_at_seam(&self) -> bool {
        self.along_gaps().any(|(index, gap)| gap.seam().contains(index))
    }

    /// Whether no regular member may refer to it.
    pub fn is_at_core(&self) -> bool {
        self.along_gaps().any(|(index, gap)| gap.core().contains(index))
    }
}

impl Domain {
    /// The domain of a scalar.
    pub fn scalar() -> Self {
        Self::default()
    }

    /// Whether it is a member of an array or of a family of equations.
    pub fn is_family(&self) -> bool {
        self.member.as_ref().is_some_and(|member| !member.indices.is_empty())
    }

    /// Whether this is the domain of a scalar, or of the first member of a family, which no excerpt leaves out.
    pub fn is_first(&self) -> bool {
        self.member.as_ref().is_none_or(|member| member.indices.iter().all(|&index| index == 0))
    }

    /// See [`Member::is_at_seam`].
    pub fn is_at_seam(&self) -> bool {
        self.member.as_ref().is_some_and(|member| member.is_at_seam())
    }

    /// See [`Member::is_at_core`].
    pub fn is_at_core(&self) -> bool {
        self.member.as_ref().is_some_and(|member| member.is_at_core())
    }

    /// Number of members of the family, 1 for a scalar.
    pub fn size(&self) -> usize {
        self.extents.iter().product()
    }
}

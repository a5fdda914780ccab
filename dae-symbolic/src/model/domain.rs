//! Where an element or instance belongs: the family, and the indices in it.
//!
//! In: extents and indices. Out: the link that travels with every unknown, parameter and equation through the working
//! system and the formulations, so that programs and tables can recover the loops.
//!
//! A model may be an *excerpt* of a larger one: of a long family it has the members near the ends, and none in between
//! ([`Gap`]). Indices and names are those of the larger model.

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
    /// Its name: `equation 4[i = 17]`, `q[3]`.
    pub label: String,
    /// The gaps of the family, index by index; empty if no members are left out.
    pub gaps: Arc<[Gap]>,
}

/// The members that an excerpt leaves out along one index, because they are treated like their neighbours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Gap {
    /// The values of the index that are left out.
    pub left_out: Range<i64>,
    /// How far indices reach: members within this distance of those left out may have a neighbour from the other side
    /// of the gap.
    pub reach: i64,
}

impl Gap {
    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.left_out.is_empty()
    }

    /// The values of the index that are left out or within `reach` of those. No regular member refers to a member
    /// there.
    pub fn core(&self) -> Range<i64> {
        self.left_out.start - self.reach..self.left_out.end + self.reach
    }

    /// The values of the index that are left out or within twice `reach` of those: their members do not represent
    /// others, because they may refer to the core.
    pub fn seam(&self) -> Range<i64> {
        self.left_out.start - 2 * self.reach..self.left_out.end + 2 * self.reach
    }

    /// An index renumbered as if those left out did not exist; `None` for one of these.
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
    /// The indices along which members are left out, each with the gap.
    fn along_gaps(&self) -> impl Iterator<Item = (&i64, &Gap)> {
        self.indices.iter().zip(self.gaps.iter()).filter(|(_, gap)| !gap.is_empty())
    }

    /// Whether it is so close to members left out that it does not represent them.
    pub fn is_at_seam(&self) -> bool {
        self.along_gaps().any(|(index, gap)| gap.seam().contains(index))
    }

    /// Whether it is a member to which no regular member may refer.
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

    /// Whether this is the domain of a scalar, or of the first element of an array, which no excerpt leaves out.
    pub fn is_first(&self) -> bool {
        self.member.as_ref().is_none_or(|member| member.indices.iter().all(|&index| index == 0))
    }

    /// Whether this is the domain of a member that is so close to members left out that it does not represent them.
    pub fn is_at_seam(&self) -> bool {
        self.member.as_ref().is_some_and(|member| member.is_at_seam())
    }

    /// Whether this is the domain of a member to which no regular member may refer.
    pub fn is_at_core(&self) -> bool {
        self.member.as_ref().is_some_and(|member| member.is_at_core())
    }

    /// Number of members of the whole family, 1 for a scalar.
    pub fn size(&self) -> usize {
        self.extents.iter().product()
    }
}

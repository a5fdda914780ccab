//! Which members of arrays and loops an excerpt has.
//!
//! In: gaps, one per index. Out: [`Excerpt`], an argument of [`instantiate_excerpt`](super::instantiate_excerpt).

use std::sync::Arc;

use super::FamilyModel;
use crate::model::Gap;

/// The gaps of everything that has indices, one for each loop or extent; lists are in the order of the family model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Gaps of the equations.
    pub equations: Vec<Arc<[Gap]>>,
    /// Gaps of the arrays of unknowns.
    pub unknowns: Vec<Arc<[Gap]>>,
    /// Gaps of the arrays of parameters.
    pub parameters: Vec<Arc<[Gap]>>,
    /// Gaps of the named sub-expressions.
    pub definitions: Vec<Arc<[Gap]>>,
    /// Gaps of the start values.
    pub starts: Vec<Arc<[Gap]>>,
}

impl Excerpt {
    /// The excerpt that leaves nothing out.
    pub fn whole(model: &FamilyModel) -> Self {
        Excerpt::with(model, |_, _| Gap::default())
    }

    /// The excerpt with a gap for each index; `gap` is called with each item and the number of the index.
    pub fn with(model: &FamilyModel, gap: impl Fn(Indexed, usize) -> Gap) -> Self {
        let gaps = |of: Indexed, count: usize| (0..count).map(|k| gap(of, k)).collect();
        let list = |counts: Vec<usize>, of: fn(usize) -> Indexed| {
            counts.into_iter().enumerate().map(|(k, count)| gaps(of(k), count)).collect()
        };
        Excerpt {
            equations: list(model.equations.iter().map(|e| e.loops.len()).collect(), Indexed::Equation),
            unknowns: list(model.unknowns.iter().map(|u| u.extents.len()).collect(), Indexed::Unknown),
            parameters: list(model.parameters.iter().map(|p| p.extents.len()).collect(), Indexed::Parameter),
            definitions: list(model.definitions.iter().map(|d| d.loops.len()).collect(), Indexed::Definition),
            starts: list(model.starts.iter().map(|s| s.loops.len()).collect(), Indexed::Start),
        }
    }
}

/// An item with indices, by its position among items of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Indexed {
    /// An equation.
    Equation(usize),
    /// An array of unknowns.
    Unknown(usize),
    /// An array of parameters.
    Parameter(usize),
    /// A named sub-expression.
    Definition(usize),
    /// A start value.
    Start(usize),
}

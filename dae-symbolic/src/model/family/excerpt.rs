//! Which members of arrays and loops an excerpt has.
//!
//! In: gaps, one per index. Out: [`Excerpt`], what [`instantiate_excerpt`](super::instantiate_excerpt) asks.

use std::sync::Arc;

use super::FamilyModel;
use crate::model::Gap;

/// Gaps of everything that has indices, one per loop or extent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Of the equations.
    pub equations: Vec<Arc<[Gap]>>,
    /// Of the arrays of unknowns.
    pub unknowns: Vec<Arc<[Gap]>>,
    /// Of the arrays of parameters.
    pub parameters: Vec<Arc<[Gap]>>,
    /// Of the named sub-expressions.
    pub definitions: Vec<Arc<[Gap]>>,
    /// Of the start values.
    pub starts: Vec<Arc<[Gap]>>,
}

impl Excerpt {
    /// The whole model.
    pub fn whole(model: &FamilyModel) -> Self {
        Excerpt::with(model, |_, _| Gap::default())
    }

    /// With the gap of each index; `gap` is asked for each thing and the number of the index.
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

/// Something with indices: its position among its like.
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

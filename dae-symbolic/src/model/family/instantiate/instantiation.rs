//! An instantiation under way.
//!
//! In: a family model and an excerpt of it. Out: the number of the first element of each array, and a place for the
//! expressions and findings that arise from the templates.

use std::sync::Arc;

use crate::diagnostic::Diagnostics;
use crate::expr::Dag;
use crate::model::Gap;
use crate::model::family::{Excerpt, FamilyModel};

/// What has been made so far.
pub(super) struct Instantiation<'a> {
    pub(super) family: &'a FamilyModel,
    pub(super) excerpt: &'a Excerpt,
    /// Whether the model has neither arrays nor loops: then expressions are not translated.
    pub(super) scalar: bool,
    pub(super) dag: Dag,
    /// Number of the first element of each array of unknowns and of each array of parameters.
    pub(super) first_unknown: Vec<usize>,
    pub(super) first_parameter: Vec<usize>,
    pub(super) operations: usize,
    pub(super) found: Diagnostics,
}

impl<'a> Instantiation<'a> {
    pub(super) fn new(family: &'a FamilyModel, scalar: bool, excerpt: &'a Excerpt) -> Self {
        let first = |sizes: Vec<usize>| {
            let starts = sizes.iter().scan(0, |before, size| {
                let first = *before;
                *before += size;
                Some(first)
            });
            starts.collect()
        };
        let size = |(extents, gaps): (&[usize], &Arc<[Gap]>)| folded_extents(extents, gaps).iter().product();
        let unknowns = family.unknowns.iter().map(|u| &u.extents[..]).zip(&excerpt.unknowns);
        let parameters = family.parameters.iter().map(|p| &p.extents[..]).zip(&excerpt.parameters);
        Instantiation {
            family,
            excerpt,
            scalar,
            dag: Dag::new(),
            first_unknown: first(unknowns.map(size).collect()),
            first_parameter: first(parameters.map(size).collect()),
            operations: 0,
            found: Diagnostics::new(),
        }
    }
}

/// The extents of an array without the elements that an excerpt leaves out.
pub(super) fn folded_extents(extents: &[usize], gaps: &[Gap]) -> Vec<usize> {
    extents.iter().zip(gaps).map(|(extent, gap)| extent - gap.size()).collect()
}

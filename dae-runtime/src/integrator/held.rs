//! How a run holds its formulation.
//!
//! In: a formulation that outlives the run, or one that the driver has made during the run and shares with its parts.
//! Out: either of them as a [`Dae`].

use std::ops::Deref;
use std::rc::Rc;

use crate::contract::Dae;

/// A formulation that is borrowed or shared.
#[derive(Clone)]
pub(crate) enum Held<'d> {
    Borrowed(&'d dyn Dae),
    Shared(Rc<dyn Dae + 'd>),
}

impl<'d> Deref for Held<'d> {
    type Target = dyn Dae + 'd;

    fn deref(&self) -> &Self::Target {
        match self {
            Held::Borrowed(dae) => *dae,
            Held::Shared(dae) => dae.as_ref(),
        }
    }
}

impl<'d> From<&'d dyn Dae> for Held<'d> {
    fn from(dae: &'d dyn Dae) -> Self {
        Held::Borrowed(dae)
    }
}

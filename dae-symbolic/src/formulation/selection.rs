//! Which equations are the rows of a formulation, and how many times they are differentiated.
//!
//! In: the working system with its differentiated equations. Out: a [`Selection`]: rows, and the constraints below
//! them.

use super::levels::index1_levels;
use crate::alias::Eliminated;
use crate::expr::Expr;
use crate::first_integrals::FirstIntegral;
use crate::index_reduction::Reduced;
use crate::model::{Domain, derivative_name};
use crate::origin::Origin;
use crate::structure::Structure;
use crate::system::{System, SystemEquation};

/// The material that formulations are made from.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// The text as written.
    pub text: &'a System,
    /// The working system.
    pub system: &'a System,
    /// The structure of the working system.
    pub structure: &'a Structure,
    /// The equations of the working system with their derivatives.
    pub reduced: &'a Reduced,
    /// Unknowns that are equal to others or constant, and occur in no other equation.
    pub eliminated: &'a [Eliminated],
    /// Values of the jets at the consistent start of the model, where there is one.
    pub start: &'a dyn Fn(usize, u32) -> Option<f64>,
    /// The time of the start.
    pub t0: f64,
    /// The first integrals that the text declares, in jets.
    pub first_integrals: &'a [FirstIntegral],
    /// See [`Analysis::sufficient_differentiations`](crate::index::Analysis::sufficient_differentiations).
    pub index: Option<u32>,
}

/// A row or constraint in jets, before states are chosen.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) value: Expr,
    pub(super) origin: Origin,
    pub(super) domain: Domain,
    /// $(i, l)$: it stands for $f_i^{(l)}$ of the working system.
    pub(super) place: (usize, u32),
    /// See [`FormEquation::prolonged`](super::FormEquation::prolonged).
    pub(super) prolonged: Option<(usize, u32)>,
}

/// The rows of a form, and the constraints below them.
#[derive(Default)]
pub(super) struct Selection {
    /// One per equation of the system that does not give an eliminated unknown.
    pub(super) rows: Vec<Row>,
    /// The rows that are constraints on lower derivatives, and so must be free of $y'$.
    pub(super) constraints: Vec<usize>,
    /// Lower constraints that become rows with a multiplier each.
    pub(super) enforced: Vec<Row>,
    /// Lower constraints that the form only implies.
    pub(super) implied: Vec<Row>,
    /// Whether the states are those of the rows alone; implied constraints that these cannot express are left out.
    pub(super) states_of_rows: bool,
}

impl Selection {
    /// Enforces the implied constraints that `which` selects.
    pub(super) fn enforce(mut self, which: impl Fn(&Row) -> bool) -> Selection {
        let (enforced, implied) = self.implied.into_iter().partition(which);
        (self.enforced, self.implied) = (enforced, implied);
        self
    }
}

/// An equation of the working system.
pub(super) struct Candidate<'a> {
    pub(super) index: usize,
    pub(super) equation: &'a SystemEquation,
    name: String,
    derivatives: &'a [Expr],
    /// The number of times that it is differentiated for index 1.
    pub(super) level: u32,
}

impl Candidate<'_> {
    /// $f_i^{(l)}$.
    pub(super) fn row(&self, order: u32) -> Row {
        Row {
            name: derivative_name(&self.name, order),
            value: self.derivatives[order as usize],
            origin: self.equation.origin,
            domain: self.equation.domain.clone(),
            place: (self.index, order),
            prolonged: Some((self.equation.text, order)),
        }
    }

    /// The order of its last derivative in the reduced system.
    pub(super) fn last(&self) -> u32 {
        self.derivatives.len() as u32 - 1
    }
}

impl<'a> Material<'a> {
    /// Whether some equation has to be differentiated for index 1.
    pub(crate) fn has_hidden_constraints(&self) -> bool {
        self.candidates().any(|candidate| candidate.level > 0)
    }

    /// The equations, except those that give the eliminated unknowns.
    pub(super) fn candidates(&self) -> impl Iterator<Item = Candidate<'a>> {
        let Material { system, reduced, .. } = *self;
        let mut gives = vec![false; system.equations.len()];
        self.eliminated.iter().for_each(|it| gives[it.equation] = true);
        let levels = index1_levels(self.structure);
        let equations = system.equations.iter().enumerate().filter(move |&(i, _)| !gives[i]);
        equations.map(move |(index, equation)| {
            let derivatives: &[Expr] = &reduced.derivatives[index];
            let level = levels[index].min(derivatives.len() as u32 - 1);
            Candidate { index, equation, name: equation.provenance.name(), derivatives, level }
        })
    }
}

impl std::fmt::Debug for Material<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Material").field("index", &self.index).finish_non_exhaustive()
    }
}

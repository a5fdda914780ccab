//! What is known about a model.
//!
//! In: the findings of the analysis. Out: [`Analysis`], with what follows from it.

use super::array::ArrayRanks;
use super::certificate::{Certificate, GenericRegularity, Grounds, LocalRegularity, Verdict};
use super::limits;
use super::upper_bound::Rewrite;
use crate::expr::{Expr, ParameterId};
use crate::model::Model;
use crate::prolongation::Prolonged;
use crate::structure::Structure;
use crate::system::System;

/// The structural analysis of the text as written, before any equations are combined.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Offsets, structural index and degrees of freedom of the pattern; `None` if it is not square.
    pub structure: Option<Structure>,
    /// Whether the system Jacobian of the text is singular: identically, or at the model's own point; `None` if that is
    /// not known.
    pub jacobian_singular: Option<bool>,
}

/// What is known about a model.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The text as written.
    pub written: Written,
    /// The equations that are reduced.
    pub system: System,
    /// For each combination of equations the factor of the one that it replaces, unless that is a number: nothing is
    /// lost where none of these factors vanishes.
    pub pivots: Vec<Expr>,
    /// Parameters whose defaults make the system Jacobian singular whatever the unknowns are; the verdict is then that
    /// of an exceptional case.
    pub exceptional: Vec<ParameterId>,
    /// Surplus equations of the text, counted from zero, which are not reduced; where an index is certified, they
    /// follow from the others.
    pub redundant: Vec<usize>,
    /// The structure of the equations that are reduced.
    pub structure: Structure,
    /// The replacements that lead from the text to the system.
    pub rewrites: Vec<Rewrite>,
    /// What is proved about the index, and what is not.
    pub certificate: Certificate,
    /// In a sentence, why the pattern of the text does not give the index; `None` if it does, or no exact index is
    /// certified.
    pub explanation: Option<String>,
    /// Ranks of the derivative array of the text for $0, 1, \dots$ differentiations up to the index; empty where they
    /// were not computed.
    pub array_ranks: Vec<ArrayRanks>,
    /// The size, 1, 2 or 3, if the text is a Hessenberg form (Hairer & Wanner II, Sect. VII.1, eqs. (1.13)–(1.15));
    /// `None` if it has none of these forms, or no exact index is certified.
    pub hessenberg: Option<u8>,
    /// The prolongation of the system.
    pub prolonged: Prolonged,
    /// The jets at the model's own consistent point; `None` if none was found, or the model is an excerpt.
    pub jets: Option<Vec<f64>>,
}

impl Analysis {
    /// Whether the system Jacobian is nonsingular for generic values of parameters, unknowns and time.
    pub fn is_generically_regular(&self) -> bool {
        matches!(self.certificate.generic, GenericRegularity::Nonsingular { .. })
    }

    /// How many times to differentiate the equations in search of a contradiction; `None` if none need be sought. One
    /// is sought where the verdict rests on a point that need not be a solution (far away, residuals are mere rounding
    /// compared with their terms, and Jacobians that are singular in the limit are regular), and where there are
    /// redundant equations, because these are only seen to hold at points.
    pub(crate) fn differentiations_in_doubt(&self, limits: &limits::Contradiction) -> Option<u32> {
        let doubtful = match self.certificate.local {
            LocalRegularity::Proven { .. } => false,
            LocalRegularity::Numerical { condition, .. } => condition > limits.condition,
            LocalRegularity::Singular { .. }
            | LocalRegularity::NoConsistentPoint { .. }
            | LocalRegularity::NotAttempted { .. } => self.certificate.grounds() != Grounds::Proved,
        };
        match (doubtful, self.redundant.is_empty()) {
            (true, _) => Some(limits.differentiations),
            (false, false) => Some(1),
            (false, true) => None,
        }
    }

    /// How many times to differentiate the equations of the text that are not redundant so that they determine the
    /// derivatives of all states: the differentiation index or a bound on it; `None` if neither is certified. Where
    /// there are redundant equations, it is the bound for the others, because the redundant ones may have lowered the
    /// index of the text.
    pub fn sufficient_differentiations(&self) -> Option<u32> {
        if !self.redundant.is_empty() {
            return self.certificate.is_regular().then_some(self.certificate.bound);
        }
        match self.certificate.verdict() {
            Verdict::Exact(index) | Verdict::AtMost { bound: index, .. } => Some(index),
            Verdict::NotCertified { .. } => None,
        }
    }

    /// The equations of the text that are not redundant.
    pub fn equations_of_text(&self, model: &mut Model) -> System {
        let chosen: Vec<usize> = self.system.equations.iter().map(|equation| equation.text).collect();
        System::of_equations(model, &chosen)
    }

    /// The dimension of the set of consistent states after $0, 1, \dots$ differentiations; empty where it was not
    /// computed.
    pub fn manifold_dimensions(&self) -> Vec<usize> {
        self.array_ranks.iter().map(ArrayRanks::manifold_dimension).collect()
    }
}

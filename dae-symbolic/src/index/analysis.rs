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

/// The structural analysis of the text as written, before any simplification.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Offsets, structural index and degrees of freedom of the pattern; `None` if it is not square.
    pub structure: Option<Structure>,
    /// Whether the system Jacobian of the text is singular: identically, or at the model's own point.
    pub jacobian_singular: Option<bool>,
}

/// What is known about a model.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The text as written.
    pub written: Written,
    /// The equations that are reduced.
    pub system: System,
    /// The factors by which equations were multiplied when they were combined: nothing is lost where none of them
    /// vanishes.
    pub pivots: Vec<Expr>,
    /// Parameters because of whose defaults the system Jacobian is singular whatever the unknowns are: the verdict is
    /// that of an exceptional case.
    pub exceptional: Vec<ParameterId>,
    /// Equations of the text, counted from zero, that are not reduced because they follow from the others.
    pub redundant: Vec<usize>,
    /// The structure of the equations that are reduced.
    pub structure: Structure,
    /// The replacements that lead from the text to the system.
    pub rewrites: Vec<Rewrite>,
    /// The proofs about the index.
    pub certificate: Certificate,
    /// Why the pattern of the text does not give the index, in a sentence, if it does not.
    pub explanation: Option<String>,
    /// Ranks of the derivative array of the text for $0, 1, \dots$ differentiations up to the index; empty where they were not computed.
    pub array_ranks: Vec<ArrayRanks>,
    /// The size, 1, 2 or 3, if the text is a Hessenberg form (Hairer & Wanner II, Sect. VII.1, eqs. (1.13)–(1.15)).
    pub hessenberg: Option<u8>,
    /// The system with its derivatives.
    pub prolonged: Prolonged,
    /// The jets at the model's own consistent point, if there is one.
    pub jets: Option<Vec<f64>>,
}

impl Analysis {
    /// Whether the system Jacobian is nonsingular for generic values of parameters, unknowns and time.
    pub fn is_generically_regular(&self) -> bool {
        matches!(self.certificate.generic, GenericRegularity::Nonsingular { .. })
    }

    /// How often equations are worth differentiating in search of a contradiction, if the verdict rests on a point that
    /// need not be a solution: far away, residuals are rounding compared with their terms, and Jacobians that are
    /// singular in the limit are regular. Redundant equations are only seen to hold at points.
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

    /// How often to differentiate the equations of the text that are not redundant, so that they determine all first
    /// derivatives, if that is certified: the differentiation index or a bound on it. Redundant equations may have
    /// lowered the index of the text.
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

    /// The dimension of the set of consistent states after $0, 1, \dots$ differentiations; empty where it was not computed.
    pub fn manifold_dimensions(&self) -> Vec<usize> {
        self.array_ranks.iter().map(ArrayRanks::manifold_dimension).collect()
    }
}

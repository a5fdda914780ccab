//! Other notions of index, in the words of a report.
//!
//! In: [`IndexConcepts`] and the certified index. Out: dimensions, reasons, and warnings where a notion disagrees with the
//! index.

use crate::index_concepts::{Arithmetic, FrozenPencil, IndexConcepts, Kronecker, KroneckerStructure, LocalPencil};

/// Other notions of index.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct IndexConceptsReport {
    /// The pencil of a linear system with constant coefficients.
    pub kronecker: Option<KroneckerReport>,
    /// The pencil frozen at the start values, if coefficients vary.
    pub frozen: Option<FrozenReport>,
    /// The grounds of the strangeness index.
    pub strangeness: Option<String>,
    /// The grounds of the perturbation index, and why it differs from the differentiation index where it does; or why
    /// it is not known.
    pub perturbation: Option<String>,
    /// Warnings about numbers that may mislead a reader.
    pub warnings: Vec<String>,
}

/// The structure of the pencil $(E, A)$ of the first-order form, computed exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct KroneckerReport {
    /// `regular` or `singular`.
    pub pencil: &'static str,
    /// Dimension of the part with finite eigenvalues; `None` for a singular pencil.
    pub finite: Option<usize>,
    /// Sizes of the nilpotent blocks, descending.
    pub nilpotent: Vec<usize>,
    /// Characteristic values $(r, a, s)$ of Kunkel and Mehrmann, until $s = 0$.
    pub characteristic_values: Vec<[usize; 3]>,
    /// For a singular pencil: what may be added to any solution, for every function φ, as in `x = φ'`, `y = -φ`.
    pub null_vector: Vec<String>,
    /// For a singular pencil: a combination of equations in which all unknowns cancel.
    pub dependent_equations: Option<String>,
    /// Whether coefficients depend on parameters; these are taken at their defaults.
    pub at_default_parameters: bool,
}

/// The pencil frozen at the start values.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FrozenReport {
    /// `regular` or `singular`.
    pub pencil: &'static str,
    /// The index of a regular pencil.
    pub index: Option<u32>,
    /// Time at which it was frozen.
    pub t0: f64,
    /// The arithmetic of the ranks: `exact` or `numerical`.
    pub arithmetic: &'static str,
}

impl IndexConceptsReport {
    /// `ill_posed`: the model was rejected, or its fixed start values contradict the equations.
    pub(super) fn new(concepts: &IndexConcepts, index: Option<u32>, ill_posed: bool) -> Self {
        let frozen = concepts.frozen.as_ref();
        let warning = frozen.and_then(|f| frozen_warning(f, index, ill_posed));
        IndexConceptsReport {
            kronecker: concepts.kronecker.as_ref().map(KroneckerReport::new),
            frozen: frozen.map(FrozenReport::new),
            strangeness: concepts.strangeness.as_ref().map(|s| s.reason.to_string()),
            perturbation: concepts.perturbation.as_ref().map(|p| p.reason.clone()),
            warnings: warning.into_iter().collect(),
        }
    }
}

impl KroneckerReport {
    fn new(kronecker: &Kronecker) -> Self {
        let nothing = KroneckerReport {
            pencil: "",
            finite: None,
            nilpotent: Vec::new(),
            characteristic_values: Vec::new(),
            null_vector: Vec::new(),
            dependent_equations: None,
            at_default_parameters: kronecker.at_defaults,
        };
        match &kronecker.structure {
            KroneckerStructure::Regular { weierstrass, characteristic } => KroneckerReport {
                pencil: "regular",
                finite: Some(weierstrass.finite),
                nilpotent: weierstrass.nilpotent.clone(),
                characteristic_values: characteristic
                    .iter()
                    .map(|c| [c.differential, c.algebraic, c.strangeness])
                    .collect(),
                ..nothing
            },
            KroneckerStructure::Singular(vectors) => KroneckerReport {
                pencil: "singular",
                null_vector: vectors.solution.clone(),
                dependent_equations: vectors.combination.clone(),
                ..nothing
            },
        }
    }

    /// `2 finite eigenvalues, nilpotent blocks of size 2, 1`, or that the pencil is singular.
    pub(super) fn sentence(&self) -> String {
        let at = if self.at_default_parameters { ", for the default parameters" } else { "" };
        match self.finite {
            Some(finite) => {
                let sizes: Vec<String> = runs(&self.nilpotent);
                let blocks = match sizes.is_empty() {
                    true => "no nilpotent block".into(),
                    false => format!("nilpotent blocks of size {}", sizes.join(", ")),
                };
                format!("{finite} finite eigenvalue{}, {blocks}{at}", if finite == 1 { "" } else { "s" })
            }
            None => format!("the pencil is singular{at}"),
        }
    }
}

/// `3, 1, 1, 1` as `3`, `1 (3 times)`.
fn runs(sizes: &[usize]) -> Vec<String> {
    sizes
        .chunk_by(|a, b| a == b)
        .map(|run| match run.len() {
            1 => run[0].to_string(),
            n => format!("{} ({n} times)", run[0]),
        })
        .collect()
}

impl FrozenReport {
    fn new(frozen: &FrozenPencil) -> Self {
        let (pencil, index) = match frozen.pencil {
            LocalPencil::Index(index) => ("regular", Some(index)),
            LocalPencil::Singular => ("singular", None),
        };
        let arithmetic = match frozen.arithmetic {
            Arithmetic::Exact => "exact",
            Arithmetic::Numerical => "numerical",
        };
        FrozenReport { pencil, index, t0: frozen.t0, arithmetic }
    }
}

/// A warning if the frozen pencil suggests a different conclusion.
fn frozen_warning(frozen: &FrozenPencil, index: Option<u32>, ill_posed: bool) -> Option<String> {
    let at = format!("frozen at t = {}, the coefficients make a", frozen.t0);
    let methods = "methods that hold coefficients over a step may fail";
    match (frozen.pencil, index) {
        (LocalPencil::Index(local), Some(index)) if local != index => {
            Some(format!("{at} pencil of index {local}, but the index of the system is {index}: {methods}"))
        }
        (LocalPencil::Singular, Some(index)) => {
            Some(format!("{at} singular pencil, although the system has the index {index}: {methods}"))
        }
        (LocalPencil::Index(local), None) if ill_posed => Some(format!(
            "{at} regular pencil of index {local}, which suggests a solution, yet the system is ill-posed: regularity of frozen \
             pencils says nothing about coefficients that vary"
        )),
        _ => None,
    }
}

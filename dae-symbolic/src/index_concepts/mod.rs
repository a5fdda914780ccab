//! Notions of index other than the differentiation index.
//!
//! In: a model and what its analysis found. Out: [`IndexConcepts`], each with its grounds; `None` where a notion does
//! not apply or is not known. All refer to the first-order form (`first_order.rs`) at the default parameters.
//!
//! | file | notion | source |
//! |---|---|---|
//! | `pencil.rs`, `weierstrass.rs` | index of nilpotency (Kronecker index), Weierstrass dimensions, singular pencils | Hairer & Wanner II, Sect. VII.1, Theorem 1.1 |
//! | `strangeness.rs` | characteristic values, strangeness index | Kunkel & Mehrmann 2006, Theorem 3.7 |
//! | `frozen.rs` | index of the frozen pencil | Gear & Petzold (1983), Hairer (2011), Sect. V.6 |
//! | `cases/` | values of parameters and unknowns where the index differs | Campbell, Linh & Petzold, eq. (9) |
//! | `perturbation.rs`, `involutive.rs` | perturbation index | Hairer & Wanner II, Sect. VII.1, Definition 1.3 |

#[cfg(feature = "report")]
pub mod cases;
mod first_order;
#[cfg(feature = "report")]
mod frozen;
#[cfg(feature = "report")]
mod involutive;
mod linear;
pub mod pencil;
#[cfg(feature = "report")]
mod perturbation;
mod singular;
mod strangeness;
mod weierstrass;

#[cfg(feature = "report")]
pub use cases::Case;
use first_order::{FirstOrder, Linearity};
#[cfg(feature = "report")]
pub use frozen::{Arithmetic, FrozenPencil, LocalPencil};
pub use pencil::Pencil;
#[cfg(feature = "report")]
pub use perturbation::Perturbation;
pub use singular::{singular_pencil, with_null_vectors};
pub use strangeness::{Characteristic, Reduction, reduce};
use weierstrass::PencilStructure;
pub use weierstrass::Weierstrass;

#[cfg(feature = "report")]
use crate::index::{Analysis, Verdict};
use crate::model::Model;

/// Notions of index other than the differentiation index.
#[cfg(feature = "report")]
#[derive(Clone, Debug, PartialEq)]
pub struct IndexConcepts {
    /// The pencil of a linear system with constant coefficients.
    pub kronecker: Option<Kronecker>,
    /// The pencil frozen at the start point, where the coefficients vary.
    pub frozen: Option<FrozenPencil>,
    /// The strangeness index.
    pub strangeness: Option<Strangeness>,
    /// The perturbation index.
    pub perturbation: Option<Perturbation>,
    /// Conditions under which the index differs.
    pub cases: Vec<Case>,
}

/// The pencil of a linear system with constant coefficients, exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Kronecker {
    /// Regular or singular.
    pub structure: KroneckerStructure,
    /// Whether coefficients depend on parameters, which are at their defaults then.
    pub at_defaults: bool,
}

/// The structure of the pencil.
#[derive(Clone, Debug, PartialEq)]
pub enum KroneckerStructure {
    /// Regular.
    Regular {
        /// The dimensions of its Weierstrass form.
        weierstrass: Weierstrass,
        /// Its characteristic values.
        characteristic: Vec<Characteristic>,
    },
    /// Singular: the model is ill-posed.
    Singular(NullVectors),
}

impl Kronecker {
    /// The dimensions of a regular pencil.
    pub fn weierstrass(&self) -> Option<&Weierstrass> {
        match &self.structure {
            KroneckerStructure::Regular { weierstrass, .. } => Some(weierstrass),
            KroneckerStructure::Singular(_) => None,
        }
    }
}

/// Null vectors of a singular pencil in the names of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NullVectors {
    /// The function that may be added to any solution, for every φ: `x = φ'`, `y = -φ`.
    pub solution: Vec<String>,
    /// The combination of equations that vanishes: `equation 1 - der(equation 2)`.
    pub combination: Option<String>,
}

/// The strangeness index and its grounds.
#[cfg(feature = "report")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strangeness {
    /// $\mu$.
    pub index: u32,
    /// The reason in a sentence.
    pub reason: &'static str,
}

/// Whether the equations are linear in the unknowns.
pub(crate) fn is_linear(model: &mut Model) -> bool {
    FirstOrder::of_model(model).linearity < Linearity::Nonlinear
}

/// Examines a model; `analysis` is `None` for one that was rejected.
#[cfg(feature = "report")]
pub fn examine(model: &Model, analysis: Option<&Analysis>, t0: f64) -> IndexConcepts {
    let model = &mut model.clone();
    let nothing =
        IndexConcepts { kronecker: None, frozen: None, strangeness: None, perturbation: None, cases: Vec::new() };
    if !is_scalar(model) {
        return nothing;
    }
    let form = FirstOrder::of_model(model);
    let kronecker = kronecker(model, &form);
    let frozen = match form.linearity {
        Linearity::Constant => None,
        Linearity::TimeVarying | Linearity::Nonlinear => frozen_pencil(model, &form, analysis, t0),
    };
    let weierstrass = kronecker.as_ref().and_then(Kronecker::weierstrass);
    // Both are defined only if there are as many equations as unknowns.
    let square = analysis.filter(|_| model.equations.len() == model.unknowns.len());
    let perturbation = square.map(|analysis| perturbation::perturbation(model, &form, weierstrass, analysis, t0));
    let strangeness = strangeness_index(kronecker.as_ref(), square);
    let cases = square.map_or_else(Vec::new, |analysis| cases::cases(model, analysis, t0));
    IndexConcepts { kronecker, frozen, strangeness, perturbation, cases }
}

/// Whether no equation and no unknown stands for a family.
fn is_scalar(model: &Model) -> bool {
    model.equations.iter().all(|e| e.domain.size() == 1) && model.unknowns.iter().all(|u| u.domain.size() == 1)
}

fn kronecker(model: &mut Model, form: &FirstOrder) -> Option<Kronecker> {
    if form.linearity != Linearity::Constant {
        return None;
    }
    let pencil = linear::pencil(model, form, None).ok()?;
    let structure = match pencil.structure() {
        PencilStructure::Regular(weierstrass) => {
            KroneckerStructure::Regular { weierstrass, characteristic: reduce(&pencil).values }
        }
        PencilStructure::Singular { right, left } => KroneckerStructure::Singular(NullVectors {
            solution: right.map_or_else(Vec::new, |right| linear::right_null_vector(model, form, &right)),
            combination: left.map(|left| linear::left_null_vector(model, &left)),
        }),
    };
    Some(Kronecker { structure, at_defaults: form.with_parameters })
}

/// The null vectors of a model that is linear with constant coefficients and has a singular pencil.
pub fn null_vectors(model: &Model) -> Option<NullVectors> {
    if !is_scalar(model) {
        return None;
    }
    let model = &mut model.clone();
    let form = FirstOrder::of_model(model);
    match kronecker(model, &form)?.structure {
        KroneckerStructure::Singular(vectors) => Some(vectors),
        KroneckerStructure::Regular { .. } => None,
    }
}

#[cfg(feature = "report")]
fn frozen_pencil(model: &mut Model, form: &FirstOrder, analysis: Option<&Analysis>, t0: f64) -> Option<FrozenPencil> {
    let Some((analysis, jets)) = analysis.and_then(|a| Some((a, a.jets.as_ref()?))) else {
        return frozen::frozen(model, form, t0, None);
    };
    let jet = |unknown, order| analysis.prolonged.jet(unknown, order).map(|k| jets[k]);
    frozen::frozen(model, form, t0, Some(&jet))
}

/// From the exact characteristic values where they are known; otherwise $\mu = \max(0, \nu - 1)$.
#[cfg(feature = "report")]
fn strangeness_index(kronecker: Option<&Kronecker>, analysis: Option<&Analysis>) -> Option<Strangeness> {
    if let Some(KroneckerStructure::Regular { characteristic, .. }) = kronecker.map(|k| &k.structure) {
        let index = characteristic.len() as u32 - 1;
        return Some(Strangeness { index, reason: "exact characteristic values of the pencil" });
    }
    match analysis?.certificate.verdict() {
        Verdict::Exact(index) => Some(Strangeness {
            index: index.saturating_sub(1),
            reason: "the differentiation index less one, under the constant-rank hypothesis of Kunkel and Mehrmann near the start values",
        }),
        Verdict::AtMost { .. } | Verdict::NotCertified { .. } => None,
    }
}

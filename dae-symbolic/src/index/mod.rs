//! The index: found structurally, certified where it can be, claimed no further than proved.
//!
//! In: a model. Out: an [`Analysis`]: the structure of the text as written, the working system that is reduced (the text, or
//! combinations of its equations where leading parts cancel), its offsets, and a [`Certificate`].
//!
//! What is proved, and by what:
//!
//! * **Upper bound** (`generic.rs`). A nonsingular system Jacobian $J_{ij} = \partial f_i / \partial x_j^{(d_j - c_i)}$ proves that
//!   the equations differentiated $c_i$ times determine all highest derivatives, that the system has $\sum d_j - \sum c_i$ degrees of
//!   freedom, and that the differentiation index is at most $\max c_i$, plus one if some $d_j = 0$ (more where equations were combined,
//!   see `upper_bound`). One nonzero value
//!   of $\det J$ in a prime field proves that it is not identically zero.
//! * **At the model's own point** (`local.rs`). $J$ is regular at the consistent point that the start values lead to, for the
//!   default parameters; by an interval proof where it succeeds (`proof.rs`), otherwise in floating-point arithmetic.
//! * **Lower bound** (`witness.rs`). At that point the derivative array with one differentiation less is not 1-full. If it is, and
//!   provably stays so nearby, the bound comes down.
//!
//! Only with all three is the answer `differentiation_index`; else it is an upper bound, or none, with the reason.

pub mod array;
mod certificate;
mod generic;
mod hessenberg;
mod kinks;
mod local;
mod problem;
mod proof;
mod witness;

pub use certificate::{Certificate, GenericRegularity, LocalRegularity, LowerBound, Persistence, Shortfall, Verdict};
pub use generic::generic_rank;
pub use kinks::differentiated_kinks;
pub use problem::{Problem, ProblemKind};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::total_derivative;
use crate::model::Model;
use crate::prolong::{Prolonged, prolong};
use crate::structure::{
    Incidence, Offsets, SignatureMatrix, StructurallySingular, Structure, analyse as analyse_structure,
    dulmage_mendelsohn,
};
use crate::system::{System, combine, written_orders};

/// The structural analysis of the text as written, before any simplification.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Offsets, structural index and degrees of freedom of the pattern.
    pub structure: Structure,
    /// Whether the system Jacobian of the text is singular: identically, or at the model's own point.
    pub jacobian_singular: Option<bool>,
}

/// An equation that was replaced by a combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// Which equation of the text, from zero.
    pub equation: usize,
    /// What it was replaced by, in terms of the text.
    pub combination: String,
}

/// What is known about a model.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The text as written.
    pub written: Written,
    /// The equations that are reduced.
    pub system: System,
    /// Their structure.
    pub structure: Structure,
    /// What was replaced to get from the text to the system.
    pub rewrites: Vec<Rewrite>,
    /// What is proved.
    pub certificate: Certificate,
    /// 1, 2 or 3 if the text is a Hessenberg form of that size (`000_fbf9ee3ffe929a9e` eqs. (1.13)–(1.15)).
    pub hessenberg: Option<u8>,
    /// The system with its derivatives.
    pub prolonged: Prolonged,
    /// The jets at the model's own consistent point, if there is one.
    pub jets: Option<Vec<f64>>,
}

/// Analyses a model that passed the verifier. `t0` is the time at which the model's start values hold.
pub fn analyse(model: &mut Model, t0: f64) -> Result<Analysis, (Problem, Diagnostics)> {
    let written = structure_of_text(model)?;
    let Understood { system, structure, rewrites, generic, text_is_singular } = understand(model)?;
    let regular = matches!(generic, GenericRegularity::Nonsingular { .. });
    let offsets = if regular { lifted(model, &structure.offsets) } else { undifferentiated(model, &system) };
    check_growth(model, &system, &offsets)?;
    let prolonged = prolong(model, &system, &offsets).map_err(|unplaced| internal(model, unplaced.0))?;
    let (local, jets) = match regular {
        true => local::regularity(model, &prolonged, t0),
        false => (LocalRegularity::NotAttempted { reason: "the system Jacobian is identically singular".into() }, None),
    };
    let bound = upper_bound(model, &system, &structure.offsets);
    let lower = match (&local, &jets) {
        (LocalRegularity::Numerical { .. } | LocalRegularity::Proven { .. }, Some(jets)) => {
            witness::lower_bound(model, &system, &prolonged, jets, t0, bound)
        }
        _ => LowerBound::NotAttempted { reason: "no consistent point at which the system Jacobian is regular".into() },
    };
    let singular_here = rewrites.is_empty() && matches!(local, LocalRegularity::Singular { .. });
    let written =
        Written { structure: written, jacobian_singular: if singular_here { Some(true) } else { text_is_singular } };
    let certificate = Certificate { bound, generic, local, lower };
    let hessenberg = hessenberg::classify(model, &written.structure, &certificate);
    Ok(Analysis { written, system, structure, rewrites, certificate, hessenberg, prolonged, jets })
}

/// The working system and whether its Jacobian is generically nonsingular.
struct Understood {
    system: System,
    structure: Structure,
    rewrites: Vec<Rewrite>,
    generic: GenericRegularity,
    /// Whether the system Jacobian of the text, before any rewriting, is identically singular; `None` if that is undecided.
    text_is_singular: Option<bool>,
}

/// Starts from the text, and combines equations as long as the system Jacobian is identically singular and a combination mends it.
fn understand(model: &mut Model) -> Result<Understood, (Problem, Diagnostics)> {
    let mut system = System::of_text(model);
    let mut structure = structure_of_system(model, &system)?;
    let mut generic = generic_regularity(model, &system, &structure);
    let text_is_singular = match generic {
        GenericRegularity::Nonsingular { .. } => Some(false),
        GenericRegularity::Singular { .. } => Some(true),
        GenericRegularity::Undecided { .. } => None,
    };
    let mut rewrites = Vec::new();
    while matches!(generic, GenericRegularity::Singular { .. }) {
        let mut combined = system.clone();
        let Some(equation) = combine(&mut model.dag, &mut combined, &structure.offsets) else { break };
        let lower = structure_of_system(model, &combined).map_err(|(problem, found)| {
            (problem, problem::after_combination(model, &combined.equations[equation], found))
        })?;
        // Every combination that cancels leading parts lowers the number of degrees of freedom that the structure allows, so that
        // this ends; one that does not has cancelled nothing in canonical form.
        if lower.degrees_of_freedom >= structure.degrees_of_freedom {
            break;
        }
        (system, structure) = (combined, lower);
        rewrites.push(Rewrite { equation, combination: system.equations[equation].provenance.name() });
        generic = generic_regularity(model, &system, &structure);
    }
    Ok(Understood { system, structure, rewrites, generic, text_is_singular })
}

fn generic_regularity(model: &mut Model, system: &System, structure: &Structure) -> GenericRegularity {
    let jacobian = system.jacobian(&mut model.dag, &structure.offsets);
    generic::regularity(model, structure.transversal.len(), &jacobian)
}

/// $\max_i (c_i + r_i) + \max_j (\max(p_j, 1) - d_j)^+$, where equation $i$ of the system contains derivatives of the text up to $r_i$: with
/// $c_i$ differentiations the $x_j^{(d_j)}$ are determined, and what is asked for are the $x_j^{(\max(p_j, 1))}$ of the text. As long as nothing
/// was combined, $d_j \ge p_j$, and the second term is one if some $d_j = 0$.
fn upper_bound(model: &Model, system: &System, offsets: &Offsets) -> u32 {
    let orders = system.equations.iter().zip(&offsets.equations);
    let highest = orders.map(|(e, c)| c + e.provenance.differentiations()).max().unwrap_or(0);
    let missing = written_orders(model).into_iter().zip(&offsets.unknowns).map(|(p, &d)| p.max(1).saturating_sub(d));
    highest + missing.max().unwrap_or(0)
}

/// The offsets, all raised alike as far as the jets of the text need it: a combination may have lowered $d_j$ below the order
/// $p_j$ of the text, and its states are to have start values as well; and a start value may be given for a higher derivative.
fn lifted(model: &Model, offsets: &Offsets) -> Offsets {
    let given = model.unknowns.iter().map(|u| u.derivative_starts.iter().map(|&(order, _)| order).max().unwrap_or(0));
    let wanted = written_orders(model).into_iter().zip(given).map(|(p, given)| p.max(given));
    let lift = wanted.zip(&offsets.unknowns).map(|(order, &d)| order.saturating_sub(d)).max().unwrap_or(0);
    let raised = |list: &[u32]| list.iter().map(|&k| k + lift).collect();
    Offsets { equations: raised(&offsets.equations), unknowns: raised(&offsets.unknowns) }
}

/// Sub-expressions that differentiating one equation may add. Derivatives of products of functions double with each order; the compiler
/// that runs this should not hang.
const MAX_GROWTH: usize = 4_000;

/// Differentiates every equation as often as the offsets say, and rejects a model for which that gets out of hand.
fn check_growth(model: &mut Model, system: &System, offsets: &Offsets) -> Result<(), (Problem, Diagnostics)> {
    for (i, equation) in system.equations.iter().enumerate() {
        let budget = model.dag.len() + MAX_GROWTH;
        let mut derivative = equation.residual;
        for order in 1..=offsets.equations[i] {
            derivative = total_derivative(&mut model.dag, derivative);
            if model.dag.len() > budget {
                let name = equation.provenance.name();
                let message = format!(
                    "{name} has to be differentiated {} times, and its derivative of order {order} is too long",
                    offsets.equations[i]
                );
                let diagnostic = Diagnostic::error(Code::TooLong, message)
                    .label(equation.origin, "")
                    .help("give names to parts of it: a `var` with an equation of its own instead of a `let`");
                return Err((Problem::new(ProblemKind::TooLong, model, &[i], &[]), Diagnostics::from(diagnostic)));
            }
        }
    }
    Ok(())
}

/// For a system that is not understood: its equations as they are, in the jets that occur in them.
fn undifferentiated(model: &Model, system: &System) -> Offsets {
    Offsets { equations: vec![0; system.equations.len()], unknowns: written_orders(model) }
}

/// The structural analysis of the text as written.
pub fn structure_of_text(model: &Model) -> Result<Structure, (Problem, Diagnostics)> {
    let rows = model.equations.iter().map(|e| e.incidence.iter().map(|&(j, order)| (j.index(), order)));
    structure(model, SignatureMatrix::from_rows(model.unknowns.len(), rows), "")
}

fn structure_of_system(model: &Model, system: &System) -> Result<Structure, (Problem, Diagnostics)> {
    structure(model, system.signature(&model.dag), "after simplification, ")
}

fn structure(
    model: &Model,
    sigma: Result<SignatureMatrix, crate::structure::InvalidStructure>,
    when: &str,
) -> Result<Structure, (Problem, Diagnostics)> {
    let sigma = sigma.map_err(|invalid| {
        let diagnostic = Diagnostic::error(Code::StructurallySingular, invalid.to_string()).label(model.origin, "");
        (Problem::new(ProblemKind::StructurallySingular, model, &[], &[]), Diagnostics::from(diagnostic))
    })?;
    if sigma.equations() == sigma.unknowns() {
        return analyse_structure(&sigma).map_err(|singular| problem::singular(model, &singular, when));
    }
    Err(problem::not_square(model, &parts(sigma.pattern()), when))
}

fn parts(pattern: &Incidence) -> StructurallySingular {
    let parts = dulmage_mendelsohn(pattern);
    StructurallySingular { overdetermined: parts.overdetermined, underdetermined: parts.underdetermined }
}

/// A symbol that no stage should leave over; said in a sentence rather than by a panic.
fn internal(model: &Model, symbol: crate::expr::Symbol) -> (Problem, Diagnostics) {
    let message = format!("`{}` cannot be placed in the differentiated system", model.symbol_name(symbol));
    let diagnostic = Diagnostic::error(Code::UndeclaredSymbol, message).label(model.origin, "");
    (Problem::new(ProblemKind::StructurallySingular, model, &[], &[]), Diagnostics::from(diagnostic))
}

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
//! * **At the model's own point** (`local.rs`; `exceptional.rs` names parameters because of whose defaults $J$ is
//!   singular at every point). $J$ is regular at the consistent point that the start values lead to, for the default
//!   parameters; by an interval proof where it succeeds (`proof.rs`), otherwise in floating-point arithmetic; and it is
//!   the solution that the start values mean (`solution_branch.rs`).
//! * **Lower bound** (`witness.rs`). At that point the derivative array with one differentiation less is not 1-full: one column of $J^{-1}$
//!   shows a vector of its kernel.
//!
//! With all three the answer is exact. Where one is missing, because the structure is misleading (`linear_combination.rs`
//! combines equations), because $J$ is singular on this solution, because the bound is not attained, or because there
//! are more equations than unknowns (`redundant.rs`), the derivative array itself decides (`array/`): index, no index,
//! or undecided, with the reason. Start values that lie on a switch are examined on both sides of it (`sides.rs`).
//! Where it is not certain that there is a consistent point, all unknowns are eliminated to see whether the equations
//! contradict one another (`elimination/`).

pub mod array;
mod block_proof;
mod certificate;
mod elimination;
pub(crate) mod exceptional;
mod excerpt;
mod generic;
mod hessenberg;
mod kinks;
pub mod limits;
mod linear_combination;
mod local;
mod pivots;
mod problem;
mod proof;
mod redundant;
mod sides;
mod solution_branch;
mod steady;
mod witness;

pub use certificate::{
    Certificate, GenericRegularity, Grounds, KernelVector, LocalRegularity, LowerBound, Unproved, Verdict,
};
pub(crate) use elimination::contradiction;
pub use excerpt::{Insufficient, analyse_excerpt};
pub use generic::generic_rank;
pub use kinks::differentiated_kinks;
pub use limits::Limits;
pub use linear_combination::Rewrite;
pub use problem::{Problem, ProblemKind};

use array::{ArrayFinding, ArrayPoint, ArrayRanks, ArrayVerdict};
use exceptional::{Determinant, exceptional_defaults};
use linear_combination::{Understood, as_written, understand};
use proof::Enclosures;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{
    Dag, Expr, Notation, ParameterId, Symbol, depths, print, reachable, shared_derivatives, total_derivative,
};
use crate::model::Model;
use crate::program::Unplaced;
use crate::prolongation::{Prolonged, prolong};
use crate::structure::{
    Incidence, Offsets, Part, SignatureMatrix, StructurallySingular, Structure, analyse as analyse_structure,
    dulmage_mendelsohn,
};
use crate::system::{System, listed, written_orders};

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

/// Analyses a model that passed the verifier. `t0` is the time at which the model's start values hold.
pub fn analyse(model: &mut Model, t0: f64, limits: &Limits) -> Result<Analysis, (Problem, Diagnostics)> {
    let (analysis, settled) = analyse_as_written(model, t0, limits)?;
    sides::compare(model, analysis, settled, t0, limits)
}

/// The analysis on the branches that evaluation takes at the start values, and what the derivative array rejects it for.
fn analyse_as_written(
    model: &mut Model,
    t0: f64,
    limits: &Limits,
) -> Result<(Analysis, Settled), (Problem, Diagnostics)> {
    check_depth(model, &limits.growth)?;
    if model.equations.len() > model.unknowns.len() {
        return redundant::analyse(model, t0, limits).map(|analysis| (analysis, Ok(())));
    }
    let written = structure_of_text(model)?;
    let system = System::of_text(model);
    let mut analysis = analyse_system(model, system, Some(written), t0, limits)?;
    let settled = settle(model, &mut analysis, t0, limits);
    Ok((analysis, settled))
}

/// Whether the index is settled, or why there is none.
type Settled = Result<(), (Problem, Diagnostics)>;

/// The structural analysis of some equations, after combining them where necessary.
fn analyse_system(
    model: &mut Model,
    system: System,
    written: Option<Structure>,
    t0: f64,
    limits: &Limits,
) -> Result<Analysis, (Problem, Diagnostics)> {
    let mut understood = understand(model, system.clone(), &limits.upper_bound)?;
    let mut offsets = understood.offsets(model);
    if let Err(found) = check_growth(model, &understood.system, &offsets, &limits.growth) {
        if understood.rewrites.is_empty() {
            return Err(found);
        }
        // Combinations that cannot be differentiated are of no use: the derivative array needs none.
        understood = as_written(model, system.clone(), &limits.upper_bound)?;
        offsets = understood.offsets(model);
    }
    let mut prolonged = prolong(model, &understood.system, &offsets);
    if prolonged.is_err() && !understood.rewrites.is_empty() {
        // Nor are those with derivatives beyond the jets that the offsets reach.
        understood = as_written(model, system, &limits.upper_bound)?;
        offsets = understood.offsets(model);
        prolonged = prolong(model, &understood.system, &offsets);
    }
    let prolonged = prolonged.map_err(|unplaced| internal(model, unplaced))?;
    let regular = understood.is_regular();
    let Understood { system, structure, rewrites, pivots, generic, singular_as_written } = understood;
    let exceptional = match regular {
        true => {
            let jacobian = system.jacobian(&mut model.dag, &structure.offsets);
            let determinant = Determinant::of(model, system.equations.len(), jacobian, &pivots, &limits.upper_bound);
            exceptional_defaults(model, &determinant)
        }
        false => Vec::new(),
    };
    let (mut local, mut jets) = match (regular, exceptional.is_empty()) {
        (true, true) => local::regularity(model, &prolonged, t0, limits),
        // Its stages would fix values that the equations are to determine, and blame the start values.
        (true, false) => {
            let message = format!("whatever the unknowns are, for {}", at_defaults(model, &exceptional));
            (LocalRegularity::Singular { t0, message }, None)
        }
        (false, _) => {
            let reason = "the system Jacobian is identically singular".into();
            (LocalRegularity::NotAttempted { reason }, None)
        }
    };
    let bound = upper_bound(model, &system, &structure.offsets);
    if let Some(found) = jets.as_ref().filter(|_| local.is_regular()) {
        let vanishing = |model: &mut Model, jets: &[f64]| {
            pivots::vanishing(model, &prolonged, jets, &pivots, &rewrites, t0, &limits.upper_bound)
        };
        if let Some(message) = vanishing(model, found) {
            local = LocalRegularity::Singular { t0, message };
        } else if let Some((other, message)) =
            solution_branch::singular_jets(model, &prolonged, found, bound, t0, vanishing, limits)
        {
            local = LocalRegularity::Singular { t0, message };
            jets = Some(other);
        }
    }
    let lower = match (&local, &jets) {
        (LocalRegularity::Numerical { condition, .. } | LocalRegularity::Proven { condition, .. }, Some(jets))
            if system.is_text() =>
        {
            let enclosures = Enclosures::new(&prolonged, t0, &limits.local);
            let rows = enclosures.system_jacobian(&enclosures.near(jets, local.radius(&limits.local)));
            witness::lower_bound(&written_orders(model), &structure, &rows, *condition, &limits.lower_bound)
        }
        (LocalRegularity::Numerical { .. } | LocalRegularity::Proven { .. }, Some(_)) => {
            LowerBound::NotAttempted { reason: "equations were combined".into() }
        }
        _ => LowerBound::NotAttempted { reason: "no consistent point at which the system Jacobian is regular".into() },
    };
    let singular_here = rewrites.is_empty() && matches!(local, LocalRegularity::Singular { .. });
    let jacobian_singular = if singular_here { Some(true) } else { singular_as_written };
    let structural_degrees = structure.degrees_of_freedom;
    let certificate = Certificate { bound, structural_degrees, generic, local, lower, array: None };
    Ok(Analysis {
        written: Written { structure: written, jacobian_singular },
        system,
        pivots,
        exceptional,
        redundant: Vec::new(),
        structure,
        rewrites,
        certificate,
        explanation: None,
        array_ranks: Vec::new(),
        hessenberg: None,
        prolonged,
        jets,
    })
}

/// Asks the derivative array where structure does not settle the index, and completes the analysis.
fn settle(model: &mut Model, analysis: &mut Analysis, t0: f64, limits: &Limits) -> Settled {
    let settled = matches!(analysis.certificate.verdict(), Verdict::Exact(_));
    let start = array_start(model, analysis, t0, &limits.array);
    if !settled && analysis.certificate.array.is_none() {
        let finding = judged(model, analysis, &start, &limits.array);
        match &finding.verdict {
            ArrayVerdict::NoIndex(freedom) => return Err(problem::not_unique(model, freedom)),
            ArrayVerdict::Dependent { rows } => return Err(problem::dependent(model, rows)),
            ArrayVerdict::NoConsistentPoint { contradiction, message, .. } if !contradiction.is_empty() => {
                return Err(problem::contradictory(model, contradiction, message));
            }
            ArrayVerdict::Index(_) | ArrayVerdict::NoConsistentPoint { .. } | ArrayVerdict::Undecided { .. } => {}
        }
        analysis.certificate.array = Some(finding);
    }
    if let Verdict::Exact(index) = analysis.certificate.verdict() {
        analysis.array_ranks = match &analysis.certificate.array {
            Some(finding) => finding.ranks.clone(),
            None => array::ranks_up_to(model, &start, index, &limits.array).unwrap_or_default(),
        };
        analysis.explanation = explanation(model, analysis, index);
    }
    analysis.hessenberg = match &analysis.written.structure {
        Some(structure) => hessenberg::classify(model, structure, &analysis.certificate),
        None => None,
    };
    Ok(())
}

/// Jets from which the array is made consistent: those of the prolongation where there are some.
fn array_start(model: &mut Model, analysis: &Analysis, t0: f64, limits: &limits::Array) -> ArrayPoint {
    let parameters = &analysis.prolonged.parameters;
    // Where the system Jacobian is singular, the initialisation may have ended anywhere nearby.
    let Some(jets) = analysis.jets.as_ref().filter(|_| analysis.certificate.is_regular()) else {
        return ArrayPoint::of_start_values(model, parameters, t0);
    };
    let point = ArrayPoint::of_jets(&analysis.prolonged, jets, t0);
    let offsets = &analysis.structure.offsets;
    // Up to the orders of the array with one differentiation more than the bound.
    let wanted = |(order, &d): (u32, &u32)| (order.max(1) + analysis.certificate.bound + 1).saturating_sub(d);
    let stages = written_orders(model).into_iter().zip(&offsets.unknowns).map(wanted).max().unwrap_or(0);
    array::continued(model, &analysis.system, offsets, parameters, point, stages, limits)
}

fn judged(model: &mut Model, analysis: &Analysis, start: &ArrayPoint, limits: &limits::Array) -> ArrayFinding {
    let certificate = &analysis.certificate;
    array::judge(model, start, certificate.is_regular().then_some(certificate.bound), limits)
}

/// Why the structure of the text does not give the index.
fn explanation(model: &Model, analysis: &Analysis, index: u32) -> Option<String> {
    let written = analysis.written.structure.as_ref()?;
    let says = written.structural_index;
    let singular = analysis.written.jacobian_singular == Some(true);
    if says == index && !singular {
        return None;
    }
    let mut text = format!("the pattern says {says}; ");
    let rewrites = &analysis.rewrites;
    text += &match (rewrites.as_slice(), &analysis.certificate.local) {
        (_, LocalRegularity::Singular { .. }) if !analysis.exceptional.is_empty() => {
            format!("for {} its system Jacobian is singular", at_defaults(model, &analysis.exceptional))
        }
        ([], LocalRegularity::Singular { .. }) => "its system Jacobian is singular on this solution".to_string(),
        ([], _) if singular => "leading parts cancel in a way that no combination shows".into(),
        ([], _) => "its derivatives are not all needed, because leading parts of derived equations cancel".into(),
        (rewrites, _) => {
            let names = |r: &Rewrite| listed(&r.cancelling.iter().map(|&k| model.equation_name(k)).collect::<Vec<_>>());
            let cancel: Vec<String> =
                rewrites.iter().map(|r| format!("the leading parts of {} cancel", names(r))).collect();
            cancel.join("; ")
        }
    };
    text += &format!("; the index is {index}");
    Some(text)
}

/// `Cs = 0`, `a = 0 and b = 1`: parameters with their defaults.
pub(crate) fn at_defaults(model: &Model, parameters: &[ParameterId]) -> String {
    let spelled = |&p: &ParameterId| {
        let default = model.parameters[p.index()].default;
        let value = print(&model.dag, default, Notation::Text, |symbol| model.symbol_name(symbol));
        format!("{} = {value}", model.symbol_name(Symbol::Parameter(p)))
    };
    listed(&parameters.iter().map(spelled).collect::<Vec<_>>())
}

/// $\max_i (c_i + r_i) + \max_j (\max(p_j, 1) - d_j)^+$, where equation $i$ of the system contains derivatives of the
/// text up to $r_i$: with $c_i$ differentiations the $x_j^{(d_j)}$ are determined, and what is asked for are the
/// $x_j^{(\max(p_j, 1))}$ of the text. If no equations were combined, $d_j \ge p_j$, and the second term is one if some
/// $d_j = 0$.
fn upper_bound(model: &Model, system: &System, offsets: &Offsets) -> u32 {
    let orders = system.equations.iter().zip(&offsets.equations);
    let highest = orders.map(|(e, c)| c + e.provenance.differentiations()).max().unwrap_or(0);
    let missing = written_orders(model).into_iter().zip(&offsets.unknowns).map(|(p, &d)| p.max(1).saturating_sub(d));
    highest + missing.max().unwrap_or(0)
}

/// The offsets, all raised by the number that the jets of the text need: a combination may have lowered $d_j$ below the
/// order $p_j$ of the text, and its states are to have start values as well; and a start value may be given for a
/// higher derivative.
fn lifted(model: &Model, offsets: &Offsets) -> Offsets {
    let given = model.unknowns.iter().map(|u| u.derivative_starts.iter().map(|&(order, _)| order).max().unwrap_or(0));
    let wanted = written_orders(model).into_iter().zip(given).map(|(p, given)| p.max(given));
    let lift = wanted.zip(&offsets.unknowns).map(|(order, &d)| order.saturating_sub(d)).max().unwrap_or(0);
    let raised = |list: &[u32]| list.iter().map(|&k| k + lift).collect();
    Offsets { equations: raised(&offsets.equations), unknowns: raised(&offsets.unknowns) }
}

/// The number of sub-expressions and operands of an expression.
fn size(dag: &Dag, expr: Expr) -> usize {
    reachable(dag, [expr]).into_iter().map(|e| 1 + dag.children(e).count()).sum()
}

/// Rejects equations whose derivatives would get out of hand because of nested functions.
fn check_depth(model: &Model, limits: &limits::Growth) -> Result<(), (Problem, Diagnostics)> {
    let depths = depths(&model.dag);
    let depth = |i: usize| depths[model.equations[i].residual.index()];
    let Some(i) = (0..model.equations.len()).find(|&i| depth(i) > limits.depth) else { return Ok(()) };
    let message = format!(
        "{} nests {} expressions within one another, and its derivatives are too long",
        model.equation_name(i),
        depth(i)
    );
    let diagnostic = Diagnostic::error(Code::TooLong, message)
        .label(model.equations[i].origin, "")
        .note(format!("up to {} can be worked with", limits.depth))
        .help("give names to parts of it: a `var` with an equation of its own instead of a `let`");
    Err((Problem::new(ProblemKind::TooLong, model, &[i], &[]), Diagnostics::from(diagnostic)))
}

/// Differentiates every equation as often as the offsets say, and rejects a model for which that gets out of hand.
fn check_growth(
    model: &mut Model,
    system: &System,
    offsets: &Offsets,
    limits: &limits::Growth,
) -> Result<(), (Problem, Diagnostics)> {
    for (i, equation) in system.equations.iter().enumerate() {
        let mut derivative = equation.residual;
        let own = if offsets.equations[i] > 0 { size(&model.dag, derivative) } else { 0 };
        let shared = shared_derivatives(&mut model.dag, derivative, offsets.equations[i]);
        // Shared sub-expressions are counted once, without the attempt to expand them.
        let grown = |dag: &Dag| shared.as_ref().map_or(0, |list| reachable(dag, list.iter().copied()).len());
        let budget = match grown(&model.dag) {
            0 => model.dag.len() + limits.nodes,
            grown => model.dag.len() + limits.nodes.saturating_sub(grown),
        };
        for order in 1..=offsets.equations[i] {
            derivative = match &shared {
                Some(list) => list[order as usize],
                None => total_derivative(&mut model.dag, derivative),
            };
            let operands = limits.operands[usize::from(order > 1)] + limits.operands_for_each * own;
            if model.dag.len() >= budget || size(&model.dag, derivative) > operands {
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

/// Offsets for a system whose structure is misleading: its equations as they are, in the jets that occur in them.
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

/// The over- and underdetermined parts of the text.
fn pattern_parts(model: &Model) -> StructurallySingular {
    let rows = model.equations.iter().map(|e| e.incidence.iter().map(|&(j, order)| (j.index(), order)));
    match SignatureMatrix::from_rows(model.unknowns.len(), rows) {
        Ok(sigma) => parts(sigma.pattern()),
        Err(_) => StructurallySingular { overdetermined: Part::default(), underdetermined: Part::default() },
    }
}

fn parts(pattern: &Incidence) -> StructurallySingular {
    let parts = dulmage_mendelsohn(pattern);
    StructurallySingular { overdetermined: parts.overdetermined, underdetermined: parts.underdetermined }
}

/// The diagnostic for a symbol that no stage should leave over, in place of a panic.
fn internal(model: &Model, unplaced: Unplaced) -> (Problem, Diagnostics) {
    let message = match unplaced {
        Unplaced::Symbol(symbol) => {
            format!("`{}` cannot be placed in the differentiated system", model.symbol_name(symbol))
        }
        Unplaced::Torn => "the members of a family that were left out are unlike the others".to_string(),
    };
    let diagnostic = Diagnostic::error(Code::UndeclaredSymbol, message).label(model.origin, "");
    (Problem::new(ProblemKind::StructurallySingular, model, &[], &[]), Diagnostics::from(diagnostic))
}

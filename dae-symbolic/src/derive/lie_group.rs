//! Matrices that move on a Lie group.
//!
//! In: a group, a matrix $Y$ of unknowns and a generator $A$. Out: the equations $Y' = A(t, Y)\, Y$, entry by entry; or
//! findings, because $A$ is not proved to be in the Lie algebra of the group. If it is, $Y$ stays in the group (Hairer
//! 2011, theorem II.4.4).
//!
//! Two things are proved by bringing expressions to a normal form ([`crate::expr::vanishes`]). The combinations of
//! entries that vanish on the Lie algebra (`lie_algebra.rs`) vanish identically in all symbols, that is for matrices $Y$
//! off the group as well, where classical methods have their stages. And $A$ is independent of $Y$, because
//! $A(t, Y) - A(t, Z)$ vanishes with free symbols $Z$.

use std::collections::{BTreeSet, HashMap};

use super::lie_algebra::{Violation, violations};
use super::{Names, jets};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Dag, Expr, Notation, Rational, Symbol, UnknownId, print, substitute, vanishes};
use crate::model::{Domain, Equation, Input, LieGroup, Space, expand_inputs, incidence, residual};
use crate::origin::Origin;

/// Further entries that a message lists.
const LISTED: usize = 4;
/// Characters of an expression that a message shows.
const SHOWN: usize = 60;

/// A matrix on a group, and its generator.
#[derive(Clone, Debug)]
pub struct LieProblem {
    /// The kind of group.
    pub space: Space,
    /// The number of rows of $Y$.
    pub rows: usize,
    /// The number of columns of $Y$.
    pub columns: usize,
    /// The name of $Y$.
    pub name: String,
    /// $Y$, row by row.
    pub matrix: Vec<UnknownId>,
    /// $A$, row by row.
    pub generator: Vec<Expr>,
    /// The head of the block.
    pub origin: Origin,
    /// Where $A$ stands.
    pub place: Origin,
}

/// The equations, and the description that they were derived from; positions of equations are counted from the first
/// of the derived ones.
///
/// # Errors
/// If the generator contains derivatives, or is not proved to be in the Lie algebra.
pub fn derive(
    dag: &mut Dag,
    problem: &LieProblem,
    inputs: &[Input],
    names: Names<'_>,
) -> Result<(Vec<Equation>, LieGroup), Diagnostics> {
    let mut found = Diagnostics::new();
    for symbol in derivatives(dag, &problem.generator) {
        let message = format!("the generator contains `{}`, a derivative", names(symbol));
        let finding = Diagnostic::error(Code::InvalidLieGroup, message).label(problem.place, "in this matrix");
        found.push(finding.help(
            "A(t, Y) is a function of time, parameters, inputs and unknowns: write what the derivative is equal to",
        ));
    }
    if found.is_empty() {
        let values = expand_inputs(dag, inputs, &problem.generator);
        let open = violations(dag, problem.space, problem.rows, &values);
        if !open.is_empty() {
            found.push(not_in_algebra(dag, problem, &open, names));
        }
    }
    if !found.is_empty() {
        return Err(found);
    }
    let equations = equations(dag, problem, names);
    let group = LieGroup {
        equations: 0..equations.len(),
        space: problem.space,
        rows: problem.rows,
        columns: problem.columns,
        name: problem.name.clone(),
        matrix: problem.matrix.clone(),
        generator: problem.generator.clone(),
        is_linear: is_free_of(dag, &problem.generator, &problem.matrix),
        origin: problem.origin,
    };
    Ok((equations, group))
}

/// The derivatives of unknowns in the entries, ascending.
fn derivatives(dag: &Dag, entries: &[Expr]) -> BTreeSet<Symbol> {
    let jets = entries.iter().flat_map(|&entry| jets(dag, entry)).filter(|&(_, order)| order > 0);
    jets.map(|(unknown, order)| Symbol::Unknown { unknown, order }).collect()
}

/// Whether the entries are proved not to depend on the unknowns.
fn is_free_of(dag: &mut Dag, entries: &[Expr], unknowns: &[UnknownId]) -> bool {
    let places: HashMap<UnknownId, u32> = unknowns.iter().zip(0..).map(|(&unknown, k)| (unknown, k)).collect();
    let elsewhere = substitute(dag, entries, |dag, symbol| match symbol {
        Symbol::Unknown { unknown, order: 0 } => places.get(&unknown).map(|&k| dag.symbol(Symbol::State(k))),
        _ => None,
    });
    entries.iter().zip(elsewhere).all(|(&here, there)| {
        let difference = dag.sub(here, there);
        vanishes(dag, difference)
    })
}

/// $Y_{ij}' = \sum_k A_{ik} Y_{kj}$, row by row.
fn equations(dag: &mut Dag, problem: &LieProblem, names: Names<'_>) -> Vec<Equation> {
    let LieProblem { rows, columns, .. } = *problem;
    let space = problem.space.name(rows, columns);
    let mut equations = Vec::with_capacity(rows * columns);
    for i in 0..rows {
        for j in 0..columns {
            let unknown = problem.matrix[i * columns + j];
            let terms: Vec<(Rational, Expr)> = (0..rows)
                .map(|k| {
                    let factor = dag.symbol(Symbol::Unknown { unknown: problem.matrix[k * columns + j], order: 0 });
                    (Rational::ONE, dag.mul(problem.generator[i * rows + k], factor))
                })
                .collect();
            let (rate, right) = (dag.symbol(Symbol::Unknown { unknown, order: 1 }), dag.sum(terms));
            let residual = residual(dag, rate, right);
            let name = names(Symbol::Unknown { unknown, order: 0 });
            equations.push(Equation {
                docs: vec![format!("Motion of `{name}` on {space}.")],
                name: format!("motion of {name}"),
                residual,
                incidence: incidence(dag, [residual]),
                domain: Domain::scalar(),
                origin: problem.origin,
            });
        }
    }
    equations
}

/// The finding about entries that do not fulfil, or are not proved to fulfil, the conditions of the Lie algebra.
fn not_in_algebra(dag: &Dag, problem: &LieProblem, open: &[Violation], names: Names<'_>) -> Diagnostic {
    let (algebra, space) = (problem.space.algebra(problem.rows), problem.space.name(problem.rows, problem.columns));
    // What is proved to be wrong comes first.
    let (wrong, unproved): (Vec<&Violation>, Vec<&Violation>) = open.iter().partition(|it| it.is_disproved);
    let is = if wrong.is_empty() { "not proved to be" } else { "not" };
    let message = match problem.space {
        Space::Stiefel => format!("the generator is {is} in {algebra}, whose group acts on {space}"),
        Space::SpecialOrthogonal
        | Space::SpecialLinear
        | Space::GeneralLinear
        | Space::Symplectic
        | Space::SpecialEuclidean => format!("the generator is {is} in {algebra}, the Lie algebra of {space}"),
    };
    let spelled = |it: &Violation| format!("{} = {}", it.entries, shown(print(dag, it.value, Notation::Text, names)));
    let listed: Vec<String> = wrong.iter().chain(&unproved).map(|it| spelled(it)).collect();
    let mut finding = Diagnostic::error(Code::OutsideLieAlgebra, message);
    for (k, text) in listed.iter().take(LISTED).enumerate() {
        let claim = if k < wrong.len() { "does not vanish" } else { "is not proved to vanish" };
        let text = format!("{text} {claim}");
        finding = if k == 0 { finding.label(problem.place, text) } else { finding.note(text) };
    }
    if listed.len() > LISTED {
        finding = finding.note(format!("and {} more", listed.len() - LISTED));
    }
    finding.help(remedy(problem.space, &algebra, problem.rows))
}

/// What matrices of the Lie algebra are like.
fn remedy(space: Space, algebra: &str, rows: usize) -> String {
    let larger = format!("GL({rows}) has all matrices as generators");
    match space {
        Space::SpecialOrthogonal => format!("matrices of {algebra} are skew-symmetric, `A[j][i] = -A[i][j]`; {larger}"),
        Space::Stiefel => format!("matrices of {algebra} are skew-symmetric, `A[j][i] = -A[i][j]`"),
        Space::SpecialLinear => format!("the diagonal of a matrix of {algebra} adds up to zero; {larger}"),
        Space::Symplectic => {
            format!("matrices `[[P, Q], [R, S]]` of {algebra} have symmetric Q and R, and S = -Pᵀ; {larger}")
        }
        Space::SpecialEuclidean => format!(
            "matrices of {algebra} have a skew-symmetric block in the first three rows and columns, and zeros in the last row; \
             {larger}"
        ),
        Space::GeneralLinear => larger,
    }
}

/// A long expression without its end.
fn shown(text: String) -> String {
    if text.chars().count() <= SHOWN { text } else { text.chars().take(SHOWN).collect::<String>() + " …" }
}

//! Coarse decomposition of a bipartite graph (Dulmage & Mendelsohn 1958; Pothen & Fan 1990).
//!
//! In: which unknown occurs in which equation. Out: the part with too many equations, the part with too many unknowns,
//! and the square part between them. The parts do not depend on the maximum matching they are found with: the
//! overdetermined one is what alternating paths reach from the equations that the matching leaves unpaired, the
//! underdetermined one what they reach from the unknowns that it leaves unpaired.
//!
//! Overdetermined equations contain only overdetermined unknowns, and square ones contain no underdetermined unknown:
//! sorted (under, square, over), the matrix is block upper triangular.

use super::incidence::Incidence;
use super::matching::Matching;

/// Some equations and some unknowns, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Indices of equations.
    pub equations: Vec<usize>,
    /// Indices of unknowns.
    pub unknowns: Vec<usize>,
}

/// The three parts; every equation and every unknown is in exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DulmageMendelsohn {
    /// More equations than unknowns, or empty.
    pub overdetermined: Part,
    /// As many equations as unknowns, with a perfect matching.
    pub square: Part,
    /// More unknowns than equations, or empty.
    pub underdetermined: Part,
}

/// The coarse decomposition of any graph, square or not.
pub fn dulmage_mendelsohn(pattern: &Incidence) -> DulmageMendelsohn {
    let matching = Matching::maximum(pattern);
    let (over_equations, over_unknowns) =
        reachable(pattern, matching.free_equations(), |unknown| matching.equation_of(unknown));
    let (under_unknowns, under_equations) =
        reachable(&pattern.transpose(), matching.free_unknowns(), |equation| matching.unknown_of(equation));
    let neither = |over: &[bool], under: &[bool]| -> Vec<bool> {
        over.iter().zip(under).map(|(&over, &under)| !over && !under).collect()
    };
    DulmageMendelsohn {
        square: Part {
            equations: members(&neither(&over_equations, &under_equations)),
            unknowns: members(&neither(&over_unknowns, &under_unknowns)),
        },
        overdetermined: Part { equations: members(&over_equations), unknowns: members(&over_unknowns) },
        underdetermined: Part { equations: members(&under_equations), unknowns: members(&under_unknowns) },
    }
}

/// The rows and the columns that are reached by alternating paths, which start at the rows `free` and lead from a row
/// to any of its columns and from a column to its partner.
fn reachable(
    pattern: &Incidence,
    free: Vec<usize>,
    partner: impl Fn(usize) -> Option<usize>,
) -> (Vec<bool>, Vec<bool>) {
    let mut rows = vec![false; pattern.equations()];
    let mut columns = vec![false; pattern.unknowns()];
    let mut queue = free;
    while let Some(row) = queue.pop() {
        rows[row] = true;
        for &column in pattern.row(row) {
            if !columns[column] {
                columns[column] = true;
                queue.extend(partner(column));
            }
        }
    }
    (rows, columns)
}

fn members(set: &[bool]) -> Vec<usize> {
    (0..set.len()).filter(|&index| set[index]).collect()
}

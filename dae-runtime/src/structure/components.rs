//! Independent parts: groups of equations that share no unknown with one another.
//!
//! In: a bipartite graph. Out: its connected components, in the order of their first equations.

use super::Part;
use super::incidence::Incidence;

/// The connected components that have an equation; unknowns that occur in none are in none.
pub fn connected_components(pattern: &Incidence) -> Vec<Part> {
    let columns = pattern.transpose();
    let mut seen_equation = vec![false; pattern.equations()];
    let mut seen_unknown = vec![false; pattern.unknowns()];
    let mut components = Vec::new();
    for root in 0..pattern.equations() {
        if seen_equation[root] {
            continue;
        }
        seen_equation[root] = true;
        let mut part = Part { equations: vec![root], unknowns: Vec::new() };
        let mut next = 0;
        while let Some(&equation) = part.equations.get(next) {
            next += 1;
            for &unknown in pattern.row(equation) {
                if std::mem::replace(&mut seen_unknown[unknown], true) {
                    continue;
                }
                part.unknowns.push(unknown);
                for &other in columns.row(unknown) {
                    if !std::mem::replace(&mut seen_equation[other], true) {
                        part.equations.push(other);
                    }
                }
            }
        }
        part.equations.sort_unstable();
        part.unknowns.sort_unstable();
        components.push(part);
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_share_nothing_are_told_apart() {
        // Equations 0 and 2 share unknown 1; equation 1 has unknown 0 to itself; equation 3 has none; unknown 3 occurs nowhere.
        let pattern = Incidence::from_rows(4, [vec![1, 2], vec![0], vec![1], vec![]]).unwrap();
        let parts = connected_components(&pattern);
        let lists: Vec<(&[usize], &[usize])> =
            parts.iter().map(|part| (part.equations.as_slice(), part.unknowns.as_slice())).collect();
        assert_eq!(lists, [(&[0, 2][..], &[1, 2][..]), (&[1][..], &[0][..]), (&[3][..], &[][..])]);
    }
}

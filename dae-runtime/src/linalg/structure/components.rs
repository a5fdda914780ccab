//! Independent parts: groups of equations that share no unknown with one another.
//!
//! In: a bipartite graph. Out: its connected components, in the order of their first equations, by `petgraph`'s
//! disjoint sets.

use petgraph::unionfind::UnionFind;

use super::Part;
use super::incidence::Incidence;

/// The connected components that have an equation; unknowns that occur in no equation are in none.
pub fn connected_components(pattern: &Incidence) -> Vec<Part> {
    let mut sets = UnionFind::new(pattern.equations());
    // For each unknown, the first equation it occurs in.
    let mut first = vec![None; pattern.unknowns()];
    for (equation, unknown) in pattern.entries() {
        sets.union(*first[unknown].get_or_insert(equation), equation);
    }
    let set_of = sets.into_labeling();
    let mut components: Vec<Part> = Vec::new();
    // For each representative of a set, its component.
    let mut component_of = vec![None; pattern.equations()];
    for (equation, &set) in set_of.iter().enumerate() {
        let component = *component_of[set].get_or_insert(components.len());
        if component == components.len() {
            components.push(Part::default());
        }
        components[component].equations.push(equation);
    }
    for (unknown, equation) in first.iter().enumerate() {
        let component = equation.and_then(|equation| component_of[set_of[equation]]);
        if let Some(component) = component {
            components[component].unknowns.push(unknown);
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_share_nothing_are_told_apart() {
        // Equations 0 and 2 share unknown 1; unknown 0 occurs only in equation 1; equation 3 has no unknown; unknown 3
        // occurs nowhere.
        let pattern = Incidence::from_rows(4, [vec![1, 2], vec![0], vec![1], vec![]]).unwrap();
        let parts = connected_components(&pattern);
        let lists: Vec<(&[usize], &[usize])> =
            parts.iter().map(|part| (part.equations.as_slice(), part.unknowns.as_slice())).collect();
        assert_eq!(lists, [(&[0, 2][..], &[1, 2][..]), (&[1][..], &[0][..]), (&[3][..], &[][..])]);
    }

    #[test]
    fn a_long_row_is_one_part() {
        const LENGTH: usize = 100_000;
        let pattern = Incidence::from_rows(LENGTH + 1, (0..LENGTH).map(|i| [i, i + 1])).unwrap();
        let parts = connected_components(&pattern);
        assert_eq!(parts.len(), 1);
        assert!(parts[0].equations.iter().copied().eq(0..LENGTH) && parts[0].unknowns.iter().copied().eq(0..=LENGTH));
    }
}

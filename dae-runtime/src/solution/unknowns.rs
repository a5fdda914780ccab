//! Access to a solution by the unknowns of its model.
//!
//! In: a solution, names and extents of the unknowns of a model. Out: [`Unknowns`], which generated code wraps into a
//! type with a method for each of them.

use std::collections::HashMap;
use std::fmt;

use crate::solution::Solution;

/// Name and extents of an unknown; no extents for a scalar.
pub type Declaration = (&'static str, &'static [usize]);

/// A solution, and the places of the unknowns of a model in its states.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknowns {
    solution: Solution,
    declarations: &'static [Declaration],
    /// Places of the elements of each unknown, the last index varying fastest.
    places: Vec<Vec<usize>>,
}

/// A solution that lacks an unknown of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForeignSolution {
    /// Name of the model.
    pub model: &'static str,
    /// The unknown of the model that the solution does not have.
    pub unknown: String,
}

impl fmt::Display for ForeignSolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ForeignSolution { model, unknown } = self;
        write!(f, "this is no solution of {model}: it has no unknown `{unknown}`")
    }
}

impl std::error::Error for ForeignSolution {}

impl Unknowns {
    /// The unknowns of `model` in a solution, which may have others as well.
    ///
    /// # Errors
    /// The solution lacks one of them.
    pub fn find(
        model: &'static str,
        declarations: &'static [Declaration],
        solution: Solution,
    ) -> Result<Self, ForeignSolution> {
        let known: HashMap<&str, usize> =
            solution.names.iter().enumerate().map(|(place, name)| (name.as_ref(), place)).collect();
        let place = |unknown: String| match known.get(unknown.as_str()) {
            Some(&place) => Ok(place),
            None => Err(ForeignSolution { model, unknown }),
        };
        let places_of = |&(name, extents): &Declaration| elements(name, extents).into_iter().map(place).collect();
        let places = declarations.iter().map(places_of).collect::<Result<_, _>>()?;
        Ok(Unknowns { solution, declarations, places })
    }

    /// The solution itself.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// Returns the solution itself.
    pub fn into_solution(self) -> Solution {
        self.solution
    }

    /// An element of the `unknown`-th unknown at `t`, as [`Solution::at`]; `None` if there is no such element.
    pub fn value(&self, unknown: usize, indices: &[usize], t: f64) -> Option<f64> {
        let (_, extents) = *self.declarations.get(unknown)?;
        if indices.len() != extents.len() || indices.iter().zip(extents).any(|(index, extent)| index >= extent) {
            return None;
        }
        let element = indices.iter().zip(extents).fold(0, |element, (index, extent)| element * extent + index);
        self.solution.component(*self.places.get(unknown)?.get(element)?, t)
    }
}

/// `x`; `x[0]`, `x[1]`; `x[0][0]`, `x[0][1]`, ...
fn elements(name: &str, extents: &[usize]) -> Vec<String> {
    extents.iter().fold(vec![name.to_string()], |names, &extent| {
        names.iter().flat_map(|name| (0..extent).map(move |index| format!("{name}[{index}]"))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::Rejected;
    use crate::integrator::stepper::Projection;

    fn solution(names: &[&'static str], state: &[f64]) -> Solution {
        let mut solution = Solution::new(&Rejected, 0.0, &[], &[], &Projection::Off.levels());
        solution.names = names.iter().map(|&name| name.into()).collect();
        solution.push(0.0, state);
        solution
    }

    /// Elements are found wherever a formulation has put them.
    #[test]
    fn elements_are_those_of_their_names() {
        let names = ["T[1][0]", "x", "T[0][1]", "T[1][1]", "T[0][0]"];
        let unknowns =
            Unknowns::find("Plate", &[("T", &[2, 2]), ("x", &[])], solution(&names, &[10.0, 5.0, 1.0, 11.0, 0.0]))
                .unwrap();
        let of = |indices: &[usize]| unknowns.value(0, indices, 0.0);
        assert_eq!([of(&[0, 0]), of(&[0, 1]), of(&[1, 0]), of(&[1, 1])], [0.0, 1.0, 10.0, 11.0].map(Some));
        assert_eq!([of(&[0, 2]), of(&[2, 0]), of(&[0]), of(&[])], [None; 4]);
        assert_eq!(unknowns.value(1, &[], 0.0), Some(5.0));
        assert_eq!([unknowns.value(1, &[], 1.0), unknowns.value(1, &[0], 0.0), unknowns.value(2, &[], 0.0)], [None; 3]);
    }

    #[test]
    fn solutions_of_other_models_are_refused() {
        let error = Unknowns::find("Plate", &[("x", &[2])], solution(&["x[0]"], &[0.0])).unwrap_err();
        assert_eq!(error.to_string(), "this is no solution of Plate: it has no unknown `x[1]`");
    }
}

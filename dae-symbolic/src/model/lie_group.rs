//! Matrices that move on a Lie group, kept for reports and for integrators that stay on the group.
//!
//! In: what `derive` has proved. Out: the group, the matrix $Y$ and the generator $A$ of $Y' = A(t, Y)\, Y$ (Hairer
//! 2011, sect. II.4), as expressions of the model.

use std::ops::Range;

use crate::expr::{Expr, UnknownId};
use crate::origin::Origin;

/// A kind of group of matrices, or of manifolds on which one acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// $SO(n)$: $Y^\mathsf{T} Y = I$, $\det Y = 1$.
    SpecialOrthogonal,
    /// $SL(n)$: $\det Y = 1$.
    SpecialLinear,
    /// $GL(n)$: $\det Y \ne 0$.
    GeneralLinear,
    /// $Sp(n)$ with an even $n$: $Y^\mathsf{T} J Y = J$.
    Symplectic,
    /// $SE(3)$, as matrices of four rows.
    SpecialEuclidean,
    /// The $n \times k$ matrices with $Y^\mathsf{T} Y = I$, on which $SO(n)$ acts.
    Stiefel,
}

impl Space {
    /// Every kind.
    pub const ALL: [Space; 6] = [
        Space::SpecialOrthogonal,
        Space::SpecialLinear,
        Space::GeneralLinear,
        Space::Symplectic,
        Space::SpecialEuclidean,
        Space::Stiefel,
    ];

    /// The word for it in the text.
    pub fn word(self) -> &'static str {
        match self {
            Space::SpecialOrthogonal => "SO",
            Space::SpecialLinear => "SL",
            Space::GeneralLinear => "GL",
            Space::Symplectic => "Sp",
            Space::SpecialEuclidean => "SE",
            Space::Stiefel => "Stiefel",
        }
    }

    /// The kind for which `word` stands; `None` if it stands for none.
    pub fn of_word(word: &str) -> Option<Self> {
        Space::ALL.into_iter().find(|space| space.word() == word)
    }

    /// The word with its sizes, as in the text: `SO(n)`.
    pub fn pattern(self) -> &'static str {
        match self {
            Space::SpecialOrthogonal => "SO(n)",
            Space::SpecialLinear => "SL(n)",
            Space::GeneralLinear => "GL(n)",
            Space::Symplectic => "Sp(n)",
            Space::SpecialEuclidean => "SE(3)",
            Space::Stiefel => "Stiefel(n, k)",
        }
    }

    /// The runtime's type for it.
    pub fn type_name(self) -> &'static str {
        match self {
            Space::SpecialOrthogonal => "SpecialOrthogonal",
            Space::SpecialLinear => "SpecialLinear",
            Space::GeneralLinear => "GeneralLinear",
            Space::Symplectic => "Symplectic",
            Space::SpecialEuclidean => "SpecialEuclidean",
            Space::Stiefel => "Stiefel",
        }
    }

    /// The name with the sizes of a matrix on it: `SO(3)`, `Stiefel(3, 2)`.
    pub fn name(self, rows: usize, columns: usize) -> String {
        match self {
            Space::SpecialEuclidean => "SE(3)".to_string(),
            Space::Stiefel => format!("Stiefel({rows}, {columns})"),
            Space::SpecialOrthogonal | Space::SpecialLinear | Space::GeneralLinear | Space::Symplectic => {
                format!("{}({rows})", self.word())
            }
        }
    }

    /// The name of the Lie algebra of the group: `so(3)`.
    pub fn algebra(self, rows: usize) -> String {
        match self {
            Space::SpecialEuclidean => "se(3)".to_string(),
            Space::SpecialOrthogonal | Space::Stiefel => format!("so({rows})"),
            Space::SpecialLinear => format!("sl({rows})"),
            Space::GeneralLinear => format!("gl({rows})"),
            Space::Symplectic => format!("sp({rows})"),
        }
    }
}

/// $Y' = A(t, Y)\, Y$ with $A$ in the Lie algebra of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct LieGroup {
    /// Where its equations stand among those of the model.
    pub equations: Range<usize>,
    /// The kind of group.
    pub space: Space,
    /// The number of rows of $Y$, and of rows and columns of $A$.
    pub rows: usize,
    /// The number of columns of $Y$.
    pub columns: usize,
    /// The name of $Y$.
    pub name: String,
    /// $Y$, row by row.
    pub matrix: Vec<UnknownId>,
    /// $A$, row by row; proved to be in the Lie algebra.
    pub generator: Vec<Expr>,
    /// Whether $A$ is proved to be independent of $Y$.
    pub is_linear: bool,
    /// Where the block stands.
    pub origin: Origin,
}

impl LieGroup {
    /// The group, or the manifold on which it acts: `SO(3)`.
    pub fn space_name(&self) -> String {
        self.space.name(self.rows, self.columns)
    }

    /// The Lie algebra: `so(3)`.
    pub fn algebra_name(&self) -> String {
        self.space.algebra(self.rows)
    }

    /// `Y' = A(t)·Y`, or `Y' = A(t, Y)·Y`.
    pub fn equation(&self) -> String {
        let name = &self.name;
        if self.is_linear { format!("{name}' = A(t)·{name}") } else { format!("{name}' = A(t, {name})·{name}") }
    }
}

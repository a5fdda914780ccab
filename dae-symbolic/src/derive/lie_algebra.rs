//! Lie algebras as linear conditions on the entries of a matrix.
//!
//! In: a matrix of expressions. Out: what has to vanish for it to be in the Lie algebra of a group, and whether that is
//! proved. Source: Hairer (2011), table II.1; for $\mathfrak{se}(3)$, R. M. Murray, Z. Li & S. S. Sastry, *A
//! Mathematical Introduction to Robotic Manipulation*, CRC Press 1994, section 2.3.

use crate::expr::prime_field::FieldPoint;
use crate::expr::{Dag, Expr, Rational, vanishes};
use crate::model::Space;

/// A combination of entries $\pm a_{ij}$ that vanishes on the Lie algebra.
type Condition = Vec<(Sign, usize, usize)>;

/// The sign of an entry in a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

impl Sign {
    fn reversed(self) -> Self {
        match self {
            Sign::Plus => Sign::Minus,
            Sign::Minus => Sign::Plus,
        }
    }
}

/// A condition that is not proved to hold.
pub(super) struct Violation {
    /// The entries: `A[0][1] + A[1][0]`.
    pub(super) entries: String,
    /// Their combination, which has to vanish.
    pub(super) value: Expr,
    /// Whether it is proved not to vanish identically.
    pub(super) is_disproved: bool,
}

/// The conditions of the Lie algebra that the matrix, given row by row, is not proved to satisfy.
pub(super) fn violations(dag: &mut Dag, space: Space, rows: usize, matrix: &[Expr]) -> Vec<Violation> {
    let mut found = Vec::new();
    for condition in conditions(space, rows) {
        let terms: Vec<(Rational, Expr)> = condition
            .iter()
            .map(|&(sign, i, j)| {
                (if sign == Sign::Plus { Rational::ONE } else { Rational::MINUS_ONE }, matrix[i * rows + j])
            })
            .collect();
        let value = dag.sum(terms);
        if !vanishes(dag, value) {
            found.push(Violation { entries: spelled(&condition), value, is_disproved: differs_from_zero(dag, value) });
        }
    }
    found
}

/// What has to vanish on the Lie algebra.
fn conditions(space: Space, n: usize) -> Vec<Condition> {
    match space {
        Space::SpecialOrthogonal | Space::Stiefel => skew(n),
        Space::SpecialLinear => vec![(0..n).map(|i| (Sign::Plus, i, i)).collect()],
        Space::GeneralLinear => Vec::new(),
        Space::SpecialEuclidean => {
            let last = n.saturating_sub(1);
            skew(last).into_iter().chain((0..n).map(|j| vec![(Sign::Plus, last, j)])).collect()
        }
        Space::Symplectic => {
            let half = n / 2;
            // J A with J = [[0, I], [-I, 0]].
            let times_j = |i: usize, j: usize| match i < half {
                true => (Sign::Plus, i + half, j),
                false => (Sign::Minus, i - half, j),
            };
            let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            pairs
                .map(|(i, j)| {
                    let (sign, row, column) = times_j(j, i);
                    vec![times_j(i, j), (sign.reversed(), row, column)]
                })
                .collect()
        }
    }
}

/// $A + A^\mathsf{T} = 0$.
fn skew(n: usize) -> Vec<Condition> {
    let pairs = (0..n).flat_map(|i| (i..n).map(move |j| (i, j)));
    pairs
        .map(|(i, j)| if i == j { vec![(Sign::Plus, i, i)] } else { vec![(Sign::Plus, i, j), (Sign::Plus, j, i)] })
        .collect()
}

fn spelled(condition: &Condition) -> String {
    let mut text = String::new();
    for (k, &(sign, i, j)) in condition.iter().enumerate() {
        text.push_str(match (k, sign) {
            (0, Sign::Plus) => "",
            (0, Sign::Minus) => "-",
            (_, Sign::Plus) => " + ",
            (_, Sign::Minus) => " - ",
        });
        text.push_str(&format!("A[{i}][{j}]"));
    }
    text
}

/// Whether a residue proves that the expression is not identically zero.
fn differs_from_zero(dag: &Dag, value: Expr) -> bool {
    let evaluated = FieldPoint::new(1).evaluate(dag, &[value]);
    evaluated.is_ok_and(|it| it.is_proof() && it.branches.is_empty() && it.values.first().is_some_and(|&v| v != 0))
}

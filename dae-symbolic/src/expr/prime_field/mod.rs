//! Values in the prime field of order $p = 2^{61} - 1$: exact identity testing.
//!
//! In: expressions and a seed. Out: their residues at a random point, and the strength of a conclusion from them.
//!
//! One nonzero residue of a determinant *proves* that the determinant is not identically zero (Schwartz, *J. ACM* 27,
//! 1980; Zippel, EUROSAM 1979), provided evaluation is a homomorphism of the ring that the expressions generate: every
//! relation among its generators must hold among their residues. The generators and the relations are these:
//!
//! - **Symbols** satisfy no relations. Each is a random residue, or the given one. $\pi$ is a random residue.
//! - **Exponentials and trigonometric functions.** Arguments are expanded into rational combinations of monomials
//!   (`expand.rs`); each monomial $m$ over the common denominator $d$ of its coefficients is one generator. $e^{m/d}$
//!   is a random unit and $(\cos, \sin)(m/d)$ a random point $\left(\frac{1-s^2}{1+s^2}, \frac{2s}{1+s^2}\right)$ of
//!   the circle; their integer multiples follow by powers and by the addition formulas. So $\sin 2x = 2 \sin x \cos x$
//!   holds, and $\cosh^2 - \sinh^2 = 1$. There are no other relations: for $g_1, \dots, g_n$ linearly independent over
//!   $\mathbb Q$ modulo constants,
//!   $\operatorname{tr.deg}_{\mathbb C} \mathbb C(g, e^g) \ge n + \operatorname{rank} \partial g / \partial t$ (J.
//!   Ax, *On Schanuel's conjectures*, Ann. of Math. 93, 1971, theorem 3 and corollary). Real arguments $g$
//!   (exponentials) and imaginary ones $\mathrm i h$ (trigonometric) are independent of each other as soon as each
//!   family is.
//! - **Rational constants** in arguments are multiples of the monomial 1: $e$, $e^2$, $\sin 1$, … are independent as
//!   far as they need to be by Lindemann and Weierstrass. That $\pi$ and $e$ are algebraically independent is only
//!   conjectured. Multiples of $\pi/4$ in trigonometric arguments are exact.
//! - **Roots** are roots of the residues of their radicands; the point is chosen so that there are some (`search.rs`).
//!   Any choice among them is a homomorphism if the radicands are multiplicatively independent modulo squares (cubes)
//!   and constants. This is proved by a full rank of quadratic (cubic) residue characters at random points
//!   (`independence.rs`): if a product were a square, the characters of its factors would add up to zero at every
//!   point.
//! - **Absolute value, sign, minimum, maximum, conditionals** are rational on a branch: the signs that choose it are
//!   those at the given start point, and without one the quadratic characters of the residues. The result states them.
//! - **All other functions** are opaque: random residues, equal for equal arguments. Only the relations that
//!   derivatives rely on are kept, such as $a^{b-1} a = a^b$.
//!
//! Where a relation cannot be excluded the result is [`Independence::Assumed`], with the reasons. Everything is a pure
//! function of expressions, seed and given values.
//!
//! | file | what |
//! |---|---|
//! | `arithmetic.rs`, `elimination.rs` | residues; sparse determinant and rank |
//! | `expand.rs`, `structure.rs` | generators and the expressions in terms of them |
//! | `point.rs`, `pass.rs` | residues of generators; the values of nodes there |
//! | `search.rs` | a point at which roots exist |
//! | `independence.rs` | what is proved about the generators |
//! | `evaluation.rs` | residues of expressions, and what they rest on |

pub mod arithmetic;
mod elimination;
mod evaluation;
pub(super) mod expand;
mod independence;
mod pass;
mod point;
mod search;
mod structure;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::{Dag, Expr, Symbol};

pub use arithmetic::PRIME;
pub use elimination::{sparse_determinant, sparse_rank};
pub use evaluation::{Branch, FieldError, FieldEvaluation, Independence, Reason, Sign};

/// The point of evaluation: a seed for the random residues, and the residues that are given instead.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldPoint {
    seed: u64,
    given: BTreeMap<Symbol, u64>,
    start: BTreeMap<Symbol, f64>,
}

impl FieldPoint {
    /// Random residues for everything.
    pub fn new(seed: u64) -> Self {
        FieldPoint { seed, ..Self::default() }
    }

    /// Gives residues to some symbols; those of the others stay random.
    pub fn with_given(mut self, residues: impl IntoIterator<Item = (Symbol, u64)>) -> Self {
        self.given.extend(residues.into_iter().map(|(symbol, residue)| (symbol, arithmetic::reduce(residue))));
        self
    }

    /// Takes those branches of piecewise functions that hold at this real point, as far as its coordinates determine
    /// them.
    pub fn with_start(mut self, values: impl IntoIterator<Item = (Symbol, f64)>) -> Self {
        self.start.extend(values);
        self
    }

    /// The residues of the roots, all at the same point.
    ///
    /// # Errors
    /// If some expression divides by zero at every point tried.
    pub fn evaluate(&self, dag: &Dag, roots: &[Expr]) -> Result<FieldEvaluation, FieldError> {
        let mut structure = structure::Generators::of(dag, roots);
        structure.fix_signs(dag, &self.start);
        let found = search::search(&structure, self.seed, &self.given)?;
        let branches = found.branches(&structure);
        structure.signs.extend(branches.iter().map(|branch| (branch.expr, branch.sign)));
        let mut because = independence::reasons(&structure, &found.point, self.seed);
        because.extend(found.opaque_roots.iter().map(|&root| Reason::NoRoot(structure.roots[root].function)));
        let because: Vec<Reason> = because.into_iter().collect();
        Ok(FieldEvaluation {
            values: roots.iter().map(|root| found.values[root.index()]).collect(),
            independence: if because.is_empty() { Independence::Proven } else { Independence::Assumed { because } },
            branches,
            prime: PRIME,
            seed: self.seed,
            point: found.point.symbol_residues(&structure),
        })
    }
}

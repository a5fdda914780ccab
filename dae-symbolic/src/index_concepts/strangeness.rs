//! Characteristic values of a pencil, its strangeness index, and dependent rows.
//!
//! In: the pencil $(E, A)$ of a linear system with constant coefficients. Out: the sequence of characteristic values
//! $(r_i, a_i, s_i)$ of Kunkel & Mehrmann, *Differential-Algebraic Equations* (EMS 2006), Theorem 3.7 and eq. (3.25):
//! with $T$ a basis of $\ker E$ and $Z$ one of its cokernel,
//!
//! $$ r = \operatorname{rank} E, \qquad a = \operatorname{rank} (Z^\top A T), \qquad s = \operatorname{rank} (Z^\top A) - a, $$
//!
//! differential part, algebraic part, and strangeness: $s$ constraints that restrict differentiated unknowns. In each
//! step of the reduction, algebraic equations replace the $s$ differential equations that derivatives of these
//! constraints make superfluous. The strangeness index $\mu$ is the number of steps until $s_\mu = 0$. A combination of
//! rows and their derivatives in which everything cancels is a polynomial left null vector
//! $w(s)^\top (sE + A) \equiv 0$. All ranks are exact.

use super::pencil::{Pencil, PolynomialVector, Sparse, differentiated, nonzero};
use crate::expr::Rational;
use crate::expr::echelon::{Companion, Echelon};

/// One triple of characteristic values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Characteristic {
    /// $r$, the rank of $E$.
    pub differential: usize,
    /// $a$, the algebraic part.
    pub algebraic: usize,
    /// $s$, the strangeness.
    pub strangeness: usize,
}

/// The result of the reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// The characteristic values until the strangeness vanishes; their number minus one is the strangeness index.
    pub values: Vec<Characteristic>,
    /// A combination of rows and their derivatives in which everything cancels.
    pub dependent: Option<PolynomialVector>,
}

/// A differential equation $e\, u' + a\, u = \dots$, and the combination of rows that it equals.
#[derive(Clone)]
struct Differential {
    e: Sparse,
    a: Sparse,
    origin: PolynomialVector,
}

/// A constraint $a\, u = \dots$, and the combination of rows and their derivatives that it equals.
struct Constraint {
    a: Sparse,
    origin: PolynomialVector,
}

/// A combination of differential equations, and one of constraints.
type Parts = (Sparse, PolynomialVector);

/// Reduces a pencil.
pub fn reduce(pencil: &Pencil) -> Reduction {
    reduce_for(pencil, Wanted::Values)
}

/// A combination of rows and their derivatives in which everything cancels, if there is one. The reduction stops there,
/// because its numbers grow with every round.
pub(super) fn dependent(pencil: &Pencil) -> Option<PolynomialVector> {
    reduce_for(pencil, Wanted::Dependence).dependent
}

/// When a reduction ends.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    /// When the strangeness has vanished.
    Values,
    /// At the first combination in which everything cancels.
    Dependence,
}

fn reduce_for(pencil: &Pencil, wanted: Wanted) -> Reduction {
    let (mut differential, mut constraints) = separate(pencil);
    let mut reduction = Reduction { values: Vec::new(), dependent: None };
    loop {
        let step = ReductionStep::of(&differential, &constraints);
        reduction.dependent = reduction.dependent.or(step.dependent);
        let strangeness = step.superfluous.rows().count();
        let value = Characteristic { differential: differential.len(), algebraic: step.algebraic, strangeness };
        reduction.values.push(value);
        if strangeness == 0 || (wanted == Wanted::Dependence && reduction.dependent.is_some()) {
            return reduction;
        }
        // The derivatives of the constraints, minus the differential equations that they are combinations of.
        for (of_differential, of_constraints) in step.superfluous.rows() {
            let (mut a, mut origin) = (Sparse::new(), differentiated(of_constraints));
            for (&i, q) in of_differential {
                a.add_multiple(&differential[i].a, q);
                origin.add_multiple(&differential[i].origin, q);
            }
            constraints.push(Constraint { a, origin });
        }
        let mut index = 0..;
        differential.retain(|_| index.next().is_some_and(|i| !step.superfluous.starts_in(i)));
    }
}

/// Rows with independent $E$-parts, and the constraints that remain where the $E$-part can be made to vanish.
fn separate(pencil: &Pencil) -> (Vec<Differential>, Vec<Constraint>) {
    let mut echelon = Echelon::default();
    let mut constraints = Vec::new();
    for (i, (e, a)) in pencil.rows.iter().enumerate() {
        let origin = PolynomialVector::from([((i, 0), Rational::ONE)]);
        if let Some((a, origin)) = echelon.insert(nonzero(e), (nonzero(a), origin)) {
            constraints.push(Constraint { a, origin });
        }
    }
    (echelon.into_rows().map(|(e, (a, origin))| Differential { e, a, origin }).collect(), constraints)
}

/// One step of the reduction: the constraints, classified.
struct ReductionStep {
    /// Number of constraints that are independent of each other and of the $E$-parts.
    algebraic: usize,
    /// The echelon form of the constraints that are combinations of $E$-parts, by the number of the differential
    /// equation that is replaced.
    superfluous: Echelon<usize, PolynomialVector>,
    /// A combination of constraints in which everything cancels.
    dependent: Option<PolynomialVector>,
}

impl ReductionStep {
    fn of(differential: &[Differential], constraints: &[Constraint]) -> ReductionStep {
        // The multiples of the differential equations (their E-parts alone) and of the constraints are carried along.
        let mut echelon: Echelon<usize, Parts> = Echelon::default();
        for (i, equation) in differential.iter().enumerate() {
            let own = Sparse::from([(i, Rational::ONE)]);
            echelon.insert(equation.e.clone(), (own, PolynomialVector::new()));
        }
        let mut step = ReductionStep { algebraic: 0, superfluous: Echelon::default(), dependent: None };
        for Constraint { a, origin } in constraints {
            let Some((of_differential, of_constraints)) = echelon.insert(a.clone(), (Sparse::new(), origin.clone()))
            else {
                step.algebraic += 1;
                continue;
            };
            // A combination of E-parts and of other constraints, or of other constraints alone.
            let alone = step.superfluous.insert(of_differential, of_constraints);
            step.dependent = step.dependent.or(alone);
        }
        step
    }
}

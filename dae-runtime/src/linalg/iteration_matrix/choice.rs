//! The choice of an elimination, made once for a run, or when a model is compiled.
//!
//! In: patterns, and Jacobians at states that are typical of a run. Out: the plan for iteration matrices with its
//! pivots, or without them where a dense elimination takes less time.

use std::rc::Rc;

use super::factorization_plan::FactorizationPlan;
use super::jacobians::Jacobians;
use super::matrix::IterationMatrix;
use super::symbolic_factorization::SymbolicFactorization;
use crate::contract::Dae;

/// A multiplication of a sparse elimination, which has to look up its operands, takes as long as this many of a dense
/// one.
const SPARSE_COSTS: usize = 3;
/// Below this order there is little to gain, and a dense elimination needs no Jacobians at the start.
const SMALLEST_SPARSE: usize = 9;

/// A way to solve the linear systems of a formulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factorization {
    /// With pivots that were chosen when the model was compiled, by code that was emitted for them
    /// ([`UnrolledLu`](crate::contract::UnrolledLu)).
    UnrolledLu,
    /// With pivots that are chosen at the start.
    Sparse,
    /// With partial pivoting.
    Dense,
}

/// Start of a step of length `h`.
#[derive(Clone, Copy, Debug)]
pub struct StepStart<'a> {
    /// Time.
    pub t: f64,
    /// State.
    pub y: &'a [f64],
    /// Derivative.
    pub yp: &'a [f64],
    /// Length of the step.
    pub h: f64,
}

/// Pivots of iteration matrices that are large enough at all of these steps, and have the same sign at all of them.
/// Later steps whose matrix is not finite, or has a row of zeros, are ignored; a singular matrix has no pivots.
///
/// `None` if there are no such pivots, if elimination with them takes more than `most_work` multiplications, or if the
/// first matrix is not finite or has a row of zeros.
pub fn common_factorization<const K: usize>(
    dae: &dyn Dae,
    steps: [StepStart<'_>; K],
    most_work: usize,
) -> Option<SymbolicFactorization> {
    let plan = Rc::new(FactorizationPlan::unordered(dae.description()));
    let matrices = steps.map(|step| plan.values_at(dae, step));
    let first = matrices.first()?.as_deref()?;
    let values = matrices.each_ref().map(|values| values.as_deref().unwrap_or(first));
    SymbolicFactorization::common(plan.rows(), values, most_work).ok()
}

impl FactorizationPlan {
    /// The plan for steps like this one: code without loops if the formulation has it, otherwise the sparse or the
    /// dense elimination, whichever is estimated to take less time.
    pub(crate) fn new(dae: &dyn Dae, step: StepStart<'_>) -> Rc<FactorizationPlan> {
        if let Some(plan) = FactorizationPlan::of(Factorization::UnrolledLu, dae, step) {
            return Rc::new(plan);
        }
        let n = dae.description().unknowns.len();
        if n < SMALLEST_SPARSE {
            return Rc::new(FactorizationPlan::unordered(dae.description()));
        }
        let pays = |symbolic: &Rc<SymbolicFactorization>| SPARSE_COSTS * symbolic.work < n.pow(3) / 3;
        let plan = FactorizationPlan::of(Factorization::Sparse, dae, step);
        let plan = plan.unwrap_or_else(|| FactorizationPlan::unordered(dae.description()));
        Rc::new(FactorizationPlan { symbolic: plan.symbolic.filter(pays), jacobians: 1, ..plan })
    }

    /// The plan for steps like this one with a given factorisation; `None` if the formulation has no code without loops
    /// for its patterns, or no sparse pivots are found.
    pub(crate) fn of(how: Factorization, dae: &dyn Dae, step: StepStart<'_>) -> Option<FactorizationPlan> {
        let unordered = || FactorizationPlan::unordered(dae.description());
        match how {
            Factorization::Dense => Some(unordered()),
            Factorization::UnrolledLu => {
                let (code, plan) = (*dae.unrolled_lu()?, unordered());
                let symbolic = Rc::new(code.along(plan.rows())?);
                Some(FactorizationPlan { symbolic: Some(symbolic), code: Some(code), ..plan })
            }
            Factorization::Sparse => {
                let plan = Rc::new(unordered());
                let values = plan.values_at(dae, step)?;
                let symbolic = Rc::new(SymbolicFactorization::of(plan.rows(), &values).ok()?);
                Some(FactorizationPlan { symbolic: Some(symbolic), jacobians: 1, ..Rc::unwrap_or_clone(plan) })
            }
        }
    }

    /// The scaled matrix $F_{y'}/h + F_y$ at the start of a step, if it is finite and has no row of zeros.
    fn values_at(self: &Rc<Self>, dae: &dyn Dae, StepStart { t, y, yp, h }: StepStart<'_>) -> Option<Vec<f64>> {
        let mut jacobians = Jacobians::new(dae.description());
        jacobians.evaluate(dae, t, y, yp);
        IterationMatrix::equilibrated_values(self, dae.description(), &jacobians, h)
    }
}

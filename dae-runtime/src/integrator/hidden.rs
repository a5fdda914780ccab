//! Unknowns that only hidden equations determine, and their derivatives.
//!
//! In: a state and the derivatives of its differential unknowns with respect to quantities, or a functional of the
//! state. Out: all other unknowns and their derivatives, equally accurate; or the functional in terms of differential
//! unknowns and quantities.
//!
//! Stages of Radau IIA are of lower order in unknowns of index 2 and 3 (Hairer, Lubich & Roche 1989), including those
//! of the variational equations, and the error tests of BDF leave such unknowns out. But the model with the derivatives
//! of its equations, $G(X, p) = 0$ in the jets $X$, determines them: they are taken from consistent jets near the
//! state, and there
//!
//! $$ G_X \dot X + G_p = 0 $$
//!
//! gives all derivatives from those of the differential unknowns, which change as little as the linearised constraints
//! allow. This is a linear map $\dot y = R\,\dot y_d + r$; a functional with derivative $w$ with respect to the state
//! has the derivative $R^T w$ with respect to the differential unknowns and $w^T r$ with respect to the quantity.
//!
//! Where unknowns of higher index have derivatives, only their part in the states is as accurate as states are: of the
//! change $d$ to consistent values the part $P_c^m d$ in the states ([`crate::integrator::resolvent`]) is undone, for a
//! $c$ that is large compared with the rates of the solution. Each repetition leaves a fraction $O(1/c)$ of that part;
//! what a larger $c$ would gain would be lost to rounding errors, which grow like $c^m$.

use std::rc::Rc;

use crate::contract::{Dae, Kind};
use crate::initialize::quantity::Quantity;
use crate::initialize::{
    Change, InitializationOptions, JetPlaces, KeptDerivatives, consistent_restart, restarted_derivatives_in,
};
use crate::integrator::resolvent::Resolvent;
use crate::integrator::stepper::Options;
use crate::linalg::iteration_matrix::{FactorizationPlan, IterationMatrix, Jacobians};

/// States satisfy constraints only to a tolerance. Jets that are farther away than both this multiple of the tolerance
/// and this fraction of the size of the unknown belong to another solution.
const NEAR: (f64, f64) = (1e4, 1e-3);
/// Unknowns of higher index that hidden equations determine are replaced if none of them changes by more than this
/// fraction of its size.
const IMPROVED: f64 = 0.1;
/// $c$, in units of the inverse of the time span of the run.
const FAST: f64 = 1e3;
/// Number of times that the change in the states is undone.
const TIMES: usize = 3;

/// The unknowns of a formulation that hidden equations determine.
pub(crate) struct Hidden<'d> {
    dae: &'d dyn Dae,
    /// Whether an entry of the state is determined by hidden equations, or depends on entries that are.
    is_hidden: Vec<bool>,
    /// Allowed distance of each entry from consistent values, absolute and relative; used for states of index 1.
    near: Vec<(f64, f64)>,
    /// Projects onto the states, if unknowns of higher index hide some.
    resolvent: Option<Resolvent>,
    rate: f64,
    plan: Rc<FactorizationPlan>,
}

/// Consistent values near a state.
pub(crate) struct Consistent {
    t: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
    jets: Vec<f64>,
}

impl Consistent {
    /// Writes the state and its derivative.
    pub(crate) fn state(&self, y: &mut [f64], yp: &mut [f64]) {
        y.copy_from_slice(&self.y);
        yp.copy_from_slice(&self.yp);
    }
}

impl<'d> Hidden<'d> {
    /// The hidden unknowns of a formulation; `None` if hidden equations determine none.
    pub(crate) fn of(dae: &'d dyn Dae, options: &Options, span: f64, plan: &Rc<FactorizationPlan>) -> Option<Self> {
        let unknowns = &dae.description().unknowns;
        let places = JetPlaces::of(dae);
        let stands = |k: usize| places.values[k].is_some() && !unknowns[k].kind.is_auxiliary();
        if !(0..unknowns.len()).any(|k| stands(k) && unknowns[k].index > 1) {
            return None;
        }
        let resolvent = Resolvent::of(dae.description());
        // States that occur only in combination with other unknowns are recovered from all unknowns together.
        let follows = |k: usize| unknowns[k].index > 1 || unknowns[k].kind == Kind::Algebraic || resolvent.is_some();
        let is_hidden = (0..unknowns.len()).map(|k| stands(k) && follows(k)).collect();
        let atol = options.atol.of(unknowns);
        let near = |(unknown, atol): (&crate::contract::Unknown, &f64)| {
            ((NEAR.0 * atol).max(NEAR.1 * unknown.nominal), (NEAR.0 * options.rtol).max(NEAR.1))
        };
        Some(Hidden {
            dae,
            is_hidden,
            near: unknowns.iter().zip(&atol).map(near).collect(),
            resolvent,
            rate: if span == 0.0 { FAST } else { FAST / span },
            plan: Rc::clone(plan),
        })
    }

    /// The consistent values near a state, with approximately these derivatives; `None` if there are none nearby.
    pub(crate) fn consistent(&self, t: f64, y: &[f64], slope: &[f64]) -> Option<Consistent> {
        let mut at = self.least_change(t, y, slope)?;
        if self.resolvent.is_some() {
            let mut near = [at.y.clone()];
            self.keep_states(&at, &[y], &mut near);
            at = self.least_change(t, &near[0], &at.yp)?;
        }
        let is_near = |k: usize| {
            let (atol, rtol) = self.near[k];
            let unknown = &self.dae.description().unknowns[k];
            let is_state = unknown.kind == Kind::Differential && unknown.index == 1;
            !is_state || (at.y[k] - y[k]).abs() <= atol + rtol * y[k].abs()
        };
        let is_solution = (0..y.len()).all(is_near) && at.jets.iter().all(|jet| jet.is_finite());
        is_solution.then_some(at)
    }

    /// Whether an entry of the state is an algebraic unknown of higher index.
    pub(crate) fn improves(&self, k: usize) -> bool {
        let unknown = &self.dae.description().unknowns[k];
        self.is_hidden[k] && unknown.kind == Kind::Algebraic && unknown.index > 1
    }

    /// Replaces the algebraic unknowns of higher index and the derivatives by the values that follow from the states;
    /// leaves all of them as they are if one of those unknowns is far away.
    pub(crate) fn improve(&self, t: f64, y: &mut [f64], slope: &mut [f64]) {
        let Some(at) = self.consistent(t, y, slope) else { return };
        let unknowns = &self.dae.description().unknowns;
        let improved: Vec<usize> = (0..y.len()).filter(|&k| self.improves(k)).collect();
        let is_alike = |&k: &usize| (at.y[k] - y[k]).abs() <= IMPROVED * (unknowns[k].nominal + at.y[k].abs());
        if improved.iter().all(is_alike) {
            improved.into_iter().for_each(|k| y[k] = at.y[k]);
            slope.copy_from_slice(&at.yp);
        }
    }

    /// A state with other values of the algebraic unknowns of higher index, and other derivatives.
    pub(crate) fn aside(&self, y: &[f64], slope: &[f64]) -> [Vec<f64>; 2] {
        let moved = |value: f64| value + value.abs() + 1.0;
        let values = y.iter().enumerate().map(|(k, &value)| if self.improves(k) { moved(value) } else { value });
        [values.collect(), slope.iter().map(|&slope| moved(slope)).collect()]
    }

    /// Consistent values with the least change of differential unknowns; `None` if none are found.
    fn least_change(&self, t: f64, y: &[f64], slope: &[f64]) -> Option<Consistent> {
        let (mut y, mut yp) = (y.to_vec(), slope.to_vec());
        let anywhere = |_: usize| f64::INFINITY;
        let options = InitializationOptions::default();
        let jets = consistent_restart(self.dae, t, &mut y, &mut yp, |_| false, anywhere, &options).ok()?;
        Some(Consistent { t, y, yp, jets })
    }

    /// Derivatives of the state for given changes of its differential unknowns and of the equations; `None` if they
    /// cannot be computed or are not finite.
    fn derivatives(&self, at: &Consistent, changes: Vec<Change<'_>>) -> Option<Vec<Vec<f64>>> {
        let point = [&at.y[..], &at.yp, &at.jets];
        let given: Vec<&[f64]> = changes.iter().map(|change| change.values).collect();
        let found = restarted_derivatives_in(self.dae, at.t, point, KeptDerivatives::Nothing, changes).ok()?;
        let mut values: Vec<Vec<f64>> = found.into_iter().map(|(value, _)| value).collect();
        self.keep_states(at, &given, &mut values);
        values.iter().flatten().all(|value| value.is_finite()).then_some(values)
    }

    /// Gives the values or derivatives `found` the same part in the states as `given`; does nothing if no states are
    /// hidden in unknowns of higher index, or if the matrix is singular.
    fn keep_states(&self, at: &Consistent, given: &[&[f64]], found: &mut [Vec<f64>]) {
        let Some(mut resolvent) = self.resolvent.clone() else { return };
        let description = self.dae.description();
        let mut jacobians = Jacobians::new(description);
        jacobians.evaluate(self.dae, at.t, &at.y, &at.yp);
        let mut matrix = IterationMatrix::new(&self.plan);
        matrix.assemble(description, self.rate, 1.0, &jacobians, 1.0 / self.rate);
        if matrix.factorize().is_err() {
            return;
        }
        for (found, given) in found.iter_mut().zip(given) {
            for _ in 0..TIMES {
                let mut change: Vec<f64> = found.iter().zip(*given).map(|(found, given)| found - given).collect();
                let solve = |right_hand_side: &mut [f64]| matrix.solve(right_hand_side);
                resolvent.apply(description, (self.rate, &jacobians.yp), solve, &mut change);
                found.iter_mut().zip(change).for_each(|(found, change)| *found -= change);
            }
        }
    }

    /// Replaces the derivatives of hidden unknowns in sensitivities.
    pub(crate) fn replace<'a>(
        &self,
        at: &Consistent,
        sensitivities: impl Iterator<Item = (&'a Quantity, &'a mut Vec<f64>)>,
    ) {
        let (quantities, mut values): (Vec<&Quantity>, Vec<&mut Vec<f64>>) = sensitivities.unzip();
        let changes = quantities.iter().zip(&values).map(|(quantity, values)| {
            let equations = quantity.derivative_of_equations(self.dae.prolongation(), at.t, &at.jets);
            Change { values, equations, name: &quantity.name }
        });
        let Some(found) = self.derivatives(at, changes.collect()) else { return };
        for (value, found) in values.iter_mut().zip(found) {
            (0..found.len()).filter(|&k| self.is_hidden[k]).for_each(|k| value[k] = found[k]);
        }
    }

    /// Whether a functional with these derivatives depends on hidden unknowns.
    pub(crate) fn has_part(&self, weights: &[f64]) -> bool {
        weights.iter().zip(&self.is_hidden).any(|(weight, is_hidden)| *is_hidden && *weight != 0.0)
    }

    /// Turns the derivatives of a functional with respect to the state into those with respect to its differential
    /// unknowns; returns the contribution of each quantity, times its scale. `None`, with nothing changed, if the
    /// derivatives of the hidden unknowns cannot be computed.
    pub(crate) fn transpose(&self, at: &Consistent, quantities: &[Quantity], weights: &mut [f64]) -> Option<Vec<f64>> {
        let n = weights.len();
        let unknowns = &self.dae.description().unknowns;
        let given: Vec<usize> = (0..n).filter(|&k| unknowns[k].kind == Kind::Differential).collect();
        let rest = vec![0.0; n];
        let single = |&k: &usize| {
            let mut entry = rest.clone();
            entry[k] = 1.0;
            entry
        };
        let entries: Vec<Vec<f64>> = given.iter().map(single).collect();
        let rows = self.dae.prolongation().prolongation_description().equations.len();
        let by_state = given.iter().zip(&entries).map(|(&k, values)| {
            let name = &unknowns[k].name;
            Change { values, equations: vec![0.0; rows], name }
        });
        let by_quantity = quantities.iter().map(|quantity| {
            let equations = quantity.derivative_of_equations(self.dae.prolongation(), at.t, &at.jets);
            Change { values: &rest, equations, name: &quantity.name }
        });
        let mut found = self.derivatives(at, by_state.chain(by_quantity).collect())?;
        let by_quantities = found.split_off(given.len());
        let hidden: Vec<(usize, f64)> =
            (0..n).filter(|&k| self.is_hidden[k]).map(|k| (k, std::mem::take(&mut weights[k]))).collect();
        let product = |column: &Vec<f64>| hidden.iter().map(|&(k, weight)| weight * column[k]).sum::<f64>();
        for (&k, column) in given.iter().zip(&found) {
            weights[k] += product(column);
        }
        Some(by_quantities.iter().map(product).collect())
    }
}

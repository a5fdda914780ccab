//! The part of a vector of unknowns that lies in the states.
//!
//! In: a vector $v$, and an iteration matrix with its factor $c$ of $F_{y'}$. Out: $P_c^m v$ with
//! $P_c = (c F_{y'} + F_y)^{-1} c F_{y'}$.
//!
//! For a regular pencil of index $m$ there are $S, T$ with $S F_{y'} T = \operatorname{diag}(I, N)$, $N^m = 0$, and
//! $S F_y T = \operatorname{diag}(J, I)$ (Weierstrass), hence
//! $P_c^m = T \operatorname{diag}((I + J/c)^{-m}, 0)\, T^{-1}$: the part that the equations determine disappears, that
//! of the states remains (damped where $J$ is large compared with $c = O(1/h)$, as methods damp it). Where unknowns of
//! higher index have derivatives, states may occur only in combination with them, and the weights $h^{k-1}$ of these
//! unknowns would admit a correspondingly larger error of a state.

use crate::contract::{Description, Kind};

/// The power of $P_c$ that a formulation needs.
#[derive(Clone, Debug)]
pub(crate) struct Resolvent {
    power: u8,
    work: Vec<f64>,
}

impl Resolvent {
    /// The resolvent of `n` unknowns, raised to a power no less than the nilpotency index of the part to be removed.
    pub(crate) fn new(n: usize, power: u8) -> Self {
        Resolvent { power, work: vec![0.0; n] }
    }

    /// The resolvent of a formulation; `None` if all differential unknowns have index 1.
    pub(crate) fn of(description: &Description) -> Option<Self> {
        let unknowns = &description.unknowns;
        let hides_states = unknowns.iter().any(|unknown| unknown.kind == Kind::Differential && unknown.index > 1);
        let power = unknowns.iter().map(|unknown| unknown.index).max().unwrap_or(1);
        hides_states.then(|| Resolvent::new(unknowns.len(), power))
    }

    /// Applies it to `v`, given $c$ with the entries of $F_{y'}$, and a solver of systems with $c F_{y'} + F_y$.
    pub(crate) fn apply(
        &mut self,
        description: &Description,
        (leading, jacobian_yp): (f64, &[f64]),
        solve: impl Fn(&mut [f64]),
        v: &mut [f64],
    ) {
        for _ in 0..self.power {
            self.work.fill(0.0);
            description.jacobian_yp.add_product(jacobian_yp, v, leading, &mut self.work);
            solve(&mut self.work);
            v.copy_from_slice(&self.work);
        }
    }
}

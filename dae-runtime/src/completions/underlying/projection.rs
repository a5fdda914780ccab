//! Projection onto the constraints, in the directions in which the multipliers act.
//!
//! In: the invariants of a formulation. Out: in which order the constraints are projected onto, and what is moved.
//!
//! Let a row of $F$ be the $p$-th derivative of a constraint $\varphi(t, y_d) = 0$, and $b$ the change of $y_d'$ that
//! changes this row by 1 and no other: a column of $F_w^{-1}$. Since $\varphi^{(p)}$ is the derivative of
//! $\varphi^{(p-1)}(t, y_d)$, moving $y_d$ along $b$ changes $\varphi^{(p-1)}$ by 1, to first order, and no other
//! constraint. For index 2 this is the direction $f_z (g_y f_z)^{-1}$ of Hairer & Wanner II, (VII.2.8); for velocities
//! of a mechanical system it is $M^{-1} G^{\mathsf T} (G M^{-1} G^{\mathsf T})^{-1}$, so that the projection is
//! orthogonal in the metric of the mass matrix, (VII.2.7). Moving $y_d$ along $(\partial y_d'/\partial y_d)\, b$ has the
//! same effect on $\varphi^{(p-2)}$, and so on. For positions that is (VII.2.6) if the constraints contain all of them;
//! others, coupled to them by the mass matrix only, are not moved.
//!
//! A constraint to be differentiated $k$ more times moves the unknowns of the same stage only ($q$ for positions, $v$
//! for velocities), since constraints that were differentiated less often do not contain them: one level after another, each at the values of the
//! level before. The factors are those of the last evaluation, renewed where the iteration is slow.

use crate::contract::{Description, Kind, ProlongationDescription};

/// Constraints that are to be differentiated equally often until they are rows of $F$.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) differentiations: u32,
    /// Each constraint among the invariants, and the row of $F$ that is its derivative.
    pub(super) constraints: Vec<(usize, usize)>,
    /// The differential unknowns that are moved.
    pub(super) moved: Vec<usize>,
}

impl Level {
    pub(super) fn contains(&self, invariant: usize) -> bool {
        self.constraints.iter().any(|&(other, _)| other == invariant)
    }
}

/// The levels of a formulation's invariants, in the order in which states are projected.
pub(super) fn levels(of: &Description, prolongation: &ProlongationDescription) -> Vec<Level> {
    let row_of = |equation: usize| {
        let is_top = |prolonged: usize| {
            let row = &prolongation.equations[prolonged];
            row.equation == equation && row.stage == 0
        };
        of.equations.iter().position(|row| row.prolonged.is_some_and(is_top))
    };
    let mut levels: Vec<Level> = Vec::new();
    for (invariant, prolonged) in of.invariants.iter().map(|it| it.prolonged).enumerate() {
        let Some(constraint) = prolonged.map(|prolonged| &prolongation.equations[prolonged]) else { continue };
        let (Some(row), true) = (row_of(constraint.equation), constraint.stage < 0) else { continue };
        let differentiations = constraint.stage.unsigned_abs();
        match levels.iter_mut().find(|level| level.differentiations == differentiations) {
            Some(level) => level.constraints.push((invariant, row)),
            None => {
                let is_moved = |&k: &usize| {
                    let jet = of.unknowns[k].role.jet().map(|jet| &prolongation.jets[jet]);
                    of.unknowns[k].kind == Kind::Differential && jet.is_some_and(|jet| jet.stage == constraint.stage)
                };
                let moved = (0..of.unknowns.len()).filter(is_moved).collect();
                levels.push(Level { differentiations, constraints: vec![(invariant, row)], moved });
            }
        }
    }
    levels.sort_by_key(|level| std::cmp::Reverse(level.differentiations));
    levels
}

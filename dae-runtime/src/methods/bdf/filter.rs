//! The part of an error vector that is an error of states.
//!
//! In: an error vector, from differences between predictors and correctors. Out: its part that lies in the states.
//!
//! When $\operatorname{rank} F_{y'}$ is smaller than the number of differential unknowns, only some combinations of
//! them are states: in a circuit with capacitors between nodes, the differences of node voltages are states, while
//! their sums are algebraic unknowns in disguise. The equations determine these anew at every step; the difference
//! between their predictor and corrector measures an error of extrapolation and the noise of Newton's iteration, and no
//! shorter step reduces that noise. A code that tests it rejects nearly every step of the transistor amplifier.
//!
//! * **Constant leading matrix.** States enter the equations as $F_{y'}\\, y$. The error of the states is measured
//!   by the smallest change of unknowns that carries it,
//!   $Q e = \arg\min \\{ \lVert D^{-1} v \rVert : F_{y'} v = F_{y'} e \\}$ with the diagonal matrix $D$ of nominal
//!   values; $Q$ is the projector along $\ker F_{y'}$ that is orthogonal in this norm. With
//!   $F_{y'} D = U \Sigma V^T$ it is $Q = D V_r V_r^T D^{-1}$, computed when the filter is set up. Where the highest
//!   index $m$ is above 1, constraints admit only some changes of states, and these may be much larger than $Q e$, the
//!   smallest change with the same $F_{y'} e$: $P_c^m e$ finds them ([`crate::integrator::resolvent`]), and the larger
//!   of the two counts, entry by entry.
//! * **Leading matrix not constant.** $e$ is replaced by $P_c^m e$ with the factors at hand. If $m = 1$, $P_c$ tends,
//!   as $h \to 0$, to the projector along $\ker F_{y'}$ whose image satisfies the linearised algebraic equations: it
//!   includes the response of the algebraic unknowns in disguise to errors of the states, and where they amplify these
//!   errors, the test is correspondingly stricter.
//! * **Differential unknowns of index above 1** hide states, whatever the leading matrix and its rank: $P_c^m e$ finds
//!   them.

use crate::linalg::matrix::Matrix;

use super::newton::Newton;
use crate::contract::{Dae, Description, Kind, Leading};
use crate::integrator::resolvent::Resolvent;
use crate::linalg::rank::SingularValues;

/// Removes from an error vector what is not an error of states.
pub(super) enum Filter {
    /// All differential unknowns are states.
    None,
    /// $Q$: rows of $V_r^T$, one after the other, and the nominal values; where the highest index is above 1, also
    /// $P_c^m$, with room for a vector.
    Projector { rows: Vec<f64>, nominal: Vec<f64>, work: Vec<f64>, resolvent: Option<(Resolvent, Vec<f64>)> },
    /// $P_c^m$ with the iteration matrix at hand.
    Resolvent(Resolvent),
}

impl Filter {
    /// The filter for a formulation, from its leading matrix at a state if that matrix is constant.
    pub(super) fn new(dae: &dyn Dae, t0: f64, y0: &[f64], yp0: &[f64]) -> Self {
        let description = dae.description();
        let unknowns = &description.unknowns;
        if let Some(resolvent) = Resolvent::of(description) {
            return Filter::Resolvent(resolvent);
        }
        let differential = unknowns.iter().filter(|unknown| unknown.kind == Kind::Differential).count();
        if description.leading_rank >= differential {
            return Filter::None;
        }
        let n = unknowns.len();
        let highest = unknowns.iter().map(|unknown| unknown.index).max().unwrap_or(1);
        let resolvent = Resolvent::new(n, highest);
        if description.leading != Leading::Constant {
            return Filter::Resolvent(resolvent);
        }
        let nominal: Vec<f64> = unknowns.iter().map(|unknown| unknown.nominal).collect();
        let matrix = scaled_leading_matrix(dae, t0, y0, yp0, &nominal);
        let Ok(decomposition) = SingularValues::of(&matrix) else { return Filter::Resolvent(resolvent) };
        let rank = decomposition.rank().rank;
        let rows: Vec<f64> = decomposition.right_vectors_from(0).as_slice()[..rank * n].to_vec();
        let resolvent = (highest > 1).then(|| (resolvent, vec![0.0; n]));
        Filter::Projector { rows, nominal, work: vec![0.0; n], resolvent }
    }

    /// Filters `v` in place.
    pub(super) fn apply(&mut self, description: &Description, newton: &Newton, v: &mut [f64]) {
        match self {
            Filter::None => {}
            Filter::Projector { rows, nominal, work, resolvent } => {
                if let Some((resolvent, of_states)) = resolvent {
                    of_states.copy_from_slice(v);
                    newton.apply_resolvent(description, resolvent, of_states);
                }
                work.fill(0.0);
                for row in rows.chunks_exact(v.len()) {
                    let coefficient: f64 = row.iter().zip(&*v).zip(&*nominal).map(|((q, v), d)| q * v / d).sum();
                    work.iter_mut().zip(row).for_each(|(work, q)| *work += coefficient * q);
                }
                v.iter_mut().zip(work).zip(nominal).for_each(|((v, work), d)| *v = *work * *d);
                let of_states = resolvent.iter().flat_map(|(_, of_states)| of_states);
                let larger = v.iter_mut().zip(of_states).filter(|(v, other)| other.abs() > v.abs() || other.is_nan());
                larger.for_each(|(v, other)| *v = *other);
            }
            Filter::Resolvent(resolvent) => newton.apply_resolvent(description, resolvent, v),
        }
    }
}

/// $F_{y'} D$ with its rows scaled to a largest entry of one, so that the units of the equations do not affect its
/// rank.
fn scaled_leading_matrix(dae: &dyn Dae, t0: f64, y0: &[f64], yp0: &[f64], nominal: &[f64]) -> Matrix {
    let pattern = &dae.description().jacobian_yp;
    let mut values = vec![0.0; pattern.len()];
    dae.jacobian_yp(t0, y0, yp0, &mut values);
    let mut matrix = Matrix::zeros(nominal.len(), nominal.len());
    for (row, column, position) in pattern.entries() {
        matrix[(row, column)] = values[position] * nominal[column];
    }
    for row in 0..nominal.len() {
        let size = matrix.largest_in_row(row);
        if size > 0.0 {
            matrix.divide_row(row, size);
        }
    }
    matrix
}

//! Projection onto the constraints at the right ends of intervals.
//!
//! In: a problem with unknowns of index 2, a mesh, an iterate. Out: the directions of the projections, and how the
//! projections change the relations of the ends of intervals.
//!
//! The right end is projected along the directions in which unknowns of index 2 act, $B = M^{-1} f_z$ (U. M. Ascher &
//! L. R. Petzold, *Projected implicit Runge–Kutta methods for differential-algebraic equations*, SIAM J. Numer. Anal. 28
//! (1991)):
//!
//! $$ y_{i+1} = y_i + h \textstyle\sum_j b_j K_j + B \mu, \qquad g(t_{i+1}, y_{i+1}, z_1) = 0 , $$
//!
//! with the unknowns $z_1$ of index 1 that occur in constraints. Without it, methods of Gauss lose their order at the ends
//! of intervals, and for an odd number of nodes their stability.

use crate::bvp::iterate::Iterate;
use crate::bvp::mesh::Mesh;
use crate::bvp::obstacle::Deficiency;
use crate::bvp::tolerances::Tolerances;
use crate::contract::Pattern;
use crate::linalg::matrix::{Factors, Matrix};
use crate::linalg::vector::{add, larger};

use super::polynomials::{Collocation, Stage};

/// The linearised projection onto the constraints at the right end of an interval.
pub(super) struct Projection {
    /// $g_y$.
    by_state: Matrix,
    /// $B$.
    directions: Matrix,
    /// The factors of $(g_y B, g_{z_1})$.
    factors: Factors,
    /// Changes of $\mu$ and of $z_1$ with $y_i$ and the shared quantities.
    response: Matrix,
}

impl Projection {
    /// Projects the remainder of the relation of the ends, given the residuals of the constraints; the result is the
    /// change of $z_1$ and after it $\mu$.
    pub(super) fn project(&self, residuals: &[f64], remainder: &mut [f64], change: &mut [f64]) {
        change.iter_mut().zip(residuals).for_each(|(change, residual)| *change = -residual);
        for (c, value) in remainder.iter().enumerate() {
            add(-value, self.by_state.column(c), change);
        }
        self.factors.solve(change);
        let of_index_2 = self.directions.columns();
        for (c, factor) in change[..of_index_2].iter().enumerate() {
            add(*factor, self.directions.column(c), remainder);
        }
        change.rotate_left(of_index_2);
    }

    /// Adds to $z_1$ and $\mu$ what the `j`-th of the entries of $y_i$ and the shared quantities changes by this `value`.
    pub(super) fn respond(&self, j: usize, value: f64, change: &mut [f64]) {
        let (of_index_2, of_index_1) = self.response.column(j).split_at(self.directions.columns());
        let (change_1, change_2) = change.split_at_mut(of_index_1.len());
        add(value, of_index_1, change_1);
        add(value, of_index_2, change_2);
    }
}

impl Collocation<'_, '_> {
    /// The projection at the right end of an interval; changes the relation of its ends accordingly.
    pub(super) fn projection(
        &self,
        mesh: &Mesh,
        iterate: &Iterate,
        i: usize,
        relation: &mut [f64],
    ) -> Result<Projection, Deficiency> {
        let [m, na, _] = self.sizes();
        let (layout, description) = (&self.problem.layout, self.problem.description());
        let end = self.right_end(mesh, iterate, i);
        let mut by_y = vec![0.0; description.jacobian_y.len()];
        self.dae().jacobian_y(end.t, &end.y, &end.yp, &mut by_y);
        if by_y.iter().any(|value| !value.is_finite()) {
            return Err(Deficiency::NotFinite(end.t));
        }
        let by_y = dense(&description.jacobian_y, &by_y, m + na);
        let directions = iterate.directions[i].clone();
        let of_index_1 = &layout.algebraic[..layout.of_index_1];
        let by_state = Matrix::from_fn(na, m, |r, c| by_y[(layout.constraint_rows[r], layout.differential[c])]);
        let acted = by_state.times(&directions);
        let square = Matrix::from_fn(na, na, |r, c| match c.checked_sub(directions.columns()) {
            None => acted[(r, c)],
            Some(c) => by_y[(layout.constraint_rows[r], of_index_1[c])],
        });
        let factors = square.factors().ok_or(Deficiency::Interval(mesh.t[i]))?;
        let mut response = self.change_of_constraints(&end, mesh.moves(i + 1), &by_state, relation);
        response.as_mut_slice().chunks_exact_mut(na.max(1)).for_each(|column| factors.solve(column));
        for (j, column) in relation.chunks_exact_mut(m.max(1)).enumerate() {
            for (c, &factor) in response.column(j)[..directions.columns()].iter().enumerate() {
                add(factor, directions.column(c), column);
            }
        }
        Ok(Projection { by_state, directions, factors, response })
    }

    /// How the constraints at the end of an interval, which `moves` with a free end, change with $y_i$ and the shared
    /// quantities before the projection, with the opposite sign: by way of the state, of parameters and of time.
    fn change_of_constraints(&self, end: &Stage, moves: f64, by_state: &Matrix, relation: &[f64]) -> Matrix {
        let [m, na, thetas] = self.sizes();
        let (problem, layout, n) = (self.problem, &self.problem.layout, m + na);
        let mut change = Matrix::zeros(na, m + thetas);
        for (j, before) in relation.chunks_exact(m.max(1)).enumerate() {
            for (c, &value) in before.iter().enumerate() {
                (0..na).for_each(|r| change[(r, j)] -= by_state[(r, c)] * value);
            }
        }
        if !problem.shared.parameters.is_empty() {
            let pattern = &problem.description().jacobian_p;
            let mut by_p = vec![0.0; pattern.len()];
            self.dae().jacobian_p(end.t, &end.y, &end.yp, &mut by_p);
            let place: Vec<Option<usize>> =
                (0..n).map(|row| layout.constraint_rows.iter().position(|&it| it == row)).collect();
            for (row, parameter, at) in pattern.entries() {
                if let (Some(row), Some(column)) = (place[row], problem.shared.column(parameter)) {
                    change[(row, m + column)] -= by_p[at];
                }
            }
        }
        if let Some(column) = problem.shared.end() {
            let mut by_t = vec![0.0; n];
            self.dae().jacobian_t(end.t, &end.y, &end.yp, &mut by_t);
            for (r, &row) in layout.constraint_rows.iter().enumerate() {
                change[(r, m + column)] -= moves * by_t[row];
            }
        }
        change
    }

    /// Sets the directions of the projections to those at the iterate; returns the largest change of an unknown that
    /// this makes, in units of the error allowed.
    pub(super) fn set_directions(
        &self,
        mesh: &Mesh,
        iterate: &mut Iterate,
        allowed: &Tolerances,
    ) -> Result<f64, Deficiency> {
        let layout = &self.problem.layout;
        if !layout.is_projected() {
            return Ok(0.0);
        }
        let at = |i: usize| {
            let end = self.right_end(mesh, iterate, i);
            self.directions(&end).ok_or(Deficiency::Interval(mesh.t[i]))
        };
        let directions = (0..mesh.intervals()).map(at).collect::<Result<Vec<Matrix>, Deficiency>>()?;
        let before = std::mem::replace(&mut iterate.directions, directions);
        let mut largest = 0.0_f64;
        for (i, (new, old)) in iterate.directions.iter().zip(&before).enumerate() {
            let factors = &iterate.ends[i + 1][layout.of_index_1..];
            for (k, &unknown) in layout.differential.iter().enumerate() {
                let terms = factors.iter().enumerate().map(|(c, factor)| (new[(k, c)] - old[(k, c)]) * factor);
                largest = larger(largest, terms.sum::<f64>().abs() / allowed.of(unknown, iterate.y[i + 1][k]));
            }
        }
        Ok(largest)
    }

    /// The directions $B = M^{-1} f_z$ in which unknowns of index 2 act on differential ones; `None` if they are not
    /// finite.
    fn directions(&self, at: &Stage) -> Option<Matrix> {
        let [m, na, _] = self.sizes();
        let (layout, description, n) = (&self.problem.layout, self.problem.description(), m + na);
        let [mut by_y, mut by_yp] = [vec![0.0; description.jacobian_y.len()], vec![0.0; description.jacobian_yp.len()]];
        self.dae().jacobian_y(at.t, &at.y, &at.yp, &mut by_y);
        self.dae().jacobian_yp(at.t, &at.y, &at.yp, &mut by_yp);
        if by_y.iter().chain(&by_yp).any(|value| !value.is_finite()) {
            return None;
        }
        let by_y = dense(&description.jacobian_y, &by_y, n);
        let by_yp = dense(&description.jacobian_yp, &by_yp, n);
        let of_index_2 = &layout.algebraic[layout.of_index_1..];
        let leading =
            Matrix::from_fn(m, m, |r, c| by_yp[(layout.dynamic_rows[r], layout.differential[c])]).factors()?;
        let mut directions =
            Matrix::from_fn(m, of_index_2.len(), |r, c| -by_y[(layout.dynamic_rows[r], of_index_2[c])]);
        directions.as_mut_slice().chunks_exact_mut(m.max(1)).for_each(|column| leading.solve(column));
        directions.as_slice().iter().all(|entry| entry.is_finite()).then_some(directions)
    }
}

/// The matrix with these values, whose rows and columns are as many as the unknowns of a formulation.
fn dense(pattern: &Pattern, values: &[f64], n: usize) -> Matrix {
    let mut matrix = Matrix::zeros(n, n);
    for (row, column, place) in pattern.entries() {
        matrix[(row, column)] += values[place];
    }
    matrix
}

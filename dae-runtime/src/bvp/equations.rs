//! The equations of collocation, and their linearisation.
//!
//! In: a problem, a mesh, an iterate. Out: the residuals of all equations, and Newton corrections.
//!
//! At the nodes of an interval, with the polynomials of [`super::collocation`],
//!
//! $$ F\bigl(t_i + c_j h,\; (y_i + h \textstyle\sum_l a_{jl} K_l,\, Z_j),\; K_j\bigr) = 0, \qquad
//!    y_{i+1} = y_i + h \textstyle\sum_j b_j K_j . $$
//!
//! The unknowns of each interval are eliminated first, which leaves a relation of $y_{i+1}$ and $y_i$ (condensation, as
//! in COLSYS: U. Ascher, J. Christiansen & R. D. Russell, ACM TOMS 7 (1981)).
//!
//! With unknowns of index 2 the right end is projected onto the constraints along the directions in which these unknowns
//! act, $B = M^{-1} f_z$ (U. M. Ascher & L. R. Petzold, *Projected implicit Runge–Kutta methods for
//! differential-algebraic equations*, SIAM J. Numer. Anal. 28 (1991)):
//!
//! $$ y_{i+1} = y_i + h \textstyle\sum_j b_j K_j + B \mu, \qquad g(t_{i+1}, y_{i+1}, z_1) = 0 , $$
//!
//! with the unknowns $z_1$ of index 1 that occur in constraints. Without it, methods of Gauss lose their order at the ends
//! of intervals, and for an odd number of nodes their stability.

use crate::linalg::matrix::{Factors, Matrix};
use crate::linalg::vector::larger;

use super::collocation::{Collocation, Stage};
use super::condensed::{Condensed, Deficiency, Iterate, Outer, OuterResiduals, dense};
use super::elimination::Relation;
use super::mesh::Mesh;
use super::newton::Discretization;
use super::problem::{Allowed, Problem};
use super::scheme::Scheme;

pub(super) struct Residuals {
    /// Of the equations at the nodes of each interval.
    nodes: Vec<Vec<f64>>,
    /// $y_i + h \sum b_j K_j - y_{i+1}$.
    gaps: Vec<Vec<f64>>,
    /// Of the constraints at the ends of intervals, with unknowns of index 2.
    constraints: Vec<Vec<f64>>,
    outer: OuterResiduals,
}

/// The linearisation of one interval.
struct Interval {
    factors: Factors,
    /// Change of what belongs to the nodes with $y_i$ and the shared quantities.
    response: Matrix,
    /// Of the right end.
    projection: Option<Projection>,
    relation: Relation,
}

/// Projection onto the constraints at the right end of an interval.
struct Projection {
    /// $g_y$, and the factors of $(g_y B, g_{z_1})$.
    by_state: Matrix,
    factors: Factors,
    /// $B$.
    directions: Matrix,
    /// Changes of $\mu$ and of the algebraic unknowns of index 1 with $y_i$ and the shared quantities.
    response: Matrix,
}

/// The factorised linearisation of all equations.
pub(super) struct Factorized {
    intervals: Vec<Interval>,
    condensed: Condensed,
}

/// Collocation as Newton's method sees it.
impl Discretization for &'static Scheme {
    type Residuals = Residuals;
    type Factors = Factorized;

    fn residuals(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate) -> Result<Residuals, Deficiency> {
        Collocation { problem, scheme: self }.residuals(mesh, iterate)
    }

    fn factorize(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        iterate: &Iterate,
        residuals: &Residuals,
    ) -> Result<Factorized, Deficiency> {
        Collocation { problem, scheme: self }.factorize(mesh, iterate, residuals)
    }

    fn resolution(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate, allowed: &Allowed) -> f64 {
        let coefficients = Collocation { problem, scheme: self }.last_coefficients(mesh, iterate, allowed);
        coefficients.into_iter().fold(0.0, larger)
    }

    fn correction(
        &self,
        problem: &Problem<'_>,
        mesh: &Mesh,
        factors: &Factorized,
        residuals: &Residuals,
    ) -> Option<Iterate> {
        Collocation { problem, scheme: self }.correction(mesh, factors, residuals)
    }
}

impl Collocation<'_, '_> {
    /// The residuals.
    pub(super) fn residuals(&self, mesh: &Mesh, iterate: &Iterate) -> Result<Residuals, Deficiency> {
        let [m, na, _] = self.sizes();
        let (n, layout) = (m + na, &self.problem.layout);
        let mut residuals = Residuals {
            nodes: Vec::with_capacity(mesh.intervals()),
            gaps: Vec::with_capacity(mesh.intervals()),
            constraints: Vec::new(),
            outer: OuterResiduals::new(self.problem, mesh, iterate)?,
        };
        let mut stage = self.stage();
        for i in 0..mesh.intervals() {
            let mut all = vec![0.0; self.scheme.stages() * n];
            for (j, residual) in all.chunks_exact_mut(n).enumerate() {
                self.set_stage(mesh, iterate, i, j, &mut stage);
                self.dae().residual(stage.t, &stage.y, &stage.yp, residual);
                if residual.iter().any(|value| !value.is_finite()) {
                    return Err(Deficiency::NotFinite(stage.t));
                }
            }
            residuals.nodes.push(all);
            let mut gap = self.value_with(mesh, iterate, i, &self.scheme.b);
            gap.iter_mut().zip(&iterate.y[i + 1]).for_each(|(gap, next)| *gap -= next);
            if layout.is_projected() {
                let end = self.right_end(mesh, iterate, i);
                let directions = &iterate.directions[i];
                for (c, factor) in iterate.ends[i + 1][layout.of_index_1..].iter().enumerate() {
                    gap.iter_mut().zip(directions.column(c)).for_each(|(gap, entry)| *gap += factor * entry);
                }
                let mut values = vec![0.0; n];
                self.dae().residual(end.t, &end.y, &end.yp, &mut values);
                let constraints: Vec<f64> = layout.constraint_rows.iter().map(|&row| values[row]).collect();
                if constraints.iter().any(|value| !value.is_finite()) {
                    return Err(Deficiency::NotFinite(end.t));
                }
                residuals.constraints.push(constraints);
            }
            residuals.gaps.push(gap);
        }
        Ok(residuals)
    }

    /// How everything changes with one of the quantities that keep their values.
    pub(super) fn response(
        &self,
        mesh: &Mesh,
        factors: &Factorized,
        residuals: &mut Residuals,
        pinned: usize,
    ) -> Option<Iterate> {
        let vanish = |values: &mut Vec<Vec<f64>>| values.iter_mut().for_each(|values| values.fill(0.0));
        [&mut residuals.nodes, &mut residuals.gaps, &mut residuals.constraints].into_iter().for_each(vanish);
        residuals.outer.vanish();
        residuals.outer.ask_for(pinned);
        self.correction(mesh, factors, residuals)
    }

    /// Residuals as large as the rounding errors of their terms: with signs in no order, or, since errors of the
    /// coefficients of the method are the same in all intervals, proportional to the terms with derivatives.
    pub(super) fn roundings(
        &self,
        mesh: &Mesh,
        iterate: &Iterate,
        allowed: &Allowed,
        residuals: &mut Residuals,
        are_random: bool,
    ) {
        let [m, na, _] = self.sizes();
        let (n, description) = (m + na, self.problem.description());
        let [mut by_y, mut by_yp] = [vec![0.0; description.jacobian_y.len()], vec![0.0; description.jacobian_yp.len()]];
        let (mut stage, mut count) = (self.stage(), 0_u32);
        let mut sign = || {
            // Golden-ratio sequence.
            count += 1;
            if (f64::from(count) * 0.618_033_988_749_895).fract() < 0.5 { 1.0 } else { -1.0 }
        };
        for i in 0..mesh.intervals() {
            for (j, rounding) in residuals.nodes[i].chunks_exact_mut(n).enumerate() {
                self.set_stage(mesh, iterate, i, j, &mut stage);
                self.dae().jacobian_y(stage.t, &stage.y, &stage.yp, &mut by_y);
                self.dae().jacobian_yp(stage.t, &stage.y, &stage.yp, &mut by_yp);
                rounding.fill(0.0);
                let slopes = description.jacobian_yp.entries().map(|(row, k, place)| (row, by_yp[place] * stage.yp[k]));
                if are_random {
                    // Values that are small to the tolerance count as large enough to be seen.
                    let size = |k: usize| stage.y[k].abs().max(allowed.atol[k] / allowed.rtol);
                    let terms = description.jacobian_y.entries().map(|(row, k, place)| (row, by_y[place] * size(k)));
                    terms.chain(slopes).for_each(|(row, term)| rounding[row] += f64::EPSILON * term.abs());
                    rounding.iter_mut().for_each(|value| *value *= sign());
                } else {
                    slopes.for_each(|(row, term)| rounding[row] += f64::EPSILON * term);
                }
            }
            for (gap, y) in residuals.gaps[i].iter_mut().zip(&iterate.y[i + 1]) {
                *gap = if are_random { sign() * f64::EPSILON * y } else { 0.0 };
            }
            if let Some(constraints) = residuals.constraints.get_mut(i) {
                constraints.fill(0.0);
            }
        }
        residuals.outer.vanish();
    }

    /// Linearises and factorises.
    pub(super) fn factorize(
        &self,
        mesh: &Mesh,
        iterate: &Iterate,
        residuals: &Residuals,
    ) -> Result<Factorized, Deficiency> {
        let intervals: Vec<Interval> =
            (0..mesh.intervals()).map(|i| self.interval(mesh, iterate, i)).collect::<Result<_, _>>()?;
        let relations = intervals.iter().map(|interval| &interval.relation);
        let condensed = Condensed::new(self.problem, mesh, iterate, relations, &residuals.outer)?;
        Ok(Factorized { intervals, condensed })
    }

    /// Linearises the equations of an interval and eliminates what belongs to its nodes.
    fn interval(&self, mesh: &Mesh, iterate: &Iterate, i: usize) -> Result<Interval, Deficiency> {
        let [m, na, thetas] = self.sizes();
        let (n, s, layout, description) =
            (m + na, self.scheme.stages(), &self.problem.layout, self.problem.description());
        let h = mesh.t[i + 1] - mesh.t[i];
        let stretch = mesh.moves(i + 1) - mesh.moves(i);
        let mut matrix = Matrix::zeros(s * n, s * n);
        let mut response = Matrix::zeros(s * n, m + thetas);
        let [mut by_y, mut by_yp] = [vec![0.0; description.jacobian_y.len()], vec![0.0; description.jacobian_yp.len()]];
        let mut by_p = vec![0.0; description.jacobian_p.len()];
        let mut column_of = vec![0; n];
        layout.differential.iter().enumerate().for_each(|(k, &place)| column_of[place] = k);
        layout.algebraic.iter().enumerate().for_each(|(k, &place)| column_of[place] = m + k);
        let mut stage = self.stage();
        for j in 0..s {
            self.set_stage(mesh, iterate, i, j, &mut stage);
            let dae = self.dae();
            dae.jacobian_y(stage.t, &stage.y, &stage.yp, &mut by_y);
            dae.jacobian_yp(stage.t, &stage.y, &stage.yp, &mut by_yp);
            if by_y.iter().chain(&by_yp).any(|value| !value.is_finite()) {
                return Err(Deficiency::NotFinite(stage.t));
            }
            for (row, unknown, place) in description.jacobian_y.entries() {
                let (row, column, value) = (j * n + row, column_of[unknown], by_y[place]);
                if column >= m {
                    matrix[(row, j * n + column)] += value;
                    continue;
                }
                response[(row, column)] -= value;
                (0..s).for_each(|l| matrix[(row, l * n + column)] += h * self.scheme.a[(j, l)] * value);
                if let (Some(end), true) = (self.problem.shared.end(), stretch != 0.0) {
                    let sum: f64 = (0..s).map(|l| self.scheme.a[(j, l)] * iterate.nodes[i][l * n + column]).sum();
                    response[(row, m + end)] -= value * stretch * sum;
                }
            }
            for (row, unknown, place) in description.jacobian_yp.entries() {
                matrix[(j * n + row, j * n + column_of[unknown])] += by_yp[place];
            }
            if !self.problem.shared.parameters.is_empty() {
                dae.jacobian_p(stage.t, &stage.y, &stage.yp, &mut by_p);
                for (row, parameter, place) in description.jacobian_p.entries() {
                    if let Some(column) = self.problem.shared.column(parameter) {
                        response[(j * n + row, m + column)] -= by_p[place];
                    }
                }
            }
            if let Some(end) = self.problem.shared.end() {
                let moves = mesh.moves(i) + self.scheme.c[j] * stretch;
                if moves != 0.0 {
                    let mut by_t = vec![0.0; n];
                    dae.jacobian_t(stage.t, &stage.y, &stage.yp, &mut by_t);
                    by_t.iter().enumerate().for_each(|(row, value)| response[(j * n + row, m + end)] -= moves * value);
                }
            }
        }
        let factors = matrix.factors().ok_or(Deficiency::Interval(mesh.t[i]))?;
        response.as_mut_slice().chunks_exact_mut((s * n).max(1)).for_each(|column| factors.solve(column));
        let mut relation = Relation { gamma: Matrix::identity(m), delta: Matrix::zeros(m, thetas) };
        for j in 0..m + thetas {
            let column = response.column(j);
            let mut sum = vec![0.0; m];
            for (node, b) in column.chunks_exact(n).zip(&self.scheme.b) {
                sum.iter_mut().zip(node).for_each(|(sum, slope)| *sum += h * b * slope);
            }
            let to = if j < m { &mut relation.gamma } else { &mut relation.delta };
            let j = if j < m { j } else { j - m };
            sum.iter().enumerate().for_each(|(k, sum)| to[(k, j)] += sum);
        }
        if let Some(end) = self.problem.shared.end() {
            for (node, b) in iterate.nodes[i].chunks_exact(n).zip(&self.scheme.b) {
                (0..m).for_each(|k| relation.delta[(k, end)] += stretch * b * node[k]);
            }
        }
        let projection = match layout.is_projected() {
            true => Some(self.projection(mesh, iterate, i, &mut relation)?),
            false => None,
        };
        if relation.gamma.as_slice().iter().chain(relation.delta.as_slice()).any(|entry| !entry.is_finite()) {
            return Err(Deficiency::Interval(mesh.t[i]));
        }
        Ok(Interval { factors, response, projection, relation })
    }

    /// The projection at the right end of an interval; changes the relation accordingly.
    fn projection(
        &self,
        mesh: &Mesh,
        iterate: &Iterate,
        i: usize,
        relation: &mut Relation,
    ) -> Result<Projection, Deficiency> {
        let [m, na, thetas] = self.sizes();
        let (layout, description, dae) = (&self.problem.layout, self.problem.description(), self.dae());
        let end = self.right_end(mesh, iterate, i);
        let n = m + na;
        let singular = || Deficiency::Interval(mesh.t[i]);
        let mut by_y = vec![0.0; description.jacobian_y.len()];
        dae.jacobian_y(end.t, &end.y, &end.yp, &mut by_y);
        if by_y.iter().any(|value| !value.is_finite()) {
            return Err(Deficiency::NotFinite(end.t));
        }
        let by_y = dense(&description.jacobian_y, &by_y, n, n);
        let directions = iterate.directions[i].clone();
        let of_index_1 = &layout.algebraic[..layout.of_index_1];
        let by_state = Matrix::from_fn(na, m, |r, c| by_y[(layout.constraint_rows[r], layout.differential[c])]);
        let acted = by_state.times(&directions);
        let count = directions.columns();
        let square = Matrix::from_fn(na, na, |r, c| match c.checked_sub(count) {
            None => acted[(r, c)],
            Some(c) => by_y[(layout.constraint_rows[r], of_index_1[c])],
        });
        let factors = square.factors().ok_or_else(singular)?;
        // The constraints change with the state before the projection, with parameters and with time.
        let mut change = Matrix::zeros(na, m + thetas);
        let before = |j: usize| if j < m { relation.gamma.column(j) } else { relation.delta.column(j - m) };
        for j in 0..m + thetas {
            for (c, &value) in before(j).iter().enumerate() {
                (0..na).for_each(|r| change[(r, j)] -= by_state[(r, c)] * value);
            }
        }
        if !self.problem.shared.parameters.is_empty() {
            let mut by_p = vec![0.0; description.jacobian_p.len()];
            dae.jacobian_p(end.t, &end.y, &end.yp, &mut by_p);
            let place: Vec<Option<usize>> =
                (0..n).map(|row| layout.constraint_rows.iter().position(|&it| it == row)).collect();
            for (row, parameter, at) in description.jacobian_p.entries() {
                if let (Some(row), Some(column)) = (place[row], self.problem.shared.column(parameter)) {
                    change[(row, m + column)] -= by_p[at];
                }
            }
        }
        if let Some(column) = self.problem.shared.end() {
            let moves = mesh.moves(i + 1);
            let mut by_t = vec![0.0; n];
            dae.jacobian_t(end.t, &end.y, &end.yp, &mut by_t);
            for (r, &row) in layout.constraint_rows.iter().enumerate() {
                change[(r, m + column)] -= moves * by_t[row];
            }
        }
        change.as_mut_slice().chunks_exact_mut(na.max(1)).for_each(|column| factors.solve(column));
        for j in 0..m + thetas {
            let to = if j < m { &mut relation.gamma } else { &mut relation.delta };
            let column = if j < m { j } else { j - m };
            for (c, &factor) in change.column(j)[..count].iter().enumerate() {
                (0..m).for_each(|r| to[(r, column)] += directions[(r, c)] * factor);
            }
        }
        Ok(Projection { by_state, factors, directions, response: change })
    }

    /// Sets the directions of the projections to those at the iterate; returns the largest change of an unknown that
    /// this makes, in units of the error allowed.
    pub(super) fn set_directions(
        &self,
        mesh: &Mesh,
        iterate: &mut Iterate,
        allowed: &Allowed,
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
        let by_y = dense(&description.jacobian_y, &by_y, n, n);
        let by_yp = dense(&description.jacobian_yp, &by_yp, n, n);
        let of_index_2 = &layout.algebraic[layout.of_index_1..];
        let leading =
            Matrix::from_fn(m, m, |r, c| by_yp[(layout.dynamic_rows[r], layout.differential[c])]).factors()?;
        let mut directions =
            Matrix::from_fn(m, of_index_2.len(), |r, c| -by_y[(layout.dynamic_rows[r], of_index_2[c])]);
        directions.as_mut_slice().chunks_exact_mut(m.max(1)).for_each(|column| leading.solve(column));
        directions.as_slice().iter().all(|entry| entry.is_finite()).then_some(directions)
    }

    /// The Newton correction, or with the factors at another iterate a simplified one.
    pub(super) fn correction(&self, mesh: &Mesh, factorized: &Factorized, residuals: &Residuals) -> Option<Iterate> {
        let [m, na, _] = self.sizes();
        let n = m + na;
        // What belongs to the nodes, with the left end and the shared quantities held; the remainders of the relations.
        let mut nodes: Vec<Vec<f64>> = Vec::with_capacity(mesh.intervals());
        let mut remainders: Vec<Vec<f64>> = Vec::with_capacity(mesh.intervals());
        let mut ends: Vec<Vec<f64>> = vec![vec![0.0; na]; mesh.t.len()];
        for (i, interval) in factorized.intervals.iter().enumerate() {
            let h = mesh.t[i + 1] - mesh.t[i];
            let mut change: Vec<f64> = residuals.nodes[i].iter().map(|value| -value).collect();
            interval.factors.solve(&mut change);
            let mut remainder = residuals.gaps[i].clone();
            for (node, b) in change.chunks_exact(n).zip(&self.scheme.b) {
                remainder.iter_mut().zip(node).for_each(|(value, slope)| *value += h * b * slope);
            }
            if let Some(projection) = &interval.projection {
                let mut gap: Vec<f64> = residuals.constraints[i].iter().map(|value| -value).collect();
                for (c, value) in remainder.iter().enumerate() {
                    gap.iter_mut().zip(projection.by_state.column(c)).for_each(|(gap, entry)| *gap -= entry * value);
                }
                projection.factors.solve(&mut gap);
                let of_index_2 = projection.directions.columns();
                for (c, factor) in gap[..of_index_2].iter().enumerate() {
                    let column = projection.directions.column(c);
                    remainder.iter_mut().zip(column).for_each(|(value, entry)| *value += entry * factor);
                }
                gap.rotate_left(of_index_2);
                ends[i + 1].copy_from_slice(&gap);
            }
            nodes.push(change);
            remainders.push(remainder);
        }
        let Outer { y, shared, jets } = factorized.condensed.solve(mesh, &remainders, &residuals.outer)?;
        for (i, interval) in factorized.intervals.iter().enumerate() {
            let given = y[i].iter().chain(&shared);
            for (j, &value) in given.enumerate().filter(|(_, value)| **value != 0.0) {
                let column = interval.response.column(j);
                nodes[i].iter_mut().zip(column).for_each(|(node, entry)| *node += entry * value);
                if let Some(projection) = &interval.projection {
                    let (of_index_2, of_index_1) =
                        projection.response.column(j).split_at(projection.directions.columns());
                    let column = of_index_1.iter().chain(of_index_2);
                    ends[i + 1].iter_mut().zip(column).for_each(|(end, entry)| *end += entry * value);
                }
            }
        }
        Some(Iterate { shared, y, ends, nodes, jets, directions: Vec::new() })
    }
}

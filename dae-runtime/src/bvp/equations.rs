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

use crate::linalg::matrix::{Factors, Matrix, eliminate, solve, substitute};
use crate::linalg::vector::{add, larger};
use crate::linalg::vectors::Vectors;

use super::collocation::{Collocation, Stage};
use super::condensed::{Condensed, Deficiency, Iterate, Outer, OuterResiduals, dense};
use super::elimination::Relations;
use super::linearization::Linearization;
use super::mesh::Mesh;
use super::newton::Discretization;
use super::problem::Problem;
use super::scheme::Scheme;
use super::tolerances::Tolerances;

/// Rounding errors of the equations at nodes and of sums over nodes, in units of those of their terms: there are many
/// operations behind a term.
const OF_NODES: f64 = 4.0 * f64::EPSILON;
/// Rounding errors of conditions and constraints, in the same units.
const OF_CONDITIONS: f64 = f64::EPSILON;
/// How far draws of signs are apart in their sequence.
const APART: u32 = 7919;

pub(super) struct Residuals {
    /// Of the equations at the nodes of each interval.
    nodes: Vectors,
    /// $y_i + h \sum b_j K_j - y_{i+1}$.
    gaps: Vectors,
    /// Of the constraints at the ends of intervals, with unknowns of index 2.
    constraints: Vectors,
    outer: OuterResiduals,
}

impl Residuals {
    /// Sets all but the gaps to zero.
    fn retain_gaps(&mut self) {
        [&mut self.nodes, &mut self.constraints].into_iter().for_each(|values| values.entries_mut().fill(0.0));
        self.outer.vanish();
    }
}

/// The factorised linearisation of all equations.
pub(super) struct Factorized {
    /// For each interval, column by column: the factors of the derivatives with respect to what belongs to its nodes, and
    /// how that changes with $y_i$ and the shared quantities.
    nodes: Vectors,
    /// The exchanges of rows of the factors.
    exchanges: Vec<usize>,
    /// For each interval, with unknowns of index 2.
    projections: Vec<Projection>,
    condensed: Condensed,
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

    fn resolution(&self, problem: &Problem<'_>, mesh: &Mesh, iterate: &Iterate, allowed: &Tolerances) -> f64 {
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
        let (count, constraints) = (mesh.intervals(), if layout.is_projected() { na } else { 0 });
        let mut residuals = Residuals {
            nodes: Vectors::zeros(count, self.scheme.stages() * n),
            gaps: Vectors::zeros(count, m),
            constraints: Vectors::zeros(count, constraints),
            outer: OuterResiduals::new(self.problem, mesh, iterate)?,
        };
        let mut stage = self.stage();
        for i in 0..count {
            for (j, residual) in residuals.nodes[i].chunks_exact_mut(n).enumerate() {
                self.set_stage(mesh, iterate, i, j, &mut stage);
                self.dae().residual(stage.t, &stage.y, &stage.yp, residual);
                if residual.iter().any(|value| !value.is_finite()) {
                    return Err(Deficiency::NotFinite(stage.t));
                }
            }
            let gap = &mut residuals.gaps[i];
            gap.copy_from_slice(&iterate.y[i]);
            self.add_slopes(mesh, iterate, i, &self.scheme.b, gap);
            add(-1.0, &iterate.y[i + 1], gap);
            if layout.is_projected() {
                let end = self.right_end(mesh, iterate, i);
                for (c, factor) in iterate.ends[i + 1][layout.of_index_1..].iter().enumerate() {
                    add(*factor, iterate.directions[i].column(c), gap);
                }
                let mut values = vec![0.0; n];
                self.dae().residual(end.t, &end.y, &end.yp, &mut values);
                let constraints = &mut residuals.constraints[i];
                constraints.iter_mut().zip(&layout.constraint_rows).for_each(|(to, &row)| *to = values[row]);
                if constraints.iter().any(|value| !value.is_finite()) {
                    return Err(Deficiency::NotFinite(end.t));
                }
            }
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
        residuals.retain_gaps();
        residuals.gaps.entries_mut().fill(0.0);
        residuals.outer.ask_for(pinned);
        self.correction(mesh, factors, residuals)
    }

    /// Residuals as large as the rounding errors of their terms, those of conditions and constraints included: with signs
    /// in no order, others in each `draw`, or, since errors of the coefficients of the method are the same in all intervals,
    /// proportional to the terms with derivatives.
    pub(super) fn roundings(
        &self,
        mesh: &Mesh,
        iterate: &Iterate,
        allowed: &Tolerances,
        residuals: &mut Residuals,
        draw: Option<u32>,
    ) {
        let [m, na, _] = self.sizes();
        let (n, description) = (m + na, self.problem.description());
        let [mut by_y, mut by_yp] = [vec![0.0; description.jacobian_y.len()], vec![0.0; description.jacobian_yp.len()]];
        let (mut stage, mut count) = (self.stage(), draw.unwrap_or(0) * APART);
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
                if draw.is_some() {
                    let size = |k: usize| allowed.significant(k, stage.y[k]);
                    let terms = description.jacobian_y.entries().map(|(row, k, place)| (row, by_y[place] * size(k)));
                    terms.chain(slopes).for_each(|(row, term)| rounding[row] += OF_NODES * term.abs());
                    rounding.iter_mut().for_each(|value| *value *= sign());
                } else {
                    slopes.for_each(|(row, term)| rounding[row] += OF_NODES * term);
                }
            }
            for (gap, y) in residuals.gaps[i].iter_mut().zip(&iterate.y[i + 1]) {
                *gap = if draw.is_some() { sign() * OF_NODES * y } else { 0.0 };
            }
        }
        residuals.constraints.entries_mut().fill(0.0);
        residuals.outer.vanish();
        if draw.is_none() {
            return;
        }
        residuals.outer.round(self.problem, mesh, iterate, || sign() * OF_CONDITIONS);
        let layout = &self.problem.layout;
        if layout.is_projected() {
            let place = |row: usize| layout.constraint_rows.iter().position(|&it| it == row);
            for i in 0..mesh.intervals() {
                let end = self.right_end(mesh, iterate, i);
                self.dae().jacobian_y(end.t, &end.y, &end.yp, &mut by_y);
                let rounding = &mut residuals.constraints[i];
                for (row, k, value) in description.jacobian_y.entries() {
                    if let Some(row) = place(row) {
                        rounding[row] += OF_CONDITIONS * (by_y[value] * end.y[k]).abs();
                    }
                }
                rounding.iter_mut().for_each(|value| *value *= sign());
            }
        }
    }

    /// Linearises and factorises.
    pub(super) fn factorize(
        &self,
        mesh: &Mesh,
        iterate: &Iterate,
        residuals: &Residuals,
    ) -> Result<Factorized, Deficiency> {
        let [m, na, thetas] = self.sizes();
        let (count, order, width) = (mesh.intervals(), self.scheme.stages() * (m + na), m + thetas);
        let mut nodes = Vectors::zeros(count, order * (order + width));
        let mut exchanges = vec![0; count * order];
        let mut relations = Relations { m, shared: thetas, columns: Vectors::zeros(count, m * width) };
        let mut projections = Vec::new();
        let mut at_node = Linearization::new(self);
        for (i, exchanges) in exchanges.chunks_exact_mut(order).enumerate() {
            let columns = &mut nodes[i];
            self.linearize(mesh, iterate, i, &mut at_node, columns)?;
            if !eliminate(columns, exchanges) {
                return Err(Deficiency::Interval(mesh.t[i]));
            }
            let (factors, response) = columns.split_at_mut(order * order);
            response.chunks_exact_mut(order).for_each(|column| substitute(factors, column));
            let relation = &mut relations.columns[i];
            self.relate(mesh, iterate, i, response, relation);
            if self.problem.layout.is_projected() {
                projections.push(self.projection(mesh, iterate, i, relation)?);
            }
            if relation.iter().any(|entry| !entry.is_finite()) {
                return Err(Deficiency::Interval(mesh.t[i]));
            }
        }
        let condensed = Condensed::new(self.problem, mesh, iterate, &relations, &residuals.outer)?;
        Ok(Factorized { nodes, exchanges, projections, condensed })
    }

    /// The projection at the right end of an interval; changes the relation accordingly.
    fn projection(
        &self,
        mesh: &Mesh,
        iterate: &Iterate,
        i: usize,
        relation: &mut [f64],
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
        for (j, before) in relation.chunks_exact(m.max(1)).enumerate() {
            for (c, &value) in before.iter().enumerate() {
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
        for (j, column) in relation.chunks_exact_mut(m.max(1)).enumerate() {
            for (c, &factor) in change.column(j)[..count].iter().enumerate() {
                add(factor, directions.column(c), column);
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

    /// Replaces residuals at `iterate` by what remains of them after a correction from there: gaps, which depend on
    /// everything that is found separately. Returns the largest in units of its rounding errors.
    pub(super) fn remain(
        &self,
        mesh: &Mesh,
        iterate: &Iterate,
        change: &Iterate,
        residuals: &mut Residuals,
        allowed: &Tolerances,
    ) -> f64 {
        let ([m, na, _], layout) = (self.sizes(), &self.problem.layout);
        residuals.retain_gaps();
        let mut largest = 0.0;
        for i in 0..mesh.intervals() {
            let gap = &mut residuals.gaps[i];
            add(1.0, &change.y[i], gap);
            self.add_slopes(mesh, change, i, &self.scheme.b, gap);
            add(-1.0, &change.y[i + 1], gap);
            if let Some(directions) = iterate.directions.get(i) {
                for (c, factor) in change.ends[i + 1][layout.of_index_1..].iter().enumerate() {
                    add(*factor, directions.column(c), gap);
                }
            }
            if let Some(end) = self.problem.shared.end() {
                let stretch = (mesh.moves(i + 1) - mesh.moves(i)) * change.shared[end];
                let slopes = iterate.nodes[i].chunks_exact(m + na).zip(&self.scheme.b);
                slopes.for_each(|(node, b)| add(stretch * b, &node[..m], gap));
            }
            for (k, &unknown) in layout.differential.iter().enumerate() {
                let size = iterate.y[i][k].abs().max(iterate.y[i + 1][k].abs());
                largest = larger(largest, gap[k].abs() / (f64::EPSILON * allowed.significant(unknown, size)));
            }
        }
        largest
    }

    /// The Newton correction, or with the factors at another iterate a simplified one.
    pub(super) fn correction(&self, mesh: &Mesh, factorized: &Factorized, residuals: &Residuals) -> Option<Iterate> {
        let [m, na, _] = self.sizes();
        let n = m + na;
        let order = self.scheme.stages() * n;
        // What belongs to the nodes, with the left end and the shared quantities held; the remainders of the relations.
        let (mut nodes, mut remainders) = (residuals.nodes.clone(), residuals.gaps.clone());
        nodes.entries_mut().iter_mut().for_each(|value| *value = -*value);
        let mut ends = Vectors::zeros(mesh.t.len(), na);
        for (i, exchanges) in factorized.exchanges.chunks_exact(order).enumerate() {
            let h = mesh.t[i + 1] - mesh.t[i];
            let (change, remainder) = (&mut nodes[i], &mut remainders[i]);
            solve(&factorized.nodes[i][..order * order], exchanges, change);
            for (node, b) in change.chunks_exact(n).zip(&self.scheme.b) {
                add(h * b, &node[..m], remainder);
            }
            if let Some(projection) = factorized.projections.get(i) {
                let gap = &mut ends[i + 1];
                gap.iter_mut().zip(&residuals.constraints[i]).for_each(|(gap, value)| *gap = -value);
                for (c, value) in remainder.iter().enumerate() {
                    add(-value, projection.by_state.column(c), gap);
                }
                projection.factors.solve(gap);
                let of_index_2 = projection.directions.columns();
                for (c, factor) in gap[..of_index_2].iter().enumerate() {
                    add(*factor, projection.directions.column(c), remainder);
                }
                gap.rotate_left(of_index_2);
            }
        }
        let Outer { y, shared, jets } = factorized.condensed.solve(mesh, remainders, &residuals.outer)?;
        for (i, columns) in factorized.nodes.iter().enumerate() {
            let responses = columns[order * order..].chunks_exact(order);
            for (j, (value, response)) in y[i].iter().chain(&shared).zip(responses).enumerate() {
                add(*value, response, &mut nodes[i]);
                if let Some(projection) = factorized.projections.get(i) {
                    let (of_index_2, of_index_1) =
                        projection.response.column(j).split_at(projection.directions.columns());
                    let (end_1, end_2) = ends[i + 1].split_at_mut(of_index_1.len());
                    add(*value, of_index_1, end_1);
                    add(*value, of_index_2, end_2);
                }
            }
        }
        Some(Iterate { shared, y, ends, nodes, jets, directions: Vec::new() })
    }
}

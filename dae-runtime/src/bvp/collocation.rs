//! Collocation on a mesh, and its linearisation.
//!
//! In: a problem, a mesh, values at its points and at the nodes of its intervals. Out: the residuals of all equations,
//! and Newton corrections.
//!
//! On an interval $[t_i, t_i + h]$ the differential unknowns are polynomials with the derivatives $K_j$ at the nodes, and
//! the algebraic ones have values $Z_j$ there:
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

use crate::contract::{Dae, Pattern};
use crate::linalg::matrix::{Factors, Matrix};

use super::elimination::{Elimination, Relation, factorize_scaled};
use super::point::{Linearized, Obstacle};
use super::problem::Problem;
use super::scheme::Scheme;

/// The ends of intervals, and which of them are points of the conditions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mesh {
    /// Ascending, or descending where the end is before the start.
    pub(super) t: Vec<f64>,
    /// For each point of the conditions, its place in `t`.
    pub(super) points: Vec<usize>,
}

impl Mesh {
    /// Number of intervals.
    pub(super) fn intervals(&self) -> usize {
        self.t.len() - 1
    }

    /// How much the `i`-th time moves with a free end.
    pub(super) fn moves(&self, i: usize) -> f64 {
        let last = self.points[self.points.len() - 2];
        if i <= last {
            return 0.0;
        }
        let (from, to) = (self.t[last], self.t[self.t.len() - 1]);
        (self.t[i] - from) / (to - from)
    }

    /// Moves the end, and with it the times since the last point before.
    pub(super) fn set_end(&mut self, end: f64) {
        let last = self.points[self.points.len() - 2];
        let from = self.t[last];
        let moves: Vec<f64> = (last + 1..self.t.len()).map(|i| self.moves(i)).collect();
        let count = self.t.len();
        self.t[last + 1..].iter_mut().zip(moves).for_each(|(t, moves)| *t = from + moves * (end - from));
        self.t[count - 1] = end;
    }
}

/// Values of everything that is solved for.
#[derive(Clone, Debug)]
pub(super) struct Iterate {
    /// Shared quantities.
    pub(super) shared: Vec<f64>,
    /// Differential unknowns at the ends of intervals.
    pub(super) y: Vec<Vec<f64>>,
    /// Algebraic unknowns there; those of index 2 are extrapolated from the nodes.
    pub(super) ends: Vec<Vec<f64>>,
    /// For each interval, node by node: derivatives of the differential unknowns, algebraic unknowns.
    pub(super) nodes: Vec<Vec<f64>>,
    /// Jets at the points of the conditions.
    pub(super) jets: Vec<Vec<f64>>,
}

impl Iterate {
    /// Adds a multiple of a change.
    pub(super) fn add(&mut self, factor: f64, change: &Iterate) {
        let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
        add(&mut self.shared, &change.shared);
        let rows = [(&mut self.y, &change.y), (&mut self.ends, &change.ends), (&mut self.nodes, &change.nodes), (&mut self.jets, &change.jets)];
        for (to, from) in rows {
            to.iter_mut().zip(from).for_each(|(to, from)| add(to, from));
        }
    }
}

/// The residuals of an iterate.
pub(super) struct Residuals {
    /// Of the equations at the nodes of each interval.
    nodes: Vec<Vec<f64>>,
    /// $y_i + h \sum b_j K_j - y_{i+1}$.
    gaps: Vec<Vec<f64>>,
    /// Of the constraints at the ends of intervals, with unknowns of index 2.
    constraints: Vec<Vec<f64>>,
    /// Of the conditions.
    conditions: Vec<f64>,
    /// At the points of the conditions.
    points: Vec<Linearized>,
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
    /// Changes of the algebraic unknowns of index 1 with $y_i$ and the shared quantities.
    response: Matrix,
}

/// The factorised linearisation of all equations.
pub(super) struct Factorized {
    intervals: Vec<Interval>,
    segments: Vec<Elimination>,
    /// Derivatives of the conditions with respect to the jets at each point.
    by_jets: Vec<Matrix>,
    factors: Factors,
    scales: Vec<f64>,
    /// Linearisations at the points.
    normal: Matrix,
    state_of_points: Vec<Matrix>,
    shared_of_points: Vec<Matrix>,
}

/// Why there is no linearisation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Deficiency {
    /// A function is not finite at this time.
    NotFinite(f64),
    /// The equations of the interval that begins at this time are singular.
    Interval(f64),
    /// The equations of the model are singular at this time.
    Point(f64),
    /// The conditions do not determine the solution.
    Conditions,
}

/// Storage for evaluations.
struct Stage {
    t: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
}

/// A collocation method on a mesh.
pub(super) struct Collocation<'p, 'd> {
    pub(super) problem: &'p Problem<'d>,
    pub(super) scheme: &'static Scheme,
}

impl Collocation<'_, '_> {
    fn dae(&self) -> &dyn Dae {
        &*self.problem.dae
    }

    /// Numbers of differential, algebraic, shared unknowns.
    fn sizes(&self) -> [usize; 3] {
        let layout = &self.problem.layout;
        [layout.differential.len(), layout.algebraic.len(), self.problem.shared.count()]
    }

    /// The differential unknowns at `theta` in interval `i`, from its left end.
    pub(super) fn value(&self, mesh: &Mesh, iterate: &Iterate, i: usize, theta: f64) -> Vec<f64> {
        self.value_with(mesh, iterate, i, &self.scheme.integrals(theta))
    }

    fn value_with(&self, mesh: &Mesh, iterate: &Iterate, i: usize, integrals: &[f64]) -> Vec<f64> {
        let [m, na, _] = self.sizes();
        let h = mesh.t[i + 1] - mesh.t[i];
        let mut y = iterate.y[i].clone();
        for (node, weight) in iterate.nodes[i].chunks_exact(m + na).zip(integrals) {
            y.iter_mut().zip(node).for_each(|(y, slope)| *y += h * weight * slope);
        }
        y
    }

    /// Derivatives of the differential unknowns, and algebraic unknowns, at `theta` in interval `i`.
    pub(super) fn others(&self, iterate: &Iterate, i: usize, theta: f64) -> Vec<f64> {
        let [m, na, _] = self.sizes();
        let mut values = vec![0.0; m + na];
        for (node, weight) in iterate.nodes[i].chunks_exact(m + na).zip(self.scheme.values(theta)) {
            values.iter_mut().zip(node).for_each(|(value, node)| *value += weight * node);
        }
        values
    }

    /// Assembles the state and its derivative from differential unknowns and what belongs to a node.
    pub(super) fn assemble(&self, y: &[f64], node: &[f64], state: &mut [f64], slope: &mut [f64]) {
        let layout = &self.problem.layout;
        for (k, &place) in layout.differential.iter().enumerate() {
            (state[place], slope[place]) = (y[k], node[k]);
        }
        for (k, &place) in layout.algebraic.iter().enumerate() {
            state[place] = node[layout.differential.len() + k];
        }
    }

    fn stages<'s>(&'s self, mesh: &'s Mesh, iterate: &'s Iterate, i: usize) -> impl Iterator<Item = Stage> + 's {
        let [m, na, _] = self.sizes();
        let h = mesh.t[i + 1] - mesh.t[i];
        (0..self.scheme.stages()).map(move |j| {
            let row: Vec<f64> = self.scheme.a.row(j).collect();
            let y = self.value_with(mesh, iterate, i, &row);
            let node = &iterate.nodes[i][j * (m + na)..(j + 1) * (m + na)];
            let mut stage = Stage { t: mesh.t[i] + self.scheme.c[j] * h, y: vec![0.0; m + na], yp: vec![0.0; m + na] };
            self.assemble(&y, node, &mut stage.y, &mut stage.yp);
            stage
        })
    }

    /// The state at the right end of an interval.
    fn right_end(&self, mesh: &Mesh, iterate: &Iterate, i: usize) -> Stage {
        let [m, na, _] = self.sizes();
        let mut node = self.others(iterate, i, 1.0);
        let layout = &self.problem.layout;
        node[m..m + layout.of_index_1].copy_from_slice(&iterate.ends[i + 1][..layout.of_index_1]);
        let mut stage = Stage { t: mesh.t[i + 1], y: vec![0.0; m + na], yp: vec![0.0; m + na] };
        self.assemble(&iterate.y[i + 1], &node, &mut stage.y, &mut stage.yp);
        stage
    }

    /// The residuals.
    pub(super) fn residuals(&self, mesh: &Mesh, iterate: &Iterate) -> Result<Residuals, Deficiency> {
        let [m, na, _] = self.sizes();
        let (n, layout) = (m + na, &self.problem.layout);
        let mut residuals = Residuals {
            nodes: Vec::with_capacity(mesh.intervals()),
            gaps: Vec::with_capacity(mesh.intervals()),
            constraints: Vec::new(),
            conditions: Vec::new(),
            points: self.points(mesh, iterate)?,
        };
        for i in 0..mesh.intervals() {
            let mut all = vec![0.0; self.scheme.stages() * n];
            for (stage, residual) in self.stages(mesh, iterate, i).zip(all.chunks_exact_mut(n)) {
                self.dae().residual(stage.t, &stage.y, &stage.yp, residual);
                if residual.iter().any(|value| !value.is_finite()) {
                    return Err(Deficiency::NotFinite(stage.t));
                }
            }
            residuals.nodes.push(all);
            let mut gap = self.value_with(mesh, iterate, i, &self.scheme.b);
            gap.iter_mut().zip(&iterate.y[i + 1]).for_each(|(gap, next)| *gap -= next);
            residuals.gaps.push(gap);
            if layout.has_index_2() {
                let end = self.right_end(mesh, iterate, i);
                let mut values = vec![0.0; n];
                self.dae().residual(end.t, &end.y, &end.yp, &mut values);
                let constraints: Vec<f64> = layout.constraint_rows.iter().map(|&row| values[row]).collect();
                if constraints.iter().any(|value| !value.is_finite()) {
                    return Err(Deficiency::NotFinite(end.t));
                }
                residuals.constraints.push(constraints);
            }
        }
        let boundary = self.problem.boundary();
        residuals.conditions = vec![0.0; boundary.boundary_description().conditions.len()];
        boundary.boundary_residual(&times(mesh), &iterate.jets.concat(), &mut residuals.conditions);
        match residuals.conditions.iter().all(|value| value.is_finite()) {
            true => Ok(residuals),
            false => Err(Deficiency::NotFinite(mesh.t[mesh.intervals()])),
        }
    }

    /// Linearisations at the points of the conditions.
    fn points(&self, mesh: &Mesh, iterate: &Iterate) -> Result<Vec<Linearized>, Deficiency> {
        let problem = self.problem;
        let point = |(&place, jets): (&usize, &Vec<f64>)| {
            let at = [mesh.t[place], mesh.moves(place)];
            let found = Linearized::new(self.dae(), &problem.layout, &problem.shared, at, &iterate.y[place], jets);
            found.map_err(|obstacle| match obstacle {
                Obstacle::NotFinite => Deficiency::NotFinite(at[0]),
                Obstacle::Singular => Deficiency::Point(at[0]),
            })
        };
        mesh.points.iter().zip(&iterate.jets).map(point).collect()
    }

    /// Linearises and factorises.
    pub(super) fn factorize(
        &self,
        mesh: &Mesh,
        iterate: &Iterate,
        residuals: &Residuals,
    ) -> Result<Factorized, Deficiency> {
        let [m, _, thetas] = self.sizes();
        let intervals: Vec<Interval> =
            (0..mesh.intervals()).map(|i| self.interval(mesh, iterate, i)).collect::<Result<_, _>>()?;
        let segments: Vec<Elimination> = mesh
            .points
            .windows(2)
            .map(|ends| {
                let relations: Vec<Relation> =
                    intervals[ends[0]..ends[1]].iter().map(|interval| interval.relation.clone()).collect();
                Elimination::new(m, thetas, &relations)
            })
            .collect();
        let boundary = self.problem.boundary();
        let b = boundary.boundary_description();
        let (rows, count) = (b.conditions.len(), mesh.points.len());
        let (times, jets) = (times(mesh), iterate.jets.concat());
        let mut values = vec![0.0; b.jacobian.len()];
        boundary.boundary_jacobian(&times, &jets, &mut values);
        let all = dense(&b.jacobian, &values, rows, jets.len());
        let per_point = jets.len() / count;
        let part = |k: usize| Matrix::from_fn(rows, per_point, |i, j| all[(i, k * per_point + j)]);
        let normals = residuals.points[0].normal.rows();
        let order = count * m + thetas;
        if (count - 1) * m + rows + normals != order {
            return Err(Deficiency::Conditions);
        }
        let mut matrix = Matrix::zeros(order, order);
        for (k, segment) in segments.iter().enumerate() {
            for i in 0..m {
                for j in 0..m {
                    matrix[(k * m + i, k * m + j)] = segment.start[(i, j)];
                    matrix[(k * m + i, (k + 1) * m + j)] = segment.end[(i, j)];
                }
                (0..thetas).for_each(|j| matrix[(k * m + i, count * m + j)] = segment.shared[(i, j)]);
            }
        }
        let (conditions, constraints) = ((count - 1) * m, (count - 1) * m + rows);
        let mut by_jets = Vec::with_capacity(count);
        for (k, point) in residuals.points.iter().enumerate() {
            let part = part(k);
            let product = part.times(&point.by_state);
            let shared = part.times(&point.by_shared);
            for i in 0..rows {
                (0..m).for_each(|j| matrix[(conditions + i, k * m + j)] += product[(i, j)]);
                (0..thetas).for_each(|j| matrix[(conditions + i, count * m + j)] += shared[(i, j)]);
            }
            by_jets.push(part);
        }
        let mut by_parameters = vec![0.0; b.jacobian_p.len()];
        boundary.boundary_jacobian_p(&times, &jets, &mut by_parameters);
        for (row, parameter, place) in b.jacobian_p.entries() {
            if let Some(column) = self.problem.shared.column(parameter) {
                matrix[(conditions + row, count * m + column)] += by_parameters[place];
            }
        }
        if let Some(column) = self.problem.shared.end() {
            let mut by_times = vec![0.0; b.jacobian_t.len()];
            boundary.boundary_jacobian_t(&times, &jets, &mut by_times);
            for (row, point, place) in b.jacobian_t.entries() {
                matrix[(conditions + row, count * m + column)] += by_times[place] * mesh.moves(mesh.points[point]);
            }
        }
        let start = &residuals.points[0];
        for i in 0..normals {
            (0..m).for_each(|j| matrix[(constraints + i, j)] = start.normal[(i, j)]);
            (0..thetas).for_each(|j| matrix[(constraints + i, count * m + j)] = -start.normal_shared[(i, j)]);
        }
        if matrix.as_slice().iter().any(|entry| !entry.is_finite()) {
            return Err(Deficiency::NotFinite(mesh.t[0]));
        }
        let (factors, scales) = factorize_scaled(matrix).ok_or(Deficiency::Conditions)?;
        Ok(Factorized {
            intervals,
            segments,
            by_jets,
            factors,
            scales,
            normal: start.normal.clone(),
            state_of_points: residuals.points.iter().map(|point| point.by_state.clone()).collect(),
            shared_of_points: residuals.points.iter().map(|point| point.by_shared.clone()).collect(),
        })
    }

    /// Linearises the equations of an interval and eliminates what belongs to its nodes.
    fn interval(&self, mesh: &Mesh, iterate: &Iterate, i: usize) -> Result<Interval, Deficiency> {
        let [m, na, thetas] = self.sizes();
        let (n, s, layout, description) = (m + na, self.scheme.stages(), &self.problem.layout, self.problem.description());
        let h = mesh.t[i + 1] - mesh.t[i];
        let stretch = mesh.moves(i + 1) - mesh.moves(i);
        let mut matrix = Matrix::zeros(s * n, s * n);
        let mut response = Matrix::zeros(s * n, m + thetas);
        let [mut by_y, mut by_yp] = [vec![0.0; description.jacobian_y.len()], vec![0.0; description.jacobian_yp.len()]];
        let mut by_p = vec![0.0; description.jacobian_p.len()];
        let mut column_of = vec![0; n];
        layout.differential.iter().enumerate().for_each(|(k, &place)| column_of[place] = k);
        layout.algebraic.iter().enumerate().for_each(|(k, &place)| column_of[place] = m + k);
        for (j, stage) in self.stages(mesh, iterate, i).enumerate() {
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
        let projection = match layout.has_index_2() {
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
        let [mut by_y, mut by_yp] = [vec![0.0; description.jacobian_y.len()], vec![0.0; description.jacobian_yp.len()]];
        dae.jacobian_y(end.t, &end.y, &end.yp, &mut by_y);
        dae.jacobian_yp(end.t, &end.y, &end.yp, &mut by_yp);
        let by_y = dense(&description.jacobian_y, &by_y, n, n);
        let by_yp = dense(&description.jacobian_yp, &by_yp, n, n);
        if by_y.as_slice().iter().chain(by_yp.as_slice()).any(|value| !value.is_finite()) {
            return Err(Deficiency::NotFinite(end.t));
        }
        let of_index_2 = &layout.algebraic[layout.of_index_1..];
        let of_index_1 = &layout.algebraic[..layout.of_index_1];
        let singular = || Deficiency::Interval(mesh.t[i]);
        let leading =
            Matrix::from_fn(m, m, |r, c| by_yp[(layout.dynamic_rows[r], layout.differential[c])]).factors();
        let leading = leading.ok_or_else(singular)?;
        let mut directions = Matrix::from_fn(m, of_index_2.len(), |r, c| -by_y[(layout.dynamic_rows[r], of_index_2[c])]);
        directions.as_mut_slice().chunks_exact_mut(m.max(1)).for_each(|column| leading.solve(column));
        let by_state = Matrix::from_fn(na, m, |r, c| by_y[(layout.constraint_rows[r], layout.differential[c])]);
        let acted = by_state.times(&directions);
        let count = of_index_2.len();
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
        let response = Matrix::from_fn(na - count, m + thetas, |r, j| change[(count + r, j)]);
        Ok(Projection { by_state, factors, directions, response })
    }

    /// The Newton correction, or with the factors at another iterate a simplified one.
    pub(super) fn correction(&self, mesh: &Mesh, factorized: &Factorized, residuals: &Residuals) -> Option<Iterate> {
        let [m, na, thetas] = self.sizes();
        let (n, count, layout) = (m + na, mesh.points.len(), &self.problem.layout);
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
                ends[i + 1][..layout.of_index_1].copy_from_slice(&gap[of_index_2..]);
            }
            nodes.push(change);
            remainders.push(remainder);
        }
        // The ends of segments, and the shared quantities.
        let mut right = vec![0.0; count * m + thetas];
        let mut kept = Vec::with_capacity(count - 1);
        for (k, (segment, ends)) in factorized.segments.iter().zip(mesh.points.windows(2)).enumerate() {
            let (g, tops) = segment.reduce(remainders[ends[0]..ends[1]].iter().map(|r| &r[..]));
            right[k * m..(k + 1) * m].copy_from_slice(&g);
            kept.push(tops);
        }
        let conditions = (count - 1) * m;
        let rows = residuals.conditions.len();
        for (value, residual) in right[conditions..].iter_mut().zip(&residuals.conditions) {
            *value = -residual;
        }
        for (part, point) in factorized.by_jets.iter().zip(&residuals.points) {
            for (c, step) in point.step.iter().enumerate() {
                (0..rows).for_each(|i| right[conditions + i] -= part[(i, c)] * step);
            }
        }
        let start = &residuals.points[0].normal_residual;
        if start.len() == factorized.normal.rows() {
            right[conditions + rows..].copy_from_slice(start);
        }
        right.iter_mut().zip(&factorized.scales).for_each(|(value, scale)| *value /= scale);
        factorized.factors.solve(&mut right);
        if right.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let shared = right[count * m..].to_vec();
        let mut y = vec![vec![0.0; m]; mesh.t.len()];
        for (k, &place) in mesh.points.iter().enumerate() {
            y[place].copy_from_slice(&right[k * m..(k + 1) * m]);
        }
        for (k, (segment, tops)) in factorized.segments.iter().zip(kept).enumerate() {
            let ends = [mesh.points[k], mesh.points[k + 1]];
            let outer = [&right[k * m..(k + 1) * m], &right[(k + 1) * m..(k + 2) * m]];
            if !segment.solve(tops, outer, &shared, &mut y[ends[0] + 1..ends[1]]) {
                return None;
            }
        }
        for (i, interval) in factorized.intervals.iter().enumerate() {
            let given = y[i].iter().chain(&shared);
            for (j, &value) in given.enumerate().filter(|(_, value)| **value != 0.0) {
                let column = interval.response.column(j);
                nodes[i].iter_mut().zip(column).for_each(|(node, entry)| *node += entry * value);
                if let Some(projection) = &interval.projection {
                    let column = projection.response.column(j);
                    ends[i + 1].iter_mut().zip(column).for_each(|(end, entry)| *end += entry * value);
                }
            }
        }
        let jets = (0..count).map(|k| {
            let mut change = residuals.points[k].step.clone();
            let by_state = &factorized.state_of_points[k];
            let by_shared = &factorized.shared_of_points[k];
            for (j, value) in y[mesh.points[k]].iter().enumerate() {
                change.iter_mut().zip(by_state.column(j)).for_each(|(change, entry)| *change += entry * value);
            }
            for (j, value) in shared.iter().enumerate() {
                change.iter_mut().zip(by_shared.column(j)).for_each(|(change, entry)| *change += entry * value);
            }
            change
        });
        let jets = jets.collect();
        Some(Iterate { shared, y, ends, nodes, jets })
    }
}

/// The times of the points of the conditions.
pub(super) fn times(mesh: &Mesh) -> Vec<f64> {
    mesh.points.iter().map(|&place| mesh.t[place]).collect()
}

fn dense(pattern: &Pattern, values: &[f64], rows: usize, columns: usize) -> Matrix {
    let mut matrix = Matrix::zeros(rows, columns);
    for (row, column, place) in pattern.entries() {
        matrix[(row, column)] += values[place];
    }
    matrix
}

//! The equations of collocation, and their linearisation.
//!
//! In: a problem, a mesh, an iterate. Out: the residuals of all equations, and Newton corrections.
//!
//! At the nodes of an interval, with the polynomials of [`super::polynomials`],
//!
//! $$ F\bigl(t_i + c_j h,\; (y_i + h \textstyle\sum_l a_{jl} K_l,\, Z_j),\; K_j\bigr) = 0, \qquad
//!    y_{i+1} = y_i + h \textstyle\sum_j b_j K_j . $$
//!
//! The unknowns of each interval are eliminated first, which leaves a relation of $y_{i+1}$ and $y_i$ (condensation, as
//! in COLSYS: U. Ascher, J. Christiansen & R. D. Russell, ACM TOMS 7 (1981)).
//! With unknowns of index 2 the right end is projected onto the constraints ([`super::projection`]).

use crate::bvp::condensed::{Condensed, CondensedSolution};
use crate::bvp::conditions::ConditionResiduals;
use crate::bvp::elimination::Relations;
use crate::bvp::iterate::Iterate;
use crate::bvp::mesh::Mesh;
use crate::bvp::newton::Discretization;
use crate::bvp::obstacle::Deficiency;
use crate::bvp::problem::Problem;
use crate::bvp::scheme::Scheme;
use crate::bvp::tolerances::Tolerances;
use crate::linalg::matrix::{eliminate, solve, substitute};
use crate::linalg::vector::{add, larger};
use crate::linalg::vectors::Vectors;

use super::linearization::Linearization;
use super::polynomials::Collocation;
use super::projection::Projection;

/// The residuals of all equations.
pub(in crate::bvp) struct Residuals {
    /// Of the equations at the nodes of each interval.
    pub(super) nodes: Vectors,
    /// $y_i + h \sum b_j K_j - y_{i+1}$.
    pub(super) gaps: Vectors,
    /// Of the constraints at the right ends of intervals, if these are projected.
    pub(super) constraints: Vectors,
    /// Of the conditions.
    pub(super) conditions: ConditionResiduals,
}

impl Residuals {
    /// Sets all but the gaps to zero.
    fn retain_gaps(&mut self) {
        [&mut self.nodes, &mut self.constraints].into_iter().for_each(|values| values.entries_mut().fill(0.0));
        self.conditions.set_to_zero();
    }

    /// Sets all of them to zero.
    pub(super) fn set_to_zero(&mut self) {
        self.retain_gaps();
        self.gaps.entries_mut().fill(0.0);
    }
}

/// The factorised linearisation of all equations.
pub(in crate::bvp) struct Factorized {
    /// For each interval, column by column: the factors of the derivatives with respect to what belongs to its nodes, and
    /// how that changes with $y_i$ and the shared quantities.
    nodes: Vectors,
    /// The exchanges of rows of the factors.
    exchanges: Vec<usize>,
    /// For each interval, with unknowns of index 2.
    projections: Vec<Projection>,
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
            conditions: ConditionResiduals::new(self.problem, mesh, iterate)?,
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
        residuals.set_to_zero();
        residuals.conditions.request_change_of(pinned);
        self.correction(mesh, factors, residuals)
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
        let condensed = Condensed::new(self.problem, mesh, iterate, &relations, &residuals.conditions)?;
        Ok(Factorized { nodes, exchanges, projections, condensed })
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
                projection.project(&residuals.constraints[i], remainder, &mut ends[i + 1]);
            }
        }
        let CondensedSolution { y, shared, jets } =
            factorized.condensed.solve(mesh, remainders, &residuals.conditions)?;
        for (i, columns) in factorized.nodes.iter().enumerate() {
            let responses = columns[order * order..].chunks_exact(order);
            for (j, (value, response)) in y[i].iter().chain(&shared).zip(responses).enumerate() {
                add(*value, response, &mut nodes[i]);
                if let Some(projection) = factorized.projections.get(i) {
                    projection.respond(j, *value, &mut ends[i + 1]);
                }
            }
        }
        Some(Iterate { shared, y, ends, nodes, jets, directions: Vec::new() })
    }
}

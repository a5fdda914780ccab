//! Boundary conditions as programs over the jets at several times.
//!
//! In: conditions of a model, and its prolongation. Out: a [`BoundaryProgram`]: an entry of the jet vector at a point is
//! found at `point · jets + jet`, a time at the position of its point. With it, [`Prolonged`] fulfils the runtime's
//! [`Boundary`] contract by interpretation.

use std::borrow::Cow;

use dae_runtime::contract::{Boundary, BoundaryDescription, Name, Pattern, Point, Prolongation};

use super::Prolonged;
use crate::defaults::parameter_places;
use crate::expr::{Expr, Symbol};
use crate::model::{BoundaryConditions, Domain, Model, PointTime};
use crate::program::{Derivative, Load, Point as At, Program, Unplaced};

/// Programs of boundary conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryProgram {
    /// Names, points and patterns.
    pub description: BoundaryDescription,
    /// The conditions.
    pub residual: Program,
    /// Their Jacobian with respect to the jets at all points.
    pub jacobian: Program,
    /// Their Jacobian with respect to the parameters.
    pub jacobian_p: Program,
    /// Their Jacobian with respect to the times of the points.
    pub jacobian_t: Program,
    /// The times between the ends.
    pub interior: Program,
    /// The default ends.
    pub ends: Option<Program>,
}

/// For each of the times of conditions, the number of its point: the start is the first, the end the last.
pub fn point_numbers(boundary: &BoundaryConditions) -> Vec<usize> {
    let mut next = 0;
    let last = boundary.times.len() - 1;
    let number = |time: &PointTime| match time {
        PointTime::Start => 0,
        PointTime::End => last,
        PointTime::Interior(_) => {
            next += 1;
            next
        }
    };
    boundary.times.iter().map(number).collect()
}

impl BoundaryProgram {
    /// Schedules conditions with the given names and residuals; `boundary` says what their symbols stand for.
    ///
    /// # Errors
    /// If a symbol has no place in the jets of `prolonged`.
    pub fn new(
        model: &mut Model,
        prolonged: &Prolonged,
        boundary: &BoundaryConditions,
        names: Vec<Name>,
        residuals: &[Expr],
    ) -> Result<BoundaryProgram, Unplaced> {
        let (jets, numbers) = (prolonged.description.jets.len(), point_numbers(boundary));
        let place = |k: u32| {
            let value = boundary.values.get(k as usize)?;
            Some(numbers.get(value.time)? * jets + prolonged.jet(value.unknown.index(), value.order)?)
        };
        let parameters = parameter_places(model)?;
        let load = |symbol| match symbol {
            Symbol::Parameter(p) => parameters.regular_place_of(p.index()).map(Load::Parameter),
            Symbol::State(k) => place(k).map(Load::Y),
            Symbol::StateDerivative(i) => numbers.get(i as usize).copied().map(Load::Yp),
            Symbol::Time | Symbol::Input { .. } | Symbol::Unknown { .. } => None,
        };
        let value = |symbol| match symbol {
            Symbol::State(k) => place(k),
            _ => None,
        };
        let parameter = |symbol| match symbol {
            Symbol::Parameter(p) => Some(p.index()),
            _ => None,
        };
        let time = |symbol| match symbol {
            Symbol::StateDerivative(i) => numbers.get(i as usize).copied(),
            _ => None,
        };
        let (count, m) = (numbers.len(), model.parameters.len());
        let domains = vec![Domain::scalar(); residuals.len()];
        let dag = &mut model.dag;
        let jacobian = Derivative::new(dag, residuals, &domains, count * jets, &[], value, load)?;
        let jacobian_p = Derivative::new(dag, residuals, &domains, m, &[], parameter, load)?;
        let jacobian_t = Derivative::new(dag, residuals, &domains, count, &[], time, load)?;
        let interior = boundary.times.iter().filter_map(|time| match time {
            PointTime::Interior(value) => Some(*value),
            PointTime::Start | PointTime::End => None,
        });
        let interior: Vec<Expr> = interior.collect();
        let ends = boundary.horizon.map(|(from, to)| Program::new(&model.dag, &[from, to], &[], load)).transpose()?;
        let free = boundary.free_parameters.iter().map(|&(parameter, _)| parameters.place_of(parameter.index()));
        Ok(BoundaryProgram {
            description: BoundaryDescription {
                points: points(model, boundary, &numbers).into(),
                conditions: names.into(),
                free_parameters: free.collect(),
                has_free_end: boundary.free_end.is_some(),
                jacobian: jacobian.pattern,
                jacobian_p: jacobian_p.pattern,
                jacobian_t: jacobian_t.pattern,
            },
            residual: Program::new(&model.dag, residuals, &[], load)?,
            jacobian: jacobian.program,
            jacobian_p: jacobian_p.program,
            jacobian_t: jacobian_t.program,
            interior: Program::new(&model.dag, &interior, &[], load)?,
            ends,
        })
    }
}

/// The points in the order of their numbers.
fn points(model: &Model, boundary: &BoundaryConditions, numbers: &[usize]) -> Vec<Point> {
    let mut points = vec![Point::Start; numbers.len()];
    for (i, (time, &number)) in boundary.times.iter().zip(numbers).enumerate() {
        points[number] = match time {
            PointTime::Start => Point::Start,
            PointTime::End => Point::End,
            PointTime::Interior(_) => Point::Interior(boundary.time_name(model, i).into()),
        };
    }
    points
}

/// No conditions.
const NONE: &BoundaryDescription = &BoundaryDescription {
    points: Cow::Borrowed(&[Point::Start, Point::End]),
    conditions: Cow::Borrowed(&[]),
    free_parameters: Cow::Borrowed(&[]),
    has_free_end: false,
    jacobian: Pattern::EMPTY,
    jacobian_p: Pattern::EMPTY,
    jacobian_t: Pattern::EMPTY,
};

impl Prolonged {
    fn run_boundary(
        &self,
        program: impl FnOnce(&BoundaryProgram) -> Option<&Program>,
        [times, jets]: [&[f64]; 2],
        outputs: &mut [f64],
    ) {
        if let Some(program) = self.boundary.as_ref().and_then(program) {
            let point = At { t: f64::NAN, parameters: &self.parameters, y: jets, yp: times };
            program.run(point, &mut self.scratch.borrow_mut(), outputs);
        }
    }
}

impl Boundary for Prolonged {
    fn boundary_description(&self) -> &BoundaryDescription {
        match &self.boundary {
            Some(boundary) => &boundary.description,
            None => NONE,
        }
    }

    fn interior_points(&self, times: &mut [f64]) {
        self.run_boundary(|it| Some(&it.interior), [&[], &[]], times);
    }

    fn boundary_guess(&self, _ends: [f64; 2], t: f64, jets: &mut [f64]) {
        self.start_values(t, jets);
    }

    fn default_ends(&self) -> Option<[f64; 2]> {
        self.boundary.as_ref()?.ends.as_ref()?;
        let mut ends = [f64::NAN; 2];
        self.run_boundary(|it| it.ends.as_ref(), [&[], &[]], &mut ends);
        Some(ends)
    }

    fn boundary_residual(&self, times: &[f64], jets: &[f64], residual: &mut [f64]) {
        self.run_boundary(|it| Some(&it.residual), [times, jets], residual);
    }

    fn boundary_jacobian(&self, times: &[f64], jets: &[f64], values: &mut [f64]) {
        self.run_boundary(|it| Some(&it.jacobian), [times, jets], values);
    }

    fn boundary_jacobian_p(&self, times: &[f64], jets: &[f64], values: &mut [f64]) {
        self.run_boundary(|it| Some(&it.jacobian_p), [times, jets], values);
    }

    fn boundary_jacobian_t(&self, times: &[f64], jets: &[f64], values: &mut [f64]) {
        self.run_boundary(|it| Some(&it.jacobian_t), [times, jets], values);
    }
}

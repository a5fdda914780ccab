//! A boundary value problem as the discretisations see it.
//!
//! In: a formulation with boundary conditions. Out: which unknowns are differential and algebraic, which rows contain
//! derivatives, the quantities that all intervals share, and the points where conditions hold.

use crate::contract::{Boundary, Dae, Description, Kind, Name, Point};

use super::error::BvpError;
use super::mesh::{CLOSE, Mesh, Stops};

/// Places of unknowns and rows.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Differential unknowns.
    pub(super) differential: Vec<usize>,
    /// The entry of the jet vector that each of them is.
    pub(super) jets: Vec<usize>,
    /// Algebraic unknowns of index 1, then those of index 2.
    pub(super) algebraic: Vec<usize>,
    /// How many of the algebraic unknowns have index 1.
    pub(super) of_index_1: usize,
    /// Rows with derivatives, as many as differential unknowns if there are unknowns of index 2, and without.
    pub(super) dynamic_rows: Vec<usize>,
    pub(super) constraint_rows: Vec<usize>,
    /// Whether ends of intervals are projected onto constraints, if there are unknowns of index 2.
    pub(super) projects: bool,
}

impl Layout {
    /// # Errors
    /// The formulation has unknowns of index above 2, or differential unknowns that are algebraic in disguise, or is not
    /// in Hessenberg form of size 2 where unknowns have index 2.
    pub(super) fn of(dae: &dyn Dae) -> Result<Layout, BvpError> {
        let description = dae.description();
        let unsuitable = |reason: String| BvpError::UnsuitableForm { form: description.form.clone(), reason };
        let of_kind = |kind: Kind, index: u8| {
            let unknowns = description.unknowns.iter().enumerate();
            unknowns.filter(move |(_, it)| it.kind == kind && it.index == index).map(|(k, _)| k)
        };
        for unknown in description.unknowns.iter() {
            match unknown.kind {
                Kind::Auxiliary { .. } => {
                    return Err(unsuitable(format!("it does not determine its unknown `{}`", unknown.name)));
                }
                _ if unknown.index > 2 => {
                    return Err(unsuitable(format!("its unknown `{}` has index {}", unknown.name, unknown.index)));
                }
                Kind::Differential if unknown.index > 1 => {
                    let reason = format!(
                        "the derivative of `{}` occurs, which is determined by constraints alone",
                        unknown.name
                    );
                    return Err(unsuitable(reason));
                }
                Kind::Differential | Kind::Algebraic => {}
            }
        }
        let differential: Vec<usize> = of_kind(Kind::Differential, 1).collect();
        let jet = |&k: &usize| {
            let unknown = &description.unknowns[k];
            unknown.role.jet().ok_or_else(|| unsuitable(format!("`{}` is no unknown of the model", unknown.name)))
        };
        let jets = differential.iter().map(jet).collect::<Result<Vec<usize>, BvpError>>()?;
        let algebraic: Vec<usize> = of_kind(Kind::Algebraic, 1).chain(of_kind(Kind::Algebraic, 2)).collect();
        let of_index_1 = of_kind(Kind::Algebraic, 1).count();
        let has_derivative = |row: &usize| description.jacobian_yp.row(*row).next().is_some();
        let (dynamic_rows, constraint_rows): (Vec<usize>, Vec<usize>) =
            (0..description.equations.len()).partition(has_derivative);
        if description.leading_rank < differential.len() {
            return Err(unsuitable(
                "some unknowns whose derivatives occur are algebraic: only combinations of them are states".into(),
            ));
        }
        if of_index_1 < algebraic.len() && dynamic_rows.len() != differential.len() {
            return Err(unsuitable(
                "it has unknowns of index 2, and constraints that are combinations of equations with derivatives"
                    .into(),
            ));
        }
        Ok(Layout { differential, jets, algebraic, of_index_1, dynamic_rows, constraint_rows, projects: true })
    }

    /// Whether ends of intervals are projected.
    pub(super) fn is_projected(&self) -> bool {
        self.projects && self.of_index_1 < self.algebraic.len()
    }
}

/// Quantities that the conditions determine beside the solution: free parameters, and the end.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// Free parameters, by position.
    pub(super) parameters: Vec<usize>,
    /// How many of them, the last ones, keep their values: the solution is differentiated with respect to these.
    pub(super) pinned: usize,
    /// Whether the end is free; it is the last quantity then.
    pub(super) has_end: bool,
    columns: Vec<Option<usize>>,
}

impl Shared {
    pub(super) fn new(parameters: &[usize], has_end: bool, count: usize) -> Shared {
        let mut columns = vec![None; count];
        parameters.iter().enumerate().for_each(|(column, &parameter)| columns[parameter] = Some(column));
        Shared { parameters: parameters.to_vec(), pinned: 0, has_end, columns }
    }

    /// With more parameters, which keep their values.
    pub(super) fn with_pinned(&self, more: &[usize]) -> Shared {
        let parameters = [&self.parameters, more].concat();
        Shared { pinned: more.len(), ..Shared::new(&parameters, self.has_end, self.columns.len()) }
    }

    /// The columns of the quantities that keep their values.
    pub(super) fn pinned_columns(&self) -> std::ops::Range<usize> {
        self.parameters.len() - self.pinned..self.parameters.len()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.parameters.len() + usize::from(self.has_end)
    }

    /// The column of the free end.
    pub(super) fn end(&self) -> Option<usize> {
        self.has_end.then_some(self.parameters.len())
    }

    /// The column of a parameter, if it is free.
    pub(super) fn column(&self, parameter: usize) -> Option<usize> {
        self.columns[parameter]
    }

    /// Derivatives of the prolongation with respect to each of them, with the jets held; the time moves by `moves` times
    /// the change of the free end. The derivative with respect to time, of which no result depends, is a difference.
    pub(super) fn of_prolongation(&self, dae: &dyn Dae, [t, moves]: [f64; 2], jets: &[f64]) -> Vec<Vec<f64>> {
        let prolongation = dae.prolongation();
        let d = prolongation.prolongation_description();
        let mut derivatives = vec![vec![0.0; d.equations.len()]; self.count()];
        if !self.parameters.is_empty() {
            let mut values = vec![0.0; d.jacobian_p.len()];
            prolongation.prolonged_jacobian_p(t, jets, &mut values);
            for (row, parameter, place) in d.jacobian_p.entries() {
                if let Some(column) = self.column(parameter) {
                    derivatives[column][row] += values[place];
                }
            }
        }
        if let (Some(column), true) = (self.end(), moves != 0.0) {
            let step = f64::EPSILON.cbrt() * t.abs().max(1.0);
            let [mut after, mut before] = [vec![0.0; d.equations.len()], vec![0.0; d.equations.len()]];
            prolongation.prolonged_residual(t + step, jets, &mut after);
            prolongation.prolonged_residual(t - step, jets, &mut before);
            for (derivative, (after, before)) in derivatives[column].iter_mut().zip(after.iter().zip(before)) {
                *derivative = moves * (after - before) / (2.0 * step);
            }
        }
        derivatives
    }
}

/// Shared quantities smaller than this, free parameters whose values are found to be near zero, need no relative accuracy.
const UNIT: f64 = 1e-3;

/// Tolerances of the unknowns.
#[derive(Clone, Debug)]
pub(super) struct Allowed {
    pub(super) rtol: f64,
    pub(super) atol: Vec<f64>,
}

impl Allowed {
    /// The error allowed in an unknown of this size.
    pub(super) fn of(&self, unknown: usize, size: f64) -> f64 {
        (self.atol[unknown] + self.rtol * size.abs()).max(f64::MIN_POSITIVE)
    }

    /// The size of a value, or what is just large enough to be seen if it is small to the tolerance.
    pub(super) fn seen(&self, unknown: usize, value: f64) -> f64 {
        value.abs().max(self.atol[unknown] / self.rtol).max(f64::MIN_POSITIVE)
    }

    /// The error allowed in a shared quantity of this size.
    pub(super) fn of_shared(&self, size: f64) -> f64 {
        (self.rtol * size.abs().max(UNIT)).max(f64::MIN_POSITIVE)
    }
}

/// A formulation with its boundary conditions, at the present values of its parameters.
pub(super) struct Problem<'d> {
    pub(super) dae: Box<dyn Dae + 'd>,
    pub(super) layout: Layout,
    pub(super) shared: Shared,
    pub(super) points: Vec<Point>,
}

impl<'d> Problem<'d> {
    /// # Errors
    /// The model has no boundary conditions, or their number does not fit; the formulation does not suit.
    pub(super) fn new(dae: Box<dyn Dae + 'd>) -> Result<Problem<'d>, BvpError> {
        let layout = Layout::of(&*dae)?;
        let prolongation = dae.prolongation();
        let d = prolongation.prolongation_description();
        let freedom = d.jets.len() - d.equations.len();
        let Some(boundary) = prolongation.boundary() else {
            return Err(BvpError::NoConditions { model: d.model.clone() });
        };
        let b = boundary.boundary_description();
        let shared = Shared::new(&b.free_parameters, b.has_free_end, dae.description().parameters.len());
        if b.conditions.len() != freedom + shared.count() {
            return Err(BvpError::WrongNumber {
                conditions: b.conditions.to_vec(),
                degrees_of_freedom: freedom,
                free: shared.count(),
            });
        }
        let points = b.points.to_vec();
        Ok(Problem { layout, shared, points, dae })
    }

    /// Sets the free parameters of the formulation, and the end of the mesh.
    pub(super) fn set_shared(&mut self, mesh: &mut Mesh, shared: &[f64]) {
        if !self.shared.parameters.is_empty() {
            let mut parameters = self.dae.parameters().to_vec();
            self.shared.parameters.iter().zip(shared).for_each(|(&k, &value)| parameters[k] = value);
            self.dae.set_parameters(&parameters);
        }
        if let Some(end) = self.shared.end() {
            mesh.set_end(shared[end]);
        }
    }

    pub(super) fn description(&self) -> &Description {
        self.dae.description()
    }

    /// Positions of parameters that the conditions do not determine.
    ///
    /// # Errors
    /// There is no such parameter.
    pub(super) fn parameters_named(&self, names: &[Name]) -> Result<Vec<usize>, BvpError> {
        let parameters = &self.description().parameters;
        let place = |name: &Name| match parameters.iter().position(|it| it == name) {
            Some(k) if self.shared.column(k).is_none() => Ok(k),
            Some(_) => Err(format!("the conditions determine `{name}`: there are no derivatives with respect to it")),
            None => {
                let known: Vec<String> = parameters.iter().map(|it| format!("`{it}`")).collect();
                Err(format!("there is no parameter `{name}`; the model has {}", known.join(", ")))
            }
        };
        let mut places = Vec::new();
        for name in names {
            let place = place(name).map_err(|message| BvpError::InvalidOption { message })?;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(places)
    }

    /// The times at which there are conditions.
    ///
    /// # Errors
    /// They are not finite, or not between the ends.
    pub(super) fn stops(&self, ends: [f64; 2]) -> Result<Stops, BvpError> {
        let mut inner = vec![0.0; self.points.len() - 2];
        self.boundary().interior_points(&mut inner);
        let invalid = |message: String| Err(BvpError::InvalidOption { message });
        if ends[0] == ends[1] || ends.iter().any(|t| !t.is_finite()) {
            let [from, to] = ends;
            return invalid(format!("the solution is sought between two times, not between {from} and {to}"));
        }
        let length = ends[1] - ends[0];
        // Where a time is, as a fraction of the interval; times that differ by rounding errors only are one.
        let fraction = |t: f64| (t - ends[0]) / length;
        // A free end would take conditions at its guess along.
        let (beyond, note) = match self.shared.has_end {
            true => (1.0 - CLOSE, "; the guess of the free end has to lie beyond it"),
            false => (1.0 + CLOSE, ""),
        };
        if let Some(t) = inner.iter().find(|&&t| !(-CLOSE..beyond).contains(&fraction(t))) {
            let [from, to] = ends;
            return invalid(format!(
                "there is a condition at t = {t}, which is not between the ends, {from} and {to}{note}"
            ));
        }
        let mut times = ends.to_vec();
        for t in inner.iter().copied() {
            if times.iter().all(|known| (known - t).abs() > CLOSE * length.abs()) {
                times.push(t);
            }
        }
        times.sort_by(|a, b| fraction(*a).total_cmp(&fraction(*b)));
        let place = |t: f64| times.iter().position(|known| (known - t).abs() <= CLOSE * length.abs()).unwrap_or(0);
        let points = [ends[0]].into_iter().chain(inner).chain([ends[1]]).map(place).collect();
        Ok(Stops { points, times })
    }

    /// The conditions.
    ///
    /// # Panics
    /// Never: a problem has conditions.
    pub(super) fn boundary(&self) -> &dyn Boundary {
        match self.dae.prolongation().boundary() {
            Some(boundary) => boundary,
            None => unreachable!("a problem without conditions is not made"),
        }
    }
}

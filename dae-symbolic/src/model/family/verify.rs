//! What every family model fulfils.
//!
//! In: a family model from anywhere. Out: nothing, or the errors in it. After this point every access has one index per
//! extent and stays inside its array for all instances, every leaf is declared, and the size of the model is limited.

use super::{Access, Affine, Body, FamilyModel, Loop, MAX_INSTANCES, TimeInvariant, element_name, position};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Expr, Symbol, symbols};
use crate::model::PointTime;
use crate::origin::Origin;

/// Largest number of unknowns, parameters and equations together.
const LARGEST: usize = 3 * MAX_INSTANCES;

/// Checks a family model.
///
/// # Errors
/// If an access does not fit its array, a leaf stands for nothing, or there are too many unknowns, parameters and
/// equations.
pub fn verify(model: &FamilyModel) -> Result<(), Diagnostics> {
    let mut verifier = Verifier { model, found: Diagnostics::new() };
    verifier.sizes();
    for parameter in &model.parameters {
        let loops = over(&parameter.extents);
        verifier.bodies(&parameter.default, &loops, parameter.origin, |value| vec![*value]);
    }
    for start in &model.starts {
        verifier.bodies(&start.body, &start.loops, start.origin, |body| vec![body.value]);
        for (point, body) in instances(&start.body, &start.loops) {
            verifier.access(&Access { array: start.unknown, indices: body.indices.clone() }, &point, start.origin);
        }
    }
    for definition in &model.definitions {
        verifier.bodies(&definition.body, &definition.loops, definition.origin, |value| vec![*value]);
    }
    for equation in model.equations.iter().chain(&model.initial_equations) {
        verifier.bodies(&equation.body, &equation.loops, equation.origin, |body| vec![body.residual]);
        for body in equation.body.all() {
            for (access, _) in &body.incidence {
                if access.index() >= model.accesses.len() {
                    verifier.undeclared(equation.origin);
                }
            }
        }
    }
    for invariant in &model.invariants {
        for symbol in symbols(&model.dag, [invariant.value]) {
            verifier.leaf(symbol, &[Vec::new()], 0, invariant.origin);
        }
    }
    if let Some(boundary) = &model.boundary {
        let sides = boundary.conditions.iter().flat_map(|it| [(it.left, it.origin), (it.right, it.origin)]);
        let ends = boundary.horizon.iter().flat_map(|&(from, to)| [from, to]);
        let times = boundary.times.iter().filter_map(|time| match time {
            PointTime::Interior(value) => Some(*value),
            PointTime::Start | PointTime::End => None,
        });
        for (value, origin) in sides.chain(ends.chain(times).map(|value| (value, boundary.origin))) {
            let of_conditions = |symbol: &Symbol| matches!(symbol, Symbol::State(_) | Symbol::StateDerivative(_));
            for symbol in symbols(&model.dag, [value]).into_iter().filter(|symbol| !of_conditions(symbol)) {
                verifier.leaf(symbol, &[Vec::new()], 0, origin);
            }
        }
        for value in &boundary.values {
            match model.accesses.get(value.unknown.index()) {
                Some(access) => verifier.access(access, &[Vec::new()], boundary.origin),
                None => verifier.undeclared(boundary.origin),
            }
        }
    }
    if verifier.found.is_empty() { Ok(()) } else { Err(verifier.found) }
}

/// Loops that run over the elements of an array.
pub(super) fn over(extents: &[usize]) -> Vec<Loop> {
    extents.iter().map(|&extent| Loop { name: String::new(), start: 0, end: extent as i64 }).collect()
}

/// Each body with the corners of the box it stands for: an affine index is inside its array everywhere if it is inside
/// at the corners.
fn instances<'b, T>(body: &'b Body<T>, loops: &[Loop]) -> Vec<(Vec<Vec<i64>>, &'b T)> {
    match body {
        Body::Template(body) => {
            let domain: Vec<(i64, i64)> = loops.iter().map(|range| (range.start, range.end)).collect();
            vec![(corners(&domain), body)]
        }
        Body::Pieces(pieces) => pieces.iter().map(|piece| (corners(&piece.domain), &piece.body)).collect(),
    }
}

/// The corners of a box; none if it is empty.
fn corners(domain: &[(i64, i64)]) -> Vec<Vec<i64>> {
    domain.iter().fold(vec![Vec::new()], |points: Vec<Vec<i64>>, &(start, end)| {
        let ends: &[i64] = match end - start {
            ..=0 => &[],
            1 => &[start],
            _ => &[start, end - 1],
        };
        let with = |p: &Vec<i64>, end: &i64| p.iter().copied().chain([*end]).collect();
        points.iter().flat_map(|p| ends.iter().map(move |end| with(p, end))).collect()
    })
}

struct Verifier<'a> {
    model: &'a FamilyModel,
    found: Diagnostics,
}

impl Verifier<'_> {
    fn sizes(&mut self) {
        let product = |sizes: Vec<usize>| sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(*size));
        let model = self.model;
        let arrays = model.unknowns.iter().map(|u| (u.extents.clone(), u.origin));
        let parameters = model.parameters.iter().map(|p| (p.extents.clone(), p.origin));
        let equations = model.equations.iter().chain(&model.initial_equations);
        let equations = equations.map(|e| (e.loops.iter().map(Loop::size).collect(), e.origin));
        let mut total = 0_usize;
        for (sizes, origin) in arrays.chain(parameters).chain(equations) {
            total = total.saturating_add(product(sizes).unwrap_or(usize::MAX));
            if total > LARGEST {
                let message = format!("the model has more than {LARGEST} unknowns, parameters and equations");
                self.found.push(Diagnostic::error(Code::InvalidExtent, message).label(origin, "with this one"));
                return;
            }
        }
    }

    fn bodies<T>(&mut self, body: &Body<T>, loops: &[Loop], origin: Origin, roots: impl Fn(&T) -> Vec<Expr>) {
        for (corners, body) in instances(body, loops) {
            for symbol in symbols(&self.model.dag, roots(body)) {
                self.leaf(symbol, &corners, loops.len(), origin);
            }
        }
    }

    fn leaf(&mut self, symbol: Symbol, corners: &[Vec<i64>], levels: usize, origin: Origin) {
        match symbol {
            Symbol::Unknown { unknown, .. } => match self.model.accesses.get(unknown.index()) {
                Some(access) => self.access(access, corners, origin),
                None => self.undeclared(origin),
            },
            Symbol::Parameter(id) => match self.model.time_invariant.get(id.index()) {
                Some(TimeInvariant::Parameter(access)) => {
                    let array = self.model.parameters.get(access.array).map(|p| (p.name.as_str(), &p.extents));
                    self.inside(array, &access.indices, corners, origin);
                }
                Some(TimeInvariant::Table(access)) => {
                    let array = self.model.tables.get(access.array).map(|t| (t.name.as_str(), &t.extents));
                    self.inside(array, &access.indices, corners, origin);
                }
                Some(TimeInvariant::Index(level)) if *level < levels => {}
                Some(TimeInvariant::Index(_)) | None => self.undeclared(origin),
            },
            Symbol::Time | Symbol::Input { .. } => {}
            Symbol::State(_) | Symbol::StateDerivative(_) => self.undeclared(origin),
        }
    }

    fn access(&mut self, access: &Access, corners: &[Vec<i64>], origin: Origin) {
        let array = self.model.unknowns.get(access.array).map(|u| (u.name.as_str(), &u.extents));
        self.inside(array, &access.indices, corners, origin);
    }

    fn inside(&mut self, array: Option<(&str, &Vec<usize>)>, indices: &[Affine], corners: &[Vec<i64>], origin: Origin) {
        let Some((name, extents)) = array else { return self.undeclared(origin) };
        for corner in corners {
            let at: Vec<i64> = indices.iter().map(|index| index.at(corner)).collect();
            if position(extents, &at).is_none() {
                let message = format!("`{}` does not exist", element_name(name, &at));
                self.found.push(Diagnostic::error(Code::IndexOutOfBounds, message).label(origin, "needed here"));
                return;
            }
        }
    }

    fn undeclared(&mut self, origin: Origin) {
        let finding = Diagnostic::error(Code::UndeclaredSymbol, "an expression uses something that is not declared");
        self.found.push(finding.label(origin, "here"));
    }
}

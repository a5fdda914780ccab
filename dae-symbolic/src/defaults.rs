//! Numbers that the text gives: default values of the parameters, and start values.
//!
//! In: a model; a default may use parameters declared earlier. Out: a program per parameter or array of parameters, the
//! values, and, together with the start values, the point at which branches are chosen. For an excerpt, the programs
//! are those of the whole model.

use std::ops::Range;

use crate::expr::interval::Interval;
use crate::expr::{Expr, ParameterId, Symbol, UnknownId, evaluate_one};
use crate::model::{Domain, Model, Numbering, Torn};
use crate::program::{Arithmetic, Load, Point, Program, Rows, Unplaced};

/// The defaults of a parameter, or of the elements of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaults {
    /// The places of the parameters.
    pub parameters: Range<usize>,
    /// The program for their values, stored from the first one on; it reads earlier parameters.
    pub program: Program,
}

/// The defaults of a model as programs, in the order in which they are to run.
///
/// # Errors
/// If a default uses anything but earlier parameters, or the parameters of an excerpt do not determine those left out.
pub fn parameter_defaults(model: &Model) -> Result<Vec<Defaults>, Unplaced> {
    let places = parameter_places(model)?;
    let mut list = Vec::new();
    let mut first = 0;
    for array in model.parameters.chunk_by(|a, b| is_one_array(&a.domain, &b.domain)) {
        let (roots, domains): (Vec<Expr>, Vec<Domain>) = array.iter().map(|p| (p.default, p.domain.clone())).unzip();
        let row_starts: Vec<usize> = (0..=roots.len()).collect();
        let load = |symbol| match symbol {
            Symbol::Parameter(p) if p.index() < first => places.regular_place_of(p.index()).map(Load::Parameter),
            _ => None,
        };
        let own = Numbering::of(&domains)?;
        let rows = Rows { roots: &roots, row_starts: &row_starts, domains: &domains, places: &own };
        let start = places.place_of(first);
        let program = Program::with_families(&model.dag, rows, &[], load)?;
        list.push(Defaults { parameters: start..start + own.total(), program });
        first += array.len();
    }
    Ok(list)
}

/// Whether two neighbours are elements of one array.
fn is_one_array(a: &Domain, b: &Domain) -> bool {
    let family = |domain: &Domain| domain.member.as_ref().map(|member| member.family);
    !a.extents.is_empty() && family(a).is_some() && family(a) == family(b)
}

/// The positions of the parameters.
///
/// # Errors
/// See [`Numbering::of`].
pub fn parameter_places(model: &Model) -> Result<Numbering, Torn> {
    Numbering::of(model.parameters.iter().map(|p| &p.domain))
}

/// Default values of all parameters of the whole model.
///
/// # Errors
/// See [`parameter_defaults`].
pub fn whole_parameters(model: &Model) -> Result<Vec<f64>, Unplaced> {
    values_of_defaults(&parameter_defaults(model)?, parameter_places(model)?.total())
}

/// Enclosures of the default values of all parameters, whose exact values are in the text.
///
/// # Errors
/// See [`whole_parameters`].
pub fn parameter_enclosures(model: &Model) -> Result<Vec<Interval>, Unplaced> {
    let defaults = parameter_defaults(model)?;
    values_of_defaults(&defaults, parameter_places(model)?.total())
}

fn values_of_defaults<A: Arithmetic>(defaults: &[Defaults], total: usize) -> Result<Vec<A>, Unplaced> {
    let mut values = vec![A::given(f64::NAN); total];
    let mut scratch = Vec::new();
    for Defaults { parameters, program } in defaults {
        let (earlier, rest) = values.split_at_mut(parameters.start);
        let point = Point { t: A::given(f64::NAN), parameters: &*earlier, y: &[], yp: &[] };
        program.run(point, &mut scratch, rest);
    }
    Ok(values)
}

/// Default values of the parameters of the model, of an excerpt only those that it has; a default may use earlier
/// parameters.
pub fn default_parameters(model: &Model) -> Vec<f64> {
    // Where there are loops, the values are those that generated code computes.
    if model.has_families()
        && let Ok(values) = whole_parameters(model)
        && let Ok(places) = parameter_places(model)
    {
        return places.places().iter().map(|&place| values[place]).collect();
    }
    let mut values: Vec<f64> = Vec::with_capacity(model.parameters.len());
    for parameter in &model.parameters {
        let value = evaluate_one(&model.dag, parameter.default, |symbol| match symbol {
            Symbol::Parameter(p) => values.get(p.index()).copied().unwrap_or(f64::NAN),
            _ => f64::NAN,
        });
        values.push(value);
    }
    values
}

/// The parameters and start values of the model, where they are given and finite: they choose the branches of piecewise
/// functions.
pub(crate) fn start_point(model: &Model) -> Vec<(Symbol, f64)> {
    let parameters = default_parameters(model);
    let value = |e: Expr| {
        evaluate_one(&model.dag, e, |symbol| match symbol {
            Symbol::Parameter(p) => parameters[p.index()],
            _ => f64::NAN,
        })
    };
    let mut point: Vec<(Symbol, f64)> =
        parameters.iter().enumerate().map(|(k, &p)| (Symbol::Parameter(ParameterId(k as u32)), p)).collect();
    for (j, unknown) in model.unknowns.iter().enumerate() {
        let unknown_id = UnknownId(j as u32);
        let orders = unknown.start.iter().map(|_| 0).chain(unknown.derivative_starts.iter().map(|&(order, _)| order));
        for order in orders {
            if let Some(start) = unknown.start_value(order) {
                point.push((Symbol::Unknown { unknown: unknown_id, order }, value(start.value)));
            }
        }
    }
    point.retain(|(_, value)| value.is_finite());
    point
}

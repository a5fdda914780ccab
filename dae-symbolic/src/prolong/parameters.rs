//! Default values of the parameters.
//!
//! In: a model; a default may use parameters declared earlier. Out: a program per parameter or array of parameters, and the values.

use std::ops::Range;

use crate::expr::{Expr, Symbol, evaluate_one};
use crate::model::{Domain, Model};
use crate::program::{Load, Point, Program, Rows};

/// The defaults of a parameter, or of the elements of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaults {
    /// The parameters.
    pub parameters: Range<usize>,
    /// Their values, stored from the first one on; it reads earlier parameters.
    pub program: Program,
}

/// The defaults of a model as programs, in the order in which they are to run.
pub fn parameter_defaults(model: &Model) -> Vec<Defaults> {
    let mut list = Vec::new();
    let mut first = 0;
    while let Some(parameter) = model.parameters.get(first) {
        let last = (first + parameter.domain.size().max(1)).min(model.parameters.len());
        let (roots, domains): (Vec<Expr>, Vec<Domain>) =
            model.parameters[first..last].iter().map(|p| (p.default, p.domain.clone())).unzip();
        let row_starts: Vec<usize> = (0..=roots.len()).collect();
        let load = |symbol| match symbol {
            Symbol::Parameter(p) if p.index() < first => Some(Load::Parameter(p.index())),
            _ => None,
        };
        let rows = Rows { roots: &roots, row_starts: &row_starts, domains: &domains };
        // What a verified model does not contain has no default.
        let program = Program::with_families(&model.dag, rows, &[], load).unwrap_or_default();
        list.push(Defaults { parameters: first..last, program });
        first = last;
    }
    list
}

/// Default values of the parameters; a default may use earlier parameters.
pub fn default_parameters(model: &Model) -> Vec<f64> {
    if model.has_families() {
        let mut values = vec![f64::NAN; model.parameters.len()];
        let mut scratch = Vec::new();
        for Defaults { parameters, program } in parameter_defaults(model) {
            let (earlier, rest) = values.split_at_mut(parameters.start);
            let point = Point { t: f64::NAN, parameters: earlier, y: &[], yp: &[] };
            program.run(point, &mut scratch, rest);
        }
        return values;
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

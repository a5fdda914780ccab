//! Tables, and inputs that the caller supplies, in generated code.
//!
//! In: a compiled model. Out: the parts of its structs that exist only for these: fields for inputs and a constructor
//! that takes them, functions for tables with their coefficients as constants, and the check that inputs have the
//! derivatives that are needed.

use super::items::{ALLOW, DERIVE, docs, prefix};
use crate::expr::{ExternalSource, Table};
use crate::pipeline::Compiled;

/// The derived traits of structs with inputs: inputs are shared, neither copied nor compared.
pub(super) const SHARED: &str = "#[derive(Clone, Debug)]\n";

/// The derived traits of all structs of the model.
pub(super) fn derive(compiled: &Compiled) -> &'static str {
    if compiled.needs.is_empty() { DERIVE } else { SHARED }
}

/// The fields of the model for its inputs.
pub(super) fn fields(compiled: &Compiled) -> String {
    let (model, vis) = (&compiled.model, prefix(&compiled.model.visibility));
    let mut text = String::new();
    for ((position, name), need) in model.supplied_inputs().into_iter().zip(&compiled.needs) {
        text.push_str(&docs(&model.inputs[position].docs, "    "));
        if !model.inputs[position].docs.is_empty() {
            text.push_str("    ///\n");
        }
        text.push_str(&docs([need.text()], "    "));
        text.push_str(&format!("    {vis}{name}: ::dae::__private::Input,\n"));
    }
    text
}

/// The constructor of a model with inputs, which has no default: `new` takes the inputs, and the parameters have the
/// values of the text.
pub(super) fn constructor(compiled: &Compiled, statements: &str, parameters: &[String]) -> String {
    let inputs: Vec<&str> = compiled.needs.iter().map(|need| need.input.as_str()).collect();
    constructor_of(&compiled.model.visibility, &inputs, statements, parameters)
}

/// The constructor of a struct with inputs, for a model or the stub of one.
pub(super) fn constructor_of(visibility: &str, inputs: &[&str], statements: &str, parameters: &[String]) -> String {
    let arguments: Vec<String> =
        inputs.iter().map(|name| format!("{name}: impl ::core::convert::Into<::dae::__private::Input>")).collect();
    let inputs = inputs.iter().map(|name| format!("{name}: {name}.into()"));
    let fields: Vec<String> = parameters.iter().cloned().chain(inputs).collect();
    let vis = prefix(visibility);
    docs(["The model with these inputs, and the parameters as in its text."], "    ")
        + &format!("    #[must_use]\n    {vis}fn new({}) -> Self {{\n", arguments.join(", "))
        + &format!("{statements}        Self {{ {} }}\n    }}\n\n", fields.join(", "))
}

/// The field of the prolongation for inputs.
pub(super) fn prolongation_field(compiled: &Compiled) -> String {
    match compiled.needs.len() {
        0 => String::new(),
        count => format!("    inputs: [::dae::__private::Input; {count}],\n"),
    }
}

/// The value of the field of the prolongation, from the fields of the model.
pub(super) fn prolongation_value(compiled: &Compiled) -> String {
    if compiled.needs.is_empty() {
        return String::new();
    }
    let values: Vec<String> = compiled.needs.iter().map(|need| format!("self.{}.clone()", need.input)).collect();
    format!(", inputs: [{}]", values.join(", "))
}

/// The functions for tables.
pub(super) fn tables(compiled: &Compiled) -> String {
    let name = &compiled.model.name;
    let externals = compiled.model.externals();
    let functions: String = externals
        .iter()
        .filter_map(|external| match &external.source {
            ExternalSource::Table(table) => Some(table_function(&external.name, table)),
            ExternalSource::Code(_) | ExternalSource::Input | ExternalSource::Supplied(_) => None,
        })
        .collect();
    if functions.is_empty() {
        return String::new();
    }
    format!("{}impl {name}Prolongation {{\n{}}}\n\n", ALLOW, functions.trim_end_matches('\n').to_string() + "\n")
}

fn table_function(name: &str, table: &Table) -> String {
    let spline = table.spline();
    let numbers = |values: &[f64], width: usize| -> String {
        let line = |chunk: &[f64]| {
            let numbers: Vec<String> = chunk.iter().map(|value| format!("{value:?}")).collect();
            format!("            {},\n", numbers.join(", "))
        };
        values.chunks(width).map(line).collect()
    };
    let (degree, count) = (spline.degree(), table.points.len());
    let doc = format!(
        "The table `{name}`: the spline of degree {degree} through {count} points, with its derivatives and enclosures."
    );
    let (breaks, coefficients) = (numbers(spline.breaks(), 8), numbers(spline.coefficients(), degree + 1));
    docs([doc], "    ")
        + &format!("    fn {name}() -> &'static ::dae::__private::Spline {{\n")
        + &format!("        static BREAKS: [f64; {}] = [\n{breaks}        ];\n", spline.breaks().len())
        + &format!(
            "        static COEFFICIENTS: [f64; {}] = [\n{coefficients}        ];\n",
            spline.coefficients().len()
        )
        + "        static SPLINE: ::dae::__private::Spline =\n"
        + &format!("            ::dae::__private::Spline::from_parts({degree}, &BREAKS, &COEFFICIENTS);\n")
        + "        &SPLINE\n    }\n\n"
}

/// The check that inputs have the derivatives that are needed.
pub(super) fn input_error(compiled: &Compiled) -> String {
    if compiled.needs.is_empty() {
        return String::new();
    }
    let need = |(k, need): (usize, &crate::external_functions::InputNeed)| {
        let (input, order, because) = (&need.input, need.order, &need.because);
        format!(
            "            Need {{ input: {input:?}, given: &self.prolongation.inputs[{k}], needed: {order}, because: {because:?} }},\n"
        )
    };
    let needs: String = compiled.needs.iter().enumerate().map(need).collect();
    "    fn input_error(&self) -> ::core::option::Option<::dae::__private::InputError> {\n".to_string()
        + "        use ::dae::__private::{Need, unmet};\n"
        + &format!("        unmet(&[\n{needs}        ])\n    }}\n\n")
}

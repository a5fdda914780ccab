//! Parameters as fields of the struct of the model.
//!
//! In: the parameters of a model, elements of arrays one after the other. Out: a field for each scalar and each array,
//! with its type and default, and the statements that lay the fields out in the order of the parameters.

use super::body::Outputs;
use super::method::parts;
use super::names::Names;
use crate::defaults::{parameter_defaults, parameter_places};
use crate::model::{Parameter, Torn};
use crate::pipeline::Compiled;
use crate::program::affine::Affine;
use crate::spelling::indices::{index_names, spell};

/// A field: a parameter or an array of them.
pub(super) struct Field<'a> {
    pub(super) name: &'a str,
    pub(super) docs: &'a [String],
    /// Extents, the outermost first; empty for a number.
    extents: &'a [usize],
    /// Position of its first parameter.
    first: usize,
    values: &'a [f64],
}

/// The fields of a model.
pub(super) fn fields<'a>(parameters: &'a [Parameter], values: &'a [f64]) -> Vec<Field<'a>> {
    let mut fields = Vec::new();
    let mut first = 0;
    for parameter in parameters.iter().filter(|parameter| parameter.domain.is_first()) {
        let extents = &parameter.domain.extents[..];
        let last = (first + extents.iter().product::<usize>()).min(values.len());
        let name = parameter.name.split('[').next().unwrap_or_default();
        fields.push(Field { name, docs: &parameter.docs, extents, first, values: &values[first..last] });
        first = last;
    }
    fields
}

/// `f64`, `[f64; N]`, `[[f64; M]; N]`.
pub(super) fn type_of(extents: &[usize]) -> String {
    extents.iter().rev().fold("f64".to_string(), |inner, extent| format!("[{inner}; {extent}]"))
}

impl Field<'_> {
    pub(super) fn type_text(&self) -> String {
        type_of(self.extents)
    }

    /// The default as an expression: a number, `[x; N]` if all are equal, or a list.
    pub(super) fn default_text(&self) -> String {
        let same = self.is_uniform();
        let mut items: Vec<String> = self.values.iter().map(|value| format!("{value:?}")).collect();
        for extent in self.extents.iter().rev() {
            items = items
                .chunks(*extent)
                .map(|row| if same { format!("[{}; {extent}]", row[0]) } else { format!("[{}]", row.join(", ")) })
                .collect();
        }
        items.into_iter().next().unwrap_or_default()
    }

    /// Whether all of its values are equal.
    pub(super) fn is_uniform(&self) -> bool {
        self.values.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// The field as it is read off the vector of parameters.
    fn read_back(&self) -> String {
        let Field { first, extents, .. } = self;
        let (indices, mut place) = (index_names(extents.len()), Affine::fixed(*first));
        place.strides = (0..extents.len()).map(|k| extents[k + 1..].iter().product::<usize>() as i64).collect();
        let element = format!("parameters[{}]", spell(&place, &indices));
        indices.iter().rev().fold(element, |inner, index| format!("::core::array::from_fn(|{index}| {inner})"))
    }

    /// The documentation of a field without its own: its default.
    pub(super) fn default_doc(&self) -> String {
        // A list is less informative than the definition in the model.
        match self.is_uniform() {
            true => format!("Parameter, {} by default.", self.default_text()),
            false => "Parameters.".to_string(),
        }
    }

    /// The statement that copies the field to the parameters.
    fn copy(&self) -> String {
        let Field { name, first, .. } = self;
        let end = first + self.values.len();
        match self.extents {
            [] => format!("        parameters[{first}] = self.{name};\n"),
            [_] => format!("        parameters[{first}..{end}].copy_from_slice(&self.{name});\n"),
            _ => format!("        parameters[{first}..{end}].copy_from_slice(self.{name}.as_flattened());\n"),
        }
    }
}

/// The body of the method that builds the prolongation of the struct; `inputs` is the field for inputs, or empty.
pub(super) fn layout(target: &str, fields: &[Field<'_>], count: usize, inputs: &str) -> String {
    if fields.iter().all(|field| field.extents.is_empty()) {
        let values: Vec<String> = fields.iter().map(|field| format!("self.{}", field.name)).collect();
        return format!("        {target} {{ parameters: [{}]{inputs} }}\n", values.join(", "));
    }
    let copies: String = fields.iter().map(Field::copy).collect();
    format!("        let mut parameters = [0.0; {count}];\n{copies}        {target} {{ parameters{inputs} }}\n")
}

/// The statements that compute defaults, and the fields with their defaults. Where the values of some array differ,
/// programs compute all defaults; otherwise there are no statements, and the defaults are literals.
pub(super) fn defaults(compiled: &Compiled, fields: &[Field<'_>]) -> Result<(String, Vec<String>), Torn> {
    let model = &compiled.model;
    if fields.iter().all(Field::is_uniform) {
        let texts = fields.iter().map(|f| format!("{}: {}", f.name, f.default_text()));
        return Ok((String::new(), texts.collect()));
    }
    let names = Names::new(compiled, Vec::new(), Vec::new(), &[], "jets")?;
    let mut text = format!("        let mut parameters = [0.0; {}];\n", parameter_places(model)?.total());
    for defaults in parameter_defaults(model).map_err(|_| Torn)? {
        let mut program = defaults.program;
        let first = defaults.parameters.start as i64;
        for output in program.blocks.iter_mut().flat_map(|block| &mut block.outputs) {
            output.place = output.place.plus(first);
        }
        text.push_str(&parts(&names, &program, "parameters", Outputs::Array));
    }
    Ok((text, fields.iter().map(|f| format!("{}: {}", f.name, f.read_back())).collect()))
}

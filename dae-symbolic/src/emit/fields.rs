//! Parameters as fields of the struct of the model.
//!
//! In: the parameters of a model, elements of arrays one after the other. Out: a field for each scalar and each array, with its
//! type and default, and the statements that lay the fields out in the order of the parameters.

use crate::model::Parameter;

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
    while let Some(parameter) = parameters.get(first) {
        let extents = &parameter.domain.extents[..];
        let last = (first + extents.iter().product::<usize>()).min(parameters.len());
        let name = parameter.name.split('[').next().unwrap_or_default();
        fields.push(Field { name, docs: &parameter.docs, extents, first, values: &values[first..last] });
        first = last.max(first + 1);
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

    /// Its default as an expression: a number, `[x; N]` if all are equal, or a list.
    pub(super) fn default_text(&self) -> String {
        let mut items: Vec<String> = self.values.iter().map(|value| format!("{value:?}")).collect();
        let same = items.windows(2).all(|pair| pair[0] == pair[1]);
        for extent in self.extents.iter().rev() {
            items = items
                .chunks(*extent)
                .map(|row| if same { format!("[{}; {extent}]", row[0]) } else { format!("[{}]", row.join(", ")) })
                .collect();
        }
        items.into_iter().next().unwrap_or_default()
    }

    /// What is said about its default if it has no documentation.
    pub(super) fn default_doc(&self) -> String {
        let default = self.default_text();
        // A long list tells less than the definition in the model.
        if default.len() > 60 { "Parameters.".to_string() } else { format!("Parameter, {default} by default.") }
    }

    /// The statement that copies it to the parameters.
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

/// The body of the method that makes the prolongation of the struct.
pub(super) fn layout(target: &str, fields: &[Field<'_>], count: usize) -> String {
    if fields.iter().all(|field| field.extents.is_empty()) {
        let values: Vec<String> = fields.iter().map(|field| format!("self.{}", field.name)).collect();
        return format!("        {target} {{ parameters: [{}] }}\n", values.join(", "));
    }
    let copies: String = fields.iter().map(Field::copy).collect();
    format!("        let mut parameters = [0.0; {count}];\n{copies}        {target} {{ parameters }}\n")
}

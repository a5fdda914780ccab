//! Identifiers of generated code.
//!
//! In: names of the model. Out: Rust identifiers that resemble them and never collide.

use std::collections::HashSet;

use crate::defaults::parameter_places;
use crate::expr::{Call, ExternalSource};
use crate::model::{Domain, Numbering, Torn};
use crate::pipeline::Compiled;
use crate::program::Load;
use crate::program::affine::Affine;

/// `x`, `der_x`, `der2_x`, `equation_5`, `G_`: a name of the model as the identifier of a local variable.
pub(super) fn identifier(name: &str) -> String {
    if let Some((base, order)) = derivative(name) {
        return format!("der{order}_{}", identifier(base));
    }
    // `T[2][5]` becomes `T_2_5`, `equation 4[i = 17]` becomes `equation_4_i_17`.
    let indexed = name.contains('[');
    let name = if indexed {
        name.replace("][", "_").replace(" = ", "_").replace(", ", "_").replace(']', "")
    } else {
        name.to_string()
    };
    // Superscripts are numeric, but not allowed in identifiers.
    let belongs = |c: char| c.is_alphabetic() || c.is_ascii_digit() || c == '_';
    let kept = name.chars().map(|c| if belongs(c) { c } else { '_' });
    let kept: String = kept.collect();
    // If a constant or unit struct of that name is in scope, a pattern would match it instead of binding the name.
    if kept.starts_with(char::is_uppercase) { kept + "_" } else { kept }
}

/// `x` and `2` of `der(x, 2)`, `x` and an empty text of `der(x)`; `None` for other names, such as a sum that begins and
/// ends with a derivative.
fn derivative(name: &str) -> Option<(&str, &str)> {
    let inner = name.strip_prefix("der(")?.strip_suffix(')')?;
    let is_order = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (base, order) = inner.rsplit_once(", ").filter(|&(_, order)| is_order(order)).unwrap_or((inner, ""));
    let mut depth = 0i32;
    let closes = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    };
    (!base.contains(closes)).then_some((base, order))
}

/// The kind of numbers that a method computes with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// `f64`.
    Floating,
    /// The runtime's `TaylorModel`, which the method imports.
    Enclosures,
}

/// Names of the values a method receives.
#[derive(Clone)]
pub(super) struct Names {
    /// The kind of numbers that the method computes with.
    pub(super) numbers: Numbers,
    pub(super) time: String,
    pub(super) parameters: Vec<String>,
    pub(super) states: Vec<String>,
    pub(super) rates: Vec<String>,
    /// The field that holds the parameters: `self.<this>`.
    pub(super) parameter_path: &'static str,
    /// The names of the inputs that the caller supplies.
    pub(super) inputs: Vec<String>,
    /// The type with the functions of tables.
    tables: String,
    /// Whether the model has arrays or families of equations.
    pub(super) families: bool,
    /// Names of parameters, states and rates as the model writes them.
    written: [Vec<String>; 3],
    /// The positions of the parameters and states.
    places: [Numbering; 2],
    taken: HashSet<String>,
}

impl Names {
    /// Names for a method over the given states and rates; `place` is the field in which `self` keeps the parameters,
    /// or `jets` for the prolongation, which keeps them itself.
    pub(super) fn new(
        compiled: &Compiled,
        states: Vec<String>,
        rates: Vec<String>,
        domains: &[Domain],
        place: &'static str,
    ) -> Result<Names, Torn> {
        let mut taken = HashSet::from(["self".to_string()]);
        let written = [compiled.model.parameters.iter().map(|p| p.name.clone()).collect(), states, rates];
        let mut claim = |names: &[String]| -> Vec<String> {
            names.iter().map(|name| unique(&mut taken, &identifier(name))).collect()
        };
        let (parameters, states, rates) = (claim(&written[0]), claim(&written[1]), claim(&written[2]));
        let parameter_path = if place == "jets" { "parameters" } else { place };
        let time = unique(&mut taken, "time");
        let families = compiled.model.has_families();
        let inputs = compiled.model.supplied_inputs().into_iter().map(|(_, name)| name).collect();
        let tables = format!("{}Prolongation", compiled.model.name);
        let places = [parameter_places(&compiled.model)?, Numbering::of(domains)?];
        let numbers = Numbers::Floating;
        Ok(Names {
            numbers,
            time,
            parameters,
            states,
            rates,
            parameter_path,
            inputs,
            tables,
            families,
            written,
            places,
            taken,
        })
    }

    /// The names for a method that computes enclosures.
    pub(super) fn for_enclosures(&self) -> Names {
        Names { numbers: Numbers::Enclosures, ..self.clone() }
    }

    /// The parameters of the model as numbers of the method.
    pub(super) fn parameter_values(&self) -> String {
        let stored = format!("self.{}", self.parameter_path);
        match self.numbers {
            Numbers::Floating => stored,
            Numbers::Enclosures => format!("{stored}.map(TaylorModel::point)"),
        }
    }

    /// Where `self` keeps the inputs of the caller.
    pub(super) fn input_path(&self) -> String {
        self.parameter_path.replace("parameters", "inputs")
    }

    /// A call of a function that the model does not define by an expression.
    pub(super) fn call(&self, call: &Call, arguments: &[&str], inputs: &str) -> String {
        let (name, list) = (&call.function.name, arguments.join(", "));
        match &call.function.source {
            ExternalSource::Table(_) => {
                let of_spline = match self.numbers {
                    Numbers::Floating => "derivative",
                    Numbers::Enclosures => "taylor_model",
                };
                format!("{}::{name}().{of_spline}({list}, {})", self.tables, call.order())
            }
            // Of functions of the caller only values are known, not enclosures.
            _ if self.numbers == Numbers::Enclosures => "TaylorModel::ENTIRE".to_string(),
            // Derivatives without a function have been rejected.
            ExternalSource::Code(_) => format!("{}({list})", call.path().unwrap_or("::core::compile_error!")),
            ExternalSource::Input | ExternalSource::Supplied(_) => {
                let position = self.inputs.iter().position(|input| input == name).unwrap_or(0);
                format!("{inputs}[{position}].derivative({list}, {})", call.order())
            }
        }
    }

    /// The name of the entry at a place of the vector that a load reads.
    pub(super) fn written(&self, load: &Load<Affine>, place: usize) -> Option<&str> {
        let (vector, of) = match load {
            Load::Time | Load::Total(_) => return None,
            Load::Parameter(_) => (0, 0),
            Load::Y(_) => (1, 1),
            Load::Yp(_) => (2, 1),
        };
        self.written[vector].get(self.places[of].position(place)?).map(String::as_str)
    }

    /// Names of parameters (0), states (1) or rates (2) as the model writes them.
    pub(super) fn of(&self, vector: usize) -> &[String] {
        &self.written[vector]
    }

    /// The names in use, for a body to add its own.
    pub(super) fn taken(&self) -> HashSet<String> {
        self.taken.clone()
    }
}

/// `name`, or `name_2`, `name_3`, … if it is taken; taken from now on.
pub(super) fn unique(taken: &mut HashSet<String>, name: &str) -> String {
    let mut candidate = name.to_string();
    let mut count = 1;
    while !taken.insert(candidate.clone()) {
        count += 1;
        candidate = format!("{name}_{count}");
    }
    candidate
}

/// The identifier under which a value from outside is known inside a method.
pub(super) fn load_name(names: &Names, load: &Load<Affine>) -> String {
    match load {
        Load::Time => names.time.clone(),
        Load::Parameter(i) => names.parameters[i.position(&[])].clone(),
        Load::Y(i) => names.states[i.position(&[])].clone(),
        Load::Yp(i) => names.rates[i.position(&[])].clone(),
        // Only programs of several blocks have totals, and those name what they load themselves.
        Load::Total(i) => format!("total_{}", i.base),
    }
}

#[cfg(test)]
mod tests {
    use super::identifier;

    #[test]
    fn names_of_combinations_are_identifiers() {
        assert_eq!(identifier("der(x)"), "der_x");
        assert_eq!(identifier("der(x, 2)"), "der2_x");
        assert_eq!(identifier("der(der(equation 1, 2) - equation 4)"), "der_der_equation_1__2____equation_4");
        assert_eq!(identifier("der(equation 1, 2) - der(equation 5)"), "der_equation_1__2____der_equation_5_");
        assert_eq!(identifier("t²·equation 1"), "t__equation_1");
        assert_eq!(identifier("G"), "G_");
    }
}

//! Quantities with respect to which a solution is differentiated.
//!
//! In: the name of a parameter, or of an unknown or derivative with a start value. Out: its role in the model, and how
//! start values and equations change with it.

use crate::contract::{Dae, Name, Pattern, Prolongation, ProlongationDescription, Start};
use crate::initialize::Direction;

/// A parameter or a start value with respect to which a solution is differentiated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quantity {
    pub(crate) name: Name,
    pub(crate) kind: QuantityKind,
    /// Its magnitude: sensitivities times this are in units of the unknowns.
    pub(crate) scale: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum QuantityKind {
    /// A parameter, by position.
    Parameter(usize),
    /// The start value of a jet, by position.
    Start(usize),
    /// A linear combination of quantities, by the change of each parameter; parameters that are missing do not change.
    Mixture(Vec<f64>),
}

impl Quantity {
    /// Looks up a parameter, or an unknown or derivative with a start value, by name; the error says which names there
    /// are.
    pub(crate) fn named(dae: &dyn Dae, t0: f64, name: &str) -> Result<Quantity, String> {
        let parameters = &dae.description().parameters;
        let d = dae.prolongation().prolongation_description();
        if let Some(k) = parameters.iter().position(|parameter| parameter == name) {
            let scale = magnitude(dae.parameters()[k]).unwrap_or(1.0);
            return Ok(Quantity { name: parameters[k].clone(), kind: QuantityKind::Parameter(k), scale });
        }
        if let Some(jet) = d.jets.iter().position(|jet| jet.name == name && jet.start != Start::Free) {
            let mut start = vec![0.0; d.jets.len()];
            dae.prolongation().start_values(t0, &mut start);
            let nominal = d.jets[jet].nominal;
            let scale = magnitude(start[jet]).map_or(nominal, |size| size.max(nominal));
            return Ok(Quantity { name: d.jets[jet].name.clone(), kind: QuantityKind::Start(jet), scale });
        }
        Err(unknown_quantity(name, parameters, d))
    }

    /// The change of start values and equations with the quantity, times its scale.
    pub(crate) fn direction(&self, prolongation: &dyn Prolongation, t0: f64, jets: &[f64]) -> Direction<'_> {
        let d = prolongation.prolongation_description();
        let mut values = vec![0.0; d.start_jacobian_p.len()];
        prolongation.start_jacobian_p(t0, &mut values);
        let mut start = self.product(&d.start_jacobian_p, &values);
        if let QuantityKind::Start(jet) = self.kind {
            start[jet] = self.scale;
        }
        Direction { name: &self.name, start, equations: self.derivative_of_equations(prolongation, t0, jets) }
    }

    /// Derivatives of the equations of the prolongation with respect to the quantity with the jets held fixed, times
    /// its scale.
    pub(crate) fn derivative_of_equations(&self, prolongation: &dyn Prolongation, t: f64, jets: &[f64]) -> Vec<f64> {
        let d = prolongation.prolongation_description();
        let mut values = vec![0.0; d.jacobian_p.len()];
        prolongation.prolonged_jacobian_p(t, jets, &mut values);
        self.product(&d.jacobian_p, &values)
    }

    /// A quantity that stands for an entry of a state in the middle of a run: no parameter depends on it.
    pub(crate) fn of_state() -> Quantity {
        Quantity { name: Name::Borrowed("the state"), kind: QuantityKind::Mixture(Vec::new()), scale: 1.0 }
    }

    /// A parameter, by position, in its own unit.
    pub(crate) fn of_parameter(dae: &dyn Dae, parameter: usize) -> Quantity {
        let name = dae.description().parameters[parameter].clone();
        Quantity { name, kind: QuantityKind::Parameter(parameter), scale: 1.0 }
    }

    /// Its position among the parameters; `None` if it is not one of them.
    pub(crate) fn parameter(&self) -> Option<usize> {
        match self.kind {
            QuantityKind::Parameter(k) => Some(k),
            QuantityKind::Start(_) | QuantityKind::Mixture(_) => None,
        }
    }

    /// Derivative of a parameter with respect to the quantity, times its scale.
    pub(crate) fn factor_of(&self, parameter: usize) -> f64 {
        match &self.kind {
            QuantityKind::Parameter(k) if *k == parameter => self.scale,
            QuantityKind::Mixture(factors) => factors.get(parameter).copied().unwrap_or(0.0),
            QuantityKind::Parameter(_) | QuantityKind::Start(_) => 0.0,
        }
    }

    /// Product of a matrix of derivatives with respect to the parameters with the derivatives of the parameters with
    /// respect to the quantity, times its scale.
    pub(crate) fn product(&self, pattern: &Pattern, values: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; pattern.rows()];
        for (row, column, place) in pattern.entries() {
            product[row] += self.factor_of(column) * values[place];
        }
        product
    }

    /// A linear combination of all these quantities with generic coefficients, and the coefficients: what holds for its
    /// sensitivity holds for almost every combination.
    pub(crate) fn mixture(dae: &dyn Dae, quantities: &[Quantity]) -> (Quantity, Vec<f64>) {
        // Golden-ratio sequence.
        let part = |k: usize| {
            (2.0 * ((k + 1) as f64 * 0.618_033_988_749_895).fract() - 1.0).signum()
                * (0.5 + (k as f64 * 0.754_877_666).fract())
        };
        let parts: Vec<f64> = (0..quantities.len()).map(part).collect();
        let mut factors = vec![0.0; dae.description().parameters.len()];
        for (quantity, part) in quantities.iter().zip(&parts) {
            if let Some(k) = quantity.parameter() {
                factors[k] += part * quantity.scale;
            }
        }
        (Quantity { name: Name::Borrowed("all quantities"), kind: QuantityKind::Mixture(factors), scale: 1.0 }, parts)
    }
}

fn magnitude(value: f64) -> Option<f64> {
    Some(value.abs()).filter(|size| *size > 0.0 && size.is_finite())
}

fn unknown_quantity(name: &str, parameters: &[Name], d: &ProlongationDescription) -> String {
    if d.jets.iter().any(|jet| jet.name == name) {
        return format!(
            "`{name}` has no start value to differentiate by: it follows from the others; give it one in the model (`= value` or `~ value`)"
        );
    }
    let starts = d.jets.iter().filter(|jet| jet.start != Start::Free).map(|jet| &jet.name);
    let known: Vec<String> = parameters.iter().chain(starts).map(|name| format!("`{name}`")).collect();
    format!(
        "`{name}` is neither a parameter nor an unknown with a start value; there are {}",
        if known.is_empty() { "none of either".to_string() } else { known.join(", ") }
    )
}

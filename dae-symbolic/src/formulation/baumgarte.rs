//! Baumgarte's stabilisation (J. Baumgarte, Comput. Methods Appl. Mech. Engrg. 1, 1972).
//!
//! In: the index-1 rows and the lower constraints. Out: instead of the row $g^{(m)} = 0$ the combination
//!
//! $$ g^{(m)} + a_{m-1}\, g^{(m-1)} + \dots + a_0\, g = 0, $$
//!
//! Ascher & Petzold (1993), eq. (3.2), under which violations of the constraints decay if the roots of
//! $\tau^m + \dots + a_0$ lie in the left half-plane and time runs forward. Lower constraints contain lower derivatives
//! only, so that the combinations determine the same derivatives as the rows.

use super::selection::{Material, Row, Selection};
use super::{Form, FormError, Gain, Gains, reduced};
use crate::expr::{Expr, ParameterId, Rational, Symbol};
use crate::form::Choice;
use crate::model::Model;
use crate::origin::Origin;

pub(super) fn select(model: &mut Model, material: &Material<'_>, form: &Form) -> Result<Selection, FormError> {
    let mut selection = reduced::index1(model, material, form)?;
    let Choice::Gains(gains) = form.choice() else { return Ok(selection) };
    // Undeclared parameters are refused even where nothing is differentiated, as in an ordinary differential equation.
    let unknown = |message| FormError { form: form.clone(), origin: Origin::NONE, message };
    gains.coefficients().into_iter().try_for_each(|gain| value(model, gain).map(|_| ()).map_err(unknown))?;
    let mut lower: Vec<Vec<Row>> = vec![Vec::new(); material.system.equations.len()];
    for row in &selection.implied {
        lower[row.place.0].push(row.clone());
    }
    for row in &mut selection.rows {
        let below = &lower[row.place.0];
        if below.is_empty() {
            continue;
        }
        let coefficients = coefficients(model, gains, below.len()).map_err(|message| FormError {
            form: form.clone(),
            origin: row.origin,
            message: message.replace("{}", &below[0].name),
        })?;
        let terms: Vec<(Rational, Expr)> = coefficients
            .into_iter()
            .zip(below)
            .map(|(coefficient, below)| (Rational::ONE, model.dag.mul(coefficient, below.value)))
            .collect();
        row.value = model.dag.sum([(Rational::ONE, row.value)].into_iter().chain(terms));
        row.prolonged = None;
        row.name = format!("stabilised {}", row.name);
    }
    Ok(selection)
}

/// $a_0, \dots, a_{m-1}$; the message of an error may have `{}` in place of the name of the constraint.
fn coefficients(model: &mut Model, gains: &Gains, m: usize) -> Result<Vec<Expr>, String> {
    let wrong = |needed: usize| {
        format!(
            "the polynomial is of degree {needed}, and {{}} is differentiated {m} time{}",
            if m == 1 { "" } else { "s" }
        )
    };
    match gains {
        Gains::Power(gamma) => {
            let gamma = value(model, gamma)?;
            let mut binomial = Rational::ONE;
            let mut list = Vec::with_capacity(m);
            for j in 0..m {
                let power = model.dag.powi(gamma, (m - j) as i32);
                list.push(model.dag.scale(binomial.clone(), power));
                let next = Rational::new((m - j) as i64, j as i64 + 1).unwrap_or(Rational::ZERO);
                binomial = binomial.mul(&next);
            }
            Ok(list)
        }
        Gains::Oscillator(alpha, beta) if m == 2 => {
            let (alpha, beta) = (value(model, alpha)?, value(model, beta)?);
            Ok(vec![model.dag.powi(beta, 2), model.dag.scale(Rational::from(2), alpha)])
        }
        Gains::Oscillator(..) => Err(wrong(2)),
        Gains::Coefficients(list) if list.len() == m => list.iter().map(|gain| value(model, gain)).collect(),
        Gains::Coefficients(list) => Err(wrong(list.len())),
    }
}

fn value(model: &mut Model, gain: &Gain) -> Result<Expr, String> {
    match gain {
        Gain::Number(number) => Ok(model.dag.constant(number.clone())),
        Gain::Parameter(name) => match model.parameters.iter().position(|parameter| parameter.name == *name) {
            Some(p) => Ok(model.dag.symbol(Symbol::Parameter(ParameterId(p as u32)))),
            None => Err(format!("the model has no parameter `{name}`")),
        },
    }
}

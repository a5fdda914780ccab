//! Stabilisation by multipliers (Gear, Gupta and Leimkuhler, J. Comput. Appl. Math. 12/13, 1985).
//!
//! In: an index-2 formulation and the lower constraints $\Phi(t, y) = 0$. Out: the formulation with $\Phi = 0$ as rows and
//!
//! $$ F(t, y, y' + D \mu) = 0, \qquad D = \Phi_y^\top, $$
//!
//! Hairer & Wanner II, Sect. VII.1, eq. (1.48), in the general form of Ascher & Petzold (1993), eq. (2.18). On solutions $\mu = 0$, because
//! $\Phi_y D$ is nonsingular for independent constraints; and $\mu$ has index 2.

use std::collections::{HashMap, HashSet};

use dae_runtime::contract::Kind;

use super::{FormEquation, FormError, FormUnknown, Formulation, Source};
use crate::expr::{Dag, Expr, Rational, Symbol, gradient, substitute, symbols};
use crate::model::{Numbering, Torn, derivative_name};
use crate::origin::Origin;

/// Appends the constraints, each with a multiplier. Without constraints nothing changes: index ≤ 2 is its own GGL form.
pub(super) fn stabilise(
    dag: &mut Dag,
    formulation: &mut Formulation,
    constraints: Vec<FormEquation>,
) -> Result<(), FormError> {
    let rates: HashSet<u32> = formulation.equations.iter().flat_map(|e| rates(dag, e.residual)).collect();
    let mut corrections: HashMap<u32, Vec<(Rational, Expr)>> = HashMap::new();
    let numbers = Numbering::of(constraints.iter().map(|constraint| &constraint.domain));
    let numbers = numbers.map_err(|Torn| FormError {
        form: formulation.form,
        message: "the members of a family that were left out are unlike the others".into(),
        origin: Origin::NONE,
    })?;
    let mut taken: HashSet<String> = formulation.unknowns.iter().map(|u| u.name.clone()).collect();
    for (k, constraint) in constraints.iter().enumerate() {
        let multiplier = formulation.unknowns.len() as u32;
        let name = multiplier_name(&mut taken, numbers.place_of(k) + 1);
        formulation.unknowns.push(FormUnknown {
            rate: derivative_name(&name, 1),
            name,
            source: Source::Multiplier,
            kind: Kind::Algebraic,
            index: 2,
            nominal: 1.0,
            domain: constraint.domain.clone(),
        });
        let multiplier = dag.symbol(Symbol::State(multiplier));
        for (symbol, partial) in gradient(dag, constraint.residual, |s| matches!(s, Symbol::State(_))) {
            let Symbol::State(state) = symbol else { continue };
            if !rates.contains(&state) {
                return Err(FormError {
                    form: formulation.form,
                    message: format!(
                        "{} restricts `{}`, whose derivative does not occur",
                        constraint.name, formulation.unknowns[state as usize].name
                    ),
                    origin: constraint.origin,
                });
            }
            let term = dag.mul(partial, multiplier);
            corrections.entry(state).or_default().push((Rational::ONE, term));
        }
    }
    for equation in &mut formulation.equations {
        equation.residual = substitute(dag, &[equation.residual], |dag, symbol| match symbol {
            Symbol::StateDerivative(state) => {
                let correction = corrections.get(&state)?;
                let rate = dag.symbol(symbol);
                Some(dag.sum(correction.iter().cloned().chain([(Rational::ONE, rate)])))
            }
            _ => None,
        })[0];
    }
    formulation.equations.extend(constraints);
    Ok(())
}

fn rates(dag: &Dag, residual: Expr) -> Vec<u32> {
    let rate = |symbol| match symbol {
        Symbol::StateDerivative(state) => Some(state),
        _ => None,
    };
    symbols(dag, [residual]).into_iter().filter_map(rate).collect()
}

/// `mu_1`, `mu_2`, …, with underscores where the model uses such a name itself.
fn multiplier_name(taken: &mut HashSet<String>, number: usize) -> String {
    let mut name = format!("mu_{number}");
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

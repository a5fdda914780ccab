//! Linear systems with constant coefficients.
//!
//! In: the first-order form of a model, with parameters at their defaults. Out: its pencil, exactly; with time replaced
//! by a number, also the frozen pencil of a system whose coefficients vary in time (Gear & Petzold (1983), after
//! Theorem 2.3: the *local index*).

use super::first_order::{FirstOrder, Linearity, Side};
use super::pencil::{Pencil, PolynomialVector, Sparse};
use crate::expr::{Expr, Rational, Symbol, substitute};
use crate::model::{Model, derivative_name};

/// Pencils with more than this many rows are left alone: the work of exact elimination of dense rows grows with the
/// third power, and the numbers become longer.
const MAX_ROWS: usize = 150;

/// The pencil of a linear system whose coefficients are numbers, at time `t` if they depend on it.
///
/// # Errors
/// The reason why there is none, in words.
pub(super) fn pencil(model: &mut Model, form: &FirstOrder, t: Option<&Rational>) -> Result<Pencil, String> {
    if form.linearity == Linearity::Nonlinear {
        return Err("the equations are not linear in the unknowns".into());
    }
    let rows = form.rows(model);
    if rows > MAX_ROWS {
        return Err(format!("the first-order form has {rows} rows, more than {MAX_ROWS}"));
    }
    let values: Vec<Expr> = form.coefficients.iter().map(|c| c.value).collect();
    let values = match t {
        None => values,
        Some(t) => {
            let time = model.dag.constant(t.clone());
            substitute(&mut model.dag, &values, |_, symbol| (symbol == Symbol::Time).then_some(time))
        }
    };
    let mut pencil = Pencil { columns: form.states, rows: vec![(Sparse::new(), Sparse::new()); model.equations.len()] };
    for (c, &value) in form.coefficients.iter().zip(&values) {
        let Some(q) = model.dag.as_constant(value) else {
            let name = model.symbol_name(Symbol::Unknown { unknown: unknown_id(c.unknown), order: c.order });
            let equation = model.equation_name(c.equation);
            return Err(format!("the coefficient of `{name}` in {equation} is not a rational number"));
        };
        let (side, column) = form.column(c.unknown, c.order);
        let (e, a) = &mut pencil.rows[c.equation];
        match side {
            Side::Leading => e.insert(column, q.clone()),
            Side::State => a.insert(column, q.clone()),
        };
    }
    for (state, next) in form.chains() {
        pencil.rows.push((Sparse::from([(state, Rational::ONE)]), Sparse::from([(next, Rational::MINUS_ONE)])));
    }
    Ok(pencil)
}

pub(super) fn unknown_id(unknown: usize) -> crate::expr::UnknownId {
    crate::expr::UnknownId(unknown as u32)
}

/// A right null vector in the names of the unknowns: `x = φ'`, `y = -φ` for any function φ.
pub(super) fn right_null_vector(model: &Model, form: &FirstOrder, vector: &PolynomialVector) -> Vec<String> {
    let mut list = Vec::new();
    for (j, unknown) in model.unknowns.iter().enumerate() {
        let own = vector.iter().filter(|((state, _), _)| *state == form.first_state[j]);
        let terms: Vec<(Rational, u32)> = own.map(|((_, power), q)| (q.clone(), *power)).collect();
        if !terms.is_empty() {
            list.push(format!("{} = {}", unknown.name, polynomial(&terms, phi)));
        }
    }
    list
}

/// A left null vector as a combination of equations of the text: `equation 1 - der(equation 2)`.
pub(super) fn left_null_vector(model: &Model, vector: &PolynomialVector) -> String {
    let text = vector.iter().filter(|((row, _), _)| *row < model.equations.len());
    let terms: Vec<(Rational, (usize, u32))> = text.map(|(&place, q)| (q.clone(), place)).collect();
    polynomial(&terms, |(row, power)| derivative_name(&model.equation_name(row), power))
}

/// $\varphi$, $\varphi'$, …
fn phi(order: u32) -> String {
    match order {
        0..=3 => format!("φ{}", "'".repeat(order as usize)),
        _ => format!("φ^({order})"),
    }
}

/// A sum of multiples as text.
fn polynomial<T: Copy>(terms: &[(Rational, T)], name: impl Fn(T) -> String) -> String {
    let mut text = String::new();
    for (q, term) in terms {
        text.push_str(match (text.is_empty(), q.is_negative()) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        if !q.abs().is_one() {
            text.push_str(&format!("{}·", q.abs()));
        }
        text.push_str(&name(*term));
    }
    text
}

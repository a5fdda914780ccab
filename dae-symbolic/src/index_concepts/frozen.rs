//! The frozen-coefficient pencil at the start point.
//!
//! In: the first-order form of a model whose coefficients vary. Out: the index of the pencil $(E, A) = (F_{u'}, F_u)$
//! at the start point, the *local index* of Gear & Petzold (1983, after Theorem 2.3) and Hairer (2011), Sect. V.6. It
//! says nothing about the system: under $u = Q(t) v$ the pencil becomes $(PEQ, P(AQ + EQ'))$, Hairer & Wanner II, Sect.
//! VII.1, eq. (1.8), and another index may appear. It matters to methods that freeze coefficients over a step.
//!
//! Where the coefficients are rational numbers at the start time, the answer is exact. Otherwise numerical ranks
//! decide: a regular pencil has the index $m$ where its own derivative array $E u^{(l + 1)} + A u^{(l)} = 0$,
//! $l = 0, \dots, m$, first determines $u'$.

use dae_runtime::matrix::Matrix;
use dae_runtime::rank::{Confidence, Rank, rank};

use super::first_order::{FirstOrder, Linearity, Side};
use super::linear::pencil;
use super::weierstrass::PencilStructure;
use crate::expr::{Expr, Rational, Symbol, evaluate};
use crate::model::Model;

/// Derivative arrays with more than this many rows are left alone.
const MAX_ROWS: usize = 160;

/// The pencil at the start point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalPencil {
    /// Regular, of this index.
    Index(u32),
    /// Singular.
    Singular,
}

/// The frozen pencil and how it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrozenPencil {
    /// Whether it is regular, and its index.
    pub pencil: LocalPencil,
    /// Time at which it was frozen.
    pub t0: f64,
    /// How the ranks were found.
    pub arithmetic: Arithmetic,
}

/// How ranks were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// In rational numbers.
    Exact,
    /// In floating-point numbers, with a clear gap.
    Numerical,
}

/// The pencil of a linear system at `t0`, or of the linearisation at a consistent point, given as a function of unknown
/// and order; `None` if it is not square, too large, or cannot be decided.
pub(super) fn frozen(
    model: &mut Model,
    form: &FirstOrder,
    t0: f64,
    jet: Option<&dyn Fn(usize, u32) -> Option<f64>>,
) -> Option<FrozenPencil> {
    if form.rows(model) != form.states {
        return None;
    }
    if form.linearity < Linearity::Nonlinear
        && let Some(t) = decimal(t0)
        && let Ok(pencil) = pencil(model, form, Some(&t))
    {
        let pencil = match pencil.structure() {
            PencilStructure::Regular(weierstrass) => LocalPencil::Index(weierstrass.index()),
            PencilStructure::Singular { .. } => LocalPencil::Singular,
        };
        return Some(FrozenPencil { pencil, t0, arithmetic: Arithmetic::Exact });
    }
    let (e, a) = matrices(model, form, t0, jet)?;
    let pencil = numerical(&e, &a)?;
    Some(FrozenPencil { pencil, t0, arithmetic: Arithmetic::Numerical })
}

/// The number that the shortest decimal spelling of `t` denotes: what the user wrote.
fn decimal(t: f64) -> Option<Rational> {
    let magnitude = Rational::from_decimal(&format!("{}", t.abs()))?;
    Some(if t < 0.0 { magnitude.neg() } else { magnitude })
}

/// $E$ and $A$ at the start point.
fn matrices(
    model: &mut Model,
    form: &FirstOrder,
    t0: f64,
    jet: Option<&dyn Fn(usize, u32) -> Option<f64>>,
) -> Option<(Matrix, Matrix)> {
    if form.states > MAX_ROWS {
        return None;
    }
    let values: Vec<Expr> = form.coefficients.iter().map(|c| c.value).collect();
    let values = evaluate(&model.dag, &values, |symbol| match symbol {
        Symbol::Time => t0,
        Symbol::Unknown { unknown, order } => jet.and_then(|jet| jet(unknown.index(), order)).unwrap_or(f64::NAN),
        _ => f64::NAN,
    });
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let (mut e, mut a) = (Matrix::zeros(form.states, form.states), Matrix::zeros(form.states, form.states));
    for (c, value) in form.coefficients.iter().zip(values) {
        match form.column(c.unknown, c.order) {
            (Side::Leading, column) => e[(c.equation, column)] = value,
            (Side::State, column) => a[(c.equation, column)] = value,
        }
    }
    for (k, (state, next)) in form.chains().enumerate() {
        e[(model.equations.len() + k, state)] = 1.0;
        a[(model.equations.len() + k, next)] = -1.0;
    }
    Some((e, a))
}

fn numerical(e: &Matrix, a: &Matrix) -> Option<LocalPencil> {
    let n = e.rows();
    // A regular pencil is singular at no more than n values of s.
    const PROBES: [f64; 3] = [0.734_529_1, -1.318_907_3, 2.071_133_9];
    let mut regular = false;
    for s in PROBES {
        let found = clear(&Matrix::from_fn(n, n, |i, j| s * e[(i, j)] + a[(i, j)]))?;
        regular |= found.rank == n;
    }
    if !regular {
        return Some(LocalPencil::Singular);
    }
    for m in 0..=n {
        if n * (m + 1) > MAX_ROWS {
            return None;
        }
        // Columns: u', then u'' and higher.
        let array = Matrix::from_fn(n * (m + 1), n * (m + 1), |i, j| match (i / n).checked_sub(j / n) {
            Some(0) => e[(i % n, j % n)],
            Some(1) => a[(i % n, j % n)],
            _ => 0.0,
        });
        let rest = array.select_columns(&Vec::from_iter(n..n * (m + 1)));
        if clear(&array)?.rank == n + clear(&rest)?.rank {
            return Some(LocalPencil::Index(m as u32));
        }
    }
    None
}

fn clear(matrix: &Matrix) -> Option<Rank> {
    rank(matrix).ok().filter(|rank| rank.confidence == Confidence::Clear)
}

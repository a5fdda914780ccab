//! Indices of unknowns where leading parts of rows cancel.
//!
//! In: rows $F(t, y, y')$. Out: for each unknown, how many times disturbances $\delta$ of the rows are differentiated
//! in it. Offsets and blocks do not see cancellation: from $x_1 = \dot x_2 + \dot x_3$, $x_2 + x_3 = f(t)$ they let one
//! of $x_2, x_3$ follow without any differentiation, and which one is arbitrary.
//!
//! With $E = F_{y'}$ and $A = F_y$ at random residues, the number of derivatives with which the disturbance $\delta_i$
//! enters $y_j$ is the degree in $s$ of the entry $ji$ of $(sE + A)^{-1}$. By Cramer's rule that degree, the largest
//! over all $i$, is the difference of the degrees of two polynomials: of $\det(sE + A)$ with column $j$ replaced by a
//! random one, and of $\det(sE + A)$ itself. The coefficients are frozen: where their derivatives matter as well, the
//! index may differ.

use crate::expr::prime_field::FieldPoint;
use crate::expr::prime_field::arithmetic::{add, draw, inv, mul, neg, sub};
use crate::expr::{Dag, Expr, Symbol, gradient};

/// The largest number of unknowns: the work grows with its fourth power.
const MOST: usize = 100;
const SEED: u64 = 0x9e37_79b9;

/// For each unknown, the order of the highest derivative of $\delta$ in it; `None` if the pencil is singular, too
/// large, or has entries that cannot be evaluated.
pub(super) fn differentiations(dag: &mut Dag, residuals: &[Expr]) -> Option<Vec<u32>> {
    let n = residuals.len();
    if n > MOST {
        return None;
    }
    let (mut places, mut entries) = (Vec::new(), Vec::new());
    for (row, &residual) in residuals.iter().enumerate() {
        let is_wanted = |symbol| matches!(symbol, Symbol::State(_) | Symbol::StateDerivative(_));
        for (symbol, entry) in gradient(dag, residual, is_wanted) {
            let (column, is_derivative) = match symbol {
                Symbol::State(state) => (state as usize, false),
                Symbol::StateDerivative(state) => (state as usize, true),
                _ => continue,
            };
            places.push((row, column, is_derivative));
            entries.push(entry);
        }
    }
    let residues = FieldPoint::new(SEED).evaluate(dag, &entries).ok()?.values;
    let mut pencil = Pencil { e: vec![vec![0; n]; n], a: vec![vec![0; n]; n] };
    for (&(row, column, is_derivative), residue) in places.iter().zip(residues) {
        (if is_derivative { &mut pencil.e } else { &mut pencil.a })[row][column] = residue;
    }
    pencil.degrees()
}

/// $sE + A$ over the prime field.
struct Pencil {
    e: Vec<Vec<u64>>,
    a: Vec<Vec<u64>>,
}

impl Pencil {
    fn degrees(&self) -> Option<Vec<u32>> {
        let n = self.e.len();
        let mut values = vec![Vec::with_capacity(n + 1); n + 1];
        let points: Vec<u64> = (0..=n as u64).map(|k| draw(SEED, &[k])).collect();
        for &s in &points {
            let (determinant, solution) = self.solve(s)?;
            values[n].push(determinant);
            for (values, x) in values.iter_mut().zip(solution) {
                values.push(mul(x, determinant));
            }
        }
        let degrees: Vec<Option<usize>> = values.into_iter().map(|values| degree(&points, values)).collect();
        let of_determinant = degrees[n]?;
        Some(
            degrees[..n]
                .iter()
                .map(|degree| degree.map_or(0, |degree| degree.saturating_sub(of_determinant) as u32))
                .collect(),
        )
    }

    /// The determinant at `s`, and the solution for a random right-hand side; `None` where the matrix is singular.
    fn solve(&self, s: u64) -> Option<(u64, Vec<u64>)> {
        let n = self.e.len();
        let row = |i: usize| -> Vec<u64> {
            let entries = self.e[i].iter().zip(&self.a[i]).map(|(&e, &a)| add(mul(s, e), a));
            entries.chain([draw(!SEED, &[i as u64])]).collect()
        };
        let mut rows: Vec<Vec<u64>> = (0..n).map(row).collect();
        let mut determinant = 1;
        for k in 0..n {
            let pivot = (k..n).find(|&i| rows[i][k] != 0)?;
            if pivot != k {
                rows.swap(pivot, k);
                determinant = neg(determinant);
            }
            determinant = mul(determinant, rows[k][k]);
            let scale = inv(rows[k][k])?;
            rows[k].iter_mut().skip(k).for_each(|entry| *entry = mul(*entry, scale));
            let pivot = rows[k].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(i, row)| *i != k && row[k] != 0) {
                let factor = row[k];
                row.iter_mut().zip(&pivot).skip(k).for_each(|(entry, p)| *entry = sub(*entry, mul(factor, *p)));
            }
        }
        Some((determinant, rows.into_iter().map(|row| row[n]).collect()))
    }
}

/// The degree of the polynomial with these values, by divided differences; `None` for the zero polynomial.
fn degree(points: &[u64], mut values: Vec<u64>) -> Option<usize> {
    for order in 1..points.len() {
        for k in (order..points.len()).rev() {
            let width = inv(sub(points[k], points[k - order])).expect("the points are distinct");
            values[k] = mul(sub(values[k], values[k - 1]), width);
        }
    }
    values.iter().rposition(|&value| value != 0)
}

//! Generated code that factorises iteration matrices: it solves linear systems with the pattern of the formulation.
//!
//! In: generated forms. Out: real and complex systems with random values on the pattern are solved as accurately as the
//! growth of the factors allows.

use dae::Dae;
use dae::runtime::contract::{Code, UnrolledLu};
use dae::runtime::iteration_matrix::{Scalar, SymbolicFactorization};
use fastrand::Rng;
use nalgebra::Complex;

use super::models;
use super::points::symmetric;

/// The rounding error allowed, relative to the growth of the factors times the number of unknowns.
const ROUNDING: f64 = 1e-15;
const MATRICES: usize = 20;

#[test]
fn generated_code_solves_systems_of_the_pattern() {
    let (mut forms, mut longest) = (0, 0);
    for model in models() {
        for form in &model.forms {
            let Some(code) = form.unrolled_lu() else { continue };
            let symbolic = code.symbolic_factorization(form.description()).expect("pivots of this pattern");
            (forms, longest) = (forms + 1, longest.max(symbolic.work));
            let mut random = Rng::with_seed(forms as u64);
            for _ in 0..MATRICES {
                solves(&name(form.as_ref()), code, &symbolic, &mut || symmetric(&mut random));
                solves(&name(form.as_ref()), code, &symbolic, &mut || {
                    Complex::new(symmetric(&mut random), symmetric(&mut random))
                });
            }
        }
    }
    // Code of more than 200 multiplications is split into several functions, which is to be tested too.
    assert!(forms >= 30 && longest > 400, "{forms} forms bring code, the longest with {longest} multiplications");
}

#[test]
fn a_form_brings_code_unless_the_runtime_completes_it_or_its_families_are_long() {
    for model in models() {
        for form in &model.forms {
            let d = form.description();
            let completed = ["state-space", "tangent", "underlying", "derivative-array", "strangeness-free"];
            let has_none = completed.contains(&&*d.form) || ["Plate", "Coupled"].contains(&&*d.model);
            assert_eq!(form.unrolled_lu().is_none(), has_none, "{}", name(form.as_ref()));
        }
    }
}

fn name(form: &dyn Dae) -> String {
    format!("{} {}", form.description().model, form.description().form)
}

fn solves<S: Scalar>(name: &str, code: &UnrolledLu, symbolic: &SymbolicFactorization, random: &mut dyn FnMut() -> S) {
    let Code { factorize, solve } = S::code(code);
    let n = symbolic.pivots.len();
    let zeros = |length: usize| vec![S::ZERO; length];
    let (mut lower, mut upper, mut inverse) =
        (zeros(symbolic.lower.len()), zeros(symbolic.upper.len()), zeros(symbolic.pivots.len()));
    let values: Vec<S> = symbolic.entries.iter().map(|_| random()).collect();
    let rhs: Vec<S> = (0..n).map(|_| random()).collect();
    factorize(&values, &mut lower, &mut upper, &mut inverse);
    let mut x = rhs.clone();
    solve(&lower, &upper, &inverse, &mut x);
    let size = |vector: &[S]| vector.iter().fold(1.0, |size: f64, x| size.max(x.norm_1()));
    let of_factors = ROUNDING * n as f64 * size(&lower) * size(&upper).max(size(&inverse));
    // L U has to be the matrix itself, because transposed systems are solved with the same factors.
    let row = |starts: &[usize], columns: &[usize], k: usize| -> Vec<(usize, usize)> {
        (starts[k]..starts[k + 1]).map(|place| (place, columns[place])).collect()
    };
    for k in 0..n {
        let mut product = zeros(n);
        let mut add_row = |j: usize, factor: S| {
            product[j] += factor * inverse[j].recip();
            for (place, column) in row(&symbolic.upper_starts, &symbolic.upper, j) {
                product[column] += factor * upper[place];
            }
        };
        add_row(k, S::ONE);
        row(&symbolic.lower_starts, &symbolic.lower, k).into_iter().for_each(|(place, j)| add_row(j, lower[place]));
        symbolic.entries_of(k).iter().for_each(|&(place, column)| product[column] -= values[place]);
        assert!(product.iter().all(|x| x.norm_1() <= of_factors), "{name}: {product:?}, bound {of_factors:e}");
    }
    let bound = of_factors * size(&x);
    for (k, &(row, _)) in symbolic.pivots.iter().enumerate() {
        let terms = symbolic.entries_of(k).iter().map(|&(place, column)| values[place] * x[symbolic.pivots[column].1]);
        let defect = (terms.fold(S::ZERO, |sum, term| sum + term) - rhs[row]).norm_1();
        assert!(defect <= bound, "{name}: row {row} by {defect:e}, bound {bound:e}");
    }
}

//! The chain of N point masses in Cartesian coordinates, links of length 1/N, straight at 30 degrees from the vertical
//! at the start: $m \ddot p_i = (0, -m g) - \lambda_i d_i + \lambda_{i+1} d_{i+1}$, $|d_i|^2 = l^2$,
//! $d_i = p_i - p_{i-1}$, $m = l = 1/N$.

use dae_symbolic::expr::{Expr, Function, Rational};
use dae_symbolic::model::{Model, ModelBuilder, Start};

use super::twin::{assert_agree, expansion, member, set_member, tokens};

pub(crate) fn chain(n: usize) -> Model {
    let mut builder = ModelBuilder::new("Chain");
    let gravity = builder.dag().constant(Rational::new(981, 100).unwrap());
    let g = builder.parameter("g", gravity);
    let g = builder.parameter_symbol(g);
    let l = builder.dag().constant(Rational::new(1, n as i64).unwrap());
    let l = builder.parameter("l", l);
    let l = builder.parameter_symbol(l);
    let arrays: Vec<Vec<_>> = ["x", "y", "u", "v", "lambda"]
        .iter()
        .map(|name| (0..n).map(|i| builder.unknown(format!("{name}_{i}"))).collect())
        .collect();
    let half = Rational::new(1, 2).unwrap();
    for i in 0..n {
        // x_i = (i + 1) l / 2, y_i = -(i + 1) l √3/2.
        let x = builder.dag().scale(half.mul(&Rational::from(i as i64 + 1)), l);
        let three = builder.dag().integer(3);
        let root = builder.dag().apply(Function::Sqrt, &[three]);
        let y = builder.dag().mul(x, root);
        let y = builder.dag().neg(y);
        let zero = builder.dag().integer(0);
        for (array, value) in [(0, x), (1, y), (2, zero), (3, zero)] {
            builder.start(arrays[array][i], 0, Start::Guess, value);
        }
    }
    let jet = |builder: &mut ModelBuilder, array: usize, i: usize, order: u32| builder.jet(arrays[array][i], order);
    // d_i in coordinate x (0) or y (1).
    let link = |builder: &mut ModelBuilder, array: usize, i: usize| -> Expr {
        let own = builder.jet(arrays[array][i], 0);
        if i == 0 {
            return own;
        }
        let previous = builder.jet(arrays[array][i - 1], 0);
        builder.dag().sub(own, previous)
    };
    for coordinate in [0, 1] {
        for i in 0..n {
            let (rate, velocity) = (jet(&mut builder, coordinate, i, 1), jet(&mut builder, coordinate + 2, i, 0));
            builder.equation(rate, velocity);
        }
    }
    for coordinate in [0, 1] {
        for i in 0..n {
            let acceleration = jet(&mut builder, coordinate + 2, i, 1);
            let left = builder.dag().mul(l, acceleration);
            let mut terms = Vec::new();
            for (k, sign) in [(i, Rational::MINUS_ONE), (i + 1, Rational::ONE)] {
                if k < n {
                    let (multiplier, d) = (jet(&mut builder, 4, k, 0), link(&mut builder, coordinate, k));
                    terms.push((sign, builder.dag().mul(multiplier, d)));
                }
            }
            if coordinate == 1 {
                terms.push((Rational::MINUS_ONE, builder.dag().mul(l, g)));
            }
            let right = builder.dag().sum(terms);
            builder.equation(left, right);
        }
    }
    for i in 0..n {
        let (dx, dy) = (link(&mut builder, 0, i), link(&mut builder, 1, i));
        let squares = [builder.dag().powi(dx, 2), builder.dag().powi(dy, 2)];
        let left = builder.dag().add(squares[0], squares[1]);
        let right = builder.dag().powi(l, 2);
        builder.equation(left, right);
    }
    let mut model = builder.finish().unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    for (k, unknown) in model.unknowns.iter_mut().enumerate() {
        set_member(unknown, member((k / n) as u32, &[(k % n) as i64], &[n]));
    }
    for (k, equation) in model.equations.iter_mut().enumerate() {
        equation.domain = member((k / n) as u32, &[(k % n) as i64], &[n]);
    }
    model
}

#[test]
fn families_say_what_scalars_say() {
    for n in [1, 2, 3, 10] {
        assert_agree(&chain(n));
    }
}

#[test]
fn expansion_does_not_grow() {
    let small = tokens(chain(10));
    println!("{small} tokens");
    assert_eq!(small, tokens(chain(40)));
    assert!(expansion(chain(10)).contains("for i in 1..9 {"));
}

/// The expansion does not grow up to a chain of 1000 masses, which takes a while without optimisation.
#[test]
#[ignore = "takes a while"]
fn expansion_does_not_grow_up_to_1000() {
    assert_eq!(tokens(chain(10)), tokens(chain(1000)));
}

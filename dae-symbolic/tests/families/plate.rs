//! Heat conduction on a plate of N by N points with five-point differences: a fixed temperature on the edge, and a heat
//! source in the interior.

use dae_symbolic::expr::Rational;
use dae_symbolic::model::{Model, ModelBuilder, Start};

use super::twin::{assert_agree, expansion, member, set_member, tokens};

/// $\dot T_{ij} = k (T_{i-1,j} + T_{i+1,j} + T_{i,j-1} + T_{i,j+1} - 4 T_{ij}) + e^{-T_{ij}^2}$ in the interior,
/// $T_{ij} = T_0$ on the edge.
pub(crate) fn plate(n: usize) -> Model {
    let mut builder = ModelBuilder::new("Plate");
    let (ten, two) = (builder.dag().integer(10), builder.dag().integer(2));
    let k = builder.parameter("k", ten);
    let edge = builder.parameter("edge", two);
    let (k, edge) = (builder.parameter_symbol(k), builder.parameter_symbol(edge));
    let ids: Vec<Vec<_>> = (0..n).map(|i| (0..n).map(|j| builder.unknown(format!("T_{i}_{j}"))).collect()).collect();
    let mut domains = Vec::new();
    let inner = 1..n - 1;
    for i in inner.clone() {
        for j in inner.clone() {
            let zero = builder.dag().integer(0);
            builder.start(ids[i][j], 0, Start::Fixed, zero);
            let around = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)];
            let own = builder.jet(ids[i][j], 0);
            let mut terms: Vec<_> = around.iter().map(|&(a, b)| (Rational::ONE, builder.jet(ids[a][b], 0))).collect();
            terms.push((Rational::from(-4), own));
            let laplacian = builder.dag().sum(terms);
            let square = builder.dag().powi(own, 2);
            let square = builder.dag().neg(square);
            let source = builder.dag().apply(dae_symbolic::expr::Function::Exp, &[square]);
            let conduction = builder.dag().mul(k, laplacian);
            let right = builder.dag().add(conduction, source);
            let rate = builder.jet(ids[i][j], 1);
            builder.equation(rate, right);
            domains.push(member(0, &[i as i64, j as i64], &[n - 2, n - 2]));
        }
    }
    for i in 0..n {
        for (family, (a, b)) in [(1, (i, 0)), (2, (i, n - 1))] {
            let own = builder.jet(ids[a][b], 0);
            builder.equation(own, edge);
            domains.push(member(family, &[i as i64], &[n]));
        }
    }
    for j in inner {
        for (family, (a, b)) in [(3, (0, j)), (4, (n - 1, j))] {
            let own = builder.jet(ids[a][b], 0);
            builder.equation(own, edge);
            domains.push(member(family, &[j as i64], &[n - 2]));
        }
    }
    let mut model = builder.finish().unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    for (place, unknown) in model.unknowns.iter_mut().enumerate() {
        set_member(unknown, member(0, &[(place / n) as i64, (place % n) as i64], &[n, n]));
    }
    model.equations.iter_mut().zip(domains).for_each(|(equation, domain)| equation.domain = domain);
    model
}

#[test]
fn families_say_what_scalars_say() {
    for n in [3, 5, 8] {
        assert_agree(&plate(n));
    }
}

#[test]
fn expansion_does_not_grow() {
    assert_eq!(tokens(plate(8)), tokens(plate(13)));
    let text = expansion(plate(8));
    assert!(text.contains("for j in 1..7 {") && text.contains("T_i_minus_1_j"), "{text}");
}

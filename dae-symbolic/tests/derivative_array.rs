//! The derivative array against results found by hand.
//!
//! In: models whose index is known, or which are known to have none. Out: the ranks, the dimensions of the manifolds,
//! the verdict and its evidence.

use dae_symbolic::expr::total_derivative;
use dae_symbolic::index::Limits;
use dae_symbolic::index::array::{ArrayPoint, ArrayVerdict, ConstantRank, DerivativeArray, test_ranks};
use dae_symbolic::model::{Model, Work};

fn model(text: &str) -> Model {
    dae_symbolic::read_text(text).unwrap_or_else(|rejection| panic!("{rejection:?}")).0
}

fn start(model: &Model, t: f64) -> ArrayPoint {
    ArrayPoint::of_start_values(model, &dae_symbolic::defaults::default_parameters(model), t)
}

/// The rows, evaluated by Taylor arithmetic, agree with symbolic total derivatives.
#[test]
fn rows_are_total_derivatives() {
    let mut model = model(
        "struct Rows { param a = 0.75; var x ~ 0.5; var y ~ 1.25; start der(x) ~ -0.3; start der(x, 2) ~ 0.7; start der(y) ~ 0.2;
         input u = exp(-t) * sqrt(1 + t);
         der(x) * y.powi(3) / x = sin(x * t) + a * u * atan2(x, y);
         0 = ln(1 + x * x) - y / (x + t) + hypot(x, y) * tanh(t) + powf(y, x); }",
    );
    let point = start(&model, 0.4);
    let parameters = dae_symbolic::defaults::default_parameters(&model);
    let array = DerivativeArray::of(&mut model, 4, &Limits::DEFAULT.array).expect("small");
    let rows = array.residuals_at(&model.dag, &parameters, &point);
    for (i, row) in rows.iter().enumerate() {
        let mut derivative = array.equations[i];
        let mut factorial = 1.0;
        for (l, &value) in row.iter().enumerate() {
            let expected = dae_symbolic::expr::evaluate_one(&model.dag, derivative, |symbol| match symbol {
                dae_symbolic::expr::Symbol::Time => point.t,
                dae_symbolic::expr::Symbol::Parameter(p) => parameters[p.index()],
                dae_symbolic::expr::Symbol::Unknown { unknown, order } => {
                    point.derivative(unknown.index(), order as usize)
                }
                _ => f64::NAN,
            });
            assert!((value * factorial - expected).abs() < 1e-11 * (1.0 + expected.abs()), "row {i}, derivative {l}");
            derivative = total_derivative(&mut model.dag, derivative);
            factorial *= (l + 1) as f64;
        }
    }
}

const PENDULUM: &str = "struct Pendulum { var x ~ 0.6; var y ~ -0.8; var u ~ 0.8; var v ~ 0.6; var lam ~ 1.8;
    der(x) = u; der(y) = v; der(u) = -x * lam; der(v) = -1 - y * lam; 0 = x.powi(2) + y.powi(2) - 1; }";

#[test]
fn pendulum() {
    let mut model = model(PENDULUM);
    let start = start(&model, 0.0);
    let finding = test_ranks(&mut model, &start, None, &Limits::DEFAULT.array);
    assert_eq!(finding.verdict, ArrayVerdict::Index(3));
    assert_eq!(finding.manifold_dimensions(), [4, 3, 2, 2]);
    assert_eq!((finding.points, finding.constant_rank), (4, Some(ConstantRank::Everywhere)));
    assert!(finding.ranks.iter().all(|ranks| ranks.has_full_row_rank() && ranks.gap > 1e8));
}

/// Where the work that is allowed does not suffice, nothing is decided, and with more of it the verdict is the same.
#[test]
fn no_verdict_on_too_little_work() {
    let mut decided = false;
    for operations in (0..24).map(|k| 1 << k) {
        let mut model = model(PENDULUM);
        model.work = Work::new(operations);
        let start = start(&model, 0.0);
        match test_ranks(&mut model, &start, None, &Limits::DEFAULT.array).verdict {
            ArrayVerdict::Index(index) => {
                assert_eq!(index, 3);
                decided = true;
            }
            ArrayVerdict::Undecided { .. } => assert!(!decided && model.work.is_spent(), "{operations}"),
            other => panic!("{operations}: {other:?}"),
        }
    }
    assert!(decided);
}

/// Hairer & Wanner II, Sect. VII.1, eq. (1.32): the ranks are smaller on the solution than near it.
#[test]
fn campbell_and_gear() {
    let mut model = model(
        "struct S { var y1 ~ 0; var y2 ~ 0; var y3 ~ 0;
         0 = y3 * der(y2) + y1; 0 = y3 * der(y3) + y2; 0 = y3; }",
    );
    let start = start(&model, 0.0);
    let finding = test_ranks(&mut model, &start, None, &Limits::DEFAULT.array);
    assert_eq!(finding.verdict, ArrayVerdict::Index(1));
    assert_eq!(finding.constant_rank, Some(ConstantRank::OnSolutions));
    assert_eq!(finding.manifold_dimensions(), [0, 0]);
}

/// Gear & Petzold (1983): the pencil is regular at every time, and $x = c(t) (t, 1)$ solves the system for every
/// function $c$.
#[test]
fn no_index_names_what_is_free() {
    let mut model = model(
        "struct S { var x1 ~ 0.5; var x2 ~ 1; 0 = -t * der(x1) + t * t * der(x2) + x1; 0 = -der(x1) + t * der(x2) + x2; }",
    );
    let start = start(&model, 0.5);
    let finding = test_ranks(&mut model, &start, None, &Limits::DEFAULT.array);
    let ArrayVerdict::NoIndex(freedom) = finding.verdict else { panic!("{finding:?}") };
    assert_eq!((freedom.unknowns, freedom.functions, freedom.dimension), (vec![0, 1], 1, 1));
    let slope = freedom.direction[0].1 / freedom.direction[1].1;
    assert!((slope - 0.5).abs() < 1e-12, "{slope}");
}

/// An equation that contradicts the derivative of the other.
#[test]
fn contradictions_are_named() {
    let mut model = model("struct S { var x ~ 0; var y ~ 0; der(x) + der(y) = cos(t); x + y = 2 * sin(t); }");
    let start = start(&model, 0.0);
    let finding = test_ranks(&mut model, &start, None, &Limits::DEFAULT.array);
    let ArrayVerdict::NoConsistentPoint { contradiction, .. } = finding.verdict else { panic!("{finding:?}") };
    assert_eq!(contradiction, [(0, 0), (1, 1)]);
}

/// An affine system of index 4 with coefficients that vary in time: its ranks are taken over the prime field.
#[test]
fn affine_systems_have_exact_ranks() {
    let mut model = model(
        "struct S { var a ~ 0; var b ~ 0; var c ~ 0; var d ~ 0;
         0 = t * der(b) + a - sin(t); 0 = der(c) + b + t * d; 0 = der(d) + c - 1; 0 = d - exp(t); }",
    );
    let start = start(&model, 0.3);
    let finding = test_ranks(&mut model, &start, None, &Limits::DEFAULT.array);
    assert_eq!(finding.verdict, ArrayVerdict::Index(4));
    assert!(finding.exact && finding.constant_rank == Some(ConstantRank::Everywhere));
    assert_eq!(finding.manifold_dimensions(), [3, 2, 1, 0, 0]);
}

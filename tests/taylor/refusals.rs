//! What has no Taylor series is refused, and runs that cannot go on say why.
//!
//! In: models with switches, inputs of the caller and tables; solutions that end. Out: typed errors with names and times.

use dae::symbolic::pipeline::compile;
use dae::symbolic::taylor::{TaylorSystem, Unsupported};
use dae::taylor::{TaylorError, TaylorFailure, TaylorIntegration};

use super::system;

fn refused(text: &str) -> Unsupported {
    let (model, _) = dae::symbolic::read_text(text).expect("readable");
    let compiled = compile(model, 0.0).unwrap_or_else(|rejected| panic!("well-posed: {:?}", rejected.diagnostics));
    TaylorSystem::new(&compiled).expect_err("no series")
}

#[test]
fn functions_without_series_are_named() {
    for function in ["abs(x)", "max(x, 1)", "min(x, t)", "signum(x - 3)", "(if x > 2 { 1 } else { x })"] {
        let text = format!("pub struct Kinked {{ var y = 1; var x = 1; der(y) = -y; der(x) = {function}; }}");
        let found = refused(&text);
        let Unsupported::NotSmooth { equation, .. } = &found else { panic!("{function}: {found}") };
        assert_eq!(equation, "equation 2", "{function}");
    }
    let found = refused("pub struct Driven { input u; var x = 1; der(x) = u - x; }");
    assert_eq!(found, Unsupported::External { name: "u".into(), equation: "equation 1".into() });
    assert!(found.to_string().starts_with("`u` in equation 1 is defined outside of the model"), "{found}");
    let table = "pub struct Table { table f = [(0, 0), (1, 1), (2, 4), (3, 9), (4, 16)]; var x = 1; der(x) = f(x); }";
    assert!(matches!(refused(table), Unsupported::External { name, .. } if name == "f"));
}

#[test]
fn a_structure_that_misleads_is_refused() {
    let text = "
        pub struct Hidden {
            var x ~ -9.7; var y ~ -4.9; var z ~ -2; var w ~ 4.8;
            let a = der(x) + y*der(y);
            0 = a + a.powi(3) + z - t;
            0 = exp(a) - 1 + z*z + sin(z) - w;
            0 = x + y*y/2 - 2 - sin(t);
            0 = der(z) + w + y - cos(t);
        }";
    assert!(matches!(refused(text), Unsupported::NoStructure { .. }));
}

/// $x = 1/(1 - t)$ ends at $t = 1$.
#[test]
fn a_solution_that_ends_stops_the_run() {
    let blow_up = system("pub struct BlowUp { var x = 1; der(x) = x*x; }");
    let Err(TaylorError::Stopped { failure, solution }) = TaylorIntegration::<f64>::new(&blow_up).run(0.0, 2.0) else {
        panic!("the solution ends at t = 1");
    };
    let end = solution.end_time().unwrap();
    assert!(0.99 < end && end < 1.0, "{failure} at {end}");
    assert!((solution.value("x", 0.9).unwrap() - 10.0).abs() < 1e-9, "{failure}");
}

/// Every third coefficient of $1/(1 - t^3)$ alone is not zero, and the last terms may say nothing about the others.
#[test]
fn vanishing_last_terms_do_not_mislead() {
    let sparse = system("pub struct Sparse { var x = 1; der(x) = 3*t*t*x*x; }");
    for order in [8, 9, 10, 11, 12] {
        let run = TaylorIntegration::<f64>::new(&sparse).rtol(1e-9).atol(1e-9).order(order);
        let solution = run.run(0.0, 0.9).unwrap();
        let exact = 1.0 / (1.0 - 0.9_f64.powi(3));
        assert!((solution.end_value("x").unwrap() - exact).abs() < 1e-7, "order {order}: {:?}", solution.statistics);
        let beyond = TaylorIntegration::<f64>::new(&sparse).rtol(1e-9).atol(1e-9).order(order).run(0.0, 2.0);
        assert!(matches!(beyond, Err(TaylorError::Stopped { .. })), "order {order}");
    }
}

#[test]
fn a_root_at_zero_is_not_passed() {
    let root = system("pub struct Root { var h = 1; der(h) = -2*sqrt(h); }");
    // h = (1 - t)^2 reaches the origin at t = 1, where the root has no series.
    let Err(TaylorError::Stopped { failure, solution }) = TaylorIntegration::<f64>::new(&root).atol(0.0).run(0.0, 1.5)
    else {
        panic!("there is no unique solution beyond t = 1");
    };
    let end = solution.end_time().unwrap();
    assert!(end <= 1.0 + 1e-6 && end > 0.9, "{failure} at {end}");
}

#[test]
fn contradictory_start_values_and_meaningless_options() {
    let text = "pub struct Fixed { var x = 1; var y = 1; x*x + y*y = 1; der(x) = y; }";
    let (model, _) = dae::symbolic::read_text(text).expect("readable");
    if let Ok(compiled) = compile(model, 0.0) {
        let system = TaylorSystem::new(&compiled).expect("smooth");
        let found = TaylorIntegration::<f64>::new(&system).run(0.0, 1.0);
        assert!(matches!(found, Err(TaylorError::Start(_))), "{found:?}");
    }
    let decay = system("pub struct Decay { var x = 1; der(x) = -x; }");
    for (rtol, atol) in [(-1.0, 1e-3), (f64::NAN, 1e-3), (0.0, 0.0), (2.0, 1e-3), (1e-3, f64::INFINITY)] {
        let found = TaylorIntegration::<f64>::new(&decay).rtol(rtol).atol(atol).run(0.0, 1.0);
        assert!(matches!(found, Err(TaylorError::InvalidOption { .. })), "{rtol}, {atol}");
    }
    assert!(matches!(
        TaylorIntegration::<f64>::new(&decay).order(0).run(0.0, 1.0),
        Err(TaylorError::InvalidOption { .. })
    ));
    let run = TaylorIntegration::<f64>::new(&decay).run(0.0, f64::INFINITY);
    assert!(matches!(run, Err(TaylorError::InvalidOption { .. })));
}

/// $\begin{pmatrix} 1 & 1 \\ 1 & t \end{pmatrix}$ is singular at $t = 1$ alone, where the step ends.
#[test]
fn a_singular_system_jacobian_is_named() {
    let singular = system("pub struct Singular { var a ~ 0; var b ~ 1; a + b = 1; a + t*b = t; }");
    let found = TaylorIntegration::<f64>::new(&singular).fixed_step(1.0).run(0.0, 2.0);
    let Err(TaylorError::Stopped { failure, .. }) = found else { panic!("{found:?}") };
    assert_eq!(failure, TaylorFailure::SingularJacobian { t: 0.0, equation: "equation 2".into() });
    let solution = TaylorIntegration::<f64>::new(&singular).fixed_step(0.75).run(0.0, 2.0).unwrap();
    assert_eq!(solution.end_state(), [0.0, 1.0]);
}

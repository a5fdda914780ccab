//! Sensitivities of solutions, against extrapolated differences of accurate solutions.

use dae::runtime::contract::Dae;
use dae::symbolic::compile::compile;
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::{Integration, Method, Record, Solution};

const METHODS: [Method; 3] = [Method::Bdf, Method::Radau5, Method::Radau];

fn system(text: &str, form: &str) -> Box<dyn Dae> {
    let (model, _) = dae::symbolic::read_text(text).expect("readable");
    let form: Form = form.parse().expect("a form");
    let compiled = match compile(model.with_forms([form]), 0.0) {
        Ok(compiled) => compiled,
        Err(errors) => panic!("{errors:?}"),
    };
    let system = Interpreter::new(compiled.forms[0].program.clone(), compiled.prolonged.clone());
    system.completed(compiled.forms[0].formulation.completion)
}

/// A run whose errors are rounding, beside the changes that are looked at.
fn accurate(system: &dyn Dae, t_end: f64, times: &[f64]) -> Solution {
    let run = Integration::new(system).method(Method::Radau).rtol(1e-13).atol(1e-13);
    let solution = run.record(Record::At(times.to_vec())).run(0.0, t_end).expect("consistent");
    assert!(solution.is_success(), "{}", solution.status);
    solution
}

/// Derivatives by a parameter of all unknowns at each of the times: central differences, extrapolated once.
fn differences(system: &mut dyn Dae, parameter: &str, t_end: f64, times: &[f64]) -> Vec<Vec<f64>> {
    let k = system.description().parameters.iter().position(|name| name == parameter).expect("a parameter");
    let at = system.parameters().to_vec();
    let mut difference = |h: f64| {
        let mut solution = |p: f64| {
            let mut parameters = at.clone();
            parameters[k] = p;
            system.set_parameters(&parameters);
            accurate(system, t_end, times)
        };
        let (above, below) = (solution(at[k] + h), solution(at[k] - h));
        let pairs = above.iter().zip(below.iter());
        let list: Vec<Vec<f64>> = pairs
            .map(|((_, above), (_, below))| above.iter().zip(below).map(|(a, b)| (a - b) / (2.0 * h)).collect())
            .collect();
        list
    };
    let h = 2e-3 * at[k].abs().max(0.5);
    let (coarse, fine) = (difference(h), difference(0.5 * h));
    system.set_parameters(&at);
    let extrapolated = |(fine, coarse): (&f64, &f64)| fine + (fine - coarse) / 3.0;
    fine.iter().zip(&coarse).map(|(fine, coarse)| fine.iter().zip(coarse).map(extrapolated).collect()).collect()
}

fn worst(solution: &Solution, parameter: &str, expected: &[Vec<f64>], unknowns: &[&str]) -> (f64, String) {
    let mut worst = (0.0, String::new());
    for name in unknowns {
        let found = solution.sensitivity(name, parameter).expect("asked for");
        let k = solution.names.iter().position(|known| known == name).expect("an unknown");
        for (i, found) in found.iter().enumerate() {
            let error = (found - expected[i][k]).abs() / (1.0 + expected[i][k].abs());
            if error > worst.0 || error.is_nan() {
                worst =
                    (error, format!("d{name}/d{parameter} at {}: {found} for {}", solution.times[i], expected[i][k]));
            }
        }
    }
    worst
}

const PENDULUM: &str = "struct Pendulum {
    param g = 9.81;
    param l = 1;
    param y0 = 0.1;
    var x ~ 1;
    var y = y0;
    var u ~ 0;
    var v = 0;
    var lambda ~ 0;
    der(x) = u;
    der(y) = v;
    der(u) = -lambda * x;
    der(v) = -lambda * y - g;
    0 = x * x + y * y - l * l;
}";

#[test]
fn pendulum_in_all_forms() {
    let times = [0.0, 0.5, 1.0, 2.0];
    let mut reference = system(PENDULUM, "index1");
    let parameters = ["g", "l", "y0"];
    let expected = parameters.map(|p| differences(reference.as_mut(), p, 2.0, &times));
    for form in [
        "original", "index1",
        "index2",
        "ggl",
        "dummy",
        "state-space",
        "tangent",
        "pa",
        "original",
        "derivative-array",
        "underlying",
    ] {
        let pendulum = system(PENDULUM, form);
        for method in METHODS {
            if form == "original" && method == Method::Bdf {
                continue;
            }
            let run = Integration::new(pendulum.as_ref()).method(method).rtol(1e-10).atol(1e-10);
            let run = run.record(Record::At(times.to_vec())).sensitivities(["g", "l", "y0", "y"]);
            let solution = run.run(0.0, 2.0).expect("consistent");
            if !solution.is_success() {
                println!("{form} {method:?}: {}", solution.status);
                continue;
            }
            for (parameter, expected) in parameters.iter().zip(&expected) {
                let (error, of) = worst(&solution, parameter, expected, &["x", "y", "u", "v"]);
                let (error2, of2) = worst(&solution, parameter, expected, &["lambda"]);
                println!("{form} {method:?} {parameter} {error:.1e} {error2:.1e}");
                if error > 1e-7 {
                    println!("   {of}");
                }
                if error2 > 1e-7 {
                    println!("   {of2}");
                }
            }
            println!("{:?} {:?}", solution.sensitivities.as_ref().unwrap().statistics.steps, solution.statistics.steps);
            let by_start = solution.sensitivity("lambda", "y").into_iter().flatten();
            for (a, b) in by_start.zip(solution.sensitivity("lambda", "y0").into_iter().flatten()) {
                if (a - b).abs() > 1e-10 * b.abs() {
                    println!("{form} {method:?}: {a} and {b}");
                }
            }
        }
    }
}

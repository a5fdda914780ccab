//! Derived models are certified, can be solved in every form, and have the solutions of the models written by hand.
//!
//! In: the derived models of `examples/models`, the same models written by hand (`dae-symbolic/tests/derive`), and
//! `references/*.json`. Out: indices, degrees of freedom, and end values. That the equations are the same is proved in
//! `dae-symbolic/tests/derive.rs`.

mod references;

use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::index::Verdict;
use dae::symbolic::model::Derivation;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::{Integration, Method, Record, Solution};

use references::Reference;

fn compiled(text: &str) -> Compiled {
    let (model, _) = dae::symbolic::read_text(text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics));
    compile(model.with_forms(Form::BASIC), 0.0).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics))
}

fn run(compiled: &Compiled, form: &Form, method: Method, tolerance: f64, times: &[f64]) -> Solution {
    let name = form.to_string();
    let form = compiled.forms.iter().find(|f| f.form == *form).expect("the form exists");
    let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    let run = Integration::new(&system).method(method).rtol(tolerance).atol(tolerance);
    let end = times[times.len() - 1];
    let solution =
        run.record(Record::At(times.to_vec())).run(0.0, end).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(solution.is_success(), "{name}: {}", solution.status);
    solution
}

/// Asserts the certified index, the degrees of freedom, and that the model has every form.
fn check(compiled: &Compiled, index: u32, degrees_of_freedom: usize) {
    let name = &compiled.model.name;
    assert_eq!(compiled.analysis.certificate.verdict(), Verdict::Exact(index), "{name}");
    assert!(compiled.analysis.certificate.is_regular(), "{name}");
    assert_eq!(compiled.analysis.structure.degrees_of_freedom, degrees_of_freedom, "{name}");
    assert_eq!(compiled.forms.len(), Form::BASIC.len(), "{name}");
}

/// A reference without its multipliers: where the text is integrated directly, they have index 3, and their errors are
/// controlled only with a factor of h².
fn without_multipliers(reference: &Reference) -> Reference {
    let Reference { unknowns, times, values } = reference;
    let keep: Vec<usize> = (0..unknowns.len()).filter(|&k| !unknowns[k].starts_with("lambda")).collect();
    let kept = |values: &Vec<f64>| keep.iter().map(|&k| values[k]).collect();
    Reference {
        unknowns: keep.iter().map(|&k| unknowns[k].clone()).collect(),
        times: times.clone(),
        values: values.iter().map(kept).collect(),
    }
}

/// The number of correct digits of the least accurate value of a run, which is also printed.
fn digits(reference: &Reference, compiled: &Compiled, form: &Form, method: Method, tolerance: f64) -> f64 {
    let digits = reference.digits_of(&run(compiled, form, method, tolerance, &reference.times));
    println!("{:20} {:8} {method:6?} {digits:5.2} digits", compiled.model.name, form);
    digits
}

/// The largest difference of the named unknowns at the end, relative to one plus the magnitude of the value in `a`.
fn apart(a: &Solution, b: &Solution, names: &[String]) -> f64 {
    let end = |solution: &Solution, name: &String| {
        let place = solution.names.iter().position(|n| *n == name.as_str()).expect("a state");
        solution.end_state[place]
    };
    let difference = |name| (end(a, name) - end(b, name)).abs() / (1.0 + end(a, name).abs());
    names.iter().map(difference).fold(0.0, |worst, error| if error > worst || error.is_nan() { error } else { worst })
}

#[test]
fn pendulum() {
    let model = compiled(include_str!("../examples/models/lagrangian_pendulum.dae"));
    check(&model, 3, 2);
    assert_eq!(model.analysis.hessenberg, Some(3));
    // The pendulum written by hand, with m = 1; its multiplier is twice that of the derived model.
    let by_hand = compiled(include_str!("../examples/models/pendulum.dae"));
    let mut reference = Reference::read(include_str!("references/pendulum.json"));
    for values in &mut reference.values {
        values[4] /= 2.0;
    }
    let forms = [(Form::Original, 6.0), (Form::Index1, 8.0), (Form::Index2, 8.0), (Form::Ggl, 8.0)];
    for (form, required) in forms {
        let reference = if form == Form::Original { &without_multipliers(&reference) } else { &reference };
        let reached = digits(reference, &model, &form, Method::Radau5, 1e-11);
        assert!(reached >= required, "{}: {reached} digits", form);
        let (mine, theirs) = (&model, &by_hand);
        let solution = |model| run(model, &form, Method::Radau5, 1e-9, &[1.0]);
        let (mine, theirs) = (solution(mine), solution(theirs));
        for name in ["x", "y", "u", "v"] {
            let value = |solution: &Solution| solution.value(name, 1.0).unwrap();
            assert!((value(&mine) - value(&theirs)).abs() < 1e-7, "{}: {name}", form);
        }
    }
    assert!(digits(&reference, &model, &Form::Ggl, Method::Bdf, 1e-10) >= 7.0);
}

#[test]
fn double_pendulum() {
    let model = compiled(include_str!("../examples/models/double_pendulum.dae"));
    check(&model, 3, 4);
    let reference = Reference::read(include_str!("references/double_pendulum.json"));
    let forms = [(Form::Original, 5.0), (Form::Index1, 8.0), (Form::Index2, 8.0), (Form::Ggl, 8.0)];
    for (form, required) in forms {
        let reference = if form == Form::Original { &without_multipliers(&reference) } else { &reference };
        let reached = digits(reference, &model, &form, Method::Radau5, 1e-10);
        assert!(reached >= required, "{}: {reached} digits", form);
    }
    assert!(digits(&reference, &model, &Form::Ggl, Method::Bdf, 1e-9) >= 5.0);
    // Minimal coordinates: an ordinary differential equation with a mass matrix, of index 0.
    let angles = compiled(include_str!("../dae-symbolic/tests/derive/double_pendulum_angles.dae"));
    check(&angles, 0, 4);
    let solution = run(&angles, &Form::Original, Method::Radau5, 1e-10, &[1.0, 2.0, 5.0]);
    for (time, expected) in reference.times.iter().zip(&reference.values) {
        let (alpha, beta) = (solution.value("alpha", *time).unwrap(), solution.value("beta", *time).unwrap());
        let positions = [alpha.sin(), -alpha.cos(), alpha.sin() + beta.sin(), -alpha.cos() - beta.cos()];
        for (position, expected) in positions.iter().zip(expected) {
            assert!((position - expected).abs() < 1e-7, "t = {time}: {position} instead of {expected}");
        }
    }
}

#[test]
fn slider_crank() {
    let model = compiled(include_str!("../examples/models/slider_crank.dae"));
    check(&model, 3, 8);
    let starts = model.model.unknowns.iter();
    let by_hand = include_str!("../dae-symbolic/tests/derive/slider_crank_by_hand.dae");
    let by_hand = with_starts(by_hand, include_str!("../examples/models/slider_crank.dae"));
    let by_hand = compiled(&by_hand);
    assert_eq!(starts.count(), by_hand.model.unknowns.len());
    check(&by_hand, 3, 8);
    let reference = Reference::read(include_str!("references/slider_crank.json"));
    for (form, tolerance, required) in [(Form::Index1, 1e-7, 6.5), (Form::Index2, 1e-7, 6.0), (Form::Ggl, 1e-7, 6.0)] {
        let reached = digits(&reference, &model, &form, Method::Radau5, tolerance);
        assert!(reached >= required, "{}: {reached} digits", form);
        let solution = |model| run(model, &form, Method::Radau5, tolerance, &[0.01]);
        let difference = apart(&solution(&model), &solution(&by_hand), &reference.unknowns);
        assert!(difference < 1e-6, "{}: {difference:e}", form);
    }
    assert!(digits(&reference, &model, &Form::Original, Method::Radau5, 1e-8) >= 5.0);
}

/// The text written by hand, with the declarations and start values of the other text.
fn with_starts(text: &str, other: &str) -> String {
    let declares = |line: &&str| line.trim_start().starts_with("var ") || line.trim_start().starts_with("start ");
    let declarations: Vec<&str> = other.lines().filter(declares).collect();
    let lines = text.lines().map(|line| if declares(&line) { declarations.join("\n") } else { line.to_string() });
    lines.collect::<Vec<String>>().join("\n")
}

#[test]
fn parts_are_those_of_the_text_book() {
    let model = compiled(include_str!("../examples/models/slider_crank.dae"));
    let [Derivation::Mechanics(mechanics)] = model.model.derivations.as_slice() else {
        panic!("one mechanical system")
    };
    assert_eq!(mechanics.equations, 0..10);
    let transposed = |&(k, l, value): &(usize, usize, _)| (l, k, value);
    let mut symmetric: Vec<_> = mechanics.mass.iter().map(transposed).collect();
    symmetric.sort_by_key(|&(k, l, _)| (k, l));
    let places = |list: &[(usize, usize, _)]| list.iter().map(|&(k, l, _)| (k, l)).collect::<Vec<_>>();
    assert_eq!(places(&symmetric), places(&mechanics.mass));
    assert_eq!(places(&mechanics.jacobian), [(0, 0), (0, 1), (0, 6), (1, 0), (1, 1), (1, 2), (1, 6), (2, 0)]);
}

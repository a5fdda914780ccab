//! Unknowns that are equal to others, or constant, are eliminated from the derived forms and are still part of the
//! results.
//!
//! In: models with wires, and models whose unknowns are replaced by random chains of aliases. Out: index and degrees of
//! freedom of the text, fewer unknowns to solve for, and the same solutions.

use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::index::Verdict;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::syntax::{SourceText, to_text};
use dae::{Dae, Integration, Method, Record, Solution};
use fastrand::Rng;

fn try_compile(text: &str) -> Result<Compiled, String> {
    let source = SourceText { file: "model.dae", text };
    let (model, sources) = dae::symbolic::read_text(text).map_err(|rejection| rejection.to_text(source))?;
    compile(model.with_forms(Form::BASIC), 0.0).map_err(|rejected| to_text(&rejected.diagnostics, &sources, source))
}

fn compiled(text: &str) -> Compiled {
    try_compile(text).unwrap_or_else(|message| panic!("{message}\n{text}"))
}

fn interpreter(compiled: &Compiled, form: &Form) -> Interpreter {
    let found = compiled.forms.iter().find(|f| f.form == *form).expect("the form exists");
    Interpreter::new(found.program.clone(), compiled.prolonged.clone())
}

fn run(compiled: &Compiled, form: &Form, end: f64) -> Solution {
    let system = interpreter(compiled, form);
    let run = Integration::new(&system).rtol(1e-9).atol(1e-9).record(Record::Dense).run(0.0, end);
    let solution = run.unwrap_or_else(|error| panic!("{}: {error}", form));
    assert!(solution.is_success(), "{}: {}", form, solution.status);
    solution
}

fn end(solution: &Solution, name: &str) -> f64 {
    let place = solution.names.iter().position(|n| n == name).unwrap_or_else(|| panic!("{name} is in the results"));
    solution.end_state[place]
}

/// The number of unknowns that a form solves for.
fn size(compiled: &Compiled, form: &Form) -> usize {
    interpreter(compiled, form).description().unknowns.len()
}

const WIRES: &str = "struct Wires { param V = 5; param R = 2; param C = 0.5; param drop = 0.25;
    var vs; var v1; var v2; var v3; var vc = 1; var ground; var i1; var i2; var i3; var leak; var q = 0;
    vs = V - drop; ground = 0; vs = v1; v2 = v3; v3 - ground = vc; R * i1 = v1 - v2;
    i1 + i2 + leak = 0; leak = 0; i3 = -i2; C * der(vc) = i3; der(q) = i2; }";

#[test]
fn a_circuit_with_wires() {
    let model = compiled(WIRES);
    assert_eq!(model.analysis.certificate.verdict(), Verdict::Exact(1));
    assert_eq!(model.analysis.structure.degrees_of_freedom, 2);
    assert_eq!(size(&model, &Form::Original), 11);
    for form in [Form::Index1, Form::Index2, Form::Ggl] {
        assert_eq!(size(&model, &form), 3, "{}", form);
    }
    let solution = run(&model, &Form::Index1, 1.0);
    assert_eq!(solution.names.len(), 11);
    // v' = (V - drop - v)/(R C)
    let vc = 4.75 - 3.75 * (-1.0_f64).exp();
    let current = (4.75 - vc) / 2.0;
    let expected = [
        ("vs", 4.75),
        ("v1", 4.75),
        ("v2", vc),
        ("v3", vc),
        ("vc", vc),
        ("ground", 0.0),
        ("i1", current),
        ("i2", -current),
        ("i3", current),
        ("leak", 0.0),
        ("q", -(vc - 1.0) / 2.0),
    ];
    for (name, value) in expected {
        assert!((end(&solution, name) - value).abs() < 1e-8, "{name}: {} instead of {value}", end(&solution, name));
        let start = solution.value(name, 0.0).expect("recorded");
        let column = solution.column(name).expect("a column");
        assert_eq!(column.first(), Some(&start));
        assert_eq!(column.last(), Some(&end(&solution, name)));
    }
    // Between steps as well.
    let at = |name: &str| solution.value(name, 0.3141).expect("dense output");
    assert_eq!((at("v2"), at("i2"), at("vs")), (at("vc"), -at("i1"), 4.75));
}

#[test]
fn constants_follow_the_parameters() {
    let model = compiled(WIRES);
    let mut system = interpreter(&model, &Form::Index1);
    let names: Vec<String> = system.description().parameters.iter().map(|name| name.to_string()).collect();
    let mut values = system.parameters().to_vec();
    values[names.iter().position(|n| n == "V").expect("a parameter")] = 9.0;
    system.set_parameters(&values);
    let solution = Integration::new(&system).run(0.0, 20.0).expect("it starts");
    assert_eq!(end(&solution, "v1"), 8.75);
    assert!((end(&solution, "v3") - 8.75).abs() < 1e-5);
}

#[test]
fn a_run_continues_from_the_end_of_another() {
    let model = compiled(WIRES);
    let system = interpreter(&model, &Form::Index1);
    let integration = || Integration::new(&system).rtol(1e-9).atol(1e-9);
    let first = integration().run(0.0, 0.5).expect("it starts");
    let second = integration().run_from(0.5, &first.end_state, &first.end_derivative, 1.0).expect("it starts");
    let whole = integration().run(0.0, 1.0).expect("it starts");
    for name in ["vc", "i2", "v1", "q"] {
        assert!((end(&second, name) - end(&whole, name)).abs() < 1e-8, "{name}");
    }
}

#[test]
fn constrained_aliases_and_their_derivatives() {
    // The constraint is written in aliases, and an equation of motion contains the derivative of one.
    let text =
        "struct Pendulum { var x ~ 1; var y = 0; var a; var b; var w ~ 0; var u ~ 0; var v = 0; var lambda ~ 0; var l;
        a = -x; y = b; w = u; l = 1;
        -der(a) = w; der(b) = v; der(w) = lambda * a; der(v) = -lambda * b - 1; 0 = a * a + b * y - l * l; }";
    let plain = "struct Plain { var x ~ 1; var y = 0; var u ~ 0; var v = 0; var lambda ~ 0;
        der(x) = u; der(y) = v; der(u) = -lambda * x; der(v) = -lambda * y - 1; 0 = x * x + y * y - 1; }";
    let (model, plain) = (compiled(text), compiled(plain));
    assert_eq!(model.analysis.certificate.verdict(), Verdict::Exact(3));
    assert_eq!(model.analysis.structure.degrees_of_freedom, 2);
    for form in [Form::Index1, Form::Index2, Form::Ggl] {
        assert_eq!(size(&model, &form), size(&plain, &form), "{}", form);
        let (a, b) = (run(&model, &form, 2.0), run(&plain, &form, 2.0));
        for (name, of, sign) in
            [("a", "x", -1.0), ("b", "y", 1.0), ("w", "u", 1.0), ("x", "x", 1.0), ("lambda", "lambda", 1.0)]
        {
            assert!((end(&a, name) - sign * end(&b, of)).abs() < 1e-6, "{}: {name}", form);
        }
        assert_eq!(end(&a, "l"), 1.0);
    }
}

#[test]
fn what_is_no_alias_stays() {
    // No aliases: a derivative, a product with a parameter, unequal factors, and a sum with a constant.
    let text = "struct M { param R = 2; var x = 1; var a; var b; var c; var d; der(x) = -x; a = der(x); b = R * x; 2 * c = x; d = x + 1; }";
    let model = compiled(text);
    assert_eq!(size(&model, &Form::Index1), 5);
    // Elimination would leave no unknown.
    let model = compiled("struct M { param p = 4; var x; var y; x = p; y = -x; }");
    assert_eq!(size(&model, &Form::Index1), 2);
}

#[test]
fn an_alias_of_its_opposite_is_zero() {
    let model = compiled("struct M { var a; var b; var x = 1; a = b; a = -b; der(x) = a - x + cos(b); }");
    assert_eq!(size(&model, &Form::Index1), 1);
    let solution = run(&model, &Form::Index1, 1.0);
    assert_eq!((end(&solution, "a"), end(&solution, "b")), (0.0, 0.0));
    assert!((end(&solution, "x") - 1.0).abs() < 1e-8);
}

#[test]
fn start_values_move_to_the_representative() {
    for text in [
        "struct M { var x; var z = 3; z = -x; der(x) = -x; }",
        "struct M { var x; var z ~ 3; z = -x; der(x) = -x; }",
        "struct M { var x = -3; var z = 3; z = -x; der(x) = -x; }",
        "struct M { param s = 6; var x = -s / 2; var z = 3; z = -x; der(x) = -x; }",
        "struct M { var x; var z; start der(z) = -3; z = -x; der(x) = -x; }",
    ] {
        let model = compiled(text);
        assert_eq!(size(&model, &Form::Index1), 1, "{text}");
        let solution = run(&model, &Form::Index1, 1.0);
        assert!((end(&solution, "z") - 3.0 * (-1.0_f64).exp()).abs() < 1e-8, "{text}");
        assert_eq!(end(&solution, "x"), -end(&solution, "z"), "{text}");
    }
}

#[test]
fn fixed_start_values_that_contradict_are_named() {
    let message = |text: &str| try_compile(text).expect_err("contradicting start values");
    let of_pair = message(
        "struct M {\n    var x = 1;\n    var y;\n    var z = 2;\n    y = -x;\n    z = y;\n    der(x) = -x;\n}\n",
    );
    assert!(of_pair.contains("[E408]: `x` and `z` are equal up to sign"), "{of_pair}");
    assert!(of_pair.contains("`z` starts at 2") && of_pair.contains("`x` starts at 1"), "{of_pair}");
    let of_constant =
        message("struct M {\n    param p = 3;\n    var z = 2;\n    var x = 0;\n    z = p;\n    der(x) = z;\n}\n");
    assert!(of_constant.contains("[E408]: `z` is 3, and its fixed start value 2 contradicts that"), "{of_constant}");
    let of_derivative =
        message("struct M { var x = 0; var z; start der(x) = 1; start der(z) = 1; z = -x; der(x, 2) = -x; }");
    assert!(of_derivative.contains("`der(x)` and `der(z)` are equal up to sign"), "{of_derivative}");
}

/// A model with `{x}` for unknowns and `{x'}` for derivatives in its equations.
struct Template {
    unknowns: &'static [(&'static str, &'static str)],
    equations: &'static [&'static str],
    index: u32,
}

const TEMPLATES: [Template; 3] = [
    Template {
        unknowns: &[("x", "~ 1"), ("y", "= 0"), ("u", "~ 0"), ("v", "= 0"), ("lambda", "~ 0")],
        equations: &[
            "{x'} = {u};",
            "{y'} = {v};",
            "{u'} = -{lambda} * {x};",
            "{v'} = -{lambda} * {y} - 1;",
            "0 = {x} * {x} + {y} * {y} - 1;",
        ],
        index: 3,
    },
    Template {
        // A loop of a source, a coil, a capacitor and a diode.
        unknowns: &[("i", "= 0"), ("uc", "= 0.2"), ("ud", ""), ("ul", "")],
        equations: &[
            "{ul} = 2 * {i'};",
            "{uc'} = {i};",
            "{i} = 0.1 * (exp({ud}) - 1) + {ud};",
            "sin(t) = {ul} + {uc} + {ud};",
        ],
        index: 1,
    },
    Template {
        // Two capacitors at a voltage source: index 2.
        unknowns: &[("u1", ""), ("u2", "= 0.3"), ("i1", ""), ("i2", ""), ("j", "")],
        equations: &[
            "{i1} = {u1'};",
            "{i2} = 0.5 * {u2'};",
            "{u1} = cos(t);",
            "{j} = {i1} + {i2};",
            "{i2} = {u1} - {u2} + 0.1 * {u2} * {u2};",
        ],
        index: 2,
    },
];

impl Template {
    /// The model with a chain of aliases for every unknown, and each occurrence of an unknown replaced by a random
    /// member of its chain.
    fn text(&self, random: &mut Rng, length: usize) -> String {
        let mut declarations = Vec::new();
        let mut equations = Vec::new();
        let mut chains: Vec<Vec<(String, bool)>> = Vec::new();
        for (name, start) in self.unknowns {
            declarations.push(format!("var {name} {start};"));
            let mut chain = vec![((*name).to_string(), false)];
            for k in 0..random.usize(..=length) {
                let (of, negated) = chain[random.usize(..chain.len())].clone();
                let (flip, alias) = (random.bool(), format!("{name}_{k}"));
                declarations.push(format!("var {alias};"));
                let sign = if flip { "-" } else { "" };
                equations.push(match random.u8(..3) {
                    0 => format!("{alias} = {sign}{of};"),
                    1 => format!("{sign}{of} = {alias};"),
                    _ => format!("0 = 3 * {of} - 3 * ({sign}{alias});"),
                });
                chain.push((alias, negated != flip));
            }
            chains.push(chain);
        }
        for equation in self.equations {
            let mut text = String::new();
            let mut parts = equation.split(['{', '}']);
            while let Some(plain) = parts.next() {
                text.push_str(plain);
                let Some(place) = parts.next() else { break };
                let (name, rate) = (place.trim_end_matches('\''), place.ends_with('\''));
                let chain = &chains[self.unknowns.iter().position(|(n, _)| *n == name).expect("an unknown")];
                let (alias, negated) = &chain[random.usize(..chain.len())];
                let value = if rate { format!("der({alias})") } else { alias.clone() };
                text.push_str(&if *negated { format!("(-{value})") } else { value });
            }
            equations.push(text);
        }
        // Equations in any order.
        random.shuffle(&mut equations);
        format!("struct M {{ {}\n{} }}", declarations.join(" "), equations.join("\n"))
    }
}

#[test]
fn random_chains_have_the_solutions_of_the_plain_model() {
    let mut random = Rng::with_seed(1);
    let mut eliminated = 0;
    for template in &TEMPLATES {
        let plain = compiled(&template.text(&mut random, 0));
        assert_eq!(plain.analysis.certificate.verdict(), Verdict::Exact(template.index));
        let names: Vec<String> = plain.model.unknowns.iter().map(|u| u.name.clone()).collect();
        for case in 0..12 {
            let text = template.text(&mut random, 1 + case % 4);
            let model = compiled(&text);
            assert_eq!(model.analysis.certificate.verdict(), Verdict::Exact(template.index), "{text}");
            let degrees = |model: &Compiled| model.analysis.structure.degrees_of_freedom;
            assert_eq!(degrees(&model), degrees(&plain), "{text}");
            for form in [Form::Index1, Form::Ggl] {
                assert!(size(&model, &form) <= size(&plain, &form), "{}: {text}", form);
                let (mine, theirs) = (run(&model, &form, 0.7), run(&plain, &form, 0.7));
                assert_eq!(
                    model.model.unknowns.iter().filter(|u| !mine.names.contains(&u.name.clone().into())).count(),
                    0
                );
                for name in &names {
                    let difference = (end(&mine, name) - end(&theirs, name)).abs() / (1.0 + end(&theirs, name).abs());
                    assert!(difference < 1e-6, "{}: {name} differs by {difference:e}\n{text}", form);
                }
                eliminated += mine.names.len() - size(&model, &form);
            }
        }
    }
    assert!(eliminated > 200, "{eliminated} unknowns were eliminated");
}

#[test]
fn elimination_agrees_with_the_text() {
    // The original form is the text with all its unknowns.
    let mut random = Rng::with_seed(7);
    for template in &TEMPLATES {
        let model = compiled(&template.text(&mut random, 3));
        let text = interpreter(&model, &Form::Original);
        let method = Method::Radau5;
        let run_text = Integration::new(&text).method(method).rtol(1e-9).atol(1e-9).run(0.0, 0.3).expect("it starts");
        let smaller = run(&model, &Form::Ggl, 0.3);
        for unknown in
            model.model.unknowns.iter().filter(|u| !u.name.starts_with("lambda") && !u.name.starts_with(['i', 'j']))
        {
            let difference = end(&run_text, &unknown.name) - end(&smaller, &unknown.name);
            // In the original form of index 3, velocities converge with order 3 only.
            assert!(difference.abs() < 1e-5, "{} differs by {difference:e}", unknown.name);
        }
    }
}

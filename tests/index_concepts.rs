//! Other notions of index, against the literature and against one another.
//!
//! In: the systems of `tests/data/index_systems.json`, and examples whose answers the sources give. Out: perturbation,
//! Kronecker and strangeness indices, frozen pencils, and null vectors of singular pencils, as the report states them.

mod book;

use dae_symbolic::form::Form;
use dae_symbolic::pipeline::compile;
use dae_symbolic::report::Report;

use book::{model_text, name, systems};

fn report(text: &str, t0: f64) -> Report {
    let (model, _) = dae_symbolic::read_text(text).unwrap_or_else(|rejection| panic!("{text}\n{rejection:?}"));
    match compile(model.clone().with_forms(Form::BASIC), t0) {
        Ok(compiled) => Report::compiled(&compiled),
        Err(rejected) => Report::rejected(&model, &rejected),
    }
}

fn book(chosen: &str) -> Report {
    let systems = systems();
    let system = systems.iter().find(|system| name(system) == chosen).expect("a system of the book");
    report(&model_text(system), system["t"].as_f64().expect("a time"))
}

#[test]
fn perturbation_indices_of_the_book() {
    let number = |n: Option<u32>| n.map_or("-".to_string(), |n| n.to_string());
    for system in systems() {
        let report = report(&model_text(&system), system["t"].as_f64().expect("a time"));
        let (name, found) = (name(&system), report.perturbation_index);
        println!(
            "{name:27} index {} perturbation {} strangeness {} Kronecker {} {}",
            number(report.differentiation_index),
            number(found),
            number(report.strangeness_index),
            number(report.kronecker_index),
            report.notions.perturbation.as_deref().unwrap_or_default(),
        );
        for warning in &report.notions.warnings {
            println!("{:27} {warning}", "");
        }
        if let Some(expected) = system["perturbation_index"].as_u64() {
            assert_eq!(found.map(u64::from), Some(expected), "{name}");
        }
        // Of the systems in the file, only the two counter-examples have different perturbation and differentiation
        // indices.
        let equal = !["lubich", "campbell-gear-3"].contains(&name);
        if let (true, Some(found), Some(index)) = (equal, found, system["differentiation_index"].as_u64()) {
            assert_eq!(u64::from(found), index, "{name}");
        }
        if system["status"] != "solvable" {
            assert_eq!((found, report.strangeness_index), (None, None), "{name} is ill-posed");
        }
        if let (Some(index), Some(strangeness)) = (report.differentiation_index, report.strangeness_index) {
            assert_eq!(strangeness, index.saturating_sub(1), "{name}");
        }
        if let (Some(index), Some(kronecker)) = (system["differentiation_index"].as_u64(), report.kronecker_index) {
            assert_eq!(u64::from(kronecker), index, "{name}");
        }
    }
}

#[test]
fn hessenberg_forms_have_the_perturbation_index_of_their_size() {
    // Hairer & Wanner VII.1, eqs. (1.13)-(1.15), (1.26)-(1.30).
    for (chosen, size) in [
        ("semi-explicit-index1", 1),
        ("steering-wheel", 2),
        ("hairer-V-6-5", 2),
        ("pendulum-ggl", 2),
        ("pendulum-position", 3),
        ("spherical-pendulum", 3),
        ("optimal-control-index3", 3),
        ("implicit-ode", 0),
    ] {
        assert_eq!(book(chosen).perturbation_index, Some(size), "{chosen}");
    }
}

#[test]
fn the_first_counter_example_is_seen_by_its_null_space() {
    // Eq. (1.31): perturbations that rotate about one another drive y1.
    let report = book("lubich");
    assert_eq!((report.differentiation_index, report.perturbation_index), (Some(1), Some(2)));
    let reason = report.notions.perturbation.expect("a reason");
    assert!(reason.contains("not involutive") && reason.contains("equation 1"), "{reason}");
    // With a plus sign, y1' + (y2 y3)' can be integrated.
    let closed = "struct Closed { var y1 ~ 0; var y2 ~ 0; var y3 ~ 0;
        der(y1) + y3 * der(y2) + y2 * der(y3) = 0; y2 = 0; y3 = 0; }";
    let report = self::report(closed, 0.0);
    assert_eq!((report.differentiation_index, report.perturbation_index), (Some(1), Some(1)));
    // An integrating factor: (1 + y2²)(y1' + y3 y2' + y2 y3') = 0.
    let factor = "struct Factor { var y1 ~ 0; var y2 ~ 0.5; var y3 ~ 0;
        (1 + y2.powi(2)) * (der(y1) + y3 * der(y2) + y2 * der(y3)) = y1; y2 = 0.5; y3 = 0; }";
    assert_eq!(self::report(factor, 0.0).perturbation_index, Some(1));
}

#[test]
fn the_second_counter_example_of_any_size() {
    // Eq. (1.32): y_m N y' + y = 0 has differentiation index 1 and perturbation index m.
    for m in 2..=5 {
        let variables: String = (1..=m).map(|k| format!("var y{k} ~ 0; ")).collect();
        let equations: String = (1..m).map(|k| format!("y{m} * der(y{}) + y{k} = 0; ", k + 1)).collect();
        let report = report(&format!("struct Jordan {{ {variables} {equations} y{m} = 0; }}"), 0.0);
        assert!(report.differentiation_index.is_none_or(|index| index == 1), "m = {m}");
        assert_eq!(report.perturbation_index, Some(m), "m = {m}");
        let reason = report.notions.perturbation.expect("a reason");
        assert!(reason.contains("vanishes on the solution"), "{reason}");
    }
}

#[test]
fn weierstrass_dimensions_are_exact() {
    let dense = book("dense-pencil-index2").notions.kronecker.expect("linear with constant coefficients");
    assert_eq!((dense.finite, dense.nilpotent, dense.pencil), (Some(2), vec![2], "regular"));
    // r, a, s: a strangeness of one, removed by one step.
    assert_eq!(dense.characteristic_values, [[3, 0, 1], [2, 2, 0]]);
    let chain = book("nilpotent-chain-3");
    assert_eq!((chain.kronecker_index, chain.strangeness_index), (Some(3), Some(2)));
    let pendulum = book("pendulum-position");
    assert_eq!((pendulum.kronecker_index, pendulum.notions.kronecker), (None, None), "not linear");
}

#[test]
fn orders_above_one_count_as_states() {
    // A mass on a prescribed path: x'' = f, x = sin t; index 3, no finite eigenvalue.
    let report = report("struct Path { var x ~ 0; var f ~ 0; der(x, 2) = f; x = sin(t); }", 0.0);
    assert_eq!((report.differentiation_index, report.kronecker_index), (Some(3), Some(3)));
    assert_eq!(report.perturbation_index, Some(3));
    let kronecker = report.notions.kronecker.expect("linear with constant coefficients");
    assert_eq!((kronecker.finite, kronecker.nilpotent), (Some(0), vec![3]));
}

#[test]
fn parameters_count_at_their_defaults() {
    let text = |l: &str| {
        format!(
            "struct Circuit {{ param l = {l}; param r = 0.1; var i ~ 0; var u ~ 0; l * der(i) = u; r * i + u = sin(t); }}"
        )
    };
    let with = report(&text("2"), 0.0).notions.kronecker.expect("linear");
    assert!(with.at_default_parameters);
    assert_eq!((with.finite, with.nilpotent), (Some(1), vec![1]));
    let without = report(&text("0"), 0.0).notions.kronecker.expect("linear");
    assert_eq!((without.finite, without.nilpotent), (Some(0), vec![1, 1]));
    // With a coefficient that is not rational, there is no exact pencil.
    assert_eq!(report(&text("PI"), 0.0).notions.kronecker, None);
}

#[test]
fn a_singular_pencil_has_its_null_vector_named() {
    let redundant = book("singular-pencil-redundant");
    let kronecker = redundant.notions.kronecker.expect("linear with constant coefficients");
    assert_eq!(kronecker.pencil, "singular");
    assert_eq!(kronecker.null_vector, ["x = φ", "y = -φ"]);
    assert_eq!(kronecker.dependent_equations.as_deref(), Some("equation 1 - der(equation 2)"));
    assert!(redundant.problem.is_some());
    assert_eq!(redundant.kronecker_index, None);
    let (model, _) =
        dae_symbolic::read_text("struct Redundant { var x; var y; der(x) + der(y) = cos(t); x + y = sin(t); }")
            .expect("a model");
    let Err(rejected) = compile(model.with_forms(Form::BASIC), 0.0) else { panic!("ill-posed") };
    let notes: Vec<&str> = rejected.diagnostics.iter().flat_map(|d| d.notes.iter().map(String::as_str)).collect();
    assert!(notes.contains(&"x = φ, y = -φ may be added to any solution, for every function φ(t)"), "{notes:?}");

    let control = book("underdetermined-control").notions.kronecker.expect("linear with constant coefficients");
    assert_eq!(control.null_vector, ["y = φ", "w = φ + φ'"]);
    assert_eq!(control.dependent_equations, None);

    // No combination with constant coefficients shows that the equations depend on one another: one of them has to be
    // differentiated.
    let text = "struct Hidden { var x ~ 0; var y ~ 0; var z ~ 0;
        der(x) + y + z = 0; der(x) + der(y) + x + y + z = 1; der(x, 2) + der(x) + 2 * der(y) + der(z) + x + y + z = 2; }";
    let hidden = report(text, 0.0);
    let kronecker = hidden.notions.kronecker.expect("linear with constant coefficients");
    assert_eq!(kronecker.pencil, "singular");
    assert_eq!(kronecker.dependent_equations.as_deref(), Some("der(equation 1) + equation 2 - equation 3"));
    assert!(hidden.problem.is_some() && hidden.differentiation_index.is_none());
}

#[test]
fn frozen_coefficients_mislead() {
    // y + ηt z = f, y' + ηt z' + (1 + η) z = g has index 2 for every η; the pencil with frozen coefficients has the
    // determinant 1 + η.
    let eta = |eta: f64| {
        format!(
            "struct Eta {{ var y ~ 0; var z ~ 0; y + {eta:?} * t * z = sin(t);
             der(y) + {eta:?} * t * der(z) + {:?} * z = exp(t); }}",
            1.0 + eta
        )
    };
    let regular = report(&eta(1.0), 0.5).notions.frozen.expect("coefficients vary");
    assert_eq!((regular.index, regular.arithmetic), (Some(2), "exact"));
    let text = eta(-1.0).replace("-1.0 * t", "(-1.0) * t");
    let singular = report(&text, 0.5);
    assert_eq!(singular.notions.frozen.as_ref().map(|f| f.pencil), Some("singular"));
    if singular.differentiation_index == Some(2) {
        assert!(singular.notions.warnings[0].contains("singular pencil"), "{:?}", singular.notions.warnings);
    }
    // The pencil is regular for every t, and yet the solution is not unique (Kunkel & Mehrmann).
    let nonunique = book("ltv-regular-pencil-nonunique");
    let frozen = nonunique.notions.frozen.expect("coefficients vary");
    assert_eq!((frozen.pencil, frozen.index, frozen.arithmetic), ("regular", Some(2), "exact"));
}

/// Coefficients that vanish at the start time, or always: what holds at generic numbers does not hold for them.
#[test]
fn coefficients_that_vanish_are_not_generic() {
    for (text, truth) in [
        ("struct S { var x ~ 1; var y; der(x) = y; 0 = sin(t) * y + x - 1; }", None),
        ("struct S { var x ~ 1; var y; der(x) = y; 0 = (1 - exp(t)) * y + x - cos(t); }", None),
        ("struct S { var x ~ 1; var y; der(x) = y; 0 = (4 * atan(1) - PI) * y + x - 1; }", Some(2)),
        ("struct S { var x ~ 1; var y; der(x) = y; 0 = (sqrt(2) * sqrt(3) - sqrt(6)) * y + x - 1; }", Some(2)),
    ] {
        let report = report(text, 0.0);
        let found = report.differentiation_index;
        println!("{text}: {found:?}, {:?}", report.certificate.map(|c| c.statement));
        assert!(found.is_none() || found == truth, "{text}: {found:?}");
    }
}

/// A piecewise function with constant derivatives on its branches is not linear.
#[test]
fn piecewise_functions_are_not_linear() {
    for text in
        ["struct S { var q = 1; der(q) = if q > 0 { 1 } else { 2 }; }", "struct S { var q = 1; der(q) = signum(q); }"]
    {
        assert_eq!(report(text, 0.0).kronecker_index, None, "{text}");
    }
    let switched = report("struct S { var q = 1; der(q) = if t > 1 { 1 } else { 2 }; }", 0.0);
    assert_eq!(switched.kronecker_index, Some(0));
}

/// The ring modulator with its parasitic capacitances as a parameter, in normalised units.
const RING: &str = "struct Ring { param Cs = 0;
    var y1 = 0; var y2 = 0.1; var y3 ~ 0.07; var y4 ~ -0.12; var y5 ~ -0.07; var y6 ~ 0.12; var y7 = 0.1; var y8 ~ 0;
    var y9 ~ 0.05; var y10 ~ -0.1; var y11 ~ 0; var y12 ~ 0.1; var y13 ~ 0; var y14 ~ 0.05; var y15 ~ -0.1;
    let q1 = exp(y3 - y5 - y7 - 0.2 * sin(3 * t)) - 1; let q2 = exp(-y4 + y6 - y7 - 0.2 * sin(3 * t)) - 1;
    let q3 = exp(y4 + y5 + y7 + 0.2 * sin(3 * t)) - 1; let q4 = exp(-y3 - y6 + y7 + 0.2 * sin(3 * t)) - 1;
    der(y1) = y8 - 0.5 * y10 + 0.5 * y11 + y14 - y1 / 5; der(y2) = y9 - 0.5 * y12 + 0.5 * y13 + y15 - y2 / 5;
    Cs * der(y3) = y10 - q1 + q4; Cs * der(y4) = -y11 + q2 - q3; Cs * der(y5) = y12 + q1 - q3;
    Cs * der(y6) = -y13 - q2 + q4; der(y7) = -y7 / 2 + q1 + q2 - q3 - q4; 4 * der(y8) = -y1; 4 * der(y9) = -y2;
    2 * der(y10) = 0.5 * y1 - y3 - y10; 2 * der(y11) = -0.5 * y1 + y4 - y11; 2 * der(y12) = 0.5 * y2 - y5 - y12;
    2 * der(y13) = -0.5 * y2 + y6 - y13; der(y14) = -y1 + 0.5 * sin(t) - 3 * y14; der(y15) = -y2 - 5 * y15; }";

/// With its parasitic capacitances, the ring modulator is an ordinary differential equation, of index 0; without them
/// the index is 2.
#[test]
fn the_default_that_makes_the_index_is_named() {
    let without = report(RING, 0.2);
    assert_eq!((without.differentiation_index, without.degrees_of_freedom), (Some(2), Some(10)));
    assert_eq!(without.problem, None, "fixed start values that are consistent without capacities are not blamed");
    let [case] = without.cases.as_slice() else { panic!("one case: {:?}", without.cases) };
    assert_eq!((case.exceptional.as_str(), case.regular.as_str(), case.own), ("Cs = 0", "Cs ≠ 0", "exceptional"));
    assert_eq!((case.other_index, case.every_other_value), (Some(0), true));
    assert_eq!(
        case.statement,
        "index 2 holds for Cs = 0; for Cs ≠ 0 the index is 0 (certified at Cs = 1); if this value is meant for good, \
         write `const Cs = 0;` in place of `param`"
    );
    let with = report(&RING.replace("Cs = 0;", "Cs = 0.1;"), 0.2);
    assert_eq!(with.differentiation_index, Some(0));
    let case = with.cases.iter().find(|case| case.exceptional == "Cs = 0").expect("the capacities may be switched off");
    assert_eq!((case.own, case.other_index), ("regular", Some(2)));
    assert_eq!(case.statement, "index 0 holds for Cs ≠ 0; for Cs = 0 the index is 2");
}

#[test]
fn parameters_in_leading_coefficients() {
    let text = |eps: &str| {
        format!("struct S {{ param eps = {eps}; var y = 1; var z ~ 1; der(y) = -z; eps * der(z) = y - 2 * z; }}")
    };
    let statement = |eps: &str| report(&text(eps), 0.0).cases.into_iter().map(|c| c.statement).collect::<Vec<_>>();
    assert_eq!(statement("0.01"), ["index 0 holds for eps ≠ 0; for eps = 0 the index is 1"]);
    assert_eq!(
        statement("0"),
        [
            "index 1 holds for eps = 0; for eps ≠ 0 the index is 0 (certified at eps = 1); if this value is meant for good, \
          write `const eps = 0;` in place of `param`"
        ]
    );
    // Exceptional only together; then, exceptional at a value other than zero.
    let two = "struct S { param a = 0; param b = 0; var y = 1; var z ~ 1; der(y) = -z; (a + b) * der(z) = y - 2 * z; }";
    let found = report(two, 0.0);
    assert_eq!(found.differentiation_index, Some(1));
    assert_eq!(found.cases[0].exceptional, "a = 0 and b = 0");
    assert_eq!(found.cases[0].other_index, Some(0));
    let hint = "if these values are meant for good, write `const a = 0;` and `const b = 0;` in place of `param`";
    assert!(found.cases[0].statement.ends_with(hint), "{}", found.cases[0].statement);
    let cancelling = "struct S { param a = 1; var y ~ 1; var z = 1; der(y) + a * der(z) = y; der(y) + der(z) = z; }";
    let found = report(cancelling, 0.0);
    assert_eq!((found.differentiation_index, found.cases[0].other_index), (Some(1), Some(0)), "{:?}", found.cases);
    assert_eq!(found.cases[0].exceptional, "a = 1");
    // A determinant with more than one root: nothing is claimed for all other values.
    let two_roots = "struct S { param a = 0; var y = 1; var z ~ 1; der(y) = -z; a * (a - 1) * der(z) = y - 2 * z; }";
    let found = report(two_roots, 0.0);
    let [case] = found.cases.as_slice() else { panic!("one case: {:?}", found.cases) };
    assert_eq!((case.every_other_value, case.other_index), (false, Some(0)), "a = 1 is an exception as well");
    let statement = "index 1 holds for a = 0; for almost all a ≠ 0 the index is 0 (certified at a = 0.1)";
    assert!(case.statement.starts_with(statement), "{}", case.statement);
    // No parameter: nothing to say.
    assert_eq!(report("struct S { var y = 1; der(y) = -y; }", 0.0).cases, []);
}

/// Of many conditions some are analysed, and all are listed.
#[test]
fn no_condition_is_kept_back() {
    let letters: Vec<char> = ('a'..='j').collect();
    let declared: String = letters.iter().map(|p| format!("param {p} = 2; var x_{p} = 1; ")).collect();
    let equations: String = letters.iter().map(|p| format!("{p} * der(x_{p}) = x_{p}; ")).collect();
    let found = report(&format!("struct S {{ {declared}{equations} }}"), 0.0);
    let conditions: Vec<String> = letters.iter().map(|p| format!("{p} = 0")).collect();
    assert_eq!(found.cases.iter().map(|case| case.exceptional.clone()).collect::<Vec<_>>(), conditions);
    let analysed = found.cases.iter().filter(|case| case.other_index == Some(1)).count();
    assert!((1..10).contains(&analysed), "{analysed}");
    let text = found.to_string();
    assert_eq!(text.matches("the index is 1").count(), analysed, "{text}");
    assert!(text.contains("it may be another where") && text.contains("more condition"), "{text}");
}

/// Where a model has no solution, or more than one, on the other side, the report says so in words, not as a kind of problem.
#[test]
fn the_other_side_is_told_in_words() {
    let text = "struct S { param m = 1; var x ~ 1; var y = 0; var u ~ 0; var v = 0; var f ~ 0;
        der(x) = u; der(y) = v; m * der(u) = -f * x; m * der(v) = -f * y - m; 0 = x.powi(2) + y.powi(2) - 1; }";
    let found = report(text, 0.0);
    let case = found.cases.iter().find(|case| case.exceptional == "m = 0").expect("without mass nothing is determined");
    assert_eq!(case.other_verdict, "ill-posed");
    assert_eq!(case.statement, "index 3 holds for m ≠ 0; for m = 0 the solution is not unique");
}

/// Campbell, Linh & Petzold, eq. (9).
#[test]
fn the_other_branch_is_mentioned() {
    let on_0 = book("scholarpedia-9-branch0");
    let case = on_0.cases.iter().find(|case| case.exceptional == "x2 - 1 = 0").expect("the other branch");
    assert_eq!((on_0.differentiation_index, case.own, case.other_index), (Some(1), "regular", Some(2)));
    let on_1 = book("scholarpedia-9-branch1");
    let case = on_1.cases.iter().find(|case| case.exceptional == "x2 - 1 = 0").expect("the other branch");
    assert_eq!((on_1.differentiation_index, case.own, case.other_index), (Some(2), "exceptional", Some(1)));
    assert_eq!(
        case.statement,
        "index 2 holds on this solution, where x2 - 1 = 0; where x2 - 1 ≠ 0 the index is 1 (certified at x2 = 0)"
    );
}

/// Where the perturbation index is not known, the report says why.
#[test]
fn an_unknown_perturbation_index_has_a_reason() {
    let report = book("scholarpedia-9-branch1");
    assert_eq!(report.perturbation_index, None);
    let reason = report.notions.perturbation.expect("a reason");
    assert!(reason.starts_with("not known: where the system Jacobian is singular"), "{reason}");
}

/// Claims are qualified by their evidence.
#[test]
fn floating_point_evidence_is_called_numerical() {
    let grounds = |report: Report| report.certificate.expect("a certificate").grounds;
    let pendulum = book("pendulum-position");
    assert!(pendulum.to_string().contains("3, certified at the start values"));
    assert_eq!(grounds(pendulum), Some("proved"));
    let ring = report(RING, 0.2);
    assert!(ring.to_string().contains("2, established numerically at the start values"));
    assert_eq!(grounds(ring), Some("numerical"));
}

/// Equations that are nonlinear in a common combination of leading derivatives: no combination of equations cancels
/// them (Tan, Nedialkov & Pryce 2017, Sect. 5, substitute expressions), and the derivative array decides. With a name
/// for the combination, the structure shows the index.
#[test]
fn where_no_combination_of_equations_serves() {
    let flows =
        "struct Flows { param R = 2; var p = 1; var h ~ 0.3; var q1 ~ 0.5; var q2 ~ 0.2; der(p) = 1 - (q1 + q2);
        der(h) = q1 - h; 0 = p - h - R * (q1 + q2) * abs(q1 + q2); 0 = q1 + q2 - cos(h); }";
    let named =
        "struct Flows { param R = 2; var p = 1; var h ~ 0.3; var q1 ~ 0.5; var q2 ~ 0.2; var s ~ 0.7; der(p) = 1 - s;
        der(h) = q1 - h; 0 = p - h - R * s * abs(s); 0 = s - cos(h); s = q1 + q2; }";
    let (found, clear) = (report(flows, 0.0), report(named, 0.0));
    assert_eq!((found.differentiation_index, found.degrees_of_freedom), (Some(2), Some(1)));
    assert_eq!((clear.differentiation_index, clear.degrees_of_freedom), (Some(2), Some(1)));
    assert!(found.rewrites.is_empty() && found.sigma_jacobian_singular == Some(true));
    let available = |report: &Report| report.forms.iter().filter(|form| form.unavailable.is_none()).count();
    assert_eq!((available(&found), available(&clear)), (1, 4));
}

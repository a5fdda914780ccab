//! `dae analyze --json`: keys, numbers, and a certificate that can be checked.

use super::*;

/// Keys of the report of any model, well-posed or not.
pub(crate) const KEYS: [&str; 40] = [
    "name",
    "unknowns",
    "equation_names",
    "equation_places",
    "equations",
    "structural_index",
    "structural_status",
    "structural_degrees_of_freedom",
    "sigma_jacobian_singular",
    "differentiation_index",
    "index_upper_bound",
    "degrees_of_freedom",
    "perturbation_index",
    "kronecker_index",
    "strangeness_index",
    "cases",
    "notions",
    "initial_values",
    "manifold_dimensions",
    "explanation",
    "rewrites",
    "redundant_equations",
    "definitions",
    "derivations",
    "eliminated",
    "offsets",
    "hessenberg",
    "certificate",
    "hidden_constraints",
    "invariants",
    "boundary",
    "initial_equations",
    "events",
    "modes",
    "discrete_variables",
    "stand_ins",
    "warnings",
    "forms",
    "recommendation",
    "problem",
];

#[test]
fn pendulum_as_json() {
    let output = dae(&["analyze", PENDULUM, "--json"]);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    let report = json(&output);
    assert_eq!(keys(&report), sorted(KEYS));
    assert_eq!(report["name"], "Pendulum");
    assert_eq!(report["unknowns"], serde_json::json!(["x", "y", "u", "v", "lambda"]));
    assert_eq!(report["equations"][4], "0 = x² + y² - l²");
    for (key, value) in [
        ("structural_index", 3),
        ("structural_degrees_of_freedom", 2),
        ("differentiation_index", 3),
        ("index_upper_bound", 3),
        ("degrees_of_freedom", 2),
        ("hessenberg", 3),
    ] {
        assert_eq!(report[key], value, "{key}");
    }
    assert_eq!(report["structural_status"], "ok");
    assert_eq!(report["sigma_jacobian_singular"], false);
    assert_eq!(report["problem"], Value::Null);
    let offsets = serde_json::json!({"equations": [1, 1, 0, 0, 2], "unknowns": [2, 2, 1, 1, 0]});
    assert_eq!(report["offsets"], offsets);

    let hidden = report["hidden_constraints"].as_array().expect("a list");
    assert_eq!(hidden.len(), 2);
    assert_eq!(
        hidden[0],
        serde_json::json!({
            "name": "der(equation 5)", "equation": 5, "order": 1, "text": "0 = x·u + y·v", "latex": r"0 = x\,u + y\,v"
        })
    );
    assert_eq!(hidden[1]["order"], 2);
}

#[test]
fn the_certificate_can_be_checked() {
    let report = json(&dae(&["analyze", PENDULUM, "--json"]));
    let certificate = &report["certificate"];
    assert_eq!(certificate["verdict"], "exact");
    assert_eq!(certificate["bound"], 3);
    let generic = &certificate["generic"];
    assert_eq!(generic["prime"], "2305843009213693951");
    assert_eq!(generic["assuming"], serde_json::json!([]));
    // The only entries that are not constant are those of the constraint and its reaction: det J = ±2 (x² + y²).
    let prime: i128 = (1 << 61) - 1;
    let residue = |value: &Value| value.as_str().and_then(|text| text.parse::<i128>().ok()).expect("a residue");
    let at = |name: &str| {
        let point = generic["point"].as_array().expect("a point");
        residue(&point.iter().find(|entry| entry["symbol"] == name).expect("a coordinate")["value"])
    };
    let square = |x: i128| x * x % prime;
    let expected = 2 * (square(at("x")) + square(at("y"))) % prime;
    let determinant = residue(&generic["determinant"]);
    assert!(determinant == expected || determinant == prime - expected, "{determinant} is not ±{expected}");

    let local = &certificate["local"];
    assert_eq!(local["t0"], 0.0);
    assert!((1.0..100.0).contains(&number(&local["condition"])), "{local}");
    let lower = &certificate["lower"];
    assert_eq!((&lower["status"], &lower["differentiations"]), (&"witness".into(), &2.into()));
    assert!(lower["free"] == "der(lambda)" && number(&lower["share"]) > 0.1, "{lower}");
    assert_eq!(report["manifold_dimensions"], serde_json::json!([4, 3, 2, 2]));
}

#[test]
fn the_other_models() {
    let facts = |file: &str| {
        let report = json(&dae(&["analyze", file, "--json"]));
        ["differentiation_index", "degrees_of_freedom", "structural_index"].map(|key| report[key].as_u64())
    };
    assert_eq!(facts(CAR_AXIS), [Some(3), Some(4), Some(3)]);
    assert_eq!(facts(AMPLIFIER), [Some(1), Some(5), Some(0)]);
}

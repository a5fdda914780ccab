//! Index analysis against systems whose index is known by other means.
//!
//! In: `tests/data/index_systems.json`: thirty systems, most of them from the literature, with structural data, and
//! with the differentiation index, the degrees of freedom and the dimensions of the sets of consistent states, found by
//! ranks of derivative arrays. Out: the analysis reproduces all of these, and prints a table of indices and degrees of
//! freedom (`cargo test --features cli --test index_systems -- --nocapture`).

mod book;

use std::process::Command;

use dae_symbolic::form::Form;
use dae_symbolic::pipeline::compile;
use dae_symbolic::report::Report;
use serde_json::Value;

use book::{model_text, name, systems};

fn number(value: &Value) -> Option<u64> {
    value.as_u64()
}

fn numbers(value: &Value) -> Option<Vec<u32>> {
    value.as_array().map(|list| list.iter().filter_map(Value::as_u64).map(|n| n as u32).collect())
}

fn report(system: &Value) -> Report {
    let text = model_text(system);
    let (model, places) = dae_symbolic::read_text(&text).unwrap_or_else(|rejection| panic!("{text}\n{rejection:?}"));
    let t0 = system["t"].as_f64().expect("a time");
    match compile(model.clone().with_forms(Form::BASIC), t0) {
        Ok(compiled) => Report::compiled(&compiled).with_places(&places),
        Err(rejected) => Report::rejected(&model, &rejected).with_places(&places),
    }
}

#[test]
fn structural_data_are_those_of_the_book() {
    for system in systems() {
        let (name, report) = (name(&system), report(&system));
        assert_eq!(report.structural_status, system["structural_status"].as_str(), "{name}");
        assert_eq!(report.structural_index.map(u64::from), number(&system["structural_index"]), "{name}");
        assert_eq!(report.structural_degrees_of_freedom.map(|n| n as u64), number(&system["structural_dof"]), "{name}");
        assert_eq!(report.sigma_jacobian_singular, system["sigma_jacobian_singular"].as_bool(), "{name}");
        let offsets = report.offsets.map(|offsets| (offsets.equations, offsets.unknowns));
        let book = &system["structural_offsets"];
        assert_eq!(offsets, numbers(&book["equations_c"]).zip(numbers(&book["unknowns_d"])), "{name}");
    }
}

#[test]
fn every_index_is_that_of_the_book() {
    println!("{:27} {:>5} {:>9} {:>5} {:>9}  certificate", "system", "index", "certified", "dof", "certified");
    let show = |n: Option<u64>| n.map_or("-".to_string(), |n| n.to_string());
    let mut wrong = Vec::new();
    for system in systems() {
        let (name, report) = (name(&system), report(&system));
        let index = report.differentiation_index.map(u64::from);
        let degrees = report.degrees_of_freedom.map(|n| n as u64);
        let (expected, dof) = (number(&system["differentiation_index"]), number(&system["dof"]));
        let why = match (&report.certificate, &report.problem) {
            (_, Some(problem)) => problem.messages.join("; "),
            (Some(certificate), _) => certificate.reason.clone().unwrap_or_else(|| certificate.statement.clone()),
            (None, None) => String::new(),
        };
        println!("{name:27} {:>5} {:>9} {:>5} {:>9}  {why}", show(expected), show(index), show(dof), show(degrees));
        let dimensions: Vec<u64> = report.manifold_dimensions.iter().map(|&n| n as u64).collect();
        let book: Vec<u64> = system["manifold_dimension_by_differentiations"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_u64)
            .collect();
        let solvable = system["status"] == "solvable";
        if (index, degrees) != (expected, dof) || dimensions != book || report.problem.is_some() == solvable {
            wrong.push(format!(
                "{name}: index {index:?}, {degrees:?} degrees of freedom, dimensions {dimensions:?}: {why}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_command_line_says_the_same() {
    for system in systems() {
        let name = name(&system);
        let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.dae"));
        std::fs::write(&file, model_text(&system)).expect("the target directory is writable");
        let output = Command::new(env!("CARGO_BIN_EXE_dae"))
            .arg("analyze")
            .arg(&file)
            .args(["--json", "--t0", &system["t"].to_string()])
            .output()
            .expect("the command runs");
        let expected = serde_json::to_string_pretty(&report(&system)).expect("a report is JSON");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), expected, "{name}");
        assert_eq!(output.status.success(), system["status"] == "solvable", "{name}");
    }
}

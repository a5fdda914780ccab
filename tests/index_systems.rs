//! Index analysis against systems whose index is known by other means.
//!
//! In: `tests/data/index_systems.json`: thirty systems from the literature with structural data, differentiation index and degrees of
//! freedom, found by ranks of derivative arrays. Out: no wrong statement, structural data equal to the book's, and a
//! table of how much is certified (`cargo test --features cli --test index_systems -- --nocapture`).

mod book;

use std::process::Command;

use dae_symbolic::compile::compile;
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
    let (model, _) = dae_symbolic::read_text(&text).unwrap_or_else(|rejection| panic!("{text}\n{rejection:?}"));
    let t0 = system["t"].as_f64().expect("a time");
    match compile(model.clone(), t0) {
        Ok(compiled) => Report::compiled(&compiled),
        Err(rejected) => Report::rejected(&model, &rejected),
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
fn nothing_wrong_is_stated() {
    println!("{:27} {:>5} {:>9} {:>5} {:>9}  certificate", "system", "index", "certified", "dof", "certified");
    let show = |n: Option<u64>| n.map_or("-".to_string(), |n| n.to_string());
    let [mut exact, mut bounded, mut open, mut ill_posed] = [0; 4];
    for system in systems() {
        let (name, report) = (name(&system), report(&system));
        let index = report.differentiation_index.map(u64::from);
        let bound = report.index_upper_bound.map(u64::from);
        let degrees = report.degrees_of_freedom.map(|n| n as u64);
        let (expected, dof) = (number(&system["differentiation_index"]), number(&system["dof"]));
        let verdict = match (index, bound) {
            (Some(index), _) => index.to_string(),
            (None, Some(bound)) => format!("<= {bound}"),
            (None, None) => "-".into(),
        };
        let why = match (&report.certificate, &report.problem) {
            (_, Some(problem)) => problem.messages.join("; "),
            (Some(certificate), _) => certificate.reason.clone().unwrap_or_else(|| certificate.statement.clone()),
            (None, None) => String::new(),
        };
        println!("{name:27} {:>5} {verdict:>9} {:>5} {:>9}  {why}", show(expected), show(dof), show(degrees));
        match (expected, index, bound) {
            (None, ..) => ill_posed += 1,
            (Some(_), Some(_), _) => exact += 1,
            (Some(_), None, Some(_)) => bounded += 1,
            (Some(_), None, None) => open += 1,
        }
        assert!(index.is_none() || index == expected, "{name}: index {index:?}, the book says {expected:?}");
        assert!(bound.is_none() || bound >= expected, "{name}: index at most {bound:?}, the book says {expected:?}");
        assert!(degrees.is_none() || degrees == dof, "{name}: {degrees:?} degrees of freedom, the book says {dof:?}");
        if system["status"] != "solvable" {
            assert_eq!((index, bound, degrees), (None, None, None), "{name} is ill-posed");
        }
    }
    println!("exact {exact}, upper bound {bounded}, not certified {open}, ill-posed {ill_posed}");
    assert!(exact >= 21, "fewer indices are certified than before");
}

#[test]
fn the_command_line_says_the_same() {
    for chosen in ["pendulum-position", "campbell-gear-3", "hairer-IV-5-1", "underdetermined-control"] {
        let systems = systems();
        let system = systems.iter().find(|system| name(system) == chosen).expect("a system of the book");
        let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{chosen}.dae"));
        std::fs::write(&file, model_text(system)).expect("the target directory is writable");
        let output = Command::new(env!("CARGO_BIN_EXE_dae"))
            .arg("analyze")
            .arg(&file)
            .args(["--json", "--t0", &system["t"].to_string()])
            .output()
            .expect("the command runs");
        let expected = serde_json::to_string_pretty(&report(system)).expect("a report is JSON");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), expected, "{chosen}");
        assert_eq!(output.status.success(), system["structural_status"] == "ok", "{chosen}");
    }
}

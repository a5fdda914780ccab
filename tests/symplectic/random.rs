//! Random systems, Hamiltonian by construction or not: exactly the former are recognised.
//!
//! In: a seed. Out: a model of masses with a potential, holonomic constraints, and equations written in different ways;
//! in every other case one term is added that no choice of momenta makes Hamiltonian.

use std::fmt::Write;

use fastrand::Rng;

use super::*;

/// What makes a system no Hamiltonian one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// A force against a velocity.
    Friction,
    /// A force of one coordinate on another, without its counterpart.
    Curl,
    /// A constraint force that is not normal to its constraint.
    Oblique,
    /// A force that depends on time.
    Time,
}

/// A term of the potential: the forces on two coordinates.
fn add_potential(rng: &mut Rng, forces: &mut [String]) {
    let n = forces.len();
    let (i, j) = (rng.usize(..n), rng.usize(..n));
    let c = rng.u32(1..6);
    let mut add = |k: usize, force: String| write!(forces[k], " {force}").unwrap();
    match rng.u32(..5) {
        0 => add(i, format!("- {c} * q{i}")),
        1 if i != j => {
            add(i, format!("- {c} * sin(q{i} - q{j})"));
            add(j, format!("+ {c} * sin(q{i} - q{j})"));
        }
        2 if i != j => {
            add(i, format!("- {c} * q{i} * q{j}"));
            add(j, format!("- {c} / 2 * q{i}.powi(2)"));
        }
        3 => add(i, format!("- q{i} / ({c} + q{i}.powi(2))")),
        _ => add(i, format!("- {c}")),
    }
}

/// The text of a model.
fn text(seed: u64, fault: Option<Fault>) -> String {
    let mut rng = Rng::with_seed(seed);
    let n = rng.usize(2..5);
    let mut forces = vec![String::new(); n];
    (0..rng.usize(1..6)).for_each(|_| add_potential(&mut rng, &mut forces));
    let mut text = String::from("struct Random {\n");
    let constraints = if fault == Some(Fault::Oblique) { 1 } else { rng.usize(..n.min(3)) };
    let mut equations = String::new();
    for k in 0..constraints {
        writeln!(text, "var lambda{k} ~ 0;").unwrap();
        if k == 0 {
            // A sphere.
            let squares: Vec<String> = (0..n).map(|i| format!("q{i}.powi(2)")).collect();
            writeln!(equations, "0 = ({} - 1) / 2;", squares.join(" + ")).unwrap();
            for (i, force) in forces.iter_mut().enumerate() {
                let oblique = if fault == Some(Fault::Oblique) && i == 0 { " * (1 + q0.powi(2))" } else { "" };
                write!(force, " - lambda0 * q{i}{oblique}").unwrap();
            }
        } else {
            // A parabola.
            writeln!(equations, "q0 = q1.powi(2) / 3 + 1 / 5;").unwrap();
            write!(forces[0], " + 2 * lambda1").unwrap();
            write!(forces[1], " - 2 * lambda1 * 2 / 3 * q1").unwrap();
        }
    }
    let i = rng.usize(..n);
    let j = (i + 1) % n;
    for (k, force) in forces.iter_mut().enumerate() {
        match fault {
            Some(Fault::Curl) if k == i => write!(force, " + q{j}.powi(3)").unwrap(),
            Some(Fault::Time) if k == i => write!(force, " + sin(t)").unwrap(),
            _ => {}
        }
        let (mass, start) = (rng.u32(1..5), rng.u32(1..10));
        writeln!(text, "param m{k} = {mass}; var q{k} ~ 0.{start};").unwrap();
        let friction = if fault == Some(Fault::Friction) && k == i { "3 / 10" } else { "0" };
        let drag = |velocity: &str| if friction == "0" { String::new() } else { format!(" - {friction} * {velocity}") };
        match rng.u32(..4) {
            0 => {
                let drag = drag(&format!("w{k}"));
                writeln!(text, "var w{k} ~ 0;").unwrap();
                writeln!(equations, "der(q{k}) = w{k}; m{k} * der(w{k}) = 0{force}{drag};").unwrap();
            }
            1 => {
                let drag = drag(&format!("w{k}"));
                writeln!(text, "var w{k} ~ 0;").unwrap();
                writeln!(equations, "der(q{k}) = w{k}; der(w{k}) = (0{force}{drag}) / m{k};").unwrap();
            }
            2 => {
                let drag = drag(&format!("w{k} / m{k}"));
                writeln!(text, "var w{k} ~ 0;").unwrap();
                writeln!(equations, "m{k} * der(q{k}) = w{k}; der(w{k}) = 0{force}{drag};").unwrap();
            }
            _ => {
                let drag = drag(&format!("der(q{k})"));
                writeln!(text, "start der(q{k}) ~ 0;").unwrap();
                writeln!(equations, "0 = m{k} * der(q{k}, 2) - (0{force}{drag});").unwrap();
            }
        }
    }
    text + &equations + "}"
}

#[test]
fn exactly_hamiltonian_systems_are_recognised() {
    let cases = std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let (mut recognised, mut refused) = (0, 0);
    for seed in 0..cases {
        let faults = [Fault::Friction, Fault::Curl, Fault::Oblique, Fault::Time];
        for fault in [None, Some(faults[seed as usize % faults.len()])] {
            let text = text(seed, fault);
            let (model, _) = read_text(&text).unwrap_or_else(|it| panic!("{text}\n{}", it.diagnostics));
            // Constraints may contradict one another.
            let Ok(compiled) = compile(model.with_forms(&[Form::Underlying]), 0.0) else { continue };
            let Some(form) = compiled.forms.first() else { continue };
            let dae = UnderlyingOde::new(Interpreter::new(form.program.clone(), compiled.prolonged.clone()));
            match (&dae.description().hamiltonian, fault) {
                (Ok(_), None) => recognised += 1,
                (Err(_), Some(_)) => refused += 1,
                (Ok(_), Some(fault)) => panic!("{fault:?} is overlooked in\n{text}"),
                (Err(reason), None) => panic!("{reason}\n{text}"),
            }
        }
    }
    println!("{recognised} recognised, {refused} refused");
    assert!(recognised > cases / 2 && refused > cases / 2, "{recognised} {refused} of {cases}");
}

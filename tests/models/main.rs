//! Every model of the repository through every door.
//!
//! In: the models of the examples (text in the macro and in `examples/models/*.dae`) and one that uses every operator. Out: the
//! doors agree with one another, and every Jacobian agrees with differences.

mod agreement;
mod coupled;
mod derivatives;
mod driven;
mod expansion;
mod mechanics;
mod operators;
mod piecewise;
mod places;
mod points;
mod wires;

#[allow(dead_code)]
#[path = "../../examples/car_axis.rs"]
mod car_axis;
#[allow(dead_code)]
#[path = "../../examples/chain.rs"]
mod chain;
#[allow(dead_code)]
#[path = "../../examples/pendulum.rs"]
mod pendulum;
#[allow(dead_code)]
#[path = "../../examples/plate.rs"]
mod plate;
#[allow(dead_code)]
#[path = "../../examples/transistor_amplifier.rs"]
mod transistor_amplifier;

use std::path::{Path, PathBuf};

use dae::Dae;
use dae::symbolic::compile::{Compiled, compile};
use dae::symbolic::eval::Interpreter;
use dae::symbolic::formulation::Form;
use dae::symbolic::read_text;

/// A model with its text and its formulations as the macro generated them.
struct Generated {
    /// The body of the `dae!`, as it stands in the source file.
    text: String,
    forms: Vec<Box<dyn Dae>>,
}

macro_rules! generated {
    ($model:expr, $file:literal) => {{
        let model = $model;
        let forms: Vec<Box<dyn Dae>> =
            vec![Box::new(model.original()), Box::new(model.index1()), Box::new(model.index2()), Box::new(model.ggl())];
        Generated { text: macro_body(include_str!($file)), forms }
    }};
}

fn models() -> Vec<Generated> {
    vec![
        generated!(car_axis::CarAxis::default(), "../../examples/car_axis.rs"),
        generated!(chain::Chain::default(), "../../examples/chain.rs"),
        generated!(coupled::Coupled::default(), "coupled.rs"),
        generated!(plate::Plate::default(), "../../examples/plate.rs"),
        generated!(pendulum::Pendulum::default(), "../../examples/pendulum.rs"),
        generated!(transistor_amplifier::TransistorAmplifier::default(), "../../examples/transistor_amplifier.rs"),
        generated!(mechanics::Crane::default(), "mechanics.rs"),
        generated!(operators::Operators::default(), "operators.rs"),
        generated!(wires::Wires::default(), "wires.rs"),
        generated!(piecewise::Piecewise::default(), "piecewise.rs"),
        generated!(driven::model(), "driven.rs"),
    ]
}

/// What stands between the braces of the only `dae!` of a source file.
fn macro_body(source: &str) -> String {
    macro_bodies(source).pop().expect("the file has a `dae!`")
}

/// What stands between the braces of each `dae!` of a source file.
fn macro_bodies(source: &str) -> Vec<String> {
    let closed = |rest: &str| rest.split_once("\n}\n").expect("its closing brace is in the first column").0.to_string();
    source.split("\ndae::dae! {\n").skip(1).map(closed).collect()
}

/// The `.dae` files of the examples, sorted.
fn model_files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models");
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn compiled(text: &str) -> Compiled {
    let (model, _) = read_text(text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics));
    compile(model, 0.0).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics))
}

/// One formulation under interpretation.
fn interpreter(compiled: &Compiled, form: Form) -> Interpreter {
    let found = compiled.forms.iter().find(|f| f.form == form).expect("the model has all forms");
    let inputs = if compiled.needs.is_empty() { Vec::new() } else { driven::inputs() };
    let interpreter = Interpreter::new(found.program.clone(), compiled.prolonged.clone());
    interpreter.with_inputs(&compiled.needs, &inputs).unwrap()
}

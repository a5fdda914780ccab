//! Models by macro, file and interpreter.
//!
//! In: models of the examples, which are in macros and in `examples/models/*.dae`, and models of this folder, which
//! between them use every operator and function of the language. Out: generated code and interpreter agree, every
//! Jacobian agrees with differences, and generated factorisations solve linear systems.

mod agreement;
mod boundary;
mod canonical;
mod coupled;
mod derivatives;
mod driven;
mod elimination;
mod expansion;
mod invariants;
mod mechanics;
mod operators;
mod piecewise;
mod places;
mod points;
mod valves;
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
use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::read_text;

/// The text of a model, and its formulations as the macro generates them.
struct Generated {
    /// The body of the `dae!`, as it stands in the source file.
    text: String,
    forms: Vec<Box<dyn Dae>>,
}

macro_rules! generated {
    ($model:expr, $file:literal, [$($form:ident),*]) => {{
        let model = $model;
        let forms: Vec<Box<dyn Dae>> = vec![$(Box::new(model.$form())),*];
        Generated { text: macro_body(include_str!($file)), forms }
    }};
}

/// The models, each with its forms in the order of its text.
fn models() -> Vec<Generated> {
    use transistor_amplifier::TransistorAmplifier;
    vec![
        generated!(
            car_axis::CarAxis::default(),
            "../../examples/car_axis.rs",
            [original, index1, index2, ggl, projected_b, pa, overdetermined, state_space, tangent, underlying]
        ),
        generated!(chain::Chain::default(), "../../examples/chain.rs", [ggl, index1]),
        generated!(coupled::Coupled::default(), "coupled.rs", [original, index1, index2, ggl]),
        generated!(plate::Plate::default(), "../../examples/plate.rs", [ggl, index1]),
        generated!(pendulum::Pendulum::default(), "../../examples/pendulum.rs", [ggl, index1]),
        generated!(TransistorAmplifier::default(), "../../examples/transistor_amplifier.rs", [original, index1, ggl]),
        generated!(
            mechanics::Crane::default(),
            "mechanics.rs",
            [
                original,
                index1,
                index2,
                ggl,
                stabilized_b,
                projected_unit,
                pa,
                pb,
                pc,
                baumgarte,
                state_space,
                tangent,
                underlying,
                derivative_array,
                strangeness_free
            ]
        ),
        generated!(operators::Operators::default(), "operators.rs", [original, index1, index2, ggl]),
        generated!(wires::Wires::default(), "wires.rs", [original, index1, index2, ggl]),
        generated!(piecewise::Piecewise::default(), "piecewise.rs", [original, index1, index2, ggl]),
        generated!(valves::Valves::default(), "valves.rs", [original, index1]),
        generated!(invariants::Invariants::default(), "invariants.rs", [underlying, ggl]),
        generated!(canonical::Canonical::default(), "canonical.rs", [original, index1, ggl, underlying]),
        generated!(driven::model(), "driven.rs", [original, index1, index2, ggl, derivative_array]),
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

/// The model with the forms that its text asks for.
fn compiled(text: &str) -> Compiled {
    let (model, _) = read_text(text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics));
    compile(model, 0.0).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics))
}

/// One formulation, interpreted.
fn interpreter(compiled: &Compiled, form: &Form) -> Box<dyn Dae> {
    let found = compiled.forms.iter().find(|f| f.form == *form).expect("the model has all forms");
    let inputs = if compiled.needs.is_empty() { Vec::new() } else { driven::inputs() };
    let interpreter = Interpreter::new(found.program.clone(), compiled.prolonged.clone());
    interpreter.with_inputs(&compiled.needs, &inputs).unwrap().completed(found.formulation.completion)
}

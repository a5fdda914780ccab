//! The problems: models, which the compiler reads from their files, with reference values and the unknowns to compare.

#[macro_use]
#[path = "chain.rs"]
mod chain;

use std::error::Error;
use std::path::Path;

use dae::{Dae, Solution};

/// A problem with its reference values.
pub(crate) struct Problem {
    pub(crate) name: &'static str,
    /// The formulations that are worth comparing.
    pub(crate) forms: fn() -> Vec<Box<dyn Dae>>,
    /// The file of the reference values, relative to the folder of this one.
    reference: &'static str,
    /// The end of the run, which starts at 0.
    pub(crate) end: f64,
    /// What is added to the magnitude of a reference value to give the scale of its error.
    scale: Measure,
    /// The beginnings of the names of unknowns that are not compared.
    left_out: &'static [&'static str],
    /// Whether it takes minutes, so that it is run only if asked for by name.
    pub(crate) is_long: bool,
}

/// The absolute part of an error measure.
#[derive(Clone, Copy)]
enum Measure {
    One,
    /// Relative errors only.
    Zero,
    /// The nominal value of the unknown.
    Nominal,
}

/// For every line a module with a model from a file, and with a function that makes its formulations.
macro_rules! models {
    ($($module:ident: $model:ident = $file:literal [$($form:ident),*];)*) => {$(
        mod $module {
            dae::include_model!($file);

            pub(super) fn forms() -> Vec<Box<dyn dae::Dae>> {
                let model = $model::default();
                vec![$(Box::new(model.$form())),*]
            }
        }
    )*};
}

models! {
    pendulum: Pendulum = "examples/test_set/pendulum.dae" [original, index2, ggl, index1];
    andrews: Andrews = "examples/test_set/andrews.dae" [original, index2, ggl, index1];
    car_axis: CarAxis = "examples/models/car_axis.dae" [original, index2, ggl, index1];
    slider_crank: SliderCrank = "examples/models/slider_crank.dae" [index2, ggl, index1];
    fekete: Fekete = "examples/test_set/fekete.dae" [original, index1];
    wheelset: Wheelset = "examples/test_set/wheelset.dae" [original];
    transistor_amplifier: TransistorAmplifier = "examples/models/transistor_amplifier.dae" [original, index1];
    robertson: Robertson = "examples/test_set/robertson.dae" [original];
    two_bit_adder: TwoBitAdder = "examples/test_set/two_bit_adder.dae" [index2];
    charge_pump: ChargePump = "examples/test_set/charge_pump.dae" [original, index1];
}

/// The adder as in the program of the test set: three charges in the text are replaced by those that its comments give.
#[cfg(feature = "interpreter")]
mod two_bit_adder_as_published {
    use dae::Dae;
    use dae::symbolic::eval::Interpreter;
    use dae::symbolic::pipeline::compile;

    pub(super) fn forms() -> Vec<Box<dyn Dae>> {
        let circuit = include_str!("two_bit_adder.dae");
        let published = circuit.lines().map(as_published).collect::<Vec<_>>();
        let changed = circuit.lines().zip(&published).filter(|(line, published)| line != published).count();
        assert_eq!(changed, 3, "the three comments of the text are put in");
        let (model, _) =
            dae::symbolic::read_text(&published.join("\n")).expect("a term in the place of another is a text too");
        let compiled = compile(model, 0.0).expect("the program runs in index-2 form");
        let interpreter = |form| Interpreter::new(form, compiled.prolonged.clone());
        compiled.forms.iter().map(|form| Box::new(interpreter(form.program.clone())) as Box<dyn Dae>).collect()
    }

    /// Turns the line `q[12] = b; // the program: a` into `q[12] = a;`, and leaves other lines as they are.
    fn as_published(line: &str) -> String {
        match (line.split_once(" = "), line.split_once(" // the program: ")) {
            (Some((charge, _)), Some((_, published))) => format!("{charge} = {published};"),
            _ => line.to_string(),
        }
    }
}

chain! { chain_10: 10 }
chain! { chain_100: 100 }
chain! { chain_1000: 1000 }

const PROBLEM: Problem =
    Problem { name: "", forms: Vec::new, reference: "", end: 0.0, scale: Measure::One, left_out: &[], is_long: false };

/// All problems, those that take minutes included.
pub(crate) fn all() -> Vec<Problem> {
    vec![
        Problem { name: "pendulum", forms: pendulum::forms, reference: "pendulum.json", end: 100.0, ..PROBLEM },
        Problem { name: "andrews", forms: andrews::forms, reference: "andrews.json", end: 0.03, ..PROBLEM },
        Problem {
            name: "car axis",
            forms: car_axis::forms,
            reference: "../../tests/references/car_axis.json",
            end: 3.0,
            ..PROBLEM
        },
        Problem {
            name: "slider crank",
            forms: slider_crank::forms,
            reference: "../../tests/references/slider_crank.json",
            end: 0.1,
            ..PROBLEM
        },
        Problem {
            name: "fekete",
            forms: fekete::forms,
            reference: "fekete.json",
            end: 1000.0,
            left_out: &["lambda", "mu"],
            ..PROBLEM
        },
        Problem {
            name: "wheelset",
            forms: wheelset::forms,
            reference: "wheelset.json",
            end: 10.0,
            left_out: &["lam"],
            ..PROBLEM
        },
        Problem {
            name: "transistor amplifier",
            forms: transistor_amplifier::forms,
            reference: "../../tests/references/transistor_amplifier.json",
            end: 0.2,
            ..PROBLEM
        },
        Problem {
            name: "robertson",
            forms: robertson::forms,
            reference: "robertson.json",
            end: 1e11,
            scale: Measure::Zero,
            ..PROBLEM
        },
        Problem {
            name: "two-bit adder",
            forms: two_bit_adder::forms,
            reference: "two_bit_adder.json",
            end: 320.0,
            ..PROBLEM
        },
        #[cfg(feature = "interpreter")]
        Problem {
            name: "adder as published",
            forms: two_bit_adder_as_published::forms,
            reference: "two_bit_adder_as_published.json",
            end: 320.0,
            is_long: true,
            ..PROBLEM
        },
        Problem {
            name: "chain 10",
            forms: chain_10::forms,
            reference: "chain_10.json",
            end: 1.0,
            left_out: &["u", "v"],
            ..PROBLEM
        },
        Problem {
            name: "chain 100",
            forms: chain_100::forms,
            reference: "chain_100.json",
            end: 1.0,
            left_out: &["u", "v"],
            ..PROBLEM
        },
        Problem {
            name: "chain 1000",
            forms: chain_1000::forms,
            reference: "chain_1000.json",
            end: 1.0,
            left_out: &["u", "v"],
            is_long: true,
            ..PROBLEM
        },
        Problem {
            name: "charge pump",
            forms: charge_pump::forms,
            reference: "charge_pump.json",
            end: 1.2e-6,
            scale: Measure::Nominal,
            ..PROBLEM
        },
    ]
}

impl Problem {
    /// The reference values at the end of the run, by the names of the unknowns that are compared.
    pub(crate) fn reference(&self) -> Result<Vec<(String, f64)>, Box<dyn Error>> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/test_set").join(self.reference);
        let file: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let last = |key: &str| file[key].as_array().and_then(|list| list.last().cloned()).ok_or("a list is missing");
        let end: f64 = serde_json::from_value(last("times")?)?;
        if end != self.end {
            return Err(format!("{}: the reference is for t = {end}", self.name).into());
        }
        let names: Vec<String> = serde_json::from_value(file["unknowns"].clone())?;
        let values: Vec<f64> = serde_json::from_value(last("values")?)?;
        let is_compared = |name: &str| !self.left_out.iter().any(|start| name.starts_with(start));
        Ok(names.into_iter().zip(values).filter(|(name, _)| is_compared(name)).collect())
    }

    /// Correct digits at the end of a run; `NaN` if a value is. An error names an unknown that the form does not have.
    pub(crate) fn digits(
        &self,
        form: &dyn Dae,
        solution: &Solution,
        reference: &[(String, f64)],
    ) -> Result<f64, String> {
        let mut worst = f64::MIN_POSITIVE;
        for (name, expected) in reference {
            let place = solution.names.iter().position(|known| known == name).ok_or(format!("no `{name}`"))?;
            let scale = match (self.scale, form.description().unknowns.get(place)) {
                (Measure::Nominal, Some(unknown)) => unknown.nominal,
                (Measure::Zero, _) => 0.0,
                (Measure::One, _) | (_, None) => 1.0,
            };
            let error = (solution.end_state[place] - expected).abs() / (scale + expected.abs());
            // `max` would forget a NaN.
            worst = if error > worst || error.is_nan() { error } else { worst };
        }
        Ok(-worst.log10())
    }
}

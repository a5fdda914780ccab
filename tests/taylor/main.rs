//! Integration by Taylor series.
//!
//! In: models of index 0 to 47, reference solutions, closed forms. Out: coefficients agree with symbolic derivatives,
//! solutions with references to the digits that the numbers have, and what cannot be integrated is refused by name.

mod high_index;
mod mechanisms;
mod recurrences;
mod refusals;

use dae::symbolic::pipeline::compile;
use dae::symbolic::taylor::TaylorSystem;
use dae::taylor::{DoubleDouble, Scalar, TaylorSolution};

/// The operations of a model.
fn system(text: &str) -> TaylorSystem {
    let (model, _) = dae::symbolic::read_text(text).expect("readable");
    let compiled = compile(model, 0.0).unwrap_or_else(|rejected| panic!("well-posed: {:?}", rejected.diagnostics));
    TaylorSystem::new(&compiled).expect("smooth")
}

/// Reference values at the end of a run.
struct Reference {
    end: f64,
    values: Vec<(String, DoubleDouble)>,
}

impl Reference {
    /// The values of a problem in `references.json`, which says where they come from.
    fn of(problem: &str) -> Reference {
        let file: serde_json::Value = serde_json::from_str(include_str!("references.json")).expect("JSON");
        let values = file[problem]["values"].as_object().expect("values").iter();
        let number = |value: &serde_json::Value| value.as_str().expect("a text").parse().expect("a number");
        Reference {
            end: file[problem]["end"].as_f64().expect("a time"),
            values: values.map(|(name, value)| (name.clone(), number(value))).collect(),
        }
    }

    /// The same for some of the unknowns.
    fn only(mut self, is_meant: impl Fn(&str) -> bool) -> Reference {
        self.values.retain(|(name, _)| is_meant(name));
        self
    }

    /// $-\log_{10} \max_i |e_i| / (1 + |y_i|)$ at the end of a run.
    fn digits<S: Scalar>(&self, solution: &TaylorSolution<S>) -> f64 {
        let error = |(name, expected): &(String, DoubleDouble)| {
            let found = solution.end_value(name).expect("an unknown");
            (found - S::from_double_double(*expected)).to_f64().abs() / (1.0 + expected.high().abs())
        };
        // `max` would forget a NaN.
        let larger = |worst: f64, e: f64| if e > worst || e.is_nan() { e } else { worst };
        -self.values.iter().map(error).fold(f64::MIN_POSITIVE, larger).log10()
    }
}

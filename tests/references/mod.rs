//! Reference values of solutions.
//!
//! In: `references/*.json`, each with its source. Out: the number of correct digits of a run,
//! $-\log_{10} \max_i |e_i| / (1 + |y_i|)$ over all times and unknowns, with the error $e$ and the reference $y$.

use dae::Solution;
use serde_json::Value;

/// Values of some unknowns at some times.
pub(crate) struct Reference {
    /// The names of the unknowns.
    pub(crate) unknowns: Vec<String>,
    /// The times.
    pub(crate) times: Vec<f64>,
    /// The values, by time and unknown.
    pub(crate) values: Vec<Vec<f64>>,
}

impl Reference {
    pub(crate) fn read(text: &str) -> Self {
        let json: Value = serde_json::from_str(text).unwrap();
        let numbers = |v: &Value| v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<f64>>();
        Reference {
            unknowns: json["unknowns"].as_array().unwrap().iter().map(|x| x.as_str().unwrap().into()).collect(),
            times: numbers(&json["times"]),
            values: json["values"].as_array().unwrap().iter().map(numbers).collect(),
        }
    }

    /// The number of correct digits of the least accurate value of a solution recorded at these times.
    pub(crate) fn digits_of(&self, solution: &Solution) -> f64 {
        let mut worst: f64 = 0.0;
        for (time, values) in self.times.iter().zip(&self.values) {
            for (name, reference) in self.unknowns.iter().zip(values) {
                let error = (solution.value(name, *time).unwrap() - reference).abs() / (1.0 + reference.abs());
                worst = if error > worst || error.is_nan() { error } else { worst };
            }
        }
        -worst.log10()
    }
}

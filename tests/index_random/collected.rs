//! Systems that reviewers made to fool the analysis.
//!
//! In: `tests/data/adversarial.json`, texts with index and degrees of freedom. Out: [`Case`]s by name.

use serde_json::Value;

use crate::case::{Case, Truth};

/// A system and its name.
pub(crate) struct Collected {
    pub(crate) name: String,
    pub(crate) case: Case,
}

/// All systems of the file.
pub(crate) fn systems() -> Vec<Collected> {
    let list: Value = serde_json::from_str(include_str!("../data/adversarial.json")).expect("the file is JSON");
    let text = |system: &Value, key: &str| system[key].as_str().expect("a text").to_string();
    let number = |system: &Value, key: &str| system[key].as_u64().expect("a number");
    let one = |system: &Value| {
        let truth = Truth::WellPosed { index: number(system, "index") as u32, degrees: number(system, "dof") as usize };
        Collected { name: text(system, "name"), case: Case { text: text(system, "text"), t0: 0.0, truth } }
    };
    list.as_array().expect("a list").iter().map(one).collect()
}

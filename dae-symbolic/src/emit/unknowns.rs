//! The type of solutions of a model, with a method for each unknown.
//!
//! In: names and extents of the unknowns. Out: `PendulumSolution` with `x(t)`, and `T(i, j, t)` for an array.

use super::items::{ALLOW, close, docs, prefix};
use crate::model;
use crate::spelling::indices::index_names;

/// An unknown, or an array of them.
pub(super) struct Unknown<'a> {
    pub(super) name: &'a str,
    pub(super) docs: &'a [String],
    /// The extents, the outermost first; empty for a scalar.
    pub(super) extents: &'a [usize],
}

/// The unknowns of a model, each array as a single entry.
pub(super) fn of(unknowns: &[model::Unknown]) -> Vec<Unknown<'_>> {
    let first = unknowns.iter().filter(|unknown| unknown.domain.is_first());
    let array = first.map(|unknown| Unknown {
        name: unknown.name.split('[').next().unwrap_or_default(),
        docs: &unknown.docs,
        extents: &unknown.domain.extents,
    });
    array.collect()
}

pub(super) fn source(model: &str, visibility: &str, unknowns: &[Unknown<'_>]) -> String {
    let (name, vis) = (format!("{model}Solution"), prefix(visibility));
    let lines = [
        format!(
            "A solution of [`{model}`], with a method for each unknown: its value at a time, as `Solution::at` gives it."
        ),
        "What else a solution offers, it offers too.".to_string(),
    ];
    let mut text = docs(lines, "");
    text.push_str("#[derive(Clone, Debug, PartialEq)]\n");
    text.push_str(ALLOW);
    text.push_str(&format!("{vis}struct {name}(::dae::__private::Unknowns);\n\n{ALLOW}impl {name} {{\n"));
    let mut table = String::new();
    for (k, unknown) in unknowns.iter().enumerate() {
        let Unknown { name, docs: own, extents } = *unknown;
        let indices = index_names(extents.len());
        let arguments: String = indices.iter().map(|index| format!("{index}: usize, ")).collect();
        let value = format!("self.0.value({k}, &[{}], t)", indices.join(", "));
        let said = format!("`{name}` at a time.");
        text.push_str(&docs(if own.is_empty() { std::slice::from_ref(&said) } else { own }, "    "));
        text.push_str("    #[must_use]\n");
        text.push_str(&format!(
            "    {vis}fn {name}(&self, {arguments}t: f64) -> ::core::option::Option<f64> {{\n        {value}\n    }}\n\n"
        ));
        table.push_str(&format!("({name:?}, &{extents:?}), "));
    }
    close(&mut text);
    text.push_str(&format!(
        "impl ::core::convert::TryFrom<::dae::__private::Solution> for {name} {{\n    type Error = ::dae::__private::ForeignSolution;\n\n    \
         fn try_from(solution: ::dae::__private::Solution) -> ::core::result::Result<Self, ::dae::__private::ForeignSolution> {{\n        \
         ::dae::__private::Unknowns::find({model:?}, &[{}], solution).map(Self)\n    }}\n}}\n\n",
        table.trim_end_matches(", ")
    ));
    text.push_str(&format!(
        "impl ::core::convert::From<{name}> for ::dae::__private::Solution {{\n    \
         fn from(solution: {name}) -> Self {{\n        solution.0.into_solution()\n    }}\n}}\n\n"
    ));
    text.push_str(&format!(
        "impl ::core::ops::Deref for {name} {{\n    type Target = ::dae::__private::Solution;\n\n    \
         fn deref(&self) -> &::dae::__private::Solution {{\n        self.0.solution()\n    }}\n}}\n\n"
    ));
    text
}

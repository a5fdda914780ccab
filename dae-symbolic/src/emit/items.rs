//! What the items of generated code have in common.
//!
//! In: texts and visibilities of a model. Out: attributes, documentation, and the names of the structs of formulations.

use crate::form::Form;

/// Lints that straight-line numeric code with the user's names, and with all or none of it public, would trigger.
pub(super) const ALLOW: &str = "#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]\n\
    #[allow(clippy::all, clippy::pedantic, clippy::nursery)]\n";

/// What the public structs of a model without inputs derive.
pub(super) const DERIVE: &str = "#[derive(Clone, Copy, Debug, PartialEq)]\n";

/// A method that gives access to another contract, which the same struct implements; empty if it does not.
pub(super) fn access(implements: bool, method: &str, contract: &str) -> String {
    if !implements {
        return String::new();
    }
    format!(
        "    fn {method}(&self) -> ::core::option::Option<&dyn ::dae::__private::{contract}> {{\n        \
         ::core::option::Option::Some(self)\n    }}\n\n"
    )
}

/// Lines of documentation.
pub(super) fn docs(lines: impl IntoIterator<Item = impl AsRef<str>>, indent: &str) -> String {
    let lines = lines.into_iter();
    lines
        .map(|line| format!("{indent}///{}{}\n", if line.as_ref().is_empty() { "" } else { " " }, line.as_ref()))
        .collect()
}

/// A visibility followed by a space; empty for a private item.
pub(super) fn prefix(visibility: &str) -> String {
    if visibility.is_empty() { String::new() } else { format!("{visibility} ") }
}

/// `PendulumGgl`: the struct of a formulation.
pub(super) fn form_type(model: &str, form: &Form) -> String {
    format!("{model}{}", form.suffix())
}

/// Ends an `impl` whose last method left an empty line.
pub(super) fn close(text: &mut String) {
    text.truncate(text.trim_end().len());
    text.push_str("\n}\n\n");
}

//! Comments on identifiers that differ from the names of the model.
//!
//! In: identifiers and the names they stand for. Out: a line that says so.

use super::super::items::docs;
use super::super::names::identifier;
use crate::program::Load;
use crate::program::affine::Affine;

/// Whether a name has an underscore or a number at its end that the model's own name does not have.
pub(super) fn is_altered(name: &str, wanted: &str, written: &str) -> bool {
    name != written && (name != wanted || name.ends_with('_'))
}

/// The kind of value that a load reads, which its name may not tell: a derivative may be both a state and the rate of
/// another state.
pub(super) fn kind_of(load: &Load<Affine>) -> &'static str {
    match load {
        Load::Yp(_) => " as a rate",
        Load::Time | Load::Parameter(_) | Load::Y(_) | Load::Total(_) => "",
    }
}

/// A comment on the names that differ from those of the model: `F_`, which would be a constant without its underscore,
/// and names that were taken.
pub(super) fn altered<'n>(names: impl Iterator<Item = (String, &'n String)>, kind: &str) -> String {
    let other = names.filter(|(name, written)| is_altered(name, &identifier(written), written));
    let list: Vec<String> = other.map(|(name, written)| format!("`{name}` is {written}{kind}")).collect();
    if list.is_empty() { String::new() } else { docs([list.join(", ")], "        ") }
}

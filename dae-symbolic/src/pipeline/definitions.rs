//! The definitions of the names in a text.
//!
//! In: equations and constraints as they are printed, with the names of the model's `let`s and inputs where their
//! values occur. Out: the value, in plain mathematics, of each name that occurs in them or in such a value.

use std::collections::{HashMap, HashSet};

use crate::expr::{Expr, Notation, print_with};
use crate::model::{Domain, Model};

/// A name with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Named {
    /// The name.
    pub(crate) name: String,
    /// Its value in plain mathematics.
    pub(crate) value: String,
    /// The domain of the family it belongs to.
    pub(crate) domain: Domain,
}

/// The `let`s and inputs whose names occur in the texts, or in the value of one that does, in the order of the model.
pub(crate) fn definitions_in<'a>(model: &Model, texts: impl Iterator<Item = &'a str>) -> Vec<Named> {
    let names = model.definition_names().into_iter().collect();
    let list = all(model, &names);
    let place: HashMap<&str, usize> = list.iter().enumerate().map(|(k, named)| (named.name.as_str(), k)).collect();
    let mut wanted = HashSet::new();
    let mut open: Vec<usize> = texts.flat_map(words).filter_map(|word| place.get(word).copied()).collect();
    while let Some(k) = open.pop() {
        if wanted.insert(k) {
            open.extend(words(&list[k].value).filter_map(|word| place.get(word).copied()));
        }
    }
    list.into_iter().enumerate().filter(|(k, _)| wanted.contains(k)).map(|(_, named)| named).collect()
}

/// All named expressions; inputs that the caller supplies are left out, as they have no value to print.
fn all(model: &Model, names: &HashMap<Expr, String>) -> Vec<Named> {
    let spelled = |value| print_with(&model.dag, value, Notation::Text, names, |symbol| model.symbol_name(symbol));
    let lets = model.definitions.iter().filter(|d| names.contains_key(&d.value));
    let lets = lets.map(|d| Named { name: d.name.clone(), value: spelled(d.value), domain: d.domain.clone() });
    let inputs = model.inputs.iter().filter(|input| !model.is_supplied(input.definition));
    let inputs = inputs.map(|input| Named {
        name: input.name.clone(),
        value: spelled(input.definition),
        domain: Domain::scalar(),
    });
    lets.chain(inputs).collect()
}

/// The names in a text, with their indices: `force`, `s[3]`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(|c: char| c.is_alphabetic() || c == '_')?;
        let word = &rest[start..];
        let mut end = word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len());
        while word[end..].starts_with('[') {
            let Some(close) = word[end..].find(']') else { break };
            end += close + 1;
        }
        rest = &word[end..];
        Some(&word[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn names_have_indices() {
        let of = |text| words(text).collect::<Vec<&str>>();
        assert_eq!(of("0 = k·x[3] - sin(force) + a[1][2]²"), ["k", "x[3]", "sin", "force", "a[1][2]"]);
        assert_eq!(of("2·x1 [3"), ["x1"]);
        assert_eq!(of(""), [""; 0]);
    }
}

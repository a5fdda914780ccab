//! Tables of models with families, filled by loops when they are first asked for.
//!
//! In: descriptions, patterns and the domains of their entries. Out: Rust text in proportion to the model's text.
//! A table of a model without families is a literal (`tables.rs`).

use std::hash::Hash;

use super::rolled::{in_loops, name};
use crate::model::{Domain, Numbering, Torn};
use crate::program::affine::Affine;
use crate::spelling::families::{Entry, Group, grouped, pattern_rows};
use crate::spelling::indices::{index_names, spell};
use dae_runtime::contract::Pattern;

/// One statement per group; neighbours over the same box share a loop.
pub(super) fn statements<K>(
    groups: &[Group<K>],
    indent: &str,
    spell: impl Fn(&Group<K>, &[String]) -> String,
) -> String {
    let mut text = String::new();
    for together in groups.chunk_by(|a, b| a.domain == b.domain) {
        let domain = &together[0].domain;
        let indices = index_names(domain.len());
        let lines: String = together.iter().map(|group| format!("{indent}{}\n", spell(group, &indices))).collect();
        text.push_str(&in_loops(domain, &lines, indent));
    }
    text
}

/// A list, as the statements that fill the variable `table`; `item` spells an entry.
pub(super) fn list<K: Clone + Eq + Hash>(
    table: &str,
    entries: &[Entry<'_, K>],
    item: impl Fn(&str, &Group<K>, &[String]) -> String,
) -> Result<String, Torn> {
    let groups = grouped(entries)?;
    let put = |group: &Group<K>, indices: &[String]| {
        let item = item(&name(&group.text, indices), group, indices);
        format!("{table}.put({}, {item});", spell(&group.places[0], indices))
    };
    Ok(format!("            let mut {table} = Listing::new();\n{}", statements(&groups, "            ", put)))
}

/// A pattern, as the statements that fill the variable `name`, from the domains of its rows and the numbering of its
/// columns.
pub(super) fn pattern(name: &str, pattern: &Pattern, domains: &[Domain], columns: &Numbering) -> Result<String, Torn> {
    let rows = Numbering::of(domains)?.total();
    let entries = pattern_rows(pattern, domains, columns)?;
    let entries: Vec<Entry<'_, usize>> = entries.into_iter().filter(|entry| entry.key > 0).collect();
    let put = |group: &Group<usize>, indices: &[String]| {
        let places: Vec<String> = group.places.iter().map(|place| spell(place, indices)).collect();
        if group.domain.is_empty() && group.key >= LONG {
            return long_row(name, group);
        }
        format!("{name}.row({}, &[{}]);", places[0], places[1..].join(", "))
    };
    let statements = statements(&grouped(&entries)?, "            ", put);
    Ok(format!("            let mut {name} = Rows::new({rows}, {});\n{statements}", columns.total()))
}

/// In rows outside families, runs of at least this many equidistant columns are filled by loops.
const LONG: usize = 8;

/// A row that is not a member of a family, from left to right, with a loop for each long run of equidistant columns.
fn long_row(name: &str, group: &Group<usize>) -> String {
    let row = group.places[0].base;
    let columns: Vec<i64> = group.places[1..].iter().map(|place| place.base).collect();
    let mut parts = Vec::new();
    let mut at = 0;
    while at < columns.len() {
        let step = columns.get(at + 1).map_or(0, |next| next - columns[at]);
        let count = 1 + columns[at..].windows(2).take_while(|pair| pair[1] - pair[0] == step).count();
        if count < LONG {
            parts.push(format!("{name}.row({row}, &[{}]);", columns[at]));
            at += 1;
            continue;
        }
        let (column, index) = (Affine { base: columns[at], strides: vec![step] }, index_names(1));
        parts.push(format!("for i in 0..{count} {{ {name}.row({row}, &[{}]); }}", spell(&column, &index)));
        at += count;
    }
    parts.join("\n            ")
}

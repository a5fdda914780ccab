//! The constant tables of a formulation as Rust statics.
//!
//! In: descriptions. Out: the methods that return them, and doc lines that say which entry of a Jacobian is which.

use dae_runtime::contract::{Description, Kind, Leading, Pattern, ProlongationDescription, Start};

use super::docs;

/// One doc line per row: its name and the columns of its entries in order.
pub(super) fn rows_doc(pattern: &Pattern, row: impl Fn(usize) -> String, column: impl Fn(usize) -> String) -> String {
    let mut lines = Vec::new();
    for r in 0..pattern.rows() {
        let range = pattern.row_starts[r]..pattern.row_starts[r + 1];
        if !range.is_empty() {
            let columns: Vec<String> = pattern.column_indices[range].iter().map(|&c| column(c)).collect();
            lines.push(format!("{} by {}", row(r), columns.join(", ")));
        }
    }
    docs(lines, "    ")
}

pub(super) fn description(d: &Description) -> String {
    let kind = |k| match k {
        Kind::Differential => "Differential",
        Kind::Algebraic => "Algebraic",
    };
    let unknowns = d
        .unknowns
        .iter()
        .map(|u| format!("unknown({:?}, Kind::{}, {}, {:?})", u.name, kind(u.kind), u.index, u.nominal));
    let equations = d.equations.iter().map(|e| format!("equation({:?})", e.name));
    let invariants = d.invariants.iter().map(|i| match i.row {
        Some(row) => format!("enforced({:?}, {row})", i.name),
        None => format!("implied({:?})", i.name),
    });
    let switches = d.switches.iter().map(|s| format!("switch({:?})", s.name));
    let leading = match d.leading {
        Leading::Constant => "Constant",
        Leading::Quasilinear => "Quasilinear",
        Leading::Nonlinear => "Nonlinear",
    };
    let mut text = String::from("    fn description(&self) -> &::dae::__private::Description {\n");
    text.push_str("        use ::dae::__private::*;\n");
    text.push_str(&table("UNKNOWNS", "Unknown", unknowns));
    text.push_str(&table("EQUATIONS", "Equation", equations));
    text.push_str(&table("PARAMETERS", "Name", d.parameters.iter().map(|p| format!("Borrowed({p:?})"))));
    text.push_str(&table("INVARIANTS", "Invariant", invariants));
    text.push_str(&table("SWITCHES", "Switch", switches));
    text.push_str("        static DESCRIPTION: Description = Description {\n");
    text.push_str(&format!("            model: Borrowed({:?}),\n            form: Borrowed({:?}),\n", d.model, d.form));
    for (field, name) in [
        ("unknowns", "UNKNOWNS"),
        ("equations", "EQUATIONS"),
        ("parameters", "PARAMETERS"),
        ("invariants", "INVARIANTS"),
        ("switches", "SWITCHES"),
    ] {
        text.push_str(&format!("            {field}: Borrowed(&{name}),\n"));
    }
    text.push_str(&format!(
        "            leading: Leading::{leading},\n            leading_rank: {},\n",
        d.leading_rank
    ));
    for (field, p) in [
        ("jacobian_y", &d.jacobian_y),
        ("jacobian_yp", &d.jacobian_yp),
        ("jacobian_p", &d.jacobian_p),
        ("invariants_jacobian", &d.invariants_jacobian),
    ] {
        text.push_str(&format!("            {field}: {},\n", pattern(p)));
    }
    text.push_str("        };\n        &DESCRIPTION\n    }\n\n");
    text
}

pub(super) fn prolongation(d: &ProlongationDescription) -> String {
    let start = |s| match s {
        Start::Fixed => "Fixed",
        Start::Guess => "Guess",
        Start::Free => "Free",
    };
    let jets =
        d.jets.iter().map(|j| format!("jet({:?}, {}, Start::{}, {:?})", j.name, j.stage, start(j.start), j.nominal));
    let equations = d.equations.iter().map(|e| format!("jet_equation({:?}, {})", e.name, e.stage));
    let mut text =
        String::from("    fn prolongation_description(&self) -> &::dae::__private::ProlongationDescription {\n");
    text.push_str("        use ::dae::__private::*;\n");
    text.push_str(&table("JETS", "Jet", jets));
    text.push_str(&table("EQUATIONS", "JetEquation", equations));
    text.push_str("        static DESCRIPTION: ProlongationDescription = ProlongationDescription {\n");
    text.push_str(&format!("            model: Borrowed({:?}),\n", d.model));
    text.push_str("            jets: Borrowed(&JETS),\n            equations: Borrowed(&EQUATIONS),\n");
    text.push_str(&format!(
        "            jacobian: {},\n        }};\n        &DESCRIPTION\n    }}\n\n",
        pattern(&d.jacobian)
    ));
    text
}

fn table(name: &str, of: &str, entries: impl Iterator<Item = String>) -> String {
    let entries: Vec<String> = entries.collect();
    let lines: String = entries.iter().map(|e| format!("            {e},\n")).collect();
    if entries.is_empty() {
        return format!("        static {name}: [{of}; 0] = [];\n");
    }
    format!("        static {name}: [{of}; {}] = [\n{lines}        ];\n", entries.len())
}

fn pattern(p: &Pattern) -> String {
    let list = |values: &[usize]| values.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    format!("pattern({}, &[{}], &[{}])", p.columns, list(&p.row_starts), list(&p.column_indices))
}

//! Expressions as Rust, with no more parentheses than the order of operations needs.
//!
//! In: the spellings of operands. Out: that of an operation, and how tightly it binds. The order of operations is that of the instruction.

use crate::expr::Function;
use crate::program::{Instruction, Register};

/// How tightly the outermost operation of a spelling binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Binding {
    Choice,
    Sum,
    Product,
    Unary,
    Atom,
}

#[derive(Clone)]
pub(super) struct Spelling {
    pub(super) text: String,
    pub(super) binding: Binding,
}

impl Spelling {
    pub(super) fn atom(text: String) -> Self {
        Spelling { text, binding: Binding::Atom }
    }

    pub(super) fn within(&self, place: Binding) -> String {
        if self.binding >= place { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// `if s > 0.0 { a } else { b }`, chains of them as `else if`.
pub(super) fn choice(instructions: &[Instruction], arguments: &[Register], spelled: &[Spelling]) -> Spelling {
    let &[switch, a, b] = arguments else { return number(f64::NAN) };
    let otherwise = match &instructions[b] {
        Instruction::Apply(Function::If, _) if spelled[b].binding == Binding::Choice => spelled[b].text.clone(),
        _ => format!("{{ {} }}", spelled[b].text),
    };
    let text = format!("if {} > 0.0 {{ {} }} else {otherwise}", spelled[switch].within(Binding::Sum), spelled[a].text);
    Spelling { text, binding: Binding::Choice }
}

/// A literal; negative ones bind like a negation.
pub(super) fn number(value: f64) -> Spelling {
    let binding = if value < 0.0 { Binding::Unary } else { Binding::Atom };
    Spelling { text: literal(value), binding }
}

pub(super) fn literal(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { "f64::NAN".into() }
}

pub(super) fn sum(constant: f64, terms: &[(f64, Register)], spelled: &[Spelling]) -> Spelling {
    let mut text = String::new();
    for &(q, r) in terms {
        text.push_str(match (text.is_empty(), q < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        if q.abs() == 1.0 {
            let place = if text == "-" { Binding::Unary } else { Binding::Product };
            text.push_str(&spelled[r].within(place));
        } else {
            text.push_str(&format!("{} * {}", literal(q.abs()), spelled[r].within(Binding::Unary)));
        }
    }
    if constant != 0.0 {
        text.push_str(if constant < 0.0 { " - " } else { " + " });
        text.push_str(&literal(constant.abs()));
    }
    let binding = match terms {
        [(q, _)] if constant == 0.0 && *q == -1.0 => Binding::Unary,
        [_] if constant == 0.0 => Binding::Product,
        _ => Binding::Sum,
    };
    Spelling { text, binding }
}

pub(super) fn product(factors: &[(Register, i32)], spelled: &[Spelling]) -> Spelling {
    let side = |positive: bool| -> Vec<(String, bool)> {
        let chosen = factors.iter().filter(|(_, n)| (*n > 0) == positive);
        chosen.map(|&(r, n)| power(&spelled[r], n.unsigned_abs())).collect()
    };
    let join = |side: &[(String, bool)]| -> String {
        let mut text = String::new();
        for (k, (factor, compound)) in side.iter().enumerate() {
            // The first factor associates by itself; later powers are formed before they are multiplied on.
            text.push_str(if k == 0 { "" } else { " * " });
            text.push_str(&if *compound && k > 0 { format!("({factor})") } else { factor.clone() });
        }
        text
    };
    let (above, below) = (side(true), side(false));
    let numerator = if above.is_empty() { "1.0".to_string() } else { join(&above) };
    let text = match below.as_slice() {
        [] => numerator,
        [(single, false)] => format!("{numerator} / {single}"),
        _ => format!("{numerator} / ({})", join(&below)),
    };
    let atom = below.is_empty() && matches!(above.as_slice(), [(_, false)]);
    Spelling { text, binding: if atom { Binding::Atom } else { Binding::Product } }
}

/// The spelling of $b^n$, and whether it is a product.
pub(super) fn power(base: &Spelling, n: u32) -> (String, bool) {
    match n {
        1 => (base.within(Binding::Unary), false),
        2 => (format!("{0} * {0}", base.within(Binding::Unary)), true),
        3 => (format!("{0} * {0} * {0}", base.within(Binding::Unary)), true),
        _ => (format!("{}.powi({n})", base.within(Binding::Atom)), false),
    }
}

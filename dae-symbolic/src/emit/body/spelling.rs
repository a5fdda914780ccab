//! Expressions as Rust, with no more parentheses than the order of operations needs.
//!
//! In: the spellings of operands. Out: the spelling of an operation, and how tightly it binds. The order of operations
//! is that of the instruction.
//!
//! Enclosures are spelled with the operators and methods of the runtime's `TaylorModel`. Every register is one, and
//! floating-point literals occur only together with registers, as exact coefficients.

use super::super::names::Numbers;
use crate::expr::Function;
use crate::program::affine::AffineNumber;
use crate::program::{Instruction, Register, is_exact};

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

/// Spells operations on registers that are spelled already.
pub(super) struct Spells<'a> {
    pub(super) numbers: Numbers,
    pub(super) spelled: &'a [Spelling],
}

impl Spells<'_> {
    fn are_enclosures(&self) -> bool {
        self.numbers == Numbers::Enclosures
    }

    /// A number of the model; as a literal, negative ones bind like a negation.
    pub(super) fn number(&self, value: f64) -> Spelling {
        match self.numbers {
            Numbers::Enclosures if is_exact(value) => Spelling::atom(format!("TaylorModel::point({})", literal(value))),
            Numbers::Enclosures => Spelling::atom(around(value)),
            Numbers::Floating => {
                let binding = if value < 0.0 { Binding::Unary } else { Binding::Atom };
                Spelling { text: literal(value), binding }
            }
        }
    }

    /// `PI` or `E`.
    pub(super) fn constant(&self, name: &str) -> Spelling {
        Spelling::atom(match self.numbers {
            Numbers::Floating => format!("::core::f64::consts::{name}"),
            Numbers::Enclosures => format!("TaylorModel::{name}"),
        })
    }

    /// A number that depends on loop indices; `floating` spells it as a floating-point number, rounded at most once.
    pub(super) fn of_indices(&self, number: &AffineNumber, floating: &str) -> Spelling {
        Spelling::atom(match self.numbers {
            Numbers::Floating => format!("({floating})"),
            Numbers::Enclosures if number.denominator == 1 => format!("TaylorModel::point({floating})"),
            Numbers::Enclosures => format!("TaylorModel::around({floating}, 1)"),
        })
    }

    /// `if s > 0.0 { a } else { b }`, chains of them as `else if`.
    pub(super) fn choice(&self, instructions: &[Instruction], arguments: &[Register]) -> Spelling {
        let &[switch, a, b] = arguments else { return self.number(f64::NAN) };
        let spelled = self.spelled;
        if self.are_enclosures() {
            let receiver = spelled[switch].within(Binding::Atom);
            return Spelling::atom(format!("{receiver}.choose({}, {})", spelled[a].text, spelled[b].text));
        }
        let otherwise = match &instructions[b] {
            Instruction::Apply(Function::If, _) if spelled[b].binding == Binding::Choice => spelled[b].text.clone(),
            _ => format!("{{ {} }}", spelled[b].text),
        };
        let switch = spelled[switch].within(Binding::Sum);
        let text = format!("if {switch} > 0.0 {{ {} }} else {otherwise}", spelled[a].text);
        Spelling { text, binding: Binding::Choice }
    }

    pub(super) fn sum(&self, constant: f64, terms: &[(f64, Register)]) -> Spelling {
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
                text.push_str(&self.spelled[r].within(place));
            } else {
                text.push_str(&format!("{} * {}", self.coefficient(q.abs()), self.spelled[r].within(Binding::Unary)));
            }
        }
        if constant != 0.0 {
            text.push_str(if constant < 0.0 { " - " } else { " + " });
            text.push_str(&self.coefficient(constant.abs()));
        }
        let binding = match terms {
            [(q, _)] if constant == 0.0 && *q == -1.0 => Binding::Unary,
            [_] if constant == 0.0 => Binding::Product,
            _ => Binding::Sum,
        };
        Spelling { text, binding }
    }

    /// A number of the model as an operand together with a register.
    fn coefficient(&self, value: f64) -> String {
        if self.are_enclosures() && !is_exact(value) { around(value) } else { literal(value) }
    }

    pub(super) fn product(&self, factors: &[(Register, i32)]) -> Spelling {
        let side = |positive: bool| -> Vec<(String, bool)> {
            let chosen = factors.iter().filter(|(_, n)| (*n > 0) == positive);
            chosen.map(|&(r, n)| self.power(r, n.unsigned_abs())).collect()
        };
        let join = |side: &[(String, bool)]| -> String {
            let mut text = String::new();
            for (k, (factor, compound)) in side.iter().enumerate() {
                // The first factor associates without parentheses; later powers are formed before they are multiplied.
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
    fn power(&self, base: Register, n: u32) -> (String, bool) {
        let base = &self.spelled[base];
        match n {
            1 => (base.within(Binding::Unary), false),
            // The product of an interval with itself may be wider than its square.
            2 if !self.are_enclosures() => (format!("{0} * {0}", base.within(Binding::Unary)), true),
            3 if !self.are_enclosures() => (format!("{0} * {0} * {0}", base.within(Binding::Unary)), true),
            _ => (format!("{}.powi({n})", base.within(Binding::Atom)), false),
        }
    }
}

fn literal(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { "f64::NAN".into() }
}

/// An enclosure of the numbers whose nearest `f64` is this one.
fn around(value: f64) -> String {
    format!("TaylorModel::around({}, 1)", literal(value))
}

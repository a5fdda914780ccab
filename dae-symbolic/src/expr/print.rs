//! Spelling: plain text and LaTeX.
//!
//! In: an expression and the names of symbols. Out: one line. Each sub-expression is spelled once, children first; the
//! spelling of a shared one may occur many times in its parents, so spellings beyond a readable length become `…`.

use std::collections::HashMap;

use super::dag::ExprMap;
use super::{Dag, Expr, Function, Node, Rational, Symbol, reachable};

/// The notation of a spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `x² + y² - l²`
    Text,
    /// `x^{2} + y^{2} - l^{2}`
    Latex,
}

/// Sub-expressions longer than this, in bytes of text, are abbreviated.
const MAX_LENGTH: usize = 1200;

/// How tightly the outermost operation of a spelling binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Choice,
    Sum,
    Product,
    Power,
    Atom,
}

/// Spells an expression; `name` gives the spelling of a symbol in the same notation.
pub fn print(dag: &Dag, root: Expr, notation: Notation, name: impl Fn(Symbol) -> String) -> String {
    print_with(dag, root, notation, &HashMap::new(), name)
}

/// Spells an expression with names for sub-expressions: wherever one occurs, other than as the whole, its name stands
/// for it.
pub fn print_with(
    dag: &Dag,
    root: Expr,
    notation: Notation,
    names: &HashMap<Expr, String>,
    name: impl Fn(Symbol) -> String,
) -> String {
    let mut spelled: ExprMap<(String, Binding)> = ExprMap::default();
    for expr in reachable(dag, [root]) {
        if let Some(name) = names.get(&expr).filter(|_| expr != root) {
            spelled.insert(expr, (name.clone(), Binding::Atom));
            continue;
        }
        let limit = if expr == root { usize::MAX } else { MAX_LENGTH };
        let printer = Printer { spelled: &spelled, notation, limit };
        let (mut text, mut binding) = match dag.node(expr) {
            Node::Constant(q) => printer.number(q),
            Node::Pi => (
                match notation {
                    Notation::Text => "π",
                    Notation::Latex => "\\pi",
                }
                .into(),
                Binding::Atom,
            ),
            Node::Euler => ("e".into(), Binding::Atom),
            Node::Symbol(symbol) => (name(*symbol), Binding::Atom),
            Node::Sum { constant, terms } => printer.sum(constant, terms),
            Node::Product(factors) => printer.product(factors),
            Node::Call(call, arguments) => {
                let arguments: Vec<&str> = arguments.iter().map(|&a| printer.plain(a)).collect();
                let text = match notation {
                    Notation::Text => call.text(&arguments),
                    Notation::Latex => call.latex(&arguments),
                };
                (text, Binding::Atom)
            }
            Node::Apply(function, arguments) => {
                let argument = |k: usize| arguments.get(k).map_or("", |&a| printer.plain(a));
                let (a, b, c) = (argument(0), argument(1), argument(2));
                let text = match notation {
                    Notation::Latex => function.latex(a, b, c),
                    Notation::Text if *function == Function::If => printer.choice(a, b, arguments[2]),
                    Notation::Text if arguments.len() > 1 => format!("{}({a}, {b})", function.name()),
                    Notation::Text => format!("{}({a})", function.name()),
                };
                (text, if *function == Function::If { Binding::Choice } else { Binding::Atom })
            }
        };
        if text.len() > limit {
            (text, binding) = (
                match notation {
                    Notation::Text => "…",
                    Notation::Latex => "\\dots",
                }
                .into(),
                Binding::Atom,
            );
        }
        spelled.insert(expr, (text, binding));
    }
    spelled.remove(&root).map_or_else(String::new, |(text, _)| text)
}

struct Printer<'a> {
    spelled: &'a ExprMap<(String, Binding)>,
    notation: Notation,
    /// Spellings longer than this will be abbreviated and need not be completed.
    limit: usize,
}

impl Printer<'_> {
    fn plain(&self, expr: Expr) -> &str {
        self.spelled.get(&expr).map_or("", |(text, _)| text)
    }

    /// The spelling, in parentheses if it binds less tightly than its place requires.
    fn within(&self, expr: Expr, place: Binding) -> String {
        let Some((text, binding)) = self.spelled.get(&expr) else { return String::new() };
        match self.notation {
            _ if *binding >= place => text.clone(),
            Notation::Text => format!("({text})"),
            Notation::Latex => format!("\\left({text}\\right)"),
        }
    }

    /// `if s > 0 { a } else { b }`; chains of conditionals are spelled as in Rust.
    fn choice(&self, switch: &str, a: &str, otherwise: Expr) -> String {
        let b = self.plain(otherwise);
        let chained = self.spelled.get(&otherwise).is_some_and(|(_, binding)| *binding == Binding::Choice);
        let b = if chained { b.to_string() } else { format!("{{ {b} }}") };
        format!("if {switch} > 0 {{ {a} }} else {b}")
    }

    fn number(&self, q: &Rational) -> (String, Binding) {
        let binding = if q.is_negative() {
            Binding::Sum
        } else if q.to_integer().is_some() {
            Binding::Atom
        } else {
            Binding::Product
        };
        (self.magnitude(q, q.is_negative()), binding)
    }

    /// Decimal where that is short and exact, a fraction elsewhere.
    fn magnitude(&self, q: &Rational, negative: bool) -> String {
        let sign = if negative { "-" } else { "" };
        let q = q.abs();
        if let Some(decimal) = decimal(&q) {
            return format!("{sign}{decimal}");
        }
        match self.notation {
            Notation::Text => format!("{sign}{q}"),
            Notation::Latex => format!("{sign}\\frac{{{}}}{{{}}}", q.numerator(), q.denominator()),
        }
    }

    fn sum(&self, constant: &Rational, terms: &[(Rational, Expr)]) -> (String, Binding) {
        // A positive term first, if there is one.
        let first = terms.iter().position(|(q, _)| !q.is_negative()).unwrap_or(0);
        let order = std::iter::once(first).chain((0..terms.len()).filter(|&k| k != first));
        let constant_first = terms[first].0.is_negative() && !constant.is_negative() && !constant.is_zero();
        let mut text = String::new();
        if constant_first {
            text.push_str(&self.magnitude(constant, false));
        }
        for k in order {
            if text.len() > self.limit {
                break;
            }
            let (q, t) = &terms[k];
            text.push_str(match (text.is_empty(), q.is_negative()) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            });
            text.push_str(&self.scaled(&q.abs(), *t));
        }
        if !constant.is_zero() && !constant_first {
            text.push_str(if constant.is_negative() { " - " } else { " + " });
            text.push_str(&self.magnitude(&constant.abs(), false));
        }
        let binding = if terms.len() == 1 && constant.is_zero() && !terms[0].0.is_negative() {
            Binding::Product
        } else {
            Binding::Sum
        };
        (text, binding)
    }

    fn scaled(&self, q: &Rational, t: Expr) -> String {
        if q.is_one() {
            return self.within(t, Binding::Product);
        }
        let number = self.magnitude(q, false);
        match self.notation {
            Notation::Text => format!("{number}·{}", self.within(t, Binding::Product)),
            Notation::Latex => format!("{number}\\,{}", self.within(t, Binding::Product)),
        }
    }

    fn product(&self, factors: &[(Expr, i32)]) -> (String, Binding) {
        let side = |positive: bool| -> Vec<String> {
            let mut length = 0;
            factors
                .iter()
                .filter(|(_, n)| (*n > 0) == positive)
                .map(|&(b, n)| self.power(b, n.unsigned_abs()))
                .take_while(|factor| {
                    let complete = length <= self.limit;
                    length += factor.len();
                    complete
                })
                .collect()
        };
        let (above, below) = (side(true), side(false));
        let single = above.len() + below.len() == 1;
        match self.notation {
            Notation::Text => {
                let mut text = if above.is_empty() { "1".to_string() } else { above.join("·") };
                if !below.is_empty() {
                    let denominator = below.join("·");
                    let parenthesise = below.len() > 1;
                    text.push_str(&if parenthesise { format!("/({denominator})") } else { format!("/{denominator}") });
                }
                (text, if single && below.is_empty() { Binding::Power } else { Binding::Product })
            }
            Notation::Latex if below.is_empty() => {
                (above.join("\\,"), if single { Binding::Power } else { Binding::Product })
            }
            Notation::Latex => {
                let numerator = if above.is_empty() { "1".to_string() } else { above.join("\\,") };
                (format!("\\frac{{{numerator}}}{{{}}}", below.join("\\,")), Binding::Product)
            }
        }
    }

    fn power(&self, base: Expr, n: u32) -> String {
        if n == 1 {
            // A sum within a product needs parentheses, unlike a power or a function.
            return self.within(base, Binding::Power);
        }
        let base = self.within(base, Binding::Atom);
        match self.notation {
            Notation::Text => format!("{base}{}", superscript(n)),
            Notation::Latex => format!("{base}^{{{n}}}"),
        }
    }
}

/// The digits 0 to 9 of exponents in plain text.
pub(crate) const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

fn superscript(n: u32) -> String {
    n.to_string().bytes().map(|b| SUPERSCRIPTS[usize::from(b - b'0')]).collect()
}

/// The decimal spelling of a nonnegative number; `None` if it is a fraction without a short and exact one.
pub(super) fn decimal(q: &Rational) -> Option<String> {
    if let Some(n) = q.to_integer() {
        return Some(n.to_string());
    }
    let text = format!("{}", q.to_f64());
    (text.len() <= 8 && Rational::from_decimal(&text).as_ref() == Some(q)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::{UnknownId, differentiate, total_derivative};
    use super::*;

    #[test]
    fn readable() {
        let mut dag = Dag::new();
        let x_symbol = Symbol::Unknown { unknown: UnknownId(0), order: 0 };
        let x = dag.symbol(x_symbol);
        let y = dag.symbol(Symbol::Unknown { unknown: UnknownId(1), order: 0 });
        let (x2, y2) = (dag.powi(x, 2), dag.powi(y, 2));
        let s = dag.sum([(Rational::ONE, x2), (Rational::ONE, y2), (Rational::MINUS_ONE, x)]);
        let name = |s: Symbol| match s {
            Symbol::Unknown { unknown, order } => {
                format!("{}{}", ["x", "y"][unknown.index()], "'".repeat(order as usize))
            }
            _ => "?".into(),
        };
        let show = |dag: &Dag, e| print(dag, e, Notation::Text, name);
        assert_eq!(show(&dag, s), "x² - x + y²");
        let d = total_derivative(&mut dag, s);
        assert_eq!(show(&dag, d), "(2·x - 1)·x' + 2·y·y'");
        let q = dag.div(s, x2);
        let root = dag.apply(Function::Sqrt, &[q]);
        assert_eq!(show(&dag, root), "sqrt((x² - x + y²)/x²)");
        let p = differentiate(&mut dag, root, x_symbol);
        assert_eq!(print(&dag, s, Notation::Latex, name), "x^{2} - x + y^{2}");
        let value = |s: Symbol| if s == x_symbol { 1.5 } else { 0.5 };
        let f = |x: f64| ((x * x - x + 0.25) / (x * x)).sqrt();
        let slope = super::super::evaluate_one(&dag, p, value);
        assert!((slope - (f(1.5001) - f(1.4999)) / 2e-4).abs() < 1e-6);
    }
}

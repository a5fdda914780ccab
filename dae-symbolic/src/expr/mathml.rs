//! Spelling in MathML.
//!
//! In: an expression and the spelling of symbols. Out: presentation markup in MathML Core, which browsers show without
//! scripts. As in `print.rs`, each sub-expression is spelled once, children first, and spellings beyond a readable
//! length become an ellipsis.

use std::collections::HashMap;

use super::dag::ExprMap;
use super::function::Notation;
use super::{Call, Dag, Expr, ExternalSource, Function, Node, Rational, Symbol, reachable};

/// Sub-expressions longer than this, in bytes of markup, are abbreviated.
const MAX_LENGTH: usize = 16_000;

/// Between factors: a thin space, since names may have more than one letter.
const TIMES: &str = "<mo>&#8290;</mo><mspace width=\"0.14em\"></mspace>";

/// The beginning of a fraction with numerator one, which a coefficient replaces.
const ONE_OVER: &str = "<mfrac><mrow><mn>1</mn></mrow>";

/// How tightly the outermost operation of a spelling binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Sum,
    Product,
    Atom,
}

/// Spells an expression; `names` gives the markup that replaces sub-expressions, but not the whole, and `symbol` that
/// of a symbol.
pub fn mathml(dag: &Dag, root: Expr, names: &HashMap<Expr, String>, symbol: impl Fn(Symbol) -> String) -> String {
    let mut spelled: ExprMap<(String, Binding)> = ExprMap::default();
    for expr in reachable(dag, [root]) {
        if let Some(name) = names.get(&expr).filter(|_| expr != root) {
            spelled.insert(expr, (name.clone(), Binding::Atom));
            continue;
        }
        let printer = Printer { spelled: &spelled };
        let (mut text, mut binding) = match dag.node(expr) {
            Node::Constant(q) => printer.constant(q),
            Node::Pi => ("<mi>π</mi>".into(), Binding::Atom),
            Node::Euler => ("<mi mathvariant=\"normal\">e</mi>".into(), Binding::Atom),
            Node::Symbol(s) => (symbol(*s), Binding::Atom),
            Node::Sum { constant, terms } => printer.sum(constant, terms),
            Node::Product(factors) => printer.product(factors),
            Node::Call(call, arguments) => (printer.call(call, arguments), Binding::Atom),
            Node::Apply(function, arguments) => printer.apply(*function, arguments),
        };
        if text.len() > MAX_LENGTH && expr != root {
            (text, binding) = ("<mo>…</mo>".into(), Binding::Atom);
        }
        spelled.insert(expr, (text, binding));
    }
    spelled.remove(&root).map_or_else(String::new, |(text, _)| text)
}

/// The text with the special characters of markup escaped.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

struct Printer<'a> {
    spelled: &'a ExprMap<(String, Binding)>,
}

impl Printer<'_> {
    fn plain(&self, expr: Expr) -> &str {
        self.spelled.get(&expr).map_or("", |(text, _)| text)
    }

    /// The spelling, in parentheses if it binds less tightly than its place requires.
    fn within(&self, expr: Expr, place: Binding) -> String {
        match self.spelled.get(&expr) {
            None => String::new(),
            Some((text, binding)) if *binding >= place => text.clone(),
            Some((text, _)) => parenthesised(text),
        }
    }

    /// `mu″(x)`; an input is spelled without its argument, the time.
    fn call(&self, call: &Call, arguments: &[Expr]) -> String {
        let name = format!("<mi>{}</mi>", escaped(&call.function.name));
        let head = match call.marks() {
            marks if marks.is_empty() => name,
            marks => format!("<msup>{name}<mo>{marks}</mo></msup>"),
        };
        match call.function.source {
            ExternalSource::Input | ExternalSource::Supplied(_) => head,
            ExternalSource::Table(_) | ExternalSource::Code(_) => {
                let list: Vec<&str> = arguments.iter().map(|&a| self.plain(a)).collect();
                format!("{head}{}", parenthesised(&list.join("<mo>,</mo>")))
            }
        }
    }

    fn constant(&self, q: &Rational) -> (String, Binding) {
        match q.is_negative() {
            true => (format!("<mo form=\"prefix\">−</mo>{}", magnitude(&q.abs())), Binding::Sum),
            false => (magnitude(q), Binding::Atom),
        }
    }

    fn sum(&self, constant: &Rational, terms: &[(Rational, Expr)]) -> (String, Binding) {
        // A positive term first, if there is one.
        let first = terms.iter().position(|(q, _)| !q.is_negative()).unwrap_or(0);
        let constant_first = terms[first].0.is_negative() && !constant.is_negative() && !constant.is_zero();
        let mut text = if constant_first { magnitude(constant) } else { String::new() };
        for k in std::iter::once(first).chain((0..terms.len()).filter(|&k| k != first)) {
            let (q, term) = &terms[k];
            text.push_str(sign(text.is_empty(), q));
            let spelled = self.within(*term, Binding::Product);
            match (q.abs().is_one(), spelled.strip_prefix(ONE_OVER)) {
                (true, _) => text.push_str(&spelled),
                (false, Some(below)) => {
                    text.push_str(&format!("<mfrac><mrow>{}</mrow>{below}", magnitude(&q.abs())));
                }
                (false, None) => {
                    text.push_str(&magnitude(&q.abs()));
                    text.push_str(TIMES);
                    text.push_str(&spelled);
                }
            }
        }
        if !constant.is_zero() && !constant_first {
            text.push_str(sign(text.is_empty(), constant));
            text.push_str(&magnitude(&constant.abs()));
        }
        let single = terms.len() == 1 && constant.is_zero() && !terms[0].0.is_negative();
        (text, if single { Binding::Product } else { Binding::Sum })
    }

    fn product(&self, factors: &[(Expr, i32)]) -> (String, Binding) {
        let fraction = factors.iter().any(|(_, n)| *n < 0);
        let side = |positive: bool| -> Vec<String> {
            let chosen: Vec<(Expr, i32)> = factors.iter().copied().filter(|(_, n)| (*n > 0) == positive).collect();
            match chosen[..] {
                // The bar of a fraction is bracket enough.
                [(base, 1 | -1)] if fraction => vec![self.plain(base).to_string()],
                _ => chosen.iter().map(|&(base, n)| self.power(base, n.unsigned_abs())).collect(),
            }
        };
        let (above, below) = (side(true), side(false));
        let times = |list: &[String]| list.join(TIMES);
        if below.is_empty() {
            return (times(&above), if above.len() == 1 { Binding::Atom } else { Binding::Product });
        }
        let numerator = if above.is_empty() { "<mn>1</mn>".to_string() } else { times(&above) };
        let fraction = format!("<mfrac><mrow>{numerator}</mrow><mrow>{}</mrow></mfrac>", times(&below));
        (fraction, Binding::Atom)
    }

    fn power(&self, base: Expr, n: u32) -> String {
        if n == 1 {
            return self.within(base, Binding::Product);
        }
        format!("<msup><mrow>{}</mrow><mn>{n}</mn></msup>", self.within(base, Binding::Atom))
    }

    fn apply(&self, function: Function, arguments: &[Expr]) -> (String, Binding) {
        let first = arguments.first().map_or("", |&a| self.plain(a));
        let text = match function.notation() {
            Notation::Root if function == Function::Cbrt => format!("<mroot><mrow>{first}</mrow><mn>3</mn></mroot>"),
            Notation::Root => format!("<msqrt><mrow>{first}</mrow></msqrt>"),
            Notation::PowerOfE => format!("<msup><mi mathvariant=\"normal\">e</mi><mrow>{first}</mrow></msup>"),
            Notation::Bars => {
                format!("<mrow><mo stretchy=\"true\">|</mo>{first}<mo stretchy=\"true\">|</mo></mrow>")
            }
            Notation::FloorBars => {
                format!("<mrow><mo stretchy=\"true\">&#8970;</mo>{first}<mo stretchy=\"true\">&#8971;</mo></mrow>")
            }
            Notation::Cases => self.cases(first, arguments),
            Notation::Name => {
                let name = escaped(&function.name().replace('_', " "));
                let list: Vec<&str> = arguments.iter().map(|&a| self.plain(a)).collect();
                let list = parenthesised(&list.join("<mo>,</mo>"));
                format!("<mrow><mi mathvariant=\"normal\">{name}</mi><mo>&#8289;</mo>{list}</mrow>")
            }
        };
        (text, Binding::Atom)
    }

    /// The branches of a conditional, one below the other.
    fn cases(&self, switch: &str, arguments: &[Expr]) -> String {
        let case = |value: Expr, condition: &str| {
            format!(
                "<mtr><mtd style=\"text-align:left\">{}</mtd><mtd style=\"text-align:left\">{condition}</mtd></mtr>",
                self.plain(value)
            )
        };
        let condition = format!("<mtext>if&#160;</mtext>{switch}<mo>&gt;</mo><mn>0</mn>");
        let cases = match arguments {
            [_, a, b] => case(*a, &condition) + &case(*b, "<mtext>otherwise</mtext>"),
            _ => String::new(),
        };
        format!("<mrow><mo stretchy=\"true\">{{</mo><mtable>{cases}</mtable></mrow>")
    }
}

fn parenthesised(text: &str) -> String {
    format!("<mrow><mo>(</mo>{text}<mo>)</mo></mrow>")
}

fn sign(first: bool, q: &Rational) -> &'static str {
    match (first, q.is_negative()) {
        (true, true) => "<mo form=\"prefix\">−</mo>",
        (true, false) => "",
        (false, true) => "<mo form=\"infix\">−</mo>",
        (false, false) => "<mo form=\"infix\">+</mo>",
    }
}

/// Fractions with more digits above or below are shown as decimals.
const MAX_DIGITS: usize = 6;

/// A nonnegative number: a decimal where that is short and exact, otherwise a fraction; a long fraction is rounded,
/// with its exact value as title.
fn magnitude(q: &Rational) -> String {
    if let Some(decimal) = super::print::decimal(q) {
        return format!("<mn>{decimal}</mn>");
    }
    let (numerator, denominator) = (q.numerator().to_string(), q.denominator().to_string());
    if numerator.len().max(denominator.len()) <= MAX_DIGITS {
        return format!("<mfrac><mn>{numerator}</mn><mn>{denominator}</mn></mfrac>");
    }
    let value = q.to_f64();
    let rounded = match (1e-4..1e6).contains(&value) {
        true => format!("<mn>{}</mn>", significant(value)),
        false => {
            let text = format!("{value:.5e}");
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let sign = if exponent.starts_with('-') { "<mo form=\"prefix\">−</mo>" } else { "" };
            let exponent = exponent.trim_start_matches('-');
            format!("<mn>{mantissa}</mn><mo>·</mo><msup><mn>10</mn><mrow>{sign}<mn>{exponent}</mn></mrow></msup>")
        }
    };
    format!("<mrow title=\"{numerator}/{denominator}\">{rounded}</mrow>")
}

/// Six significant digits, or seven so that one stands after the point, and an ellipsis for those that are left out.
fn significant(value: f64) -> String {
    let before = value.log10().floor() as i32 + 1;
    format!("{value:.*}…", (6 - before).max(1) as usize)
}

#[cfg(test)]
mod tests {
    use super::super::UnknownId;
    use super::*;

    #[test]
    fn long_fractions_are_rounded_and_keep_their_exact_value() {
        let spelled = |n, d| magnitude(&Rational::new(n, d).unwrap_or(Rational::ONE));
        assert_eq!(spelled(1, 3), "<mfrac><mn>1</mn><mn>3</mn></mfrac>");
        assert_eq!(spelled(1, 4), "<mn>0.25</mn>");
        assert_eq!(spelled(12_345_678, 7_654_321), "<mrow title=\"12345678/7654321\"><mn>1.61290…</mn></mrow>");
        assert!(spelled(1, 700_000_003).contains("<mn>1.42857</mn><mo>·</mo><msup><mn>10</mn>"));
    }

    #[test]
    fn markup_is_balanced_and_escaped() {
        let mut dag = Dag::new();
        let x = dag.symbol(Symbol::Unknown { unknown: UnknownId(0), order: 0 });
        let t = dag.symbol(Symbol::Time);
        let (square, root) = (dag.powi(x, 2), dag.apply(Function::Sqrt, &[t]));
        let sine = dag.apply(Function::Sin, &[square]);
        let quotient = dag.div(sine, root);
        let half = Rational::new(-1, 3).unwrap_or(Rational::ONE);
        let sum = dag.sum([(half, x), (Rational::from(2), quotient), (Rational::MINUS_ONE, t)]);
        let name = |s: Symbol| match s {
            Symbol::Time => "<mi>t</mi>".to_string(),
            _ => format!("<mi>{}</mi>", escaped("x<")),
        };
        let text = mathml(&dag, sum, &HashMap::new(), name);
        assert!(text.contains("<msup><mrow><mi>x&lt;</mi></mrow><mn>2</mn></msup>"), "{text}");
        assert!(text.contains("<mfrac><mn>1</mn><mn>3</mn></mfrac>"), "{text}");
        let mut open: Vec<&str> = Vec::new();
        for tag in text.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name), "{text}"),
                None => open.push(tag.split(' ').next().unwrap_or(tag)),
            }
        }
        assert!(open.is_empty());
    }
}

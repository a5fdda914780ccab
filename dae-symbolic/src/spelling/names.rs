//! Names as mathematics.
//!
//! In: a name as the user writes it, `omega_1`, `der(x, 2)`, `q[3]`. Out: the name in LaTeX, $\omega_1$, $\ddot x$,
//! $q_3$, or MathML.

use crate::expr::Notation;
#[cfg(feature = "report")]
use crate::expr::escaped;

/// A name of the model in the given notation.
pub(crate) fn in_notation(name: &str, notation: Notation) -> String {
    match notation {
        Notation::Text => name.to_string(),
        Notation::Latex => latex_name(name),
    }
}

/// A kind of markup.
#[cfg(feature = "report")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    /// LaTeX.
    Latex,
    /// MathML.
    MathMl,
}

/// A name of the model in the given markup.
#[cfg(feature = "report")]
pub(crate) fn in_markup(name: &str, markup: Markup) -> String {
    match markup {
        Markup::Latex => latex_name(name),
        Markup::MathMl => mathml_name(name),
    }
}

/// `lambda` becomes `\lambda`, `der(x)` becomes `\dot{x}`, `y1` becomes `y_{1}`.
fn latex_name(name: &str) -> String {
    if let Some((base, order)) = derivative(name) {
        let base = latex_name(base);
        return match order {
            "1" => format!("\\dot{{{base}}}"),
            "2" => format!("\\ddot{{{base}}}"),
            order => format!("{base}^{{({order})}}"),
        };
    }
    let (stem, index) = split(name);
    let stem = match GREEK.iter().find(|(spelled, _)| *spelled == stem) {
        Some((spelled, _)) => format!("\\{spelled}"),
        None if stem.chars().count() > 1 => format!("\\mathit{{{}}}", stem.replace('_', "\\_")),
        None => stem.to_string(),
    };
    if index.is_empty() { stem } else { format!("{stem}_{{{index}}}") }
}

/// A name in MathML; dots stand over the letter, not over its index.
#[cfg(feature = "report")]
fn mathml_name(name: &str) -> String {
    let Some((base, order)) = derivative(name) else { return mathml_indexed(name, |letter| letter) };
    let dotted = |dots: &str| mathml_indexed(base, |letter| format!("<mover>{letter}<mo>{dots}</mo></mover>"));
    match order {
        "1" => dotted("˙"),
        "2" => dotted("¨"),
        order => {
            let (base, order) = (mathml_name(base), escaped(order));
            format!("<msup><mrow>{base}</mrow><mrow><mo>(</mo><mn>{order}</mn><mo>)</mo></mrow></msup>")
        }
    }
}

/// A letter or word with the marks that `marked` adds, and its index.
#[cfg(feature = "report")]
fn mathml_indexed(name: &str, marked: impl Fn(String) -> String) -> String {
    let (stem, index) = split(name);
    let stem = match GREEK.iter().find(|(spelled, _)| *spelled == stem) {
        Some((_, letter)) => letter.to_string(),
        None => escaped(stem),
    };
    let letter = marked(format!("<mi>{stem}</mi>"));
    match index.is_empty() {
        true => letter,
        false => format!("<msub>{letter}<mtext>{}</mtext></msub>", escaped(&index)),
    }
}

const GREEK: [(&str, char); 24] = [
    ("alpha", 'α'),
    ("beta", 'β'),
    ("gamma", 'γ'),
    ("delta", 'δ'),
    ("epsilon", 'ε'),
    ("zeta", 'ζ'),
    ("eta", 'η'),
    ("theta", 'θ'),
    ("iota", 'ι'),
    ("kappa", 'κ'),
    ("lambda", 'λ'),
    ("mu", 'μ'),
    ("nu", 'ν'),
    ("xi", 'ξ'),
    ("pi", 'π'),
    ("rho", 'ρ'),
    ("sigma", 'σ'),
    ("tau", 'τ'),
    ("upsilon", 'υ'),
    ("phi", 'φ'),
    ("chi", 'χ'),
    ("psi", 'ψ'),
    ("omega", 'ω'),
    ("Omega", 'Ω'),
];

/// `der(x)` as `x` and `1`, `der(x, 2)` as `x` and `2`.
fn derivative(name: &str) -> Option<(&str, &str)> {
    let inner = name.strip_prefix("der(")?.strip_suffix(')')?;
    Some(inner.split_once(", ").unwrap_or((inner, "1")))
}

/// Stem and index: `y1` as `y` and `1`, `q[2][3]` as `q` and `2,3`, `e_c` as `e` and `c`.
fn split(name: &str) -> (&str, String) {
    let at = name.char_indices().skip(1).find(|&(_, c)| c.is_ascii_digit() || c == '_' || c == '[');
    let (stem, rest) = name.split_at(at.map_or(name.len(), |(at, _)| at));
    let parts = rest.split(['_', '[', ']']).filter(|part| !part.is_empty());
    (stem, parts.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_mathematics() {
        for (name, latex) in [
            ("x", "x"),
            ("lambda", "\\lambda"),
            ("y12", "y_{12}"),
            ("der(x)", "\\dot{x}"),
            ("der(omega_1, 2)", "\\ddot{\\omega_{1}}"),
            ("der(x, 3)", "x^{(3)}"),
            ("q[2][3]", "q_{2,3}"),
            ("e_c", "e_{c}"),
            ("mass", "\\mathit{mass}"),
        ] {
            assert_eq!(latex_name(name), latex);
        }
        assert_eq!(mathml_name("lambda"), "<mi>λ</mi>");
        assert_eq!(mathml_name("q[2]"), "<msub><mi>q</mi><mtext>2</mtext></msub>");
        assert!(mathml_name("der(x)").starts_with("<mover"));
    }
}

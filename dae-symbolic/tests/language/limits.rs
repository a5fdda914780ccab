//! Long and deeply nested texts, in a thread with a stack of 512 KiB: the depth of recursion does not grow with the
//! text.

use dae_symbolic::expr::{Node, Symbol};
use dae_symbolic::{read, read_text};
use std::fmt::Write;

const STACK: usize = 512 * 1024;

fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
    thread.join().expect("no overflow and no failed assertion");
}

#[test]
fn a_sum_of_100_000_terms_is_one_node() {
    on_a_small_stack(|| {
        let mut text = String::from("struct M { var x; x = 1");
        for k in 2..=100_000 {
            let _ = write!(text, " + {k} * sin({k} * x)");
        }
        text.push_str("; }");
        let (model, _) = read_text(&text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics));
        match model.dag.node(model.equations[0].residual) {
            Node::Sum { terms, .. } => assert_eq!(terms.len(), 100_000),
            _ => panic!("a sum"),
        }
    });
}

#[test]
fn nesting_of_20_000_levels() {
    let deep = 20_000;
    let cases = [
        format!("{}x{}", "(".repeat(deep), ")".repeat(deep)),
        format!("{}x{}", "sin(".repeat(deep), ")".repeat(deep)),
        format!("x{}", ".sin()".repeat(deep)),
        format!("{}x", "-".repeat(deep + 1)),
        format!("{}x{}", "1 / (2 + ".repeat(deep), ")".repeat(deep)),
        format!("{}x, 1{}", "atan2(".repeat(deep), "), 1".repeat(deep - 1) + ")"),
    ];
    for case in cases {
        on_a_small_stack(move || {
            let text = format!("struct M {{ var x; 0 = {case}; }}");
            let (model, sources) = read_text(&text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics));
            assert_eq!(model.equations[0].incidence.len(), 1);
            drop((model, sources));
        });
    }
}

#[test]
fn nesting_with_an_error_inside() {
    on_a_small_stack(|| {
        let text = format!("struct M {{ var x; 0 = {}x ^ 2{}; y = 1; }}", "(".repeat(20_000), ")".repeat(20_000));
        let rejection = read_text(&text).expect_err("a rejection");
        assert_eq!(rejection.diagnostics.len(), 2);
    });
}

#[test]
fn nested_invisible_groups() {
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
    on_a_small_stack(|| {
        let mut inner: TokenStream = "1 + x".parse().expect("tokens");
        for _ in 0..5_000 {
            let group = TokenTree::from(Group::new(Delimiter::None, inner));
            inner = "2 +".parse::<TokenStream>().expect("tokens");
            inner.extend([group]);
        }
        let mut body: TokenStream = "var x; 0 =".parse().expect("tokens");
        body.extend([inner, ";".parse().expect("tokens")]);
        let mut all: TokenStream = "struct M".parse().expect("tokens");
        all.extend([TokenTree::from(Group::new(Delimiter::Brace, body))]);
        assert!(read(all).is_ok());
    });
}

#[test]
fn functions_that_call_each_other_twice() {
    on_a_small_stack(|| {
        let mut text = String::from("struct M { var x; fn f0(a, b) { a.sin() * b }\n");
        for k in 1..=5_000 {
            let _ = writeln!(text, "fn f{k}(a, b) {{ f{}(b, a) - f{}(b, a) + a }}", k - 1, k - 1);
        }
        text.push_str("0 = f5000(x, 1); }");
        let (model, _) = read_text(&text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics));
        // All calls cancel: what is left is the argument itself.
        assert!(matches!(model.dag.node(model.equations[0].residual), Node::Symbol(Symbol::Unknown { .. })));
    });
}

#[test]
fn inlining_without_bound_is_refused() {
    let mut text = String::from("struct M { var x; fn f0(a) { a }\n");
    for k in 1..=60 {
        let _ = writeln!(text, "fn f{k}(a) {{ f{}(sin(a)) + f{}(cos(a)) }}", k - 1, k - 1);
    }
    text.push_str("0 = f60(x); }");
    let rejection = read_text(&text).expect_err("a rejection");
    let codes: Vec<_> = rejection.diagnostics.iter().map(|finding| finding.code.text()).collect();
    assert_eq!(codes, ["E113"]);
}

#[test]
fn any_tokens_give_an_answer() {
    use proptest::prelude::*;
    let word = prop::sample::select(vec![
        "struct", "M", "{", "}", "(", ")", "[", "]", "var", "param", "const", "let", "fn", "input", "start", "der",
        "x", "y", "t", "PI", "sin", "powi", "=", "~", ";", ";", ";", ",", ".", "+", "-", "*", "/", "^", "::", "->",
        ":", "f64", "#", "!", "1", "2.5", "0x1", "\"s\"", "'a", "if", "else", "for", "pub", "x", "=", "nominal", "\n",
    ]);
    let texts = prop::collection::vec(word, 0..60);
    proptest!(ProptestConfig::with_cases(2000), |(words in texts)| {
        let text = words.join(" ");
        for text in [text.clone(), format!("struct M {{ var x; {text}; x = 1; }}")] {
            if let Err(rejection) = read_text(&text) {
                prop_assert!(rejection.diagnostics.has_errors());
                let source = dae_symbolic::syntax::SourceText { file: "f", text: &text };
                prop_assert!(!rejection.to_text(source).is_empty());
                prop_assert!(!rejection.to_compile_errors().is_empty());
            }
        }
    });
}

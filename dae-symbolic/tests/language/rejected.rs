//! Every case of `rejected.txt`: a text, and exactly what is printed about it.
//!
//! `DAE_UPDATE=1 cargo test` rewrites the expected output; read the difference before committing it.

use dae_symbolic::read_text;
use dae_symbolic::syntax::SourceText;
use std::fmt::Write;

pub(crate) const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/language/rejected.txt");
const CASE: &str = "=== ";
const EXPECTED: &str = "--- printed\n";

pub(crate) struct Case<'a> {
    pub(crate) title: &'a str,
    pub(crate) text: &'a str,
    pub(crate) expected: &'a str,
}

pub(crate) fn cases(file: &str) -> Vec<Case<'_>> {
    let parts = file.split(CASE).skip(1);
    parts
        .map(|part| {
            let (title, rest) = part.split_once('\n').expect("a title line");
            let (text, expected) = rest.split_once(EXPECTED).unwrap_or((rest, ""));
            Case { title, text, expected }
        })
        .collect()
}

fn printed(text: &str) -> String {
    match read_text(text) {
        Ok(_) => "accepted\n".to_string(),
        Err(rejection) => rejection.to_text(SourceText { file: "model.dae", text }),
    }
}

#[test]
fn rejected_texts_print_what_is_expected() {
    let file = std::fs::read_to_string(FILE).expect("the file of cases");
    let cases = cases(&file);
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let head = &file[..file.find(CASE).expect("a case")];
    let mut now = head.to_string();
    let mut wrong = Vec::new();
    for case in &cases {
        let printed = printed(case.text);
        assert_ne!(printed, "accepted\n", "{}", case.title);
        if printed.trim() != case.expected.trim() {
            wrong.push(format!("{}:\n{printed}", case.title));
        }
        write!(now, "{CASE}{}\n{}\n{EXPECTED}{}\n\n", case.title, case.text.trim_end(), printed.trim_end())
            .expect("a string");
    }
    if std::env::var_os("DAE_UPDATE").is_some() {
        std::fs::write(FILE, now.trim_end().to_string() + "\n").expect("the file of cases can be written");
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }
}

#[test]
fn rejections_keep_a_stub() {
    let text = "pub(crate) struct Broken { param a = 1; param b = ; var x ~ ; var y; param a = 2; x = = y; }";
    let rejection = read_text(text).expect_err("a rejection");
    let stub = rejection.stub.expect("a stub");
    let names = |names: &[dae_symbolic::syntax::ast::Name]| names.iter().map(|n| n.text.clone()).collect::<Vec<_>>();
    assert_eq!((stub.name.text.as_str(), stub.visibility.as_str()), ("Broken", "pub(crate)"));
    assert_eq!(names(&stub.parameters), ["a", "b"]);
    let unknowns: Vec<(&str, usize)> =
        stub.unknowns.iter().map(|(name, indices)| (name.text.as_str(), *indices)).collect();
    assert_eq!(unknowns, [("x", 0), ("y", 0)]);
    assert_eq!(rejection.diagnostics.len(), 4);
}

#[test]
fn errors_become_compile_errors_with_notes() {
    let text = "struct M {\n    var x;\n    var x;\n    0 = x ^ 2;\n}";
    let rejection = read_text(text).expect_err("a rejection");
    let tokens = rejection.to_compile_errors().to_string();
    assert_eq!(tokens.matches("compile_error").count(), 2);
    assert!(tokens.contains(r"[E103] the name `x` is declared twice\n  note: `x` is first declared here (line 2, column 9)\n  help: rename one of them"), "{tokens}");
    assert!(tokens.contains("[E005] `^` is not exponentiation in Rust\\n  help: use `x.powi(2)`"), "{tokens}");
}

//! The text of generated code.

use dae::symbolic::syntax::SourceText;
use dae::symbolic::{build, expand_text};
use expect_test::expect_file;

use super::{macro_bodies, model_files, models};

fn expanded(text: &str) -> String {
    expand_text(SourceText { file: "model.dae", text }).unwrap_or_else(|message| panic!("{message}"))
}

/// The code generated for the pendulum, which `cargo expand` shows formatted. `UPDATE_EXPECT=1 cargo test` rewrites the
/// file.
#[test]
fn pendulum_snapshot() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/models/pendulum.dae")).unwrap();
    expect_file!["pendulum.expanded.rs"].assert_eq(&expanded(&text));
}

/// The excerpt in the README is part of the code generated for the pendulum, up to formatting.
#[test]
fn excerpt_in_the_readme() {
    let readme = include_str!("../../README.md");
    let mut blocks = readme.split("```rust,ignore\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0));
    let excerpt = blocks.find(|block| block.contains("fn jacobian_y")).unwrap();
    let compact = |text: &str| text.split_whitespace().collect::<String>().replace(",]", "]").replace(",)", ")");
    assert!(compact(include_str!("pendulum.expanded.rs")).contains(&compact(excerpt)));
}

#[test]
fn expansion_is_a_function_of_the_text() {
    for file in model_files() {
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(expanded(&text), expanded(&text), "{}", file.display());
    }
}

/// Generated code can be parsed as Rust.
#[test]
fn generated_code_is_rust() {
    let written = models().into_iter().map(|model| model.text);
    let files = model_files().into_iter().map(|file| std::fs::read_to_string(file).unwrap());
    for text in written.chain(files) {
        let file = syn::parse_file(&expanded(&text)).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(file.items.len() > 5, "{text}");
    }
}

/// For each `.dae` file there is an example whose macro contains the same model.
#[test]
fn macro_and_file_say_the_same() {
    let mut examples = Vec::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            examples.extend(macro_bodies(&source).iter().map(|body| expanded(body)));
        }
    }
    for file in model_files() {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(examples.contains(&expanded(&text)), "{}", file.display());
    }
}

#[test]
fn build_script_writes_what_the_macro_expands_to() {
    let directory = std::env::temp_dir().join(format!("dae-build-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    for file in model_files() {
        let target = build::compile_into(&file, &directory).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(std::fs::read_to_string(target).unwrap(), expanded(&text));
    }
    let broken = directory.join("broken.dae");
    std::fs::write(&broken, "pub struct Broken {\n    var x;\n    der(x) = y;\n}\n").unwrap();
    let message = build::compile_into(&broken, &directory).unwrap_err().to_string();
    assert!(message.contains(&format!("{}:3:14", broken.display())), "{message}");
    std::fs::remove_dir_all(&directory).unwrap();
}

/// Two equations that are nonlinear in the same combination of derivatives: nothing says which constraint to
/// differentiate.
#[test]
fn missing_formulations_are_explained() {
    let text = "struct Open { var x ~ 0.1; var y ~ 0.2; sin(der(x) + der(y)) = x; exp(der(x) + der(y)) = 1 + y; }";
    let code = expanded(text);
    assert!(code.contains("\n    fn original(&self) -> OpenOriginal"), "{code}");
    assert!(!code.contains("fn ggl("));
    assert!(code.contains("/// There is no ggl form: the system Jacobian is singular"), "{code}");
}

/// The dependency may have another name than `dae`.
#[test]
fn path_of_the_crate() {
    let model = "struct Decay { var x = 1; der(x) = -x; }";
    let code = expanded(&format!("/// Documented.\n#[dae(crate = ::models::differential)]\n{model}"));
    assert!(code.contains("impl ::models::differential::__private::Dae for DecayIndex1"), "{code}");
    assert!(!code.contains("::dae::"), "{code}");
    let model = "struct Driven { input u; table f = [(0, 0), (1, 1), (2, 3), (3, 2)]; var x = 1; der(x) = u - f(x); }";
    assert!(!expanded(&format!("#[dae(crate = ::models::differential)]\n{model}")).contains("::dae::"));
    let refused = |text: &str| expand_text(SourceText { file: "model.dae", text }).unwrap_err().to_string();
    assert!(refused(&format!("#[dae(crate = )]\n{model}")).contains("1:15"));
    assert!(refused(&format!("#[dae(crate = a b)]\n{model}")).contains("expected a path"));
    assert!(refused(&format!("#[dae(name = a)]\n{model}")).contains("`crate = path`"));
    assert!(refused("struct A { #[dae(crate = ::b)] var x = 1; der(x) = x; }").contains("unknown attribute"));
}

//! `dae analyze` for people: text, pages, articles; the same bytes every time.

use super::*;

#[test]
fn pages_stand_alone() {
    let output = dae(&["analyze", PENDULUM, "--html"]);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    let page = stdout(&output);
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    for foreign in ["<script", "http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    for part in ["<math", "<svg", "Hidden constraints", "may be chosen", "prefers-color-scheme"] {
        assert!(page.contains(part), "{part}");
    }

    let output = dae(&["analyze", PENDULUM, "--latex"]);
    let article = stdout(&output);
    assert_eq!(code(&output), 0);
    assert!(article.starts_with("\\documentclass") && article.trim_end().ends_with("\\end{document}"));
    assert!(article.contains("\\dot{x} &= u") && article.contains("0 &= x\\,u + y\\,v"), "{article}");
    assert_eq!(code(&dae(&["analyze", PENDULUM, "--latex", "--json"])), 2);
}

#[test]
fn pendulum_for_people() {
    let output = dae(&["analyze", PENDULUM]);
    let text = stdout(&output);
    for line in [
        "Pendulum: 5 equations, 5 unknowns",
        "  differentiation index    3, certified at the start values",
        "  degrees of freedom       2",
        "  classification           Hessenberg form of size 3",
        "    5  c = 2  0 = x² + y² - l²",
        "  lambda  d = 0",
        "  der(equation 5)     0 = x·u + y·v",
        "  ggl       available",
    ] {
        assert!(text.lines().any(|l| l == line), "`{line}` is not in\n{text}");
    }
}

#[test]
fn the_same_bytes_every_time() {
    for model in [PENDULUM, CAR_AXIS, AMPLIFIER] {
        for command in [&["analyze", model][..], &["analyze", model, "--json"], &["expand", model, "--form", "ggl"]] {
            assert_eq!(dae(command).stdout, dae(command).stdout, "{command:?}");
        }
    }
}

/// What LaTeX and HTML need to be closed is closed, in articles with and without each section.
#[test]
fn articles_and_pages_are_balanced() {
    let singular = file(
        "singular_branch.dae",
        "struct Branch { var x1 ~ 0; var x2 ~ 1; var x3 ~ 1;
        der(x1) = x3; 0 = x2 * (1 - x2); 0 = x1 * x2 + x3 * (1 - x2) - t; }",
    );
    let combined = file(
        "combined.dae",
        "struct Combined { param k = 2; var x ~ 0; var y ~ 0; var z = 1;
        der(x) + der(y) = z; k * der(x) + k * der(y) = z + x; der(z) = -y; }",
    );
    for model in [PENDULUM, AMPLIFIER, "examples/models/chain.dae", "examples/models/plate.dae", &singular, &combined] {
        let article = stdout(&dae(&["analyze", model, "--latex"]));
        let mut open = Vec::new();
        for (at, _) in article.match_indices('\\') {
            let word = |prefix: &str| article[at..].strip_prefix(prefix).and_then(|rest| rest.split('}').next());
            if let Some(name) = word("\\begin{") {
                open.push(name);
            } else if let Some(name) = word("\\end{") {
                assert_eq!(open.pop(), Some(name), "{model}");
            }
        }
        assert!(open.is_empty(), "{model}: {open:?}");
        let plain = article.replace("\\{", "").replace("\\}", "");
        assert_eq!(plain.matches('{').count(), plain.matches('}').count(), "{model}");
        assert!(!article.contains("\\begin{description}\n\\end"), "{model}: a list without items");

        let page = stdout(&dae(&["analyze", model, "--html"]));
        for tag in ["math", "mrow", "mfrac", "msub", "msup", "table", "tr", "td", "div", "dl", "p", "details", "svg"] {
            let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{model}: {tag}");
        }
    }
}

/// Three hundred equations that are ten families take ten lines.
#[test]
fn families_are_shown_once() {
    let text = std::fs::read_to_string("examples/models/chain.dae").expect("an example");
    let long = file("long_chain.dae", &text.replace("const N = 6;", "const N = 60;"));
    let page = stdout(&dae(&["analyze", &long, "--html"]));
    let system = page.split("<h2>").find(|part| part.starts_with("System")).expect("a system");
    let rows = system.split("</table>").next().expect("a table").matches("<tr>").count();
    assert!(rows <= 10 && system.contains("i = 1, …, 58") && system.contains("(242) – (300)"), "{rows} rows: {system}");
    assert!(page.len() < 80_000, "{} bytes", page.len());
}

/// Before and after a combination, in mathematics.
#[test]
fn combinations_are_typeset() {
    let text = "struct Combined { param k = 2; var x ~ 0; var y ~ 0; var z = 1;
        der(x) + der(y) = z; k * der(x) + k * der(y) = z + x; der(z) = -y; }";
    let model = file("combination.dae", text);
    let rewrites = json(&dae(&["analyze", &model, "--json"]))["rewrites"].clone();
    assert_eq!(rewrites.as_array().map(Vec::len), Some(1), "{rewrites}");
    let page = stdout(&dae(&["analyze", &model, "--html"]));
    let section = page.split("<h2>").find(|part| part.starts_with("Combined equations")).expect("a section");
    assert!(section.contains("replaced by") && section.matches("<math").count() >= 3, "{section}");
    let article = stdout(&dae(&["analyze", &model, "--latex"]));
    assert!(article.contains("\\section*{Combined equations}"), "{article}");
}

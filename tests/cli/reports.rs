//! Reports of `dae analyze` for people: text, pages, articles and graphs; the same bytes every time.

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
        "  5  14:5  c = 2  0 = x² + y² - l²",
        "  lambda  d = 0",
        "  der(equation 5)     0 = x·u + y·v",
        "  ggl       available",
    ] {
        assert!(text.lines().any(|l| l == line), "`{line}` is not in\n{text}");
    }
}

#[test]
fn blocks_as_a_graph() {
    let path = file(
        "blocks.dae",
        "struct Blocks {
    var a = 1;
    var b: [f64; 2] ~ 0;
    var c;
    der(a) = -a;
    b[0] + b[1] = a;
    b[0] - b[1].sin() = 1;
    c = b[1] - a;
}",
    );
    let output = dae(&["analyze", &path, "--dot"]);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    let expected = r#"digraph {
    0 [ label = "equation 1: a\l" shape = box ]
    1 [ label = "equation 2: b[0]\lequation 3: b[1]\l" shape = box ]
    2 [ label = "equation 4: c\l" shape = box ]
    1 -> 0 [ ]
    2 -> 0 [ ]
    2 -> 1 [ ]
}
"#;
    assert_eq!(stdout(&output), expected);
    assert_eq!(code(&dae(&["analyze", &path, "--dot", "--html"])), 2);
    let singular = file("no_blocks.dae", "struct Singular { var x; var y; x = 1; x = t; }");
    let output = dae(&["analyze", &singular, "--dot"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (1, ""));
    assert!(stderr(&output).contains("structurally singular"), "{}", stderr(&output));
}

#[test]
fn the_same_bytes_every_time() {
    for model in [PENDULUM, CAR_AXIS, AMPLIFIER] {
        for command in [&["analyze", model][..], &["analyze", model, "--json"], &["expand", model, "--form", "ggl"]] {
            assert_eq!(dae(command).stdout, dae(command).stdout, "{command:?}");
        }
    }
}

/// Environments of LaTeX and elements of HTML are closed, in articles with and without each section.
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

/// Three hundred equations from ten statements take ten lines.
#[test]
fn families_are_shown_once() {
    let text = std::fs::read_to_string("examples/models/chain.dae").expect("an example");
    let page = |name: &str, length: &str| {
        let chain = file(name, &text.replace("const N = 6;", &format!("const N = {length};")));
        stdout(&dae(&["analyze", &chain, "--html"]))
    };
    let (short, page) = (page("chain_of_30.dae", "30"), page("chain_of_60.dae", "60"));
    let system = page.split("<h2>").find(|part| part.starts_with("System")).expect("a system");
    let rows = system.split("</table>").next().expect("a table").matches("<tr>").count();
    assert!(rows <= 10 && system.contains("for i in 1..=58") && system.contains("(10[i])"), "{rows} rows: {system}");
    // Only the pattern grows, by a point for each equation.
    assert!(page.len() < short.len() * 5 / 4, "{} bytes, half as many links {}", page.len(), short.len());
}

/// Combined equations are shown as formulas, before and after the combination.
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

/// An equation has the same name everywhere: the number of its statement in the text, followed for a member of a family
/// by the index in brackets. In this model, equation 2 is the sixth in the list of all instances.
#[test]
fn equations_have_one_name() {
    let text = "struct Names { var x: [f64; 5] ~ 0; var a ~ 0; var b ~ 0; var c = 1;
        for k in 0..5 { der(x[k]) = a - k * x[k]; }
        der(a) + der(b) = c;
        2 * der(a) + 2 * der(b) = c + a;
        der(c) = -b; }";
    let model = file("names.dae", text);
    let report = json(&dae(&["analyze", &model, "--json"]));
    assert_eq!(report["equation_names"][3], "equation 1[k = 3]");
    assert_eq!(report["equation_places"][3], serde_json::json!([2, 25]));
    let rewrite = &report["rewrites"][0];
    let position = rewrite["equation"].as_u64().expect("a position") as usize;
    assert_eq!(report["equation_names"][position - 1], rewrite["equation_name"]);
    assert_eq!(rewrite["cancelling_names"], serde_json::json!(["equation 2", "equation 3"]));
    assert_eq!(rewrite["combination"], "2·equation 2 - equation 3");
    let explanation = report["explanation"].as_str().expect("an explanation");
    assert!(explanation.contains("the leading parts of equation 2 and equation 3 cancel"), "{explanation}");

    let text = stdout(&dae(&["analyze", &model]));
    for line in [
        "  1[k]      2:25  c = 0  0 = k·x[k] - a + der(x[k]), for k in 2..=4",
        "  2         3:9   c = 0  0 = der(a) + der(b) - c",
    ] {
        assert!(text.lines().any(|l| l == line), "`{line}` is not in\n{text}");
    }
    assert!(text.contains("equation 3 was replaced by 2·equation 2 - equation 3"), "{text}");
    for kind in ["--html", "--latex"] {
        let page = stdout(&dae(&["analyze", &model, kind]));
        assert!(page.contains("Equation (3)") && page.contains("(2)") && !page.contains("(7)"), "{page}");
    }
    // Messages use these names as well.
    let text = "struct Names { var x: [f64; 5] ~ 0; var a ~ 0; var b ~ 0;
        for k in 0..5 { der(x[k]) = a - k * x[k]; } der(a) + der(b) = 1; 2 * der(a) + 2 * der(b) = 3; }";
    let output = dae(&["analyze", &file("names_contradictory.dae", text)]);
    let message = stderr(&output);
    assert!(
        message.contains("equation 3") && message.contains("equation 2") && !message.contains("equation 7"),
        "{message}"
    );
}

/// Equations derived from a block are not in the text and have no number: they are named after their role, and do not
/// shift the numbers of the written ones.
#[test]
fn equations_of_a_block_are_called_by_their_part() {
    let text = "struct Pendulum { var x ~ 1; var y = 0; var lambda ~ 0; var w = 0;
        lagrangian {
            coordinates x, y;
            kinetic = 0.5 * (der(x).powi(2) + der(y).powi(2));
            potential = y;
            constraint(lambda) x.powi(2) + y.powi(2) = 1;
        }
        der(w) = x; }";
    let model = file("block_names.dae", text);
    let report = json(&dae(&["analyze", &model, "--json"]));
    let names = ["motion of x", "motion of y", "constraint of lambda", "equation 1"];
    assert_eq!(report["equation_names"], serde_json::json!(names));
    assert_eq!(report["hidden_constraints"][0]["name"], "der(constraint of lambda)");
    let text = stdout(&dae(&["analyze", &model]));
    assert!(text.contains("  equations: motion of x, motion of y, constraint of lambda"), "{text}");
    let page = stdout(&dae(&["analyze", &model, "--html"]));
    assert!(page.contains("(constraint of lambda)") && page.contains("From constraint of lambda"), "{page}");
}

/// Members with the same text share one line in every list, and ranges show their last value (`0..=19`).
#[test]
fn lists_for_people_are_folded() {
    let text = std::fs::read_to_string("examples/models/chain.dae").expect("an example");
    let long = file("folded_chain.dae", &text.replace("const N = 6;", "const N = 20;"));
    let text = stdout(&dae(&["analyze", &long]));
    for line in [
        "  x[i]        d = 2, for i in 0..=19",
        "  10[i]  40:9  c = 2  0 = (x[i] - x[i - 1])² + (y[i] - y[i - 1])² - l[i]², for i in 1..=19",
    ] {
        assert!(text.lines().any(|l| l == line), "`{line}` is not in\n{text}");
    }
    assert!(text.lines().count() < 110, "{} lines", text.lines().count());
    let short = stdout(&dae(&["analyze", "examples/models/chain.dae"]));
    assert!(short.lines().any(|line| line == "  u[0..=5]   = 0                      fixed"), "{short}");
    // Coefficients that follow no rule: the first members are shown, and the others counted.
    let table = (0..40).map(|k| format!("{}.{}", k * k % 17, (7 * k + 3) % 10)).collect::<Vec<_>>().join(", ");
    let unlike = format!(
        "struct Unlike {{ const A: [f64; 40] = [{table}]; var x: [f64; 40] = 1; for i in 0..40 {{ der(x[i]) = -A[i] * x[i]; }} }}"
    );
    let text = stdout(&dae(&["analyze", &file("unlike.dae", &unlike)]));
    let listed = text.lines().filter(|line| line.contains("0 = ")).count();
    let rest = text.lines().find(|line| line.starts_with("  … and ")).expect("the rest is counted");
    assert_eq!(rest, format!("  … and {} more like these", 40 - listed));
}

/// Reports use the names of the text and say what each `let` stands for; a `let` that only renames an unknown does not
/// take its place.
#[test]
fn named_expressions_are_explained() {
    let text = "struct Let { param k = 2; var x = 1; var v = 0; var e = 0; var w: [f64; 6] = 1;
        let q = x; let force = -k * x + sin(v); let power = force * v; let unused = 7 * v;
        input f = sin(t);
        der(x) = v; der(v) = force + f; der(e) = power + q;
        for i in 0..6 { let s = sin(w[i]) * x; der(w[i]) = -s; } }";
    let model = file("let.dae", text);
    let report = stdout(&dae(&["analyze", &model]));
    let part = report.split("\n\n").find(|part| part.starts_with("Named expressions")).expect("a part on them");
    let expected = "Named expressions\n  force = sin(v) - k·x\n  power = v·force\n  s[i]  = x·sin(w[i]), for i in 0..=5\n  f     = sin(t)";
    assert_eq!(part, expected);
    assert!(report.contains("0 = der(e) - x - power") && !report.contains("·q"), "{report}");
    let data = json(&dae(&["analyze", &model, "--json"]));
    assert_eq!(data["definitions"][0], serde_json::json!({"name": "force", "value": "sin(v) - k·x"}));
    let page = stdout(&dae(&["analyze", &model, "--html"]));
    assert_eq!(page.matches("<p>with ").count(), 5, "{page}");
    // The documentation of generated code explains such names where a hidden constraint contains them.
    let text = "struct Hidden { var x = 1; var y ~ 1; var z ~ 0; let r = sin(x) * x; der(x) = z + r; der(y) = -x * r; 0 = x - y; }";
    let code = stdout(&dae(&["expand", &file("hidden_let.dae", text), "--form", "ggl"]));
    assert!(code.contains("/// where r = x·sin(x)"), "{code}");
}

/// Conditions of optimal control are printed where they hold: not those that a `boundary` block replaces.
#[test]
fn conditions_of_optimal_control_are_those_that_hold() {
    let of = |name: &str, more: &str| {
        let text = format!(
            "struct Control {{ var y = 1; var v ~ 0; var u ~ 0;
            optimal_control {{
                states y; adjoints v; controls u;
                der(y) = u; running_cost = (y.powi(2) + u.powi(2)) / 2; horizon(0, 1);
            }} {more} }}"
        );
        let path = file(name, &text);
        (stdout(&dae(&["analyze", &path])), json(&dae(&["analyze", &path, "--json"])))
    };
    let (text, data) = of("control_plain.dae", "");
    assert!(text.contains("  v(1) = 0\n"), "{text}");
    assert_eq!(data["derivations"][0]["boundary_conditions"].as_array().map(Vec::len), Some(2));
    let (text, data) = of("control_replaced.dae", "boundary { y(t_end) = 0; }");
    assert!(!text.contains("v(1) = 0") && text.contains("y(t_end) = 0"), "{text}");
    assert_eq!(data["derivations"][0]["boundary_conditions"], serde_json::json!([]));
    assert_eq!(data["boundary"]["conditions"].as_array().map(Vec::len), Some(2));
}

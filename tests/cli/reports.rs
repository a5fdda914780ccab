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

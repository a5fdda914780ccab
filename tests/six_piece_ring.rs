//! The six-piece ring: a square model whose constraints depend on one another at one configuration and not at another.
//!
//! In: `tests/data/six_piece_ring.dae` (E. Hairer, *Solving Differential Equations on Manifolds*, 2011, sect. I.3 and
//! exercise I.7). Out: started in the flexible boat form, the model is rejected because the multipliers are not unique,
//! and the dependent constraints are named; without one that may be dropped, the index is 3 with two degrees of
//! freedom. The rigid form is an isolated point.

use dae::symbolic::index::{ProblemKind, Verdict};
use dae::symbolic::pipeline::{Compiled, Rejected, compile};

const RING: &str = include_str!("data/six_piece_ring.dae");

fn compiled(text: &str) -> Result<Compiled, Rejected> {
    let (model, _) = dae::symbolic::read_text(text).unwrap_or_else(|rejection| panic!("{rejection:?}"));
    compile(model, 0.0)
}

#[test]
fn the_flexible_form_has_dependent_constraints() {
    let Err(rejected) = compiled(RING) else { panic!("the multipliers are not unique") };
    let problem = rejected.problem.expect("a problem");
    assert_eq!(problem.kind, ProblemKind::NotUnique);
    assert!(!problem.unknowns.is_empty() && problem.unknowns.iter().all(|name| name.starts_with('l')), "{problem:?}");
    // Among them are the two, 15 and 18, either of which may be dropped all along the motion: (q4 - q3)(q3 - q2) and
    // (q1 - q6)(q6 - q5).
    for constraint in [15, 18] {
        let name = format!("constraint of l{constraint}");
        assert!(problem.equations.contains(&name), "{name} is not among {:?}", problem.equations);
    }
    let constraint = |name: &String| name.starts_with("constraint of ");
    assert!(problem.equations.iter().all(constraint), "{problem:?}");
}

#[test]
fn without_one_of_them_the_index_is_three() {
    for dropped in [15, 18] {
        let text: String = RING
            .lines()
            .filter(|line| {
                !line.contains(&format!("constraint(l{dropped})")) && !line.contains(&format!("var l{dropped} "))
            })
            .map(|line| format!("{line}\n"))
            .collect();
        let Ok(compiled) = compiled(&text) else { panic!("well-posed without constraint {dropped}") };
        let certificate = &compiled.analysis.certificate;
        assert_eq!(certificate.verdict(), Verdict::Exact(3), "without constraint {dropped}");
        assert_eq!(certificate.degrees_of_freedom(), Some(2));
    }
}

#[test]
fn the_rigid_form_is_an_isolated_point() {
    let rigid: String = RING
        .lines()
        .filter(|line| !line.contains("start der("))
        .map(|line| {
            if line.contains("var x5 ~") {
                "    var x5 ~ 1; var y5 ~ 1; var z5 ~ 1;\n".into()
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    let Ok(compiled) = compiled(&rigid) else { panic!("well-posed") };
    let certificate = &compiled.analysis.certificate;
    assert_eq!(certificate.verdict(), Verdict::Exact(3));
    assert_eq!(certificate.degrees_of_freedom(), Some(0));
}

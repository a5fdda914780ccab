//! Models about which a less careful analysis would make false claims.
//!
//! In: badly scaled models, models at the boundary of a function's domain, models with branches, and redundant
//! equations that nearly hold. Out: the right answer or none, never a wrong one.

use dae_symbolic::form::Form;
use dae_symbolic::index::{ProblemKind, Verdict};
use dae_symbolic::pipeline::{Compiled, Rejected, compile};
use dae_symbolic::read_text;

fn compiled(body: &str) -> Result<Compiled, Rejected> {
    let text = format!("struct Model {{ {body} }}");
    let (model, _) = read_text(&text).unwrap_or_else(|found| panic!("{body}\n{found:?}"));
    compile(model.with_forms(Form::BASIC), 0.0)
}

/// The index of the model, if the analysis certifies it exactly.
fn index(body: &str) -> Option<u32> {
    let compiled = compiled(body).unwrap_or_else(|rejected| panic!("{body}\n{}", rejected.diagnostics));
    match compiled.analysis.certificate.verdict() {
        Verdict::Exact(index) => Some(index),
        Verdict::AtMost { .. } | Verdict::NotCertified { .. } => None,
    }
}

fn accepted(body: &str) {
    if let Err(rejected) = compiled(body) {
        panic!("{body}\n{}", rejected.diagnostics);
    }
}

/// A small number may decide whether a matrix is singular, and is not neglected.
#[test]
fn small_conductances_are_not_nothing() {
    // u₂ = -x/(ε w) with the small number ε: index 1, and not 2.
    let hidden = "var x ~ 0; var u1 ~ 0; var u2 ~ 0; var w = 1; der(w) = -w*w; der(x) = u2; 0 = (u1 - u2)*w - x;";
    for small in ["1e-9", "1e-11", "1e-12", "1e-13", "1e-14"] {
        let body = format!("{hidden} 0 = (u1 - u2)*w + {small}*u2*w;");
        assert!(matches!(index(&body), None | Some(1)), "{small}");
    }
    assert_eq!(index(&format!("{hidden} 0 = (u1 - u2)*w + 1e-11*u2*w;")), Some(1));
    let others = [
        "var x = 1e-11; var u1 ~ 1; var u2 ~ -1; var w = 1; der(w) = -w*w; der(x) = u2; 0 = (u1 - u2)*w - x; 0 = (u1 - u2)*w + 1e-11*u2*w;",
        "param g = 1e-12; param gw = 1; var v ~ 0; var u1 ~ 0; var u2 ~ 0; der(v) = u2; \
         0 = gw*(u1 - u2) + 0.1*(u1 - u2)*abs(u1 - u2) - v; 0 = gw*(u1 - u2) + 0.1*(u1 - u2)*abs(u1 - u2) + g*u2;",
        "var x ~ 0; var u1 ~ 0; var u2 ~ 0; var w = 1; der(w) = -w*w; der(x) = u2; 0 = 1e6*(u1 - u2)*w - x; 0 = 1e6*(u1 - u2)*w + 1e-6*u2*w;",
        "var x = 0; var u1 ~ 0; var u2 ~ 0; der(x) = u2 + sin(t); 0 = (u1 - u2)*exp(t) - x; 0 = (u1 - u2)*exp(t) + 1e-11*u2*exp(t);",
    ];
    for body in others {
        assert!(matches!(index(body), None | Some(1)), "{body}");
    }
}

/// Badly scaled models with exactly one solution.
#[test]
fn badly_scaled_models_are_not_rejected() {
    let bodies = [
        "var u1 ~ 0; var u2 ~ 0; var w = 1; der(w) = -w*w; 0 = 1e6*(u1 - u2)*w; 1e6*(u1 - u2)*w = 1e-6*u2*w;",
        "var u1 ~ 0; var u2 ~ 0; var w = 1; der(w) = -w*w; 0 = 1e7*(u1 - u2)*w; 1e7*(u1 - u2)*w = 1e-7*u2*w;",
        "var u1 ~ 0; var u2 ~ 0; var w = 1; der(w) = -w*w; 0 = 1e8*(u1 - u2)*w; 1e8*(u1 - u2)*w = 1e-8*u2*w;",
        "var u1 ~ 1; var u2 ~ 1; 1 = 1e4*(u1 - u2); 1e4*(u1 - u2) = 1e-9*u2;",
        "var u1 ~ 1; var u2 ~ 1; 1 = 1e6*(u1 - u2); 1e6*(u1 - u2) = 1e-6*u2;",
        "var u1 ~ 1; var u2 ~ 1; var u3 ~ 1; sin(t) + 1 = 1e6*(u1 - u2); 1e6*(u1 - u2) = 1e6*(u2 - u3); 1e6*(u2 - u3) = 1e-9*u3;",
        "var x ~ 0; var y ~ 0; x + y = 1; x + 1.0000000001*y = 2;",
    ];
    bodies.into_iter().for_each(accepted);
}

/// On the boundary of a function's domain its derivatives may be infinite, and solutions may lie there.
#[test]
fn ends_of_domains_are_no_contradictions() {
    let bodies = [
        "var x ~ 1; var y ~ 1; x = 1; y = asin(x);",
        "var h ~ 0; var q ~ 0; var p ~ 0; p = 9.81*h; q = sqrt(p); h = 0;",
        "var p1 ~ 2; var p2 ~ 1; var q ~ 0; p1 = 1; p2 = 1; q = sqrt(p1 - p2);",
        "var x ~ 0; 0 = sqrt(x);",
    ];
    bodies.into_iter().for_each(accepted);
}

/// A term that vanishes on the branch of the start values need not vanish on a branch that is reached later.
#[test]
fn combinations_hold_on_all_branches() {
    let nested =
        (1..10).rev().fold("z*der(y)".to_string(), |inner, k| format!("if t > 0.{k} {{ {inner} }} else {{ 0 }}"));
    let body = format!(
        "var z = 2; var x ~ 0; var y = 0; der(x) + der(y) = 1; der(x) + der(y) + ({nested}) = 1 + x; der(z) = -z;"
    );
    let compiled = compiled(&body).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics));
    assert!(compiled.analysis.rewrites.is_empty());
    assert!(compiled.forms.iter().all(|form| form.form == Form::Original));
}

/// Ten nodes in a ring of junctions, connected to the rest of the circuit by resistors only: their charges add up to
/// zero, whichever branch of its characteristic each junction is on.
#[test]
fn charges_of_an_island_add_up_to_zero() {
    let nodes = 10;
    let mut body =
        "fn capacitance(v) { if v <= 0 { 1/sqrt(1 - v) } else { 1 + v/2 } } fn junction(v) { capacitance(v)*v }"
            .to_string();
    for k in 0..nodes {
        let (next, before) = ((k + 1) % nodes, (k + nodes - 1) % nodes);
        body += &format!(
            "var q{k} ~ 0; var u{k} ~ 0.{k}; der(q{k}) = sin(t + {k}) - u{k};
            q{k} = junction(u{k} - u{next}) - junction(u{before} - u{k});"
        );
    }
    let compiled = compiled(&body).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics));
    let rewrites = &compiled.analysis.rewrites;
    assert!(rewrites.len() == 1 && rewrites[0].nonzero.is_none(), "{rewrites:?}");
    assert!(compiled.forms.iter().any(|form| form.form == Form::Index1));
}

/// Small parameters are not treated as zero.
#[test]
fn small_parameters_are_not_nothing() {
    let body = "param c = 1e-12; param k = 1e-9; var x = 1; var y ~ 1; var z ~ 0;
        c*der(x) + c*k*der(y) = z; k*der(x) + k*k*der(y) = y - x + z; z = -x*y;";
    let compiled = compiled(body).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics));
    assert_eq!(compiled.analysis.rewrites.len(), 1);
    assert!(compiled.forms.iter().any(|form| form.form == Form::Index1));
}

/// The solutions lie on another branch than the guesses, so nothing may be concluded from the branch of the guesses.
#[test]
fn another_branch_is_not_excluded() {
    let kind = |body: &str| compiled(body).err().and_then(|rejected| rejected.problem).map(|problem| problem.kind);
    let one = kind("var x ~ 50; var y ~ 0; x + y = 1; max(x + y, 3*y) = 3;");
    assert!(!matches!(one, Some(ProblemKind::NotUnique | ProblemKind::Contradictory)), "{one:?}");
    // Every y < 0 is a solution.
    let many = "var x ~ 5; var y ~ 5; x = 1; abs(y) + y = x - 1;";
    assert_ne!(kind(many), Some(ProblemKind::Contradictory));
    assert_eq!(index(many), None);
}

/// A difference as small as the rounding errors of its terms is not taken for zero.
#[test]
fn redundant_equations_that_nearly_hold_contradict() {
    for body in [
        "var x ~ 1; x = 1; x = 1.0000000001;",
        "var x ~ 1; x = 1e10; x = 1e10 + 1;",
        "var x ~ 1e10; x = sin(t) + 1e10; x = 1e10 + cos(t);",
    ] {
        let kind = compiled(body).err().and_then(|rejected| rejected.problem).map(|problem| problem.kind);
        assert_eq!(kind, Some(ProblemKind::Contradictory), "{body}");
    }
}

/// The branch taken on the surface of a switch matters where the solution stays on the surface, and nowhere else.
#[test]
fn switches_on_which_solutions_stay() {
    let on = |switch: &str| {
        format!(
            "param k = 0.5; var y = 0.7; var z ~ 0.7; der(y) = -y; let s = {switch};
            (if s > 0 {{ 1 }} else if s < 0 {{ 1 }} else {{ 0 }})*der(z) + z = y;"
        )
    };
    for zero in ["k*y - y/2", "k + 0.1 - 0.6", "sin(y)*sin(y) + cos(y)*cos(y) - 1"] {
        assert_eq!(index(&on(zero)), Some(1), "{zero}");
    }
    assert_eq!(index(&format!("var v; v = 0; {}", on("v"))), Some(1));
    for unclear in ["p", "y*p", "hypot(3*y, 4*y) - 5*y"] {
        let body = format!("var p = 0; der(p) = -p; {}", on(unclear));
        assert!(matches!(index(&body), None | Some(1)), "{unclear}");
    }
    for leaving in ["t", "t*y", "t.powi(3)"] {
        assert_eq!(index(&on(leaving)), Some(0), "{leaving}");
    }
    // `signum(0)` is 1 in the analysis, as in evaluation.
    let signum = "var v; v = 0; var y = 0.7; var z ~ 0.7; der(y) = -y; signum(v)*der(z) + z = y;";
    assert!(matches!(index(signum), None | Some(1)));
    assert_eq!(compiled(signum).map_or(None, |it| it.analysis.certificate.degrees_of_freedom()).unwrap_or(2), 2);
    let undetermined = "var f; f = 0; var y = 0.7; var z ~ 0.7; der(y) = -y;
        (if f > 0 { 1 } else if f < 0 { 1 } else { 0 })*(z - y) = 0;";
    assert!(compiled(undetermined).map_or(true, |_| index(undetermined).is_none()));
}

/// A coefficient that vanishes at the start and at one more time is not identically zero.
#[test]
fn second_points_are_no_numbers_of_the_text() {
    for zero in ["1e-5*t*(t - 0.1)", "(t*(t - 0.1)).powi(8)", "t*(t - 0.02)*(t - 0.1)"] {
        let body = format!(
            "var y = 0.7; var a; var b; var z; der(y) = -y/3; 0 = a - sin(t); b = y + ({zero})*der(a); z = der(b);"
        );
        assert!(matches!(index(&body), None | Some(3)), "{zero}");
    }
}

/// Surplus equations follow from the others or contradict them: in either case no unknown is left undetermined. Of those that
/// hold for the start values only, it is open whether they follow, and no run leaves them out.
#[test]
fn surplus_linear_equations_leave_nothing_undetermined() {
    let kind = |body: &str| compiled(body).err().and_then(|rejected| rejected.problem).map(|problem| problem.kind);
    let oscillator = "var x = 0; var y = 1; der(x) = y; der(y) = -x;";
    for surplus in ["x = sin(t);", "y = cos(t);"] {
        assert_eq!(kind(&format!("{oscillator} {surplus}")), Some(ProblemKind::Undecided), "{surplus}");
        let off = surplus.replace(';', " + 1;");
        assert_eq!(kind(&format!("{oscillator} {off}")), Some(ProblemKind::Contradictory), "{off}");
    }
    assert_eq!(kind("var n = 0; var x = 0; der(n) = 0; der(x) = n; der(x) = 1;"), Some(ProblemKind::Undecided));
    assert_eq!(kind("var x = 0; var v = 0; der(x) = v; der(v) = 1; x = t*t/2;"), Some(ProblemKind::Undecided));
    assert_ne!(kind(&format!("{oscillator} x = sin(t) + t.powi(5);")), Some(ProblemKind::SingularPencil));
    let free = "var x = 0; var y = 0; var z = 0; der(x) = y + z; der(x) = y + z; x = 1 - exp(t); 2*x = 2 - 2*exp(t);";
    assert!(compiled(free).is_err());
}

/// Arithmetic with hundreds of digits distinguishes numbers below the range of `f64` from zero.
#[test]
fn coefficients_below_the_range_of_f64_are_not_nothing() {
    let leading = "var y = 0.7; var z ~ 0.7; der(y) = -y/3; exp(-1500*y)*der(z) + z - y = 0;";
    assert!(matches!(index(leading), None | Some(0)));
    let kind = |body: &str| compiled(body).err().and_then(|rejected| rejected.problem).map(|problem| problem.kind);
    assert_eq!(kind("var y = 0.7; var z ~ 0.7; der(y) = -y; exp(-1500*y)*(z - y) = 0;"), None);
    assert_eq!(kind("var x = 1; der(x) = -x; exp(-1500) = 0;"), Some(ProblemKind::Contradictory));
    assert!(
        compiled("var x = 1; der(x) = -x; exp(-1500*x) = 0;")
            .map_or(true, |it| { !matches!(it.analysis.certificate.verdict(), Verdict::Exact(_)) })
    );
    let hidden = "var y = 0.7; var a; var b; var z; der(y) = -y/3; 0 = a - sin(t);
        b = y + 0.5.powf(1e13*y)*der(a); z = der(b);";
    assert!(matches!(index(hidden), None | Some(3)));
}

/// Surplus equations that differ from a consequence of the others only in a high derivative, or by little.
#[test]
fn surplus_equations_that_hold_to_rounding_contradict() {
    for off in ["t.powi(8)", "t.powi(12)", "1e-25*t.powi(4)"] {
        let body = format!("var x = 1; var y = 1; der(x) = -x; der(y) = -2*y; y = x.powi(2) + {off};");
        let found = compiled(&body);
        assert!(found.map_or(true, |it| !matches!(it.analysis.certificate.verdict(), Verdict::Exact(_))), "{off}");
    }
    assert_eq!(index("var x = 1; var y = 1; der(x) = -x; der(y) = -2*y; y = x.powi(2);"), Some(0));
}

/// On the surface of a switch neither of two opposite strict inequalities holds.
#[test]
fn opposite_conditions_are_not_the_whole() {
    let body = "var v; var y = 0.7; var z ~ 0.7; v = 0; der(y) = -y;
        ((if v > 0 { 1 } else { 0 }) + (if v < 0 { 1 } else { 0 }) - 1)*(z - y) = 0;";
    assert!(matches!(index(body), None | Some(1)));
}

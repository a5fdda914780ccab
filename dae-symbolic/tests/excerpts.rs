//! Code generated from excerpts of models with long families, against code generated from all members.

use dae_symbolic::emit::emit;
use dae_symbolic::pipeline::{Compiled, compile, compile_excerpt};
use dae_symbolic::{Families, read_families_text, scalar_model};

const CHAIN: &str = include_str!("../../examples/models/chain.dae");
const PLATE: &str = include_str!("../../examples/models/plate.dae");

fn sized(text: &str, n: usize) -> String {
    text.replace("const N = 6;", &format!("const N = {n};"))
}

fn families(text: &str) -> Families {
    read_families_text(text).unwrap_or_else(|found| panic!("{}", found.diagnostics))
}

fn assert_same(text: &str) {
    let excerpt = compile_excerpt(&families(text).model, 0.0).expect("an excerpt tells everything");
    if let Some(difference) = difference(text, &excerpt) {
        panic!("{difference}");
    }
}

/// A message if the verdict on an excerpt or the code from it differs from that of the whole model, or if the excerpt
/// is hardly smaller than the model; `None` otherwise. Doc comments are not compared: where the texts of a family do
/// not follow one pattern, as with fractions, only the first few are listed, and those of an excerpt cover fewer
/// members.
fn difference(text: &str, excerpt: &Compiled) -> Option<String> {
    let scalar = scalar_model(families(text).model).unwrap_or_else(|found| panic!("{text}\n{found:?}"));
    let whole = match compile(scalar, 0.0) {
        Ok(whole) => whole,
        Err(rejected) => return Some(format!("rejected: {}", rejected.diagnostics)),
    };
    if 2 * excerpt.model.equations.len() > whole.model.equations.len() {
        return Some("the excerpt is hardly smaller".into());
    }
    let verdicts = [excerpt, &whole].map(|it| it.analysis.certificate.verdict());
    if verdicts[0] != verdicts[1] {
        return Some(format!("{verdicts:?}"));
    }
    let (a, b) = (emit(excerpt).unwrap(), emit(&whole).unwrap());
    let code = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.trim_start().starts_with("///")).map(str::to_string).collect()
    };
    let (a, b) = (code(&a), code(&b));
    let differing = a.iter().zip(&b).enumerate().find(|(_, (a, b))| a != b);
    match differing {
        Some((line, (a, b))) => Some(format!("line {line}\n  {a}\n  {b}")),
        None => (a.len() != b.len()).then(|| format!("{} lines, {} lines", a.len(), b.len())),
    }
}

/// The names and texts of the models in `excerpts/models.txt`.
fn listed() -> Vec<(&'static str, &'static str)> {
    let list = include_str!("excerpts/models.txt").split("### ").skip(1);
    list.filter_map(|entry| entry.split_once('\n')).collect()
}

fn check(names: impl Fn(&str) -> bool) {
    let (mut accepted, mut wrong) = (0, Vec::new());
    for (name, text) in listed().into_iter().filter(|(name, _)| names(name)) {
        let Ok(Families { model, .. }) = read_families_text(text) else { continue };
        let Some(excerpt) = compile_excerpt(&model, 0.0).filter(|it| emit(it).is_ok()) else { continue };
        accepted += 1;
        if let Some(found) = difference(text, &excerpt) {
            wrong.push(format!("{name}: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(accepted > 0);
}

#[test]
fn what_happens_at_one_member_in_the_middle() {
    let chosen = [
        "form_digits",
        "form_digits2",
        "verdict_pow",
        "vanish_min",
        "par_min",
        "digits16_start",
        "exp0",
        "sin_fold",
        "bump_rel",
        "piece_kink",
        "switch",
        "two_spaces",
        "alias_neg",
        "two_d_rows",
        "grow6",
    ];
    check(|name| chosen.contains(&name));
}

/// All models of the list, which takes some minutes without optimisation.
#[test]
#[ignore = "slow"]
fn everything_that_could_go_wrong() {
    check(|_| true);
}

#[test]
fn a_chain() {
    assert_same(&sized(CHAIN, 90));
}

#[test]
fn a_plate() {
    assert_same(&sized(PLATE, 50));
}

/// The least even and the least odd N for which an excerpt is so much smaller than the plate that it is used: the
/// figures in the README. Where N is odd, the sine is exactly one in the middle of the heated edge, and the points near
/// it are kept as well.
#[test]
fn a_plate_that_is_large_enough() {
    let is_taken = |n: usize| compile_excerpt(&families(&sized(PLATE, n)).model, 0.0).is_some();
    assert_eq!([36, 38, 51, 53].map(is_taken), [false, true, false, true]);
}

/// Whether code can be generated from an excerpt; if so, asserts that it is the code of the whole model.
fn is_enough(text: &str) -> bool {
    let enough = compile_excerpt(&families(text).model, 0.0).is_some_and(|it| emit(&it).is_ok());
    if enough {
        assert_same(text);
    }
    enough
}

/// A ladder of resistors and capacitors; `FEED` and `CAPACITANCE` are to be replaced.
const LADDER: &str = "struct Ladder {
    const N = 120; param r: [f64; N] = 1.5; param c = 0.5; param c_last = 2;
    var e: [f64; N] = 0; var i: [f64; N + 1];
    FEED;
    for k in 1..N { r[k] * i[k] = e[k - 1] - e[k]; }
    i[N] = 0;
    for k in 0..N { CAPACITANCE * der(e[k]) = i[k] - i[k + 1]; }
}";

fn ladder(feed: &str, capacitance: &str) -> String {
    LADDER.replace("FEED", feed).replace("CAPACITANCE", capacitance)
}

#[test]
fn ladders() {
    assert!(is_enough(&ladder("r[0] * i[0] = sin(t) - e[0]", "c")));
    // Driven by a voltage: index 2.
    assert!(is_enough(&ladder("e[0] = sin(t)", "c").replace("[f64; N] = 0;", "[f64; N] ~ 0;")));
    // The last capacitor is unlike the others.
    assert!(is_enough(&ladder("r[0] * i[0] = sin(t) - e[0]", "(if k == N - 1 { c_last } else { c })")));
    // The capacitor with k = 10 is unlike the others.
    assert!(is_enough(&ladder("r[0] * i[0] = sin(t) - e[0]", "(if k == 10 { c_last } else { c })")));
    // Capacitances that are affine in the index.
    assert!(is_enough(&ladder("r[0] * i[0] = sin(t) - e[0]", "(2 * k + 1)")));
}

#[test]
fn numbers_that_bend_keep_the_family_whole() {
    for bent in ["(1 + max(0, k - 60))", "(1 + max(0, 5 - abs(k - 60)))", "(k * k + 1)", "(1 / (k + 1))"] {
        assert!(!is_enough(&ladder("r[0] * i[0] = sin(t) - e[0]", bent)), "{bent}");
    }
    // A function that is evaluated at run time has the same code in all instances.
    assert!(is_enough(&ladder("r[0] * i[0] = sin(t) - e[0]", "(2 + sin(k))")));
    let starts = ladder("r[0] * i[0] = sin(t) - e[0]", "c");
    let bent = "var e: [f64; N] = |k| max(0, 5 - abs(k - 60));";
    assert!(!is_enough(&starts.replace("var e: [f64; N] = 0;", bent)));
    let straight = "var e: [f64; N] = |k| 3 - 0.25 * k;";
    assert!(is_enough(&starts.replace("var e: [f64; N] = 0;", straight)));
}

#[test]
fn what_depends_on_all_members_keeps_the_family_whole() {
    let mean = ladder("r[0] * i[0] = sin(t) - e[0]", "c")
        .replace("i[N] = 0;", "i[N] = 0; var mean; mean = sum(k in 0..N => e[k]) / N;");
    assert!(!is_enough(&mean));
    let mirrored = ladder("r[0] * i[0] = sin(t) - e[0]", "c")
        .replace("i[N] = 0;", "i[N] = 0; var m: [f64; N]; for k in 0..N { m[k] = e[N - 1 - k]; }");
    assert!(!is_enough(&mirrored));
    // A scalar that occurs in every instance is no obstacle, unless it occurs in constraints of all of them, whose
    // multipliers then all act on it.
    let heated = ladder("r[0] * i[0] = sin(t) - e[0]", "(1 + 0.1 * cos(h))")
        .replace("i[N] = 0;", "i[N] = 0; var h = 0; der(h) = 1 - h + i[0];");
    assert!(is_enough(&heated));
}

#[test]
fn rods_on_a_common_cart() {
    // The constraint of every rod contains the position of the cart, so that in the form `ggl` the multipliers of all
    // of them act on the cart: a sum over the whole family.
    let carts = "struct Carts {
        const N = 80; param g = 9.81;
        var s = 0; var w = 0; var x: [f64; N] ~ 0.6; var y: [f64; N] = -0.8; var u: [f64; N] ~ 0; var v: [f64; N] = 0;
        var l: [f64; N] ~ 1;
        der(s) = w;
        for i in 0..N {
            der(x[i]) = u[i]; der(y[i]) = v[i]; der(u[i]) = -l[i] * (x[i] - s); der(v[i]) = -l[i] * y[i] - g;
            0 = (x[i] - s).powi(2) + y[i].powi(2) - 1;
        }
        10 * der(w) = FORCE;
    }";
    assert!(!is_enough(&carts.replace("FORCE", "sum(i in 0..N => l[i] * (x[i] - s))")));
    assert!(!is_enough(&carts.replace("FORCE", "l[0] * (x[0] - s)")));
}

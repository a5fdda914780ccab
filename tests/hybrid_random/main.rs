//! Random models with modes and events: whatever they do, a run ends with a result or a typed failure.
//!
//! In: random automata with two or three modes over up to four unknowns. A mode has random linear dynamics, and some of
//! them a constraint; events have random conditions on states and time, new values, samples, and transitions, which may
//! chase one another, accumulate, or contradict. Out: no panic, no endless run, no solution that is not finite; many runs
//! end with success; and sensitivities, where a run has them, are the differences of neighbouring runs through the same modes
//! and events. A sample runs with every `cargo test`; a million runs, and ten thousand with sensitivities:
//!
//! ```sh
//! cargo test --release --features interpreter --test hybrid_random -- --ignored --nocapture
//! ```

use std::collections::BTreeMap;

use dae::runtime::contract::Dae;
use dae::symbolic::Text;
use dae::symbolic::form::Form;
use dae::symbolic::modes::compile_modes;
use dae::{Integration, Method, RunError, Solution, Status};
use fastrand::Rng;

/// A number with few digits.
fn number(random: &mut Rng) -> f64 {
    f64::from(random.i32(-20..=20)) / 10.0
}

/// A linear function of the unknowns.
fn linear(random: &mut Rng, n: usize) -> String {
    let mut text = format!("({:?})", number(random));
    for k in 0..n {
        if random.u8(0..3) == 0 {
            text += &format!(" + ({:?}) * x{k}", number(random));
        }
    }
    text
}

/// A condition in mode `mode`: most of them do not hold together with those of the next mode.
fn condition(random: &mut Rng, n: usize, mode: usize) -> String {
    let k = random.usize(0..n);
    if random.u8(0..3) > 0 {
        let side = if mode.is_multiple_of(2) { ">" } else { "<" };
        let bound = f64::from(random.i32(5..=20)) / if mode.is_multiple_of(2) { 10.0 } else { -10.0 };
        return format!("x{k} {side} {bound:?}");
    }
    match random.u8(0..8) {
        6 => format!("c > {}", random.u8(0..3)),
        7 => format!("x{k} >= floor({:?} * x{})", f64::from(random.u8(1..20)) / 10.0, random.usize(0..n)),
        0 => format!("t >= {:?}", f64::from(random.u8(0..20)) / 10.0),
        1 => format!("x{k} > {:?} && x{} < {:?}", number(random), random.usize(0..n), number(random)),
        2 => format!("sin(5 * t) > {:?} || x{k} < {:?}", number(random) / 2.0, number(random)),
        3 => format!("x{k} < {:?}", number(random)),
        4 => format!("x{k} > {:?}", number(random)),
        _ => format!("{} > 0", linear(random, n)),
    }
}

/// An event in or outside of a mode.
fn event(random: &mut Rng, n: usize, (mode, modes): (usize, usize), enters: bool) -> String {
    let trigger = match random.u8(0..8) {
        0 => format!("sample({:?})", f64::from(random.u8(1..8)) / 10.0),
        _ => condition(random, n, mode),
    };
    let mut text = format!("when {trigger} {{ ");
    let k = random.usize(0..n);
    match random.u8(0..4) {
        0 => text += &format!("x{k} = -0.{} * pre(x{k}); ", random.u8(1..10)),
        1 => text += &format!("x{k} = {:?}; c = pre(c) + 1; ", number(random)),
        2 => text += "c = pre(c) + 1; ",
        _ => {}
    }
    if enters {
        text += &format!("state = m{}; ", random.usize(0..modes));
        if random.bool() {
            text += "inelastic; ";
        }
        if !trigger.starts_with("sample") && random.u8(0..3) == 0 {
            text += &format!("limit {{ state = m{}; }} ", random.usize(0..modes));
        }
    } else if random.u8(0..4) == 0 {
        text += "note \"here\"; ";
    }
    text + "}\n"
}

/// Two further unknowns with modes of their own, in a loop.
fn switches(random: &mut Rng, n: usize) -> String {
    let (up, down) = (f64::from(random.i32(1..=10)) / 10.0, f64::from(random.i32(-10..=-1)) / 10.0);
    let k = random.usize(0..n);
    let asked = if random.bool() { "0" } else { "if i == 1 && switch[0] == off { 1 } else { 0 }" };
    format!(
        "var z: [f64; 2] = |i| 0.5 * i;
        for i in 0..2 {{ modes switch {{
            on {{ der(z[i]) = 1 + i - 0.3 * x{k}; when z[i] > {up:?} {{ switch = off; }} }}
            off {{ der(z[i]) = -1 + ({asked}); when z[i] < {down:?} {{ switch = on; c = pre(c) + 1; }} }}
        }} }}
        when t > {:?} {{ switch[1] = on; }}\n",
        f64::from(random.u8(0..20)) / 10.0
    )
}

fn text(random: &mut Rng) -> String {
    let (n, modes) = (random.usize(2..=4), random.usize(2..=3));
    let mut text = String::from("struct Random { param p = 1; discrete c = 0;\n");
    (0..n).for_each(|k| text += &format!("var x{k} ~ {:?};\n", number(random)));
    text += "var f;\n";
    for k in 0..n {
        let force = if k == 0 { " + f" } else { "" };
        let jump = match random.u8(0..6) {
            0 => format!(" + if x{} > {:?} {{ 1 }} else {{ -p }}", random.usize(0..n), number(random)),
            _ => String::new(),
        };
        text += &format!("der(x{k}) = p * ({}) - x{k}{jump}{force};\n", linear(random, n));
    }
    for _ in 0..random.u8(0..3) {
        let enters = random.u8(0..4) == 0;
        text += &event(random, n, (0, modes), enters);
    }
    if random.u8(0..6) == 0 {
        text += &switches(random, n);
    }
    text += "modes state {\n";
    for mode in 0..modes {
        let law = match random.u8(0..4) {
            0 => "f = 0;".to_string(),
            1 => format!("f = {};", linear(random, n)),
            2 => format!("x0 = {} * t;", number(random)),
            _ => format!("x0 + {:?} * x{} = {:?};", number(random), n - 1, number(random)),
        };
        text += &format!("m{mode} {{ {law}\n");
        for _ in 0..1 + random.u8(0..6) / 5 {
            text += &event(random, n, (mode, modes), true);
        }
        text += "}\n";
    }
    text + "} }"
}

/// How runs have ended.
#[derive(Default)]
struct Ends {
    counts: BTreeMap<String, usize>,
    runs: usize,
}

impl Ends {
    fn note(&mut self, end: &str) {
        *self.counts.entry(end.to_string()).or_default() += 1;
        self.runs += 1;
    }
}

/// Runs a formulation from several points.
fn run(dae: &mut dyn Dae, random: &mut Rng, runs: usize, seed: u64, ends: &mut Ends) {
    for _ in 0..runs {
        let method = [Method::Radau5, Method::Bdf, Method::Radau][random.usize(0..3)];
        let parameter = number(random);
        dae.set_parameters(&[parameter]);
        let tolerance = [1e-3, 1e-5, 1e-7][random.usize(0..3)];
        let integration = Integration::new(&*dae).method(method).rtol(tolerance).atol(tolerance).max_steps(2_000);
        let solution = match integration.run(0.0, 2.0) {
            Ok(solution) => {
                ends.note("success");
                assert_eq!(solution.status, Status::Success);
                solution
            }
            Err(RunError::Stopped { failure, solution }) => {
                let name = format!("{failure:?}");
                ends.note(name.split([' ', '{', '(']).next().unwrap_or_default());
                *solution
            }
            Err(error) => {
                let name = format!("{error:?}");
                ends.note(name.split([' ', '{', '(']).next().unwrap_or_default());
                continue;
            }
        };
        let is_finite = solution.iter().all(|(t, state)| t.is_finite() && state.iter().all(|x| x.is_finite()));
        assert!(is_finite, "seed {seed}, p = {parameter}, {method:?} to {tolerance}: {:?}", solution.status);
        let in_order = solution.times.windows(2).all(|pair| pair[0] <= pair[1]);
        assert!(in_order, "seed {seed}, p = {parameter}, {method:?} to {tolerance}");
    }
}

fn check(texts: std::ops::Range<u64>, runs: usize) {
    let mut ends = Ends::default();
    let mut rejected = 0;
    for seed in texts.clone() {
        let mut random = Rng::with_seed(seed);
        let text = text(&mut random);
        let Ok(read) = Text::read_text(&text) else {
            rejected += 1;
            continue;
        };
        let form: Form = ["index1", "ggl", "original"][random.usize(0..3)].parse().expect("a form");
        let Ok(modes) = compile_modes(&read, Some(std::slice::from_ref(&form)), 0.0) else {
            rejected += 1;
            continue;
        };
        if let Ok(mut dae) = modes.formulation(&form, &[]) {
            run(dae.as_mut(), &mut random, runs, seed, &mut ends);
        }
    }
    println!("{} runs of texts {texts:?}, of which {rejected} are rejected: {:?}", ends.runs, ends.counts);
    let success = ends.counts.get("success").copied().unwrap_or(0);
    assert!(3 * success > ends.runs, "{success} of {}", ends.runs);
}

#[test]
fn runs_end() {
    check(0..80, 3);
}

#[test]
#[ignore = "a million runs: long, in release"]
fn a_million_runs_end() {
    let count = std::env::var("HYBRID_RANDOM_COUNT").ok().and_then(|it| it.parse().ok()).unwrap_or(20_000);
    let first = std::env::var("HYBRID_RANDOM_SEED").ok().and_then(|it| it.parse().ok()).unwrap_or(0);
    check(first..first + count, 100);
}

/// The values of all unknowns at the end of a run of a formulation with this parameter, and what happened on the way.
fn neighbour(dae: &mut dyn Dae, parameter: f64) -> Option<(Vec<f64>, Vec<String>)> {
    dae.set_parameters(&[parameter]);
    let integration = Integration::new(&*dae).method(Method::Radau).rtol(1e-11).atol(1e-11).max_steps(20_000);
    let solution = integration.run(0.0, 2.0).ok()?;
    let events = solution.occurrences.iter().map(|it| it.event.to_string());
    Some((solution.end_state.clone(), events.chain(solution.modes.iter().map(|it| it.mode.to_string())).collect()))
}

/// Extrapolated differences of the values at the end, if runs nearby go through the same events, and differences by two
/// steps agree.
fn differences(dae: &mut dyn Dae, parameter: f64) -> Option<Vec<f64>> {
    let (_, events) = neighbour(dae, parameter)?;
    let mut by = |h: f64| {
        let [(above, first), (below, second)] = [neighbour(dae, parameter + h)?, neighbour(dae, parameter - h)?];
        let quotients = above.iter().zip(&below).map(|(above, below)| (above - below) / (2.0 * h));
        (first == events && second == events).then(|| quotients.collect::<Vec<f64>>())
    };
    let (coarse, fine) = (by(2e-4)?, by(1e-4)?);
    let agree = coarse.iter().zip(&fine).all(|(coarse, fine)| (coarse - fine).abs() <= 1e-4 * (1.0 + fine.abs()));
    let extrapolated = coarse.iter().zip(&fine).map(|(coarse, fine)| fine + (fine - coarse) / 3.0);
    agree.then(|| extrapolated.collect())
}

/// Compares sensitivities at the end with differences; returns the number of comparisons, and of those across a change of
/// mode.
fn check_derivatives(texts: std::ops::Range<u64>) -> (usize, usize) {
    let (mut count, mut across) = (0, 0);
    for seed in texts {
        let mut random = Rng::with_seed(seed);
        let text = text(&mut random);
        let Ok(read) = Text::read_text(&text) else { continue };
        let form: Form = ["index1", "ggl", "original"][random.usize(0..3)].parse().expect("a form");
        let Ok(modes) = compile_modes(&read, Some(std::slice::from_ref(&form)), 0.0) else { continue };
        let Ok(mut dae) = modes.formulation(&form, &[]) else { continue };
        let method = [Method::Radau5, Method::Bdf, Method::Radau][random.usize(0..3)];
        let parameter = number(&mut random);
        dae.set_parameters(&[parameter]);
        let run = Integration::new(dae.as_ref()).method(method).rtol(1e-9).atol(1e-9).max_steps(5_000);
        let Ok(solution) = run.sensitivities(["p"]).run(0.0, 2.0) else { continue };
        let Some(expected) = differences(dae.as_mut(), parameter) else { continue };
        let found = |name: &str, solution: &Solution| solution.sensitivity(name, "p").ok()?.last().copied();
        for (name, expected) in solution.names.iter().zip(&expected) {
            let found = found(name, &solution).expect("recorded");
            let is_right = (found - expected).abs() <= 1e-3 * (1.0 + expected.abs());
            assert!(
                is_right,
                "seed {seed}, {form} by {method:?}, p = {parameter}: {name} by p is {found}, not {expected}\n{text}"
            );
        }
        count += 1;
        across += usize::from(solution.modes.len() > 1);
    }
    (count, across)
}

#[test]
fn sensitivities_are_those_of_differences() {
    let (count, across) = check_derivatives(0..150);
    assert!(across > 10, "{across} of {count}");
}

#[test]
#[ignore = "ten thousand texts: minutes, in release"]
fn sensitivities_of_ten_thousand_texts() {
    let (count, across) = check_derivatives(1_000_000..1_010_000);
    println!("{count} comparisons, {across} of them across a change of mode");
}

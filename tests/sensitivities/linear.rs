//! Random linear systems with known derivatives.
//!
//! In: a seed. Out: systems $E x' + A(p) x = f(t, p)$ of index 1 to 3 made from their Weierstrass form, and whether
//! derivatives of all unknowns with respect to $p$ are right, forwards and backwards. `CASES` says how many are drawn.
//!
//! With $z = W x$ there are states $z_k' = -a_k(p) z_k + s_k \cos\omega_k t$ and chains $z_j - c_j(p) z_{j+1}' = h_j$
//! with $h_j = \alpha_j \sin(\omega_j t + \beta_j p)$; the last equation of a chain has no $z_{j+1}$, and the longest
//! chain is as long as the index. Unknowns and rows are mixed only if no $c_j$ depends on $p$.

use std::fmt::Write;
use std::ops::RangeInclusive;

use fastrand::Rng;

use super::*;

/// The value of the parameter.
const P: f64 = 0.4;
const T_END: f64 = 1.5;

/// A number with one decimal, drawn from a range of tenths.
fn decimal(random: &mut Rng, tenths: RangeInclusive<i32>) -> f64 {
    f64::from(random.i32(tenths)) / 10.0
}

/// A unit triangular matrix of small integers, which are zero where `is_entry` is false.
fn triangular(random: &mut Rng, n: usize, is_entry: impl Fn(usize, usize) -> bool) -> Vec<Vec<f64>> {
    let mut entry = |i: usize, j: usize| match (i == j, is_entry(i, j)) {
        (true, _) => 1.0,
        (false, true) => f64::from(random.i32(-2..=2)) * f64::from(random.u8(..=1)),
        (false, false) => 0.0,
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

/// An unknown of the Weierstrass form.
enum Canonical {
    /// $a = a_0 + a_1 p$, the amplitude and frequency of the forcing, and the value at the start.
    State { a: [f64; 2], s: f64, omega: f64, start: f64 },
    /// $c = c_0 + c_1 p$, `None` at the end of the chain; and $\alpha, \omega, \beta$.
    Link { c: Option<[f64; 2]>, h: [f64; 3] },
}

struct Linear {
    canonical: Vec<Canonical>,
    w: Vec<Vec<f64>>,
    rows: Vec<Vec<f64>>,
}

impl Linear {
    fn draw(random: &mut Rng) -> Self {
        let mixes = random.bool();
        let mut canonical = Vec::new();
        for _ in 0..random.usize(1..=2) {
            let a = [decimal(random, 3..=15), decimal(random, -5..=5)];
            let (s, omega, start) = (decimal(random, -10..=10), decimal(random, 10..=30), decimal(random, -10..=10));
            canonical.push(Canonical::State { a, s, omega, start });
        }
        for _ in 0..random.usize(1..=2) {
            let length = random.usize(1..=3);
            for j in 1..=length {
                let c = [decimal(random, 5..=15), if mixes { 0.0 } else { decimal(random, -5..=5) }];
                let h = [decimal(random, 3..=10), decimal(random, 5..=20), decimal(random, -10..=10)];
                canonical.push(Canonical::Link { c: (j < length).then_some(c), h });
            }
        }
        let n = canonical.len();
        let w = triangular(random, n, |i, j| mixes && i > j);
        let rows = triangular(random, n, |i, j| mixes && i < j);
        Linear { canonical, w, rows }
    }

    /// The $k$-th time derivative of canonical unknown $j$; for a state, $k = 0$.
    fn derivative(&self, j: usize, k: i32, t: f64, p: f64) -> f64 {
        match self.canonical[j] {
            Canonical::State { a: [a0, a1], s, omega, start } => {
                let a = a0 + a1 * p;
                let size = s / (a * a + omega * omega);
                (start - size * a) * (-a * t).exp() + size * (a * (omega * t).cos() + omega * (omega * t).sin())
            }
            Canonical::Link { c, h: [alpha, omega, beta] } => {
                let phase = omega * t + beta * p + f64::from(k) * std::f64::consts::FRAC_PI_2;
                let of_next = c.map_or(0.0, |[c0, c1]| (c0 + c1 * p) * self.derivative(j + 1, k + 1, t, p));
                alpha * omega.powi(k) * phase.sin() + of_next
            }
        }
    }

    /// $x = W^{-1} z$ by substitution.
    fn solution(&self, t: f64, p: f64) -> Vec<f64> {
        let mut x: Vec<f64> = Vec::new();
        for (j, row) in self.w.iter().enumerate() {
            let known: f64 = row.iter().zip(&x).map(|(w, x)| w * x).sum();
            x.push(self.derivative(j, 0, t, p) - known);
        }
        x
    }

    /// Derivatives with respect to $p$: central differences of the closed form, extrapolated twice.
    fn by_parameter(&self, t: f64) -> Vec<f64> {
        let difference = |h: f64| -> Vec<f64> {
            let (above, below) = (self.solution(t, P + h), self.solution(t, P - h));
            above.iter().zip(&below).map(|(above, below)| (above - below) / (2.0 * h)).collect()
        };
        let [d0, d1, d2] = [8e-3, 4e-3, 2e-3].map(difference);
        (0..d0.len())
            .map(|i| {
                let (coarse, fine) = (d1[i] + (d1[i] - d0[i]) / 3.0, d2[i] + (d2[i] - d1[i]) / 3.0);
                fine + (fine - coarse) / 15.0
            })
            .collect()
    }

    fn combination(&self, j: usize, unknown: &dyn Fn(usize) -> String) -> String {
        let terms: Vec<String> = self.w[j]
            .iter()
            .enumerate()
            .filter(|(_, w)| **w != 0.0)
            .map(|(i, w)| format!("({w}) * {}", unknown(i)))
            .collect();
        format!("({})", terms.join(" + "))
    }

    fn text(&self) -> String {
        let mut text = format!("struct Linear {{ param p = {P}; ");
        let (start, slope) = (self.solution(0.0, P), self.by_parameter(0.0));
        for (i, (start, slope)) in start.iter().zip(&slope).enumerate() {
            write!(text, "var x{i} ~ ({start}) + ({slope}) * (p - {P}); ").expect("memory");
        }
        let [z, dz] = [false, true].map(|is_derivative| {
            move |j: usize| {
                let unknown = |i: usize| if is_derivative { format!("der(x{i})") } else { format!("x{i}") };
                self.combination(j, &unknown)
            }
        });
        let canonical = |(j, it): (usize, &Canonical)| match it {
            Canonical::State { a: [a0, a1], s, omega, .. } => {
                format!("{} + ({a0} + ({a1}) * p) * {} - ({s}) * cos({omega} * t)", dz(j), z(j))
            }
            Canonical::Link { c, h: [alpha, omega, beta] } => {
                let next = c.map_or(String::new(), |[c0, c1]| {
                    let c = if c1 == 0.0 { format!("{c0}") } else { format!("({c0} + ({c1}) * p)") };
                    format!(" - {c} * {}", dz(j + 1))
                });
                format!("{}{next} - ({alpha}) * sin({omega} * t + ({beta}) * p)", z(j))
            }
        };
        let equations: Vec<String> = self.canonical.iter().enumerate().map(canonical).collect();
        for row in &self.rows {
            let terms = row.iter().zip(&equations).filter(|(factor, _)| **factor != 0.0);
            let terms: Vec<String> = terms.map(|(factor, equation)| format!("({factor}) * ({equation})")).collect();
            write!(text, "0 = {}; ", terms.join(" + ")).expect("memory");
        }
        text + "}"
    }
}

/// The outcome of a system whose derivatives were not found right.
enum Found {
    /// The method finds no solution to be differentiated.
    NoRun,
    Wrong(String),
}

/// Compares the derivatives of the system drawn from `seed` with the exact ones; `None` if all are right.
fn wrong(seed: u64) -> Option<Found> {
    let mut random = Rng::with_seed(seed);
    let linear = Linear::draw(&mut random);
    let form = ["ggl", "original", "index1"][random.usize(..3)];
    let tolerance = [1e-6, 1e-9][random.usize(..2)];
    let text = linear.text();
    // Where offsets do not say what to differentiate, the original form is taken.
    let system = available(&text, form).unwrap_or_else(|| system(&text, "original"));
    let form = system.description().form.to_string();
    let index = system.description().unknowns.iter().map(|unknown| unknown.index).max().unwrap_or(1);
    let method = METHODS[random.usize(..3)];
    let method = if index > 2 && method == Method::Bdf { Method::Radau5 } else { method };
    let what = format!("{seed}: {form} by {method:?} at {tolerance:e}: {text}");
    let alone = || Integration::new(system.as_ref()).method(method).rtol(tolerance).atol(tolerance);
    let run = || alone().sensitivities(["p"]);
    let expected = linear.by_parameter(T_END);
    let size = expected.iter().fold(1.0_f64, |size, value| size.max(value.abs()));
    let solution = match run().run(0.0, T_END) {
        Ok(solution) => solution,
        // A method may fail for the mixed rows of the original form; it then fails without sensitivities too.
        Err(RunError::Stopped { .. }) if form == "original" && alone().run(0.0, T_END).is_err() => {
            return Some(Found::NoRun);
        }
        Err(error) => return Some(Found::Wrong(format!("{what}: {error}"))),
    };
    let differs = |found: f64, wanted: f64| {
        (found - wanted).abs().partial_cmp(&(10.0 * tolerance * size)) != Some(std::cmp::Ordering::Less)
    };
    for (i, wanted) in expected.iter().enumerate() {
        let found = solution.sensitivity_at(&format!("x{i}"), "p", T_END).expect("asked for");
        if differs(found, *wanted) {
            return Some(Found::Wrong(format!("{what}: x{i}: {found} instead of {wanted}")));
        }
    }
    let adjoint = run().adjoint(0.0, T_END).expect("consistent");
    for (i, wanted) in expected.iter().enumerate() {
        match adjoint.gradient(&format!("x{i}")) {
            Ok(gradient) => {
                let found = gradient.by("p").expect("asked for");
                if differs(found, *wanted) {
                    return Some(Found::Wrong(format!("{what}: gradient of x{i}: {found} instead of {wanted}")));
                }
            }
            Err(error) => return Some(Found::Wrong(format!("{what}: gradient of x{i}: {error}"))),
        }
    }
    None
}

#[test]
fn derivatives_of_random_linear_systems_are_right() {
    let cases: u64 = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(100);
    let (mut failures, mut without) = (Vec::new(), 0);
    for found in (0..cases).filter_map(wrong) {
        match found {
            Found::NoRun => without += 1,
            Found::Wrong(what) => failures.push(what),
        }
    }
    assert!(failures.is_empty(), "{} of {cases}:\n{}", failures.len(), failures.join("\n"));
    assert!(without * 8 < cases, "{without} of {cases} without a solution");
    println!("{cases} systems, {without} without a solution");
}

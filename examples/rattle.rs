//! A spherical pendulum over a great many steps of RATTLE.
//!
//! Prints, for each tenth of the run, the largest energy error, the largest violation of the constraint and of its
//! derivative, and the mean of the energy error, which would show a drift; and the time of a step in comparison with a
//! loop written by hand for this one system. `cargo run --release --example rattle -- 100000000` makes $10^8$ steps.

use std::error::Error;
use std::time::Instant;

use dae::runtime::symplectic::Symplectic;
use dae::{Dae, Integration, Method};

dae::dae! {
    /// Spherical pendulum (Hairer, Solving differential equations on manifolds, (V.4.6), started as for Fig. V.1).
    pub struct SphericalPendulum {
        forms(underlying);
        var q1 = sin(1.3);
        var q2 = 0.0;
        var q3 ~ cos(1.3);
        var p1 = 3.0 * cos(1.3);
        var p2 = 6.5;
        var p3 ~ -3.0 * sin(1.3);
        var lambda;
        der(q1) = p1;
        der(q2) = p2;
        der(q3) = p3;
        der(p1) = -q1 * lambda;
        der(p2) = -q2 * lambda;
        der(p3) = -1.0 - q3 * lambda;
        0 = (q1.powi(2) + q2.powi(2) + q3.powi(2) - 1.0) / 2.0;
    }
}

/// The step size of Fig. V.1.
const H: f64 = 0.01;

fn energy(q: &[f64], p: &[f64]) -> f64 {
    0.5 * dot(p, p) + q[2]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// RATTLE for this pendulum, (V.5.2) and (V.5.3), written by hand: the multiplier by Newton's iteration from that of
/// the step before, until it changes no more.
struct ByHand {
    q: [f64; 3],
    p: [f64; 3],
    lambda: f64,
}

impl ByHand {
    fn step(&mut self) {
        let ByHand { q, p, lambda } = self;
        let kicked = [p[0], p[1], p[2] - 0.5 * H];
        let mut half = kicked;
        let mut new = *q;
        for _ in 0..50 {
            for k in 0..3 {
                half[k] = kicked[k] - 0.5 * H * q[k] * *lambda;
                new[k] = q[k] + H * half[k];
            }
            let violation = 0.5 * (new[0] * new[0] + new[1] * new[1] + new[2] * new[2] - 1.0);
            let slope = -0.5 * H * H * (new[0] * q[0] + new[1] * q[1] + new[2] * q[2]);
            let change = violation / slope;
            *lambda -= change;
            if (0.5 * H * H * change).abs() <= 1e-16 {
                break;
            }
        }
        for k in 0..3 {
            half[k] = kicked[k] - 0.5 * H * q[k] * *lambda;
            new[k] = q[k] + H * half[k];
        }
        half[2] -= 0.5 * H;
        let along = new[0] * half[0] + new[1] * half[1] + new[2] * half[2];
        let along = along / (new[0] * new[0] + new[1] * new[1] + new[2] * new[2]);
        *q = new;
        for k in 0..3 {
            p[k] = half[k] - along * new[k];
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let steps = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 1_000_000_usize,
    };
    let form = SphericalPendulum::default().underlying();
    let start = Integration::new(&form).run(0.0, 0.0)?;
    let mut map = Symplectic::new(&form, Method::Rattle, 0.0, &start.end_state)?;
    let [q, p] = [map.positions(), map.momenta()].map(|values| [values[0], values[1], values[2]]);
    let mut by_hand = ByHand { q, p, lambda: 50.0 };
    let first = energy(&q, &p);
    println!("{:>12} {:>12} {:>12} {:>12} {:>12}", "steps", "energy", "mean", "position", "velocity");
    let (mut generated, mut hand) = (0.0, 0.0);
    for part in 1..=10 {
        let (mut largest, mut sum, mut position, mut velocity) = (0.0_f64, 0.0, 0.0_f64, 0.0_f64);
        let clock = Instant::now();
        for _ in 0..steps / 10 {
            map.step(H)?;
            let (q, p) = (map.positions(), map.momenta());
            let error = energy(q, p) - first;
            largest = largest.max(error.abs());
            sum += error;
            position = position.max((0.5 * (dot(q, q) - 1.0)).abs());
            velocity = velocity.max(dot(q, p).abs());
        }
        generated += clock.elapsed().as_secs_f64();
        let mean = sum / (steps / 10) as f64;
        println!("{:>12} {largest:12.4e} {mean:12.4e} {position:12.2e} {velocity:12.2e}", part * (steps / 10));
        let clock = Instant::now();
        let mut unused = 0.0_f64;
        for _ in 0..steps / 10 {
            by_hand.step();
            let error = energy(&by_hand.q, &by_hand.p) - first;
            unused = unused.max(error.abs() + dot(&by_hand.q, &by_hand.p).abs() + dot(&by_hand.q, &by_hand.q));
        }
        hand += clock.elapsed().as_secs_f64();
        assert!(unused.is_finite());
    }
    let distance: f64 = (0..3).map(|k| (map.positions()[k] - by_hand.q[k]).abs()).fold(0.0, f64::max);
    println!("distance between both at the end: {distance:.2e}");
    let nanoseconds = 1e9 / steps as f64;
    println!(
        "nanoseconds per step: {:.1}, by hand {:.1}; ratio {:.2}",
        generated * nanoseconds,
        hand * nanoseconds,
        generated / hand
    );
    assert_eq!(form.description().unknowns.len(), 7);
    Ok(())
}

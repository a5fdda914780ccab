//! A chain of six pendulums, index 3: arrays, families of equations, and separate equations for the ends.
//!
//! The links between the ends are written once, whatever their number. Integrates one second in the stabilised form
//! (GGL), and checks that energy is conserved.

use std::error::Error;

use dae::{Integration, Record};

dae::dae! {
    /// A chain of N pendulums: point masses on rigid massless rods, each hung from the one before, in Cartesian coordinates.
    /// The constraints are on the lengths of the rods, the multipliers the tensions per length; index 3.
    ///
    /// It starts as a straight line that hangs askew, at rest.
    pub struct Chain {
        /// Number of masses.
        const N = 6;
        /// Gravity in m/s².
        param g = 9.81;
        /// Masses in kg, the last one twice as heavy.
        param m: [f64; N] = |i| 1 + max(0, i - N + 2);
        /// Lengths of the rods in m.
        param l: [f64; N] = [1 / N; N];
        /// Horizontal positions in m: one degree of freedom per rod.
        var x: [f64; N] = |i| 0.6 * (i + 1) / N;
        /// Vertical positions in m, upwards.
        var y: [f64; N] ~ |i| -0.8 * (i + 1) / N;
        /// Velocities in m/s.
        var u: [f64; N] = 0;
        var v: [f64; N] ~ 0;
        /// Tension of rod i over its length in N/m.
        #[nominal(100)]
        var tension: [f64; N] ~ |i| 9.81 * N * (N + 1 - i);

        for i in 0..N {
            der(x[i]) = u[i];
            der(y[i]) = v[i];
        }
        // The first rod hangs from the origin, and on the last mass no further rod pulls.
        m[0] * der(u[0]) = -tension[0] * x[0] + tension[1] * (x[1] - x[0]);
        m[0] * der(v[0]) = -tension[0] * y[0] + tension[1] * (y[1] - y[0]) - m[0] * g;
        x[0].powi(2) + y[0].powi(2) = l[0].powi(2);
        for i in 1..N - 1 {
            m[i] * der(u[i]) = -tension[i] * (x[i] - x[i - 1]) + tension[i + 1] * (x[i + 1] - x[i]);
            m[i] * der(v[i]) = -tension[i] * (y[i] - y[i - 1]) + tension[i + 1] * (y[i + 1] - y[i]) - m[i] * g;
        }
        m[N - 1] * der(u[N - 1]) = -tension[N - 1] * (x[N - 1] - x[N - 2]);
        m[N - 1] * der(v[N - 1]) = -tension[N - 1] * (y[N - 1] - y[N - 2]) - m[N - 1] * g;
        for i in 1..N {
            (x[i] - x[i - 1]).powi(2) + (y[i] - y[i - 1]).powi(2) = l[i].powi(2);
        }
    }
}

/// The sum of kinetic and potential energy at a time; `None` outside the run.
fn energy(chain: &Chain, motion: &ChainSolution, t: f64) -> Option<f64> {
    let mut energy = 0.0;
    for (i, m) in chain.m.iter().enumerate() {
        let (u, v, y) = (motion.u(i, t)?, motion.v(i, t)?, motion.y(i, t)?);
        energy += m * (0.5 * (u * u + v * v) + chain.g * y);
    }
    Some(energy)
}

fn main() -> Result<(), Box<dyn Error>> {
    let chain = Chain::default();
    let form = chain.ggl();
    let run = Integration::new(&form).rtol(1e-8).atol(1e-8).record(Record::Dense);
    let solution = run.run(0.0, 1.0)?;
    let motion = ChainSolution::try_from(solution)?;
    println!("   t    x[5]      y[5]      energy in J");
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    for step in 0..=10 {
        let t = f64::from(step) / 10.0;
        let total = energy(&chain, &motion, t).ok_or("the time is within the run")?;
        range = (range.0.min(total), range.1.max(total));
        let [x, y] = [motion.x(5, t), motion.y(5, t)].map(|value| value.unwrap_or(f64::NAN));
        println!("{t:5.1}{x:9.5}{y:10.5}{total:14.8}");
    }
    println!("rods keep their lengths to {:.1e}", motion.invariants_max());
    assert!(range.1 - range.0 < 1e-5, "energy is conserved, and varied by {:e}", range.1 - range.0);
    Ok(())
}

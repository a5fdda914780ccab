//! Optimal control with bounds: the compiler adds logarithmic barriers to the cost, and `Bvp` follows their solution as the
//! barrier parameter becomes small.
//!
//! The exact solution: $u = 1$ until $t = 1$, then $u = -1$ until $t = 2$.

use std::error::Error;

use dae::Bvp;

dae::dae! {
    /// From rest to rest over a unit distance in the shortest time, with a force of at most one: full force, then full
    /// brake (L. S. Pontryagin, V. G. Boltyanskii, R. V. Gamkrelidze & E. F. Mishchenko, *The Mathematical Theory of Optimal
    /// Processes*, 1962, Sect. 5). The bounds are approached as `beta` tends to zero.
    pub struct MinimumTime {
        param beta = 1e-8;
        var x = 0;
        var v = 0;
        var u ~ 0;
        var p ~ -1;
        var q ~ t - 1;
        var forward ~ 1;
        var backward ~ 1;
        optimal_control {
            states x, v;
            adjoints p, q;
            controls u;
            der(x) = v;
            der(v) = u;
            running_cost = 1;
            constraint(forward) u <= 1;
            constraint(backward) u >= -1;
            barrier = beta;
            horizon(0, 3);
        }
        boundary {
            x(t_end) = 1;
            v(t_end) = 0;
            free t_end;
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", MinimumTime::REPORT);
    let form = MinimumTime::default().index1();
    // The interval is that of `horizon`; its end is where the search begins.
    let found = Bvp::new(&form).rtol(1e-6).atol(1e-6).solve(0.0, 3.0)?;
    println!(
        "{} intervals, {} steps of continuation, estimated error {:.1e}",
        found.mesh.len() - 1,
        found.statistics.continuation_steps,
        found.error_estimate
    );
    let end = found.end;
    let solution = MinimumTimeSolution::try_from(found.solution)?;
    for place in [0.0, 0.25, 0.49, 0.51, 0.75, 1.0] {
        let t = place * end;
        let [x, v, u] = [solution.x(t), solution.v(t), solution.u(t)].map(|value| value.unwrap_or(f64::NAN));
        println!("t = {t:.4}  x = {x:.6}  v = {v:.6}  u = {u:+.6}");
    }
    println!("shortest time {end:.9}");
    match (end - 2.0).abs() <= 1e-7 {
        true => Ok(()),
        false => Err(format!("expected 2, not {end}").into()),
    }
}

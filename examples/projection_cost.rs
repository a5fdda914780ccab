//! The cost of projection onto the constraints: times and numbers of steps of runs with it, divided by those of runs
//! without it, in generated code.
//!
//! ```sh
//! cargo run --release --example projection_cost
//! ```
//!
//! The car axis of the test set to $t = 3$. The number of steps of a single run varies by chance by some ten per cent,
//! so each ratio is one of sums over 61 tolerances from half to twice 1e-7; the time at each is the shortest of five.

use dae::{Dae, Integration, Method, Projection};

#[allow(dead_code)]
#[path = "car_axis.rs"]
mod example;

const END: f64 = 3.0;
const TOLERANCE: f64 = 1e-7;
const TOLERANCES: i32 = 61;
const RUNS: usize = 5;

fn main() -> Result<(), dae::RunError> {
    let car = example::CarAxis::default();
    println!("{:16}{:>14}{:>14}", "form", "Radau IIA", "BDF");
    row(&car.index1())?;
    row(&car.index2())?;
    row(&car.ggl())?;
    row(&car.projected_b())?;
    row(&car.pa())?;
    row(&car.overdetermined())?;
    row(&car.state_space())?;
    row(&car.tangent())
}

fn row(form: &dyn Dae) -> Result<(), dae::RunError> {
    let [radau, bdf] = [cost(form, Method::Radau5)?, cost(form, Method::Bdf)?];
    println!("{:16}{radau:>14}{bdf:>14}", form.description().form);
    Ok(())
}

/// The ratio of times, followed by that of steps in brackets: `1.19 (1.00)`.
fn cost(form: &dyn Dae, method: Method) -> Result<String, dae::RunError> {
    let (mut seconds, mut steps) = ([0.0; 2], [0; 2]);
    for k in 0..TOLERANCES {
        let tolerance = TOLERANCE * f64::powf(2.0, f64::from(2 * k) / f64::from(TOLERANCES - 1) - 1.0);
        let mut shortest = [f64::INFINITY; 2];
        for _ in 0..RUNS {
            for (k, mode) in [Projection::On, Projection::Off].into_iter().enumerate() {
                let run = Integration::new(form).method(method).rtol(tolerance).atol(tolerance);
                let solution = run.projection(mode).run(0.0, END)?;
                shortest[k] = solution.seconds.min(shortest[k]);
                steps[k] += solution.statistics.steps;
            }
        }
        seconds = [0, 1].map(|k| seconds[k] + shortest[k]);
    }
    Ok(format!("{:.2} ({:.2})", seconds[0] / seconds[1], steps[0] as f64 / steps[1] as f64))
}

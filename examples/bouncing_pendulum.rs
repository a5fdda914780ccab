//! A pendulum that swings against a wall, index 3.
//!
//! The mass hangs on a massless rod and hits a vertical wall below the pivot, where it loses a part of its speed. The
//! impact is an event of the model that changes the horizontal velocity; the vertical one and the multiplier, which is
//! the force in the rod, follow from the constraints. Prints the impacts and plots the motion.

use std::error::Error;

use dae::plot::{Panel, save};
use dae::{Dae, Integration, Record};

dae::dae! {
    /// Planar pendulum of length 1 in Cartesian coordinates, released at 60 degrees.
    pub struct Pendulum {
        param g = 9.81;
        /// The fraction of the speed that is left after an impact.
        param restitution = 0.8;
        var x = 0.8660254037844386;
        var y ~ -0.5;
        var u = 0;
        var v ~ 0;
        var lambda;
        der(x) = u;
        der(y) = v;
        der(u) = -lambda * x;
        der(v) = -lambda * y - g;
        0 = x.powi(2) + y.powi(2) - 1;
        when x < 0 { u = -restitution * pre(u); }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let pendulum = Pendulum::default().ggl();
    let place = |name| pendulum.description().place_of(name).ok_or("no such unknown");
    let (u, lambda) = (place("u")?, place("lambda")?);
    let integration = Integration::new(&pendulum).rtol(1e-8).atol(1e-8).record(Record::Dense);
    let solution = integration.run(0.0, 5.0)?;
    println!("impact at t     speed   force in the rod");
    for impact in &solution.occurrences {
        println!("{:11.6}{:10.5}{:19.5}", impact.t, -impact.state[u], impact.state[lambda]);
    }
    println!("\nlargest residual of the constraints: {:.1e}", solution.invariants_max());

    let distance = Panel { y_label: "distance to the wall".into(), ..Panel::of(&solution, &["x"])? };
    let force = Panel { y_label: "force in the rod".into(), ..Panel::of(&solution, &["lambda"])? };
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/bouncing_pendulum.svg");
    save(file, "A pendulum that swings against a wall", "t", &[distance, force])?;
    println!("Plotted to {file}.");
    Ok(())
}

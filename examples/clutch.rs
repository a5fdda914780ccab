//! Two shafts and a clutch, which is a constraint while it is engaged: index 2 then, and index 1 while it is free.
//!
//! The drive runs steadily at the start, which initial equations say. The clutch opens, the shafts part, and it closes
//! again: both shafts jump to a common speed, by an impulse of the torque that conserves angular momentum. Prints the modes
//! with what jumps in them, and how the speed in the end depends on the parameters, across both changes; plots the speeds.

use std::error::Error;

use dae::plot::{Panel, save};
use dae::{Integration, Record};

dae::dae! {
    /// A motor and a load, each with viscous friction.
    pub struct Drive {
        /// Moments of inertia, in kg m².
        param j1 = 0.1;
        param j2 = 0.4;
        /// Torque of the motor, in N m.
        param drive = 2;
        /// Viscous friction, in N m s.
        param d1 = 0.05;
        param d2 = 0.15;
        /// The clutch is open between these times.
        param opens = 2;
        param closes = 5;
        var w1 ~ 1;
        var w2;
        /// Torque through the clutch.
        var torque;
        initial { der(w1) = 0; }
        j1 * der(w1) = drive - d1 * w1 - torque;
        j2 * der(w2) = torque - d2 * w2;
        modes clutch {
            engaged { w1 = w2; when t >= opens && t < closes { clutch = free; } }
            free { torque = 0; when t >= closes { clutch = engaged; } }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let drive = Drive::default().index1();
    let by = ["drive", "j2", "opens", "closes"];
    let integration = Integration::new(&drive).rtol(1e-8).atol(1e-8).record(Record::Dense).sensitivities(by);
    let solution = integration.run(0.0, 8.0)?;
    println!("t     mode");
    for entered in &solution.modes {
        println!("{:.1}   {}", entered.t, entered.mode);
        for jump in &entered.jumps {
            println!("      {} jumps from {:.6} to {:.6}", jump.unknown, jump.before, jump.after);
        }
        for (unknown, strength) in &entered.impulses {
            println!("      {unknown} is an impulse of strength {strength:.6}");
        }
    }
    println!("\nThe speed at t = {} by the parameters:", solution.end_time);
    for name in by {
        let derivatives = solution.sensitivity("w1", name)?;
        println!("{name:>8} {:10.6}", derivatives.last().ok_or("a state at the end")?);
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/clutch.svg");
    save(file, "Two shafts and a clutch", "t", &[Panel::of(&solution, &["w1", "w2"])?])?;
    println!("Plotted to {file}.");
    Ok(())
}

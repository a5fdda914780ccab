//! The planar pendulum, index 3.
//!
//! Prints what the compiler found out about the model, integrates its index-1 form and its stabilised form (GGL) over
//! 100 s, and shows how far the solutions violate the constraints on position and velocity. The index-1 form contains
//! only derivatives of these, so that they drift: the velocity constraint linearly and the position constraint
//! quadratically in time (Hairer & Wanner, VII.2, theorem 2.1). The stabilised form satisfies both to rounding error.

use std::error::Error;

use dae::plot::{Panel, Scale, Series, save};
use dae::{Dae, Integration};

dae::dae! {
    /// Planar pendulum in Cartesian coordinates (Hairer & Wanner, VII.2).
    pub struct Pendulum {
        param g = 1.0;
        param l = 1.0;
        var x ~ 1.0;
        var y = 0.0;
        var u ~ 0.0;
        var v = 0.0;
        var lambda ~ 0.0;
        der(x) = u;
        der(y) = v;
        der(u) = -lambda * x;
        der(v) = -lambda * y - g;
        0 = x.powi(2) + y.powi(2) - l.powi(2);
    }
}

/// Residuals of the constraints on position and velocity at one time.
struct Residuals {
    t: f64,
    position: f64,
    velocity: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", Pendulum::REPORT);
    let pendulum = Pendulum::default();
    let index1 = residuals(&pendulum, &pendulum.index1())?;
    let ggl = residuals(&pendulum, &pendulum.ggl())?;

    println!("              index 1                   GGL");
    println!("    t    position    velocity    position    velocity");
    for i in [250, 500, 1000, 2000] {
        let (a, b) = (&index1[i], &ggl[i]);
        println!("{:5.1}{:12.2e}{:12.2e}{:12.2e}{:12.2e}", a.t, a.position, a.velocity, b.position, b.velocity);
    }
    let growth = |f: fn(&Residuals) -> f64| (f(&index1[2000]) / f(&index1[500])).log(4.0);
    println!("\nIndex 1 drifts like t^{:.2} and t^{:.2}.", growth(|r| r.position), growth(|r| r.velocity));
    plot(&index1, &ggl)
}

/// Integrates one form over 100 s. The step is fixed, so that no step-size control obscures how the drift grows.
fn residuals(pendulum: &Pendulum, form: &dyn Dae) -> Result<Vec<Residuals>, Box<dyn Error>> {
    let solution = Integration::new(form).fixed_step(0.05).run(0.0, 100.0)?;
    let value = |name| solution.column(name).ok_or(format!("no unknown `{name}`"));
    let (x, y, u, v) = (value("x")?, value("y")?, value("u")?, value("v")?);
    let at = |(i, &t): (usize, &f64)| Residuals {
        t,
        position: (x[i] * x[i] + y[i] * y[i] - pendulum.l * pendulum.l).abs(),
        velocity: (x[i] * u[i] + y[i] * v[i]).abs(),
    };
    Ok(solution.times.iter().enumerate().map(at).collect())
}

fn plot(index1: &[Residuals], ggl: &[Residuals]) -> Result<(), Box<dyn Error>> {
    let panel = |name: &str, f: fn(&Residuals) -> f64| {
        let curve = |label, list: &[Residuals]| Series::new(label, list.iter().map(|r| (r.t, f(r))).collect());
        let series = vec![curve("index 1", index1), curve("GGL", ggl)];
        Panel { y_label: format!("{name} constraint"), scale: Scale::Linear, series }
    };
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/pendulum.svg");
    let panels = [panel("position", |r| r.position), panel("velocity", |r| r.velocity)];
    save(file, "Constraints of the pendulum", "t", &panels)?;
    println!("Plotted to {file}.");
    Ok(())
}

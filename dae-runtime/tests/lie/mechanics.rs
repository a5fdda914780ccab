//! The generalised-α method: orders.

use dae_runtime::lie::mechanics::{GeneralizedAlpha, MechanicalSystem, Pose};

use crate::heavy_top::{Exact, InBody, InSpace, exact, start};

/// Largest errors of positions and multipliers
fn errors<Y: MechanicalSystem<6, 3>>(system: &Y, rho: f64, exact: &[Exact], t_end: f64, from: usize) -> [f64; 3]
where
    Y::Space: dae_runtime::lie::mechanics::ConfigurationSpace<6, Point = Pose>,
{
    let n = exact.len() - 1;
    let states = GeneralizedAlpha::new(rho).unwrap().integrate(system, start(), t_end, n).unwrap();
    let largest = |f: &dyn Fn(usize) -> f64| (from..=n).map(f).fold(0.0, f64::max);
    [
        largest(&|k| (states[k].q.position - exact[k].position).amax()),
        largest(&|k| (states[k].v.fixed_rows::<3>(3) - exact[k].angular_velocity).amax()),
        largest(&|k| (states[k].lambda - exact[k].lambda).amax()),
    ]
}

#[test]
fn explore() {
    let t_end = 0.2;
    for n in [200, 400, 800, 1600] {
        let exact = exact(t_end, n, 64000 / n);
        for rho in [0.0, 0.5, 0.9, 1.0] {
        let a = errors(&InSpace, rho, &exact, t_end, 0);
        let b = errors(&InBody, rho, &exact, t_end, 0);
        println!("{n} {rho} {:.2e} {:.2e} {:.2e}   {:.2e} {:.2e} {:.2e}", a[0], a[1], a[2], b[0], b[1], b[2]);
        }
        let e = exact[n];
        println!("{:?}", e);
    }
}

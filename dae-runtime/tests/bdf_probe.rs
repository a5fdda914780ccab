//! probe
mod problems;
use dae_runtime::bdf::Bdf;
use dae_runtime::contract::{
    Dae,
    Kind::{Algebraic, Differential},
    Leading,
};
use dae_runtime::stepper::*;
use problems::*;

fn run(p: &dyn Dae, t0: f64, y0: &[f64], yp0: &[f64], t_end: f64, o: &Options) -> (Vec<f64>, Statistics, f64) {
    let mut s = Bdf::new(p, t0, y0, yp0, t_end, o).unwrap();
    let mut inv = vec![0.0; p.description().invariants.len()];
    let mut worst = 0.0_f64;
    let mut hist = [0; 6];
    while s.time() != t_end {
        if let Err(e) = s.step() {
            println!("FAILED {e}");
            break;
        }
        hist[s.order()] += 1;
        p.invariants(s.time(), s.state(), &mut inv);
        for (k, i) in p.description().invariants.iter().enumerate() {
            if i.row.is_some() {
                worst = worst.max(inv[k].abs())
            }
        }
    }
    print!("{hist:?} ");
    (s.state().to_vec(), s.statistics(), worst)
}
fn show(name: &str, tol: f64, digits: f64, s: Statistics, inv: f64) {
    println!(
        "{name} {tol:e}: digits {digits:.2} steps {} errrej {} convrej {} res {} jac {} lu {} solves {} inv {inv:.1e}",
        s.steps, s.error_rejections, s.convergence_rejections, s.residuals, s.jacobians, s.factorizations, s.solves
    );
}
struct P981;
impl Model for P981 {
    fn residual<S: Scalar>(&self, _t: S, w: &[S], wp: &[S], out: &mut [S]) {
        let (x, y, u, v, l, m) = (w[0], w[1], w[2], w[3], w[4], w[5]);
        out[0] = wp[0] - u - x * m;
        out[1] = wp[1] - v - y * m;
        out[2] = wp[2] + l * x;
        out[3] = wp[3] + l * y + 9.81;
        out[4] = (x.square() + y.square() - 1.0) * 0.5;
        out[5] = x * u + y * v;
    }
    fn invariants<S: Scalar>(&self, _t: S, w: &[S], out: &mut [S]) {
        out[0] = (w[0].square() + w[1].square() - 1.0) * 0.5;
        out[1] = w[0] * w[2] + w[1] * w[3];
    }
}
#[test]
fn probe() {
    let g = Problem::new(
        "pendulum",
        P981,
        &[
            ("x", Differential, 1),
            ("y", Differential, 1),
            ("u", Differential, 1),
            ("v", Differential, 1),
            ("lambda", Algebraic, 2),
            ("mu", Algebraic, 2),
        ],
        &[("p", Some(4)), ("v", Some(5))],
        (Leading::Constant, 4),
        (0.0, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, -9.81, 0.0, 0.0]),
    );
    let r = [
        0.1815133514270204342323101,
        -0.9833884803340595258854844,
        -4.319536780534675882976898,
        -0.7972979278953312721872832,
    ];
    for tol in [1e-4, 1e-6, 1e-8, 1e-10] {
        let o = Options { rtol: tol, atol: Tolerance::Scalar(tol), ..Options::default() };
        let (y, s, i) = run(&g, 0.0, &g.y0, &g.yp0, 100.0, &o);
        show("pendulum_ggl", tol, mixed_digits(&y[..4], &r), s, i);
    }
    let g = problems::transistor_amplifier::transistor_amplifier();
    let r = problems::transistor_amplifier::REFERENCE;
    for tol in [1e-4, 1e-6, 1e-8, 1e-10] {
        let o = Options { rtol: tol, atol: Tolerance::Scalar(tol), ..Options::default() };
        let (y, s, i) = run(&g, 0.0, &g.y0, &g.yp0, 0.2, &o);
        show("transamp", tol, mixed_digits(&y, &r.1), s, i);
    }
    let g = problems::pendulum::pendulum(problems::pendulum::Form::Ggl);
    for (t, r) in problems::pendulum::REFERENCE {
        let o = Options { rtol: 1e-11, atol: Tolerance::Scalar(1e-11), ..Options::default() };
        let (y, s, i) = run(&g, 0.0, &g.y0, &g.yp0, t, &o);
        show(&format!("ggl t={t}"), 1e-11, mixed_digits(&y[..5], &r), s, i);
    }
    let g = problems::stiff::robertson();
    for tol in [1e-4, 1e-6, 1e-8] {
        let o = Options {
            rtol: tol,
            atol: Tolerance::PerComponent(vec![tol * 1e-4, tol * 1e-8, tol]),
            ..Options::default()
        };
        let (y, s, i) = run(&g, 0.0, &g.y0, &g.yp0, 1e11, &o);
        let r = problems::stiff::ROBERTSON_REFERENCE.1;
        println!("rel {:e} {:e}", y[0] / r[0] - 1.0, y[1] / r[1] - 1.0);
        show("robertson", tol, mixed_digits(&y, &r), s, i);
    }
    let g = problems::steering_wheel::steering_wheel();
    for tol in [1e-6, 1e-9] {
        let o = Options { rtol: tol, atol: Tolerance::Scalar(tol), ..Options::default() };
        let (y, s, i) = run(&g, 0.0, &g.y0, &g.yp0, 0.5, &o);
        show("steer", tol, mixed_digits(&y, &problems::steering_wheel::REFERENCE[2].1), s, i);
    }
}

//! Radau IIA of order 5: orders, accuracy, failures.
mod problems;
use dae_runtime::contract::Dae;
use dae_runtime::radau5::Radau5;
use dae_runtime::stepper::{Options, Stepper, Tolerance};
use problems::*;

fn go(dae: &dyn Dae, t0: f64, y0: &[f64], yp0: &[f64], te: f64, tol: f64) {
    let o = Options { rtol: tol, atol: Tolerance::Scalar(tol), ..Options::default() };
    let mut r = Radau5::new(dae, t0, y0, yp0, te, &o).unwrap();
    let mut inv = vec![0.0; dae.description().invariants.len()];
    let mut worst = vec![0.0f64; inv.len()];
    while r.time() != te {
        match r.step() {
            Ok(()) => {}
            Err(e) => {
                println!("{e}");
                break;
            }
        }
        dae.invariants(r.time(), r.state(), &mut inv);
        for (w, i) in worst.iter_mut().zip(&inv) {
            *w = w.max(i.abs());
        }
    }
    println!("{} t={} {:?} {:?} inv {worst:?}", dae.description().model, r.time(), r.state(), r.statistics());
}

#[test]
fn smoke() {
    use pendulum::*;
    for tol in [1e-5, 1e-8, 1e-11] {
        for form in [Form::Ggl, Form::Index1, Form::Index2, Form::Index3] {
            let p = pendulum(form);
            println!("{form:?} {tol}");
            let te = 10.0;
            go(&p, 0.0, &p.y0, &p.yp0, te, tol);
            let o = Options { rtol: tol, atol: Tolerance::Scalar(tol), ..Options::default() };
            let mut r = Radau5::new(&p, p.t0, &p.y0, &p.yp0, te, &o).unwrap();
            while r.time() != te {
                if r.step().is_err() {
                    break;
                }
            }
            println!("   digits {}", mixed_digits(&r.state()[..5], &REFERENCE[3].1));
        }
        let p = transistor_amplifier::transistor_amplifier();
        go(&p, 0.0, &p.y0, &p.yp0, 0.2, tol);
        let o = Options { rtol: tol, atol: Tolerance::Scalar(tol), ..Options::default() };
        let mut r = Radau5::new(&p, p.t0, &p.y0, &p.yp0, 0.2, &o).unwrap();
        while r.time() != 0.2 {
            if r.step().is_err() {
                break;
            }
        }
        println!("   digits {}", mixed_digits(&r.state(), &transistor_amplifier::REFERENCE.1));
    }
    let p = stiff::underdetermined();
    go(&p, 0.0, &p.y0, &p.yp0, 1.0, 1e-6);
    let p = stiff::blow_up();
    go(&p, 0.0, &p.y0, &p.yp0, 2.0, 1e-6);
    let p = stiff::end_of_domain();
    go(&p, 0.0, &p.y0, &p.yp0, 2.0, 1e-6);
    let p = steering_wheel::steering_wheel_impasse();
    go(&p, 0.0, &p.y0, &p.yp0, 4.0, 1e-8);
    let p = steering_wheel::steering_wheel();
    go(&p, 0.0, &p.y0, &p.yp0, 0.5, 1e-8);
    let p = stiff::robertson();
    go(&p, 0.0, &p.y0, &p.yp0, 1e11, 1e-8);
}

#[test]
fn orders() {
    use dae_runtime::stepper::*;
    let p = steering_wheel::steering_wheel();
    for mode in [ClosingCorrection::Off, ClosingCorrection::On] {
        for n in [5, 10, 20, 40, 80] {
            let h = 0.5 / n as f64;
            let o = Options {
                rtol: 1e-12,
                atol: Tolerance::Scalar(1e-12),
                control: StepControl::Fixed(h),
                closing_correction: mode,
                ..Options::default()
            };
            let mut r = Radau5::new(&p, 0.0, &p.y0, &p.yp0, 0.5, &o).unwrap();
            while r.time() != 0.5 {
                r.step().unwrap();
            }
            let x = steering_wheel::REFERENCE[2].1;
            println!(
                "{mode:?} {n} {:.3e} {:.3e} {:?}",
                (r.state()[0] - x[0]).abs(),
                (r.state()[2] - x[2]).abs(),
                r.statistics()
            );
        }
    }
}

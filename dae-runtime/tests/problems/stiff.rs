//! Small problems: stiff ones (Prothero–Robinson, Robertson's kinetics as an index-1 system), oscillations, a driven
//! capacitor, a cubic solution; and problems whose solutions end or are not unique.
//!
//! Sources: Prothero & Robinson, Math. Comp. 28 (1974); Robertson 1966 in the form of the Bari/CWI test set for IVP
//! solvers.

use super::{Model, Problem, Scalar};
use dae_runtime::contract::{
    Kind::{Algebraic, Differential},
    Leading,
};

/// $y' = k (\cos t - y) - \sin t$, $y(0) = 1$, with the solution $\cos t$.
pub struct ProtheroRobinson {
    stiffness: f64,
}

impl Model for ProtheroRobinson {
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]) {
        out[0] = yp[0] + t.sin() - (t.cos() - y[0]) * self.stiffness;
    }
}

/// Prothero–Robinson with $k$ = `stiffness`.
pub fn prothero_robinson(stiffness: f64) -> Problem<ProtheroRobinson> {
    Problem::new(
        "Prothero-Robinson",
        ProtheroRobinson { stiffness },
        &[("y", Differential, 1)],
        &[],
        (Leading::Constant, 1),
        (0.0, &[1.0], &[0.0]),
    )
}

/// Robertson's kinetics with the conservation law in place of the third equation.
pub struct Robertson;

impl Model for Robertson {
    fn residual<S: Scalar>(&self, _t: S, y: &[S], yp: &[S], out: &mut [S]) {
        let slow = y[0] * 0.04;
        let back = y[1] * y[2] * 1e4;
        out[0] = yp[0] + slow - back;
        out[1] = yp[1] - slow + back + y[1].square() * 3e7;
        out[2] = y[0] + y[1] + y[2] - 1.0;
    }

    fn invariants<S: Scalar>(&self, _t: S, y: &[S], out: &mut [S]) {
        out[0] = y[0] + y[1] + y[2] - 1.0;
    }
}

/// Robertson from $(1, 0, 0)$.
pub fn robertson() -> Problem<Robertson> {
    Problem::new(
        "Robertson",
        Robertson,
        &[("y1", Differential, 1), ("y2", Differential, 1), ("y3", Algebraic, 1)],
        &[("equation 3", Some(2))],
        (Leading::Constant, 2),
        (0.0, &[1.0, 0.0, 0.0], &[-0.04, 0.04, 0.0]),
    )
}

/// Robertson at $t = 10^{11}$ (Bari/CWI test set, `rober`).
pub const ROBERTSON_REFERENCE: (f64, [f64; 3]) =
    (1e11, [2.083340149701255e-08, 8.333360770334713e-14, 0.999999979166505]);

/// A decay and $z = \sqrt{1 - t}$: the residual of the second equation is NaN after $t = 1$.
pub struct EndOfDomain;

impl Model for EndOfDomain {
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]) {
        out[0] = yp[0] + y[0];
        out[1] = y[1] - (-t + 1.0).sqrt();
    }
}

/// [`EndOfDomain`] from $y = z = 1$.
pub fn end_of_domain() -> Problem<EndOfDomain> {
    Problem::new(
        "end of domain",
        EndOfDomain,
        &[("y", Differential, 1), ("z", Algebraic, 1)],
        &[],
        (Leading::Constant, 1),
        (0.0, &[1.0, 1.0], &[-1.0, 0.0]),
    )
}

/// $y' = y^2$, $y(0) = 1$: the solution becomes infinite at $t = 1$.
pub struct BlowUp;

impl Model for BlowUp {
    fn residual<S: Scalar>(&self, _t: S, y: &[S], yp: &[S], out: &mut [S]) {
        out[0] = yp[0] - y[0].square();
    }
}

/// [`BlowUp`], with the solution $1/(1 - t)$.
pub fn blow_up() -> Problem<BlowUp> {
    Problem::new("blow-up", BlowUp, &[("y", Differential, 1)], &[], (Leading::Constant, 1), (0.0, &[1.0], &[1.0]))
}

/// $x' = -x$ with $z$ and $w$ in two equivalent equations.
pub struct Underdetermined;

impl Model for Underdetermined {
    fn residual<S: Scalar>(&self, _t: S, y: &[S], yp: &[S], out: &mut [S]) {
        out[0] = yp[0] + y[0];
        out[1] = y[1] + y[2] * 0.3 - y[0];
        let factor = (y[0] + 1.0).exp();
        out[2] = (y[1] + y[2] * 0.3 - y[0]) * factor;
    }
}

/// A consistent system that does not determine `z` and `w`.
pub fn underdetermined() -> Problem<Underdetermined> {
    Problem::new(
        "underdetermined",
        Underdetermined,
        &[("x", Differential, 1), ("z", Algebraic, 1), ("w", Algebraic, 1)],
        &[],
        (Leading::Constant, 1),
        (0.0, &[1.0, 1.0, 0.0], &[-1.0, 0.0, 0.0]),
    )
}

/// A decay, and a sine as an algebraic unknown that nothing depends on.
pub struct Signal {
    /// Radians in a unit of time.
    pub frequency: f64,
}

impl Model for Signal {
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]) {
        out[0] = yp[0] + y[0];
        out[1] = y[1] - (t * self.frequency).sin();
    }
}

/// [`Signal`] from $x = 1$.
pub fn signal(frequency: f64) -> Problem<Signal> {
    Problem::new(
        "signal",
        Signal { frequency },
        &[("x", Differential, 1), ("y", Algebraic, 1)],
        &[],
        (Leading::Constant, 1),
        (0.0, &[1.0, 0.0], &[-1.0, frequency]),
    )
}

/// A capacitor of 1 µF and a resistor of 1 kΩ in parallel with a voltage source of $\sin 2000t$ V: the current
/// through the source, an unknown of index 2, is at most 2.3 mA.
pub struct DrivenCapacitor;

impl Model for DrivenCapacitor {
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]) {
        out[0] = yp[0] * 1e-6 + y[0] * 1e-3 - y[1];
        out[1] = y[0] - (t * 2000.0).sin();
    }

    fn invariants<S: Scalar>(&self, t: S, y: &[S], out: &mut [S]) {
        out[0] = y[0] - (t * 2000.0).sin();
    }
}

/// [`DrivenCapacitor`], with the voltage and the current as unknowns.
pub fn driven_capacitor() -> Problem<DrivenCapacitor> {
    Problem::new(
        "driven capacitor",
        DrivenCapacitor,
        &[("v", Differential, 1), ("i", Algebraic, 2)],
        &[("equation 2", Some(1))],
        (Leading::Constant, 1),
        (0.0, &[0.0, driven_capacitor_current(0.0)], &[2000.0, 0.0]),
    )
}

/// The exact current of [`driven_capacitor`] at time `t`, in A.
pub fn driven_capacitor_current(t: f64) -> f64 {
    2e-3 * (2000.0 * t).cos() + 1e-3 * (2000.0 * t).sin()
}

/// A decay beside an oscillation that requires shorter steps, $u' = 100 v$, $v' = -100 u$.
pub struct DecayAndOscillation;

impl Model for DecayAndOscillation {
    fn residual<S: Scalar>(&self, _t: S, y: &[S], yp: &[S], out: &mut [S]) {
        out[0] = yp[0] + y[0];
        out[1] = yp[1] - y[2] * 100.0;
        out[2] = yp[2] + y[1] * 100.0;
    }
}

/// [`DecayAndOscillation`] with amplitudes of 1.
pub fn decay_and_oscillation() -> Problem<DecayAndOscillation> {
    let unknowns = [("slow", Differential, 1), ("u", Differential, 1), ("v", Differential, 1)];
    let start: (f64, &[f64], &[f64]) = (0.0, &[1.0, 1.0, 0.0], &[-1.0, 0.0, -100.0]);
    Problem::new("decay and oscillation", DecayAndOscillation, &unknowns, &[], (Leading::Constant, 1), start)
}

/// $y' = 3t^2 - 2t$, $z = 2y$.
pub struct Cubic;

impl Model for Cubic {
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]) {
        out[0] = yp[0] - t.square() * 3.0 + t * 2.0;
        out[1] = y[1] - y[0] * 2.0;
    }
}

/// [`Cubic`], with the solution $y = t^3 - t^2 + 1$.
pub fn cubic() -> Problem<Cubic> {
    let unknowns = [("y", Differential, 1), ("z", Algebraic, 1)];
    Problem::new("cubic", Cubic, &unknowns, &[], (Leading::Constant, 1), (0.0, &[1.0, 2.0], &[0.0, 0.0]))
}

/// $x' = 1$ and $z = \sqrt x$, whose derivative with respect to $x$ is not finite at $x = 0$.
pub struct RootAtStart;

impl Model for RootAtStart {
    fn residual<S: Scalar>(&self, _t: S, y: &[S], yp: &[S], out: &mut [S]) {
        out[0] = yp[0] - 1.0;
        out[1] = y[1] - y[0].sqrt();
    }
}

/// $x' = -1$ and $z = \sqrt x$: the residual is NaN once $x$ is negative.
pub struct RootAtEnd;

impl Model for RootAtEnd {
    fn residual<S: Scalar>(&self, _t: S, y: &[S], yp: &[S], out: &mut [S]) {
        out[0] = yp[0] + 1.0;
        out[1] = y[1] - y[0].sqrt();
    }
}

/// [`RootAtEnd`] from $x = 1$, so that $x$ is negative after $t = 1$.
pub fn root_at_end() -> Problem<RootAtEnd> {
    let unknowns = [("x", Differential, 1), ("z", Algebraic, 1)];
    Problem::new("root", RootAtEnd, &unknowns, &[], (Leading::Constant, 1), (0.0, &[1.0, 1.0], &[-1.0, -0.5]))
}

/// A decay and $(1 - t)_+ (z - x) = 0$, which does not determine $z$ from $t = 1$ on.
pub struct Fading;

impl Model for Fading {
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]) {
        out[0] = yp[0] + y[0];
        out[1] = (-t + 1.0).positive_part() * (y[1] - y[0]);
    }
}

/// [`Fading`] from $x = 1$.
pub fn fading() -> Problem<Fading> {
    let unknowns = [("x", Differential, 1), ("z", Algebraic, 1)];
    Problem::new("fading", Fading, &unknowns, &[], (Leading::Constant, 1), (0.0, &[1.0, 1.0], &[-1.0, -1.0]))
}

/// [`RootAtStart`] from $x = 0$.
pub fn root_at_start() -> Problem<RootAtStart> {
    let unknowns = [("x", Differential, 1), ("z", Algebraic, 1)];
    Problem::new("root", RootAtStart, &unknowns, &[], (Leading::Constant, 1), (0.0, &[0.0, 0.0], &[1.0, 0.0]))
}

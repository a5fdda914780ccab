//! The pendulum in terms of its angle, with derivatives by complex steps.
//!
//! In: a parameter. Out: derivatives of positions, velocities, the multiplier and the times of events with respect to
//! it, accurate to rounding: the motion is integrated in complex arithmetic, with the parameter displaced by a tiny
//! imaginary number (Squire and Trapp, SIAM Review 40, 1998). Times of events are complex too.

use nalgebra::Complex;

use super::Values;

type C = Complex<f64>;

/// The displacement, so small that its square vanishes beside one.
const STEP: f64 = 1e-100;
/// Steps of the Runge–Kutta method per unit of time; at order 4, they leave errors of 1e-15.
const STEPS: f64 = 8000.0;

/// $\theta'' = -(g/l) \sin\theta$ with $x = l \sin\theta$, $y = -l \cos\theta$.
#[derive(Clone, Copy)]
pub(super) struct Pendulum {
    pub(super) g: C,
    pub(super) l: C,
    /// The angle and its rate at time zero.
    pub(super) start: [C; 2],
    /// Whether there is a wall at $x = -0.05 - 0.01 t$; an impact reverses the velocity and leaves 0.7 of it.
    pub(super) has_wall: bool,
}

impl Pendulum {
    /// A pendulum that starts at rest at height `y0`; one of the three parameters is displaced.
    pub(super) fn at_height([g, l, y0]: [C; 3]) -> Self {
        let quarter = C::from(std::f64::consts::FRAC_PI_2);
        Pendulum { g, l, start: [quarter + arc_sine(y0 / l), C::from(0.0)], has_wall: false }
    }

    /// A pendulum that starts at rest at `x0`, below the height of the pivot and beside the wall.
    pub(super) fn beside_wall([g, l, x0]: [C; 3]) -> Self {
        Pendulum { g, l, start: [arc_sine(x0 / l), C::from(0.0)], has_wall: true }
    }

    fn rate(&self, [theta, omega]: [C; 2]) -> [C; 2] {
        [omega, -self.g / self.l * theta.sin()]
    }

    /// A step of the classical Runge-Kutta method.
    fn step(&self, z: [C; 2], h: C) -> [C; 2] {
        let along = |k: [C; 2], h: C| [z[0] + k[0] * h, z[1] + k[1] * h];
        let k1 = self.rate(z);
        let k2 = self.rate(along(k1, h * 0.5));
        let k3 = self.rate(along(k2, h * 0.5));
        let k4 = self.rate(along(k3, h));
        [0, 1].map(|i| z[i] + (k1[i] + k2[i] * 2.0 + k3[i] * 2.0 + k4[i]) * h / 6.0)
    }

    /// The distance from the wall, and its time derivative.
    fn distance(&self, t: C, [theta, omega]: [C; 2]) -> [C; 2] {
        [self.l * theta.sin() + 0.05 + t * 0.01, self.l * theta.cos() * omega + 0.01]
    }

    /// The velocity along x, and its time derivative.
    fn velocity(&self, _: C, z: [C; 2]) -> [C; 2] {
        let ([sin, cos], acceleration) = ([z[0].sin(), z[0].cos()], self.rate(z)[1]);
        [self.l * cos * z[1], self.l * (cos * acceleration - sin * z[1] * z[1])]
    }

    /// How far into a step of length `h` a function falls through zero; `None` if it does not, or there is no wall.
    fn zero(&self, g: fn(&Self, C, [C; 2]) -> [C; 2], t: C, z: [C; 2], h: C) -> Option<C> {
        let at = |h: C| g(self, t + h, self.step(z, h));
        let falls = self.has_wall && at(C::from(0.0))[0].re > 0.0 && at(h)[0].re <= 0.0;
        let newton = |h: C, _| {
            let [value, rate] = at(h);
            h - value / rate
        };
        falls.then(|| {
            let zero = (0..8).fold(h, newton);
            assert!((0.0..=h.re).contains(&zero.re) && (newton(zero, 0) - zero).norm() < 1e-13, "{zero} of {h}");
            zero
        })
    }

    /// The unknowns x, y, u, v and lambda.
    fn state(&self, [theta, omega]: [C; 2]) -> Vec<C> {
        let (x, y) = (self.l * theta.sin(), -self.l * theta.cos());
        vec![x, y, -y * omega, x * omega, omega * omega + self.g / self.l * theta.cos()]
    }

    /// The states at `times`, and the times of impacts and of turning back towards the wall.
    fn motion(&self, times: &[f64]) -> (Vec<Vec<C>>, Vec<C>) {
        let (mut t, mut z) = (C::from(0.0), self.start);
        let (mut states, mut events) = (Vec::new(), Vec::new());
        for &time in times {
            while t.re < time {
                let steps = ((time - t.re) * STEPS).ceil();
                let mut h = (C::from(time) - t) / steps;
                let is_last = steps <= 1.0;
                events.extend(self.zero(Self::velocity, t, z, h).map(|h| t + h));
                let impact = self.zero(Self::distance, t, z, h);
                h = impact.unwrap_or(h);
                z = self.step(z, h);
                t = if is_last && impact.is_none() { C::from(time) } else { t + h };
                if impact.is_some() {
                    events.push(t);
                    z[1] *= -0.7;
                    // Away from the wall, so that rounding errors are not taken for another impact.
                    z = self.step(z, C::from(1e-9));
                    t += 1e-9;
                }
            }
            states.push(self.state(z));
        }
        (states, events)
    }
}

/// The arcsine to first order in the imaginary part, which the formula with a logarithm loses.
fn arc_sine(z: C) -> C {
    C::new(z.re.asin(), z.im / (1.0 - z.re * z.re).sqrt())
}

/// The derivatives of the motion of `pendulum(parameters)` with respect to parameter number `k`.
pub(super) fn derivatives(pendulum: fn([C; 3]) -> Pendulum, parameters: [f64; 3], k: usize, times: &[f64]) -> Values {
    let mut displaced = parameters.map(C::from);
    displaced[k].im = STEP;
    let (states, events) = pendulum(displaced).motion(times);
    let by = |value: &C| value.im / STEP;
    let states = states.iter().map(|state| state.iter().map(by).collect()).collect();
    Values { unit: 1.0, states, events: events.iter().map(by).collect() }
}

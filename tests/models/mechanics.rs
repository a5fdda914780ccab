//! A mechanical system given by its energies: a crane whose trolley moves as prescribed, with friction, a force and a
//! damper.

dae::dae! {
    /// A load on a rope below a trolley.
    pub struct Crane {
        forms(original, index1, index2, ggl, stabilized(B), projected(unit), pa, pb, pc, baumgarte(2), state_space, tangent,
            underlying, derivative_array, strangeness_free);
        /// Mass of the trolley.
        param m1 = 2;
        param m2 = 1;
        param l = 1.5;
        param g = 9.81;
        param d = 0.3;
        input path = 0.2 * t + sin(t) / 10;
        var s ~ 0;
        var x ~ 0.1;
        var y = -1.4;
        var v ~ 0.3;
        var vx ~ 0;
        var vy = 0.2;
        /// Force that keeps the trolley on its path.
        var drive ~ 0;
        var rope ~ 3;
        var heat = 0;
        lagrangian {
            coordinates s, x, y;
            velocities v, vx, vy;
            kinetic = m1 / 2 * v.powi(2) + m2 / 2 * (vx.powi(2) + vy.powi(2));
            potential = m2 * g * y;
            dissipation = d / 2 * (vx - v).powi(2);
            force(x) = sin(3 * t);
            force(y) = -vy * abs(2 + vy.powi(2)) / 10;
            /// The trolley follows its path.
            constraint(drive) s = path;
            constraint(rope) (x - s).powi(2) + y.powi(2) = l.powi(2);
        }
        der(heat) = d * (vx - v).powi(2);
    }
}

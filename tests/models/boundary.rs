//! Boundary conditions: at the ends and in between, with derivatives, parameters, times, elements of arrays and an
//! integral.

dae::dae! {
    /// A beam with an unknown load, beside a relaxation.
    pub struct Beam {
        forms(index1);
        const N = 2;
        param omega = 3;
        param tau = 0.4;
        var q: [f64; N] ~ |i| sin((i + 1) * t);
        var u: [f64; N] ~ cos(t);
        var w = 0.5;
        let energy = w * w + q[0];
        for i in 0..N {
            der(q[i]) = u[i];
            der(u[i]) = -omega * q[i];
        }
        der(w) = q[0] - w;
        boundary {
            horizon(0, 2 * tau + 1);
            for i in 0..N {
                q[i](t0) = 0.1 * i;
            }
            q[0](t_end) * der(q[1])(0.5) = omega * t_end;
            energy(t_end) = energy(t0) + sqrt(u[1](tau / 8)) * t0;
            integral(q[0] * u[1] + t) = 1 / omega;
            w(t_end) = exp(-tau);
            free omega, t_end;
        }
    }
}

dae::dae! {
    /// A pendulum that is to swing from one side to the other.
    pub struct Swing {
        param l = 1;
        var x ~ l * cos(t);
        var y ~ -l * sin(t);
        var u ~ 0;
        var v ~ 0;
        var lambda ~ 1;
        der(x) = u;
        der(y) = v;
        der(u) = -lambda * x;
        der(v) = -lambda * y - 9.81;
        x.powi(2) + y.powi(2) = l.powi(2);
        boundary {
            x(t0) = 0.6 * l;
            x(t_end) * der(u)(t_end) = -0.6 * l;
        }
    }
}

dae::dae! {
    /// Least effort.
    pub struct Effort {
        param cost = 0.5;
        var y = 1;
        var z ~ 0;
        var p ~ 0;
        var s ~ 0;
        var u ~ 0;
        optimal_control {
            states y, z;
            adjoints p, s;
            controls u;
            der(y) = z;
            der(z) = u - y;
            running_cost = cost * u.powi(2);
            terminal_cost = y.powi(2);
            horizon(0, 2);
        }
        boundary {
            z(t_end) = 0;
            free t_end;
        }
    }
}

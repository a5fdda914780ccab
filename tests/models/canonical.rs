//! A Hamiltonian that is not separable, of arrays, with a constraint.

dae::dae! {
    /// A bead on a sphere whose inertia depends on where it is.
    pub struct Canonical {
        forms(original, index1, ggl, underlying);
        param m = 0.5;
        param g = 9.81;
        var q: [f64; 3] ~ [1, 0.2, -0.5];
        var p: [f64; 3] ~ [0.1, 0.3, 0];
        var lambda ~ 0;
        hamiltonian {
            coordinates q;
            momenta p;
            kinetic = sum(i in 0..3 => p[i].powi(2)) / (2 * m * (1 + q[0].powi(2)));
            potential = m * g * q[2];
            constraint(lambda) sum(i in 0..3 => q[i].powi(2)) = 1;
            invariant energy;
        }
    }
}

//! Oscillators that are coupled through sums over all of them: long rows, long sums, and a piecewise family.

dae::dae! {
    /// Oscillators around their own mean.
    pub struct Coupled {
        forms(original, index1, index2, ggl);
        const N = 12;
        param k = 2.0;
        /// Weights.
        param w: [f64; N] = |i| 1 + i / 4;
        var x: [f64; N] = |i| i / 10;
        var v: [f64; N] ~ 0;
        var middle ~ 0;
        var level ~ 0;
        for i in 0..N {
            der(x[i]) = v[i];
            der(v[i]) = -k * (x[i] - middle) - (v[i] - 1).abs() + sin(level);
        }
        N * middle = sum(i in 0..N => x[i]);
        level * (2 + sum(i in 0..N => w[i])) = sum(i in 0..N => w[i] * x[i].powi(2)) + exp(sum(i in 0..N => v[i] / N));
    }
}

//! Switches in a family, whose arguments contain a table, a sum over the family, and numbers that no `f64` represents
//! exactly.

dae::dae! {
    /// Tanks in a row behind valves that open one after the other, drained together.
    pub struct Valves {
        forms(original, index1);
        const N = 8;
        param k = 0.3;
        param width = 1.1;
        table mu = [(-3, 0.1), (-1, 0.7), (0, 1), (1, 1.2), (2, 0.9), (3, 0.4)];
        var h: [f64; N] = 0.2;
        var total ~ 1.8;
        for i in 0..N {
            der(h[i]) = if mu(h[i]) * sin(width * (i + 1) / 7) > 0.1 * t + sum(j in 0..N => h[j]) / total.powi(3) { k }
                else if exp(-h[i].powi(2)) > PI / (4 + i) { -k } else { max(h[i], -total / 3) };
        }
        total = 0.5 + sum(i in 0..N => abs(h[i] - i / 8));
    }
}

//! A circuit with wires: unknowns that are equal to others up to sign, or constant.

dae::dae! {
    /// A source behind a resistor charges a capacitor; every junction has a name.
    pub struct Wires {
        forms(original, index1, index2, ggl);
        param V = 5;
        param R = 2;
        param C = 0.5;
        /// Lost in the source.
        param drop = 0.25;
        var source;
        var v1;
        var v2 ~ 1;
        var v3;
        var vc = 1;
        var ground;
        var i1;
        var i2;
        var i3;
        var leak;
        var charge = 0;
        let lost = (source - v2) * i1;
        var heat = 0;
        source = V - drop;
        ground = 0;
        source = v1;
        v2 = v3;
        v3 - ground = vc;
        R * i1 = v1 - v2;
        i1 + i2 + leak = 0;
        leak = 0;
        i3 = -i2;
        C * der(vc) = i3 + 0.01 * v3.powi(2) * cos(source);
        der(charge) = i2;
        der(heat) = lost;
    }
}

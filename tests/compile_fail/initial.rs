//! Initial equations that contradict hidden constraints or one another, one that contains no unknown, and one with a
//! derivative that the equations do not determine.

dae::dae! {
    pub struct Pendulum {
        var x ~ 0.6;
        var y ~ -0.8;
        var u ~ 0;
        var v ~ 0;
        var lambda;
        initial { x = 0.6; u = 1; v = 1; }
        der(x) = u;
        der(y) = v;
        der(u) = -lambda * x;
        der(v) = -lambda * y - 9.81;
        x.powi(2) + y.powi(2) = 1;
    }
}

dae::dae! {
    pub struct Tanks {
        var a ~ 1;
        var b ~ 1;
        initial { a + b = 3; a + b = 4; }
        der(a) = b - a;
        der(b) = a - b;
    }
}

dae::dae! {
    pub struct Decay {
        param rate = 2;
        var x ~ 1;
        initial { rate = 1; }
        der(x) = -rate * x;
    }
}

dae::dae! {
    pub struct Jerk {
        var x ~ 1;
        initial { der(x, 2) = 0; }
        der(x) = -x;
    }
}

fn main() {}

//! Modes that are entered without a law for what jumps, or without end, an alternative that does not exist, and a mode
//! variable as a number.

dae::dae! {
    pub struct CupAndBall {
        param l = 1;
        var x = 0.6;
        var y = 0.3;
        var lambda;
        der(x, 2) = -lambda * x;
        der(y, 2) = -lambda * y - 9.81;
        modes string {
            slack { lambda = 0; when x.powi(2) + y.powi(2) > l.powi(2) { string = taut; } }
            taut { x.powi(2) + y.powi(2) = l.powi(2); when lambda < 0 { string = slack; } }
        }
    }
}

dae::dae! {
    pub struct Heater {
        var temperature = 20;
        var power;
        der(temperature) = power - 0.1 * temperature;
        modes heater {
            off { power = 0; when temperature < 22 { heater = on; } }
            on { power = 5; when temperature > 20 { heater = off; } }
        }
    }
}

dae::dae! {
    pub struct Valve {
        var level = 1;
        var flow;
        der(level) = -flow;
        modes valve {
            open { flow = level; when level < 0.1 { valve = closed; } }
            shut { flow = 0; when level > valve { valve = open; } }
        }
    }
}

fn main() {}

//! Models whose unknowns are a matrix on a Lie group, and one with other unknowns beside it, by the macro and as texts.

macro_rules! models {
    ($($text:ident { $($model:tt)* })*) => {
        $(dae::dae! { $($model)* }
        pub(crate) const $text: &str = stringify!($($model)*);)*
    };
}

models! {
    FRAME {
        /// A frame that turns as prescribed.
        pub struct Frame {
            forms(underlying);
            param scale = 1;
            let w: [f64; 3] = [sin(t), cos(2 * t), scale * t / 2];
            var Y: [[f64; 3]; 3] = |i, j| if i == j { 1 } else { 0 };
            lie_group SO(3) {
                matrix Y;
                generator = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]];
            }
        }
    }
    BODY {
        /// The attitude of a rigid body with a given angular momentum in space.
        pub struct Body {
            forms(underlying, index1);
            param J: [f64; 3] = [1.6, 1, 2 / 3];
            param m: [f64; 3] = [cos(0.9), 0, sin(0.9)];
            var Y: [[f64; 3]; 3] ~ |i, j| if i == j { 1 } else { 0 };
            let v: [f64; 3] = |i| sum(k in 0..3 => Y[k][i] * m[k]) / J[i];
            let w: [f64; 3] = |i| sum(k in 0..3 => Y[i][k] * v[k]);
            lie_group SO(3) {
                matrix Y;
                generator = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]];
            }
        }
    }
    SPHERE {
        /// Euler's equations of the rigid body, on the sphere.
        pub struct Sphere {
            forms(underlying);
            param J: [f64; 3] = [1.6, 1, 2 / 3];
            var y: [f64; 3] = [cos(0.9), 0, sin(0.9)];
            lie_group Stiefel(3, 1) {
                matrix y;
                generator = [[0, y[2] / J[2], -y[1] / J[1]], [-y[2] / J[2], 0, y[0] / J[0]], [y[1] / J[1], -y[0] / J[0], 0]];
            }
        }
    }
    FRAMES {
        /// Two orthonormal vectors in five dimensions.
        pub struct Frames {
            forms(underlying);
            const N = 5;
            const K = 2;
            var Y: [[f64; K]; N] = |i, j| if i == j { 1 } else { 0 };
            fn b(i, j, u, v) { u * cos(t + j) + v }
            lie_group Stiefel(N, K) {
                matrix Y;
                generator = |i, j| b(i, j, Y[i][0], Y[j][1]) - b(j, i, Y[j][0], Y[i][1]);
            }
        }
    }
    UNIMODULAR {
        /// Hairer (2011), example III.1.2.
        pub struct Unimodular {
            forms(underlying);
            var Y: [[f64; 2]; 2] = |i, j| if i == j { 1 } else { 0 };
            lie_group SL(2) {
                matrix Y;
                generator = [[t, 1], [-1 - sin(t), -t]];
            }
        }
    }
    SYMPLECTIC {
        /// Hairer (2011), example III.1.2, with a generator that depends on the solution.
        pub struct Shear {
            forms(underlying);
            var Y: [[f64; 2]; 2] = |i, j| if i == j { 1 } else { 0 };
            lie_group Sp(2) {
                matrix Y;
                generator = [[sin(Y[0][1]), 1], [-1, -sin(Y[0][1])]];
            }
        }
    }
    HAMILTONIAN {
        /// The flow of a quadratic Hamiltonian: A is the inverse of J times a symmetric matrix.
        pub struct Flow {
            forms(underlying);
            var Y: [[f64; 4]; 4] = |i, j| if i == j { 1 } else { 0 };
            let S: [[f64; 4]; 4] = [
                [2 + sin(t), 1 / 2, t / 10, 0],
                [1 / 2, 1, 0, cos(t)],
                [t / 10, 0, 1, 1 / 5],
                [0, cos(t), 1 / 5, 3 / 2],
            ];
            lie_group Sp(4) {
                matrix Y;
                generator = |i, j| if i < 2 { S[i + 2][j] } else { -S[i - 2][j] };
            }
        }
    }
    RIGID {
        /// A rigid motion with prescribed velocities.
        pub struct Motion {
            forms(underlying);
            var Y: [[f64; 4]; 4] = |i, j| if i == j { 1 } else { 0 };
            lie_group SE(3) {
                matrix Y;
                generator = [[0, -t, cos(t), 1], [t, 0, -sin(t), t], [-cos(t), sin(t), 0, exp(-t)], [0, 0, 0, 0]];
            }
        }
    }
    GENERAL {
        /// A planar linear system.
        pub struct Planar {
            forms(underlying);
            var Y: [[f64; 2]; 2] = [[2, 1], [1, 1]];
            lie_group GL(2) {
                matrix Y;
                generator = [[-1, t], [1, -t.powi(2)]];
            }
        }
    }
    DRIVEN {
        /// A plane that turns as the caller says.
        pub struct Driven {
            forms(underlying);
            input rate;
            var Y: [[f64; 2]; 2] = |i, j| if i == j { 1 } else { 0 };
            lie_group SO(2) {
                matrix Y;
                generator = [[0, -rate], [rate, 0]];
            }
        }
    }
    TUMBLING {
        /// A free rigid body: attitude on the group, angular velocity beside it.
        pub struct Tumbling {
            param J: [f64; 3] = [1.6, 1, 2 / 3];
            var Y: [[f64; 3]; 3] = |i, j| if i == j { 1 } else { 0 };
            var w: [f64; 3] = [1, 0.1, 2];
            lie_group SO(3) {
                matrix Y;
                generator = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]];
            }
            J[0] * der(w[0]) = (J[1] - J[2]) * w[1] * w[2];
            J[1] * der(w[1]) = (J[2] - J[0]) * w[2] * w[0];
            J[2] * der(w[2]) = (J[0] - J[1]) * w[0] * w[1];
        }
    }
    IDENTITY {
        /// The generator contains the solution and does not depend on it.
        pub struct Identity {
            forms(underlying);
            var Y: [[f64; 2]; 2] = |i, j| if i == j { 1 } else { 0 };
            let one = sin(Y[0][0]).powi(2) + cos(Y[0][0]).powi(2);
            lie_group SO(2) {
                matrix Y;
                generator = [[0, one * t], [-t, 0]];
            }
        }
    }
    TILTED {
        /// A vector that starts as its parameters say.
        pub struct Tilted {
            forms(underlying);
            param angle = 0;
            param length = 1;
            var y: [f64; 2] = [length * cos(angle), length * sin(angle)];
            lie_group Stiefel(2, 1) {
                matrix y;
                generator = [[0, -1], [1, 0]];
            }
        }
    }
}

//! A chain of point masses on massless rods, of any length: index 3.
//!
//! In: a number of links. Out: a module with the model of such a chain, whose text does not grow with that number.

/// `chain! { ten: 10 }`: a module `ten` with the model `Chain` of ten links.
macro_rules! chain {
    ($module:ident: $links:tt) => {
        pub(crate) mod $module {
            dae::dae! {
                /// Point masses on massless rods, each hung from the one before, in Cartesian coordinates; straight and at rest in the beginning, at
                /// 30 degrees from the vertical. Lengths and masses add up to one.
                pub struct Chain {
                    forms(ggl, index1);
                    const N = $links;
                    param g = 9.81;
                    param m = 1 / N;
                    param l = 1 / N;
                    var x: [f64; N] = |i| (i + 1) / N / 2;
                    var y: [f64; N] ~ |i| -0.8660254037844386 * (i + 1) / N;
                    var u: [f64; N] = 0;
                    var v: [f64; N] ~ 0;
                    /// Tension over length.
                    var tension: [f64; N] ~ |i| 9.81 * (N - i) * 0.866;

                    for i in 0..N {
                        der(x[i]) = u[i];
                        der(y[i]) = v[i];
                    }
                    m * der(u[0]) = -tension[0] * x[0] + tension[1] * (x[1] - x[0]);
                    m * der(v[0]) = -tension[0] * y[0] + tension[1] * (y[1] - y[0]) - m * g;
                    x[0].powi(2) + y[0].powi(2) = l.powi(2);
                    for i in 1..N - 1 {
                        m * der(u[i]) = -tension[i] * (x[i] - x[i - 1]) + tension[i + 1] * (x[i + 1] - x[i]);
                        m * der(v[i]) = -tension[i] * (y[i] - y[i - 1]) + tension[i + 1] * (y[i + 1] - y[i]) - m * g;
                    }
                    m * der(u[N - 1]) = -tension[N - 1] * (x[N - 1] - x[N - 2]);
                    m * der(v[N - 1]) = -tension[N - 1] * (y[N - 1] - y[N - 2]) - m * g;
                    for i in 1..N {
                        (x[i] - x[i - 1]).powi(2) + (y[i] - y[i - 1]).powi(2) = l.powi(2);
                    }
                }
            }

            /// The formulations that are compared, as trait objects.
            pub(crate) fn forms() -> Vec<Box<dyn dae::Dae>> {
                let chain = Chain::default();
                vec![Box::new(chain.ggl()), Box::new(chain.index1())]
            }
        }
    };
}

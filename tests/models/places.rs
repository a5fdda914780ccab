//! Where a `dae!` may stand: in modules, in functions, in the expansion of a `macro_rules!`, with any visibility and
//! any names.
#![deny(warnings)]

use dae::{Integration, Solution};

mod inner {
    pub(crate) mod deeper {
        dae::dae! {
            /// Without parameters.
            pub(in crate::places) struct Growth {
                var x = 1;
                der(x) = x;
            }
        }
    }

    dae::dae! {
        #[doc = "Lower case, and names of the generated code's own."]
        pub(crate) struct lower_case {
            param values = 2.0;
            param prolongation = 3.0;
            param Default = 0.0;
            var f64_ = 1;
            der(f64_) = -values * f64_ / (prolongation + Default);
        }
    }
}

macro_rules! relaxation {
    ($name:ident, $rate:expr, $target:expr) => {
        dae::dae! {
            struct $name {
                forms(index2);
                var x = 0;
                der(x) = $rate * ($target - x);
            }
        }
    };
}

relaxation!(Relaxation, 1 + 1, 3.0);

fn run(form: &dyn dae::Dae) -> Solution {
    let solution = Integration::new(form).rtol(1e-9).atol(1e-9).run(0.0, 1.0).unwrap();
    assert!(solution.is_success());
    solution
}

/// Constants, statics and types with the names of the model: patterns in generated code would match them instead of
/// binding these names.
mod crowded {
    #[allow(dead_code)]
    const R: f64 = 8.314;
    #[allow(dead_code)]
    static N: f64 = 1.0;
    #[allow(dead_code)]
    struct Q;

    dae::dae! {
        pub(super) struct Gas {
            param R = 2.0;
            var N = 1;
            let Q = R * N;
            der(N) = -Q + 0 * der(N) * Q.sin();
        }
    }
}

/// A model where the crate has another name.
mod renamed {
    pub(crate) use dae as differential;

    dae::dae! {
        #[dae(crate = crate::places::renamed::differential)]
        pub(super) struct Renamed {
            param rate = 1.0;
            var x = 1;
            der(x) = -rate * x;
        }
    }
}

#[test]
fn models_stand_anywhere() {
    dae::dae! {
        struct Local {
            param rate = 1.0;
            var x = 1;
            var y;
            der(x) = -rate * y;
            y = x;
        }
    }
    let close = |form: &dyn dae::Dae, expected: f64| {
        let value = run(form).end_state[0];
        assert!((value - expected).abs() < 1e-7, "{value} instead of {expected}");
    };
    close(&Local { rate: 2.0 }.index1(), (-2.0_f64).exp());
    close(&inner::deeper::Growth::default().index1(), 1.0_f64.exp());
    close(&inner::lower_case { values: 3.0, ..Default::default() }.ggl(), (-1.0_f64).exp());
    close(&crowded::Gas::default().index1(), (-2.0_f64).exp());
    close(&renamed::Renamed { rate: 3.0 }.index1(), (-3.0_f64).exp());
    close(&Relaxation {}.index2(), 3.0 * (1.0 - (-2.0_f64).exp()));
}

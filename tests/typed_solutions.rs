//! Solutions with a method for each unknown.
//!
//! In: models with scalars, arrays and unknowns that a formulation eliminates. Out: in every form the same values as by
//! name, and an error for solutions of other models.

use dae::{Integration, Record, Solution};

mod plain {
    dae::dae! {
        /// A crane with its trolley held still: `held` is a constant, `pulled` an alias of `rope`.
        pub struct Crane {
            forms(
                original, index1, index2, ggl, stabilized(B), projected(C), overdetermined, state_space, tangent, dummy,
                underlying, derivative_array, strangeness_free
            );
            param l = 2.0;
            /// Horizontal position of the load.
            var x = 1.0;
            var y ~ -1.7;
            var u = 0.0;
            var v ~ 0.0;
            var rope ~ 1.0;
            var pulled;
            var held;
            der(x) = u;
            der(y) = v;
            der(u) = -rope * (x - held);
            der(v) = -rope * y - 9.81;
            (x - held).powi(2) + y.powi(2) = l.powi(2);
            pulled = -rope;
            held = 0;
        }
    }
}

mod arrays {
    dae::dae! {
        struct Grid {
            const N = 3;
            var T: [[f64; 2]; N];
            for i in 0..N {
                for j in 0..2 {
                    start T[i][j] = i + 10 * j;
                    der(T[i][j]) = i - j;
                }
            }
            var at = 1.0;
            der(at) = -at;
        }
    }

    /// The macro works on only a few members of a long family.
    #[test]
    fn elements_of_a_long_family() {
        dae::dae! {
            struct Row {
                const N = 300;
                var x: [f64; N] = |k| k;
                var sum;
                for k in 0..N {
                    der(x[k]) = -k;
                }
                sum = sum(k in 0..N => x[k]);
            }
        }
        use dae::{Integration, Record};
        let run = |end| Integration::new(&Row::default().index1()).record(Record::Dense).run(0.0, end).unwrap();
        for end in [1.0, -1.0] {
            let row = RowSolution::try_from(run(end)).unwrap();
            for k in [0, 1, 150, 299] {
                assert!((row.x(k, 0.5 * end).unwrap() - k as f64 * (1.0 - 0.5 * end)).abs() < 1e-9, "{k}");
            }
            assert!((row.sum(0.5 * end).unwrap() / (299.0 * 150.0 * (1.0 - 0.5 * end)) - 1.0).abs() < 1e-9);
            assert_eq!(row.x(300, 0.5 * end), None);
        }
    }

    /// The method of an unknown takes precedence over the method of `Solution` of the same name, here `at`.
    #[test]
    fn elements_by_their_indices() {
        use dae::Integration;
        let solution = Integration::new(&Grid::default().index1()).run(0.0, 2.0).unwrap();
        let grid = GridSolution::try_from(solution).unwrap();
        for (i, j) in [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)] {
            let expected = i as f64 + 10.0 * j as f64 + 2.0 * (i as f64 - j as f64);
            assert!((grid.T(i, j, 2.0).unwrap() - expected).abs() < 1e-9, "{i} {j}");
        }
        assert_eq!([grid.T(3, 0, 2.0), grid.T(0, 2, 2.0)], [None; 2]);
        assert!((grid.at(2.0).unwrap() - f64::exp(-2.0)).abs() < 1e-5);
    }
}

use plain::{Crane, CraneSolution};

fn run(form: &dyn dae::Dae) -> Solution {
    Integration::new(form).record(Record::Dense).run(0.0, 1.0).unwrap()
}

#[test]
fn methods_are_the_unknowns() {
    let crane = Crane::default();
    let forms: [&dyn dae::Dae; 13] = [
        &crane.original(),
        &crane.index1(),
        &crane.index2(),
        &crane.ggl(),
        &crane.stabilized_b(),
        &crane.projected_c(),
        &crane.overdetermined(),
        &crane.state_space(),
        &crane.tangent(),
        &crane.dummy(),
        &crane.underlying(),
        &crane.derivative_array(),
        &crane.strangeness_free(),
    ];
    for form in forms {
        let solution = run(form);
        let by_name = |name: &str, t: f64| solution.value(name, t);
        let crane: CraneSolution = solution.clone().try_into().unwrap();
        for t in [0.0, 0.123, 0.77, 1.0] {
            let found = [crane.x(t), crane.y(t), crane.u(t), crane.v(t), crane.rope(t), crane.pulled(t), crane.held(t)];
            let expected = ["x", "y", "u", "v", "rope", "pulled", "held"].map(|name| by_name(name, t));
            assert_eq!(found, expected, "{} at {t}", form.description().form);
            assert!(found.iter().all(Option::is_some));
            assert_eq!(crane.pulled(t), crane.rope(t).map(|rope| -rope));
            assert_eq!(crane.held(t), Some(0.0));
        }
        for t in [-0.1, 1.1, f64::NAN] {
            assert_eq!([crane.x(t), crane.pulled(t), crane.held(t)], [None; 3], "{t}");
        }
        // Everything else is as in the untyped solution.
        assert!(crane.is_success() && crane.times == solution.times);
        assert_eq!(Solution::from(crane), solution);
    }
}

/// If only some times are recorded, only those have values.
#[test]
fn without_dense_output_recorded_times_only() {
    let form = Crane::default().ggl();
    let solution = Integration::new(&form).record(Record::At(vec![0.5, 1.0])).run(0.0, 1.0).unwrap();
    let crane = CraneSolution::try_from(solution).unwrap();
    assert!(crane.x(0.5).is_some() && crane.x(1.0).is_some());
    assert_eq!([crane.x(0.0), crane.x(0.75)], [None; 2]);
}

#[test]
fn a_solution_of_another_model_is_refused() {
    dae::dae! {
        struct Fall {
            var y = 1.0;
            var v = 0.0;
            der(y) = v;
            der(v) = -9.81;
        }
    }
    let error = CraneSolution::try_from(run(&Fall::default().index1())).unwrap_err();
    assert_eq!((error.model, error.unknown.as_str()), ("Crane", "x"));
    assert_eq!(error.to_string(), "this is no solution of Crane: it has no unknown `x`");
}

//! Solutions with a method for each unknown.
//!
//! In: models with scalars, arrays and unknowns that a formulation eliminates. Out: in every form the same values as by
//! name, also of boundary value problems, and an error for solutions of other models.

use dae::{Bvp, BvpError, BvpMethod, BvpSolution, Integration, Record, Solution};

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

mod boundary {
    dae::dae! {
        /// Two states steered at least cost, the second towards 2: an array of independent problems, and an alias.
        pub struct Steering {
            forms(index1, ggl, underlying);
            param weight = 1;
            var y: [f64; 2] = |i| i + 1;
            var v: [f64; 2] ~ 0;
            var u: [f64; 2] ~ 0;
            var effort;
            optimal_control {
                states y;
                adjoints v;
                controls u;
                for i in 0..2 {
                    der(y[i]) = u[i];
                }
                running_cost = sum(i in 0..2 => (weight * y[i].powi(2) + u[i].powi(2)) / 2);
                horizon(0, 1);
            }
            effort = u[1];
        }
    }
}

/// The solution of a boundary value problem becomes the same type as that of an integration.
#[test]
fn boundary_value_problems_have_the_same_type() -> Result<(), BvpError> {
    let steering = boundary::Steering::default();
    let tight = |bvp: Bvp<'_>| -> Result<BvpSolution, BvpError> { bvp.rtol(1e-10).atol(1e-10).solve(0.0, 1.0) };
    let all = [
        tight(Bvp::new(&steering.index1()))?,
        tight(Bvp::new(&steering.ggl()))?,
        tight(Bvp::new(&steering.underlying()))?,
        tight(Bvp::new(&steering.index1()).method(BvpMethod::Radau))?,
        tight(Bvp::new(&steering.index1()).method(BvpMethod::Shooting))?,
    ];
    for found in all {
        let by_name = found.solution.clone();
        let found = boundary::SteeringSolution::try_from(found.solution).expect("it has all unknowns");
        for t in [0.0, 0.1, 0.5, 0.77, 1.0_f64] {
            for (i, start) in [(0, 1.0), (1, 2.0)] {
                let (y, v) = (start * (1.0 - t).cosh() / 1.0_f64.cosh(), start * (1.0 - t).sinh() / 1.0_f64.cosh());
                for (value, exact) in [(found.y(i, t), y), (found.v(i, t), v), (found.u(i, t), -v)] {
                    assert!((value.unwrap() - exact).abs() < 1e-8, "{value:?} and {exact} at {t}");
                }
            }
            assert!((found.effort(t).unwrap() - found.u(1, t).unwrap()).abs() < 1e-15);
            assert_eq!(found.v(0, t), by_name.value("v[0]", t));
        }
        assert_eq!([found.y(0, -0.1), found.y(0, 1.1), found.y(2, 0.5)], [None; 3]);
        // Everything else is as in the untyped solution.
        assert!(found.is_success() && found.times == by_name.times);
        assert_eq!(Solution::from(found), by_name);
    }
    // The parameter is that of the model.
    let heavy = boundary::Steering { weight: 4.0 };
    let found = Bvp::new(&heavy.index1()).solve(0.0, 1.0)?;
    assert!((found.value("v[0]", 0.0).unwrap() - 2.0 * 2.0_f64.tanh()).abs() < 1e-5);
    Ok(())
}

/// Guesses of other kinds than those of the text lead to the same solution.
#[test]
fn boundary_value_problems_start_from_tables_and_solutions() -> Result<(), BvpError> {
    let form = boundary::Steering::default().index1();
    let found = Bvp::new(&form).solve(0.0, 1.0)?;
    let columns = ["y[0]", "y[1]", "v[0]", "v[1]"].map(|name| (name, found.solution.column(name).unwrap()));
    let table = Bvp::new(&form).guess_table(found.mesh.as_slice(), columns.clone()).solve(0.0, 1.0)?;
    let few = Bvp::new(&form).guess_table([3.0, 5.0], [("y[0]", vec![1.0, 0.6])]).solve(0.0, 1.0)?;
    for again in [table, few, Bvp::new(&form).warm_start(&found).solve(0.0, 1.0)?] {
        assert!((again.value("v[1]", 0.0).unwrap() - 2.0 * 1.0_f64.tanh()).abs() < 1e-5);
    }
    let wrong = Bvp::new(&form).guess_table([0.0, 1.0], [("y[0]", vec![1.0])]).solve(0.0, 1.0).unwrap_err();
    assert_eq!(wrong.to_string(), "the guess has 2 times, and 1 values of `y[0]`");
    Ok(())
}

//! The interface that most programs use first.
//!
//! In: a pendulum and a pair of clocks. Out: which types are `Send`, `Sync` or errors, by bounds that the compiler
//! checks; builders that functions return; tolerances and parameters by name; runs that stop early; simultaneous
//! events; derivatives that are not available.

use std::error::Error;
use std::fmt::Debug;
use std::ops::ControlFlow;

use dae::runtime::initialize::InitializationError;
use dae::runtime::rank::RankError;
use dae::runtime::underlying::Unsolvable;
use dae::{
    Classified, Dae, Event, Failure, ForeignSolution, Gradient, Index, Input, InputError, Integration, Method,
    Occurrence, Options, ParameterError, Radau, Record, RunError, SensitivityError, Solution, Spline, SplineError,
    Statistics, Status, Step, SwitchStatistics, Tolerance,
};

dae::dae! {
    struct Pendulum {
        forms(ggl, index1, tangent);
        param g = 1.0;
        param l = 1.0;
        var x ~ 1.0;
        var y = 0.0;
        var u ~ 0.0;
        var v = 0.0;
        var lambda ~ 0.0;
        der(x) = u;
        der(y) = v;
        der(u) = -lambda * x;
        der(v) = -lambda * y - g;
        0 = x.powi(2) + y.powi(2) - l.powi(2);
    }
}

dae::dae! {
    struct Clock {
        forms(index1);
        param rate: [f64; 2] = [1.0, 2.0];
        var s: [f64; 2] = [0.0, 0.0];
        var same;
        for i in 0..2 { der(s[i]) = rate[i]; }
        same = s[0];
    }
}

fn is_shared<T: Send + Sync + Debug + 'static>() {}
fn is_sent<T: Send + Debug>(_: &T) {}
fn is_error<T: Error + Send + Sync + Clone + PartialEq + 'static>() {}

#[test]
fn values_go_to_other_threads_and_errors_are_errors() {
    is_shared::<Pendulum>();
    is_shared::<PendulumGgl>();
    is_shared::<Input>();
    is_shared::<Spline>();
    is_shared::<Options>();
    is_shared::<Tolerance>();
    is_shared::<Method>();
    is_shared::<Record>();
    is_shared::<Statistics>();
    is_shared::<SwitchStatistics>();
    is_shared::<Status>();
    is_shared::<Solution>();
    is_shared::<PendulumSolution>();
    is_shared::<Occurrence>();
    is_shared::<Gradient>();
    is_shared::<Step>();
    // A run changes the local coordinates of this form, which can therefore be sent to another thread, but not shared.
    is_sent(&Pendulum::default().tangent());
    is_error::<Failure>();
    is_error::<ForeignSolution>();
    is_error::<InitializationError>();
    is_error::<InputError>();
    is_error::<ParameterError>();
    is_error::<RankError>();
    is_error::<RunError>();
    is_error::<SensitivityError>();
    is_error::<SplineError>();
    is_error::<Unsolvable>();
}

fn tight<D: Classified>(form: &D) -> Integration<'_, 'static, D::Class> {
    Integration::new(form).rtol(1e-9).atol(1e-9)
}

fn of_index_2(form: &impl Classified<Class = Index<2>>) -> Integration<'_, 'static, Index<2>> {
    Integration::new(form).rtol(1e-9).atol(1e-9)
}

fn of_any(form: &impl Classified) -> Integration<'_, 'static> {
    Integration::new(form).rtol(1e-9).atol(1e-9).open()
}

#[test]
fn functions_return_builders() -> Result<(), RunError> {
    let form = Pendulum::default().ggl();
    let ends =
        [tight(&form).method(Radau).run(0.0, 1.0)?, of_index_2(&form).run(0.0, 1.0)?, of_any(&form).run(0.0, 1.0)?];
    for solution in &ends {
        assert!((solution.end_state[0] - 0.879548).abs() < 1e-6);
        assert_eq!(solution.into_iter().len(), solution.times.len());
        let (t, state) = solution.into_iter().next_back().expect("an end");
        assert_eq!((t, state), (1.0, &*solution.end_state));
    }
    Ok(())
}

#[test]
fn tolerances_go_by_name() -> Result<(), RunError> {
    let form = Pendulum::default().ggl();
    let place = form.description().place_of("v").expect("a state");
    let mut listed = vec![1e-4; form.description().unknowns.len()];
    listed[place] = 1e-9;
    let options = Options { rtol: 1e-6, atol: Tolerance::PerComponent(listed), ..Options::default() };
    let by_place = Integration::new(&form).options(options).run(0.0, 2.0)?;
    let by_name = Integration::new(&form).rtol(1e-6).atol(1e-4).atol_of("v", 1e-9).run(0.0, 2.0)?;
    assert_eq!((by_name.statistics, &by_name.end_state), (by_place.statistics, &by_place.end_state));
    let error = Integration::new(&form).atol_of("w", 1e-9).run(0.0, 2.0).expect_err("no such unknown");
    let message = "a tolerance is given for `w`, and the unknowns are x, y, u, v, lambda, mu_1";
    assert!(matches!(error, RunError::Options(_)) && error.to_string() == message, "{error}");
    // An array as a whole, one element of it, and an alias of an element.
    let clock = Clock::default().index1();
    for name in ["s", "s[1]", "same"] {
        assert!(Integration::new(&clock).atol_of(name, 1e-9).run(0.0, 1.0).is_ok(), "{name}");
    }
    let error = Integration::new(&clock).atol_of("s", -1.0).run(0.0, 1.0).expect_err("negative");
    assert!(error.to_string().contains("negative"), "{error}");
    Ok(())
}

#[test]
fn parameters_go_by_name() -> Result<(), ParameterError> {
    let mut clock = Clock::default().index1();
    clock.set_parameter("rate[1]", 5.0)?;
    assert_eq!(clock.parameters(), [1.0, 5.0]);
    let message = clock.set_parameter("rate", 5.0).expect_err("an array").to_string();
    assert_eq!(message, "there is no parameter `rate`; there are rate[0], rate[1]");
    assert_eq!(clock.try_set_parameters(&[1.0]), Err(ParameterError::Count { given: 1, expected: 2 }));
    clock.try_set_parameters(&[3.0, 4.0])?;
    assert_eq!(clock.parameters(), [3.0, 4.0]);
    Ok(())
}

/// What a failed run has computed is in its error, which names the failure as its source.
#[test]
fn a_run_that_stops_early_is_an_error_with_a_solution() {
    let form = Pendulum::default().ggl();
    let error = Integration::new(&form).max_steps(5).run(0.0, 10.0).expect_err("too few steps");
    let failure = error.source().and_then(|source| source.downcast_ref::<Failure>()).expect("a failure").clone();
    assert!(matches!(failure, Failure::TooManySteps { max_steps: 5, .. }) && error.failure() == Some(&failure));
    assert_eq!(error.to_string(), failure.to_string());
    assert_eq!(error.solution().map(|solution| solution.times.len()), Some(6));
    let debug = format!("{error:?}");
    assert!(debug.len() < 1000, "the failure is printed, the states are not: {debug}");
    let solution = error.into_solution().expect("there is one");
    assert_eq!(solution.status, Status::Stopped(failure));
    // Without a start there is no solution.
    let refused = Integration::new(&form).rtol(-1.0).run(0.0, 1.0).expect_err("no tolerance");
    assert!(matches!(refused, RunError::Options(Failure::InvalidOption { .. })) && refused.solution().is_none());
    assert_eq!(refused.clone().into_solution().expect_err("no solution"), refused);
    let off = form.description().unknowns.iter().map(|_| 1.0).collect::<Vec<_>>();
    let start = Integration::new(&form).run_from(0.0, &off, &off, 1.0).expect_err("not consistent");
    assert!(matches!(start, RunError::Start(Failure::InconsistentStart { .. })), "{start}");
    // A run that ends where it was asked to end is no error.
    let stopped = Integration::new(&form).on_step(|step| match step.t > 0.5 {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    let solution = stopped.run(0.0, 10.0).expect("it was asked for");
    assert!(solution.status == Status::Interrupted && !solution.is_success() && solution.end_time < 10.0);
}

/// Events at one time are all recorded, and a terminal event leaves the state unchanged.
#[test]
fn a_terminal_event_comes_before_resets_at_the_same_time() -> Result<(), RunError> {
    let clock = Clock::default().index1();
    let place = clock.description().place_of("s[0]").expect("a state");
    let reset = || Event::new("reset", |t, _, _| t - 1.0).reset(move |_, y| y[place] = 7.0);
    let end = |name: &'static str| Event::new(name, move |_, y: &[f64], _| y[place] - 1.0).terminal();
    for events in [[reset(), end("end"), end("later")], [end("end"), end("later"), reset()]] {
        let names: Vec<String> = events.iter().map(|it| format!("{it:?}")).collect();
        let solution = events.into_iter().fold(Integration::new(&clock), Integration::event).run(0.0, 2.0)?;
        assert_eq!((&solution.status, solution.end_time), (&Status::Event("end".into()), 1.0), "{names:?}");
        assert!((solution.end_state[place] - 1.0).abs() < 1e-12, "{:?}", solution.end_state);
        let noted: Vec<&str> = solution.occurrences.iter().map(|it| &*it.event).collect();
        assert!(
            noted.len() == 3 && names.iter().zip(&noted).all(|(all, one)| all.contains(one)),
            "{noted:?} {names:?}"
        );
    }
    Ok(())
}

#[test]
fn derivatives_that_are_not_there_say_why() -> Result<(), Box<dyn Error>> {
    let form = Pendulum::default().ggl();
    let integration = || Integration::new(&form).sensitivities(["g"]);
    let plain = Integration::new(&form).run(0.0, 1.0)?;
    assert_eq!(plain.sensitivity("x", "g"), Err(SensitivityError::NotRequested));
    let run = integration().adjoint(0.0, 1.0)?;
    let error = run.solution.sensitivity("x", "g").expect_err("gradients");
    assert!(error == SensitivityError::Adjoint && error.to_string().contains("`gradient`"), "{error}");
    let forward = integration().run(0.0, 1.0)?;
    assert_eq!(forward.sensitivity("x", "g")?.len(), forward.times.len());
    let message = forward.sensitivity("x", "l").expect_err("not asked for").to_string();
    assert_eq!(message, "no derivatives with respect to `l` were asked for, but those to g");
    assert!(matches!(forward.sensitivity("z", "g"), Err(SensitivityError::UnknownName { .. })));
    assert_eq!(forward.sensitivity_at("x", "g", 0.123), Err(SensitivityError::NotRecorded { t: 0.123 }));
    Ok(())
}

//! Derivatives and enclosures of external functions, compared with difference quotients and values.

use super::*;
use crate::expr::interval::Interval;
use crate::expr::{Dag, Symbol, UnknownId, differentiate, evaluate_one, interval::evaluate_interval};

#[test]
fn derivatives_of_stand_ins_are_consistent() {
    let mut dag = Dag::new();
    let symbol = |k| Symbol::Unknown { unknown: UnknownId(k), order: 0 };
    let [x, y] = [0, 1].map(|k| dag.symbol(symbol(k)));
    let function = External {
        name: "rho".into(),
        arguments: vec!["p".into(), "temperature".into()],
        origin: Origin::NONE,
        source: Source::Code(Vec::new()),
    };
    let square = dag.powi(x, 2);
    let f = dag.call(Call::new(Arc::new(function)), &[square, y]);
    let mut derivative = f;
    for k in [0, 1, 1, 0] {
        let at = |h: f64| {
            let value = |s| if s == symbol(k) { 0.4 + h } else { 0.4 };
            evaluate_one(&dag, derivative, value)
        };
        let difference = (at(1e-4) - at(-1e-4)) / 2e-4;
        derivative = differentiate(&mut dag, derivative, symbol(k));
        let exact = evaluate_one(&dag, derivative, |_| 0.4);
        assert!((exact - difference).abs() < 1e-6, "{exact} {difference}");
    }
}

#[test]
fn enclosures_of_stand_ins_contain_values() {
    let function =
        External { name: "u".into(), arguments: vec!["t".into()], origin: Origin::NONE, source: Source::Input };
    let mut call = Call::new(Arc::new(function));
    for _ in 0..5 {
        let cell = [Interval::new(0.4, 0.5).unwrap()];
        let enclosure = call.enclosure_with_stand_in(&cell);
        assert!(enclosure.width() < 1.0);
        for x in [0.4, 0.43, 0.5] {
            assert!(enclosure.contains(call.value([x].into_iter())));
        }
        // Rates of the stand-in are positive, those of the function need not be.
        assert_eq!(call.enclosure(&cell), Interval::ENTIRE);
        call = call.partial(0);
    }
}

#[test]
fn a_table_is_differentiated_and_enclosed() {
    let mut dag = Dag::new();
    let symbol = Symbol::Time;
    let t = dag.symbol(symbol);
    let points: Vec<(f64, f64)> = (0..9).map(f64::from).map(|x| (x, x * x * x)).collect();
    let table = Table::new(points).unwrap();
    table.settle(4).unwrap();
    assert_eq!(table.spline().degree(), 5);
    let call = Call::new(Arc::new(External {
        name: "cube".into(),
        arguments: vec!["x".into()],
        origin: Origin::NONE,
        source: Source::Table(table),
    }));
    let cube = dag.call(call, &[t]);
    let second = differentiate(&mut dag, cube, symbol);
    let second = differentiate(&mut dag, second, symbol);
    assert!((evaluate_one(&dag, second, |_| 2.5) - 15.0).abs() < 1e-9);
    let cell = Interval::new(2.25, 4.5).unwrap();
    let enclosure = evaluate_interval(&dag, &[cube], |_| cell)[0];
    for x in [2.25, 3.0, 3.5, 4.0, 4.5] {
        assert!(enclosure.contains(evaluate_one(&dag, cube, |_| x)));
    }
    assert!(enclosure.width() < 200.0);
}

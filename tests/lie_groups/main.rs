//! Matrices on Lie groups, from the text of a model.
//!
//! In: models by the macro and by the interpreter, the same equations by hand, and reference values of
//! `dae-runtime/tests/lie/problems.rs`, computed with 30 digits. Out: generated code computes the generators of the
//! text, methods on groups have their orders with it, ordinary methods have the same solutions, and models say what is
//! proved.

mod models;

use dae::runtime::lie::nalgebra::{Matrix2, Matrix3, Matrix4, Vector3};
use dae::runtime::lie::{
    Equation, GeneralLinear, HomogeneousSpace, Linear, LinearEquation, Magnus, Matrix, Method, MuntheKaas4, Nonlinear,
    Projected, RungeKutta4, SpecialEuclidean, SpecialLinear, SpecialOrthogonal, Stiefel, Symplectic, hat, integrate,
};
use dae::symbolic::eval::{LieInterpreter, NoLieEquation};
use dae::symbolic::model::Derivation;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::symbolic::report::Report;
use dae::{Dop853, Input, Integration};

use models::*;

/// Moments of inertia of the rigid body.
const INERTIA: [f64; 3] = [1.6, 1.0, 2.0 / 3.0];

fn compiled(text: &str) -> Compiled {
    let (model, _) = dae::symbolic::read_text(text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics));
    compile(model, 0.0).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics))
}

/// The solution of the frame at $t = 1$.
#[rustfmt::skip]
fn frame_at_1() -> Matrix3<f64> {
    Matrix3::new(
        0.8466423228882807, -0.2266847394644128, 0.4814673467518723,
        0.40005318240198906, 0.8677412376320235, -0.29492811965440835,
        -0.3509333673852875, 0.4423111726000096, 0.825352408519432,
    )
}

/// The attitude of the body at $t = 1$.
#[rustfmt::skip]
fn body_at_1() -> Matrix3<f64> {
    Matrix3::new(
        0.4116116035949541, -0.9101887966918774, 0.04617620775445607,
        0.8342933725459509, 0.35592959626383225, -0.4210328859238534,
        0.3667839368237022, 0.21182652544017633, 0.9058692327306678,
    )
}

fn momentum() -> Vector3<f64> {
    Vector3::new(0.9_f64.cos(), 0.0, 0.9_f64.sin())
}

/// The end at $t = 1$, and the largest distance from the group on the way.
fn run<S, E, M, const N: usize, const K: usize>(
    (space, equation, method): (&S, &E, &M),
    start: Matrix<N, K>,
    steps: usize,
) -> (Matrix<N, K>, f64)
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
    M: Method<S, E, N, K>,
{
    let run = integrate(space, equation, method, (0.0, start), 1.0, steps).unwrap();
    (*run.end(), run.largest_defect(space))
}

/// Asserts that a generator from the text is one by hand, and that the end of a run with it is.
fn agrees<S, E, H, const N: usize, const K: usize>(space: &S, (equation, start): (&E, Matrix<N, K>), by_hand: &H)
where
    S: HomogeneousSpace<N, K>,
    E: Equation<N, K>,
    H: Equation<N, K>,
{
    for t in [0.0, 0.3, 1.7] {
        let y = start.map_with_location(|i, j, entry| entry + 0.1 * t * (i as f64 - 0.3 * j as f64));
        let difference = (equation.coefficient(t, &y) - by_hand.coefficient(t, &y)).amax();
        assert!(difference < 1e-15, "{} at {t}: {difference:e}", space.name());
    }
    let (end, defect) = run((space, equation, &MuntheKaas4), start, 100);
    let difference = (end - run((space, by_hand, &MuntheKaas4), start, 100).0).amax();
    println!("{}: {difference:.1e} from the equation by hand, {defect:.1e} off the group", space.name());
    assert!(difference < 1e-14 && defect < 1e-13, "{}: {difference:e}, {defect:e}", space.name());
}

#[test]
fn generators_are_those_written_by_hand() {
    let frame = Frame::default().lie_equation();
    let by_hand = Linear::new(|t: f64| hat(&Vector3::new(t.sin(), (2.0 * t).cos(), t / 2.0)));
    agrees(&frame.space(), (&frame, frame.start()), &by_hand);
    let body = Body::default().lie_equation();
    let by_hand =
        Nonlinear::new(|_, y: &Matrix3<f64>| hat(&(y * y.tr_mul(&momentum()).component_div(&Vector3::from(INERTIA)))));
    agrees(&body.space(), (&body, body.start()), &by_hand);
    let sphere = Sphere::default().lie_equation();
    let by_hand = Nonlinear::new(|_, y: &Vector3<f64>| -hat(&y.component_div(&Vector3::from(INERTIA))));
    agrees(&sphere.space(), (&sphere, sphere.start()), &by_hand);
    let frames = Frames::default().lie_equation();
    let by_hand = Nonlinear::new(|t: f64, y: &Matrix<5, 2>| {
        let b = Matrix::<5, 5>::from_fn(|row, column| y[(row, 0)] * (t + column as f64).cos() + y[(column, 1)]);
        b - b.transpose()
    });
    agrees(&frames.space(), (&frames, frames.start()), &by_hand);
    let unimodular = Unimodular::default().lie_equation();
    let by_hand = Linear::new(|t: f64| Matrix2::new(t, 1.0, -1.0 - t.sin(), -t));
    agrees(&unimodular.space(), (&unimodular, unimodular.start()), &by_hand);
    let shear = Shear::default().lie_equation();
    let by_hand = Nonlinear::new(|_, y: &Matrix2<f64>| Matrix2::new(y[(0, 1)].sin(), 1.0, -1.0, -y[(0, 1)].sin()));
    agrees(&shear.space(), (&shear, shear.start()), &by_hand);
    let motion = Motion::default().lie_equation();
    let by_hand = Linear::new(|t: f64| {
        let mut a = Matrix4::zeros();
        a.fixed_view_mut::<3, 3>(0, 0).copy_from(&hat(&Vector3::new(t.sin(), t.cos(), t)));
        a.fixed_view_mut::<3, 1>(0, 3).copy_from(&Vector3::new(1.0, t, (-t).exp()));
        a
    });
    agrees(&motion.space(), (&motion, motion.start()), &by_hand);
    let planar = Planar::default().lie_equation();
    let by_hand = Linear::new(|t: f64| Matrix2::new(-1.0, t, 1.0, -t * t));
    agrees(&planar.space(), (&planar, planar.start()), &by_hand);
    let driven = Driven::new(Input::function(f64::cos)).lie_equation();
    let by_hand = Linear::new(|t: f64| Matrix2::new(0.0, -t.cos(), t.cos(), 0.0));
    agrees(&driven.space(), (&driven, driven.start()), &by_hand);
}

#[test]
fn spaces_are_those_of_the_text() {
    let _: SpecialOrthogonal = Frame::default().lie_equation().space();
    let _: Stiefel = Frames::default().lie_equation().space();
    let _: SpecialLinear = Unimodular::default().lie_equation().space();
    let _: Symplectic = Flow::default().lie_equation().space();
    let _: SpecialEuclidean = Motion::default().lie_equation().space();
    let _: GeneralLinear = Planar::default().lie_equation().space();
}

#[test]
fn solutions_are_those_of_the_references() {
    let frame = Frame::default().lie_equation();
    let (end, defect) = run((&frame.space(), &frame, &Magnus::Order6), frame.start(), 200);
    let error = (end - frame_at_1()).amax();
    println!("frame, Magnus of order 6: error {error:.1e}, {defect:.1e} off the group");
    assert!(error < 1e-13 && defect < 1e-14);
    let body = Body::default().lie_equation();
    let (end, defect) = run((&body.space(), &body, &MuntheKaas4), body.start(), 2000);
    let error = (end - body_at_1()).amax();
    println!("body, Munthe-Kaas: error {error:.1e}, {defect:.1e} off the group");
    assert!(error < 1e-12 && defect < 1e-13);
}

/// The order that the errors of two runs show.
fn order<S, E, M, const N: usize>((space, equation, method): (&S, &E, &M), y: Matrix<N, N>, exact: Matrix<N, N>) -> f64
where
    S: HomogeneousSpace<N, N>,
    E: Equation<N, N>,
    M: Method<S, E, N, N>,
{
    let error = |steps| (run((space, equation, method), y, steps).0 - exact).amax();
    (error(20) / error(40)).log2()
}

#[test]
fn magnus_methods_have_their_orders() {
    let frame = Frame::default().lie_equation();
    let observed = order((&frame.space(), &frame, &Magnus::Order4), frame.start(), frame_at_1());
    println!("Magnus of order 4 on SO(3): {observed:.3}");
    assert!((observed - 4.0).abs() < 0.1, "{observed}");
    let flow = Flow::default().lie_equation();
    let exact = run((&flow.space(), &flow, &Projected(RungeKutta4)), flow.start(), 8000).0;
    let observed = order((&flow.space(), &flow, &Magnus::Order4), flow.start(), exact);
    println!("Magnus of order 4 on Sp(4): {observed:.3}");
    assert!((observed - 4.0).abs() < 0.1, "{observed}");
}

/// The largest difference, at $t = 1$, between a matrix and the unknowns of a form that dop853 integrates.
macro_rules! difference_from_dop853 {
    ($model:expr, $matrix:expr, $entry:expr) => {{
        let form = $model.underlying();
        let solution = Integration::new(&form).method(Dop853).rtol(1e-13).atol(1e-13).run(0.0, 1.0).unwrap();
        let name: fn(usize, usize) -> String = $entry;
        $matrix.map_with_location(|i, j, value| (value - solution.value(&name(i, j), 1.0).unwrap()).abs()).amax()
    }};
}

#[test]
fn ordinary_forms_have_the_same_solutions() {
    let two: fn(usize, usize) -> String = |i, j| format!("Y[{i}][{j}]");
    let mut differences = Vec::new();
    let frame = Frame { scale: 2.0 };
    let equation = frame.lie_equation();
    let end = run((&equation.space(), &equation, &Magnus::Order6), equation.start(), 200).0;
    assert!((end - frame_at_1()).amax() > 0.01, "the parameter has no influence");
    differences.push(("SO(3)", difference_from_dop853!(frame, end, two)));
    let equation = Body::default().lie_equation();
    let end = run((&equation.space(), &equation, &MuntheKaas4), equation.start(), 2000).0;
    differences.push(("SO(3), A(t, Y)", difference_from_dop853!(Body::default(), end, two)));
    let equation = Sphere::default().lie_equation();
    let end = run((&equation.space(), &equation, &MuntheKaas4), equation.start(), 2000).0;
    differences.push(("sphere", difference_from_dop853!(Sphere::default(), end, |i, _| format!("y[{i}]"))));
    let equation = Frames::default().lie_equation();
    let end = run((&equation.space(), &equation, &MuntheKaas4), equation.start(), 4000).0;
    differences.push(("Stiefel(5, 2)", difference_from_dop853!(Frames::default(), end, two)));
    let equation = Unimodular::default().lie_equation();
    let end = run((&equation.space(), &equation, &Magnus::Order6), equation.start(), 200).0;
    differences.push(("SL(2)", difference_from_dop853!(Unimodular::default(), end, two)));
    let equation = Flow::default().lie_equation();
    let end = run((&equation.space(), &equation, &Magnus::Order6), equation.start(), 200).0;
    differences.push(("Sp(4)", difference_from_dop853!(Flow::default(), end, two)));
    let equation = Motion::default().lie_equation();
    let end = run((&equation.space(), &equation, &Magnus::Order6), equation.start(), 200).0;
    differences.push(("SE(3)", difference_from_dop853!(Motion::default(), end, two)));
    let equation = Planar::default().lie_equation();
    let end = run((&equation.space(), &equation, &Magnus::Order6), equation.start(), 200).0;
    differences.push(("GL(2)", difference_from_dop853!(Planar::default(), end, two)));
    println!("{differences:?}");
    assert!(differences.iter().all(|(_, difference)| *difference < 1e-11), "{differences:?}");
}

/// Asserts that the interpreter computes what generated code computes, to the last bit.
fn is_interpreted<E: Equation<N, K>, const N: usize, const K: usize>(text: &str, equation: &E, start: Matrix<N, K>) {
    let compiled = compiled(text);
    let name = compiled.model.name.clone();
    let interpreter = LieInterpreter::<N, K>::new(compiled.lie.unwrap(), &compiled.prolonged.parameters).unwrap();
    assert_eq!(interpreter.start(), start, "{name}");
    for t in [0.0, 0.3, 1.7] {
        let y = start.map_with_location(|i, j, entry| entry + t * (0.1 * i as f64 - 0.3 * j as f64));
        assert_eq!(interpreter.coefficient(t, &y), equation.coefficient(t, &y), "{name} at {t}");
    }
}

#[test]
fn the_interpreter_computes_what_generated_code_computes() {
    macro_rules! all {
        ($($text:ident $model:ident),*) => {
            $(let equation = $model::default().lie_equation();
            is_interpreted($text, &equation, equation.start());)*
        };
    }
    all!(FRAME Frame, BODY Body, SPHERE Sphere, FRAMES Frames, UNIMODULAR Unimodular, SYMPLECTIC Shear);
    all!(HAMILTONIAN Flow, RIGID Motion, GENERAL Planar, IDENTITY Identity, TILTED Tilted);
    let frame = compiled(FRAME);
    let (program, parameters) = (frame.lie.unwrap(), &frame.prolonged.parameters);
    let wrong = LieInterpreter::<2, 2>::new(program.clone(), parameters).unwrap_err();
    assert_eq!(wrong, NoLieEquation::Shape { rows: 3, columns: 3 });
    let linear = LieInterpreter::<3, 3>::new(program, parameters).unwrap().linear().unwrap();
    let (end, _) = run((&SpecialOrthogonal, &linear, &Magnus::Order6), Matrix3::identity(), 200);
    assert!((end - frame_at_1()).amax() < 1e-13);
    let driven = compiled(DRIVEN);
    let unknown = LieInterpreter::<2, 2>::new(driven.lie.unwrap(), &driven.prolonged.parameters).unwrap_err();
    assert_eq!(unknown, NoLieEquation::NotInterpreted { function: "rate".into() });
}

#[test]
fn models_say_what_is_proved() {
    assert!(Frame::REPORT.contains("Y' = A(t)·Y on SO(3): A is in so(3) and does not depend on Y, which is proved."));
    assert!(Body::REPORT.contains("Y' = A(t, Y)·Y on SO(3): A is in so(3), which is proved."), "{}", Body::REPORT);
    let none = "There is no `lie_equation()`: beside Y, the model has the unknowns w[0..=2].";
    assert!(Tumbling::REPORT.contains(none), "{}", Tumbling::REPORT);
    assert!(compiled(TUMBLING).lie.is_none());
    let report = Report::compiled(&compiled(RIGID)).to_string();
    assert!(report.contains("Lie group SE(3): Y' = A(t)·Y"), "{report}");
    assert!(report.contains("certified: A is in se(3) and free of Y"), "{report}");
    assert!(report.contains("A[2][3] = exp(-t)"), "{report}");
}

/// A generator that contains the solution and is proved not to depend on it is one for Magnus methods.
#[test]
fn independence_of_the_solution_is_proved() {
    fn is_linear<E: LinearEquation<2, 2>>(_: &E) {}
    is_linear(&Identity::default().lie_equation());
}

#[test]
fn a_generator_may_be_given_by_rows_by_name_and_by_index() {
    let generator = |value: &str| {
        let text = format!(
            "struct M {{ param w = 1; let A: [[f64; 2]; 2] = [[0, -w * t], [w * t, 0]];
            var Y: [[f64; 2]; 2] = |i, j| if i == j {{ 1 }} else {{ 0 }};
            lie_group SO(2) {{ matrix Y; generator = {value}; }} }}"
        );
        let derivations = compiled(&text).model.derivations;
        let [Derivation::LieGroup(group)] = derivations.as_slice() else { panic!("one group") };
        let lie = compiled(&text).lie.unwrap();
        let equation = LieInterpreter::<2, 2>::new(lie, &[2.0]).unwrap();
        (group.is_linear, equation.coefficient(3.0, &Matrix2::identity()))
    };
    let expected = (true, Matrix2::new(0.0, -6.0, 6.0, 0.0));
    for value in ["[[0, -w * t], [w * t, 0]]", "A", "|i, j| A[i][j]", "|row, column| (row - column) * w * t"] {
        assert_eq!(generator(value), expected, "{value}");
    }
}

/// Where the start value depends on parameters, the run checks it.
#[test]
fn a_start_value_of_parameters_is_checked_by_the_run() {
    let sphere = Sphere { J: [1.0, 2.0, 3.0] }.lie_equation();
    assert!(integrate(&sphere.space(), &sphere, &MuntheKaas4, (0.0, sphere.start()), 1.0, 10).is_ok());
    let tilted = Tilted { angle: 0.3, length: 1.0 }.lie_equation();
    assert!(integrate(&tilted.space(), &tilted, &MuntheKaas4, (0.0, tilted.start()), 1.0, 10).is_ok());
    let stretched = Tilted { length: 2.0, ..Tilted::default() }.lie_equation();
    let error = integrate(&stretched.space(), &stretched, &MuntheKaas4, (0.0, stretched.start()), 1.0, 10).unwrap_err();
    assert!(error.to_string().starts_with("the start value is not in"), "{error}");
}

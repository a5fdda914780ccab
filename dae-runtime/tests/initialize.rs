//! Consistent initialisation with prolongations written by hand, mostly that of the planar pendulum.
//!
//! Canonical offsets of $x' = u$, $y' = v$, $u' = -\lambda x$, $v' = -\lambda y - g$, $0 = x^2 + y^2 - 1$ are
//! $d = (2, 2, 1, 1, 0)$ for $(x, y, u, v, \lambda)$ and $c = (1, 1, 0, 0, 2)$; the jets are
//! $x, x', x'', y, y', y'', u, u', v, v', \lambda$.

use std::borrow::Cow;

use dae_runtime::contract::{Jet, JetEquation, Name, Pattern, Prolongation, ProlongationDescription, Start};
use dae_runtime::initialize::{Initial, InitializationError, InitializationOptions, consistent_initialization};

const G: f64 = 9.81;
const JETS: [(&str, u32, i32); 11] = [
    ("x", 0, -2),
    ("der(x)", 1, -1),
    ("der(x, 2)", 2, 0),
    ("y", 0, -2),
    ("der(y)", 1, -1),
    ("der(y, 2)", 2, 0),
    ("u", 0, -1),
    ("der(u)", 1, 0),
    ("v", 0, -1),
    ("der(v)", 1, 0),
    ("lambda", 0, 0),
];
const EQUATIONS: [(&str, usize, u32, i32); 9] = [
    ("equation 5", 4, 0, -2),
    ("equation 1", 0, 0, -1),
    ("equation 2", 1, 0, -1),
    ("der(equation 5)", 4, 1, -1),
    ("der(equation 1)", 0, 1, 0),
    ("der(equation 2)", 1, 1, 0),
    ("equation 3", 2, 0, 0),
    ("equation 4", 3, 0, 0),
    ("der(equation 5, 2)", 4, 2, 0),
];

struct Pendulum {
    description: ProlongationDescription,
    start: [f64; 11],
}

/// A pendulum with the given start values; the other jets are free.
fn pendulum(given: &[(&str, Start, f64)]) -> Pendulum {
    let mut start = [0.0; 11];
    let mut jets: Vec<Jet> = JETS
        .iter()
        .map(|&(name, order, stage)| Jet { name: Name::from(name), order, stage, start: Start::Free, nominal: 1.0 })
        .collect();
    for &(name, how, value) in given {
        let j = JETS.iter().position(|jet| jet.0 == name).unwrap();
        jets[j].start = how;
        start[j] = value;
    }
    let equations = EQUATIONS.iter();
    let equation = |&(name, equation, order, stage)| JetEquation { name: Name::from(name), equation, order, stage };
    let equations = equations.map(equation).collect();
    let jacobian = Pattern {
        columns: 11,
        row_starts: (0..=9).map(|i| 11 * i).collect(),
        column_indices: (0..9).flat_map(|_| 0..11).collect(),
    };
    let model = Name::from("pendulum");
    let [jacobian_p, start_jacobian_p] = [Pattern::zero(9, 0), Pattern::zero(11, 0)];
    let jets = Cow::Owned(jets);
    let description = ProlongationDescription { model, jets, equations, jacobian, jacobian_p, start_jacobian_p };
    Pendulum { description, start }
}

impl Prolongation for Pendulum {
    fn prolongation_description(&self) -> &ProlongationDescription {
        &self.description
    }

    fn start_values(&self, _t: f64, jets: &mut [f64]) {
        jets.copy_from_slice(&self.start);
    }

    fn prolonged_residual(&self, _t: f64, jets: &[f64], residual: &mut [f64]) {
        let &[x, x1, x2, y, y1, y2, u, u1, v, v1, lambda] = jets else { panic!("eleven jets") };
        residual.copy_from_slice(&[
            x * x + y * y - 1.0,
            x1 - u,
            y1 - v,
            2.0 * (x * x1 + y * y1),
            x2 - u1,
            y2 - v1,
            u1 + lambda * x,
            v1 + lambda * y + G,
            2.0 * (x1 * x1 + y1 * y1 + x * x2 + y * y2),
        ]);
    }

    fn prolonged_jacobian(&self, _t: f64, jets: &[f64], values: &mut [f64]) {
        let &[x, x1, x2, y, y1, y2, _, _, _, _, lambda] = jets else { panic!("eleven jets") };
        values.fill(0.0);
        for (row, column, value) in [
            (0, 0, 2.0 * x),
            (0, 3, 2.0 * y),
            (1, 1, 1.0),
            (1, 6, -1.0),
            (2, 4, 1.0),
            (2, 8, -1.0),
            (3, 0, 2.0 * x1),
            (3, 1, 2.0 * x),
            (3, 3, 2.0 * y1),
            (3, 4, 2.0 * y),
            (4, 2, 1.0),
            (4, 7, -1.0),
            (5, 5, 1.0),
            (5, 9, -1.0),
            (6, 0, lambda),
            (6, 7, 1.0),
            (6, 10, x),
            (7, 3, lambda),
            (7, 9, 1.0),
            (7, 10, y),
            (8, 0, 2.0 * x2),
            (8, 1, 4.0 * x1),
            (8, 2, 2.0 * x),
            (8, 3, 2.0 * y2),
            (8, 4, 4.0 * y1),
            (8, 5, 2.0 * y),
        ] {
            values[11 * row + column] = value;
        }
    }
}

use Start::{Fixed, Guess};

fn initialize(pendulum: &Pendulum) -> Result<Initial, InitializationError> {
    consistent_initialization(pendulum, 0.0, &InitializationOptions::default())
}

/// Solves, and checks that all nine equations hold to rounding error and that fixed values are unchanged.
fn solved(given: &[(&str, Start, f64)]) -> Initial {
    let pendulum = pendulum(given);
    let initial = initialize(&pendulum).unwrap();
    let mut residual = [0.0; 9];
    pendulum.prolonged_residual(0.0, &initial.jets, &mut residual);
    let worst = residual.iter().fold(0.0_f64, |a, r| a.max(r.abs()));
    assert!(worst < 1e-14 * 100.0, "{residual:?}");
    for (j, jet) in pendulum.description.jets.iter().enumerate() {
        if jet.start == Fixed {
            assert_eq!(initial.jets[j], pendulum.start[j], "{} was fixed", jet.name);
        }
    }
    initial
}

fn value(initial: &Initial, name: &str) -> f64 {
    initial.jets[JETS.iter().position(|jet| jet.0 == name).unwrap()]
}

#[test]
fn the_readme_pendulum() {
    let initial =
        solved(&[("x", Guess, 1.0), ("y", Fixed, 0.0), ("u", Guess, 0.0), ("v", Fixed, 0.0), ("lambda", Guess, 0.0)]);
    assert_eq!(initial.moved, []);
    assert_eq!((value(&initial, "x"), value(&initial, "lambda")), (1.0, 0.0));
    assert!((value(&initial, "der(v)") + G).abs() < 1e-14);
    assert!(initial.condition < 100.0);
}

#[test]
fn hidden_constraints_hold() {
    // The constraint gives x = 0.8, the hidden ones give x u + y v = 0 and lambda = u^2 + v^2 - g y.
    let initial = solved(&[("x", Guess, 1.0), ("y", Fixed, 0.6), ("u", Fixed, 1.2)]);
    let (x, v, lambda) = (value(&initial, "x"), value(&initial, "v"), value(&initial, "lambda"));
    assert!((x - 0.8).abs() < 1e-15 && (v + 1.6).abs() < 1e-14);
    assert!((lambda - (1.44 + 2.56 - 0.6 * G)).abs() < 1e-13);
    assert_eq!(initial.moved.len(), 1);
    assert_eq!((initial.moved[0].jet, initial.moved[0].from), (0, 1.0));
}

#[test]
fn guesses_that_are_consistent_are_not_moved() {
    let angle = 0.7_f64;
    let (x, y) = (angle.sin(), angle.cos());
    let initial = solved(&[("x", Guess, x), ("y", Guess, y), ("u", Guess, -3.0 * y), ("v", Guess, 3.0 * x)]);
    assert_eq!(initial.moved, []);
    assert_eq!(value(&initial, "u").to_bits(), (-3.0 * y).to_bits());
}

#[test]
fn guesses_move_along_the_shortest_way() {
    // Both coordinates are guesses: they move to the nearest point of the circle, up to second order in the distance.
    let initial = solved(&[("x", Guess, 0.8001), ("y", Guess, 0.6001)]);
    let r = 0.8001_f64.hypot(0.6001);
    assert!((value(&initial, "x") - 0.8001 / r).abs() < 1e-8);
    assert!((value(&initial, "y") - 0.6001 / r).abs() < 1e-8);
}

#[test]
fn what_is_not_given_moves_rather_than_a_guess() {
    let initial = solved(&[("x", Guess, 0.6), ("y", Guess, 0.8), ("u", Guess, 0.5)]);
    assert_eq!(initial.moved, []);
    assert!((value(&initial, "v") + 0.375).abs() < 1e-14);
}

#[test]
fn a_fixed_velocity_moves_a_guessed_position() {
    // x u + y v = 0 with (u, v) = (1, -0.5) requires y = 2 x.
    let initial = solved(&[("x", Guess, 0.5), ("y", Guess, 0.9), ("u", Fixed, 1.0), ("v", Fixed, -0.5)]);
    let (x, y) = (value(&initial, "x"), value(&initial, "y"));
    assert!((x - 0.2_f64.sqrt()).abs() < 1e-14 && (y - 0.8_f64.sqrt()).abs() < 1e-14, "{x} {y}");
    assert_eq!(initial.moved.len(), 2);
}

#[test]
fn more_fixed_values_than_degrees_of_freedom_are_welcome_when_they_agree() {
    let initial = solved(&[("x", Fixed, 0.6), ("y", Fixed, 0.8), ("u", Fixed, 4.0), ("v", Fixed, -3.0)]);
    assert!((value(&initial, "lambda") - (25.0 - 0.8 * G)).abs() < 1e-12);
}

#[test]
fn no_start_values_at_all() {
    // All jets start from zero: there the gradient of the constraint vanishes.
    solved(&[]);
}

#[test]
fn conflicting_velocities_are_named() {
    let error = initialize(&pendulum(&[("x", Fixed, 0.6), ("y", Fixed, 0.8), ("u", Fixed, 1.0), ("v", Fixed, 0.0)]));
    assert_eq!(
        error.unwrap_err().to_string(),
        "`x = 0.6`, `y = 0.8`, `u = 1` and `v = 0` are fixed, but equation 1, equation 2 and \
         der(equation 5) cannot all hold: \
         der(equation 5) is 1.200000 instead of 0 when the others do; make one of the values a guess (`~`)"
    );
}

#[test]
fn a_conflicting_position_is_named_alone() {
    let error = initialize(&pendulum(&[("x", Fixed, 0.6), ("y", Fixed, 0.9), ("u", Guess, 1.0)]));
    assert_eq!(
        error.unwrap_err().to_string(),
        "`x = 0.6` and `y = 0.9` are fixed, but equation 5 cannot hold: it is 0.170000 instead of 0; \
         make one of the values a guess (`~`)"
    );
}

#[test]
fn a_value_out_of_reach_is_named() {
    let error = initialize(&pendulum(&[("x", Fixed, 1.5), ("y", Guess, 0.2)])).unwrap_err();
    let InitializationError::Conflict { fixed, equations } = error else { panic!("{error}") };
    assert_eq!((fixed.len(), fixed[0].jet.as_ref(), fixed[0].value), (1, "x", 1.5));
    assert_eq!((equations.len(), equations[0].equation.as_ref()), (1, "equation 5"));
    assert!((equations[0].residual - 1.25).abs() < 1e-6, "{}", equations[0].residual);
}

#[test]
fn values_that_are_not_finite_are_named() {
    let error = initialize(&pendulum(&[("x", Guess, f64::NAN)])).unwrap_err();
    assert_eq!(error.to_string(), "the start value of `x` is NaN; give it a finite one");
    let error = initialize(&pendulum(&[("x", Guess, 1e200), ("y", Fixed, 1e200)])).unwrap_err();
    assert!(matches!(&error, InitializationError::NonFinite { equation } if equation == "equation 5"), "{error}");
}

/// $0 = p\\,(z - 1)$, $w' = z + w$: regular unless the parameter $p$ is zero.
struct Parametric {
    description: ProlongationDescription,
    p: f64,
}

impl Prolongation for Parametric {
    fn prolongation_description(&self) -> &ProlongationDescription {
        &self.description
    }

    fn start_values(&self, _t: f64, jets: &mut [f64]) {
        jets.copy_from_slice(&[0.0, 1.0, 0.0]);
    }

    fn prolonged_residual(&self, _t: f64, jets: &[f64], residual: &mut [f64]) {
        residual[0] = self.p * (jets[0] - 1.0);
        residual[1] = jets[2] - jets[0] - jets[1];
    }

    fn prolonged_jacobian(&self, _t: f64, _jets: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[self.p, -1.0, -1.0, 1.0]);
    }
}

#[test]
fn regularity_is_checked_for_the_parameters_at_hand() {
    let jet =
        |name: &'static str, order, stage, start| Jet { name: Name::from(name), order, stage, start, nominal: 1.0 };
    let equation = |equation: usize| {
        let name = Name::from(format!("equation {}", equation + 1));
        JetEquation { name, equation, order: 0, stage: 0 }
    };
    let mut system = Parametric {
        description: ProlongationDescription {
            model: Name::from("parametric"),
            jets: Cow::Owned(vec![
                jet("z", 0, 0, Start::Free),
                jet("w", 0, -1, Fixed),
                jet("der(w)", 1, 0, Start::Free),
            ]),
            equations: Cow::Owned(vec![equation(0), equation(1)]),
            jacobian: Pattern {
                columns: 3,
                row_starts: Cow::Borrowed(&[0, 1, 4]),
                column_indices: Cow::Borrowed(&[0, 0, 1, 2]),
            },
            jacobian_p: Pattern::zero(2, 0),
            start_jacobian_p: Pattern::zero(3, 0),
        },
        p: 1e-6,
    };
    let options = InitializationOptions::default();
    let initial = consistent_initialization(&system, 0.0, &options).unwrap();
    assert_eq!(initial.jets, [1.0, 1.0, 2.0]);
    assert!(initial.condition < 10.0, "rows are scaled");
    system.p = 0.0;
    let error = consistent_initialization(&system, 0.0, &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "equation 1 does not determine `z` and `der(w)` at the start values: the system is singular there"
    );
}

/// $0 = x^2 + y^2 + s$ with two guesses, of which the second may have another nominal value.
struct Circle {
    description: ProlongationDescription,
    s: f64,
}

fn circle(s: f64, nominal: f64) -> Circle {
    let jet = |name: &'static str, nominal| Jet { name: Name::from(name), order: 0, stage: -1, start: Guess, nominal };
    let jacobian = Pattern { columns: 2, row_starts: Cow::Borrowed(&[0, 2]), column_indices: Cow::Borrowed(&[0, 1]) };
    let jets = Cow::Owned(vec![jet("x", 1.0), jet("y", nominal)]);
    let equations = Cow::Owned(vec![JetEquation { name: Name::from("equation 1"), equation: 0, order: 0, stage: -1 }]);
    let [jacobian_p, start_jacobian_p] = [Pattern::zero(1, 0), Pattern::zero(2, 0)];
    let model = Name::from("circle");
    let description = ProlongationDescription { model, jets, equations, jacobian, jacobian_p, start_jacobian_p };
    Circle { description, s }
}

impl Prolongation for Circle {
    fn prolongation_description(&self) -> &ProlongationDescription {
        &self.description
    }

    fn start_values(&self, _t: f64, jets: &mut [f64]) {
        jets.copy_from_slice(&[3.0, 4.0]);
    }

    fn prolonged_residual(&self, _t: f64, jets: &[f64], residual: &mut [f64]) {
        residual[0] = jets[0] * jets[0] + jets[1] * jets[1] + self.s;
    }

    fn prolonged_jacobian(&self, _t: f64, jets: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[2.0 * jets[0], 2.0 * jets[1]]);
    }
}

#[test]
fn changes_are_measured_in_nominal_values() {
    let initial = consistent_initialization(&circle(-25.01, 100.0), 0.0, &InitializationOptions::default()).unwrap();
    // At the least change, each change is proportional to nominal^2 times the derivative of the equation.
    let (dx, dy) = (initial.jets[0] - 3.0, initial.jets[1] - 4.0);
    assert!((dx / dy / (3.0 / 40_000.0) - 1.0).abs() < 1e-2, "{dx} {dy}");
}

#[test]
fn an_equation_without_solution_is_not_blamed_on_start_values() {
    let error = consistent_initialization(&circle(1.0, 1.0), 0.0, &InitializationOptions::default()).unwrap_err();
    let InitializationError::NoSolution { equations } = &error else { panic!("{error}") };
    assert!((equations[0].residual - 1.0).abs() < 1e-2);
    assert!(error.to_string().starts_with("equation 1 cannot hold: it is 1.0"), "{error}");
}

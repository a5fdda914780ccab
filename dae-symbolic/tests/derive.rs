//! Derived models are proved equal to models written by hand, equation by equation.
//!
//! In: models with a block `lagrangian`, `hamiltonian` or `optimal_control`, and the same models with equations as in textbooks. Out:
//! the difference of every pair of residuals (or their sum) vanishes identically.

#![cfg(feature = "syntax")]

use dae_symbolic::expr::{Expr, Rational, Symbol, UnknownId, transfer, vanishes};
use dae_symbolic::model::{Boundary, Derivation, Model};
use dae_symbolic::read_text;
use dae_symbolic::syntax::SourceText;

fn model(text: &str) -> Model {
    match read_text(text) {
        Ok((model, _)) => model,
        Err(rejection) => panic!("{}", rejection.to_text(SourceText { file: "model.dae", text })),
    }
}

/// An expression of `other` as an expression of `model`; parameters and unknowns of the same name correspond.
fn in_terms_of(model: &mut Model, other: &Model, value: Expr) -> Expr {
    let parameter = |name: &str| model.parameters.iter().position(|p| p.name == name).expect("the same parameters");
    let unknown = |name: &str| model.unknowns.iter().position(|u| u.name == name).expect("the same unknowns");
    let table: Vec<u32> = other.parameters.iter().map(|p| parameter(&p.name) as u32).collect();
    let unknowns: Vec<u32> = other.unknowns.iter().map(|u| unknown(&u.name) as u32).collect();
    let counterpart = |symbol| {
        Some(match symbol {
            Symbol::Parameter(p) => Symbol::Parameter(dae_symbolic::expr::ParameterId(table[p.index()])),
            Symbol::Unknown { unknown, order } => {
                Symbol::Unknown { unknown: UnknownId(unknowns[unknown.index()]), order }
            }
            other => other,
        })
    };
    transfer(&other.dag, value, &mut model.dag, counterpart).expect("every symbol has a counterpart")
}

/// Proves that the equations of two texts are the same, in the same order, up to the signs of their residuals.
fn proves_equal(derived: &str, by_hand: &str) {
    let (mut derived, by_hand) = (model(derived), model(by_hand));
    assert_eq!(derived.equations.len(), by_hand.equations.len());
    for (k, equation) in by_hand.equations.iter().enumerate() {
        let expected = in_terms_of(&mut derived, &by_hand, equation.residual);
        let found = derived.equations[k].residual;
        let (difference, sum) = (derived.dag.sub(found, expected), derived.dag.add(found, expected));
        let proved = vanishes(&mut derived.dag, difference) || vanishes(&mut derived.dag, sum);
        assert!(proved, "equation {} of {}", k + 1, derived.name);
        assert!(!vanishes(&mut derived.dag, expected), "an equation that says something");
    }
}

#[test]
fn pendulum() {
    proves_equal(
        include_str!("../../examples/models/lagrangian_pendulum.dae"),
        include_str!("derive/pendulum_by_hand.dae"),
    );
}

#[test]
fn double_pendulum() {
    proves_equal(
        include_str!("../../examples/models/double_pendulum.dae"),
        include_str!("derive/double_pendulum_by_hand.dae"),
    );
}

#[test]
fn double_pendulum_in_angles() {
    proves_equal(
        include_str!("derive/double_pendulum_angles.dae"),
        include_str!("derive/double_pendulum_angles_by_hand.dae"),
    );
}

#[test]
fn slider_crank() {
    proves_equal(
        include_str!("../../examples/models/slider_crank.dae"),
        include_str!("derive/slider_crank_by_hand.dae"),
    );
}

#[test]
fn a_hamiltonian_of_a_double_pendulum() {
    proves_equal(
        "struct Double {
            param g = 9.81; var a = 1; var b = 2; var p = 0; var q = 0;
            hamiltonian {
                coordinates a, b;
                momenta p, q;
                kinetic = (p.powi(2) + 2 * q.powi(2) - 2 * p * q * cos(a - b)) / (2 + 2 * sin(a - b).powi(2));
                potential = -g * (2 * cos(a) + cos(b));
            }
        }",
        "struct Double {
            param g = 9.81; var a = 1; var b = 2; var p = 0; var q = 0;
            let s = 1 + sin(a - b).powi(2);
            let one = p * q * sin(a - b) / s;
            let two = (p.powi(2) + 2 * q.powi(2) - 2 * p * q * cos(a - b)) * sin(2 * a - 2 * b) / (2 * s.powi(2));
            der(a) = (p - q * cos(a - b)) / s;
            der(b) = (2 * q - p * cos(a - b)) / s;
            der(p) = -2 * g * sin(a) - one + two;
            der(q) = -g * sin(b) + one - two;
        }",
    );
}

#[test]
fn a_hamiltonian_with_constraints_and_forces_of_arrays() {
    proves_equal(
        "struct Chain {
            const N = 2; param m = 2; param c = 0.1;
            var x: [f64; N] ~ 1; var y: [f64; N] ~ 0; var p: [f64; N]; var q: [f64; N]; var lambda: [f64; N];
            hamiltonian {
                coordinates x, y;
                momenta p, q;
                hamiltonian = sum(i in 0..N => (p[i].powi(2) + q[i].powi(2)) / (2 * m) + m * 9.81 * y[i]);
                constraint(lambda[0]) x[0].powi(2) + y[0].powi(2) = 1;
                for i in 1..N { constraint(lambda[i]) (x[i] - x[i - 1]).powi(2) + (y[i] - y[i - 1]).powi(2) = 1; }
                for i in 0..N { force(x[i]) = -c * p[i]; }
            }
        }",
        "struct Chain {
            const N = 2; param m = 2; param c = 0.1;
            var x: [f64; N] ~ 1; var y: [f64; N] ~ 0; var p: [f64; N]; var q: [f64; N]; var lambda: [f64; N];
            for i in 0..N { der(x[i]) = p[i] / m; }
            for i in 0..N { der(y[i]) = q[i] / m; }
            der(p[0]) = -c * p[0] - 2 * lambda[0] * x[0] + 2 * lambda[1] * (x[1] - x[0]);
            der(p[1]) = -c * p[1] - 2 * lambda[1] * (x[1] - x[0]);
            der(q[0]) = -m * 9.81 - 2 * lambda[0] * y[0] + 2 * lambda[1] * (y[1] - y[0]);
            der(q[1]) = -m * 9.81 - 2 * lambda[1] * (y[1] - y[0]);
            x[0].powi(2) + y[0].powi(2) = 1;
            (x[1] - x[0]).powi(2) + (y[1] - y[0]).powi(2) = 1;
        }",
    );
}

/// A wrong sign is detected.
#[test]
fn a_different_model_is_not_proved_equal() {
    let wrong =
        include_str!("derive/slider_crank_by_hand.dae").replace("- 2 * RHO * V2 * c12d", "+ 2 * RHO * V2 * c12d");
    let (mut derived, by_hand) = (model(include_str!("../../examples/models/slider_crank.dae")), model(&wrong));
    let expected = in_terms_of(&mut derived, &by_hand, by_hand.equations[1].residual);
    let difference = derived.dag.sub(derived.equations[1].residual, expected);
    let sum = derived.dag.add(derived.equations[1].residual, expected);
    assert!(!vanishes(&mut derived.dag, difference) && !vanishes(&mut derived.dag, sum));
}

/// Proves that the residuals of the mechanical system are $M u' - f + G^\top \lambda$ and $g$, with the $M$, $f$, $G$
/// and $g$ of its `Derivation`.
fn parts_add_up(text: &str) {
    let mut model = model(text);
    let derivations = model.derivations.clone();
    let [Derivation::Mechanics(it)] = derivations.as_slice() else { panic!("one mechanical system") };
    let n = it.coordinates.len();
    let first = it.equations.end - it.multipliers.len() - n;
    for k in 0..n {
        let mut terms = vec![(Rational::ONE, model.equations[first + k].residual), (Rational::ONE, it.force[k])];
        for &(_, l, entry) in it.mass.iter().filter(|&&(row, ..)| row == k) {
            let Symbol::Unknown { unknown, order } = it.velocities[l] else { panic!("a velocity") };
            let acceleration = model.dag.symbol(Symbol::Unknown { unknown, order: order + 1 });
            terms.push((Rational::MINUS_ONE, model.dag.mul(entry, acceleration)));
        }
        for &(i, _, entry) in it.jacobian.iter().filter(|&&(_, column, _)| column == k) {
            let multiplier = model.dag.symbol(Symbol::Unknown { unknown: it.multipliers[i], order: 0 });
            terms.push((Rational::MINUS_ONE, model.dag.mul(entry, multiplier)));
        }
        let rest = model.dag.sum(terms);
        assert!(vanishes(&mut model.dag, rest), "{}: coordinate {k}", model.name);
    }
    for (i, &constraint) in it.constraints.iter().enumerate() {
        assert_eq!(constraint, model.equations[first + n + i].residual);
    }
}

#[test]
fn mass_matrix_force_and_constraint_jacobian_are_parts_of_the_equations() {
    parts_add_up(include_str!("../../examples/models/lagrangian_pendulum.dae"));
    parts_add_up(include_str!("../../examples/models/slider_crank.dae"));
    parts_add_up(include_str!("derive/double_pendulum_angles.dae"));
}

#[test]
fn dissipation_and_forces() {
    // A condenser microphone (Crandall et al., Dynamics of mechanical and electromechanical systems, 1968): the
    // position of the plate and the charge.
    let text = "struct Microphone { param m = 1; param L = 1; param R = 1; param d = 1; param k = 1; param A = 1; param V = 1; param g0 = 1;
        var x; var q; input sound = sin(t);
        lagrangian {
            coordinates x, q;
            kinetic = m * der(x).powi(2) / 2 + L * der(q).powi(2) / 2;
            potential = k * x.powi(2) / 2 + q.powi(2) * (g0 - x) / (2 * A);
            dissipation = d * der(x).powi(2) / 2 + R * der(q).powi(2) / 2;
            force(x) = sound;
            force(q) = V;
        } }";
    let by_hand = "struct ByHand { param m = 1; param L = 1; param R = 1; param d = 1; param k = 1; param A = 1; param V = 1; param g0 = 1;
        var x; var q; input sound = sin(t);
        m * der(x, 2) + d * der(x) + k * x - q.powi(2) / (2 * A) = sound;
        L * der(q, 2) + R * der(q) + q * (g0 - x) / A = V; }";
    proves_equal(text, by_hand);
}

#[test]
fn the_lagrangian_itself() {
    // A relativistic particle in a field: the mass matrix depends on the velocity.
    let text = "struct Relativistic { param m = 1; param c = 10; param k = 1; var x; var u;
        lagrangian {
            coordinates x;
            velocities u;
            lagrangian = -m * c.powi(2) * sqrt(1 - (u / c).powi(2)) - k * x.powi(2) / 2;
        } }";
    let by_hand = "struct ByHand { param m = 1; param c = 10; param k = 1; var x; var u;
        der(x) = u;
        m * der(u) * (1 - (u / c).powi(2)).powf(-1.5) = -k * x; }";
    proves_equal(text, by_hand);
    // A bead on a rotating wire: the energy, as written, depends on time and has terms linear in r', all of which
    // cancel.
    let text = "struct Wire { param w = 2; var r; 
        lagrangian { coordinates r; kinetic = (der(r) * cos(w * t) - r * w * sin(w * t)).powi(2) / 2
            + (der(r) * sin(w * t) + r * w * cos(w * t)).powi(2) / 2; } }";
    proves_equal(text, "struct ByHand { param w = 2; var r; der(r, 2) = w.powi(2) * r; }");
}

#[test]
fn other_equations_stand_beside_the_block() {
    // A skate on an inclined plane: the nonholonomic constraint and its forces are written by hand, and so is a
    // friction torque with a state of its own (Dahl's model).
    let text = "struct Skate { param g = 1; var x; var y; var phi; var mu; var z; 
        lagrangian {
            coordinates x, y, phi;
            kinetic = (der(x).powi(2) + der(y).powi(2) + der(phi).powi(2)) / 2;
            potential = -g * x;
            force(x) = -mu * sin(phi);
            force(y) = mu * cos(phi);
            force(phi) = -z;
            force(phi) = -0.1 * der(phi);
        }
        0 = der(x) * sin(phi) - der(y) * cos(phi);
        der(z) = der(phi) - abs(der(phi)) * z; }";
    let by_hand = "struct ByHand { param g = 1; var x; var y; var phi; var mu; var z;
        der(x, 2) = g - mu * sin(phi);
        der(y, 2) = mu * cos(phi);
        der(phi, 2) = -z - der(phi) / 10;
        0 = der(x) * sin(phi) - der(y) * cos(phi);
        der(z) = der(phi) - abs(der(phi)) * z; }";
    proves_equal(text, by_hand);
}

#[test]
fn a_massless_coordinate_may_be_constrained() {
    let text = "struct Massless { var x; var s; var lambda;
        lagrangian { coordinates x, s; kinetic = der(x).powi(2) / 2; potential = s; constraint(lambda) s = x.powi(2); } }";
    let by_hand = "struct ByHand { var x; var s; var lambda;
        der(x, 2) = 2 * x * lambda; 0 = 1 + lambda; s = x.powi(2); }";
    proves_equal(text, by_hand);
}

#[test]
fn identities_with_denominators_and_angles_are_proved() {
    let zero = |expression: &str, expected: bool| {
        let mut model = model(&format!("struct M {{ var x; var y; 0 = {expression} + 0 * y; }}"));
        let residual = model.equations[0].residual;
        assert_eq!(vanishes(&mut model.dag, residual), expected, "{expression}");
    };
    zero("sin(2 * x + y) - 2 * sin(x) * cos(x) * cos(y) - (1 - 2 * sin(x).powi(2)) * sin(y)", true);
    zero("1 / (x + y) + 1 / (x - y) - 2 * x / (x.powi(2) - y.powi(2))", true);
    zero("x / (1 + 1 / (1 + x)) - x * (1 + x) / (2 + x)", true);
    zero("1 / cos(x).powi(2) - 1 - sin(x).powi(2) / cos(x).powi(2)", true);
    zero("(x + y).powi(9) - (y + x).powi(8) * x - y * (x + y).powi(8)", true);
    zero("cos(x / 2).powi(2) * 2 - 1 - cos(x)", true);
    zero("sin(x) - x", false);
    zero("1 / (x + y) - 1 / x - 1 / y", false);
}

#[test]
fn optimal_control_of_index_1() {
    // Hairer & Wanner II, Sect. VII.1, eq. (1.39) for y' = u, phi = (y^2 + u^2)/2.
    let by_hand = "struct ByHand { var y; var v; var u; der(y) = u; der(v) = -y; 0 = v + u; }";
    proves_equal(include_str!("../../examples/models/optimal_control.dae"), by_hand);
}

#[test]
fn optimal_control_with_constraints() {
    // K = H + mu g, and for each slack s = -g of an inequality the solution of mu s = beta with positive factors.
    let text = "struct Bounded { param beta = 0.01; param top = 2; const N = 2;
        var y; var z; var v; var w; var u: [f64; N]; var a; var mu: [f64; N]; var nu; var rho;
        optimal_control {
            states y, z; adjoints v, w; controls u, a;
            der(y) = z; der(z) = u[0] - y * a;
            running_cost = u[1].powi(2) + a;
            for i in 0..N { constraint(mu[i]) u[i] <= top * i + 1; }
            constraint(nu) 0 <= y + z.powi(2);
            constraint(rho) a = y * z + u[1];
            barrier = beta;
            horizon(0, 1);
        } }";
    let by_hand = "struct ByHand { param beta = 0.01; param top = 2; const N = 2;
        var y; var z; var v; var w; var u: [f64; N]; var a; var mu: [f64; N]; var nu; var rho;
        fn positive(slack, multiplier, beta) {
            beta.sqrt() * ((slack - multiplier) / (2 * beta.sqrt())).asinh().exp()
        }
        der(y) = z; der(z) = u[0] - y * a;
        der(v) = a * w + nu + rho * z; der(w) = -v + 2 * nu * z + rho * y;
        0 = w + mu[0]; 0 = 2 * u[1] + mu[1] - rho; 0 = 1 - y * w + rho;
        1 - u[0] = positive(1 - u[0], mu[0], beta);
        top + 1 - u[1] = positive(top + 1 - u[1], mu[1], beta);
        y + z.powi(2) = positive(y + z.powi(2), nu, beta);
        a = y * z + u[1]; }";
    proves_equal(text, by_hand);
    let model = model(text);
    let [Derivation::OptimalControl(problem)] = model.derivations.as_slice() else { panic!("a control problem") };
    let names = |unknown: UnknownId| model.unknowns[unknown.index()].name.clone();
    let constraints: Vec<_> = problem.constraints.iter().map(|it| (names(it.multiplier), it.is_inequality)).collect();
    let expected = [("mu[0]", true), ("mu[1]", true), ("nu", true), ("rho", false)];
    assert_eq!(constraints, expected.map(|(name, is_inequality)| (name.to_string(), is_inequality)));
}

/// The optimal control problem of index 3 of Hairer & Wanner II, exercise VII.1.8.
const INDEX_3: &str = "struct Control { var y1 = 1; var y2 ~ -0.76; var w; var v1 ~ 0.76; var v2;
    optimal_control {
        states y1, y2; adjoints v1, v2; controls w;
        der(y1) = y2; der(y2) = w + sin(t);
        running_cost = (y1.powi(2) + y2.powi(2)) / 2;
        horizon(0, 1);
    } }";

#[test]
fn optimal_control_of_index_3() {
    let by_hand = "struct ByHand { var y1; var y2; var w; var v1; var v2;
        der(y1) = y2; der(y2) = w + sin(t); der(v1) = -y1; der(v2) = -v1 - y2; 0 = v2; }";
    proves_equal(INDEX_3, by_hand);
    let model = model(INDEX_3);
    let [Derivation::OptimalControl(problem)] = model.derivations.as_slice() else { panic!("a control problem") };
    let conditions: Vec<_> = problem
        .boundary_conditions(&model)
        .into_iter()
        .map(|c| (model.unknowns[c.unknown.index()].name.clone(), c.at, c.value.is_none()))
        .collect();
    let condition = |name: &str, at, zero| (name.to_string(), at, zero);
    let (start, end) = (Boundary::Start, Boundary::End);
    // The start value of y2 is free, so its adjoint vanishes there.
    let expected = [
        condition("y1", start, false),
        condition("v2", start, true),
        condition("v1", end, true),
        condition("v2", end, true),
    ];
    assert_eq!(conditions, expected);
}

#[test]
fn optimal_control_of_a_nonlinear_system() {
    // A reactor with a cost at the end, parameters and an input: H = p f1 + q f2 + phi.
    let text = "struct Reactor { param k = 2; param r = 0.1; param a = 3; input feed = exp(-t); param T = 2;
        var c = 1; var s = 0.5; var p ~ 1; var q ~ 1; var u ~ 1;
        fn rate(c, s) { k * c * exp(-a / s) }
        optimal_control {
            states c, s;
            controls u;
            adjoints p, q;
            der(c) = feed - rate(c, s);
            der(s) = rate(c, s) + u * (1 - s);
            running_cost = r * u.powi(2) / 2;
            terminal_cost = -c.powi(2) * s / 2;
            horizon(0, T);
        } }";
    let by_hand = "struct ByHand { param k = 2; param r = 0.1; param a = 3; input feed = exp(-t); param T = 2;
        var c; var s; var p; var q; var u;
        der(c) = feed - k * c * exp(-a / s);
        der(s) = k * c * exp(-a / s) + u * (1 - s);
        der(p) = (p - q) * k * exp(-a / s);
        der(q) = (p - q) * k * c * exp(-a / s) * a / s.powi(2) + q * u;
        0 = q * (1 - s) + r * u; }";
    proves_equal(text, by_hand);
    let mut derived = model(text);
    let derivations = derived.derivations.clone();
    let [Derivation::OptimalControl(problem)] = derivations.as_slice() else { panic!("a control problem") };
    // p(T) = -c s, q(T) = -c^2 / 2.
    let (c, s) = (UnknownId(0), UnknownId(1));
    let [c, s] = [c, s].map(|unknown| derived.dag.symbol(Symbol::Unknown { unknown, order: 0 }));
    let minus = |denominator| Rational::new(-1, denominator).expect("not zero");
    for (end, (factor, powers)) in
        problem.end.iter().zip([(minus(1), [(c, 1), (s, 1)].as_slice()), (minus(2), &[(c, 2)])])
    {
        let product = derived.dag.product(powers.iter().copied());
        let factor = derived.dag.constant(factor);
        let expected = derived.dag.mul(factor, product);
        assert_eq!(end.expect("not zero"), expected);
    }
}

#[test]
fn a_chain_of_pendulums_with_arrays() {
    let by_hand = "struct ByHand {
        const N = 3; param g = 9.81; param m: [f64; N] = [1, 1, 2]; param l: [f64; N] = 1 / N; param d = 0.1;
        var x: [f64; N]; var y: [f64; N]; var u: [f64; N]; var v: [f64; N]; var lambda: [f64; N];
        for i in 0..N { der(x[i]) = u[i]; }
        for i in 0..N { der(y[i]) = v[i]; }
        for i in 0..N { m[i] * der(u[i]) = -d * u[i]
            - 2 * lambda[i] * if i > 0 { x[i] - x[i - 1] } else { x[0] }
            + if i < N - 1 { 2 * lambda[i + 1] * (x[i + 1] - x[i]) } else { 0 }; }
        for i in 0..N { m[i] * der(v[i]) = -m[i] * g - d * v[i] + if i == 1 { sin(t) } else { 0 }
            - 2 * lambda[i] * if i > 0 { y[i] - y[i - 1] } else { y[0] }
            + if i < N - 1 { 2 * lambda[i + 1] * (y[i + 1] - y[i]) } else { 0 }; }
        x[0].powi(2) + y[0].powi(2) = l[0].powi(2);
        for i in 1..N { (x[i] - x[i - 1]).powi(2) + (y[i] - y[i - 1]).powi(2) = l[i].powi(2); }
    }";
    let derived = "struct Chain {
        const N = 3; param g = 9.81; param m: [f64; N] = [1, 1, 2]; param l: [f64; N] = 1 / N; param d = 0.1;
        var x: [f64; N] = |i| 0.6 * (i + 1) / N; var y: [f64; N] ~ |i| -0.8 * (i + 1) / N;
        var u: [f64; N] = 0; var v: [f64; N] ~ 0; var lambda: [f64; N];
        lagrangian {
            coordinates x, y;
            velocities u, v;
            kinetic = sum(i in 0..N => m[i] / 2 * (u[i].powi(2) + v[i].powi(2)));
            potential = g * sum(i in 0..N => m[i] * y[i]);
            constraint(lambda[0]) x[0].powi(2) + y[0].powi(2) = l[0].powi(2);
            for i in 1..N {
                constraint(lambda[i]) (x[i] - x[i - 1]).powi(2) + (y[i] - y[i - 1]).powi(2) = l[i].powi(2);
            }
            for i in 0..N { force(x[i]) = -d * u[i]; force(y[i]) = -d * v[i]; }
            force(y[1]) = sin(t);
        }
    }";
    proves_equal(derived, by_hand);
    let model = model(derived);
    let names: Vec<String> = (0..model.equations.len()).map(|k| model.equation_name(k)).collect();
    assert_eq!(names[1], "velocity of x[i = 1]");
    assert_eq!(
        names[3 * 4..],
        ["constraint of lambda[0]", "constraint of lambda[i = 1]", "constraint of lambda[i = 2]"]
    );
    assert_eq!(model.equations[7].docs, ["Euler–Lagrange equation of `x[i]`."]);
    let compiled = dae_symbolic::pipeline::compile(model, 0.0).unwrap_or_else(|it| panic!("{}", it.diagnostics));
    assert_eq!(compiled.analysis.certificate.verdict(), dae_symbolic::index::Verdict::Exact(3));
    parts_add_up(derived);
}

#[test]
fn optimal_control_with_arrays() {
    proves_equal(
        "struct Relay {
            const N = 3; param a: [f64; N] = |i| i + 1;
            var y: [f64; N] = 1; var p: [f64; N]; var u: [f64; 2];
            optimal_control {
                states y; adjoints p; controls u;
                for i in 0..N - 1 { der(y[i]) = -a[i] * y[i] + y[i + 1] * u[i]; }
                der(y[N - 1]) = u[0] + u[1];
                running_cost = sum(i in 0..N => y[i].powi(2)) / 2 + sum(k in 0..2 => u[k].powi(2)) / 2;
                horizon(0, 1);
            }
        }",
        "struct ByHand {
            const N = 3; param a: [f64; N] = |i| i + 1;
            var y: [f64; N]; var p: [f64; N]; var u: [f64; 2];
            for i in 0..N - 1 { der(y[i]) = -a[i] * y[i] + y[i + 1] * u[i]; }
            der(y[2]) = u[0] + u[1];
            der(p[0]) = a[0] * p[0] - y[0];
            der(p[1]) = a[1] * p[1] - u[0] * p[0] - y[1];
            der(p[2]) = -u[1] * p[1] - y[2];
            0 = y[1] * p[0] + p[2] + u[0];
            0 = y[2] * p[1] + p[2] + u[1];
        }",
    );
}

//! What a model may contain, and what it becomes.
//!
//! A model is the body of a [`dae!`](crate::dae!), or of a `.dae` file: one `struct` whose statements are declarations
//! and equations, in any order except that constants, parameters, inputs, named sub-expressions and functions are
//! declared before they are used. The exact grammar is in the documentation of `dae_symbolic::syntax`.
//!
//! | statement | meaning |
//! |---|---|
//! | `param g = 9.81;` | a parameter: a public field of the generated struct, changeable between runs |
//! | `const N = 1 / 3;` | an exact number |
//! | `input u = sin(t);` | a function of time; it is differentiated only if the index reduction needs that |
//! | `input u;` | a function of time that the caller supplies when the model is used |
//! | `table mu = [(0, 1), (2, 0.5), (3, 0), (5, 1)];` | a table, called as `mu(x)` |
//! | `extern fn cd(mach) = aero::cd, der(mach) = aero::cd_mach;` | a Rust function with its derivatives |
//! | `let r = sqrt(x.powi(2) + y.powi(2));` | a name for a sub-expression; generated code keeps the name |
//! | `fn drag(v) { c * v * abs(v) }` | a helper, inlined where it is called |
//! | `var x = 1;` | an unknown whose start value is fixed |
//! | `var x ~ 1;` | an unknown whose start value is a guess: consistent initialisation moves it as little as possible |
//! | `var x;` | an unknown about whose start nothing is known |
//! | `#[nominal(1e-3)] var x;` | an unknown of this typical magnitude; absolute tolerances are fractions of it |
//! | `start der(x) ~ 0.8;` | a start value of a derivative, `=` or `~` |
//! | `start x = 1;` | a start value in place of the one that `x` was declared with; where both are fixed (`=`), they have to be equal |
//! | `initial { x + y = 3; der(v) = 0; }` | equations that hold at the start only: see below |
//! | `der(x) = v;` | an equation; either side may be any expression |
//! | `m * der(x, 2) = f;` | an equation with a second derivative |
//! | `invariant energy = u.powi(2) / 2 + g * y;` | a quantity that is constant along solutions, onto which methods can project: see below |
//! | `lagrangian { … }` | equations of motion from energies: see below |
//! | `hamiltonian { … }` | canonical equations from a Hamiltonian: see below |
//! | `optimal_control { … }` | conditions of a minimum, from dynamics and cost: see below |
//! | `discrete n = 0;` | a variable that changes at events only |
//! | `when h < 0 { v = -e * pre(v); }` | what happens as a condition becomes true: see [`events`] |
//! | `modes clutch { free { tau = 0; … } engaged { w1 = w2; … } }` | equations of which some hold at a time: see [`events`] |
//! | `complementary diode(i, v);` | of two quantities one is zero, and the other not negative: see [`events`] |
//! | `boundary { y(t0) = 1; … }` | conditions on the solution at several times: see below |
//! | `lie_group SO(3) { … }` | a matrix that moves on a Lie group: see below |
//!
//! Expressions are Rust expressions over `+ - * /`, parentheses, decimal numbers (which are exact, so that `2 * x` and
//! `1 / 3` mean what they say), `t`, `PI`, `E`, and functions in call or method form: `sin(x)` or `x.sin()`. The
//! functions are `powi powf sqrt cbrt exp exp_m1 ln ln_1p log10 log2 sin cos tan asin acos atan atan2 sinh cosh tanh
//! asinh acosh atanh hypot abs signum floor min max`; `ceil` and `rem_euclid` round as well as `floor` ([`events`]). Documentation comments are
//! copied to the generated items.
//!
//! `if a < b && !(c >= d) { e } else if … { f } else { g }` is a piecewise function; it always has an `else`. At the
//! beginning of a branch or of a function's body it is the whole expression, as in Rust, unless it stands in
//! parentheses: `{ (if … { e } else { f }) + g }`. Where a piecewise function changes its branch, a *switching
//! function* vanishes; the switching functions of a formulation are listed in its description and computed by
//! [`Dae::switching_functions`](crate::Dae::switching_functions). Derivatives are taken branch by branch. If the index
//! reduction differentiates an equation across a kink or a jump, the documentation of the model and its `REPORT` warn
//! (a macro has no other way to warn without failing the build), and so does `dae analyze`. Steps end, and the method
//! is restarted, at the zeros of switching functions that depend on time alone, as those of most inputs do, and of
//! switching functions across which the equations jump. Kinks that depend on unknowns are passed with short steps. If
//! the equations on both sides of a switch lead back to it (a body at rest under `signum(v)`), the solution slides along
//! its zeros, as Filippov's solution does: with a combination of the equations on both sides that is multi-affine in a
//! weight for each switch, until a weight leaves the interval from 0 to 1. When it does so is in
//! [`Solution::slides`](crate::Solution::slides); where it cannot be followed, or could go on in several ways, the run
//! ends and says so. What changes the state itself, an impact for instance, is a `when` block, or an
//! [`Event`](crate::Event) of the run.
//!
//! ```
//! use dae::{Integration, Method};
//!
//! dae::dae! {
//!     /// A mass on a spring that hardens, pushed by a sine.
//!     pub struct Oscillator {
//!         /// Mass in kilograms.
//!         param m = 2;
//!         param k = 50;
//!         input push = 3 * sin(4 * t);
//!         fn hardening(s) { s + s.powi(3) / 10 }
//!         var x = 0;
//!         start der(x) = 1;
//!         m * der(x, 2) = push - k * hardening(x);
//!     }
//! }
//!
//! # fn main() -> Result<(), dae::RunError> {
//! println!("{}", Oscillator::REPORT);
//! let stiffer = Oscillator { k: 80.0, ..Oscillator::default() }.index1();
//! let solution = Integration::new(&stiffer).method(Method::Bdf).rtol(1e-8).atol(1e-8).run(0.0, 1.0)?;
//! assert_eq!(solution.names, ["x", "der(x)"]);
//! # Ok(())
//! # }
//! ```
//!
//! # Initial equations
//!
//! `initial { … }` holds equations for the moment at which a run begins, between any unknowns and those derivatives that
//! the equations of the model determine; `let`, `for` and `if` may stand in it. Each takes a degree of freedom away, as a
//! fixed start value does, and is solved together with all constraints, hidden ones included, from the guesses. `dae
//! analyze` says what is left to choose. Those that contradict the equations or fixed values are an error when the model
//! is compiled, if that is found there (`E601`), and of the run otherwise.
//! Sensitivities and gradients follow the dependence of the start on parameters. In a boundary value problem they are
//! conditions at `t0`, and stand in `boundary`; in a model with modes they hold in the mode at the start.
//!
//! ```
//! use dae::Integration;
//!
//! dae::dae! {
//!     /// A governor, whose speed is at rest at the start, whatever its parameters are.
//!     pub struct Governor {
//!         param torque = 3;
//!         param drag = 0.2;
//!         var speed ~ 1;
//!         var valve = 0.5;
//!         initial { der(speed) = 0; }
//!         der(speed) = torque * valve - drag * speed.powi(2);
//!         der(valve) = 2.5 - speed;
//!     }
//! }
//!
//! # fn main() -> Result<(), dae::RunError> {
//! let solution = Integration::new(&Governor { drag: 0.375, ..Governor::default() }.index1()).run(0.0, 1.0)?;
//! assert!((solution.column("speed").expect("an unknown")[0] - 2.0).abs() < 1e-9);
//! # Ok(())
//! # }
//! ```
//!
//! # Arrays and families of equations
//!
//! | | |
//! |---|---|
//! | `var q: [f64; N] = 0;` | an array of unknowns `q[0]`, …, `q[N - 1]`, all fixed at the same start value |
//! | `var q: [f64; 3] ~ [1, 0, 0];` | one start value each |
//! | <code>var q: [f64; N] ~ \|i\| (i + 1) / N;</code> | start values by index; with two indices <code>\|i, j\| …</code> |
//! | `var T: [[f64; M]; N];` | two indices, `T[i][j]` with `i` below `N` and `j` below `M` |
//! | `param m: [f64; N] = [1; N];` | an array of parameters: a public field `m: [f64; N]` |
//! | `const W: [f64; 3] = [1, 4, 1];`, `let d: …` | arrays of constants and of sub-expressions |
//! | `start q[0] = 1;`, `start der(q) ~ 0;` | start values of elements or whole arrays, and of their derivatives; a value for an element takes precedence over one for its array |
//! | `for i in 1..N { der(q[i]) = q[i - 1] - q[i]; }` | one equation for each `i`; `let`, `start`, `when`, `for` and `if` may stand in it too |
//! | `sum(i in 0..N => m[i] * q[i])` | a sum |
//! | `if i > 0 { F[i - 1] } else { 0 }` | a choice by constants and loop variables, made while the model is compiled |
//! | `if i == 0 { q[0] = 1; } else { q[i] = q[i - 1]; }` | such a choice between equations; `else` may be omitted |
//! | `fn norm2(v: [f64; 3]) { … }` | a helper with an array as argument: `norm2(q)`, `norm2(der(q))`, `norm2(T[i])` |
//!
//! Indices and ranges are made of integers, constants and the variables of loops; each index is affine in these
//! (`N - 1 - 2 * i`). The compiler checks that every element exists; if one does not, the message names the instance. A
//! range may be empty, as `1..N - 1` is for `N = 2`, and an array may have no element: the ends of a chain need no
//! special case.
//!
//! Conditions that constants and loop variables decide are not piecewise functions: they leave no switching function,
//! and indices in a branch that is not taken are not checked. Such conditions may also compare with `==` and `!=`; they
//! are the only ones allowed around equations.
//!
//! In results, messages and reports elements are called `q[3]` and `T[2][5]`, and equations `equation 4[i = 17]`: an
//! instance of the fourth equation in the text. Equations of a block are named after their part: `motion of x`,
//! `constraint of lambda`.
//!
//! ```
//! use dae::Integration;
//!
//! dae::dae! {
//!     /// A line of masses between walls.
//!     pub struct Line {
//!         const N = 8;
//!         param k: [f64; N + 1] = 40;
//!         var x: [f64; N] = 0;
//!         var v: [f64; N] = |i| sin(PI * (i + 1) / (N + 1));
//!         for i in 0..N {
//!             let left = if i > 0 { x[i - 1] } else { 0 };
//!             let right = if i < N - 1 { x[i + 1] } else { 0 };
//!             der(x[i]) = v[i];
//!             der(v[i]) = k[i] * (left - x[i]) + k[i + 1] * (right - x[i]);
//!         }
//!     }
//! }
//!
//! # fn main() -> Result<(), dae::RunError> {
//! let mut line = Line::default();
//! line.k[4] = 20.0;
//! let form = line.index1();
//! let solution = Integration::new(&form).rtol(1e-8).atol(1e-8).run(0.0, 1.0)?;
//! assert_eq!(solution.names[3], "x[3]");
//! # Ok(())
//! # }
//! ```
//!
//! # Equations of motion from energies
//!
//! A `lagrangian` block stands for Euler–Lagrange equations with multipliers. Its statements, in any order:
//!
//! | statement | meaning |
//! |---|---|
//! | `coordinates x, y;` | generalised coordinates $q$, each declared with `var` |
//! | `velocities u, v;` | optional names of their derivatives: $q' = u$ is added |
//! | `kinetic = m / 2 * der(x).powi(2);` | kinetic energy $T$ of time, coordinates and velocities |
//! | `potential = m * g * y;` | potential energy $U$, $L = T - U$ |
//! | `lagrangian = …;` | $L$ itself, instead of the two energies |
//! | `constraint(lambda) x.powi(2) + y.powi(2) = l.powi(2);` | a holonomic constraint $0 = g(t, q)$ and its multiplier, declared with `var` |
//! | `force(x) = -c * x;` | a generalised force on a coordinate; several add up |
//! | `dissipation = d / 2 * der(x).powi(2);` | Rayleigh's function $R$, with the forces $-\partial R/\partial q'$ |
//! | `for i in 1..N { constraint(lambda[i]) …; force(x[i]) = …; }` | constraints and forces by index |
//! | `invariant energy;` | the energy $L_{q'} q' - L$ is an invariant of this name |
//!
//! Coordinates and velocities may be arrays: each element is a coordinate or velocity, and energies are sums over the
//! elements.
//!
//! The equations are, in this order, $q' = u$ for named velocities, for each coordinate
//!
//! $$ \frac{\mathrm d}{\mathrm d t} \frac{\partial L}{\partial q'} - \frac{\partial L}{\partial q} = Q - G^\top \lambda, \qquad
//!    G = \frac{\partial g}{\partial q}, $$
//!
//! and the constraints. So a positive multiplier is a force of the constraint towards smaller $g$ = left side − right
//! side (Hairer & Wanner, VII.1, eqs. (1.41)–(1.46)). Other equations, beside the block, may use its unknowns: friction
//! states, circuits, nonholonomic constraints. The report shows the mass matrix and the constraint Jacobian.
//!
//! ```
//! dae::dae! {
//!     /// A bead on a wire that turns, with friction.
//!     pub struct Bead {
//!         param m = 0.1;
//!         param g = 9.81;
//!         param speed = 5;
//!         var r = 0.5;
//!         var z ~ 0.1;
//!         start der(r) = 0;
//!         var lambda ~ 0;
//!         lagrangian {
//!             coordinates r, z;
//!             kinetic = m / 2 * (der(r).powi(2) + der(z).powi(2) + (speed * r).powi(2));
//!             potential = m * g * z;
//!             dissipation = (der(r).powi(2) + der(z).powi(2)) / 200;
//!             constraint(lambda) z = r.powi(2) / 2;
//!         }
//!     }
//! }
//! println!("{}", Bead::REPORT);
//! ```
//!
//! # Canonical equations
//!
//! A `hamiltonian` block stands for Hamilton's equations with multipliers. Its statements, in any order:
//!
//! | statement | meaning |
//! |---|---|
//! | `coordinates x, y;` | generalised coordinates $q$, each declared with `var` |
//! | `momenta px, py;` | their momenta $p$, one for each coordinate in the same order, declared with `var` |
//! | `hamiltonian = …;` | the Hamiltonian $H$ of time, coordinates and momenta |
//! | `kinetic = …;`, `potential = …;` | its parts, $H = T + U$, instead of the whole |
//! | `constraint(lambda) x.powi(2) + y.powi(2) = l.powi(2);` | a holonomic constraint $0 = g(t, q)$ and its multiplier |
//! | `force(x) = -c * px;` | a further force on a coordinate; several add up |
//! | `for i in 1..N { constraint(lambda[i]) …; force(x[i]) = …; }` | constraints and forces by index |
//! | `invariant energy;` | $H$ is an invariant of this name |
//!
//! Coordinates and momenta may be arrays. The equations are, in this order,
//!
//! $$ q' = H_p, \qquad p' = -H_q + Q - G^\top \lambda, \qquad 0 = g, \qquad G = \frac{\partial g}{\partial q} $$
//!
//! (Hairer, *Solving Differential Equations on Manifolds*, V.4). Without forces, and if neither $H$ nor $g$ depends on
//! time, the symplectic methods integrate the form `underlying`, whether or not $H$ is the sum of a function of $p$ and
//! one of $q$.
//!
//! ```
//! use dae::{Integration, Method};
//!
//! dae::dae! {
//!     /// A planet, in polar coordinates.
//!     pub struct Planet {
//!         forms(underlying);
//!         var r = 0.5;
//!         var phi = 0;
//!         var radial = 0;
//!         var angular = 1;
//!         hamiltonian {
//!             coordinates r, phi;
//!             momenta radial, angular;
//!             hamiltonian = (radial.powi(2) + (angular / r).powi(2)) / 2 - 1 / r;
//!             invariant energy;
//!         }
//!     }
//! }
//!
//! # fn main() -> Result<(), dae::RunError> {
//! let form = Planet::default().underlying();
//! let solution = Integration::new(&form).method(dae::Rattle).fixed_step(0.01).run(0.0, 10.0)?;
//! assert_eq!(solution.invariants[0].name, "energy");
//! # Ok(())
//! # }
//! ```
//!
//! # First integrals
//!
//! `invariant energy = …;` declares that a quantity $I$ is constant along solutions. It is a smooth function of time,
//! parameters, and unknowns whose derivatives occur. The equations stay as they are: an invariant is never solved for.
//! The form `underlying` has $I(t, y) - I(t_0, y_0)$ among its invariants, beside the constraints, and methods that
//! project ([`Projection`](crate::Projection), on the command line `--project all`) keep all of them to rounding.
//!
//! Onto a quantity that is no first integral they would project just as well, and the solution would be wrong. So
//! $\dot I = I_t + I_y\, y'$ is examined:
//!
//! * By exact algebra, with the hidden constraints of the model. If the derivative vanishes identically, the report says
//!   "proved". Where masses depend on positions, the proof may divide by functions, which the report names.
//! * Otherwise at several consistent states, with the default parameters. If it is clearly not zero at one of them, the
//!   model is rejected at the name of the invariant. If it is zero up to rounding, the report says "not proved".
//! * When a run begins, also after an event. If the derivative is clearly not zero there, for the parameters and the
//!   start values of the run, that is an error
//!   ([`Failure::InvariantChanges`](crate::Failure::InvariantChanges)).
//!
//! ```
//! use dae::{Integration, Method, Projection};
//!
//! dae::dae! {
//!     /// A satellite.
//!     pub struct Satellite {
//!         forms(underlying);
//!         var x = 0.4;
//!         var y = 0;
//!         var u = 0;
//!         var v = 2;
//!         let r = sqrt(x.powi(2) + y.powi(2));
//!         der(x) = u;
//!         der(y) = v;
//!         der(u) = -x / r.powi(3);
//!         der(v) = -y / r.powi(3);
//!         invariant energy = (u.powi(2) + v.powi(2)) / 2 - 1 / r;
//!         invariant angular_momentum = x * v - y * u;
//!     }
//! }
//!
//! # fn main() -> Result<(), dae::RunError> {
//! assert!(Satellite::REPORT.contains("energy: proved to be constant"));
//! let form = Satellite::default().underlying();
//! let run = |projection| Integration::new(&form).method(Method::Dopri5).projection(projection).run(0.0, 50.0);
//! let (kept, free) = (run(Projection::On)?, run(Projection::Off)?);
//! assert!(kept.invariants.iter().all(|it| it.max < 1e-13));
//! assert!(free.invariants.iter().any(|it| it.max > 1e-6));
//! # Ok(())
//! # }
//! ```
//!
//! # Conditions of optimal control
//!
//! An `optimal_control` block stands for the first-order conditions of a minimum of
//! $\psi(y(t_1)) + \int \varphi(t, y, u)\, \mathrm d t$ under $y' = f(t, y, u)$ (Hairer & Wanner, VII.1, eqs.
//! (1.33)–(1.39)). Its statements, in any order:
//!
//! | statement | meaning |
//! |---|---|
//! | `states y;` | states, each declared with `var`; a fixed start value is kept, any other is free |
//! | `adjoints v;` | their adjoints, one for each state, declared with `var` |
//! | `controls u;` | the controls to be chosen, declared with `var` |
//! | `der(y) = u;` | the dynamics of a state |
//! | `running_cost = (y.powi(2) + u.powi(2)) / 2;` | $\varphi$ |
//! | `terminal_cost = y.powi(2);` | $\psi$, of the states |
//! | `constraint(mu) u + y.powi(2) <= 1;` | a constraint on controls and states at all times, with `<=`, `>=` or `=`, and its multiplier, declared with `var` |
//! | `barrier = beta;` | the barrier parameter of constraints that are inequalities, of constants and parameters |
//! | `horizon(0, 1);` | $t_0$ and $t_1$; the start values hold at $t_0$ |
//!
//! States, adjoints, controls and multipliers may be arrays, with dynamics and constraints in a `for`:
//! `for i in 0..N { der(y[i]) = u[i]; }`.
//!
//! The equations are, in this order, the dynamics, $v' = -f_y^\top v - \varphi_y^\top$, and
//! $0 = f_u^\top v + \varphi_u^\top$. The report shows the Hamiltonian and the boundary conditions:
//! $v(t_1) = \psi_y^\top$, and $v(t_0) = 0$ where the state is free. Unless an adjoint has a fixed start value, they are
//! boundary conditions of the model, provided that they are as many as its degrees of freedom, and
//! [`Bvp`](crate::Bvp) solves them (example `optimal_control`).
//!
//! A constraint $g = 0$ adds $\mu\, g$ to $H = v^\top f + \varphi$. An inequality $g \le 0$ is replaced by a logarithmic
//! barrier: what is minimised is the cost minus $\beta \int \ln(-g)\, \mathrm d t$, and the multiplier and the slack are
//! positive with $\mu \cdot (-g) = \beta$. The solution satisfies the inequality strictly, and as $\beta \to 0$ it tends to
//! that of the problem with inequalities; if that is convex, its cost exceeds the least one by at most $\beta$ times the
//! length of the interval for each inequality. Make $\beta$ a parameter, `param beta = 1e-6;`: where it is too small for
//! the first guess, [`Bvp`](crate::Bvp) begins with a larger one and makes it smaller step by step (example
//! `minimum_time`). A control on which dynamics and cost depend linearly is determined, too, if it has bounds. Where it
//! switches from one to the other, it depends on the adjoints with the factor $1/(2 \beta)$, so that tolerances much below
//! $10^{-15}/\beta$ cannot be reached. Bounds on states need finer meshes than those on controls, and larger values of
//! $\beta$.
//!
//! # Events and modes
//!
//! What happens as a condition becomes true, at the times of samples, and where the equations themselves change: a page
//! of its own, [`events`].
//!
//! # Boundary conditions
//!
//! A `boundary` block poses a boundary value problem. Its statements, in any order:
//!
//! | statement | meaning |
//! |---|---|
//! | `y(t0) = 1;` | a condition at the start |
//! | `der(x)(t_end) = 0;` | one at the end, on a derivative that the equations contain |
//! | `y(0.5) * y(t_end) = a;` | one that relates values at several times; times in between consist of constants and parameters |
//! | `x(t0) = x(t_end);` | periodicity |
//! | `e(t_end) = 2 * t_end;` | a condition on a sub-expression (`let e = …;`), with the end as a number |
//! | `for i in 0..N { q[i](t0) = 0; }` | conditions by index |
//! | `integral(y.powi(2)) = 1;` | the integral over time, from `t0` to `t_end`: an unknown is added that is zero at `t0` and has the integrand as derivative |
//! | `free omega, t_end;` | parameters, and the end, that the conditions determine; their values are first guesses |
//! | `horizon(0, 1);` | default ends `t0` and `t_end`, of constants and parameters |
//!
//! A fixed start value (`var y = 1;`) is the condition `y(t0) = 1`, called `start of y`. A guess (`var y ~ sin(t);`) may
//! be a function of time, and is the first guess of the solution at all times.
//!
//! There are as many conditions as the model has degrees of freedom, free parameters and a free end; if there are more
//! or fewer, the error lists them (`E432`). Conditions that restrict the same are an error (`E433`): `x(t0) = 1` and
//! `x(t0) = 2`, or both coordinates of a pendulum at one time, which the length relates. What depends on values of the
//! solution is left to the solver.
//!
//! A model may have an `optimal_control` block and a `boundary` block. A condition that contains a single state at one
//! end, and nothing else of the solution, takes the place of the condition on its adjoint there: with `y(t_end) = 0`,
//! $v(t_1)$ is free. One on the adjoint itself replaces it, too. A free end adds $H + \psi_t = 0$ at $t_1$; for free
//! parameters, conditions have to be given.
//!
//! ```
//! dae::dae! {
//!     /// The smallest eigenvalue of a vibrating string.
//!     pub struct Violin {
//!         param lambda = 9;
//!         var y = 0;
//!         var slope ~ cos(PI * t);
//!         der(y) = slope;
//!         der(slope) = -lambda * y;
//!         boundary {
//!             horizon(0, 1);
//!             y(t_end) = 0;
//!             integral(y.powi(2)) = 1;
//!             free lambda;
//!         }
//!     }
//! }
//!
//! use dae::runtime::contract::Prolongation;
//!
//! let violin = Violin::default().prolongation();
//! let boundary = violin.boundary().expect("the model has boundary conditions");
//! let conditions = &boundary.boundary_description().conditions;
//! assert_eq!(conditions[..2], ["start of y", "start of integral_1"]);
//! assert_eq!(conditions[2..], ["y(t_end) = 0", "integral_1(t_end) = 1"]);
//! assert_eq!(boundary.default_ends(), Some([0.0, 1.0]));
//! ```
//!
//! # Matrices on Lie groups
//!
//! A `lie_group` block says that a matrix of unknowns moves on a group of matrices: $Y' = A(t, Y)\, Y$ with $A$ in the
//! Lie algebra of the group. It has two statements:
//!
//! | statement | meaning |
//! |---|---|
//! | `matrix Y;` | the matrix $Y$, an array of unknowns declared with `var` |
//! | `generator = [[0, -w], [w, 0]];` | $A$, by rows, by its name (of a `let`), or <code>generator = \|i, j\| …;</code> by index |
//!
//! | head | $Y$ | $A$ |
//! |---|---|---|
//! | `lie_group SO(n)` | rotations | skew-symmetric |
//! | `lie_group SE(3)` | rigid motions, $4 \times 4$ matrices $\begin{pmatrix} R & x \\\\ 0 & 1 \end{pmatrix}$ | $\begin{pmatrix} \hat\omega & u \\\\ 0 & 0 \end{pmatrix}$ |
//! | `lie_group SL(n)` | $\det Y = 1$ | $\mathrm{trace}\, A = 0$ |
//! | `lie_group Sp(n)`, $n$ even | $Y^\mathsf{T} J Y = J$, $J = \begin{pmatrix} 0 & I \\\\ -I & 0 \end{pmatrix}$ | $JA$ is symmetric |
//! | `lie_group GL(n)` | $\det Y \ne 0$ | any |
//! | `lie_group Stiefel(n, k)` | $n \times k$ matrices with orthonormal columns, on which $SO(n)$ acts; for $k = 1$ also `[f64; n]`: the sphere | skew-symmetric |
//!
//! The block stands for the equations of the entries of $Y$, so that every form and method takes such a model.
//! $A$ may contain time, parameters, inputs, $Y$ and other unknowns, but no derivatives of unknowns. That it is in the
//! Lie algebra, for all values of these, is proved when the model is compiled; if it is not, an error shows the entries
//! that are in the way. An error is also a start value outside of the group; one that depends on parameters is checked
//! when a run starts.
//!
//! If there are no other unknowns, the model also has the method `lie_equation()` (feature `lie`). What it returns is an
//! equation for the methods on groups, `dae::runtime::lie`, with the group (`space()`) and the start
//! value (`start()`):
//!
#![cfg_attr(feature = "lie", doc = "```")]
#![cfg_attr(not(feature = "lie"), doc = "```ignore")]
//! use dae::runtime::lie::{Magnus, integrate};
//!
//! dae::dae! {
//!     /// A body that turns with a prescribed angular velocity, seen from space.
//!     pub struct Spinning {
//!         param speed = 1;
//!         let w: [f64; 3] = [sin(t), cos(2 * t), speed * t / 2];
//!         var R: [[f64; 3]; 3] = |i, j| if i == j { 1 } else { 0 };
//!         lie_group SO(3) {
//!             matrix R;
//!             generator = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]];
//!         }
//!     }
//! }
//!
//! # fn main() -> Result<(), dae::runtime::lie::LieError> {
//! let rotation = Spinning::default().lie_equation();
//! let run = integrate(&rotation.space(), &rotation, &Magnus::Order4, (0.0, rotation.start()), 1.0, 40)?;
//! assert!((run.end()[(0, 0)] - 0.846642322888).abs() < 1e-8);
//! assert!(run.largest_defect(&rotation.space()) < 1e-14);
//! # Ok(())
//! # }
//! ```
//!
//! Magnus methods need an $A(t)$. They compile with `lie_equation()` only if $A$ is proved not to depend on $Y$, whether
//! or not $Y$ occurs in it; the documentation of the model says so:
//!
#![cfg_attr(feature = "lie", doc = "```compile_fail,E0277")]
#![cfg_attr(not(feature = "lie"), doc = "```ignore")]
//! use dae::runtime::lie::{Magnus, integrate};
//!
//! dae::dae! {
//!     pub struct Sphere {
//!         var y: [f64; 3] = [1, 0, 0];
//!         lie_group Stiefel(3, 1) {
//!             matrix y;
//!             generator = [[0, -y[2], t], [y[2], 0, 0], [-t, 0, 0]];
//!         }
//!     }
//! }
//!
//! let sphere = Sphere::default().lie_equation();
//! // error: `SphereLieEquation` is not known to be linear: A may depend on Y
//! let run = integrate(&sphere.space(), &sphere, &Magnus::Order4, (0.0, sphere.start()), 1.0, 40);
//! ```
//!
//! # External data and functions
//!
//! **Inputs.** `input u = …;` is a part of the model; `input u;` is supplied by whoever uses it, as a field of the
//! struct of the type [`Input`](crate::Input): a number, a closure, a [`Spline`](crate::Spline), anything that is a
//! [`Signal`](crate::Signal). The model then has no default, but a constructor `new` with one argument per such input.
//! If the index reduction differentiates an equation that contains `u`, derivatives of `u` are needed; their number is
//! given in the documentation of the field and in `REPORT`. An input that supplies fewer is rejected when the
//! integration starts, with a message that names the differentiated equation.
//!
//! Measured points become an input by [`Spline::interpolate`](crate::Spline::interpolate):
//! `Spline::interpolate(&points, degree)?` with an odd degree $p$ gives derivatives up to order $p - 1$: degree 3 is
//! enough for two derivatives, degree 5 for four. On the command line `--input u=points.csv` chooses the degree
//! automatically.
//!
//! ```
//! use dae::{Input, Integration};
//!
//! dae::dae! {
//!     /// A cart whose position is prescribed: what force does that take?
//!     pub struct Cart {
//!         param m = 2;
//!         /// Where the cart has to be.
//!         input position;
//!         var x;
//!         var v;
//!         var force;
//!         der(x) = v;
//!         m * der(v) = force;
//!         x = position;
//!     }
//! }
//!
//! # fn main() -> Result<(), dae::RunError> {
//! // Two derivatives are needed: sine, cosine, and minus sine.
//! let position = Input::with_derivatives(2, |t, order| (t + order as f64 * std::f64::consts::FRAC_PI_2).sin());
//! let solution = Integration::new(&Cart::new(position).index1()).run(0.0, 1.0)?;
//! assert!((solution.value("force", 1.0).unwrap() + 2.0 * 1f64.sin()).abs() < 1e-9);
//!
//! let refused = Integration::new(&Cart::new(Input::function(f64::sin)).index1()).run(0.0, 1.0).unwrap_err();
//! assert_eq!(refused.to_string(), "the input `position` gives derivatives up to order 0, \
//!     and order 2 is needed because equation 3 is differentiated twice");
//! # Ok(())
//! # }
//! ```
//!
//! **Tables** are interpolated by splines of odd degree, at least cubic, as smooth as the index reduction needs: a
//! table in an equation that is differentiated $k$ times is at least $k$ times continuously differentiable. The end
//! conditions are not-a-knot; beyond its ends a table is continued by its outermost polynomials. Points consist of
//! numbers and constants, with ascending arguments.
//!
//! **Rust functions** are declared with all the partial derivatives that exist: `der(p) = …`, `der(p, 2) = …`, `der(p,
//! temperature) = …`; these are functions of the same arguments, in the same order. All of them have to be smooth. If
//! an equation with such a function is differentiated $k$ times, partial derivatives up to order $k + 1$ are needed,
//! the last for Jacobians; a missing one is an error that names the equation. Only the macro and build scripts can call
//! them: the command line analyses such a model but does not run it.
//!
//! The analysis knows neither inputs of the caller nor Rust functions. It treats them as generic functions, and says
//! so.
//!
//! # What a model becomes
//!
//! A model `Pendulum` becomes the struct `Pendulum` with one field per parameter and their defaults ([`Default`]); the
//! constant `Pendulum::REPORT` with index, degrees of freedom and hidden constraints; and one method per formulation,
//! which returns a type that implements [`Dae`](crate::Dae). A [`Solution`](crate::Solution) of any of them becomes a
//! `PendulumSolution` by `try_from`, with a method for each unknown: `x(t)`, and `T(i, j, t)` for an array; `None`
//! where the record has no value at that time, or the array has no such element. It dereferences to `Solution`; a
//! method of `Solution` with the name of an unknown is hidden. A model has the formulations that it asks for, by
//! default `ggl` and `index1`:
//!
//! ```
//! use dae::Integration;
//!
//! dae::dae! {
//!     /// A bead on a circle, three times.
//!     pub struct Bead {
//!         forms(index1, baumgarte(gamma), projected(C));
//!         /// How fast violated constraints decay.
//!         param gamma = 5;
//!         var x = 1;
//!         var y ~ 0;
//!         var u ~ 0;
//!         var v = 0;
//!         var lambda;
//!         der(x) = u;
//!         der(y) = v;
//!         der(u) = -lambda * x;
//!         der(v) = -lambda * y - 9.81;
//!         0 = x.powi(2) + y.powi(2) - 1;
//!     }
//! }
//!
//! # fn main() -> Result<(), dae::RunError> {
//! let bead = Bead { gamma: 10.0, ..Bead::default() };
//! let drifting = Integration::new(&bead.index1()).run(0.0, 10.0)?;
//! let decaying = Integration::new(&bead.baumgarte()).run(0.0, 10.0)?;
//! let projected = Integration::new(&bead.projected_c()).run(0.0, 10.0)?;
//! let violated = |solution: &dae::Solution| solution.invariants.iter().map(|it| it.max).fold(0.0, f64::max);
//! assert!(violated(&decaying) < violated(&drifting));
//! assert_eq!(projected.end_time, 10.0);
//! # Ok(())
//! # }
//! ```
//!
//! | form, method | formulation |
//! |---|---|
//! | `original`, `original()` | the system as written |
//! | `index1`, `index1()` | constraints differentiated until the index is 1; those of lower order are kept as invariants, which may drift |
//! | `index2`, `index2()` | constraints differentiated until the index is 2 |
//! | `ggl`, `ggl()` | index 2 with all constraints enforced, after Gear, Gupta and Leimkuhler: the form to take if in doubt |
//! | `stabilized(D)`, `stabilized_d()` | index 2 with all constraints enforced, the multipliers acting in the directions `D` |
//! | `baumgarte(gamma)`, `baumgarte()` | index 1 with $(\mathrm d/\mathrm d t + \gamma)^m g = 0$ in place of $g^{(m)} = 0$, so that violations decay; `baumgarte(alpha, beta)` for $\ddot g + 2\alpha\dot g + \beta^2 g = 0$, `baumgarte([a0, a1, …])` for any polynomial; the gains are numbers or parameters |
//! | `projected(D)`, `projected_d()` | index 1 with the constraints of the text enforced in the directions `D` |
//! | `pa`, `pb`, `pc` | index 1 with the constraints of the text (`pa`) or all constraints (`pb`, `pc`) enforced through their gradients (Ascher and Petzold 1993, sect. 4) |
//! | `overdetermined` | index 1 with all constraints enforced in the metric of the leading matrix (Hairer and Wanner II, eq. VII.2.27) |
//! | `state_space`, `tangent`, `dummy` | index 1 with all constraints enforced in local coordinates that change during a run |
//! | `recommended`, `recommended()` | the one of the others that fits the model at its start, following the conclusions of Ascher and Petzold (1993); its documentation says why, and `dae analyze` adds the numbers |
//! | `underlying` | the underlying ordinary differential equation $y' = f(t, y)$: all constraints are invariants, onto which explicit methods project every step ([`Projection`](crate::Projection)). It is an [`UnderlyingOde`](crate::runtime::underlying::UnderlyingOde); the explicit methods ([`Dopri5`](crate::Dopri5), [`Dop853`](crate::Dop853)) integrate it and no other form, and so do, for models that are Hamiltonian systems with constraints on positions, the symplectic ones ([`Rattle`](crate::Rattle), [`symplectic`](crate::runtime::symplectic)). With declared invariants it is a [`FirstIntegrals`](crate::runtime::first_integrals::FirstIntegrals) of one |
//! | `essential_underlying` | the essential underlying differential equation $u' = \dots$ for $u = R(t)\,x$, the components on which the multipliers of the text do not act (Ascher and Petzold 1993, eq. 2.13): as many differential unknowns as degrees of freedom, all constraints enforced, index 1; for models whose multipliers act in directions that depend only on time |
//! | `derivative_array`, `strangeness_free` | the equations with their derivatives, of any index and without structural analysis (Hairer and Wanner II, eq. VII.2.30; Kunkel and Mehrmann): for models that do not have the other forms; slower than these. Results have unknowns `w(x, 2)` in place of derivatives that the array does not determine |
//!
//! Directions `D`: `C`, the gradients of the constraints; `B`, the directions in which the multipliers of the text act,
//! $M^{-1} G^\top$ in mechanics; `unit`, unit vectors; or the name of an array of parameters.
//!
//! Unknowns that equations make equal to others up to sign (`a = b;`, `a = -b;`), or to constants or parameters (`a =
//! 3;`, `a = p + 1;`), are eliminated in all formulations except `original`, `derivative_array` and `strangeness_free`,
//! but not in models with families. They still appear in the results under their names, after the others; index,
//! degrees of freedom and start values are those of the text.
//!
//! A form that the text asks for but the model does not have is an error at its name. The type of a form knows the
//! highest index of its unknowns: `Integration::new(&form).method(dae::Bdf)` does not compile for an index of 3;
//! [`Method::Bdf`](crate::Method::Bdf) is checked when the run starts.
//!
//! A faulty model is reported at the offending tokens, with all errors at once, and the rest of the crate is compiled
//! against a stub, so that they are the only errors:
//!
//! ```compile_fail
//! dae::dae! {
//!     pub struct Fall {
//!         param gravity = 9.81;
//!         var height = 100;
//!         der(height, 2) = -gravty; // [E101] unknown name `gravty`; help: did you mean `gravity`?
//!     }
//! }
//! ```

pub mod events;

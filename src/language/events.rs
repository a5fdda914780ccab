//! Events and modes in the text of a model.
//!
//! # Events
//!
//! A `when` block says what happens at the moment at which its condition becomes true:
//!
//! | statement | meaning |
//! |---|---|
//! | `when h < 0 { … }` | as the height falls through zero; conditions are compared numbers, joined with `&&`, <code>\|\|</code> and `!` |
//! | `when t >= 2 { … }` | at a time, which is met exactly |
//! | `when sample(0.1) { … }` | at all multiples of a period, the start of a run included if it is one |
//! | `when sample(0.05, 0.1) { … }` | at a first time, and periodically after it |
//!
//! and in it, in any order:
//!
//! | statement | meaning |
//! |---|---|
//! | `v = -e * pre(v);` | the value of an unknown after the event; `pre(…)` is that of an expression just before it |
//! | `n = pre(n) + 1;` | likewise for a discrete variable: in samples, its value since the one before |
//! | `der(x) = 0;` | likewise for a derivative that is a state |
//! | `u = hold(n);` | the most recent value of a discrete variable: that after other events at the same time, if these change it |
//! | `note "the tank is empty";` | a text for the record of the event |
//! | `terminate "the rod breaks";` | the run ends there, with this text |
//! | `clutch = engaged;` | a mode is entered: see below |
//! | `limit { … }` | what happens at the time at which the event accumulates: see below |
//!
//! A condition that holds when a run begins has not become true; one that does not hold there and does at once
//! afterwards (`x > 0` from zero) becomes true there. Right of `=`, an unknown that the same block changes
//! stands for its value after the event; any other has to stand in `pre` or `hold`, since it may differ before and after.
//! What a block does not mention stays as it is where the constraints allow that, and otherwise changes as little as
//! possible; all constraints, hidden ones included, hold after the event, in every form. If the changes of one event make
//! the condition of another true, that happens at the same time, and once: what has happened does so again only after its
//! condition has been false. Two events that give an unknown different values at one
//! time end the run.
//!
//! Where the two sides of a comparison are equal after an event, the motion decides: as a ball leaves the floor, `h > 0` becomes
//! true and `h <= 0` false. Events that undo one another again and again at one time end the run, since the solution does
//! not go on; written with `if`, the same law is one along whose surface solutions slide. The end of a run belongs to it:
//! what becomes true there happens. Unknowns of higher index, as the force in a rod, are as accurate in conditions as states
//! are, unless the solution slides.
//!
//! A discrete variable (`discrete n = 0;`, with a start value; arrays are possible) keeps its value between events. It may
//! stand in all equations and conditions. In a `for`, a block is one event for each value of the loop variable. Events
//! are recorded in [`Solution::occurrences`](crate::Solution::occurrences), under the text of their condition. One that
//! changes nothing leaves the steps of the run as they are.
//!
//! ```
//! use dae::Integration;
//!
//! dae::dae! {
//!     /// A ball that loses a part of its speed at every impact, and is counted.
//!     pub struct Ball {
//!         param g = 9.81;
//!         param e = 0.8;
//!         var h = 1;
//!         var v = 0;
//!         discrete impacts = 0;
//!         der(h) = v;
//!         der(v) = -g;
//!         when h < 0 {
//!             v = -e * pre(v);
//!             impacts = pre(impacts) + 1;
//!         }
//!         when impacts >= 3 { terminate "three impacts are enough"; }
//!     }
//! }
//!
//! # fn main() -> Result<(), dae::RunError> {
//! let solution = Integration::new(&Ball::default().index1()).run(0.0, 10.0)?;
//! let fall = (2.0_f64 / 9.81).sqrt();
//! assert!((solution.end_time - fall * (1.0 + 2.0 * 0.8 + 2.0 * 0.64)).abs() < 1e-6);
//! assert_eq!(solution.occurrences[0].event, "h < 0");
//! assert_eq!(solution.occurrences[3].message.as_deref(), Some("three impacts are enough"));
//! # Ok(())
//! # }
//! ```
//!
//! # What they cost
//!
//! [`Solution::switches`](crate::Solution::switches) has an entry for each event, and for each switching function of the
//! equations (of `if`, `abs`, `min`, `max` and the like): how often it has occurred or changed its sign, how often the
//! integration has begun anew there, how many steps were repeated because of it, and how long the solution has slid along
//! it. [`Solution::switches_by_cost`](crate::Solution::switches_by_cost) begins with the one that costs most; `dae
//! simulate` prints that list, and `--json` has all entries under `statistics.switches`.
//!
//! ```
//! use dae::Integration;
//!
//! dae::dae! {
//!     /// A mass on a spring, with a soft stop and a hard one behind it.
//!     pub struct Spring {
//!         var x = 1;
//!         var v = 0;
//!         der(x) = v;
//!         der(v) = if x > 0 { -x } else { 1 - 4 * x };
//!         when x < -0.1 { v = -0.9 * pre(v); }
//!         when sample(1) { note "tick"; }
//!     }
//! }
//!
//! # fn main() -> Result<(), dae::RunError> {
//! let solution = Integration::new(&Spring::default().index1()).run(0.0, 20.0)?;
//! for it in solution.switches_by_cost() {
//!     println!("{}: {} crossings, {} steps repeated, {} restarts", it.name, it.crossings, it.rejected(), it.restarts);
//! }
//! let repeated: usize = solution.switches.iter().map(|it| it.switch_rejections).sum();
//! assert_eq!(repeated, solution.statistics.switch_rejections);
//! # let names: Vec<&str> = solution.switches.iter().map(|it| it.name.as_ref()).collect();
//! # assert_eq!(names, ["x", "x < -0.1", "sample(1)"]);
//! # assert_eq!(solution.switches[2].crossings, 21);
//! # Ok(())
//! # }
//! ```
//!
//! # Rounding
//!
//! `floor(x)`, `ceil(x)` and `rem_euclid(x, period)` jump, and do so at events: `rem_euclid(t, 0.3)` is a sawtooth whose
//! jumps are found to rounding errors. The integer part of an argument that changes between events is a discrete variable of the
//! model, `floor_of_x`, and the event `floor(x) changes` gives it the next integer, or that beyond which another event has
//! carried `x`. Of numbers, parameters, and values at an event (`n = floor(pre(x));`), rounding is a function like any
//! other. Tables, inputs of the caller and external functions are rounded by way of an unknown.
//!
//! # Modes
//!
//! Where the equations themselves change (a clutch that closes, a valve that shuts, a string that becomes taut), each
//! *mode* has equations of its own, and any index:
//!
//! ```
//! use dae::Integration;
//!
//! dae::dae! {
//!     /// Two shafts that a clutch joins.
//!     pub struct Shafts {
//!         param j1 = 1;
//!         param j2 = 3;
//!         var w1 = 8;
//!         var w2 = 0;
//!         var tau;
//!         j1 * der(w1) = -tau;
//!         j2 * der(w2) = tau;
//!         modes clutch {
//!             free { tau = 0; when t >= 1 && t < 2 { clutch = engaged; } }
//!             engaged { w1 = w2; when t >= 2 { clutch = free; } }
//!         }
//!     }
//! }
//!
//! # fn main() -> Result<(), dae::RunError> {
//! let solution = Integration::new(&Shafts::default().index1()).run(0.0, 3.0)?;
//! // Angular momentum is conserved: 1 · 8 = (1 + 3) · 2, by an impulse of the torque.
//! assert!((solution.end_state[0] - 2.0).abs() < 1e-9);
//! let engaged = &solution.modes[1];
//! assert_eq!((engaged.mode.as_ref(), engaged.t), ("clutch = engaged", 1.0));
//! assert!((engaged.impulses[0].1 - 6.0).abs() < 1e-9);
//! # Ok(())
//! # }
//! ```
//!
//! A `modes` block declares a *mode variable* and its alternatives. What stands outside of all blocks holds always, and
//! the statements of an alternative (equations, `let`, `start`, `when`, `for`, `if`) while the variable has it. A run
//! begins with the first alternative, or with the one that is named: `modes clutch = engaged { … }`. Several blocks are
//! independent; a mode is a choice of an alternative for each. Every mode needs as many equations as unknowns.
//!
//! In conditions of equations, sub-expressions and events, `clutch == engaged` says whether a variable has an alternative:
//! `drag = if clutch == engaged { 0.1 } else { 0.3 };`. In each mode it is known, so that nothing is left of it there; a
//! `when clutch == engaged { … }` outside of the block occurs as the alternative is entered. An event outside that enters a
//! mode has occurred, and does not do so again there while its condition holds.
//!
//! An event enters an alternative by giving its name to the variable. A `when` in an alternative counts in this
//! alternative only, and also where that is entered, or the run begins, with the condition true: then the event occurs at
//! once. Where the condition is at its zero there, as far as the state is known, the motion in the new mode decides. A tick
//! of samples that enters an alternative is over there. Alternatives whose conditions hold together, for the default values
//! of parameters, would enter one another without end, and do not compile (`E444`): had the shafts `when t >= 1`, the clutch
//! would close again as soon as it opens. Other changes without end are stopped by the run.
//!
//! Each mode that events can enter is analysed: index, degrees of freedom and hidden constraints of every mode are in
//! the report, with the changes between them (`dae analyze --dot` draws them), and every formulation is made for every
//! mode. Where the modes are more than a hundred, `dae simulate` analyses each as the run enters it; what does not compile
//! elsewhere then ends the run there. Unknowns that all formulations have are in the solution;
//! [`Solution::modes`](crate::Solution::modes) says when modes were entered, what jumped and which unknowns were impulses.
//!
//! ## Modes in loops
//!
//! A block in a `for` is a mode variable for each value of the loop variables. Inside the loop its name alone means the one
//! of the present value; elsewhere, and for another value, indices follow it:
//!
//! ```
//! # use dae::Integration;
//! dae::dae! {
//!     /// A row of tanks, each with a valve that opens and shuts by its level.
//!     pub struct Tanks {
//!         const N = 3;
//!         var level: [f64; N] = 1;
//!         var outflow: [f64; N];
//!         for i in 0..N {
//!             if i == 0 { der(level[i]) = 0.2 - outflow[i]; }
//!             else { der(level[i]) = outflow[i - 1] - outflow[i]; }
//!             modes valve {
//!                 open { outflow[i] = sqrt(level[i]); when level[i] < 0.5 { valve = shut; } }
//!                 shut { outflow[i] = 0; when level[i] > 1.5 { valve = open; } }
//!             }
//!         }
//!         when t >= 8 { valve[N - 1] = shut; note "closed by hand"; }
//!     }
//! }
//!
//! # fn main() -> Result<(), dae::RunError> {
//! let solution = Integration::new(&Tanks::default().index1()).run(0.0, 8.0)?;
//! assert_eq!(solution.modes[1].mode, "valve[0] = shut, valve[1] = open, valve[2] = open");
//! # Ok(())
//! # }
//! ```
//!
//! The statements of an alternative are repeated for those values of the loop variables that have it, and its `let`s are known
//! in it only; where all have the same, the loop remains a loop. A block in an `if` exists where its condition holds, which
//! does not ask for a mode. The modes are all
//! combinations that events can enter: *n* valves have up to 2ⁿ.
//!
//! ## What is conserved
//!
//! In a new mode, states keep their values where its constraints allow that. Where a constraint does not hold before,
//! states jump, and how follows from the equations, integrated over the change: the torque of a clutch is an impulse, and
//! whatever it acts on takes part of it, through all couplings that there are. Unknowns without derivatives can be
//! impulses; the equations have to be linear in them, with coefficients that do not jump themselves, or the run ends there.
//!
//! The equations say less where a constraint follows by differentiation only. A string that becomes taut prescribes a
//! length, and the velocity along it has to vanish; whether a weight on it bounces, no equation says. Such a change does
//! not compile (`E443`) unless it has a law: `inelastic;` in the `when` lets the forces of the new constraints act as
//! impulses, so that nothing bounces, and new values (`u = 0;`) are a law as well. A state of the new mode without a
//! value before needs one, too. What only values show (a position that no impulse can correct, rates of which the equations
//! know the sum alone) ends the run ([`Failure::ModeNotEntered`](crate::Failure::ModeNotEntered)).
//!
//! ## Limits
//!
//! Impacts of a bouncing ball accumulate: infinitely many happen in finite time. What happens at that time stands in a
//! `limit` block of the event, which a run enters when the intervals between the impacts shrink like a geometric sequence
//! and are short:
//!
//! ```text
//! modes ball {
//!     flying {
//!         force = 0;
//!         when h < 0 { v = -e * pre(v); limit { ball = resting; note "at rest"; } }
//!     }
//!     resting { h = 0; when force < 0 { ball = flying; } }
//! }
//! ```
//!
//! ## Complementarity
//!
//! `complementary diode(i, v);` stands for an equation: one of the two expressions is zero, and the other is not negative,
//! as the current through an ideal diode and the voltage that it holds back. It is short for
//!
//! ```text
//! modes diode {
//!     first { i = 0; when v < 0 { diode = second; } }
//!     second { v = 0; when i < 0 { diode = first; } }
//! }
//! ```
//!
//! Several of them decide one another, as the diodes of a bridge do. Where their changes at one time lead to a mode without
//! a solution, or back to one that has been left, a run tries the modes one by one, those with the fewest changes first, for
//! one in which none of the expressions is negative, nor a negative impulse. The same happens where another event would need
//! such an impulse: where a switch takes the current from a coil, the diode beside it conducts at once, and where the voltage
//! of a source falls, the diode between it and a capacitor blocks. A bridge whose diodes all block leaves the potential of
//! its source open: a small conductance determines it, which the tolerances have to resolve.
//!
//! ## What modes do not have yet
//!
//! Every run begins in the mode at the start, and events of a program, which are functions of the unknowns of one
//! formulation, are refused. An alternative holds no `modes` of its own.

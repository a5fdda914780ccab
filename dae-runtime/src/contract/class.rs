//! The methods, and which of them suit which formulations, known to the type system.
//!
//! In: the type of a formulation. Out: its class, the highest index of its unknowns, which a method has to handle.
//! Generated code has the class in its type, so that a method that does not converge for it does not compile:
//!
//! ```compile_fail,E0277
//! # use dae_runtime::class::{Bdf, Classified, Index};
//! # fn demo(pendulum: &impl Classified<Class = Index<3>>) {
//! dae_runtime::Integration::new(pendulum).method(Bdf);
//! # }
//! ```
//!
//! A formulation or method that is known only at run time, a `dyn Dae` or a [`Method`] value, is checked when a run
//! starts.
//!
//! # Which method for mechanical systems that are not stiff
//!
//! Times of the example `non_stiff`, at equal numbers of correct digits and in the best form for each method: milliseconds
//! of [`Radau`], and ratios of the others to these. The slider crank has a rigid rod and moves freely; the other problems
//! are those of the test set for IVP solvers.
//!
//! | milliseconds | method | 2 digits | 4 | 6 | 8 | 10 |
//! |---|---|---|---|---|---|---|
//! | pendulum | [`Radau`] | 4.85 | 6.39 | 8.29 | 11.97 |  |
//! | pendulum | [`Radau5`] | 0.94 | 1.85 | 3.66 |  |  |
//! | pendulum | [`Bdf`] | 1.93 | 2.79 | 5.40 |  |  |
//! | pendulum | [`Hem5`] | 1.26 | 2.32 | 3.84 | 5.44 |  |
//! | pendulum | [`Mexx`] | 4.22 | 4.36 | 5.20 | 7.69 |  |
//! | pendulum | [`Dop853`] | 1.19 | 1.45 | 1.69 |  |  |
//! | andrews | [`Radau`] | 0.98 | 0.98 | 1.32 | 1.76 | 2.16 |
//! | andrews | [`Radau5`] | 0.98 | 0.98 | 0.98 | 1.43 | 2.78 |
//! | andrews | [`Bdf`] | 0.82 | 0.96 | 1.32 | 1.77 | 2.89 |
//! | andrews | [`Hem5`] | 1.78 | 1.78 | 1.43 | 1.94 | 3.41 |
//! | andrews | [`Mexx`] | 5.21 | 5.21 | 4.42 | 6.42 | 6.77 |
//! | andrews | [`Dop853`] | 1.67 | 1.67 | 1.85 | 2.08 | 2.61 |
//! | car axis | [`Radau`] | 0.73 | 0.75 | 0.83 | 1.44 | 1.84 |
//! | car axis | [`Radau5`] | 1.22 | 1.61 | 3.07 | 4.06 |  |
//! | car axis | [`Bdf`] | 1.17 | 1.93 | 4.02 | 5.51 |  |
//! | car axis | [`Hem5`] | 1.41 | 2.38 | 5.27 | 8.25 |  |
//! | car axis | [`Mexx`] | 6.13 | 6.90 | 11.64 | 11.20 |  |
//! | car axis | [`Dop853`] | 2.20 | 2.93 | 3.82 | 3.57 |  |
//! | slider crank | [`Radau`] | 0.30 | 0.30 | 0.48 | 0.61 | 0.85 |
//! | slider crank | [`Radau5`] | 0.94 | 0.94 | 0.84 | 1.29 | 2.18 |
//! | slider crank | [`Bdf`] | 1.02 | 1.22 | 1.46 | 2.48 |  |
//! | slider crank | [`Hem5`] | 1.42 | 1.71 | 1.61 | 2.18 | 2.97 |
//! | slider crank | [`Mexx`] | 5.09 | 5.09 | 4.66 | 6.72 | 6.18 |
//! | slider crank | [`Dop853`] | 1.24 | 1.24 | 1.09 | 1.23 | 1.42 |
//!
//! So [`Radau`] is the first choice even where nothing is stiff. Of the others, [`Dop853`] is faster than [`Bdf`] and
//! [`Radau5`] at many digits on all four problems, and on the pendulum at all but the fewest; at few digits it is slower than
//! both on Andrews' mechanism, the car axis and the slider crank. [`Hem5`] is faster than [`Bdf`] on the pendulum, and on the
//! slider crank from 8 digits on. [`Mexx`] is slower than all others, but for digits that [`Bdf`] and [`Radau5`] do not reach at a
//! tolerance of 1e-11, and level with [`Bdf`] at 6 digits of the pendulum. [`Dop853`] needs half of the evaluations of [`Radau`]
//! on all but the car axis, but each of them solves the equations for derivatives and multipliers.

use crate::contract::Dae;

/// The class of formulations whose unknowns have an index of at most `K` ([`crate::contract::Unknown::index`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Index<const K: u8>;

/// The class of formulations that are solved for derivatives and algebraic unknowns
/// ([`Leading::Solved`](crate::contract::Leading::Solved)); these have index 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Solved;

/// The class of formulations that are [`Solved`], of models that are known to be Hamiltonian systems
/// ([`HamiltonianStructure`](crate::contract::HamiltonianStructure)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hamiltonian;

/// The class of formulations that are known only at run time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Open;

/// A formulation with its class, as [`Integration::new`](crate::solve::Integration::new) takes it. A function that
/// accepts any formulation takes `&impl Classified`, or `&dyn Dae`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no formulation of a known class, which is what can be integrated",
    label = "a formulation is expected here",
    note = "of a model, choose one: `model.ggl()`, `model.index1()`, …",
    note = "a formulation written by hand implements `Classified`, with `Index<K>` or `Open` as its class, or is passed as `&dyn Dae`; a function of any \
            formulation takes `&impl Classified` or `&dyn Dae`"
)]
pub trait Classified: Dae {
    /// [`Index<K>`], [`Solved`], [`Hamiltonian`], or [`Open`] where it is known only at run time.
    type Class;

    /// The formulation as a trait object.
    fn as_dae(&self) -> &dyn Dae;
}

impl Classified for dyn Dae + '_ {
    type Class = Open;

    fn as_dae(&self) -> &dyn Dae {
        self
    }
}

/// A choice of method that suits formulations of the class `C`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not converge for formulations of class `{C}`",
    label = "no method for this formulation",
    note = "`Radau5` and `Radau` integrate unknowns of index up to 3, `Bdf`, `Hem4`, `Hem5` and `Mexx` up to 2, `Limex` up to 1, `Dopri5`, `Dop853` and `ExplicitEuler` the form `underlying()`, `Rattle` and other symplectic methods the same form of Hamiltonian systems",
    note = "of the same model, `ggl()` and `index2()` have unknowns of index 2, `index1()` and the state-space forms of index 1 or 2",
    note = "`Method::Bdf` is checked when a run starts, and goes with fixed steps for any index"
)]
pub trait Treats<C> {
    /// The method chosen.
    fn method(self) -> Method;
}

/// What a method requires of a formulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// That its unknowns have at most this index, if the step size is controlled.
    Index(u8),
    /// That steps are of fixed size.
    FixedSteps,
    /// That it is [`Solved`].
    Solved,
    /// That it is [`Hamiltonian`].
    Hamiltonian,
}

/// Declares the methods: [`Method`], and a type for each with the classes that it suits.
macro_rules! methods {
    ($($(#[doc = $documentation:literal])* $method:ident $(($default:ident))?: $name:literal, $requirement:expr, [$($class:ty),*];)*) => {
        /// The integration method.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum Method {
            $($(#[doc = $documentation])* $(#[$default])? $method,)*
        }

        impl Method {
            /// All methods.
            pub const ALL: &[Method] = &[$(Method::$method),*];

            /// Whether the method is explicit: it integrates formulations that are [`Solved`] only.
            pub fn is_explicit(self) -> bool {
                self.requirement() == Requirement::Solved
            }

            /// Whether the method is symplectic: it integrates formulations that are [`Hamiltonian`] only, in steps of
            /// fixed size.
            pub fn is_symplectic(self) -> bool {
                self.requirement() == Requirement::Hamiltonian
            }

            /// Whether the method controls the step size; otherwise it makes steps of fixed size only.
            pub fn controls_step_size(self) -> bool {
                matches!(self.requirement(), Requirement::Index(_) | Requirement::Solved)
            }

            /// Its name in messages.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Method::$method => $name,)*
                }
            }

            /// What the method requires of a formulation.
            pub(crate) fn requirement(self) -> Requirement {
                match self {
                    $(Method::$method => $requirement,)*
                }
            }
        }

        $(
            $(#[doc = $documentation])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $method;

            $(impl Treats<$class> for $method {
                fn method(self) -> Method {
                    Method::$method
                }
            })*

            impl Treats<Open> for $method {
                fn method(self) -> Method {
                    Method::$method
                }
            }
        )*
    };
}

methods! {
    /// Radau IIA of order 5, a one-step method: stiff and higher-index systems.
    ///
    /// It converges for Hessenberg forms of index up to 3 (Hairer, Lubich and Roche, *The Numerical Solution of
    /// Differential-Algebraic Systems by Runge-Kutta Methods*, 1989, ch. 6).
    Radau5 (default): "Radau IIA", Requirement::Index(3), [Index<1>, Index<2>, Index<3>, Solved, Hamiltonian];
    /// Radau IIA of orders 5, 9 and 13, chosen as the run proceeds: stiff and higher-index systems at tight tolerances.
    ///
    /// It converges for the same forms as [`Radau5`].
    Radau: "Radau IIA", Requirement::Index(3), [Index<1>, Index<2>, Index<3>, Solved, Hamiltonian];
    /// Backward differentiation formulas of order 1 to [`max_order`](crate::integrator::stepper::Options::max_order), a
    /// multistep method: large systems, moderate tolerances.
    ///
    /// They converge for an index up to 2 (Brenan, Campbell and Petzold, sect. 3.2: above that, variable steps lose the
    /// order).
    Bdf: "BDF", Requirement::Index(2), [Index<1>, Index<2>, Solved, Hamiltonian];
    /// Dormand and Prince's explicit Runge–Kutta method of order 5 (Hairer, Nørsett and Wanner I, sect. II.5), with
    /// dense output of order 4: non-stiff systems at moderate tolerances.
    ///
    /// It integrates formulations that are solved for their derivatives: the form `underlying`.
    Dopri5: "DOPRI5", Requirement::Solved, [Solved, Hamiltonian];
    /// Dormand and Prince's explicit Runge–Kutta method of order 8 (Hairer, Nørsett and Wanner I, sect. II.10), with
    /// dense output of order 7: non-stiff systems at tight tolerances.
    ///
    /// It integrates the same formulations as [`Dopri5`]. The documentation of [the module](crate::class) compares its times
    /// with those of implicit methods.
    Dop853: "DOP853", Requirement::Solved, [Solved, Hamiltonian];
    /// The half-explicit Runge–Kutta method of order 5 with the coefficients of [`Dopri5`] for differential unknowns:
    /// non-stiff systems of index 2, constrained mechanical systems above all, at moderate and tight tolerances.
    ///
    /// It converges for Hessenberg forms of index up to 2 (Arnold, BIT 38, 1998; Murua, Computing 59, 1997): the forms
    /// `index2`, `ggl` and `index1` of mechanical systems. Other formulations are refused when a run starts. The documentation of
    /// [the module](crate::class) compares its times with those of implicit methods.
    Hem5: "HEM5", Requirement::Index(2), [Index<1>, Index<2>];
    /// The half-explicit Runge–Kutta method of order 4 with the coefficients of Kutta's 3/8 rule for differential
    /// unknowns: as [`Hem5`], at loose tolerances.
    Hem4: "HEM4", Requirement::Index(2), [Index<1>, Index<2>];
    /// The extrapolated linearly implicit Euler method, of orders 2 to 8 chosen as the run proceeds: stiff systems of
    /// index 1.
    ///
    /// For $B(t, y) y' = f(t, y)$, which may be singular (Deuflhard, Hairer and Zugck, Numer. Math. 51, 1987; Deuflhard and
    /// Nowak 1987).
    Limex: "LIMEX", Requirement::Index(1), [Index<1>];
    /// The extrapolated half-explicit Euler method, of orders 2 to 8 chosen as the run proceeds: non-stiff systems of index
    /// 2, constrained mechanical systems above all, at tight tolerances.
    ///
    /// For the same formulations as [`Hem5`] (Lubich, IMPACT Comput. Sci. Eng. 1, 1989, and 3, 1991). At tight tolerances it
    /// takes far fewer steps than [`Hem5`], but is slower on all problems measured ([the module](crate::class)).
    Mexx: "MEXX", Requirement::Index(2), [Index<1>, Index<2>];
    /// The implicit midpoint rule directly on $F(t, y, y') = 0$, in steps of fixed size: symmetric, and symplectic for
    /// ordinary differential equations, of order 2; for studies where unknowns have a higher index.
    ImplicitMidpoint: "the implicit midpoint rule", Requirement::FixedSteps, [Index<1>, Index<2>, Index<3>, Solved, Hamiltonian];
    /// The trapezoidal rule directly on $F(t, y, y') = 0$, in steps of fixed size: of order 2, for studies.
    Trapezoidal: "the trapezoidal rule", Requirement::FixedSteps, [Index<1>, Index<2>, Index<3>, Solved, Hamiltonian];
    /// The explicit Euler method, of order 1, for comparisons.
    ///
    /// It integrates the same formulations as [`Dopri5`].
    ExplicitEuler: "the explicit Euler method", Requirement::Solved, [Solved, Hamiltonian];
    /// The symplectic Euler method for constrained Hamiltonian systems, of order 1: implicit in the momenta, explicit in
    /// the positions (Hairer, *Solving Differential Equations on Manifolds*, (V.4.4) and (V.4.5)).
    ///
    /// It integrates the form `underlying` of models that are Hamiltonian systems, in steps of fixed size.
    SymplecticEuler: "the symplectic Euler method", Requirement::Hamiltonian, [Hamiltonian];
    /// RATTLE, a symmetric and symplectic method of order 2 (Hairer, *Solving Differential Equations on Manifolds*,
    /// (V.5.2) and (V.5.3)): long runs of mechanical systems without friction, in which energy must not drift.
    ///
    /// It integrates the same formulations as [`SymplecticEuler`]. Its positions are those of SHAKE. For a Hamiltonian
    /// that is not separable, it is the pair of Lobatto IIIA and IIIB with two stages.
    Rattle: "RATTLE", Requirement::Hamiltonian, [Hamiltonian];
    /// The symmetric composition of five steps of [`Rattle`] to order 4 (Suzuki 1990).
    Rattle4: "RATTLE of order 4", Requirement::Hamiltonian, [Hamiltonian];
    /// The symmetric composition of nine steps of [`Rattle`] to order 6 (Kahan and Li 1997).
    Rattle6: "RATTLE of order 6", Requirement::Hamiltonian, [Hamiltonian];
    /// The symmetric composition of seventeen steps of [`Rattle`] to order 8 (Kahan and Li 1997).
    Rattle8: "RATTLE of order 8", Requirement::Hamiltonian, [Hamiltonian];
    /// The pair of Lobatto IIIA for positions and IIIB for momenta, with three stages: symmetric, symplectic and of
    /// order 4 (Jay 1996).
    ///
    /// It integrates the same formulations as [`SymplecticEuler`].
    Lobatto: "Lobatto IIIA-IIIB", Requirement::Hamiltonian, [Hamiltonian];
}

/// Whether the method suits the formulation is checked when a run starts.
impl<C> Treats<C> for Method {
    fn method(self) -> Method {
        self
    }
}

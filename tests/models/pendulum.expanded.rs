/// Planar pendulum in Cartesian coordinates (Hairer & Wanner, VII.2).
///
/// Differentiation index 3, certified at the start values.
/// Degrees of freedom: 2.
///
/// Hidden constraints:
/// * der(equation 5): 0 = x·u + y·v
/// * der(equation 5, 2): 0 = u² + v² - x²·lambda + y·(-y·lambda - g)
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
pub struct Pendulum {
    /// Parameter, 1.0 by default.
    pub g: f64,
    /// Parameter, 1.0 by default.
    pub l: f64,
}

#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
impl ::core::default::Default for Pendulum {
    fn default() -> Self {
        Self { g: 1.0, l: 1.0 }
    }
}

#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
impl Pendulum {
    /// Index, degrees of freedom and hidden constraints, as in the documentation of this type.
    pub const REPORT: &'static str = ::core::concat!(
        "Differentiation index 3, certified at the start values.\n",
        "Degrees of freedom: 2.\n",
        "\n",
        "Hidden constraints:\n",
        "* der(equation 5): 0 = x·u + y·v\n",
        "* der(equation 5, 2): 0 = u² + v² - x²·lambda + y·(-y·lambda - g)\n",
    );

    /// Index 2 with all constraints enforced (Gear, Gupta and Leimkuhler).
    #[must_use]
    pub fn ggl(&self) -> PendulumGgl {
        PendulumGgl { prolongation: self.prolongation() }
    }

    /// Constraints differentiated until the index is 1; lower constraints are invariants that drift.
    #[must_use]
    pub fn index1(&self) -> PendulumIndex1 {
        PendulumIndex1 { prolongation: self.prolongation() }
    }

    /// The model with the derivatives of its equations, for consistent initial values.
    #[must_use]
    pub fn prolongation(&self) -> PendulumProlongation {
        PendulumProlongation { parameters: [self.g, self.l] }
    }
}

/// A solution of [`Pendulum`], with a method for each unknown: its value at a time, as `Solution::at` gives it.
/// What else a solution offers, it offers too.
#[derive(Clone, Debug, PartialEq)]
#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
pub struct PendulumSolution(::dae::__private::Unknowns);

#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
impl PendulumSolution {
    /// `x` at a time.
    #[must_use]
    pub fn x(&self, t: f64) -> ::core::option::Option<f64> {
        self.0.value(0, &[], t)
    }

    /// `y` at a time.
    #[must_use]
    pub fn y(&self, t: f64) -> ::core::option::Option<f64> {
        self.0.value(1, &[], t)
    }

    /// `u` at a time.
    #[must_use]
    pub fn u(&self, t: f64) -> ::core::option::Option<f64> {
        self.0.value(2, &[], t)
    }

    /// `v` at a time.
    #[must_use]
    pub fn v(&self, t: f64) -> ::core::option::Option<f64> {
        self.0.value(3, &[], t)
    }

    /// `lambda` at a time.
    #[must_use]
    pub fn lambda(&self, t: f64) -> ::core::option::Option<f64> {
        self.0.value(4, &[], t)
    }
}

impl ::core::convert::TryFrom<::dae::__private::Solution> for PendulumSolution {
    type Error = ::dae::__private::ForeignSolution;

    fn try_from(solution: ::dae::__private::Solution) -> ::core::result::Result<Self, ::dae::__private::ForeignSolution> {
        ::dae::__private::Unknowns::find("Pendulum", &[("x", &[]), ("y", &[]), ("u", &[]), ("v", &[]), ("lambda", &[])], solution).map(Self)
    }
}

impl ::core::convert::From<PendulumSolution> for ::dae::__private::Solution {
    fn from(solution: PendulumSolution) -> Self {
        solution.0.into_solution()
    }
}

impl ::core::ops::Deref for PendulumSolution {
    type Target = ::dae::__private::Solution;

    fn deref(&self) -> &::dae::__private::Solution {
        self.0.solution()
    }
}

/// The equations of [`Pendulum`] with their derivatives, in the derivatives of its unknowns.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
pub struct PendulumProlongation {
    parameters: [f64; 2],
}

#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
impl ::dae::__private::Prolongation for PendulumProlongation {
    fn prolongation_description(&self) -> &::dae::__private::ProlongationDescription {
        use ::dae::__private::*;
        static JETS: [Jet; 11] = [
            jet("x", 0, -2, Start::Guess, 1.0),
            jet("der(x)", 1, -1, Start::Free, 1.0),
            jet("der(x, 2)", 2, 0, Start::Free, 1.0),
            jet("y", 0, -2, Start::Fixed, 1.0),
            jet("der(y)", 1, -1, Start::Free, 1.0),
            jet("der(y, 2)", 2, 0, Start::Free, 1.0),
            jet("u", 0, -1, Start::Guess, 1.0),
            jet("der(u)", 1, 0, Start::Free, 1.0),
            jet("v", 0, -1, Start::Fixed, 1.0),
            jet("der(v)", 1, 0, Start::Free, 1.0),
            jet("lambda", 0, 0, Start::Guess, 1.0),
        ];
        static EQUATIONS: [JetEquation; 9] = [
            jet_equation("equation 5", 4, 0, -2),
            jet_equation("equation 1", 0, 0, -1),
            jet_equation("equation 2", 1, 0, -1),
            jet_equation("der(equation 5)", 4, 1, -1),
            jet_equation("der(equation 1)", 0, 1, 0),
            jet_equation("der(equation 2)", 1, 1, 0),
            jet_equation("equation 3", 2, 0, 0),
            jet_equation("equation 4", 3, 0, 0),
            jet_equation("der(equation 5, 2)", 4, 2, 0),
        ];
        static DESCRIPTION: ProlongationDescription = ProlongationDescription {
            model: Borrowed("Pendulum"),
            jets: Borrowed(&JETS),
            equations: Borrowed(&EQUATIONS),
            jacobian: pattern(11, &[0, 2, 4, 6, 10, 12, 14, 17, 20, 26], &[0, 3, 1, 6, 4, 8, 0, 1, 3, 4, 2, 7, 5, 9, 0, 7, 10, 3, 9, 10, 0, 1, 2, 3, 4, 5]),
            jacobian_p: pattern(2, &[0, 1, 1, 1, 1, 1, 1, 1, 2, 2], &[1, 0]),
            start_jacobian_p: pattern(2, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], &[]),
        };
        &DESCRIPTION
    }

    /// X as the model gives it, fixed values and guesses; zero where it gives none.
    fn start_values(&self, time: f64, values: &mut [f64]) {
        values.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    /// G(t, X): the equations and their derivatives, X the unknowns and theirs; its zeros are consistent.
    fn prolonged_residual(&self, time: f64, jets: &[f64], residual: &mut [f64]) {
        let &[x, der_x, der2_x, y, der_y, der2_y, u, der_u, v, der_v, lambda] = jets else { return };
        let [g, l] = self.parameters;
        /// equation 5: 0 = x² + y² - l²
        let equation_5 = x * x + y * y - l * l;
        /// equation 1: 0 = der(x) - u
        let equation_1 = der_x - u;
        /// equation 2: 0 = der(y) - v
        let equation_2 = der_y - v;
        /// der(equation 5): 0 = 2·x·der(x) + 2·y·der(y)
        let der_equation_5 = 2.0 * (x * der_x) + 2.0 * (y * der_y);
        /// der(equation 1): 0 = der(x, 2) - der(u)
        let der_equation_1 = -der_u + der2_x;
        /// der(equation 2): 0 = der(y, 2) - der(v)
        let der_equation_2 = -der_v + der2_y;
        /// equation 3: 0 = der(u) + x·lambda
        let equation_3 = der_u + x * lambda;
        /// equation 4: 0 = der(v) + y·lambda + g
        let equation_4 = der_v + y * lambda + g;
        /// der(equation 5, 2): 0 = 2·der(x)² + 2·x·der(x, 2) + 2·der(y)² + 2·y·der(y, 2)
        let der2_equation_5 =
            2.0 * (der_x * der_x) + 2.0 * (x * der2_x) + 2.0 * (der_y * der_y) + 2.0 * (y * der2_y);
        residual.copy_from_slice(&[
            equation_5, equation_1, equation_2, der_equation_5, der_equation_1, der_equation_2, equation_3,
            equation_4, der2_equation_5,
        ]);
    }

    /// ∂G/∂X, row by row where it is not zero:
    /// * equation 5 by x, y
    /// * equation 1 by der(x), u
    /// * equation 2 by der(y), v
    /// * der(equation 5) by x, der(x), y, der(y)
    /// * der(equation 1) by der(x, 2), der(u)
    /// * der(equation 2) by der(y, 2), der(v)
    /// * equation 3 by x, der(u), lambda
    /// * equation 4 by y, der(v), lambda
    /// * der(equation 5, 2) by x, der(x), der(x, 2), y, der(y), der(y, 2)
    fn prolonged_jacobian(&self, time: f64, jets: &[f64], values: &mut [f64]) {
        let &[x, der_x, der2_x, y, der_y, der2_y, _, _, _, _, lambda] = jets else { return };
        let twice_y = 2.0 * y;
        let twice_x = 2.0 * x;
        values.copy_from_slice(&[
            twice_x, twice_y,
            1.0, -1.0,
            1.0, -1.0,
            2.0 * der_x, twice_x, 2.0 * der_y, twice_y,
            1.0, -1.0,
            1.0, -1.0,
            lambda, 1.0, x,
            lambda, 1.0, y,
            2.0 * der2_x, 4.0 * der_x, twice_x, 2.0 * der2_y, 4.0 * der_y, twice_y,
        ]);
    }

    /// ∂G/∂p, by the parameters, row by row where it is not zero:
    /// * equation 5 by l
    /// * equation 4 by g
    fn prolonged_jacobian_p(&self, time: f64, jets: &[f64], values: &mut [f64]) {
        let [_, l] = self.parameters;
        values.copy_from_slice(&[
            -2.0 * l,
            1.0,
        ]);
    }

    /// The start values by the parameters: zero.
    fn start_jacobian_p(&self, time: f64, values: &mut [f64]) {
    }
}

/// The ggl form of [`Pendulum`]. Index 2 with all constraints enforced (Gear, Gupta and Leimkuhler).
///
/// * equation 1: 0 = der(x) - u + 2·x·mu_1
/// * equation 2: 0 = der(y) - v + 2·y·mu_1
/// * equation 3: 0 = der(u) + x·lambda
/// * equation 4: 0 = der(v) + y·lambda + g
/// * der(equation 5): 0 = 2·x·u + 2·y·v
/// * equation 5: 0 = x² + y² - l²
/// * mu_1: multiplier that enforces equation 5, zero on solutions
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
pub struct PendulumGgl {
    prolongation: PendulumProlongation,
}

#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
impl ::dae::__private::Classified for PendulumGgl {
    type Class = ::dae::__private::Index<2>;

    fn as_dae(&self) -> &dyn ::dae::__private::Dae {
        self
    }
}

#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
impl ::dae::__private::Dae for PendulumGgl {
    fn description(&self) -> &::dae::__private::Description {
        use ::dae::__private::*;
        static UNKNOWNS: [Unknown; 6] = [
            unknown("x", Role::Jet(0), Kind::Differential, 1, 1.0),
            unknown("y", Role::Jet(3), Kind::Differential, 1, 1.0),
            unknown("u", Role::Jet(6), Kind::Differential, 1, 1.0),
            unknown("v", Role::Jet(8), Kind::Differential, 1, 1.0),
            unknown("lambda", Role::Jet(10), Kind::Algebraic, 2, 1.0),
            unknown("mu_1", Role::Multiplier { row: 5 }, Kind::Algebraic, 2, 1.0),
        ];
        static EQUATIONS: [Equation; 6] = [
            equation("equation 1", Some(1)),
            equation("equation 2", Some(2)),
            equation("equation 3", Some(6)),
            equation("equation 4", Some(7)),
            equation("der(equation 5)", Some(3)),
            equation("equation 5", Some(0)),
        ];
        static PARAMETERS: [Name; 2] = [
            Borrowed("g"),
            Borrowed("l"),
        ];
        static INVARIANTS: [Invariant; 2] = [
            enforced("der(equation 5)", 4, Some(3)),
            enforced("equation 5", 5, Some(0)),
        ];
        static SWITCHES: [Switch; 0] = [];
        static DESCRIPTION: Description = Description {
            model: Borrowed("Pendulum"),
            form: Borrowed("ggl"),
            unknowns: Borrowed(&UNKNOWNS),
            equations: Borrowed(&EQUATIONS),
            parameters: Borrowed(&PARAMETERS),
            invariants: Borrowed(&INVARIANTS),
            switches: Borrowed(&SWITCHES),
            eliminated: Borrowed(&[]),
            hamiltonian: Err(Borrowed("only the form underlying is solved for the derivatives")),
            leading: Leading::Constant,
            is_affine: true,
            leading_rank: 4,
            jacobian_y: pattern(6, &[0, 3, 6, 8, 10, 14, 16], &[0, 2, 5, 1, 3, 5, 0, 4, 1, 4, 0, 1, 2, 3, 0, 1]),
            jacobian_yp: pattern(6, &[0, 1, 2, 3, 4, 4, 4], &[0, 1, 2, 3]),
            jacobian_p: pattern(2, &[0, 0, 0, 0, 1, 1, 2], &[0, 1]),
            invariants_jacobian: pattern(6, &[0, 4, 6], &[0, 1, 2, 3, 0, 1]),
            switches_jacobian_p: pattern(2, &[0], &[]),
        };
        &DESCRIPTION
    }

    fn parameters(&self) -> &[f64] {
        &self.prolongation.parameters
    }

    fn set_parameters(&mut self, values: &[f64]) {
        self.prolongation.parameters.copy_from_slice(values);
    }

    /// F(t, y, y'), which is zero on solutions; y is `state`, y' is `rate`.
    fn residual(&self, time: f64, state: &[f64], rate: &[f64], residual: &mut [f64]) {
        let &[x, y, u, v, lambda, mu_1] = state else { return };
        let &[der_x, der_y, der_u, der_v, _, _] = rate else { return };
        let [g, l] = self.prolongation.parameters;
        /// equation 1: 0 = der(x) - u + 2·x·mu_1
        let equation_1 = -u + der_x + 2.0 * (x * mu_1);
        /// equation 2: 0 = der(y) - v + 2·y·mu_1
        let equation_2 = -v + der_y + 2.0 * (y * mu_1);
        /// equation 3: 0 = der(u) + x·lambda
        let equation_3 = der_u + x * lambda;
        /// equation 4: 0 = der(v) + y·lambda + g
        let equation_4 = der_v + y * lambda + g;
        /// der(equation 5): 0 = 2·x·u + 2·y·v
        let der_equation_5 = 2.0 * (x * u) + 2.0 * (y * v);
        /// equation 5: 0 = x² + y² - l²
        let equation_5 = x * x + y * y - l * l;
        residual.copy_from_slice(&[
            equation_1, equation_2, equation_3, equation_4, der_equation_5, equation_5,
        ]);
    }

    /// ∂F/∂y, row by row where it is not zero:
    /// * equation 1 by x, u, mu_1
    /// * equation 2 by y, v, mu_1
    /// * equation 3 by x, lambda
    /// * equation 4 by y, lambda
    /// * der(equation 5) by x, y, u, v
    /// * equation 5 by x, y
    fn jacobian_y(&self, time: f64, state: &[f64], rate: &[f64], values: &mut [f64]) {
        let &[x, y, u, v, lambda, mu_1] = state else { return };
        let twice_y = 2.0 * y;
        let twice_x = 2.0 * x;
        let twice_mu_1 = 2.0 * mu_1;
        values.copy_from_slice(&[
            twice_mu_1, -1.0, twice_x,
            twice_mu_1, -1.0, twice_y,
            lambda, x,
            lambda, y,
            2.0 * u, 2.0 * v, twice_x, twice_y,
            twice_x, twice_y,
        ]);
    }

    /// ∂F/∂y', row by row where it is not zero:
    /// * equation 1 by der(x)
    /// * equation 2 by der(y)
    /// * equation 3 by der(u)
    /// * equation 4 by der(v)
    fn jacobian_yp(&self, time: f64, state: &[f64], rate: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[
            1.0,
            1.0,
            1.0,
            1.0,
        ]);
    }

    /// ∂F/∂p, by the parameters, row by row where it is not zero:
    /// * equation 4 by g
    /// * equation 5 by l
    fn jacobian_p(&self, time: f64, state: &[f64], rate: &[f64], values: &mut [f64]) {
        let [_, l] = self.prolongation.parameters;
        values.copy_from_slice(&[
            1.0,
            -2.0 * l,
        ]);
    }

    /// ∂F/∂t, with y and y' held.
    fn jacobian_t(&self, time: f64, state: &[f64], rate: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    /// φ(t, y), which is zero on solutions: the constraints, stated and hidden.
    fn invariants(&self, time: f64, state: &[f64], values: &mut [f64]) {
        let &[x, y, u, v, _, _] = state else { return };
        let [_, l] = self.prolongation.parameters;
        /// der(equation 5): 0 = 2·x·u + 2·y·v
        let der_equation_5 = 2.0 * (x * u) + 2.0 * (y * v);
        /// equation 5: 0 = x² + y² - l²
        let equation_5 = x * x + y * y - l * l;
        values.copy_from_slice(&[der_equation_5, equation_5]);
    }

    /// ∂φ/∂y, row by row where it is not zero:
    /// * der(equation 5) by x, y, u, v
    /// * equation 5 by x, y
    fn invariants_jacobian(&self, time: f64, state: &[f64], values: &mut [f64]) {
        let &[x, y, u, v, _, _] = state else { return };
        let twice_y = 2.0 * y;
        let twice_x = 2.0 * x;
        values.copy_from_slice(&[
            2.0 * u, 2.0 * v, twice_x, twice_y,
            twice_x, twice_y,
        ]);
    }

    /// Elimination of the iteration matrix α ∂F/∂y' + β ∂F/∂y without loops, for pivots that were chosen around the start:
    /// equation 4 for v, equation 2 for y, equation 3 for u, der(equation 5) for lambda, equation 1 for x, equation 5 for mu_1.
    fn unrolled_lu(&self) -> Option<&::dae::__private::UnrolledLu> {
        use ::dae::__private::{Code, UnrolledLu, Scalar};
        /// From the entries `a` of a matrix, row by row: L, U and the inverses `d` of the pivots.
        fn factorize<S: Scalar>(a: &[S], l: &mut [S], u: &mut [S], d: &mut [S]) {
            let Some(a) = a.first_chunk::<18>() else { return };
            let Some(l) = l.first_chunk_mut::<9>() else { return };
            let Some(u) = u.first_chunk_mut::<9>() else { return };
            let Some(d) = d.first_chunk_mut::<6>() else { return };
            u[0] = a[9];
            u[1] = a[11];
            d[0] = a[10].recip();
            l[0] = a[4] * d[0];
            u[2] = -l[0] * u[1];
            u[3] = a[5];
            d[1] = (a[3] - l[0] * u[0]).recip();
            u[4] = a[8];
            u[5] = a[6];
            d[2] = a[7].recip();
            l[1] = a[15] * d[0];
            l[2] = (a[13] - l[1] * u[0]) * d[1];
            l[3] = a[14] * d[2];
            u[6] = a[12] - l[3] * u[5];
            u[7] = -l[2] * u[3];
            d[3] = (-l[1] * u[1] - l[2] * u[2] - l[3] * u[4]).recip();
            l[4] = a[1] * d[2];
            l[5] = (-l[4] * u[4]) * d[3];
            u[8] = a[2] - l[5] * u[7];
            d[4] = (a[0] - l[4] * u[5] - l[5] * u[6]).recip();
            l[6] = a[17] * d[1];
            l[7] = (-l[6] * u[2]) * d[3];
            l[8] = (a[16] - l[7] * u[6]) * d[4];
            d[5] = (-l[6] * u[3] - l[7] * u[7] - l[8] * u[8]).recip();
        }
        /// Replaces the right-hand side `x` by the solution.
        fn solve<S: Scalar>(l: &[S], u: &[S], d: &[S], x: &mut [S]) {
            let Some(l) = l.first_chunk::<9>() else { return };
            let Some(u) = u.first_chunk::<9>() else { return };
            let Some(d) = d.first_chunk::<6>() else { return };
            let Some(x) = x.first_chunk_mut::<6>() else { return };
            let z = &mut [S::ZERO; 6];
            z[0] = x[3];
            z[1] = x[1] - l[0] * z[0];
            z[2] = x[2];
            z[3] = x[4] - l[1] * z[0] - l[2] * z[1] - l[3] * z[2];
            z[4] = x[0] - l[4] * z[2] - l[5] * z[3];
            z[5] = x[5] - l[6] * z[1] - l[7] * z[3] - l[8] * z[4];
            z[5] = z[5] * d[5];
            x[5] = z[5];
            z[4] = (z[4] - u[8] * z[5]) * d[4];
            x[0] = z[4];
            z[3] = (z[3] - u[7] * z[5] - u[6] * z[4]) * d[3];
            x[4] = z[3];
            z[2] = (z[2] - u[5] * z[4] - u[4] * z[3]) * d[2];
            x[2] = z[2];
            z[1] = (z[1] - u[3] * z[5] - u[2] * z[3]) * d[1];
            x[1] = z[1];
            z[0] = (z[0] - u[1] * z[3] - u[0] * z[1]) * d[0];
            x[3] = z[0];
        }
        static CODE: UnrolledLu = UnrolledLu {
            pivots: &[(3, 3), (1, 1), (2, 2), (4, 4), (0, 0), (5, 5)],
            lengths: [18, 9, 9],
            real: Code { factorize, solve },
            complex: Code { factorize, solve },
        };
        Some(&CODE)
    }

    fn prolongation(&self) -> &dyn ::dae::__private::Prolongation {
        &self.prolongation
    }
}

/// The index1 form of [`Pendulum`]. Constraints differentiated until the index is 1; lower constraints are invariants that drift.
///
/// * equation 1: 0 = der(x) - u
/// * equation 2: 0 = der(y) - v
/// * equation 3: 0 = der(u) + x·lambda
/// * equation 4: 0 = der(v) + y·lambda + g
/// * der(equation 5, 2): 0 = 2·u² + 2·v² - 2·x²·lambda + 2·y·(-y·lambda - g)
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
pub struct PendulumIndex1 {
    prolongation: PendulumProlongation,
}

#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
impl ::dae::__private::Classified for PendulumIndex1 {
    type Class = ::dae::__private::Index<1>;

    fn as_dae(&self) -> &dyn ::dae::__private::Dae {
        self
    }
}

#[allow(non_snake_case, non_camel_case_types, dead_code, unused_variables, unused_doc_comments)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]
impl ::dae::__private::Dae for PendulumIndex1 {
    fn description(&self) -> &::dae::__private::Description {
        use ::dae::__private::*;
        static UNKNOWNS: [Unknown; 5] = [
            unknown("x", Role::Jet(0), Kind::Differential, 1, 1.0),
            unknown("y", Role::Jet(3), Kind::Differential, 1, 1.0),
            unknown("u", Role::Jet(6), Kind::Differential, 1, 1.0),
            unknown("v", Role::Jet(8), Kind::Differential, 1, 1.0),
            unknown("lambda", Role::Jet(10), Kind::Algebraic, 1, 1.0),
        ];
        static EQUATIONS: [Equation; 5] = [
            equation("equation 1", Some(1)),
            equation("equation 2", Some(2)),
            equation("equation 3", Some(6)),
            equation("equation 4", Some(7)),
            equation("der(equation 5, 2)", Some(8)),
        ];
        static PARAMETERS: [Name; 2] = [
            Borrowed("g"),
            Borrowed("l"),
        ];
        static INVARIANTS: [Invariant; 3] = [
            enforced("der(equation 5, 2)", 4, Some(8)),
            implied("equation 5", Some(0)),
            implied("der(equation 5)", Some(3)),
        ];
        static SWITCHES: [Switch; 0] = [];
        static DESCRIPTION: Description = Description {
            model: Borrowed("Pendulum"),
            form: Borrowed("index1"),
            unknowns: Borrowed(&UNKNOWNS),
            equations: Borrowed(&EQUATIONS),
            parameters: Borrowed(&PARAMETERS),
            invariants: Borrowed(&INVARIANTS),
            switches: Borrowed(&SWITCHES),
            eliminated: Borrowed(&[]),
            hamiltonian: Err(Borrowed("only the form underlying is solved for the derivatives")),
            leading: Leading::Constant,
            is_affine: true,
            leading_rank: 4,
            jacobian_y: pattern(5, &[0, 1, 2, 4, 6, 11], &[2, 3, 0, 4, 1, 4, 0, 1, 2, 3, 4]),
            jacobian_yp: pattern(5, &[0, 1, 2, 3, 4, 4], &[0, 1, 2, 3]),
            jacobian_p: pattern(2, &[0, 0, 0, 0, 1, 2], &[0, 0]),
            invariants_jacobian: pattern(5, &[0, 5, 7, 11], &[0, 1, 2, 3, 4, 0, 1, 0, 1, 2, 3]),
            switches_jacobian_p: pattern(2, &[0], &[]),
        };
        &DESCRIPTION
    }

    fn parameters(&self) -> &[f64] {
        &self.prolongation.parameters
    }

    fn set_parameters(&mut self, values: &[f64]) {
        self.prolongation.parameters.copy_from_slice(values);
    }

    /// F(t, y, y'), which is zero on solutions; y is `state`, y' is `rate`.
    fn residual(&self, time: f64, state: &[f64], rate: &[f64], residual: &mut [f64]) {
        let &[x, y, u, v, lambda] = state else { return };
        let &[der_x, der_y, der_u, der_v, _] = rate else { return };
        let [g, _] = self.prolongation.parameters;
        let s1 = y * lambda;
        /// equation 1: 0 = der(x) - u
        let equation_1 = -u + der_x;
        /// equation 2: 0 = der(y) - v
        let equation_2 = -v + der_y;
        /// equation 3: 0 = der(u) + x·lambda
        let equation_3 = der_u + x * lambda;
        /// equation 4: 0 = der(v) + y·lambda + g
        let equation_4 = der_v + s1 + g;
        /// der(equation 5, 2): 0 = 2·u² + 2·v² - 2·x²·lambda + 2·y·(-y·lambda - g)
        let der2_equation_5 = 2.0 * (u * u) + 2.0 * (v * v) - 2.0 * (x * x * lambda) + 2.0 * (y * (-s1 - g));
        residual.copy_from_slice(&[equation_1, equation_2, equation_3, equation_4, der2_equation_5]);
    }

    /// ∂F/∂y, row by row where it is not zero:
    /// * equation 1 by u
    /// * equation 2 by v
    /// * equation 3 by x, lambda
    /// * equation 4 by y, lambda
    /// * der(equation 5, 2) by x, y, u, v, lambda
    fn jacobian_y(&self, time: f64, state: &[f64], rate: &[f64], values: &mut [f64]) {
        let &[x, y, u, v, lambda] = state else { return };
        let [g, _] = self.prolongation.parameters;
        values.copy_from_slice(&[
            -1.0,
            -1.0,
            lambda, x,
            lambda, y,
            -4.0 * (x * lambda), -4.0 * (y * lambda) - 2.0 * g, 4.0 * u, 4.0 * v,
            -2.0 * (x * x) - 2.0 * (y * y),
        ]);
    }

    /// ∂F/∂y', row by row where it is not zero:
    /// * equation 1 by der(x)
    /// * equation 2 by der(y)
    /// * equation 3 by der(u)
    /// * equation 4 by der(v)
    fn jacobian_yp(&self, time: f64, state: &[f64], rate: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[
            1.0,
            1.0,
            1.0,
            1.0,
        ]);
    }

    /// ∂F/∂p, by the parameters, row by row where it is not zero:
    /// * equation 4 by g
    /// * der(equation 5, 2) by g
    fn jacobian_p(&self, time: f64, state: &[f64], rate: &[f64], values: &mut [f64]) {
        let &[_, y, _, _, _] = state else { return };
        values.copy_from_slice(&[
            1.0,
            -2.0 * y,
        ]);
    }

    /// ∂F/∂t, with y and y' held.
    fn jacobian_t(&self, time: f64, state: &[f64], rate: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    /// φ(t, y), which is zero on solutions: the constraints, stated and hidden.
    fn invariants(&self, time: f64, state: &[f64], values: &mut [f64]) {
        let &[x, y, u, v, lambda] = state else { return };
        let [g, l] = self.prolongation.parameters;
        /// der(equation 5, 2): 0 = 2·u² + 2·v² - 2·x²·lambda + 2·y·(-y·lambda - g)
        let der2_equation_5 =
            2.0 * (u * u) + 2.0 * (v * v) - 2.0 * (x * x * lambda) + 2.0 * (y * (-(y * lambda) - g));
        /// equation 5: 0 = x² + y² - l²
        let equation_5 = x * x + y * y - l * l;
        /// der(equation 5): 0 = 2·x·u + 2·y·v
        let der_equation_5 = 2.0 * (x * u) + 2.0 * (y * v);
        values.copy_from_slice(&[der2_equation_5, equation_5, der_equation_5]);
    }

    /// ∂φ/∂y, row by row where it is not zero:
    /// * der(equation 5, 2) by x, y, u, v, lambda
    /// * equation 5 by x, y
    /// * der(equation 5) by x, y, u, v
    fn invariants_jacobian(&self, time: f64, state: &[f64], values: &mut [f64]) {
        let &[x, y, u, v, lambda] = state else { return };
        let [g, _] = self.prolongation.parameters;
        let twice_y = 2.0 * y;
        let twice_x = 2.0 * x;
        values.copy_from_slice(&[
            -4.0 * (x * lambda), -4.0 * (y * lambda) - 2.0 * g, 4.0 * u, 4.0 * v,
            -2.0 * (x * x) - 2.0 * (y * y),
            twice_x, twice_y,
            2.0 * u, 2.0 * v, twice_x, twice_y,
        ]);
    }

    /// Elimination of the iteration matrix α ∂F/∂y' + β ∂F/∂y without loops, for pivots that were chosen around the start:
    /// equation 1 for x, equation 3 for u, der(equation 5, 2) for lambda, equation 2 for y, equation 4 for v.
    fn unrolled_lu(&self) -> Option<&::dae::__private::UnrolledLu> {
        use ::dae::__private::{Code, UnrolledLu, Scalar};
        /// From the entries `a` of a matrix, row by row: L, U and the inverses `d` of the pivots.
        fn factorize<S: Scalar>(a: &[S], l: &mut [S], u: &mut [S], d: &mut [S]) {
            let Some(a) = a.first_chunk::<15>() else { return };
            let Some(l) = l.first_chunk_mut::<5>() else { return };
            let Some(u) = u.first_chunk_mut::<5>() else { return };
            let Some(d) = d.first_chunk_mut::<5>() else { return };
            u[0] = a[1];
            d[0] = a[0].recip();
            l[0] = a[4] * d[0];
            u[1] = a[6];
            d[1] = (a[5] - l[0] * u[0]).recip();
            l[1] = a[10] * d[0];
            l[2] = (a[12] - l[1] * u[0]) * d[1];
            u[2] = a[11];
            u[3] = a[13];
            d[2] = (a[14] - l[2] * u[1]).recip();
            u[4] = a[3];
            d[3] = a[2].recip();
            l[3] = a[9] * d[2];
            l[4] = (a[7] - l[3] * u[2]) * d[3];
            d[4] = (a[8] - l[3] * u[3] - l[4] * u[4]).recip();
        }
        /// Replaces the right-hand side `x` by the solution.
        fn solve<S: Scalar>(l: &[S], u: &[S], d: &[S], x: &mut [S]) {
            let Some(l) = l.first_chunk::<5>() else { return };
            let Some(u) = u.first_chunk::<5>() else { return };
            let Some(d) = d.first_chunk::<5>() else { return };
            let Some(x) = x.first_chunk_mut::<5>() else { return };
            let z = &mut [S::ZERO; 5];
            z[0] = x[0];
            z[1] = x[2] - l[0] * z[0];
            z[2] = x[4] - l[1] * z[0] - l[2] * z[1];
            z[3] = x[1];
            z[4] = x[3] - l[3] * z[2] - l[4] * z[3];
            z[4] = z[4] * d[4];
            x[3] = z[4];
            z[3] = (z[3] - u[4] * z[4]) * d[3];
            x[1] = z[3];
            z[2] = (z[2] - u[3] * z[4] - u[2] * z[3]) * d[2];
            x[4] = z[2];
            z[1] = (z[1] - u[1] * z[2]) * d[1];
            x[2] = z[1];
            z[0] = (z[0] - u[0] * z[1]) * d[0];
            x[0] = z[0];
        }
        static CODE: UnrolledLu = UnrolledLu {
            pivots: &[(0, 0), (2, 2), (4, 4), (1, 1), (3, 3)],
            lengths: [15, 5, 5],
            real: Code { factorize, solve },
            complex: Code { factorize, solve },
        };
        Some(&CODE)
    }

    fn prolongation(&self) -> &dyn ::dae::__private::Prolongation {
        &self.prolongation
    }
}

//! Hand-written test problems behind the contract [`Dae`], with Jacobians by dual numbers on dense patterns.
//!
//! In: a [`Model`], the residual and the invariants written once for any [`Scalar`]. Out: a [`Problem`], which fulfils
//! the contract, with start values. Evaluations use stack storage only, so that tests can show that steps do not
//! allocate.

#![allow(dead_code, reason = "each test binary uses some of the problems")]
#![allow(missing_debug_implementations, reason = "models of tests")]
#![allow(unreachable_pub, reason = "shared between test binaries")]

pub mod dual;
pub mod manufactured;
pub mod natural_order;
pub mod pendulum;
pub mod random;
pub mod spherical_pendulum;
pub mod steering_wheel;
pub mod stiff;
pub mod transistor_amplifier;

use std::borrow::Cow;
use std::cell::Cell;

use dae_runtime::class::{Classified, Open};
use dae_runtime::contract::UnrolledLu;
use dae_runtime::contract::{
    Dae, Description, Equation, HamiltonianStructure, Invariant, Jet, Kind, Leading, Name, Pattern, Prolongation,
    ProlongationDescription, Role, Start, Unknown,
};
pub use dual::{Dual, Scalar};

/// The largest number of unknowns, and of invariants, of a test problem.
const MAX: usize = 16;

/// The functions of a test problem.
pub trait Model {
    /// $F(t, y, y')$.
    fn residual<S: Scalar>(&self, t: S, y: &[S], yp: &[S], out: &mut [S]);

    /// $\varphi(t, y)$.
    fn invariants<S: Scalar>(&self, _t: S, _y: &[S], _out: &mut [S]) {}
}

/// The functions whose evaluations are counted and may be disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// $F$.
    Residual,
    /// $F_y$.
    Jacobian,
}

/// Changes the values of a function. The `usize` is the number of its earlier evaluations, the `f64` the time.
pub type Disturbance = fn(Function, usize, f64, &mut [f64]);

/// A test problem with everything the contract asks for.
pub struct Problem<M> {
    model: M,
    /// A fault of the model; `None` if it has none.
    pub disturbance: Option<Disturbance>,
    /// The numbers of evaluations of $F$ and of $F_y$.
    pub evaluations: [Cell<usize>; 2],
    description: Description,
    prolongation: Explicit,
    /// Unrolled elimination, as generated code supplies it; `None` if there is none.
    pub code: Option<UnrolledLu>,
    /// Start time.
    pub t0: f64,
    /// Consistent start values.
    pub y0: Vec<f64>,
    /// Derivatives at the start.
    pub yp0: Vec<f64>,
}

impl<M: Model> Problem<M> {
    /// A problem from `(name, kind, index)` of its unknowns, `(name, enforcing row)` of its invariants, and the kind
    /// and rank of its leading matrix.
    pub fn new(
        name: &'static str,
        model: M,
        unknowns: &[(&'static str, Kind, u8)],
        invariants: &[(&'static str, Option<usize>)],
        leading: (Leading, usize),
        (t0, y0, yp0): (f64, &[f64], &[f64]),
    ) -> Self {
        let n = unknowns.len();
        assert!(n <= MAX && y0.len() == n && yp0.len() == n);
        let description = Description {
            model: Name::from(name),
            form: Name::from("original"),
            unknowns: unknowns
                .iter()
                .enumerate()
                .map(|(k, &(name, kind, index))| Unknown {
                    name: Name::from(name),
                    role: Role::Jet(2 * k),
                    kind,
                    index,
                    nominal: 1.0,
                    is_discrete: false,
                })
                .collect(),
            equations: (1..=n)
                .map(|i| Equation { name: Name::from(format!("equation {i}")), prolonged: None })
                .collect(),
            parameters: Cow::Borrowed(&[]),
            invariants: invariants
                .iter()
                .map(|&(name, row)| Invariant { name: Name::from(name), row, prolonged: None })
                .collect(),
            switches: Cow::Borrowed(&[]),
            eliminated: Cow::Borrowed(&[]),
            hamiltonian: Err(Name::from("the problem does not say")),
            leading: leading.0,
            is_affine: false,
            leading_rank: leading.1,
            jacobian_y: dense(n, n),
            jacobian_yp: dense(n, n),
            jacobian_p: dense(n, 0),
            invariants_jacobian: dense(invariants.len(), n),
            switches_jacobian_p: dense(0, 0),
        };
        let prolongation = Explicit::new(&description, y0, yp0);
        let (disturbance, evaluations) = (None, Default::default());
        Problem {
            model,
            disturbance,
            evaluations,
            description,
            prolongation,
            code: None,
            t0,
            y0: y0.to_vec(),
            yp0: yp0.to_vec(),
        }
    }

    /// The problem with the given nominal values of its unknowns.
    pub fn with_nominal(mut self, nominal: &[f64]) -> Self {
        let unknowns = self.description.unknowns.to_mut();
        unknowns.iter_mut().zip(nominal).for_each(|(unknown, nominal)| unknown.nominal = *nominal);
        self
    }

    /// The problem as a Hamiltonian system with this structure.
    pub fn with_structure(mut self, structure: HamiltonianStructure) -> Self {
        self.description.hamiltonian = Ok(structure);
        self
    }

    /// Disturbs an evaluation and counts it.
    fn note(&self, function: Function, t: f64, values: &mut [f64]) {
        let count = &self.evaluations[function as usize];
        if let Some(disturb) = self.disturbance {
            disturb(function, count.get(), t, values);
        }
        count.set(count.get() + 1);
    }

    /// Row-major derivatives of `rows` functions with respect to `columns` variables; `f` evaluates the functions with
    /// the given variable seeded.
    fn differentiate(rows: usize, columns: usize, values: &mut [f64], f: impl Fn(usize, &mut [Dual])) {
        let mut out = [Dual::constant(0.0); MAX];
        for column in 0..columns {
            f(column, &mut out[..rows]);
            for row in 0..rows {
                values[row * columns + column] = out[row].derivative;
            }
        }
    }
}

/// The pattern with all entries.
fn dense(rows: usize, columns: usize) -> Pattern {
    Pattern {
        columns,
        row_starts: (0..=rows).map(|i| i * columns).collect(),
        column_indices: (0..rows).flat_map(|_| 0..columns).collect(),
    }
}

/// `x` as dual numbers, with derivative one in entry `seed` and zero elsewhere.
fn lift(x: &[f64], seed: Option<usize>) -> [Dual; MAX] {
    let mut lifted = [Dual::constant(0.0); MAX];
    for (i, &value) in x.iter().enumerate() {
        lifted[i] = Dual { value, derivative: if seed == Some(i) { 1.0 } else { 0.0 } };
    }
    lifted
}

impl<M: Model> Classified for Problem<M> {
    type Class = Open;

    fn as_dae(&self) -> &dyn Dae {
        self
    }
}

/// A problem behind a reference, for formulations that are completed at run time; it has no parameters to set.
impl<M: Model> Dae for &Problem<M> {
    fn description(&self) -> &Description {
        (**self).description()
    }

    fn parameters(&self) -> &[f64] {
        &[]
    }

    fn set_parameters(&mut self, _values: &[f64]) {}

    fn residual(&self, t: f64, y: &[f64], yp: &[f64], residual: &mut [f64]) {
        (**self).residual(t, y, yp, residual);
    }

    fn jacobian_y(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        (**self).jacobian_y(t, y, yp, values);
    }

    fn jacobian_yp(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        (**self).jacobian_yp(t, y, yp, values);
    }

    fn jacobian_t(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        (**self).jacobian_t(t, y, yp, values);
    }

    fn jacobian_p(&self, _t: f64, _y: &[f64], _yp: &[f64], _values: &mut [f64]) {}

    fn invariants(&self, t: f64, y: &[f64], values: &mut [f64]) {
        (**self).invariants(t, y, values);
    }

    fn invariants_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]) {
        (**self).invariants_jacobian(t, y, values);
    }

    fn prolongation(&self) -> &dyn Prolongation {
        &self.prolongation
    }
}

impl<M: Model> Dae for Problem<M> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn parameters(&self) -> &[f64] {
        &[]
    }

    fn set_parameters(&mut self, _values: &[f64]) {}

    fn unrolled_lu(&self) -> Option<&UnrolledLu> {
        self.code.as_ref()
    }

    fn residual(&self, t: f64, y: &[f64], yp: &[f64], residual: &mut [f64]) {
        self.model.residual(t, y, yp, residual);
        self.note(Function::Residual, t, residual);
    }

    fn jacobian_y(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let n = y.len();
        let (at, yp) = (Dual::constant(t), lift(yp, None));
        Self::differentiate(n, n, values, |j, out| self.model.residual(at, &lift(y, Some(j))[..n], &yp[..n], out));
        self.note(Function::Jacobian, t, values);
    }

    fn jacobian_yp(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let n = y.len();
        let (t, y) = (Dual::constant(t), lift(y, None));
        Self::differentiate(n, n, values, |j, out| self.model.residual(t, &y[..n], &lift(yp, Some(j))[..n], out));
    }

    fn jacobian_t(&self, t: f64, y: &[f64], yp: &[f64], values: &mut [f64]) {
        let n = y.len();
        let t = Dual { value: t, derivative: 1.0 };
        let (y, yp) = (lift(y, None), lift(yp, None));
        Self::differentiate(n, 1, values, |_, out| self.model.residual(t, &y[..n], &yp[..n], out));
    }

    fn jacobian_p(&self, _t: f64, _y: &[f64], _yp: &[f64], _values: &mut [f64]) {}

    fn invariants(&self, t: f64, y: &[f64], values: &mut [f64]) {
        self.model.invariants(t, y, values);
    }

    fn invariants_jacobian(&self, t: f64, y: &[f64], values: &mut [f64]) {
        let (rows, n) = (self.description.invariants.len(), y.len());
        let t = Dual::constant(t);
        Self::differentiate(rows, n, values, |j, out| self.model.invariants(t, &lift(y, Some(j))[..n], out));
    }

    fn prolongation(&self) -> &dyn Prolongation {
        &self.prolongation
    }
}

/// A prolongation without equations: the jets are the start values of $y$ and $y'$, all fixed.
struct Explicit {
    description: ProlongationDescription,
    start: Vec<f64>,
}

impl Explicit {
    fn new(description: &Description, y0: &[f64], yp0: &[f64]) -> Self {
        let jet = |name: Name, order: u32| Jet { name, order, stage: 0, start: Start::Fixed, nominal: 1.0 };
        let names = description.unknowns.iter().map(|unknown| &unknown.name);
        let jets = names.flat_map(|name| [jet(name.clone(), 0), jet(Name::from(format!("der({name})")), 1)]);
        Explicit {
            description: ProlongationDescription {
                model: description.model.clone(),
                jets: jets.collect(),
                equations: Cow::Borrowed(&[]),
                jacobian: dense(0, 2 * y0.len()),
                jacobian_p: dense(0, 0),
                start_jacobian_p: dense(2 * y0.len(), 0),
            },
            start: y0.iter().zip(yp0).flat_map(|(&y, &yp)| [y, yp]).collect(),
        }
    }
}

impl Prolongation for Explicit {
    fn prolongation_description(&self) -> &ProlongationDescription {
        &self.description
    }

    fn start_values(&self, _t: f64, jets: &mut [f64]) {
        jets.copy_from_slice(&self.start);
    }

    fn prolonged_residual(&self, _t: f64, _jets: &[f64], _residual: &mut [f64]) {}

    fn prolonged_jacobian(&self, _t: f64, _jets: &[f64], _values: &mut [f64]) {}
}

/// Digits of agreement, $-\log_{10} \max_i |v_i - r_i| / (1 + |r_i|)$, the measure of the Bari/CWI test set for equal
/// absolute and relative tolerances.
pub fn mixed_digits(values: &[f64], reference: &[f64]) -> f64 {
    assert_eq!(values.len(), reference.len());
    let worst = values.iter().zip(reference).map(|(v, r)| (v - r).abs() / (1.0 + r.abs()));
    -worst.fold(f64::MIN_POSITIVE, |worst, e| if e > worst || e.is_nan() { e } else { worst }).log10()
}

//! Which formulation to take: the conclusions of Ascher & Petzold (1993), sect. 5, applied to numbers at the start of a
//! model.
//!
//! In: a model with its analysis. Out: a [`Recommendation`]: a form that the model has, the reason in a sentence, and
//! the numbers that support it.
//!
//! | what | measured by | conclusion |
//! |---|---|---|
//! | nothing is differentiated | offsets | `index1`: the equations as they are |
//! | the system Jacobian is singular, but the index is at most 1 | certificate | `original` |
//! | the system Jacobian is singular, and the index higher or unknown | certificate | `derivative_array`, of any index; `original` if there is none |
//! | the directions of the constraints turn fast | rotation of the row space of $C$, against the speed of the solution | `pa`: projected invariants, conclusion 5 |
//! | multipliers act almost along the constraints | $\lVert B(CB)^{-1} \rVert$ against $\lVert C^+ \rVert$ | `pa`, conclusion 5 |
//! | the frozen part is stiff | eigenvalues of the underlying equation on the constraints | `ggl`: stabilised index 2, conclusion 4 |
//! | none of these | | `ggl`; conclusion 3: many forms serve |

mod conditioning;
mod flow;
mod local;

pub use conditioning::Conditioning;

use nalgebra::{DMatrix, Schur};
use num_complex::Complex;

use crate::form::Form;
use crate::formulation::{CompiledForm, Materials};
use crate::index::Verdict;
use crate::index_concepts::is_linear;
use crate::model::Model;
use flow::Flow;
use local::{Local, is_finite, norm};

/// A quantity counts as fast, or large, if it exceeds another one by this factor.
const MUCH: f64 = 100.0;

/// Eigenvalues below this fraction of the largest count as zero.
const NOTICEABLE: f64 = 1e-6;

/// The largest number of iterations for eigenvalues.
const MAX_SWEEPS: usize = 10_000;

/// Models with more than this many unknowns are not measured: the work for eigenvalues grows with the third power.
const MAX_UNKNOWNS: usize = 200;

/// A solution that moves at less than this fraction of the slowest rate is at rest, up to rounding.
const AT_REST: f64 = 1e-9;

/// Which form to use, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// The form.
    pub form: Form,
    /// The reason in a sentence.
    pub reason: String,
    /// The source of the recommendation.
    pub reference: &'static str,
    /// The numbers that it rests on, where constraints are hidden and the start is known.
    pub measures: Option<Measures>,
    /// The conditioning constants, if the model is a linear problem for which they exist.
    pub conditioning: Option<Conditioning>,
    /// Other methods, with their forms, and for what they are better.
    pub others: Vec<Other>,
}

/// A method that is better for some purpose than an implicit one on the recommended form.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Other {
    /// The method, as on the command line.
    pub method: &'static str,
    /// The form that it integrates.
    pub form: String,
    /// For what it is better.
    pub purpose: &'static str,
    /// The source.
    pub reference: &'static str,
}

/// Numbers at the start; rates are per unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Measures {
    /// The rate at which the solution changes: the largest $|y_j'| / (|y_j| + \text{nominal})$.
    pub speed: f64,
    /// The fastest decay of the frozen part: the largest $-\operatorname{Re}\lambda$ of the underlying equation on the
    /// constraints, or zero.
    pub decay: f64,
    /// The smallest $|\lambda|$ that is not zero, or zero.
    pub slowest: f64,
    /// The rate at which the directions of the constraints turn along the solution, in radians.
    pub rotation: f64,
    /// $\lVert B(CB)^{-1} \rVert / \lVert C^+ \rVert$: one where multipliers act along the gradients of the
    /// constraints, large where they act almost tangentially to the constraints. `None` where there is no such $B$.
    pub obliqueness: Option<f64>,
}

impl Measures {
    /// The rate with which others are compared, and whose it is: at rest, the slowest rate takes the place of the speed.
    fn rate(&self) -> (f64, &'static str) {
        match self.speed > AT_REST * self.slowest {
            true => (self.speed, "the solution changes"),
            false => (self.slowest, "the model at rest would move"),
        }
    }
}

const CONCLUSIONS: &str = "Ascher and Petzold, SIAM J. Sci. Comput. 14 (1993), sect. 5";

/// Recommends a form of an analysed model; `made` are the forms that have been made from it so far.
pub(crate) fn recommend(model: &mut Model, materials: &Materials<'_>, made: &[CompiledForm]) -> Recommendation {
    let found = |form, reason: String, reference| Recommendation {
        form,
        reason,
        reference,
        measures: None,
        conditioning: None,
        others: Vec::new(),
    };
    if !materials.analysis.certificate.has_reduction() {
        return match materials.analysis.certificate.verdict() {
            Verdict::Exact(0 | 1) => found(
                Form::Original,
                "the text is of index 1 as it stands".into(),
                "Brenan, Campbell and Petzold, Numerical Solution of Initial-Value Problems in DAEs, sect. 3.2",
            ),
            _ => {
                let form = Form::DerivativeArray;
                let exists = made.iter().any(|it| it.form == form) || materials.compile(model, &form, made).is_ok();
                let unknown =
                    "the system Jacobian is singular, so that no equation is known to be the one to differentiate";
                let (form, rest) = match exists {
                    true => (form, "the derivative array needs to know none"),
                    false => (Form::Original, "and there is no derivative array, which would need to know none"),
                };
                found(form, format!("{unknown}; {rest}"), "Hairer and Wanner II, Sect. VII.2, eq. (2.30)")
            }
        };
    }
    let local = Local::of(model, &materials.derived).filter(|_| materials.derived.has_hidden_constraints());
    let Some(local) = local else {
        let reason = match materials.derived.eliminated.is_empty() {
            true => "no constraint is hidden: the equations are of index 1 or less as they stand",
            false => {
                "no constraint is hidden once unknowns that are equal to others or constant are eliminated, as all forms but `original` do"
            }
        };
        let underlying = underlying(model, materials);
        let others = underlying.iter().flat_map(|form| others(form, None)).collect();
        return Recommendation { others, ..found(Form::Index1, reason.into(), "Hairer and Wanner II, Sect. VI.1") };
    };
    let underlying = underlying(model, materials);
    let jets = materials.analysis.jets.as_ref();
    let flow = underlying.as_ref().zip(jets);
    let flow = flow.and_then(|(form, jets)| Flow::new(form, materials.prolonged, jets, materials.derived.t0));
    let (measures, conditioning) = match &flow {
        Some(flow) => {
            let interval = (materials.derived.t0, materials.derived.t0 + 1.0);
            let linear = is_linear(model);
            let constants = linear.then(|| conditioning::conditioning(model, &local, flow, interval)).flatten();
            (measures(model, materials, &local, flow), constants)
        }
        None => (None, None),
    };
    let (forms, reason) = decide(measures.as_ref());
    let mut exists =
        |form: &Form| made.iter().any(|it| it.form == *form) || materials.compile(model, form, made).is_ok();
    let form = forms.into_iter().find(|form| exists(form)).unwrap_or(Form::Index1);
    let others = underlying.iter().flat_map(|form| others(form, measures.as_ref())).collect();
    Recommendation { form, reason, reference: CONCLUSIONS, measures, conditioning, others }
}

/// The methods for the underlying equation that have an advantage; whether it is stiff is known from the measures only.
fn others(form: &CompiledForm, measures: Option<&Measures>) -> Vec<Other> {
    let other = |method, purpose, reference| Other { method, form: form.form.to_string(), purpose, reference };
    let mut list = Vec::new();
    let is_stiff = |it: &Measures| it.decay > MUCH * it.rate().0;
    if measures.is_some_and(|it| !is_stiff(it)) {
        list.push(other(
            "dop853",
            "tight tolerances: nothing is stiff at the start",
            "Hairer, Nørsett and Wanner I, sect. II.10",
        ));
    }
    if form.formulation.hamiltonian.is_ok() {
        list.push(other(
            "rattle",
            "long runs in steps of constant size: the model is a Hamiltonian system, and its energy does not drift",
            "Hairer, Lubich and Wanner, Geometric Numerical Integration, sect. IX.5",
        ));
    }
    list
}

/// The candidate forms, the best first, and the reason.
fn decide(measures: Option<&Measures>) -> (Vec<Form>, String) {
    let projected = || vec![Form::Pa, Form::Pc, Form::Ggl];
    let Some(it) = measures else {
        let reason = "stabilised index reduction serves wherever constraints vary as slowly as the solution (what they do here was not measured)";
        return (vec![Form::Ggl], reason.into());
    };
    let (rate, whose) = it.rate();
    if it.rotation > MUCH * rate {
        let reason = format!(
            "the directions of the constraints turn at a rate of {}, and {whose} at one of {}: stabilised index 2 would have to \
             follow them, projected invariants need not (pc, if velocity constraints must hold exactly)",
            short(it.rotation),
            short(rate)
        );
        return (projected(), reason);
    }
    if let Some(obliqueness) = it.obliqueness.filter(|&obliqueness| obliqueness > MUCH) {
        let reason = format!(
            "multipliers act almost along the constraints ({} times what their gradients would need, as with masses that are \
             very different): projected through the gradients the invariants are better conditioned (pc, if velocity constraints must hold exactly)",
            short(obliqueness)
        );
        return (projected(), reason);
    }
    if it.decay > MUCH * rate {
        let reason = format!(
            "the frozen part decays at a rate of {}, and {whose} at one of {}: stiff, so that stabilised index 2 with a stiff \
             method is best",
            short(it.decay),
            short(rate)
        );
        return (vec![Form::Ggl], reason);
    }
    let reason = "at the start constraints vary no faster than the solution and nothing is stiff, so that many formulations serve; this one enforces \
                  all constraints";
    (vec![Form::Ggl], reason.into())
}

/// The underlying equation, if the model has one and is not too large.
fn underlying(model: &mut Model, materials: &Materials<'_>) -> Option<CompiledForm> {
    if model.is_excerpt() || model.has_stand_ins() || model.unknowns.len() > MAX_UNKNOWNS {
        return None;
    }
    materials.compile(model, &Form::Underlying, &[]).ok()
}

fn measures(model: &mut Model, materials: &Materials<'_>, local: &Local, flow: &Flow) -> Option<Measures> {
    let (t0, start) = (materials.derived.t0, materials.derived.start);
    let (c, b) = local.values(model, 1, t0, start);
    c.iter().all(is_finite).then_some(())?;
    // Measured in units of the nominal values, so that the choice of units does not matter.
    let nominal: Vec<f64> = local.moving.iter().map(|&j| model.unknowns[j].nominal).collect();
    let scaled =
        |matrix: &DMatrix<f64>| DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i, j)] * nominal[j]);
    let (gradients, moved) = (scaled(&c[0]), scaled(&c[1]));
    (is_finite(&gradients) && is_finite(&moved)).then_some(())?;
    let inverse = gradients.clone().pseudo_inverse(1e-12 * norm(&gradients)).ok()?;
    // The part of the derivative that leaves the row space.
    let turned = &moved - &moved * &inverse * &gradients;
    let rotation = norm(&(&inverse * turned));
    let oblique = |b: &DMatrix<f64>| {
        let b = DMatrix::from_fn(b.nrows(), b.ncols(), |i, j| match gradients.column(i).amax() > 0.0 {
            true => b[(i, j)] / nominal[i],
            false => 0.0,
        });
        let right_inverse = &b * (&gradients * &b).try_inverse()?;
        let ratio = norm(&right_inverse) / norm(&inverse);
        ratio.is_finite().then_some(ratio)
    };
    let obliqueness = b.and_then(|b| oblique(&b[0]));
    let tangent = flow.tangent(t0)?;
    let eigenvalues = eigenvalues(tangent.transpose() * flow.jacobian(t0)? * &tangent)?;
    let largest = eigenvalues.iter().map(|value| value.norm()).fold(0.0, f64::max);
    // Smaller eigenvalues are rounding errors, in particular of multiple eigenvalues.
    let noticeable = |size: &f64| *size > NOTICEABLE * largest;
    let decay = eigenvalues.iter().map(|value| -value.re).filter(noticeable).fold(0.0, f64::max);
    let slow = eigenvalues.iter().map(|value| value.norm()).filter(noticeable);
    let slowest = slow.reduce(f64::min).unwrap_or(0.0);
    let found = Measures { speed: flow.speed(), decay, slowest, rotation, obliqueness };
    [found.speed, decay, slowest, rotation].iter().all(|x| x.is_finite()).then_some(found)
}

/// The eigenvalues of a matrix that may be empty; `None` if it is not finite, or the iteration does not converge.
fn eigenvalues(mut matrix: DMatrix<f64>) -> Option<Vec<Complex<f64>>> {
    if matrix.is_empty() {
        return Some(Vec::new());
    }
    is_finite(&matrix).then_some(())?;
    // Scaled, so that squares do not overflow.
    let size = matrix.amax();
    if size > 0.0 {
        matrix /= size;
    }
    let decomposition = Schur::try_new(matrix, f64::EPSILON, MAX_SWEEPS)?;
    Some(decomposition.complex_eigenvalues().iter().map(|value| value * size).collect())
}

/// A number with at least three significant digits.
pub(crate) fn short(x: f64) -> String {
    let digits = x.abs().log10().floor();
    match x {
        0.0 => "0".into(),
        _ if (-3.0..5.0).contains(&digits) => format!("{x:.*}", (2.0 - digits).max(0.0) as usize),
        _ => format!("{x:.2e}"),
    }
}

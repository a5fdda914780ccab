//! The perturbation index.
//!
//! In: a model whose system Jacobian $J$ is regular at its consistent point. Out: the perturbation index, Hairer &
//! Wanner II, Sect. VII.1, Definition 1.3, where one of the following determines it, and the reason in a sentence.
//!
//! * Index 0: the perturbed system is an ordinary differential equation.
//! * Linear, constant coefficients: the size of the largest nilpotent block, eqs. (1.6), (1.7).
//! * $J$ regular: the perturbed system $F = \delta$ has the same structure, and its equations differentiated $c_i$
//!   times give the $x_j^{(d_j)}$ as smooth functions of lower jets and of $\delta_i, \dots, \delta_i^{(c_i)}$. With
//!   $m$ the highest such order (counted in the equations of the text where they were combined), the index is at most
//!   $m + 1$, by Gronwall's lemma. The highest derivative enters linearly, with the factor $(J^{-1})_{ji}$; if
//!   $d_j = 0$ and that factor is not identically zero, then a perturbation with $\delta_i^{(m)}$ bounded and all lower
//!   derivatives arbitrarily small, around a point off the solution where the factor does not vanish, changes $x_j$ by
//!   more than any multiple of the lower derivatives: the index is $m + 1$. That covers the Hessenberg forms
//!   (1.13)–(1.15), and (1.32), where the factor vanishes on the solution but not off it, so that the differentiation
//!   index does not show it.
//! * Index 1, $E(u, t)\, u' = f(u, t)$: `involutive.rs` decides between 1 and 2. That covers (1.31).
//!
//! Defects are those of the equations of the text. For an unknown of order $p_j > 1$ the first-order form has defects
//! of $u_{jk}' = u_{j,k+1}$ too; they enter like $\delta^{(d_j - 1)}$, and do not matter if $d_j - 1 \le m$.

use super::first_order::{FirstOrder, Linearity};
use super::involutive::{Kernel, kernel_of_leading_matrix};
use super::weierstrass::Weierstrass;
use nalgebra::{DMatrix, DVector};

use crate::expr::prime_field::{FieldPoint, sparse_rank};
use crate::expr::{Expr, Symbol, evaluate};
use crate::index::{Analysis, LocalRegularity, Verdict};
use crate::model::{Model, derivative_name};
use crate::structure::Offsets;
use crate::system::{System, written_orders};

/// A factor of at most this fraction of the largest factor counts as zero.
const NOTHING: f64 = 1e-9;
/// The largest number of unknowns for which all defects are examined and the unknown that one of them enters is named.
const NAMED: usize = 60;

/// The perturbation index and the reason for it, or why it is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perturbation {
    /// The index; `None` if it is not known.
    pub index: Option<u32>,
    /// The reason in a sentence.
    pub reason: String,
}

pub(super) fn perturbation(
    model: &mut Model,
    form: &FirstOrder,
    weierstrass: Option<&Weierstrass>,
    analysis: &Analysis,
    t0: f64,
) -> Perturbation {
    let answer = |index, reason: String| Perturbation { index: Some(index), reason };
    let unknown = |reason: &str| Perturbation { index: None, reason: format!("not known: {reason}") };
    let certificate = &analysis.certificate;
    let index = match certificate.verdict() {
        Verdict::Exact(index) => Some(index),
        Verdict::AtMost { .. } | Verdict::NotCertified { .. } => None,
    };
    if let (Linearity::Constant, Some(weierstrass)) = (form.linearity, weierstrass) {
        let blocks = "linear with constant coefficients: the size of the largest nilpotent block".into();
        return answer(weierstrass.index(), blocks);
    }
    if index == Some(0) {
        return answer(0, "an ordinary differential equation".into());
    }
    if !certificate.is_regular() {
        return unknown(match &certificate.local {
            LocalRegularity::Singular { .. } => {
                "where the system Jacobian is singular, nothing bounds what derivatives of perturbations do"
            }
            _ if !analysis.is_generically_regular() => {
                "the system Jacobian is identically singular, and does not show what derivatives of perturbations do"
            }
            _ => "the system Jacobian is not known to be regular at a consistent point",
        });
    }
    let defects = Defects::of(model, &analysis.system, &analysis.structure.offsets);
    if let Some(found) = defects.attained(model, &analysis.system, &analysis.structure.offsets) {
        let vanishes = defects.vanishes(model, analysis, &found, t0);
        let form = analysis.hessenberg.filter(|&size| u32::from(size) == defects.order + 1);
        return answer(defects.order + 1, defects.reason(model, &found, vanishes, form));
    }
    if index != Some(1) {
        return unknown("the highest derivatives of perturbations do not reach an algebraic unknown by themselves");
    }
    let kernel = analysis
        .jets
        .as_deref()
        .and_then(|jets| kernel_of_leading_matrix(model, &analysis.system, &analysis.prolonged, jets, t0));
    let Some(kernel) = kernel else {
        return unknown("the null space of the leading matrix could not be examined");
    };
    match kernel {
        Kernel::Involutive => answer(
            1,
            "perturbations of the constraints can be integrated: the null space of the leading matrix belongs to surfaces"
                .into(),
        ),
        Kernel::NotInvolutive { equation } if defects.order == 1 => answer(
            2,
            format!(
                "{} is driven by products of perturbations of the constraints with derivatives of others, which no change of \
                 variables integrates (the null space of the leading matrix is not involutive); the differentiation index \
                 asks only what is determined",
                analysis.system.equations[equation].provenance.name()
            ),
        ),
        Kernel::NotInvolutive { .. } => unknown("the null space of the leading matrix is not involutive"),
    }
}

/// The way in which derivatives of defects enter the highest derivatives.
struct Defects {
    /// $m$.
    order: u32,
    /// By equation of the text: the equations of the system that the $m$-th derivative of its defect enters, with the
    /// coefficients.
    columns: Vec<(usize, Vec<(usize, Expr)>)>,
}

/// Where the highest derivative of a defect enters.
struct Entry {
    equation: usize,
    /// The unknown; `None` in large systems.
    unknown: Option<usize>,
}

impl Defects {
    fn of(model: &Model, system: &System, offsets: &Offsets) -> Defects {
        let terms = || {
            let rows = system.equations.iter().zip(&offsets.equations).enumerate();
            rows.flat_map(|(i, (e, &c))| e.provenance.terms.iter().map(move |&(q, k, r)| (i, k, c + r, q)))
        };
        let order = terms().map(|(_, _, order, _)| order).max().unwrap_or(0);
        let mut columns = vec![Vec::new(); model.equations.len()];
        for (i, k, _, q) in terms().filter(|&(_, _, o, _)| o == order) {
            columns[k].push((i, q));
        }
        let columns = columns.into_iter().enumerate().filter(|(_, column)| !column.is_empty()).collect();
        Defects { order, columns }
    }

    /// A defect whose $m$-th derivative enters an unknown with $d_j = 0$; `None` if none is found.
    fn attained(&self, model: &mut Model, system: &System, offsets: &Offsets) -> Option<Entry> {
        let chained =
            written_orders(model).into_iter().zip(&offsets.unknowns).any(|(p, &d)| p > 1 && d > self.order + 1);
        if chained {
            return None;
        }
        let entries = system.jacobian(&mut model.dag, offsets);
        let factors = self.columns.iter().flat_map(|(_, column)| column.iter().map(|&(_, q)| q));
        let values: Vec<Expr> = entries.iter().map(|&(.., value)| value).chain(factors).collect();
        let values = model.expand_inputs(&values);
        let values = model.with_default_parameters(&values);
        let start = crate::defaults::start_point(model);
        let mut values = FieldPoint::new(0).with_start(start).evaluate(&model.dag, &values).ok()?.values.into_iter();
        let mut columns: Vec<Vec<(usize, u64)>> = vec![Vec::new(); offsets.unknowns.len()];
        for (&(i, j, _), value) in entries.iter().zip(values.by_ref()) {
            columns[j].push((i, value));
        }
        let defects: Vec<(usize, Vec<(usize, u64)>)> = self
            .columns
            .iter()
            .map(|(k, column)| (*k, column.iter().map(|&(i, _)| i).zip(values.by_ref()).collect()))
            .collect();
        let algebraic: Vec<usize> = (0..columns.len()).filter(|&j| offsets.unknowns[j] == 0).collect();
        // The solution of J x = v has a nonzero component in a column left out if and only if v raises the rank of the
        // rest.
        let reaches = |left_out: &[usize], v: &Vec<(usize, u64)>| {
            let mut rest: Vec<_> =
                columns.iter().enumerate().filter(|(j, _)| !left_out.contains(j)).map(|(_, c)| c.clone()).collect();
            let before = sparse_rank(&rest);
            rest.push(v.clone());
            sparse_rank(&rest) > before
        };
        let (equation, v) = match columns.len() <= NAMED {
            true => defects.iter().find(|(_, v)| reaches(&algebraic, v))?,
            false => defects.first().filter(|(_, v)| reaches(&algebraic, v))?,
        };
        let unknown = algebraic.iter().copied().find(|&j| columns.len() <= NAMED && reaches(&[j], v));
        Some(Entry { equation: *equation, unknown })
    }

    /// Whether the factor with which the derivative of the defect enters is zero at the consistent point.
    fn vanishes(&self, model: &mut Model, analysis: &Analysis, entry: &Entry, t0: f64) -> bool {
        let (Some(j), Some(jets)) = (entry.unknown, &analysis.jets) else { return false };
        let (system, prolonged) = (&analysis.system, &analysis.prolonged);
        let entries = system.jacobian(&mut model.dag, &analysis.structure.offsets);
        let Some((_, column)) = self.columns.iter().find(|(k, _)| *k == entry.equation) else { return false };
        let factors = column.iter().map(|&(_, q)| q);
        let values: Vec<Expr> = entries.iter().map(|&(.., value)| value).chain(factors).collect();
        let values = model.expand_inputs(&values);
        let values = evaluate(&model.dag, &values, |symbol| match symbol {
            Symbol::Time => t0,
            Symbol::Parameter(p) => prolonged.parameters[p.index()],
            Symbol::Unknown { unknown, order } => prolonged.jet(unknown.index(), order).map_or(f64::NAN, |k| jets[k]),
            Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_) => f64::NAN,
        });
        let n = system.unknowns;
        let (mut jacobian, mut right) = (DMatrix::zeros(n, n), DVector::zeros(n));
        entries.iter().zip(&values).for_each(|(&(i, k, _), &value)| jacobian[(i, k)] = value);
        column.iter().zip(&values[entries.len()..]).for_each(|(&(i, _), &value)| right[i] += value);
        jacobian.full_piv_lu().solve(&right).is_some_and(|x| x[j].abs() <= NOTHING * x.amax())
    }

    fn reason(&self, model: &Model, entry: &Entry, vanishes: bool, hessenberg: Option<u8>) -> String {
        if let Some(size) = hessenberg {
            return format!("a Hessenberg form of size {size}");
        }
        let what = entry.unknown.map_or("an unknown".into(), |j| format!("`{}`", model.unknowns[j].name));
        let defect = derivative_name("δ", self.order);
        let enters =
            format!("with a perturbation δ of {}, {what} depends on {defect}", model.equation_name(entry.equation));
        match vanishes {
            true => format!(
                "{enters}, by a factor that vanishes on the solution, so that the differentiation index does not see it, and \
                 not beside it"
            ),
            false => enters,
        }
    }
}

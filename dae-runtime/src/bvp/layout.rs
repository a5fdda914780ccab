//! Where unknowns and rows of a formulation stand in a boundary value problem.
//!
//! In: the description of a formulation. Out: which unknowns are differential and which algebraic, which rows contain
//! derivatives; or why the formulation does not suit.

use crate::contract::{Dae, Kind};

use super::error::BvpError;

/// Places of unknowns and rows.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Differential unknowns.
    pub(super) differential: Vec<usize>,
    /// The entry of the jet vector that each of them is.
    pub(super) jets: Vec<usize>,
    /// Algebraic unknowns of index 1, then those of index 2.
    pub(super) algebraic: Vec<usize>,
    /// How many of the algebraic unknowns have index 1.
    pub(super) of_index_1: usize,
    /// Rows with derivatives, as many as differential unknowns if there are unknowns of index 2, and without.
    pub(super) dynamic_rows: Vec<usize>,
    pub(super) constraint_rows: Vec<usize>,
    /// Whether ends of intervals are projected onto constraints, if there are unknowns of index 2.
    pub(super) projects: bool,
}

impl Layout {
    /// # Errors
    /// The formulation has unknowns of index above 2, or differential unknowns that are algebraic in disguise, or is not
    /// in Hessenberg form of size 2 where unknowns have index 2.
    pub(super) fn of(dae: &dyn Dae) -> Result<Layout, BvpError> {
        let description = dae.description();
        let unsuitable = |reason: String| BvpError::UnsuitableForm { form: description.form.clone(), reason };
        let of_kind = |kind: Kind, index: u8| {
            let unknowns = description.unknowns.iter().enumerate();
            unknowns.filter(move |(_, it)| it.kind == kind && it.index == index).map(|(k, _)| k)
        };
        for unknown in description.unknowns.iter() {
            match unknown.kind {
                Kind::Auxiliary { .. } => {
                    return Err(unsuitable(format!("it does not determine its unknown `{}`", unknown.name)));
                }
                _ if unknown.index > 2 => {
                    return Err(unsuitable(format!("its unknown `{}` has index {}", unknown.name, unknown.index)));
                }
                Kind::Differential if unknown.index > 1 => {
                    let reason = format!(
                        "the derivative of `{}` occurs, which is determined by constraints alone",
                        unknown.name
                    );
                    return Err(unsuitable(reason));
                }
                Kind::Differential | Kind::Algebraic => {}
            }
        }
        let differential: Vec<usize> = of_kind(Kind::Differential, 1).collect();
        let jet = |&k: &usize| {
            let unknown = &description.unknowns[k];
            unknown.role.jet().ok_or_else(|| unsuitable(format!("`{}` is no unknown of the model", unknown.name)))
        };
        let jets = differential.iter().map(jet).collect::<Result<Vec<usize>, BvpError>>()?;
        let algebraic: Vec<usize> = of_kind(Kind::Algebraic, 1).chain(of_kind(Kind::Algebraic, 2)).collect();
        let of_index_1 = of_kind(Kind::Algebraic, 1).count();
        let has_derivative = |row: &usize| description.jacobian_yp.row(*row).next().is_some();
        let (dynamic_rows, constraint_rows): (Vec<usize>, Vec<usize>) =
            (0..description.equations.len()).partition(has_derivative);
        if description.leading_rank < differential.len() {
            return Err(unsuitable(
                "some unknowns whose derivatives occur are algebraic: only combinations of them are states".into(),
            ));
        }
        if of_index_1 < algebraic.len() && dynamic_rows.len() != differential.len() {
            return Err(unsuitable(
                "it has unknowns of index 2, and constraints that are combinations of equations with derivatives"
                    .into(),
            ));
        }
        Ok(Layout { differential, jets, algebraic, of_index_1, dynamic_rows, constraint_rows, projects: true })
    }

    /// Whether ends of intervals are projected.
    pub(super) fn is_projected(&self) -> bool {
        self.projects && self.of_index_1 < self.algebraic.len()
    }
}

//! The structural analysis of the text, and of systems in which combinations replace some of its equations.
//!
//! In: a model, or such a system. Out: offsets, transversal and degrees of freedom of its pattern (`crate::structure`);
//! or a [`Problem`] with the over- and underdetermined parts.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::index::problem::{self, Problem, ProblemKind};
use crate::model::Model;
use crate::structure::{
    Incidence, InvalidStructure, Part, SignatureMatrix, StructurallySingular, Structure, analyse as analyse_structure,
    dulmage_mendelsohn,
};
use crate::system::System;

/// The structural analysis of the text as written.
///
/// # Errors
/// If there are more equations than unknowns or fewer, there is no transversal, or the orders of the derivatives are
/// too high to be analysed.
pub fn structure_of_text(model: &Model) -> Result<Structure, (Problem, Diagnostics)> {
    let rows = model.equations.iter().map(|e| e.incidence.iter().map(|&(j, order)| (j.index(), order)));
    structure(model, SignatureMatrix::from_rows(model.unknowns.len(), rows), "")
}

/// The structural analysis of a system in which combinations may have replaced some equations of the text.
pub(super) fn structure_of_system(model: &Model, system: &System) -> Result<Structure, (Problem, Diagnostics)> {
    structure(model, system.signature(&model.dag), "after simplification, ")
}

fn structure(
    model: &Model,
    sigma: Result<SignatureMatrix, InvalidStructure>,
    when: &str,
) -> Result<Structure, (Problem, Diagnostics)> {
    let sigma = sigma.map_err(|invalid| {
        let diagnostic = Diagnostic::error(Code::StructurallySingular, invalid.to_string()).label(model.origin, "");
        (Problem::new(ProblemKind::StructurallySingular, model, &[], &[]), Diagnostics::from(diagnostic))
    })?;
    if sigma.equations() == sigma.unknowns() {
        return analyse_structure(&sigma).map_err(|singular| problem::singular(model, &singular, when));
    }
    Err(problem::not_square(model, &parts(sigma.pattern()), when))
}

/// The over- and underdetermined parts of the text; both empty if the orders of its derivatives are too high.
pub(crate) fn pattern_parts(model: &Model) -> StructurallySingular {
    let rows = model.equations.iter().map(|e| e.incidence.iter().map(|&(j, order)| (j.index(), order)));
    match SignatureMatrix::from_rows(model.unknowns.len(), rows) {
        Ok(sigma) => parts(sigma.pattern()),
        Err(_) => StructurallySingular { overdetermined: Part::default(), underdetermined: Part::default() },
    }
}

fn parts(pattern: &Incidence) -> StructurallySingular {
    let parts = dulmage_mendelsohn(pattern);
    StructurallySingular { overdetermined: parts.overdetermined, underdetermined: parts.underdetermined }
}

//! The pipeline, one line per stage.
//!
//! In: a verified model. Out: everything that later stages need: the analysis, the formulations as programs, and their
//! spelling. A model is analysed as a whole (`whole.rs`); one with long families, where that is enough, from a few
//! members of each (`excerpt.rs`). All other stages are the same. Contracts between the stages:
//!
//! 1. `model`: names are resolved, every symbol is declared, inputs are symbols of their own.
//! 2. `check_values`: defaults and start values are numbers. `alias::reconcile`: fixed start values of equal unknowns
//!    agree. `index::analyse`: the working system is square (redundant equations are set aside); after this point the
//!    offsets hold for it, and the certificate says what is proved. A singular system Jacobian leaves only the forms
//!    that are made from the text.
//! 3. `alias::eliminate`: unknowns that are equal to others or constant occur in no other equation; only the forms made
//!    from the text keep them. `index_reduction`: differentiated constraints; after this point no expression contains a
//!    derivative that the model defines explicitly.
//!    `first_integrals::examine`: after this point declared invariants are over states, and none is known to change.
//!    `boundary::complete`: after this point there are as many boundary conditions as degrees of freedom and free
//!    quantities, where these are known, and none follows from others.
//!    `events::complete`: after this point events are programs over jets.
//! 4. `formulation::formulate`: states are chosen; after this point expressions are over states, their derivatives,
//!    time, parameters and inputs.
//! 5. `formulation::FormProgram`: inputs are expanded; after this point nothing refers to the DAG.

mod compiled;
mod definitions;
mod excerpt;
mod forms;
mod hidden;
mod initial;
mod summary;
mod values;
mod whole;

pub use compiled::{Compiled, HiddenConstraint, Rejected};
#[cfg(feature = "report")]
pub(crate) use definitions::{Named, definitions_in};
pub use excerpt::compile_excerpt;
use forms::Reductions;
use hidden::hidden_constraints;
use values::check_values;

use crate::alias::reconcile;
use crate::boundary::complete;
use crate::events;
use crate::external_functions::{needs, settle_tables};
use crate::first_integrals::examine;
use crate::formulation::lie_program;
use crate::index::{Analysis, Limits, differentiated_kinks};
use crate::model::{Model, Work};
use crate::prolongation::{Prolonged, prolong_alike};

/// The largest number of analyses until the integers at the start are those of the consistent start.
const ROUNDS: usize = 10;

/// Runs the pipeline on a whole model. `t0` is the time at which the model's start values hold.
///
/// # Errors
/// If the model is ill-posed or the analysis cannot decide, or if its values or inputs are at fault.
pub fn compile(mut model: Model, t0: f64) -> Result<Compiled, Rejected> {
    let whole = |model: Model| run(model, t0, |model| whole::analysis(model, t0));
    // The analysis is that of the point where a run begins, after the events that occur there.
    let Some(first) = model.events.list.iter().find(|event| event.is_level()).map(|event| event.origin) else {
        return whole(model);
    };
    for _ in 0..ROUNDS {
        let compiled = whole(model.clone())?;
        let values =
            events::values_at_start(&compiled.model, &compiled.prolonged, compiled.analysis.jets.as_deref(), t0);
        if values.is_empty() {
            return Ok(compiled);
        }
        for (unknown, value) in values {
            model.fix_start(unknown, value);
        }
    }
    Err(Rejected::text(t0, events::no_value_at_start(first)))
}

/// Runs the stages with the given analysis, that of a whole model or of an excerpt.
fn run<E: From<Rejected>>(
    mut model: Model,
    t0: f64,
    analyse: impl FnOnce(&mut Model) -> Result<Analysis, E>,
) -> Result<Compiled, E> {
    let text = |found| Rejected::text(t0, found);
    model.work = Work::new(Limits::DEFAULT.operations);
    settle_tables(&mut model).and_then(|()| check_values(&model)).and_then(|()| reconcile(&mut model)).map_err(text)?;
    let analysis = analyse(&mut model)?;
    let reductions = Reductions::of(&mut model, &analysis);
    let hidden = hidden_constraints(&mut model, &analysis, &reductions.reduced);
    let first_integrals = examine(&mut model, &reductions.examined(&analysis, t0)).map_err(text)?;
    let mut prolonged = prolonged(&mut model, &analysis);
    let boundary = complete(&mut model, &analysis, &mut prolonged, t0).map_err(text)?;
    events::complete(&mut model, &mut prolonged).map_err(text)?;
    initial::check(&model, &prolonged).map_err(text)?;
    let (forms, recommended, unavailable) =
        reductions.with_materials(&analysis, &prolonged, t0, &first_integrals, |it| forms::all(&mut model, it));
    let warnings = differentiated_kinks(&mut model, &analysis);
    let programs: Vec<_> = forms.iter().map(|form| &form.program).collect();
    let needs = needs(&mut model, &analysis, &prolonged, &programs).map_err(text)?;
    let prolonged_spelled = forms::prolonged_spelled(&model, &prolonged);
    let initial_spelled = forms::initial_spelled(&model);
    let lie = lie_program(&mut model);
    let eliminated = reductions.smaller.map_or_else(Vec::new, |(it, _)| it.eliminated);
    Ok(Compiled {
        model,
        t0,
        analysis,
        first_integrals,
        boundary,
        hidden,
        prolonged,
        prolonged_spelled,
        initial_spelled,
        forms,
        unavailable,
        recommended,
        eliminated,
        warnings,
        needs,
        lie,
    })
}

/// The equations for consistent initial values: the derivative array where it is not known which equations to
/// differentiate.
fn prolonged(model: &mut Model, analysis: &Analysis) -> Prolonged {
    if let (false, Some(index)) = (analysis.certificate.has_reduction(), analysis.sufficient_differentiations())
        && let system = analysis.equations_of_text(model)
        && let Ok(array) = prolong_alike(model, &system, index)
    {
        return array;
    }
    analysis.prolonged.clone()
}

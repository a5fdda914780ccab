//! The pipeline on an excerpt of a model with long families.
//!
//! In: a family model. Out: what the pipeline finds for the whole model, with symbolic work for a few members of each
//! family only. The structure of the whole model is found from the integers of its accesses, and its certificate from
//! its own numbers; both take time linear in the number of instances. `None` where an excerpt does not suffice, or is
//! hardly smaller.

use super::values::check_values;
use super::{Compiled, formulated};
use crate::alias::reconcile;
use crate::external_functions;
use crate::family::{classes, excerpt, rows, unknown_classes};
use crate::index::{Insufficient, Limits, analyse_excerpt};
use crate::model::family::{FamilyModel, instantiate_excerpt};
use crate::model::verify;
use crate::structure::analyse;

/// The distances over which a member may depend on others, tried in this order: two more neighbours for each
/// differentiation in most models.
const REACHES: [i64; 3] = [2, 4, 8];

/// An excerpt has to be smaller than the model by this factor.
const WORTH: usize = 2;

/// Runs the pipeline on an excerpt. `t0` is the time at which the model's start values hold.
pub fn compile_excerpt(family: &FamilyModel, t0: f64) -> Option<Compiled> {
    if family.is_scalar() {
        return None;
    }
    let whole = rows(family).ok()?;
    if whole.sigma.equations() != whole.sigma.unknowns() {
        return None;
    }
    let structure = analyse(&whole.sigma).ok()?;
    let written = whole.sigma.highest_orders();
    let classes = classes(family, &whole, &structure.offsets);
    let unknowns = unknown_classes(family, &whole, &structure.offsets);
    for reach in REACHES {
        let excerpt = excerpt(family, &classes, &unknowns, reach)?;
        let mut model = instantiate_excerpt(family.clone(), &excerpt).ok()?;
        if WORTH * model.equations.len() > whole.sigma.equations() {
            return None;
        }
        verify(&model).ok()?;
        external_functions::settle_tables(&mut model).ok()?;
        check_values(&model).ok()?;
        reconcile(&mut model).ok()?;
        match analyse_excerpt(&mut model, &structure, &written, t0, &Limits::DEFAULT) {
            Ok(analysis) => {
                let compiled = formulated(model, analysis, t0).ok()?;
                // A larger excerpt or the whole model may have a form that this excerpt does not have.
                if compiled.unavailable.is_empty() {
                    return Some(compiled);
                }
            }
            Err(Insufficient::Torn) => {}
            Err(Insufficient::Unsettled) => return None,
        }
    }
    None
}

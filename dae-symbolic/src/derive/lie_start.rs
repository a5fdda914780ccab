//! Start values of matrices on Lie groups.
//!
//! In: a model. Out: an error for every matrix that does not start in its group. What depends on parameters is checked
//! when a run starts; all other values are known here. Defects are those of `dae_runtime::lie`.

use nalgebra::DMatrix;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Symbol, evaluate_one, has_symbol};
use crate::model::{Derivation, LieGroup, Model, Space};

/// How far a start value may be off its group, relative to its entries: what `dae_runtime::lie::ROUNDING` says.
const ROUNDING: f64 = 1e-12;

/// Checks that all matrices start in their groups.
///
/// # Errors
/// For a matrix with an entry that has no start value, and one whose start value is a matrix of numbers outside its
/// group.
pub fn check_starts(model: &Model) -> Result<(), Diagnostics> {
    let mut found = Diagnostics::new();
    for derivation in &model.derivations {
        if let Derivation::LieGroup(group) = derivation
            && let Some(finding) = off_group(model, group)
        {
            found.push(finding);
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn off_group(model: &Model, group: &LieGroup) -> Option<Diagnostic> {
    let space = group.space_name();
    let mut entries = Vec::with_capacity(group.matrix.len());
    let mut origin = None;
    for &id in &group.matrix {
        let unknown = model.unknowns.get(id.index())?;
        let Some(start) = &unknown.start else {
            let message = format!("`{}` has no start value, and `{}` starts in {space}", unknown.name, group.name);
            let finding = Diagnostic::error(Code::StartOffGroup, message)
                .label(unknown.origin, "needs a start value")
                .label(group.origin, "because of this block");
            return Some(finding.help(example(group)));
        };
        let is_known = !has_symbol(&model.dag, start.value, |_| true);
        entries.push(is_known.then(|| evaluate_one(&model.dag, start.value, |_: Symbol| f64::NAN)));
        origin.get_or_insert(start.origin);
    }
    let entries: Vec<f64> = entries.into_iter().collect::<Option<_>>()?;
    // Values that are not finite are reported elsewhere.
    if entries.iter().any(|entry| !entry.is_finite()) {
        return None;
    }
    let wrong = defect(group.space, &DMatrix::from_row_slice(group.rows, group.columns, &entries))?;
    let message = format!("the start value of `{}` is not in {space}", group.name);
    let finding = Diagnostic::error(Code::StartOffGroup, message)
        .label(origin?, wrong)
        .label(group.origin, "because of this block");
    Some(finding.help(example(group)))
}

/// A declaration with a start value in the group.
fn example(group: &LieGroup) -> String {
    let LieGroup { name, rows, columns, .. } = group;
    if *columns == 1 {
        return format!(
            "start from a unit vector, for instance: `var {name}: [f64; {rows}] = |i| if i == 0 {{ 1 }} else {{ 0 }};`"
        );
    }
    format!(
        "start from the identity, for instance: `var {name}: [[f64; {columns}]; {rows}] = |i, j| if i == j {{ 1 }} else {{ 0 }};`"
    )
}

/// How a matrix of finite numbers is off its group; `None` if it is in it, to rounding.
fn defect(space: Space, y: &DMatrix<f64>) -> Option<String> {
    let allowed = ROUNDING * y.amax().max(1.0);
    match space {
        Space::Stiefel => not_orthonormal(y, allowed),
        Space::SpecialOrthogonal => rotation(y, allowed),
        Space::SpecialLinear => {
            let determinant = y.clone().determinant();
            let largest: f64 = y.column_iter().map(|column| column.norm()).product();
            ((determinant - 1.0).abs() / largest.max(1.0) > allowed)
                .then(|| format!("its determinant is {determinant}, and should be 1"))
        }
        Space::GeneralLinear => y.clone().try_inverse().is_none().then(|| "it is singular".to_string()),
        Space::Symplectic => {
            let half = y.nrows() / 2;
            let j = DMatrix::from_fn(y.nrows(), y.nrows(), |row, column| {
                match (row + half == column, column + half == row) {
                    (true, _) => 1.0,
                    (_, true) => -1.0,
                    _ => 0.0,
                }
            });
            let difference = y.transpose() * &j * y - &j;
            largest(&difference, allowed * y.norm_squared().max(1.0))
                .map(|place| format!("YᵀJY differs from J {place}"))
        }
        Space::SpecialEuclidean => {
            let last = y.nrows() - 1;
            let row = DMatrix::from_fn(1, y.ncols(), |_, j| y[(last, j)] - if j == last { 1.0 } else { 0.0 });
            if row.amax() > allowed {
                return Some("its last row is not that of the identity".to_string());
            }
            rotation(&y.view((0, 0), (last, last)).into_owned(), allowed)
                .map(|wrong| format!("in the first three rows and columns, {wrong}"))
        }
    }
}

fn rotation(y: &DMatrix<f64>, allowed: f64) -> Option<String> {
    not_orthonormal(y, allowed).or_else(|| {
        let determinant = y.clone().determinant();
        ((determinant - 1.0).abs() > allowed).then(|| "its determinant is -1: it is a reflection".to_string())
    })
}

fn not_orthonormal(y: &DMatrix<f64>, allowed: f64) -> Option<String> {
    let difference = y.transpose() * y - DMatrix::identity(y.ncols(), y.ncols());
    largest(&difference, allowed).map(|place| format!("YᵀY differs from the identity {place}"))
}

/// The largest entry of a difference, if it is more than rounding.
fn largest(difference: &DMatrix<f64>, allowed: f64) -> Option<String> {
    let (row, column) = difference.abs().iamax_full();
    let value = difference[(row, column)];
    (value.abs() > allowed).then(|| format!("by {value:.1e} in row {row} and column {column}"))
}

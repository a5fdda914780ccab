//! The description of a formulation that slides along surfaces.
//!
//! In: a formulation, and the surfaces. Out: unknowns, rows, switching functions and patterns of the formulation with
//! weights, and where the values of its Jacobians come from.

use super::rates::Mode;
use super::structure::{Structure, Unsuitable};
use super::surfaces::Surfaces;
use crate::contract::{
    BlendedDescription, Description, Equation, Invariant, Kind, Leading, Pattern, Role, Switch, Unknown,
};

/// The description, and the places of its entries among those of the equations between the sides and of the switching
/// functions.
pub(super) struct Described {
    pub(super) description: Description,
    /// Entries of $\partial \bar F/\partial(y, s)$ that are used.
    pub(super) of_rows: Vec<usize>,
    /// Entries of the rows of surfaces.
    pub(super) of_surfaces: Vec<OfSurface>,
    /// The invariants of the formulation that jump across surfaces, and their rows.
    pub(super) jumping: Vec<(usize, usize)>,
}

/// An entry of the row of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) enum OfSurface {
    /// This entry of $\partial \sigma/\partial y$.
    Gradient(usize),
    /// A number, in the row that holds a weight at that of another.
    Number(f64),
}

impl Described {
    /// With sliding along the surfaces of the structure.
    pub(super) fn new(surfaces: &Surfaces<'_>, structure: &Structure) -> Result<Described, Unsuitable> {
        let (inner, patterns) = (surfaces.inner.description(), surfaces.blended.blended_description());
        let (n, m) = (inner.unknowns.len(), structure.at.len());
        let of_index_two = structure.of_index_two(patterns)?;
        let switch = |&surface: &usize| surfaces.switch(surface);
        let name = |surface: &usize| surfaces.name(*surface);
        let raised = |(unknown, &is): (&Unknown, &bool)| Unknown {
            index: if is { unknown.index.max(2) } else { unknown.index },
            ..unknown.clone()
        };
        // A row that determines unknowns of index 2 holds as accurately as these; no states are moved to satisfy it.
        let is_raised = |column: usize| match column.checked_sub(n) {
            None => of_index_two[column] && inner.unknowns[column].index < 2,
            Some(surface) => structure.at.binary_search(&surface).is_ok(),
        };
        let contains_raised = |row: &usize| patterns.jacobian_y.row(*row).any(|(column, _)| is_raised(column));
        let enforced = |it: &Invariant| Invariant { row: it.row.filter(|row| !contains_raised(row)), ..it.clone() };
        let jumps = |row: &usize| patterns.jacobian_y.row(*row).any(|(column, _)| column >= n);
        let rows_of_invariants = inner.invariants.iter().enumerate();
        let jumping = rows_of_invariants.filter_map(|(k, it)| Some((k, it.row.filter(jumps)?))).collect();
        let weight = |surface: &usize| Unknown {
            name: format!("weight of {} > 0", name(surface)).into(),
            role: Role::Weight { switch: switch(surface) },
            kind: Kind::Algebraic,
            index: 2,
            nominal: 1.0,
            is_discrete: false,
        };
        let equation = |surface: &usize| Equation { name: format!("{} = 0", name(surface)).into(), prolonged: None };
        let invariant = |&place: &usize| Invariant {
            name: format!("{} = 0", name(&structure.at[place])).into(),
            row: Some(n + place),
            prolonged: None,
        };
        // The functions of surfaces along which the solution slides stay in the list, and have no zeros there.
        let is_slid = |k: usize| structure.at.iter().any(|surface| switch(surface) == k);
        let kept = inner.switches.iter().enumerate().map(|(k, switch)| match is_slid(k) {
            true => Switch { name: switch.name.clone(), of_time: true, jumps: false },
            false => switch.clone(),
        });
        let exits = structure.at.iter().flat_map(|surface| {
            [Mode::Negative, Mode::Positive].map(|mode| {
                let side = if mode == Mode::Negative { "<" } else { ">" };
                Switch { name: format!("{} {side} 0", name(surface)).into(), of_time: false, jumps: true }
            })
        });
        let (rows, of_rows) = rows(patterns, structure, n);
        let leaders = structure.leaders();
        let (mut rows_of_surfaces, mut of_surfaces) = (Vec::with_capacity(m), Vec::new());
        for (place, &surface) in structure.at.iter().enumerate() {
            if let Some(link) = structure.links[place] {
                rows_of_surfaces.push(vec![n + link.leader, n + place]);
                of_surfaces.extend(link.entries().map(OfSurface::Number));
            } else {
                let (columns, places): (Vec<usize>, Vec<usize>) = patterns.surfaces_jacobian.row(surface).unzip();
                rows_of_surfaces.push(columns);
                of_surfaces.extend(places.into_iter().map(OfSurface::Gradient));
            }
        }
        let of_leaders: Vec<Vec<usize>> = leaders.iter().map(|&place| rows_of_surfaces[place].clone()).collect();
        let description = Description {
            model: inner.model.clone(),
            form: inner.form.clone(),
            unknowns: inner
                .unknowns
                .iter()
                .zip(&of_index_two)
                .map(raised)
                .chain(structure.at.iter().map(weight))
                .collect(),
            equations: inner.equations.iter().cloned().chain(structure.at.iter().map(equation)).collect(),
            parameters: inner.parameters.clone(),
            invariants: inner.invariants.iter().map(enforced).chain(leaders.iter().map(invariant)).collect(),
            switches: kept.chain(exits).collect(),
            eliminated: Vec::new().into(),
            hamiltonian: Err("the solution slides along a surface".into()),
            leading: match inner.leading {
                Leading::Constant | Leading::Quasilinear | Leading::Solved => Leading::Quasilinear,
                Leading::Nonlinear => Leading::Nonlinear,
            },
            is_affine: false,
            leading_rank: inner.leading_rank,
            jacobian_y: pattern(n + m, rows.into_iter().chain(rows_of_surfaces)),
            jacobian_yp: pattern(n + m, all_rows(&patterns.jacobian_yp).chain((0..m).map(|_| Vec::new()))),
            jacobian_p: Pattern::zero(n + m, inner.parameters.len()),
            invariants_jacobian: pattern(n + m, all_rows(&inner.invariants_jacobian).chain(of_leaders)),
            switches_jacobian_p: Pattern::zero(inner.switches.len() + 2 * m, inner.parameters.len()),
        };
        Ok(Described { description, of_rows, of_surfaces, jumping })
    }
}

/// The columns of the rows of $\bar F$, with the weights of the surfaces of the structure, and the places of their
/// entries.
fn rows(patterns: &BlendedDescription, structure: &Structure, n: usize) -> (Vec<Vec<usize>>, Vec<usize>) {
    let (mut rows, mut places) = (Vec::with_capacity(n), Vec::new());
    for row in 0..n {
        let mut columns = Vec::new();
        for (column, place) in patterns.jacobian_y.row(row) {
            let kept = match column.checked_sub(n) {
                None => Some(column),
                Some(surface) => structure.at.binary_search(&surface).ok().map(|place| n + place),
            };
            if let Some(column) = kept {
                columns.push(column);
                places.push(place);
            }
        }
        rows.push(columns);
    }
    (rows, places)
}

/// The columns of all rows of a pattern.
fn all_rows(of: &Pattern) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..of.rows()).map(|row| of.row(row).map(|(column, _)| column).collect())
}

/// The pattern with these columns in its rows.
fn pattern(columns: usize, rows: impl Iterator<Item = Vec<usize>>) -> Pattern {
    let (mut row_starts, mut column_indices) = (vec![0], Vec::new());
    for row in rows {
        column_indices.extend(row);
        row_starts.push(column_indices.len());
    }
    Pattern { columns, row_starts: row_starts.into(), column_indices: column_indices.into() }
}

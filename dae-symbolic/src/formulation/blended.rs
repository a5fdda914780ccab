//! The equations between the sides of surfaces across which a formulation jumps, as programs.
//!
//! In: a formulation with its switching functions. Out: the programs of [`dae_runtime::contract::Blended`] for the
//! surfaces along which solutions may slide, if there are any.
//!
//! A surface is left out if its function contains derivatives, or is itself discontinuous; if it is met in an equation
//! that has been differentiated and was piecewise before, since a weight would have to be differentiated with it; or in
//! one with too many surfaces at once ([`combined`]).

use dae_runtime::contract::{BlendedDescription, Switch};

use super::{Completion, FormEquation, Formulation};
use crate::expr::{Dag, Expr, Function, Node, Surface, Symbol, Weighted, combined};
use crate::expr::{differentiate, piecewise, reachable, symbols};
use crate::model::{Domain, Model, Numbering};
use crate::program::{Derivative, Load, Program, Rows, Unplaced};
use crate::prolongation::Prolonged;

/// The equations between the sides of surfaces, as programs.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendedProgram {
    /// Surfaces and patterns.
    pub description: BlendedDescription,
    /// The domain of each surface.
    pub domains: Vec<Domain>,
    /// $\bar F$.
    pub residual: Program,
    /// $\partial\bar F/\partial(y, s)$.
    pub jacobian_y: Program,
    /// $\partial\bar F/\partial y'$.
    pub jacobian_yp: Program,
    /// $\partial\bar F/\partial t$.
    pub jacobian_t: Program,
    /// $\sigma$.
    pub surfaces: Program,
    /// $\partial\sigma/\partial y$.
    pub surfaces_jacobian: Program,
    /// $\partial\sigma/\partial t$.
    pub surfaces_jacobian_t: Program,
}

impl BlendedProgram {
    /// All programs.
    pub fn programs(&self) -> [&Program; 7] {
        let BlendedProgram { residual, jacobian_y, jacobian_yp, jacobian_t, .. } = self;
        let BlendedProgram { surfaces, surfaces_jacobian, surfaces_jacobian_t, .. } = self;
        [residual, jacobian_y, jacobian_yp, jacobian_t, surfaces, surfaces_jacobian, surfaces_jacobian_t]
    }

    /// All programs, mutably.
    pub fn programs_mut(&mut self) -> [&mut Program; 7] {
        let BlendedProgram { residual, jacobian_y, jacobian_yp, jacobian_t, .. } = self;
        let BlendedProgram { surfaces, surfaces_jacobian, surfaces_jacobian_t, .. } = self;
        [residual, jacobian_y, jacobian_yp, jacobian_t, surfaces, surfaces_jacobian, surfaces_jacobian_t]
    }
}

/// The switching functions of a formulation: surfaces in its rows, inputs not expanded, and for all functions
/// descriptions and domains; the surfaces come first.
pub(super) struct Found<'a> {
    pub(super) surfaces: &'a [Surface],
    pub(super) switches: &'a [Switch],
    pub(super) domains: &'a [Domain],
}

/// The programs; `None` if there is no surface along which solutions may slide. `places` says where parameters are
/// found.
pub(super) fn blended(
    model: &mut Model,
    formulation: &Formulation,
    prolonged: &Prolonged,
    found: &Found<'_>,
    names: &[(Expr, String)],
    places: &Numbering,
) -> Result<Option<BlendedProgram>, Unplaced> {
    // For a derivative array, the runtime combines rows in a way that equations between the sides would not reproduce.
    if matches!(formulation.completion, Some(Completion::DerivativeArray { .. })) {
        return Ok(None);
    }
    let n = formulation.unknowns.len();
    let Some((chosen, rows)) = chosen(model, formulation, prolonged, found) else { return Ok(None) };
    let residuals = model.expand_inputs(&rows);
    let functions: Vec<Expr> = chosen.iter().map(|&k| found.surfaces[k].function).collect();
    let functions = model.expand_inputs(&functions);
    let domains: Vec<Domain> = chosen.iter().map(|&k| found.domains[k].clone()).collect();
    let families: Vec<Domain> = formulation.equations.iter().map(|e| e.domain.clone()).collect();
    let state_places = Numbering::of(formulation.unknowns.iter().map(|u| &u.domain).chain(&domains))?;
    let load = |symbol| match symbol {
        Symbol::Time => Some(Load::Time),
        Symbol::Parameter(p) => places.regular_place_of(p.index()).map(Load::Parameter),
        Symbol::State(i) => state_places.regular_place_of(i as usize).map(Load::Y),
        Symbol::StateDerivative(i) => state_places.regular_place_of(i as usize).map(Load::Yp),
        Symbol::Input { .. } | Symbol::Unknown { .. } => None,
    };
    let state = |symbol| match symbol {
        Symbol::State(i) => Some(i as usize),
        _ => None,
    };
    let rate = |symbol| match symbol {
        Symbol::StateDerivative(i) => Some(i as usize),
        _ => None,
    };
    let dag = &mut model.dag;
    let jacobian_y = Derivative::new(dag, &residuals, &families, n + chosen.len(), names, state, load)?;
    let jacobian_yp = Derivative::new(dag, &residuals, &families, n, names, rate, load)?;
    let surfaces_jacobian = Derivative::new(dag, &functions, &domains, n, names, state, load)?;
    let in_time: Vec<Expr> = residuals.iter().map(|&f| differentiate(dag, f, Symbol::Time)).collect();
    let surfaces_in_time: Vec<Expr> = functions.iter().map(|&f| differentiate(dag, f, Symbol::Time)).collect();
    let values = |roots: &[Expr], domains: &[Domain]| {
        let row_starts: Vec<usize> = (0..=roots.len()).collect();
        let places = Numbering::of(domains)?;
        Program::with_families(dag, Rows { roots, row_starts: &row_starts, domains, places: &places }, names, load)
    };
    Ok(Some(BlendedProgram {
        residual: values(&residuals, &families)?,
        jacobian_t: values(&in_time, &families)?,
        surfaces: values(&functions, &domains)?,
        surfaces_jacobian_t: values(&surfaces_in_time, &domains)?,
        description: BlendedDescription {
            surfaces: chosen.into(),
            jacobian_y: jacobian_y.pattern,
            jacobian_yp: jacobian_yp.pattern,
            surfaces_jacobian: surfaces_jacobian.pattern,
        },
        domains,
        jacobian_y: jacobian_y.program,
        jacobian_yp: jacobian_yp.program,
        surfaces_jacobian: surfaces_jacobian.program,
    }))
}

/// The surfaces along which solutions may slide, and the rows with their weights; the weight of the $k$-th of them is
/// the state that follows the unknowns and the earlier weights.
fn chosen(
    model: &mut Model,
    formulation: &Formulation,
    prolonged: &Prolonged,
    found: &Found<'_>,
) -> Option<(Vec<usize>, Vec<Expr>)> {
    let offered = |k: &usize| found.switches[*k].is_watched();
    let mut chosen: Vec<usize> = (0..found.surfaces.len()).filter(offered).collect();
    chosen.retain(|&k| is_smooth(model, found.surfaces[k].function));
    if chosen.is_empty() {
        return None;
    }
    for equation in &formulation.equations {
        let nodes = piecewise(&model.dag, &[equation.residual]);
        if !nodes.is_empty() && !has_constant_weights(model, prolonged, equation) {
            chosen.retain(|&k| !found.surfaces[k].nodes.iter().any(|node| nodes.contains(node)));
        }
    }
    while !chosen.is_empty() {
        let n = formulation.unknowns.len() as u32;
        let weighted = |(place, &k): (usize, &usize)| Weighted {
            surface: found.surfaces[k].clone(),
            weight: Symbol::State(n + place as u32),
        };
        let weighted: Vec<Weighted> = chosen.iter().enumerate().map(weighted).collect();
        let combine = |e: &FormEquation| combined(&mut model.dag, e.residual, &weighted).ok_or(e.residual);
        match formulation.equations.iter().map(combine).collect::<Result<Vec<Expr>, Expr>>() {
            Ok(rows) => return Some((chosen, rows)),
            Err(row) => {
                let reached = reachable(&model.dag, [row]);
                chosen.retain(|&k| !found.surfaces[k].nodes.iter().any(|node| reached.contains(node)));
            }
        }
    }
    None
}

/// Whether a switching function is free of derivatives and of jumps.
fn is_smooth(model: &mut Model, function: Expr) -> bool {
    let function = model.expand_inputs(&[function])[0];
    let is_rate = |symbol: &Symbol| matches!(symbol, Symbol::StateDerivative(_));
    !symbols(&model.dag, [function]).iter().any(is_rate) && !has_jumps(&model.dag, function)
}

fn has_jumps(dag: &Dag, root: Expr) -> bool {
    let jumps = |node: Expr| matches!(dag.node(node), Node::Apply(Function::If | Function::Signum, _));
    piecewise(dag, &[root]).into_iter().any(jumps)
}

/// Whether no weight in a row has been differentiated: the row is an equation as it stands in the text, or the
/// equations whose derivatives enter it were smooth, so that piecewise functions have been substituted for derivatives.
fn has_constant_weights(model: &Model, prolonged: &Prolonged, equation: &FormEquation) -> bool {
    let is_smooth = |k: usize| match prolonged.equation(Some((k, 0))) {
        Some(place) => piecewise(&model.dag, &[prolonged.residuals[place]]).is_empty(),
        None => false,
    };
    match equation.prolonged {
        Some((_, 0)) => true,
        Some((k, _)) => is_smooth(k),
        None => {
            let differentiated = prolonged.description.equations.iter().filter(|it| it.order > 0);
            differentiated.into_iter().all(|it| is_smooth(it.equation))
        }
    }
}

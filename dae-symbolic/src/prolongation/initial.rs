//! Initial equations as programs over the jets.
//!
//! In: the initial equations of a model, and the layout of its prolongation. Out: an [`InitialProgram`].

use dae_runtime::contract::{InitialDescription, InitialEquation};

use crate::expr::{Expr, Symbol};
use crate::model::{Domain, Model};
use crate::program::{Derivative, Load, Program, Unplaced};
use crate::structure::Offsets;

/// Programs of initial equations.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialProgram {
    /// Names, stages and patterns.
    pub description: InitialDescription,
    /// The index domain of each equation.
    pub domains: Vec<Domain>,
    /// The equations.
    pub residual: Program,
    /// Their Jacobian with respect to the jets.
    pub jacobian: Program,
    /// Their Jacobian with respect to the parameters.
    pub jacobian_p: Program,
}

impl InitialProgram {
    /// Schedules the initial equations of a model; `None` if it has none, or if one contains a derivative that is no jet.
    /// `first_jet` is where the jets of each unknown start, `stage` maps a stage of the offsets to the one at which it is
    /// solved, and `load` says where the leaves of the prolongation are.
    pub(super) fn new(
        model: &mut Model,
        (offsets, first_jet, stage): (&Offsets, &[usize], fn(i32) -> i32),
        load: impl Fn(Symbol) -> Option<Load> + Copy,
    ) -> Result<Option<InitialProgram>, Unplaced> {
        let highest = |(unknown, order)| order as i32 - offsets.unknowns.get(unknown as usize).map_or(0, |&d| d as i32);
        let mut equations = Vec::with_capacity(model.initial_equations.len());
        for equation in &model.initial_equations {
            let latest = equation.incidence.iter().map(|&(unknown, order)| highest((unknown.0, order))).max();
            let Some(latest) = latest.filter(|latest| *latest <= 0) else { return Ok(None) };
            equations.push(InitialEquation { name: equation.name.clone().into(), stage: stage(latest) });
        }
        if equations.is_empty() {
            return Ok(None);
        }
        let domains: Vec<Domain> = model.initial_equations.iter().map(|equation| equation.domain.clone()).collect();
        let residuals: Vec<Expr> = model.initial_equations.iter().map(|equation| equation.residual).collect();
        let residuals = model.expand_inputs(&residuals);
        let names = model.definition_names();
        let (jets, parameters) = (offsets.unknowns.iter().map(|&d| d as usize + 1).sum(), model.parameters.len());
        let jet = |symbol| match symbol {
            Symbol::Unknown { unknown, order } => Some(first_jet[unknown.index()] + order as usize),
            _ => None,
        };
        let parameter = |symbol| match symbol {
            Symbol::Parameter(p) => Some(p.index()),
            _ => None,
        };
        let jacobian = Derivative::new(&mut model.dag, &residuals, &domains, jets, &names, jet, load)?;
        let jacobian_p = Derivative::new(&mut model.dag, &residuals, &domains, parameters, &names, parameter, load)?;
        Ok(Some(InitialProgram {
            residual: Program::values(&model.dag, &residuals, &domains, &names, load)?,
            description: InitialDescription {
                equations: equations.into(),
                jacobian: jacobian.pattern,
                jacobian_p: jacobian_p.pattern,
            },
            domains,
            jacobian: jacobian.program,
            jacobian_p: jacobian_p.program,
        }))
    }
}

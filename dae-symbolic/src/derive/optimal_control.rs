//! First-order conditions of optimal control.
//!
//! In: dynamics $y' = f(t, y, u)$ and the cost $\psi(y(t_1)) + \int_{t_0}^{t_1} \varphi(t, y, u)\, \mathrm d t$. Out:
//! the equations that a minimum satisfies (Hairer & Wanner II, Sect. VII.1, eqs. (1.33)–(1.39)), with the Hamiltonian
//! $H = v^\top f + \varphi$
//!
//! $$ y' = f, \qquad v' = -H_y^\top = -f_y^\top v - \varphi_y^\top, \qquad 0 = H_u^\top = f_u^\top v + \varphi_u^\top, $$
//!
//! in this order, and the boundary conditions $v(t_1) = \psi_y^\top$ (zero without a cost at the end, eq. (1.36)). At
//! $t_0$ a state with a fixed start value keeps it; for a free one $\delta y(t_0)$ is arbitrary in eq. (1.34), so that
//! $v(t_0) = 0$.

use super::{Names, jets};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::{Dag, Expr, Rational, Symbol, UnknownId, gradient};
use crate::model::{Domain, Equation, OptimalControl, incidence, residual};
use crate::origin::Origin;
use std::collections::HashMap;

/// A state with its adjoint and its dynamics.
#[derive(Clone, Debug)]
pub struct State {
    /// $y_k$.
    pub unknown: UnknownId,
    /// $v_k$.
    pub adjoint: UnknownId,
    /// Where it is declared as a state.
    pub origin: Origin,
    /// $f_k$.
    pub dynamics: Expr,
    /// Where $f_k$ stands.
    pub place: Origin,
    /// The unknowns of the equation as written, ascending, with their highest orders.
    pub incidence: Vec<(UnknownId, u32)>,
    /// Documentation of the equation, line by line.
    pub docs: Vec<String>,
}

/// A control and the place of its declaration.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// $u_k$.
    pub unknown: UnknownId,
    /// Where it is declared as a control.
    pub origin: Origin,
}

/// A term of the cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// The expression.
    pub value: Expr,
    /// Where it stands.
    pub origin: Origin,
}

/// A problem of optimal control.
#[derive(Clone, Debug)]
pub struct ControlProblem {
    /// $y$.
    pub states: Vec<State>,
    /// $u$.
    pub controls: Vec<Control>,
    /// $\varphi$.
    pub running: Option<Cost>,
    /// $\psi$.
    pub terminal: Option<Cost>,
    /// $t_0$ and $t_1$.
    pub horizon: (Expr, Expr),
}

/// The first-order conditions, and the problem that they were derived from.
#[derive(Clone, Debug)]
pub struct FirstOrder {
    /// Dynamics, adjoint equations, stationarity.
    pub equations: Vec<Equation>,
    /// The problem; positions of equations are counted from the first of the derived ones.
    pub problem: OptimalControl,
}

/// Derives the first-order conditions.
///
/// # Errors
/// If dynamics or costs contain derivatives, or unknowns other than states and controls; if the terminal cost contains
/// a control; or if a control has no influence.
pub fn derive(dag: &mut Dag, problem: &ControlProblem, names: Names<'_>) -> Result<FirstOrder, Diagnostics> {
    let mut found = Diagnostics::new();
    let parts = Parts::of(problem);
    for state in &problem.states {
        parts.check(dag, "the dynamics contain", state.dynamics, state.place, names, &mut found);
    }
    if let Some(cost) = problem.running {
        parts.check(dag, "the running cost contains", cost.value, cost.origin, names, &mut found);
    }
    if let Some(cost) = problem.terminal {
        parts.check(dag, "the terminal cost contains", cost.value, cost.origin, names, &mut found);
        parts.check_terminal(dag, cost, names, &mut found);
    }
    if !found.is_empty() {
        return Err(found);
    }
    let hamiltonian = hamiltonian(dag, problem);
    let slopes = slopes(dag, hamiltonian, &parts);
    for control in problem.controls.iter().filter(|control| !slopes.contains_key(&control.unknown)) {
        let name = names(Symbol::Unknown { unknown: control.unknown, order: 0 });
        let message = format!("the control `{name}` influences neither the dynamics nor the cost");
        let finding = Diagnostic::error(Code::InvalidControlProblem, message).label(control.origin, "no influence");
        found.push(finding.help("remove it, or use it in the dynamics"));
    }
    if !found.is_empty() {
        return Err(found);
    }
    let equations = equations(dag, problem, &slopes, names);
    let of_end = problem.terminal.map_or_else(HashMap::new, |cost| self::slopes(dag, cost.value, &parts));
    let end = problem.states.iter().map(|state| of_end.get(&state.unknown).copied()).collect();
    let problem = OptimalControl {
        equations: 0..equations.len(),
        states: problem.states.iter().map(|state| state.unknown).collect(),
        adjoints: problem.states.iter().map(|state| state.adjoint).collect(),
        controls: problem.controls.iter().map(|control| control.unknown).collect(),
        hamiltonian,
        running_cost: problem.running.map(|cost| cost.value),
        terminal_cost: problem.terminal.map(|cost| cost.value),
        horizon: problem.horizon,
        end,
    };
    Ok(FirstOrder { equations, problem })
}

/// $H = v^\top f + \varphi$.
fn hamiltonian(dag: &mut Dag, problem: &ControlProblem) -> Expr {
    let mut terms: Vec<(Rational, Expr)> = problem.running.iter().map(|cost| (Rational::ONE, cost.value)).collect();
    for state in &problem.states {
        let adjoint = dag.symbol(Symbol::Unknown { unknown: state.adjoint, order: 0 });
        terms.push((Rational::ONE, dag.mul(adjoint, state.dynamics)));
    }
    dag.sum(terms)
}

/// The nonzero partial derivatives with respect to states and controls.
fn slopes(dag: &mut Dag, value: Expr, parts: &Parts) -> HashMap<UnknownId, Expr> {
    let wanted = |symbol| match symbol {
        Symbol::Unknown { unknown, order: 0 } => parts.of_unknown(unknown).is_some_and(|part| part != Part::Adjoint),
        _ => false,
    };
    let partials = gradient(dag, value, wanted).into_iter();
    partials
        .filter_map(|(symbol, partial)| match symbol {
            Symbol::Unknown { unknown, .. } => Some((unknown, partial)),
            _ => None,
        })
        .collect()
}

/// Dynamics, adjoint equations, stationarity.
fn equations(
    dag: &mut Dag,
    problem: &ControlProblem,
    slopes: &HashMap<UnknownId, Expr>,
    names: Names<'_>,
) -> Vec<Equation> {
    let name = |unknown| names(Symbol::Unknown { unknown, order: 0 });
    let mut equations = Vec::new();
    for state in &problem.states {
        let rate = dag.symbol(Symbol::Unknown { unknown: state.unknown, order: 1 });
        equations.push(Equation {
            name: format!("dynamics of {}", name(state.unknown)),
            docs: state.docs.clone(),
            residual: residual(dag, rate, state.dynamics),
            incidence: state.incidence.clone(),
            domain: Domain::scalar(),
            origin: state.place,
        });
    }
    for state in &problem.states {
        let rate = dag.symbol(Symbol::Unknown { unknown: state.adjoint, order: 1 });
        let slope = slopes.get(&state.unknown).map(|&slope| (Rational::ONE, slope));
        let residual = dag.sum([(Rational::ONE, rate)].into_iter().chain(slope).collect::<Vec<_>>());
        equations.push(derived(dag, "Adjoint equation", &name(state.unknown), residual, state.origin));
    }
    for control in &problem.controls {
        let Some(&residual) = slopes.get(&control.unknown) else { continue };
        equations.push(derived(dag, "Stationarity", &name(control.unknown), residual, control.origin));
    }
    equations
}

fn derived(dag: &Dag, what: &str, of: &str, residual: Expr, origin: Origin) -> Equation {
    let (name, docs) = (format!("{} of {of}", what.to_lowercase()), vec![format!("{what} of `{of}`.")]);
    Equation { name, docs, residual, incidence: incidence(dag, [residual]), domain: Domain::scalar(), origin }
}

/// The role of an unknown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    State,
    Adjoint,
    Control,
}

/// The roles of unknowns.
struct Parts(HashMap<UnknownId, Part>);

impl Parts {
    fn of(problem: &ControlProblem) -> Self {
        let states = problem.states.iter().flat_map(|s| [(s.unknown, Part::State), (s.adjoint, Part::Adjoint)]);
        Parts(states.chain(problem.controls.iter().map(|c| (c.unknown, Part::Control))).collect())
    }

    fn of_unknown(&self, unknown: UnknownId) -> Option<Part> {
        self.0.get(&unknown).copied()
    }

    /// Checks that an expression contains no unknowns except states and controls, and no derivatives.
    fn check(&self, dag: &Dag, what: &str, value: Expr, origin: Origin, names: Names<'_>, found: &mut Diagnostics) {
        for (unknown, order) in jets(dag, value) {
            let (why, help) = match (self.of_unknown(unknown), order) {
                (Some(Part::State | Part::Control), 0) => continue,
                (Some(Part::State), _) => ("a derivative", "replace it by the right-hand side of its dynamics"),
                (Some(Part::Control), _) => {
                    ("a derivative", "make the control a state whose derivative is the control: `der(u) = w;`")
                }
                (Some(Part::Adjoint), _) => ("an adjoint", "the adjoints follow from dynamics and costs"),
                (None, _) => (
                    "neither state nor control",
                    "make it a state with dynamics, a control, or a `let`: the conditions have to know how it depends on the states",
                ),
            };
            let message = format!("{what} `{}`, {why}", names(Symbol::Unknown { unknown, order }));
            let finding = Diagnostic::error(Code::InvalidControlProblem, message).label(origin, "in this expression");
            found.push(finding.help(help));
        }
    }

    /// Checks that the cost at the end contains no control.
    fn check_terminal(&self, dag: &Dag, cost: Cost, names: Names<'_>, found: &mut Diagnostics) {
        for (unknown, order) in jets(dag, cost.value) {
            if self.of_unknown(unknown) == Some(Part::Control) && order == 0 {
                let name = names(Symbol::Unknown { unknown, order });
                let message = format!("the terminal cost contains the control `{name}`");
                let finding = Diagnostic::error(Code::InvalidControlProblem, message);
                let finding = finding.label(cost.origin, "in this expression");
                found.push(
                    finding
                        .note("a control at a single time has no influence on the states")
                        .help("the terminal cost is a function of the states; put the control into the running cost"),
                );
            }
        }
    }
}

//! Whether an underlying equation is that of a Hamiltonian system with holonomic constraints.
//!
//! In: the form `underlying`. Out: its [`HamiltonianStructure`]; or why it has none, or why that is not proved.
//!
//! With positions $q$, constraints $0 = g(q)$ and $G = g_q$, the rows are to be
//!
//! $$ q' = E u, \qquad M u' = f(q) - C(q) \lambda, $$
//!
//! with a diagonal matrix $E$ and a matrix $M$ that are constant, and a constant diagonal matrix $S$ such that
//!
//! * $S M$ is symmetric and commutes with $E$,
//! * $S f_q$ is symmetric,
//! * every column of $S C$ is a multiple of a row of $G$.
//!
//! Then $p = S M u$ are momenta: $H = p^{\mathsf T} E (S M)^{-1} p/2 + U(q)$ with $-U_q = S f$ satisfies $q' = H_p$ and
//! $p' = -H_q - G^{\mathsf T} \tilde\lambda$. Symmetry is proved by bringing differences to a normal form
//! ([`crate::expr::vanishes`]).

use std::collections::HashMap;

use dae_runtime::contract::{HamiltonianStructure, Kind};

use super::Formulation;
use crate::expr::{Dag, Expr, Rational, Symbol, gradient, has_symbol, substitute, vanishes};
use crate::model::Model;

/// Why a formulation is not known to be a Hamiltonian system.
type Reason = String;

/// Finds the structure.
pub(super) fn structure(model: &mut Model, form: &Formulation) -> Result<HamiltonianStructure, Reason> {
    if model.is_excerpt() {
        return Err("it contains arrays too long for symmetry to be proved".into());
    }
    let constraints = Constraints::of(form)?;
    let dag = &mut model.dag;
    let is_outside = |symbol| matches!(symbol, Symbol::Time | Symbol::Input { .. });
    let functions = form.equations.iter().map(|row| (&row.name, row.residual));
    let functions = functions.chain(form.invariants.iter().map(|it| (&it.name, it.value)));
    for (name, function) in functions {
        if has_symbol(dag, function, is_outside) {
            return Err(format!("{name} depends on time"));
        }
    }
    let pairs = Pairs::of(dag, form, &constraints)?;
    let motion = Motion::of(dag, form, &constraints, &pairs)?;
    let gradients = constraints.gradients(dag, form, &pairs)?;
    let scales = motion.scales(dag, &gradients);
    motion.prove(dag, form, &pairs, &gradients, &scales)?;
    let one = dag.integer(1);
    let has_normal_forces = scales.iter().all(|&scale| are_equal(dag, scale, one));
    Ok(HamiltonianStructure {
        positions: pairs.positions.into(),
        momenta: pairs.momenta.into(),
        multipliers: motion.multipliers.into(),
        position_equations: pairs.equations.into(),
        momentum_equations: motion.equations.into(),
        constraints: constraints.positions.into(),
        has_constant_masses: true,
        has_normal_forces,
    })
}

/// The constraints.
struct Constraints {
    /// Rows that are second derivatives of constraints.
    rows: Vec<usize>,
    /// $g$, as invariants, in the order of the rows.
    positions: Vec<usize>,
}

impl Constraints {
    fn of(form: &Formulation) -> Result<Self, Reason> {
        let (mut rows, mut positions) = (Vec::new(), Vec::new());
        for (k, row) in form.equations.iter().enumerate() {
            let Some((equation, order)) = row.prolonged else { continue };
            let lower: Vec<usize> = (0..form.invariants.len())
                .filter(|&i| form.invariants[i].prolonged.is_some_and(|(of, l)| of == equation && l < order))
                .collect();
            let lowest = lower.iter().copied().min_by_key(|&i| form.invariants[i].prolonged);
            match (lower.len(), lowest) {
                (0, _) => {}
                (2, Some(lowest)) => {
                    rows.push(k);
                    positions.push(lowest);
                }
                (_, Some(lowest)) => {
                    let (name, times) = (&form.invariants[lowest].name, lower.len());
                    return Err(format!(
                        "{name} is differentiated {times} times, and not twice like a constraint on positions"
                    ));
                }
                (_, None) => {}
            }
        }
        Ok(Constraints { rows, positions })
    }

    /// $G$, row by row, by position.
    fn gradients(&self, dag: &mut Dag, form: &Formulation, pairs: &Pairs) -> Result<Vec<HashMap<usize, Expr>>, Reason> {
        let mut rows = Vec::new();
        for &constraint in &self.positions {
            let constraint = &form.invariants[constraint];
            let mut row = HashMap::new();
            for (state, partial) in by_states(dag, constraint.value) {
                match pairs.position(state) {
                    Some(k) => drop(row.insert(k, partial)),
                    None => {
                        let name = &form.unknowns[state].name;
                        return Err(format!("{} depends on `{name}`, which is no position", constraint.name));
                    }
                }
            }
            rows.push(row);
        }
        Ok(rows)
    }
}

/// Positions with the variables that give their velocities.
struct Pairs {
    positions: Vec<usize>,
    momenta: Vec<usize>,
    /// The rows $q' = E u$.
    equations: Vec<usize>,
    /// The diagonal of $E$.
    factors: Vec<Expr>,
}

impl Pairs {
    fn of(dag: &mut Dag, form: &Formulation, constraints: &Constraints) -> Result<Self, Reason> {
        let mut pairs = Pairs { positions: vec![], momenta: vec![], equations: vec![], factors: vec![] };
        let mut is_used = vec![false; form.unknowns.len()];
        for (k, row) in form.equations.iter().enumerate().filter(|(k, _)| !constraints.rows.contains(k)) {
            let (rates, states) = (by_rates(dag, row.residual), by_states(dag, row.residual));
            let ([(position, of_rate)], [(velocity, of_state)]) = (&rates[..], &states[..]) else { continue };
            let is_pair = position != velocity
                && form.unknowns[*velocity].kind == Kind::Differential
                && [*of_rate, *of_state].iter().all(|&factor| is_constant(dag, factor))
                && is_homogeneous(dag, row.residual)
                && !is_used[*position]
                && !is_used[*velocity];
            if is_pair {
                (is_used[*position], is_used[*velocity]) = (true, true);
                pairs.positions.push(*position);
                pairs.momenta.push(*velocity);
                pairs.equations.push(k);
                let factor = dag.div(*of_state, *of_rate);
                pairs.factors.push(dag.neg(factor));
            }
        }
        let alone = (0..is_used.len()).find(|&k| form.unknowns[k].kind == Kind::Differential && !is_used[k]);
        match alone {
            Some(k) => Err(format!(
                "`{}` is neither a position, whose derivative is a constant times another unknown, nor such an unknown",
                form.unknowns[k].name
            )),
            None => Ok(pairs),
        }
    }

    fn position(&self, state: usize) -> Option<usize> {
        self.positions.iter().position(|&it| it == state)
    }

    fn momentum(&self, state: usize) -> Option<usize> {
        self.momenta.iter().position(|&it| it == state)
    }
}

/// The rows $M u' = f - C \lambda$, in the order of the positions.
struct Motion {
    equations: Vec<usize>,
    multipliers: Vec<usize>,
    /// $M$, row by row, by position.
    mass: Vec<HashMap<usize, Expr>>,
    /// $C$, row by row, by multiplier.
    directions: Vec<HashMap<usize, Expr>>,
    /// $f_q$, row by row, by position.
    stiffness: Vec<HashMap<usize, Expr>>,
}

impl Motion {
    fn of(dag: &mut Dag, form: &Formulation, constraints: &Constraints, pairs: &Pairs) -> Result<Self, Reason> {
        let n = pairs.positions.len();
        let mut rows: Vec<Option<usize>> = vec![None; n];
        let is_other = |k: &usize| !constraints.rows.contains(k) && !pairs.equations.contains(k);
        for k in (0..form.equations.len()).filter(is_other) {
            let row = &form.equations[k];
            let rates = by_rates(dag, row.residual);
            // A row without derivatives defines an unknown that nothing else may contain.
            if rates.is_empty() {
                continue;
            }
            let of: Vec<usize> = rates.iter().filter_map(|&(state, _)| pairs.momentum(state)).collect();
            match of.iter().copied().find(|&i| rows[i].is_none()) {
                Some(i) if of.len() == rates.len() => rows[i] = Some(k),
                _ => return Err(format!("{} is not an equation of motion of a single position", row.name)),
            }
        }
        let equations: Option<Vec<usize>> = rows.into_iter().collect();
        let Some(equations) = equations else { return Err("a position has no equation of motion".into()) };
        let mut motion = Motion { equations, multipliers: vec![], mass: vec![], directions: vec![], stiffness: vec![] };
        for i in 0..n {
            motion.take_row(dag, form, pairs, i)?;
        }
        if motion.multipliers.len() != constraints.positions.len() {
            return Err(format!(
                "{} constraints on positions and {} multipliers in the equations of motion",
                constraints.positions.len(),
                motion.multipliers.len()
            ));
        }
        Ok(motion)
    }

    /// Takes in the equation of motion of a position.
    fn take_row(&mut self, dag: &mut Dag, form: &Formulation, pairs: &Pairs, i: usize) -> Result<(), Reason> {
        let row = &form.equations[self.equations[i]];
        let mut mass = HashMap::new();
        for (state, partial) in by_rates(dag, row.residual) {
            let name = &form.unknowns[state].name;
            if !is_constant(dag, partial) {
                return Err(format!("the coefficient of the derivative of `{name}` in {} is not constant", row.name));
            }
            mass.extend(pairs.momentum(state).map(|k| (k, partial)));
        }
        let mut directions = HashMap::new();
        for (state, partial) in by_states(dag, row.residual) {
            if form.unknowns[state].kind == Kind::Differential {
                continue;
            }
            let is_moving = |symbol| match symbol {
                Symbol::State(k) => pairs.position(k as usize).is_none(),
                Symbol::StateDerivative(_) => true,
                _ => false,
            };
            if has_symbol(dag, partial, is_moving) {
                let name = &form.unknowns[state].name;
                return Err(format!("the force of `{name}` in {} depends on more than positions", row.name));
            }
            let place = self.multipliers.iter().position(|&it| it == state).unwrap_or_else(|| {
                self.multipliers.push(state);
                self.multipliers.len() - 1
            });
            directions.insert(place, partial);
        }
        let force = substitute(dag, &[row.residual], |dag, symbol| match symbol {
            Symbol::StateDerivative(_) => Some(dag.integer(0)),
            Symbol::State(k) if form.unknowns[k as usize].kind != Kind::Differential => Some(dag.integer(0)),
            _ => None,
        })[0];
        let mut stiffness = HashMap::new();
        for (state, partial) in by_states(dag, force) {
            match pairs.position(state) {
                Some(k) => drop(stiffness.insert(k, dag.neg(partial))),
                None => {
                    let name = &form.unknowns[state].name;
                    return Err(format!("the force in {} depends on `{name}`", row.name));
                }
            }
        }
        self.mass.push(mass);
        self.directions.push(directions);
        self.stiffness.push(stiffness);
        Ok(())
    }

    /// The diagonal of $S$: 1 where nothing else follows from one of the conditions.
    fn scales(&self, dag: &mut Dag, gradients: &[HashMap<usize, Expr>]) -> Vec<Expr> {
        let n = self.equations.len();
        let mut scales: Vec<Option<Expr>> = vec![None; n];
        for first in 0..n {
            if scales[first].is_some() {
                continue;
            }
            scales[first] = Some(dag.integer(1));
            let mut reached = vec![first];
            while let Some(i) = reached.pop() {
                for j in 0..n {
                    if scales[j].is_none()
                        && let (Some(ratio), Some(scale)) = (self.ratio(dag, gradients, i, j), scales[i])
                    {
                        scales[j] = Some(dag.mul(scale, ratio));
                        reached.push(j);
                    }
                }
            }
        }
        scales.into_iter().flatten().collect()
    }

    /// $s_j/s_i$, from a condition that both occur in.
    fn ratio(&self, dag: &mut Dag, gradients: &[HashMap<usize, Expr>], i: usize, j: usize) -> Option<Expr> {
        for matrix in [&self.mass, &self.stiffness] {
            if let (Some(&a), Some(&b)) = (matrix[i].get(&j), matrix[j].get(&i))
                && let Some(ratio) = constant_ratio(dag, a, b)
            {
                return Some(ratio);
            }
        }
        for (gradient, k) in
            gradients.iter().flat_map(|gradient| (0..self.multipliers.len()).map(move |k| (gradient, k)))
        {
            let (Some(&g_i), Some(&g_j)) = (gradient.get(&i), gradient.get(&j)) else { continue };
            let (Some(&c_i), Some(&c_j)) = (self.directions[i].get(&k), self.directions[j].get(&k)) else { continue };
            let (above, below) = (dag.mul(g_j, c_i), dag.mul(g_i, c_j));
            if let Some(ratio) = constant_ratio(dag, above, below) {
                return Some(ratio);
            }
        }
        None
    }

    /// Proves the conditions.
    fn prove(
        &self,
        dag: &mut Dag,
        form: &Formulation,
        pairs: &Pairs,
        gradients: &[HashMap<usize, Expr>],
        scales: &[Expr],
    ) -> Result<(), Reason> {
        let n = self.equations.len();
        let name = |k: usize| &form.unknowns[pairs.positions[k]].name;
        let zero = dag.integer(0);
        for (i, j) in (0..n).flat_map(|j| (0..j).map(move |i| (i, j))) {
            for (matrix, what) in [(&self.mass, "masses"), (&self.stiffness, "derivatives of the forces")] {
                let [a, b] = [(i, j), (j, i)].map(|(row, column)| {
                    let entry = matrix[row].get(&column).copied().unwrap_or(zero);
                    dag.mul(scales[row], entry)
                });
                if !are_equal(dag, a, b) {
                    return Err(format!(
                        "the {what} between `{}` and `{}` are not proved to be symmetric",
                        name(i),
                        name(j)
                    ));
                }
            }
            if self.mass[i].contains_key(&j) && !are_equal(dag, pairs.factors[i], pairs.factors[j]) {
                return Err(format!(
                    "`{}` and `{}` have a common mass, but different units of velocity",
                    name(i),
                    name(j)
                ));
            }
        }
        for (k, &multiplier) in self.multipliers.iter().enumerate() {
            if !gradients.iter().any(|gradient| self.acts_along(dag, k, gradient, scales)) {
                let name = &form.unknowns[multiplier].name;
                return Err(format!("the force of `{name}` is not proved to be normal to a constraint"));
            }
        }
        Ok(())
    }

    /// Whether a column of $S C$ is proved to be a multiple of a row of $G$.
    fn acts_along(&self, dag: &mut Dag, k: usize, gradient: &HashMap<usize, Expr>, scales: &[Expr]) -> bool {
        let n = self.equations.len();
        let zero = dag.integer(0);
        let column: Vec<Expr> = (0..n)
            .map(|i| {
                let entry = self.directions[i].get(&k).copied().unwrap_or(zero);
                dag.mul(scales[i], entry)
            })
            .collect();
        let row: Vec<Expr> = (0..n).map(|i| gradient.get(&i).copied().unwrap_or(zero)).collect();
        (0..n).flat_map(|j| (0..j).map(move |i| (i, j))).all(|(i, j)| {
            let [a, b] = [(i, j), (j, i)].map(|(of_column, of_row)| dag.mul(column[of_column], row[of_row]));
            are_equal(dag, a, b)
        }) && (0..n).all(|i| !dag.is_zero(row[i]) || dag.is_zero(column[i]))
    }
}

/// The states in an expression, with the derivatives with respect to them, ascending.
fn by_states(dag: &mut Dag, expr: Expr) -> Vec<(usize, Expr)> {
    let place = |symbol| match symbol {
        Symbol::State(k) => Some(k as usize),
        _ => None,
    };
    partials(dag, expr, place)
}

/// The same for derivatives of states.
fn by_rates(dag: &mut Dag, expr: Expr) -> Vec<(usize, Expr)> {
    let place = |symbol| match symbol {
        Symbol::StateDerivative(k) => Some(k as usize),
        _ => None,
    };
    partials(dag, expr, place)
}

fn partials(dag: &mut Dag, expr: Expr, place: impl Fn(Symbol) -> Option<usize>) -> Vec<(usize, Expr)> {
    let partials = gradient(dag, expr, |symbol| place(symbol).is_some());
    let mut list: Vec<(usize, Expr)> =
        partials.into_iter().filter_map(|(symbol, partial)| Some((place(symbol)?, partial))).collect();
    list.retain(|&(_, partial)| !dag.is_zero(partial));
    list.sort_by_key(|&(k, _)| k);
    list
}

/// The ratio of two expressions, provided that it is constant, which is not checked: that of their values where every
/// state has some number as its value.
fn constant_ratio(dag: &mut Dag, a: Expr, b: Expr) -> Option<Expr> {
    let ratio = dag.div(a, b);
    if is_constant(dag, ratio) {
        return Some(ratio);
    }
    let number = |k: u32| Rational::new(1, i64::from(k) + 2);
    let at_numbers = substitute(dag, &[a, b], |dag, symbol| match symbol {
        Symbol::State(k) => number(k).map(|number| dag.constant(number)),
        _ => None,
    });
    let is_zero = dag.is_zero(at_numbers[1]);
    (!is_zero).then(|| dag.div(at_numbers[0], at_numbers[1])).filter(|&ratio| is_constant(dag, ratio))
}

/// Whether an expression depends on parameters only.
fn is_constant(dag: &Dag, expr: Expr) -> bool {
    !has_symbol(dag, expr, |symbol| !matches!(symbol, Symbol::Parameter(_)))
}

/// Whether an expression vanishes where all states and derivatives do.
fn is_homogeneous(dag: &mut Dag, expr: Expr) -> bool {
    let at_zero = substitute(dag, &[expr], |dag, symbol| match symbol {
        Symbol::State(_) | Symbol::StateDerivative(_) => Some(dag.integer(0)),
        _ => None,
    })[0];
    dag.is_zero(at_zero)
}

fn are_equal(dag: &mut Dag, a: Expr, b: Expr) -> bool {
    let difference = dag.sub(a, b);
    vanishes(dag, difference)
}

//! The directions in which the multipliers of a formulation correct the derivatives.
//!
//! In: enforced constraints $\Phi(t, y) = 0$ and a choice of [`Directions`]. Out: the columns of $D$, one per
//! constraint. A column has entries for the highest derivatives that the constraint can contain, $x_j^{(k)}$ with
//! $k = d_j - c_i + l$ for $\Phi = f_i^{(l)}$; the whole gradient also has entries for lower derivatives, so that the
//! multipliers of the velocity constraints act on positions too.
//!
//! * `C`: $D = \Phi_y^\top$.
//! * `B`: the response of the highest derivatives $z$ to the algebraic unknowns $\lambda$ of the text, from the
//!   equations that are not constraints, $F_z\, \delta z + F_\lambda\, \delta\lambda = 0$; $M^{-1} G^\top$ in
//!   mechanics. Solved by elimination, with pivots that are numbers or, failing that, largest at the start of the
//!   model. Ascher & Petzold (1993), eq. (2.18).
//! * `unit`: for each constraint a unit vector, by elimination with complete pivoting at the start.
//! * an array of parameters, one row per highest derivative that a constraint contains, one column per constraint.
//! * $\mathcal M^{-1} \Phi_y^\top$, the gradients in the metric of the mass matrix, for the overdetermined form: Hairer
//!   & Wanner II, Sect. VII.2, eq. (2.27).

use std::collections::{BTreeMap, BTreeSet};

use super::layout::Layout;
use super::recipe::Metric;
use super::selection::{Material, Row};
use super::{Directions, Form, FormError};
use crate::defaults::default_parameters;
use crate::expr::{Expr, ParameterId, Rational, Symbol, UnknownId, evaluate_one, gradient};
use crate::form::Choice;
use crate::model::Model;

/// How far mirrored entries of a symmetric matrix may differ, relative to the geometric mean of the diagonal entries.
const SYMMETRY: f64 = 1e-9;

/// The entries of a column of $D$ by state.
pub(super) type Column = Vec<(u32, Expr)>;

/// What is needed to find the directions.
pub(super) struct DirectionContext<'a> {
    pub(super) form: &'a Form,
    pub(super) metric: Metric,
    pub(super) material: &'a Material<'a>,
    pub(super) layout: &'a Layout,
}

impl DirectionContext<'_> {
    /// One column per constraint.
    pub(super) fn columns(&self, model: &mut Model, enforced: &[Row]) -> Result<Vec<Column>, FormError> {
        let given = match (self.metric, self.form.choice()) {
            (Metric::Given, Choice::Directions(directions)) => directions,
            _ => &Directions::Gradient,
        };
        match (self.metric, given) {
            (Metric::Euclidean, _) | (Metric::Given, Directions::Gradient) => {
                Ok(enforced.iter().map(|row| self.gradient(model, row, |_| true)).collect())
            }
            (Metric::Mass, _) => self.weighted(model, enforced),
            (Metric::AtRunTime, _) => Ok(vec![Column::new(); enforced.len()]),
            (Metric::HighestDerivatives, _) => Ok(enforced.iter().map(|row| self.leading(model, row)).collect()),
            (Metric::Given, Directions::Unit) => self.units(model, enforced),
            (Metric::Multipliers, _) | (Metric::Given, Directions::Multipliers) => self.responses(model, enforced),
            (Metric::Given, Directions::Named(name)) => self.named(model, enforced, name),
        }
    }

    /// Whether multipliers are determined wherever the constraints are independent.
    pub(super) fn is_regular(&self) -> bool {
        match self.metric {
            Metric::Euclidean | Metric::AtRunTime => true,
            Metric::Given => self.form.choice() == Choice::Directions(&Directions::Gradient),
            Metric::Multipliers | Metric::HighestDerivatives | Metric::Mass => false,
        }
    }

    pub(super) fn refuse(&self, row: &Row, message: String) -> FormError {
        FormError { form: self.form.clone(), message, origin: row.origin }
    }

    /// The gradient of a constraint with respect to the wanted jets, but for those of discrete variables, which keep their
    /// values; empty if states cannot express the constraint.
    fn gradient(&self, model: &mut Model, row: &Row, wanted: impl Fn((usize, u32)) -> bool) -> Column {
        let Some(value) = self.layout.express(&mut model.dag, row.value) else { return Vec::new() };
        let jets = self.layout.jets();
        let partials = gradient(&mut model.dag, value, |s| matches!(s, Symbol::State(_)));
        let is_wanted = |jet: (usize, u32)| wanted(jet) && !model.unknowns[jet.0].is_discrete;
        let state = |(symbol, partial)| match symbol {
            Symbol::State(state) => Some((state, partial)).filter(|_| is_wanted(jets[state as usize])),
            _ => None,
        };
        partials.into_iter().filter_map(state).collect()
    }

    /// Whether a jet is of the highest order at which its unknown can occur in a row.
    fn is_leading(&self, row: &Row, (unknown, order): (usize, u32)) -> bool {
        let offsets = &self.material.structure.offsets;
        let (i, l) = row.place;
        offsets.unknowns[unknown] + l == offsets.equations[i] + order
    }

    fn leading(&self, model: &mut Model, row: &Row) -> Column {
        self.gradient(model, row, |jet| self.is_leading(row, jet))
    }

    /// The value of an expression over states at the start of the model.
    pub(super) fn at_start(&self, model: &mut Model, value: Expr) -> f64 {
        let value = model.expand_inputs(&[value])[0];
        let (jets, parameters) = (self.layout.jets(), default_parameters(model));
        evaluate_one(&model.dag, value, |symbol| match symbol {
            Symbol::Parameter(p) => parameters[p.index()],
            Symbol::State(i) => {
                let (unknown, order) = jets[i as usize];
                (self.material.start)(unknown, order).unwrap_or(0.0)
            }
            Symbol::StateDerivative(i) => {
                let (unknown, order) = jets[i as usize];
                (self.material.start)(unknown, order + 1).unwrap_or(0.0)
            }
            Symbol::Time => self.material.t0,
            Symbol::Input { .. } | Symbol::Unknown { .. } => 0.0,
        })
    }

    /// Unit vectors at the pivots of the matrix of leading gradients at the start.
    fn units(&self, model: &mut Model, enforced: &[Row]) -> Result<Vec<Column>, FormError> {
        let one = model.dag.integer(1);
        let mut matrix = vec![vec![0.0; self.layout.jets().len()]; enforced.len()];
        for (entries, row) in matrix.iter_mut().zip(enforced) {
            for (state, partial) in self.leading(model, row) {
                entries[state as usize] = self.at_start(model, partial);
            }
        }
        let mut columns = vec![Column::new(); enforced.len()];
        complete_pivots(matrix).into_iter().for_each(|(row, state)| columns[row].push((state as u32, one)));
        match columns.iter().position(Vec::is_empty) {
            None => Ok(columns),
            Some(k) => {
                let row = &enforced[k];
                Err(self.refuse(row, format!("at the start, no unit vector corrects {}", row.name)))
            }
        }
    }

    /// The columns of a matrix that the user names.
    fn named(&self, model: &mut Model, enforced: &[Row], name: &str) -> Result<Vec<Column>, FormError> {
        let mut states = BTreeSet::new();
        for row in enforced {
            states.extend(self.leading(model, row).into_iter().map(|(state, _)| state));
        }
        // A single column may be a vector.
        let find = |model: &Model, i: usize, k: usize| {
            let (vector, matrix) = (format!("{name}[{i}]"), format!("{name}[{i}][{k}]"));
            let named = |it: &str| it == matrix || (it == vector && enforced.len() == 1);
            model.parameters.iter().position(|p| named(&p.name))
        };
        let too_large = find(model, states.len(), 0).is_some()
            || find(model, 0, enforced.len()).is_some_and(|_| enforced.len() > 1);
        let mut columns = Vec::with_capacity(enforced.len());
        for (k, row) in enforced.iter().enumerate() {
            let mut column = Vec::new();
            for (i, &state) in states.iter().enumerate() {
                let Some(parameter) = find(model, i, k).filter(|_| !too_large) else {
                    let unknowns: Vec<String> = states.iter().map(|&state| self.layout.name(model, state)).collect();
                    let size = format!("{} × {}", states.len(), enforced.len());
                    let rows = unknowns.join(", ");
                    let message = format!("`{name}` is no array of parameters of size {size}, whose rows are {rows}");
                    return Err(self.refuse(row, message));
                };
                column.push((state, model.dag.symbol(Symbol::Parameter(ParameterId(parameter as u32)))));
            }
            columns.push(column);
        }
        Ok(columns)
    }

    /// $B$: for each constraint the response to the algebraic unknown paired with it, at the level of the constraint.
    fn responses(&self, model: &mut Model, enforced: &[Row]) -> Result<Vec<Column>, FormError> {
        let Some(first) = enforced.first() else { return Ok(Vec::new()) };
        let Dynamics { rows, moving, algebraic } = self.dynamics(first)?;
        let offsets = &self.material.structure.offsets;
        let columns: Vec<usize> = moving.iter().chain(&algebraic).copied().collect();
        let matrix: Vec<BTreeMap<usize, Expr>> =
            rows.iter().map(|&i| self.highest_partials(model, i, &columns)).collect();
        let solution = self.solve(model, matrix, moving.len(), columns.len()).ok_or_else(|| self.unsolved(first))?;
        // At each level the constraints are paired with the multipliers that act on them most at the start.
        let mut result = vec![Column::new(); enforced.len()];
        let levels: BTreeSet<u32> = enforced.iter().map(|row| offsets.equations[row.place.0] - row.place.1).collect();
        for below in levels {
            let at_level = |k: &usize| offsets.equations[enforced[*k].place.0] - enforced[*k].place.1 == below;
            let constraints: Vec<usize> = (0..enforced.len()).filter(at_level).collect();
            let column = |model: &mut Model, multiplier: usize| -> Column {
                let mut column = Column::new();
                for (k, &j) in moving.iter().enumerate() {
                    let (order, value) = (offsets.unknowns[j].checked_sub(below), solution[k][multiplier]);
                    if let Some(state) = order.and_then(|order| self.layout.state(j, order))
                        && !model.dag.is_zero(value)
                    {
                        column.push((state, model.dag.neg(value)));
                    }
                }
                column
            };
            let columns: Vec<Column> = (0..algebraic.len()).map(|multiplier| column(model, multiplier)).collect();
            let mut effects: Vec<Vec<f64>> = Vec::with_capacity(constraints.len());
            for &k in &constraints {
                let partials: BTreeMap<u32, Expr> = self.leading(model, &enforced[k]).into_iter().collect();
                let effect = |column: &Column, model: &mut Model| {
                    let terms = column.iter().filter_map(|(state, d)| Some((*partials.get(state)?, *d)));
                    terms.map(|(g, d)| self.at_start(model, g) * self.at_start(model, d)).sum::<f64>()
                };
                effects.push(columns.iter().map(|column| effect(column, model)).collect());
            }
            for (row, multiplier) in complete_pivots(effects) {
                result[constraints[row]].clone_from(&columns[multiplier]);
            }
        }
        Ok(result)
    }

    /// $\mathcal M^{-1} \Phi_y^\top$: the directions of the shortest corrections in the metric of the leading matrix.
    /// Differentiated equations that are explicit in a highest derivative give all highest derivatives in terms of
    /// those that are kept, $w = E z$ (positions move with velocities); with $M$ the matrix of the other equations with
    /// respect to $z$, and $g$ the part of the gradient that belongs to derivatives of one level, the corrections at
    /// this level are $E\,M^{-1} E^\top g$.
    fn weighted(&self, model: &mut Model, enforced: &[Row]) -> Result<Vec<Column>, FormError> {
        let Some(first) = enforced.first() else { return Ok(Vec::new()) };
        let Dynamics { rows, moving, .. } = self.dynamics(first)?;
        let (offsets, reduced) = (&self.material.structure.offsets, self.material.reduced);
        // Only differentiated equations relate derivatives to one another; the others are rows of M.
        let identities = reduced.explicit.iter().filter(|it| offsets.equations[it.equation] > 0);
        let given: BTreeMap<usize, usize> = identities
            .filter(|it| rows.contains(&it.equation) && moving.contains(&it.unknown))
            .map(|it| (it.unknown, it.equation))
            .collect();
        let identities: BTreeSet<usize> = given.values().copied().collect();
        let kept: Vec<usize> = moving.iter().copied().filter(|j| !given.contains_key(j)).collect();
        // E: each derivative in terms of the kept ones, as soon as all others in its equation are found.
        let one = model.dag.integer(1);
        let mut extension: BTreeMap<usize, BTreeMap<usize, Expr>> =
            kept.iter().enumerate().map(|(k, &j)| (j, BTreeMap::from([(k, one)]))).collect();
        let mut open: Vec<(usize, usize)> = given.into_iter().collect();
        while !open.is_empty() {
            let before = open.len();
            let mut waiting = Vec::new();
            for (j, i) in open {
                let partials = self.highest_partials(model, i, &moving);
                let own = moving.iter().position(|&it| it == j).and_then(|k| partials.get(&k).copied());
                let others: Vec<(usize, Expr)> = partials
                    .into_iter()
                    .map(|(k, value)| (moving[k], value))
                    .filter(|&(other, _)| other != j)
                    .collect();
                let Some(own) = own.filter(|_| others.iter().all(|(other, _)| extension.contains_key(other))) else {
                    waiting.push((j, i));
                    continue;
                };
                let mut row = BTreeMap::new();
                for (other, value) in others {
                    let ratio = model.dag.div(value, own);
                    let factor = model.dag.neg(ratio);
                    add_multiple(model, &mut row, factor, &extension[&other].clone());
                }
                extension.insert(j, row);
            }
            if waiting.len() == before {
                return Err(self.unsolved(first));
            }
            open = waiting;
        }
        // M by rows, over the kept derivatives.
        let implicit: Vec<usize> = rows.iter().copied().filter(|i| !identities.contains(i)).collect();
        let mut mass: Vec<BTreeMap<usize, Expr>> = Vec::with_capacity(implicit.len());
        for &i in &implicit {
            let mut row = BTreeMap::new();
            for (k, value) in self.highest_partials(model, i, &moving) {
                add_multiple(model, &mut row, value, &extension[&moving[k]].clone());
            }
            mass.push(row);
        }
        if implicit.len() != kept.len() {
            return Err(self.unsolved(first));
        }
        let Some(diagonal) = self.diagonal(model, &mass) else {
            let message = "the equations of motion have no symmetric mass matrix, whose metric it would be".to_string();
            return Err(self.refuse(first, message));
        };
        let mut result = Vec::with_capacity(enforced.len());
        for row in enforced {
            let mut levels: BTreeMap<u32, Vec<(usize, Expr)>> = BTreeMap::new();
            let jets = self.layout.jets();
            for (state, value) in self.gradient(model, row, |_| true) {
                let (j, order) = jets[state as usize];
                levels.entry(offsets.unknowns[j] - 1 - order).or_default().push((j, value));
            }
            let mut column = Column::new();
            for (level, entries) in levels {
                let mut right: BTreeMap<usize, Expr> = BTreeMap::new();
                for (j, value) in entries {
                    add_multiple(model, &mut right, value, &extension[&j].clone());
                }
                let mut system = mass.clone();
                for (row, &(k, negative)) in system.iter_mut().zip(&diagonal) {
                    if let Some(&value) = right.get(&k) {
                        row.insert(kept.len(), if negative { model.dag.neg(value) } else { value });
                    }
                }
                let solution =
                    self.solve(model, system, kept.len(), kept.len() + 1).ok_or_else(|| self.unsolved(first))?;
                for &j in &moving {
                    let Some(order) = offsets.unknowns[j].checked_sub(level + 1) else { continue };
                    let Some(state) = self.layout.state(j, order) else { continue };
                    let terms: Vec<(Rational, Expr)> = extension[&j]
                        .iter()
                        .map(|(&k, &e)| (e, solution[k][0]))
                        .map(|(e, z)| (Rational::ONE, model.dag.mul(e, z)))
                        .collect();
                    let value = model.dag.sum(terms);
                    if !model.dag.is_zero(value) {
                        column.push((state, value));
                    }
                }
            }
            result.push(column);
        }
        Ok(result)
    }

    /// For each row of the mass matrix, the derivative that it belongs to, and whether its entry there is negative. The
    /// entries are the largest of the matrix at the start, then the largest of the remaining rows and columns, and so
    /// on; in a positive definite matrix with permuted rows they are the diagonal. `None` if a row has no such entry,
    /// or the matrix with these entries as its diagonal is not symmetric, and so not a metric.
    fn diagonal(&self, model: &mut Model, mass: &[BTreeMap<usize, Expr>]) -> Option<Vec<(usize, bool)>> {
        let mut entries: Vec<(usize, usize, f64)> = Vec::new();
        for (i, row) in mass.iter().enumerate() {
            entries.extend(row.iter().map(|(&k, &value)| (i, k, self.at_start(model, value))));
        }
        entries.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()).then(a.0.cmp(&b.0)).then(a.1.cmp(&b.1)));
        let mut of_row = vec![None; mass.len()];
        let mut taken = BTreeSet::new();
        for &(i, k, value) in &entries {
            if of_row[i].is_none() && taken.insert(k) {
                of_row[i] = Some((k, value < 0.0));
            }
        }
        let of_row: Vec<(usize, bool)> = of_row.into_iter().collect::<Option<_>>()?;
        let mut values: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (i, k, value) in entries {
            values.insert((of_row[i].0, k), if of_row[i].1 { -value } else { value });
        }
        let at = |i: usize, k: usize| values.get(&(i, k)).copied().unwrap_or(0.0);
        let symmetric =
            |&(i, k): &(usize, usize)| (at(i, k) - at(k, i)).abs() <= SYMMETRY * (at(i, i) * at(k, k)).abs().sqrt();
        values.keys().all(symmetric).then_some(of_row)
    }

    /// The equations that are not constraints, and the unknowns with and without derivatives.
    fn dynamics(&self, first: &Row) -> Result<Dynamics, FormError> {
        let offsets = &self.material.structure.offsets;
        let (constrained, rest): (Vec<_>, Vec<_>) = self.material.candidates().partition(|c| c.level > 0);
        let given: BTreeSet<usize> = self.material.eliminated.iter().map(|it| it.unknown).collect();
        let unknowns = (0..offsets.unknowns.len()).filter(|j| !given.contains(j));
        let (algebraic, moving): (Vec<usize>, Vec<usize>) = unknowns.partition(|&j| offsets.unknowns[j] == 0);
        let rows: Vec<usize> = rest.into_iter().map(|candidate| candidate.index).collect();
        if algebraic.len() != constrained.len() || rows.len() != moving.len() {
            let message = format!(
                "the directions are not defined: {} constraints are differentiated, and {} unknowns occur without derivatives",
                constrained.len(),
                algebraic.len()
            );
            return Err(self.refuse(first, message));
        }
        Ok(Dynamics { rows, moving, algebraic })
    }

    fn unsolved(&self, row: &Row) -> FormError {
        let message = "the directions are not defined: the equations do not give the highest derivatives at the start";
        self.refuse(row, message.into())
    }

    /// $\partial f_i / \partial x_j^{(d_j - c_i)}$ over states, by the position of $j$ in `unknowns`.
    fn highest_partials(&self, model: &mut Model, i: usize, unknowns: &[usize]) -> BTreeMap<usize, Expr> {
        let offsets = &self.material.structure.offsets;
        let residual = self.material.system.equations[i].residual;
        let mut entries = BTreeMap::new();
        for (k, &j) in unknowns.iter().enumerate() {
            let Some(order) = offsets.unknowns[j].checked_sub(offsets.equations[i]) else { continue };
            let jet = Symbol::Unknown { unknown: UnknownId(j as u32), order };
            let partial = gradient(&mut model.dag, residual, |s| s == jet).first().map(|&(_, partial)| partial);
            if let Some(partial) = partial.and_then(|partial| self.layout.express(&mut model.dag, partial)) {
                entries.insert(k, partial);
            }
        }
        entries
    }

    /// $A^{-1} R$ by rows, from Gauss–Jordan elimination of $(A \mid R)$, which has `width` columns, of which $A$ has
    /// `n`; `None` if a pivot is missing.
    pub(super) fn solve(
        &self,
        model: &mut Model,
        mut rows: Vec<BTreeMap<usize, Expr>>,
        n: usize,
        width: usize,
    ) -> Option<Vec<Vec<Expr>>> {
        let zero = model.dag.integer(0);
        let mut row_of = vec![usize::MAX; n];
        let mut done = vec![false; rows.len()];
        for _ in 0..n {
            let (row, column) = self.pivot(model, &rows, &done, n)?;
            (row_of[column], done[row]) = (row, true);
            let pivot = rows[row][&column];
            let scaled: BTreeMap<usize, Expr> =
                rows[row].iter().map(|(&k, &value)| (k, model.dag.div(value, pivot))).collect();
            rows[row].clone_from(&scaled);
            for other in (0..rows.len()).filter(|&other| other != row) {
                let Some(factor) = rows[other].remove(&column) else { continue };
                for (&k, &value) in scaled.iter().filter(|&(&k, _)| k != column) {
                    let product = model.dag.mul(factor, value);
                    let before = rows[other].get(&k).copied().unwrap_or(zero);
                    let difference = model.dag.sub(before, product);
                    match model.dag.is_zero(difference) {
                        true => rows[other].remove(&k),
                        false => rows[other].insert(k, difference),
                    };
                }
            }
        }
        let right = |row: usize| (n..width).map(|k| rows[row].get(&k).copied().unwrap_or(zero)).collect();
        Some(row_of.into_iter().map(right).collect())
    }

    /// The next pivot, in the remaining row with the fewest entries: the first entry that is a number or, failing that,
    /// the largest at the start; `None` if all entries vanish there.
    fn pivot(
        &self,
        model: &mut Model,
        rows: &[BTreeMap<usize, Expr>],
        done: &[bool],
        n: usize,
    ) -> Option<(usize, usize)> {
        let open = (0..rows.len()).filter(|&row| !done[row]);
        let row = open.min_by_key(|&row| (rows[row].range(..n).count(), row))?;
        let entries: Vec<(usize, Expr)> = rows[row].range(..n).map(|(&k, &value)| (k, value)).collect();
        if let Some(&(column, _)) = entries.iter().find(|(_, value)| model.dag.as_constant(*value).is_some()) {
            return Some((row, column));
        }
        let sized = entries.into_iter().map(|(column, value)| (column, self.at_start(model, value).abs()));
        let sized: Vec<(usize, f64)> = sized.filter(|(_, size)| *size > 0.0).collect();
        let (column, _) = sized.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((row, column))
    }
}

/// The equations that determine the highest derivatives, and their unknowns.
struct Dynamics {
    /// Equations that are not constraints.
    rows: Vec<usize>,
    /// Unknowns whose derivatives occur.
    moving: Vec<usize>,
    /// Unknowns without derivatives.
    algebraic: Vec<usize>,
}

fn add_multiple(model: &mut Model, row: &mut BTreeMap<usize, Expr>, factor: Expr, other: &BTreeMap<usize, Expr>) {
    for (&k, &value) in other {
        let product = model.dag.mul(factor, value);
        let sum = row.get(&k).map_or(product, |&before| model.dag.add(before, product));
        row.insert(k, sum);
    }
}

/// The places of the pivots of Gaussian elimination with complete pivoting; a row without one is left out.
pub(super) fn complete_pivots(mut matrix: Vec<Vec<f64>>) -> Vec<(usize, usize)> {
    let mut open: BTreeSet<usize> = (0..matrix.len()).collect();
    let mut pivots = Vec::new();
    while let Some((i, j)) = {
        let entries = open.iter().flat_map(|&i| (0..matrix[i].len()).map(move |j| (i, j)));
        let size = |&(i, j): &(usize, usize)| matrix[i][j].abs();
        entries.filter(|place| size(place) > 0.0).max_by(|a, b| size(a).total_cmp(&size(b)).then(b.cmp(a)))
    } {
        open.remove(&i);
        let pivot_row = matrix[i].clone();
        for &other in &open {
            let factor = matrix[other][j] / pivot_row[j];
            matrix[other].iter_mut().zip(&pivot_row).for_each(|(entry, p)| *entry -= factor * p);
            matrix[other][j] = 0.0;
        }
        pivots.push((i, j));
    }
    pivots
}

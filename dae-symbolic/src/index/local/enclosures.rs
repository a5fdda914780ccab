//! The prolongation in interval arithmetic.
//!
//! In: a prolongation $g(X) = 0$, jets, and how accurately they are known. Out: enclosures of its residuals, of its
//! Jacobian and of the system Jacobian in a box around them, and whether the equations jump in it.

use dae_runtime::contract::{Jet, Prolongation, Start};

use crate::expr::interval::Interval;
use crate::expr::{ExternalSource, Function};
use crate::index::limits;
use crate::program::{Point, Program};
use crate::prolongation::Prolonged;

/// A sparse matrix of intervals: `(row, column, value)`.
pub(super) type Entries = Vec<(usize, usize, Interval)>;

/// The prolongation in interval arithmetic, at the exact values that the text gives to parameters and fixed jets:
/// decimal fractions are not machine numbers.
pub(crate) struct Enclosures<'a> {
    pub(super) prolonged: &'a Prolonged,
    pub(super) limits: &'a limits::Local,
    t: f64,
    /// Enclosures of the start values.
    start: Vec<Interval>,
}

impl<'a> Enclosures<'a> {
    pub(crate) fn new(prolonged: &'a Prolonged, t: f64, limits: &'a limits::Local) -> Self {
        let mut start = vec![Interval::ENTIRE; prolonged.description.jets.len()];
        let point = Point { t: Interval::point(t), parameters: &prolonged.parameter_enclosures, y: &[], yp: &[] };
        prolonged.start.run(point, &mut Vec::new(), &mut start);
        Enclosures { prolonged, limits, t, start }
    }

    /// Whether there are functions that interpolate tables.
    pub(super) fn has_tables(&self) -> bool {
        let calls = self.prolonged.residual.calls().chain(self.prolonged.jacobian.calls());
        calls.into_iter().any(|call| matches!(call.function.source, ExternalSource::Table(_)))
    }

    /// Computed jets as points, except those that the model fixes: these are enclosures of their values, and the others
    /// are functions of them.
    pub(super) fn midpoint(&self, jets: &[f64]) -> Vec<Interval> {
        let described = self.prolonged.description.jets.iter();
        let fixed = |(jet, &start): (&Jet, &Interval)| (jet.start == Start::Fixed).then_some(start);
        jets.iter().zip(described.zip(&self.start)).map(|(&x, of)| fixed(of).unwrap_or(Interval::point(x))).collect()
    }

    /// A box around jets, its radius relative to each (at least 1); those that are fixed are known.
    pub(crate) fn near(&self, jets: &[f64], radius: f64) -> Vec<Interval> {
        self.boxed(jets, radius, 0.0)
    }

    /// An enclosure of the solutions on all sides of switches: the fixed values with a small margin, so that both
    /// branches of every switch are included, and all other jets anywhere within a huge bound. `None` if a jet is too
    /// large for that.
    pub(crate) fn on_all_sides(&self, jets: &[f64]) -> Option<Vec<Interval>> {
        let limits::Local { side_radius, side_margin, .. } = *self.limits;
        jets.iter().all(|x| x.abs() < side_radius.sqrt()).then(|| self.boxed(jets, side_radius, side_margin))
    }

    fn boxed(&self, jets: &[f64], of_others: f64, of_fixed: f64) -> Vec<Interval> {
        let described = self.prolonged.description.jets.iter();
        let widened = |((&x, middle), jet): ((&f64, Interval), &Jet)| {
            let radius = if jet.start == Start::Fixed { of_fixed } else { of_others };
            middle + around(0.0, radius * x.abs().max(1.0))
        };
        jets.iter().zip(self.midpoint(jets)).zip(described).map(widened).collect()
    }

    /// The rows of $J$ in an enclosure: equations and jets of stage 0 of the prolongation, in the order of the system.
    /// They are $J$ because $\partial f^{(c)} / \partial x^{(d)} = \partial f / \partial x^{(d - c)}$ (Griewank).
    pub(crate) fn system_jacobian(&self, enclosure: &[Interval]) -> Vec<Vec<(usize, Interval)>> {
        let (rows, columns) = top_stage(self.prolonged);
        let mut jacobian = vec![Vec::new(); rows.iter().flatten().count()];
        for (i, j, value) in self.jacobian(enclosure) {
            if let (Some(i), Some(j)) = (rows[i], columns[j]) {
                jacobian[i].push((j, value));
            }
        }
        jacobian
    }

    /// The number of equations of the prolongation.
    pub(super) fn equations(&self) -> usize {
        self.prolonged.description.equations.len()
    }

    fn run(
        &self,
        program: &Program,
        outputs: usize,
        jets: &[Interval],
        watch: impl FnMut(Function, Interval),
    ) -> Vec<Interval> {
        let mut values = vec![Interval::ENTIRE; outputs];
        let point =
            Point { t: Interval::point(self.t), parameters: &self.prolonged.parameter_enclosures, y: jets, yp: &[] };
        program.run_watched(point, &mut Vec::new(), &mut values, watch);
        values
    }

    pub(super) fn residual(&self, jets: &[Interval]) -> Vec<Interval> {
        self.run(&self.prolonged.residual, self.equations(), jets, |_, _| ())
    }

    /// The entries of the Jacobian in the order of its pattern.
    pub(super) fn jacobian_values(&self, jets: &[Interval]) -> Vec<Interval> {
        let entries = self.prolonged.description.jacobian.column_indices.len();
        self.run(&self.prolonged.jacobian, entries, jets, |_, _| ())
    }

    pub(super) fn jacobian(&self, jets: &[Interval]) -> Entries {
        let pattern = &self.prolonged.description.jacobian;
        let values = self.jacobian_values(jets);
        let places = (0..pattern.rows()).flat_map(|row| pattern.row(row).map(move |(column, _)| (row, column)));
        places.zip(values).map(|((row, column), value)| (row, column, value)).collect()
    }

    /// Whether no sign function and no conditional jumps within the enclosure: Krawczyk's operator needs continuous
    /// equations.
    pub(crate) fn is_continuous(&self, enclosure: &[Interval]) -> bool {
        let mut continuous = true;
        self.run(&self.prolonged.residual, self.equations(), enclosure, |function, argument| {
            let jumps = matches!(function, Function::Signum | Function::If);
            continuous &= !(jumps && argument.contains(0.0));
        });
        continuous
    }

    /// Whether the Jacobian covers both branches wherever the enclosure touches a switch: where the enclosure ends at
    /// one, a branch is left out.
    pub(super) fn has_all_branches(&self, enclosure: &[Interval]) -> bool {
        let mut all = true;
        self.run(&self.prolonged.jacobian, self.prolonged.description.jacobian.len(), enclosure, |function, switch| {
            let ends_there = matches!(function, Function::Signum | Function::If) && switch.contains(0.0);
            all &= !(ends_there && (switch.lo() == 0.0 || switch.hi() == 0.0));
        });
        all
    }
}

/// An interval around a number.
pub(super) fn around(x: f64, radius: f64) -> Interval {
    Interval::point(x) + Interval::new(-radius, radius).unwrap_or(Interval::ZERO)
}

/// Positions of equations and jets in the system Jacobian, the block of stage 0; `None` for those of other stages.
pub(super) fn top_stage(prolonged: &Prolonged) -> (Vec<Option<usize>>, Vec<Option<usize>>) {
    let description = prolonged.prolongation_description();
    let positions = |stages: Vec<i32>| {
        let mut next = 0;
        let count = |stage: &i32| {
            (*stage == 0).then(|| {
                next += 1;
                next - 1
            })
        };
        stages.iter().map(count).collect::<Vec<Option<usize>>>()
    };
    let rows = positions(description.equations.iter().map(|e| e.stage).collect());
    let columns = positions(description.jets.iter().map(|j| j.stage).collect());
    (rows, columns)
}

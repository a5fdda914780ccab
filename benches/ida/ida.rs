//! SUNDIALS IDA on formulations, which implement [`Dae`].
//!
//! In: a formulation, tolerances, the linear solver. Out: the state at the end and the seconds of the solve; or the
//! seconds of one factorisation and solve. In a build without SUNDIALS every call fails.

use std::ffi::c_void;
use std::time::Instant;

use dae::Dae;
use dae::runtime::contract::{Kind, Pattern};

/// The linear solver of IDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linear {
    Dense,
    /// KLU.
    Sparse,
}

/// A run of IDA.
pub(crate) struct Ida<'d> {
    pub(crate) form: &'d dyn Dae,
    pub(crate) linear: Linear,
    pub(crate) rtol: f64,
    /// Whether unknowns of index 2 or higher count in IDA's norms; if not, their absolute tolerances are multiplied by
    /// 1e12.
    pub(crate) counts_multipliers: bool,
    pub(crate) first_step: Option<f64>,
}

/// What the callbacks work on: the formulation, and storage for its Jacobians.
struct Context<'d> {
    form: &'d dyn Dae,
    y: Vec<f64>,
    yp: Vec<f64>,
    /// For every entry of $F_y$ and of $F_{y'}$, its place among the values of the iteration matrix.
    of_y: Vec<usize>,
    of_yp: Vec<usize>,
    entries: usize,
}

#[repr(C)]
struct RawProblem {
    context: *mut c_void,
    residual: unsafe extern "C" fn(*mut c_void, f64, *const f64, *const f64, *mut f64),
    matrix: unsafe extern "C" fn(*mut c_void, f64, f64, *const f64, *const f64, *mut f64),
    n: i64,
    entries: i64,
    row_starts: *const i64,
    columns: *const i64,
    values: *mut f64,
}

#[repr(C)]
struct RawOptions {
    sparse: i32,
    rtol: f64,
    atol: *const f64,
    differential: *const f64,
    t0: f64,
    ends: *const f64,
    count: i64,
    first_step: f64,
    index_one: i32,
}

#[repr(C)]
#[derive(Default)]
struct RawCounts {
    steps: i64,
    residuals: i64,
    jacobians: i64,
    rejected: i64,
}

#[cfg(sundials)]
unsafe extern "C" {
    fn ida_solve(
        problem: *mut RawProblem,
        options: *const RawOptions,
        y: *mut f64,
        yp: *mut f64,
        counts: *mut RawCounts,
    ) -> i32;
    fn ida_factor_and_solve(
        problem: *mut RawProblem,
        sparse: i32,
        t: f64,
        c: f64,
        y: *const f64,
        yp: *const f64,
    ) -> f64;
}

/// Stand-ins for the C functions in a build without SUNDIALS: they always fail.
#[cfg(not(sundials))]
mod absent {
    use super::{RawCounts, RawOptions, RawProblem};

    pub(super) unsafe fn ida_solve(
        _: *mut RawProblem,
        _: *const RawOptions,
        _: *mut f64,
        _: *mut f64,
        _: *mut RawCounts,
    ) -> i32 {
        -1
    }

    pub(super) unsafe fn ida_factor_and_solve(
        _: *mut RawProblem,
        _: i32,
        _: f64,
        _: f64,
        _: *const f64,
        _: *const f64,
    ) -> f64 {
        f64::NAN
    }
}
#[cfg(not(sundials))]
use absent::{ida_factor_and_solve, ida_solve};

unsafe extern "C" fn residual(context: *mut c_void, t: f64, y: *const f64, yp: *const f64, out: *mut f64) {
    // SAFETY: the driver passes the context that it was given, and vectors of length `n`.
    unsafe {
        let context = &*context.cast::<Context<'_>>();
        let n = context.form.description().unknowns.len();
        let [y, yp] = [y, yp].map(|values| std::slice::from_raw_parts(values, n));
        context.form.residual(t, y, yp, std::slice::from_raw_parts_mut(out, n));
    }
}

unsafe extern "C" fn matrix(context: *mut c_void, t: f64, c: f64, y: *const f64, yp: *const f64, out: *mut f64) {
    // SAFETY: the driver passes the context that it was given, vectors of length `n`, and space for `entries` values.
    unsafe {
        let context = &mut *context.cast::<Context<'_>>();
        let n = context.form.description().unknowns.len();
        let [y, yp] = [y, yp].map(|values| std::slice::from_raw_parts(values, n));
        context.form.jacobian_y(t, y, yp, &mut context.y);
        context.form.jacobian_yp(t, y, yp, &mut context.yp);
        let out = std::slice::from_raw_parts_mut(out, context.entries);
        out.fill(0.0);
        context.of_y.iter().zip(&context.y).for_each(|(&place, value)| out[place] += value);
        context.of_yp.iter().zip(&context.yp).for_each(|(&place, value)| out[place] += c * value);
    }
}

/// The union of the patterns of both Jacobians, as compressed rows.
struct Rows {
    starts: Vec<i64>,
    columns: Vec<i64>,
}

impl Rows {
    fn of(form: &dyn Dae) -> Rows {
        let description = form.description();
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for row in 0..description.unknowns.len() {
            let both = description.jacobian_y.row(row).chain(description.jacobian_yp.row(row));
            let mut of_row: Vec<i64> = both.map(|(column, _)| column as i64).collect();
            of_row.sort_unstable();
            of_row.dedup();
            columns.extend(of_row);
            starts.push(columns.len() as i64);
        }
        Rows { starts, columns }
    }

    fn places(&self, pattern: &Pattern) -> Vec<usize> {
        let place = |(row, column, _): (usize, usize, usize)| {
            let range = self.starts[row] as usize..self.starts[row + 1] as usize;
            range.start + self.columns[range].binary_search(&(column as i64)).expect("a column of the union")
        };
        pattern.entries().map(place).collect()
    }
}

impl Ida<'_> {
    /// State and derivative at the last of `ends`, and the seconds of the solve; IDA is restarted at each of the
    /// others. `None` if it fails.
    pub(crate) fn solve(&self, t0: f64, y0: &[f64], yp0: &[f64], ends: &[f64]) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        let unknowns = &self.form.description().unknowns;
        let loose = |index: u8| if index >= 2 && !self.counts_multipliers { 1e12 } else { 1.0 };
        let atol: Vec<f64> = unknowns.iter().map(|u| self.rtol * u.nominal * loose(u.index)).collect();
        let differential: Vec<f64> =
            unknowns.iter().map(|u| f64::from(u8::from(u.kind == Kind::Differential))).collect();
        let options = RawOptions {
            sparse: i32::from(self.linear == Linear::Sparse),
            rtol: self.rtol,
            atol: atol.as_ptr(),
            differential: differential.as_ptr(),
            t0,
            ends: ends.as_ptr(),
            count: ends.len() as i64,
            first_step: self.first_step.unwrap_or(0.0),
            index_one: i32::from(unknowns.iter().all(|u| u.index <= 1)),
        };
        let (mut y, mut yp) = (y0.to_vec(), yp0.to_vec());
        let mut counts = RawCounts::default();
        // SAFETY: all pointers are to vectors of the given lengths that live until the call returns.
        let (flag, seconds) = self.with_problem(|problem| unsafe {
            let clock = Instant::now();
            let flag = ida_solve(problem, &options, y.as_mut_ptr(), yp.as_mut_ptr(), &mut counts);
            (flag, clock.elapsed().as_secs_f64())
        });
        (flag >= 0).then_some((y, yp, seconds))
    }

    /// Seconds of one factorisation of $c F_{y'} + F_y$ at $t = 0$ with one solve; `NaN` in a build without SUNDIALS.
    pub(crate) fn factor_and_solve(&self, c: f64, y: &[f64], yp: &[f64]) -> f64 {
        let sparse = i32::from(self.linear == Linear::Sparse);
        // SAFETY: as in `solve`.
        self.with_problem(|problem| unsafe { ida_factor_and_solve(problem, sparse, 0.0, c, y.as_ptr(), yp.as_ptr()) })
    }

    fn with_problem<R>(&self, call: impl FnOnce(*mut RawProblem) -> R) -> R {
        let description = self.form.description();
        let rows = Rows::of(self.form);
        let mut values = vec![0.0; rows.columns.len()];
        let mut context = Context {
            form: self.form,
            y: vec![0.0; description.jacobian_y.len()],
            yp: vec![0.0; description.jacobian_yp.len()],
            of_y: rows.places(&description.jacobian_y),
            of_yp: rows.places(&description.jacobian_yp),
            entries: rows.columns.len(),
        };
        let mut problem = RawProblem {
            context: (&raw mut context).cast(),
            residual,
            matrix,
            n: description.unknowns.len() as i64,
            entries: rows.columns.len() as i64,
            row_starts: rows.starts.as_ptr(),
            columns: rows.columns.as_ptr(),
            values: values.as_mut_ptr(),
        };
        call(&raw mut problem)
    }
}

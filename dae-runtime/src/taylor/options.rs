//! Options of an integration by Taylor series.
//!
//! In: nothing. Out: tolerances, order, bounds, and what is recorded.

/// The order of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// $\lceil -\tfrac12 \ln \mathrm{tol} \rceil + 2$: where the terms of a series decay like $(h / \rho)^k$ with
    /// $h = \rho / e^2$, this many terms reach the tolerance, and the work per unit of time is least (À. Jorba, M. Zou,
    /// *A software package for the numerical integration of ODEs by means of high-order Taylor methods*, Experimental
    /// Mathematics 14 (2005), 99–117, sect. 3.2).
    #[default]
    FromTolerance,
    /// This order, at least 1.
    Fixed(usize),
}

/// How long steps are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum StepSize {
    /// As long as the tolerances allow.
    #[default]
    Controlled,
    /// All of this length, but for the last one; errors are not tested.
    Fixed(f64),
}

/// What a solution keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The values at the ends of steps, and the series of all steps, so that the solution can be evaluated anywhere.
    #[default]
    Series,
    /// The values at the start and at the end.
    Ends,
}

/// Options of an integration by Taylor series.
#[derive(Clone, Debug, PartialEq)]
pub struct TaylorOptions {
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance, as a fraction of the nominal value of each unknown.
    pub atol: f64,
    /// The order.
    pub order: Order,
    /// The length of steps.
    pub step_size: StepSize,
    /// Upper bound on the length of a step.
    pub max_step: f64,
    /// Upper bound on the number of steps.
    pub max_steps: usize,
    /// What is kept.
    pub keep: Keep,
}

impl Default for TaylorOptions {
    fn default() -> Self {
        TaylorOptions {
            rtol: 1e-12,
            atol: 1e-12,
            order: Order::default(),
            step_size: StepSize::default(),
            max_step: f64::INFINITY,
            max_steps: 100_000,
            keep: Keep::default(),
        }
    }
}

/// The highest order.
pub(super) const MAX_ORDER: usize = 100;

impl TaylorOptions {
    /// The order for these tolerances.
    pub fn chosen_order(&self) -> usize {
        match self.order {
            Order::Fixed(order) => order,
            Order::FromTolerance => {
                let tolerance = [self.rtol, self.atol].into_iter().filter(|tol| *tol > 0.0).fold(1.0, f64::min);
                ((-0.5 * tolerance.ln()).ceil() as usize + 2).min(MAX_ORDER)
            }
        }
    }

    /// What is wrong with the options, if anything is.
    pub(super) fn check(&self) -> Result<(), String> {
        if !(0.0..1.0).contains(&self.rtol) {
            return Err(format!("`rtol` is {}, but it must be at least 0 and less than 1", self.rtol));
        }
        if !(0.0..f64::INFINITY).contains(&self.atol) {
            return Err(format!("`atol` is {}, but it must be at least 0, and finite", self.atol));
        }
        if self.rtol == 0.0 && self.atol == 0.0 {
            return Err("`rtol` and `atol` are both 0: at least one must be positive".into());
        }
        match (self.order, self.step_size) {
            (Order::Fixed(order), _) if !(1..=MAX_ORDER).contains(&order) => {
                return Err(format!("the order is {order}, but it must be between 1 and {MAX_ORDER}"));
            }
            (_, StepSize::Fixed(h)) if !(h > 0.0 && h.is_finite()) => {
                return Err(format!("the length of the steps is {h}, but it must be positive"));
            }
            _ => {}
        }
        if self.max_step.is_nan() || self.max_step <= 0.0 {
            return Err(format!("`max_step` is {}, but it must be positive", self.max_step));
        }
        Ok(())
    }
}

//! The recurrences for Taylor coefficients.
//!
//! In: a [`Tape`] and series of the unknowns. Out: the coefficients of all operations, order by order, and the
//! derivatives of the equations with respect to the highest coefficients of the unknowns.
//!
//! With $a(t) = \sum_k a_k t^k$ (R. E. Moore, *Interval Analysis*, 1966, ch. 11; L. B. Rall, *Automatic
//! Differentiation*, 1981, sect. 3.3; A. Griewank, A. Walther, *Evaluating Derivatives*, 2nd ed. 2008, sect. 13.2):
//!
//! | operation | coefficient of order $k$ |
//! |---|---|
//! | $v = a b$ | $v_k = \sum_{j=0}^k a_j b_{k-j}$ |
//! | $v = a / b$ | $v_k = \big( a_k - \sum_{j=1}^k b_j v_{k-j} \big) / b_0$ |
//! | $v = \sqrt a$ | $v_k = \big( a_k - \sum_{j=1}^{k-1} v_j v_{k-j} \big) / 2 v_0$ |
//! | $v = a^r$ | $v_k = \frac{1}{k a_0} \sum_{j=1}^k (r j - k + j)\, a_j v_{k-j}$ |
//! | $\dot v = w \dot a$ | $v_k = \frac1k \sum_{j=1}^k j\, a_j w_{k-j}$ |
//! | $w \dot v = \dot a$ | $v_k = \frac{1}{w_0} \big( a_k - \frac1k \sum_{j=1}^{k-1} j\, v_j w_{k-j} \big)$ |
//! | $v = \operatorname{atan2}(y, x)$, $w = x^2 + y^2$ | $v_k = \frac{1}{k w_0} \big( \sum_{j=1}^k j\, (x_{k-j} y_j - y_{k-j} x_j) - \sum_{j=1}^{k-1} j\, v_j w_{k-j} \big)$ |
//!
//! Each costs $O(k)$ and is linear in the coefficients of order $k > 0$ of its operands, with the partial derivatives of
//! order zero as factors. These give the system Jacobian by one backward pass per equation, and the effect of the
//! unknowns of a stage by one forward pass (Nedialkov & Pryce, *Solving differential-algebraic equations by Taylor
//! series (II): computing the system Jacobian*, BIT 47 (2007), 121–135).

use super::contract::{Jets, Work};
use super::scalar::Scalar;
use super::tape::{Branching, Operation, Place, Slope, Tape};

/// The coefficients of an operation.
fn series<S>(work: &Work<S>, place: Place) -> &[S] {
    &work.coefficients[place * work.width..(place + 1) * work.width]
}

/// $\sum_{j=\mathrm{first}}^{k} a_j b_{k-j}$.
fn convolution<S: Scalar>(a: &[S], b: &[S], first: usize, k: usize) -> S {
    let pairs = a[first..=k].iter().zip(b[..=k - first].iter().rev());
    pairs.fold(S::zero(), |sum, (&a, &b)| sum + a * b)
}

/// $\sum_{j=1}^{\mathrm{last}} j\, a_j b_{k-j}$.
fn slope_convolution<S: Scalar>(a: &[S], b: &[S], last: usize, k: usize) -> S {
    let mut sum = S::zero();
    for j in 1..=last {
        sum += a[j].times(j as f64) * b[k - j];
    }
    sum
}

impl Tape {
    /// Memory for the stages up to `last`, with the operations that do not change in time.
    pub fn work<S: Scalar>(&self, last: usize, parameters: &[S]) -> Work<S> {
        let width = self.description.highest_unknown() + last + 1;
        let count = self.operations.len();
        let mut work = Work { coefficients: vec![S::zero(); count * width], width, scratch: vec![S::zero(); count] };
        for &place in &self.invariant {
            let value = match &self.operations[place] {
                &Operation::Parameter(p) => parameters.get(p).copied().unwrap_or(S::from_f64(f64::NAN)),
                operation => value(&work, operation),
            };
            work.coefficients[place * width] = value;
        }
        work
    }

    /// The start values of the jets; zero where there is none.
    pub fn start_values<S: Scalar>(&self, parameters: &[S], jets: &mut [S]) {
        let work = self.work(0, parameters);
        for (jet, start) in jets.iter_mut().zip(&self.starts) {
            *jet = start.map_or(S::zero(), |place| series(&work, place)[0]);
        }
    }

    /// [`TaylorDae::expand`](super::contract::TaylorDae::expand).
    pub fn expand<S: Scalar>(&self, work: &mut Work<S>, stage: i32, jets: &Jets<S>, residuals: &mut [S]) {
        let width = work.width;
        for &(place, offset) in &self.varying {
            let Ok(k) = usize::try_from(offset as i32 + stage) else { continue };
            let next = match &self.operations[place] {
                Operation::Time => match k {
                    0 => jets.t,
                    1 => S::from_f64(jets.unit),
                    _ => S::zero(),
                },
                &Operation::Jet { unknown, order } => {
                    let factors = (k + 1..=k + order).map(|n| n as f64 / jets.unit);
                    factors.fold(jets.of(unknown)[order + k], S::times)
                }
                operation if k == 0 => value(work, operation),
                operation => coefficient(work, operation, place, k),
            };
            work.coefficients[place * width + k] = next;
        }
        for ((residual, &place), equation) in residuals.iter_mut().zip(&self.equations).zip(&self.description.equations)
        {
            if let Ok(k) = usize::try_from(equation.offset as i32 + stage) {
                *residual = work.coefficients[place * width + k];
            }
        }
    }

    /// [`TaylorDae::taylor_jacobian`](super::contract::TaylorDae::taylor_jacobian), by one backward pass for each
    /// equation.
    pub fn jacobian<S: Scalar>(&self, work: &mut Work<S>, equations: &[usize], values: &mut [S]) {
        for &i in equations {
            let path = &self.paths[i];
            path.iter().for_each(|&place| work.scratch[place] = S::zero());
            work.scratch[self.equations[i]] = S::from_f64(1.0);
            self.description.jacobian.row(i).for_each(|(_, position)| values[position] = S::zero());
            for &place in path {
                let adjoint = work.scratch[place];
                if let Operation::Jet { unknown, .. } = self.operations[place] {
                    let entry = self.description.jacobian.row(i).find(|&(column, _)| column == unknown);
                    entry.into_iter().for_each(|(_, position)| values[position] += adjoint);
                    continue;
                }
                let Work { coefficients, width, scratch } = work;
                partials(coefficients, *width, &self.operations[place], place, |operand, partial| {
                    if self.affected[operand] == self.affected[place] {
                        scratch[operand] += adjoint * partial;
                    }
                });
            }
        }
    }

    /// [`TaylorDae::correct`](super::contract::TaylorDae::correct), by one forward pass.
    pub fn correct<S: Scalar>(&self, work: &mut Work<S>, stage: i32, unit: f64, changes: &[S]) {
        for &(place, offset) in &self.varying {
            let (Some(_), Ok(k)) = (self.affected[place], usize::try_from(offset as i32 + stage)) else { continue };
            let mut change = S::zero();
            match self.operations[place] {
                Operation::Jet { unknown, order } => {
                    change = (k + 1..=k + order).map(|n| n as f64 / unit).fold(changes[unknown], S::times);
                }
                ref operation => {
                    partials(&work.coefficients, work.width, operation, place, |operand, partial| {
                        if self.affected[operand] == self.affected[place] {
                            change += partial * work.scratch[operand];
                        }
                    });
                }
            }
            work.scratch[place] = change;
            work.coefficients[place * work.width + k] += change;
        }
    }
}

/// The coefficient of order zero.
fn value<S: Scalar>(work: &Work<S>, operation: &Operation) -> S {
    let of = |place: Place| series(work, place)[0];
    match *operation {
        Operation::Number(number) => S::from_double_double(number),
        // Written by the caller, who knows them.
        Operation::Parameter(_) | Operation::Time | Operation::Jet { .. } => S::from_f64(f64::NAN),
        Operation::Sum(ref terms) => {
            terms.iter().fold(S::zero(), |sum, &(q, a)| sum + S::from_double_double(q) * of(a))
        }
        Operation::Scaled { factor: a, of: b } | Operation::Product(a, b) => of(a) * of(b),
        Operation::Square(a) => of(a) * of(a),
        Operation::Quotient(a, b) => of(a) / of(b),
        Operation::Sqrt(a) => of(a).sqrt(),
        Operation::Power { base, exponent } => of(base).powf(of(exponent)),
        Operation::Function { function, argument, .. } => of(argument).function(function),
        Operation::Angle { y, x, .. } => of(y).atan2(of(x)),
        Operation::Branch(branching, [a, b, c]) => {
            let (a, b, c, zero) = (of(a), of(b), of(c), S::zero());
            match branching {
                Branching::Abs => a.abs(),
                Branching::Signum => S::from_f64(a.to_f64().signum()),
                Branching::Floor => {
                    // The nearest `f64` may be an integer above.
                    let nearest = S::from_f64(a.to_f64().floor());
                    if nearest > a { nearest - S::from_f64(1.0) } else { nearest }
                }
                Branching::Min if a < b => a,
                Branching::Max if a > b => a,
                Branching::If if a > zero => b,
                Branching::Min | Branching::Max => b,
                Branching::If => c,
            }
        }
    }
}

/// The coefficient of order $k > 0$.
fn coefficient<S: Scalar>(work: &Work<S>, operation: &Operation, place: Place, k: usize) -> S {
    let of = |place: Place| series(work, place);
    let own = of(place);
    let per_k = |sum: S| sum / S::from_f64(k as f64);
    match *operation {
        Operation::Number(_) | Operation::Parameter(_) | Operation::Branch(..) => S::zero(),
        // Written by the caller, who knows them.
        Operation::Time | Operation::Jet { .. } => S::from_f64(f64::NAN),
        Operation::Sum(ref terms) => {
            terms.iter().fold(S::zero(), |sum, &(q, a)| sum + S::from_double_double(q) * of(a)[k])
        }
        Operation::Scaled { factor, of: a } => of(factor)[0] * of(a)[k],
        Operation::Product(a, b) => convolution(of(a), of(b), 0, k),
        Operation::Square(a) => {
            let a = of(a);
            let twice = (0..k.div_ceil(2)).fold(S::zero(), |sum, j| sum + a[j] * a[k - j]).times(2.0);
            if k.is_multiple_of(2) { twice + a[k / 2] * a[k / 2] } else { twice }
        }
        Operation::Quotient(a, b) => (of(a)[k] - convolution(of(b), own, 1, k)) / of(b)[0],
        Operation::Sqrt(a) => {
            let twice = (1..k.div_ceil(2)).fold(S::zero(), |sum, j| sum + own[j] * own[k - j]).times(2.0);
            let known = if k.is_multiple_of(2) { twice + own[k / 2] * own[k / 2] } else { twice };
            (of(a)[k] - known) / own[0].times(2.0)
        }
        Operation::Power { base, exponent } => {
            let (a, r) = (of(base), of(exponent)[0]);
            let mut sum = S::zero();
            for j in 1..=k {
                sum += (r.times(j as f64) - S::from_f64((k - j) as f64)) * a[j] * own[k - j];
            }
            per_k(sum) / a[0]
        }
        Operation::Function { argument, slope, .. } => {
            let a = of(argument);
            match slope {
                Slope::Times(w) => per_k(slope_convolution(a, of(w), k, k)),
                Slope::MinusTimes(w) => -per_k(slope_convolution(a, of(w), k, k)),
                Slope::Over(w) => (a[k] - per_k(slope_convolution(own, of(w), k - 1, k))) / of(w)[0],
                Slope::MinusOver(w) => -(a[k] + per_k(slope_convolution(own, of(w), k - 1, k))) / of(w)[0],
                Slope::None => S::zero(),
            }
        }
        Operation::Angle { y, x, square } => {
            let (y, x, w) = (of(y), of(x), of(square));
            let moment = slope_convolution(y, x, k, k) - slope_convolution(x, y, k, k);
            per_k(moment - slope_convolution(own, w, k - 1, k)) / w[0]
        }
    }
}

/// Calls `each` with every operand of an operation and the derivative with respect to it at order zero.
fn partials<S: Scalar>(
    coefficients: &[S],
    width: usize,
    operation: &Operation,
    place: Place,
    mut each: impl FnMut(Place, S),
) {
    let of = |place: Place| coefficients[place * width];
    let (own, one) = (of(place), S::from_f64(1.0));
    match *operation {
        Operation::Number(_)
        | Operation::Parameter(_)
        | Operation::Time
        | Operation::Jet { .. }
        | Operation::Branch(..) => {}
        Operation::Sum(ref terms) => terms.iter().for_each(|&(q, a)| each(a, S::from_double_double(q))),
        Operation::Scaled { factor, of: a } => each(a, of(factor)),
        Operation::Product(a, b) => {
            each(a, of(b));
            each(b, of(a));
        }
        Operation::Square(a) => each(a, of(a).times(2.0)),
        Operation::Quotient(a, b) => {
            each(a, one / of(b));
            each(b, -own / of(b));
        }
        Operation::Sqrt(a) => each(a, S::from_f64(0.5) / own),
        Operation::Power { base, exponent } => each(base, of(exponent) * own / of(base)),
        Operation::Function { argument, slope, .. } => match slope {
            Slope::Times(w) => each(argument, of(w)),
            Slope::MinusTimes(w) => each(argument, -of(w)),
            Slope::Over(w) => each(argument, one / of(w)),
            Slope::MinusOver(w) => each(argument, -one / of(w)),
            Slope::None => {}
        },
        Operation::Angle { y, x, square } => {
            each(y, of(x) / of(square));
            each(x, -of(y) / of(square));
        }
    }
}

//! Functions that the model does not define by an expression: tables, code of the user's, inputs of the caller.
//!
//! In: a function and how often it is differentiated by each argument. Out: derivatives, values and spellings.
//!
//! A table is a spline and has values everywhere. Code and inputs have none while the model is analysed; a function in general
//! position stands in for them, which takes every value and grows with each of its arguments,
//!
//! $$ f(a) = \kappa + \sum_i \bigl(\beta_i a_i + \tfrac14 \sin(w_i a_i + \varphi_i)\bigr)
//!    + \tfrac14 \sin\Bigl(\sum_i v_i a_i + \psi\Bigr), \qquad 1 \le \beta_i < 2, \quad \tfrac12 \le w_i, v_i < \tfrac32, $$
//!
//! with constants drawn from the function's name. What holds with it holds for almost all functions in its place; proofs by intervals,
//! which are about this very model, are not made from it.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::{Add, Mul};
use std::sync::{Arc, OnceLock};

use dae_runtime::signal::Input;
use dae_runtime::spline::{Spline, SplineError};

use super::Function;
use super::interval::Interval;
use super::prime_field::arithmetic::draw;
use crate::origin::Origin;

/// A function with a name of its own in the model.
#[derive(Debug)]
pub struct External {
    /// Its name; no other function of the model has it.
    pub name: String,
    /// Names of its arguments.
    pub arguments: Vec<String>,
    /// Where its name stands.
    pub origin: Origin,
    /// Where its values come from.
    pub source: Source,
}

/// Where the values of an external function come from.
#[derive(Debug)]
pub enum Source {
    /// Interpolation.
    Table(Table),
    /// A Rust function, and those for its partial derivatives.
    Code(Vec<Derivative>),
    /// Supplied by the caller at run time, as a function of time.
    Input,
    /// Supplied already.
    Supplied(Input),
}

/// A Rust function for a partial derivative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivative {
    /// How often it is differentiated by each argument.
    pub orders: Vec<u32>,
    /// The path of the function.
    pub path: String,
}

/// Points, and the spline through them once its degree is settled.
#[derive(Debug)]
pub struct Table {
    /// The points.
    pub points: Vec<(f64, f64)>,
    spline: OnceLock<Spline>,
}

/// The least degree of the spline of a table.
const CUBIC: usize = 3;

impl Table {
    /// A table.
    ///
    /// # Errors
    /// If there is no cubic spline through the points.
    pub fn new(points: Vec<(f64, f64)>) -> Result<Table, SplineError> {
        Spline::interpolate(&points, CUBIC)?;
        Ok(Table { points, spline: OnceLock::new() })
    }

    /// Settles the degree: the least odd one, at least three, with which the derivative of the given order is continuous. The first
    /// call counts.
    ///
    /// # Errors
    /// If there are too few points for the degree.
    pub fn settle(&self, order: usize) -> Result<(), SplineError> {
        let degree = CUBIC.max((order + 1) | 1);
        let spline = Spline::interpolate(&self.points, degree)?;
        self.spline.get_or_init(|| spline);
        Ok(())
    }

    /// The spline; cubic unless the degree was settled before.
    pub fn spline(&self) -> &Spline {
        // `new` has seen that there is one.
        let cubic =
            || Spline::interpolate(&self.points, CUBIC).unwrap_or(Spline::from_parts(0, &[0.0, 1.0], &[f64::NAN]));
        self.spline.get_or_init(cubic)
    }
}

/// A partial derivative of an external function; of order zero by all arguments it is the function itself.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub function: Arc<External>,
    /// How often it is differentiated by each argument.
    pub orders: Box<[u32]>,
}

impl Call {
    /// The function itself.
    pub fn new(function: Arc<External>) -> Call {
        let orders = vec![0; function.arguments.len()].into();
        Call { function, orders }
    }

    /// The derivative by argument `k`.
    pub fn partial(&self, k: usize) -> Call {
        let mut call = self.clone();
        call.orders[k] += 1;
        call
    }

    /// How often it is differentiated in all.
    pub fn order(&self) -> u32 {
        self.orders.iter().sum()
    }

    /// The Rust function for this derivative, if there is one.
    pub fn path(&self) -> Option<&str> {
        match &self.function.source {
            Source::Code(list) => list.iter().find(|d| *d.orders == *self.orders).map(|d| d.path.as_str()),
            Source::Table(_) | Source::Input | Source::Supplied(_) => None,
        }
    }

    /// The value; for functions without one in this place that of what stands in for them.
    pub fn value(&self, arguments: impl Iterator<Item = f64>) -> f64 {
        let mut arguments = arguments;
        match &self.function.source {
            Source::Table(table) => {
                arguments.next().map_or(f64::NAN, |x| table.spline().derivative(x, self.order() as usize))
            }
            Source::Supplied(input) => {
                arguments.next().map_or(f64::NAN, |t| input.derivative(t, self.order() as usize))
            }
            Source::Code(_) | Source::Input => self.stand_in(arguments),
        }
    }

    /// The value of what stands in, in numbers or in intervals.
    fn stand_in<T: Real>(&self, arguments: impl Iterator<Item = T>) -> T {
        let name = name_key(&self.function.name);
        // Between one half and three halves.
        let number = |kind: u64, k: usize| T::from(0.5 + draw(0, &[name, kind, k as u64]) as f64 / (1u64 << 61) as f64);
        let order = self.order();
        let mut total = if order == 0 { number(0, 0) } else { T::from(0.0) };
        let (mut angle, mut factor) = (number(1, 0), T::from(0.25));
        for (k, (a, &n)) in arguments.zip(self.orders.iter()).enumerate() {
            let (w, v, slope) = (number(2, k), number(3, k), T::from(0.5) + number(5, k));
            // A term of one argument vanishes when it is differentiated by another one.
            if n == order {
                total = total + T::from(0.25) * power(w, n) * (w * a + number(4, k)).sine_derivative(n);
                total = match n {
                    0 => total + slope * a,
                    1 => total + slope,
                    _ => total,
                };
            }
            angle = angle + v * a;
            factor = factor * power(v, n);
        }
        total + factor * angle.sine_derivative(order)
    }

    /// Values on intervals.
    pub(crate) fn enclosure(&self, arguments: &[Interval]) -> Interval {
        match (&self.function.source, arguments) {
            (Source::Table(table), &[argument]) => spline_enclosure(table.spline(), argument, self.order() as usize),
            (Source::Code(_) | Source::Input, _) if !arguments.contains(&Interval::ENTIRE) => {
                self.stand_in(arguments.iter().copied())
            }
            (Source::Table(_) | Source::Code(_) | Source::Input | Source::Supplied(_), _) => Interval::ENTIRE,
        }
    }

    /// What residues of it are drawn from.
    pub(crate) fn key(&self) -> u64 {
        let words: Vec<u64> =
            [name_key(&self.function.name)].into_iter().chain(self.orders.iter().map(|&n| u64::from(n))).collect();
        draw(0, &words)
    }

    /// `mu(x)`, `mu''(x)`, `rho_[1, 0](p, T)`, for an input `der(u, 2)`.
    pub(super) fn text(&self, arguments: &[&str]) -> String {
        let name = &self.function.name;
        let list = arguments.join(", ");
        match (&self.function.source, &*self.orders) {
            (Source::Input | Source::Supplied(_), [0]) => name.clone(),
            (Source::Input | Source::Supplied(_), [1]) => format!("der({name})"),
            (Source::Input | Source::Supplied(_), [n]) => format!("der({name}, {n})"),
            (_, [n @ 0..=3]) => format!("{name}{}({list})", "'".repeat(*n as usize)),
            (_, orders) if orders.iter().all(|&n| n == 0) => format!("{name}({list})"),
            (_, orders) => format!("{name}_{orders:?}({list})"),
        }
    }

    /// What says how often it is differentiated: `″`, `(4)`, `(1, 0)`.
    pub(super) fn marks(&self) -> String {
        match &*self.orders {
            [n @ 0..=3] => ["", "′", "″", "‴"][*n as usize].to_string(),
            orders if orders.iter().all(|&n| n == 0) => String::new(),
            orders => {
                let orders: Vec<String> = orders.iter().map(u32::to_string).collect();
                format!("({})", orders.join(", "))
            }
        }
    }

    /// The same in LaTeX.
    pub(super) fn latex(&self, arguments: &[&str]) -> String {
        let name = format!("\\operatorname{{{}}}", self.function.name.replace('_', "\\_"));
        let list = arguments.join(", ");
        let applied = |head: String| format!("{head}\\left({list}\\right)");
        match &*self.orders {
            [n @ 0..=3] => applied(format!("{name}{}", "'".repeat(*n as usize))),
            orders if orders.iter().all(|&n| n == 0) => applied(name),
            orders => {
                let orders: Vec<String> = orders.iter().map(u32::to_string).collect();
                applied(format!("{name}^{{({})}}", orders.join(",")))
            }
        }
    }
}

/// Numbers and intervals.
trait Real: Copy + Add<Output = Self> + Mul<Output = Self> + From<f64> {
    /// The derivative of the sine of the given order.
    fn sine_derivative(self, order: u32) -> Self;
}

impl Real for f64 {
    fn sine_derivative(self, order: u32) -> f64 {
        match order % 4 {
            0 => self.sin(),
            1 => self.cos(),
            2 => -self.sin(),
            _ => -self.cos(),
        }
    }
}

impl From<f64> for Interval {
    fn from(value: f64) -> Interval {
        Interval::point(value)
    }
}

impl Real for Interval {
    fn sine_derivative(self, order: u32) -> Interval {
        let of = |function| Interval::apply(function, self, self, self);
        match order % 4 {
            0 => of(Function::Sin),
            1 => of(Function::Cos),
            2 => -of(Function::Sin),
            _ => -of(Function::Cos),
        }
    }
}

fn power<T: Real>(base: T, n: u32) -> T {
    (0..n).fold(T::from(1.0), |power, _| power * base)
}

/// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo): the numbers of a stand-in depend on the name alone.
fn name_key(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Pieces beyond this are not looked at one by one.
const MAX_PIECES: usize = 64;

/// The hull over the pieces that the argument meets, each by Horner's scheme.
fn spline_enclosure(spline: &Spline, argument: Interval, order: usize) -> Interval {
    if argument == Interval::ENTIRE {
        return Interval::ENTIRE;
    }
    let (breaks, width) = (spline.breaks(), spline.degree() + 1);
    let (first, last) = (spline.piece(argument.lo()), spline.piece(argument.hi()));
    if last - first >= MAX_PIECES {
        return Interval::ENTIRE;
    }
    let on_piece = |piece: usize| {
        let lo = if piece == first { argument.lo() } else { breaks[piece] };
        let hi = if piece == last { argument.hi() } else { breaks[piece + 1] };
        let Some(part) = Interval::new(lo, hi) else { return Interval::ENTIRE };
        let distance = part - Interval::point(breaks[piece]);
        let coefficients = &spline.coefficients()[piece * width..(piece + 1) * width];
        (order..width).rev().fold(Interval::ZERO, |sum, k| {
            let factor: f64 = (k + 1 - order..=k).map(|j| j as f64).product();
            sum * distance + Interval::point(factor) * Interval::point(coefficients[k])
        })
    };
    (first..=last).map(on_piece).reduce(Interval::hull).unwrap_or(Interval::ENTIRE)
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        self.function.name == other.function.name && self.orders == other.orders
    }
}

impl Eq for Call {}

impl Hash for Call {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.name.hash(state);
        self.orders.hash(state);
    }
}

impl PartialOrd for Call {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Call {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.function.name, &self.orders).cmp(&(&other.function.name, &other.orders))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dag, Symbol, UnknownId, differentiate, evaluate_one, interval::evaluate_interval};
    use super::*;

    #[test]
    fn derivatives_of_stand_ins_are_consistent() {
        let mut dag = Dag::new();
        let symbol = |k| Symbol::Unknown { unknown: UnknownId(k), order: 0 };
        let [x, y] = [0, 1].map(|k| dag.symbol(symbol(k)));
        let function = External {
            name: "rho".into(),
            arguments: vec!["p".into(), "temperature".into()],
            origin: Origin::NONE,
            source: Source::Code(Vec::new()),
        };
        let square = dag.powi(x, 2);
        let f = dag.call(Call::new(Arc::new(function)), &[square, y]);
        let mut derivative = f;
        for k in [0, 1, 1, 0] {
            let at = |h: f64| {
                let value = |s| if s == symbol(k) { 0.4 + h } else { 0.4 };
                evaluate_one(&dag, derivative, value)
            };
            let difference = (at(1e-4) - at(-1e-4)) / 2e-4;
            derivative = differentiate(&mut dag, derivative, symbol(k));
            let exact = evaluate_one(&dag, derivative, |_| 0.4);
            assert!((exact - difference).abs() < 1e-6, "{exact} {difference}");
        }
    }

    #[test]
    fn enclosures_of_stand_ins_contain_values() {
        let mut dag = Dag::new();
        let t = dag.symbol(Symbol::Time);
        let function =
            External { name: "u".into(), arguments: vec!["t".into()], origin: Origin::NONE, source: Source::Input };
        let mut derivative = dag.call(Call::new(Arc::new(function)), &[t]);
        for _ in 0..5 {
            let cell = Interval::new(0.4, 0.5).unwrap();
            let enclosure = evaluate_interval(&dag, &[derivative], |_| cell)[0];
            assert!(enclosure.width() < 1.0);
            for x in [0.4, 0.43, 0.5] {
                assert!(enclosure.contains(evaluate_one(&dag, derivative, |_| x)));
            }
            derivative = differentiate(&mut dag, derivative, Symbol::Time);
        }
    }

    #[test]
    fn a_table_is_differentiated_and_enclosed() {
        let mut dag = Dag::new();
        let symbol = Symbol::Time;
        let t = dag.symbol(symbol);
        let points: Vec<(f64, f64)> = (0..9).map(f64::from).map(|x| (x, x * x * x)).collect();
        let table = Table::new(points).unwrap();
        table.settle(4).unwrap();
        assert_eq!(table.spline().degree(), 5);
        let call = Call::new(Arc::new(External {
            name: "cube".into(),
            arguments: vec!["x".into()],
            origin: Origin::NONE,
            source: Source::Table(table),
        }));
        let cube = dag.call(call, &[t]);
        let second = differentiate(&mut dag, cube, symbol);
        let second = differentiate(&mut dag, second, symbol);
        assert!((evaluate_one(&dag, second, |_| 2.5) - 15.0).abs() < 1e-9);
        let cell = Interval::new(2.25, 4.5).unwrap();
        let enclosure = evaluate_interval(&dag, &[cube], |_| cell)[0];
        for x in [2.25, 3.0, 3.5, 4.0, 4.5] {
            assert!(enclosure.contains(evaluate_one(&dag, cube, |_| x)));
        }
        assert!(enclosure.width() < 200.0);
    }
}

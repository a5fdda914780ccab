//! External functions, which the model does not define by an expression: tables, user code, inputs of the caller.
//!
//! In: a function and the number of times that it is differentiated with respect to each argument. Out: derivatives,
//! values and spellings.
//!
//! A table is a spline and has values everywhere. User code and inputs have none while the model is analysed; in their
//! place stands a function in general position (`stand_in.rs`), which takes every value and grows with each of its
//! arguments. What is found with it holds for almost all functions in its place; proofs by intervals, which are about
//! this particular model, are not made with it.

mod enclosure;
mod spelling;
mod stand_in;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use dae_runtime::signal::Input;
use dae_runtime::spline::{Spline, SplineError};

use super::prime_field::arithmetic::draw;
use crate::origin::Origin;

/// A function with a name of its own in the model.
#[derive(Debug)]
pub struct External {
    /// Its name; no other function of the model has it.
    pub name: String,
    /// Names of its arguments.
    pub arguments: Vec<String>,
    /// Where its name stands in the text.
    pub origin: Origin,
    /// Where its values come from.
    pub source: Source,
}

/// Where the values of an external function come from.
#[derive(Debug)]
pub enum Source {
    /// Interpolation.
    Table(Table),
    /// A Rust function, with Rust functions for its partial derivatives.
    Code(Vec<Derivative>),
    /// Supplied by the caller at run time, as a function of time.
    Input,
    /// An input that the caller has supplied.
    Supplied(Input),
}

/// A Rust function for a partial derivative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivative {
    /// The number of times that it is differentiated with respect to each argument.
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

    /// Settles the degree: the least odd one, at least three, for which the derivative of the given order is
    /// continuous. Once settled, it does not change.
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
        // `new` has made sure that there is one.
        let cubic =
            || Spline::interpolate(&self.points, CUBIC).unwrap_or(Spline::from_parts(0, &[0.0, 1.0], &[f64::NAN]));
        self.spline.get_or_init(cubic)
    }
}

/// A partial derivative of an external function; of order zero with respect to all arguments it is the function itself.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub function: Arc<External>,
    /// The number of times that it is differentiated with respect to each argument.
    pub orders: Box<[u32]>,
}

impl Call {
    /// The function itself.
    pub fn new(function: Arc<External>) -> Call {
        let orders = vec![0; function.arguments.len()].into();
        Call { function, orders }
    }

    /// The derivative with respect to argument `k`.
    pub fn partial(&self, k: usize) -> Call {
        let mut call = self.clone();
        call.orders[k] += 1;
        call
    }

    /// The total number of times that it is differentiated.
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

    /// The value; that of the stand-in for functions without values during the analysis.
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

    /// The key from which its residues are drawn.
    pub(crate) fn key(&self) -> u64 {
        let words: Vec<u64> =
            [name_key(&self.function.name)].into_iter().chain(self.orders.iter().map(|&n| u64::from(n))).collect();
        draw(0, &words)
    }
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

/// The FNV-1a hash of a name (G. Fowler, L. C. Noll, K.-P. Vo): the constants of a stand-in depend on the name alone.
fn name_key(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests;

//! Expressions as operations of Taylor arithmetic.
//!
//! In: expressions, children first. Out: a list of operations ([`Operation`]), each once, with a place for every
//! expression. Sums, products and powers are operations themselves; a function is entered with the operation that gives
//! its slope:
//!
//! | function | slope |
//! |---|---|
//! | $\exp$, $\mathrm{expm1}$ | $\dot v = e^a \dot a$ |
//! | $\ln$, $\mathrm{ln1p}$ | $a \dot v = \dot a$, $(1 + a) \dot v = \dot a$; other logarithms are multiples |
//! | $\sin$, $\cos$; $\sinh$, $\cosh$ | each the slope of the other |
//! | $\tan$, $\tanh$ | $\dot v = (1 \pm v^2) \dot a$ |
//! | $\arcsin$, $\arccos$ | $\sqrt{1 - a^2}\, \dot v = \pm \dot a$ |
//! | $\operatorname{arsinh}$, $\operatorname{arcosh}$ | $\sqrt{a^2 \pm 1}\, \dot v = \dot a$ |
//! | $\arctan$, $\operatorname{artanh}$ | $(1 \pm a^2) \dot v = \dot a$ |
//! | $a^{1/3}$ | $3 v^2 \dot v = \dot a$ |
//!
//! $a^b$ is $e^{b \ln a}$ where $b$ changes in time.

use std::collections::BTreeMap;

use dae_runtime::taylor::DoubleDouble;
use dae_runtime::taylor::tape::{Branching, Function as Value, Operation, Place, Slope};

use crate::expr::{Call, Dag, Expr, Function, Node, Rational, Symbol, reachable};

/// An expression that has no operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// A function of something that changes in time, defined by branches.
    Branches(Function),
    /// A function that the model does not define.
    External(String),
    /// A leaf of another stage of the pipeline.
    Leaf(Symbol),
}

/// Operations under construction.
#[derive(Debug, Default)]
pub(super) struct Operations {
    pub(super) list: Vec<Operation>,
    /// The place of each expression.
    places: BTreeMap<Expr, Place>,
    /// $\sin a$ and $\cos a$, or $\sinh a$ and $\cosh a$, of a place.
    pairs: BTreeMap<(bool, Place), (Place, Place)>,
    /// $a^n$ for $n > 1$.
    powers: BTreeMap<(Place, u32), Place>,
}

impl Operations {
    /// Adds what the roots need; their places. The error names the expression at fault.
    pub(super) fn add(&mut self, dag: &Dag, roots: &[Expr]) -> Result<Vec<Place>, (Expr, Obstacle)> {
        for expr in reachable(dag, roots.iter().copied()) {
            if !self.places.contains_key(&expr) {
                let place = self.node(dag, expr).map_err(|obstacle| (expr, obstacle))?;
                self.places.insert(expr, place);
            }
        }
        Ok(roots.iter().map(|root| self.places[root]).collect())
    }

    fn push(&mut self, operation: Operation) -> Place {
        self.list.push(operation);
        self.list.len() - 1
    }

    fn number(&mut self, n: i32) -> Place {
        self.push(Operation::Number(DoubleDouble::from(f64::from(n))))
    }

    fn node(&mut self, dag: &Dag, expr: Expr) -> Result<Place, Obstacle> {
        let place = |operations: &Operations, e: Expr| operations.places[&e];
        let operation = match dag.node(expr) {
            Node::Constant(q) => Operation::Number(double_double(q)),
            Node::Pi => Operation::Number(DoubleDouble::PI),
            Node::Euler => Operation::Number(DoubleDouble::E),
            Node::Symbol(Symbol::Time) => Operation::Time,
            Node::Symbol(Symbol::Parameter(p)) => Operation::Parameter(p.index()),
            &Node::Symbol(Symbol::Unknown { unknown, order }) => {
                Operation::Jet { unknown: unknown.index(), order: order as usize }
            }
            &Node::Symbol(symbol @ (Symbol::Input { .. } | Symbol::State(_) | Symbol::StateDerivative(_))) => {
                return Err(Obstacle::Leaf(symbol));
            }
            Node::Sum { constant, terms } => {
                let mut list: Vec<(DoubleDouble, Place)> =
                    terms.iter().map(|(q, t)| (double_double(q), place(self, *t))).collect();
                if !constant.is_zero() {
                    list.push((double_double(constant), self.number(1)));
                }
                Operation::Sum(list)
            }
            Node::Product(factors) => return Ok(self.product(dag, factors)),
            Node::Call(Call { function, .. }, _) => return Err(Obstacle::External(function.name.clone())),
            Node::Apply(function, arguments) => {
                let changes = arguments.iter().any(|&a| !dag.is_time_invariant(a));
                let places: Vec<Place> = arguments.iter().map(|&a| place(self, a)).collect();
                return match function.is_piecewise() {
                    true if changes => Err(Obstacle::Branches(*function)),
                    _ => Ok(self.function(
                        *function,
                        &places,
                        arguments.last().is_some_and(|&b| dag.is_time_invariant(b)),
                        changes,
                    )),
                };
            }
        };
        Ok(self.push(operation))
    }

    /// $\prod_k b_k^{n_k}$, what is constant in time apart from the rest.
    fn product(&mut self, dag: &Dag, factors: &[(Expr, i32)]) -> Place {
        let mut side = |is_constant: bool, sign: i32| -> Option<Place> {
            let chosen = factors.iter().filter(|(b, n)| dag.is_time_invariant(*b) == is_constant && n * sign > 0);
            chosen.fold(None, |product, &(base, n)| {
                let power = self.power(self.places[&base], n.unsigned_abs());
                Some(match product {
                    Some(product) if product == power => self.push(Operation::Square(power)),
                    Some(product) => self.push(Operation::Product(product, power)),
                    None => power,
                })
            })
        };
        let [constant, inverse_constant] = [1, -1].map(|sign| side(true, sign));
        let [above, below] = [1, -1].map(|sign| side(false, sign));
        let constant = match (constant, inverse_constant) {
            (constant, None) => constant,
            (Some(a), Some(b)) => Some(self.push(Operation::Quotient(a, b))),
            (None, Some(b)) => {
                let one = self.number(1);
                Some(self.push(Operation::Quotient(one, b)))
            }
        };
        match (constant, above, below) {
            (None, None, None) => self.number(1),
            (Some(factor), None, None) => factor,
            (None, Some(above), None) => above,
            (Some(factor), Some(of), None) => self.push(Operation::Scaled { factor, of }),
            (None, None, Some(below)) => {
                let one = self.number(1);
                self.push(Operation::Quotient(one, below))
            }
            (Some(factor), None, Some(below)) => self.push(Operation::Quotient(factor, below)),
            (None, Some(above), Some(below)) => self.push(Operation::Quotient(above, below)),
            (Some(factor), Some(of), Some(below)) => {
                let above = self.push(Operation::Scaled { factor, of });
                self.push(Operation::Quotient(above, below))
            }
        }
    }

    /// $a^n$, $n > 0$, by squaring and multiplying: it holds where $a$ vanishes as well.
    fn power(&mut self, base: Place, n: u32) -> Place {
        if n == 1 {
            return base;
        }
        if let Some(&known) = self.powers.get(&(base, n)) {
            return known;
        }
        let half = self.power(base, n / 2);
        let square = self.push(Operation::Square(half));
        let power = if n.is_multiple_of(2) { square } else { self.push(Operation::Product(square, base)) };
        self.powers.insert((base, n), power);
        power
    }

    fn apply(&mut self, function: Value, argument: Place, slope: Slope) -> Place {
        self.push(Operation::Function { function, argument, slope })
    }

    /// $q_0 + q\, a^2$.
    fn with_square(&mut self, constant: i32, q: i32, a: Place) -> Place {
        let (square, one) = (self.power(a, 2), self.number(1));
        let number = |n: i32| DoubleDouble::from(f64::from(n));
        self.push(Operation::Sum(vec![(number(q), square), (number(constant), one)]))
    }

    /// A function whose slope is an operation of the function itself, which follows it.
    fn with_own_slope(&mut self, function: Value, a: Place, slope: impl Fn(&mut Self, Place) -> Slope) -> Place {
        let place = self.apply(function, a, Slope::None);
        let slope = slope(self, place);
        self.list[place] = Operation::Function { function, argument: a, slope };
        place
    }

    /// Two functions, each the slope of the other.
    fn pair(&mut self, is_hyperbolic: bool, a: Place) -> (Place, Place) {
        if let Some(&known) = self.pairs.get(&(is_hyperbolic, a)) {
            return known;
        }
        let (odd, even, minus): (Value, Value, fn(Place) -> Slope) = match is_hyperbolic {
            true => (Value::Sinh, Value::Cosh, Slope::Times),
            false => (Value::Sin, Value::Cos, Slope::MinusTimes),
        };
        let first = self.list.len();
        self.apply(odd, a, Slope::Times(first + 1));
        self.apply(even, a, minus(first));
        self.pairs.insert((is_hyperbolic, a), (first, first + 1));
        (first, first + 1)
    }

    /// A function of arguments that stand already; `is_last_constant` says whether the last one is constant in time,
    /// `changes` whether any of them is not.
    fn function(&mut self, function: Function, arguments: &[Place], is_last_constant: bool, changes: bool) -> Place {
        let a = arguments[0];
        let b = *arguments.get(1).unwrap_or(&a);
        let branch = |branching| Operation::Branch(branching, [a, b, *arguments.get(2).unwrap_or(&a)]);
        match function {
            Function::Sqrt => self.push(Operation::Sqrt(a)),
            Function::Cbrt => self.with_own_slope(Value::Cbrt, a, |operations, own| {
                let square = operations.power(own, 2);
                Slope::Over(operations.push(Operation::Sum(vec![(DoubleDouble::from(3.0), square)])))
            }),
            Function::Exp => self.with_own_slope(Value::Exp, a, |_, own| Slope::Times(own)),
            Function::ExpM1 => {
                let exponential = self.with_own_slope(Value::Exp, a, |_, own| Slope::Times(own));
                self.apply(Value::ExpM1, a, Slope::Times(exponential))
            }
            Function::Ln => self.apply(Value::Ln, a, Slope::Over(a)),
            Function::Log10 => self.logarithm(10, a),
            Function::Log2 => self.logarithm(2, a),
            Function::Ln1p => {
                let one = self.number(1);
                let more = self.push(Operation::Sum(vec![(DoubleDouble::ONE, a), (DoubleDouble::ONE, one)]));
                self.apply(Value::Ln1p, a, Slope::Over(more))
            }
            Function::Sin => self.pair(false, a).0,
            Function::Cos => self.pair(false, a).1,
            Function::Sinh => self.pair(true, a).0,
            Function::Cosh => self.pair(true, a).1,
            Function::Tan => {
                self.with_own_slope(Value::Tan, a, |operations, own| Slope::Times(operations.with_square(1, 1, own)))
            }
            Function::Tanh => {
                self.with_own_slope(Value::Tanh, a, |operations, own| Slope::Times(operations.with_square(1, -1, own)))
            }
            Function::Asin | Function::Acos => {
                let square = self.with_square(1, -1, a);
                let root = self.push(Operation::Sqrt(square));
                match function {
                    Function::Asin => self.apply(Value::Asin, a, Slope::Over(root)),
                    _ => self.apply(Value::Acos, a, Slope::MinusOver(root)),
                }
            }
            Function::Asinh | Function::Acosh => {
                let (value, constant) =
                    if function == Function::Asinh { (Value::Asinh, 1) } else { (Value::Acosh, -1) };
                let square = self.with_square(constant, 1, a);
                let root = self.push(Operation::Sqrt(square));
                self.apply(value, a, Slope::Over(root))
            }
            Function::Atan | Function::Atanh => {
                let (value, q) = if function == Function::Atan { (Value::Atan, 1) } else { (Value::Atanh, -1) };
                let square = self.with_square(1, q, a);
                self.apply(value, a, Slope::Over(square))
            }
            Function::Atan2 | Function::Hypot => {
                let squares = [a, b].map(|place| (DoubleDouble::ONE, self.power(place, 2)));
                let square = self.push(Operation::Sum(squares.to_vec()));
                match function {
                    Function::Hypot => self.push(Operation::Sqrt(square)),
                    _ => self.push(Operation::Angle { y: a, x: b, square }),
                }
            }
            Function::Powf if is_last_constant || !changes => self.push(Operation::Power { base: a, exponent: b }),
            Function::Powf => {
                let logarithm = self.apply(Value::Ln, a, Slope::Over(a));
                let exponent = self.push(Operation::Product(b, logarithm));
                self.with_own_slope(Value::Exp, exponent, |_, own| Slope::Times(own))
            }
            Function::Abs => self.push(branch(Branching::Abs)),
            Function::Signum => self.push(branch(Branching::Signum)),
            Function::Floor => self.push(branch(Branching::Floor)),
            Function::Min => self.push(branch(Branching::Min)),
            Function::Max => self.push(branch(Branching::Max)),
            Function::If => self.push(branch(Branching::If)),
        }
    }

    /// $\ln a / \ln n$.
    fn logarithm(&mut self, base: i32, a: Place) -> Place {
        let base = self.number(base);
        let whole = self.apply(Value::Ln, base, Slope::None);
        let one = self.number(1);
        let factor = self.push(Operation::Quotient(one, whole));
        let of = self.apply(Value::Ln, a, Slope::Over(a));
        self.push(Operation::Scaled { factor, of })
    }
}

/// The nearest sum of two `f64`.
pub(super) fn double_double(q: &Rational) -> DoubleDouble {
    let high = q.to_f64();
    let low = exact(high).map_or(0.0, |high| q.sub(&high).to_f64());
    DoubleDouble::of_sum(high, low)
}

/// A floating-point number as a rational one; `None` if it is not finite.
fn exact(x: f64) -> Option<Rational> {
    const FRACTION: u32 = 52;
    if !x.is_finite() {
        return None;
    }
    let bits = x.to_bits();
    let exponent = ((bits >> FRACTION) & 0x7ff) as i32;
    let fraction = (bits & ((1 << FRACTION) - 1)) as i64;
    // Subnormal numbers have no leading one.
    let (mantissa, exponent) = if exponent == 0 { (fraction, 1) } else { (fraction | (1 << FRACTION), exponent) };
    let signed = if x < 0.0 { -mantissa } else { mantissa };
    Some(Rational::from(signed).mul(&Rational::from(2).powi(exponent - 1075)?))
}

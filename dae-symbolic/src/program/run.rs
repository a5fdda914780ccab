//! The interpreter's inner loop.
//!
//! In: a program, the point, and scratch space of one number per instruction. Out: the values of the outputs, in
//! floating-point numbers (the same operations in the same order as generated code), or as intervals or Taylor models
//! that contain them.

use super::affine::{AffineNumber, for_each_point};
use super::{Block, Instruction, Load, Program};
use crate::expr::interval::{self, Interval, TaylorModel};
use crate::expr::{Call, Function, product, sum};

/// The point at which a program runs.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a, A = f64> {
    /// Time.
    pub t: A,
    /// Parameters.
    pub parameters: &'a [A],
    /// $y$, or the jets.
    pub y: &'a [A],
    /// $y'$.
    pub yp: &'a [A],
}

/// The arithmetic that a program computes in.
pub trait Arithmetic: Copy {
    /// A number of the model, given as the nearest floating-point number.
    fn constant(value: f64) -> Self;
    /// A floating-point number that is meant exactly.
    fn given(value: f64) -> Self;
    /// A number that depends on the loop indices.
    fn affine(number: &AffineNumber, indices: &[i64]) -> Self;
    /// $\pi$.
    fn pi() -> Self;
    /// $e$.
    fn euler() -> Self;
    /// $q_0 + \sum_k q_k r_k$.
    fn sum(constant: f64, terms: impl Iterator<Item = (f64, Self)>) -> Self;
    /// $\prod_k r_k^{n_k}$.
    fn product(factors: impl Iterator<Item = (Self, i32)>) -> Self;
    /// A function that the model does not define by an expression.
    fn call(call: &Call, arguments: impl Iterator<Item = Self>) -> Self;
    /// A function of the operator table.
    fn apply(function: Function, a: Self, b: Self, c: Self) -> Self;
    /// The sum of two numbers.
    fn plus(self, other: Self) -> Self;
}

impl Arithmetic for f64 {
    fn constant(value: f64) -> f64 {
        value
    }

    fn given(value: f64) -> f64 {
        value
    }

    fn affine(number: &AffineNumber, indices: &[i64]) -> f64 {
        number.at(indices)
    }

    fn pi() -> f64 {
        std::f64::consts::PI
    }

    fn euler() -> f64 {
        std::f64::consts::E
    }

    fn sum(constant: f64, terms: impl Iterator<Item = (f64, f64)>) -> f64 {
        sum(constant, terms)
    }

    fn product(factors: impl Iterator<Item = (f64, i32)>) -> f64 {
        product(factors)
    }

    fn call(call: &Call, arguments: impl Iterator<Item = f64>) -> f64 {
        call.value(arguments)
    }

    fn apply(function: Function, a: f64, b: f64, c: f64) -> f64 {
        function.value(a, b, c)
    }

    fn plus(self, other: f64) -> f64 {
        self + other
    }
}

/// Whether a number of a program is that of the model: integers are, unless neighbouring integers are equal in `f64`;
/// other numbers are replaced by the nearest floating-point number.
pub fn is_exact(value: f64) -> bool {
    value == value.trunc() && value.abs() <= (1_i64 << 53) as f64
}

/// The arithmetic of a type of enclosures, with its evaluation of the functions of the operator table and of those that
/// the model does not define by an expression.
macro_rules! arithmetic_of_enclosures {
    ($enclosure:ident, $apply:ident, $call:ident) => {
        impl Arithmetic for $enclosure {
            fn constant(value: f64) -> $enclosure {
                if is_exact(value) { $enclosure::point(value) } else { $enclosure::around(value, 1) }
            }

            fn given(value: f64) -> $enclosure {
                $enclosure::point(value)
            }

            fn affine(number: &AffineNumber, indices: &[i64]) -> $enclosure {
                let numerator = $enclosure::point(number.numerator.at(indices) as f64);
                if number.denominator == 1 {
                    numerator
                } else {
                    numerator / $enclosure::point(number.denominator as f64)
                }
            }

            fn pi() -> $enclosure {
                $enclosure::PI
            }

            fn euler() -> $enclosure {
                $enclosure::E
            }

            fn sum(constant: f64, terms: impl Iterator<Item = (f64, $enclosure)>) -> $enclosure {
                terms.fold($enclosure::constant(constant), |sum, (q, value)| {
                    sum + if q == 1.0 { value } else { $enclosure::constant(q) * value }
                })
            }

            fn product(factors: impl Iterator<Item = ($enclosure, i32)>) -> $enclosure {
                factors.fold($enclosure::point(1.0), |product, (base, n)| product * base.powi(n))
            }

            fn call(call: &Call, arguments: impl Iterator<Item = $enclosure>) -> $enclosure {
                call.$call(&arguments.collect::<Vec<_>>())
            }

            fn apply(function: Function, a: $enclosure, b: $enclosure, c: $enclosure) -> $enclosure {
                interval::$apply(function, a, b, c)
            }

            fn plus(self, other: $enclosure) -> $enclosure {
                self + other
            }
        }
    };
}

arithmetic_of_enclosures!(Interval, apply, enclosure_with_stand_in);
arithmetic_of_enclosures!(TaylorModel, apply_along, taylor_model);

impl Program {
    /// Runs the program. `scratch` grows to the number of registers once and is then reused.
    pub fn run<A: Arithmetic>(&self, point: Point<'_, A>, scratch: &mut Vec<A>, outputs: &mut [A]) {
        self.run_watched(point, scratch, outputs, |_, _| ());
    }

    /// Runs the program; `watch` is called for every function that is applied, with its first argument.
    pub fn run_watched<A: Arithmetic>(
        &self,
        point: Point<'_, A>,
        scratch: &mut Vec<A>,
        outputs: &mut [A],
        mut watch: impl FnMut(Function, A),
    ) {
        if scratch.len() < self.registers() {
            scratch.resize(self.registers(), A::constant(0.0));
        }
        let (totals, scratch) = scratch.split_at_mut(self.totals);
        totals.fill(A::constant(0.0));
        for block in &self.blocks {
            for_each_point(&block.domain, |indices| block.run(point, indices, totals, scratch, outputs, &mut watch));
        }
    }
}

impl Block {
    /// Runs the instructions at one point of the box.
    fn run<A: Arithmetic>(
        &self,
        point: Point<'_, A>,
        indices: &[i64],
        totals: &mut [A],
        scratch: &mut [A],
        outputs: &mut [A],
        watch: &mut impl FnMut(Function, A),
    ) {
        for (register, instruction) in self.instructions.iter().enumerate() {
            scratch[register] = match instruction {
                Instruction::Constant(value) => A::constant(*value),
                Instruction::Pi => A::pi(),
                Instruction::Euler => A::euler(),
                Instruction::Number(number) => A::affine(number, indices),
                Instruction::Load(Load::Time) => point.t,
                Instruction::Load(Load::Parameter(p)) => point.parameters[p.position(indices)],
                Instruction::Load(Load::Y(p)) => point.y[p.position(indices)],
                Instruction::Load(Load::Yp(p)) => point.yp[p.position(indices)],
                Instruction::Load(Load::Total(p)) => totals[p.position(indices)],
                Instruction::Sum { constant, terms } => A::sum(*constant, terms.iter().map(|&(q, r)| (q, scratch[r]))),
                Instruction::Product(factors) => A::product(factors.iter().map(|&(r, n)| (scratch[r], n))),
                Instruction::Call(call, arguments) => A::call(call, arguments.iter().map(|&r| scratch[r])),
                Instruction::Apply(function, arguments) => {
                    let a = scratch[arguments[0]];
                    watch(*function, a);
                    let other = |k: usize| arguments.get(k).map_or(a, |&b| scratch[b]);
                    A::apply(*function, a, other(1), other(2))
                }
            };
        }
        for total in &self.totals {
            let place = total.place.position(indices);
            totals[place] = totals[place].plus(scratch[total.register]);
        }
        for output in &self.outputs {
            outputs[output.place.position(indices)] = scratch[output.register];
        }
    }
}

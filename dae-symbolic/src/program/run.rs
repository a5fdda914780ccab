//! The interpreter's inner loop.
//!
//! In: a program, the point, and scratch space of one number per instruction. Out: the values of the outputs.

use super::{Instruction, Load, Program};
use crate::expr::power;

/// The point at which a program runs.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Time.
    pub t: f64,
    /// Parameters.
    pub parameters: &'a [f64],
    /// $y$, or the jets.
    pub y: &'a [f64],
    /// $y'$.
    pub yp: &'a [f64],
}

impl Program {
    /// Runs the program. `scratch` grows to the number of instructions once and is then reused.
    pub fn run(&self, point: Point<'_>, scratch: &mut Vec<f64>, outputs: &mut [f64]) {
        if scratch.len() < self.instructions.len() {
            scratch.resize(self.instructions.len(), 0.0);
        }
        for (register, instruction) in self.instructions.iter().enumerate() {
            scratch[register] = match instruction {
                Instruction::Constant(value) => *value,
                Instruction::Pi => std::f64::consts::PI,
                Instruction::Euler => std::f64::consts::E,
                Instruction::Load(Load::Time) => point.t,
                Instruction::Load(Load::Parameter(i)) => point.parameters[*i],
                Instruction::Load(Load::Y(i)) => point.y[*i],
                Instruction::Load(Load::Yp(i)) => point.yp[*i],
                Instruction::Sum { constant, terms } => sum(*constant, terms, scratch),
                Instruction::Product(factors) => product(factors, scratch),
                Instruction::Apply(function, arguments) => {
                    let a = scratch[arguments[0]];
                    function.value(a, arguments.get(1).map_or(a, |&b| scratch[b]))
                }
            };
        }
        for (output, &register) in outputs.iter_mut().zip(&self.outputs) {
            *output = scratch[register];
        }
    }
}

fn sum(constant: f64, terms: &[(f64, usize)], values: &[f64]) -> f64 {
    let (first, rest) = match terms {
        [first, rest @ ..] => (first.0 * values[first.1], rest),
        [] => return constant,
    };
    let total = rest.iter().fold(first, |sum, &(q, r)| sum + q * values[r]);
    if constant == 0.0 { total } else { total + constant }
}

fn product(factors: &[(usize, i32)], values: &[f64]) -> f64 {
    let side = |positive: bool| {
        let powers = factors.iter().filter(|(_, n)| (*n > 0) == positive);
        powers.map(|&(r, n)| power(values[r], n.unsigned_abs())).reduce(|a, b| a * b)
    };
    match (side(true), side(false)) {
        (Some(numerator), None) => numerator,
        (numerator, denominator) => numerator.unwrap_or(1.0) / denominator.unwrap_or(1.0),
    }
}

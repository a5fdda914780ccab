//! The interpreter's inner loop.
//!
//! In: a program, the point, and scratch space of one number per instruction. Out: the values of the outputs.

use super::{Instruction, Load, Program};
use crate::expr::{product, sum};

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
                Instruction::Sum { constant, terms } => sum(*constant, terms.iter().map(|&(q, r)| (q, scratch[r]))),
                Instruction::Product(factors) => product(factors.iter().map(|&(r, n)| (scratch[r], n))),
                Instruction::Call(call, arguments) => call.value(arguments.iter().map(|&r| scratch[r])),
                Instruction::Apply(function, arguments) => {
                    let a = scratch[arguments[0]];
                    let other = |k: usize| arguments.get(k).map_or(a, |&b| scratch[b]);
                    function.value(a, other(1), other(2))
                }
            };
        }
        for (output, &register) in outputs.iter_mut().zip(&self.outputs) {
            *output = scratch[register];
        }
    }
}

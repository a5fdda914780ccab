//! The interpreter's inner loop.
//!
//! In: a program, the point, and scratch space of one number per instruction. Out: the values of the outputs.

use super::affine::for_each_point;
use super::{Block, Instruction, Load, Program};
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
    /// Runs the program. `scratch` grows to the number of registers once and is then reused.
    pub fn run(&self, point: Point<'_>, scratch: &mut Vec<f64>, outputs: &mut [f64]) {
        if scratch.len() < self.registers() {
            scratch.resize(self.registers(), 0.0);
        }
        let (totals, scratch) = scratch.split_at_mut(self.totals);
        totals.fill(0.0);
        for block in &self.blocks {
            for_each_point(&block.domain, |indices| block.run(point, indices, totals, scratch, outputs));
        }
    }
}

impl Block {
    /// Runs the instructions at one point of the box.
    fn run(&self, point: Point<'_>, indices: &[i64], totals: &mut [f64], scratch: &mut [f64], outputs: &mut [f64]) {
        for (register, instruction) in self.instructions.iter().enumerate() {
            scratch[register] = match instruction {
                Instruction::Constant(value) => *value,
                Instruction::Pi => std::f64::consts::PI,
                Instruction::Euler => std::f64::consts::E,
                Instruction::Number(number) => number.at(indices),
                Instruction::Load(Load::Time) => point.t,
                Instruction::Load(Load::Parameter(p)) => point.parameters[p.position(indices)],
                Instruction::Load(Load::Y(p)) => point.y[p.position(indices)],
                Instruction::Load(Load::Yp(p)) => point.yp[p.position(indices)],
                Instruction::Load(Load::Total(p)) => totals[p.position(indices)],
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
        for total in &self.totals {
            totals[total.place.position(indices)] += scratch[total.register];
        }
        for output in &self.outputs {
            outputs[output.place.position(indices)] = scratch[output.register];
        }
    }
}

//! The body of a loop.
//!
//! In: the operations that the instances of classes share, with positions and numbers as affine functions of the loop
//! indices. Out: instructions; operations that several classes over the same box share are computed once.

use std::collections::HashMap;

use super::super::affine::{Affine, AffineNumber};
use super::super::{Instruction, Register};
use super::shape::{Number, Operation, Shaped};
use crate::expr::Rational;

/// Instructions of a loop body, each different from the others.
#[derive(Default)]
pub(in crate::program) struct Template {
    pub(in crate::program) instructions: Vec<Instruction>,
    /// Registers by the spelling of the instruction, which distinguishes any two instructions.
    known: HashMap<String, Register>,
}

/// The entries that instructions take from the lists of their class, in order.
struct Places<'a> {
    addresses: std::slice::Iter<'a, Affine>,
    numbers: std::iter::Zip<std::slice::Iter<'a, AffineNumber>, std::slice::Iter<'a, Rational>>,
}

/// A number of a template.
enum Value {
    Fixed(f64),
    Varying(Register),
}

impl Template {
    /// Adds the instructions of a class with the given first instance. Returns the register of each operation.
    pub(in crate::program) fn add(
        &mut self,
        shaped: &Shaped,
        addresses: &[Affine],
        numbers: &[AffineNumber],
    ) -> Vec<Register> {
        let mut places = Places { addresses: addresses.iter(), numbers: numbers.iter().zip(&shaped.numbers) };
        let mut registers: Vec<Register> = Vec::with_capacity(shaped.operations.len());
        for operation in &shaped.operations {
            let register = self.instruction(operation, &mut places, &registers);
            registers.push(register);
        }
        registers
    }

    /// The number of an instruction, old or new.
    fn intern(&mut self, instruction: Instruction) -> Register {
        let next = self.instructions.len();
        let register = *self.known.entry(format!("{instruction:?}")).or_insert(next);
        if register == next {
            self.instructions.push(instruction);
        }
        register
    }

    fn instruction(&mut self, operation: &Operation, places: &mut Places<'_>, registers: &[Register]) -> Register {
        let instruction = match operation {
            Operation::Number(number) => match self.value(number, places) {
                Value::Fixed(value) => Instruction::Constant(value),
                Value::Varying(register) => return register,
            },
            Operation::Pi => Instruction::Pi,
            Operation::Euler => Instruction::Euler,
            Operation::Load(load) => {
                Instruction::Load(load.map(|()| places.addresses.next().cloned().unwrap_or_else(|| Affine::fixed(0))))
            }
            Operation::Sum { terms, constant } => {
                let terms = terms.iter().map(|(number, term)| (number, registers[*term]));
                return self.sum(terms, constant.as_ref(), places);
            }
            Operation::Product(factors) => {
                Instruction::Product(factors.iter().map(|&(factor, n)| (registers[factor], n)).collect())
            }
            Operation::Call(call, arguments) => {
                Instruction::Call(call.clone(), arguments.iter().map(|&argument| registers[argument]).collect())
            }
            Operation::Apply(function, arguments) => {
                Instruction::Apply(*function, arguments.iter().map(|&argument| registers[argument]).collect())
            }
        };
        self.intern(instruction)
    }

    fn value(&mut self, number: &Number, places: &mut Places<'_>) -> Value {
        match number {
            Number::Exact(value) => Value::Fixed(value.to_distinct_f64()),
            Number::Place => match places.numbers.next() {
                Some((number, first)) if number.numerator.is_fixed() => Value::Fixed(first.to_distinct_f64()),
                Some((number, _)) => Value::Varying(self.intern(Instruction::Number(number.clone()))),
                None => Value::Fixed(f64::NAN),
            },
        }
    }

    /// A sum; where a coefficient depends on the indices, its term becomes a product, which is computed alike.
    fn sum<'n>(
        &mut self,
        terms: impl Iterator<Item = (&'n Number, Register)>,
        constant: Option<&Number>,
        places: &mut Places<'_>,
    ) -> Register {
        let mut list: Vec<(f64, Register)> = Vec::new();
        for (number, term) in terms {
            list.push(match self.value(number, places) {
                Value::Fixed(q) => (q, term),
                Value::Varying(q) => (1.0, self.intern(Instruction::Product(vec![(q, 1), (term, 1)]))),
            });
        }
        let constant = match constant.map(|number| self.value(number, places)) {
            None => 0.0,
            Some(Value::Fixed(value)) => value,
            Some(Value::Varying(register)) => {
                list.push((1.0, register));
                0.0
            }
        };
        self.intern(Instruction::Sum { constant, terms: list })
    }
}

//! An instance of a family as an item to roll.
//!
//! In: the expressions of the instance. Out: their operations in order, without positions and numbers
//! ([`Shaped::operations`], in which instances have to agree), and the positions and numbers that were left out, in
//! order of their places.

use std::collections::HashMap;

use super::super::{Load, Register, Unplaced};
use super::order::{Order, TimeInvariantFirst};
use crate::expr::{Call, Expr, Function, Node, Rational};

/// A number that may differ from instance to instance, or one that is too large to be taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::program) enum Number {
    /// The next of the numbers left out.
    Place,
    /// This number.
    Exact(Rational),
}

/// An instruction without positions and numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::program) enum Operation {
    Number(Number),
    Pi,
    Euler,
    /// The position is the next of the addresses left out.
    Load(Load<()>),
    Sum {
        terms: Vec<(Number, Register)>,
        constant: Option<Number>,
    },
    Product(Vec<(Register, i32)>),
    Apply(Function, Vec<Register>),
    Call(Call, Vec<Register>),
}

/// An instance taken apart.
pub(in crate::program) struct Shaped {
    pub(in crate::program) operations: Vec<Operation>,
    /// The registers of the roots.
    pub(in crate::program) outputs: Vec<Register>,
    pub(in crate::program) addresses: Vec<i64>,
    pub(in crate::program) numbers: Vec<Rational>,
    /// The expressions of the registers.
    pub(in crate::program) expressions: Vec<Expr>,
}

impl Shaped {
    /// Takes the expressions `roots` of one instance apart.
    pub(in crate::program) fn new(order: &mut Order<'_>, roots: &[Expr]) -> Result<Shaped, Unplaced> {
        Shaped::up_to(order, roots, usize::MAX)
    }

    /// Takes the expressions of one instance apart, giving up with an empty result beyond `most` operations, so that
    /// many large expressions cost no more than many small ones.
    pub(super) fn up_to(order: &mut Order<'_>, roots: &[Expr], most: usize) -> Result<Shaped, Unplaced> {
        order.prepare(roots);
        let mut entered = 0;
        let mut shaped = Shaped::nothing();
        let mut registers: HashMap<Expr, Register> = HashMap::new();
        let mut stack: Vec<(Expr, Visit)> = roots.iter().rev().map(|&root| (root, Visit::Enter)).collect();
        while let Some((expr, visit)) = stack.pop() {
            if registers.contains_key(&expr) {
                continue;
            }
            let children = children(order, expr);
            match visit {
                Visit::Enter if !children.is_empty() => {
                    entered += 1;
                    if entered > most {
                        return Ok(Shaped::nothing());
                    }
                    stack.push((expr, Visit::Leave));
                    stack.extend(children.into_iter().rev().map(|child| (child, Visit::Enter)));
                }
                Visit::Enter | Visit::Leave => {
                    let operation = shaped.operation(order, expr, &registers)?;
                    // A sum may have added operations that load totals.
                    registers.insert(expr, shaped.operations.len());
                    shaped.operations.push(operation);
                    shaped.expressions.push(expr);
                }
            }
        }
        shaped.outputs = roots.iter().map(|root| registers[root]).collect();
        Ok(shaped)
    }

    pub(super) fn nothing() -> Shaped {
        Shaped {
            operations: Vec::new(),
            outputs: Vec::new(),
            addresses: Vec::new(),
            numbers: Vec::new(),
            expressions: Vec::new(),
        }
    }

    /// Multiplies the only root by a number.
    pub(super) fn scale(&mut self, q: &Rational) {
        if self.outputs.is_empty() {
            return;
        }
        let number = self.number(q);
        for (output, expr) in self.outputs.iter_mut().zip(self.expressions.last().copied()) {
            self.operations.push(Operation::Sum { terms: vec![(number.clone(), *output)], constant: None });
            self.expressions.push(expr);
            *output = self.operations.len() - 1;
        }
    }

    fn number(&mut self, value: &Rational) -> Number {
        if value.to_machine().is_none() {
            return Number::Exact(value.clone());
        }
        self.numbers.push(value.clone());
        Number::Place
    }

    fn operation(
        &mut self,
        order: &Order<'_>,
        expr: Expr,
        registers: &HashMap<Expr, Register>,
    ) -> Result<Operation, Unplaced> {
        Ok(match order.dag().node(expr) {
            Node::Constant(value) => Operation::Number(self.number(value)),
            Node::Pi => Operation::Pi,
            Node::Euler => Operation::Euler,
            Node::Symbol(symbol) => {
                let load = order.load(*symbol).ok_or(Unplaced::Symbol(*symbol))?;
                Operation::Load(load.map(|&position| self.addresses.push(position as i64)))
            }
            Node::Sum { constant, terms } => {
                let (totals, terms) = match order.totals(expr) {
                    Some((totals, rest)) => (totals, rest.iter().map(|&k| terms[k].clone()).collect()),
                    None => (&[][..], terms.to_vec()),
                };
                let operands: Vec<Expr> = terms.iter().map(|&(_, t)| t).collect();
                let places = order.operands(&operands, TimeInvariantFirst::No);
                let total = |&total: &usize| {
                    self.addresses.push(total as i64);
                    self.operations.push(Operation::Load(Load::Total(())));
                    self.expressions.push(expr);
                    (Number::Exact(Rational::ONE), self.operations.len() - 1)
                };
                let mut sum: Vec<(Number, Register)> = totals.iter().map(total).collect();
                sum.extend(places.into_iter().map(|k| (self.number(&terms[k].0), registers[&operands[k]])));
                let terms = sum;
                let constant = (!constant.is_zero()).then(|| self.number(constant));
                Operation::Sum { terms, constant }
            }
            Node::Product(factors) => {
                let operands: Vec<Expr> = factors.iter().map(|&(b, _)| b).collect();
                let places = order.operands(&operands, TimeInvariantFirst::InProducts).into_iter();
                Operation::Product(places.map(|k| (registers[&operands[k]], factors[k].1)).collect())
            }
            Node::Call(call, arguments) => {
                Operation::Call(call.clone(), arguments.iter().map(|argument| registers[argument]).collect())
            }
            Node::Apply(function, arguments) => {
                Operation::Apply(*function, arguments.iter().map(|argument| registers[argument]).collect())
            }
        })
    }
}

#[derive(Clone, Copy)]
enum Visit {
    Enter,
    Leave,
}

/// The operands in the order in which they are computed.
fn children(order: &Order<'_>, expr: Expr) -> Vec<Expr> {
    let mut operands: Vec<Expr> = order.dag().children(expr).collect();
    if let Some((_, rest)) = order.totals(expr) {
        operands = rest.iter().map(|&k| operands[k]).collect();
    }
    match order.dag().node(expr) {
        Node::Sum { .. } => {
            order.operands(&operands, TimeInvariantFirst::No).into_iter().map(|k| operands[k]).collect()
        }
        Node::Product(_) => {
            order.operands(&operands, TimeInvariantFirst::InProducts).into_iter().map(|k| operands[k]).collect()
        }
        Node::Constant(_) | Node::Pi | Node::Euler | Node::Symbol(_) | Node::Apply(..) | Node::Call(..) => operands,
    }
}

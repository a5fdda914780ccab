//! Expressions scheduled for evaluation.
//!
//! In: roots in a [`Dag`] and where each symbol is found at run time. Out: a [`Program`], a list of instructions
//! without reference to the DAG: children first, every shared sub-expression once. The interpreter runs it
//! ([`Program::run`]), code generation spells it; both do the same operations in the same order.
//!
//! A [`Derivative`] is a program for the nonzero entries of a Jacobian with the sparsity pattern they stand in.

mod derivative;
mod run;

pub use derivative::Derivative;
pub use run::Point;

use std::collections::HashMap;

use crate::expr::{Call, Dag, Expr, Function, Node, Symbol, reachable};

/// Where a symbol is found when the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Load {
    /// The time.
    Time,
    /// An entry of the parameter vector.
    Parameter(usize),
    /// An entry of $y$ (of the jet vector, for a prolongation).
    Y(usize),
    /// An entry of $y'$.
    Yp(usize),
}

/// Number of an instruction; its value has the same number.
pub type Register = usize;

/// One operation. Operands are earlier instructions.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// A number.
    Constant(f64),
    /// $\pi$.
    Pi,
    /// $e$.
    Euler,
    /// A value from outside.
    Load(Load),
    /// $\sum_k q_k r_k + q_0$, summed in this order; a zero $q_0$ is not added.
    Sum {
        /// $q_0$.
        constant: f64,
        /// $(q_k, r_k)$.
        terms: Vec<(f64, Register)>,
    },
    /// $\prod_{n_k > 0} r_k^{n_k} \big/ \prod_{n_k < 0} r_k^{-n_k}$, multiplied in this order.
    Product(Vec<(Register, i32)>),
    /// A function of the operator table.
    Apply(Function, Vec<Register>),
    /// A function that the model does not define by an expression.
    Call(Call, Vec<Register>),
}

impl Instruction {
    /// The registers it reads.
    pub fn operands(&self) -> impl Iterator<Item = Register> + '_ {
        let (terms, factors, arguments): (&[_], &[_], &[_]) = match self {
            Instruction::Constant(_) | Instruction::Pi | Instruction::Euler | Instruction::Load(_) => (&[], &[], &[]),
            Instruction::Sum { terms, .. } => (terms, &[], &[]),
            Instruction::Product(factors) => (&[], factors, &[]),
            Instruction::Apply(_, arguments) | Instruction::Call(_, arguments) => (&[], &[], arguments),
        };
        let terms = terms.iter().map(|&(_, r): &(f64, Register)| r);
        terms.chain(factors.iter().map(|&(r, _): &(Register, i32)| r)).chain(arguments.iter().copied())
    }
}

/// A straight-line program.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Program {
    /// The instructions, operands before users.
    pub instructions: Vec<Instruction>,
    /// The registers of the roots, in their order.
    pub outputs: Vec<Register>,
    /// Names of sub-expressions that the model names, by register.
    pub names: Vec<(Register, String)>,
}

/// A symbol without a place at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unplaced(pub Symbol);

impl Program {
    /// Schedules the roots; `names` are the sub-expressions with a name of their own.
    pub fn new(
        dag: &Dag,
        roots: &[Expr],
        names: &[(Expr, String)],
        load: impl Fn(Symbol) -> Option<Load>,
    ) -> Result<Program, Unplaced> {
        let order = reachable(dag, roots.iter().copied());
        let register: HashMap<Expr, Register> = order.iter().enumerate().map(|(r, &e)| (e, r)).collect();
        let mut instructions = Vec::with_capacity(order.len());
        for &expr in &order {
            instructions.push(match dag.node(expr) {
                Node::Constant(q) => Instruction::Constant(q.to_f64()),
                Node::Pi => Instruction::Pi,
                Node::Euler => Instruction::Euler,
                Node::Symbol(symbol) => Instruction::Load(load(*symbol).ok_or(Unplaced(*symbol))?),
                Node::Sum { constant, terms } => Instruction::Sum {
                    constant: constant.to_f64(),
                    terms: terms.iter().map(|(q, t)| (q.to_f64(), register[t])).collect(),
                },
                Node::Product(factors) => {
                    Instruction::Product(factors.iter().map(|(b, n)| (register[b], *n)).collect())
                }
                Node::Call(call, arguments) => {
                    Instruction::Call(call.clone(), arguments.iter().map(|a| register[a]).collect())
                }
                Node::Apply(function, arguments) => {
                    Instruction::Apply(*function, arguments.iter().map(|a| register[a]).collect())
                }
            });
        }
        let names = names.iter().filter_map(|(e, name)| Some((*register.get(e)?, name.clone()))).collect();
        Ok(Program { instructions, outputs: roots.iter().map(|e| register[e]).collect(), names })
    }

    /// How often each register is read, by instructions or as an output.
    pub fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.instructions.len()];
        let reads = self.instructions.iter().flat_map(Instruction::operands).chain(self.outputs.iter().copied());
        for register in reads {
            uses[register] += 1;
        }
        uses
    }
}

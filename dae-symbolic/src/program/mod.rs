//! Expressions scheduled for evaluation.
//!
//! In: roots in a [`Dag`] and where each symbol is found at run time. Out: a [`Program`], blocks of instructions
//! without reference to the DAG: children first, every shared sub-expression once. The interpreter runs it
//! ([`Program::run`]), code generation spells it; both do the same operations in the same order.
//!
//! Equations that are not families are blocks without loops. The instances of a family become a block that runs
//! through a box of indices, with positions and numbers that are affine in them ([`roll`]), so that the size of a
//! program is in proportion to the model's text.
//!
//! A [`Derivative`] is a program for the nonzero entries of a Jacobian with the sparsity pattern they stand in.

pub mod affine;
mod derivative;
mod families;
pub mod roll;
mod run;

pub use derivative::Derivative;
pub use families::Rows;
pub use run::{Arithmetic, Point, is_exact};

use std::collections::HashMap;

use crate::expr::{Call, Dag, Expr, Function, Node, Symbol, reachable};
use crate::model::Torn;
use affine::{Affine, AffineNumber, Range};

/// Where a symbol is found when the program runs. Positions are numbers for one symbol, and affine functions of the
/// loop indices in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Load<P = usize> {
    /// The time.
    Time,
    /// An entry of the parameter vector.
    Parameter(P),
    /// An entry of $y$ (of the jet vector, for a prolongation).
    Y(P),
    /// An entry of $y'$.
    Yp(P),
    /// A sum that earlier blocks of the program have accumulated.
    Total(P),
}

impl<P> Load<P> {
    /// The load from the same vector at another position.
    pub fn map<Q>(&self, position: impl FnOnce(&P) -> Q) -> Load<Q> {
        match self {
            Load::Time => Load::Time,
            Load::Parameter(p) => Load::Parameter(position(p)),
            Load::Y(p) => Load::Y(position(p)),
            Load::Yp(p) => Load::Yp(position(p)),
            Load::Total(p) => Load::Total(position(p)),
        }
    }

    /// A number that identifies the vector.
    fn kind(&self) -> u64 {
        match self {
            Load::Time => 1,
            Load::Parameter(_) => 2,
            Load::Y(_) => 3,
            Load::Yp(_) => 4,
            Load::Total(_) => 5,
        }
    }
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
    /// A number that depends on the loop indices.
    Number(AffineNumber),
    /// A value from outside.
    Load(Load<Affine>),
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
    /// The registers that the instruction reads.
    pub fn operands(&self) -> impl Iterator<Item = Register> + '_ {
        let (terms, factors, arguments): (&[_], &[_], &[_]) = match self {
            Instruction::Constant(_)
            | Instruction::Pi
            | Instruction::Euler
            | Instruction::Number(_)
            | Instruction::Load(_) => (&[], &[], &[]),
            Instruction::Sum { terms, .. } => (terms, &[], &[]),
            Instruction::Product(factors) => (&[], factors, &[]),
            Instruction::Apply(_, arguments) | Instruction::Call(_, arguments) => (&[], &[], arguments),
        };
        let terms = terms.iter().map(|&(_, r): &(f64, Register)| r);
        terms.chain(factors.iter().map(|&(r, _): &(Register, i32)| r)).chain(arguments.iter().copied())
    }
}

/// A result: which register, and where it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The register.
    pub register: Register,
    /// The position among the results.
    pub place: Affine,
}

/// Straight-line instructions, carried out for every point of a box of loop indices.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Block {
    /// The loops, outermost first; none for equations that are not families.
    pub domain: Vec<Range>,
    /// The instructions, operands before users.
    pub instructions: Vec<Instruction>,
    /// The values that are stored.
    pub outputs: Vec<Output>,
    /// The values that are added to totals, whose places no loop index changes.
    pub totals: Vec<Output>,
    /// Names of sub-expressions that the model names, by register.
    pub names: Vec<(Register, String)>,
}

/// A program: blocks one after the other. Every result is stored by exactly one of them; totals are complete before
/// they are read.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Program {
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The number of totals, which start at zero.
    pub totals: usize,
}

/// Why there is no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unplaced {
    /// A symbol has no place at run time.
    Symbol(Symbol),
    /// The members of an excerpt do not determine those left out.
    Torn,
}

impl From<Torn> for Unplaced {
    fn from(Torn: Torn) -> Self {
        Unplaced::Torn
    }
}

impl Program {
    /// Schedules roots that are not families, as one block; `names` are the sub-expressions with a name of their own.
    pub fn new(
        dag: &Dag,
        roots: &[Expr],
        names: &[(Expr, String)],
        load: impl Fn(Symbol) -> Option<Load>,
    ) -> Result<Program, Unplaced> {
        let roots: Vec<(usize, Expr)> = roots.iter().copied().enumerate().collect();
        Ok(Program { blocks: vec![Block::scalar(dag, &roots, names, &load)?], totals: 0 })
    }

    /// The calls of functions that the model does not define by an expression.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        let instructions = self.blocks.iter().flat_map(|block| &block.instructions);
        instructions.filter_map(|instruction| match instruction {
            Instruction::Call(call, _) => Some(call),
            _ => None,
        })
    }

    /// The calls of functions that the model does not define by an expression, mutably.
    pub fn calls_mut(&mut self) -> impl Iterator<Item = &mut Call> {
        let instructions = self.blocks.iter_mut().flat_map(|block| &mut block.instructions);
        instructions.filter_map(|instruction| match instruction {
            Instruction::Call(call, _) => Some(call),
            _ => None,
        })
    }

    /// The number of values that exist at the same time.
    pub fn registers(&self) -> usize {
        self.totals + self.blocks.iter().map(|block| block.instructions.len()).max().unwrap_or(0)
    }

    /// The number of instructions of all blocks.
    pub fn instructions(&self) -> usize {
        self.blocks.iter().map(|block| block.instructions.len()).sum()
    }
}

impl Block {
    /// Schedules roots, each with the place of its value.
    fn scalar(
        dag: &Dag,
        roots: &[(usize, Expr)],
        names: &[(Expr, String)],
        load: &dyn Fn(Symbol) -> Option<Load>,
    ) -> Result<Block, Unplaced> {
        let order = reachable(dag, roots.iter().map(|&(_, root)| root));
        let register: HashMap<Expr, Register> = order.iter().enumerate().map(|(r, &e)| (e, r)).collect();
        let mut instructions = Vec::with_capacity(order.len());
        for &expr in &order {
            instructions.push(match dag.node(expr) {
                Node::Constant(q) => Instruction::Constant(q.to_distinct_f64()),
                Node::Pi => Instruction::Pi,
                Node::Euler => Instruction::Euler,
                Node::Symbol(symbol) => Instruction::Load(
                    load(*symbol).ok_or(Unplaced::Symbol(*symbol))?.map(|&position| Affine::fixed(position)),
                ),
                Node::Sum { constant, terms } => Instruction::Sum {
                    constant: constant.to_distinct_f64(),
                    terms: terms.iter().map(|(q, t)| (q.to_distinct_f64(), register[t])).collect(),
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
        let outputs =
            roots.iter().map(|(place, e)| Output { register: register[e], place: Affine::fixed(*place) }).collect();
        Ok(Block { domain: Vec::new(), instructions, outputs, totals: Vec::new(), names })
    }
}

//! The `let` statements of a block.
//!
//! In: instructions. Out: which of them get a `let`, under which name, and the spelling of every register.

use super::super::names::{Names, Numbers, identifier, load_name, unique};
use super::super::rolled::spell_number;
use super::Body;
use super::layout::assignment;
use super::spelling::{Binding, Spelling, Spells};
use crate::expr::Function;
use crate::model::derivative_name;
use crate::program::affine::Affine;
use crate::program::{Instruction, Load, Register};
use crate::spelling::indices::index_names;

/// Expressions nested more deeply than this are cut by a `let` even if they are used once, for the sake of readers and
/// compilers; each level repeats the text of those within.
const MAX_DEPTH: usize = 32;

impl Body<'_> {
    /// The `let` statements, and the spelling of every register.
    pub(super) fn statements(
        &mut self,
        code: &mut String,
        load: impl Fn(&Names, &Load<Affine>) -> String,
    ) -> Vec<Spelling> {
        let bound = self.bound_registers();
        let mut spelled: Vec<Spelling> = Vec::with_capacity(self.block.instructions.len());
        for register in 0..self.block.instructions.len() {
            let spelling = match &self.block.instructions[register] {
                Instruction::Load(place) => Spelling::atom(load(self.names, place)),
                _ => self.spell(register, &spelled),
            };
            if bound[register] {
                let name = self.temporary(register, &spelled);
                code.push_str(&assignment(&name, &spelling.text));
                spelled.push(Spelling::atom(name));
            } else {
                spelled.push(spelling);
            }
        }
        spelled
    }

    /// Which registers get a `let`.
    pub(super) fn bound_registers(&self) -> Vec<bool> {
        let mut uses = vec![0; self.block.instructions.len()];
        for instruction in &self.block.instructions {
            match instruction {
                // Squares and cubes are spelled as products, which repeat the base.
                Instruction::Product(factors) => {
                    for &(r, n) in factors {
                        uses[r] += if matches!(n.unsigned_abs(), 2 | 3) { 2 } else { 1 };
                    }
                }
                _ => instruction.operands().for_each(|r| uses[r] += 1),
            }
        }
        self.block.outputs.iter().chain(&self.block.totals).for_each(|output| uses[output.register] += 1);
        self.block.names.iter().for_each(|&(r, _)| uses[r] += 1);
        let leaf = |i: &Instruction| match i {
            Instruction::Constant(_) | Instruction::Pi | Instruction::Euler | Instruction::Load(_) => true,
            Instruction::Number(_)
            | Instruction::Sum { .. }
            | Instruction::Product(_)
            | Instruction::Apply(..)
            | Instruction::Call(..) => false,
        };
        let mut bound = Vec::with_capacity(uses.len());
        let mut depth: Vec<usize> = Vec::with_capacity(uses.len());
        for (instruction, uses) in self.block.instructions.iter().zip(uses) {
            let within = instruction.operands().map(|r| depth[r]).max().unwrap_or(0);
            let is_bound = !leaf(instruction) && (uses > 1 || within >= MAX_DEPTH);
            depth.push(if is_bound { 0 } else { within + 1 });
            bound.push(is_bound);
        }
        bound
    }

    /// A name for a shared sub-expression: the model's own, one that says what it is, or `s1`, `s2`, ….
    pub(super) fn temporary(&mut self, register: Register, spelled: &[Spelling]) -> String {
        if let Some((_, name)) = self.block.names.iter().find(|(r, _)| *r == register) {
            return unique(&mut self.taken, &identifier(name));
        }
        let simple = |r: Register| {
            let text = &spelled[r].text;
            let word = text.chars().all(|c| c.is_alphanumeric() || c == '_');
            (word && text.chars().next().is_some_and(char::is_alphabetic) && text.len() <= 12).then(|| text.clone())
        };
        let telling = match &self.block.instructions[register] {
            Instruction::Product(factors) => match factors.as_slice() {
                &[(r, 2)] => simple(r).map(|base| format!("{base}_squared")),
                _ => None,
            },
            Instruction::Sum { constant, terms } => match terms.as_slice() {
                &[(2.0, r)] if *constant == 0.0 => simple(r).map(|base| format!("twice_{base}")),
                _ => None,
            },
            Instruction::Call(call, _) => Some(identifier(&derivative_name(&call.function.name, call.order()))),
            Instruction::Apply(function, arguments) => match arguments.as_slice() {
                &[r] => simple(r).map(|argument| format!("{}_{argument}", function.name())),
                _ => None,
            },
            _ => None,
        };
        match telling {
            Some(name) => unique(&mut self.taken, &name),
            None => {
                self.count += 1;
                while self.taken.contains(&format!("s{}", self.count)) {
                    self.count += 1;
                }
                unique(&mut self.taken, &format!("s{}", self.count))
            }
        }
    }

    pub(super) fn spell(&self, register: Register, spelled: &[Spelling]) -> Spelling {
        let spells = Spells { numbers: self.names.numbers, spelled };
        match &self.block.instructions[register] {
            Instruction::Constant(value) => spells.number(*value),
            Instruction::Pi => spells.constant("PI"),
            Instruction::Euler => spells.constant("E"),
            Instruction::Load(load) => Spelling::atom(load_name(self.names, load)),
            Instruction::Number(number) => {
                let indices = index_names(self.block.domain.len());
                spells.of_indices(number, &spell_number(number, &indices))
            }
            Instruction::Sum { constant, terms } => spells.sum(*constant, terms),
            Instruction::Product(factors) => spells.product(factors),
            Instruction::Call(call, arguments) => {
                let arguments: Vec<&str> = arguments.iter().map(|&r| spelled[r].text.as_str()).collect();
                Spelling::atom(self.names.call(call, &arguments, &self.inputs))
            }
            Instruction::Apply(Function::If, arguments) => spells.choice(&self.block.instructions, arguments),
            Instruction::Apply(function, arguments) => {
                let receiver = match &self.block.instructions[arguments[0]] {
                    // A literal needs its type before a method can be called on it.
                    Instruction::Constant(value) if self.names.numbers == Numbers::Floating => {
                        format!("({value:?}_f64)")
                    }
                    _ => spelled[arguments[0]].within(Binding::Atom),
                };
                let rest = arguments.get(1).map_or("", |&r| spelled[r].text.as_str());
                Spelling::atom(format!("{receiver}.{}({rest})", function.name()))
            }
        }
    }
}

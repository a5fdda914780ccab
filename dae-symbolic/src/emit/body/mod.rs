//! A program as the body of a method.
//!
//! In: a block of a program, and names. Out: `let` statements and the statements that store the results. A
//! sub-expression that is not a leaf gets a `let` if it would be spelled more than once, has a name in the model, or
//! nests too deeply; everything else is spelled in place. The operations and their order are those of
//! [`Program::run`](crate::program::Program::run).
//!
//! | file | what |
//! |---|---|
//! | `statements.rs` | which sub-expressions get a `let`, and under which name |
//! | `part.rs` | a block in its loops, if a program has several or its model has families |
//! | `spelling.rs` | operations as Rust |
//! | `layout.rs` | lines of readable length |
//! | `comments.rs` | what names stand for if they are not the model's own |

mod comments;
mod layout;
mod part;
mod spelling;
mod statements;

use std::collections::{BTreeSet, HashSet};

use self::comments::{altered, kind_of};
use self::layout::{array, assignment, destructure};
use super::items::docs;
use super::names::{Names, identifier, load_name, unique};
use crate::model::Numbering;
use crate::program::affine::Affine;
use crate::program::{Block, Instruction, Load};

/// The names of results.
pub(super) struct Labels {
    /// `(name, mathematics)`; where the latter is empty, no comment is written.
    pub(super) list: Vec<(String, String)>,
    /// The positions of the listed results among all of them.
    pub(super) places: Numbering,
}

impl Labels {
    fn at(&self, place: usize) -> Option<&(String, String)> {
        self.list.get(self.places.position(place)?)
    }
}

/// How results are stored. In a part of a method, each is stored on its own, and only `Named` makes a difference.
#[derive(Clone, Copy)]
pub(super) enum Outputs<'a> {
    /// `values.copy_from_slice(&[...])`.
    Array,
    /// `values.copy_from_slice(&[...])`, with a new line for each matrix row; the slice says where the rows start.
    Rows(&'a [usize]),
    /// A named and documented `let` per result, before it is stored.
    Named(&'a Labels),
}

/// The names of the arguments of a part of a method.
pub(super) struct Slots {
    pub(super) t: String,
    pub(super) y: String,
    pub(super) yp: String,
    pub(super) parameters: String,
    pub(super) totals: String,
    pub(super) out: String,
}

impl Slots {
    fn of(&self, load: &Load<Affine>) -> &str {
        match load {
            Load::Time => &self.t,
            Load::Parameter(_) => &self.parameters,
            Load::Y(_) => &self.y,
            Load::Yp(_) => &self.yp,
            Load::Total(_) => &self.totals,
        }
    }
}

pub(super) struct Body<'a> {
    names: &'a Names,
    block: &'a Block,
    taken: HashSet<String>,
    /// The expression for the inputs that the caller supplies.
    inputs: String,
    /// The last number used in the names `s1`, `s2`, …; 0 before the first.
    count: usize,
}

impl<'a> Body<'a> {
    pub(super) fn new(names: &'a Names, block: &'a Block) -> Self {
        let inputs = format!("self.{}", names.input_path());
        Body { names, block, taken: names.taken(), inputs, count: 0 }
    }

    /// The body of a part of a method: values other than time get their names when they are read.
    pub(super) fn part(names: &'a Names, block: &'a Block) -> Self {
        let taken = HashSet::from(["self".to_string(), "inputs".to_string(), names.time.clone()]);
        Body { names, block, taken, inputs: "inputs".to_string(), count: 0 }
    }

    /// Reserves an identifier for an argument of the method; time has its name already.
    pub(super) fn reserve(&mut self, wanted: &str) -> String {
        if wanted == "time" { self.names.time.clone() } else { unique(&mut self.taken, wanted) }
    }

    /// The body of a method of one block: it reads all values from their slices first, and stores all results last.
    pub(super) fn finish(mut self, slots: &[String; 4], outputs: Outputs<'_>) -> String {
        let mut code = self.loads(slots);
        let spelled = self.statements(&mut code, load_name);
        let results: Vec<&str> = self.block.outputs.iter().map(|o| spelled[o.register].text.as_str()).collect();
        code.push_str(&self.store(&slots[3], &results, outputs));
        code
    }

    /// Reserves names for the arguments of a part of a method.
    pub(super) fn slots(&mut self, names: [&str; 4]) -> Slots {
        let [t, y, yp, out] = names.map(|name| self.reserve(name));
        Slots { t, y, yp, parameters: self.reserve("parameters"), totals: self.reserve("totals"), out }
    }

    /// Statements that bind names to the values that the block reads from outside.
    fn loads(&self, slots: &[String; 4]) -> String {
        let loads: BTreeSet<Load> = self.block.instructions.iter().filter_map(load_of).collect();
        let mut code = String::new();
        for (length, slot) in [(self.names.states.len(), 1), (self.names.rates.len(), 2)] {
            let load = |i| if slot == 1 { Load::Y(i) } else { Load::Yp(i) };
            if !(0..length).any(|i| loads.contains(&load(i))) {
                continue;
            }
            let name = |i| load_name(self.names, &load(i).map(|&i| Affine::fixed(i)));
            let entry = |i| if loads.contains(&load(i)) { name(i) } else { "_".to_string() };
            let list: Vec<String> = (0..length).map(entry).collect();
            let written = (0..length).filter(|&i| loads.contains(&load(i))).map(|i| (name(i), &self.names.of(slot)[i]));
            code.push_str(&altered(written, kind_of(&load(0).map(|&i| Affine::fixed(i)))));
            code.push_str(&destructure(&list, &slots[slot]));
        }
        let parameters: Vec<usize> =
            (0..self.names.parameters.len()).filter(|&i| loads.contains(&Load::Parameter(i))).collect();
        if !parameters.is_empty() {
            let entry = |i| if parameters.contains(&i) { self.names.parameters[i].as_str() } else { "_" };
            let list: Vec<&str> = (0..self.names.parameters.len()).map(entry).collect();
            let written = parameters.iter().map(|&i| (self.names.parameters[i].clone(), &self.names.of(0)[i]));
            code.push_str(&altered(written, ""));
            code.push_str(&format!("        let [{}] = {};\n", list.join(", "), self.names.parameter_values()));
        }
        code
    }

    fn store(&mut self, target: &str, results: &[&str], outputs: Outputs<'_>) -> String {
        let mut code = String::new();
        match outputs {
            Outputs::Array => code.push_str(&array(target, &[results])),
            Outputs::Rows(starts) => {
                let rows: Vec<&[&str]> = starts.windows(2).map(|w| &results[w[0]..w[1]]).collect();
                code.push_str(&array(target, &rows));
            }
            Outputs::Named(labels) => {
                let mut names = Vec::with_capacity(results.len());
                for ((name, mathematics), result) in labels.list.iter().zip(results) {
                    let name = unique(&mut self.taken, &identifier(name));
                    if !mathematics.is_empty() {
                        code.push_str(&docs([mathematics], "        "));
                    }
                    code.push_str(&assignment(&name, result));
                    names.push(name);
                }
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                code.push_str(&array(target, &[&names]));
            }
        }
        code
    }
}

fn load_of(instruction: &Instruction) -> Option<Load> {
    match instruction {
        Instruction::Load(load) => Some(load.map(|place| place.position(&[]))),
        _ => None,
    }
}

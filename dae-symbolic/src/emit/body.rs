//! A program as the body of a method.
//!
//! In: a program and names. Out: `let` statements and the statement that stores the results. A sub-expression gets a `let` if
//! it is used more than once or has a name in the model; the rest is spelled in place. The operations and their order are those
//! of [`Program::run`].

use std::collections::{BTreeSet, HashMap, HashSet};

use super::docs;
use super::names::{Names, identifier, load_name, unique};
use super::rolled::{in_loops, spell_number, word};
use crate::expr::Function;
use crate::model::{Numbering, derivative_name};
use crate::program::affine::Affine;
use crate::program::roll::text::{generalised, index_names, shortened, spell};
use crate::program::{Block, Instruction, Load, Register};

/// Lines are broken at top-level terms beyond this width.
const WIDTH: usize = 110;

/// Deeper nests of what is used once are cut by a `let` as well: neither a reader nor a compiler should have to keep them in mind, and each
/// level repeats the text of those within.
const MAX_DEPTH: usize = 32;

/// What results are called.
pub(super) struct Labels {
    /// `(name, mathematics)`, the latter empty where it is clear.
    pub(super) list: Vec<(String, String)>,
    /// Where they stand.
    pub(super) places: Numbering,
}

impl Labels {
    fn at(&self, place: usize) -> Option<&(String, String)> {
        self.list.get(self.places.position(place)?)
    }
}

/// How results are stored.
#[derive(Clone, Copy)]
pub(super) enum Outputs<'a> {
    /// `values.copy_from_slice(&[...])`.
    Array,
    /// The same, one line per matrix row.
    Rows(&'a [usize]),
    /// A named and documented `let` per result.
    Named(&'a Labels),
}

/// How tightly the outermost operation of a spelling binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Choice,
    Sum,
    Product,
    Unary,
    Atom,
}

#[derive(Clone)]
struct Spelling {
    text: String,
    binding: Binding,
}

impl Spelling {
    fn atom(text: String) -> Self {
        Spelling { text, binding: Binding::Atom }
    }

    fn within(&self, place: Binding) -> String {
        if self.binding >= place { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// What a part of a method is given.
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
    /// Where the inputs of the caller are.
    inputs: String,
    /// The number of the last `s1`, `s2`, ….
    count: usize,
}

impl<'a> Body<'a> {
    pub(super) fn new(names: &'a Names, block: &'a Block) -> Self {
        let inputs = format!("self.{}", names.input_path());
        Body { names, block, taken: names.taken(), inputs, count: 0 }
    }

    /// For one block of several: nothing has a name before it is read.
    pub(super) fn part(names: &'a Names, block: &'a Block) -> Self {
        let taken = HashSet::from(["self".to_string(), "inputs".to_string(), names.time.clone()]);
        Body { names, block, taken, inputs: "inputs".to_string(), count: 0 }
    }

    /// An identifier for an argument of the method; the time has its name already.
    pub(super) fn reserve(&mut self, wanted: &str) -> String {
        if wanted == "time" { self.names.time.clone() } else { unique(&mut self.taken, wanted) }
    }

    /// A method of one block: everything it reads is taken from its slices at once, and everything stored at once.
    pub(super) fn finish(mut self, slots: &[String; 4], outputs: Outputs<'_>) -> String {
        let mut code = self.loads(slots);
        let spelled = self.statements(&mut code, load_name);
        let results: Vec<&str> = self.block.outputs.iter().map(|o| spelled[o.register].text.as_str()).collect();
        code.push_str(&self.store(&slots[3], &results, outputs));
        code
    }

    /// Names for what a part of a method is given.
    pub(super) fn slots(&mut self, names: [&str; 4]) -> Slots {
        let [t, y, yp, out] = names.map(|name| self.reserve(name));
        Slots { t, y, yp, parameters: self.reserve("parameters"), totals: self.reserve("totals"), out }
    }

    /// One block of several: every value it reads is taken on its own, and every result is stored on its own.
    pub(super) fn finish_part(mut self, slots: &Slots, outputs: Outputs<'_>) -> String {
        let indices = index_names(self.block.domain.len());
        self.taken.extend(indices.iter().cloned());
        let mut code = String::new();
        let mut loaded: HashMap<Load<Affine>, String> = HashMap::new();
        for instruction in &self.block.instructions {
            let Instruction::Load(load) = instruction else { continue };
            let name = match load {
                Load::Time => self.names.time.clone(),
                Load::Total(place) => format!("{}[{}]", slots.totals, spell(place, &indices)),
                Load::Parameter(place) | Load::Y(place) | Load::Yp(place) => {
                    let written = generalised(|at| self.names.written(load, at), place, &self.block.domain);
                    let wanted = written.as_ref().map_or_else(|| "value".into(), |text| word(text, &indices));
                    let name = unique(&mut self.taken, &wanted);
                    if let Some(written) = written.filter(|_| is_altered(&name, &wanted)) {
                        code.push_str(&docs([format!("`{name}` is {}", written.text(&indices))], "        "));
                    }
                    code.push_str(&assignment(&name, &format!("{}[{}]", slots.of(load), spell(place, &indices))));
                    name
                }
            };
            loaded.insert(load.clone(), name);
        }
        let spelled = self.statements(&mut code, |_, load| loaded.get(load).cloned().unwrap_or_default());
        for total in &self.block.totals {
            let place = format!("{}[{}]", slots.totals, spell(&total.place, &indices));
            code.push_str(&format!("        {place} += {};\n", spelled[total.register].text));
        }
        for output in &self.block.outputs {
            let mut result = spelled[output.register].text.clone();
            if let Outputs::Named(labels) = outputs {
                let texts = |pick: fn(&(String, String)) -> &str| {
                    generalised(|at| labels.at(at).map(pick), &output.place, &self.block.domain)
                };
                code.push_str(&self.mathematics(labels, &output.place, &indices));
                let name = texts(|(name, _)| name).map_or_else(|| "row".into(), |name| word(&name, &indices));
                let name = unique(&mut self.taken, &name);
                code.push_str(&assignment(&name, &result));
                result = name;
            }
            code.push_str(&set(&format!("{}[{}]", slots.out, spell(&output.place, &indices)), &result));
        }
        in_loops(&self.block.domain, &code, "        ")
    }

    /// What a result is in mathematics, as a comment: for all members of a family, or where the members' texts are too unlike, for the first.
    fn mathematics(&self, labels: &Labels, place: &Affine, indices: &[String]) -> String {
        let text = |at| labels.at(at).map(|(_, mathematics)| mathematics.as_str());
        if let Some(rolled) = generalised(text, place, &self.block.domain) {
            let text = rolled.text(indices);
            return if text.is_empty() { String::new() } else { docs([shortened(text)], "        ") };
        }
        let first: Vec<i64> = self.block.domain.iter().map(|range| range.start).collect();
        let text = usize::try_from(place.at(&first)).ok().and_then(text).filter(|text| !text.is_empty());
        text.map_or_else(String::new, |text| {
            docs([format!("{}, and likewise the others", shortened(text.to_string()))], "        ")
        })
    }

    /// The `let` statements, and the spelling of every register.
    fn statements(&mut self, code: &mut String, load: impl Fn(&Names, &Load<Affine>) -> String) -> Vec<Spelling> {
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
    fn bound_registers(&self) -> Vec<bool> {
        let mut uses = vec![0; self.block.instructions.len()];
        for instruction in &self.block.instructions {
            match instruction {
                // A square is spelled as a product of the base with itself.
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

    /// Statements that bring the values from outside that the program reads under their names.
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
            code.push_str(&altered(written));
            code.push_str(&destructure(&list, &slots[slot]));
        }
        let parameters: Vec<usize> =
            (0..self.names.parameters.len()).filter(|&i| loads.contains(&Load::Parameter(i))).collect();
        if !parameters.is_empty() {
            let entry = |i| if parameters.contains(&i) { self.names.parameters[i].as_str() } else { "_" };
            let list: Vec<&str> = (0..self.names.parameters.len()).map(entry).collect();
            code.push_str(&altered(
                parameters.iter().map(|&i| (self.names.parameters[i].clone(), &self.names.of(0)[i])),
            ));
            code.push_str(&format!("        let [{}] = self.{};\n", list.join(", "), self.names.parameter_path));
        }
        code
    }

    /// A name for a shared sub-expression: the model's own, one that says what it is, or `s1`, `s2`, ….
    fn temporary(&mut self, register: Register, spelled: &[Spelling]) -> String {
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

    fn spell(&self, register: Register, spelled: &[Spelling]) -> Spelling {
        match &self.block.instructions[register] {
            Instruction::Constant(value) => number(*value),
            Instruction::Pi => Spelling::atom("::core::f64::consts::PI".into()),
            Instruction::Euler => Spelling::atom("::core::f64::consts::E".into()),
            Instruction::Load(load) => Spelling::atom(load_name(self.names, load)),
            Instruction::Number(number) => {
                let indices = index_names(self.block.domain.len());
                Spelling::atom(spell_number(number, &indices))
            }
            Instruction::Sum { constant, terms } => sum(*constant, terms, spelled),
            Instruction::Product(factors) => product(factors, spelled),
            Instruction::Call(call, arguments) => {
                let arguments: Vec<&str> = arguments.iter().map(|&r| spelled[r].text.as_str()).collect();
                Spelling::atom(self.names.call(call, &arguments, &self.inputs))
            }
            Instruction::Apply(Function::If, arguments) => choice(&self.block.instructions, arguments, spelled),
            Instruction::Apply(function, arguments) => {
                let receiver = match &self.block.instructions[arguments[0]] {
                    // A literal needs its type before a method can be called on it.
                    Instruction::Constant(value) => format!("({value:?}_f64)"),
                    _ => spelled[arguments[0]].within(Binding::Atom),
                };
                let rest = arguments.get(1).map_or("", |&r| spelled[r].text.as_str());
                Spelling::atom(format!("{receiver}.{}({rest})", function.name()))
            }
        }
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

/// Whether a name got an underscore or a number that the model's own name does not have.
fn is_altered(name: &str, wanted: &str) -> bool {
    name != wanted || name.ends_with('_')
}

/// A comment on the names that are not those of the model: `F_`, which would be a constant without its underscore, and names that were taken.
fn altered<'n>(names: impl Iterator<Item = (String, &'n String)>) -> String {
    let other = names.filter(|(name, written)| is_altered(name, &identifier(written)));
    let list: Vec<String> = other.map(|(name, written)| format!("`{name}` is {written}")).collect();
    if list.is_empty() { String::new() } else { docs([list.join(", ")], "        ") }
}

fn load_of(instruction: &Instruction) -> Option<Load> {
    match instruction {
        Instruction::Load(load) => Some(load.map(|place| place.position(&[]))),
        _ => None,
    }
}

/// `let &[x, _, u] = state else { return };`: the contract promises the length.
fn destructure(names: &[String], slot: &str) -> String {
    let line = format!("        let &[{}] = {slot} else {{ return }};\n", names.join(", "));
    if line.len() <= WIDTH {
        return line;
    }
    format!("        let &[\n{}        ] = {slot} else {{ return }};\n", filled(names, "            "))
}

/// Comma-separated items, as many to a line as fit.
fn filled(items: &[impl AsRef<str>], indent: &str) -> String {
    let mut text = String::new();
    let mut line = indent.to_string();
    for item in items {
        if line.len() > indent.len() && line.len() + item.as_ref().len() + 2 > WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line = indent.to_string();
        }
        line.push_str(item.as_ref());
        line.push_str(", ");
    }
    if line.len() > indent.len() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn array(target: &str, rows: &[&[&str]]) -> String {
    let indent = "            ";
    let count: usize = rows.iter().map(|row| row.len()).sum();
    if count == 0 {
        return String::new();
    }
    let flat: Vec<&str> = rows.iter().flat_map(|row| row.iter().copied()).collect();
    let line = format!("        {target}.copy_from_slice(&[{}]);\n", flat.join(", "));
    if rows.len() == 1 && line.len() <= WIDTH {
        return line;
    }
    let lines: String = rows.iter().map(|row| filled(row, indent)).collect();
    format!("        {target}.copy_from_slice(&[\n{lines}        ]);\n")
}

/// `let name = value;`, broken before top-level signs if it is long.
fn assignment(name: &str, value: &str) -> String {
    let line = format!("        let {name} = {value};\n");
    if line.len() <= WIDTH {
        return line;
    }
    let mut text = format!("        let {name} =");
    let mut current = String::from("\n           ");
    for part in split_terms(value) {
        if current.len() + part.len() > WIDTH && current.trim().len() > 1 {
            text.push_str(current.trim_end());
            current = String::from("\n           ");
        }
        current.push(' ');
        current.push_str(part);
    }
    text.push_str(current.trim_end());
    text.push_str(";\n");
    text
}

/// `place = value;`, broken like an assignment.
fn set(place: &str, value: &str) -> String {
    assignment(place, value).replacen("let ", "", 1)
}

/// Splits `a + b - c` into `a`, `+ b`, `- c` at the outermost level.
fn split_terms(value: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    let bytes = value.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'+' | b'-' if depth == 0 && at > start && bytes[at - 1] == b' ' && bytes.get(at + 1) == Some(&b' ') => {
                parts.push(value[start..at].trim());
                start = at;
            }
            _ => {}
        }
    }
    parts.push(value[start..].trim());
    parts
}

/// `if s > 0.0 { a } else { b }`, chains of them as `else if`.
fn choice(instructions: &[Instruction], arguments: &[Register], spelled: &[Spelling]) -> Spelling {
    let &[switch, a, b] = arguments else { return number(f64::NAN) };
    let otherwise = match &instructions[b] {
        Instruction::Apply(Function::If, _) if spelled[b].binding == Binding::Choice => spelled[b].text.clone(),
        _ => format!("{{ {} }}", spelled[b].text),
    };
    let text = format!("if {} > 0.0 {{ {} }} else {otherwise}", spelled[switch].within(Binding::Sum), spelled[a].text);
    Spelling { text, binding: Binding::Choice }
}

/// A literal; negative ones bind like a negation.
fn number(value: f64) -> Spelling {
    let binding = if value < 0.0 { Binding::Unary } else { Binding::Atom };
    Spelling { text: literal(value), binding }
}

fn literal(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { "f64::NAN".into() }
}

fn sum(constant: f64, terms: &[(f64, Register)], spelled: &[Spelling]) -> Spelling {
    let mut text = String::new();
    for &(q, r) in terms {
        text.push_str(match (text.is_empty(), q < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        if q.abs() == 1.0 {
            let place = if text == "-" { Binding::Unary } else { Binding::Product };
            text.push_str(&spelled[r].within(place));
        } else {
            text.push_str(&format!("{} * {}", literal(q.abs()), spelled[r].within(Binding::Unary)));
        }
    }
    if constant != 0.0 {
        text.push_str(if constant < 0.0 { " - " } else { " + " });
        text.push_str(&literal(constant.abs()));
    }
    let binding = match terms {
        [(q, _)] if constant == 0.0 && *q == -1.0 => Binding::Unary,
        [_] if constant == 0.0 => Binding::Product,
        _ => Binding::Sum,
    };
    Spelling { text, binding }
}

fn product(factors: &[(Register, i32)], spelled: &[Spelling]) -> Spelling {
    let side = |positive: bool| -> Vec<(String, bool)> {
        let chosen = factors.iter().filter(|(_, n)| (*n > 0) == positive);
        chosen.map(|&(r, n)| power(&spelled[r], n.unsigned_abs())).collect()
    };
    let join = |side: &[(String, bool)]| -> String {
        let mut text = String::new();
        for (k, (factor, compound)) in side.iter().enumerate() {
            // The first factor associates by itself; later powers are formed before they are multiplied on.
            text.push_str(if k == 0 { "" } else { " * " });
            text.push_str(&if *compound && k > 0 { format!("({factor})") } else { factor.clone() });
        }
        text
    };
    let (above, below) = (side(true), side(false));
    let numerator = if above.is_empty() { "1.0".to_string() } else { join(&above) };
    let text = match below.as_slice() {
        [] => numerator,
        [(single, false)] => format!("{numerator} / {single}"),
        _ => format!("{numerator} / ({})", join(&below)),
    };
    let atom = below.is_empty() && matches!(above.as_slice(), [(_, false)]);
    Spelling { text, binding: if atom { Binding::Atom } else { Binding::Product } }
}

/// The spelling of $b^n$, and whether it is a product.
fn power(base: &Spelling, n: u32) -> (String, bool) {
    match n {
        1 => (base.within(Binding::Unary), false),
        2 => (format!("{0} * {0}", base.within(Binding::Unary)), true),
        3 => (format!("{0} * {0} * {0}", base.within(Binding::Unary)), true),
        _ => (format!("{}.powi({n})", base.within(Binding::Atom)), false),
    }
}

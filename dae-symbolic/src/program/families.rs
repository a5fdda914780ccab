//! Programs of models with families.
//!
//! In: rows of roots, each row with the member of a family that it is. Out: a [`Program`] in which the instances of a
//! family become loops, as do long sums and long rows with similar terms or entries. Rows that are not members, and
//! instances that fit no loop, are blocks without loops; long blocks are cut, because the compiler's time grows faster
//! than in proportion to the length of a function.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::affine::{Affine, AffineNumber, Range};
use super::roll::totals::{self, MANY};
use super::roll::{Class, Item, Order, Shaped, Template, roll};
use super::{Block, Load, Output, Program, Register, Unplaced};
use crate::expr::{Dag, Expr, Node, Symbol};
use crate::model::{Domain, Member, Numbering};

/// Blocks with more than this many expressions are cut before a row that shares less than a quarter of its expressions
/// with them.
const LONGEST: usize = 400;
/// Blocks with more than this many expressions are cut before any row.
const LONGEST_SHARED: usize = 4000;

/// A sum that at least this many instances of families share is worth a loop of its own.
const SHARED: usize = 3;

/// Roots in rows: those of row $i$ are `roots[row_starts[i]..row_starts[i + 1]]`.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// All roots.
    pub roots: &'a [Expr],
    /// One entry per row and one more.
    pub row_starts: &'a [usize],
    /// The domain of each row.
    pub domains: &'a [Domain],
    /// Where the value of each root is stored.
    pub places: &'a Numbering,
}

impl<'a> Rows<'a> {
    fn roots(&self, row: usize) -> &'a [Expr] {
        &self.roots[self.row_starts[row]..self.row_starts[row + 1]]
    }

    /// The place of the first root of a row.
    fn place(&self, row: usize) -> usize {
        if self.roots(row).is_empty() { 0 } else { self.places.place_of(self.row_starts[row]) }
    }

    /// The member of a family that a row is; families with one member do not count.
    fn member(&self, row: usize) -> Option<&'a Member> {
        self.domains.get(row)?.member.as_deref().filter(|member| !member.indices.is_empty())
    }
}

impl Program {
    /// Schedules one value per row, with these domains; `names` are the sub-expressions with a name of their own.
    ///
    /// # Errors
    /// As for [`Program::with_families`].
    pub fn values(
        dag: &Dag,
        roots: &[Expr],
        domains: &[Domain],
        names: &[(Expr, String)],
        load: impl Fn(Symbol) -> Option<Load>,
    ) -> Result<Program, Unplaced> {
        let row_starts: Vec<usize> = (0..=roots.len()).collect();
        let places = Numbering::of(domains)?;
        Program::with_families(dag, Rows { roots, row_starts: &row_starts, domains, places: &places }, names, load)
    }

    /// Schedules rows of roots, families as loops; `names` are the sub-expressions with a name of their own.
    ///
    /// # Errors
    /// If a symbol has no place, or the members of an excerpt do not determine those in between.
    pub fn with_families(
        dag: &Dag,
        rows: Rows<'_>,
        names: &[(Expr, String)],
        load: impl Fn(Symbol) -> Option<Load>,
    ) -> Result<Program, Unplaced> {
        if rows.domains.iter().any(|domain| domain.member.is_some()) {
            let names = names.iter().map(|(expr, name)| (*expr, name.as_str())).collect();
            let schedule = Schedule { order: Order::new(dag, &load), names, blocks: Vec::new(), totals: 0 };
            return schedule.finish(dag, rows);
        }
        let all: Vec<usize> = (0..rows.domains.len()).collect();
        let blocks: Result<Vec<Block>, Unplaced> =
            parts(dag, rows, &all).iter().map(|part| Block::scalar(dag, part, names, &load)).collect();
        Ok(Program { blocks: blocks?, totals: 0 })
    }
}

/// A program in the making.
struct Schedule<'a> {
    order: Order<'a>,
    names: HashMap<Expr, &'a str>,
    blocks: Vec<Block>,
    /// The number of totals.
    totals: usize,
}

/// The use of the values of a block.
#[derive(Clone, Copy)]
enum Store {
    /// They are results, stored from the first address of the class on.
    Results,
    /// They are added to this total.
    Total(usize),
}

impl Schedule<'_> {
    fn finish(mut self, dag: &Dag, rows: Rows<'_>) -> Result<Program, Unplaced> {
        self.sum(dag, rows)?;
        let regular = |&row: &usize| !rows.domains[row].is_at_seam();
        let mut straight: BTreeSet<usize> = (0..rows.domains.len()).filter(regular).collect();
        let instances: Vec<usize> = straight.iter().copied().filter(|&row| rows.member(row).is_some()).collect();
        let mut shaped = Vec::with_capacity(instances.len());
        for &row in &instances {
            shaped.push(Shaped::new(&mut self.order, rows.roots(row))?);
        }
        let classes = classes(rows, &instances, &shaped)?;
        for class in &classes {
            class.items.iter().for_each(|&item| _ = straight.remove(&instances[item]));
        }
        let straight = self.wide(rows, &straight)?;
        self.straight(straight)?;
        self.loops(&classes, &shaped, Store::Results);
        let size = |block: &Block| {
            let points: usize = block.domain.iter().map(|range| range.clone().count()).product();
            points * block.outputs.len()
        };
        // Every result of the whole model is stored once.
        match self.blocks.iter().map(size).sum::<usize>() == rows.places.total() {
            true => Ok(Program { blocks: self.blocks, totals: self.totals }),
            false => Err(Unplaced::Torn),
        }
    }

    /// Loops for long sums that scalar rows contain, or several instances share.
    fn sum(&mut self, dag: &Dag, rows: Rows<'_>) -> Result<(), Unplaced> {
        let mut scalar = HashSet::new();
        let mut shared: HashMap<Expr, usize> = HashMap::new();
        for row in (0..rows.domains.len()).filter(|&row| !rows.domains[row].is_at_seam()) {
            if rows.member(row).is_none() {
                reach(dag, rows.roots(row), &mut scalar);
                continue;
            }
            let mut met = HashSet::new();
            reach(dag, rows.roots(row), &mut met);
            totals::long_sums(dag, met.into_iter()).into_iter().for_each(|sum| *shared.entry(sum).or_default() += 1);
        }
        let shared = shared.into_iter().filter(|&(_, count)| count >= SHARED).map(|(sum, _)| sum);
        for sum in totals::long_sums(dag, scalar.into_iter().chain(shared)) {
            let Node::Sum { terms, .. } = dag.node(sum) else { continue };
            let alike = totals::terms(&mut self.order, terms)?;
            let mut rest: BTreeSet<usize> = (0..terms.len()).collect();
            let mut numbers = Vec::new();
            for class in &alike.classes {
                class.items.iter().for_each(|item| _ = rest.remove(item));
                self.loops(std::slice::from_ref(class), &alike.shaped, Store::Total(self.totals));
                numbers.push(self.totals);
                self.totals += 1;
            }
            if !numbers.is_empty() {
                self.order.replace(sum, numbers, rest.into_iter().collect());
            }
        }
        Ok(())
    }

    /// Loops for rows of many entries; returns the remaining roots, row by row, with their places.
    fn wide(&mut self, rows: Rows<'_>, straight: &BTreeSet<usize>) -> Result<Vec<Vec<(usize, Expr)>>, Unplaced> {
        let mut left = Vec::new();
        for &row in straight {
            let (first, roots) = (rows.place(row), rows.roots(row));
            let mut rest: BTreeSet<usize> = (0..roots.len()).collect();
            if roots.len() >= MANY {
                let alike = totals::entries(&mut self.order, first, roots)?;
                for class in &alike.classes {
                    class.items.iter().for_each(|item| _ = rest.remove(item));
                }
                self.loops(&alike.classes, &alike.shaped, Store::Results);
            }
            left.push(rest.into_iter().map(|k| (first + k, roots[k])).collect());
        }
        Ok(left)
    }

    /// Blocks without loops.
    fn straight(&mut self, rows: Vec<Vec<(usize, Expr)>>) -> Result<(), Unplaced> {
        let (mut template, mut block) = (Template::default(), Block::default());
        let mut met = HashSet::new();
        for row in rows {
            let roots: Vec<Expr> = row.iter().map(|&(_, root)| root).collect();
            let shaped = Shaped::new(&mut self.order, &roots)?;
            if is_cut_before(&met, shaped.expressions.iter()) {
                let instructions = std::mem::take(&mut template).instructions;
                self.blocks.push(Block { instructions, ..std::mem::take(&mut block) });
                met.clear();
            }
            met.extend(&shaped.expressions);
            let fixed = |&address: &i64| Affine { base: address, strides: Vec::new() };
            let addresses: Vec<Affine> = shaped.addresses.iter().map(fixed).collect();
            let zero = AffineNumber { numerator: Affine::fixed(0), denominator: 1 };
            let registers = template.add(&shaped, &addresses, &vec![zero; shaped.numbers.len()]);
            for (&(place, _), &output) in row.iter().zip(&shaped.outputs) {
                block.outputs.push(Output { register: registers[output], place: Affine::fixed(place) });
            }
            self.name(&mut block, &shaped, &registers, |name| name);
        }
        if !block.outputs.is_empty() {
            self.blocks.push(Block { instructions: template.instructions, ..block });
        }
        Ok(())
    }

    /// Puts all classes that run through the same box into one block, unless it becomes too long.
    fn loops(&mut self, classes: &[Class], shaped: &[Shaped], store: Store) {
        let mut blocks: Vec<(Template, Block)> = Vec::new();
        let mut open: HashMap<&[Range], usize> = HashMap::new();
        for class in classes {
            let shaped = &shaped[class.items[0]];
            let fits = |&at: &usize| blocks[at].0.instructions.len() + shaped.operations.len() <= LONGEST;
            let at = open.get(class.domain.as_slice()).copied().filter(fits).unwrap_or_else(|| {
                blocks.push((Template::default(), Block { domain: class.domain.clone(), ..Block::default() }));
                blocks.len() - 1
            });
            open.insert(&class.domain, at);
            let (template, block) = &mut blocks[at];
            let registers: Vec<Register> = template.add(shaped, &class.addresses[1..], &class.numbers);
            for (k, &output) in shaped.outputs.iter().enumerate() {
                let register = registers[output];
                match store {
                    Store::Results => {
                        block.outputs.push(Output { register, place: class.addresses[0].plus(k as i64) });
                    }
                    Store::Total(total) => block.totals.push(Output { register, place: Affine::fixed(total) }),
                }
            }
            // In the loop, `d` is the name of what is `d[3]` in one instance.
            self.name(block, shaped, &registers, |name| name.split('[').next().unwrap_or(name));
        }
        self.blocks.extend(blocks.into_iter().map(|(t, block)| Block { instructions: t.instructions, ..block }));
    }

    /// Names that the model has for the values of an instance.
    fn name(&self, block: &mut Block, shaped: &Shaped, registers: &[Register], spelled: impl Fn(&str) -> &str) {
        for (expr, &register) in shaped.expressions.iter().zip(registers) {
            let new = block.names.iter().all(|&(known, _)| known != register);
            if let Some(name) = self.names.get(expr).filter(|_| new) {
                block.names.push((register, spelled(name).to_string()));
            }
        }
    }
}

/// Whether a block of these expressions ends before a row: the compiler's time grows faster than in proportion to the
/// length of a block, but every block repeats what it shares with the others.
fn is_cut_before<'e>(block: &HashSet<Expr>, row: impl ExactSizeIterator<Item = &'e Expr>) -> bool {
    let alone = row.len();
    let new = row.filter(|expr| !block.contains(expr)).count();
    let length = block.len() + new;
    !block.is_empty() && (length > LONGEST_SHARED || length > LONGEST && 4 * (alone - new) < alone)
}

/// Adds everything that the roots reach.
fn reach(dag: &Dag, roots: &[Expr], met: &mut HashSet<Expr>) {
    let mut stack = roots.to_vec();
    while let Some(expr) = stack.pop() {
        if met.insert(expr) {
            stack.extend(dag.children(expr));
        }
    }
}

/// The loops of families. The first address is the place of the first root.
fn classes(rows: Rows<'_>, instances: &[usize], shaped: &[Shaped]) -> Result<Vec<Class>, Unplaced> {
    let items: Vec<_> = instances
        .iter()
        .zip(shaped)
        .map(|(&row, shaped)| Item {
            member: rows.member(row),
            key: (&shaped.operations, &shaped.outputs),
            addresses: std::iter::once(rows.place(row) as i64).chain(shaped.addresses.iter().copied()).collect(),
            numbers: shaped.numbers.clone(),
        })
        .collect();
    let mut classes = roll(&items)?;
    classes.retain(|class| !class.domain.is_empty());
    Ok(classes)
}

/// The roots of the given rows, each with its place, in parts of bounded size; at least one part.
fn parts(dag: &Dag, rows: Rows<'_>, straight: &[usize]) -> Vec<Vec<(usize, Expr)>> {
    let mut parts: Vec<Vec<(usize, Expr)>> = vec![Vec::new()];
    let mut met = HashSet::new();
    for &row in straight {
        let mut alone = HashSet::new();
        reach(dag, rows.roots(row), &mut alone);
        if is_cut_before(&met, alone.iter()) {
            met.clear();
            parts.push(Vec::new());
        }
        met.extend(alone);
        let last = parts.len() - 1;
        parts[last].extend(rows.roots(row).iter().enumerate().map(|(k, &root)| (rows.row_starts[row] + k, root)));
    }
    parts
}

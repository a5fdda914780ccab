//! Programs of models with families.
//!
//! In: rows of roots, each row with the member of a family that it is. Out: a [`Program`] in which the instances of a family are loops.
//! Rows that are no members, and instances that fit no loop, are blocks without loops; a long one is cut, since the compiler's
//! time grows faster than the length of a function.

use std::collections::{BTreeSet, HashMap};

use super::affine::Range;
use super::roll::{Class, Item, Order, Shaped, Template, roll};
use super::{Block, Load, Output, Program, Register, Unplaced};
use crate::expr::{Dag, Expr, Symbol};
use crate::model::{Domain, Member};

/// Blocks of many more instructions than this are cut.
const LONGEST: usize = 400;

/// Roots in rows: those of row $i$ are `roots[row_starts[i]..row_starts[i + 1]]`.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// All roots.
    pub roots: &'a [Expr],
    /// One entry per row and one more.
    pub row_starts: &'a [usize],
    /// The domain of each row.
    pub domains: &'a [Domain],
}

impl<'a> Rows<'a> {
    fn roots(&self, row: usize) -> &'a [Expr] {
        &self.roots[self.row_starts[row]..self.row_starts[row + 1]]
    }

    fn member(&self, row: usize) -> Option<&'a Member> {
        self.domains.get(row)?.member.as_deref()
    }
}

impl Program {
    /// Schedules rows of roots, families as loops; `names` are the sub-expressions with a name of their own.
    pub fn with_families(
        dag: &Dag,
        rows: Rows<'_>,
        names: &[(Expr, String)],
        load: impl Fn(Symbol) -> Option<Load>,
    ) -> Result<Program, Unplaced> {
        let mut straight: BTreeSet<usize> = (0..rows.domains.len()).collect();
        let mut loops = Vec::new();
        if rows.domains.iter().any(|domain| domain.member.is_some()) {
            let (classes, instances) = classes(dag, rows, &load)?;
            for class in &classes {
                class.items.iter().for_each(|&item| _ = straight.remove(&instances.rows[item]));
            }
            loops = loop_blocks(&classes, &instances, names);
        }
        let mut blocks = Vec::new();
        for part in parts(dag, rows, &straight) {
            blocks.push(Block::scalar(dag, &part, names, &load)?);
        }
        blocks.extend(loops);
        Ok(Program { blocks })
    }
}

/// The instances of all families, taken apart.
struct Instances {
    /// The row of each.
    rows: Vec<usize>,
    shaped: Vec<Shaped>,
}

/// The loops of all families.
fn classes(
    dag: &Dag,
    rows: Rows<'_>,
    load: &dyn Fn(Symbol) -> Option<Load>,
) -> Result<(Vec<Class>, Instances), Unplaced> {
    let mut order = Order::new(dag, load);
    let mut instances = Instances { rows: Vec::new(), shaped: Vec::new() };
    let mut members = Vec::new();
    for row in (0..rows.domains.len()).filter(|&row| !rows.roots(row).is_empty()) {
        let Some(member) = rows.member(row) else { continue };
        members.push(member);
        instances.rows.push(row);
        instances.shaped.push(Shaped::new(&mut order, rows.roots(row))?);
    }
    let item = |(k, shaped): (usize, &Shaped)| {
        let start = rows.row_starts[instances.rows[k]] as i64;
        Item {
            member: Some(members[k]),
            key: (shaped.operations.clone(), shaped.outputs.clone()),
            addresses: std::iter::once(start).chain(shaped.addresses.iter().copied()).collect(),
            numbers: shaped.numbers.clone(),
        }
    };
    let items: Vec<_> = instances.shaped.iter().enumerate().map(item).collect();
    let mut classes = roll(&items);
    classes.retain(|class| !class.domain.is_empty());
    Ok((classes, instances))
}

/// One block for all classes that run through the same box, as far as it does not become too long.
fn loop_blocks(classes: &[Class], instances: &Instances, names: &[(Expr, String)]) -> Vec<Block> {
    let names: HashMap<Expr, &str> = names.iter().map(|(expr, name)| (*expr, name.as_str())).collect();
    let mut blocks: Vec<(Template, Block)> = Vec::new();
    let mut open: HashMap<&[Range], usize> = HashMap::new();
    for class in classes {
        let shaped = &instances.shaped[class.items[0]];
        let fits = |&at: &usize| blocks[at].0.instructions.len() + shaped.operations.len() <= LONGEST;
        let at = open.get(class.domain.as_slice()).copied().filter(fits).unwrap_or_else(|| {
            blocks.push((Template::default(), Block { domain: class.domain.clone(), ..Block::default() }));
            blocks.len() - 1
        });
        open.insert(&class.domain, at);
        let (template, block) = &mut blocks[at];
        let registers: Vec<Register> = template.add(shaped, &class.addresses[1..], &class.numbers);
        let start = &class.addresses[0];
        let outputs = shaped.outputs.iter().enumerate();
        block
            .outputs
            .extend(outputs.map(|(k, &output)| Output { register: registers[output], place: start.plus(k as i64) }));
        for (&expr, &register) in shaped.expressions.iter().zip(&registers) {
            // `d[3]` is the value of `d` in this instance.
            let name = names.get(&expr).map(|name| name.split('[').next().unwrap_or(name));
            if let Some(name) = name.filter(|_| block.names.iter().all(|&(known, _)| known != register)) {
                block.names.push((register, name.to_string()));
            }
        }
    }
    let finish = |(template, block): (Template, Block)| Block { instructions: template.instructions, ..block };
    blocks.into_iter().map(finish).collect()
}

/// The roots of the given rows, each with its place, in parts of bounded size; at least one part.
fn parts(dag: &Dag, rows: Rows<'_>, straight: &BTreeSet<usize>) -> Vec<Vec<(usize, Expr)>> {
    let mut parts: Vec<Vec<(usize, Expr)>> = vec![Vec::new()];
    let mut met: BTreeSet<Expr> = BTreeSet::new();
    for &row in straight {
        for (k, &root) in rows.roots(row).iter().enumerate() {
            if met.len() > LONGEST {
                met.clear();
                parts.push(Vec::new());
            }
            let mut stack = vec![root];
            while let Some(expr) = stack.pop() {
                if met.insert(expr) {
                    stack.extend(dag.children(expr));
                }
            }
            let last = parts.len() - 1;
            parts[last].push((rows.row_starts[row] + k, root));
        }
    }
    parts
}

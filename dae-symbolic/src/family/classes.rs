//! Classes of instances of families.
//!
//! In: the instances and the offsets $c$, $d$ of the structural analysis. Out: boxes of loop variables on which the
//! offset of the equation, the accesses that occur in it, the offsets of the unknowns that they refer to, and the sets
//! of accesses to the same element do not change. Differentiating the template of a class $c$ times, and substituting
//! what the reduction defines, is the same work with the same result for all its instances: symbolic work grows with
//! the number of classes, not of instances.

use std::collections::{BTreeMap, HashMap};

use super::boxes::boxes;
use super::signature::{FamilyRows, Instance};
use crate::expr::UnknownId;
use crate::model::family::{Body, FamilyModel};
use crate::structure::Offsets;

/// Instances of a family that are treated alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The family.
    pub family: usize,
    /// The number of the expression of the family; 0 if there is one template.
    pub body: usize,
    /// First and one past the last value of each loop variable.
    pub domain: Vec<(i64, i64)>,
    /// $c$, the number of times that it is differentiated.
    pub offset: u32,
    /// Its accesses, ascending.
    pub entries: Vec<Entry>,
}

/// An access in a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// The access, a position in [`FamilyModel::accesses`].
    pub access: UnknownId,
    /// $\sigma$: the highest order of its derivatives.
    pub order: u32,
    /// The offset $d$ of all elements that it refers to.
    pub offset: u32,
    /// The position of the first entry that refers to the same element.
    pub same_as: usize,
}

/// Elements of an array whose highest derivatives have the same order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownClass {
    /// The array.
    pub array: usize,
    /// First and one past the last index in each dimension.
    pub domain: Vec<(i64, i64)>,
    /// $d$.
    pub offset: u32,
}

/// The properties that all instances of a class share.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    offset: u32,
    entries: Vec<Entry>,
}

/// The classes of all families, family by family, in the order of their first instances.
pub fn classes(model: &FamilyModel, rows: &FamilyRows, offsets: &Offsets) -> Vec<Class> {
    let mut classes = Vec::new();
    for (family, instances) in rows.instances.iter().enumerate() {
        let first = rows.first_equation[family];
        let mut keys: Vec<Key> = Vec::new();
        let mut numbers: HashMap<Key, usize> = HashMap::new();
        let mut of_instance = Vec::with_capacity(instances.len());
        for (k, instance) in instances.iter().enumerate() {
            let key = Key { offset: offsets.equations[first + k], entries: entries(instance, offsets) };
            let number = *numbers.entry(key).or_insert_with_key(|key| {
                keys.push(key.clone());
                keys.len() - 1
            });
            of_instance.push(number);
        }
        let class = |body: usize, domain: Vec<(i64, i64)>, key: usize| {
            let Key { offset, entries } = keys[key].clone();
            Class { family, body, domain, offset, entries }
        };
        match &model.equations[family].body {
            Body::Template(_) => {
                let loops = &model.equations[family].loops;
                let whole: Vec<(i64, i64)> = loops.iter().map(|range| (range.start, range.end)).collect();
                let found = boxes(&whole, &of_instance);
                classes.extend(found.into_iter().map(|it| class(0, it.domain, it.key)));
            }
            // Each piece has an expression of its own, and so classes of its own.
            Body::Pieces(pieces) => {
                let mut keys: Vec<Vec<usize>> = vec![Vec::new(); pieces.len()];
                for (instance, &key) in instances.iter().zip(&of_instance) {
                    if let Some(body) = model.equations[family].body.number(&instance.point) {
                        keys[body].push(key);
                    }
                }
                for (body, (piece, keys)) in pieces.iter().zip(&keys).enumerate() {
                    classes.extend(boxes(&piece.domain, keys).into_iter().map(|it| class(body, it.domain, it.key)));
                }
            }
        }
    }
    classes
}

fn entries(instance: &Instance, offsets: &Offsets) -> Vec<Entry> {
    let mut met: BTreeMap<usize, usize> = BTreeMap::new();
    let entry = |(k, &(access, order, element)): (usize, &(UnknownId, u32, usize))| {
        let same_as = *met.entry(element).or_insert(k);
        Entry { access, order, offset: offsets.unknowns[element], same_as }
    };
    instance.accesses.iter().enumerate().map(entry).collect()
}

/// The classes of all arrays of unknowns, array by array.
pub fn unknown_classes(model: &FamilyModel, rows: &FamilyRows, offsets: &Offsets) -> Vec<UnknownClass> {
    let mut classes = Vec::new();
    for (array, unknown) in model.unknowns.iter().enumerate() {
        let first = rows.first_unknown[array];
        let size: usize = unknown.extents.iter().product();
        let keys: Vec<usize> = offsets.unknowns[first..first + size].iter().map(|&d| d as usize).collect();
        let whole: Vec<(i64, i64)> = unknown.extents.iter().map(|&extent| (0, extent as i64)).collect();
        let class = |it: super::Box| UnknownClass { array, domain: it.domain, offset: it.key as u32 };
        classes.extend(boxes(&whole, &keys).into_iter().map(class));
    }
    classes
}

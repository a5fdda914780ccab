//! What an expression of the text can be: a number, or an array of them.
//!
//! In: values and arrays while expressions are evaluated. Out: items that are compared by id, so that the value of a
//! call can be looked up by its arguments. Arrays are views: `r[i]` of a matrix `r` is `r` with one index given.

use super::incidence::SetId;
use crate::expr::Expr;
use std::collections::HashMap;

/// The value of a node that is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Value {
    pub(super) expr: Expr,
    pub(super) unknowns: SetId,
}

/// The value of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    Scalar(Value),
    Array(ViewId),
}

/// An array: the id of a [`View`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ViewId(u32);

/// Where the elements of an array come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Base {
    /// The derivative, of the given order, of an array of unknowns.
    Unknown { array: usize, order: u32 },
    /// An array of parameters.
    Parameter(usize),
    /// A table of constants.
    Table(usize),
    /// A sub-expression by index, declared by a statement.
    Definition(usize),
    /// `[a, b, c]`.
    List(Vec<Item>),
    /// One item for every index.
    Repeat(Item),
    /// The alternatives of the instances of a mode variable.
    Alternatives(usize),
}

/// An array, some of whose indices may be given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct View {
    pub(super) base: Base,
    /// The indices given.
    pub(super) indices: Vec<Value>,
    /// The extents of the others.
    pub(super) extents: Vec<usize>,
}

/// All arrays of a model.
#[derive(Default)]
pub(super) struct Views {
    views: Vec<View>,
    index: HashMap<View, ViewId>,
}

impl Views {
    pub(super) fn intern(&mut self, view: View) -> Item {
        if let Some(id) = self.index.get(&view) {
            return Item::Array(*id);
        }
        let id = ViewId(self.views.len() as u32);
        self.views.push(view.clone());
        self.index.insert(view, id);
        Item::Array(id)
    }

    pub(super) fn get(&self, id: ViewId) -> &View {
        &self.views[id.0 as usize]
    }

    /// Extents of an item; empty for a number.
    pub(super) fn extents(&self, item: Item) -> &[usize] {
        match item {
            Item::Scalar(_) => &[],
            Item::Array(id) => &self.get(id).extents,
        }
    }

    /// The view of a whole array, with no index given.
    pub(super) fn whole(&mut self, base: Base, extents: &[usize]) -> Item {
        self.intern(View { base, indices: Vec::new(), extents: extents.to_vec() })
    }
}

/// A shape in words: `a number`, `an array of 3 elements`, `an array of 2 by 3 elements`.
pub(super) fn shape(extents: &[usize]) -> String {
    match extents {
        [] => "a number".to_string(),
        [1] => "an array of 1 element".to_string(),
        _ => {
            let sizes: Vec<String> = extents.iter().map(usize::to_string).collect();
            format!("an array of {} elements", sizes.join(" by "))
        }
    }
}

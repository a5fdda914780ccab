//! Extents of everything that is declared.
//!
//! In: all statements. Out: the shapes of unknowns, parameters and arguments of functions, found before any statement
//! is lowered, since arrays of unknowns may be declared after they are used.

use super::lowering::Lowering;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::family::MAX_INSTANCES;
use crate::syntax::ast::{Expression, Name, StatementKind};
use crate::syntax::validate::Place;

impl Lowering<'_, '_> {
    /// Determines the extents of everything that is declared, with the constants and functions that they depend on, and
    /// the leaves of scalars.
    pub(super) fn shapes(&mut self) {
        let written = self.written;
        let arrays = written.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Variable(it) => !it.extents.is_empty(),
            StatementKind::Parameter(it) | StatementKind::Constant(it) | StatementKind::Definition(it) => {
                !it.extents.is_empty()
            }
            StatementKind::Function(it) => it.extents.iter().any(|extents| !extents.is_empty()),
            StatementKind::For(_) => true,
            StatementKind::Input(_)
            | StatementKind::Supplied(_)
            | StatementKind::Table(_)
            | StatementKind::External(_)
            | StatementKind::Start(_)
            | StatementKind::Equation(_)
            | StatementKind::Branch(_)
            | StatementKind::When(_)
            | StatementKind::Initial(_)
            | StatementKind::Invariant(_)
            | StatementKind::Derived(_)
            | StatementKind::LieGroup(_)
            | StatementKind::Modes(_)
            | StatementKind::Alternative(_)
            | StatementKind::Inactive { .. }
            | StatementKind::Forms(_) => false,
        });
        for (position, statement) in written.statements.iter().enumerate() {
            match &statement.kind {
                StatementKind::Variable(it) => {
                    let extents = self.extents_of(&it.name, &it.extents, position);
                    self.evaluator.shapes.unknowns.push(extents);
                }
                StatementKind::Parameter(it) => {
                    let extents = self.extents_of(&it.name, &it.extents, position);
                    self.evaluator.shapes.parameters.push(extents);
                }
                StatementKind::Constant(it) if arrays => self.constant(position, it),
                StatementKind::Function(it) if arrays => self.function(position, it),
                StatementKind::Constant(_)
                | StatementKind::Function(_)
                | StatementKind::Definition(_)
                | StatementKind::Input(_)
                | StatementKind::Supplied(_)
                | StatementKind::Table(_)
                | StatementKind::External(_)
                | StatementKind::Start(_)
                | StatementKind::Equation(_)
                | StatementKind::For(_)
                | StatementKind::Branch(_)
                | StatementKind::When(_)
                | StatementKind::Initial(_)
                | StatementKind::Invariant(_)
                | StatementKind::Derived(_)
                | StatementKind::LieGroup(_)
                | StatementKind::Modes(_)
                | StatementKind::Alternative(_)
                | StatementKind::Inactive { .. }
                | StatementKind::Forms(_) => {}
            }
        }
        // Scalars come first, so that in a scalar model the ids of leaves are those of unknowns and parameters.
        let scalars = |shapes: &[Option<Vec<usize>>]| -> Vec<usize> {
            let scalar = |k: &usize| shapes[*k].as_ref().is_some_and(Vec::is_empty);
            (0..shapes.len()).filter(scalar).collect()
        };
        let (unknowns, parameters) =
            (scalars(&self.evaluator.shapes.unknowns), scalars(&self.evaluator.shapes.parameters));
        self.evaluator.leaves.scalars(&unknowns, &parameters);
    }

    /// Extents of something that is declared; `None` if its type could not be read.
    pub(super) fn extents_of(&mut self, name: &Name, written: &[Expression], position: usize) -> Option<Vec<usize>> {
        let doubtful = self.written.doubtful.contains(&name.text);
        if doubtful { None } else { self.extents(written, position) }
    }

    /// Extents of an array, empty for a number; `None` if they have errors.
    pub(super) fn extents(&mut self, written: &[Expression], position: usize) -> Option<Vec<usize>> {
        let mut extents = Vec::with_capacity(written.len());
        for it in written {
            let value = self.value(Some(*it), position, Place::Extent)?;
            extents.push(self.evaluator.extent(value.expr, it.root, self.found)?);
        }
        let size = extents.iter().try_fold(1_usize, |all, extent| all.checked_mul(*extent));
        if size.is_none_or(|size| size > MAX_INSTANCES) {
            let at = self.written.expressions.origin(written.first()?.root);
            let message = format!("an array has at most {MAX_INSTANCES} elements");
            self.found
                .push(Diagnostic::error(Code::InvalidExtent, message).label(at, "too many with the other extent"));
            return None;
        }
        Some(extents)
    }
}

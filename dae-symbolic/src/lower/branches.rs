//! `if` around statements, and the block of initial equations.
//!
//! In: the head of a branch. Out: an open branch; the statements in it hold where its condition holds and those of the
//! branches before it do not. Unlike that of an `if` in an expression, the condition is always decided while the model
//! is read.

use super::decisions::Truth;
use super::enclosing::OpenBranch;
use super::items::Item;
use super::lowering::Lowering;
use crate::diagnostic::{Code, Diagnostic};
use crate::origin::Origin;
use crate::syntax::ast::{Branch, Expression, Initial};
use crate::syntax::validate::{self, MAX_BRANCHES, Place};

impl<'a> Lowering<'a, '_> {
    /// Opens a branch.
    pub(super) fn open_branch(&mut self, position: usize, it: &'a Branch) {
        if let Some(condition) = it.condition {
            self.resolve(condition, position, Place::Branch);
        }
        let (mut before, mut condition) = (it.before.clone(), it.condition);
        if self.branches.len() >= MAX_BRANCHES {
            let at = it.condition.map_or(Origin::NONE, |condition| self.written.expressions.origin(condition.root));
            self.found.push(validate::branches(at));
            (before, condition) = (Vec::new(), None);
        }
        self.branches.push(OpenBranch {
            before,
            condition,
            end: position + 1 + it.statements,
            locals: self.resolver.locals(),
            definitions: self.local_definitions.len(),
        });
    }

    /// Opens the block of initial equations: a branch that is always chosen.
    pub(super) fn open_initial(&mut self, position: usize, it: &Initial) {
        self.initial_end = position + 1 + it.statements;
        self.branches.push(OpenBranch {
            before: Vec::new(),
            condition: None,
            end: self.initial_end,
            locals: self.resolver.locals(),
            definitions: self.local_definitions.len(),
        });
    }

    /// Closes the branches whose bodies end before a statement.
    pub(super) fn close_branches(&mut self, position: usize) {
        while let Some(last) = self.branches.last()
            && last.end <= position
        {
            self.resolver.leave(last.locals);
            self.local_definitions.truncate(last.definitions);
            self.branches.pop();
        }
    }

    /// Whether the current statement holds for the present values of the loop variables, or in the present box; `None`
    /// if that is not decided, or there is an error.
    pub(super) fn is_chosen(&mut self) -> Option<bool> {
        for k in 0..self.branches.len() {
            let before = std::mem::take(&mut self.branches[k].before);
            let chosen = self.all_are(&before, Truth::Fails);
            self.branches[k].before = before;
            let chosen = match (chosen, self.branches[k].condition) {
                (Some(true), Some(condition)) => self.all_are(&[condition], Truth::Holds),
                (chosen, _) => chosen,
            };
            if chosen != Some(true) {
                return chosen;
            }
        }
        Some(true)
    }

    fn all_are(&mut self, conditions: &[Expression], wanted: Truth) -> Option<bool> {
        for condition in conditions {
            let Item::Scalar(value) = self.evaluate(*condition, Vec::new())? else { return None };
            match self.evaluator.truth(value.expr) {
                Truth::Depends => {
                    let at = self.written.expressions.origin(condition.root);
                    let message = "an `if` around equations is decided while the model is compiled, and this is not";
                    let finding = Diagnostic::error(Code::MisplacedCondition, message).label(at, "not decided");
                    let finding = finding.help("compare exact numbers: decimal ones, constants and loop variables");
                    self.evaluator.report(condition.root, finding, self.found);
                    return None;
                }
                truth if truth != wanted => return Some(false),
                _ => {}
            }
        }
        Some(true)
    }
}

//! What is known of a text that is no model.
//!
//! In: statements as written. Out: the names that generated code would have ([`Stub`]), and the errors with them
//! ([`Rejection`]).

use crate::diagnostic::Diagnostics;
use crate::form::Form;
use crate::model::Space;
use crate::model::family::FamilyModel;
use crate::syntax::{self, SourceMap, SourceText, ast};
use proc_macro2::TokenStream;
use std::collections::{BTreeMap, BTreeSet};

/// What is needed for the stub of a model that has errors, so that the rest of the user's crate sees its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stub {
    /// Name of the model.
    pub name: ast::Name,
    /// Its visibility.
    pub visibility: String,
    /// Names of its parameters.
    pub parameters: Vec<ast::Name>,
    /// Extents of the parameters that are arrays, by name.
    pub arrays: BTreeMap<String, Vec<usize>>,
    /// Names of the inputs that the caller supplies.
    pub inputs: Vec<ast::Name>,
    /// Names of its unknowns, with their numbers of indices.
    pub unknowns: Vec<(ast::Name, usize)>,
    /// The formulations that are asked for.
    pub forms: Vec<Form>,
    /// Paths of the Rust functions that the text names.
    pub paths: Vec<ast::Path>,
    /// The matrices on Lie groups, with the kinds of the groups and the extents of the matrices, empty if not known.
    pub matrices: Vec<(ast::Name, Space, Vec<usize>)>,
}

impl Stub {
    pub(super) fn of(model: &ast::Model) -> Self {
        let mut stub = Stub {
            name: model.name.clone(),
            visibility: model.visibility.clone(),
            parameters: Vec::new(),
            arrays: BTreeMap::new(),
            inputs: Vec::new(),
            unknowns: Vec::new(),
            forms: model.forms(),
            paths: Vec::new(),
            matrices: Vec::new(),
        };
        let mut met = BTreeSet::new();
        for statement in &model.statements {
            match &statement.kind {
                ast::StatementKind::Parameter(it) if met.insert(&it.name.text) => stub.parameters.push(it.name.clone()),
                ast::StatementKind::Supplied(name) if met.insert(&name.text) => stub.inputs.push(name.clone()),
                ast::StatementKind::Variable(it) if met.insert(&it.name.text) => {
                    stub.unknowns.push((it.name.clone(), it.extents.len()));
                }
                ast::StatementKind::External(it) => {
                    let derivatives = it.derivatives.iter().map(|derivative| &derivative.path);
                    stub.paths.extend(it.value.iter().chain(derivatives).cloned());
                }
                ast::StatementKind::LieGroup(it) => {
                    let space = it.space.as_ref().and_then(|name| Space::of_word(&name.text));
                    let matrix = it.matrices.first().cloned().zip(space);
                    stub.matrices.extend(matrix.map(|(name, space)| (name, space, Vec::new())));
                }
                _ => {}
            }
        }
        stub
    }

    /// The stub with the extents that are known.
    pub(super) fn with_extents(mut self, lowered: &FamilyModel) -> Self {
        for parameter in lowered.parameters.iter().filter(|parameter| !parameter.extents.is_empty()) {
            self.arrays.entry(parameter.name.clone()).or_insert_with(|| parameter.extents.clone());
        }
        for (name, _, extents) in &mut self.matrices {
            let declared = lowered.unknowns.iter().find(|unknown| unknown.name == name.text);
            *extents = declared.map_or_else(Vec::new, |unknown| unknown.extents.clone());
        }
        self
    }

    /// Extents of a parameter; empty for a number, and where they are not known.
    pub fn extents(&self, parameter: &str) -> &[usize] {
        self.arrays.get(parameter).map_or(&[], Vec::as_slice)
    }
}

/// A text that is not a model.
#[derive(Debug)]
pub struct Rejection {
    /// The errors, in the order of the text.
    pub diagnostics: Diagnostics,
    /// Where everything stands.
    pub sources: SourceMap,
    /// What is known of the model in spite of the errors.
    pub stub: Option<Stub>,
}

impl Rejection {
    /// `compile_error!`s for the macro.
    pub fn to_compile_errors(&self) -> TokenStream {
        syntax::to_compile_errors(&self.diagnostics, &self.sources)
    }

    /// Text for a terminal.
    pub fn to_text(&self, source: SourceText<'_>) -> String {
        syntax::to_text(&self.diagnostics, &self.sources, source)
    }
}

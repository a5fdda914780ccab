//! Syntax tree to model.
//!
//! In: the statements as written. Out: a [`Model`]: names have a meaning, constants, functions and sub-expressions are
//! inlined, and every equation lists the unknowns that it contains as written. After this point there are no names to
//! resolve, no functions that the text defines, and no constants except exact numbers, $\pi$ and $e$.
//!
//! Statements are taken in the order of the text, after the extents and the constants these depend on; each is resolved
//! once. Findings are collected, and a statement with an error does not hide errors of others.

mod around_events;
mod arrays;
mod at_event;
mod at_time;
mod bounds;
mod branches;
mod choices;
mod conditional;
mod decisions;
mod derived;
mod elements;
mod enclosing;
mod evaluate;
mod extents;
mod external;
mod families;
mod incidence;
mod items;
mod leaves;
mod loops;
mod lowering;
mod modes;
mod names;
mod points;
mod resolve;
mod starts;
mod statements;
mod when;

use crate::derive::lie_start::check_starts;
use crate::diagnostic::Diagnostics;
use crate::form::Form;
use crate::model::family::{self, FamilyModel};
pub use modes::Text;
use crate::model::{self, Model, Space};
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
    fn of(model: &ast::Model) -> Self {
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
    fn with_extents(mut self, lowered: &FamilyModel) -> Self {
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

/// The scalar model of a verified family model.
///
/// # Errors
/// If the instances are too many, an element has two start values, or the scalar model breaks one of the rules for all
/// models: [`model::verify()`], or a matrix does not start in its Lie group.
pub fn scalar_model(lowered: FamilyModel) -> Result<Model, Diagnostics> {
    let model = family::instantiate(lowered)?;
    model::verify(&model)?;
    check_starts(&model)?;
    Ok(model)
}

/// A text that was read, with its families left as they are.
#[derive(Debug)]
pub struct Families {
    /// The model.
    pub model: FamilyModel,
    /// Where everything stands.
    pub sources: SourceMap,
    /// What a stub needs if the model turns out to have errors.
    pub stub: Stub,
}

/// Reads the body of a `dae!` and leaves its families as they are; of a model with modes, it is the one in the mode at
/// the start.
///
/// # Errors
/// Everything that is wrong with it, at once.
pub fn read_families(tokens: TokenStream) -> Result<Families, Box<Rejection>> {
    Text::read(tokens).map(Text::into_families)
}

/// Reads the body of a `dae!`; of a model with modes, the result is the one in the mode at the start.
///
/// # Errors
/// Everything that is wrong with it, at once.
pub fn read(tokens: TokenStream) -> Result<(Model, SourceMap), Box<Rejection>> {
    let Families { model, sources, stub } = read_families(tokens)?;
    match scalar_model(model) {
        Ok(model) => Ok((model, sources)),
        Err(mut diagnostics) => {
            diagnostics.sort_by_place(|origin| sources.order(origin));
            Err(Box::new(Rejection { diagnostics, sources, stub: Some(stub) }))
        }
    }
}

/// Reads a text with the body of a `dae!` and leaves its families as they are; of a model with modes, it is the one in the
/// mode at the start.
///
/// # Errors
/// Everything that is wrong with it, at once.
pub fn read_families_text(text: &str) -> Result<Families, Box<Rejection>> {
    Text::read_text(text).map(Text::into_families)
}

/// Reads a text with the body of a `dae!`, a `.dae` file; of a model with modes, the result is the one in the mode at the
/// start ([`Text`] gives all).
///
/// # Errors
/// Everything that is wrong with it, at once.
pub fn read_text(text: &str) -> Result<(Model, SourceMap), Box<Rejection>> {
    match syntax::tokenize(text) {
        Ok(tokens) => read(tokens),
        Err((finding, sources)) => Err(Box::new(Rejection { diagnostics: finding, sources, stub: None })),
    }
}

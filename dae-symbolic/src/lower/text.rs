//! A text whose model may have modes.
//!
//! In: the statements as written. Out: [`Text`], from which the model in each mode is made; one without `modes` blocks has
//! a single mode, without variables. The statements of all alternatives are checked when a text is read.

use super::statements;
use super::stub::{Rejection, Stub};
use crate::derive::lie_start::check_starts;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::model::family::{self, FamilyModel};
use crate::model::{self, Model};
use crate::syntax::{self, SourceMap, ast};
use proc_macro2::TokenStream;

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

/// A text that was read: its model in every mode.
#[derive(Debug)]
pub struct Text {
    written: ast::Model,
    /// Where everything stands.
    pub sources: SourceMap,
    /// What a stub needs if the model turns out to have errors.
    pub stub: Stub,
    /// The model in the mode at the start.
    start: FamilyModel,
}

impl Text {
    /// Reads the body of a `dae!`.
    ///
    /// # Errors
    /// Everything that is wrong with it, at once.
    pub fn read(tokens: TokenStream) -> Result<Text, Box<Rejection>> {
        let syntax::Parsed { model: written, sources, mut diagnostics } = syntax::parse(tokens);
        let Some(mut written) = written else {
            diagnostics.sort_by_place(|origin| sources.order(origin));
            return Err(Box::new(Rejection { diagnostics, sources, stub: None }));
        };
        written.modes = variables(&written);
        check(&written, &mut diagnostics);
        let at_start = at_start(&written.modes);
        let start = lower(&written, &at_start, &mut diagnostics);
        let stub = Stub::of(&written).with_extents(&start);
        let nested = written.modes_in_modes();
        for variable in written.modes.iter().filter(|_| nested.is_empty()) {
            for alternative in (0..variable.alternatives.len()).filter(|&it| it != variable.at_start()) {
                let mut mode = at_start.clone();
                mode[variable.range()].fill(alternative);
                let mut found = Diagnostics::new();
                _ = lower(&written, &mode, &mut found);
                let new: Vec<Diagnostic> =
                    found.iter().filter(|it| !diagnostics.iter().any(|known| known == *it)).cloned().collect();
                new.into_iter().for_each(|finding| diagnostics.push(finding));
            }
        }
        if !diagnostics.has_errors()
            && let Err(found) = family::verify(&start)
        {
            diagnostics.append(found);
        }
        diagnostics.sort_by_place(|origin| sources.order(origin));
        match diagnostics.has_errors() {
            true => Err(Box::new(Rejection { diagnostics, sources, stub: Some(stub) })),
            false => Ok(Text { written, sources, stub, start }),
        }
    }

    /// Reads a text with the body of a `dae!`: a `.dae` file.
    ///
    /// # Errors
    /// Everything that is wrong with it, at once.
    pub fn read_text(text: &str) -> Result<Text, Box<Rejection>> {
        match syntax::tokenize(text) {
            Ok(tokens) => Text::read(tokens),
            Err((diagnostics, sources)) => Err(Box::new(Rejection { diagnostics, sources, stub: None })),
        }
    }

    /// The number of mode variables, in loops with one for each value of theirs; 0 for a model without modes.
    pub fn variable_count(&self) -> usize {
        self.written.modes.iter().map(|variable| variable.instances.len()).sum()
    }

    /// The number of modes, including combinations that no event enters.
    pub fn mode_count(&self) -> usize {
        let sizes = self.written.modes.iter().flat_map(|it| it.instances.iter().map(|_| it.alternatives.len()));
        sizes.fold(1, usize::saturating_mul)
    }

    /// The mode at the start: for each variable the position of its alternative.
    pub fn start(&self) -> Vec<usize> {
        at_start(&self.written.modes)
    }

    /// A mode by the alternatives of its variables: `clutch = engaged`; empty for a model without modes.
    pub fn name_of(&self, mode: &[usize]) -> String {
        let variables = self.written.modes.iter().flat_map(|it| it.instances.iter().map(move |at| (it, at)));
        let named = variables.zip(mode).filter_map(|((variable, at), &alternative)| {
            let name = family::element_name(&variable.name.text, at);
            Some(format!("{name} = {}", variable.alternatives.get(alternative)?.text))
        });
        named.collect::<Vec<String>>().join(", ")
    }

    /// The model in the mode at the start, with its families left as they are.
    pub fn into_families(self) -> Families {
        Families { model: self.start, sources: self.sources, stub: self.stub }
    }

    /// The model in a mode, with its families left as they are.
    ///
    /// # Errors
    /// If the model breaks a rule for all models there: it has as many equations as unknowns, for instance.
    pub fn families(&self, mode: &[usize]) -> Result<FamilyModel, Diagnostics> {
        if mode == self.start() {
            return Ok(self.start.clone());
        }
        let mut diagnostics = Diagnostics::new();
        let lowered = lower(&self.written, mode, &mut diagnostics);
        match diagnostics.has_errors() {
            true => Err(diagnostics),
            false => family::verify(&lowered).map(|()| lowered),
        }
    }

    /// The model in a mode.
    ///
    /// # Errors
    /// As for [`Text::families`] and [`scalar_model`].
    pub fn model(&self, mode: &[usize]) -> Result<Model, Diagnostics> {
        scalar_model(self.families(mode)?)
    }
}

/// The mode variables of a text, with their instances.
fn variables(written: &ast::Model) -> Vec<ast::ModeVariable> {
    let mut variables = written.mode_variables();
    if variables.iter().any(|variable| variable.inside.is_some()) {
        let mut first = 0;
        for (variable, instances) in variables.iter_mut().zip(statements::mode_instances(written)) {
            variable.first = first;
            variable.are_known = instances.is_some();
            variable.instances = instances.unwrap_or_default();
            first += variable.instances.len();
        }
    }
    variables
}

/// The mode at the start.
fn at_start(variables: &[ast::ModeVariable]) -> Vec<usize> {
    variables.iter().flat_map(|variable| variable.instances.iter().map(|_| variable.at_start())).collect()
}

fn lower(written: &ast::Model, mode: &[usize], diagnostics: &mut Diagnostics) -> FamilyModel {
    statements::lower(&written.in_mode(mode), diagnostics)
}

/// Whether mode variables have alternatives with different names, begin in one of them, and exist in every mode.
fn check(written: &ast::Model, found: &mut Diagnostics) {
    for name in written.modes_in_modes() {
        let message = format!("`{}` would exist in some modes only", name.text);
        let finding =
            Diagnostic::error(Code::InvalidModes, message).label(name.origin, "in an `if` that asks for a mode");
        found.push(finding.help("let the block stand outside of the `if`, and ask for the mode in its alternatives"));
    }
    for variable in &written.modes {
        let name = &variable.name;
        if variable.alternatives.len() < 2 {
            let message = format!("`{}` has fewer than two alternatives", name.text);
            let finding = Diagnostic::error(Code::InvalidModes, message).label(name.origin, "nothing to change");
            found
                .push(finding.help("write the equations of each: `modes valve { open { p1 = p2; } shut { q = 0; } }`"));
        }
        for (k, alternative) in variable.alternatives.iter().enumerate() {
            if let Some(first) = variable.alternatives[..k].iter().find(|it| it.text == alternative.text) {
                let finding = Diagnostic::error(Code::DuplicateName, format!("`{}` stands twice", alternative.text))
                    .label(alternative.origin, "the second")
                    .label(first.origin, "the first");
                found.push(finding.help("give one of the alternatives another name"));
            }
        }
        if let Some(start) = variable.start.as_ref().filter(|start| variable.position(&start.text).is_none()) {
            let message = format!("`{}` has no alternative `{}`", name.text, start.text);
            let finding = Diagnostic::error(Code::InvalidModes, message).label(start.origin, "not an alternative");
            found.push(
                finding.help("name one of the alternatives in the block, or leave it out to begin with the first"),
            );
        }
    }
}

//! `forms(ggl, projected(B));`: the formulations that a model asks for.
//!
//! In: the tokens between the parentheses. Out: [`Form`]s, each read from the text of its tokens.

use proc_macro2::Delimiter;

use super::ast::{AskedForm, StatementKind};
use super::cursor::Look;
use super::nearest;
use super::parse_model::Ending;
use super::parser::{Parsed, Parser};
use crate::diagnostic::{Code, Diagnostic};
use crate::form::Form;

impl Parser {
    /// Whether `forms(…);` follows, and not an equation that calls a function of this name.
    pub(super) fn at_forms(&self) -> bool {
        self.cursor.look(1) == Look::Open(Delimiter::Parenthesis) && self.cursor.group_ends_before(1, ";")
    }

    /// `forms(ggl, index1, projected(B))`
    pub(super) fn forms(&mut self) -> Parsed<(StatementKind, Ending)> {
        self.cursor.advance();
        let close = self.expect_open(Delimiter::Parenthesis, "`(` and the forms")?;
        let mut forms: Vec<AskedForm> = Vec::new();
        while self.cursor.position() < close {
            let start = self.cursor.position();
            let text = self.text_of_form(close);
            let origin = self.since(start);
            self.cursor.accept(",");
            let meant = match text.parse::<Form>() {
                Ok(form) => Some(form),
                Err(error) => {
                    // The form that was probably meant gets its method, so that calls of it are not further errors.
                    let (name, choice) = text.split_at(text.find('(').unwrap_or(text.len()));
                    let near = nearest(name, Form::words()).filter(|&near| near != name);
                    let finding = Diagnostic::error(Code::UnknownForm, error.message).label(origin, "not a form");
                    self.fail(match near {
                        Some(near) => finding.help(format!("did you mean `{near}`?")),
                        None => finding,
                    });
                    near.and_then(|near| format!("{near}{choice}").parse().ok())
                }
            };
            let Some(form) = meant else { continue };
            match forms.iter().find(|asked| asked.form.identifier() == form.identifier()) {
                None => forms.push(AskedForm { form, origin }),
                Some(first) => {
                    let message = format!("two forms would have the method `{}`", form.identifier());
                    let finding = Diagnostic::error(Code::DuplicateName, message)
                        .label(origin, "asked for again")
                        .label(first.origin, "first asked for here")
                        .help("numbers can be parameters: `param gamma = 10; forms(baumgarte(gamma));`");
                    self.fail(finding);
                }
            }
        }
        self.cursor.set_position(close + 1);
        Ok((StatementKind::Forms(forms), Ending::Semicolon))
    }

    /// The tokens up to the next comma outside of brackets, as text.
    fn text_of_form(&mut self, close: usize) -> String {
        let (mut text, mut depth) = (String::new(), 0);
        while self.cursor.position() < close {
            match self.cursor.look(0) {
                Look::Operator(",") if depth == 0 => break,
                Look::Open(delimiter) => {
                    depth += 1;
                    text.push_str(opening(delimiter));
                }
                Look::Close(delimiter) => {
                    depth -= 1;
                    text.push_str(closing(delimiter));
                }
                Look::Word(word) => text.push_str(word),
                Look::Literal(literal) => text.push_str(literal),
                Look::Operator(operator) => text.push_str(operator),
                Look::End => {}
            }
            self.cursor.advance();
        }
        text
    }
}

fn opening(delimiter: Delimiter) -> &'static str {
    match delimiter {
        Delimiter::Parenthesis => "(",
        Delimiter::Bracket => "[",
        Delimiter::Brace => "{",
        Delimiter::None => "",
    }
}

fn closing(delimiter: Delimiter) -> &'static str {
    match delimiter {
        Delimiter::Parenthesis => ")",
        Delimiter::Bracket => "]",
        Delimiter::Brace => "}",
        Delimiter::None => "",
    }
}

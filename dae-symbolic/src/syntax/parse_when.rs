//! Tokens to `when` blocks.
//!
//! In: the cursor at `when`. Out: the condition or the times of samples, and the statements of the block. `note`,
//! `terminate` and `sample` have a meaning in such a block only. A statement with an error is reported and skipped up to
//! its `;`.

use super::ast::{Limiting, Name, StatementKind, Trigger, When, WhenItem, WhenItemKind};
use super::attributes::unescape;
use super::cursor::Look;
use super::frames::Opener;
use super::parse_model::Ending;
use super::parser::{Parsed, Parser, Reported};
use crate::diagnostic::{Code, Diagnostic};
use proc_macro2::Delimiter;

impl Parser {
    /// `when condition { … }`
    pub(super) fn when(&mut self) -> Parsed<(StatementKind, Ending)> {
        let opening = self.here();
        self.cursor.advance();
        let first = self.cursor.position();
        let is_sample = self.cursor.at_word("sample") && self.cursor.look(1) == Look::Open(Delimiter::Parenthesis);
        let trigger =
            if is_sample { self.sample()? } else { Trigger::Condition(self.expression_of(Opener::Condition)?) };
        let name = self.cursor.text(first, self.cursor.position());
        let close = self.expect_open(Delimiter::Brace, "`{` and what happens then")?;
        let (mut items, mut limit) = (Vec::new(), None);
        self.each_item(close, |this, start| {
            match this.at_limit() {
                true if limit.is_some() => return Err(this.second_limit()),
                true => limit = Some(this.limit()?),
                false => items.push(this.when_item(start)?),
            }
            Ok(())
        });
        Ok((
            StatementKind::When(When { opening, trigger, name, within: None, depends_on_mode: false, items, limit }),
            Ending::Block,
        ))
    }

    /// Whether `limit {` follows.
    fn at_limit(&mut self) -> bool {
        self.cursor.skip_invisible();
        self.cursor.at_word("limit") && self.cursor.look(1) == Look::Open(Delimiter::Brace)
    }

    /// `limit { … }`
    fn limit(&mut self) -> Parsed<Limiting> {
        let opening = self.here();
        self.cursor.advance();
        let close = self.expect_open(Delimiter::Brace, "`{` and what happens at the limit")?;
        let mut items = Vec::new();
        self.each_item(close, |this, start| {
            items.push(this.when_item(start)?);
            Ok(())
        });
        Ok(Limiting { opening, items })
    }

    fn second_limit(&mut self) -> Reported {
        let at = self.here();
        let finding = Diagnostic::error(Code::RepeatedPart, "an event has one limit").label(at, "the second");
        self.fail(finding.help("write all that happens there in one block"))
    }

    /// `sample(period)` or `sample(first, period)`
    fn sample(&mut self) -> Parsed<Trigger> {
        self.cursor.advance();
        let close = self.expect_open(Delimiter::Parenthesis, "`(` and the period")?;
        let first = self.expression()?;
        let second = if self.cursor.accept(",") { Some(self.expression()?) } else { None };
        if self.cursor.position() != close {
            return Err(self.unexpected("`)`"));
        }
        self.cursor.advance();
        Ok(match second {
            Some(period) => Trigger::Sample { first: Some(first), period },
            None => Trigger::Sample { first: None, period: first },
        })
    }

    fn when_item(&mut self, start: usize) -> Parsed<WhenItem> {
        let attributes = self.attributes()?;
        if let Some((_, at)) = attributes.nominal {
            self.misplaced_nominal(at);
        }
        self.cursor.skip_invisible();
        let kind = match (self.cursor.look(0), self.cursor.look(1)) {
            (Look::Word("note"), Look::Literal(text)) => WhenItemKind::Note(unescape(text)),
            (Look::Word("terminate"), Look::Literal(text)) => WhenItemKind::Terminate(unescape(text)),
            (Look::Word("inelastic"), Look::Operator(";")) => WhenItemKind::Inelastic,
            (Look::Word("note" | "terminate"), Look::Operator(";")) => return Err(self.without_message()),
            (Look::Word("if" | "for" | "when" | "let"), _) => return Err(self.no_when_item()),
            _ => WhenItemKind::Change(self.whole_equation()?),
        };
        if matches!(kind, WhenItemKind::Note(_) | WhenItemKind::Terminate(_)) {
            self.cursor.advance();
            self.cursor.advance();
        } else if matches!(kind, WhenItemKind::Inelastic) {
            self.cursor.advance();
        }
        let origin = self.since(start);
        self.semicolon()?;
        Ok(WhenItem { origin, kind })
    }

    fn without_message(&mut self) -> Reported {
        let at = self.here();
        let finding = Diagnostic::error(Code::UnexpectedToken, "a message is a text in quotes")
            .label(at, "expected a text after this");
        self.fail(finding.help("write `note \"the tank is empty\";`"))
    }

    fn no_when_item(&mut self) -> Reported {
        let at = self.here();
        let finding = Diagnostic::error(
            Code::UnsupportedConstruct,
            "a `when` holds new values of unknowns, modes to enter, `inelastic`, `limit { … }`, `note` and `terminate`",
        );
        let finding = finding.label(at, "not allowed in here");
        self.fail(finding.help(
            "write `x = if condition { a } else { pre(x) };` for a choice, and `for` or another `when` around the block",
        ))
    }

    /// Reports that a discrete variable has no start value.
    pub(super) fn discrete_without_start(&mut self, name: &Name) -> Reported {
        let message = format!("the discrete variable `{}` has no start value", name.text);
        let finding =
            Diagnostic::error(Code::MissingEquals, message).label(name.origin, "expected `= value` after this");
        self.fail(finding.help("what changes at events only has a value before the first of them: write `= value`"))
    }
}

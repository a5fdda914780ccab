//! `/// documentation`, `#[nominal(1e-3)]` and `#[dae(crate = path)]`.
//!
//! In: the cursor before the attributes of a model or statement. Out: documentation lines, the nominal value, and the
//! path of the crate. The compiler and `proc_macro2` both turn a documentation comment into `#[doc = "…"]`, escapes
//! included.

use super::ast::Expression;
use super::cursor::Look;
use super::parser::{Parsed, Parser};
use crate::diagnostic::{Code, Diagnostic};
use crate::origin::Origin;
use proc_macro2::Delimiter;

/// The attributes before a model or statement.
#[derive(Default)]
pub(super) struct Attributes {
    pub(super) docs: Vec<String>,
    /// The nominal value and the attribute that gives it.
    pub(super) nominal: Option<(Expression, Origin)>,
}

impl Parser {
    pub(super) fn attributes(&mut self) -> Parsed<Attributes> {
        let mut found = Attributes::default();
        while self.cursor.at_operator("#") {
            let start = self.cursor.position();
            self.cursor.advance();
            self.cursor.accept("!");
            let close = self.expect_open(Delimiter::Bracket, "`[` of an attribute")?;
            let result = self.attribute(start, close, &mut found);
            self.cursor.set_position(close + 1);
            result?;
        }
        Ok(found)
    }

    fn attribute(&mut self, start: usize, close: usize, found: &mut Attributes) -> Parsed<()> {
        let whole = self.sources.range(start, close);
        let name = match self.cursor.look(0) {
            Look::Word(name) => name.to_string(),
            _ => String::new(),
        };
        self.cursor.advance();
        match name.as_str() {
            "doc" => {
                self.expect("=", "`=` and the documentation")?;
                self.cursor.skip_invisible();
                let Look::Literal(text) = self.cursor.look(0) else {
                    return Err(self.unexpected("the documentation as a string"));
                };
                let text = unescape(text);
                found
                    .docs
                    .extend(text.split('\n').map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end().to_string()));
                Ok(())
            }
            "nominal" => {
                self.expect_open(Delimiter::Parenthesis, "`(` and the nominal value")?;
                let value = self.expression()?;
                if !matches!(self.cursor.look(0), Look::Close(_)) {
                    return Err(self.unexpected("`)` after the nominal value"));
                }
                found.nominal = Some((value, whole));
                Ok(())
            }
            "dae" if !self.cursor.is_after_word(start, "struct") => {
                self.expect_open(Delimiter::Parenthesis, "`(` and `crate = path`")?;
                if !self.cursor.at_word("crate") {
                    return Err(self.unexpected("`crate = path`"));
                }
                self.cursor.advance();
                self.expect("=", "`=` and the path of the crate")?;
                self.sources.crate_path = Some(self.crate_path()?);
                Ok(())
            }
            _ => {
                let finding = Diagnostic::error(Code::InvalidAttribute, format!("unknown attribute `{name}`"))
                    .label(whole, "not known here")
                    .help("documentation and, before `var`, `#[nominal(value)]` are the attributes of the language");
                Err(self.fail(finding))
            }
        }
    }
}

impl Parser {
    /// `name`, `::name`, `$crate::name::other`: a path up to the closing parenthesis.
    fn crate_path(&mut self) -> Parsed<String> {
        let mut text = String::new();
        loop {
            self.cursor.skip_invisible();
            match self.cursor.look(0) {
                Look::Word(word) if text.is_empty() || text.ends_with([':', '$']) => text.push_str(word),
                Look::Operator("::") if !text.ends_with(':') => text.push_str("::"),
                Look::Operator("$") if text.is_empty() => text.push('$'),
                Look::Close(_) if !text.is_empty() && !text.ends_with([':', '$']) => return Ok(text),
                Look::Word(_) | Look::Literal(_) | Look::Operator(_) | Look::Open(_) | Look::Close(_) | Look::End => {
                    return Err(self.unexpected("a path"));
                }
            }
            self.cursor.advance();
        }
    }
}

/// The text of a string literal, plain or raw.
pub(super) fn unescape(literal: &str) -> String {
    if let Some(raw) = literal.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let text = raw.get(hashes + 1..raw.len().saturating_sub(hashes + 1));
        return text.unwrap_or_default().to_string();
    }
    let inner = literal.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(literal);
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('0') => text.push('\0'),
            Some('x') => text.extend(code_point(&characters.by_ref().take(2).collect::<String>())),
            Some('u') => {
                let digits: String = characters.by_ref().skip(1).take_while(|c| *c != '}').collect();
                text.extend(code_point(&digits));
            }
            Some(other) => text.push(other),
            None => {}
        }
    }
    text
}

fn code_point(hexadecimal: &str) -> Option<char> {
    u32::from_str_radix(hexadecimal, 16).ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn strings_lose_their_quotes() {
        assert_eq!(unescape(r#"" plain \"quoted\" \\ \u{3b1} \x41""#), " plain \"quoted\" \\ α A");
        assert_eq!(unescape(r###"r#" raw \n "#"###), r" raw \n ");
        assert_eq!(unescape(r#"r" raw""#), " raw");
    }
}

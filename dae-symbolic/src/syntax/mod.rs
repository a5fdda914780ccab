//! Tokens to a syntax tree: the one parser, for the macro, build scripts and the command line.
//!
//! In: `proc_macro2` tokens of a `dae!` body (text becomes tokens by [`tokenize`]). Out: an [`ast::Model`], a
//! [`SourceMap`] from origins to spans, and findings. Nothing recurses on the user's text.
//!
//! # Grammar
//!
//! Everything is legal Rust tokens. `{ }` is repetition, `[ ]` an option, quotes are tokens.
//!
//! ```text
//! model       = docs [ visibility ] "struct" NAME "{" { statement } "}" ;
//! statement   = docs ( constant | parameter | input | definition | function | variable | start | equation ) ;
//! constant    = "const" NAME [ type ] "=" expression ";" ;
//! parameter   = "param" NAME [ type ] "=" expression ";" ;
//! input       = "input" NAME [ type ] "=" expression ";" ;
//! definition  = "let"   NAME [ type ] "=" expression ";" ;
//! function    = "fn" NAME "(" [ NAME [ type ] { "," NAME [ type ] } [ "," ] ] ")" [ "->" "f64" ]
//!               "{" { definition } expression "}" ;
//! variable    = [ "#" "[" "nominal" "(" expression ")" "]" ] "var" NAME [ type ] [ ( "=" | "~" ) expression ] ";" ;
//! start       = "start" "der" "(" NAME [ "," expression ] ")" ( "=" | "~" ) expression ";" ;
//! equation    = expression "=" expression ";" ;
//! type        = ":" "f64" ;
//!
//! expression  = product { ( "+" | "-" ) product } ;
//! product     = signed  { ( "*" | "/" ) signed } ;
//! signed      = { "-" } postfix ;
//! postfix     = operand { "." NAME "(" [ arguments ] ")" } ;
//! operand     = NUMBER | "t" | "PI" | "E" | NAME | call | "(" expression ")" ;
//! call        = FUNCTION "(" [ arguments ] ")" ;
//! arguments   = expression { "," expression } [ "," ] ;
//! ```
//!
//! `NUMBER` is a decimal literal of Rust, exact, with `_` between digits and the suffix `f64` allowed. `PI` and `E` may
//! be written with their paths (`std::f64::consts::PI`), functions as `f64::sin`. `FUNCTION` is a function of the
//! operator table, a `fn` of the model, or `der`: `der(x)` and `der(x, k)` are derivatives of the unknown or input `x`.
//!
//! # Meaning
//!
//! * `=` after `var` fixes the start value, `~` gives a guess that consistent initialisation may move; likewise after
//!   `start`.
//! * Unknowns may be declared anywhere. Constants, parameters, inputs, `let`s and functions are declared before they
//!   are used. All names live in one space, except that arguments and `let`s of a function may shadow names of the
//!   model.
//! * A constant uses numbers and earlier constants; a parameter's default also earlier parameters; a start value
//!   constants and parameters; an input's definition also `t`; a function its arguments and all of these and inputs,
//!   but no unknown: what it depends on is an argument.

pub mod ast;
mod attributes;
mod cursor;
mod parse_array;
mod parse_declaration;
mod parse_expression;
mod parse_model;
mod parser;
mod render_text;
mod render_tokens;
pub(crate) mod restrict;
mod source;
pub(crate) mod suggest;

pub use render_text::{SourceText, to_text};
pub use render_tokens::to_compile_errors;
pub use source::SourceMap;
pub use suggest::nearest;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use proc_macro2::TokenStream;

/// What parsing found: as much of the model as could be understood, and what could not.
#[derive(Debug)]
pub struct Parsed {
    /// The model; `None` if not even its name could be read. With errors, the statements that were understood.
    pub model: Option<ast::Model>,
    /// Where everything stands.
    pub sources: SourceMap,
    /// What is wrong with the text.
    pub diagnostics: Diagnostics,
}

/// Parses the body of a `dae!`.
pub fn parse(tokens: TokenStream) -> Parsed {
    let mut parser = parser::Parser::new(tokens);
    let model = parser.model();
    Parsed { model, sources: parser.sources, diagnostics: parser.diagnostics }
}

/// Tokens of a text, or the place where it stops being made of tokens.
///
/// # Errors
/// If the text is not made of Rust tokens, or a bracket has no counterpart.
pub fn tokenize(text: &str) -> Result<TokenStream, (Diagnostics, SourceMap)> {
    text.parse().map_err(|error: proc_macro2::LexError| {
        let mut sources = SourceMap::default();
        let at = sources.foreign(error.span());
        let finding = Diagnostic::error(Code::UnreadableText, "the text is not made of Rust tokens")
            .label(at, "cannot be read from here on")
            .help("look for a bracket without counterpart, an unfinished comment, or a character Rust does not have");
        (finding.into(), sources)
    })
}

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
//! statement   = docs ( constant | parameter | input | table | external | definition | function | variable | discrete
//!               | start | initial | equation | family | choice | event | modes | complementarity | invariant | forms
//!               | lagrangian | hamiltonian | optimal_control | boundary | lie_group ) ;
//! constant    = "const" NAME [ type ] "=" value ";" ;
//! parameter   = "param" NAME [ type ] "=" value ";" ;
//! input       = "input" NAME [ ":" "f64" ] [ "=" expression ] ";" ;
//! table       = "table" NAME "=" "[" point { "," point } [ "," ] "]" ";" ;
//! point       = "(" expression "," expression ")" ;
//! external    = "extern" "fn" NAME "(" NAME [ ":" "f64" ] { "," NAME [ ":" "f64" ] } ")" [ "->" "f64" ] "=" PATH
//!               { "," "der" "(" NAME { "," ( NAME | NUMBER ) } ")" "=" PATH } ";" ;
//! definition  = "let"   NAME [ type ] "=" value ";" ;
//! function    = "fn" NAME "(" [ NAME [ type ] { "," NAME [ type ] } [ "," ] ] ")" [ "->" "f64" ]
//!               "{" { "let" NAME [ ":" "f64" ] "=" expression ";" } expression "}" ;
//! variable    = [ "#" "[" "nominal" "(" expression ")" "]" ] "var" NAME [ type ] [ ( "=" | "~" ) value ] ";" ;
//! discrete    = "discrete" NAME [ type ] "=" value ";" ;
//! start       = "start" ( "der" "(" element [ "," expression ] ")" | element ) ( "=" | "~" ) value ";" ;
//! initial     = "initial" "{" { inner } "}" ;
//! equation    = expression "=" expression ";" ;
//! family      = "for" NAME "in" range "{" { inner } "}" ;
//! choice      = "if" condition "{" { inner } "}" { "else" "if" condition "{" { inner } "}" } [ "else" "{" { inner } "}" ] ;
//! event       = "when" ( condition | "sample" "(" expression [ "," expression ] ")" ) "{" { happening | limit } "}" ;
//! happening   = expression "=" expression ";" | ( "note" | "terminate" ) TEXT ";" | "inelastic" ";" ;
//! limit       = "limit" "{" { happening } "}" ;
//! modes       = "modes" NAME [ "=" NAME ] "{" { NAME "{" { inner } "}" } "}" ;
//! complementarity = "complementary" NAME "(" expression "," expression ")" ";" ;
//! invariant   = "invariant" NAME [ ":" "f64" ] "=" expression ";" ;
//! forms       = "forms" "(" form { "," form } [ "," ] ")" ";" ;
//! form        = NAME [ "(" options ")" ] ;
//! options     = option [ "," option ] | "[" option { "," option } "]" ;
//! option      = [ "-" ] NUMBER | NAME [ index ] ;
//! inner       = docs ( equation | definition | start | event | family | choice ) ;
//! range       = expression ( ".." | "..=" ) expression ;
//! type        = ":" ( "f64" | "[" "f64" ";" expression "]" | "[" "[" "f64" ";" expression "]" ";" expression "]" ) ;
//! value       = expression | "|" NAME [ "," NAME ] "|" expression ;
//! element     = NAME [ index [ index ] ] ;
//! index       = "[" expression "]" ;
//!
//! lagrangian  = "lagrangian" "{" { docs mechanics } "}" ;
//! mechanics   = "coordinates" names ";" | "velocities" names ";"
//!               | ( "kinetic" | "potential" | "lagrangian" | "dissipation" ) "=" expression ";"
//!               | "constraint" "(" element ")" equation
//!               | "force" "(" element ")" "=" expression ";"
//!               | "for" NAME "in" range "{" { docs mechanics } "}"
//!               | "invariant" NAME ";" ;
//! hamiltonian = "hamiltonian" "{" { docs canonical } "}" ;
//! canonical   = "coordinates" names ";" | "momenta" names ";"
//!               | ( "kinetic" | "potential" | "hamiltonian" ) "=" expression ";"
//!               | "constraint" "(" element ")" equation
//!               | "force" "(" element ")" "=" expression ";"
//!               | "for" NAME "in" range "{" { docs canonical } "}"
//!               | "invariant" NAME ";" ;
//! optimal_control = "optimal_control" "{" { docs control } "}" ;
//! control     = "states" names ";" | "adjoints" names ";" | "controls" names ";"
//!               | ( "running_cost" | "terminal_cost" | "barrier" ) "=" expression ";"
//!               | "constraint" "(" element ")" expression ( "=" | "<=" | ">=" ) expression ";"
//!               | "horizon" "(" expression "," expression ")" ";"
//!               | "der" "(" element ")" "=" expression ";"
//!               | "for" NAME "in" range "{" { docs control } "}" ;
//! boundary    = "boundary" "{" { docs limit } "}" ;
//! limit       = equation | "horizon" "(" expression "," expression ")" ";" | "free" names ";"
//!               | "for" NAME "in" range "{" { docs limit } "}" ;
//! lie_group   = "lie_group" NAME "(" expression { "," expression } [ "," ] ")" "{" { docs motion } "}" ;
//! motion      = "matrix" NAME ";" | "generator" "=" value ";" ;
//! names       = NAME { "," NAME } [ "," ] ;
//!
//! expression  = product { ( "+" | "-" ) product } ;
//! product     = signed  { ( "*" | "/" ) signed } ;
//! signed      = { "-" } postfix ;
//! postfix     = operand { "." NAME "(" [ arguments ] ")" | index | "(" expression ")" } ;
//! operand     = NUMBER | "t" | "PI" | "E" | NAME | call | "(" expression ")" | conditional | list | sum ;
//! list        = "[" arguments "]" | "[" expression ";" expression "]" ;
//! sum         = "sum" "(" NAME "in" range "=>" expression ")" ;
//! conditional = "if" condition "{" expression "}" { "else" "if" condition "{" expression "}" } "else" "{" expression "}" ;
//! condition   = conjunction { "||" conjunction } ;
//! conjunction = decided { "&&" decided } ;
//! decided     = { "!" } "(" condition ")" | expression ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) expression ;
//! call        = FUNCTION "(" [ arguments ] ")" ;
//! arguments   = expression { "," expression } [ "," ] ;
//! ```
//!
//! `NUMBER` is a decimal literal of Rust, exact, with `_` between digits and the suffix `f64` allowed. `PI` and `E` may
//! be written with their paths (`std::f64::consts::PI`), functions as `f64::sin`. `FUNCTION` is a function of the
//! operator table, a `fn` of the model, or `der`: `der(x)` and `der(x, k)` are derivatives of the unknown or input `x`.
//! In a `boundary` block, `x(e)`, `q[i](e)`, `der(x)(e)` and, for a `let`, `s(e)` are values at the time `e`, and
//! `integral(e)` is an integral over time; parentheses follow no other operand.
//! A `conditional` at the head of a branch or of a function's body is all of it unless a method is called on it,
//! because Rust ends a statement after its last brace (`tests/language/grammar.rs` holds expressions to those of Rust).
//!
//! # Meaning
//!
//! * `=` after `var` fixes the start value, `~` gives a guess that consistent initialisation may move; likewise after
//!   `start`.
//! * Unknowns may be declared anywhere. Constants, parameters, inputs, `let`s and functions are declared before they
//!   are used. All names live in one space, except that arguments and `let`s of a function may shadow names of the
//!   model.
//! * A constant uses numbers and earlier constants; a parameter's default also earlier parameters; a start value
//!   constants and parameters; an input's definition also `t`, tables and external functions; a function all of these,
//!   inputs and its arguments, but no unknown: an unknown on which it depends is passed as an argument.
//! * Arrays have one or two indices, from zero, and sizes that are constants. `= value` gives all elements the same
//!   value, or each the one that a list or, by its index, `|i| value` has for it. An index is affine in loop variables
//!   with integer coefficients (`N - 1 - 2 * i`); it is checked for every instance. A row `T[i]`, a whole array and its
//!   derivative `der(q)` can be indexed further, or be arguments of functions that say so
//!   (`fn norm2(v: [f64; 3]) { … }`), and nothing else.
//! * A `for` stands for the statements in it, once for each value of its variable, which is a number in expressions. An
//!   equation in it is one equation of the text, with instances such as `equation 4[i = 17]`. `sum(i in 0..N => e)` is
//!   zero if the range is empty, and a `for` over such a range stands for nothing, which is an error only where the
//!   range is made of literals. Ranges may depend on the variables of outer loops.
//! * Conditions that constants and loop variables decide are decided while the model is read, and what they leave out
//!   is not evaluated. Conditions around equations must be of this kind, and `==` and `!=` may only compare such
//!   numbers, or a mode variable with one of its alternatives (`clutch == engaged`, in equations, sub-expressions and
//!   events), which is decided in each mode. A `for` in a `lagrangian`, `hamiltonian`, `optimal_control` or `boundary`
//!   block holds constraints and forces, dynamics and constraints, or conditions.
//! * Equations in `initial` hold at the start of a run only, in the mode at the start. There is no `start` and no `when` in
//!   such a block, and no `initial` beside conditions at several times.
//! * A `lie_group` block has one matrix and one generator, and stands outside of `for` and `if`. The name after its word
//!   is one of `SO`, `SL`, `GL`, `Sp`, `SE`, `Stiefel`, and its sizes are constants.
//! * An invariant is a smooth function of `t`, parameters and unknowns whose derivatives occur, that is constant along
//!   solutions. In a `lagrangian` or `hamiltonian` block it is the energy. Its name stands for no value.
//! * There is at most one `boundary` block. A time in it is `t0`, `t_end`, or made of constants and parameters that are
//!   not free. Every unknown in a condition is taken at a time, except in an `integral`, which is over the time from
//!   `t0` to `t_end`. Fixed start values are conditions, too. Guesses of a model with such a block, or with an
//!   `optimal_control` block, may use `t`. Names after `free` are parameters, or `t_end`.
//! * A start value of an element takes precedence over one for its whole array; two for the same element are an error.
//! * The variable of a `for` or a `sum`, an index name and a `let` in a `for` hold inside only, and hide no other name.

pub mod ast;
mod attributes;
mod brackets;
mod conditional;
mod cursor;
mod frames;
mod parse_array;
mod parse_branch;
mod parse_declaration;
mod parse_derived;
mod parse_expression;
mod parse_external;
mod parse_forms;
mod parse_lie_group;
mod parse_model;
mod parse_modes;
mod parse_operand;
mod parse_when;
mod parser;
#[cfg(feature = "terminal")]
mod render_terminal;
mod render_text;
mod render_tokens;
mod source;
pub(crate) mod suggest;
pub(crate) mod validate;

pub(crate) use conditional::nodes_below;

#[cfg(feature = "terminal")]
pub use render_terminal::to_styled_text;
pub use render_text::{SourceText, to_text};
#[cfg(feature = "codegen")]
pub(crate) use render_tokens::compile_error;
pub use render_tokens::to_compile_errors;
pub use source::SourceMap;
pub use suggest::nearest;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use proc_macro2::TokenStream;

/// The result of parsing: the part of the model that was understood, and the errors.
#[derive(Debug)]
pub struct Parsed {
    /// The model; `None` if not even its name could be read. With errors, the statements that were understood.
    pub model: Option<ast::Model>,
    /// Where everything stands.
    pub sources: SourceMap,
    /// The errors in the text.
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
        if let Some((bracket, at)) = brackets::lonely(text) {
            let at = sources.foreign(at);
            let finding = Diagnostic::error(Code::UnreadableText, format!("`{bracket}` has no counterpart"))
                .label(at, "alone")
                .help("add the bracket that belongs to it, or remove it");
            return (finding.into(), sources);
        }
        let at = sources.foreign(error.span());
        let finding = Diagnostic::error(Code::UnreadableText, "the text is not made of Rust tokens")
            .label(at, "cannot be read from here on")
            .help(match primed_name(text, error.span().start()) {
                Some(name) => format!("derivatives are written `der({name})`"),
                None => {
                    "look for a bracket without counterpart, an unfinished comment, or a character Rust does not have"
                        .to_string()
                }
            });
        (finding.into(), sources)
    })
}

/// The `x` of an `x'` whose `'` stands at the given place.
fn primed_name(text: &str, at: proc_macro2::LineColumn) -> Option<String> {
    let line: Vec<char> = text.lines().nth(at.line.checked_sub(1)?)?.chars().collect();
    if line.get(at.column) != Some(&'\'') {
        return None;
    }
    let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
    let before = line[..at.column].iter().rev().take_while(|c| is_part(c)).count();
    let name: String = line[at.column - before..at.column].iter().collect();
    name.chars().next().is_some_and(|first| !first.is_ascii_digit()).then_some(name)
}

//! Every "not allowed here" of the language.
//!
//! In: a construct that the language does not allow in its place. Out: the diagnostic that says so and what to write
//! instead. Parser and lowering ask these functions, so that the limits of the language are in one place.

mod number;
mod place;
mod words;

use super::ast::StatementKind;
use crate::diagnostic::{Code, Diagnostic};
use crate::origin::Origin;

pub(super) use number::number;
pub(crate) use place::{Place, Use, misplaced};
pub(crate) use words::missing_function;
pub(super) use words::{PATH_WORDS, STATEMENT_WORDS, infix, is_keyword, name, operand_word, prefix, statement_word};

/// The largest number of branches in sequence, and of branches nested in each other.
pub(crate) const MAX_BRANCHES: usize = 64;

/// What statements stand in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// The model itself.
    Model,
    /// A `for` or `if`.
    Repeated,
    /// `initial { … }`, and blocks inside of it.
    Initial,
    /// An alternative of `modes`, and blocks inside of it.
    Alternative,
}

impl Within {
    /// What the body of a statement in here is.
    pub(super) fn body_of(self, head: &StatementKind) -> Within {
        match (self, head) {
            (Within::Initial | Within::Alternative, _) => self,
            (_, StatementKind::Initial(_)) => Within::Initial,
            (_, StatementKind::Modes(_)) => Within::Alternative,
            _ => Within::Repeated,
        }
    }

    /// Whether a statement can stand in here.
    pub(super) fn holds(self, kind: &StatementKind) -> bool {
        match kind {
            _ if self == Within::Model => true,
            StatementKind::Equation(_)
            | StatementKind::Definition(_)
            | StatementKind::For(_)
            | StatementKind::Branch(_) => true,
            StatementKind::Start(_) | StatementKind::When(_) => self != Within::Initial,
            StatementKind::Modes(_) => self == Within::Repeated,
            StatementKind::Constant(_)
            | StatementKind::Parameter(_)
            | StatementKind::Input(_)
            | StatementKind::Supplied(_)
            | StatementKind::Table(_)
            | StatementKind::External(_)
            | StatementKind::Function(_)
            | StatementKind::Invariant(_)
            | StatementKind::Derived(_)
            | StatementKind::LieGroup(_)
            | StatementKind::Alternative(_)
            | StatementKind::Inactive { .. }
            | StatementKind::Initial(_)
            | StatementKind::Forms(_)
            | StatementKind::Variable(_) => false,
        }
    }

    /// A statement that cannot stand in here.
    pub(super) fn misplaced(self, kind: &StatementKind, at: Origin) -> Diagnostic {
        let (message, help) = match (self, kind) {
            (Within::Initial, _) => (
                "`initial` holds equations, `let`, `for` and `if`",
                "declare it before; `x = 1;` in here is an equation that holds at the start",
            ),
            (_, StatementKind::Initial(_)) => (
                "`initial` stands on its own, not in another block",
                "write `initial { for i in 0..N { … } }`; initial equations hold in the mode at the start",
            ),
            (_, StatementKind::Modes(_)) => (
                "an alternative of `modes` holds no other `modes`",
                "write one block after the other: a mode is a choice of an alternative for each of them",
            ),
            (Within::Alternative, _) => (
                "alternatives of `modes` hold equations, `let`, `start`, `when`, `for` and `if`",
                "declare it before the block",
            ),
            (Within::Model | Within::Repeated, _) => (
                "`for` and `if` hold equations, `let`, `start`, `when`, `modes`, `for` and `if`",
                "declare it before: for one value per index an array, `var q: [f64; N];`",
            ),
        };
        Diagnostic::error(Code::UnsupportedConstruct, message).label(at, "not allowed in here").help(help)
    }
}

/// A statement about the whole problem (a list, an energy, a cost, the horizon) inside a `for` of a block from which
/// equations are derived.
pub(super) fn not_inside_derived_for(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "a `for` of this block holds constraints, forces, dynamics or conditions, and other `for`s")
        .label(at, "not allowed in a `for`")
        .help("write it once, before or after the `for`: lists name whole arrays, and energies are sums, `sum(i in 0..N => …)`")
}

/// `q[2](t0)` in an equation
pub(crate) fn at_a_time(name: &str, at: Origin) -> Diagnostic {
    Diagnostic::error(Code::NotAllowedHere, format!("{name} is taken at a time, and this is no boundary condition"))
        .label(at, "not allowed here")
        .note("equations hold at all times")
        .help("write conditions in a block of their own: `boundary { y(t0) = 1; y(t_end) = 0; }`")
}

/// `pre(x)` or `hold(x)` in an equation
pub(crate) fn outside_event(name: &str, at: Origin) -> Diagnostic {
    Diagnostic::error(Code::NotAllowedHere, format!("`{name}` belongs to the values after an event"))
        .label(at, "not allowed here")
        .note("`pre(x)` is the value before an event, `hold(x)` the most recent value of a discrete variable")
        .help("write `when condition { x = …; }`, and it there, right of `=`")
}

/// `hold(2 * x)`
pub(crate) fn not_held(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::NotAllowedHere, "`hold` takes a discrete variable")
        .label(at, "not a discrete variable")
        .help("write `hold(n)` for what `discrete n = …;` declares, and `pre(…)` for the value of an expression before the event")
}

/// `integral(x(t0))`
pub(crate) fn at_a_time_in_integral(name: &str, at: Origin) -> Diagnostic {
    Diagnostic::error(Code::NotAllowedHere, format!("{name} is taken at a time in an integral over time"))
        .label(at, "not allowed here")
        .help("write the integrand at any time, `integral(x * y)`, and values at a time outside of it")
}

/// More branches than allowed.
pub(crate) fn branches(at: Origin) -> Diagnostic {
    Diagnostic::error(
        Code::UnsupportedConstruct,
        format!("there are at most {MAX_BRANCHES} branches in and after each other"),
    )
    .label(at, "one too many")
    .help("take numbers that differ from case to case from an array: `const A: [f64; N] = […];`")
}

/// A `let` of a function with the type of an array.
pub(crate) fn array_in_function(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "inside of a function a `let` is a number, or an array without type")
        .label(at, "not allowed here")
        .help("write a list without type, or use `sum(i in 0..N => …)`")
}

/// More indices than an array can have.
pub(super) fn dimensions(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "an array has one or two indices")
        .label(at, "too many indices")
        .help("write `[f64; N]` or `[[f64; M]; N]`")
}

/// A `for` over something that is not a range.
pub(super) fn no_range(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnexpectedToken, "a `for` runs over a range of integers")
        .label(at, "expected a range")
        .help("write `for i in 0..N { … }`")
}

/// A block where an operand should be.
pub(super) fn block(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "blocks are not part of the language")
        .label(at, "not allowed here")
        .help("name a sub-expression with a `let` statement of its own, or group with parentheses")
}

/// `extern fn f(x) { … }`
pub(super) fn external_body(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "a function outside the model has a path, not a body")
        .label(at, "not allowed here")
        .help("write `extern fn name(argument) = path, der(argument) = path;`, or drop `extern`")
}

/// `if` without `else`
pub(super) fn without_else(at: Origin) -> Diagnostic {
    Diagnostic::error(
        Code::UnsupportedConstruct,
        "an `if` without `else` has no value where its condition does not hold",
    )
    .label(at, "expected `else { … }` after this")
    .help("write `if condition { … } else { … }`")
}

/// `{ if condition { a } else { b } - c }`
pub(super) fn statement_of_rust(at: Origin, conditional: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "an `if` at the head of a block ends with its last brace")
        .label(at, "Rust begins another statement here")
        .label(conditional, "a whole statement")
        .help("put it in parentheses: `(if condition { … } else { … })`")
}

/// `if a = b`
pub(super) fn assignment(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedOperator, "`=` makes an equation, and this is a condition")
        .label(at, "not a comparison")
        .help("compare with `<`, `<=`, `>`, `>=`, or numbers that are known while the model is compiled with `==` and `!=`")
}

/// `if a == b`
pub(crate) fn equality(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedOperator, "quantities that change are equal at isolated moments only")
        .label(at, "not decided by constants and loop variables")
        .note("`==` and `!=` compare numbers that are known while the model is compiled")
        .help("compare with `<`, `<=`, `>` or `>=`")
}

/// `if condition { left = right; }`
pub(super) fn statement_in_case(at: Origin) -> Diagnostic {
    Diagnostic::error(
        Code::UnsupportedConstruct,
        "the branches of an `if` are expressions, not equations or statements",
    )
    .label(at, "not allowed here")
    .help("write one equation with the `if` in it: `left = if condition { a } else { b };`")
}

/// `a < b < c`
pub(super) fn chained_comparison(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedOperator, "comparisons cannot be chained")
        .label(at, "second comparison")
        .help("write `a < b && b < c`")
}

/// A condition where a number should be.
pub(super) fn no_number(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::MisplacedCondition, "this is a condition, and a number is needed here")
        .label(at, "not a number")
        .help("conditions stand between `if` and `{`: `if condition { 1 } else { 0 }` is a number")
}

/// A number where a condition should be; `negated` is the whole of a `!` and its operand.
pub(super) fn no_condition(at: Origin, negated: Option<Origin>) -> Diagnostic {
    let finding = Diagnostic::error(Code::MisplacedCondition, "this is a number, and a condition is needed here")
        .label(at, "not a condition");
    match negated {
        Some(_) => finding.help("`!` binds tighter than a comparison: write `!(a < b)`"),
        None => finding.help("compare it: `<`, `<=`, `>`, `>=`, joined with `&&`, `||` and `!`"),
    }
}

/// `a as f64`
pub(super) fn cast(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "numbers are real: there is nothing to cast")
        .label(at, "not allowed here")
        .help("remove `as` and the type")
}

/// `a.b` without parentheses, or `a.0`
pub(super) fn field(name: &str, at: Origin) -> Diagnostic {
    let help = match name.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("for an element of an array write `[{name}]`"),
        false => format!("for a function write `.{name}()`; for an element of an array `[index]`"),
    };
    Diagnostic::error(Code::UnsupportedConstruct, format!("`.{name}` reads a field, and numbers have none"))
        .label(at, "not allowed here")
        .help(help)
}

/// `name!(…)`
pub(super) fn macro_call(name: &str, at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, format!("the macro `{name}!` cannot be called in a model"))
        .label(at, "not allowed here")
        .help(format!("declare `fn {name}(…) {{ … }}` in the model and call it without `!`"))
}

/// A path that is not one of the accepted ones.
pub(super) fn path(path: &str, at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, format!("a model cannot see `{path}`"))
        .label(at, "not known here")
        .note("of paths, `std::f64::consts::PI`, `std::f64::consts::E` and functions like `f64::sin` are known")
        .help("declare what it stands for in the model: `const`, `param` or `fn`")
}

/// A type other than `f64`.
pub(super) fn type_annotation(at: Origin) -> Diagnostic {
    Diagnostic::error(Code::UnsupportedConstruct, "everything in a model is an `f64` or an array of them")
        .label(at, "not a type of the language")
        .help("write `: f64` or nothing, and `: [f64; N]` or `: [[f64; M]; N]` for an array")
}

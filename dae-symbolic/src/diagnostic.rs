//! What is wrong with a model, in the user's terms.
//!
//! In: findings of every stage. Out: [`Diagnostics`], several at once, each with a stable [`Code`], the places it is
//! about ([`Label`]), facts that help to understand it (notes) and what to do (help). Nothing here knows what a
//! source text is; the syntax layer turns [`Origin`]s into spans for the compiler or lines for the terminal.

use crate::origin::Origin;
use std::fmt;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model can be used; the user should know.
    Warning,
}

/// Declares the codes, their stable texts and their one-line titles, once each.
macro_rules! codes {
    ($($variant:ident = $text:literal, $title:literal;)*) => {
        /// Stable identification of a kind of finding: `E0..` the text, `E1..` names and meaning, `E2..` and `E3..` the
        /// model as a whole, `E4..` derived equations and equal unknowns, `E5..` formulations, `E6..` initial values;
        /// `W5..` are warnings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = concat!("`", $text, "`: ", $title, ".")] $variant,)*
        }

        impl Code {
            /// Every code, in the order of its text.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The code as it is printed: `E101`.
            pub fn text(self) -> &'static str {
                match self { $(Code::$variant => $text,)* }
            }

            /// The meaning of the code, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title,)* }
            }
        }
    };
}

codes! {
    UnreadableText = "E001", "the text is not made of Rust tokens";
    UnexpectedToken = "E002", "a token that cannot stand here";
    MissingSemicolon = "E003", "a statement without `;` at its end";
    MissingEquals = "E004", "an equation or declaration without `=`";
    UnsupportedOperator = "E005", "an operator the language does not have";
    UnsupportedConstruct = "E006", "Rust that the model language does not have";
    InvalidNumber = "E007", "a number that is no exact decimal";
    MissingOperator = "E008", "two operands without an operator between them";
    InvalidAttribute = "E009", "an attribute that cannot stand here";
    UnknownName = "E101", "a name that is not declared";
    UnknownFunction = "E102", "a function that does not exist";
    DuplicateName = "E103", "a name that is declared twice";
    ReservedName = "E104", "a name that is taken by the language";
    UsedBeforeDeclaration = "E105", "a name that is used before its declaration";
    NotAllowedHere = "E106", "a name that may not be used in this place";
    ArgumentCount = "E107", "a call with the wrong number of arguments";
    RecursiveFunction = "E108", "a function that calls itself";
    InvalidDerivative = "E109", "a derivative of something that is no unknown";
    InvalidExponent = "E110", "an exponent of `powi` that is no constant integer";
    InvalidNominal = "E111", "a nominal value that is no positive number";
    DuplicateStart = "E112", "two start values for the same unknown or derivative";
    InliningTooLarge = "E113", "functions that grow too large when inlined";
    UnknownForm = "E114", "a formulation that does not exist";
    MisplacedCondition = "E120", "a condition where a number belongs, or the other way round";
    InvalidIndex = "E121", "an index that is no integer made of constants and loop variables";
    IndexOutOfBounds = "E122", "an index outside of its array";
    ArrayShape = "E123", "an array where a number is expected, or the reverse, or arrays of different sizes";
    InvalidExtent = "E124", "a size or a range that is no constant integer, is empty, or is too large";
    InvalidTable = "E130", "a table through whose points there is no spline";
    InvalidExternal = "E131", "a declaration of a function outside the model that does not fit together";
    MissingDerivative = "E132", "a derivative of a function outside the model that is needed and not declared";
    NoEquations = "E201", "a model without equations";
    NoUnknowns = "E202", "a model without unknowns";
    DivisionByZero = "E203", "a division by exactly zero";
    UndeclaredSymbol = "E204", "an expression with a symbol that the model does not declare";
    NotFinite = "E205", "a default or start value that is no finite number";
    StructurallySingular = "E301", "equations and unknowns that cannot be assigned to one another";
    NotSquare = "E302", "a model with more equations than unknowns or fewer";
    TooLong = "E303", "derivatives that are too long to be formed";
    NotUnique = "E304", "equations that leave part of the solution free";
    Contradictory = "E305", "equations that no values fulfil";
    SingularPencil = "E306", "linear equations that determine no solution, whatever their right-hand sides are";
    IncompleteDerivation = "E401", "a block of derived equations that lacks a part";
    RepeatedPart = "E402", "a part of a block of derived equations that is given twice";
    NotAnUnknown = "E403", "something other than an unknown where derived equations need one";
    InvalidEnergy = "E404", "an energy that depends on what it cannot depend on";
    InvalidConstraint = "E405", "a constraint that is not one between coordinates";
    SingularMass = "E406", "a coordinate without inertia";
    InvalidControlProblem = "E407", "dynamics or costs of which optimality conditions cannot be derived";
    ContradictingStarts = "E408", "fixed start values of equal unknowns that contradict";
    InvalidInvariant = "E409", "an invariant that depends on what is not a state, or is not smooth";
    ChangingInvariant = "E410", "an invariant that changes along solutions";
    InvalidLieGroup = "E420", "a Lie group that does not exist, or a generator with what it cannot contain";
    OutsideLieAlgebra = "E421", "a generator that is not proved to be in the Lie algebra of its group";
    StartOffGroup = "E422", "a matrix that does not start in its Lie group";
    InvalidCondition = "E430", "a boundary condition with what it cannot contain, or without an unknown";
    InvalidFree = "E431", "a free quantity that is neither a parameter nor `t_end`";
    ConditionCount = "E432", "more boundary conditions than the model has degrees of freedom and free quantities, or fewer";
    DependentConditions = "E433", "boundary conditions that restrict the same";
    InvalidEvent = "E440", "an event with what it cannot contain";
    CyclicEvents = "E441", "values after an event that depend on themselves";
    InvalidModes = "E442", "modes with what they cannot contain, or a mode that does not exist";
    MissingLaw = "E443", "a change of mode that leaves open which values unknowns have after it";
    ModeCycle = "E444", "changes of mode at one time that may never end";
    InvalidInitial = "E450", "an initial equation with what it cannot contain, or without an unknown";
    MissingForm = "E501", "a formulation that the model does not have";
    ContradictoryStart = "E601", "fixed start values that contradict the equations";
    DifferentiatedKink = "W501", "an equation with a kink that the reduction differentiates";
    DifferentiatedJump = "W502", "an equation that jumps and that the reduction differentiates";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A place and a text about it, which may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub origin: Origin,
    /// The text about it.
    pub text: String,
}

/// One finding. The first label is the place at fault, further ones are related places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity of the finding.
    pub severity: Severity,
    /// The kind of finding.
    pub code: Code,
    /// What is wrong, one line.
    pub message: String,
    /// Places, the one at fault first.
    pub labels: Vec<Label>,
    /// Facts that help to understand it.
    pub notes: Vec<String>,
    /// The remedy.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without places, notes or help yet.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into())
    }

    /// A warning without places, notes or help yet.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into())
    }

    fn new(severity: Severity, code: Code, message: String) -> Self {
        Diagnostic { severity, code, message, labels: Vec::new(), notes: Vec::new(), help: None }
    }

    /// Adds a place; the first one added is the place at fault.
    #[must_use]
    pub fn label(mut self, origin: Origin, text: impl Into<String>) -> Self {
        self.labels.push(Label { origin, text: text.into() });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// The place at fault, [`Origin::NONE`] if there is none.
    pub fn origin(&self) -> Origin {
        self.labels.first().map_or(Origin::NONE, |label| label.origin)
    }
}

/// The finding without places: message, notes and help on lines of their own.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}[{}]: {}", self.code, self.message)?;
        for note in &self.notes {
            write!(f, "\n  = note: {note}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  = help: {help}")?;
        }
        Ok(())
    }
}

/// All findings about one model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// No finding.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Adds all findings of `other`.
    pub fn append(&mut self, other: Diagnostics) {
        self.list.extend(other.list);
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Number of findings.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether one of the findings makes the model unusable.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The findings in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Sorts by a key of the place at fault; findings with equal keys keep their order.
    pub fn sort_by_place<K: Ord>(&mut self, place: impl Fn(Origin) -> K) {
        self.list.sort_by_key(|diagnostic| place(diagnostic.origin()));
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Diagnostics { list: vec![diagnostic] }
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(findings: I) -> Self {
        Diagnostics { list: findings.into_iter().collect() }
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, findings: I) {
        self.list.extend(findings);
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.list.iter().enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_ordered() {
        let texts: Vec<_> = Code::ALL.iter().map(|code| code.text()).collect();
        let mut sorted = texts.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(texts, sorted);
    }

    #[test]
    fn plain_text_lists_notes_and_help() {
        let finding = Diagnostic::error(Code::UnknownName, "unknown name `a`").note("a fact").help("do this");
        assert_eq!(finding.to_string(), "error[E101]: unknown name `a`\n  = note: a fact\n  = help: do this");
    }
}

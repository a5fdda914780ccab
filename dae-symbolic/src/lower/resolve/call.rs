//! The meaning of calls.
//!
//! In: the name and the arguments of a call. Out: a function of the language, of the model or from outside it, or a
//! derivative; and findings about functions that do not exist, take a different number of arguments, or use something
//! that the place does not allow.

use super::{Meaning, Resolver};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::expr::Function;
use crate::lower::names::{Entity, NameKind};
use crate::lower::points::End;
use crate::lower::rounding::Rounding;
use crate::origin::Origin;
use crate::syntax::ast::{CallForm, Name, Node, NodeId};
use crate::syntax::validate::{self, Place, Use};

impl Resolver<'_> {
    pub(super) fn call(
        &mut self,
        function: &Name,
        arguments: &[NodeId],
        form: CallForm,
        whole: Origin,
        found: &mut Diagnostics,
    ) -> Meaning {
        let name = function.text.as_str();
        if name == "der" {
            return self.derivative(function, arguments, form, whole, found);
        }
        if let Some(entry) = self.names.get(name)
            && let Entity::Function(statement) = entry.entity
        {
            return self.own_function(function, statement, arguments, form, found);
        }
        if let Some(entry) = self.names.get(name)
            && let Entity::External(statement) = entry.entity
        {
            return self.external(function, (statement, entry.origin), arguments, form, found);
        }
        if let Some(meaning) = self.at_time(function, arguments, form, whole, found) {
            return meaning;
        }
        if matches!(name, "pre" | "hold") {
            return self.at_event(function, arguments, form, found);
        }
        let (meaning, arity) = match (Rounding::of_name(name), Function::from_name(name)) {
            (Some(rounding), _) => (Meaning::Rounded(rounding), rounding.arity()),
            (None, Some(known)) => (Meaning::Apply(known), known.arity()),
            (None, None) if name == "powi" => (Meaning::IntegerPower, 2),
            (None, None) => {
                found.push(self.unknown_function(function));
                return Meaning::Invalid;
            }
        };
        if arguments.len() != arity {
            found.push(argument_count(function, arity, arguments.len(), form));
            return Meaning::Invalid;
        }
        meaning
    }

    /// The meaning of `y(t0)`, `integral(…)`; `None` for other calls.
    fn at_time(
        &self,
        function: &Name,
        arguments: &[NodeId],
        form: CallForm,
        whole: Origin,
        found: &mut Diagnostics,
    ) -> Option<Meaning> {
        let is_condition = self.place == Place::Condition;
        if is_condition && self.is_integral(function) {
            if arguments.len() == 1 {
                return Some(Meaning::Integral);
            }
            found.push(argument_count(function, 1, arguments.len(), form));
            return Some(Meaning::Invalid);
        }
        let &[argument] = arguments else { return None };
        if form == CallForm::Method {
            return None;
        }
        match self.names.get(&function.text)?.entity {
            Entity::Unknown(unknown) if is_condition => Some(Meaning::UnknownAt(unknown)),
            Entity::Definition(statement) if is_condition => {
                let entry = self.names.get(&function.text)?;
                match self.declared(&function.text, statement, entry.origin, function.origin, found) {
                    true => Some(Meaning::StatementAt(statement)),
                    false => Some(Meaning::Invalid),
                }
            }
            Entity::Unknown(_) if matches!(self.expressions.node(argument), Node::Name(name) if End::of_name(name).is_some()) =>
            {
                found.push(self.misplaced_time(&format!("`{}`", function.text), whole));
                Some(Meaning::Invalid)
            }
            _ => None,
        }
    }

    /// The finding about something that is taken at a time in an equation, or in an integral.
    fn misplaced_time(&self, name: &str, whole: Origin) -> Diagnostic {
        match self.parts.is_empty() {
            true => validate::at_a_time(name, whole),
            false => validate::at_a_time_in_integral(name, whole),
        }
    }

    /// The meaning of `q[2](t0)`, `der(x)(t0)`.
    pub(super) fn taken_at_time(&self, value: NodeId, whole: Origin, found: &mut Diagnostics) -> Meaning {
        if self.place != Place::Condition {
            found.push(self.misplaced_time("a value", whole));
            return Meaning::Invalid;
        }
        match self.meanings[self.indexed(value).index()] {
            Meaning::Invalid => Meaning::Invalid,
            _ => Meaning::At,
        }
    }

    /// The meaning of `pre(…)` and `hold(…)`.
    fn at_event(&self, function: &Name, arguments: &[NodeId], form: CallForm, found: &mut Diagnostics) -> Meaning {
        let name = function.text.as_str();
        if self.place != Place::Change {
            found.push(validate::outside_event(name, function.origin));
            return Meaning::Invalid;
        }
        let &[argument] = arguments else {
            found.push(argument_count(function, 1, arguments.len(), form));
            return Meaning::Invalid;
        };
        match (name, self.meanings[self.indexed(argument).index()]) {
            (_, Meaning::Invalid) => Meaning::Invalid,
            ("pre", _) => Meaning::Before,
            (_, Meaning::Unknown(_)) => Meaning::Held,
            _ => {
                found.push(validate::not_held(self.expressions.origin(argument)));
                Meaning::Invalid
            }
        }
    }

    fn unknown_function(&self, function: &Name) -> Diagnostic {
        let name = function.text.as_str();
        let finding = Diagnostic::error(Code::UnknownFunction, format!("unknown function `{name}`"));
        if let Some(entry) = self.names.get(name) {
            let message = format!("`{name}` is {} and cannot be called", entry.entity.noun());
            return Diagnostic::error(Code::UnknownFunction, message)
                .label(function.origin, "not a function")
                .label(entry.origin, format!("`{name}` is declared here"))
                .help(format!("for a product write `{name} * (…)`"));
        }
        let finding = finding.label(function.origin, "not a function of the language or the model");
        let missing = validate::missing_function(name).map(str::to_string);
        let near = || self.names.nearest(name, NameKind::Function, &[]).map(|near| format!("did you mean `{near}`?"));
        let finding = match self.place {
            Place::Condition => finding.note("unknowns that are taken at a time are declared with `var`"),
            _ => finding,
        };
        match missing.or_else(near) {
            Some(help) => finding.help(help),
            None => finding.help("declare it in the model: `fn name(argument) { value }`"),
        }
    }

    fn own_function(
        &mut self,
        function: &Name,
        statement: usize,
        arguments: &[NodeId],
        form: CallForm,
        found: &mut Diagnostics,
    ) -> Meaning {
        let name = function.text.as_str();
        let Some(entry) = self.names.get(name) else { return Meaning::Invalid };
        if statement == self.statement {
            let finding = Diagnostic::error(Code::RecursiveFunction, format!("the function `{name}` calls itself"));
            found.push(
                finding.label(function.origin, "called here").help("functions are inlined, so they cannot recurse"),
            );
            return Meaning::Invalid;
        }
        if !self.declared(name, statement, entry.origin, function.origin, found) {
            return Meaning::Invalid;
        }
        if form == CallForm::Method {
            let finding = Diagnostic::error(Code::UnknownFunction, format!("`{name}` is no method"));
            found.push(finding.label(function.origin, "called as a method").help(format!("write `{name}(…)`")));
            return Meaning::Invalid;
        }
        let Some((arity, uses)) = self.functions.get(&statement) else { return Meaning::Invalid };
        if *arity != arguments.len() {
            found.push(argument_count(function, *arity, arguments.len(), form).label(entry.origin, "declared here"));
            return Meaning::Invalid;
        }
        for (what, used) in uses {
            if !self.place.allows(*what) {
                let finding = validate::misplaced(*what, used, self.place, function.origin);
                found.push(finding.note(format!("the function `{name}` uses `{used}`")));
                return Meaning::Invalid;
            }
        }
        if self.place == Place::FunctionBody {
            for (what, used) in uses.clone() {
                self.scope.uses.entry(what).or_insert(used);
            }
        }
        Meaning::Call(statement)
    }

    fn external(
        &mut self,
        function: &Name,
        (statement, origin): (usize, Origin),
        arguments: &[NodeId],
        form: CallForm,
        found: &mut Diagnostics,
    ) -> Meaning {
        let name = function.text.as_str();
        if !self.declared(name, statement, origin, function.origin, found) {
            return Meaning::Invalid;
        }
        let arity = self.externals.get(&statement).copied().unwrap_or(1);
        if arity != arguments.len() {
            found.push(argument_count(function, arity, arguments.len(), form).label(origin, "declared here"));
            return Meaning::Invalid;
        }
        self.allowed(Use::External, name, function.origin, Meaning::External(statement), found)
    }

    fn derivative(
        &mut self,
        function: &Name,
        arguments: &[NodeId],
        form: CallForm,
        whole: Origin,
        found: &mut Diagnostics,
    ) -> Meaning {
        let (Some(&operand), true) = (arguments.first(), form == CallForm::Function && arguments.len() <= 2) else {
            let finding = Diagnostic::error(Code::ArgumentCount, "a derivative is written `der(x)` or `der(x, 2)`");
            found.push(finding.label(function.origin, "not like this"));
            return Meaning::Invalid;
        };
        match self.meanings[self.indexed(operand).index()] {
            Meaning::Unknown(_) => Meaning::Derivative,
            Meaning::Input(_) if self.indexed(operand) == operand => Meaning::Derivative,
            Meaning::Invalid => Meaning::Invalid,
            _ => {
                found.push(self.no_derivative(operand, whole));
                Meaning::Invalid
            }
        }
    }

    /// The array that is indexed: `T` of `T[i][j]`, and the node itself if it has no index.
    fn indexed(&self, node: NodeId) -> NodeId {
        let mut node = node;
        while let Node::Index { array, .. } = self.expressions.node(node) {
            node = *array;
        }
        node
    }

    fn no_derivative(&self, operand: NodeId, whole: Origin) -> Diagnostic {
        let at = self.expressions.origin(operand);
        let finding = |message: String| {
            Diagnostic::error(Code::InvalidDerivative, message)
                .label(at, "not an unknown")
                .label(whole, "derivative taken here")
        };
        let base = self.indexed(operand);
        match (self.meanings[base.index()], self.expressions.node(base)) {
            (Meaning::Argument(_) | Meaning::Local(_), Node::Name(name)) => {
                finding(format!("`der({name})` cannot be taken in a function"))
                    .help("pass the derivative as an argument of its own")
            }
            (Meaning::Parameter(_), Node::Name(name)) => {
                finding(format!("`{name}` is a parameter: its derivative is zero"))
                    .help("write `0`, or declare it with `var`")
            }
            (_, Node::Time) => finding("the derivative of `t` is one".to_string()).help("write `1`"),
            (_, Node::Name(name)) => finding(format!(
                "`der` takes an unknown, and `{name}` is a name for an expression"
            ))
            .help(format!(
                "declare an unknown for it (`var {name};`) with the equation `{name} = …;`, or differentiate it by hand"
            )),
            _ => finding("`der` takes an unknown, and this is an expression".to_string())
                .help("declare an unknown for it (`var w;`) with the equation `w = …;`, or differentiate it by hand"),
        }
    }
}

fn argument_count(function: &Name, arity: usize, given: usize, form: CallForm) -> Diagnostic {
    let counted = |count: usize| if count == 1 { "1 argument".to_string() } else { format!("{count} arguments") };
    let name = &function.text;
    let message = format!(
        "`{name}` takes {}, and {} given",
        counted(arity),
        if given == 1 { "1 is".to_string() } else { format!("{given} are") }
    );
    let finding =
        Diagnostic::error(Code::ArgumentCount, message).label(function.origin, format!("takes {}", counted(arity)));
    match form {
        CallForm::Method => finding.note(format!("in `x.{name}(…)` the value `x` is the first argument")),
        CallForm::Function => finding,
    }
}

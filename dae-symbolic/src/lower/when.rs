//! `when` blocks, and discrete variables.
//!
//! In: the condition or the times of samples, and the statements of a block. Out: an event for each value of the loop
//! variables around the block, or findings. A discrete variable is an unknown whose derivative is zero.

use super::enclosing::OpenLoop;
use super::lowering::Lowering;
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{Expr, Node as Kernel, Symbol, UnknownId, substitute, symbols};
use crate::model::family::{Access, Affine, Body, EquationBody, EquationFamily, Loop, element_name};
use crate::model::{Change, Event, ModeTransition, ModeVariable, Trigger, derivative_name};
use crate::origin::Origin;
use crate::syntax::ast::{self, StatementKind, When, WhenItem, WhenItemKind};
use crate::syntax::validate::Place;

impl<'a> Lowering<'a, '_> {
    /// The equation of a discrete variable, or one for each element of an array of them: its derivative is zero.
    pub(super) fn constancy(&mut self, array: usize, origin: Origin) {
        let Some(declared) = self.model.unknowns.get(array) else { return };
        let (name, extents) = (declared.name.clone(), declared.extents.clone());
        let loops: Vec<Loop> = (extents.iter().zip(["i", "j"]))
            .map(|(&extent, name)| Loop { name: name.to_string(), start: 0, end: extent as i64 })
            .collect();
        let indices = (0..extents.len()).map(Affine::variable).collect();
        let unknown = self.evaluator.leaves.access(Access { array, indices });
        let residual = self.evaluator.dag.symbol(Symbol::Unknown { unknown, order: 1 });
        self.model.equations.push(EquationFamily {
            docs: vec![format!("`{name}` changes at events only.")],
            name: format!("constancy of {name}"),
            loops,
            body: Body::Template(EquationBody { residual, incidence: vec![(unknown, 1)] }),
            origin,
        });
    }

    /// Lowers the block at `position`.
    pub(super) fn when(&mut self, position: usize, it: &'a When) {
        match it.trigger {
            ast::Trigger::Condition(condition) => self.resolve(condition, position, Place::Event),
            ast::Trigger::Sample { first, period } => {
                first.into_iter().chain([period]).for_each(|time| self.resolve(time, position, Place::Sample));
            }
        }
        for item in it.items.iter().chain(it.limit.iter().flat_map(|limit| &limit.items)) {
            if let WhenItemKind::Change(equation) = &item.kind {
                equation.left.into_iter().for_each(|side| self.resolve(side, position, Place::Equation));
                equation.right.into_iter().for_each(|side| self.resolve(side, position, Place::Change));
            }
        }
        if self.resolve_transitions(position, it).is_none() {
            return;
        }
        let loops: Vec<Loop> = self.open.iter().map(OpenLoop::hull).collect();
        let Some(points) = self.points(&[], &loops) else { return };
        let findings = self.found.len();
        let events = self.by_points(&loops, points, &mut |this| {
            // What is wrong with one instance is wrong with the others.
            if this.found.len() == findings { this.events_of(it) } else { None }
        });
        self.evaluator.repeats = false;
        self.bind(&loops, None);
        self.forget_local_values();
        for mut piece in events.into_iter().flatten() {
            let values = loops.iter().zip(&piece.domain).map(|(range, (at, _))| format!("{} = {at}", range.name));
            let values: Vec<String> = values.collect();
            let number = self.model.events.list.len();
            for mut event in piece.body.drain(..) {
                if !values.is_empty() {
                    event.name = format!("{} [{}]", event.name, values.join(", "));
                }
                event.number = self.model.events.list.len();
                if let Trigger::Limit { of } = &mut event.trigger {
                    *of = number;
                }
                self.model.events.list.push(event);
            }
        }
    }

    /// The event of a block with the present values of the loop variables, and that at its limit.
    fn events_of(&mut self, it: &'a When) -> Option<Vec<Event>> {
        let trigger = self.trigger(it)?;
        let mut events = vec![self.event((it, it.opening), it.name.clone(), trigger, &it.items)?];
        if let Some(limit) = &it.limit {
            if matches!(trigger, Trigger::Sample { .. }) {
                let finding =
                    Diagnostic::error(Code::InvalidEvent, "samples have no limit").label(limit.opening, "this limit");
                self.found.push(finding.help("remove it, or write a condition"));
                return None;
            }
            let name = format!("{} at its limit", it.name);
            let trigger = Trigger::Limit { of: 0 };
            events.push(self.event((it, limit.opening), name, trigger, &limit.items)?);
        }
        Some(events)
    }

    /// An event with the statements of a block that begins at `opening`: a `when`, or the limit in it.
    fn event(
        &mut self,
        (when, opening): (&When, Origin),
        name: String,
        trigger: Trigger,
        items: &'a [WhenItem],
    ) -> Option<Event> {
        let is_limit = matches!(trigger, Trigger::Limit { .. });
        let mut event = Event {
            name,
            number: 0,
            trigger,
            changes: Vec::new(),
            message: None,
            is_terminal: false,
            within: when.within.and_then(|variable| self.instance_here(variable)),
            depends_on_mode: when.depends_on_mode,
            occurs_on_entry: when.within.is_some(),
            transitions: Vec::new(),
            // What is left of the impulses at a limit is nothing.
            is_inelastic: is_limit,
            origin: opening,
        };
        let mut first_message = None;
        for item in items {
            let (text, is_terminal) = match &item.kind {
                WhenItemKind::Change(equation) => {
                    let change = self.change(equation, item.origin)?;
                    self.add_change(&mut event.changes, change)?;
                    continue;
                }
                WhenItemKind::Enter { variable, indices, alternative } => {
                    let transition = self.transition(*variable, indices, alternative)?;
                    self.add_transition(&mut event.transitions, transition)?;
                    continue;
                }
                WhenItemKind::Inelastic => {
                    event.is_inelastic = true;
                    continue;
                }
                WhenItemKind::Note(text) => (text, false),
                WhenItemKind::Terminate(text) => (text, true),
            };
            if let Some(first) = first_message.replace(item.origin) {
                let finding = Diagnostic::error(Code::RepeatedPart, "an event has one message")
                    .label(item.origin, "another message")
                    .label(first, "the first message");
                self.found.push(finding.help("write one text, or one `when` for each"));
                return None;
            }
            (event.message, event.is_terminal) = (Some(text.clone()), is_terminal);
        }
        if event.is_inelastic && !is_limit && event.transitions.is_empty() {
            let finding = Diagnostic::error(Code::InvalidEvent, "`inelastic` says how a mode is entered");
            let finding = finding.label(opening, "enters no mode");
            self.found.push(finding.help("remove it: what an event changes is made consistent with all constraints"));
            return None;
        }
        self.insert_new_values(&mut event.changes)?;
        Some(event)
    }

    /// Adds a transition; a finding and `None` if the variable is given another alternative already.
    fn add_transition(&mut self, transitions: &mut Vec<ModeTransition>, it: ModeTransition) -> Option<()> {
        if let Some(first) = transitions.iter().find(|known| known.variable == it.variable) {
            let finding = Diagnostic::error(Code::RepeatedPart, "a mode variable is given two alternatives")
                .label(it.origin, "the second")
                .label(first.origin, "the first");
            self.found.push(finding.help("remove one of them"));
            return None;
        }
        transitions.push(it);
        Some(())
    }

    fn trigger(&mut self, it: &When) -> Option<Trigger> {
        match it.trigger {
            ast::Trigger::Condition(condition) => {
                let holds = self.evaluate_scalar(condition)?.expr;
                let dag = &mut self.evaluator.dag;
                if let Some(value) = dag.as_constant(holds).filter(|_| it.depends_on_mode) {
                    let crossing = if value.is_zero() { -1 } else { 1 };
                    return Some(Trigger::Condition { holds, crossing: dag.integer(crossing) });
                }
                let may_stay = it.depends_on_mode;
                let crossing = dag.crossing_function(holds);
                let crossing = crossing.filter(|&crossing| may_stay || !dag.is_time_invariant(crossing));
                if let Some(crossing) = crossing {
                    return Some(Trigger::Condition { holds, crossing });
                }
                let at = self.written.expressions.origin(condition.root);
                let finding = Diagnostic::error(Code::InvalidEvent, "this condition does not change during a run");
                let finding = finding.label(at, "contains no unknown, and not the time");
                self.found.push(finding.help("write a condition such as `when x > 1 { … }` or `when t >= 2 { … }`"));
                None
            }
            ast::Trigger::Sample { first, period } => {
                let first = match first {
                    Some(first) => Some(self.evaluate_scalar(first)?.expr),
                    None => None,
                };
                let value = self.evaluate_scalar(period)?.expr;
                let constant = self.evaluator.dag.as_constant(value);
                if constant.is_some_and(|value| value.is_zero() || value.is_negative()) {
                    let at = self.written.expressions.origin(period.root);
                    let finding = Diagnostic::error(Code::InvalidEvent, "the period of samples is a positive time");
                    self.found.push(finding.label(at, "not positive").help("write `when sample(0.1) { … }`"));
                    return None;
                }
                Some(Trigger::Sample { first, period: value })
            }
        }
    }

    fn change(&mut self, it: &ast::Equation, origin: Origin) -> Option<Change> {
        let (left, right) = (it.left?, it.right?);
        let target = self.evaluate_scalar(left)?.expr;
        self.evaluator.take_as_values(true);
        let value = self.evaluate_scalar(right);
        self.evaluator.take_as_values(false);
        let value = value?.expr;
        let at = self.written.expressions.origin(left.root);
        let Kernel::Symbol(Symbol::Unknown { unknown, order }) = *self.evaluator.dag.node(target) else {
            let message = "left of `=` stands the unknown that changes";
            let finding = Diagnostic::error(Code::InvalidEvent, message).label(at, "not an unknown or its derivative");
            self.found.push(finding.help("solve for the value after the event: `v = -e * pre(v);`"));
            return None;
        };
        if order > 0 && self.is_discrete(unknown) {
            let name = self.leaf_name(unknown);
            let message = format!("`{name}` is discrete, and has no derivative");
            let finding = Diagnostic::error(Code::InvalidEvent, message).label(at, "not an unknown that can change");
            self.found.push(finding.help(format!("change `{name}` itself")));
            return None;
        }
        Some(Change { unknown, order, value, origin })
    }

    /// Adds a change; a finding and `None` if the unknown is changed already.
    fn add_change(&mut self, changes: &mut Vec<Change>, change: Change) -> Option<()> {
        let same = |known: &&Change| (known.unknown, known.order) == (change.unknown, change.order);
        if let Some(first) = changes.iter().find(same) {
            let name = derivative_name(&self.leaf_name(change.unknown), change.order);
            let finding = Diagnostic::error(Code::RepeatedPart, format!("`{name}` is given two values"))
                .label(change.origin, "the second")
                .label(first.origin, "the first");
            self.found.push(finding.help("remove one of them"));
            return None;
        }
        changes.push(change);
        Some(())
    }

    /// Replaces unknowns in new values by their own new values; a finding and `None` for one that has none in this
    /// block, or depends on itself.
    fn insert_new_values(&mut self, changes: &mut [Change]) -> Option<()> {
        let written = changes.to_vec();
        let new_value = |symbol| match symbol {
            Symbol::Unknown { unknown, order } => {
                written.iter().position(|change| (change.unknown, change.order) == (unknown, order))
            }
            _ => None,
        };
        for change in &written {
            for symbol in symbols(&self.evaluator.dag, [change.value]) {
                if let (Symbol::Unknown { unknown, order }, None) = (symbol, new_value(symbol)) {
                    self.without_new_value((unknown, order), change.origin);
                    return None;
                }
            }
        }
        // Each round replaces those that depend on fewer others than there are rounds.
        for _ in 0..written.len() {
            let values: Vec<Expr> = changes.iter().map(|change| change.value).collect();
            for change in changes.iter_mut() {
                let inserted = substitute(&mut self.evaluator.dag, &[change.value], |_, symbol| {
                    new_value(symbol).map(|position| values[position])
                });
                change.value = inserted.first().copied().unwrap_or(change.value);
            }
        }
        for change in changes.iter() {
            if symbols(&self.evaluator.dag, [change.value]).into_iter().any(|symbol| new_value(symbol).is_some()) {
                let name = derivative_name(&self.leaf_name(change.unknown), change.order);
                let message = format!("the value of `{name}` after the event depends on itself");
                let finding = Diagnostic::error(Code::CyclicEvents, message).label(change.origin, "its new value");
                self.found.push(finding.help(format!("write `pre({name})` for the value before the event")));
                return None;
            }
        }
        Some(())
    }

    /// Reports an unknown in a new value that is neither before the event nor after it.
    fn without_new_value(&mut self, (unknown, order): (UnknownId, u32), at: Origin) {
        let name = derivative_name(&self.leaf_name(unknown), order);
        let message = format!("`{name}` has a value before the event and another after it");
        let finding = Diagnostic::error(Code::InvalidEvent, message).label(at, "which of them?");
        self.found.push(match self.is_discrete(unknown) {
            true => finding.help(format!(
                "write `pre({name})` for the value before this event, or `hold({name})` for the most recent one, after other events at the same time"
            )),
            false => finding.help(format!("write `pre({name})` for the value before the event")),
        });
    }

    /// Whether a leaf is an element of a discrete variable.
    fn is_discrete(&self, unknown: UnknownId) -> bool {
        let array = self.evaluator.leaves.accesses.get(unknown.index()).map(|access| access.array);
        let mut declared = self.written.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Variable(it) => Some(it.is_discrete),
            _ => None,
        });
        array.and_then(|array| declared.nth(array)).unwrap_or(false)
    }

    /// Puts the events into the order in which they occur if they do so at the same time.
    pub(super) fn finish_events(&mut self) {
        let around = std::mem::take(&mut self.evaluator.around);
        for (k, &unknown) in around.held.iter().enumerate() {
            if !self.is_discrete(unknown) {
                let name = self.leaf_name(unknown);
                let message = format!("`hold` takes a discrete variable, and `{name}` is none");
                let origin = self.event_with(|symbol| symbol == Symbol::StateDerivative(k as u32));
                let finding = Diagnostic::error(Code::InvalidEvent, message).label(origin, "held in this event");
                self.found.push(finding.help(format!("write `pre({name})` for the value before the event")));
            }
        }
        let events = std::mem::take(&mut self.model.events.list);
        let held = |event: &Event| -> Vec<UnknownId> {
            let values = event.changes.iter().map(|change| change.value);
            let leaves = symbols(&self.evaluator.dag, values).into_iter().filter_map(|symbol| match symbol {
                Symbol::StateDerivative(k) => around.held.get(k as usize).copied(),
                _ => None,
            });
            leaves.collect()
        };
        let needs: Vec<Vec<UnknownId>> = events.iter().map(held).collect();
        let changes = |event: &Event, unknown: UnknownId| event.changes.iter().any(|change| change.unknown == unknown);
        // An event follows as soon as all that change what it holds have occurred.
        let mut left: Vec<usize> = (0..events.len()).collect();
        let mut order = Vec::with_capacity(events.len());
        while !left.is_empty() {
            let is_ready = |&event: &usize| {
                let mut others = left.iter().filter(|&&other| other != event);
                !others.any(|&other| needs[event].iter().any(|&unknown| changes(&events[other], unknown)))
            };
            let Some(next) = left.iter().position(is_ready) else { break };
            order.push(left.remove(next));
        }
        if let &[first, ref others @ ..] = left.as_slice() {
            let message = "events take the most recent values of one another, so that none of them can be the first";
            let finding = Diagnostic::error(Code::CyclicEvents, message).label(events[first].origin, "this event");
            let finding =
                others.iter().fold(finding, |finding, &other| finding.label(events[other].origin, "and this"));
            self.found.push(finding.help("write `pre(n)` in one of them: the value before the event"));
        }
        order.extend(left);
        let mut events: Vec<Option<Event>> = events.into_iter().map(Some).collect();
        self.model.events.list = order.into_iter().filter_map(|event| events[event].take()).collect();
        (self.model.events.before, self.model.events.held) = (around.before, around.held);
        let instances = self.written.modes.iter().flat_map(|it| {
            let mode =
                it.range().map(|instance| self.written.mode.get(instance).copied().unwrap_or_else(|| it.at_start()));
            it.instances.iter().zip(mode).map(move |(at, chosen)| ModeVariable {
                name: element_name(&it.name.text, at),
                alternatives: it.alternatives.iter().map(|name| name.text.clone()).collect(),
                is_complementary: it.is_complementary,
                start: it.at_start(),
                chosen,
                origin: it.name.origin,
            })
        });
        self.model.events.modes = instances.collect();
    }

    /// Where the first event with such a leaf in a new value stands.
    fn event_with(&self, wanted: impl Fn(Symbol) -> bool) -> Origin {
        let has = |change: &&Change| symbols(&self.evaluator.dag, [change.value]).into_iter().any(&wanted);
        let change = self.model.events.list.iter().flat_map(|event| &event.changes).find(has);
        change.map_or(Origin::NONE, |change| change.origin)
    }
}

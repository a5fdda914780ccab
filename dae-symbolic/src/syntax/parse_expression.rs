//! Tokens to expression nodes.
//!
//! In: the cursor at the first token of an expression. Out: its nodes, the cursor at the first token that cannot
//! continue it. An expression under construction is a sum whose last product is still growing, below the comparisons
//! and logical operators that join sums (`conditional.rs`). Each open bracket starts another such sum on an explicit
//! stack: no function recurses on the depth of the text, and a chain of any length becomes one node.

use super::ast::{CallForm, Expression, Name, Node, NodeId, Power, Sign};
use super::conditional::Sort;
use super::cursor::Look;
use super::frames::{Frame, Next, Opener, Operand, Stack, Unary, closing};
use super::parser::{Parsed, Parser, Reported, describe};
use super::validate;
use crate::diagnostic::{Code, Diagnostic};
use proc_macro2::Delimiter;

impl Parser {
    /// Parses one expression.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.expression_of(Opener::Statement)
    }

    /// Parses a condition that ends as a statement does.
    pub(super) fn comparison_statement(&mut self) -> Parsed<Expression> {
        self.expression_as(Opener::Statement, Sort::Condition)
    }

    /// Parses one expression; `kind` decides which tokens can end it, and whether it is to be a condition.
    pub(super) fn expression_of(&mut self, kind: Opener) -> Parsed<Expression> {
        let wanted = if matches!(kind, Opener::Condition) { Sort::Condition } else { Sort::Number };
        self.expression_as(kind, wanted)
    }

    fn expression_as(&mut self, kind: Opener, wanted: Sort) -> Parsed<Expression> {
        let first = NodeId(self.expressions.len() as u32);
        let mut stack = Stack { outer: Vec::new(), top: Frame::new(kind, self.cursor.position()) };
        let mut operand = None;
        loop {
            operand = match operand {
                None => self.operand(&mut stack)?,
                Some(value) => match self.continuation(&mut stack, value)? {
                    Next::Operand => None,
                    Next::Continue(value) => Some(value),
                    Next::Finished(root) => return self.checked(Expression { first, root }, wanted),
                },
            }
        }
    }

    /// One step after an operand.
    fn continuation(&mut self, stack: &mut Stack, value: Operand) -> Parsed<Next> {
        let nested = !stack.outer.is_empty();
        match self.cursor.look(0) {
            Look::Operator(".") => self.method(stack, value),
            Look::Open(Delimiter::Bracket) => {
                self.cursor.advance();
                stack.push(Opener::Index { array: value.node, start: value.start }, self.cursor.position());
                Ok(Next::Operand)
            }
            Look::Open(Delimiter::Parenthesis) if self.is_at_a_time(&value) => {
                self.cursor.advance();
                stack.push(Opener::At { value: value.node, start: value.start }, self.cursor.position());
                Ok(Next::Operand)
            }
            _ if self.at_end_of_stage(&stack.top) => self.end_of_stage(stack, value),
            Look::Operator(operator @ ("+" | "-" | "*" | "/")) => {
                self.binary(&mut stack.top, value, operator);
                Ok(Next::Operand)
            }
            Look::Operator("&&" | "||" | "<" | "<=" | ">" | ">=") => self.logical(stack, value),
            Look::Operator("==" | "!=") if stack.in_condition() => self.logical(stack, value),
            Look::Open(Delimiter::Brace) | Look::Close(_) if matches!(stack.top.opener, Opener::If(_)) => {
                self.end_of_case(stack, value)
            }
            Look::Operator(",") if nested => self.comma(stack, value),
            Look::Close(_) if nested => {
                self.complete_stage(&stack.top)?;
                let whole = self.condition(&mut stack.top, value)?;
                Ok(self.close(stack, Some(whole)).map_or(Next::Operand, Next::Continue))
            }
            Look::Operator(".." | "..=") | Look::Open(Delimiter::Brace)
                if !nested && matches!(stack.top.opener, Opener::Bound | Opener::Condition) =>
            {
                Ok(Next::Finished(self.condition(&mut stack.top, value)?.node))
            }
            Look::Operator("," | ";" | "=" | "~" | ":" | "->" | "=>") | Look::Close(_) | Look::End if !nested => {
                Ok(Next::Finished(self.condition(&mut stack.top, value)?.node))
            }
            Look::Word("as") => {
                let at = self.here();
                Err(self.fail(validate::cast(at)))
            }
            Look::Word(_) | Look::Literal(_) | Look::Open(Delimiter::Parenthesis | Delimiter::None) => {
                if nested {
                    return Err(self.missing_operator(closing(&stack.top)));
                }
                Ok(Next::Finished(self.condition(&mut stack.top, value)?.node))
            }
            Look::Operator(operator @ ("=" | "~" | ";")) if matches!(stack.top.opener, Opener::If(_)) => {
                Err(self.misplaced_in_conditional(stack, operator))
            }
            _ => Err(self.no_continuation(if nested { closing(&stack.top) } else { "`;`" })),
        }
    }

    /// Whether the parenthesis that opens here holds the time at which the operand before it is taken: that is an
    /// element of an array, or a derivative.
    fn is_at_a_time(&self, value: &Operand) -> bool {
        let has_values = match self.expressions.node(value.node) {
            Node::Index { .. } => true,
            Node::Call { function, .. } => function.text == "der",
            _ => false,
        };
        let here = self.cursor.position();
        has_values && value.end + 1 == here && !self.sources.on_later_line(value.end, here)
    }

    /// Reports a token that cannot continue the expression; `end` is what could end it.
    fn no_continuation(&mut self, end: &str) -> Reported {
        let at = self.here();
        let finding = match self.cursor.look(0) {
            Look::Operator(text) => validate::infix(text, at),
            _ => None,
        };
        match finding {
            Some(finding) => self.fail(finding),
            None => self.unexpected(&format!("an operator or {end}")),
        }
    }

    /// Reports two operands side by side.
    pub(super) fn missing_operator(&mut self, end: &str) -> Reported {
        let found = describe(self.cursor.look(0));
        let at = self.here();
        let finding = Diagnostic::error(Code::MissingOperator, format!("expected an operator or {end}, found {found}"))
            .label(at, format!("expected an operator or {end} before this"))
            .help("write products with `*`, and end every statement with `;`");
        self.fail(finding)
    }

    fn method(&mut self, stack: &mut Stack, value: Operand) -> Parsed<Next> {
        self.cursor.advance();
        let (Look::Word(name) | Look::Literal(name)) = self.cursor.look(0) else {
            return Err(self.unexpected("the name of a function"));
        };
        let name = name.to_string();
        let at = self.here();
        let is_name = matches!(self.cursor.look(0), Look::Word(_));
        if !is_name || self.cursor.look(1) != Look::Open(Delimiter::Parenthesis) {
            return Err(self.fail(validate::field(&name, at)));
        }
        self.cursor.advance();
        let function = Name { text: name, origin: at };
        let arguments = vec![value.node];
        let opener = Opener::Call { function, form: CallForm::Method, start: value.start, arguments };
        Ok(self.open_call(stack, opener)?.map_or(Next::Operand, Next::Continue))
    }

    fn binary(&mut self, frame: &mut Frame, value: Operand, operator: &str) {
        let at = self.cursor.position();
        self.cursor.advance();
        match operator {
            "*" | "/" => {
                self.factor(frame, value);
                frame.power = if operator == "*" { Power::Multiply } else { Power::Divide };
            }
            _ => {
                self.product(frame, value);
                frame.sign = if operator == "+" { Sign::Plus } else { Sign::Minus };
                frame.product_start = at + 1;
            }
        }
    }

    /// Ends a factor: applies the `-` and `!` before it, which bind tighter than `*` and looser than a method call.
    fn factor(&mut self, frame: &mut Frame, value: Operand) {
        let mut node = value.node;
        while let Some((unary, start)) = frame.unary.pop() {
            let origin = self.sources.range(start, value.end);
            let signed = match unary {
                Unary::Minus => Node::Negation(node),
                Unary::Not => Node::Not(node),
            };
            node = self.expressions.push(signed, origin);
        }
        frame.factors.push((frame.power, node));
    }

    /// Ends a product and makes it a term.
    fn product(&mut self, frame: &mut Frame, value: Operand) {
        self.factor(frame, value);
        frame.power = Power::Multiply;
        let factors = std::mem::take(&mut frame.factors);
        let node = match factors.as_slice() {
            [(_, single)] => *single,
            _ => {
                let origin = self.sources.range(frame.product_start, value.end);
                self.expressions.push(Node::Product(factors), origin)
            }
        };
        frame.terms.push((frame.sign, node));
    }

    /// Ends a sum.
    pub(super) fn sum(&mut self, frame: &mut Frame, value: Operand) -> Operand {
        self.product(frame, value);
        let terms = std::mem::take(&mut frame.terms);
        let node = match terms.as_slice() {
            [(_, single)] => *single,
            _ => {
                let origin = self.sources.range(frame.sum_start, value.end);
                self.expressions.push(Node::Sum(terms), origin)
            }
        };
        Operand { node, start: frame.sum_start, end: value.end }
    }

    /// Ends an argument of a call, or an element of a list.
    fn comma(&mut self, stack: &mut Stack, value: Operand) -> Parsed<Next> {
        match stack.top.opener {
            Opener::Call { .. } | Opener::List { .. } => {}
            Opener::Index { .. } => return Err(self.comma_in_index()),
            _ => return Err(self.unexpected(&format!("an operator or {}", closing(&stack.top)))),
        }
        let argument = self.condition(&mut stack.top, value)?;
        self.cursor.advance();
        if let Opener::Call { arguments: items, .. } | Opener::List { items, .. } = &mut stack.top.opener {
            items.push(argument.node);
        }
        stack.top.restart(self.cursor.position());
        if matches!(self.cursor.look(0), Look::Close(_)) {
            return Ok(self.close(stack, None).map_or(Next::Operand, Next::Continue));
        }
        Ok(Next::Operand)
    }

    /// Moves past the closing bracket of the innermost group; `last` is the sum before it.
    pub(super) fn close(&mut self, stack: &mut Stack, last: Option<Operand>) -> Option<Operand> {
        self.cursor.advance();
        let end = self.cursor.previous();
        match stack.pop()? {
            Opener::Statement | Opener::Body | Opener::Bound | Opener::Condition | Opener::If(_) => last,
            Opener::Group { open } => last.map(|inner| Operand { node: inner.node, start: open, end }),
            Opener::Call { function, form, start, mut arguments } => {
                arguments.extend(last.map(|inner| inner.node));
                let origin = self.sources.range(start, end);
                let node = self.expressions.push(Node::Call { function, arguments, form }, origin);
                Some(Operand { node, start, end })
            }
            opener => self.close_array(opener, last, end),
        }
    }
}

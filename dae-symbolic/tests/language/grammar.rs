//! Expressions are Rust's: whatever the parser of models accepts, a parser of Rust accepts too, as the same tree.
//!
//! In: random expressions, some of them with a token too many, missing or out of place. Out: for each that is accepted
//! as the value of a `let` or of a function, `syn` accepts it in the same place, with the same operators, nested in the
//! same way. `sum(i in a..b => e)` is the one form that Rust does not have, and is left out.

use std::fmt::Write;

use dae_symbolic::syntax::ast::{CallForm, Comparison, Expressions, Model, Node, NodeId, Power, Sign, StatementKind};
use dae_symbolic::syntax::{parse, tokenize};
use fastrand::Rng;

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
enum Context {
    /// `let e = …;`
    Value,
    /// `fn e(x) { … }`
    Body,
}

/// The tree that the parser of models makes of an expression, if it accepts it.
fn ours(expression: &str, context: Context) -> Option<String> {
    let text = match context {
        Context::Value => format!("struct M {{ let e = {expression}; }}"),
        Context::Body => format!("struct M {{ fn e(x) {{ {expression} }} }}"),
    };
    let parsed = parse(tokenize(&text).ok()?);
    let Model { statements, expressions, .. } = parsed.model.filter(|_| !parsed.diagnostics.has_errors())?;
    let value = match &statements.first()?.kind {
        StatementKind::Definition(definition) => definition.value?,
        StatementKind::Function(function) => function.value?,
        _ => return None,
    };
    Some(of_model(&expressions, value.root))
}

fn of_model(expressions: &Expressions, id: NodeId) -> String {
    let of = |id: &NodeId| of_model(expressions, *id);
    let list = |ids: &[NodeId]| ids.iter().map(of).collect::<Vec<_>>().join(" ");
    // From the left, as Rust groups operators of equal precedence.
    let chain = |ids: &[(&str, NodeId)]| {
        let first = of(&ids[0].1);
        ids[1..].iter().fold(first, |left, (operator, right)| format!("({operator} {left} {})", of(right)))
    };
    match expressions.node(id) {
        Node::Number(value) => format!("{:?}", value.to_f64()),
        Node::Name(name) => name.clone(),
        Node::Time => "t".to_string(),
        Node::Pi => "PI".to_string(),
        Node::Euler => "E".to_string(),
        Node::Negation(a) => format!("(- {})", of(a)),
        Node::Not(a) => format!("(! {})", of(a)),
        Node::Sum(terms) => {
            let operator = |sign: Sign| if sign == Sign::Plus { "+" } else { "-" };
            chain(&terms.iter().map(|&(sign, id)| (operator(sign), id)).collect::<Vec<_>>())
        }
        Node::Product(factors) => {
            let operator = |power: Power| if power == Power::Multiply { "*" } else { "/" };
            chain(&factors.iter().map(|&(power, id)| (operator(power), id)).collect::<Vec<_>>())
        }
        Node::All(ids) => chain(&ids.iter().map(|&id| ("&&", id)).collect::<Vec<_>>()),
        Node::Any(ids) => chain(&ids.iter().map(|&id| ("||", id)).collect::<Vec<_>>()),
        Node::Comparison(comparison, a, b) => {
            let operator = match comparison {
                Comparison::Less => "<",
                Comparison::LessOrEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterOrEqual => ">=",
                Comparison::Equal => "==",
                Comparison::NotEqual => "!=",
            };
            format!("({operator} {} {})", of(a), of(b))
        }
        Node::Conditional { cases, otherwise } => cases
            .iter()
            .rev()
            .fold(of(otherwise), |rest, (condition, value)| format!("(if {} {} {rest})", of(condition), of(value))),
        Node::Call { function, arguments, form: CallForm::Function } => {
            format!("(call {} {})", function.text, list(arguments))
        }
        Node::Call { function, arguments, form: CallForm::Method } => {
            format!("(method {} {})", function.text, list(arguments))
        }
        Node::Index { array, index } => format!("(index {} {})", of(array), of(index)),
        Node::List(items) => format!("[{}]", list(items)),
        Node::Repeat { value, count } => format!("[{}; {}]", of(value), of(count)),
        Node::At { .. } => unreachable!("no condition is drawn"),
        Node::RangeHead { .. } | Node::RangeSum { .. } => unreachable!("no sum is drawn"),
        Node::Mode { .. } => unreachable!("the text is in no mode"),
    }
}

/// The tree that `syn` makes of an expression.
fn rust(expression: &str, context: Context) -> Option<String> {
    match context {
        Context::Value => of_rust(&syn::parse_str(expression).ok()?),
        Context::Body => of_block(&syn::parse_str(&format!("{{ {expression} }}")).ok()?),
    }
}

/// The expression of a block.
fn of_block(block: &syn::Block) -> Option<String> {
    match block.stmts.as_slice() {
        [syn::Stmt::Expr(value, None)] => of_rust(value),
        _ => None,
    }
}

fn of_rust(expression: &syn::Expr) -> Option<String> {
    use syn::{BinOp, Expr, Lit, UnOp};
    let list = |items: &mut dyn Iterator<Item = &syn::Expr>| -> Option<String> {
        Some(items.map(of_rust).collect::<Option<Vec<_>>>()?.join(" "))
    };
    Some(match expression {
        Expr::Paren(it) => of_rust(&it.expr)?,
        Expr::Lit(it) => match &it.lit {
            Lit::Int(number) => format!("{:?}", number.base10_digits().parse::<f64>().ok()?),
            Lit::Float(number) => format!("{:?}", number.base10_digits().parse::<f64>().ok()?),
            _ => return None,
        },
        Expr::Path(it) => it.path.segments.last()?.ident.to_string(),
        Expr::Unary(it) => match it.op {
            UnOp::Neg(_) => format!("(- {})", of_rust(&it.expr)?),
            UnOp::Not(_) => format!("(! {})", of_rust(&it.expr)?),
            _ => return None,
        },
        Expr::Binary(it) => {
            let operator = match it.op {
                BinOp::Add(_) => "+",
                BinOp::Sub(_) => "-",
                BinOp::Mul(_) => "*",
                BinOp::Div(_) => "/",
                BinOp::And(_) => "&&",
                BinOp::Or(_) => "||",
                BinOp::Lt(_) => "<",
                BinOp::Le(_) => "<=",
                BinOp::Gt(_) => ">",
                BinOp::Ge(_) => ">=",
                BinOp::Eq(_) => "==",
                BinOp::Ne(_) => "!=",
                _ => return None,
            };
            format!("({operator} {} {})", of_rust(&it.left)?, of_rust(&it.right)?)
        }
        Expr::If(it) => {
            let otherwise = match &*it.else_branch.as_ref()?.1 {
                Expr::Block(block) => of_block(&block.block)?,
                conditional => of_rust(conditional)?,
            };
            format!("(if {} {} {otherwise})", of_rust(&it.cond)?, of_block(&it.then_branch)?)
        }
        Expr::Call(it) => format!("(call {} {})", of_rust(&it.func)?, list(&mut it.args.iter())?),
        Expr::MethodCall(it) => {
            format!("(method {} {})", it.method, list(&mut std::iter::once(&*it.receiver).chain(&it.args))?)
        }
        Expr::Index(it) => format!("(index {} {})", of_rust(&it.expr)?, of_rust(&it.index)?),
        Expr::Array(it) => format!("[{}]", list(&mut it.elems.iter())?),
        Expr::Repeat(it) => format!("[{}; {}]", of_rust(&it.expr)?, of_rust(&it.len)?),
        _ => return None,
    })
}

/// Writes the tokens of a random expression, with a space before each.
fn number(random: &mut Rng, depth: usize, out: &mut String) {
    let pick = |random: &mut Rng, list: &[&'static str]| list[random.usize(..list.len())];
    match random.u8(..if depth == 0 { 4 } else { 20 }) {
        0 | 1 => *out += pick(random, &[" 1", " 2.5", " 1_000", " 3e-2", " 0.5f64", " 7"]),
        2 | 3 => *out += pick(random, &[" x", " y", " t", " PI", " std :: f64 :: consts :: E"]),
        4 | 5 => {
            *out += " (";
            number(random, depth - 1, out);
            *out += " )";
        }
        6 | 7 => {
            *out += " -";
            number(random, depth - 1, out);
        }
        8 => {
            *out += pick(random, &[" sin (", " f64 :: cos (", " f ("]);
            number(random, depth - 1, out);
            *out += pick(random, &[" )", " , 2 )", " , )"]);
        }
        9 => {
            number(random, depth - 1, out);
            *out += pick(random, &[" . sin ( )", " . powi ( 2 )", " . max ( 1 , )"]);
        }
        10 => {
            number(random, depth - 1, out);
            *out += " [";
            number(random, depth - 1, out);
            *out += " ]";
        }
        11 => {
            *out += " [";
            number(random, depth - 1, out);
            *out += pick(random, &[" ]", " , y ]", " ; 3 ]"]);
        }
        12..=14 => {
            *out += " if";
            condition(random, depth - 1, out);
            *out += " {";
            number(random, depth - 1, out);
            *out += " } else";
            if random.u8(..4) == 0 {
                *out += " if";
                condition(random, depth - 1, out);
                *out += " {";
                number(random, depth - 1, out);
                *out += " } else";
            }
            *out += " {";
            number(random, depth - 1, out);
            *out += " }";
        }
        _ => {
            number(random, depth - 1, out);
            *out += pick(random, &[" +", " -", " *", " /"]);
            number(random, depth - 1, out);
        }
    }
}

fn condition(random: &mut Rng, depth: usize, out: &mut String) {
    match random.u8(..if depth == 0 { 2 } else { 6 }) {
        0..=2 => {
            number(random, depth.saturating_sub(1), out);
            *out += [" <", " <=", " >", " >=", " ==", " !="][random.usize(..6)];
            number(random, depth.saturating_sub(1), out);
        }
        3 => {
            *out += [" (", " ! ("][random.usize(..2)];
            condition(random, depth - 1, out);
            *out += " )";
        }
        _ => {
            condition(random, depth - 1, out);
            *out += [" &&", " ||"][random.usize(..2)];
            condition(random, depth - 1, out);
        }
    }
}

/// A token removed, repeated, or exchanged with another one.
fn disturb(random: &mut Rng, text: &str) -> String {
    let mut tokens: Vec<&str> = text.split_whitespace().collect();
    let (one, other) = (random.usize(..tokens.len()), random.usize(..tokens.len()));
    match random.u8(..3) {
        0 => _ = tokens.remove(one),
        1 => tokens.insert(one, tokens[other]),
        _ => tokens.swap(one, other),
    }
    tokens.join(" ")
}

fn compare(count: usize) {
    let mut random = Rng::with_seed(1);
    let (mut accepted, mut disturbed, mut conditionals, mut wrong) = (0, 0, 0, String::new());
    for _ in 0..count {
        let mut text = String::new();
        let depth = random.usize(1..6);
        number(&mut random, depth, &mut text);
        let is_disturbed = random.u8(..3) == 0;
        if is_disturbed {
            text = disturb(&mut random, &text);
        }
        for context in [Context::Value, Context::Body] {
            let Some(ours) = ours(&text, context) else { continue };
            accepted += 1;
            disturbed += usize::from(is_disturbed);
            conditionals += usize::from(ours.contains("(if "));
            let theirs = rust(&text, context);
            if theirs.as_ref() != Some(&ours) {
                let _ = writeln!(wrong, "{context:?}:{text}\n  here {ours}\n  Rust {theirs:?}");
            }
        }
    }
    println!("{accepted} of {} accepted, {disturbed} disturbed, {conditionals} with conditionals", 2 * count);
    assert!(wrong.is_empty(), "{wrong}");
    assert!(accepted > count && disturbed > count / 20 && conditionals > count / 4);
}

#[test]
fn expressions_are_those_of_rust() {
    compare(3_000);
}

#[test]
#[ignore = "the same for more expressions"]
fn many_expressions_are_those_of_rust() {
    compare(60_000);
}

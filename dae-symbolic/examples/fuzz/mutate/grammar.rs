//! Changes after which a model mostly is still a model.
//!
//! In: a text, and another one to take from. Out: the text with one change: of signs, numbers, names, functions,
//! derivatives, whole equations, combinations of them, start values, bounds of arrays, nesting.

use super::invent::{FUNCTIONS, condition, expression, number, reactions};
use crate::draw::Draw;
use crate::tokens::{Sketch, is_name, is_number};

/// The text with one change, or as it is if none of the changes tried applies.
pub(super) fn change(draw: &mut Draw, text: &str, other: &str) -> String {
    let sketch = Sketch::of(text);
    let changes: &[fn(&mut Draw, &Sketch) -> Option<String>] = &[
        sign,
        sign,
        constant,
        constant,
        name,
        name,
        wrap,
        wrap,
        wrap,
        side,
        side,
        rate,
        rate,
        combine,
        combine,
        combine,
        fresh,
        fresh,
        fresh,
        remove,
        repeat,
        exchange,
        starts,
        starts,
        bounds,
        bounds,
        rename,
        nest,
        family,
        nominal,
        event,
        event,
        alternatives,
        starting,
    ];
    if draw.once_in(24) {
        return graft(draw, &sketch, &Sketch::of(other)).unwrap_or_else(|| text.to_string());
    }
    // Not every text has what a change needs.
    (0..4).find_map(|_| draw.pick(changes)(draw, &sketch)).unwrap_or_else(|| text.to_string())
}

/// The place of some atom of some equation; `None` if there is none.
fn atom(draw: &mut Draw, sketch: &Sketch) -> Option<usize> {
    let (equation, _) = draw.choose(&sketch.equations())?.clone();
    draw.choose(&sketch.atoms(&equation)).copied()
}

fn atoms(sketch: &Sketch) -> Option<Vec<String>> {
    let list: Vec<String> = sketch.unknowns.iter().chain(&sketch.given).cloned().collect();
    (!list.is_empty()).then_some(list)
}

fn sign(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    const SIGNS: &[&str] = &["+", "-", "*", "/"];
    let (equation, _) = draw.choose(&sketch.equations())?.clone();
    let places: Vec<usize> = equation.filter(|&k| SIGNS.contains(&sketch.tokens[k].as_str())).collect();
    let place = *draw.choose(&places)?;
    Some(sketch.with(place, draw.pick(SIGNS).to_string()))
}

fn constant(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let places: Vec<usize> = (0..sketch.tokens.len()).filter(|&k| is_number(&sketch.tokens[k])).collect();
    let place = *draw.choose(&places)?;
    let integer = sketch.tokens[place].bytes().all(|c| c.is_ascii_digit());
    // Integers are often bounds, indices or exponents: most of them become other small integers.
    let value = if integer && !draw.once_in(8) { draw.below(8).to_string() } else { number(draw) };
    Some(sketch.with(place, value))
}

/// An atom becomes another name: a scalar unknown, parameter or input, `t` or `PI`.
fn name(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let place = atom(draw, sketch)?;
    let mut list = atoms(sketch)?;
    list.extend(["t".into(), "PI".into()]);
    Some(sketch.with(place, draw.pick(&list).clone()))
}

/// An atom becomes an expression, mostly one that contains it.
fn wrap(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let place = atom(draw, sketch)?;
    let own = sketch.tokens[place].clone();
    let mut list = atoms(sketch)?;
    list.push(own.clone());
    let other = expression(draw, &list, 1);
    let wrapped = match draw.below(9) {
        0 => format!("{}({own})", draw.pick(&FUNCTIONS)),
        1 => format!("(-{own})"),
        2 => format!("({own} * {own})"),
        3 => format!("({own}).powi({})", draw.below(9) as i64 - 3),
        4 => format!("(if {other} < {own} {{ {own} }} else {{ {} }})", draw.pick(&list)),
        5 => format!("{}({own}, {other})", draw.pick(&["min", "max", "hypot", "atan2", "powf"])),
        6 => format!("({own} - {own} + {other})"),
        7 => expression(draw, &list, 3),
        _ => format!("({own} + {other})"),
    };
    Some(sketch.with(place, wrapped))
}

/// One side of an equation is changed as a whole.
fn side(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let (equation, equals) = draw.choose(&sketch.equations())?.clone();
    let range = if draw.once_in(3) { equation.start..equals } else { equals + 1..equation.end };
    let own = sketch.text_of(range.clone());
    let list = atoms(sketch)?;
    let other = expression(draw, &list, 2);
    let changed = match draw.below(6) {
        0 => format!(" {}({own})", draw.pick(&FUNCTIONS)),
        1 => format!(" ({own}) * ({other})"),
        2 => format!(" ({own}) / ({other})"),
        3 => format!(" ({own}).powi({})", draw.below(5)),
        4 => format!(" {own} + {} * der({})", number(draw), draw.choose(&sketch.unknowns)?),
        _ => format!(" {own} + {other}"),
    };
    Some(sketch.with_range(range, &changed))
}

/// An unknown becomes its derivative; a derivative becomes the unknown or its second derivative.
fn rate(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let place = atom(draw, sketch)?;
    let own = &sketch.tokens[place];
    let open = sketch.before(place)?;
    let is_rate = sketch.tokens[open] == "(" && sketch.before(open).is_some_and(|k| sketch.tokens[k] == "der");
    match (is_rate, sketch.unknowns.contains(own)) {
        (true, _) if draw.once_in(2) => Some(sketch.with(place, format!("{own}, 2"))),
        (true, _) => {
            let (begin, end) = (sketch.before(open)?, sketch.after(place)?);
            Some(sketch.with_range(begin..end + 1, own))
        }
        (false, true) => Some(sketch.with(place, format!("der({own})"))),
        (false, false) => None,
    }
}

/// A multiple of one equation is added to another: in most cases, the structure changes but the solutions do not.
fn combine(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let equations = sketch.equations();
    let ((one, equals), (other, middle)) = (draw.choose(&equations)?.clone(), draw.choose(&equations)?.clone());
    let factor = match draw.below(4) {
        0 => "".into(),
        1 => "-1 * ".into(),
        2 => format!("{} * ", draw.pick(&atoms(sketch)?)),
        _ => format!("{} * ", number(draw)),
    };
    let (left, right) = (sketch.text_of(other.start..middle), sketch.text_of(middle + 1..other.end));
    let sum = format!(
        "{} + {factor}({left}) = {} + {factor}({right})",
        sketch.text_of(one.start..equals),
        sketch.text_of(equals + 1..one.end)
    );
    Some(sketch.with_range(one, &sum))
}

/// A further unknown is added, with an equation of its own; mostly, some atom becomes this unknown.
fn fresh(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let name = (0..9).map(|k| format!("extra{k}")).find(|name| !sketch.unknowns.contains(name))?;
    let list = atoms(sketch)?;
    let definition = match draw.below(6) {
        0 => format!("{name} = {}", expression(draw, &list, 2)),
        1 => format!("der({name}) = {}", expression(draw, &list, 2)),
        2 => format!("{name} = {}", draw.pick(&list)),
        3 => format!("{name} = der({})", draw.choose(&sketch.unknowns)?),
        4 => format!("0 = {name} * {name} - {}", expression(draw, &list, 1)),
        _ => format!("{name} = -{}", draw.pick(&list)),
    };
    let changed = match atom(draw, sketch) {
        Some(place) if !draw.once_in(3) => Sketch::of(&sketch.with(place, name.clone())),
        _ => Sketch::of(&sketch.tokens.concat()),
    };
    let open = changed.tokens.iter().position(|token| token == "{")?;
    let close = changed.tokens.iter().rposition(|token| token == "}")?;
    let start = draw.pick(&["", " = 0", " ~ 1", " = 2"]);
    let inner = changed.text_of(open + 1..close);
    Some(changed.with_range(open + 1..close, &format!(" var {name}{start};{inner}{definition};\n")))
}

fn remove(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let (equation, _) = draw.choose(&sketch.equations())?.clone();
    Some(sketch.with_range(equation.start..equation.end + 1, ""))
}

fn repeat(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let (equation, _) = draw.choose(&sketch.equations())?.clone();
    let own = sketch.text_of(equation.clone());
    Some(sketch.with_range(equation, &format!("{own};{own}")))
}

/// Two statements change places.
fn exchange(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let (a, b) = (draw.choose(&sketch.statements)?.clone(), draw.choose(&sketch.statements)?.clone());
    let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
    let own = sketch.text_of(first.clone());
    let changed = sketch.with_range(second.clone(), &own);
    if first.end > second.start {
        return None;
    }
    let head = sketch.text_of(0..first.start);
    let rest = &changed[head.len() + own.len()..];
    Some(head + &sketch.text_of(second) + rest)
}

/// A start value is changed, added or removed.
fn starts(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let declaration = draw.choose(&sketch.declarations("var"))?.clone();
    let sign = declaration.clone().find(|&k| matches!(sketch.tokens[k].as_str(), "=" | "~"));
    match (draw.below(5), sign) {
        (0, _) => {
            let name = draw.choose(&sketch.unknowns)?;
            let relation = draw.pick(&["=", "~"]);
            let start = format!("; start der({name}) {relation} {}", number(draw));
            Some(sketch.with_range(declaration.end..declaration.end, &start))
        }
        (1, Some(sign)) => Some(sketch.with_range(sign..declaration.end, "")),
        (2, Some(sign)) => Some(sketch.with(sign, draw.pick(&["=", "~"]).to_string())),
        (_, Some(sign)) => Some(sketch.with_range(sign + 1..declaration.end, &format!(" {}", number(draw)))),
        (_, None) => Some(sketch.with_range(declaration.end..declaration.end, &format!(" = {}", number(draw)))),
    }
}

/// An extent of an array, a bound of a loop or an index is changed.
fn bounds(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let near = |k: usize| {
        let before = sketch.before(k).map_or("", |b| sketch.tokens[b].as_str());
        let after = sketch.after(k).map_or("", |b| sketch.tokens[b].as_str());
        matches!(before, "[" | ";" | "." | "in") || matches!(after, "]" | ".")
    };
    let is_bound = |&k: &usize| {
        let token = &sketch.tokens[k];
        (is_number(token) || token.chars().all(|c| c.is_ascii_uppercase())) && near(k)
    };
    let places: Vec<usize> = (0..sketch.tokens.len()).filter(is_bound).collect();
    let place = *draw.choose(&places)?;
    let own = sketch.tokens[place].clone();
    let changed = match draw.below(8) {
        0..3 => draw.below(5).to_string(),
        3 => format!("{own} + 1"),
        4 => format!("{own} - 1"),
        5 => format!("2 * {own}"),
        6 => draw.pick(&["4294967295", "18446744073709551616", "1000000", "0.5", "-1"]).to_string(),
        _ => format!("{own} / 2"),
    };
    Some(sketch.with(place, changed))
}

/// A scalar unknown, parameter or input gets another name everywhere.
fn rename(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let own = draw.choose(&atoms(sketch)?)?.clone();
    let names = [
        "state", "residual", "self", "r#fn", "ä", "x_", "__", "der_x", "mu_1", "PI", "t", "sin", "values", "Self", "_0",
    ];
    let name = if draw.once_in(6) { "long".repeat(200) } else { draw.pick(&names).to_string() };
    let renamed = |token: &String| if *token == own { name.clone() } else { token.clone() };
    Some(sketch.tokens.iter().map(renamed).collect())
}

/// An atom is nested in an expression: to a depth that is accepted, or far beyond.
fn nest(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let place = atom(draw, sketch)?;
    let own = &sketch.tokens[place];
    let count = *draw.pick(&[2, 2, 4, 4, 8, 8, 16, 40, 100, 300, 2000]);
    let nestings = [
        ("(", ")"),
        ("-", ""),
        ("sin(", ")"),
        ("(1 + ", ")"),
        ("(2 * ", ")"),
        ("if 1 < 2 { ", " } else { 3 }"),
        ("abs(", ")"),
        ("sqrt(1 + ", ")"),
    ];
    let (open, close) = draw.pick(&nestings);
    Some(sketch.with(place, format!("{}{own}{}", open.repeat(count), close.repeat(count))))
}

/// An equation becomes a family, or its right-hand side a sum.
fn family(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let (equation, equals) = draw.choose(&sketch.equations())?.clone();
    let n = draw.below(4);
    if draw.once_in(2) {
        let own = sketch.text_of(equation.clone());
        return Some(sketch.with_range(equation.start..equation.end + 1, &format!(" for n in 0..{n} {{ {own}; }}")));
    }
    let right = sketch.text_of(equals + 1..equation.end);
    let factor = draw.pick(&["1", "n", "(n - 1)", "0"]);
    Some(sketch.with_range(equals + 1..equation.end, &format!(" sum(n in 0..{n} => {factor} * ({right}))")))
}

fn nominal(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let declaration = draw.choose(&sketch.declarations("var"))?.clone();
    let value = number(draw);
    Some(sketch.with_range(declaration.start..declaration.start, &format!(" #[nominal({value})] ")))
}

/// An event is added, mostly with a discrete variable.
fn event(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let list = atoms(sketch)?;
    let mut targets = vec![draw.choose(&sketch.unknowns)?.clone()];
    let mut added = String::new();
    if !draw.once_in(3) && !sketch.tokens.iter().any(|token| token == "count") {
        added += &format!(" discrete count = {};", number(draw));
        targets.push("count".into());
    }
    added += &format!(" when {} {{ {}}}\n", condition(draw, &list), reactions(draw, &targets, &[]));
    let open = sketch.tokens.iter().position(|token| token == "{")?;
    Some(sketch.with_range(open + 1..open + 1, &added))
}

/// An equation becomes one of two alternatives.
fn alternatives(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let (equation, _) = draw.choose(&sketch.equations())?.clone();
    let list = atoms(sketch)?;
    let unknown = draw.choose(&sketch.unknowns)?.clone();
    let name = (0..3).map(|k| format!("mode{k}")).find(|name| !sketch.tokens.contains(name))?;
    let own = sketch.text_of(equation.clone());
    let other = match draw.below(3) {
        0 => format!("{unknown} = {}", number(draw)),
        1 => format!("der({unknown}) = {}", expression(draw, &list, 1)),
        _ => format!("{unknown} = {}", expression(draw, &list, 1)),
    };
    let law = draw.pick(&["", "inelastic; "]);
    let (there, back) = (condition(draw, &list), condition(draw, &list));
    let modes = format!(
        " modes {name} {{ first {{ {own}; when {there} {{ {name} = second; {law}}} }} second {{ {other}; when {back} {{ {name} = first; {law}}} }} }}"
    );
    Some(sketch.with_range(equation.start..equation.end + 1, &modes))
}

/// An equation for the start is added.
fn starting(draw: &mut Draw, sketch: &Sketch) -> Option<String> {
    let list = atoms(sketch)?;
    let unknown = draw.choose(&sketch.unknowns)?.clone();
    let left = match draw.below(3) {
        0 => format!("der({unknown})"),
        1 => format!("{unknown} + {}", draw.pick(&list)),
        _ => unknown,
    };
    let close = sketch.tokens.iter().rposition(|token| token == "}")?;
    let added = format!(" initial {{ {left} = {}; }}\n", expression(draw, &list, 1));
    Some(sketch.with_range(close..close, &added))
}

/// An equation becomes one of another text, with its names replaced by names of this one.
fn graft(draw: &mut Draw, sketch: &Sketch, other: &Sketch) -> Option<String> {
    let (equation, _) = draw.choose(&sketch.equations())?.clone();
    let (foreign, _) = draw.choose(&other.equations())?.clone();
    let list = atoms(sketch)?;
    let strange = |token: &String| other.unknowns.contains(token) || other.given.contains(token);
    let mapped = other.tokens[foreign].iter().map(|token| match is_name(token) && strange(token) {
        true => draw.pick(&list).clone(),
        false => token.clone(),
    });
    let mapped: String = mapped.collect();
    Some(sketch.with_range(equation, &mapped))
}

//! Statements in lines of readable length.
//!
//! In: names and spelled values. Out: `let`s, stores and destructuring patterns, indented as in the body of a method;
//! long ones are broken between the items of a list, or before top-level signs.

/// The length, in bytes, beyond which lines are broken where possible.
pub(super) const WIDTH: usize = 110;

/// `let &[x, _, u] = state else { return };`. The contract promises the length, so the `else` is never taken.
pub(super) fn destructure(names: &[String], slot: &str) -> String {
    let line = format!("        let &[{}] = {slot} else {{ return }};\n", names.join(", "));
    if line.len() <= WIDTH {
        return line;
    }
    format!("        let &[\n{}        ] = {slot} else {{ return }};\n", filled(names, "            "))
}

/// Items, each followed by a comma, as many to a line as fit.
pub(super) fn filled(items: &[impl AsRef<str>], indent: &str) -> String {
    let mut text = String::new();
    let mut line = indent.to_string();
    for item in items {
        if line.len() > indent.len() && line.len() + item.as_ref().len() + 2 > WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line = indent.to_string();
        }
        line.push_str(item.as_ref());
        line.push_str(", ");
    }
    if line.len() > indent.len() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

pub(super) fn array(target: &str, rows: &[&[&str]]) -> String {
    let indent = "            ";
    let count: usize = rows.iter().map(|row| row.len()).sum();
    if count == 0 {
        return String::new();
    }
    let flat: Vec<&str> = rows.iter().flat_map(|row| row.iter().copied()).collect();
    let line = format!("        {target}.copy_from_slice(&[{}]);\n", flat.join(", "));
    if rows.len() == 1 && line.len() <= WIDTH {
        return line;
    }
    let lines: String = rows.iter().map(|row| filled(row, indent)).collect();
    format!("        {target}.copy_from_slice(&[\n{lines}        ]);\n")
}

/// `let name = value;`, broken before top-level `+` and `-` if it is long.
pub(super) fn assignment(name: &str, value: &str) -> String {
    let line = format!("        let {name} = {value};\n");
    if line.len() <= WIDTH {
        return line;
    }
    let mut text = format!("        let {name} =");
    let mut current = String::from("\n           ");
    for part in split_terms(value) {
        if current.len() + part.len() > WIDTH && current.trim().len() > 1 {
            text.push_str(current.trim_end());
            current = String::from("\n           ");
        }
        current.push(' ');
        current.push_str(part);
    }
    text.push_str(current.trim_end());
    text.push_str(";\n");
    text
}

/// `place = value;`, broken as by [`assignment`].
pub(super) fn set(place: &str, value: &str) -> String {
    assignment(place, value).replacen("let ", "", 1)
}

/// Splits `a + b - c` into `a`, `+ b`, `- c` at the outermost level.
pub(super) fn split_terms(value: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    let bytes = value.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'+' | b'-' if depth == 0 && at > start && bytes[at - 1] == b' ' && bytes.get(at + 1) == Some(&b' ') => {
                parts.push(value[start..at].trim());
                start = at;
            }
            _ => {}
        }
    }
    parts.push(value[start..].trim());
    parts
}

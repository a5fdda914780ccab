//! Lists of names.
//!
//! In: names. Out: consecutive indices as one range, `q[0..=9]`; the names in a sentence, `a, b and c`.

use super::rolled::split_numbers;

/// Runs of fewer names than this are written out.
const FOLDED: usize = 3;

/// Names in the order given, consecutive indices as one range: `q[0..=9]`, `equation 4[i = 2..=19]`.
pub fn folded(names: &[String]) -> Vec<String> {
    let split: Vec<(Vec<String>, Vec<i64>)> = names.iter().map(|name| split_numbers(name)).collect();
    let mut list = Vec::new();
    let mut at = 0;
    while at < names.len() {
        let place = names.get(at + 1).and_then(|_| step(&split[at], &split[at + 1]));
        let steps = |place| split[at..].windows(2).take_while(|pair| step(&pair[0], &pair[1]) == Some(place)).count();
        match place.map(|place| (place, 1 + steps(place))).filter(|&(_, length)| length >= FOLDED) {
            Some((place, length)) => {
                let (parts, numbers) = &split[at];
                let last = split[at + length - 1].1[place];
                let number = |k: usize| match k == place {
                    true => format!("{}..={last}", numbers[k]),
                    false => numbers[k].to_string(),
                };
                let text = |(k, part): (usize, &String)| {
                    format!("{part}{}", if k < numbers.len() { number(k) } else { String::new() })
                };
                list.push(parts.iter().enumerate().map(text).collect());
                at += length;
            }
            None => {
                list.push(names[at].clone());
                at += 1;
            }
        }
    }
    list
}

/// The position of the number in which two names differ, if it is the only one, is an index in brackets, and is greater
/// by one in the second name.
fn step(first: &(Vec<String>, Vec<i64>), second: &(Vec<String>, Vec<i64>)) -> Option<usize> {
    if first.0 != second.0 {
        return None;
    }
    let mut differing = (0..first.1.len()).filter(|&k| first.1[k] != second.1[k]);
    let (place, None) = (differing.next()?, differing.next()) else { return None };
    let before = first.0[..=place].concat();
    let is_index = before.matches('[').count() > before.matches(']').count();
    (is_index && first.1[place] + 1 == second.1[place]).then_some(place)
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn names_that_follow_one_another_are_one() {
        let names = |list: &[&str]| list.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let of = |list: &[&str]| folded(&names(list)).join(", ");
        assert_eq!(of(&["q[0]", "q[1]", "q[2]", "v"]), "q[0..=2], v");
        assert_eq!(of(&["q[0]", "q[1]"]), "q[0], q[1]");
        assert_eq!(of(&["q[0][3]", "q[1][3]", "q[2][3]", "q[2][4]"]), "q[0..=2][3], q[2][4]");
        assert_eq!(of(&["der(q[8])", "der(q[9])", "der(q[10])"]), "der(q[8..=10])");
        assert_eq!(of(&["equation 4[i = 8]", "equation 4[i = 9]", "equation 4[i = 10]"]), "equation 4[i = 8..=10]");
        // Scalars that only look like elements, and equations of their own.
        assert_eq!(of(&["x1", "x2", "x3"]), "x1, x2, x3");
        assert_eq!(of(&["equation 1", "equation 2", "equation 3"]), "equation 1, equation 2, equation 3");
        assert_eq!(of(&["q[0]", "q[2]", "q[4]"]), "q[0], q[2], q[4]");
        assert_eq!(of(&[]), "");
    }
}

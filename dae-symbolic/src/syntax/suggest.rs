//! "Did you mean …?"
//!
//! In: a name and the names there are. Out: the nearest one, if it is near, by the edit distance that counts
//! insertions, deletions, replacements and swaps of neighbours (Damerau, restricted to non-overlapping edits).

/// The candidate nearest to `name`, the first of equally near ones, if a third of the name or less is wrong.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().collect();
    let allowed = (name.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let letters: Vec<char> = candidate.chars().collect();
        if letters.len().abs_diff(name.len()) > allowed {
            continue;
        }
        let distance = distance(&name, &letters);
        if distance <= allowed && distance < name.len() && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(!a[i - 1].eq_ignore_ascii_case(&b[j - 1]));
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let names = ["lambda", "l", "g", "sqrt", "Mass"];
        assert_eq!(nearest("lamda", names), Some("lambda"));
        assert_eq!(nearest("lambad", names), Some("lambda"));
        assert_eq!(nearest("sqr", names), Some("sqrt"));
        assert_eq!(nearest("mass", names), Some("Mass"));
        assert_eq!(nearest("velocity", names), None);
        assert_eq!(nearest("u", names), None);
        assert_eq!(nearest("G", names), Some("g"));
    }

    #[test]
    fn distances() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(distance(&chars("kitten"), &chars("sitting")), 3);
        assert_eq!(distance(&chars("ab"), &chars("ba")), 1);
        assert_eq!(distance(&chars(""), &chars("abc")), 3);
    }
}

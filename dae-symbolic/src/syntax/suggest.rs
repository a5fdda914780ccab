//! "Did you mean …?"
//!
//! In: a name and the names there are. Out: the nearest one, if it is near, by the edit distance that counts
//! insertions, deletions, replacements and swaps of neighbours (Damerau, restricted to non-overlapping edits). Upper
//! and lower case are not distinguished.

use strsim::osa_distance;

/// The candidate nearest to `name`, the first of equally near ones; `None` if the distance is more than a third of the
/// length of `name` and more than one, or not less than that length.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let allowed = (length / 3).max(1);
    let name = name.to_ascii_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.chars().count().abs_diff(length) > allowed {
            continue;
        }
        let distance = osa_distance(&name, &candidate.to_ascii_lowercase());
        if distance <= allowed && distance < length && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
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
    fn swaps_count_once_in_whatever_case() {
        assert_eq!(nearest("Xy", ["yx"]), Some("yx"));
        assert_eq!(nearest("länge", ["länger", "lange"]), Some("länger"));
    }
}

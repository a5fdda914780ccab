//! Indices: affine expressions of loop variables with integer coefficients.
//!
//! In: $a_0 + \sum_l a_l i_l$. Out: its value at a point, and the corners of a box at which it is least and greatest.

use super::Loop;
use std::fmt::Write;

/// $a_0 + \sum_l a_l i_l$ over the loop variables $i_l$ of a family.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Affine {
    /// $a_0$.
    pub constant: i64,
    /// $(l, a_l)$, nonzero, by ascending level $l$.
    pub coefficients: Vec<(usize, i64)>,
}

impl Affine {
    /// A constant, independent of the loop variables.
    pub fn number(constant: i64) -> Self {
        Affine { constant, coefficients: Vec::new() }
    }

    /// The loop variable of a level.
    pub fn variable(level: usize) -> Self {
        Affine { constant: 0, coefficients: vec![(level, 1)] }
    }

    /// The coefficient of the loop variable of a level.
    pub fn coefficient(&self, level: usize) -> i64 {
        self.coefficients.iter().find(|(l, _)| *l == level).map_or(0, |(_, a)| *a)
    }

    /// The value at a point; a loop variable without a value counts as zero. Arithmetic saturates at the ends of the
    /// range of `i64`.
    pub fn at(&self, point: &[i64]) -> i64 {
        let value = |level: usize| point.get(level).copied().unwrap_or(0);
        self.coefficients.iter().fold(self.constant, |sum, &(l, a)| sum.saturating_add(a.saturating_mul(value(l))))
    }

    /// The corner of a box with the smallest (`sign` −1) or largest (`sign` 1) value.
    pub fn extreme(&self, loops: &[Loop], sign: i64) -> Vec<i64> {
        let ends = loops.iter().enumerate();
        ends.map(
            |(l, range)| {
                if self.coefficient(l).saturating_mul(sign) > 0 { range.end.saturating_sub(1) } else { range.start }
            },
        )
        .collect()
    }

    /// The expression in the names of the loop variables: `2 * i + 1`.
    pub fn text(&self, name: impl Fn(usize) -> String) -> String {
        let mut text = String::new();
        for &(level, a) in &self.coefficients {
            let sign = match (text.is_empty(), a < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let factor = if a.abs() == 1 { String::new() } else { format!("{} * ", a.abs()) };
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{sign}{factor}{}", name(level));
        }
        match (text.is_empty(), self.constant) {
            (true, constant) => constant.to_string(),
            (false, 0) => text,
            (false, constant) if constant < 0 => format!("{text} - {}", constant.unsigned_abs()),
            (false, constant) => format!("{text} + {constant}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_ranges_and_texts() {
        let name = |level: usize| ["i", "j"][level].to_string();
        let affine = Affine { constant: 3, coefficients: vec![(0, 2), (1, -1)] };
        assert_eq!(affine.at(&[5, 1]), 12);
        assert_eq!(affine.text(name), "2 * i - j + 3");
        let range = |end| Loop { name: String::new(), start: 0, end };
        let loops = [range(4), range(10)];
        assert_eq!(affine.extreme(&loops, 1), [3, 0]);
        assert_eq!(affine.extreme(&loops, -1), [0, 9]);
        assert_eq!(Affine::number(-2).text(name), "-2");
        assert_eq!(Affine::variable(1).text(name), "j");
        assert_eq!(Affine { constant: -1, coefficients: vec![(0, -1)] }.text(name), "-i - 1");
    }
}

//! Values of unknowns at some times, as a guess.
//!
//! In: times and columns of values. Out: values at any time, on straight lines; or what is wrong with the table.

use crate::contract::Name;

/// Values of unknowns at some times, with straight lines between them.
pub(super) struct Table {
    pub(super) times: Vec<f64>,
    columns: Vec<(Name, Vec<f64>)>,
}

impl Table {
    pub(super) fn new(times: Vec<f64>, columns: Vec<(Name, Vec<f64>)>) -> Table {
        Table { times, columns }
    }

    /// # Errors
    /// What is wrong with the table.
    pub(super) fn check(&self) -> Result<(), String> {
        let Table { times, columns } = self;
        if times.len() < 2 {
            return Err(format!("a guess needs values at two times at least, not at {}", times.len()));
        }
        let direction = (times[times.len() - 1] - times[0]).signum();
        // False also where one of them is not a number.
        let is_in_order = |pair: &[f64]| (pair[1] - pair[0]) * direction > 0.0;
        if let Some(pair) = times.windows(2).find(|pair| !is_in_order(pair)) {
            return Err(format!("the times of a guess have to be in order, and {} follows on {}", pair[1], pair[0]));
        }
        match columns.iter().find(|(_, values)| values.len() != times.len()) {
            Some((name, values)) => {
                Err(format!("the guess has {} times, and {} values of `{name}`", times.len(), values.len()))
            }
            None => Ok(()),
        }
    }

    /// The value of an unknown, that at the nearest end beyond the times; `None` if it has no column.
    pub(super) fn value(&self, name: &str, t: f64) -> Option<f64> {
        let Table { times, columns } = self;
        let (_, values) = columns.iter().find(|(known, _)| known == name)?;
        let direction = (times[times.len() - 1] - times[0]).signum();
        let right = times.partition_point(|time| (time - t) * direction < 0.0).clamp(1, times.len() - 1);
        let fraction = ((t - times[right - 1]) / (times[right] - times[right - 1])).clamp(0.0, 1.0);
        Some(match fraction {
            // At the ends exactly, and also next to a value that is not finite.
            0.0 => values[right - 1],
            1.0 => values[right],
            fraction => values[right - 1] + fraction * (values[right] - values[right - 1]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_straight_lines() {
        let table = Table::new(vec![2.0, 1.0, -1.0], vec![("x".into(), vec![1.0, 3.0, 7.0])]);
        assert_eq!(table.check(), Ok(()));
        let of = |t: f64| table.value("x", t);
        assert_eq!([2.5, 2.0, 1.5, 1.0, 0.0, -1.0, -2.0].map(of), [1.0, 1.0, 2.0, 3.0, 5.0, 7.0, 7.0].map(Some));
        assert_eq!(table.value("y", 1.0), None);
        // A value that is not known spoils the intervals next to it, and no other.
        let gap = Table::new(vec![0.0, 1.0, 2.0], vec![("x".into(), vec![1.0, 2.0, f64::NAN])]);
        assert_eq!([0.5, 1.0].map(|t| gap.value("x", t)), [1.5, 2.0].map(Some));
    }

    #[test]
    fn tables_without_meaning() {
        let of = |times: &[f64], count: usize| {
            Table::new(times.to_vec(), vec![("x".into(), vec![0.0; count])]).check().unwrap_err()
        };
        assert_eq!(of(&[1.0], 1), "a guess needs values at two times at least, not at 1");
        assert_eq!(of(&[0.0, 1.0, 1.0], 3), "the times of a guess have to be in order, and 1 follows on 1");
        assert!(of(&[0.0, f64::NAN], 2).contains("in order"));
        assert_eq!(of(&[0.0, 1.0], 3), "the guess has 2 times, and 3 values of `x`");
    }
}

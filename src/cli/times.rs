//! Output times on the command line.
//!
//! In: `1,2.5` or `0:0.1:1`. Out: times.

use std::str::FromStr;

use super::finite;

/// A time, or times at equal distances.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Times(Vec<f64>);

/// The largest number of times in a range.
const MOST: f64 = 1e7;

impl FromStr for Times {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<f64> = text.split(':').map(finite).collect::<Result<_, _>>()?;
        let (start, step, end) = match numbers[..] {
            [t] => return Ok(Times(vec![t])),
            [start, step, end] => (start, step, end),
            _ => return Err("expected a time, or START:STEP:END".into()),
        };
        // An end that rounding errors of the steps have missed is the end.
        let steps = (end - start) / step;
        let near = 1e-9 * steps.max(1.0);
        match () {
            () if !(steps >= 0.0 && steps.is_finite()) => {
                Err(format!("steps of {step} do not lead from {start} to {end}"))
            }
            () if steps > MOST => Err(format!("there are more than {MOST} times from {start} to {end}")),
            () => {
                let is_end = |k: usize| (k as f64 - steps).abs() <= near;
                let time = |k: usize| if is_end(k) { end } else { start + step * k as f64 };
                Ok(Times((0..=(steps + near) as usize).map(time).collect()))
            }
        }
    }
}

/// All the times, in their order.
pub(super) fn flat(times: &[Times]) -> impl Iterator<Item = f64> {
    times.iter().flat_map(|Times(times)| times).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_end_at_their_ends() {
        let of = |text: &str| text.parse::<Times>().map(|Times(times)| times);
        assert_eq!(of("-1.5"), Ok(vec![-1.5]));
        let tenths = of("0:0.1:1").expect("a range");
        assert_eq!((tenths.len(), tenths[3], tenths[10]), (11, 0.1 * 3.0, 1.0));
        assert_eq!(of("0:0.4:1"), Ok(vec![0.0, 0.4, 0.8]));
        assert_eq!(of("1:-0.5:0"), Ok(vec![1.0, 0.5, 0.0]));
        assert_eq!(of("1:1:1"), Ok(vec![1.0]));
        assert_eq!(of("0:1"), Err("expected a time, or START:STEP:END".into()));
        assert_eq!(of("0:-1:1"), Err("steps of -1 do not lead from 0 to 1".into()));
        assert_eq!(of("0:0:1"), Err("steps of 0 do not lead from 0 to 1".into()));
        assert!(of("0:1e-9:1").is_err() && of("x").is_err() && of("0:nan:1").is_err());
    }
}

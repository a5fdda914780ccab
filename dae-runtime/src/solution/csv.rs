//! A solution as comma-separated values.
//!
//! In: a solution. Out: a row of names, and one per recorded time; see [`Solution::csv`].

use std::fmt;

use super::{Sensitivities, Solution};

impl Solution {
    /// The record as comma-separated values, for any writer: a row of names, then one per time; the state is followed
    /// by its derivatives, if there are any, named as `dx/dl`. Numbers have the fewest digits that read back to the
    /// same value.
    pub fn csv(&self) -> impl fmt::Display + '_ {
        Csv(self)
    }
}

/// See [`Solution::csv`].
struct Csv<'s>(&'s Solution);

impl fmt::Display for Csv<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Solution { names, sensitivities, .. } = self.0;
        let quantities = sensitivities.iter().flat_map(|it| &it.quantities);
        let derivatives = quantities.flat_map(|by| names.iter().map(move |name| derivative_name(name, by)));
        f.write_str("t")?;
        for name in names.iter().map(|name| name.to_string()).chain(derivatives) {
            // `der(x, 2)` contains the separator.
            if name.contains([',', '"']) {
                write!(f, ",\"{}\"", name.replace('"', "\"\""))?;
            } else {
                write!(f, ",{name}")?;
            }
        }
        for (i, (t, state)) in self.0.iter().enumerate() {
            write!(f, "\n{t:?}")?;
            let of_quantity = |it, k| Sensitivities::column(it, i, k, names.len());
            let columns =
                sensitivities.iter().flat_map(|it| (0..it.quantities.len()).filter_map(move |k| of_quantity(it, k)));
            state.iter().chain(columns.flatten()).try_for_each(|value| write!(f, ",{value:?}"))?;
        }
        f.write_str("\n")
    }
}

/// `dx/dl`, `d(der(x))/dl`.
fn derivative_name(name: &str, by: &str) -> String {
    let spelled = |name: &str| match name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        true => format!("d{name}"),
        false => format!("d({name})"),
    };
    format!("{}/{}", spelled(name), spelled(by))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::Rejected;
    use crate::integrator::stepper::Projection;

    #[test]
    fn csv_quotes_names_and_reads_back() {
        let mut solution = Solution::new(&Rejected, 0.0, &[], &[], &Projection::Off.levels());
        solution.names = vec!["x".into(), "der(x, 2)".into()];
        solution.push(0.0, &[1.0 / 3.0, -1e-300]);
        solution.push(0.5, &[f64::NAN, 2.0]);
        assert_eq!(solution.csv().to_string(), "t,x,\"der(x, 2)\"\n0.0,0.3333333333333333,-1e-300\n0.5,NaN,2.0\n");
        let mut sensitivities = Sensitivities::new(vec!["l".into()]);
        sensitivities.push([1.0, 2.0, 3.0, 4.0].into_iter());
        solution.sensitivities = Some(sensitivities);
        assert_eq!(
            solution.csv().to_string(),
            "t,x,\"der(x, 2)\",dx/dl,\"d(der(x, 2))/dl\"\n0.0,0.3333333333333333,-1e-300,1.0,2.0\n0.5,NaN,2.0,3.0,4.0\n"
        );
    }
}

//! Curves over time as a picture.
//!
//! In: unknowns of a solution, or named curves, in panels. Out: SVG text, for the command line (`dae simulate --plot`, `dae solve-bvp --plot`)
//! and the examples.
//!
//! ```no_run
//! use dae::plot::{Panel, Scale, Series, save};
//!
//! # fn draw(solution: &dae::Solution) -> Result<(), dae::plot::PlotError> {
//! save("motion.svg", "Pendulum", "t", &[Panel::of(solution, &["x", "y"])?, Panel::of(solution, &["lambda"])?])?;
//!
//! let drift = Series::new("position", vec![(0.0, 0.0), (1.0, 2e-9), (2.0, 8e-9)]);
//! let panel = Panel { y_label: "residual".into(), scale: Scale::Logarithmic, series: vec![drift] };
//! save("drift.svg", "Drift of the pendulum", "t", &[panel])
//! # }
//! ```

mod drawing;

use std::fmt;
use std::path::Path;

use dae_runtime::solution::Solution;
pub use drawing::{svg, svg_with_marks};

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The text in the legend; empty for a curve that the legend omits.
    pub label: String,
    /// $(t, y)$, in the order of the curve; values that are not finite interrupt it.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// A curve.
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Series { label: label.into(), points }
    }

    /// An unknown of a solution over time: the dense output if there is one, otherwise a polygon through the recorded
    /// values.
    ///
    /// # Errors
    /// If the solution has no unknown of that name.
    pub fn of(solution: &Solution, name: &str) -> Result<Self, PlotError> {
        let place = solution.names.iter().position(|known| known == name).ok_or_else(|| PlotError::NoUnknown {
            name: name.to_string(),
            known: solution.names.iter().map(|known| known.to_string()).collect(),
        })?;
        Ok(Self::at(solution, place))
    }

    /// Component `k` of the states.
    fn at(solution: &Solution, k: usize) -> Self {
        let recorded = solution.iter().map(|(t, state)| (t, state[k])).collect::<Vec<_>>();
        let length = recorded.first().zip(recorded.last()).map_or(0.0, |(first, last)| last.0 - first.0);
        let mut points = Vec::new();
        for pair in recorded.windows(2) {
            let [(t, value), (next, _)] = [pair[0], pair[1]];
            points.push((t, value));
            // In proportion to the length of this interval.
            let pieces = (POINTS * (next - t) / length).ceil().max(1.0) as usize;
            let between = (1..pieces).map(|piece| t + (next - t) * piece as f64 / pieces as f64);
            let inside = between.filter(|&between| between != t && between != next);
            points.extend(inside.filter_map(|between| Some((between, solution.component(k, between)?))));
        }
        points.extend(recorded.last());
        Series::new(solution.names[k].as_ref(), points)
    }
}

/// The number of points with which a curve shows no corners.
const POINTS: f64 = 1500.0;

/// The scale of the vertical axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal lengths for equal differences.
    #[default]
    Linear,
    /// Equal lengths for equal ratios; values that are not positive are drawn at the lower edge.
    Logarithmic,
}

/// Curves that share their axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// The label of the vertical axis.
    pub y_label: String,
    /// The scale of the vertical axis.
    pub scale: Scale,
    /// The curves.
    pub series: Vec<Series>,
}

impl Panel {
    /// A panel of unknowns of a solution; the name of an array stands for all of its elements.
    ///
    /// # Errors
    /// If the solution has no unknown or array of such a name.
    pub fn of(solution: &Solution, names: &[&str]) -> Result<Self, PlotError> {
        let mut series = Vec::new();
        for &name in names {
            let is_element = |known: &str| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('['));
            let before = series.len();
            let elements = (0..solution.names.len()).filter(|&k| is_element(&solution.names[k]));
            series.extend(elements.map(|k| Series::at(solution, k)));
            if series.len() == before {
                series.push(Series::of(solution, name)?);
            }
        }
        Ok(Panel { y_label: y_label(names), scale: Scale::Linear, series })
    }
}

/// The names, or only the first one if they do not fit beside a panel.
fn y_label(names: &[&str]) -> String {
    const FITS: usize = 32;
    let all = names.join(", ");
    match names {
        [first, _, ..] if all.chars().count() > FITS => format!("{first}, …"),
        _ => all,
    }
}

/// Why a picture could not be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlotError {
    /// The solution has no such unknown.
    NoUnknown {
        /// The name that was asked for.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
    /// The backend failed.
    Drawing(String),
    /// The file could not be written.
    File(std::io::Error),
}

/// The largest number of names that a message lists.
const NAMES: usize = 12;

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlotError::NoUnknown { name, known } => {
                let (shown, rest) = known.split_at(known.len().min(NAMES));
                let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
                write!(f, "the solution has no unknown `{name}`; it has {}{more}", shown.join(", "))
            }
            PlotError::Drawing(message) => write!(f, "the picture cannot be drawn: {message}"),
            PlotError::File(error) => write!(f, "the picture cannot be written: {error}"),
        }
    }
}

impl std::error::Error for PlotError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PlotError::File(error) => Some(error),
            PlotError::NoUnknown { .. } | PlotError::Drawing(_) => None,
        }
    }
}

/// Writes the picture of [`svg`] to a file.
pub fn save(path: impl AsRef<Path>, title: &str, x_label: &str, panels: &[Panel]) -> Result<(), PlotError> {
    std::fs::write(path, svg(title, x_label, panels)?).map_err(PlotError::File)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Integration, Record};

    crate::dae! {
        struct Ball {
            var h = 1.0;
            var v = 0.0;
            der(h) = v;
            der(v) = -10;
        }
    }

    #[test]
    fn curves_of_a_solution_are_as_smooth_as_it_is() {
        let ball = Ball::default().index1();
        let run = |record| {
            let bounce = Event::crossing(&ball, "h", 0.0).expect("an unknown").falling().reset(|_, y| y[1] *= -0.5);
            Integration::new(&ball).record(record).event(bounce).run(0.0, 0.8).expect("a run")
        };
        let dense = run(Record::Dense);
        let Panel { y_label, series, .. } = Panel::of(&dense, &["h", "v"]).expect("unknowns");
        assert_eq!((y_label.as_str(), series[0].label.as_str(), series[1].label.as_str()), ("h, v", "h", "v"));
        assert!(series[0].points.len() > 1000);
        let impact = 0.2f64.sqrt();
        let fall = |t: f64| if t <= impact { -10.0 * t } else { 5.0 * impact - 10.0 * (t - impact) };
        assert!(series[1].points.iter().all(|&(t, v)| (v - fall(t)).abs() < 1e-5 || (t - impact).abs() < 1e-6));
        // A jump has both of its sides, at the same time.
        let jump: Vec<f64> =
            series[1].points.iter().filter(|(t, _)| *t == dense.occurrences[0].t).map(|(_, v)| *v).collect();
        assert!(jump.len() == 2 && jump[0] == -2.0 * jump[1] && jump[1] > 0.0, "{jump:?}");
        // Where there is nothing between the recorded times, the curve is a polygon through them.
        let steps = run(Record::At(vec![0.1, 0.3]));
        assert_eq!(Series::of(&steps, "v").expect("an unknown").points.len(), 2);
        // A long step among short ones is drawn as finely as they are.
        assert!(dense.times.windows(2).any(|pair| pair[1] - pair[0] > 0.1));
        assert!(series[0].points.windows(2).all(|pair| pair[1].0 - pair[0].0 <= 0.8 / POINTS + 1e-12));
        assert_eq!(
            Panel::of(&dense, &["h", "w"]).expect_err("no unknown").to_string(),
            "the solution has no unknown `w`; it has h, v"
        );
    }

    #[test]
    fn long_labels_are_cut_between_names() {
        assert_eq!(
            y_label(&["a_very_long_name_of_an_unknown_of_the_model"]),
            "a_very_long_name_of_an_unknown_of_the_model"
        );
        assert_eq!(y_label(&["a_long_name_of_an_unknown", "another_long_name"]), "a_long_name_of_an_unknown, …");
    }

    #[test]
    fn the_name_of_an_array_stands_for_its_elements() {
        crate::dae! {
            struct Row {
                var x: [f64; 14] = |k| k;
                var x_sum;
                for k in 0..14 {
                    der(x[k]) = -x[k];
                }
                x_sum = sum(k in 0..14 => x[k]);
            }
        }
        let solution = Integration::new(&Row::default().index1()).run(0.0, 1.0).expect("a run");
        let panel = Panel::of(&solution, &["x", "x_sum"]).expect("unknowns");
        let labels: Vec<&str> = panel.series.iter().map(|series| series.label.as_str()).collect();
        assert_eq!((labels.len(), labels[0], labels[13], labels[14]), (15, "x[0]", "x[13]", "x_sum"));
        assert_eq!(panel.series[3].points[0], (0.0, 3.0));
        let message = Series::of(&solution, "y").expect_err("no unknown").to_string();
        assert!(message.ends_with("x[11] and 3 more"), "{message}");
    }

    #[test]
    fn a_picture_names_its_curves_and_axes() {
        let panel = |scale| Panel {
            y_label: "residual".into(),
            scale,
            series: vec![Series::new("position", vec![(0.0, 0.0), (1.0, 1e-9)]), Series::new("velocity", vec![])],
        };
        let panels = [panel(Scale::Linear), panel(Scale::Logarithmic)];
        let picture = svg("Drift", "time", &panels).expect("drawing into a string");
        for text in ["Drift", "time", "residual", "position", "1e-9"] {
            assert!(picture.contains(text), "{text} is missing");
        }
        assert_eq!(picture, svg("Drift", "time", &panels).expect("drawing into a string"));
        assert!(svg("Nothing", "t", &[]).is_ok());
        let lines = |picture: &str| picture.matches("<line").count() + picture.matches("<polyline").count();
        let marked = svg_with_marks("Drift", "time", &panels, &[0.0, 0.25, 1.0, 7.0]).expect("drawing into a string");
        assert_eq!(lines(&marked), lines(&picture) + 2 * 3, "three marks within the range, in two panels");
    }
}

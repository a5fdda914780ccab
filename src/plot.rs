//! Curves over time as a picture.
//!
//! In: unknowns of a solution, or named curves, in panels. Out: SVG text, for the command line (`dae simulate --plot`) and the examples. Drawn by `plotters`
//! without any font of the system: the text of the picture is set by whatever displays it.
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

use std::fmt;
use std::ops::Range;
use std::path::Path;

use dae_runtime::solution::Solution;
use plotters::prelude::*;

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What the legend says; empty for a curve that the legend does not mention.
    pub label: String,
    /// $(t, y)$, in the order of the curve; values that are not finite interrupt it.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// A curve.
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Series { label: label.into(), points }
    }

    /// An unknown of a solution, as smooth as its dense output, if there is one.
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

    /// Entry `k` of the states.
    fn at(solution: &Solution, k: usize) -> Self {
        let recorded = solution.iter().map(|(t, state)| (t, state[k])).collect::<Vec<_>>();
        let length = recorded.first().zip(recorded.last()).map_or(0.0, |(first, last)| last.0 - first.0);
        let mut points = Vec::new();
        for pair in recorded.windows(2) {
            let [(t, value), (next, _)] = [pair[0], pair[1]];
            points.push((t, value));
            // As many as this part of the axis deserves.
            let pieces = (POINTS * (next - t) / length).ceil().max(1.0) as usize;
            let between = (1..pieces).map(|piece| t + (next - t) * piece as f64 / pieces as f64);
            let inside = between.filter(|&between| between != t && between != next);
            points.extend(inside.filter_map(|between| Some((between, solution.component(k, between)?))));
        }
        points.extend(recorded.last());
        Series::new(solution.names[k].as_ref(), points)
    }
}

/// Points of a curve between which the eye sees no corners.
const POINTS: f64 = 1500.0;

/// How values are measured along the vertical axis.
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
    /// What the vertical axis shows.
    pub y_label: String,
    /// Its scale.
    pub scale: Scale,
    /// The curves.
    pub series: Vec<Series>,
}

impl Panel {
    /// Unknowns of a solution; the name of an array stands for all of its elements.
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

/// The names, if they fit beside a panel.
fn y_label(names: &[&str]) -> String {
    const FITS: usize = 32;
    let all = names.join(", ");
    match names {
        [first, _, ..] if all.chars().count() > FITS => format!("{first}, …"),
        _ => all,
    }
}

/// A picture that could not be made.
#[derive(Debug)]
pub enum PlotError {
    /// The solution has no such unknown.
    NoUnknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The backend failed.
    Drawing(String),
    /// The file could not be written.
    File(std::io::Error),
}

/// Names that a message lists.
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

impl std::error::Error for PlotError {}

/// Writes the picture of [`svg`] to a file.
pub fn save(path: impl AsRef<Path>, title: &str, x_label: &str, panels: &[Panel]) -> Result<(), PlotError> {
    std::fs::write(path, svg(title, x_label, panels)?).map_err(PlotError::File)
}

/// The panels one above the other, with a common title and horizontal axis.
pub fn svg(title: &str, x_label: &str, panels: &[Panel]) -> Result<String, PlotError> {
    const HEADER: u32 = 44;
    let mut text = String::new();
    let height = HEADER + PANEL_HEIGHT * panels.len().max(1) as u32;
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE).map_err(drawing)?;
        let root = root.titled(title, ("sans-serif", 22)).map_err(drawing)?;
        let times = extent(panels.iter().flat_map(|p| &p.series).flat_map(|s| s.points.iter().map(|point| point.0)));
        for (area, panel) in root.split_evenly((panels.len().max(1), 1)).iter().zip(panels) {
            draw(area, panel, x_label, times.clone())?;
        }
        root.present().map_err(drawing)?;
    }
    Ok(text)
}

const WIDTH: u32 = 1080;
const LEGEND_WIDTH: u32 = 200;
const PANEL_HEIGHT: u32 = 300;

/// Colours that remain distinct for colour-blind readers (Okabe and Ito, *Color Universal Design*, 2008).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(148, 148, 148),
];

/// Between these, curves of a panel with more of them change their colour in the order in which they come.
const RAMP: [RGBColor; 3] = [RGBColor(0, 60, 130), RGBColor(0, 158, 115), RGBColor(230, 159, 0)];

/// The colour of curve `k` of `count`.
fn colour(k: usize, count: usize) -> RGBColor {
    if count <= COLOURS.len() {
        return COLOURS[k % COLOURS.len()];
    }
    let place = 2.0 * k as f64 / (count - 1) as f64;
    let (from, to) = if place < 1.0 { (RAMP[0], RAMP[1]) } else { (RAMP[1], RAMP[2]) };
    let mixed = |a: u8, b: u8| (f64::from(a) + place.fract() * (f64::from(b) - f64::from(a))).round() as u8;
    if place >= 2.0 { RAMP[2] } else { RGBColor(mixed(from.0, to.0), mixed(from.1, to.1), mixed(from.2, to.2)) }
}

fn drawing(error: impl fmt::Display) -> PlotError {
    PlotError::Drawing(error.to_string())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn draw(area: &Area<'_>, panel: &Panel, x_label: &str, times: Range<f64>) -> Result<(), PlotError> {
    let values = vertical(panel);
    let floor = values.start;
    let (axes, beside) = area.split_horizontally(WIDTH - LEGEND_WIDTH);
    let mut chart = ChartBuilder::on(&axes)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(76)
        .build_cartesian_2d(times.clone(), values.clone())
        .map_err(drawing)?;
    let label = |y: &f64| label(*y, panel.scale);
    let lines = match panel.scale {
        Scale::Linear => 6,
        Scale::Logarithmic => ((values.end - values.start) as usize + 1).clamp(2, 10),
    };
    chart
        .configure_mesh()
        .x_desc(x_label)
        .y_desc(panel.y_label.as_str())
        .x_labels(10)
        .y_labels(lines)
        .x_label_formatter(&|x| number(*x))
        .y_label_formatter(&label)
        .label_style(("sans-serif", 14))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .draw()
        .map_err(drawing)?;
    for (k, series) in panel.series.iter().enumerate() {
        let style = colour(k, panel.series.len()).stroke_width(2);
        let on_axis = series.points.iter().map(|&(t, y)| (t, panel.scale.apply(y, floor)));
        for piece in pieces(on_axis) {
            let line = LineSeries::new(thinned(&piece, &times), style);
            chart.draw_series(line).map_err(drawing)?;
        }
    }
    legend(&beside, panel)
}

/// Names of the curves, beside the axes so that they cover nothing.
fn legend(area: &Area<'_>, panel: &Panel) -> Result<(), PlotError> {
    const LINE: i32 = 20;
    let font = ("sans-serif", 14).into_font();
    let named = panel.series.iter().enumerate().filter(|(_, series)| !series.label.is_empty());
    for (line, (k, series)) in named.enumerate() {
        let y = 20 + LINE * line as i32;
        let style = colour(k, panel.series.len()).stroke_width(2);
        area.draw(&PathElement::new([(4, y), (26, y)], style)).map_err(drawing)?;
        area.draw(&Text::new(series.label.clone(), (32, y - 7), font.clone())).map_err(drawing)?;
    }
    Ok(())
}

impl Scale {
    /// The coordinate along the axis: the value or its decade.
    fn apply(self, y: f64, floor: f64) -> f64 {
        match self {
            Scale::Linear => y,
            Scale::Logarithmic if y <= 0.0 => floor,
            Scale::Logarithmic => y.log10(),
        }
    }
}

/// What the vertical axis covers, in its own coordinate.
fn vertical(panel: &Panel) -> Range<f64> {
    let all = panel.series.iter().flat_map(|s| s.points.iter().map(|point| point.1));
    match panel.scale {
        Scale::Linear => {
            let range = extent(all);
            let margin = 0.04 * (range.end - range.start);
            range.start - margin..range.end + margin
        }
        Scale::Logarithmic => {
            let range = extent(all.filter(|&y| y > 0.0).map(f64::log10));
            let floor = range.start.floor();
            floor..range.end.ceil().max(floor + 1.0)
        }
    }
}

/// The smallest interval that contains the finite values, widened where it is a point.
fn extent(values: impl Iterator<Item = f64>) -> Range<f64> {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    match () {
        () if low > high => 0.0..1.0,
        // Differences that double precision hardly resolves are a constant.
        () if high - low <= 1e-12 * high.abs().max(low.abs()) || low == high => {
            let half = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
            low - half..high + half
        }
        () => low..high,
    }
}

/// The stretches of a curve between values that are not finite.
fn pieces(points: impl Iterator<Item = (f64, f64)>) -> Vec<Vec<(f64, f64)>> {
    let mut pieces = vec![Vec::new()];
    for point in points {
        match (point.0.is_finite() && point.1.is_finite(), pieces.last_mut()) {
            (true, Some(piece)) => piece.push(point),
            _ => pieces.push(Vec::new()),
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// At most four points for each pixel across: where it enters, its extremes, where it leaves. Nothing visible is lost.
fn thinned(points: &[(f64, f64)], times: &Range<f64>) -> Vec<(f64, f64)> {
    if points.len() <= 4 * WIDTH as usize {
        return points.to_vec();
    }
    let pixel = |t: f64| ((t - times.start) / (times.end - times.start) * f64::from(WIDTH)) as i64;
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| pixel(a.0) == pixel(b.0)) {
        let extreme = |compare: fn(f64, f64) -> bool| {
            (0..column.len()).reduce(|best, k| if compare(column[k].1, column[best].1) { k } else { best })
        };
        let mut corners: Vec<usize> =
            [Some(0), extreme(|a, b| a < b), extreme(|a, b| a > b), column.len().checked_sub(1)]
                .into_iter()
                .flatten()
                .collect();
        corners.sort_unstable();
        corners.dedup();
        kept.extend(corners.into_iter().map(|k| column[k]));
    }
    kept
}

/// A tick: the number, or on a logarithmic axis the power of ten.
fn label(y: f64, scale: Scale) -> String {
    match scale {
        Scale::Linear => number(y),
        Scale::Logarithmic if (y - y.round()).abs() < 1e-9 => format!("1e{}", y.round()),
        Scale::Logarithmic => String::new(),
    }
}

/// A number in as few characters as are enough for a tick.
fn number(value: f64) -> String {
    // Ticks are sums of steps, so that zero may come with the rounding of its neighbours.
    if value.abs() < 1e-300 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&value.abs()) {
        return short_exponent(value);
    }
    format!("{value:.5}").trim_end_matches('0').trim_end_matches('.').to_string()
}

fn short_exponent(value: f64) -> String {
    let text = format!("{value:.3e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Integration, Record};

    #[test]
    fn ticks_are_short() {
        assert_eq!([0.0, 2.5, -10.0, 1e-9, 123456.0].map(number), ["0", "2.5", "-10", "1e-9", "1.235e5"]);
        assert_eq!(label(-12.0, Scale::Logarithmic), "1e-12");
        assert_eq!(label(-11.5, Scale::Logarithmic), "");
    }

    #[test]
    fn many_curves_change_their_colour_gradually() {
        assert_eq!((colour(0, 8), colour(7, 8)), (COLOURS[0], COLOURS[7]));
        assert_eq!((colour(0, 13), colour(6, 13), colour(12, 13)), (RAMP[0], RAMP[1], RAMP[2]));
    }

    #[test]
    fn thinning_keeps_the_extremes() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|k| (f64::from(k) * 1e-3, 0.0)).collect();
        points[54_321].1 = 7.0;
        points[54_323].1 = -3.0;
        let kept = thinned(&points, &(0.0..100.0));
        assert!(kept.len() <= 4 * (WIDTH as usize + 1));
        assert!(kept.contains(&points[54_321]) && kept.contains(&points[54_323]));
        assert!(kept.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!((kept.first(), kept.last()), (points.first(), points.last()));
    }

    #[test]
    fn a_value_that_is_not_finite_interrupts_a_curve() {
        let curve = [(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0), (3.0, 4.0)];
        assert_eq!(pieces(curve.into_iter()), [vec![(0.0, 1.0)], vec![(2.0, 3.0), (3.0, 4.0)]]);
    }

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
    }
}

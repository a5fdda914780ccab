//! The picture itself.
//!
//! In: panels. Out: SVG text. Drawn by `plotters` without any font of the system: the viewer sets the text of the
//! picture.

use std::fmt;
use std::ops::Range;

use plotters::prelude::*;

use super::{Panel, PlotError, Scale};

/// The panels one above the other, with a common title and a common range of the horizontal axis.
///
/// # Errors
/// The picture cannot be drawn.
pub fn svg(title: &str, x_label: &str, panels: &[Panel]) -> Result<String, PlotError> {
    svg_with_marks(title, x_label, panels, &[])
}

/// [`svg`] with small marks along the horizontal axis of each panel, such as the mesh of a boundary value problem.
///
/// # Errors
/// The picture cannot be drawn.
pub fn svg_with_marks(title: &str, x_label: &str, panels: &[Panel], marks: &[f64]) -> Result<String, PlotError> {
    const HEADER: u32 = 44;
    let mut text = String::new();
    let height = HEADER + PANEL_HEIGHT * panels.len().max(1) as u32;
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE).map_err(drawing)?;
        let root = root.titled(title, ("sans-serif", 22)).map_err(drawing)?;
        let times = extent(panels.iter().flat_map(|p| &p.series).flat_map(|s| s.points.iter().map(|point| point.0)));
        for (area, panel) in root.split_evenly((panels.len().max(1), 1)).iter().zip(panels) {
            draw(area, panel, (x_label, marks), times.clone())?;
        }
        root.present().map_err(drawing)?;
    }
    Ok(text)
}

const WIDTH: u32 = 1080;
const LEGEND_WIDTH: u32 = 200;
const PANEL_HEIGHT: u32 = 300;

/// Colours that remain distinct for colour-blind readers: those of Okabe and Ito (*Color Universal Design*, 2008), with
/// grey in place of yellow.
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

/// The colours through which the curves of a panel pass in order, if there are more of them than `COLOURS`.
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

fn draw(area: &Area<'_>, panel: &Panel, (x_label, marks): (&str, &[f64]), times: Range<f64>) -> Result<(), PlotError> {
    let values = vertical(panel);
    let floor = values.start;
    let (axes, beside) = area.split_horizontally(WIDTH - LEGEND_WIDTH);
    let mut chart = ChartBuilder::on(&axes)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(76)
        .build_cartesian_2d(times.clone(), values.clone())
        .map_err(drawing)?;
    let resolution = NOTHING * (values.end - values.start);
    let label = |y: &f64| label(if y.abs() < resolution { 0.0 } else { *y }, panel.scale);
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
    let top = floor + MARK * (values.end - floor);
    for &t in marks.iter().filter(|t| times.start <= **t && **t <= times.end) {
        let mark = PathElement::new([(t, floor), (t, top)], BLACK.mix(0.6).stroke_width(1));
        chart.draw_series([mark]).map_err(drawing)?;
    }
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

/// Draws the names of the curves next to the axes, so that they cover nothing.
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
    /// The coordinate along the axis: the value, or its decimal logarithm, or `floor` where it has none.
    fn apply(self, y: f64, floor: f64) -> f64 {
        match self {
            Scale::Linear => y,
            Scale::Logarithmic if y <= 0.0 => floor,
            Scale::Logarithmic => y.log10(),
        }
    }
}

/// The range of the vertical axis, in its own coordinate.
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

/// The smallest interval that contains the finite values, widened if it is a point; $[0, 1]$ if there are none.
fn extent(values: impl Iterator<Item = f64>) -> Range<f64> {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    match () {
        () if low > high => 0.0..1.0,
        // Differences that double precision hardly resolves count as none.
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

/// At most four points for each pixel across: the first point, the extremes and the last point. Nothing visible is lost.
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

/// A tick closer to zero than this part of the axis is zero, up to the rounding errors of its position.
const NOTHING: f64 = 1e-9;

/// The length of a mark, as a part of the vertical axis.
const MARK: f64 = 0.03;

/// The label of a tick: the number, or on a logarithmic axis the power of ten; empty between powers.
fn label(y: f64, scale: Scale) -> String {
    match scale {
        Scale::Linear => number(y),
        Scale::Logarithmic if (y - y.round()).abs() < 1e-9 => format!("1e{}", y.round()),
        Scale::Logarithmic => String::new(),
    }
}

/// A number in as few characters as a tick needs.
fn number(value: f64) -> String {
    // Zero is written without an exponent.
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
}

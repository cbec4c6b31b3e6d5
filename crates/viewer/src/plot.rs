//! SVG plots: values over time from a recording, and comparisons for reports of measurements.
//!
//! In: names and numbers. Out: SVG text, to be put in a file or into an HTML page. The text in it is drawn
//! with the fonts of whoever looks at it; only the name of a font family is written.
//!
//! A value that is not finite leaves a gap.

use std::ops::Range;

use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;

use crate::recording::{Recording, Series};

/// Colours of curves and bars, dark enough for a white ground.
pub(crate) const COLOURS: [RGBColor; 8] = [
    RGBColor(0x2F, 0x74, 0xC0),
    RGBColor(0xD9, 0x6B, 0x1E),
    RGBColor(0x2F, 0x93, 0x52),
    RGBColor(0xC2, 0x3B, 0x4C),
    RGBColor(0x7B, 0x58, 0xBD),
    RGBColor(0x1F, 0x93, 0x96),
    RGBColor(0xB5, 0x8A, 0x14),
    RGBColor(0x6B, 0x76, 0x84),
];
pub(crate) const FONT: &str = "sans-serif";
/// Width of every plot, in pixels.
pub(crate) const WIDTH: u32 = 900;
const PANEL_HEIGHT: u32 = 210;
pub(crate) const TITLE_HEIGHT: u32 = 44;
/// Room for labels left of an axis.
const LABELS: u32 = 74;

/// Why a plot could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// There is nothing to draw.
    #[error("{title:?} needs {expected}, found none")]
    Empty {
        /// The plot.
        title: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A list does not fit another.
    #[error("{name:?} has {found} values, expected {expected}")]
    Length {
        /// The curve or set of bars.
        name: String,
        /// Values expected.
        expected: usize,
        /// Values found.
        found: usize,
    },
    /// The drawing library refused.
    #[error("could not draw: {0}")]
    Drawing(String),
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is; shown in the legend, or beside its own axis.
    pub name: String,
    /// Its points (x, y) in order of x.
    pub points: Vec<(f64, f64)>,
}

/// One set of bars, a value per group.
#[derive(Clone, Debug, PartialEq)]
pub struct BarSet {
    /// What it is; shown in the legend.
    pub name: String,
    /// One value per group.
    pub values: Vec<f64>,
}

/// Curves above each other, each with its own axis, over a common x axis.
pub fn time_series_svg(title: &str, x_label: &str, curves: &[Curve]) -> Result<String, PlotError> {
    need(title, "at least one curve", curves.is_empty())?;
    let x = range(curves.iter().flat_map(|c| c.points.iter().map(|p| p.0)), false);
    let height = TITLE_HEIGHT + PANEL_HEIGHT * curves.len() as u32;
    draw(height, title, |area| {
        for (index, (curve, panel)) in curves.iter().zip(area.split_evenly((curves.len(), 1))).enumerate() {
            let y = range(curve.points.iter().map(|p| p.1), true);
            let is_last = index + 1 == curves.len();
            let mut chart = ChartBuilder::on(&panel)
                .margin_right(30)
                .margin_left(8)
                .margin_top(10)
                .x_label_area_size(if is_last { 44 } else { 24 })
                .y_label_area_size(LABELS)
                .build_cartesian_2d(x.clone(), y)
                .map_err(drawing)?;
            let mut mesh = chart.configure_mesh();
            style_mesh(&mut mesh, if is_last { x_label } else { "" }, &curve.name).draw().map_err(drawing)?;
            let colour = COLOURS[index % COLOURS.len()];
            for run in runs(&curve.points) {
                chart.draw_series(LineSeries::new(run, colour.stroke_width(2))).map_err(drawing)?;
            }
        }
        Ok(())
    })
}

/// Time per step above bodies asleep (or any other series of a recording, by name), over time in s.
pub fn recording_svg(recording: &Recording, names: &[&str]) -> Result<String, PlotError> {
    let dt = recording.meta.frame_dt;
    let curve = |series: &Series| Curve {
        name: match series.info.unit.as_str() {
            "" => series.info.name.clone(),
            unit => format!("{} ({unit})", series.info.name),
        },
        points: series.values.iter().enumerate().map(|(i, &v)| (i as f64 * dt, f64::from(v))).collect(),
    };
    let found = names.iter().filter_map(|name| recording.series().iter().find(|s| s.info.name == *name));
    time_series_svg(&recording.meta.scene, "time (s)", &found.map(curve).collect::<Vec<_>>())
}

/// Curves in one frame with a legend.
pub fn lines_svg(title: &str, x_label: &str, y_label: &str, curves: &[Curve]) -> Result<String, PlotError> {
    need(title, "at least one curve", curves.is_empty())?;
    let x = range(curves.iter().flat_map(|c| c.points.iter().map(|p| p.0)), false);
    let y = range(curves.iter().flat_map(|c| c.points.iter().map(|p| p.1)), true);
    draw(TITLE_HEIGHT + 2 * PANEL_HEIGHT, title, |area| {
        let mut chart = chart_on(area).build_cartesian_2d(x, y).map_err(drawing)?;
        let mut mesh = chart.configure_mesh();
        style_mesh(&mut mesh, x_label, y_label).draw().map_err(drawing)?;
        for (curve, colour) in curves.iter().zip(COLOURS.iter().cycle()) {
            for (index, run) in runs(&curve.points).into_iter().enumerate() {
                let drawn =
                    chart.draw_series(LineSeries::new(run, colour.stroke_width(2))).map_err(drawing)?;
                if index == 0 {
                    drawn
                        .label(&curve.name)
                        .legend(|(x, y)| Rectangle::new([(x, y - 2), (x + 14, y + 2)], colour.filled()));
                }
            }
        }
        legend(&mut chart)
    })
}

/// Groups of bars from zero, a set per colour, with a legend.
pub fn bars_svg(title: &str, y_label: &str, groups: &[&str], sets: &[BarSet]) -> Result<String, PlotError> {
    need(title, "at least one group and one set of bars", groups.is_empty() || sets.is_empty())?;
    for set in sets {
        if set.values.len() != groups.len() {
            let (name, found) = (set.name.clone(), set.values.len());
            return Err(PlotError::Length { name, expected: groups.len(), found });
        }
    }
    let y = range(sets.iter().flat_map(|s| s.values.iter().copied()), true);
    let names = GroupAxis { names: groups.iter().map(|g| (*g).to_owned()).collect() };
    draw(TITLE_HEIGHT + 2 * PANEL_HEIGHT, title, |area| {
        let mut chart = chart_on(area).build_cartesian_2d(names, y).map_err(drawing)?;
        let mut mesh = chart.configure_mesh();
        style_mesh(&mut mesh, "", y_label).disable_x_mesh().x_labels(groups.len()).draw().map_err(drawing)?;
        let width = 0.76 / sets.len() as f64;
        for (index, (set, colour)) in sets.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let bars = set.values.iter().enumerate().filter(|(_, v)| v.is_finite()).map(|(group, &value)| {
                let left = group as f64 - 0.38 + width * index as f64;
                Rectangle::new([(left, 0.0), (left + 0.92 * width, value)], colour.filled())
            });
            chart
                .draw_series(bars)
                .map_err(drawing)?
                .label(&set.name)
                .legend(|(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], colour.filled()));
        }
        legend(&mut chart)
    })
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(crate) fn drawing(error: impl std::fmt::Display) -> PlotError {
    PlotError::Drawing(error.to_string())
}

pub(crate) fn need(title: &str, expected: &'static str, is_empty: bool) -> Result<(), PlotError> {
    if is_empty { Err(PlotError::Empty { title: title.into(), expected }) } else { Ok(()) }
}

/// A white sheet with a title, drawn on by `content`.
pub(crate) fn draw(
    height: u32,
    title: &str,
    content: impl FnOnce(&Area) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE).map_err(drawing)?;
        let rest = root.titled(title, (FONT, 20)).map_err(drawing)?;
        content(&rest)?;
        root.present().map_err(drawing)?;
    }
    Ok(svg)
}

/// A right margin, so that the last label is not cut off.
fn chart_on<'a, 'b>(area: &'a Area<'b>) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut builder = ChartBuilder::on(area);
    builder.margin_right(30).margin_left(8).margin_top(10).x_label_area_size(44).y_label_area_size(LABELS);
    builder
}

fn style_mesh<'a, 'b, 'c, 'd, X, Y>(
    mesh: &'a mut MeshStyle<'b, 'c, X, Y, SVGBackend<'d>>,
    x_label: &str,
    y_label: &str,
) -> &'a mut MeshStyle<'b, 'c, X, Y, SVGBackend<'d>>
where
    X: Ranged,
    Y: Ranged,
{
    mesh.x_desc(x_label)
        .y_desc(y_label)
        .axis_desc_style((FONT, 14))
        .label_style((FONT, 12))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.1))
        .axis_style(BLACK.mix(0.5))
}

fn legend<'a, 'b: 'a, X, Y>(
    chart: &mut ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, Y>>,
) -> Result<(), PlotError>
where
    X: Ranged,
    Y: Ranged,
{
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .margin(12)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.2))
        .label_font((FONT, 13))
        .draw()
        .map_err(drawing)
}

/// From the lowest to the highest finite value; from zero, and with room at the top, for an axis of heights.
fn range(values: impl Iterator<Item = f64>, is_height: bool) -> Range<f64> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|v| v.is_finite()) {
        (low, high) = (low.min(value), high.max(value));
    }
    if low > high {
        (low, high) = (0.0, 1.0);
    }
    if is_height {
        (low, high) = (low.min(0.0), high.max(0.0) + 0.06 * (high.max(0.0) - low.min(0.0)));
    }
    if high > low { low..high } else { low..low + 1.0 }
}

/// The unbroken runs of finite points.
fn runs(points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let finite = |p: &(f64, f64)| p.0.is_finite() && p.1.is_finite();
    points.split(|p| !finite(p)).filter(|run| !run.is_empty()).map(<[_]>::to_vec).collect()
}

/// An axis of named groups: group `i` is centred on `i`.
struct GroupAxis {
    names: Vec<String>,
}

impl Ranged for GroupAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value + 0.5) / self.names.len() as f64;
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        (0..self.names.len()).map(|i| i as f64).collect()
    }

    fn range(&self) -> Range<f64> {
        -0.5..self.names.len() as f64 - 0.5
    }
}

impl ValueFormatter<f64> for GroupAxis {
    fn format_ext(&self, value: &f64) -> String {
        self.names.get(value.round() as usize).cloned().unwrap_or_default()
    }
}

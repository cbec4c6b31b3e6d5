//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use drystone_scenes::Preset;
use std::path::PathBuf;

/// Simulates bodies in contact, piled high.
#[derive(Debug, Parser)]
#[command(name = "drystone", version, arg_required_else_help = false)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a scene, prints a table and writes a page to look at
    Run(RunArguments),
    /// Lists the named scenes
    Scenes,
    /// Prints a scene as a scene file, to begin an own one with
    Show {
        /// A named scene, or a scene file
        scene: String,
    },
    /// Lists the settings that --set takes, of all presets
    Fields {
        /// Only those that this preset has
        #[arg(long, value_name = "P")]
        preset: Option<String>,
    },
    /// Simulates a scene and shows its contact graph: what rests on what
    Graph(GraphArguments),
    /// Says what of a scene is likely to go badly, before it does: overlaps, heavy on light, thin parts, long steps, joints
    Lint(LintArguments),
    /// Turns a file of another program (URDF, MJCF, OBJ, STL, glTF) into a scene file, and says what of it there is no counterpart for
    Import(ImportArguments),
    /// Solves discrete contact problems from files and prints a line for each
    Fclib(FclibArguments),
    /// Runs a scene of the plane and prints what it cost
    Planar(PlanarArguments),
    /// Writes a recording for other programs: an animated model (.glb), or a table (.csv)
    Export(ExportArguments),
    /// Compares two recordings of a scene and names the first step, body and value that differ
    Diff(DiffArguments),
}

/// What to compare.
#[derive(Args, Debug)]
pub(crate) struct DiffArguments {
    /// A recording (recording.drystone), or the folder that a run wrote
    pub(crate) a: PathBuf,
    /// Another one of the same scene
    pub(crate) b: PathBuf,
}

/// How to run a scene of the plane.
#[derive(Args, Debug)]
pub(crate) struct PlanarArguments {
    /// circles, polygons, planar_pyramid, planar_column or tumbler, with a number of bodies or rows: circles:500
    pub(crate) scene: String,
    /// Steps per second
    #[arg(long, value_name = "N", default_value_t = 60.0, allow_negative_numbers = true)]
    pub(crate) hz: f64,
    /// How long to simulate; by default the scene's own
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) seconds: Option<f64>,
    /// Threads; the motion does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) threads: usize,
    /// Workers among which the quad-tree is cut, 0 for none; the motion does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) partitions: u32,
    /// Let no body sleep
    #[arg(long)]
    pub(crate) no_sleep: bool,
    /// The folder of the page that plays the run; by default out/SCENE
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Only measure: no page, and so no folder
    #[arg(long, conflicts_with = "out")]
    pub(crate) no_view: bool,
    /// Print one line of JSON in place of the table
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to solve, and how well.
#[derive(Args, Debug)]
pub(crate) struct FclibArguments {
    /// Problems of the FCLib family as JSON
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Only this solver; may be repeated. By default all
    #[arg(long = "solver", value_name = "NAME")]
    pub(crate) solvers: Vec<String>,
    /// Natural-map error, relative to the free velocities, that counts as solved
    #[arg(long, value_name = "E", default_value_t = 1e-8, allow_negative_numbers = true)]
    pub(crate) tolerance: f64,
    /// Time for each problem and solver, s
    #[arg(long, value_name = "S", default_value_t = 60.0, allow_negative_numbers = true)]
    pub(crate) limit: f64,
}

/// How to run a scene.
#[derive(Args, Debug)]
pub(crate) struct RunArguments {
    /// A named scene (`drystone scenes` lists them), or a scene file (.ron)
    pub(crate) scene: String,
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
    /// The folder of results; by default out/SCENE, or out/FILE of a scene file
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print one line of JSON in place of the table
    #[arg(long)]
    pub(crate) json: bool,
    /// Record what ran when on which thread, in the Chrome trace format (chrome://tracing, ui.perfetto.dev)
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Only measure: no recording, page or picture (those of an earlier run are taken from the folder), and no files at all without --out or --profile
    #[arg(long)]
    pub(crate) no_view: bool,
}

/// What to simulate with.
#[derive(Args, Debug)]
pub(crate) struct SettingArguments {
    /// The engine's settings to begin with: fast, fine, nsgs, lcp, qp_suite, thesis_fast or thesis_accurate (accurate)
    #[arg(long, value_name = "P", default_value = Preset::default().name())]
    pub(crate) preset: String,
    /// A setting that differs from the preset; may be repeated (`drystone fields` lists them)
    #[arg(long, value_name = "FIELD=VALUE")]
    pub(crate) set: Vec<String>,
    /// Steps per second; by default 60 with fast and qp_suite, 1920 with fine, and the scene's own with the others
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) hz: Option<f64>,
    /// How long to simulate; by default the scene's own
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) seconds: Option<f64>,
    /// Threads; the motion does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) threads: usize,
    /// Let no body sleep
    #[arg(long)]
    pub(crate) no_sleep: bool,
}

/// Which graph, and as what.
#[derive(Args, Debug)]
pub(crate) struct GraphArguments {
    /// A named scene (`drystone scenes` lists them), or a scene file (.ron)
    pub(crate) scene: String,
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
    /// As what
    #[arg(long, value_enum, value_name = "F", default_value_t = GraphFormat::Text)]
    pub(crate) format: GraphFormat,
    /// The file to write; by default it is printed
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// What to look at.
#[derive(Args, Debug)]
pub(crate) struct LintArguments {
    /// A named scene (`drystone scenes` lists them), or a scene file (.ron)
    pub(crate) scene: String,
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
    /// Print a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to read, and how.
#[derive(Args, Debug)]
pub(crate) struct ImportArguments {
    /// A robot (.urdf, .xml, .mjcf) or a level (.obj, .stl, .gltf, .glb)
    pub(crate) file: PathBuf,
    /// The scene file to write; by default it is printed
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The base of a robot does not move: the link that the others hang on
    #[arg(long)]
    pub(crate) fixed_base: bool,
    /// A level ground below all that there is, where the file has none
    #[arg(long)]
    pub(crate) ground: bool,
    /// The joints of a robot are one articulation, solved by their coordinates
    #[arg(long)]
    pub(crate) articulated: bool,
}

/// What of a recording to write, and where.
#[derive(Args, Debug)]
pub(crate) struct ExportArguments {
    /// A recording (recording.drystone), or the folder that a run wrote
    pub(crate) recording: PathBuf,
    /// The file to write: .glb or .csv
    pub(crate) out: PathBuf,
    /// Which table, with .csv; by default series
    #[arg(long, value_enum, value_name = "T")]
    pub(crate) table: Option<Table>,
    /// Every how many frames; by default 2 for models, which have the last one besides, and 1 for tables
    #[arg(long, value_name = "N")]
    pub(crate) every: Option<usize>,
}

/// Tables of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Table {
    /// Quantities over time, a line per frame
    Series,
    /// Where bodies are, a line per frame and body
    Bodies,
    /// Contact points, a line each
    Contacts,
}

/// What a graph can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// What rests on what, a line per body
    Text,
    /// Graphviz
    Dot,
    /// GraphML
    Graphml,
    /// All that is known, as JSON
    Json,
    /// A picture: bodies at their places, seen along z
    Svg,
}

/// What clap says, without usage and tips, as one line.
pub(crate) fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines: Vec<&str> = text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
    let message = lines.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    message.to_owned()
}

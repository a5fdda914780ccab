//! Arguments, files and exit codes.
//!
//! In: the command line. Out: one call into `analyze`, `expand`, `simulate` or `solve_bvp`, and the exit code that it returns.

mod analyze;
mod dot;
mod expand;
mod files;
mod inputs;
mod interruption;
mod json;
mod loaded;
mod picture;
mod series;
mod simulate;
mod solve_bvp;
mod summary;
mod table;
mod times;

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::LazyLock;

use clap::{Args, Parser, Subcommand, ValueEnum};
use dae::BvpMethod;
use dae_runtime::Method;
use dae_runtime::stepper::{MAX_ORDER, Projection};
use dae_symbolic::form::Form;
use times::Times;

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: all is well.
    Success,
    /// 1: the model, its start values or a file is rejected.
    Rejected,
    /// 2: the arguments are wrong (`clap` exits with the same code).
    Usage,
    /// 3: a simulation ended before its end time, or a boundary value problem is not solved, on its own or by a signal;
    /// what was computed is printed.
    Stopped,
}

impl Exit {
    fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Rejected => 1,
            Exit::Usage => 2,
            Exit::Stopped => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

/// Differential-algebraic equations: index, code and simulation of a model in a `.dae` file.
#[derive(Parser)]
#[command(
    version,
    after_help = "Exit codes: 0 success, 1 the model or a file is rejected, 2 wrong arguments, \
                                 3 a simulation ended before its end time, or a boundary value problem is not solved, also by \
                                 SIGINT or SIGTERM: what was computed is printed and written; a second signal ends the process at once."
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print index, degrees of freedom, hidden constraints and what proves them.
    Analyze(AnalyzeArguments),
    /// Print the Rust code of a form of the model.
    Expand(ExpandArguments),
    /// Integrate a form of the model.
    Simulate(Box<SimulateArguments>),
    /// Solve the boundary value problem of a model: with conditions at several times, or of optimal control.
    SolveBvp(Box<SolveBvpArguments>),
}

/// The names of the forms as a command line has them: `projected:D` for `projected(D)`, `state-space` for
/// `state_space`.
static FORM: LazyLock<String> = LazyLock::new(|| {
    let names = Form::names().replace(", ", "|").replace('(', ":").replace(')', "");
    names.replace('_', "-")
});

/// The model and the time at which its start values hold.
#[derive(Args)]
struct ModelArguments {
    /// The body of a `dae!`.
    file: PathBuf,
    /// Time at which the start values hold.
    #[arg(long, value_name = "T", default_value_t = 0.0, value_parser = finite, allow_negative_numbers = true)]
    t0: f64,
}

#[derive(Args)]
struct AnalyzeArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print a LaTeX article.
    #[arg(long, conflicts_with = "json")]
    latex: bool,
    /// Print a self-contained HTML page.
    #[arg(long, conflicts_with_all = ["json", "latex"])]
    html: bool,
    /// Print the block-triangular form as a graph in the DOT language: blocks of equations with their unknowns, and
    /// which blocks each of them needs.
    #[arg(long, conflicts_with_all = ["json", "latex", "html"])]
    dot: bool,
}

#[derive(Args)]
struct ExpandArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Form to expand.
    #[arg(long, value_name = FORM.as_str())]
    form: Form,
}

#[derive(Args)]
struct SimulateArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Time at which to end; may be before the start.
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    t_end: f64,
    /// Form to integrate [default: ggl, or original if the model has no ggl form; underlying for explicit and symplectic methods].
    #[arg(long, value_name = FORM.as_str())]
    form: Option<Form>,
    /// Method: Radau IIA of order 5, or of order 5, 9 or 13 as it pays, or BDF; explicit ones, for non-stiff models, are
    /// those of Dormand and Prince of order 5 and 8, and Euler's. `radau9`, `radau13`, `bdf1` to `bdf5` and
    /// `implicit-euler` set the highest order, which with --step is the order. `taylor` takes Taylor series of the text as
    /// it stands, for smooth non-stiff models and many digits.
    #[arg(long, value_name = METHODS, default_value = "radau5")]
    method: MethodArgument,
    /// Constraints onto which each step is projected: by implicit methods those that the form enforces (all or none), by
    /// explicit methods those that it implies, and declared invariants.
    #[arg(long, value_name = "CONSTRAINTS", default_value = "all")]
    project: ProjectionArgument,
    /// Compute in numbers of 106 bits and print all their digits, with `--method taylor`; values of --param have 53 bits.
    #[arg(long)]
    double_double: bool,
    /// Constant step length; errors are not tested.
    #[arg(long, value_name = "H", value_parser = finite)]
    step: Option<f64>,
    /// Longest step, for models in which longer steps might miss something.
    #[arg(long, value_name = "H", value_parser = finite, allow_negative_numbers = true, conflicts_with = "step")]
    max_step: Option<f64>,
    /// Length of the first step, also after an event or a change of the equations (otherwise estimated).
    #[arg(long, value_name = "H", value_parser = finite, allow_negative_numbers = true, conflicts_with = "step")]
    initial_step: Option<f64>,
    /// Number of steps after which a run ends [default: the limit of the library].
    #[arg(long, value_name = "N")]
    max_steps: Option<usize>,
    /// Relative tolerance.
    #[arg(long, value_name = "R", default_value_t = 1e-6, value_parser = finite, allow_negative_numbers = true)]
    rtol: f64,
    /// Absolute tolerance, as a fraction of the nominal value of each unknown.
    #[arg(long, value_name = "A", default_value_t = 1e-6, value_parser = finite, allow_negative_numbers = true)]
    atol: f64,
    /// Set a parameter, an element `k[2]` of an array of parameters, or all its elements. Other parameters keep their
    /// values, even if the text computes their defaults from this one.
    #[arg(long = "param", value_name = "K=V", value_parser = assignment)]
    parameters: Vec<(String, f64)>,
    /// Supply an input of the model: a constant, or a file of times and values in two columns, interpolated as smoothly
    /// as the index reduction needs.
    #[arg(long = "input", value_name = "U=V|FILE", value_parser = inputs::input)]
    inputs: Vec<(String, inputs::InputSource)>,
    /// Record exactly these times, in the order of the run (otherwise every accepted step).
    #[arg(long, value_name = "T1,T2,…|START:STEP:END", value_delimiter = ',', allow_hyphen_values = true)]
    at: Vec<Times>,
    /// Compute the derivatives of the solution with respect to these parameters and the start values of these unknowns.
    #[arg(long, value_name = "P1,X2,…")]
    by: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write the recorded values as comma-separated text.
    #[arg(long, value_name = "OUT", conflicts_with = "json")]
    csv: Option<PathBuf>,
    /// Draw the dense output, or with --at the recorded values.
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,
}

#[derive(Args)]
struct SolveBvpArguments {
    /// The body of a `dae!`.
    file: PathBuf,
    /// Time at which the interval begins [default: that of `horizon` in the text, or 0].
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    t0: Option<f64>,
    /// Time at which it ends, or a first guess of it if the end is free; may be before the start [default: that of
    /// `horizon` in the text].
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    t_end: Option<f64>,
    /// Form to solve, of index 1 or 2 [default: ggl, or original if the model has no ggl form; index1 or underlying if that form cannot be solved].
    #[arg(long, value_name = FORM.as_str())]
    form: Option<Form>,
    /// Method.
    #[arg(long, value_name = "METHOD", default_value = "collocation")]
    method: BvpMethodArgument,
    /// Start from the values in a file as --csv writes it, with straight lines between them: columns `t` and names of
    /// unknowns; for others the text has the guess. A free parameter starts from its value, or that of --param.
    #[arg(long, value_name = "FILE.csv")]
    guess: Option<PathBuf>,
    /// Relative tolerance.
    #[arg(long, value_name = "R", default_value_t = 1e-6, value_parser = finite, allow_negative_numbers = true)]
    rtol: f64,
    /// Absolute tolerance, as a fraction of the nominal value of each unknown.
    #[arg(long, value_name = "A", default_value_t = 1e-6, value_parser = finite, allow_negative_numbers = true)]
    atol: f64,
    /// Nodes of collocation in each interval [default: by the tolerance].
    #[arg(long, value_name = "K")]
    stages: Option<usize>,
    /// Number of intervals of the first mesh [default: that of the library].
    #[arg(long, value_name = "N")]
    intervals: Option<usize>,
    /// Largest number of intervals [default: that of the library].
    #[arg(long, value_name = "N")]
    max_intervals: Option<usize>,
    /// Solve the problem with this value of the parameter first, and move the parameter to its own value.
    #[arg(long, value_name = "K=V", value_parser = assignment)]
    continuation: Vec<(String, f64)>,
    /// Solve the problem from its guess or not at all.
    #[arg(long, conflicts_with = "continuation")]
    no_continuation: bool,
    /// Set a parameter, an element `k[2]` of an array of parameters, or all its elements; of a free parameter, its first
    /// guess.
    #[arg(long = "param", value_name = "K=V", value_parser = assignment)]
    parameters: Vec<(String, f64)>,
    /// Supply an input of the model: a constant, or a file of times and values in two columns, interpolated as smoothly
    /// as the index reduction needs.
    #[arg(long = "input", value_name = "U=V|FILE", value_parser = inputs::input)]
    inputs: Vec<(String, inputs::InputSource)>,
    /// Print and write exactly these times (otherwise the ends of all intervals).
    #[arg(long, value_name = "T1,T2,…|START:STEP:END", value_delimiter = ',', allow_hyphen_values = true)]
    at: Vec<Times>,
    /// Compute the derivatives of the solution with respect to these parameters, at the ends of all intervals.
    #[arg(long, value_name = "P1,P2,…", value_delimiter = ',', conflicts_with = "at")]
    by: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write the values as comma-separated text.
    #[arg(long, value_name = "OUT", conflicts_with = "json")]
    csv: Option<PathBuf>,
    /// Draw the solution; marks along the axis of time are the mesh.
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,
}

/// A [`BvpMethod`] on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum BvpMethodArgument {
    /// Projected collocation at the nodes of Gauss.
    Collocation,
    /// Collocation at the nodes of Radau IIA, for what decays fast.
    Radau,
    /// Multiple shooting.
    Shooting,
}

impl BvpMethodArgument {
    /// As it is called on the command line.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
    }
}

impl From<BvpMethodArgument> for BvpMethod {
    fn from(argument: BvpMethodArgument) -> BvpMethod {
        match argument {
            BvpMethodArgument::Collocation => BvpMethod::Gauss,
            BvpMethodArgument::Radau => BvpMethod::Radau,
            BvpMethodArgument::Shooting => BvpMethod::Shooting,
        }
    }
}

/// A [`Projection`] on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ProjectionArgument {
    /// All of them, and the invariants that the model declares.
    All,
    /// Those on positions, or in general those that are differentiated at least twice.
    Positions,
    /// Those on velocities, or in general those that are differentiated once.
    Velocities,
    /// All of them, but only what is recorded; the run continues unprojected.
    Output,
    /// None of them.
    None,
}

impl From<ProjectionArgument> for Projection {
    fn from(argument: ProjectionArgument) -> Projection {
        match argument {
            ProjectionArgument::All => Projection::On,
            ProjectionArgument::Positions => Projection::Positions,
            ProjectionArgument::Velocities => Projection::Velocities,
            ProjectionArgument::Output => Projection::Output,
            ProjectionArgument::None => Projection::Off,
        }
    }
}

/// The names of methods on the command line.
const METHODS: &str = "radau5|radau|radau9|radau13|bdf|bdfK|implicit-euler|hem5|hem4|mexx|limex|dopri5|dop853|explicit-euler|implicit-midpoint|trapezoidal|symplectic-euler|rattle|rattle4|rattle6|rattle8|lobatto|taylor";

/// A method named on the command line.
#[derive(Clone, Debug)]
struct MethodArgument {
    name: String,
    kind: MethodKind,
}

/// What makes the steps.
#[derive(Clone, Copy, Debug)]
enum MethodKind {
    /// A method for forms, and its highest order, if that is given.
    OfForms(Method, Option<usize>),
    /// Taylor series of the text.
    Taylor,
}

impl FromStr for MethodArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (method, order) = match text {
            "taylor" => return Ok(MethodArgument { name: text.to_string(), kind: MethodKind::Taylor }),
            "radau5" => (Method::Radau5, None),
            "radau" => (Method::Radau, None),
            "radau9" => (Method::Radau, Some(9)),
            "radau13" => (Method::Radau, Some(13)),
            "bdf" => (Method::Bdf, None),
            "implicit-euler" => (Method::Bdf, Some(1)),
            "hem5" => (Method::Hem5, None),
            "hem4" => (Method::Hem4, None),
            "mexx" => (Method::Mexx, None),
            "limex" => (Method::Limex, None),
            "dopri5" => (Method::Dopri5, None),
            "dop853" => (Method::Dop853, None),
            "explicit-euler" => (Method::ExplicitEuler, None),
            "implicit-midpoint" => (Method::ImplicitMidpoint, None),
            "trapezoidal" => (Method::Trapezoidal, None),
            "symplectic-euler" => (Method::SymplecticEuler, None),
            "rattle" => (Method::Rattle, None),
            "rattle4" => (Method::Rattle4, None),
            "rattle6" => (Method::Rattle6, None),
            "rattle8" => (Method::Rattle8, None),
            "lobatto" => (Method::Lobatto, None),
            _ => match text.strip_prefix("bdf").and_then(|order| order.parse::<usize>().ok()) {
                Some(order) if (1..=MAX_ORDER).contains(&order) => (Method::Bdf, Some(order)),
                _ => {
                    return Err(format!(
                        "the methods are radau5, radau, radau9, radau13, bdf, bdf1 to bdf{MAX_ORDER}, implicit-euler, \
                         hem5, hem4, mexx, limex, dopri5, dop853, explicit-euler, implicit-midpoint, trapezoidal, \
                         symplectic-euler, rattle, rattle4, rattle6, rattle8, lobatto and taylor"
                    ));
                }
            },
        };
        Ok(MethodArgument { name: text.to_string(), kind: MethodKind::OfForms(method, order) })
    }
}

fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err("not a finite number".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn assignment(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.trim().to_string(), finite(value.trim())?))
}

/// Runs the command line of this process.
pub(crate) fn run() -> Exit {
    let done = match CommandLine::parse().command {
        Command::Analyze(arguments) => analyze::run(&arguments),
        Command::Expand(arguments) => expand::run(&arguments),
        Command::SolveBvp(arguments) => solve_bvp::run(&arguments),
        Command::Simulate(arguments) => match arguments.method.kind {
            MethodKind::OfForms(method, order) => simulate::run(&arguments, method, order),
            MethodKind::Taylor => series::run(&arguments),
        },
    };
    done.unwrap_or_else(|exit| exit)
}

/// Prints a message; the exit code is for the caller to return.
fn fail(exit: Exit, message: impl Display) -> Exit {
    // Possibly nobody is reading; that must not change the exit code.
    let _ = writeln!(std::io::stderr(), "error: {message}");
    exit
}

/// Writes to stderr, with colours if that is a terminal and `NO_COLOR` is not set.
fn tell(styled: &str) {
    let _ = write!(anstream::stderr(), "{styled}");
}

/// Writes to stdout; a reader that stops reading (`| head`) is not an error.
fn print(text: &str) -> Result<(), Exit> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(fail(Exit::Rejected, error)),
        _ => Ok(()),
    }
}

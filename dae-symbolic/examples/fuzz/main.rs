//! Mutated models through the parser and the whole pipeline: no panic, no hang, no overflow of the stack.
//!
//! In: the texts of the tree (`corpus.rs`), mutated (`mutate.rs`) by numbers that follow from the seed and the number of the execution
//! alone, so that any execution can be repeated by itself. Out: executions per second; every input that panics or takes more than two
//! seconds is written to `fuzz/found/`, made small.
//!
//! ```sh
//! cargo run --release -p dae-symbolic --example fuzz -- --executions 10000000
//! ```
//!
//! | option | meaning |
//! |---|---|
//! | `--executions N` | how many, 100,000 unless given |
//! | `--start K` | the number of the first one, to resume a run that was stopped |
//! | `--seed S` | another sequence |
//! | `--trace` | print the number of every execution before it, to find one that kills the process |
//! | `--show K` | print input K and exit |
//! | `--collect` | write inputs that reach a new combination of verdicts and findings, made small, to `fuzz/corpus/` |

#[path = "../../../fuzz/exercise.rs"]
mod exercise;

mod corpus;
mod mutate;
mod watchdog;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use exercise::{Reached, exercise};
use mutate::Mutator;
use watchdog::Watchdog;

/// An input that takes longer is a finding.
const LIMIT: Duration = Duration::from_secs(2);
/// As much as a thread of Rust has unless it asks for more, and a quarter of what the compiler has.
const STACK: usize = 2 * 1024 * 1024;
/// Executions between two lines of progress.
const PROGRESS: u64 = 10_000;

/// Where the last panic was.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// What was asked for.
struct Options {
    executions: u64,
    start: u64,
    seed: u64,
    trace: bool,
    show: Option<u64>,
    collect: bool,
}

impl Options {
    fn read() -> Result<Self, String> {
        let mut options = Options { executions: 100_000, start: 0, seed: 1, trace: false, show: None, collect: false };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let value = arguments.next().ok_or(format!("{argument} needs a number"))?;
                value.replace('_', "").parse::<u64>().map_err(|error| format!("{argument} {value}: {error}"))
            };
            match argument.as_str() {
                "--executions" => options.executions = number()?,
                "--start" => options.start = number()?,
                "--seed" => options.seed = number()?,
                "--show" => options.show = Some(number()?),
                "--trace" => options.trace = true,
                "--collect" => options.collect = true,
                _ => return Err(format!("unknown option {argument}")),
            }
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    let options = match Options::read() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || run(&options));
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(0)) => ExitCode::SUCCESS,
        Ok(Ok(findings)) => {
            eprintln!("{findings} findings");
            ExitCode::FAILURE
        }
        Ok(Err(_)) | Err(_) => ExitCode::FAILURE,
    }
}

/// The number of findings.
fn run(options: &Options) -> usize {
    let mut texts = corpus::texts();
    let is_model = |text: &str| attempt(text).is_ok_and(|reached| reached.is_accepted());
    let mut mutator = Mutator::new(&texts, is_model, options.seed);
    if let Some(number) = options.show {
        println!("{}", mutator.input(number));
        return 0;
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(String::new, ToString::to_string);
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }));
    let watchdog = Watchdog::start(LIMIT);
    let mut seen: BTreeSet<Reached> = texts.iter().filter_map(|text| attempt(text).ok()).collect();
    println!("{} texts, {} combinations of verdicts and findings", texts.len(), seen.len());
    let (begin, mut findings, mut accepted, mut slowest) = (Instant::now(), 0, 0u64, (Duration::ZERO, 0));
    let mut reached_by: [u64; 4] = [0; 4];
    for number in options.start..options.start + options.executions {
        if options.trace {
            eprintln!("{number}");
        }
        let input = mutator.input(number);
        watchdog.begin(number, &input);
        let start = Instant::now();
        let result = attempt(&input);
        let time = start.elapsed();
        watchdog.end();
        match result {
            Ok(reached) => {
                accepted += u64::from(reached.is_accepted());
                reached_by[reached.depth()] += 1;
                if options.collect && seen.insert(reached.clone()) {
                    let small = smaller(&input, |text| attempt(text).is_ok_and(|r| r == reached));
                    corpus::keep("corpus", &small);
                    texts.push(small);
                }
            }
            Err(message) => {
                findings += 1;
                let small = smaller(&input, |text| attempt(text).is_err_and(|m| m == message));
                let file = corpus::keep("found", &small);
                println!("execution {number} panics: {message}\n  {}", file.display());
            }
        }
        // A busy machine makes everything slow: what counts is the time this thread was running.
        let needed = if time > LIMIT { processor_time(|| drop(attempt(&input))) } else { time };
        slowest = slowest.max((needed, number));
        if needed > LIMIT {
            findings += 1;
            let file = corpus::keep("found", &input);
            println!("execution {number} takes {:.1} s\n  {}", needed.as_secs_f64(), file.display());
        }
        let done = number + 1 - options.start;
        if done.is_multiple_of(PROGRESS) || done == options.executions {
            let rate = done as f64 / begin.elapsed().as_secs_f64();
            println!(
                "{} executions to {}, {rate:.0} per second; unreadable {}, ill-posed {}, analysed {}, with an index {}; slowest {:.2} s (#{}), findings {findings}",
                done,
                number + 1,
                reached_by[0],
                reached_by[1],
                reached_by[2],
                reached_by[3],
                slowest.0.as_secs_f64(),
                slowest.1
            );
        }
    }
    println!("{accepted} accepted");
    findings
}

/// The time this thread is running while it does something; where the system does not tell, the time that passes.
fn processor_time(run: impl FnOnce()) -> Duration {
    let running = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    };
    let (start, before) = (Instant::now(), running());
    run();
    before.zip(running()).map_or_else(|| start.elapsed(), |(before, after)| after - before)
}

/// What an input reaches, or the message of its panic.
fn attempt(text: &str) -> Result<Reached, String> {
    let result = catch_unwind(AssertUnwindSafe(|| exercise(text)));
    // The table of spans of this thread would grow with every text.
    proc_macro2::extra::invalidate_current_thread_spans();
    result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
        format!("{} at {place}", text.unwrap_or_default())
    })
}

/// Removes lines and then tokens as long as `holds` stays true.
fn smaller(text: &str, holds: impl Fn(&str) -> bool) -> String {
    let begin = Instant::now();
    let mut best: Vec<String> = mutate::tokens(text).into_iter().map(String::from).collect();
    let mut width = best.len() / 2;
    while width > 0 && begin.elapsed() < 10 * LIMIT {
        let mut place = 0;
        while place + width <= best.len() && begin.elapsed() < 10 * LIMIT {
            let mut shorter = best.clone();
            shorter.drain(place..place + width);
            if holds(&shorter.concat()) {
                best = shorter;
            } else {
                place += width;
            }
        }
        width /= 2;
    }
    best.concat()
}

/// Where kept texts are.
fn directory(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz").join(name)
}

//! Mutated and made-up models through the parser and the whole pipeline: no panic, no hang, no overflow of the stack.
//!
//! In: texts of the tree (`corpus.rs`), mutated, and models made up from nothing (`mutate/`); they follow from the seed
//! and the number of the execution alone, so that any execution can be repeated by itself. Out: executions per second;
//! every input that panics, made small, or takes more than two seconds, as it is, is written to `fuzz/found/`.
//!
//! ```sh
//! cargo run --release -p daekit-symbolic --features serde --example fuzz -- --executions 10000000 --jobs 2
//! ```
//!
//! | option | meaning |
//! |---|---|
//! | `--executions N` | number of executions, 100,000 unless given |
//! | `--start K` | the number of the first execution, to resume a run that was stopped |
//! | `--jobs J` | threads, each with every J-th number |
//! | `--seed S` | seed of the sequence of inputs, 1 unless given |
//! | `--trace` | print the number of each execution before it begins, to find one that kills the process |
//! | `--show K` | print input K and exit |
//! | `--costs` | print the time that each text of the tree and of `fuzz/found/` takes, in microseconds, and exit |
//! | `--collect` | write inputs that reach a new combination of verdicts and findings, made small, to `fuzz/corpus/` |

#[path = "../../../fuzz/exercise.rs"]
mod exercise;

mod clock;
mod corpus;
mod draw;
mod mutate;
mod options;
mod tally;
mod tokens;
mod watchdog;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clock::{Clock, processor_time};
use exercise::{Output, Reached, exercise};
use mutate::{Level, Mutator};
use options::Options;
use tally::Tally;
use watchdog::Watchdog;

/// An input that takes longer than this is a finding.
const LIMIT: Duration = Duration::from_secs(2);
/// The default stack of a Rust thread, which is a quarter of the compiler's.
const STACK: usize = 2 * 1024 * 1024;
/// Executions of a thread between two lines of progress.
const PROGRESS: u64 = 50_000;

thread_local! {
    /// The place of the last panic of this thread.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

fn main() -> ExitCode {
    let options = match Options::read() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || run(options));
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(0)) => ExitCode::SUCCESS,
        Ok(Ok(findings)) => {
            eprintln!("{findings} findings");
            ExitCode::FAILURE
        }
        Ok(Err(_)) | Err(_) => ExitCode::FAILURE,
    }
}

/// The data shared by the threads.
struct Shared {
    options: Options,
    mutator: Mutator,
    /// What inputs have reached so far.
    seen: Mutex<BTreeSet<Reached>>,
    tally: Mutex<Tally>,
}

/// Carries out what the options ask for, and returns the number of findings, including threads that died.
fn run(options: Options) -> u64 {
    let texts = corpus::texts();
    if options.costs {
        texts.iter().chain(&corpus::found()).for_each(|text| costs(text));
        return 0;
    }
    let reached: Vec<Result<Reached, String>> = texts.iter().map(|text| attempt(text, Output::Report)).collect();
    let is_model = |k: usize| reached[k].as_ref().is_ok_and(Reached::is_accepted);
    let mutator = Mutator::new(&texts, is_model, options.seed);
    if let Some(number) = options.show {
        println!("{}", mutator.input(number).0);
        return 0;
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(String::new, ToString::to_string);
        PLACE.with_borrow_mut(|last| *last = place);
    }));
    let mut seen = BTreeSet::new();
    let mut unmutated = 0;
    for (text, reached) in texts.iter().zip(reached) {
        match reached {
            Ok(reached) => drop(seen.insert(reached)),
            Err(message) => {
                unmutated += 1;
                println!("a text panics before any mutation: {message}\n{text}");
            }
        }
    }
    println!("{} texts, {} combinations of verdicts and findings", texts.len(), seen.len());
    let tally = Mutex::new(Tally::new(options.start));
    let shared = Arc::new(Shared { options, mutator, seen: Mutex::new(seen), tally });
    let threads: Vec<_> = (0..shared.options.jobs)
        .map(|job| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().stack_size(STACK).spawn(move || work(&shared, job))
        })
        .collect();
    let died = threads.into_iter().map(|thread| thread.map(std::thread::JoinHandle::join));
    let died = died.filter(|ended| !matches!(ended, Ok(Ok(())))).count() as u64;
    let tally = shared.tally.lock().unwrap_or_else(PoisonError::into_inner);
    println!("{tally}");
    unmutated + tally.findings + died
}

/// All executions of one thread: every `jobs`-th number, beginning with `start + job`.
fn work(shared: &Shared, job: u64) {
    let Options { start, executions, jobs, trace, collect, .. } = shared.options;
    let watchdog = Watchdog::start(LIMIT);
    let clock = Clock::of_this_thread();
    let mut tally = Tally::new(start);
    for number in (start + job..start + executions).step_by(jobs as usize) {
        if trace {
            eprintln!("{number}");
        }
        let (input, level) = shared.mutator.input(number);
        let output = output(number, level);
        watchdog.begin(number, &input);
        let begin = Instant::now();
        let result = attempt(&input, output);
        let mut time = begin.elapsed();
        // A busy machine makes everything slow: what counts is the time for which this thread is running.
        if time > LIMIT / 20 {
            watchdog.begin(number, &input);
            time = time.min(processor_time(&clock, || drop(attempt(&input, output))));
        }
        watchdog.end();
        let panicked = result.is_err();
        match result {
            Ok(reached) => {
                tally.count(&reached, level);
                if collect && shared.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(reached.clone()) {
                    let small = smaller(&input, |text| attempt(text, output).is_ok_and(|r| r == reached));
                    corpus::keep("corpus", &small);
                }
            }
            Err(message) => {
                tally.findings += 1;
                let small = smaller(&input, |text| attempt(text, output).is_err_and(|m| m == message));
                let file = corpus::keep("found", &small);
                println!("execution {number} panics: {message}\n  {}", file.display());
            }
        }
        tally.time(time, number);
        if time > LIMIT && !panicked {
            tally.findings += 1;
            let file = corpus::keep("found", &input);
            println!("execution {number} takes {:.1} s\n  {}", time.as_secs_f64(), file.display());
        }
        if tally.executions() >= PROGRESS {
            let mut all = shared.tally.lock().unwrap_or_else(PoisonError::into_inner);
            all.add(&std::mem::replace(&mut tally, Tally::new(start)));
            println!("{all}");
        }
    }
    shared.tally.lock().unwrap_or_else(PoisonError::into_inner).add(&tally);
}

/// The output to ask for: of the inputs mutated as texts, 31 in 32 are only read.
fn output(number: u64, level: Level) -> Output {
    match level {
        Level::Text if !number.is_multiple_of(32) => Output::Reading,
        Level::Text | Level::Model => Output::of(number / 32),
    }
}

/// What an input reaches, or the message of its panic.
fn attempt(text: &str, output: Output) -> Result<Reached, String> {
    let result = catch_unwind(AssertUnwindSafe(|| exercise(text, output)));
    // Otherwise, the table of spans of this thread would grow with every text.
    proc_macro2::extra::invalidate_current_thread_spans();
    result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
        PLACE.with_borrow(|place| format!("{} at {place}", text.unwrap_or_default()))
    })
}

/// Prints how far a text gets, its length, the shortest time of five runs for each output, and the line with its name.
fn costs(text: &str) {
    let time = |output| {
        let once = || {
            let begin = Instant::now();
            drop(attempt(text, output));
            begin.elapsed()
        };
        let first = once();
        // A long run is not repeated.
        let repeated = if first > LIMIT / 20 { 0 } else { 4 };
        (0..repeated).map(|_| once()).fold(first, Duration::min).as_micros()
    };
    let outputs = [Output::Report, Output::Pages, Output::Code, Output::Macro, Output::Values];
    let times: Vec<String> = outputs.into_iter().map(|output| time(output).to_string()).collect();
    let depth = attempt(text, Output::Report).map_or(0, |reached| reached.depth());
    let name = text.lines().find(|line| line.contains("struct")).unwrap_or_default().trim();
    println!("{depth} {} {} {name}", text.len(), times.join(" "));
}

/// The text without the tokens that can be removed while `holds` stays true: runs of half the text are tried first,
/// single tokens last. Ends early after ten times the limit.
fn smaller(text: &str, holds: impl Fn(&str) -> bool) -> String {
    let begin = Instant::now();
    let mut best: Vec<String> = tokens::tokens(text).into_iter().map(String::from).collect();
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

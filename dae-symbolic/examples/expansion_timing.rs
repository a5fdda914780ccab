//! How long a `dae!` takes for three models of the examples: the stages with the four basic formulations, and the whole
//! expansion with the formulations that the text asks for.
//!
//! Macros are compiled without optimisation unless the user asks for it, so this example is to be run in the same way:
//! `cargo run -p daekit-symbolic --example expansion_timing`. Prints the best time of each column in ten runs;
//! asserts nothing.

use std::error::Error;
use std::time::{Duration, Instant};

use dae_symbolic::emit::emit;
use dae_symbolic::form::Form;
use dae_symbolic::pipeline::compile;
use dae_symbolic::{expand, read_text};
use proc_macro2::TokenStream;

const MODELS: [(&str, &str); 3] = [
    ("pendulum", include_str!("../../examples/models/pendulum.dae")),
    ("car_axis", include_str!("../../examples/models/car_axis.dae")),
    ("transistor_amplifier", include_str!("../../examples/models/transistor_amplifier.dae")),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("milliseconds              read   analyse      emit    expand (all, with tokens)     bytes");
    for (name, text) in MODELS {
        let mut best = [Duration::MAX; 4];
        let mut bytes = 0;
        for _ in 0..10 {
            let start = Instant::now();
            let (model, _) = read_text(text).map_err(|rejection| rejection.diagnostics)?;
            let read = start.elapsed();
            let compiled = compile(model.with_forms(Form::BASIC), 0.0).map_err(|rejected| rejected.diagnostics)?;
            let analysed = start.elapsed();
            bytes = emit(&compiled).map_or(0, |text| text.len());
            let emitted = start.elapsed();
            let tokens: TokenStream = text.parse()?;
            let start = Instant::now();
            expand(tokens);
            let times = [read, analysed - read, emitted - analysed, start.elapsed()];
            best = std::array::from_fn(|stage| best[stage].min(times[stage]));
        }
        let [read, analyse, emit, expand] = best.map(|time| 1e3 * time.as_secs_f64());
        println!("{name:<20}{read:>10.2}{analyse:>10.2}{emit:>10.2}{expand:>10.2}{bytes:>28}");
    }
    Ok(())
}

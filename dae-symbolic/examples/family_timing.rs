//! How the time of a `dae!` grows with the size of its families.
//!
//! In: nothing, or the sizes. Out: for chains of pendulums and plates of N × N points, from text to generated code: milliseconds, unknowns, nodes of
//! the expression graph, size of the code.

use std::error::Error;
use std::time::Instant;

use dae_symbolic::compile::compile_excerpt;
use dae_symbolic::emit::emit;
use dae_symbolic::formulation::Form;
use dae_symbolic::{Families, read_families_text};

const MODELS: [(&str, &str, [usize; 4]); 2] = [
    ("chain", include_str!("../../examples/models/chain.dae"), [100, 1_000, 10_000, 20_000]),
    ("plate", include_str!("../../examples/models/plate.dae"), [50, 100, 200, 400]),
];

fn main() -> Result<(), Box<dyn Error>> {
    for (name, text, sizes) in MODELS {
        println!("{name:<8}       N    read  compile    emit      nodes   bytes");
        for n in sizes {
            let text = text.replace("const N = 6;", &format!("const N = {n};"));
            let start = Instant::now();
            let Ok(Families { model, .. }) = read_families_text(&text) else { return Err("no model".into()) };
            let read = start.elapsed();
            let compiled = compile_excerpt(&model, 0.0);
            let compile = start.elapsed() - read;
            let Some(compiled) = compiled else {
                println!(
                    "{name:<8}{n:>8}{:>8.1}{:>9.1}  no excerpt",
                    1e3 * read.as_secs_f64(),
                    1e3 * compile.as_secs_f64()
                );
                continue;
            };
            let code = emit(&compiled, &Form::ALL).map_or(0, |code| code.len());
            let emit = start.elapsed() - read - compile;
            let ms = |time: std::time::Duration| 1e3 * time.as_secs_f64();
            println!(
                "{name:<8}{n:>8}{:>8.1}{:>9.1}{:>8.1}{:>11}{code:>8}   {:?}",
                ms(read),
                ms(compile),
                ms(emit),
                compiled.model.dag.len(),
                compiled.analysis.certificate.verdict()
            );
        }
    }
    Ok(())
}

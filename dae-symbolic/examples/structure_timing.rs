//! How long the structural analysis of 20,000 equations takes: `cargo run -p dae-symbolic --example structure_timing`.
//!
//! In: nothing. Out: one line per model with the seconds of [`analyse`] alone, the structural index, the degrees of
//! freedom, and the number of blocks.

use std::time::Instant;

use dae_symbolic::structure::{InvalidStructure, SignatureMatrix, analyse};

const EQUATIONS: usize = 20_000;

type Rows = Vec<Vec<(usize, u32)>>;

/// Knuth's linear congruential generator (MMIX), the same numbers every time.
fn random_numbers() -> impl FnMut() -> u32 {
    let mut state = 1u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    }
}

/// Bandwidth 5 with orders 0, 1, 2.
fn banded(n: usize) -> Rows {
    let mut next = random_numbers();
    (0..n).map(|i| (i.saturating_sub(2)..n.min(i + 3)).map(|j| (j, next() % 3)).collect()).collect()
}

/// Method of lines: each equation differentiates its own unknown and couples it with its neighbours.
fn diffusion(n: usize) -> Rows {
    let order = |i: usize, j: usize| u32::from(i == j);
    (0..n).map(|i| (i.saturating_sub(2)..n.min(i + 3)).map(|j| (j, order(i, j))).collect()).collect()
}

/// $x_0 = s(t)$, $x_{i-1}' = x_i$: index $n$.
fn differentiators(n: usize) -> Rows {
    (0..n).map(|i| if i == 0 { vec![(0, 0)] } else { vec![(i - 1, 1), (i, 0)] }).collect()
}

/// Scattered entries: five random unknowns in each equation beside its own.
fn scattered(n: usize) -> Rows {
    let mut next = random_numbers();
    let mut row = |i: usize| -> Vec<(usize, u32)> {
        let others: Vec<_> = (0..5).map(|_| (next() as usize % n, next() % 3)).collect();
        others.into_iter().chain([(i, 0)]).collect()
    };
    (0..n).map(&mut row).collect()
}

/// Pendula, each as long as the tension of the previous one says, so that the index grows by two with every link.
fn chained_pendula(links: usize) -> Rows {
    let link_rows = |link: usize| {
        let [x, y, tension] = [3 * link, 3 * link + 1, 3 * link + 2];
        let previous_tension = link.checked_sub(1).map(|_| (tension - 3, 0));
        let constraint = [(x, 0), (y, 0)].into_iter().chain(previous_tension).collect();
        [vec![(x, 2), (tension, 0)], vec![(y, 2), (tension, 0)], constraint]
    };
    (0..links).flat_map(link_rows).collect()
}

fn main() -> Result<(), InvalidStructure> {
    let models = [
        ("banded, random orders", banded(EQUATIONS)),
        ("diffusion", diffusion(EQUATIONS)),
        ("differentiators", differentiators(EQUATIONS)),
        ("scattered, random orders", scattered(EQUATIONS)),
        ("chained pendula", chained_pendula(EQUATIONS / 3)),
    ];
    for (name, rows) in models {
        let equations = rows.len();
        let sigma = SignatureMatrix::from_rows(equations, rows)?;
        let start = Instant::now();
        let result = analyse(&sigma);
        let seconds = start.elapsed().as_secs_f64();
        match result {
            Ok(structure) => println!(
                "{name}: {equations} equations, {seconds:.3} s, structural index {}, {} degrees of freedom, {} blocks",
                structure.structural_index,
                structure.degrees_of_freedom,
                structure.blocks.len()
            ),
            Err(singular) => println!("{name}: {equations} equations, {seconds:.3} s, {singular}"),
        }
    }
    Ok(())
}

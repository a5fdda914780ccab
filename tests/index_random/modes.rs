//! Systems with several modes, the index of each known.
//!
//! A mode is a linear system with constant coefficients in Weierstrass form: a nilpotent chain of $k$ unknowns,
//! $z_0 = f$, $z_1 = z_0'$, …, of index $k$ (0 without it), beside $z_j' = -z_j$. Rows are combined and unknowns are
//! $z = T x$, both with unimodular matrices that are drawn for each mode anew, so that all modes are about the same $x$.

use dae::symbolic::Text;
use dae::symbolic::modes::compile_modes;
use dae::symbolic::report::Report;

use crate::random::Random;

/// A unimodular matrix: a product of elementary ones.
fn unimodular(random: &mut Random, n: usize) -> Vec<Vec<i64>> {
    let mut matrix: Vec<Vec<i64>> = (0..n).map(|i| (0..n).map(|j| i64::from(i == j)).collect()).collect();
    for _ in 0..2 * n {
        let (i, j) = (random.below(n), random.below(n));
        if i != j {
            let factor = if random.once_in(2) { 1 } else { -1 };
            for k in 0..n {
                matrix[i][k] += factor * matrix[j][k];
            }
        }
    }
    matrix
}

/// The equations of a mode with a chain of this length, as lines.
fn equations(random: &mut Random, n: usize, chain: usize) -> Vec<String> {
    let (rows, columns) = (unimodular(random, n), unimodular(random, n));
    // Row i of the Weierstrass form: coefficients of z' and z, and the forcing.
    let row = |i: usize| -> (Vec<i64>, Vec<i64>, String) {
        let unit = |k: usize| (0..n).map(|j| i64::from(j == k)).collect::<Vec<i64>>();
        match i {
            0 if chain > 0 => (vec![0; n], unit(0), format!("sin({} * t)", i + 1)),
            i if i < chain => (unit(i - 1).iter().map(|e| -e).collect(), unit(i), "0".into()),
            i => (unit(i), unit(i), "0".into()),
        }
    };
    let terms = |coefficients: &[i64], name: &dyn Fn(usize) -> String| -> String {
        let of_x = |k: usize| -> i64 { (0..n).map(|j| coefficients[j] * columns[j][k]).sum() };
        let parts = (0..n).filter(|&k| of_x(k) != 0).map(|k| format!(" + ({}) * {}", of_x(k), name(k)));
        parts.collect()
    };
    let combined = |i: usize| {
        let mut left = [vec![0; n], vec![0; n]];
        let mut right = String::from("0");
        for (k, &factor) in rows[i].iter().enumerate().filter(|(_, factor)| **factor != 0) {
            let (slopes, values, forcing) = row(k);
            left[0].iter_mut().zip(slopes).for_each(|(sum, e)| *sum += factor * e);
            left[1].iter_mut().zip(values).for_each(|(sum, e)| *sum += factor * e);
            right += &format!(" + ({factor}) * {forcing}");
        }
        let slopes = terms(&left[0], &|k| format!("der(x{k})"));
        let values = terms(&left[1], &|k| format!("x{k}"));
        format!("0{slopes}{values} = {right};")
    };
    (0..n).map(combined).collect()
}

/// A text with modes, and the index and degrees of freedom of each.
fn draw(random: &mut Random) -> (String, Vec<(u32, usize)>) {
    let (n, count) = (random.between(2, 5), random.between(2, 4));
    let mut text = String::from("struct Random {\n");
    (0..n).for_each(|k| text += &format!("    var x{k} ~ {};\n", random.between(0, 3)));
    text += "    modes state {\n";
    let mut truth = Vec::new();
    for mode in 0..count {
        let chain = random.below(n.min(4) + 1);
        truth.push((chain as u32, n - chain));
        let lines = equations(random, n, chain).join("\n            ");
        let next = (mode + 1) % count;
        text += &format!("        m{mode} {{\n            {lines}\n");
        let condition = format!("t >= {} && t < {}", mode + 1, mode + 2);
        text += &format!("            when {condition} {{ state = m{next}; inelastic; }}\n        }}\n");
    }
    (text + "    }\n}\n", truth)
}

fn check(count: u64) {
    let (mut certified, mut all) = (0, 0);
    for number in 0..count {
        let mut random = Random::of_system("modes", 0, number);
        let (text, truth) = draw(&mut random);
        let read = Text::read_text(&text).unwrap_or_else(|error| panic!("{number}: {:?}\n{text}", error.diagnostics));
        let modes = match compile_modes(&read, None, 0.25) {
            Ok(modes) => modes,
            // A derivative that the mode before does not have needs a value.
            Err(rejected) if rejected.diagnostics.iter().all(|it| it.code.text() == "E443") => continue,
            Err(rejected) => panic!("{number}: {:?}\n{text}", rejected.diagnostics),
        };
        let report = Report::compiled(&modes.start.compiled).with_modes(&modes);
        assert_eq!(report.modes.len(), truth.len(), "{number}");
        for mode in &report.modes {
            let place: usize = mode.name.trim_start_matches("state = m").parse().expect("a number");
            let (index, degrees) = truth[place];
            all += 1;
            certified += usize::from(mode.differentiation_index.is_some());
            assert!(mode.differentiation_index.is_none_or(|it| it == index), "{number}: {mode:?}, not {index}\n{text}");
            assert!(
                mode.degrees_of_freedom.is_none_or(|it| it == degrees),
                "{number}: {mode:?}, not {degrees}\n{text}"
            );
        }
    }
    println!("{certified} of {all} indices stated, none wrong");
    assert!(10 * certified >= 9 * all, "{certified} of {all}");
}

#[test]
fn indices_of_modes_are_known() {
    check(60);
}

/// `cargo test --release --features interpreter --test index_random -- --ignored --nocapture modes`
#[test]
#[ignore = "some minutes in release"]
fn indices_of_many_modes_are_known() {
    check(5_000);
}

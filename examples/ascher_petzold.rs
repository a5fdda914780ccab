//! Tables 4.1 to 4.9 of Ascher & Petzold (1993): how a discretisation behaves depends on how the problem is written.
//!
//! Four linear problems, each written once; every row of a table is a run of the implicit Euler method, with constant
//! steps from 0 to 1, on one of their formulations. Each computed figure is printed beside that of the paper; the
//! problems, too, are from U. M. Ascher, L. R. Petzold, *Stability of computational methods for constrained dynamics
//! systems*, SIAM J. Sci. Comput. 14 (1993), sect. 4.
//!
//! ```sh
//! cargo run --release --example ascher_petzold
//! cargo run --release --example ascher_petzold -- --json --example 3 --nu 100 --h 0.01
//! ```

#[path = "ascher_petzold/printed.rs"]
mod printed;

use std::error::Error;

use dae::{Dae, Integration, Method, Projection, RunError, Solution};

use printed::{NOTES, TABLES};

dae::dae! {
    /// Index 2; the constraint turns fast, and so does the direction in which its multiplier acts.
    pub struct Example1 {
        forms(index2, baumgarte(gamma), pa, projected(unit));
        param nu = 1000;
        param gamma = 0;
        var x1 ~ 1;
        var x2 = 1;
        var y ~ -0.5;
        let c1 = sin(nu * t);
        let c2 = cos(nu * t);
        der(x1) = -x1 + c1 * y + (2 + c1 / (2 - t)) * exp(t);
        der(x2) = -x2 + c2 * y + (2 + c2 / (2 - t)) * exp(t);
        0 = c1 * x1 + c2 * x2 - (c1 + c2) * exp(t);
    }
}

dae::dae! {
    /// Index 2; the direction in which the multiplier acts is nearly tangent to the constraint.
    pub struct Example2 {
        forms(index2, baumgarte(gamma), pa, projected(unit));
        param nu = 1000;
        param gamma = 0;
        var x1 = 1;
        var x2 ~ 1;
        var y ~ -0.5;
        // Zero on the solution: the force of the multiplier, B y with B = (nu (2 - t), nu - 1), and what balances it in q.
        let rest = (2 - t) * y + exp(t);
        der(x1) = nu * rest + exp(t);
        der(x2) = (nu - 1) / (2 - t) * rest + exp(t);
        0 = (t + 2) * x1 + (t.powi(2) - 4) * x2 - (t.powi(2) + t - 2) * exp(t);
    }
}

dae::dae! {
    /// A mechanism, index 3, whose mass matrix leads to Example 2.
    pub struct Example3 {
        forms(index2, projected(B), projected(C), projected(unit), stabilized(B), stabilized(C), stabilized(unit));
        param nu = 1000;
        /// The entry of the force that acts on the velocity.
        param e22 = 1;
        var p1 = 1;
        var p2 ~ 1;
        var v1 = 1;
        var v2 ~ 1;
        var lambda ~ 0.5;
        let scale = 1 / ((2 + t) * nu.powi(2));
        let m11 = scale * (2 * nu.powi(2) - 2 * nu + 1) / (2 - t);
        let m12 = -scale * nu * (2 * nu - 1);
        let m22 = scale * 2 * nu.powi(2) * (2 - t);
        let e = e22 / ((2 + t) * nu);
        der(p1) = v1;
        der(p2) = v2;
        m11 * der(v1) + m12 * der(v2) = (m11 + m12 + 1 / (2 - t)) * exp(t) - lambda;
        m12 * der(v1) + m22 * der(v2) = e * v2 + (m12 + m22 - e - 1) * exp(t) - (t - 2) * lambda;
        0 = p1 + (t - 2) * p2 - (t - 1) * exp(t);
    }
}

dae::dae! {
    /// A mechanism, index 3, with a constraint that turns fast and a damping as fast.
    pub struct Example4 {
        forms(ggl, pa, pb, pc);
        param nu = 100;
        var p1 ~ 1;
        var p2 = 1;
        var v1 ~ 1;
        var v2 = 1;
        var lambda ~ 0.5;
        let c1 = sin(nu * t);
        let c2 = cos(nu * t);
        der(p1) = v1;
        der(p2) = v2;
        der(v1) = -nu.powi(2) * v1 + (1 + nu.powi(2) + c1 / (2 - t)) * exp(t) - c1 * lambda;
        der(v2) = -nu.powi(2) * v2 + (1 + nu.powi(2) + c2 / (2 - t)) * exp(t) - c2 * lambda;
        0 = c1 * p1 + c2 * p2 - (c1 + c2) * exp(t);
    }
}

/// A row: its key, and the figures of its example in a fixed order, which the columns of the tables refer to.
pub(crate) type Row = (String, Vec<f64>);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| arguments.iter().position(|a| a == name).and_then(|k| arguments.get(k + 1));
    if arguments.iter().any(|argument| argument == "--json") {
        let number = |name: &str, default: f64| value(name).map_or(Ok(default), |text| text.parse::<f64>());
        let example = number("--example", 1.0)?;
        for (key, figures) in rows(example as u32, number("--nu", 1000.0)?, number("--h", 0.01)?)? {
            let figures: Vec<String> = figures.iter().map(|figure| json(*figure)).collect();
            println!("{{\"{key}\": [{}]}}", figures.join(", "));
        }
        return Ok(());
    }
    tables()
}

/// A figure as JSON, which has no infinity: `null` if it is not finite.
fn json(figure: f64) -> String {
    if figure.is_finite() { format!("{figure:e}") } else { "null".into() }
}

/// All rows of an example, for a parameter $\nu$ and steps of length `h`.
pub(crate) fn rows(example: u32, nu: f64, h: f64) -> Result<Vec<Row>, Box<dyn Error>> {
    let spelled = format!("{h}");
    match example {
        1 => index_2(&format!("ex1 nu={nu} h={}", short(h)), h, &|gamma| {
            let model = Example1 { nu, gamma };
            [
                Box::new(model.baumgarte()),
                Box::new(model.index2()),
                Box::new(model.pa()),
                Box::new(model.projected_unit()),
            ]
        }),
        2 => index_2(&format!("ex2 nu={nu} h={}", short(h)), h, &|gamma| {
            let model = Example2 { nu, gamma };
            [
                Box::new(model.baumgarte()),
                Box::new(model.index2()),
                Box::new(model.pa()),
                Box::new(model.projected_unit()),
            ]
        }),
        3 => {
            let mut list = Vec::new();
            for e22 in [1.0, 0.0, 2.0] {
                let model = Example3 { nu, e22 };
                let forms: [(&str, &dyn Dae); 7] = [
                    ("P D=B", &model.projected_b()),
                    ("S D=B", &model.stabilized_b()),
                    ("P D=C", &model.projected_c()),
                    ("S D=C", &model.stabilized_c()),
                    ("P D=unit", &model.projected_unit()),
                    ("S D=unit", &model.stabilized_unit()),
                    ("d2", &model.index2()),
                ];
                for (name, form) in forms {
                    list.push((format!("ex3 e22={e22} nu={nu} h={} {name}", short(h)), mechanism(form, h)?));
                }
            }
            Ok(list)
        }
        4 => {
            let model = Example4 { nu };
            let forms: [(&str, &dyn Dae); 4] =
                [("Pa", &model.pa()), ("Pb", &model.pb()), ("Pc", &model.pc()), ("S", &model.ggl())];
            let row =
                |(name, form): (&str, &dyn Dae)| Ok((format!("ex4 nu={nu} h={spelled} {name}"), mechanism(form, h)?));
            forms.into_iter().map(row).collect()
        }
        other => Err(format!("there are examples 1 to 4, not {other}").into()),
    }
}

/// A step as the keys spell it, without the leading zero: `.01`.
fn short(h: f64) -> String {
    let text = h.to_string();
    text.strip_prefix('0').filter(|rest| !rest.is_empty()).unwrap_or(&text).to_string()
}

/// The rows of Example 1 or 2; `forms` makes the formulations for a $\gamma$.
fn index_2(key: &str, h: f64, forms: &dyn Fn(f64) -> [Box<dyn Dae>; 4]) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut list = Vec::new();
    for gamma in [0.0, 1.0, 10.0, 100.0, 1000.0, 10000.0] {
        let [baumgarte, ..] = forms(gamma);
        list.push((format!("{key} baum gamma={gamma}"), figures_of_index_2(baumgarte.as_ref(), h)?));
    }
    let [_, direct, projected, state_space] = forms(0.0);
    list.push((format!("{key} direct"), figures_of_index_2(direct.as_ref(), h)?));
    list.push((format!("{key} proj"), figures_of_index_2(projected.as_ref(), h)?));
    // The multiplier of this form acts on one unknown only; the other is integrated as in state-space form.
    list.push((format!("{key} ss"), figures_of_index_2(state_space.as_ref(), h)?));
    Ok(list)
}

/// A run of the implicit Euler method from 0 to 1, or as far as it gets.
fn euler(form: &dyn Dae, h: f64) -> Result<Solution, Box<dyn Error>> {
    let run = Integration::new(form).method(Method::Bdf).max_order(1).fixed_step(h);
    let run = run.rtol(1e-9).atol(1e-9).projection(Projection::Off).run(0.0, 1.0);
    Ok(run.or_else(RunError::into_solution)?)
}

/// The value of an unknown at the end, infinite if the run stopped early; `None` if there is no such unknown.
fn at_end(solution: &Solution, name: &str) -> Option<f64> {
    let place = solution.names.iter().position(|known| known == name)?;
    Some(if solution.is_success() { solution.end_state[place] } else { f64::INFINITY })
}

/// The larger of the errors of two unknowns at the end, where the exact value of both is $e$.
fn error(solution: &Solution, names: [&str; 2]) -> Result<f64, Box<dyn Error>> {
    let exact = 1.0_f64.exp();
    let one = |name| at_end(solution, name).map(|value| (value - exact).abs());
    Ok(one(names[0]).zip(one(names[1])).map(|(a, b)| a.max(b)).ok_or("an unknown is missing")?)
}

/// The largest residual at the end among the invariants whose names begin with `prefix`; infinite if the run stopped
/// early.
fn residual(form: &dyn Dae, solution: &Solution, prefix: &str) -> f64 {
    let invariants = &form.description().invariants;
    let mut values = vec![0.0; invariants.len()];
    form.invariants(1.0, &solution.end_state[..form.description().unknowns.len()], &mut values);
    let end = if solution.is_success() { 0.0 } else { f64::INFINITY };
    let named = invariants.iter().zip(&values).filter(|(invariant, _)| invariant.name.starts_with(prefix));
    named.map(|(_, value)| value.abs()).fold(end, f64::max)
}

/// The figures of Examples 1 and 2: error of $x$ and residual of the constraint.
fn figures_of_index_2(form: &dyn Dae, h: f64) -> Result<Vec<f64>, Box<dyn Error>> {
    let solution = euler(form, h)?;
    Ok(vec![error(&solution, ["x1", "x2"])?, residual(form, &solution, "equation 3")])
}

/// The figures of Examples 3 and 4: $|\mu|$ (zero in a form without $\mu$), errors of $p$ and $v$, residuals of the
/// constraints on positions and on velocities.
fn mechanism(form: &dyn Dae, h: f64) -> Result<Vec<f64>, Box<dyn Error>> {
    let solution = euler(form, h)?;
    let multiplier = at_end(&solution, "mu_1").map_or(0.0, f64::abs);
    let (position, velocity) = (residual(form, &solution, "equation 5"), residual(form, &solution, "der(equation 5)"));
    Ok(vec![multiplier, error(&solution, ["p1", "p2"])?, error(&solution, ["v1", "v2"])?, position, velocity])
}

/// Prints all tables: each figure as computed and as in the paper, with a mark that says how they compare.
fn tables() -> Result<(), Box<dyn Error>> {
    let mut computed: Vec<((u32, u64, u64), Vec<Row>)> = Vec::new();
    let mut tally = Tally::default();
    for table in &TABLES {
        println!("\n{}", table.title);
        let headings = table.columns.iter().map(|(heading, _)| format!("{heading:>26}"));
        println!("{:26}{}", "", headings.collect::<String>());
        for row in table.rows {
            let run = (row.example, row.nu.to_bits(), row.h.to_bits());
            if computed.iter().all(|(known, _)| *known != run) {
                computed.push((run, rows(row.example, row.nu, row.h)?));
            }
            let found = computed.iter().find(|(known, _)| *known == run).map(|(_, rows)| rows);
            let found = found.and_then(|rows| rows.iter().find(|(key, _)| key == row.key));
            let (_, figures) = found.ok_or_else(|| format!("there is no row {}", row.key))?;
            let note = NOTES.iter().position(|(key, _)| *key == row.key);
            let mut line = format!("{:26}", row.label);
            for (&(_, column), &printed) in table.columns.iter().zip(row.printed) {
                // The form `d2` enforces the constraint on velocities: its drift is that of the positions.
                let column = if column == 4 && row.key.ends_with("d2") { 3 } else { column };
                line += &format!("{:>26}", tally.cell(figures[column], printed));
            }
            println!("{line}{}", note.map_or_else(String::new, |note| format!("  ({})", note + 1)));
        }
    }
    println!("\ncomputed / printed; = two digits agree, ~ the second is one off, ^ both blow up, 0 both are rounding");
    println!("{tally}");
    for (number, (key, note)) in NOTES.iter().enumerate() {
        println!("({}) {key}: {note}", number + 1);
    }
    Ok(())
}

/// How many figures agree, and how closely.
#[derive(Default)]
struct Tally {
    equal: usize,
    near: usize,
    blown_up: usize,
    rounding: usize,
    other: usize,
}

impl Tally {
    /// A cell: the computed figure, the printed one, and a mark, which is counted.
    fn cell(&mut self, computed: f64, printed: f64) -> String {
        const BLOWN_UP: f64 = 1e5;
        const ROUNDING: f64 = 1e-10;
        if printed.is_nan() {
            return "–".into();
        }
        let unit = 10.0_f64.powf(printed.abs().log10().floor() - 1.0);
        let off = (computed - printed).abs() / unit;
        let (count, mark) = if printed.abs() < ROUNDING && computed.abs() < ROUNDING {
            (&mut self.rounding, '0')
        } else if printed > BLOWN_UP && computed > BLOWN_UP {
            (&mut self.blown_up, '^')
        } else if off <= 0.501 {
            (&mut self.equal, '=')
        } else if off <= 1.501 {
            (&mut self.near, '~')
        } else {
            (&mut self.other, '!')
        };
        *count += 1;
        format!("{computed:.3e} / {printed:.1e} {mark}")
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { equal, near, blown_up, rounding, other } = self;
        write!(f, "{equal} =, {near} ~, {blown_up} ^, {rounding} 0, {other} !")
    }
}

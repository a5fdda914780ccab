//! Formulations against one another on systems without solutions in closed form.
//!
//! In: random systems with a certified index. Out: from the same consistent point, all forms of a system end at the
//! same values, by Radau5 and by BDF; runs that stop and forms of index above 2 are left out. The numbers of runs that
//! agreed and that stopped are printed.

use std::collections::BTreeMap;

use dae::symbolic::eval::Interpreter;
use dae::symbolic::form::Form;
use dae::symbolic::formulation::CompiledForm;
use dae::symbolic::index::Verdict;
use dae::symbolic::pipeline::{Compiled, compile};
use dae::{Integration, Method};

use crate::{GENERATORS, Generator};

/// Systems per generator.
const COUNT: u64 = if cfg!(debug_assertions) { 6 } else { 40 };
/// The length of each run: short, because solutions grow and some cease to exist.
const LENGTH: f64 = 0.05;
const TOLERANCE: f64 = 1e-9;
/// The largest difference of end values that is allowed, relative to the largest of them or to 1: unknowns of index 2
/// are less accurate than the tolerance, and differ by up to 7e-6.
const ALLOWED: f64 = 1e-5;

/// The forms that are compared. Those with unit vectors or the multipliers of the text as directions are left out,
/// because it is a matter of chance whether these directions are suitable.
const FORMS: [&str; 13] = [
    "index1",
    "index2",
    "ggl",
    "pa",
    "pc",
    "baumgarte(1)",
    "overdetermined",
    "state_space",
    "tangent",
    "underlying",
    "essential_underlying",
    "derivative_array",
    "strangeness_free",
];

/// The result of one form of one system by one method.
enum Run {
    End(Vec<f64>),
    /// The run stopped, which counts as no disagreement: only solutions are compared.
    Stopped,
}

fn run(compiled: &Compiled, form: &CompiledForm, method: Method, t0: f64, names: &[String]) -> Run {
    let system = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
    let system = system.completed(form.formulation.completion);
    let run = Integration::new(system.as_ref()).method(method).rtol(TOLERANCE).atol(TOLERANCE).max_steps(20_000);
    let Ok(solution) = run.run(t0, t0 + LENGTH) else { return Run::Stopped };
    let value = |name: &String| solution.names.iter().position(|known| known == name).map(|k| solution.end_state[k]);
    names.iter().map(value).collect::<Option<Vec<f64>>>().map_or(Run::Stopped, Run::End)
}

/// Compares the runs of all forms of a system with the first one (its index-1 form, by Radau5): adds to `agreed`, by
/// form, how many agree and how many stopped, and to `wrong` those that differ. Nothing is compared if the index is not
/// certified or the first run stops.
fn compare(generator: &Generator, number: u64, agreed: &mut BTreeMap<String, [usize; 2]>, wrong: &mut Vec<String>) {
    let case = generator.case(0, number);
    let (model, _) = dae::symbolic::read_text(&case.text).expect("readable");
    let names: Vec<String> = model.unknowns.iter().map(|unknown| unknown.name.clone()).collect();
    let forms: Vec<Form> = FORMS.iter().map(|name| name.parse().expect("a form")).collect();
    let Ok(compiled) = compile(model.with_forms(forms), case.t0) else { return };
    if !matches!(compiled.analysis.certificate.verdict(), Verdict::Exact(_)) {
        return;
    }
    let mut reference: Option<Vec<f64>> = None;
    for form in &compiled.forms {
        let index = form.formulation.unknowns.iter().map(|unknown| unknown.index).max().unwrap_or(1);
        for method in [Method::Radau5, Method::Bdf] {
            if index > 2 {
                continue;
            }
            let counts = agreed.entry(form.form.to_string()).or_default();
            match run(&compiled, form, method, case.t0, &names) {
                Run::Stopped if reference.is_none() => return,
                Run::Stopped => counts[1] += 1,
                Run::End(end) => {
                    let expected = reference.get_or_insert_with(|| end.clone());
                    let size = expected.iter().fold(1.0_f64, |size, value| size.max(value.abs()));
                    let worst = end.iter().zip(expected.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    match worst <= ALLOWED * size {
                        true => counts[0] += 1,
                        false => wrong.push(format!(
                            "{} {number}, {} by {method:?}: off by {worst:e} of {size:e}\n{}",
                            generator.name, form.form, case.text
                        )),
                    }
                }
            }
        }
    }
}

#[test]
fn all_forms_of_random_systems_agree() {
    let (mut agreed, mut wrong) = (BTreeMap::new(), Vec::new());
    let count = crate::variable("INDEX_RANDOM_COUNT").unwrap_or(COUNT);
    let well_posed =
        ["weierstrass", "weierstrass-time", "weierstrass-nonlinear", "hessenberg", "networks", "mechanisms"];
    for generator in GENERATORS.iter().filter(|generator| well_posed.contains(&generator.name)) {
        (0..count).for_each(|number| compare(generator, number, &mut agreed, &mut wrong));
    }
    println!("form: runs that agree, runs that stopped");
    agreed.iter().for_each(|(form, [agree, stopped])| println!("{form:16} {agree:5} {stopped:5}"));
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(agreed.values().all(|[agree, stopped]| agree > stopped), "{agreed:?}");
}

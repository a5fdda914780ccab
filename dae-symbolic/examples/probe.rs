//! Probe.
#![allow(missing_docs)]
use dae_symbolic::compile::compile;
use dae_symbolic::report::Report;
fn main() {
    let mut good = 0;
    let mut all = 0;
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap();
        let t0: f64 = text.lines().next().unwrap().rsplit("t0 = ").next().unwrap().trim().parse().unwrap();
        let truth = text.lines().find(|l| l.contains("truth:")).unwrap().to_string();
        let start = std::time::Instant::now();
        eprintln!("=== {file}");
        let (model, _) = dae_symbolic::read_text(&text).unwrap();
        let report = match compile(model.clone(), t0) {
            Ok(compiled) => Report::compiled(&compiled),
            Err(rejected) => Report::rejected(&model, &rejected),
        };
        let truth_index: Option<u32> =
            truth.split("index: ").nth(1).map(|s| s.split(',').next().unwrap().parse().unwrap());
        let truth_deg: Option<usize> =
            truth.split("degrees: ").nth(1).map(|s| s.split(' ').next().unwrap().parse().unwrap());
        let c = report.certificate.as_ref();
        let why = c.map_or_else(String::new, |c| c.reason.clone().unwrap_or_else(|| c.statement.clone()));
        let verdict = if let Some(p) = &report.problem {
            format!("problem {} {}", p.kind, p.messages.join("; "))
        } else {
            format!(
                "index {:?} at most {:?} deg {:?}",
                report.differentiation_index, report.index_upper_bound, report.degrees_of_freedom
            )
        };
        let ok = match truth_index {
            Some(i) => report.differentiation_index == Some(i) && report.degrees_of_freedom == truth_deg,
            None => report.problem.is_some() && report.differentiation_index.is_none(),
        };
        all += 1;
        good += usize::from(ok);
        let wrong = truth_index.is_some() && (report.differentiation_index.is_some() && !ok);
        println!(
            "{} {:.2}s {file} {} | {verdict} | {}",
            if ok {
                "ok   "
            } else if wrong {
                "WRONG"
            } else {
                "open "
            },
            start.elapsed().as_secs_f64(),
            truth.trim_start_matches("// truth: "),
            if ok { "" } else { &why }
        );
    }
    println!("{good} of {all}");
}

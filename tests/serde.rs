//! Solutions survive being written and read.

use dae::runtime::event::Event;
use dae::symbolic::compile::compile;
use dae::symbolic::eval::Interpreter;
use dae::{Integration, Method, Record, Solution, Status};

fn read_back(solution: &Solution) -> Solution {
    let text = serde_json::to_string(solution).expect("written");
    serde_json::from_str(&text).expect("read")
}

#[test]
fn solutions_survive_being_written_and_read() {
    let text = "struct Pendulum { var x = 0.6; var y ~ -0.8; var u = 0; var v ~ 0; var lam; var height; height = y;
        der(x) = u; der(y) = v; der(u) = -lam*x; der(v) = -lam*y - 9.81; 0 = x.powi(2) + y.powi(2) - 1; }";
    let (model, _) = dae::symbolic::read_text(text).expect("readable");
    let Ok(compiled) = compile(model, 0.0) else { panic!("well-posed") };
    for form in &compiled.forms {
        let pendulum = Interpreter::new(form.program.clone(), compiled.prolonged.clone());
        let bottom = || Event::crossing(&pendulum, "x", 0.0).expect("an unknown");
        let run = || Integration::new(&pendulum).method(Method::Radau).record(Record::Dense).event(bottom());
        let whole = run().run(0.0, 1.0).unwrap();
        assert!(whole.is_success() && !whole.occurrences.is_empty());
        let again = read_back(&whole);
        assert!(again == whole);
        assert_eq!(again.value("height", 0.3), whole.value("height", 0.3));
        let short = run().options(dae::Options { max_steps: 3, ..dae::Options::default() }).run(0.0, 1.0);
        let short = short.unwrap_err().into_solution().expect("what was computed");
        assert!(matches!(short.status, Status::Stopped(_)));
        assert!(read_back(&short) == short);
    }
}

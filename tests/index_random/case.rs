//! One system with its true index, and the judgement of what the analysis states about it.
//!
//! In: text and truth by construction. Out: an [`Outcome`]: right and complete, right and incomplete, or wrong.

use dae::symbolic::pipeline::compile;
use dae::symbolic::report::Report;

/// The truth about a system at its starting point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// It has an index.
    WellPosed {
        /// The differentiation index.
        index: u32,
        /// The dimension of the set of consistent states.
        degrees: usize,
    },
    /// It has none: solutions do not exist or are not unique.
    IllPosed,
}

/// A system of a generator.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The model in the language.
    pub(crate) text: String,
    /// The time at which it starts.
    pub(crate) t0: f64,
    /// The truth about it.
    pub(crate) truth: Truth,
}

/// How the statement of the analysis about a system compares with the truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The right index and degrees of freedom, or the right statement that the system is ill-posed.
    Exact,
    /// A right upper bound that is not said to be the index, or the right index without the degrees of freedom; with
    /// the reason.
    AtMost(String),
    /// No statement, with the reason.
    NotCertified(String),
    /// A false statement, in words.
    Wrong(String),
}

impl Case {
    /// The system with the lines `model`: declarations and equations.
    pub(crate) fn new(model: &[String], t0: f64, truth: Truth) -> Self {
        let mut text = String::from("struct Random {\n");
        for line in model {
            text += &format!("    {line}\n");
        }
        Case { text: text + "}\n", t0, truth }
    }

    /// The outcome of the whole pipeline.
    pub(crate) fn outcome(&self) -> Outcome {
        self.judged().0
    }

    /// The outcome of the whole pipeline, and whether the analysis calls its verdict proved.
    pub(crate) fn judged(&self) -> (Outcome, bool) {
        let model = match dae::symbolic::read_text(&self.text) {
            Ok((model, _)) => model,
            Err(rejection) => return (Outcome::Wrong(format!("no model: {:?}", rejection.diagnostics)), false),
        };
        let report = match compile(model.clone(), self.t0) {
            Ok(compiled) => Report::compiled(&compiled),
            Err(rejected) => Report::rejected(&model, &rejected),
        };
        let proved = report.certificate.as_ref().is_some_and(|certificate| certificate.grounds == Some("proved"));
        (judge(Said::of_report(&report), self.truth), proved)
    }
}

/// What is said about a system: the fields of the report that make up its verdict.
struct Said {
    index: Option<u32>,
    bound: Option<u32>,
    degrees: Option<usize>,
    /// The kind of problem, and its messages.
    problem: Option<(String, String)>,
    why: String,
}

impl Said {
    fn of_report(report: &Report) -> Self {
        let certificate = report.certificate.as_ref();
        Said {
            index: report.differentiation_index,
            bound: report.index_upper_bound,
            degrees: report.degrees_of_freedom,
            problem: report.problem.as_ref().map(|p| (p.kind.to_string(), p.messages.join("; "))),
            why: certificate.map_or_else(String::new, |c| c.reason.clone().unwrap_or_else(|| c.statement.clone())),
        }
    }

    /// From the output of `dae analyze --json`.
    #[cfg(feature = "cli")]
    fn of_json(json: &serde_json::Value) -> Self {
        let number = |field: &str| json[field].as_u64();
        let (problem, certificate) = (&json["problem"], &json["certificate"]);
        let messages = || {
            let list = problem["messages"].as_array().into_iter().flatten();
            list.filter_map(serde_json::Value::as_str).collect::<Vec<_>>().join("; ")
        };
        let why = certificate["reason"].as_str().or(certificate["statement"].as_str());
        Said {
            index: number("differentiation_index").map(|n| n as u32),
            bound: number("index_upper_bound").map(|n| n as u32),
            degrees: number("degrees_of_freedom").map(|n| n as usize),
            problem: problem["kind"].as_str().map(|kind| (kind.to_string(), messages())),
            why: why.unwrap_or_default().to_string(),
        }
    }
}

/// Compares the output of `dae analyze --json` with the truth.
#[cfg(feature = "cli")]
pub(crate) fn judge_json(json: &serde_json::Value, truth: Truth) -> Outcome {
    judge(Said::of_json(json), truth)
}

fn judge(said: Said, truth: Truth) -> Outcome {
    let Said { index, bound, degrees, problem, why } = said;
    // These kinds of problem are limits of the tool, not statements about the system.
    let limit =
        problem.as_ref().is_some_and(|(kind, _)| ["derivatives too long", "undecided"].contains(&kind.as_str()));
    let rejected = problem.is_some() && !limit;
    let problem = problem.map_or(String::new(), |(kind, messages)| format!(", {kind}: {messages}"));
    let said = format!("index {index:?}, at most {bound:?}, degrees of freedom {degrees:?}{problem}");
    let why = if limit { problem } else { why };
    match truth {
        Truth::IllPosed if rejected => Outcome::Exact,
        Truth::IllPosed if index.is_some() || bound.is_some() || degrees.is_some() => Outcome::Wrong(said),
        Truth::IllPosed => Outcome::NotCertified(why),
        Truth::WellPosed { .. } if rejected => Outcome::Wrong(said),
        Truth::WellPosed { index: true_index, degrees: true_degrees } => {
            let holds = index.is_none_or(|index| index == true_index)
                && bound.is_none_or(|bound| bound >= true_index)
                && degrees.is_none_or(|degrees| degrees == true_degrees);
            match (holds, index, bound) {
                (false, ..) => Outcome::Wrong(said),
                (true, Some(_), _) if degrees.is_some() => Outcome::Exact,
                (true, Some(_), _) => Outcome::AtMost(format!("degrees of freedom are missing: {why}")),
                (true, None, Some(_)) => Outcome::AtMost(why),
                (true, None, None) => Outcome::NotCertified(why),
            }
        }
    }
}

//! Values of parameters for which the system Jacobian is singular whatever the unknowns are.
//!
//! In: a model whose system Jacobian is nonsingular for generic parameters. Out: the parameters whose defaults are
//! exceptional, with the verdict for others; or, if there are none, the parameters for which one of the numbers 0, 1
//! and −1 is exceptional, with the verdict there.

use super::case::{Case, MAX_CASES, Other, Scope, Side, Subject};
use super::other_side::verdict_of;
use crate::expr::{Expr, Notation, ParameterId, Rational, Symbol, print};
use crate::index::exceptional::{Determinant, default_values};
use crate::index::{Analysis, Limits, at_defaults};
use crate::model::Model;
use crate::spelling::lists::listed;

/// Values at which a parameter may be exceptional: 0 switches a term off, ±1 may cancel against another coefficient.
const CANDIDATES: [i64; 3] = [0, 1, -1];
/// Distances from the default at which the generic case is analysed, up to the first that gives an exact verdict.
const DISTANCES: [(i64, i64); 3] = [(1, 1), (1, 10), (1, 1000)];

pub(super) fn cases(model: &mut Model, analysis: &Analysis, t0: f64) -> Vec<Case> {
    let jacobian = analysis.system.jacobian(&mut model.dag, &analysis.structure.offsets);
    let limits = Limits::DEFAULT.upper_bound;
    let determinant = Determinant::of(model, analysis.system.equations.len(), jacobian, &analysis.pivots, &limits);
    if !determinant.is_small() {
        return Vec::new();
    }
    match analysis.exceptional.as_slice() {
        [] => switched(model, &determinant, t0),
        exceptional => vec![exceptional_case(model, &determinant, exceptional, t0)],
    }
}

/// The defaults are exceptional.
fn exceptional_case(model: &mut Model, determinant: &Determinant, exceptional: &[ParameterId], t0: f64) -> Case {
    let defaults = default_values(model, exceptional);
    let every = defaults.iter().all(|&(p, value)| determinant.vanishes_only_at(model, p, value));
    let (mut other, mut analysed_at) = (Other::Open, None);
    for (numerator, denominator) in DISTANCES {
        let Some(distance) = Rational::new(numerator, denominator) else { continue };
        let distance = model.dag.constant(distance);
        let moved: Vec<(ParameterId, Expr)> =
            defaults.iter().map(|&(p, value)| (p, model.dag.add(value, distance))).collect();
        // Another exceptional value says nothing about the generic case.
        if determinant.vanishes_at(model, &moved) {
            continue;
        }
        let (found, _) = verdict_of(model, |model| set(model, &moved), t0);
        let settled = found.is_exact();
        if settled || analysed_at.is_none() {
            (other, analysed_at) = (found, Some(spelled(model, &moved, "=")));
        }
        if settled {
            break;
        }
    }
    // Values that are exceptional together need not be so one by one.
    let together = defaults.len() > 1 && !determinant.vanishes_at(model, &defaults[..1]);
    let regular = spelled(model, &defaults, "≠");
    Case {
        subject: Subject::Parameters,
        exceptional: at_defaults(model, exceptional),
        exceptional_values: defaults.iter().map(|&one| spelled(model, &[one], "=")).collect(),
        regular: if together { format!("not all of {}", at_defaults(model, exceptional)) } else { regular },
        own: Side::Exceptional,
        scope: if every { Scope::Every } else { Scope::AlmostEvery },
        other,
        analysed_at,
    }
}

/// The defaults are not exceptional; other values may be.
fn switched(model: &mut Model, determinant: &Determinant, t0: f64) -> Vec<Case> {
    let mut list = Vec::new();
    for &p in &determinant.parameters {
        for candidate in CANDIDATES {
            let value = model.dag.integer(candidate);
            let at = [(p, value)];
            if default_values(model, &[p]) == at || !determinant.vanishes_at(model, &at) {
                continue;
            }
            let other = match list.len() < MAX_CASES {
                true => verdict_of(model, |model| set(model, &at), t0).0,
                false => Other::Open,
            };
            let every = determinant.vanishes_only_at(model, p, value);
            list.push(Case {
                subject: Subject::Parameters,
                exceptional: spelled(model, &at, "="),
                exceptional_values: vec![spelled(model, &at, "=")],
                regular: spelled(model, &at, "≠"),
                own: Side::Regular,
                scope: if every { Scope::Every } else { Scope::AlmostEvery },
                analysed_at: (other != Other::Open).then(|| spelled(model, &at, "=")),
                other,
            });
        }
    }
    list
}

fn set(model: &mut Model, values: &[(ParameterId, Expr)]) {
    values.iter().for_each(|&(p, value)| model.parameters[p.index()].default = value);
}

/// `a = 0 and b = 1`.
fn spelled(model: &Model, values: &[(ParameterId, Expr)], relation: &str) -> String {
    let item = |&(p, value): &(ParameterId, Expr)| {
        let value = print(&model.dag, value, Notation::Text, |symbol| model.symbol_name(symbol));
        format!("{} {relation} {value}", model.symbol_name(Symbol::Parameter(p)))
    };
    listed(&values.iter().map(item).collect::<Vec<_>>())
}

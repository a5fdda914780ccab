//! Shared by the tests of families: members, and comparisons with the model without families.

use std::sync::Arc;

use dae_runtime::contract::{Dae, Pattern};
use dae_symbolic::emit::emit;
use dae_symbolic::eval::Interpreter;
use dae_symbolic::form::Form;
use dae_symbolic::model::{Domain, Member, Model, Unknown};
use dae_symbolic::pipeline::{Compiled, compile};
use fastrand::Rng;
use proc_macro2::{TokenStream, TokenTree};

/// The domain of a member of family `family`.
pub(crate) fn member(family: u32, indices: &[i64], extents: &[usize]) -> Domain {
    let label: String = indices.iter().map(|index| format!("[{index}]")).collect();
    Domain {
        extents: extents.to_vec(),
        member: Some(Arc::new(Member { family, indices: indices.to_vec(), label, gaps: Arc::default() })),
    }
}

/// Makes an unknown the member of an array: `x_3` becomes `x[3]`.
pub(crate) fn set_member(unknown: &mut Unknown, domain: Domain) {
    let name = unknown.name.split('_').next().unwrap_or_default();
    unknown.name = format!("{name}{}", domain.member.as_ref().map_or("", |member| &member.label));
    unknown.domain = domain;
}

pub(crate) fn compiled(model: Model) -> Compiled {
    compile(model.with_forms(Form::BASIC), 0.0).unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics))
}

/// A model without its families; equations keep their names.
pub(crate) fn scalar_twin(mut model: Model) -> Model {
    model.unknowns.iter_mut().for_each(|u| u.domain = Domain::scalar());
    model.parameters.iter_mut().for_each(|p| p.domain = Domain::scalar());
    // Unknowns that are constant or equal to others are eliminated from models without families: one array of one element keeps them.
    if let Some(unknown) = model.unknowns.first_mut() {
        let member = Member { family: u32::MAX, indices: vec![0], label: unknown.name.clone(), gaps: Arc::default() };
        unknown.domain = Domain { extents: vec![1], member: Some(Arc::new(member)) };
    }
    for equation in &mut model.equations {
        let label = equation.domain.member.as_ref().map(|member| member.label.clone());
        let alone = |label| Arc::new(Member { family: 0, indices: Vec::new(), label, gaps: Arc::default() });
        equation.domain = Domain { extents: Vec::new(), member: label.map(alone) };
    }
    model
}

/// A model in which every instance is a family of its own, so that no loop can cover several of them.
fn unrolled_twin(mut model: Model) -> Model {
    let mut families = 0..;
    model.unknowns.iter_mut().zip(&mut families).for_each(|(u, k)| u.domain = member(k, &[0], &[1]));
    model.parameters.iter_mut().zip(&mut families).for_each(|(p, k)| p.domain = member(k, &[0], &[1]));
    model.equations.iter_mut().zip(&mut families).for_each(|(e, k)| e.domain = member(k, &[0], &[1]));
    model
}

/// The number of tokens, those in groups included.
pub(crate) fn token_count(tokens: TokenStream) -> usize {
    let mut count = 0;
    let mut open = vec![tokens];
    while let Some(tokens) = open.pop() {
        for token in tokens {
            count += 1;
            if let TokenTree::Group(group) = token {
                open.push(group.stream());
            }
        }
    }
    count
}

pub(crate) fn expansion(model: Model) -> String {
    emit(&compiled(model)).unwrap()
}

pub(crate) fn tokens(model: Model) -> usize {
    let text = expansion(model);
    token_count(text.parse().unwrap_or_else(|error| panic!("{error}: {text}")))
}

/// Compares every function of the contract, with families and without, at points in general position.
pub(crate) fn assert_agree(model: &Model) {
    let families = compiled(model.clone());
    let scalar = compiled(scalar_twin(model.clone()));
    agree(&families, &scalar);
    agree(&families, &compiled(unrolled_twin(model.clone())));
}

fn agree(families: &Compiled, twin: &Compiled) {
    assert_eq!(families.forms.len(), twin.forms.len());
    for (a, b) in families.forms.iter().zip(&twin.forms) {
        let a = Interpreter::new(a.program.clone(), families.prolonged.clone());
        let b = Interpreter::new(b.program.clone(), twin.prolonged.clone());
        // Equations of families have other names.
        let (d, e) = (a.description(), b.description());
        assert_eq!((&d.unknowns, &d.parameters, d.leading), (&e.unknowns, &e.parameters, e.leading));
        assert_eq!((&d.jacobian_y, &d.jacobian_yp, &d.jacobian_p), (&e.jacobian_y, &e.jacobian_yp, &e.jacobian_p));
        assert_eq!((&d.switches_jacobian_p, &d.eliminated), (&e.switches_jacobian_p, &e.eliminated));
        assert_eq!((&d.invariants_jacobian, d.leading_rank), (&e.invariants_jacobian, e.leading_rank));
        let (p, q) = (a.prolongation().prolongation_description(), b.prolongation().prolongation_description());
        assert_eq!((&p.jets, &p.jacobian), (&q.jets, &q.jacobian));
        assert_eq!((&p.jacobian_p, &p.start_jacobian_p), (&q.jacobian_p, &q.start_jacobian_p));
        compare(&a, &b);
    }
}

fn compare(a: &dyn Dae, b: &dyn Dae) {
    let mut random = Rng::with_seed(1);
    let d = a.description();
    let p = a.prolongation().prolongation_description();
    for _ in 0..3 {
        let mut vector = |length: usize| -> Vec<f64> { (0..length).map(|_| 0.3 + 0.8 * random.f64()).collect() };
        let (y, yp, jets) = (vector(d.unknowns.len()), vector(d.unknowns.len()), vector(p.jets.len()));
        let same = |name: &str, length: usize, f: &dyn Fn(&dyn Dae, &mut [f64])| {
            let (mut left, mut right) = (vec![f64::NAN; length], vec![f64::NAN; length]);
            f(a, &mut left);
            f(b, &mut right);
            for (i, (left, right)) in left.iter().zip(&right).enumerate() {
                // The terms of a sum may stand in another order; all are of order one.
                let close = (left - right).abs() <= 1e-13 * left.abs().max(right.abs()).max(1.0);
                assert!(close, "{} {} {name}[{i}]: {left:e}, {right:e}", d.model, d.form);
            }
        };
        let len = Pattern::len;
        same("residual", d.equations.len(), &|m, out| m.residual(0.3, &y, &yp, out));
        same("jacobian_y", len(&d.jacobian_y), &|m, out| m.jacobian_y(0.3, &y, &yp, out));
        same("jacobian_yp", len(&d.jacobian_yp), &|m, out| m.jacobian_yp(0.3, &y, &yp, out));
        same("jacobian_t", d.equations.len(), &|m, out| m.jacobian_t(0.3, &y, &yp, out));
        same("jacobian_p", len(&d.jacobian_p), &|m, out| m.jacobian_p(0.3, &y, &yp, out));
        same("invariants", d.invariants.len(), &|m, out| m.invariants(0.3, &y, out));
        same("invariants_jacobian", len(&d.invariants_jacobian), &|m, out| m.invariants_jacobian(0.3, &y, out));
        same("switches", d.switches.len(), &|m, out| m.switching_functions(0.3, &y, &yp, out));
        let watched = d.switches.iter().filter(|switch| switch.is_watched()).count();
        same("watched", watched, &|m, out| m.watched_functions(0.3, &y, &yp, out));
        same("switches by p", len(&d.switches_jacobian_p), &|m, out| m.switches_jacobian_p(0.3, &y, &yp, out));
        same("start_values", p.jets.len(), &|m, out| m.prolongation().start_values(0.3, out));
        same("prolonged_residual", p.equations.len(), &|m, out| m.prolongation().prolonged_residual(0.3, &jets, out));
        same("prolonged_jacobian", len(&p.jacobian), &|m, out| m.prolongation().prolonged_jacobian(0.3, &jets, out));
        same("prolonged by p", len(&p.jacobian_p), &|m, out| m.prolongation().prolonged_jacobian_p(0.3, &jets, out));
        same("start by p", len(&p.start_jacobian_p), &|m, out| m.prolongation().start_jacobian_p(0.3, out));
        same("states", d.unknowns.len(), &|m, out| m.states_from_jets(0.3, &jets, out, &mut vec![0.0; yp.len()]));
        same("rates", d.unknowns.len(), &|m, out| m.states_from_jets(0.3, &jets, &mut vec![0.0; y.len()], out));
    }
}

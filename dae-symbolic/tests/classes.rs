//! Classes of families: their number does not grow with the families, every instance is in exactly one, and the class
//! of an instance agrees with the analysis of the scalar model.

#![cfg(feature = "syntax")]

use dae_symbolic::family::{Class, FamilyRows, classes, rows, unknown_classes};
use dae_symbolic::model::family::FamilyModel;
use dae_symbolic::structure::{Structure, analyse};
use dae_symbolic::system::System;
use dae_symbolic::{Families, read_families_text, read_text};

const CHAIN: &str = include_str!("../../examples/models/chain.dae");
const PLATE: &str = include_str!("../../examples/models/plate.dae");

fn with_size(text: &str, n: usize) -> String {
    let sized = text.replace("const N = 6;", &format!("const N = {n};"));
    assert!(n == 6 || sized != text);
    sized
}

fn analysed(text: &str) -> (FamilyModel, FamilyRows, Structure) {
    let Ok(Families { model, .. }) = read_families_text(text) else { panic!("a model") };
    let rows = rows(&model).expect("orders are small");
    let structure = analyse(&rows.sigma).expect("it is not singular");
    (model, rows, structure)
}

fn points(class: &Class) -> Vec<Vec<i64>> {
    class.domain.iter().fold(vec![Vec::new()], |points, &(start, end)| {
        points.iter().flat_map(|p: &Vec<i64>| (start..end).map(|i| [&p[..], &[i]].concat())).collect()
    })
}

/// The model of a text and its classes, after everything that must hold for these has been checked instance by
/// instance.
fn checked(text: &str) -> (FamilyModel, Vec<Class>) {
    let (model, rows, structure) = analysed(text);
    let (mut scalar, _) = read_text(text).unwrap_or_else(|rejection| panic!("{}", rejection.diagnostics));
    let sigma = System::of_text(&mut scalar).signature(&scalar.dag).expect("orders are small");
    assert_eq!(rows.sigma, sigma, "the pattern of the instances is that of the scalar equations");
    let found = classes(&model, &rows, &structure.offsets);
    let mut seen = vec![0; sigma.equations()];
    for class in &found {
        for point in points(class) {
            let position = |k: &usize| {
                let member = scalar.equations[*k].domain.member.as_ref();
                member.map_or(point.is_empty() && *k == class.family, |member| {
                    member.family as usize == class.family && member.indices == point
                })
            };
            let equation = (0..seen.len()).find(position).expect("an instance");
            seen[equation] += 1;
            assert_eq!(structure.offsets.equations[equation], class.offset);
            let mut row: Vec<(u32, u32)> =
                sigma.row(equation).map(|(j, order)| (order, structure.offsets.unknowns[j])).collect();
            let distinct = class.entries.iter().enumerate().filter(|(k, entry)| entry.same_as == *k);
            let mut of_class: Vec<(u32, u32)> = distinct.map(|(_, entry)| (entry.order, entry.offset)).collect();
            row.sort_unstable();
            of_class.sort_unstable();
            assert_eq!(row, of_class);
        }
    }
    assert!(seen.iter().all(|count| *count == 1));
    (model, found)
}

type Shape = (usize, u32, Vec<(u32, u32)>);

/// What must not depend on the size of a family: of each class the family, the offset, and the order and offset of each
/// access.
fn shapes(found: &[Class]) -> Vec<Shape> {
    let entries = |class: &Class| class.entries.iter().map(|entry| (entry.order, entry.offset)).collect();
    found.iter().map(|class| (class.family, class.offset, entries(class))).collect()
}

#[test]
fn classes_of_the_chain_do_not_grow() {
    let (_, small) = checked(&with_size(CHAIN, 4));
    assert_eq!(small.len(), 10, "every equation of the text is one class");
    assert_eq!(shapes(&checked(&with_size(CHAIN, 9)).1), shapes(&small));
    for n in [100, 1000] {
        let (model, rows, structure) = analysed(&with_size(CHAIN, n));
        assert_eq!(rows.sigma.equations(), 5 * n);
        assert_eq!(shapes(&classes(&model, &rows, &structure.offsets)), shapes(&small));
        assert_eq!(structure.structural_index, 3);
        assert_eq!(structure.degrees_of_freedom, 2 * n);
        let arrays = unknown_classes(&model, &rows, &structure.offsets);
        assert_eq!(arrays.iter().map(|class| class.offset).collect::<Vec<_>>(), [2, 2, 1, 1, 0]);
    }
}

#[test]
fn classes_of_the_plate_are_its_faces() {
    let (_, small) = checked(&with_size(PLATE, 3));
    // The interior splits by which neighbours lie on the boundary: four corners, four edges and the middle. The
    // equations of the insulated edge split into its two ends and the rest; the other boundary equations are one class
    // each.
    let of_family = |family: usize| small.iter().filter(|class| class.family == family).count();
    assert_eq!([0, 1, 2, 3, 4].map(of_family), [9, 1, 3, 1, 1]);
    assert_eq!(shapes(&checked(&with_size(PLATE, 5)).1), shapes(&small));
    let (model, rows, structure) = analysed(&with_size(PLATE, 30));
    assert_eq!(shapes(&classes(&model, &rows, &structure.offsets)), shapes(&small));
    // One offset inside and another on the boundary: at most nine boxes, three in each direction.
    let arrays = unknown_classes(&model, &rows, &structure.offsets);
    assert!(arrays.len() <= 9, "{arrays:?}");
}

#[test]
fn instances_in_which_something_vanishes_or_coincides() {
    // First family: the factor i vanishes at i = 0, the factor W[i] at i = 2. Second: at i = 2, both accesses to p are
    // to the same element. Third: every instance has an expression of its own.
    let (_, found) = checked(
        "struct M { const N = 5; const W: [f64; N] = [1, 2, 0, 4, 5]; var q: [f64; N]; var p: [f64; N]; var s: [f64; N];
            for i in 0..N { der(q[i]) = i * p[i] + W[i] * s[i]; }
            for i in 0..N { der(p[i]) + p[i] * p[N - 1 - i] = 1; }
            for i in 0..N { s[i] = sum(j in 0..i => q[j]) + s[i].powi(i) / 2; } }",
    );
    let of_family = |family: usize| found.iter().filter(|class| class.family == family).count();
    assert_eq!([0, 1, 2].map(of_family), [4, 3, 5]);
}

#[test]
fn scalar_models_have_a_class_for_each_equation() {
    let (model, found) = checked(include_str!("../../examples/models/pendulum.dae"));
    assert!(model.is_scalar());
    assert_eq!(found.iter().map(|class| class.offset).collect::<Vec<_>>(), [1, 1, 0, 0, 2]);
}

//! Boxes of items with made-up addresses.

use std::sync::Arc;

use super::*;
use crate::model::Gap;

fn member(indices: &[i64]) -> Member {
    Member { family: 0, indices: indices.to_vec(), label: String::new(), gaps: Arc::default() }
}

fn item(member: &Member, addresses: Vec<i64>, numbers: Vec<Rational>) -> Item<'_, u8> {
    Item { member: Some(member), key: 0, addresses, numbers }
}

/// Every item is in one class, and there the affine functions say what the item said.
fn assert_faithful(items: &[Item<'_, u8>], classes: &[Class]) {
    let mut met = vec![0; items.len()];
    for class in classes {
        let mut position = 0;
        super::super::affine::for_each_point(&class.domain, |indices| {
            let item = &items[class.items[position]];
            met[class.items[position]] += 1;
            let addresses: Vec<i64> = class.addresses.iter().map(|a| a.at(indices)).collect();
            assert_eq!(addresses, item.addresses);
            for (number, q) in class.numbers.iter().zip(&item.numbers) {
                assert_eq!(number.at(indices), q.to_f64());
            }
            position += 1;
        });
        assert_eq!(position, class.items.len());
    }
    assert!(met.iter().all(|&times| times == 1));
}

/// The loops of classes with one loop at most.
fn ranges(classes: &[Class]) -> Vec<Option<(i64, i64)>> {
    classes.iter().map(|class| class.domain.first().map(|range| (range.start, range.end))).collect()
}

/// Coefficients 2, 1, 1, …, 1, 7: the ends are exceptional and do not take their neighbours with them.
#[test]
fn exceptional_ends_stand_alone() {
    for n in [5, 50] {
        let members: Vec<Member> = (0..n).map(|i| member(&[i])).collect();
        let value = |i| {
            if i == 0 {
                2
            } else if i == n - 1 {
                7
            } else {
                1
            }
        };
        let items: Vec<_> =
            members.iter().zip(0..).map(|(m, i)| item(m, vec![3 * i + 1], vec![Rational::from(value(i))])).collect();
        let classes = roll(&items).unwrap();
        assert_faithful(&items, &classes);
        assert_eq!(ranges(&classes), [None, Some((1, n - 1)), None]);
    }
}

/// Two laws meet in the middle; the longer row has the member that follows both.
#[test]
fn two_halves() {
    let members: Vec<Member> = (0..11).map(|i| member(&[i])).collect();
    let items: Vec<_> = members.iter().zip(0i64..).map(|(m, i)| item(m, vec![(i - 6).abs()], vec![])).collect();
    let classes = roll(&items).unwrap();
    assert_faithful(&items, &classes);
    assert_eq!(ranges(&classes), [Some((0, 7)), Some((7, 11))]);
}

/// In two dimensions, in any order: the inner box, four edges, four corners.
#[test]
fn plate() {
    let n = 7i64;
    let members: Vec<Member> = (0..n * n).rev().map(|k| member(&[k / n, k % n])).collect();
    let items: Vec<Item<'_, u8>> = members
        .iter()
        .map(|m| {
            let (i, j) = (m.indices[0], m.indices[1]);
            let side = |k: i64| u8::from(k == 0) + 2 * u8::from(k == n - 1);
            let numbers = vec![Rational::new(2 * i - j, 6).unwrap()];
            Item { member: Some(m), key: side(i) + 4 * side(j), addresses: vec![n * i + j], numbers }
        })
        .collect();
    let classes = roll(&items).unwrap();
    assert_faithful(&items, &classes);
    let dimensions = |count| classes.iter().filter(|class| class.domain.len() == count).count();
    assert_eq!((dimensions(2), dimensions(1), dimensions(0)), (1, 4, 4));
}

/// No loop over fewer than three, none over gaps, none across families.
#[test]
fn no_loop() {
    let members: Vec<Member> = [0, 1, 3, 5, 6].iter().map(|&i| member(&[i])).collect();
    let items: Vec<_> = members.iter().map(|m| item(m, vec![m.indices[0]], vec![])).collect();
    assert!(roll(&items).unwrap().iter().all(|class| class.domain.is_empty()));
}

/// Numbers whose denominator `f64` does not hold exactly.
#[test]
fn inexact_numbers_are_not_rolled() {
    let members: Vec<Member> = (0..4).map(|i| member(&[i])).collect();
    let value = |i: i64| Rational::new(1, (1 << 54) + 1).unwrap().mul(&Rational::from(i));
    let items: Vec<_> = members.iter().zip(0..).map(|(m, i)| item(m, vec![i], vec![value(i)])).collect();
    assert!(roll(&items).unwrap().iter().all(|class| class.domain.is_empty()));
}

/// Members 0 to 9 and 90 to 99, of which those next to the gap are said to be wrong.
fn excerpt(address: impl Fn(i64) -> i64) -> Vec<(Member, Vec<i64>)> {
    let gaps: Arc<[Gap]> = Arc::new([Gap { left_out: 10..90, reach: 2 }]);
    let member = |i| Member { family: 0, indices: vec![i], label: String::new(), gaps: gaps.clone() };
    let wrong = |i: i64| if (6..94).contains(&i) { -1 } else { address(i) };
    (0..10).chain(90..100).map(|i| (member(i), vec![wrong(i)])).collect()
}

fn items_of(excerpt: &[(Member, Vec<i64>)]) -> Vec<Item<'_, ()>> {
    excerpt
        .iter()
        .map(|(member, addresses)| Item {
            member: Some(member),
            key: (),
            addresses: addresses.clone(),
            numbers: Vec::new(),
        })
        .collect()
}

#[test]
fn rows_go_on_across_a_gap() {
    let members = excerpt(|i| if i == 0 { 7 } else { 3 * i + 1 });
    let classes = roll(&items_of(&members)).unwrap();
    assert_eq!(ranges(&classes), [None, Some((1, 100))]);
    assert_eq!(classes[1].addresses[0], Affine { base: 1, strides: vec![3] });
}

#[test]
fn sides_that_do_not_agree_are_torn() {
    for other in [|i: i64| if i < 50 { 3 * i } else { 3 * i + 1 }, |i: i64| if i < 50 { 3 * i } else { 2 * i }] {
        assert_eq!(roll(&items_of(&excerpt(other))), Err(Torn));
    }
    // One that is out of line at the gap.
    assert_eq!(roll(&items_of(&excerpt(|i| if i == 5 { 0 } else { i }))), Err(Torn));
}

//! Structural analysis against systems worked out in the literature, and against brute force on small random ones.

use dae_symbolic::structure::{
    Block, Incidence, InvalidStructure, Matching, Part, SignatureMatrix, StructurallySingular, Structure, Transversal,
    analyse, block_triangular_form, dulmage_mendelsohn, pantelides,
};
use proptest::prelude::*;

/// The signature matrix with these rows, written as in papers: the order of the highest derivative of each unknown, or
/// a dot if it does not occur.
fn matrix(rows: &[&str]) -> SignatureMatrix {
    let unknowns = rows.iter().map(|row| row.split_whitespace().count()).max().unwrap_or(0);
    let entries = |row: &&str| -> Vec<(usize, u32)> {
        row.split_whitespace().enumerate().filter(|(_, s)| *s != ".").map(|(j, s)| (j, s.parse().unwrap())).collect()
    };
    SignatureMatrix::from_rows(unknowns, rows.iter().map(entries)).unwrap()
}

fn analysed(rows: &[&str]) -> Structure {
    analyse(&matrix(rows)).unwrap()
}

fn part(equations: &[usize], unknowns: &[usize]) -> Part {
    Part { equations: equations.to_vec(), unknowns: unknowns.to_vec() }
}

mod literature {
    //! Signature matrices of systems from the literature, transcribed from their equations.
    use super::*;

    #[track_caller]
    fn check(rows: &[&str], c: &[u32], d: &[u32], structural_index: u32, degrees_of_freedom: usize) {
        let sigma = matrix(rows);
        let structure = analyse(&sigma).unwrap();
        assert_eq!(structure.offsets.equations, c);
        assert_eq!(structure.offsets.unknowns, d);
        assert_eq!(structure.structural_index, structural_index);
        assert_eq!(structure.degrees_of_freedom, degrees_of_freedom);
        assert_eq!(pantelides(&sigma), Some(structure.offsets));
    }

    #[test]
    fn pendulum_position() {
        let rows = ["1 . 0 . .", ". 1 . 0 .", "0 . 1 . 0", ". 0 . 1 0", "0 0 . . ."];
        check(&rows, &[1, 1, 0, 0, 2], &[2, 2, 1, 1, 0], 3, 2);
        let structure = analysed(&rows);
        assert_eq!(structure.transversal.unknowns(), [2, 1, 4, 3, 0]);
        let jacobian: Vec<&[usize]> = (0..5).map(|equation| structure.jacobian.row(equation)).collect();
        assert_eq!(jacobian, [&[0, 2], &[1, 3], &[2, 4], &[3, 4], &[0, 1]]);
        assert_eq!(structure.blocks.len(), 1);
    }

    #[test]
    fn pendulum_ggl() {
        let rows = ["1 . 0 . 0 .", ". 1 . 0 0 .", "0 . 1 . . 0", ". 0 . 1 . 0", "0 0 . . . .", "0 0 0 0 . ."];
        check(&rows, &[0, 0, 0, 0, 1, 1], &[1, 1, 1, 1, 0, 0], 2, 2);
    }

    #[test]
    fn chained_pendula_2() {
        let rows = ["2 . 0 . . .", ". 2 0 . . .", "0 0 . . . .", ". . . 2 . 0", ". . . . 2 0", ". . 0 0 0 ."];
        check(&rows, &[2, 2, 4, 0, 0, 2], &[4, 4, 2, 2, 2, 0], 5, 4);
        // The first pendulum can be integrated without the second, whose length is prescribed by the tension of the
        // first.
        let second = Block { equations: vec![3, 4, 5], unknowns: vec![5, 4, 3], depends_on: vec![0] };
        let blocks = analysed(&rows).blocks;
        assert_eq!(blocks[0].equations, [0, 1, 2]);
        assert_eq!(blocks[1..], [second]);
    }

    #[test]
    fn reissig_5() {
        let rows = ["0 1 1 . .", ". 1 1 . .", ". . 0 1 1", ". . . 1 1", ". . . . 0"];
        check(&rows, &[0, 0, 1, 1, 2], &[0, 1, 1, 2, 2], 3, 2);
    }

    #[test]
    fn campbell_gear_3() {
        check(&["0 1 0", ". 0 1", ". . 0"], &[0, 1, 2], &[0, 1, 2], 3, 0);
    }

    #[test]
    fn gear_petzold_7() {
        check(&["0 . .", "1 0 .", ". 1 0"], &[2, 1, 0], &[2, 1, 0], 3, 0);
    }

    #[test]
    fn modified_pendulum() {
        check(&["2 . 0", "3 2 1", "0 0 ."], &[1, 0, 2], &[3, 2, 1], 2, 3);
    }

    #[test]
    fn implicit_ode() {
        check(&["1 1", "1 1"], &[0, 0], &[1, 1], 0, 2);
    }

    #[test]
    fn lubich() {
        check(&["1 1 1", ". 0 .", ". . 0"], &[0, 1, 1], &[1, 1, 1], 1, 1);
    }

    #[test]
    fn optimal_control_index_3() {
        let rows = ["1 0 . . .", ". 1 0 . .", "0 . . 1 .", ". 0 . 0 1", ". . . . 0"];
        check(&rows, &[0, 0, 0, 1, 2], &[1, 1, 0, 1, 2], 3, 2);
    }

    #[test]
    fn flexible_robot_arm() {
        let rows = ["2 0 1 0 0", "1 2 1 0 0", "1 0 2 0 0", "0 . 0 . .", "0 . 0 . ."];
        check(&rows, &[0, 0, 0, 2, 2], &[2, 2, 2, 0, 0], 3, 2);
    }

    #[test]
    fn spherical_pendulum() {
        let rows = [
            "1 . . 0 . . .",
            ". 1 . . 0 . .",
            ". . 1 . . 0 .",
            "0 . . 1 . . 0",
            ". 0 . . 1 . 0",
            ". . 0 . . 1 0",
            "0 0 0 . . . .",
        ];
        check(&rows, &[1, 1, 1, 0, 0, 0, 2], &[2, 2, 2, 1, 1, 1, 0], 3, 4);
    }

    #[test]
    fn floating_capacitor() {
        check(&["1 1 .", "1 1 0", ". 0 ."], &[0, 0, 1], &[1, 1, 0], 2, 1);
    }
}

mod singular {
    use super::*;

    #[track_caller]
    fn check(rows: &[&str], overdetermined: Part, underdetermined: Part, message: &str) {
        let sigma = matrix(rows);
        let singular = analyse(&sigma).unwrap_err();
        assert_eq!(singular.to_string(), message);
        assert_eq!(singular, StructurallySingular { overdetermined, underdetermined });
        assert_eq!(pantelides(&sigma), None);
    }

    #[test]
    fn two_equations_for_one_unknown() {
        let message = "structurally singular: 2 equations for 1 unknown, 2 unknowns in 1 equation";
        check(&["0 . .", "1 . .", "0 0 0"], part(&[0, 1], &[0]), part(&[2], &[1, 2]), message);
    }

    #[test]
    fn square_part_is_blamed_for_nothing() {
        let message = "structurally singular: 2 equations for 1 unknown, 2 unknowns in 1 equation";
        let rows = ["1 . . . .", "0 . . . .", "0 1 . . .", "0 0 1 . .", "0 0 0 0 0"];
        check(&rows, part(&[0, 1], &[0]), part(&[4], &[3, 4]), message);
        assert_eq!(dulmage_mendelsohn(matrix(&rows).pattern()).square, part(&[2, 3], &[1, 2]));
    }

    #[test]
    fn control_left_open() {
        let message = "structurally singular: 2 unknowns in 1 equation";
        check(&["1 0"], part(&[], &[]), part(&[0], &[0, 1]), message);
    }

    #[test]
    fn pendulum_with_its_hidden_constraints() {
        let rows = ["1 . 0 . .", ". 1 . 0 .", "0 . 1 . 0", ". 0 . 1 0", "0 0 . . .", "0 0 0 0 .", "0 0 0 0 0"];
        let everything = part(&[0, 1, 2, 3, 4, 5, 6], &[0, 1, 2, 3, 4]);
        check(&rows, everything, part(&[], &[]), "structurally singular: 7 equations for 5 unknowns");
    }

    #[test]
    fn equation_without_unknowns_and_unknown_without_equations() {
        let message = "structurally singular: 1 equation for 0 unknowns, 1 unknown in 0 equations";
        check(&["1 .", ". ."], part(&[1], &[]), part(&[], &[1]), message);
    }
}

#[test]
fn nothing_to_analyse() {
    let structure = analysed(&[]);
    assert_eq!((structure.structural_index, structure.degrees_of_freedom), (0, 0));
    assert!(structure.blocks.is_empty());
}

#[test]
fn of_several_orders_the_highest_counts() {
    let sigma = SignatureMatrix::from_rows(2, [[(1, 0), (0, 2), (1, 3), (1, 1)]]).unwrap();
    assert_eq!(sigma.row(0).collect::<Vec<_>>(), [(0, 2), (1, 3)]);
}

#[test]
fn impossible_rows_are_refused() {
    let out_of_range = InvalidStructure::UnknownOutOfRange { equation: 1, unknown: 2, unknowns: 2 };
    assert_eq!(SignatureMatrix::from_rows(2, [[(0, 0)], [(2, 0)]]), Err(out_of_range.clone()));
    assert_eq!(Incidence::from_rows(2, [[0], [2]]), Err(out_of_range));
    assert_eq!(SignatureMatrix::from_rows(1, [[(0, u32::MAX)]]), Err(InvalidStructure::OrdersTooHigh));
    assert_eq!(SignatureMatrix::from_rows(2, [[(0, u32::MAX)], [(1, u32::MAX)]]), Err(InvalidStructure::OrdersTooHigh));
}

/// Every algorithm on a chain of 20,000 equations, in a thread whose stack is too small for a frame per equation.
#[test]
fn long_chains_need_no_stack() {
    const N: usize = 20_000;
    let analysis = || {
        let row = |i: usize| if i == 0 { vec![(0, 0)] } else { vec![(i - 1, 1), (i, 0)] };
        let chain = SignatureMatrix::from_rows(N, (0..N).map(row)).unwrap();
        let structure = analyse(&chain).unwrap();
        assert_eq!(structure.structural_index, N as u32);
        assert!(structure.offsets.equations.iter().rev().copied().eq(0..N as u32));

        // A ring: one block of all equations and, with a surplus equation, one alternating path through all of them.
        let ring = Incidence::from_rows(N, (0..N).map(|i| [i, (i + 1) % N])).unwrap();
        let transversal = Matching::maximum(&ring).transversal().unwrap();
        assert_eq!(block_triangular_form(&ring, &transversal).len(), 1);
        let surplus = (0..N).map(|i| vec![i, (i + 1) % N]).chain([vec![0]]);
        let surplus = Incidence::from_rows(N, surplus).unwrap();
        assert_eq!(dulmage_mendelsohn(&surplus).overdetermined.equations.len(), N + 1);

        // The searches of Pantelides' algorithm run along a whole chain, too.
        let row = |i: usize| if i + 1 < N { vec![(i, 1), (i + 1, 1)] } else { vec![(0, 1)] };
        let chain = SignatureMatrix::from_rows(N, (0..N).map(row)).unwrap();
        assert_eq!(pantelides(&chain).unwrap().equations, vec![0; N]);
    };
    std::thread::Builder::new().stack_size(128 * 1024).spawn(analysis).unwrap().join().unwrap();
}

type Dense = Vec<Vec<Option<u32>>>;

fn sparse(dense: &Dense) -> SignatureMatrix {
    let unknowns = dense.first().map_or(0, Vec::len);
    let entries = |row: &Vec<Option<u32>>| -> Vec<(usize, u32)> {
        row.iter().enumerate().filter_map(|(unknown, order)| Some((unknown, (*order)?))).collect()
    };
    SignatureMatrix::from_rows(unknowns, dense.iter().map(entries)).unwrap()
}

fn dense(equations: usize, unknowns: usize, highest: u32) -> impl Strategy<Value = Dense> {
    let entry = proptest::option::weighted(0.5, 0..=highest);
    proptest::collection::vec(proptest::collection::vec(entry, unknowns), equations)
}

fn square(sizes: std::ops::RangeInclusive<usize>, highest: u32) -> impl Strategy<Value = Dense> {
    sizes.prop_flat_map(move |n| dense(n, n, highest))
}

/// The greatest value of a transversal of the equations from `equation` on that avoids the unknowns in the bit set
/// `used`, by trying all of them; `None` if there is no such transversal.
fn best_value(sigma: &Dense, equation: usize, used: u32) -> Option<u32> {
    let Some(row) = sigma.get(equation) else { return Some(0) };
    (0..row.len())
        .filter(|&unknown| used & (1 << unknown) == 0)
        .filter_map(|unknown| Some(row[unknown]? + best_value(sigma, equation + 1, used | 1 << unknown)?))
        .max()
}

/// The least unknown offsets $d$ for given equation offsets $c$: $d_j = \max_i (\sigma_{ij} + c_i)$.
fn least_unknown_offsets(sigma: &Dense, c: &[u32]) -> Vec<u32> {
    let least = |j: usize| sigma.iter().zip(c).filter_map(|(row, &c)| Some(row[j]? + c)).max().unwrap_or(0);
    (0..sigma.len()).map(least).collect()
}

/// The equation offsets $c$ to which Pryce's iteration converges for a given transversal.
fn pryce_iteration(sigma: &Dense, transversal: &Transversal) -> Vec<u32> {
    let n = sigma.len();
    let mut c = vec![0; n];
    loop {
        let d = least_unknown_offsets(sigma, &c);
        let on_transversal = |i: usize| d[transversal.unknown_of(i)] - sigma[i][transversal.unknown_of(i)].unwrap();
        let next: Vec<u32> = (0..n).map(on_transversal).collect();
        if next == c {
            return c;
        }
        c = next;
    }
}

/// All tuples of `n` numbers from `0..=highest`.
fn tuples(n: usize, highest: u32) -> impl Iterator<Item = Vec<u32>> {
    let base = highest + 1;
    (0..base.pow(n as u32)).map(move |code| (0..n as u32).map(|digit| code / base.pow(digit) % base).collect())
}

/// The size of a maximum matching of the equations from `equation` on that uses only the entries that are `kept` and
/// avoids the unknowns in the bit set `used`, by exhaustive search.
fn matching_size(pattern: &Dense, kept: &dyn Fn(usize, usize) -> bool, equation: usize, used: u32) -> usize {
    let Some(row) = pattern.get(equation) else { return 0 };
    let paired = (0..row.len())
        .filter(|&unknown| row[unknown].is_some() && kept(equation, unknown) && used & (1 << unknown) == 0)
        .map(|unknown| 1 + matching_size(pattern, kept, equation + 1, used | 1 << unknown));
    paired.chain([matching_size(pattern, kept, equation + 1, used)]).max().unwrap_or(0)
}

/// Checks that the blocks are the classes of mutually reachable equations, in an order in which they can be solved.
fn check_blocks(pattern: &Incidence, transversal: &Transversal, blocks: &[Block]) {
    let n = transversal.len();
    let mut block_of = vec![None; n];
    for (block, Block { equations, unknowns, .. }) in blocks.iter().enumerate() {
        assert!(equations.is_sorted());
        assert_eq!(equations.len(), unknowns.len());
        for (&equation, &unknown) in equations.iter().zip(unknowns) {
            assert_eq!(transversal.unknown_of(equation), unknown);
            assert_eq!(block_of[equation].replace(block), None);
        }
    }
    let block_of: Vec<usize> = block_of.into_iter().map(Option::unwrap).collect();

    let mut reaches = vec![vec![false; n]; n];
    for (equation, unknown) in pattern.entries() {
        reaches[equation][transversal.equation_of(unknown)] = true;
    }
    for (block, Block { depends_on, .. }) in blocks.iter().enumerate() {
        let outgoing = (0..n).filter(|&i| block_of[i] == block);
        let mut expected: Vec<usize> =
            outgoing.flat_map(|i| (0..n).filter(|&k| reaches[i][k]).map(|k| block_of[k]).collect::<Vec<_>>()).collect();
        expected.retain(|&other| other != block);
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(depends_on, &expected);
        assert!(depends_on.iter().all(|&other| other < block));
    }
    for via in 0..n {
        for from in 0..n {
            for to in 0..n {
                reaches[from][to] |= reaches[from][via] && reaches[via][to];
            }
        }
    }
    for from in 0..n {
        for to in 0..n {
            assert_eq!(block_of[from] == block_of[to], reaches[from][to] && reaches[to][from]);
        }
    }
}

proptest! {
    #[test]
    fn transversal_has_the_greatest_value(rows in square(1..=6, 3)) {
        let best = best_value(&rows, 0, 0);
        let structure = analyse(&sparse(&rows)).ok();
        prop_assert_eq!(structure.is_some(), best.is_some());
        let Some(structure) = structure else { return Ok(()) };
        let mut unknowns = structure.transversal.unknowns().to_vec();
        let value: Option<u32> = unknowns.iter().zip(&rows).map(|(&unknown, row)| row[unknown]).sum();
        prop_assert_eq!(value, best);
        prop_assert_eq!(Some(structure.degrees_of_freedom), best.map(|value| value as usize));
        unknowns.sort_unstable();
        prop_assert!(unknowns.into_iter().eq(0..rows.len()));
    }

    #[test]
    fn offsets_are_the_limit_of_pryces_iteration(rows in square(1..=6, 3)) {
        let Ok(structure) = analyse(&sparse(&rows)) else { return Ok(()) };
        let c = pryce_iteration(&rows, &structure.transversal);
        prop_assert_eq!(&structure.offsets.unknowns, &least_unknown_offsets(&rows, &c));
        prop_assert_eq!(structure.offsets.equations, c);
    }

    /// The least unknown offsets for given equation offsets are valid exactly if the difference of their sums is the
    /// greatest value of a transversal.
    #[test]
    fn offsets_are_the_least_of_all_valid_ones(rows in square(1..=4, 2)) {
        let Ok(structure) = analyse(&sparse(&rows)) else { return Ok(()) };
        let n = rows.len();
        let sum = |offsets: &[u32]| offsets.iter().sum::<u32>() as usize;
        // No least offset exceeds the sum of the highest orders of the other equations.
        let bound = 2 * (n as u32 - 1);
        let mut least = vec![u32::MAX; n];
        for c in tuples(n, bound) {
            if sum(&least_unknown_offsets(&rows, &c)) == sum(&c) + structure.degrees_of_freedom {
                least.iter_mut().zip(&c).for_each(|(least, &c)| *least = c.min(*least));
            }
        }
        prop_assert_eq!(structure.offsets.equations, least);
    }

    #[test]
    fn pantelides_finds_the_canonical_offsets(rows in square(1..=12, 4)) {
        let sigma = sparse(&rows);
        prop_assert_eq!(pantelides(&sigma), analyse(&sigma).ok().map(|structure| structure.offsets));
    }

    #[test]
    fn jacobian_pattern_is_where_the_offsets_differ_by_the_order(rows in square(1..=6, 3)) {
        let Ok(Structure { offsets, jacobian, .. }) = analyse(&sparse(&rows)) else { return Ok(()) };
        for (i, row) in rows.iter().enumerate() {
            let expected: Vec<usize> =
                (0..row.len()).filter(|&j| Some(offsets.unknowns[j]) == row[j].map(|order| order + offsets.equations[i])).collect();
            prop_assert_eq!(jacobian.row(i), expected);
        }
    }

    #[test]
    fn blocks_are_strong_components_in_order_of_solution(rows in square(1..=6, 2)) {
        let sigma = sparse(&rows);
        let Ok(Structure { transversal, blocks, jacobian, .. }) = analyse(&sigma) else { return Ok(()) };
        check_blocks(sigma.pattern(), &transversal, &blocks);
        check_blocks(&jacobian, &transversal, &block_triangular_form(&jacobian, &transversal));
    }

    /// The overdetermined part consists of the equations that some maximum matching leaves unmatched, and their
    /// unknowns; the underdetermined part, of the unknowns that some maximum matching leaves unmatched, and their
    /// equations.
    #[test]
    fn dulmage_mendelsohn_parts_are_what_matchings_leave_over(
        rows in (0..=5usize, 1..=5usize).prop_flat_map(|(equations, unknowns)| dense(equations, unknowns, 0)),
    ) {
        let pattern = sparse(&rows).pattern().clone();
        let size = matching_size(&rows, &|_, _| true, 0, 0);
        prop_assert_eq!(Matching::maximum(&pattern).size(), size);

        let (equations, unknowns) = (pattern.equations(), pattern.unknowns());
        let over_equations: Vec<usize> =
            (0..equations).filter(|&left| matching_size(&rows, &|i, _| i != left, 0, 0) == size).collect();
        let under_unknowns: Vec<usize> =
            (0..unknowns).filter(|&left| matching_size(&rows, &|_, j| j != left, 0, 0) == size).collect();
        let over_unknowns: Vec<usize> =
            (0..unknowns).filter(|&j| over_equations.iter().any(|&i| rows[i][j].is_some())).collect();
        let under_equations: Vec<usize> =
            (0..equations).filter(|&i| under_unknowns.iter().any(|&j| rows[i][j].is_some())).collect();
        let rest = |count: usize, over: &[usize], under: &[usize]| -> Vec<usize> {
            (0..count).filter(|index| !over.contains(index) && !under.contains(index)).collect()
        };

        let parts = dulmage_mendelsohn(&pattern);
        prop_assert_eq!(&parts.square.equations, &rest(equations, &over_equations, &under_equations));
        prop_assert_eq!(&parts.square.unknowns, &rest(unknowns, &over_unknowns, &under_unknowns));
        prop_assert_eq!(parts.square.equations.len(), parts.square.unknowns.len());
        prop_assert_eq!(parts.overdetermined, part(&over_equations, &over_unknowns));
        prop_assert_eq!(parts.underdetermined, part(&under_equations, &under_unknowns));
    }
}

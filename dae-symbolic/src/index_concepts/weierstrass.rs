//! The Weierstrass form of a matrix pencil, exactly.
//!
//! In: rational matrices $E$, $A$ of $E u' + A u = d(t)$. Out: for a regular pencil $sE + A$ the dimensions of its
//! Weierstrass form, Hairer & Wanner II, Sect. VII.1, eqs. (1.3), (1.4): the size of the part with finite eigenvalues
//! and the sizes $m_i$ of the nilpotent blocks, the largest of which is the (nilpotency, Kronecker) index; for a
//! singular pencil, polynomial null vectors.
//!
//! Luenberger's shuffle (*Time-invariant descriptor systems*, Automatica 14, 1978): rows of $(E, A)$ are combined until
//! $E$ is in echelon form; each row whose $E$-part is then zero is an algebraic equation $a^\top u = \dots$, and is
//! replaced by its derivative, the row $(a, 0)$. With $k_i$ such rows in round $i = 0, 1, \dots$,
//!
//! $$ k_i = \\#\\{\text{nilpotent blocks of size} > i\\}, $$
//!
//! for the shuffle takes a block of size $m$ to one of size $m - 1$ in each round. The pencil is regular if and only if
//! $k_i = 0$ after at most as many rounds as there are rows, and no row vanishes. Null vectors of a singular pencil
//! come from the reduction of `strangeness.rs`, which keeps constraints; right null vectors are left null vectors of
//! the transposed pencil.

use super::pencil::{Pencil, PolynomialVector, Sparse, nonzero};
use super::strangeness::dependent;
use crate::expr::Rational;
use crate::expr::echelon::Echelon;

/// Null vectors of pencils with more than this many rows are not computed: their entries grow with every round of the
/// reduction, and nobody would read them.
const MAX_ROWS: usize = 12;

/// The structure of a pencil: its Weierstrass form, or null vectors.
#[derive(Clone, Debug, PartialEq)]
pub enum PencilStructure {
    /// Square, with $\det(sE + A) \not\equiv 0$.
    Regular(Weierstrass),
    /// There are null vectors, left or right.
    Singular {
        /// $v(s)$ with $(sE + A)\, v(s) \equiv 0$, by column.
        right: Option<PolynomialVector>,
        /// $w(s)$ with $w(s)^\top (sE + A) \equiv 0$, by row.
        left: Option<PolynomialVector>,
    },
}

/// The dimensions of a Weierstrass form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weierstrass {
    /// The size of the part with finite eigenvalues, $C$ in (1.3).
    pub finite: usize,
    /// The sizes $m_i$ of the nilpotent blocks, descending.
    pub nilpotent: Vec<usize>,
}

impl Weierstrass {
    /// $\max m_i$; 0 if there is no nilpotent block.
    pub fn index(&self) -> u32 {
        self.nilpotent.first().copied().unwrap_or(0) as u32
    }
}

impl Pencil {
    /// The structure of the pencil.
    pub fn structure(&self) -> PencilStructure {
        if self.rows.len() == self.columns
            && let Some(counts) = self.shuffle()
        {
            return PencilStructure::Regular(weierstrass(self.columns, &counts));
        }
        let null_vector =
            |pencil: &Pencil| (pencil.rows.len() <= MAX_ROWS).then(|| dependent(pencil).map(primitive)).flatten();
        PencilStructure::Singular { right: null_vector(&self.transposed()), left: null_vector(self) }
    }

    /// The $k_i$; `None` if the pencil is singular: they do not end, or a row vanishes.
    fn shuffle(&self) -> Option<Vec<usize>> {
        let mut waiting: Vec<(Sparse, Sparse)> = self.rows.iter().map(|(e, a)| (nonzero(e), nonzero(a))).collect();
        let mut echelon = Echelon::default();
        let mut counts = Vec::new();
        while counts.len() <= self.rows.len() {
            let mut algebraic = Vec::new();
            for (e, a) in waiting {
                match echelon.insert(e, a) {
                    None => {}
                    Some(a) if a.is_empty() => return None,
                    Some(a) => algebraic.push((a, Sparse::new())),
                }
            }
            if algebraic.is_empty() {
                return Some(counts);
            }
            counts.push(algebraic.len());
            waiting = algebraic;
        }
        None
    }
}

/// The vector, scaled to coprime integers of which the first is positive.
fn primitive(mut vector: PolynomialVector) -> PolynomialVector {
    let content = Rational::content(vector.values());
    let negative = vector.values().next().is_some_and(Rational::is_negative);
    if let Some(scale) = if negative { content.neg() } else { content }.recip() {
        vector.values_mut().for_each(|q| *q = q.mul(&scale));
    }
    vector
}

/// Block sizes from $k_i$, the number of blocks larger than $i$.
fn weierstrass(n: usize, counts: &[usize]) -> Weierstrass {
    let blocks = counts.first().copied().unwrap_or(0);
    let nilpotent: Vec<usize> = (0..blocks).map(|b| counts.iter().filter(|&&k| k > b).count()).collect();
    Weierstrass { finite: n - nilpotent.iter().sum::<usize>(), nilpotent }
}

#[cfg(test)]
mod tests {
    use super::super::strangeness::reduce;
    use std::collections::BTreeMap;

    use fastrand::Rng;

    use super::*;
    use crate::expr::echelon::Companion;

    fn rational(n: i64) -> Rational {
        Rational::from(n)
    }

    fn pencil(e: &[&[i64]], a: &[&[i64]]) -> Pencil {
        let sparse = |row: &[i64]| row.iter().enumerate().map(|(j, &n)| (j, rational(n))).collect();
        let rows = e.iter().zip(a).map(|(e, a)| (sparse(e), sparse(a))).collect();
        Pencil { columns: e[0].len(), rows }
    }

    /// Dense integer matrix product.
    fn product(x: &[Vec<i64>], y: &[Vec<i64>]) -> Vec<Vec<i64>> {
        let inner = |row: &[i64], j: usize| row.iter().zip(y).map(|(a, other)| a * other[j]).sum();
        x.iter().map(|row| (0..y[0].len()).map(|j| inner(row, j)).collect()).collect()
    }

    /// A product of elementary matrices: dense, invertible.
    fn invertible(n: usize, random: &mut Rng) -> Vec<Vec<i64>> {
        let mut matrix: Vec<Vec<i64>> = (0..n).map(|i| (0..n).map(|j| i64::from(i == j)).collect()).collect();
        for _ in 0..2 * n {
            let (i, j) = (random.usize(..n), random.usize(..n));
            let factor = random.i64(-1..=1);
            if i != j {
                let source = matrix[j].clone();
                matrix[i].iter_mut().zip(source).for_each(|(x, y)| *x += factor * y);
            }
        }
        matrix
    }

    /// $(E, A)$ in Weierstrass form: $C$ random, nilpotent blocks of the given sizes.
    fn canonical(finite: usize, blocks: &[usize], random: &mut Rng) -> (Vec<Vec<i64>>, Vec<Vec<i64>>) {
        let n = finite + blocks.iter().sum::<usize>();
        let (mut e, mut a) = (vec![vec![0; n]; n], vec![vec![0; n]; n]);
        for i in 0..finite {
            e[i][i] = 1;
            (0..finite).for_each(|j| a[i][j] = random.i64(-2..=2));
        }
        let mut at = finite;
        for &size in blocks {
            for k in 0..size {
                a[at + k][at + k] = 1;
                if k + 1 < size {
                    e[at + k][at + k + 1] = 1;
                }
            }
            at += size;
        }
        (e, a)
    }

    #[test]
    fn hidden_weierstrass_forms_are_found() {
        let mut random = Rng::with_seed(7);
        for _ in 0..300 {
            let finite = random.usize(..4);
            let mut blocks: Vec<usize> = (0..random.usize(..4)).map(|_| random.usize(1..=4)).collect();
            blocks.sort_unstable_by(|x, y| y.cmp(x));
            let n = finite + blocks.iter().sum::<usize>();
            if n == 0 {
                continue;
            }
            let (e, a) = canonical(finite, &blocks, &mut random);
            let (p, q) = (invertible(n, &mut random), invertible(n, &mut random));
            let hidden = |m: &[Vec<i64>]| product(&product(&p, m), &q);
            let (e, a) = (hidden(&e), hidden(&a));
            let slices = |m: &[Vec<i64>]| -> Vec<Vec<i64>> { m.to_vec() };
            let (e, a) = (slices(&e), slices(&a));
            let (e, a): (Vec<&[i64]>, Vec<&[i64]>) =
                (e.iter().map(Vec::as_slice).collect(), a.iter().map(Vec::as_slice).collect());
            let pencil = pencil(&e, &a);
            // The reduction to strangeness-free form gives the same sizes in another way.
            let reduction = reduce(&pencil);
            assert_eq!(reduction.dependent, None);
            let larger = |i: usize| blocks.iter().filter(|&&size| size > i).count();
            assert_eq!(reduction.values[0].differential, n - larger(0));
            for (i, value) in reduction.values.iter().enumerate() {
                assert_eq!(value.strangeness, larger(i + 1));
            }
            assert_eq!(reduction.values.len(), blocks.first().copied().unwrap_or(0).max(1));
            let expected = Weierstrass { finite, nilpotent: blocks };
            assert_eq!(pencil.structure(), PencilStructure::Regular(expected));
        }
    }

    #[test]
    fn null_vectors_annihilate_the_pencil() {
        // L_2 and the transpose of L_1 beside a regular part, mixed.
        let mut random = Rng::with_seed(3);
        let e = vec![
            vec![1, 0, 0, 0, 0],
            vec![0, 1, 0, 0, 0],
            vec![0, 0, 0, 1, 0],
            vec![0, 0, 0, 0, 0],
            vec![0, 0, 0, 0, 1],
        ];
        let a = vec![vec![0, 1, 0, 0, 0], vec![0, 0, 1, 0, 0], vec![0; 5], vec![0, 0, 0, 1, 0], vec![0, 0, 0, 0, 2]];
        for _ in 0..20 {
            let (p, q) = (invertible(5, &mut random), invertible(5, &mut random));
            let hidden = |m: &[Vec<i64>]| product(&product(&p, m), &q);
            let (e, a) = (hidden(&e), hidden(&a));
            let (e, a): (Vec<&[i64]>, Vec<&[i64]>) =
                (e.iter().map(Vec::as_slice).collect(), a.iter().map(Vec::as_slice).collect());
            let pencil = pencil(&e, &a);
            let PencilStructure::Singular { right: Some(right), left: Some(left) } = pencil.structure() else {
                panic!("the pencil is singular")
            };
            assert_annihilates(&pencil.transposed(), &right);
            assert_annihilates(&pencil, &left);
            assert_eq!(right.keys().map(|&(_, power)| power).max(), Some(2), "the minimal index of L_2");
            assert_eq!(left.keys().map(|&(_, power)| power).max(), Some(1));
        }
    }

    /// $w(s)^\top (sE + A) \equiv 0$.
    fn assert_annihilates(pencil: &Pencil, vector: &PolynomialVector) {
        assert!(!vector.is_empty());
        let mut product: PolynomialVector = BTreeMap::new();
        for (&(i, power), q) in vector {
            let (e, a) = &pencil.rows[i];
            for (part, shift) in [(e, 1), (a, 0)] {
                let shifted: PolynomialVector =
                    part.iter().map(|(&j, value)| ((j, power + shift), value.clone())).collect();
                product.add_multiple(&shifted, q);
            }
        }
        assert!(product.values().all(Rational::is_zero), "{product:?}");
    }

    #[test]
    fn rectangular_pencils_are_singular() {
        let wide = pencil(&[&[1, 0]], &[&[1, -1]]);
        let PencilStructure::Singular { right: Some(right), left: None } = wide.structure() else { panic!("{wide:?}") };
        // y' + y - w = 0: y = φ, w = φ' + φ.
        let one = Rational::ONE;
        assert_eq!(right, BTreeMap::from([((0, 0), one.clone()), ((1, 0), one.clone()), ((1, 1), one)]));
    }
}

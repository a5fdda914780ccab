//! The derivative array, in the words of a report.
//!
//! In: an [`ArrayFinding`]. Out: its ranks as data, and lines about them.

use std::fmt::{self, Display, Formatter};

use super::sentences::count;
use crate::index::array::{ArrayFinding, ArrayRanks, ArrayVerdict, ConstantRank};

/// The verdict of the derivative array of the text.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ArrayReport {
    /// `index`, `no index`, `no consistent point` or `undecided`.
    pub verdict: &'static str,
    /// Ranks for 0, 1, … differentiations.
    pub ranks: Vec<RanksReport>,
    /// Number of points, the start values included, at which the ranks agree.
    pub points: usize,
    /// Where the ranks are constant (A2): `everywhere` for all jets near the solution, `on solutions` for the
    /// consistent ones only; `None` if that was not checked.
    pub constant_rank: Option<&'static str>,
    /// Whether the ranks are exact ones, taken over a prime field.
    pub exact: bool,
    /// Why no point was found, or why the array does not decide; `None` for `index` and `no index`.
    pub reason: Option<String>,
}

/// Ranks of a derivative array $G(t, u, u', w) = 0$ at the start values: $u$ are the states, $u'$ their derivatives,
/// and $w$ all higher derivatives.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RanksReport {
    /// Number of differentiations.
    pub differentiations: u32,
    /// Number of rows.
    pub rows: usize,
    /// Rank of $G_w$.
    pub higher: usize,
    /// Rank of $(G_{u'}, G_w)$.
    pub rates: usize,
    /// Rank of $(G_u, G_{u'}, G_w)$.
    pub all: usize,
    /// Whether the derivatives of the states are determined (A1).
    pub one_full: bool,
    /// Whether no row depends on the others (A3).
    pub full_row_rank: bool,
    /// The ratio of the smallest kept to the largest dropped pivot, the least of the three ranks; `None` if infinite,
    /// as for exact ranks.
    pub gap: Option<f64>,
}

impl ArrayReport {
    pub(super) fn new(finding: &ArrayFinding) -> Self {
        let (verdict, reason) = match &finding.verdict {
            ArrayVerdict::Index(_) => ("index", None),
            ArrayVerdict::NoIndex(_) | ArrayVerdict::Dependent { .. } => ("no index", None),
            ArrayVerdict::NoConsistentPoint { message, .. } => ("no consistent point", Some(message.clone())),
            ArrayVerdict::Undecided { reason } => ("undecided", Some(reason.clone())),
        };
        ArrayReport {
            verdict,
            ranks: finding.ranks.iter().map(RanksReport::new).collect(),
            points: finding.points,
            constant_rank: finding.constant_rank.map(|constant| match constant {
                ConstantRank::Everywhere => "everywhere",
                ConstantRank::OnSolutions => "on solutions",
            }),
            exact: finding.exact,
            reason,
        }
    }
}

impl RanksReport {
    fn new(ranks: &ArrayRanks) -> Self {
        RanksReport {
            differentiations: ranks.differentiations,
            rows: ranks.rows,
            higher: ranks.higher,
            rates: ranks.rates,
            all: ranks.all,
            one_full: ranks.is_one_full(),
            full_row_rank: ranks.has_full_row_rank(),
            gap: ranks.gap.is_finite().then_some(ranks.gap),
        }
    }
}

impl Display for ArrayReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Some(reason) => write!(f, "  array         {}: {reason}", self.verdict)?,
            None => write!(f, "  array         the derivative array of the text decides")?,
        }
        for ranks in &self.ranks {
            let one_full = if ranks.one_full { "determines" } else { "does not determine" };
            write!(
                f,
                "\n    {:16}  {} rows of rank {}, {one_full} all first derivatives (rank {} with {} above)",
                count(ranks.differentiations as usize, "differentiation"),
                ranks.rows,
                ranks.all,
                ranks.rates,
                ranks.higher
            )?;
        }
        match (self.constant_rank, self.exact) {
            (Some(_), true) => write!(f, "\n    the ranks are exact, and constant near the start values"),
            (Some("everywhere"), false) => {
                write!(f, "\n    the ranks agree at {} points of solutions, and are generic ones", self.points)
            }
            (Some(_), false) => write!(
                f,
                "\n    the ranks agree at {} points of solutions; beside solutions they are larger",
                self.points
            ),
            (None, _) => Ok(()),
        }
    }
}

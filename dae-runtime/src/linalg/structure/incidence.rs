//! Occurrence of unknowns in equations.
//!
//! In: for each equation, the unknowns that occur in it. Out: the compressed-row form of the bipartite graph on which
//! every algorithm in this folder operates.

use std::fmt;
use std::ops::Range;

/// A bipartite graph of equations (rows) and unknowns (columns), square or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incidence {
    unknowns: usize,
    /// One entry per equation and one more: the position in `columns` where each row starts.
    row_starts: Vec<usize>,
    /// The unknowns of each equation, ascending.
    columns: Vec<usize>,
}

/// Why rows do not describe a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidStructure {
    /// A row names an unknown that does not exist.
    UnknownOutOfRange {
        /// The equation whose row it is.
        equation: usize,
        /// The unknown that the row names.
        unknown: usize,
        /// Number of unknowns.
        unknowns: usize,
    },
    /// The highest orders of the equations add up to more than can be analysed.
    OrdersTooHigh,
}

impl fmt::Display for InvalidStructure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOutOfRange { equation, unknown, unknowns } => {
                write!(f, "equation {equation} contains unknown {unknown}, but there are only {unknowns} unknowns")
            }
            Self::OrdersTooHigh => f.write_str("the orders of the derivatives are too high to be analysed"),
        }
    }
}

impl std::error::Error for InvalidStructure {}

impl Incidence {
    /// The graph whose equation `i` contains the unknowns `rows[i]`, in any order, repetitions allowed.
    pub fn from_rows<Row>(unknowns: usize, rows: impl IntoIterator<Item = Row>) -> Result<Self, InvalidStructure>
    where
        Row: IntoIterator<Item = usize>,
    {
        let mut incidence = Self::without_equations(unknowns);
        for row in rows {
            let mut row: Vec<usize> = row.into_iter().collect();
            row.sort_unstable();
            row.dedup();
            incidence.push_row(&row)?;
        }
        Ok(incidence)
    }

    /// The graph without equations.
    pub fn without_equations(unknowns: usize) -> Self {
        Self { unknowns, row_starts: vec![0], columns: Vec::new() }
    }

    /// Appends an equation; `row` is strictly ascending.
    pub fn push_row(&mut self, row: &[usize]) -> Result<(), InvalidStructure> {
        if let Some(&unknown) = row.last().filter(|&&unknown| unknown >= self.unknowns) {
            return Err(InvalidStructure::UnknownOutOfRange {
                equation: self.equations(),
                unknown,
                unknowns: self.unknowns,
            });
        }
        self.columns.extend_from_slice(row);
        self.row_starts.push(self.columns.len());
        Ok(())
    }

    /// Number of equations.
    pub fn equations(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// Number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.unknowns
    }

    /// Number of pairs of an equation and an unknown in it.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether no equation contains an unknown.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The unknowns of an equation, ascending.
    pub fn row(&self, equation: usize) -> &[usize] {
        &self.columns[self.positions(equation)]
    }

    /// Every pair of an equation and an unknown in it, row by row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.equations()).flat_map(|equation| self.row(equation).iter().map(move |&unknown| (equation, unknown)))
    }

    /// The graph with the roles of equations and unknowns exchanged.
    pub fn transpose(&self) -> Self {
        let mut row_starts = vec![0; self.unknowns + 1];
        for &unknown in &self.columns {
            row_starts[unknown + 1] += 1;
        }
        for unknown in 0..self.unknowns {
            row_starts[unknown + 1] += row_starts[unknown];
        }
        let mut next = row_starts.clone();
        let mut columns = vec![0; self.len()];
        for (equation, unknown) in self.entries() {
            columns[next[unknown]] = equation;
            next[unknown] += 1;
        }
        Self { unknowns: self.equations(), row_starts, columns }
    }

    /// The graph with only the entries `(equation, position)` that are `kept`.
    pub fn filtered(&self, kept: impl Fn(usize, usize) -> bool) -> Self {
        let mut filtered = Self::without_equations(self.unknowns);
        for equation in 0..self.equations() {
            let kept = self.positions(equation).filter(|&position| kept(equation, position));
            filtered.columns.extend(kept.map(|position| self.columns[position]));
            filtered.row_starts.push(filtered.columns.len());
        }
        filtered
    }

    /// The positions at which the entries of an equation are stored, for data kept beside the entries.
    pub fn positions(&self, equation: usize) -> Range<usize> {
        self.row_starts[equation]..self.row_starts[equation + 1]
    }

    /// The unknown stored at a position.
    pub fn unknown_at(&self, position: usize) -> usize {
        self.columns[position]
    }
}

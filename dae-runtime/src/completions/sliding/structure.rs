//! Which equations determine derivatives on surfaces, and which unknowns have derivatives there.
//!
//! In: the patterns of the equations between the sides of surfaces, and the surfaces that the solution is on. Out: the
//! equations to be differentiated once, so that together with the differentiated switching functions they determine the
//! derivatives of some unknowns and the values of the others (C. C. Pantelides, SIAM J. Sci. Stat. Comput. 9, 1988); or
//! why one differentiation does not suffice.

use crate::contract::{BlendedDescription, Dae, Name, Pattern};
use crate::linalg::structure::{Incidence, Matching, block_triangular_form, dulmage_mendelsohn};

/// Why a solution cannot be followed along surfaces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unsuitable {
    /// An equation would have to be differentiated more than once, or contains derivatives and would have to be
    /// differentiated: unknowns have too high an index.
    Index {
        /// The equation.
        equation: Name,
    },
    /// An equation that has to be differentiated jumps.
    HiddenJump {
        /// The equation.
        equation: Name,
    },
    /// The equations do not determine derivatives and weights.
    Singular,
}

/// A surface whose weight is that of an earlier one, the leader, while the solution slides along both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The leader, by its place among the surfaces of the structure.
    pub(super) leader: usize,
    /// Whether the weights add up to one instead.
    pub(super) is_opposite: bool,
    /// Whether the surfaces are one, so that the solution leaves them together.
    pub(super) is_one: bool,
}

/// The equations and unknowns that have derivatives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Structure {
    /// Whether the derivative of each unknown is determined, rather than its value.
    pub(super) has_rate: Vec<bool>,
    /// Whether each equation is differentiated.
    pub(super) is_differentiated: Vec<bool>,
    /// The surfaces, as positions in the list of those that can be slid along, ascending.
    pub(super) at: Vec<usize>,
    /// For each of these the one whose weight it has, if any.
    pub(super) links: Vec<Option<Link>>,
    /// The places of surfaces that depend on one another without being one: sets of which one function is a combination of
    /// the others.
    pub(super) dependent: Vec<Vec<usize>>,
}

impl Link {
    /// The entries of the row that holds the weight of the surface at that of the leader: of the leader and of itself.
    pub(super) fn entries(self) -> [f64; 2] {
        [if self.is_opposite { 1.0 } else { -1.0 }, 1.0]
    }

    /// The residual of that row.
    pub(super) fn residual(self, leader: f64, weight: f64) -> f64 {
        if self.is_opposite { weight + leader - 1.0 } else { weight - leader }
    }
}

impl Structure {
    /// The structure on the surfaces `at`.
    pub(super) fn of(dae: &dyn Dae, blended: &BlendedDescription, at: &[usize]) -> Result<Structure, Unsuitable> {
        let equations = &dae.description().equations;
        let n = equations.len();
        let mut it = Structure {
            has_rate: vec![false; n],
            is_differentiated: vec![false; n],
            at: at.to_vec(),
            links: vec![None; at.len()],
            dependent: Vec::new(),
        };
        blended.jacobian_yp.entries().for_each(|(_, column, _)| it.has_rate[column] = true);
        for &surface in at {
            blended.surfaces_jacobian.row(surface).for_each(|(column, _)| it.has_rate[column] = true);
        }
        loop {
            let rows = (0..n).map(|row| it.columns(blended, row).collect::<Vec<_>>());
            let pattern = Incidence::from_rows(n, rows).map_err(|_| Unsuitable::Singular)?;
            let overdetermined = dulmage_mendelsohn(&pattern).overdetermined.equations;
            if overdetermined.is_empty() {
                return it.without_hidden_jumps(dae, blended);
            }
            for &row in &overdetermined {
                if it.is_differentiated[row] || blended.jacobian_yp.row(row).next().is_some() {
                    return Err(Unsuitable::Index { equation: equations[row].name.clone() });
                }
                it.is_differentiated[row] = true;
                unknowns_of(&blended.jacobian_y, row, n).for_each(|column| it.has_rate[column] = true);
            }
        }
    }

    /// The places of the surfaces that are not led by others.
    pub(super) fn leaders(&self) -> Vec<usize> {
        (0..self.at.len()).filter(|&place| self.links[place].is_none()).collect()
    }

    /// Whether two weights are held together that belong to different surfaces.
    pub(super) fn is_paired(&self) -> bool {
        self.links.iter().flatten().any(|link| !link.is_one)
    }

    /// What an equation contains of the derivatives and values that are determined.
    fn columns<'a>(&'a self, blended: &'a BlendedDescription, row: usize) -> impl Iterator<Item = usize> + 'a {
        let n = self.has_rate.len();
        let (is_differentiated, values) = (self.is_differentiated[row], unknowns_of(&blended.jacobian_y, row, n));
        let rates = blended.jacobian_yp.row(row).map(|(column, _)| column).filter(move |_| !is_differentiated);
        // The derivative of an equation contains derivatives where the equation contains values.
        rates.chain(values.filter(move |&column| is_differentiated || !self.has_rate[column]))
    }

    fn without_hidden_jumps(self, dae: &dyn Dae, blended: &BlendedDescription) -> Result<Structure, Unsuitable> {
        let n = self.has_rate.len();
        let jumps = |row: usize| {
            let mut weights = blended.jacobian_y.row(row).filter(|(column, _)| *column >= n);
            weights.any(|(column, _)| self.at.contains(&(column - n)))
        };
        match (0..n).find(|&row| self.is_differentiated[row] && jumps(row)) {
            Some(row) => Err(Unsuitable::HiddenJump { equation: dae.description().equations[row].name.clone() }),
            None => Ok(self),
        }
    }

    /// Which of the unknowns, and after them of the weights of the surfaces, only differentiated equations determine
    /// where the solution slides on all of the surfaces.
    pub(super) fn of_index_two(&self, blended: &BlendedDescription) -> Result<Vec<bool>, Unsuitable> {
        let (n, m) = (self.has_rate.len(), self.at.len());
        let weights = |row: usize| {
            let columns = blended.jacobian_y.row(row).map(|(column, _)| column).filter(move |&column| column >= n);
            columns.filter_map(|column| Some(n + self.at.binary_search(&(column - n)).ok()?)).collect::<Vec<_>>()
        };
        let rows = (0..n).map(|row| self.columns(blended, row).chain(weights(row)).collect::<Vec<_>>());
        let of_surface = |place: usize| match self.links[place] {
            Some(link) => vec![n + link.leader, n + place],
            None => unknowns_of(&blended.surfaces_jacobian, self.at[place], n).collect::<Vec<_>>(),
        };
        let pattern = Incidence::from_rows(n + m, rows.chain((0..m).map(of_surface)));
        let pattern = pattern.map_err(|_| Unsuitable::Singular)?;
        let transversal = Matching::maximum(&pattern).transversal().ok_or(Unsuitable::Singular)?;
        let blocks = block_triangular_form(&pattern, &transversal);
        let is_hidden = |&row: &usize| row >= n || self.is_differentiated[row];
        let (mut hidden, mut of_index_two) = (Vec::with_capacity(blocks.len()), vec![false; n + m]);
        for block in &blocks {
            let is = block.equations.iter().any(is_hidden) || block.depends_on.iter().any(|&earlier| hidden[earlier]);
            hidden.push(is);
            block.unknowns.iter().for_each(|&unknown| of_index_two[unknown] = is);
        }
        Ok(of_index_two)
    }
}

/// The unknowns among the columns of a row, weights left out.
fn unknowns_of(pattern: &Pattern, row: usize, n: usize) -> impl Iterator<Item = usize> + '_ {
    pattern.row(row).map(|(column, _)| column).filter(move |&column| column < n)
}

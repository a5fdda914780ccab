//! Structural analysis: what the pattern of a model alone says about it.
//!
//! In: the [`SignatureMatrix`], for each equation its unknowns with the highest order of their derivatives. Out: the
//! [`Structure`], which gives the number of differentiations of each equation, the order in which the equations are
//! solved, and a bound on the index; or the equations and unknowns in excess ([`StructurallySingular`]). Equations and
//! unknowns are numbers here, counted from 0, and no value of any coefficient is used. Whether the pattern misleads is
//! decided by the system Jacobian.
//!
//! | file | source |
//! |---|---|
//! | `signature` | the signature matrix: Pryce, BIT 41 (2001) 364–394 |
//! | `transversal` | highest-value transversal: Jonker & Volgenant, Computing 38 (1987) 325–340; Duff & Koster, SIAM J. Matrix Anal. Appl. 22 (2001) 973–996 |
//! | `offsets` | canonical offsets: Pryce 2001 |
//! | `pantelides` | Pantelides, SIAM J. Sci. Stat. Comput. 9 (1988) 213–231 |
//!
//! The graph itself, matchings, the coarse decomposition and blocks in order of solution are
//! [`dae_runtime::structure`], which the consistent initialisation needs as well.
//!
#![doc = include_str!("README.md")]

mod offsets;
mod pantelides;
mod signature;
mod transversal;

use std::fmt;

pub use dae_runtime::structure::{
    Block, DulmageMendelsohn, Incidence, InvalidStructure, Matching, Part, Transversal, block_triangular_form,
    connected_components, dulmage_mendelsohn,
};
pub use offsets::Offsets;
pub use pantelides::pantelides;
pub use signature::{MAX_TOTAL_ORDER, SignatureMatrix};
pub use transversal::highest_value_transversal;

/// The result of [`analyse`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// A highest-value transversal: for each equation an unknown of its own.
    pub transversal: Transversal,
    /// The canonical offsets $c$ and $d$.
    pub offsets: Offsets,
    /// $\max_i c_i$, and one more if some $d_j = 0$.
    pub structural_index: u32,
    /// $\sum_j d_j - \sum_i c_i$.
    pub degrees_of_freedom: usize,
    /// Blocks of the full pattern in order of solution: sub-models that can be integrated one after the other.
    pub blocks: Vec<Block>,
    /// The pattern of the system Jacobian, the entries with $d_j - c_i = \sigma_{ij}$. Its finer blocks are
    /// `block_triangular_form(&structure.jacobian, &structure.transversal)`.
    pub jacobian: Incidence,
}

/// No transversal exists: whatever the coefficients are, some equations are in excess and some unknowns are free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructurallySingular {
    /// Equations that together contain fewer unknowns than there are of them, and these unknowns.
    pub overdetermined: Part,
    /// Unknowns that together occur in fewer equations than there are of them, and these equations.
    pub underdetermined: Part,
}

impl fmt::Display for StructurallySingular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbered = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let Self { overdetermined: over, underdetermined: under } = self;
        let mut parts = Vec::new();
        if !over.equations.is_empty() {
            let unknowns = numbered(over.unknowns.len(), "unknown");
            parts.push(format!("{} for {unknowns}", numbered(over.equations.len(), "equation")));
        }
        if !under.unknowns.is_empty() {
            let equations = numbered(under.equations.len(), "equation");
            parts.push(format!("{} in {equations}", numbered(under.unknowns.len(), "unknown")));
        }
        write!(f, "structurally singular: {}", parts.join(", "))
    }
}

impl std::error::Error for StructurallySingular {}

/// Analyses the structure.
///
/// # Errors
/// If the matrix has no transversal.
pub fn analyse(sigma: &SignatureMatrix) -> Result<Structure, StructurallySingular> {
    let Some((transversal, offsets)) = highest_value_transversal(sigma) else {
        let DulmageMendelsohn { overdetermined, underdetermined, .. } = dulmage_mendelsohn(sigma.pattern());
        return Err(StructurallySingular { overdetermined, underdetermined });
    };
    Ok(Structure {
        structural_index: offsets.structural_index(),
        degrees_of_freedom: offsets.degrees_of_freedom(),
        blocks: block_triangular_form(sigma.pattern(), &transversal),
        jacobian: offsets.jacobian_pattern(sigma),
        transversal,
        offsets,
    })
}

//! Bipartite graphs of equations and unknowns: what the pattern of a system says about the order of its solution.
//!
//! In: which unknown occurs in which equation ([`Incidence`]). Out: independent parts, a maximum matching, the over-
//! and underdetermined parts, and blocks in order of solution. Integers only; every algorithm is linear in the number
//! of entries, except for the matching, which takes $O(\sqrt n)$ times as long, and none recurses (which is why
//! matchings are not `petgraph`'s).
//!
//! | file | source |
//! |---|---|
//! | `incidence` | the bipartite graph of equations and unknowns |
//! | `components` | parts that share no unknown: `petgraph`'s disjoint sets |
//! | `matching` | maximum matching: Hopcroft & Karp, SIAM J. Comput. 2 (1973) 225–231 |
//! | `dulmage_mendelsohn` | coarse decomposition: Dulmage & Mendelsohn, Canad. J. Math. 10 (1958) 517–534; Pothen & Fan, ACM TOMS 16 (1990) 303–324 |
//! | `blocks` | block-triangular form: Duff & Reid, ACM TOMS 4 (1978) 137–147; strongly connected components are `petgraph`'s |

mod blocks;
mod components;
mod dulmage_mendelsohn;
mod incidence;
mod matching;

pub use blocks::{Block, block_triangular_form};
pub use components::connected_components;
pub use dulmage_mendelsohn::{DulmageMendelsohn, Part, dulmage_mendelsohn};
pub use incidence::{Incidence, InvalidStructure};
pub use matching::{Matching, Transversal};

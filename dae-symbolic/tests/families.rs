//! Models with families: programs whose size does not depend on the number of instances.
//!
//! In: a chain of point masses, a heat-conducting plate, and index-dependent numbers, as scalar models whose equations
//! and unknowns know their family. Out: the same values as without that knowledge, and expansions of the same length
//! for every size.

mod families {
    mod chain;
    mod numbers;
    mod plate;
    mod sums;
    mod twin;
    mod written;
}

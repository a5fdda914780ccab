//! What the analysis is willing to spend, and what it accepts as evidence.
//!
//! In: nothing. Out: one value, [`Limits`], that the analysis takes at its entry ([`analyse`](super::analyse),
//! [`analyse_excerpt`](super::analyse_excerpt), [`test_ranks`](super::array::test_ranks)); every check is handed the
//! part that concerns it.
//!
//! A *limit* is a number that another number could replace without anything becoming wrong: one that bounds work,
//! beyond which a check says that it does not know; or one with which a computed quantity is compared before it
//! supports a claim. A number is *not* a limit, and stays a constant beside its formula, if it is a matter of
//! representation (the number of bits of a set), part of a theorem (the natural monotonicity test), a way to compute
//! what has only one value (when powers are formed by squaring), where to look (the distances of random points, which
//! no model contains), or how many names a message lists.
//!
//! The defaults are meant for the macro: they keep the analysis of one model within seconds even if the macro is
//! compiled without optimisation, and let checks err on the side of saying nothing.

/// All limits, by what is to be proved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The number of floating-point operations, roughly, that searches for consistent jets and decompositions of
    /// derivative arrays may take for one model. Where they do not suffice, the index is undecided.
    pub operations: u64,
    /// The number of such operations for all variants of a model that show what holds for other values of parameters,
    /// or on other branches. Of those for which it does not suffice, nothing is said.
    pub operations_for_variants: u64,
    /// The length of derivatives, where equations are differentiated symbolically.
    pub growth: Growth,
    /// The upper bound on the index: generic regularity of the system Jacobian.
    pub upper_bound: UpperBound,
    /// Regularity at the model's own consistent point.
    pub local: Local,
    /// The lower bound on the index.
    pub lower_bound: LowerBound,
    /// Start values that lie on a switch.
    pub switches: Switches,
    /// More equations than unknowns.
    pub redundant: Redundant,
    /// The derivative array.
    pub array: Array,
    /// Contradictions, by elimination of all unknowns.
    pub contradiction: Contradiction,
}

/// Bounds on symbolic derivatives. A model beyond them is rejected: its derivatives are too long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The depth to which sub-expressions may be nested. The derivative of nested functions is a product with one
    /// factor for each level, and higher derivatives are sums of many such products; nobody writes 200 levels by hand.
    pub depth: u32,
    /// The number of sub-expressions that differentiating one equation may add. Derivatives of products of functions
    /// double in length with each order; the compiler that runs this should not hang.
    pub nodes: usize,
    /// The numbers of operands that a first and a higher derivative may have, beyond those due to the length of the
    /// equation: for nested functions these numbers grow with a power of the depth, and the derivatives are
    /// differentiated again.
    pub operands: [usize; 2],
    /// The number of operands that a derivative may have for each operand of its equation: the second derivative of a
    /// sum of products of functions is longer than the sum by about this factor.
    pub operands_for_each: usize,
}

/// What shows that a determinant is zero or not, and which parameters make it zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UpperBound {
    /// The number of points of the prime field at which a determinant must vanish before it counts as identically zero.
    /// A zero is evidence, not proof, but at each point it is an accident with a probability of only about $10^{-18}$.
    pub points: usize,
    /// A pivot, the factor of the equation that a combination replaces, counts as zero if it is smaller than this
    /// fraction of its terms: at a double root unknowns are known to the square root of rounding, $1.5\cdot 10^{-8}$.
    /// Then the combination has lost an equation, and the system Jacobian counts as singular at the point.
    pub vanishing_pivot: f64,
    /// The number of entries of a system Jacobian up to which exceptional parameters are sought one by one, because
    /// each takes the evaluation of a determinant. For a larger one, all parameters that occur are named.
    pub exceptional_entries: usize,
    /// The number of parameters up to which exceptional ones are sought one by one; of more, all are named.
    pub exceptional_parameters: usize,
}

/// Regularity at the model's own consistent point: by an interval proof, otherwise in floating-point arithmetic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Local {
    /// The number of equations of a prolongation up to which it is examined as one dense matrix; the work grows with
    /// the third power of it. More are examined block by block, and where they do not fall into small blocks,
    /// regularity is not proved.
    pub dense_equations: usize,
    /// The number of equations of a block up to which a proof is tried; the inverse of a block is dense. With a larger
    /// block, regularity is left to floating-point arithmetic.
    pub block_equations: usize,
    /// The largest number of jets among which those of an underdetermined block are chosen, four for each equation of
    /// the largest block; with more, regularity is left to floating-point arithmetic.
    pub block_candidates: usize,
    /// Radii of the box in which a solution is to be enclosed, relative to each jet (at least 1), tried in this order:
    /// rounding, a loss of two digits, and one of five. Where none succeeds, the proof is tried block by block.
    pub radii: [f64; 3],
    /// Factors, tried in turn, by which the radius of a jet in a block exceeds the deviation expected from the radii of
    /// earlier jets. The expected deviation is that of linear equations; the second factor leaves room for nonlinear
    /// ones.
    pub margins: [f64; 2],
    /// Added to the radius of every jet in a block, relative to its size (at least 1): some fifty rounding errors. A
    /// box without interior encloses nothing.
    pub least_radius: f64,
    /// The radius of a block-by-block enclosure, relative to the size of a jet (at least 1), beyond which it says
    /// nothing about the start values, and counts as no proof.
    pub most_radius: f64,
    /// The radius of a box around a point that is computed and not enclosed, relative to each jet (at least 1), that is
    /// believed to contain the exact one: nearly seven digits above rounding. The lower bound holds for all values in
    /// the box.
    pub computed_radius: f64,
    /// The bound on the jets of solutions on other sides of a switch, relative to the computed ones (at least 1): far
    /// larger than any jet. Where a jet exceeds its square root, so that the bound would leave the range of numbers,
    /// the sides are analysed one by one.
    pub side_radius: f64,
    /// The margin by which a fixed value is widened so that both branches of a switch at that value are met, relative
    /// to its size (at least 1).
    pub side_margin: f64,
    /// The uncertainty of computed jets, relative to their size or nominal value: at a triple root the cube root of
    /// rounding, $6\cdot 10^{-6}$. Entries of the system Jacobian that it could make zero count as zero, and if the
    /// matrix is singular then, it counts as singular at the point.
    pub uncertainty: f64,
    /// The condition number of the system Jacobian, after scaling, from which on it is not called regular: four digits
    /// are left.
    pub condition: f64,
    /// The size of relative changes of the jets under which a system Jacobian that is regular in floating-point
    /// arithmetic has to stay regular: changes in the digits that an iteration may leave wrong. One that does not is
    /// called singular.
    pub change: f64,
    /// The number of random changes of the size `change` that are tried.
    pub changes: u64,
    /// The number of unknowns up to which such changes are tried, because the work grows with the third power. With
    /// more, it is taken for granted that the Jacobian stays regular.
    pub changed_unknowns: usize,
    /// Another solution may be meant if start values moved by more than this fraction of their size. Otherwise the
    /// solution found is taken for the one that the start values mean.
    pub moved: f64,
    /// Another solution counts as no farther away than the one found up to this multiple of its distance: which start
    /// values a modeller took seriously is not known.
    pub as_near: f64,
    /// The number of rows of the derivative array up to which another solution is looked for; with more, the one found
    /// is taken for the one meant.
    pub branch_rows: usize,
}

/// The vector that shows that one differentiation fewer does not suffice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowerBound {
    /// The number of rows of a block of the system Jacobian up to which the solution of its equations is enclosed, with
    /// a dense inverse. If a block is larger, all are solved in floating-point arithmetic, large ones by sparse
    /// elimination.
    pub dense_rows: usize,
    /// The factor by which a component has to exceed the estimated rounding errors of a solution in floating-point
    /// arithmetic, because estimates of the condition may be too small by a factor of three. A smaller component is no
    /// witness.
    pub margin: f64,
}

/// The comparison of the sides of switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Switches {
    /// The number of switches on which start values may lie at once; each has two or three sides, and every combination
    /// of sides is analysed. With more, nothing is certified.
    pub surfaces: usize,
    /// The number of combinations of sides without a certified index after which the remaining ones are not analysed:
    /// nothing can then be certified of all of them together, and such combinations take the longest to analyse.
    pub undecided: usize,
    /// The highest order of the derivatives of a switching function that are examined to show that the solution leaves
    /// its zeros, because derivatives grow with their order. If none of them is surely nonzero, the surface counts as a
    /// side of its own.
    pub derivatives: u32,
}

/// Whether surplus equations follow from the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Redundant {
    /// The number of choices of equations to reduce that are tried; there are binomially many.
    pub choices: usize,
    /// The number of points, in addition to the model's own, at which equations that are left out must hold. An
    /// analytic function that is not zero vanishes at none of them, almost surely, but values at them are rounded.
    pub points: u64,
    /// The number of equations of a model up to which surplus ones are examined at such points, because the work grows
    /// with the third power. For more, the derivative array of all equations decides.
    pub equations: usize,
    /// An equation that cannot be evaluated to hundreds of digits holds at a point if its residual is smaller than this
    /// fraction of its terms.
    pub residual: f64,
}

/// The derivative array: its size, what shows its ranks, and the searches for consistent jets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Array {
    /// The number of rows up to which an array is examined: the cost of dense decompositions grows with the third
    /// power, and a macro runs unoptimised. Beyond it the array decides nothing.
    pub rows: usize,
    /// The number of rows up to which ranks are computed for the report where the verdict does not depend on them;
    /// beyond it the report has none.
    pub rows_in_passing: usize,
    /// The number of sub-expressions that partial derivatives of functions may add to an array, because each of them
    /// has a Taylor series of its own. An array beyond this decides nothing.
    pub nodes: usize,
    /// The number of differentiations that are tried beyond the number of unknowns and, where it is known, the bound on
    /// the index: the dimension of the consistent states falls before the index is reached, and stays for two
    /// differentiations more where there is no index. Beyond it the index is undecided.
    pub spare_differentiations: u32,
    /// The number of unknowns up to which higher derivatives at a regular point are computed order by order, with a
    /// dense elimination. For more, they are left to the search for consistent jets.
    pub extended_unknowns: usize,
    /// The uncertainty of computed jets, relative to their size or nominal value: at a double root the square root of
    /// rounding, with a margin. An entry that this could make zero counts as zero, and ranks that depend on it are not
    /// clear.
    pub uncertainty: f64,
    /// An entry below this fraction of the largest in its row may be nothing but rounding, and counts as zero as well.
    pub entry: f64,
    /// The largest dropped pivot that counts as rounding, relative to the largest pivot times the number of rows. With
    /// larger ones, ranks are not clear.
    pub dropped: f64,
    /// Rows or columns that are closer than this to a combination of others, measured by their largest entries, depend
    /// on them. They show which unknowns are free where there is no index; where their number disagrees with the ranks,
    /// the verdict is undecided.
    pub dependent: f64,
    /// A component of a kernel vector below this fraction of the largest does not make its unknown count as one that is
    /// not determined.
    pub participates: f64,
    /// The number of neighbouring consistent points at which ranks must agree with those at the start. A random one
    /// almost surely has the largest ranks there are; the second confirms numerical ranks. Where they differ, the index
    /// is undecided.
    pub neighbours: u64,
    /// The number of differentiations up to which rows are examined for whether they depend on one another at every
    /// point: where nothing else decides, what few differentiations do not show stays undecided.
    pub dependent_differentiations: u32,
    /// The number of random points of the prime field at which rows must depend on one another to count as doing so
    /// everywhere. Each misleads with a probability of about $10^{-15}$.
    pub dependent_points: u64,
    /// The number of operations that all searches from one start may take together, because a macro should not hang.
    /// Only long equations need that many; then no consistent jets are found.
    pub operations: usize,
    /// The search for consistent jets by damped steps.
    pub damped: Damped,
    /// The search by full steps, where damped ones lead nowhere.
    pub undamped: Undamped,
    /// Jets and ranks to hundreds of digits.
    pub extended: Extended,
}

/// Damped Gauss–Newton steps towards jets that fulfil the derivative array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damped {
    /// The number of steps of one solve. Where they do not suffice, full steps are tried.
    pub steps: usize,
    /// The number of lengths that are tried for a step, each half the one before: the shortest is two millionths of the
    /// full step. Where none helps, no step does.
    pub halvings: i32,
    /// Rows that are smaller than this fraction of their terms vanish: some fifty rounding errors.
    pub rounding: f64,
    /// When no step makes the rows smaller, they must be smaller than this fraction of their terms; otherwise the jets
    /// are not consistent.
    pub consistency: f64,
    /// Where the norm of the scaled residuals is below this, a solution is near, and slow convergence is evidence of a
    /// multiple one.
    pub near: f64,
    /// Steps shorter than this, relative to the jets, are rounding.
    pub negligible: f64,
    /// A full step near a solution is slow if the next one is longer than this fraction of it: where derivatives vanish
    /// at the solution, steps shrink by one half and no faster.
    pub slow: f64,
    /// The number of slow steps that show that the solution is a multiple one, at which only some digits of the jets
    /// are known. Then no consistent jets are found.
    pub slow_steps: usize,
    /// Free columns count as able to satisfy a row only where the pivot exceeds this; with smaller pivots a free jet
    /// would run far away to spare a guess a small change. The first value is tried with all rows at once, then the
    /// others in stages, the last one first.
    pub able: [f64; 3],
    /// Where no step helps, rows contradict one another if more than this fraction of the residual is in directions
    /// that no column reaches.
    pub unreached: f64,
    /// Rows whose share in a contradiction is smaller than this fraction of the largest are not named.
    pub share: f64,
}

/// Full steps of least norm towards jets that fulfil the derivative array. A search that exceeds these limits finds
/// nothing, and the answer of the damped steps stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Undamped {
    /// The number of rows up to which full steps are tried: most arrays have no solution where damped steps find none.
    pub rows: usize,
    /// The number of steps for each number of differentiations. Jets run away and come back, which takes time.
    pub steps: usize,
    /// Rows that are closer than this to a combination of others count as dependent.
    pub dependent: f64,
    /// Steps longer than this show how fast the search converges; shorter ones are rounding.
    pub known: f64,
    /// The last step that is longer than `known` must be followed by one of at most this fraction of its length: slower
    /// convergence is towards a multiple solution, at which only some digits of the jets are known.
    pub quick: f64,
    /// Jets larger than this, in units of their nominal values, are taken never to come back.
    pub lost: f64,
    /// Start values that moved by more than this fraction of their size are no longer those of the model.
    pub moved: f64,
}

/// Midpoint–radius arithmetic with hundreds of digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extended {
    /// The number of rows up to which an array is examined to hundreds of digits, because the work grows with the third
    /// power, in long numbers. Ranks of a larger one are those of floating-point arithmetic.
    pub rows: usize,
    /// The number of Taylor coefficients, those of all expressions together, up to which an array is examined to
    /// hundreds of digits; ranks of a longer one are those of floating-point arithmetic.
    pub coefficients: usize,
    /// The number of Newton steps from jets that fulfil the array to rounding. The number of digits doubles with each,
    /// so that more would be needed only towards a multiple solution, which is not decided here.
    pub steps: usize,
    /// The number of Newton steps from start values.
    pub steps_from_afar: usize,
    /// The number of Newton steps within which equations must turn out to be compatible with the fixed values: enough
    /// to get from a few correct digits to all of them. A contradiction counts if it is left then.
    pub steps_to_contradiction: usize,
    /// Rows hold if this fraction of their digits, numerator and denominator, cancels.
    pub row_holds: (i64, i64),
    /// An entry that contains zero counts as zero if this fraction of the digits cancels, compared with the largest
    /// entry that its row has had or, where all are zero, with one; otherwise it is undecided.
    pub entry_cancels: (i64, i64),
    /// The fraction of the digits of the jets that is known after one more step.
    pub known: (i64, i64),
    /// Binary digits of the first steps: jets are known to 53.
    pub first_digits: u64,
    /// Binary digits with which the existence of a solution is examined, far beyond the 53 that rounding errors could
    /// fake.
    pub few_digits: u64,
    /// Once the leading digits of the residuals, one in this many of all, are zero, the next step has twice as many
    /// digits.
    pub raised: i64,
    /// Pivots that are not above the residuals by this many binary digits are left out at first: rows may depend on one
    /// another only on solutions.
    pub above_residuals: i64,
    /// Jets that change by more than this fraction of their size, when they are refined, were not those of a solution.
    pub same: f64,
}

/// The elimination of all unknowns. The search is exact; where it exceeds its limits, no contradiction is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contradiction {
    /// Beyond this condition number of the system Jacobian, regularity in floating-point arithmetic does not show that
    /// there is a solution: half of the digits are lost. Then a contradiction is sought.
    pub condition: f64,
    /// The largest number of times that every equation is differentiated where nothing is known of a solution: rows,
    /// and the terms in them, multiply.
    pub differentiations: u32,
    /// The number of terms that may be made in one search. Of the random contradictory systems that are found to be so
    /// in this way, one in thirty takes more than 9,000 and three in a thousand more than this.
    pub terms: usize,
    /// The number of operands in the equations and their derivatives: the time to differentiate grows with their
    /// number, not with the number of sub-expressions, which may be products of many factors.
    pub operands: usize,
    /// Polynomials with more than this many terms, long coefficients counting as several, are left out: fewer
    /// polynomials have fewer consequences.
    pub terms_of_polynomial: usize,
    /// The number of sub-expressions that differentiating the remainder may add.
    pub nodes_of_remainder: usize,
    /// The number of derivatives of the remainder that are examined: where it vanishes at the start, they need not.
    pub derivatives_of_remainder: usize,
}

impl Limits {
    /// The limits of the macro and the command line.
    pub const DEFAULT: Limits = Limits {
        operations: 60_000_000,
        operations_for_variants: 12_000_000,
        growth: Growth { depth: 200, nodes: 4_000, operands: [4_000, 20_000], operands_for_each: 16 },
        upper_bound: UpperBound {
            points: 3,
            vanishing_pivot: 1e-8,
            exceptional_entries: 4_000,
            exceptional_parameters: 60,
        },
        local: Local {
            dense_equations: 150,
            block_equations: 150,
            block_candidates: 600,
            radii: [1e-13, 1e-11, 1e-8],
            margins: [1.0 + 1e-4, 1.5],
            least_radius: 1e-14,
            most_radius: 1e-5,
            computed_radius: 1e-9,
            side_radius: 1e150,
            side_margin: 1e-12,
            uncertainty: 1e-5,
            condition: 1e12,
            change: 1e-9,
            changes: 2,
            changed_unknowns: 100,
            moved: 0.5,
            as_near: 2.0,
            branch_rows: 120,
        },
        lower_bound: LowerBound { dense_rows: 60, margin: 10.0 },
        switches: Switches { surfaces: 4, undecided: 2, derivatives: 4 },
        redundant: Redundant { choices: 120, points: 4, equations: 120, residual: 1e-9 },
        array: Array {
            rows: 420,
            rows_in_passing: 120,
            nodes: 40_000,
            spare_differentiations: 2,
            extended_unknowns: 60,
            uncertainty: 1e-7,
            entry: 1e-13,
            dropped: 1e-15,
            dependent: 1e-8,
            participates: 1e-6,
            neighbours: 2,
            dependent_differentiations: 3,
            dependent_points: 2,
            operations: 10_000_000,
            damped: Damped {
                steps: 40,
                halvings: 20,
                rounding: 1e-14,
                consistency: 1e-11,
                near: 1e-2,
                negligible: 1e-13,
                slow: 0.05,
                slow_steps: 4,
                able: [1e-3, 1e-6, 1e-9],
                unreached: 0.1,
                share: 1e-3,
            },
            undamped: Undamped {
                rows: 80,
                steps: 120,
                dependent: 1e-11,
                known: 1e-9,
                quick: 0.1,
                lost: 1e15,
                moved: 0.5,
            },
            extended: Extended {
                rows: 80,
                coefficients: 2_500,
                steps: 16,
                steps_from_afar: 40,
                steps_to_contradiction: 14,
                row_holds: (3, 4),
                entry_cancels: (3, 4),
                known: (7, 8),
                first_digits: 192,
                few_digits: 192,
                raised: 4,
                above_residuals: 20,
                same: 1e-6,
            },
        },
        contradiction: Contradiction {
            condition: 1e8,
            differentiations: 4,
            terms: 20_000,
            operands: 20_000,
            terms_of_polynomial: 8_000,
            nodes_of_remainder: 1_000,
            derivatives_of_remainder: 6,
        },
    };
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

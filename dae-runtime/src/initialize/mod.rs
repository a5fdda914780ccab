//! Consistent initial values: the start values of the model moved onto all its equations, hidden ones included.
//!
//! In: a [`Prolongation`] and the start values it gives. Out: jets at which every equation of the prolongation holds
//! to rounding ([`Initial`]), or an [`InitializationError`] that names what is in the way.
//!
//! The equations are solved stage by stage in the order of the canonical offsets (J. D. Pryce, *A simple structural
//! analysis method for DAEs*, BIT 41 (2001), Sect. 4): at stage $s = k_{\min}, \dots, 0$ the equations
//! $f_i^{(s + c_i)} = 0$ determine the jets $x_j^{(s + d_j)}$, everything of lower stage being known. A stage
//! $s < 0$ has fewer equations than unknowns, and the unknowns that the model fixes stay; the rest is moved as
//! little as possible (files `least_change`, `gauss_newton`).
//!
//! A fixed value of a later stage may restrict an earlier one: a fixed velocity and a guessed position make the
//! hidden velocity constraint a condition on the position. Then the stage cannot be solved by itself, and a joint
//! least-change solve of all stages so far follows.

mod error;
mod gauss_newton;
mod least_change;

use nalgebra::DMatrix;

use crate::contract::{Jet, Prolongation, ProlongationDescription, Start};
use crate::rank::{self, Confidence, SingularValues};

pub use error::{FixedValue, InitializationError, Mismatch};
use gauss_newton::{Outcome, Stuck, System};

/// What the user can choose about an initialisation.
#[derive(Clone, Debug, PartialEq)]
pub struct InitializationOptions {
    /// Upper bound of the number of Gauss–Newton steps per stage.
    pub max_iterations: usize,
    /// Relative size up to which the residual of an equation that fixed values leave nothing to solve with counts as
    /// rounding of those values.
    pub consistency: f64,
}

impl Default for InitializationOptions {
    fn default() -> Self {
        InitializationOptions { max_iterations: 100, consistency: 1e-11 }
    }
}

/// A guess that could not stay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Position in the jet vector.
    pub jet: usize,
    /// The guess.
    pub from: f64,
    /// The consistent value.
    pub to: f64,
}

/// A consistent point.
#[derive(Clone, Debug, PartialEq)]
pub struct Initial {
    /// The jet vector.
    pub jets: Vec<f64>,
    /// Condition number, after scaling of rows and columns, of the matrix that determines the highest derivatives:
    /// the system Jacobian of the structural analysis at this point. Its regularity is what the index rests on.
    pub condition: f64,
    /// Gauss–Newton steps in all.
    pub iterations: usize,
    /// Guesses that had to move.
    pub moved: Vec<Moved>,
}

/// Solves all equations of the prolongation, starting from the model's start values at `t0` and changing as little
/// as possible of what the model guesses and nothing of what it fixes.
pub fn consistent_initialization(
    prolongation: &dyn Prolongation,
    t0: f64,
    options: &InitializationOptions,
) -> Result<Initial, InitializationError> {
    let description = prolongation.prolongation_description();
    let mut start = vec![0.0; description.jets.len()];
    prolongation.start_values(t0, &mut start);
    check_start_values(description, &start)?;

    let mut system = System::new(prolongation, t0, options);
    let mut jets = start.clone();
    let stages = stages(description);
    for &stage in &stages {
        let unsolved = jets.clone();
        let alone = Part::of(description, |s| s == stage);
        let Outcome::Stuck(stuck) = system.solve(&alone.rows, &alone.moving, &mut jets)? else { continue };
        jets = unsolved;
        let earlier = |jet: &Jet| jet.stage < stage && jet.start != Start::Fixed;
        let earlier_could_help = alone.has_fixed && description.jets.iter().any(earlier);
        if earlier_could_help {
            solve_jointly(&mut system, &Part::of(description, |s| s <= stage), &start, &mut jets)?;
        } else {
            retry_elsewhere(&mut system, &alone, &mut jets, stuck)?;
        }
    }
    let iterations = system.iterations();
    let condition = regularity(prolongation, t0, &jets)?;
    let moved = description
        .jets
        .iter()
        .enumerate()
        .filter(|&(j, jet)| jet.start == Start::Guess && jets[j] != start[j])
        .map(|(jet, _)| Moved { jet, from: start[jet], to: jets[jet] })
        .collect();
    Ok(Initial { jets, condition, iterations, moved })
}

/// All stages, ascending.
fn stages(description: &ProlongationDescription) -> Vec<i32> {
    let mut stages: Vec<i32> = description.equations.iter().map(|equation| equation.stage).collect();
    stages.sort_unstable();
    stages.dedup();
    stages
}

fn positions(chosen: impl Iterator<Item = bool>) -> Vec<usize> {
    chosen.enumerate().filter(|&(_, chosen)| chosen).map(|(position, _)| position).collect()
}

fn check_start_values(description: &ProlongationDescription, start: &[f64]) -> Result<(), InitializationError> {
    match start.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(j) => Err(InitializationError::NonFiniteStart { jet: description.jets[j].name.clone(), value: start[j] }),
    }
}

/// Some stages: their equations, and their jets that may move.
struct Part {
    rows: Vec<usize>,
    moving: Vec<usize>,
    has_fixed: bool,
}

impl Part {
    fn of(description: &ProlongationDescription, stage: impl Fn(i32) -> bool) -> Part {
        Part {
            rows: positions(description.equations.iter().map(|equation| stage(equation.stage))),
            moving: positions(description.jets.iter().map(|jet| stage(jet.stage) && jet.start != Start::Fixed)),
            has_fixed: description.jets.iter().any(|jet| stage(jet.stage) && jet.start == Start::Fixed),
        }
    }
}

/// Several stages at once. Guesses start from where the model puts them, the rest from what the stages solved so far
/// have found.
fn solve_jointly(
    system: &mut System<'_>,
    part: &Part,
    start: &[f64],
    jets: &mut [f64],
) -> Result<(), InitializationError> {
    for (j, jet) in system.description().jets.iter().enumerate() {
        if jet.start == Start::Guess {
            jets[j] = start[j];
        }
    }
    let from = jets.to_vec();
    match system.solve(&part.rows, &part.moving, jets)? {
        Outcome::Solved => Ok(()),
        Outcome::Stuck(stuck) => {
            jets.copy_from_slice(&from);
            retry_elsewhere(system, part, jets, stuck)
        }
    }
}

/// A derivative that vanishes just at the guess (a length at the origin) stops a method that follows derivatives:
/// looks from a few neighbouring points before giving up with what was found at the first.
fn retry_elsewhere(
    system: &mut System<'_>,
    part: &Part,
    jets: &mut [f64],
    first: Stuck,
) -> Result<(), InitializationError> {
    const AMPLITUDES: [f64; 3] = [0.03, 0.2, 1.0];
    let from = jets.to_vec();
    for (attempt, amplitude) in AMPLITUDES.iter().enumerate() {
        for &j in &part.moving {
            // Golden-ratio sequence: different for every jet, the same in every run.
            let fraction = ((j + 1) as f64 * 0.618_033_988_749_895 + 0.3 * attempt as f64).fract();
            jets[j] = from[j] + amplitude * system.description().jets[j].nominal * (2.0 * fraction - 1.0);
        }
        if let Ok(Outcome::Solved) = system.solve(&part.rows, &part.moving, jets) {
            return Ok(());
        }
    }
    jets.copy_from_slice(&from);
    Err(first.explain(system))
}

/// Condition number of the matrix of the last stage, or the equations and unknowns that make it singular.
fn regularity(prolongation: &dyn Prolongation, t0: f64, jets: &[f64]) -> Result<f64, InitializationError> {
    /// Below this bound of the condition nobody needs singular values.
    const SURELY_REGULAR: f64 = 1e7;
    /// Smaller entries of a null vector do not name anything.
    const PARTICIPATES: f64 = 0.1;
    let description = prolongation.prolongation_description();
    let rows = positions(description.equations.iter().map(|equation| equation.stage == 0));
    if rows.is_empty() {
        // Start values that are given outright.
        return Ok(1.0);
    }
    let columns = positions(description.jets.iter().map(|jet| jet.stage == 0));
    let mut values = vec![0.0; description.jacobian.len()];
    prolongation.prolonged_jacobian(t0, jets, &mut values);
    let full = gauss_newton::dense(description, &values);
    let mut matrix = DMatrix::from_fn(rows.len(), columns.len(), |i, j| full[(rows[i], columns[j])]);
    let names = |rank_error| match rank_error {
        rank::RankError::NonFinite { row, .. } => {
            InitializationError::NonFinite { equation: description.equations[rows[row]].name.clone() }
        }
        rank::RankError::NoConvergence => InitializationError::SingularJacobian { equations: vec![], unknowns: vec![] },
    };
    rank::equilibrate(&mut matrix);
    if let (true, Some(condition)) = (matrix.is_square(), condition_by_inverse(&matrix))
        && condition < SURELY_REGULAR
    {
        return Ok(condition);
    }
    let decomposition = SingularValues::of(&matrix).map_err(names)?;
    let found = decomposition.rank();
    // A matrix that is merely close to singular gets the benefit of the doubt, and its condition is reported.
    let singular = found.rank < columns.len() && found.confidence == Confidence::Clear;
    if !singular {
        return Ok(decomposition.condition());
    }
    let left = SingularValues::of(&matrix.transpose()).map_err(names)?.right_vectors_from(found.rank);
    let right = decomposition.right_vectors_from(found.rank);
    let participants = |vectors: &DMatrix<f64>| positions(vectors.row_iter().map(|row| row.amax() > PARTICIPATES));
    Err(InitializationError::SingularJacobian {
        equations: participants(&left).iter().map(|&i| description.equations[rows[i]].name.clone()).collect(),
        unknowns: participants(&right).iter().map(|&j| description.jets[columns[j]].name.clone()).collect(),
    })
}

/// $\lVert A \rVert_1 \lVert A^{-1} \rVert_1$.
fn condition_by_inverse(matrix: &DMatrix<f64>) -> Option<f64> {
    let norm = |matrix: &DMatrix<f64>| matrix.column_iter().map(|column| column.lp_norm(1)).fold(0.0, f64::max);
    let condition = norm(matrix) * norm(&matrix.clone().try_inverse()?);
    condition.is_finite().then_some(if matrix.is_empty() { 1.0 } else { condition })
}

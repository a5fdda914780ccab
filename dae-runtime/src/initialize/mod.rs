//! Consistent initial values: the start values of the model moved onto all its equations, hidden ones included.
//!
//! In: a [`Prolongation`] and the start values it gives. Out: jets at which every equation of the prolongation holds
//! to rounding ([`Initial`]), or an [`InitializationError`] that names what is in the way.
//!
//! The equations are solved stage by stage in the order of the canonical offsets (J. D. Pryce, *A simple structural
//! analysis method for DAEs*, BIT 41 (2001), Sect. 4): at stage $s = k_{\min}, \dots, 0$ the equations
//! $f_i^{(s + c_i)} = 0$ determine the jets $x_j^{(s + d_j)}$, everything of lower stage being known. A stage $s < 0$
//! may have fewer equations than unknowns: the unknowns that the model fixes stay, and the others are moved as little
//! as possible (files `least_change`, `gauss_newton`). Equations that share no moving jet are independent
//! (`components`), and large parts are solved by sparse linear algebra (`sparse`).
//!
//! A fixed value of a later stage may restrict an earlier one: a fixed velocity and a guessed position make the hidden
//! velocity constraint a condition on the position. Then the stage cannot be solved on its own, and a joint
//! least-change solve of all stages so far follows, for the equations concerned. Initial equations, which hold at the
//! start only (`at_start`), belong to the stage of their latest jet, and restrict earlier stages in the same way.

mod at_start;
mod components;
mod entry;
mod error;
mod gauss_newton;
mod jumps;
mod least_change;
mod options;
mod passage;
pub(crate) mod quantity;
mod regularity;
mod reinitialization;
mod sparse;
mod tangent;

use crate::contract::{Dae, Prolongation, ProlongationDescription, Start};

pub(crate) use at_start::AtStart;
use components::Decomposition;
pub(crate) use entry::{Arriving, enter};
pub use error::{FixedValue, InitializationError, Mismatch};
use gauss_newton::{Stuck, System};
pub(crate) use jumps::Source;
pub use least_change::{LeastChange, LeastChangeStep};
pub use options::InitializationOptions;
pub(crate) use passage::{ChangeBefore, Passage};
use regularity::LastStage;
pub(crate) use reinitialization::{
    Change, JetPlaces, KeptDerivatives, consistent_restart, restarted_derivatives, restarted_derivatives_in,
};
pub(crate) use tangent::{Direction, EXACTLY, derivatives_of_jets};

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
    /// Condition number, after scaling of rows and columns, of the matrix that determines the highest derivatives: the
    /// system Jacobian of the structural analysis at this point. The index relies on its regularity.
    pub condition: f64,
    /// Total number of Gauss–Newton steps.
    pub iterations: usize,
    /// Guesses that had to move.
    pub moved: Vec<Moved>,
}

/// Solves all equations of the prolongation, starting from the model's start values at `t0`, with as little change as
/// possible of the guesses and none of the fixed values.
pub fn consistent_initialization(
    prolongation: &dyn Prolongation,
    t0: f64,
    options: &InitializationOptions,
) -> Result<Initial, InitializationError> {
    let Solved { start, jets, iterations } = Solved::of(prolongation, t0, options)?;
    let description = prolongation.prolongation_description();
    let condition = LastStage::at(prolongation, t0, &jets).condition()?;
    let moved = description
        .jets
        .iter()
        .enumerate()
        .filter(|&(j, jet)| jet.start == Start::Guess && jets[j] != start[j])
        .map(|(jet, _)| Moved { jet, from: start[jet], to: jets[jet] })
        .collect();
    Ok(Initial { jets, condition, iterations, moved })
}

/// The jets of a [`consistent_initialization`], whose condition number is computed only where regularity is in doubt.
pub(crate) fn consistent_jets(
    prolongation: &dyn Prolongation,
    t0: f64,
    options: &InitializationOptions,
) -> Result<Vec<f64>, InitializationError> {
    let Solved { jets, .. } = Solved::of(prolongation, t0, options)?;
    let stage = LastStage::at(prolongation, t0, &jets);
    if !stage.is_surely_regular() {
        stage.condition()?;
    }
    Ok(jets)
}

/// The solution of all equations, before the regularity of the last stage is examined.
struct Solved {
    start: Vec<f64>,
    jets: Vec<f64>,
    iterations: usize,
}

impl Solved {
    fn of(
        prolongation: &dyn Prolongation,
        t0: f64,
        options: &InitializationOptions,
    ) -> Result<Self, InitializationError> {
        let description = prolongation.prolongation_description();
        let mut start = vec![0.0; description.jets.len()];
        prolongation.start_values(t0, &mut start);
        check_start_values(description, &start)?;
        // Initial equations have the numbers from here on.
        let initial = description.equations.len();
        let at_start = AtStart::of(prolongation);
        let all: &dyn Prolongation = at_start.as_ref().map_or(prolongation, |it| it);
        let mut system = System::new(all, t0, options);
        let mut jets = start.clone();
        for stage in stages(system.description()) {
            solve_stage(&mut system, (stage, initial), &start, &mut jets)?;
        }
        Ok(Solved { start, jets, iterations: system.iterations() })
    }
}

/// $y$ and $y'$ of a formulation at consistent values of its model, from which an integration may start
/// ([`Integration::run_from`](crate::solve::Integration::run_from)).
pub fn consistent_states(
    dae: &dyn Dae,
    t0: f64,
    options: &InitializationOptions,
) -> Result<(Vec<f64>, Vec<f64>), InitializationError> {
    let initial = consistent_initialization(dae.prolongation(), t0, options)?;
    Ok(states_of(dae, t0, &initial.jets))
}

/// $y$ and $y'$ at these jets.
pub(crate) fn states_of(dae: &dyn Dae, t0: f64, jets: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = dae.description().unknowns.len();
    let (mut y, mut yp) = (vec![0.0; n], vec![0.0; n]);
    dae.states_from_jets(t0, jets, &mut y, &mut yp);
    (y, yp)
}

/// All stages, ascending.
fn stages(description: &ProlongationDescription) -> Vec<i32> {
    let mut stages: Vec<i32> = description.equations.iter().map(|equation| equation.stage).collect();
    stages.sort_unstable();
    stages.dedup();
    stages
}

fn check_start_values(description: &ProlongationDescription, start: &[f64]) -> Result<(), InitializationError> {
    match start.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(j) => Err(InitializationError::NonFiniteStart { jet: description.jets[j].name.clone(), value: start[j] }),
    }
}

/// Solves the equations of one stage; where they cannot be solved on their own, together with those of earlier stages.
/// The equations from number `initial` on are initial ones.
fn solve_stage(
    system: &mut System<'_>,
    (stage, initial): (i32, usize),
    start: &[f64],
    jets: &mut [f64],
) -> Result<(), InitializationError> {
    let description = system.description();
    let parts = Decomposition::of(description, |s| s == stage);
    let unsolved = jets.to_vec();
    let all: Vec<usize> = (0..parts.components.len()).collect();
    let stuck = system.solve(&parts, &all, jets)?;
    if stuck.is_empty() {
        return Ok(());
    }
    for &j in stuck.iter().flat_map(|stuck| &parts.components[stuck.component].moving) {
        jets[j] = unsolved[j];
    }
    let joint = Decomposition::of(description, |s| s <= stage);
    let mut joint_component = vec![0; description.equations.len()];
    for (k, component) in joint.components.iter().enumerate() {
        component.rows.iter().for_each(|&row| joint_component[row] = k);
    }
    let mut together = Vec::new();
    for stuck in stuck {
        let rows = &parts.components[stuck.component].rows;
        let is_restricted = rows.iter().any(|&row| row >= initial);
        let has_fixed = rows.iter().flat_map(|&row| description.jacobian.row(row)).any(|(j, _)| {
            let jet = &description.jets[j];
            jet.stage == stage && jet.start == Start::Fixed
        });
        let k = joint_component[rows[0]];
        let earlier_could_help = (has_fixed || is_restricted)
            && joint.components[k].moving.iter().any(|&j| description.jets[j].stage < stage);
        match earlier_could_help {
            true => together.push(k),
            false => retry_elsewhere(system, &parts, jets, stuck)?,
        }
    }
    together.sort_unstable();
    together.dedup();
    solve_jointly(system, &joint, &together, start, jets)
}

/// Solves several stages at once. Guesses start from where the model puts them, other jets from the solution of the
/// stages so far.
fn solve_jointly(
    system: &mut System<'_>,
    parts: &Decomposition,
    chosen: &[usize],
    start: &[f64],
    jets: &mut [f64],
) -> Result<(), InitializationError> {
    for &j in chosen.iter().flat_map(|&k| &parts.components[k].moving) {
        if system.description().jets[j].start == Start::Guess {
            jets[j] = start[j];
        }
    }
    let from = jets.to_vec();
    for stuck in system.solve(parts, chosen, jets)? {
        for &j in &parts.components[stuck.component].moving {
            jets[j] = from[j];
        }
        retry_elsewhere(system, parts, jets, stuck)?;
    }
    Ok(())
}

/// Tries again from a few neighbouring points, because a derivative that vanishes just at the guess (of a length at the
/// origin) stops a method that follows derivatives. If none of them helps, the error explains the first attempt.
fn retry_elsewhere(
    system: &mut System<'_>,
    parts: &Decomposition,
    jets: &mut [f64],
    first: Stuck,
) -> Result<(), InitializationError> {
    const AMPLITUDES: [f64; 3] = [0.03, 0.2, 1.0];
    let from = jets.to_vec();
    for (attempt, amplitude) in AMPLITUDES.iter().enumerate() {
        for &j in &parts.components[first.component].moving {
            // Golden-ratio sequence: different for every jet, the same in every run.
            let fraction = ((j + 1) as f64 * 0.618_033_988_749_895 + 0.3 * attempt as f64).fract();
            jets[j] = from[j] + amplitude * system.description().jets[j].nominal * (2.0 * fraction - 1.0);
        }
        if system.solve(parts, &[first.component], jets).is_ok_and(|stuck| stuck.is_empty()) {
            return Ok(());
        }
    }
    jets.copy_from_slice(&from);
    Err(first.explain(system))
}

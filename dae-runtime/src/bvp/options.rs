//! What the caller asks for.
//!
//! In: options, some of which are set. Out: their defaults, and which of them are meaningless.

use crate::contract::{Description, Name};
use crate::integrator::stepper::Tolerance;

use super::error::BvpError;
use super::guess::Guess;
use super::scheme::MOST;
use super::tolerances::Tolerances;

/// The method for a boundary value problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum BvpMethod {
    /// Projected collocation at the nodes of Gauss.
    #[default]
    Gauss,
    /// Collocation at the nodes of Radau IIA. They damp what decays fast from the start to the end, but not what grows fast.
    Radau,
    /// Multiple shooting by Radau IIA with variational equations.
    Shooting,
}

/// How the problem is approached where it cannot be solved from its guess.
#[derive(Clone, Debug)]
pub(super) enum Continuation {
    /// In parameters that are far from one.
    Automatic,
    /// In these parameters, from these values, from the beginning.
    Given(Vec<(Name, f64)>),
    /// Not at all.
    Off,
}

/// Called after each mesh with the number of intervals and the error in units of the error allowed; `false` stops.
pub(super) type Observer<'d> = Box<dyn FnMut(usize, f64) -> bool + 'd>;

/// The options of a boundary value problem; each is described where it is set.
pub(super) struct Options<'d> {
    pub(super) rtol: f64,
    pub(super) atol: Tolerance,
    pub(super) tolerances: Vec<(Name, f64)>,
    pub(super) method: BvpMethod,
    pub(super) stages: Option<usize>,
    pub(super) intervals: usize,
    pub(super) most_intervals: usize,
    pub(super) has_fixed_mesh: bool,
    pub(super) projects: bool,
    pub(super) sensitivities: Vec<Name>,
    pub(super) guess: Guess<'d>,
    pub(super) continuation: Continuation,
    pub(super) observer: Option<Observer<'d>>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            rtol: 1e-6,
            atol: Tolerance::Scalar(1e-6),
            tolerances: Vec::new(),
            method: BvpMethod::default(),
            stages: None,
            intervals: 10,
            most_intervals: 10_000,
            has_fixed_mesh: false,
            projects: true,
            sensitivities: Vec::new(),
            guess: Guess::Text,
            continuation: Continuation::Automatic,
            observer: None,
        }
    }
}

impl Options<'_> {
    /// Number of nodes in each interval: the higher the accuracy, the more a high order pays.
    pub(super) fn nodes_per_interval(&self) -> usize {
        self.stages.unwrap_or(match self.rtol {
            rtol if rtol > 1e-4 => 4,
            rtol if rtol > 1e-8 => 5,
            _ => 7,
        })
    }

    /// # Errors
    /// An option has no meaning whatever the problem is.
    pub(super) fn check(&self) -> Result<(), BvpError> {
        let invalid = |message: String| Err(BvpError::InvalidOption { message });
        let &Options { rtol, intervals, most_intervals, .. } = self;
        if !(rtol > 0.0 && rtol < 1.0) {
            return invalid(format!("the relative tolerance has to be between 0 and 1, not {rtol}"));
        }
        let stages = self.nodes_per_interval();
        if !(2..=MOST).contains(&stages) {
            return invalid(format!("an interval can have 2 to {MOST} nodes, not {stages}"));
        }
        if intervals == 0 || intervals > most_intervals {
            return invalid(format!("a mesh has 1 to {most_intervals} intervals here, not {intervals}"));
        }
        self.guess.check().or_else(invalid)
    }

    /// # Errors
    /// An option does not go together with shooting.
    pub(super) fn check_for_shooting(&self) -> Result<(), BvpError> {
        let refused = match self.continuation {
            Continuation::Given(_) => "continuation",
            _ if self.has_fixed_mesh => "a fixed mesh",
            _ if !self.sensitivities.is_empty() => "derivatives with respect to parameters",
            Continuation::Automatic | Continuation::Off => return Ok(()),
        };
        let message = format!("shooting is not combined with {refused}: use collocation");
        Err(BvpError::InvalidOption { message })
    }

    /// The tolerances of all unknowns.
    ///
    /// # Errors
    /// A tolerance is of no unknown, or is not positive.
    pub(super) fn all_tolerances(&self, description: &Description) -> Result<Tolerances, BvpError> {
        match self.atol.clone().with_names(&self.tolerances, description) {
            Ok(atol) => Ok(Tolerances { rtol: self.rtol, atol: atol.of(&description.unknowns) }),
            Err(failure) => Err(BvpError::InvalidOption { message: failure.to_string() }),
        }
    }
}

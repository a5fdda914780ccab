//! Events: what happens where a function of the solution passes through zero.
//!
//! In: a function $g(t, y, y')$, a direction, and what is to happen. Out: [`Event`], for [`Integration::event`](crate::solve::Integration::event);
//! what has happened is in [`Solution::occurrences`](crate::solution::Solution::occurrences).
//!
//! Where the equations themselves change with the solution (a diode), the model may say so by `if`, and no event is needed. Where one side leads back to the other
//! (stick and slip) that does not do: there an unknown with the derivative zero says which equations hold, and events set it. A function that is to count in
//! one of these states only is multiplied by it, and not left to what rounding makes of a zero.
//!
//! Signs are compared at the ends of the steps and at three times between, so that a function that is positive in less than a quarter of a
//! step may be overlooked; [`Options::max_step`](crate::stepper::Options::max_step) helps. The zero is found on the dense output, and
//! the step is made again so that it ends there, until the time of the zero is known to rounding: where the run simply goes on, aside.

use std::fmt;

use crate::contract::{Dae, Name, Stand};

/// Which changes of sign count, as the run goes on: from the start time to the end time, even where that is earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Both.
    #[default]
    Either,
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
}

impl Direction {
    /// Whether a change from the sign of `a` to that of `b` counts.
    pub(crate) fn admits(self, a: f64, b: f64) -> bool {
        match self {
            Direction::Either => (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0),
            Direction::Rising => a < 0.0 && b > 0.0,
            Direction::Falling => a > 0.0 && b < 0.0,
        }
    }
}

type Function<'c> = Box<dyn Fn(f64, &[f64], &[f64]) -> f64 + 'c>;
type Reset<'c> = Box<dyn Fn(f64, &mut [f64]) + 'c>;

pub(crate) enum Action<'c> {
    Note,
    End,
    Reset(Reset<'c>),
}

/// A function of the solution whose zeros matter. As built it is only noted; see [`Event::terminal`] and [`Event::reset`].
///
/// A ball that is dropped and loses a fifth of its speed at every impact:
///
/// ```
/// # use dae_runtime::contract::Dae;
/// use dae_runtime::event::Event;
/// use dae_runtime::solve::Integration;
/// # fn demo(ball: &dyn Dae) -> Result<(), Box<dyn std::error::Error>> {
///
/// let place = |name| ball.description().place_of(name).ok_or("no such unknown");
/// let (height, speed) = (place("h")?, place("v")?);
/// let impact = Event::new("impact", |_t, y, _yp| y[height]).falling().reset(|_t, y| y[speed] *= -0.8);
/// let solution = Integration::new(ball).event(impact).run(0.0, 3.0)?;
/// for impact in &solution.occurrences {
///     println!("at t = {}", impact.t);
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "an event has to be added to an integration"]
pub struct Event<'c> {
    pub(crate) name: Name,
    pub(crate) function: Function<'c>,
    pub(crate) direction: Direction,
    pub(crate) action: Action<'c>,
}

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("name", &self.name).field("direction", &self.direction).finish_non_exhaustive()
    }
}

impl<'c> Event<'c> {
    /// A zero of `function`$(t, y, y')$. States are those of the formulation, in the order of `description().unknowns`; $y'$ has values for
    /// differential unknowns. For sensitivities, what the function takes from elsewhere is a constant, parameters of the model too. A value that is not a number has no sign. The function is meant to be continuous, since a pole or a jump counts as a zero; a
    /// zero at the very start or end is none, and neither is a change of sign that a reset makes.
    pub fn new(name: impl Into<Name>, function: impl Fn(f64, &[f64], &[f64]) -> f64 + 'c) -> Self {
        Event { name: name.into(), function: Box::new(function), direction: Direction::default(), action: Action::Note }
    }

    /// A zero of an unknown minus `level`, by its name in the model; nothing if the formulation has no such unknown.
    pub fn crossing(dae: &dyn Dae, unknown: &str, level: f64) -> Option<Self> {
        let description = dae.description();
        let stand = match description.place_of(unknown) {
            Some(place) => Stand::Same(place),
            None => description.eliminated.iter().find(|it| it.name == unknown)?.stand,
        };
        // A constant has no zeros.
        Some(Event::new(unknown.to_owned(), move |_, y, _| stand.value(y).unwrap_or(f64::NAN) - level))
    }

    /// Only where the function changes from negative to positive.
    pub fn rising(mut self) -> Self {
        self.direction = Direction::Rising;
        self
    }

    /// Only where the function changes from positive to negative.
    pub fn falling(mut self) -> Self {
        self.direction = Direction::Falling;
        self
    }

    /// The run ends there, with [`Status::Event`](crate::solution::Status::Event). What else happens at that time is noted, in the order in which events were
    /// added, and no reset is made: the state at the end is the one before. Of several terminal events, the status names the one that was added first.
    pub fn terminal(mut self) -> Self {
        self.action = Action::End;
        self
    }

    /// `change`$(t, y)$ is applied to the state there, and the run goes on from consistent values: entries that it has changed stay as it leaves
    /// them, and what depends on them follows by the constraints, hidden ones included, differential unknowns with the least change. What the
    /// formulation adds to the unknowns of the model, multipliers for instance, is computed anew. It is a function of its arguments alone: for sensitivities it is
    /// called at states nearby as well.
    pub fn reset(mut self, change: impl Fn(f64, &mut [f64]) + 'c) -> Self {
        self.action = Action::Reset(Box::new(change));
        self
    }
}

/// An event that has happened.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Occurrence {
    /// Name of the event.
    pub event: Name,
    /// When.
    pub t: f64,
    /// The state then, before a reset; entries as in [`Solution::names`](crate::solution::Solution::names).
    pub state: Vec<f64>,
    /// Derivatives of the time by what sensitivities are asked for, in the order of
    /// [`Sensitivities::quantities`](crate::sensitivity::Sensitivities::quantities). Not finite where the function only touches zero; if it
    /// depends on algebraic unknowns, as accurate as their slopes on the polynomial of a step.
    pub time_derivatives: Vec<f64>,
}

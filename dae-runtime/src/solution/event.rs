//! Events at which a function of the solution passes through zero.
//!
//! In: a function $g(t, y, y')$, a direction, and an action. Out: [`Event`], for
//! [`Integration::event`](crate::solve::Integration::event); the events of a run are in
//! [`Solution::occurrences`](crate::solution::Solution::occurrences).
//!
//! Where the equations themselves change with the solution (a diode), the model may say so with `if`, and no event is
//! needed. Where one side leads back to the other (stick and slip) this does not suffice: there an unknown with
//! derivative zero says which equations hold, and events set it. A function that is to count in only one of these
//! states should be multiplied by that unknown rather than left to the rounding errors of a zero.
//!
//! Signs are compared at the ends of the steps and at three times between, and where a function comes near zero between
//! these and turns. One that turns more than once within half a step may be beyond zero for a moment without being
//! noticed; [`Options::max_step`](crate::integrator::stepper::Options::max_step) helps.
//! The zero is found on the dense output, and the step is repeated to end there until the time of the zero is known to
//! rounding error; where the run simply continues, the repeated steps are not part of the run.

use std::fmt;

use crate::contract::{AliasOf, Dae, Name};

/// Which sign changes count, as the run proceeds from the start time to the end time, even where that is earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Both directions.
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

/// A function of the solution whose zeros matter. By default zeros are only recorded; see [`Event::terminal`] and [`Event::reset`].
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
    /// An event at the zeros of `function`$(t, y, y')$. States are those of the formulation, in the order of
    /// `description().unknowns`; $y'$ has values for differential unknowns. Sensitivities treat everything else that
    /// the function uses, including parameters of the model, as constant. `NaN` has no sign. The function should be
    /// continuous, since a pole or a jump counts as a zero; a zero at the very start or end is not counted, nor is a
    /// sign change made by a reset.
    pub fn new(name: impl Into<Name>, function: impl Fn(f64, &[f64], &[f64]) -> f64 + 'c) -> Self {
        Event { name: name.into(), function: Box::new(function), direction: Direction::default(), action: Action::Note }
    }

    /// An event where an unknown, by its name in the model, crosses `level`; `None` if the formulation has no such unknown.
    pub fn crossing(dae: &dyn Dae, unknown: &str, level: f64) -> Option<Self> {
        let description = dae.description();
        let alias_of = match description.place_of(unknown) {
            Some(place) => AliasOf::Same(place),
            None => description.eliminated.iter().find(|it| it.name == unknown)?.alias_of,
        };
        // A constant has no zeros.
        Some(Event::new(unknown.to_owned(), move |_, y, _| alias_of.value(y).unwrap_or(f64::NAN) - level))
    }

    /// Restricts the event to changes from negative to positive.
    pub fn rising(mut self) -> Self {
        self.direction = Direction::Rising;
        self
    }

    /// Restricts the event to changes from positive to negative.
    pub fn falling(mut self) -> Self {
        self.direction = Direction::Falling;
        self
    }

    /// Ends the run there, with [`Status::Event`](crate::solution::Status::Event). Other events at that time are
    /// recorded, in the order in which they were added, and no reset is made: the final state is the one before. Of
    /// several terminal events, the status names the one that was added first.
    pub fn terminal(mut self) -> Self {
        self.action = Action::End;
        self
    }

    /// Applies `change`$(t, y)$ to the state there, and continues the run from consistent values: entries that it has
    /// changed keep their new values, and what depends on them follows from the constraints, including hidden ones,
    /// with the least change of differential unknowns. What the formulation adds to the unknowns of the model,
    /// multipliers for instance, is computed again. `change` must be a function of its arguments alone: for
    /// sensitivities it is called at nearby states as well.
    pub fn reset(mut self, change: impl Fn(f64, &mut [f64]) + 'c) -> Self {
        self.action = Action::Reset(Box::new(change));
        self
    }
}

/// An event that has occurred.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Occurrence {
    /// Name of the event; of one that the text of the model declares its condition, as it is written.
    pub event: Name,
    /// The text that the event notes, if the text of the model gives one.
    pub message: Option<Name>,
    /// Time of the event.
    pub t: f64,
    /// The state at that time, before a reset; entries as in [`Solution::names`](crate::solution::Solution::names).
    pub state: Vec<f64>,
    /// Derivatives of the time with respect to the quantities of the sensitivities, in the order of
    /// [`Sensitivities::quantities`](crate::sensitivity::Sensitivities::quantities). Not finite where the function only
    /// touches zero; if it depends on algebraic unknowns, as accurate as their derivatives on the polynomial of a step.
    pub time_derivatives: Vec<f64>,
}

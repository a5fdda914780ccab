//! What a run knows of the surfaces along which its solution can slide.
//!
//! In: a formulation with surfaces across which it jumps. Out: the equations along some of them while the solution
//! slides; when it has slid along which; and why it could not be followed along others.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::completions::sliding::{Mode, Sliding, Surfaces, Undecided, Unsuitable};
use crate::contract::{Dae, Name};
use crate::integrator::held::Held;
use crate::integrator::stepper::{Failure, Options, StepControl, Tolerance};
use crate::linalg::iteration_matrix::{FactorizationPlan, StepStart};
use crate::solution::Slide;
use crate::solve::between::Between;

/// The surfaces of a formulation, and what is known of the solution along them.
pub(super) struct Along<'d> {
    pub(super) surfaces: Surfaces<'d>,
    /// The sign of the direction of the run.
    pub(super) direction: f64,
    /// The equations while the solution slides, or has just left surfaces.
    pub(super) piece: Option<Piece<'d>>,
    pub(super) slides: Vec<Slide>,
    /// Why the solution could not be followed along a switching function.
    pub(super) obstacle: Option<(usize, Name)>,
    /// The failure with which the run ends once it has reached the time at which a step is repeated to end.
    pub(super) end: Option<Failure>,
    /// Times of recent changes, the oldest first.
    pub(super) changes: VecDeque<f64>,
    /// The time of a state near a surface that does not hold the solution.
    pub(super) crossed: Option<f64>,
}

/// Equations along surfaces.
pub(super) struct Piece<'d> {
    pub(super) dae: Rc<Sliding<'d>>,
    pub(super) plan: Rc<FactorizationPlan>,
    pub(super) between: Option<Between<'d>>,
}

impl<'d> Along<'d> {
    /// Of a formulation, if it has surfaces along which solutions can slide.
    pub(super) fn of(dae: &'d dyn Dae, [t0, t_end]: [f64; 2], options: &Options) -> Option<Self> {
        let surfaces = Surfaces::of(dae).filter(|_| options.control == StepControl::Adaptive)?;
        let (slides, changes) = (Vec::new(), VecDeque::new());
        let direction = if t_end < t0 { -1.0 } else { 1.0 };
        Some(Along { surfaces, direction, piece: None, slides, obstacle: None, end: None, changes, crossed: None })
    }

    /// The search for sign changes in steps along surfaces.
    pub(super) fn between(&mut self) -> Option<&mut Between<'d>> {
        self.piece.as_mut()?.between.as_mut()
    }
}

impl<'d> Piece<'d> {
    /// Equations in these modes, from a state near the surfaces on; `h` is the signed length of a typical step.
    pub(super) fn new(
        surfaces: Surfaces<'d>,
        modes: Vec<Mode>,
        (t, y, yp): (f64, &[f64], &[f64]),
        (options, h): (&Options, f64),
    ) -> Result<Self, Unsuitable> {
        let dae = Rc::new(Sliding::new(surfaces, modes, (t, y))?);
        let [y, yp] = dae.start(&dae.consistent(t, y, yp)?);
        let plan = FactorizationPlan::new(&*dae, StepStart { t, y: &y, yp: &yp, h });
        let options = with_weights(options, dae.description().unknowns.len());
        let between = Between::new(Held::Shared(dae.clone()), &options);
        Ok(Piece { dae, plan, between })
    }
}

impl Along<'_> {
    /// Takes note of where the solution slides from `t` on.
    pub(super) fn note(&mut self, t: f64, to: &Sliding<'_>) {
        let switches = &self.surfaces.inner.description().switches;
        let now: Vec<&Name> = to.slid().map(|switch| &switches[switch].name).collect();
        let open = self.slides.iter_mut().filter(|slide| slide.end.is_none());
        open.filter(|slide| !now.contains(&&slide.switch)).for_each(|slide| slide.end = Some(t));
        for switch in now {
            if !self.slides.iter().any(|slide| slide.end.is_none() && slide.switch == *switch) {
                self.slides.push(Slide { switch: switch.clone(), begin: t, end: None });
            }
        }
    }
}

pub(super) const NO_EQUATIONS: &str = "the form has no equations for what lies between them";
pub(super) const NOT_OFFERED: &str = "its equations between them are not known, since the function contains derivatives \
                                      or jumps itself, or an equation that has been differentiated jumps there";

/// What keeps a solution from being followed along a surface, as part of a sentence.
pub(super) fn obstacle_of(undecided: &Undecided) -> Name {
    match undecided {
        Undecided::Unsuitable(Unsuitable::Index { equation }) => {
            format!("{equation} would have to be differentiated twice to follow it along the surface").into()
        }
        Undecided::Unsuitable(Unsuitable::HiddenJump { equation }) => {
            format!("{equation}, which has to be differentiated to follow it along the surface, jumps").into()
        }
        Undecided::Unsuitable(Unsuitable::Singular) => "the equations between them are singular".into(),
        Undecided::Ambiguous([first, second]) => format!("it can go on with {first} and with {second}").into(),
        Undecided::None => "no combination of them stays on the surface".into(),
    }
}

/// Options for a system with weights, `count` unknowns in all: the weights have the relative tolerance.
pub(super) fn with_weights(options: &Options, count: usize) -> Options {
    let mut options = options.clone();
    if let Tolerance::PerComponent(values) = &mut options.atol {
        let least = values.iter().copied().filter(|atol| *atol > 0.0).fold(f64::INFINITY, f64::min);
        let of_weight = if options.rtol > 0.0 { options.rtol } else { least };
        values.resize(count, of_weight);
    }
    options
}

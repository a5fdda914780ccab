//! The forms, a line each.
//!
//! In: nothing. Out: a macro that hands the table to another macro, which makes of it the type [`Form`](super::Form)
//! with its names, or, in [`crate::formulation`], the recipes by which forms are made. A line has the form's
//! documentation, its variant with what is given with its name, the name, a sentence for generated code and reports,
//! and the recipe.

macro_rules! for_each_form {
    ($use:ident) => {
        $use! {
            /// Constraints differentiated until the index is 1.
            Index1: "index1", "Constraints differentiated until the index is 1; lower constraints are invariants that drift."
                => { Recipe::new(reduced::index1) };
            /// Constraints differentiated until the index is 2 (velocity level in mechanics).
            Index2: "index2", "Constraints differentiated until the index is 2."
                => { Recipe::new(reduced::index2) };
            /// Gear, Gupta and Leimkuhler: [`Form::Stabilized`] with [`Directions::Gradient`].
            Ggl: "ggl", "Index 2 with all constraints enforced (Gear, Gupta and Leimkuhler)."
                => { Recipe::new(reduced::index2).enforcing(Lower::All, Metric::Euclidean) };
            /// The system as written, reduced to first order.
            Original: "original", "The system as written."
                => { Recipe::of_text(original::select) };
            /// Index 2 with all lower constraints enforced by multipliers, Ascher & Petzold (1993), eq. (2.18).
            Stabilized(Directions): "stabilized", "Index 2 with all constraints enforced through {} (Ascher and Petzold 1993, eq. 2.18)."
                => { Recipe::new(reduced::index2).enforcing(Lower::All, Metric::Given) };
            /// Index 1 with the constraints of the text enforced by multipliers, Ascher & Petzold (1993), eqs. (3.25)
            /// and (3.27), $k = 1$.
            Projected(Directions): "projected", "Index 1 with the constraints of the text enforced through {} (Ascher and Petzold 1993, eq. 3.27)."
                => { Recipe::new(reduced::index1).enforcing(Lower::OfText, Metric::Given) };
            /// [`Form::Projected`] with [`Directions::Gradient`], Ascher & Petzold (1993), eq. (4.14).
            Pa: "pa", "Index 1 with the constraints of the text enforced through their gradients (Ascher and Petzold 1993, eq. 4.14)."
                => { Recipe::new(reduced::index1).enforcing(Lower::OfText, Metric::Euclidean) };
            /// Index 1 with all lower constraints enforced, each through its gradient with respect to the highest
            /// derivatives in it, Ascher & Petzold (1993), eq. (4.16).
            Pb: "pb", "Index 1 with all constraints enforced, each through its gradient by the highest derivatives in it (Ascher and Petzold 1993, eq. 4.16)."
                => { Recipe::new(reduced::index1).enforcing(Lower::All, Metric::HighestDerivatives) };
            /// Index 1 with all lower constraints enforced through their whole gradients, Ascher & Petzold (1993), eq.
            /// (4.17).
            Pc: "pc", "Index 1 with all constraints enforced through their gradients (Ascher and Petzold 1993, eq. 4.17)."
                => { Recipe::new(reduced::index1).enforcing(Lower::All, Metric::Euclidean) };
            /// Index 1 with constraints whose violations decay instead of drifting, Ascher & Petzold (1993), eqs. (3.2)
            /// and (3.10).
            Baumgarte(Gains): "baumgarte", "Index 1, with lower constraints that decay (Baumgarte)."
                => { Recipe::new(baumgarte::select) };
            /// Index 1 with all lower constraints enforced through their gradients in the metric of the leading matrix:
            /// the overdetermined system of all constraints, resolved as in Hairer & Wanner II, Sect. VII.2, eq.
            /// (2.27).
            Overdetermined: "overdetermined", "Index 1 with all constraints enforced through weighted gradients (Hairer and Wanner II, eq. VII.2.27)."
                => { Recipe::new(reduced::index1).enforcing(Lower::All, Metric::Mass) };
            /// Index 1 with all lower constraints enforced in local coordinates, which are some of the unknowns
            /// (generalised coordinate partitioning).
            StateSpace: "state_space", "Index 1 with all constraints enforced, integrated in some of the unknowns (coordinate partitioning)."
                => { Recipe::in_coordinates(Coordinates::Partition) };
            /// Index 1 with all lower constraints enforced in local coordinates of a tangent space.
            Tangent: "tangent", "Index 1 with all constraints enforced, integrated in coordinates of tangent spaces."
                => { Recipe::in_coordinates(Coordinates::Tangent) };
            /// Mattsson and Söderlind: the derivatives of dependent unknowns are unknowns of their own; which ones is
            /// decided during a run.
            Dummy: "dummy", "Index 1 with all constraints enforced and dummy derivatives (Mattsson and Söderlind)."
                => { Recipe::in_coordinates(Coordinates::Partition) };
            /// The underlying ordinary differential equation: every constraint differentiated until the equations give
            /// the highest derivatives, and the equations solved for these, Hairer & Wanner II, Sect. VII.1, eq. (1.6).
            Underlying: "underlying", "The underlying ordinary differential equation, solved for its derivatives; constraints are invariants that drift."
                => { Recipe::new(reduced::underlying).completed(Completion::Underlying) };
            /// The essential underlying differential equation, in the components of the states on which the multipliers
            /// of the text do not act, the others being functions of them; Ascher & Petzold (1993), eq. (2.13).
            EssentialUnderlying: "essential_underlying", "The essential underlying differential equation (Ascher and Petzold 1993, eq. 2.13)."
                => { Recipe::own(Equations::Reduced, essential::formulate) };
            /// All equations with their derivatives, solved for what they determine: Hairer & Wanner II, Sect. VII.2,
            /// eq. (2.30).
            DerivativeArray: "derivative_array", "The equations with their derivatives, solved for what they determine (Hairer and Wanner II, eq. VII.2.30)."
                => { Recipe::own(Equations::OfText, derivative_array::formulate) };
            /// The equations of the text, and all hidden constraints, as the derivatives of the equations imply them
            /// (Kunkel and Mehrmann).
            StrangenessFree: "strangeness_free", "The equations of the text with all hidden constraints, as the derivative array implies them (Kunkel and Mehrmann)."
                => { Recipe::own(Equations::OfText, derivative_array::formulate) };
            /// The form that [`crate::recommendation`] recommends for the model at its start.
            Recommended: "recommended", "The form that is recommended for the model."
                => { Recipe::own(Equations::OfText, stands_for_another) };
        }
    };
}

pub(crate) use for_each_form;

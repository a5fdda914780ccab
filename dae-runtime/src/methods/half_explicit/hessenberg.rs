//! The structure that half-explicit methods need: the Hessenberg form of index 2, of index 1 as a special case.
//!
//! In: a formulation and its start values. Out: which rows are constraints on the differential unknowns, or the row and
//! the unknown that keep the formulation from having this form.
//!
//! With $y$ the differential unknowns and $z$ the algebraic ones, of index 1 or 2, the form is
//!
//! $$ \Phi(t, y, y', z) = 0, \qquad g(t, y) = 0 $$
//!
//! with a regular matrix
//!
//! $$ K = \begin{pmatrix} \Phi_{y'} & \Phi_z \\\\ g_y & 0 \end{pmatrix} . $$
//!
//! For $y' = f(t, y, z)$ this says that $g_y f_z$ is regular (Hairer & Wanner II, (VII.1.15)). Rows without derivatives
//! that contain algebraic unknowns belong to $\Phi$.

use crate::contract::{Dae, Description, Kind};
use crate::integrator::stepper::Failure;
use crate::linalg::iteration_matrix::Jacobians;
use crate::linalg::structure::{Incidence, Matching};

/// An entry counts as present if it is not zero at the start or at a point this far away, relative to the size of each
/// unknown.
const PROBE: f64 = 0.01;

/// The rows and unknowns of a formulation in Hessenberg form.
#[derive(Clone, Debug)]
pub(crate) struct Hessenberg {
    /// Whether each unknown has a derivative.
    pub(crate) is_differential: Vec<bool>,
    /// Those that do.
    pub(crate) differential: Vec<usize>,
    /// Those that do not.
    pub(crate) algebraic: Vec<usize>,
    /// Whether each row is one of $g$.
    pub(crate) is_constraint: Vec<bool>,
    /// Those that are.
    pub(crate) constraints: Vec<usize>,
    /// The invariants that are the constraints, if all of them are: these cost less than $F$.
    pub(crate) invariants: Option<Vec<usize>>,
}

impl Hessenberg {
    /// The structure of a formulation; `method` is the name for messages.
    pub(crate) fn of(
        dae: &dyn Dae,
        method: &'static str,
        t: f64,
        y: &[f64],
        yp: &[f64],
    ) -> Result<Hessenberg, Failure> {
        let description = dae.description();
        let n = description.unknowns.len();
        let is_differential: Vec<bool> =
            description.unknowns.iter().map(|unknown| unknown.kind == Kind::Differential).collect();
        let [of_y, of_yp] = entries(dae, t, y, yp);
        let is_constraint: Vec<bool> = (0..n)
            .map(|row| of_yp[row].is_empty() && of_y[row].iter().all(|&column| is_differential[column]))
            .collect();
        let rows = (0..n).map(|row| -> Vec<usize> {
            if is_constraint[row] {
                return of_y[row].clone();
            }
            let algebraic = of_y[row].iter().copied().filter(|&column| !is_differential[column]);
            algebraic.chain(of_yp[row].iter().copied().filter(|&column| is_differential[column])).collect()
        });
        let missing = match Incidence::from_rows(n, rows) {
            Ok(incidence) => {
                let matching = Matching::maximum(&incidence);
                matching.free_equations().first().copied().zip(matching.free_unknowns().first().copied())
            }
            Err(_) => Some((0, 0)),
        };
        if let Some((row, unknown)) = missing {
            return Err(not_hessenberg(description, method, row, unknown));
        }
        let choose = |is: &[bool], wanted: bool| (0..n).filter(|&k| is[k] == wanted).collect::<Vec<usize>>();
        let constraints = choose(&is_constraint, true);
        let enforcing = |row: &usize| description.invariants.iter().position(|invariant| invariant.row == Some(*row));
        Ok(Hessenberg {
            differential: choose(&is_differential, true),
            algebraic: choose(&is_differential, false),
            invariants: constraints.iter().map(enforcing).collect(),
            is_differential,
            is_constraint,
            constraints,
        })
    }
}

fn not_hessenberg(description: &Description, method: &'static str, row: usize, unknown: usize) -> Failure {
    let equation = description.equations.get(row).map_or("-".into(), |equation| equation.name.clone());
    let unknown = description.unknowns.get(unknown).map_or("-".into(), |unknown| unknown.name.clone());
    Failure::NotHessenberg { method: method.into(), form: description.form.clone(), equation, unknown }
}

/// The columns that each row of $F_y$ and of $F_{y'}$ contains: those of the patterns whose entries do not vanish.
fn entries(dae: &dyn Dae, t: f64, y: &[f64], yp: &[f64]) -> [Vec<Vec<usize>>; 2] {
    let description = dae.description();
    let moved = |values: &[f64]| -> Vec<f64> {
        let sized = values.iter().zip(description.unknowns.iter()).enumerate();
        sized.map(|(k, (value, unknown))| value + PROBE * (1.0 + k as f64).sqrt() * unknown.nominal).collect()
    };
    let (near, slope_near) = (moved(y), moved(yp));
    let mut at = [Jacobians::new(description), Jacobians::new(description)];
    at[0].evaluate(dae, t, y, yp);
    at[1].evaluate(dae, t, &near, &slope_near);
    let [first, second] = &at;
    [(&description.jacobian_y, &first.y, &second.y), (&description.jacobian_yp, &first.yp, &second.yp)].map(
        |(pattern, here, there)| {
            let row = |row: usize| {
                let present = pattern.row(row).filter(|&(_, place)| here[place] != 0.0 || there[place] != 0.0);
                present.map(|(column, _)| column).collect()
            };
            (0..pattern.rows()).map(row).collect()
        },
    )
}

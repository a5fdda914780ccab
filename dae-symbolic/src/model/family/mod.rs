//! Families: a model whose arrays and `for` equations are data.
//!
//! In: the text (through `lower`). Out: a [`FamilyModel`], in which each `for` equation is one *template*, whatever its
//! range; [`instantiate`] turns it into the scalar [`Model`](super::Model) that the later stages read, and [`verify()`]
//! states what every family model fulfils.
//!
//! Expressions live in a [`Dag`] of the family model's own, in which a leaf is an *access*: `q[i + 1]` is the array $q$
//! with the affine index $1 + i$ over the loop variables around it. Equal accesses are one leaf, so that
//! simplification, comparison and differentiation of a template hold for all its instances. In that graph (and in no
//! other)
//!
//! * [`Symbol::Unknown`](crate::expr::Symbol) with the id $a$ and an order is that derivative of
//!   [`FamilyModel::accesses`]`[a]`;
//! * [`Symbol::Parameter`](crate::expr::Symbol) with the id $s$ is the number [`FamilyModel::time_invariant`]`[s]`, constant in
//!   time: an element of a parameter or of a table of constants, or a loop variable.
//!
//! Accesses to scalars come first, in the order of declaration, so that the graph of a model without arrays and loops
//! *is* that of its scalar model.

mod affine;
mod excerpt;
mod instantiate;
mod verify;

pub use affine::Affine;
pub use excerpt::{Excerpt, Indexed};
pub use instantiate::{instantiate, instantiate_excerpt};
pub use verify::verify;

use super::{BoundaryConditions, DeclaredInvariant, Derivation, Equation, Events, Input, Start};
use crate::expr::{Dag, Expr, UnknownId};
use crate::form::Form;
use crate::origin::Origin;

/// Largest number of elements of an array, and of instances of an equation.
pub const MAX_INSTANCES: usize = 200_000;

/// A model of arrays and families.
#[derive(Clone, Debug)]
pub struct FamilyModel {
    /// All expressions; for the meaning of the leaves see the module documentation.
    pub dag: Dag,
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub origin: Origin,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// Rust visibility as text.
    pub visibility: String,
    /// Parameters and arrays of them.
    pub parameters: Vec<ParameterArray>,
    /// Unknowns and arrays of them.
    pub unknowns: Vec<UnknownArray>,
    /// Inputs, all of them scalar.
    pub inputs: Vec<Input>,
    /// Arrays of constants that are accessed with varying indices.
    pub tables: Vec<Table>,
    /// Named sub-expressions.
    pub definitions: Vec<DefinitionFamily>,
    /// Start values.
    pub starts: Vec<StartFamily>,
    /// Equations in the order of the text; a `for` equation is one of them.
    pub equations: Vec<EquationFamily>,
    /// Equations that hold at the start of a run only.
    pub initial_equations: Vec<EquationFamily>,
    /// The descriptions that equations were derived from, with positions among `equations`.
    pub derivations: Vec<Derivation>,
    /// Quantities that are declared not to change along solutions.
    pub invariants: Vec<DeclaredInvariant>,
    /// The boundary conditions that the text writes down.
    pub boundary: Option<BoundaryConditions>,
    /// The events that the text writes down.
    pub events: Events,
    /// The formulations that are asked for.
    pub forms: Vec<Form>,
    /// Where the text asks for the formulations; empty if it names none.
    pub form_origins: Vec<Origin>,
    /// What the leaves `Symbol::Unknown` stand for.
    pub accesses: Vec<Access>,
    /// What the leaves `Symbol::Parameter` stand for.
    pub time_invariant: Vec<TimeInvariant>,
}

/// An array with an affine expression for each of its indices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Access {
    /// Position of the array among the unknowns, parameters or tables of the model.
    pub array: usize,
    /// One index per extent, over the loops of the family in which the access stands.
    pub indices: Vec<Affine>,
}

/// A leaf that is constant in time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeInvariant {
    /// An element of a parameter.
    Parameter(Access),
    /// An element of a table of constants.
    Table(Access),
    /// The value of the loop variable of this level, 0 for the outermost.
    Index(usize),
}

/// A parameter or an array of them.
#[derive(Clone, Debug)]
pub struct ParameterArray {
    /// Its name.
    pub name: String,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// Extents, the outermost first; empty for a scalar.
    pub extents: Vec<usize>,
    /// Default values, over loops that run over the extents.
    pub default: Body<Expr>,
    /// Where its name stands.
    pub origin: Origin,
}

/// An unknown or an array of them.
#[derive(Clone, Debug)]
pub struct UnknownArray {
    /// Its name.
    pub name: String,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// Extents, the outermost first; empty for a scalar.
    pub extents: Vec<usize>,
    /// Typical magnitude of all elements, 1 unless given.
    pub nominal: f64,
    /// Whether it changes at events only; its equation is that its derivative is zero.
    pub is_discrete: bool,
    /// Where its name stands.
    pub origin: Origin,
}

/// An array of constants.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Extents, the outermost first.
    pub extents: Vec<usize>,
    /// Numbers, row by row.
    pub values: Vec<Expr>,
}

/// A loop: a variable that runs over integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The name of the variable.
    pub name: String,
    /// Its first value.
    pub start: i64,
    /// One past its last value.
    pub end: i64,
}

/// The expression that the surrounding loops repeat.
#[derive(Clone, Debug)]
pub enum Body<T> {
    /// One expression for all values of the loop variables.
    Template(T),
    /// An expression for each of several disjoint boxes, in the order of their first points, because conditions,
    /// ranges, exponents or orders depend on a loop variable. Points in none of the boxes have no instance.
    Pieces(Vec<Piece<T>>),
}

/// A box of loop variables and the expression that is the same in all of it.
#[derive(Clone, Debug)]
pub struct Piece<T> {
    /// The first and one past the last value of each loop variable.
    pub domain: Vec<(i64, i64)>,
    /// The expression.
    pub body: T,
}

/// Start values of an array, an element or a scalar, or of derivatives of them.
#[derive(Clone, Debug)]
pub struct StartFamily {
    /// Position of the unknown, or of the array of unknowns.
    pub unknown: usize,
    /// Order of the derivative.
    pub order: u32,
    /// What the value is given for: the whole array or single elements.
    pub reach: Reach,
    /// Whether it is fixed or a guess.
    pub kind: Start,
    /// Loops around it, the outermost first.
    pub loops: Vec<Loop>,
    /// The elements and their values.
    pub body: Body<StartBody>,
    /// Where the value stands.
    pub origin: Origin,
    /// Where the statement that gives it stands.
    pub statement: Origin,
}

/// What a start value is given for: a whole array or single elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A scalar or a whole array, where it is declared.
    Declaration,
    /// A scalar or a whole array, by a statement: it takes precedence over the declaration.
    Whole,
    /// Elements of an array, one by one: they take precedence over values for the whole array.
    Element,
}

/// An element and its start value.
#[derive(Clone, Debug)]
pub struct StartBody {
    /// The indices of the element.
    pub indices: Vec<Affine>,
    /// Its start value.
    pub value: Expr,
}

/// A named sub-expression and the loops around it.
#[derive(Clone, Debug)]
pub struct DefinitionFamily {
    /// Its name.
    pub name: String,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// Loops around it, the outermost first.
    pub loops: Vec<Loop>,
    /// The expression that it stands for.
    pub body: Body<Expr>,
    /// Where its name stands.
    pub origin: Origin,
}

/// An equation and the loops around it; without loops it is a scalar equation.
#[derive(Clone, Debug)]
pub struct EquationFamily {
    /// Its name without indices, see [`Equation::name`].
    pub name: String,
    /// Documentation, line by line.
    pub docs: Vec<String>,
    /// Loops around it, the outermost first.
    pub loops: Vec<Loop>,
    /// Residual and incidence.
    pub body: Body<EquationBody>,
    /// Where it stands.
    pub origin: Origin,
}

/// The residual and incidence of an equation.
#[derive(Clone, Debug)]
pub struct EquationBody {
    /// $e$ for `0 = e` and `e = 0`, otherwise left side minus right side.
    pub residual: Expr,
    /// Every access with the highest order of its derivatives, as written, before any simplification; ascending.
    pub incidence: Vec<(UnknownId, u32)>,
}

/// A scalar equation over the leaves of a family model, as a family without loops.
impl From<Equation> for EquationFamily {
    fn from(equation: Equation) -> Self {
        let Equation { name, docs, residual, incidence, origin, .. } = equation;
        let body = Body::Template(EquationBody { residual, incidence });
        EquationFamily { name, docs, loops: Vec::new(), body, origin }
    }
}

impl Loop {
    /// Number of values.
    pub fn size(&self) -> usize {
        usize::try_from(self.end - self.start).unwrap_or(0)
    }
}

impl FamilyModel {
    /// Whether it has neither arrays nor loops.
    pub fn is_scalar(&self) -> bool {
        let scalar = |extents: &[usize]| extents.is_empty();
        self.parameters.iter().all(|p| scalar(&p.extents))
            && self.unknowns.iter().all(|u| scalar(&u.extents))
            && self.tables.is_empty()
            && self.equations.iter().chain(&self.initial_equations).all(|e| e.loops.is_empty())
            && self.definitions.iter().all(|d| d.loops.is_empty())
            && self.starts.iter().all(|s| s.loops.is_empty())
    }
}

impl<T> Body<T> {
    /// All points (values of the loop variables) that have an instance, in ascending order.
    pub fn indices(&self, loops: &[Loop]) -> Vec<Vec<i64>> {
        match self {
            Body::Template(_) => box_of(loops),
            Body::Pieces(pieces) => {
                let mut points: Vec<Vec<i64>> = pieces.iter().flat_map(|piece| points(&piece.domain)).collect();
                points.sort_unstable();
                points
            }
        }
    }

    /// The number of the body at a point; `None` if it has no instance.
    pub fn number(&self, point: &[i64]) -> Option<usize> {
        match self {
            Body::Template(_) => Some(0),
            Body::Pieces(pieces) => {
                // A box that contains the point starts at or before it in the order of boxes, and is most often the
                // last that does.
                let not_after =
                    |piece: &Piece<T>| piece.domain.iter().map(|&(start, _)| start).le(point.iter().copied());
                let candidates = pieces.partition_point(not_after);
                (0..candidates).rev().find(|&k| pieces[k].contains(point))
            }
        }
    }

    /// The body at a point; `None` if it has no instance.
    pub fn at(&self, point: &[i64]) -> Option<&T> {
        match (self, self.number(point)?) {
            (Body::Template(body), _) => Some(body),
            (Body::Pieces(pieces), k) => pieces.get(k).map(|piece| &piece.body),
        }
    }

    /// The body with `other` applied to every expression.
    pub fn map<U>(self, mut other: impl FnMut(T) -> U) -> Body<U> {
        match self {
            Body::Template(body) => Body::Template(other(body)),
            Body::Pieces(pieces) => {
                let piece = |Piece { domain, body }| Piece { domain, body: other(body) };
                Body::Pieces(pieces.into_iter().map(piece).collect())
            }
        }
    }

    /// The bodies of all pieces, or that of the template.
    pub fn all(&self) -> Vec<&T> {
        match self {
            Body::Template(body) => vec![body],
            Body::Pieces(pieces) => pieces.iter().map(|piece| &piece.body).collect(),
        }
    }
}

impl<T> Piece<T> {
    /// Whether the point is in the box.
    pub fn contains(&self, point: &[i64]) -> bool {
        self.domain.iter().zip(point).all(|(&(start, end), i)| (start..end).contains(i))
    }
}

/// All points of the box of the loops, in ascending order; one point without coordinates if there are no loops.
pub fn box_of(loops: &[Loop]) -> Vec<Vec<i64>> {
    let domain: Vec<(i64, i64)> = loops.iter().map(|range| (range.start, range.end)).collect();
    points(&domain)
}

/// All points of a box, given by its ranges, in ascending order.
pub fn points(domain: &[(i64, i64)]) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::with_capacity(domain.len())];
    for &(start, end) in domain {
        points = points
            .iter()
            .flat_map(|point| (start..end).map(move |i| point.iter().copied().chain([i]).collect()))
            .collect();
    }
    points
}

/// `q[3]`, `T[2][5]`; the name itself without indices.
pub fn element_name(name: &str, indices: &[i64]) -> String {
    indices.iter().fold(name.to_string(), |name, i| format!("{name}[{i}]"))
}

/// Position of an element in its array, row by row; `None` if it is outside, or the number of indices does not fit.
pub fn position(extents: &[usize], indices: &[i64]) -> Option<usize> {
    if extents.len() != indices.len() {
        return None;
    }
    extents.iter().zip(indices).try_fold(0, |before, (&extent, &index)| {
        let index = usize::try_from(index).ok().filter(|index| *index < extent)?;
        Some(before * extent + index)
    })
}

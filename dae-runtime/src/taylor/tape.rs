//! The equations of a model as a list of operations.
//!
//! In: operations, operands before results but for the slopes of functions; the equations among them; offsets. Out: the
//! [`Tape`], with the orders to which each operation is needed at each stage, and the paths on which the highest
//! derivatives enter the equations.
//!
//! At stage $s$ equation $i$ is needed to order $c_i + s$. Every operation $v$ has an offset of its own,
//!
//! $$ \beta_v = \max \{\, \beta_w : v \text{ is an operand of } w \,\}, \qquad \beta_{f_i} = c_i, $$
//!
//! and gains exactly the coefficient of order $\beta_v + s$ at stage $s$. The coefficients of its operands exist by then,
//! because $\beta_v \le \min (d_j - q)$ over the leaves $x_j^{(q)}$ below $v$ (N. S. Nedialkov, J. D. Pryce, *Solving
//! differential-algebraic equations by Taylor series (I): computing Taylor coefficients*, BIT 45 (2005), 561–591, sect.
//! 4). Where a leaf with $d_j - q = \beta_v$ is below $v$, the new coefficient depends on the unknowns of the stage.

use std::collections::BTreeSet;

use super::contract::TaylorDescription;
use super::double_double::DoubleDouble;

/// The position of an operation.
pub type Place = usize;

/// A function with a value of its own; its other coefficients follow from its slope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the method of `f64` of the same name
pub enum Function {
    Cbrt,
    Exp,
    ExpM1,
    Ln,
    Ln1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
}

/// The derivative $g$ of a function, $\dot v = g\,\dot a$.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slope {
    /// $\dot v = w\,\dot a$.
    Times(Place),
    /// $\dot v = -w\,\dot a$.
    MinusTimes(Place),
    /// $w\,\dot v = \dot a$.
    Over(Place),
    /// $w\,\dot v = -\dot a$.
    MinusOver(Place),
    /// The argument does not change in time.
    None,
}

/// A function defined by branches, of arguments that do not change in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branching {
    /// $|a|$.
    Abs,
    /// The sign of $a$.
    Signum,
    /// The largest integer that is not larger than $a$.
    Floor,
    /// $\min(a, b)$.
    Min,
    /// $\max(a, b)$.
    Max,
    /// $b$ where $a > 0$, elsewhere $c$.
    If,
}

/// An operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// A number.
    Number(DoubleDouble),
    /// A parameter, by its position.
    Parameter(usize),
    /// $t$.
    Time,
    /// $x_j^{(q)}$.
    Jet {
        /// $j$.
        unknown: usize,
        /// $q$.
        order: usize,
    },
    /// $\sum_k q_k a_k$.
    Sum(Vec<(DoubleDouble, Place)>),
    /// $c\,a$, with $c$ constant in time.
    Scaled {
        /// $c$.
        factor: Place,
        /// $a$.
        of: Place,
    },
    /// $a\,b$.
    Product(Place, Place),
    /// $a^2$.
    Square(Place),
    /// $a / b$.
    Quotient(Place, Place),
    /// $\sqrt a$.
    Sqrt(Place),
    /// $a^r$ with $r$ constant in time.
    Power {
        /// $a$.
        base: Place,
        /// $r$.
        exponent: Place,
    },
    /// A function.
    Function {
        /// Which one.
        function: Function,
        /// Its argument.
        argument: Place,
        /// Its derivative.
        slope: Slope,
    },
    /// The angle of the point $(x, y)$.
    Angle {
        /// $y$.
        y: Place,
        /// $x$.
        x: Place,
        /// $x^2 + y^2$.
        square: Place,
    },
    /// A function defined by branches, of $(a, b, c)$ as far as it has as many arguments.
    Branch(Branching, [Place; 3]),
}

impl Operation {
    /// The operands on which a coefficient depends through their coefficients of the same order.
    pub(super) fn operands(&self) -> Vec<Place> {
        match self {
            Operation::Number(_) | Operation::Parameter(_) | Operation::Time | Operation::Jet { .. } => Vec::new(),
            Operation::Sum(terms) => terms.iter().map(|&(_, a)| a).collect(),
            &Operation::Scaled { factor, of } => vec![factor, of],
            &(Operation::Product(a, b) | Operation::Quotient(a, b)) => vec![a, b],
            &(Operation::Square(a) | Operation::Sqrt(a)) => vec![a],
            &Operation::Power { base, exponent } => vec![base, exponent],
            &Operation::Function { argument, .. } => vec![argument],
            &Operation::Angle { y, x, .. } => vec![y, x],
            Operation::Branch(_, arguments) => arguments.to_vec(),
        }
    }

    /// The operand of which coefficients of lower order suffice.
    fn lower(&self) -> Option<Place> {
        match *self {
            Operation::Function { slope: Slope::Times(w) | Slope::MinusTimes(w), .. } => Some(w),
            Operation::Function { slope: Slope::Over(w) | Slope::MinusOver(w), .. } => Some(w),
            Operation::Angle { square, .. } => Some(square),
            _ => None,
        }
    }
}

/// The equations of a model, and its start values, as a list of operations.
#[derive(Clone, Debug)]
pub struct Tape {
    pub(super) description: TaylorDescription,
    pub(super) operations: Vec<Operation>,
    /// The operations that change in time, ascending, each with its offset $\beta$.
    pub(super) varying: Vec<(Place, usize)>,
    /// The operations that do not change in time and are needed, ascending.
    pub(super) invariant: Vec<Place>,
    /// The equations.
    pub(super) equations: Vec<Place>,
    /// The start values of the jets, unknown by unknown; `None` where there is none.
    pub(super) starts: Vec<Option<Place>>,
    /// For each operation whose new coefficient depends on the unknowns of a stage, its offset; it passes changes on to
    /// operations of the same offset.
    pub(super) affected: Vec<Option<usize>>,
    /// For each equation the operations on the way to its highest derivatives, descending.
    pub(super) paths: Vec<Vec<Place>>,
}

impl Tape {
    /// The tape of `equations`. `starts` are the start values of $x_j^{(k)}$, $k = 0, \dots, d_j$, unknown by unknown.
    pub fn new(
        description: TaylorDescription,
        operations: Vec<Operation>,
        equations: Vec<Place>,
        starts: Vec<Option<Place>>,
    ) -> Tape {
        let count = operations.len();
        let mut changes = vec![false; count];
        for (place, operation) in operations.iter().enumerate() {
            changes[place] = match operation {
                Operation::Time | Operation::Jet { .. } => true,
                other => other.operands().iter().any(|&a| changes[a]),
            };
        }
        let mut offset: Vec<Option<usize>> = vec![None; count];
        for (&place, equation) in equations.iter().zip(description.equations.iter()) {
            offset[place] = offset[place].max(Some(equation.offset));
        }
        // Slopes stand after their functions, so that one pass may not suffice.
        loop {
            let before = offset.clone();
            for place in (0..count).rev() {
                let Some(needed) = offset[place] else { continue };
                for operand in operations[place].operands().into_iter().chain(operations[place].lower()) {
                    offset[operand] = offset[operand].max(Some(needed));
                }
            }
            if offset == before {
                break;
            }
        }
        let varying: Vec<(Place, usize)> =
            (0..count).filter(|&v| changes[v]).filter_map(|v| Some((v, offset[v]?))).collect();
        let affected = affected(&description, &operations, &varying);
        let path = |&root: &Place| {
            let mut found: Vec<Place> = affected[root].map(|_| root).into_iter().collect();
            let mut seen = BTreeSet::from([root]);
            let mut next = 0;
            while let Some(&place) = found.get(next) {
                let operands = operations[place].operands().into_iter();
                found.extend(operands.filter(|&operand| affected[operand] == affected[place] && seen.insert(operand)));
                next += 1;
            }
            found.sort_unstable_by(|a, b| b.cmp(a));
            found
        };
        let paths = equations.iter().map(path).collect();
        let invariant = (0..count).filter(|&v| !changes[v]).collect();
        Tape { description, operations, varying, invariant, equations, starts, affected, paths }
    }

    /// Names and offsets.
    pub fn description(&self) -> &TaylorDescription {
        &self.description
    }

    /// Number of operations that change in time.
    pub fn len(&self) -> usize {
        self.varying.len()
    }

    /// Whether nothing changes in time.
    pub fn is_empty(&self) -> bool {
        self.varying.is_empty()
    }
}

/// The offset of each operation whose coefficient of order $\beta_v + s$ depends on the unknowns of stage $s$.
fn affected(
    description: &TaylorDescription,
    operations: &[Operation],
    varying: &[(Place, usize)],
) -> Vec<Option<usize>> {
    let mut affected = vec![None; operations.len()];
    for &(place, own) in varying {
        let is_affected = match operations[place] {
            Operation::Jet { unknown, order } => {
                description.unknowns.get(unknown).is_some_and(|unknown| unknown.offset == own + order)
            }
            ref operation => operation.operands().iter().any(|&operand| affected[operand] == Some(own)),
        };
        affected[place] = is_affected.then_some(own);
    }
    affected
}

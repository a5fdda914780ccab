//! The interpreter of equations on Lie groups.
//!
//! In: the programs of a model whose unknowns are one matrix on a group. Out: an equation for the methods of
//! `dae_runtime::lie`, with the operations of generated code in the same order.

use std::cell::RefCell;
use std::error::Error;
use std::fmt;

use dae_runtime::lie::{Equation, LinearEquation, Matrix};

use crate::expr::ExternalSource;
use crate::formulation::LieProgram;
use crate::program::{Point, Program};

/// The equation $Y' = A(t, Y)\, Y$ of a model, interpreted.
#[derive(Clone, Debug)]
pub struct LieInterpreter<const N: usize, const K: usize> {
    program: LieProgram,
    parameters: Vec<f64>,
    scratch: RefCell<Vec<f64>>,
}

/// A [`LieInterpreter`] whose $A$ is proved not to depend on $Y$.
#[derive(Clone, Debug)]
pub struct LinearLieInterpreter<const N: usize, const K: usize>(LieInterpreter<N, K>);

/// Why an equation on a group is not interpreted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoLieEquation {
    /// The matrix has another shape.
    Shape {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A function of the caller has no values here.
    NotInterpreted {
        /// Its name.
        function: String,
    },
}

impl fmt::Display for NoLieEquation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoLieEquation::Shape { rows, columns } => write!(f, "the matrix of the model is {rows} by {columns}"),
            NoLieEquation::NotInterpreted { function } => {
                write!(f, "`{function}` is a function of the caller, which the interpreter does not know")
            }
        }
    }
}

impl Error for NoLieEquation {}

impl<const N: usize, const K: usize> LieInterpreter<N, K> {
    /// Interprets the programs of a compiled model at the given parameters, which are in the order of the model.
    ///
    /// # Errors
    /// If its matrix is not one of $N$ by $K$, or it contains functions of the caller.
    pub fn new(program: LieProgram, parameters: &[f64]) -> Result<Self, NoLieEquation> {
        let (rows, columns) = (program.group.rows, program.group.columns);
        if (rows, columns) != (N, K) {
            return Err(NoLieEquation::Shape { rows, columns });
        }
        let unknown = program.generator.calls().find_map(|call| match call.function.source {
            ExternalSource::Code(_) | ExternalSource::Input => Some(call.function.name.clone()),
            ExternalSource::Table(_) | ExternalSource::Supplied(_) => None,
        });
        match unknown {
            Some(function) => Err(NoLieEquation::NotInterpreted { function }),
            None => Ok(LieInterpreter { program, parameters: parameters.to_vec(), scratch: RefCell::default() }),
        }
    }

    /// The start value.
    pub fn start(&self) -> Matrix<N, K> {
        let mut transposed = Matrix::<K, N>::zeros();
        self.run(&self.program.start, 0.0, &[], transposed.as_mut_slice());
        transposed.transpose()
    }

    /// The same equation as a linear one, if $A$ is proved not to depend on $Y$.
    pub fn linear(self) -> Option<LinearLieInterpreter<N, K>> {
        self.program.group.is_linear.then_some(LinearLieInterpreter(self))
    }

    fn run(&self, program: &Program, t: f64, y: &[f64], values: &mut [f64]) {
        let point = Point { t, parameters: &self.parameters, y, yp: &[] };
        program.run(point, &mut self.scratch.borrow_mut(), values);
    }
}

impl<const N: usize, const K: usize> Equation<N, K> for LieInterpreter<N, K> {
    fn coefficient(&self, t: f64, y: &Matrix<N, K>) -> Matrix<N, N> {
        let mut transposed = Matrix::<N, N>::zeros();
        self.run(&self.program.generator, t, y.transpose().as_slice(), transposed.as_mut_slice());
        transposed.transpose()
    }
}

impl<const N: usize, const K: usize> Equation<N, K> for LinearLieInterpreter<N, K> {
    fn coefficient(&self, t: f64, y: &Matrix<N, K>) -> Matrix<N, N> {
        self.0.coefficient(t, y)
    }
}

impl<const N: usize, const K: usize> LinearEquation<N, K> for LinearLieInterpreter<N, K> {}

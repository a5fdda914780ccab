//! What the integration by Taylor series needs of a model.
//!
//! In: nothing. Out: [`TaylorDescription`], the names and offsets of a model, [`Jets`], series of its unknowns, and the
//! contract [`TaylorDae`], which the operations of a [`Tape`](super::tape::Tape) fulfil by interpretation, and which code
//! without an interpreter can fulfil as well.
//!
//! Series are in a scaled time: with the unit $\tau$, a power of two, the coefficient of order $k$ of an unknown is
//! $\tilde x_{j,k} = \tau^k x_j^{(k)} / k!$. Scaling by powers of two changes no digit; it keeps coefficients of high
//! order from overflowing.

use crate::contract::{Name, Pattern, Prolongation};

/// An unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct TaylorUnknown {
    /// Its name.
    pub name: Name,
    /// $d_j$.
    pub offset: usize,
    /// Its typical magnitude.
    pub nominal: f64,
}

/// An equation.
#[derive(Clone, Debug, PartialEq)]
pub struct TaylorEquation {
    /// Its name.
    pub name: Name,
    /// $c_i$.
    pub offset: usize,
}

/// The names and offsets of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct TaylorDescription {
    /// Name of the model.
    pub model: Name,
    /// The unknowns $x_j$.
    pub unknowns: Vec<TaylorUnknown>,
    /// The equations $f_i$.
    pub equations: Vec<TaylorEquation>,
    /// Names of the parameters.
    pub parameters: Vec<Name>,
    /// The pattern of the system Jacobian $\partial f_i / \partial x_j^{(d_j - c_i)}$.
    pub jacobian: Pattern,
}

impl TaylorDescription {
    /// $\max_j d_j$.
    pub fn highest_unknown(&self) -> usize {
        self.unknowns.iter().map(|unknown| unknown.offset).max().unwrap_or(0)
    }

    /// $\max_i c_i$.
    pub fn highest_equation(&self) -> usize {
        self.equations.iter().map(|equation| equation.offset).max().unwrap_or(0)
    }

    /// What is wrong with the description, if anything is: there are as many equations as unknowns, and equation $i$
    /// contains no derivative of $x_j$ of an order above $d_j - c_i$.
    pub(super) fn check(&self) -> Result<(), String> {
        let (equations, unknowns) = (self.equations.len(), self.unknowns.len());
        if equations != unknowns || self.jacobian.rows() != equations || self.jacobian.columns != unknowns {
            return Err(format!("`{}` has {equations} equations for {unknowns} unknowns", self.model));
        }
        let is_wrong = |&(i, j, _): &(usize, usize, usize)| self.unknowns[j].offset < self.equations[i].offset;
        if let Some((i, j, _)) = self.jacobian.entries().find(is_wrong) {
            let (equation, unknown) = (&self.equations[i].name, &self.unknowns[j].name);
            return Err(format!("{equation} is differentiated more often than `{unknown}`, which it contains"));
        }
        match self.highest_equation() > self.highest_unknown() {
            true => Err("equations are differentiated more often than any unknown".into()),
            false => Ok(()),
        }
    }

    /// The position of an unknown.
    pub fn place_of(&self, unknown: &str) -> Option<usize> {
        self.unknowns.iter().position(|it| it.name == unknown)
    }
}

/// The coefficients $\tilde x_{j,k}$ of all unknowns.
#[derive(Clone, Debug, PartialEq)]
pub struct Jets<S> {
    /// The expansion point.
    pub t: S,
    /// $\tau$.
    pub unit: f64,
    width: usize,
    coefficients: Vec<S>,
}

impl<S: Copy> Jets<S> {
    /// Series of as many unknowns, of length `width`, that are zero.
    pub fn zeros(t: S, unit: f64, unknowns: usize, width: usize, zero: S) -> Jets<S> {
        Jets { t, unit, width, coefficients: vec![zero; unknowns * width] }
    }

    /// The coefficients of an unknown.
    pub fn of(&self, unknown: usize) -> &[S] {
        &self.coefficients[unknown * self.width..(unknown + 1) * self.width]
    }

    /// The coefficients of an unknown, mutable.
    pub fn of_mut(&mut self, unknown: usize) -> &mut [S] {
        &mut self.coefficients[unknown * self.width..(unknown + 1) * self.width]
    }
}

/// The coefficients of all operations, as an implementation lays them out.
#[derive(Clone, Debug)]
pub struct Work<S> {
    /// The coefficients.
    pub coefficients: Vec<S>,
    /// The number of coefficients of each operation.
    pub width: usize,
    /// A number for each operation.
    pub scratch: Vec<S>,
}

/// A model whose equations are expanded into Taylor series, order by order.
pub trait TaylorDae<S> {
    /// Names and offsets.
    fn taylor_description(&self) -> &TaylorDescription;

    /// The model with the derivatives of its equations, for consistent initial values: its jets are those of the
    /// unknowns in their order, up to the offsets, and its equations are ordered by stages.
    fn taylor_prolongation(&self) -> &dyn Prolongation;

    /// The start values that the model gives, in the order of the jets of the prolongation, to all digits; zero where it
    /// gives none.
    fn taylor_start_values(&self, jets: &mut [S]);

    /// Memory for the stages up to `last`, with everything in it that does not change in time.
    fn work(&self, last: usize) -> Work<S>;

    /// Computes the coefficients of stage $s$, all lower ones being in `work`, and writes $\tau$-scaled coefficients of
    /// order $c_i + s$ of the equations for which this is not negative.
    fn expand(&self, work: &mut Work<S>, stage: i32, jets: &Jets<S>, residuals: &mut [S]);

    /// Writes $\partial f_i / \partial x_j^{(d_j - c_i)}$, on the pattern of the description, for the equations with
    /// these numbers.
    fn taylor_jacobian(&self, work: &mut Work<S>, equations: &[usize], values: &mut [S]);

    /// Adds the effect of a change of $\tilde x_{j, d_j + s}$ to the coefficients of stage $s > 0$, which is linear.
    fn correct(&self, work: &mut Work<S>, stage: i32, unit: f64, changes: &[S]);
}

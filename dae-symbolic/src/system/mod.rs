//! The working system: the equations that are analysed and reduced.
//!
//! In: a model. Out: its equations with names, their signature matrix and system Jacobian. It starts as the text of the
//! model, simplified; `combine.rs` may replace an equation by a combination of others and their derivatives.

mod combine;

pub use combine::combine;

use crate::expr::{Dag, Expr, Rational, Symbol, gradient, total_derivative};
use crate::model::{Domain, EquationNames, Model, derivative_name, incidence};
use crate::origin::Origin;
use crate::structure::{InvalidStructure, Offsets, SignatureMatrix};

/// An equation $f = 0$ of the working system.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemEquation {
    /// $f$.
    pub residual: Expr,
    /// What it is a combination of.
    pub provenance: Provenance,
    /// Where the equation it replaces stands in the text.
    pub origin: Origin,
    /// The index domain of the family it stands for.
    pub domain: Domain,
}

/// $\sum_k q_k\, \mathrm d^{r_k} f_k / \mathrm d t^{r_k}$ over the equations of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Provenance {
    /// $(q_k, k, r_k)$, equations counted from zero.
    pub terms: Vec<(Rational, usize, u32)>,
    /// The names of the equations of the text.
    pub names: EquationNames,
}

impl Provenance {
    fn of_text(equation: usize, names: &EquationNames) -> Self {
        Provenance { terms: vec![(Rational::ONE, equation, 0)], names: names.clone() }
    }

    /// Whether it is equation `k` of the text as it stands.
    pub fn is_text(&self, k: usize) -> bool {
        matches!(self.terms.as_slice(), [(q, equation, 0)] if q.is_one() && *equation == k)
    }

    /// How often an equation of the text is differentiated in it.
    pub fn differentiations(&self) -> u32 {
        self.terms.iter().map(|&(_, _, r)| r).max().unwrap_or(0)
    }

    /// `equation 3`, or `equation 1 + 2·der(equation 2)`.
    pub fn name(&self) -> String {
        let mut text = String::new();
        for (q, k, r) in &self.terms {
            text.push_str(match (text.is_empty(), q.is_negative()) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            });
            if !q.abs().is_one() {
                text.push_str(&format!("{}·", q.abs()));
            }
            text.push_str(&derivative_name(&self.names.name(*k), *r));
        }
        text
    }
}

/// The equations under analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// As many as unknowns.
    pub equations: Vec<SystemEquation>,
    /// Number of unknowns.
    pub unknowns: usize,
}

impl System {
    /// The text of the model.
    pub fn of_text(model: &Model) -> System {
        let names = model.equation_names();
        let equation = |(k, e): (usize, &crate::model::Equation)| SystemEquation {
            residual: e.residual,
            provenance: Provenance::of_text(k, &names),
            origin: e.origin,
            domain: e.domain.clone(),
        };
        System { equations: model.equations.iter().enumerate().map(equation).collect(), unknowns: model.unknowns.len() }
    }

    /// $\sigma_{ij}$, the highest order of $x_j$ that occurs in $f_i$ after simplification.
    pub fn signature(&self, dag: &Dag) -> Result<SignatureMatrix, InvalidStructure> {
        SignatureMatrix::from_rows(self.unknowns, self.equations.iter().map(|e| highest_orders(dag, e.residual)))
    }

    /// The nonzero entries $(i, j, \partial f_i / \partial x_j^{(d_j - c_i)})$ of the system Jacobian, row by row.
    pub fn jacobian(&self, dag: &mut Dag, offsets: &Offsets) -> Vec<(usize, usize, Expr)> {
        let mut entries = Vec::new();
        for (i, equation) in self.equations.iter().enumerate() {
            let c = offsets.equations[i];
            let leading = |s| match s {
                Symbol::Unknown { unknown, order } => offsets.unknowns[unknown.index()] == c + order,
                _ => false,
            };
            for (symbol, partial) in gradient(dag, equation.residual, leading) {
                if let Symbol::Unknown { unknown, .. } = symbol {
                    entries.push((i, unknown.index(), partial));
                }
            }
        }
        entries
    }

    /// $f_i, \dot f_i, \dots, f_i^{(m_i)}$ for every equation.
    pub fn derivatives(&self, dag: &mut Dag, orders: &[u32]) -> Vec<Vec<Expr>> {
        let rows = self.equations.iter().zip(orders);
        rows.map(|(equation, &order)| derivatives(dag, equation.residual, order)).collect()
    }
}

/// $f, \dot f, \dots, f^{(m)}$.
pub fn derivatives(dag: &mut Dag, residual: Expr, order: u32) -> Vec<Expr> {
    let mut list = vec![residual];
    for _ in 0..order {
        let last = list[list.len() - 1];
        list.push(total_derivative(dag, last));
    }
    list
}

/// The unknowns that occur in an expression with their highest orders, ascending.
pub fn highest_orders(dag: &Dag, expr: Expr) -> Vec<(usize, u32)> {
    incidence(dag, expr).into_iter().map(|(unknown, order)| (unknown.index(), order)).collect()
}

/// $p_j$, the highest order of each unknown in the text of the model; 0 for one that does not occur.
pub fn written_orders(model: &Model) -> Vec<u32> {
    let mut orders = vec![0; model.unknowns.len()];
    for equation in &model.equations {
        for (j, order) in highest_orders(&model.dag, equation.residual) {
            orders[j] = orders[j].max(order);
        }
    }
    orders
}

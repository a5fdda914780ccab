//! The working system: the equations that are analysed and reduced.
//!
//! In: a model. Out: its equations with names, their signature matrix and system Jacobian. The system starts as the
//! text of the model, simplified; `combine.rs` may replace an equation by a combination of equations and their
//! derivatives. Redundant equations of the text are left out.

mod combine;
mod null_vector;

pub use crate::spelling::lists::listed;
pub use combine::{Combination, combine};

use crate::expr::{Dag, Expr, Node, Notation, Symbol, derivatives, gradient, print};
use crate::model::{Domain, Model, derivative_name, incidence};
use crate::origin::Origin;
use crate::structure::{InvalidStructure, Offsets, SignatureMatrix};

/// An equation $f = 0$ of the working system.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemEquation {
    /// $f$.
    pub residual: Expr,
    /// The number of the equation of the text that it is or replaces, from zero.
    pub text: usize,
    /// The combination of equations of the text that it is.
    pub provenance: Provenance,
    /// Where the equation of the text that it is or replaces stands.
    pub origin: Origin,
    /// The family to which that equation belongs, and its indices there.
    pub domain: Domain,
}

impl SystemEquation {
    /// Whether it is an equation of the text, unchanged.
    pub fn is_text(&self) -> bool {
        self.provenance.is_text
    }
}

/// $\sum_k q_k\, \mathrm d^{r_k} f_k / \mathrm d t^{r_k}$ over the equations of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Provenance {
    /// $(q_k, k, r_k)$, equations counted from zero.
    pub terms: Vec<(Expr, usize, u32)>,
    is_text: bool,
    name: String,
}

impl Provenance {
    fn of_text(dag: &mut Dag, equation: usize, name: String) -> Self {
        let one = dag.integer(1);
        Provenance { terms: vec![(one, equation, 0)], is_text: true, name }
    }

    fn combination(model: &Model, terms: Vec<(Expr, usize, u32)>) -> Self {
        let mut name = spelled(model, &terms);
        if name.chars().count() > LONG_NAME {
            let parts: Vec<String> =
                terms.iter().map(|&(_, k, r)| derivative_name(&model.equation_name(k), r)).collect();
            name = format!("a combination of {}", listed(&parts));
        }
        Provenance { terms, is_text: false, name }
    }

    /// The combination with all its coefficients.
    pub fn in_full(&self, model: &Model) -> String {
        spelled(model, &self.terms)
    }

    /// The largest number of times that it differentiates an equation of the text.
    pub fn differentiations(&self) -> u32 {
        self.terms.iter().map(|&(_, _, r)| r).max().unwrap_or(0)
    }

    /// `equation 3`, `equation 1 + 2·der(equation 2)`, or `a combination of …` if that would be too long.
    pub fn name(&self) -> String {
        self.name.clone()
    }
}

/// Names with more characters than this leave their coefficients out.
const LONG_NAME: usize = 80;

/// `equation 1 - x·der(equation 2)`.
fn spelled(model: &Model, terms: &[(Expr, usize, u32)]) -> String {
    let mut text = String::new();
    for &(coefficient, k, order) in terms {
        let (negative, factor) = match model.dag.node(coefficient) {
            Node::Constant(q) if q.abs().is_one() => (q.is_negative(), String::new()),
            Node::Constant(q) => (q.is_negative(), format!("{}·", q.abs())),
            Node::Sum { constant, terms } => {
                let spelled = print(&model.dag, coefficient, Notation::Text, |symbol| model.symbol_name(symbol));
                let is_one_term = constant.is_zero() && terms.len() == 1;
                match spelled.strip_prefix('-').filter(|_| is_one_term) {
                    Some(rest) => (true, format!("{rest}·")),
                    None if is_one_term => (false, format!("{spelled}·")),
                    None => (false, format!("({spelled})·")),
                }
            }
            Node::Pi | Node::Euler | Node::Symbol(_) | Node::Product(_) | Node::Apply(..) | Node::Call(..) => {
                (false, format!("{}·", print(&model.dag, coefficient, Notation::Text, |s| model.symbol_name(s))))
            }
        };
        text.push_str(match (text.is_empty(), negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        text.push_str(&factor);
        text.push_str(&derivative_name(&model.equation_name(k), order));
    }
    text
}

/// The equations under analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// The equations; as many as unknowns, unless the text has too few or too many.
    pub equations: Vec<SystemEquation>,
    /// Number of unknowns.
    pub unknowns: usize,
}

impl System {
    /// The system of all equations of the text.
    pub fn of_text(model: &mut Model) -> System {
        let all: Vec<usize> = (0..model.equations.len()).collect();
        System::of_equations(model, &all)
    }

    /// The system of the chosen equations of the text.
    pub fn of_equations(model: &mut Model, chosen: &[usize]) -> System {
        let names: Vec<String> = chosen.iter().map(|&k| model.equation_name(k)).collect();
        let Model { dag, equations, .. } = model;
        let equation = |(&k, name): (&usize, String)| SystemEquation {
            residual: equations[k].residual,
            text: k,
            provenance: Provenance::of_text(dag, k, name),
            origin: equations[k].origin,
            domain: equations[k].domain.clone(),
        };
        System { equations: chosen.iter().zip(names).map(equation).collect(), unknowns: model.unknowns.len() }
    }

    /// Whether every equation is one of the text, unchanged.
    pub fn is_text(&self) -> bool {
        self.equations.iter().all(SystemEquation::is_text)
    }

    /// $\sigma_{ij}$, the highest order of the derivatives of $x_j$ in $f_i$ after simplification.
    ///
    /// # Errors
    /// See [`SignatureMatrix::from_rows`].
    pub fn signature(&self, dag: &Dag) -> Result<SignatureMatrix, InvalidStructure> {
        SignatureMatrix::from_rows(self.unknowns, self.equations.iter().map(|e| highest_orders(dag, [e.residual])))
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

    /// $f_i, \dot f_i, \dots, f_i^{(m_i)}$ for every equation, with $m_i$ from `orders`.
    pub fn derivatives(&self, dag: &mut Dag, orders: &[u32]) -> Vec<Vec<Expr>> {
        let rows = self.equations.iter().zip(orders);
        rows.map(|(equation, &order)| derivatives(dag, equation.residual, order)).collect()
    }
}

/// The unknowns that occur in the expressions, each with the highest order of its derivatives; ascending.
pub fn highest_orders(dag: &Dag, roots: impl IntoIterator<Item = Expr>) -> Vec<(usize, u32)> {
    incidence(dag, roots).into_iter().map(|(unknown, order)| (unknown.index(), order)).collect()
}

/// $p_j$, the highest order of the derivatives of each unknown in the equations of the model, simplified; 0 for one
/// that does not occur.
pub fn written_orders(model: &Model) -> Vec<u32> {
    let mut orders = vec![0; model.unknowns.len()];
    let residuals = model.equations.iter().map(|equation| equation.residual);
    highest_orders(&model.dag, residuals).into_iter().for_each(|(j, order)| orders[j] = order);
    orders
}

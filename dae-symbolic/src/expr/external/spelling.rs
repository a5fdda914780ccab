//! Spellings of external functions and their derivatives.
//!
//! In: the function, its orders of differentiation, and the spellings of the arguments. Out: text and LaTeX.

use super::{Call, Source};

impl Call {
    /// The call in plain text: `mu(x)`, `mu''(x)`, `rho_[1, 0](p, T)`; for an input, `der(u, 2)`.
    pub(in crate::expr) fn text(&self, arguments: &[&str]) -> String {
        let name = &self.function.name;
        let list = arguments.join(", ");
        match (&self.function.source, &*self.orders) {
            (Source::Input | Source::Supplied(_), [0]) => name.clone(),
            (Source::Input | Source::Supplied(_), [1]) => format!("der({name})"),
            (Source::Input | Source::Supplied(_), [n]) => format!("der({name}, {n})"),
            (_, [n @ 0..=3]) => format!("{name}{}({list})", "'".repeat(*n as usize)),
            (_, orders) if orders.iter().all(|&n| n == 0) => format!("{name}({list})"),
            (_, orders) => format!("{name}_{orders:?}({list})"),
        }
    }

    /// The marks of the orders of differentiation: `″`, `(4)`, `(1, 0)`.
    pub(in crate::expr) fn marks(&self) -> String {
        match &*self.orders {
            [n @ 0..=3] => ["", "′", "″", "‴"][*n as usize].to_string(),
            orders if orders.iter().all(|&n| n == 0) => String::new(),
            orders => {
                let orders: Vec<String> = orders.iter().map(u32::to_string).collect();
                format!("({})", orders.join(", "))
            }
        }
    }

    /// The call in LaTeX.
    pub(in crate::expr) fn latex(&self, arguments: &[&str]) -> String {
        let name = format!("\\operatorname{{{}}}", self.function.name.replace('_', "\\_"));
        let list = arguments.join(", ");
        let applied = |head: String| format!("{head}\\left({list}\\right)");
        match &*self.orders {
            [n @ 0..=3] => applied(format!("{name}{}", "'".repeat(*n as usize))),
            orders if orders.iter().all(|&n| n == 0) => applied(name),
            orders => {
                let orders: Vec<String> = orders.iter().map(u32::to_string).collect();
                applied(format!("{name}^{{({})}}", orders.join(",")))
            }
        }
    }
}

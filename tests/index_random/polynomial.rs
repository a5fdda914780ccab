//! Polynomials in jets, time, and sines, cosines and exponentials of time, with integer coefficients.
//!
//! In: polynomials that a generator builds. Out: their derivatives, substitutions and texts in the language, exactly,
//! by code that shares nothing with the code under test.

use std::collections::BTreeMap;
use std::fmt::Write;

/// What polynomials are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// $t$.
    Time,
    /// $\sin kt$.
    Sin(i64),
    /// $\cos kt$.
    Cos(i64),
    /// $e^{kt}$.
    Exp(i64),
    /// $x_j^{(k)}$.
    Jet {
        /// $j$.
        unknown: usize,
        /// $k$.
        order: u32,
    },
}

type Monomial = Vec<(Atom, u32)>;

/// A polynomial: coefficients by monomial, none of them zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Poly {
    terms: BTreeMap<Monomial, i64>,
}

impl Poly {
    pub(crate) fn zero() -> Self {
        Self::default()
    }

    pub(crate) fn constant(value: i64) -> Self {
        let mut sum = Self::zero();
        sum.add_term(Vec::new(), value);
        sum
    }

    pub(crate) fn atom(atom: Atom) -> Self {
        Poly { terms: BTreeMap::from([(vec![(atom, 1)], 1)]) }
    }

    /// $x_j^{(k)}$.
    pub(crate) fn jet(unknown: usize, order: u32) -> Self {
        Self::atom(Atom::Jet { unknown, order })
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    fn add_term(&mut self, monomial: Monomial, coefficient: i64) {
        if coefficient == 0 {
            return;
        }
        let sum = self.terms.entry(monomial.clone()).or_insert(0);
        *sum += coefficient;
        if *sum == 0 {
            self.terms.remove(&monomial);
        }
    }

    /// Adds `factor` times `other`.
    pub(crate) fn add_scaled(&mut self, factor: i64, other: &Poly) {
        for (monomial, coefficient) in &other.terms {
            self.add_term(monomial.clone(), factor * coefficient);
        }
    }

    pub(crate) fn plus(&self, other: &Poly) -> Poly {
        let mut sum = self.clone();
        sum.add_scaled(1, other);
        sum
    }

    pub(crate) fn minus(&self, other: &Poly) -> Poly {
        let mut sum = self.clone();
        sum.add_scaled(-1, other);
        sum
    }

    pub(crate) fn times(&self, other: &Poly) -> Poly {
        let mut product = Poly::zero();
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                product.add_term(multiply(left, right), a * b);
            }
        }
        product
    }

    pub(crate) fn scaled(&self, factor: i64) -> Poly {
        let mut sum = Poly::zero();
        sum.add_scaled(factor, self);
        sum
    }

    /// The total derivative with respect to time.
    pub(crate) fn derivative(&self) -> Poly {
        let mut sum = Poly::zero();
        for (monomial, coefficient) in &self.terms {
            for (place, &(atom, power)) in monomial.iter().enumerate() {
                let (inner, factor) = match atom {
                    Atom::Time => (None, 1),
                    Atom::Sin(k) => (Some(Atom::Cos(k)), k),
                    Atom::Cos(k) => (Some(Atom::Sin(k)), -k),
                    Atom::Exp(k) => (Some(Atom::Exp(k)), k),
                    Atom::Jet { unknown, order } => (Some(Atom::Jet { unknown, order: order + 1 }), 1),
                };
                let mut rest = monomial.clone();
                match power {
                    1 => drop(rest.remove(place)),
                    _ => rest[place].1 -= 1,
                }
                let inner: Monomial = inner.into_iter().map(|atom| (atom, 1)).collect();
                sum.add_term(multiply(&rest, &inner), coefficient * factor * i64::from(power));
            }
        }
        sum
    }

    /// The partial derivative with respect to an atom, the others held fixed.
    pub(crate) fn partial(&self, by: Atom) -> Poly {
        let mut sum = Poly::zero();
        for (monomial, coefficient) in &self.terms {
            let Some(place) = monomial.iter().position(|&(atom, _)| atom == by) else { continue };
            let power = monomial[place].1;
            let mut rest = monomial.clone();
            match power {
                1 => drop(rest.remove(place)),
                _ => rest[place].1 -= 1,
            }
            sum.add_term(rest, coefficient * i64::from(power));
        }
        sum
    }

    /// The polynomial with `values[j]` in place of $x_j$, and the derivatives of `values[j]` in place of those of
    /// $x_j$.
    pub(crate) fn substitute(&self, values: &[Poly]) -> Poly {
        let rates: Vec<Poly> = values.iter().map(Poly::derivative).collect();
        let mut sum = Poly::zero();
        for (monomial, &coefficient) in &self.terms {
            let mut product = Poly::constant(coefficient);
            for &(atom, power) in monomial {
                let factor = match atom {
                    Atom::Jet { unknown, order: 0 } => values[unknown].clone(),
                    Atom::Jet { unknown, order: 1 } => rates[unknown].clone(),
                    Atom::Jet { unknown, order } => (1..order).fold(rates[unknown].clone(), |f, _| f.derivative()),
                    Atom::Time | Atom::Sin(_) | Atom::Cos(_) | Atom::Exp(_) => Poly::atom(atom),
                };
                for _ in 0..power {
                    product = product.times(&factor);
                }
            }
            sum.add_scaled(1, &product);
        }
        sum
    }

    /// The polynomial with every $\cos^2 kt$ written as $1 - \sin^2 kt$.
    pub(crate) fn reduced(&self) -> Poly {
        let mut current = self.clone();
        loop {
            let square = current.terms.iter().find_map(|(monomial, &coefficient)| {
                let is_square = |&(atom, power): &(Atom, u32)| matches!(atom, Atom::Cos(_)) && power >= 2;
                monomial.iter().position(is_square).map(|place| (monomial.clone(), place, coefficient))
            });
            let Some((monomial, place, coefficient)) = square else { return current };
            current.terms.remove(&monomial);
            let mut rest = monomial.clone();
            let Atom::Cos(k) = rest[place].0 else { return current };
            match rest[place].1 {
                2 => drop(rest.remove(place)),
                _ => rest[place].1 -= 2,
            }
            current.add_term(multiply(&rest, &[(Atom::Sin(k), 2)]), -coefficient);
            current.add_term(rest, coefficient);
        }
    }

    /// The value at time `t` where $x_j^{(k)}$ is `jet(j, k)`.
    pub(crate) fn value(&self, t: f64, jet: impl Fn(usize, u32) -> f64) -> f64 {
        let atom_value = |atom| match atom {
            Atom::Time => t,
            Atom::Sin(k) => (k as f64 * t).sin(),
            Atom::Cos(k) => (k as f64 * t).cos(),
            Atom::Exp(k) => (k as f64 * t).exp(),
            Atom::Jet { unknown, order } => jet(unknown, order),
        };
        let product =
            |monomial: &Monomial| monomial.iter().map(|&(a, p)| atom_value(a).powi(p as i32)).product::<f64>();
        self.terms.iter().map(|(monomial, &coefficient)| coefficient as f64 * product(monomial)).sum()
    }

    /// The value at $t = 0$, where all atoms are integers; $x_j$ and its derivatives have the value `jet(j)`.
    pub(crate) fn value_at_zero(&self, jet: impl Fn(usize) -> i64) -> i64 {
        let atom_value = |atom| match atom {
            Atom::Time | Atom::Sin(_) => 0,
            Atom::Cos(_) | Atom::Exp(_) => 1,
            Atom::Jet { unknown, .. } => jet(unknown),
        };
        let product = |monomial: &Monomial| monomial.iter().map(|&(a, p)| i64::pow(atom_value(a), p)).product::<i64>();
        self.terms.iter().map(|(monomial, coefficient)| coefficient * product(monomial)).sum()
    }

    /// The coefficient of $x_j^{(k)}$ in a linear polynomial with constant coefficients.
    pub(crate) fn linear_coefficient(&self, unknown: usize, order: u32) -> i64 {
        self.terms.get(&vec![(Atom::Jet { unknown, order }, 1)]).copied().unwrap_or(0)
    }

    /// The jets $(j, k)$ that occur, sorted.
    pub(crate) fn jets(&self) -> Vec<(usize, u32)> {
        let mut jets: Vec<(usize, u32)> = Vec::new();
        for (atom, _) in self.terms.keys().flatten() {
            if let &Atom::Jet { unknown, order } = atom {
                jets.push((unknown, order));
            }
        }
        jets.sort_unstable();
        jets.dedup();
        jets
    }

    /// The polynomial in the language; `name(j)` is the name of $x_j$.
    pub(crate) fn text(&self, name: impl Fn(usize) -> String) -> String {
        if self.is_zero() {
            return "0".into();
        }
        let mut text = String::new();
        for (monomial, &coefficient) in &self.terms {
            let sign = match (coefficient < 0, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            text += sign;
            let mut factors: Vec<String> = Vec::new();
            if coefficient.abs() != 1 || monomial.is_empty() {
                factors.push(coefficient.abs().to_string());
            }
            for &(atom, power) in monomial {
                let mut factor = match atom {
                    Atom::Time => "t".to_string(),
                    Atom::Sin(k) => format!("sin({k}*t)"),
                    Atom::Cos(k) => format!("cos({k}*t)"),
                    Atom::Exp(k) => format!("exp({k}*t)"),
                    Atom::Jet { unknown, order: 0 } => name(unknown),
                    Atom::Jet { unknown, order: 1 } => format!("der({})", name(unknown)),
                    Atom::Jet { unknown, order } => format!("der({}, {order})", name(unknown)),
                };
                if power > 1 {
                    let _ = write!(factor, ".powi({power})");
                }
                factors.push(factor);
            }
            text += &factors.join("*");
        }
        text
    }
}

fn multiply(left: &[(Atom, u32)], right: &[(Atom, u32)]) -> Monomial {
    let mut product = left.to_vec();
    for &(atom, power) in right {
        match product.binary_search_by(|(other, _)| other.cmp(&atom)) {
            Ok(place) => product[place].1 += power,
            Err(place) => product.insert(place, (atom, power)),
        }
    }
    product
}

//! The prolongation of a model from that of an excerpt of it.
//!
//! In: a [`Prolonged`] whose lists have only the members of an excerpt, while its programs are already those of the
//! whole model. Out: a prolongation that lists all jets and equations, so that it can be run.

use std::cell::RefCell;
use std::collections::HashMap;

use dae_runtime::contract::{Jet, JetEquation, Pattern, ProlongationDescription};

use super::Prolonged;
use crate::model::{Domain, Numbering, Torn};
use crate::spelling::families::{Entry, listed, pattern_rows, whole};
use crate::structure::Offsets;

impl Prolonged {
    /// The prolongation of the whole model, whose offsets are `offsets`, and whose parameters are numbered by
    /// `parameters`. It has no index domains, and neither expressions nor positions of equations.
    ///
    /// # Errors
    /// If the members of the excerpt do not determine those left out.
    pub fn whole(&self, offsets: &Offsets, parameters: &Numbering) -> Result<Prolonged, Torn> {
        let first_jet = offsets.unknowns.iter().scan(0, |next, &d| {
            let first = *next;
            *next += d as usize + 1;
            Some(first)
        });
        let first_jet: Vec<usize> = first_jet.collect();
        let jets = self.whole_jets()?;
        let jet_places = Numbering::of(&self.jet_domains)?;
        if jets.len() != offsets.unknowns.iter().map(|&d| d as usize + 1).sum::<usize>() {
            return Err(Torn);
        }
        Ok(Prolonged {
            description: ProlongationDescription {
                model: self.description.model.clone(),
                jets: jets.into(),
                equations: self.whole_equations()?.into(),
                jacobian: whole_pattern(&self.description.jacobian, &self.equation_domains, &jet_places)?,
                jacobian_p: whole_pattern(&self.description.jacobian_p, &self.equation_domains, parameters)?,
                start_jacobian_p: whole_pattern(&self.description.start_jacobian_p, &self.jet_domains, parameters)?,
            },
            offsets: offsets.clone(),
            first_jet,
            jet_domains: Vec::new(),
            equation_domains: Vec::new(),
            positions: HashMap::new(),
            residuals: Vec::new(),
            residual: self.residual.clone(),
            jacobian: self.jacobian.clone(),
            jacobian_p: self.jacobian_p.clone(),
            start: self.start.clone(),
            start_jacobian_p: self.start_jacobian_p.clone(),
            // A model with initial equations is analysed as a whole.
            initial: None,
            boundary: None,
            events: None,
            parameters: self.parameters.clone(),
            parameter_enclosures: self.parameter_enclosures.clone(),
            scratch: RefCell::default(),
        })
    }

    fn whole_jets(&self) -> Result<Vec<Jet>, Torn> {
        let jets = self.jet_domains.iter().zip(self.description.jets.iter());
        let entries =
            listed(jets.map(|(of, jet)| (of, &*jet.name, (jet.order, jet.stage, jet.start, jet.nominal.to_bits()))))?;
        let total = Numbering::of(&self.jet_domains)?.total();
        whole(&entries, total, |name, &(order, stage, start, nominal), _| Jet {
            name: name.into(),
            order,
            stage,
            start,
            nominal: f64::from_bits(nominal),
        })
    }

    fn whole_equations(&self) -> Result<Vec<JetEquation>, Torn> {
        let total = Numbering::of(&self.equation_domains)?.total();
        whole(&self.listed_equations()?, total, |name, &(order, stage), places| JetEquation {
            name: name.into(),
            equation: places[1],
            order,
            stage,
        })
    }

    /// The equations, with order and stage as key; the second place is that of the equation of the text.
    pub(crate) fn listed_equations(&self) -> Result<Vec<Entry<'_, (u32, i32)>>, Torn> {
        let equations = self.equation_domains.iter().zip(self.description.equations.iter());
        let mut entries = listed(equations.clone().map(|(of, e)| (of, &*e.name, (e.order, e.stage))))?;
        entries.iter_mut().zip(equations).for_each(|(entry, (_, equation))| entry.places.push(equation.equation));
        Ok(entries)
    }
}

/// The pattern of the whole model from that of an excerpt.
fn whole_pattern(pattern: &Pattern, rows: &[Domain], columns: &Numbering) -> Result<Pattern, Torn> {
    let entries = pattern_rows(pattern, rows, columns)?;
    let list = whole(&entries, Numbering::of(rows)?.total(), |_, _, places| places[1..].to_vec())?;
    let starts = std::iter::once(0).chain(list.iter().scan(0, |sum, row| {
        *sum += row.len();
        Some(*sum)
    }));
    Ok(Pattern {
        columns: columns.total(),
        row_starts: starts.collect::<Vec<_>>().into(),
        column_indices: list.concat().into(),
    })
}

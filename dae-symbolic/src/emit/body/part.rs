//! A part of a method: one block of a program, in its loops.
//!
//! In: a block with the ranges of its loops, and the names of its results. Out: statements that read every value from
//! its position and store every result at its position, with the mathematics of named results above them.

use std::collections::HashMap;

use super::super::items::docs;
use super::super::names::unique;
use super::super::rolled::{in_loops, word};
use super::comments::{is_altered, kind_of};
use super::layout::{assignment, set};
use super::{Body, Labels, Outputs, Slots};
use crate::program::affine::Affine;
use crate::program::{Instruction, Load};
use crate::spelling::indices::{index_names, spell};
use crate::spelling::lines::shortened;
use crate::spelling::rolled::generalised;

impl Body<'_> {
    /// The code of a block in its loops: every value is read, and every result stored, individually.
    pub(in crate::emit) fn finish_part(mut self, slots: &Slots, outputs: Outputs<'_>) -> String {
        let indices = index_names(self.block.domain.len());
        self.taken.extend(indices.iter().cloned());
        let mut code = String::new();
        let mut loaded: HashMap<Load<Affine>, String> = HashMap::new();
        for instruction in &self.block.instructions {
            let Instruction::Load(load) = instruction else { continue };
            let name = match load {
                Load::Time => self.names.time.clone(),
                Load::Total(place) => format!("{}[{}]", slots.totals, spell(place, &indices)),
                Load::Parameter(place) | Load::Y(place) | Load::Yp(place) => {
                    let written = generalised(|at| self.names.written(load, at), place, &self.block.domain);
                    let wanted = written.as_ref().map_or_else(|| "value".into(), |text| word(text, &indices));
                    let name = unique(&mut self.taken, &wanted);
                    if let Some(written) = written.filter(|it| is_altered(&name, &wanted, &it.text(&indices))) {
                        code.push_str(&docs(
                            [format!("`{name}` is {}{}", written.text(&indices), kind_of(load))],
                            "        ",
                        ));
                    }
                    code.push_str(&assignment(&name, &format!("{}[{}]", slots.of(load), spell(place, &indices))));
                    name
                }
            };
            loaded.insert(load.clone(), name);
        }
        let spelled = self.statements(&mut code, |_, load| loaded.get(load).cloned().unwrap_or_default());
        for total in &self.block.totals {
            let place = format!("{}[{}]", slots.totals, spell(&total.place, &indices));
            code.push_str(&format!("        {place} += {};\n", spelled[total.register].text));
        }
        for output in &self.block.outputs {
            let mut result = spelled[output.register].text.clone();
            if let Outputs::Named(labels) = outputs {
                let texts = |pick: fn(&(String, String)) -> &str| {
                    generalised(|at| labels.at(at).map(pick), &output.place, &self.block.domain)
                };
                code.push_str(&self.mathematics(labels, &output.place, &indices));
                let name = texts(|(name, _)| name).map_or_else(|| "row".into(), |name| word(&name, &indices));
                let name = unique(&mut self.taken, &name);
                code.push_str(&assignment(&name, &result));
                result = name;
            }
            code.push_str(&set(&format!("{}[{}]", slots.out, spell(&output.place, &indices)), &result));
        }
        in_loops(&self.block.domain, &code, "        ")
    }

    /// The mathematics of a result, as a comment: one text for all members of a family or, where their texts differ in
    /// more than numbers affine in the indices, that of the first with a remark; empty if there is no text.
    fn mathematics(&self, labels: &Labels, place: &Affine, indices: &[String]) -> String {
        let text = |at| labels.at(at).map(|(_, mathematics)| mathematics.as_str());
        if let Some(rolled) = generalised(text, place, &self.block.domain) {
            let text = rolled.text(indices);
            return if text.is_empty() { String::new() } else { docs([shortened(text)], "        ") };
        }
        let first: Vec<i64> = self.block.domain.iter().map(|range| range.start).collect();
        let text = usize::try_from(place.at(&first)).ok().and_then(text).filter(|text| !text.is_empty());
        text.map_or_else(String::new, |text| {
            docs([format!("{}, and likewise the others", shortened(text.to_string()))], "        ")
        })
    }
}

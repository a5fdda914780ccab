//! The recommended form, in the words of a report.
//!
//! In: a [`Recommendation`]. Out: data to be serialised, and sentences.

use crate::recommendation::{Conditioning, Measures, Other, Recommendation, short};

/// The recommended form, with the reason and what it rests on.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RecommendationReport {
    /// The form, such as `ggl`.
    pub form: String,
    /// The reason in a sentence.
    pub reason: String,
    /// The source of the recommendation.
    pub reference: String,
    /// The numbers that it rests on: rates at the start, per unit of time, and the obliqueness of the multipliers.
    pub measures: Option<Measures>,
    /// The conditioning constants of Ascher and Petzold (1993), sect. 2, for a linear problem.
    pub conditioning: Option<Conditioning>,
    /// Other methods, with their forms, and for what they are better.
    pub others: Vec<Other>,
}

impl RecommendationReport {
    pub(super) fn new(recommendation: Recommendation) -> Self {
        let Recommendation { form, reason, reference, measures, conditioning, others } = recommendation;
        RecommendationReport {
            form: form.to_string(),
            reason,
            reference: reference.to_string(),
            measures,
            conditioning,
            others,
        }
    }

    /// Headings and sentences.
    pub(super) fn sentences(&self) -> Vec<(&'static str, String)> {
        let mut list = vec![("recommended form", format!("{}: {} ({})", self.form, self.reason, self.reference))];
        if let Some(Measures { speed, decay, rotation, obliqueness, .. }) = &self.measures {
            let [speed, decay, rotation] = [*speed, *decay, *rotation].map(short);
            let oblique = obliqueness.map(|it| format!(", obliqueness of the multipliers {}", short(it)));
            let rates =
                format!("solution {speed}, decay of the frozen part {decay}, directions of the constraints {rotation}");
            list.push(("rates at the start", rates + &oblique.unwrap_or_default()));
        }
        if let Some(Conditioning { k1, k2, k3, k4, interval: (from, to) }) = &self.conditioning {
            let k4 = k4.map(|k4| format!(", K4 = {}", short(k4))).unwrap_or_default();
            let [k1, k2, k3] = [*k1, *k2, *k3].map(short);
            let constants = format!("K1 = {k1}, K2 = {k2}, K3 = {k3}{k4} for t from {from} to {to}");
            list.push(("conditioning", format!("{constants} (Ascher and Petzold 1993, sect. 2)")));
        }
        let others = self.others.iter().map(|Other { method, form, purpose, reference }| {
            ("also", format!("{method} on {form}, for {purpose} ({reference})"))
        });
        list.extend(others);
        list
    }
}

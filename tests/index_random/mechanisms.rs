//! Mechanisms, circuits and control problems from the literature with their rows permuted and combined, in other
//! coordinates.
//!
//! In: `mechanisms.txt`, models whose index and degrees of freedom are known from the literature named there. Out: the
//! same systems with rows multiplied by constants, functions of time or unknowns and added to others, one row scaled by
//! a factor that vanishes nowhere, unknowns of equal order replaced by unimodular combinations, and at times one
//! unknown shifted by a function of time: all of these operations are invertible. Other generators also append
//! dependent rows, or replace a row by a dependent or contradictory one.

use std::sync::OnceLock;

use crate::case::{Case, Truth};
use crate::hiding::combine_text;
use crate::random::Random;

/// A model in which `@x`, `@x'`, `@x''` and `@x'''` stand for the unknown `x` and its derivatives.
pub(crate) struct Template {
    pub(crate) name: String,
    truth: Truth,
    t0: f64,
    /// Lines before the variables: parameters, constants, inputs and functions.
    preamble: Vec<String>,
    /// `let` lines, which may contain unknowns.
    definitions: Vec<String>,
    unknowns: Vec<Unknown>,
    rows: Vec<String>,
}

struct Unknown {
    name: String,
    order: u32,
    start: f64,
    nominal: f64,
}

/// All templates, in the order of the file.
pub(crate) fn templates() -> &'static [Template] {
    static TEMPLATES: OnceLock<Vec<Template>> = OnceLock::new();
    TEMPLATES.get_or_init(|| include_str!("mechanisms.txt").split("\n== ").skip(1).map(parse).collect())
}

fn parse(text: &str) -> Template {
    let mut lines = text.lines();
    let name = lines.next().expect("a name").to_string();
    let mut template = Template {
        name,
        truth: Truth::IllPosed,
        t0: 0.0,
        preamble: Vec::new(),
        definitions: Vec::new(),
        unknowns: Vec::new(),
        rows: Vec::new(),
    };
    for line in lines.filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |word: &str| word.parse::<f64>().expect("a number");
        match words[0] {
            "index" => {
                template.truth =
                    Truth::WellPosed { index: number(words[1]) as u32, degrees: number(words[3]) as usize };
            }
            "t0" => template.t0 = number(words[1]),
            "var" => template.unknowns.push(Unknown {
                name: words[1].into(),
                order: 0,
                start: number(words[2]),
                nominal: words.get(3).map_or(1.0, |word| number(word)),
            }),
            "param" | "input" | "const" | "fn" => template.preamble.push(line.trim().into()),
            "let" => template.definitions.push(line.trim().into()),
            _ => template.rows.push(line.trim().trim_end_matches(';').into()),
        }
    }
    for unknown in &mut template.unknowns {
        let all = template.rows.join(" ") + &template.definitions.join(" ");
        let occurs = |marks: &str| all.contains(&format!("@{}{marks}", unknown.name));
        unknown.order = ["'''", "''", "'"].iter().find(|marks| occurs(marks)).map_or(0, |marks| marks.len() as u32);
    }
    template
}

/// An unknown of the template in terms of new ones: coefficients, and an offset with its derivatives.
struct Replacement {
    terms: Vec<(i64, usize)>,
    offset: Option<[&'static str; 4]>,
}

impl Template {
    /// Replacements of unknowns by unimodular combinations of new ones of equal order, at times one of them with an
    /// offset, and the start values of the new unknowns.
    fn replacements(&self, random: &mut Random) -> (Vec<Replacement>, Vec<f64>) {
        let n = self.unknowns.len();
        // x = T y: rows of T, and y = T^{-1} x by the inverse operations on the numbers.
        let mut rows: Vec<Vec<i64>> = (0..n).map(|i| (0..n).map(|j| i64::from(i == j)).collect()).collect();
        let mut values: Vec<f64> = self.unknowns.iter().map(|u| u.start).collect();
        let mut offsets: Vec<Option<[&'static str; 4]>> = vec![None; n];
        if random.once_in(3) {
            let i = random.below(n);
            let (offset, at_start) = match random.below(2) {
                0 => (["sin(t)", "cos(t)", "-sin(t)", "-cos(t)"], self.t0.sin()),
                _ => (["(t/2)", "0.5", "0", "0"], self.t0 / 2.0),
            };
            offsets[i] = Some(offset);
            values[i] -= at_start;
        }
        for _ in 0..random.below(3) {
            let (i, j) = (random.below(n), random.below(n));
            if i == j || self.unknowns[i].order != self.unknowns[j].order {
                continue;
            }
            // T := T (I + c e_j e_i^T), y := (I - c e_j e_i^T) y.
            let c = *random.choose(&[-1, 1, 2]);
            for row in &mut rows {
                row[i] += c * row[j];
            }
            values[j] -= c as f64 * values[i];
        }
        let terms = |row: Vec<i64>| row.into_iter().enumerate().filter(|t| t.1 != 0).map(|(j, c)| (c, j)).collect();
        let replacements = rows.into_iter().zip(offsets).map(|(row, offset)| Replacement { terms: terms(row), offset });
        (replacements.collect(), values)
    }

    fn jet(&self, replacement: &Replacement, order: usize) -> String {
        let name = |j: usize| {
            let name = &self.unknowns[j].name;
            match order {
                0 => name.clone(),
                1 => format!("der({name})"),
                order => format!("der({name}, {order})"),
            }
        };
        let mut sum: Vec<String> = Vec::new();
        for &(c, j) in &replacement.terms {
            sum.push(if c == 1 { name(j) } else { format!("({c})*{}", name(j)) });
        }
        sum.extend(replacement.offset.map(|offset| offset[order].to_string()));
        if sum.len() == 1 { sum.remove(0) } else { format!("({})", sum.join(" + ")) }
    }

    /// The line with all `@x`, `@x'`, … replaced.
    fn expand(&self, line: &str, replacements: &[Replacement]) -> String {
        let mut result = String::new();
        let mut rest = line;
        while let Some(place) = rest.find('@') {
            result += &rest[..place];
            rest = &rest[place + 1..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let unknown = self.unknowns.iter().position(|u| u.name == rest[..end]);
            let unknown = unknown.unwrap_or_else(|| panic!("{}: no unknown {}", self.name, &rest[..end]));
            rest = &rest[end..];
            let order = rest.chars().take_while(|&c| c == '\'').count();
            rest = &rest[order..];
            result += &self.jet(&replacements[unknown], order);
        }
        result + rest
    }

    /// Factors by which rows may be multiplied before they are added to others.
    fn factors(&self, random: &mut Random, replacements: &[Replacement]) -> Vec<String> {
        let mut factors: Vec<String> = ["1", "-1", "2", "0.5", "-3"].map(String::from).to_vec();
        match random.below(3) {
            0 => factors.truncate(4),
            1 => factors.extend(["sin(t)", "1 + t", "cos(2*t)"].map(String::from)),
            _ => {
                for _ in 0..3 {
                    let unknown = random.below(self.unknowns.len());
                    factors.push(self.jet(&replacements[unknown], 0));
                }
            }
        }
        factors
    }

    /// The lines of the model before its equations.
    fn declarations(&self, replacements: &[Replacement], starts: &[f64]) -> Vec<String> {
        let mut lines = self.preamble.clone();
        for (unknown, start) in self.unknowns.iter().zip(starts) {
            let nominal =
                if unknown.nominal == 1.0 { String::new() } else { format!("#[nominal({:?})] ", unknown.nominal) };
            lines.push(format!("{nominal}var {} ~ {start:?};", unknown.name));
        }
        lines.extend(self.definitions.iter().map(|line| self.expand(line, replacements)));
        lines
    }

    /// The model without transformations.
    pub(crate) fn plain(&self) -> Case {
        let n = self.unknowns.len();
        let same: Vec<Replacement> = (0..n).map(|j| Replacement { terms: vec![(1, j)], offset: None }).collect();
        let starts: Vec<f64> = self.unknowns.iter().map(|u| u.start).collect();
        let mut lines = self.declarations(&same, &starts);
        lines.extend(self.rows.iter().map(|row| format!("0 = {};", self.expand(row, &same))));
        Case::new(&lines, self.t0, self.truth)
    }
}

/// A mechanism under invertible transformations.
pub(crate) fn mechanisms(random: &mut Random) -> Case {
    transformed(random, 0)
}

/// A transformed mechanism with appended rows that are combinations of the others: more equations than unknowns, but
/// consistent.
pub(crate) fn redundant(random: &mut Random) -> Case {
    let appended = random.between(1, 2);
    transformed(random, appended)
}

fn transformed(random: &mut Random, appended: usize) -> Case {
    let template = random.choose(templates());
    let (replacements, starts) = template.replacements(random);
    let mut lines = template.declarations(&replacements, &starts);
    let rows: Vec<String> = template.rows.iter().map(|row| template.expand(row, &replacements)).collect();
    let factors = template.factors(random, &replacements);
    let count = random.between(0, 4);
    let mut rows = combine_text(random, rows, &factors, count);
    let scale = *random.choose(&["1", "1", "(2 + sin(t))", "4"]);
    let scaled = random.below(rows.len());
    rows[scaled] = format!("{scale}*({})", rows[scaled]);
    for _ in 0..appended {
        let (i, j) = (random.below(rows.len()), random.below(rows.len()));
        rows.push(format!("({})*({}) + ({})*({})", random.choose(&factors), rows[i], random.choose(&factors), rows[j]));
    }
    lines.extend(rows.into_iter().map(|row| format!("0 = {row};")));
    Case::new(&lines, template.t0, template.truth)
}

/// A mechanism with one of its equations replaced by a combination of the others, so that it is underdetermined; or by
/// a combination that contradicts them, with constants and functions of time as factors.
pub(crate) fn with_dependent_row(random: &mut Random) -> Case {
    let contradiction = random.once_in(3);
    with_dependent(random, contradiction, Factors::of_contradiction(contradiction))
}

/// A mechanism with a contradictory combination whose factors may contain unknowns: the contradiction may be evident
/// only where the other equations hold.
pub(crate) fn contradictory(random: &mut Random) -> Case {
    with_dependent(random, true, Factors::Any)
}

/// The factors by which rows are multiplied: any, or only constants and functions of time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Factors {
    Any,
    Constant,
}

impl Factors {
    fn of_contradiction(contradiction: bool) -> Self {
        if contradiction { Factors::Constant } else { Factors::Any }
    }
}

fn with_dependent(random: &mut Random, contradiction: bool, kind: Factors) -> Case {
    let template = random.choose(templates());
    let (replacements, starts) = template.replacements(random);
    let mut lines = template.declarations(&replacements, &starts);
    let mut rows: Vec<String> = template.rows.iter().map(|row| template.expand(row, &replacements)).collect();
    let mut factors = template.factors(random, &replacements);
    if kind == Factors::Constant {
        factors = ["1", "-1", "2", "0.5", "1 + t", "cos(2*t)"].map(String::from).to_vec();
    }
    random.shuffle(&mut rows);
    rows.pop();
    let (i, j) = (random.below(rows.len()), random.below(rows.len()));
    let contradiction = if contradiction { " + 1" } else { "" };
    rows.push(format!("{} + ({})*({}){contradiction}", rows[i], random.choose(&factors), rows[j]));
    let mut rows = combine_text(random, rows, &factors, 2);
    random.shuffle(&mut rows);
    lines.extend(rows.into_iter().map(|row| format!("0 = {row};")));
    Case::new(&lines, template.t0, Truth::IllPosed)
}

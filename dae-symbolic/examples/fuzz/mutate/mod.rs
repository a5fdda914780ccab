//! Inputs: texts of the tree with random changes, and models made up from nothing.
//!
//! In: the seed and the number of an execution. Out: its input. Most changes keep a model a model (`grammar.rs`), so that it reaches
//! the analysis; some know nothing of the language and are for the parser (`junk.rs`).

mod grammar;
mod invent;
mod junk;
mod words;

use crate::draw::Draw;

/// Longer inputs take the time of many.
const LONGEST: usize = 40_000;

/// Draws inputs.
pub(crate) struct Mutator {
    texts: Pool,
    /// Those that are accepted.
    models: Pool,
    seed: u64,
}

impl Mutator {
    pub(crate) fn new(texts: &[String], is_model: impl Fn(usize) -> bool, seed: u64) -> Self {
        let models = texts.iter().enumerate().filter(|(k, _)| is_model(*k)).map(|(_, text)| text.clone()).collect();
        Mutator { texts: Pool::new(texts.to_vec()), models: Pool::new(models), seed }
    }

    /// The input of an execution.
    pub(crate) fn input(&self, number: u64) -> String {
        let draw = &mut Draw::new(self.seed, number);
        let kind = draw.below(20);
        let mut text = match kind {
            0..4 => invent::model(draw),
            // The other texts reach the parser alone.
            4 => self.texts.draw(draw).to_string(),
            _ => self.models.draw(draw).to_string(),
        };
        // Few changes most of the time: many of them only ever reach the parser.
        let changes = *draw.pick(&[1, 1, 1, 1, 2, 2, 3, 6]);
        for _ in 0..changes {
            let way = draw.below(4);
            let other = if kind > 8 { self.models.draw(draw) } else { self.texts.draw(draw) };
            text = match (kind, way) {
                (4..7, 0..2) => junk::bytes(draw, &text),
                (5..8, _) => junk::pieces(draw, &text, other),
                (4 | 8, _) => junk::statements(draw, &text, other),
                _ => grammar::change(draw, &text, other),
            };
            if text.len() > LONGEST {
                let end = (0..=LONGEST).rev().find(|&k| text.is_char_boundary(k)).unwrap_or(0);
                text.truncate(end);
            }
        }
        text
    }
}

/// Texts, of which short ones are drawn more often: what a model costs grows faster than its length, and none is to take most of the time.
struct Pool {
    texts: Vec<String>,
    /// Sums of weights up to each.
    sums: Vec<u64>,
}

impl Pool {
    fn new(texts: Vec<String>) -> Pool {
        let mut sum = 0;
        let weight = |text: &String| 1 + 1_000_000_000_000 / (60 + text.len() as u64).pow(3);
        let sums = texts
            .iter()
            .map(|text| {
                sum += weight(text);
                sum
            })
            .collect();
        Pool { texts, sums }
    }

    fn draw(&self, draw: &mut Draw) -> &str {
        let place = draw.next() % self.sums.last().copied().unwrap_or(1);
        self.texts.get(self.sums.partition_point(|&sum| sum <= place)).map_or("", String::as_str)
    }
}

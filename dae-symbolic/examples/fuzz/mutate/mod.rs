//! Inputs: texts of the tree, and models made up from nothing, with random changes.
//!
//! In: the texts, the seed and the number of an execution. Out: the input of this execution. The changes of
//! `grammar.rs` mostly leave a model a model, so that it reaches the analysis; those of `junk.rs` disregard the
//! language and are for the parser. Shared by the driver and the target of `cargo fuzz`.

mod grammar;
mod invent;
mod junk;
mod words;

use crate::draw::Draw;

/// How an input was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// By changes without regard to the language.
    Text,
    /// By changes that mostly leave a model a model.
    Model,
}

/// The average number of inputs in twenty that are made for the parser; each takes at most a tenth of the time that one
/// of the others takes.
const TEXTS_OF_20: usize = 17;
/// The greatest length of an input in bytes: a longer one would take the time of many.
const LONGEST: usize = 40_000;

/// Draws inputs.
pub(crate) struct Mutator {
    texts: Pool,
    /// Those of the texts that are models.
    models: Pool,
    seed: u64,
}

impl Mutator {
    pub(crate) fn new(texts: &[String], is_model: impl Fn(usize) -> bool, seed: u64) -> Self {
        let models = texts.iter().enumerate().filter(|(k, _)| is_model(*k)).map(|(_, text)| text.clone()).collect();
        Mutator { texts: Pool::new(texts.to_vec()), models: Pool::new(models), seed }
    }

    /// The input of an execution, and how it was made.
    pub(crate) fn input(&self, number: u64) -> (String, Level) {
        let draw = &mut Draw::new(self.seed, number);
        let level = if draw.below(20) < TEXTS_OF_20 { Level::Text } else { Level::Model };
        // Few changes most of the time: a text with many of them hardly ever gets beyond the parser.
        let changes = *draw.pick(&[1, 1, 1, 1, 2, 2, 3, 6]);
        let kind = draw.below(6);
        let mut text = match (level, kind) {
            (Level::Text, 0 | 1) => self.texts.draw(draw).to_string(),
            (Level::Model, 0 | 1) => invent::model(draw),
            (Level::Text | Level::Model, _) => self.models.draw(draw).to_string(),
        };
        for _ in 0..changes {
            text = self.change(draw, level, kind, &text);
        }
        (text, level)
    }

    /// The given text with one change, which the seed determines, as `cargo fuzz` requires.
    #[allow(dead_code, reason = "the driver of this folder draws its texts itself")]
    pub(crate) fn changed(&self, text: &str, seed: u64) -> String {
        let draw = &mut Draw::new(self.seed, seed);
        let level = if draw.once_in(2) { Level::Text } else { Level::Model };
        let kind = draw.below(6);
        self.change(draw, level, kind, text)
    }

    fn change(&self, draw: &mut Draw, level: Level, kind: usize, text: &str) -> String {
        let way = draw.below(4);
        let other = if level == Level::Text { self.texts.draw(draw) } else { self.models.draw(draw) };
        let mut text = match (level, kind, way) {
            (Level::Text, 0..5, 0) => junk::bytes(draw, text),
            (Level::Text, 0..5, _) => junk::pieces(draw, text, other),
            (Level::Text, _, _) => junk::statements(draw, text, other),
            (Level::Model, _, _) => grammar::change(draw, text, other),
        };
        truncate(&mut text, LONGEST);
        text
    }
}

/// Shortens a text to at most `longest` bytes.
pub(crate) fn truncate(text: &mut String, longest: usize) {
    if text.len() > longest {
        let end = (0..=longest).rev().find(|&k| text.is_char_boundary(k)).unwrap_or(0);
        text.truncate(end);
    }
}

/// Texts, of which short ones are drawn more often: the cost of a model grows faster than its length, and no single one
/// is to take most of the time.
struct Pool {
    texts: Vec<String>,
    /// For each text, the sum of the weights up to and including its own.
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

//! A model that knows a few ideas: words of one idea are alike, whichever they are.
//!
//! Everything else of a text turns its vector a little, always the same way for the same text.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use consign_knowledge::{
    Calibration, EmbedError, Embedder, Language, Languages, Model, Query, Vector,
};

/// What the model is called.
pub const MODEL: &str = "ideas";

const IDEAS: [&[&str]; 6] = [
    &["refund", "money", "reimburse", "vertrag"],
    &["delay", "late", "wait"],
    &["price", "cost", "prix"],
    &["ship", "parcel", "deliver"],
    &["contract", "agreement"],
    &["cat", "kitten", "tom"],
];

/// The dimensions: each idea has some, the rest is for noise.
const DIMENSIONS: usize = 48;

pub struct Ideas {
    model: Model,
    /// How many texts may still be turned into vectors before it fails.
    left: AtomicUsize,
}

impl Default for Ideas {
    fn default() -> Self {
        Self::failing_after(usize::MAX)
    }
}

impl Ideas {
    /// One that fails from some text on.
    #[must_use]
    pub fn failing_after(texts: usize) -> Self {
        let knows = Languages::none().with(Language::English);
        let calibration =
            Calibration { offset: -6.0, coverage: 4.0, cosine: 10.0, knows, foreign: 0.05 };
        let model = Model { name: MODEL.to_owned(), dimensions: DIMENSIONS, calibration };
        Self { model, left: AtomicUsize::new(texts) }
    }

    /// Lets it work again.
    pub fn mend(&self) {
        self.left.store(usize::MAX, Ordering::Relaxed);
    }

    fn numbers(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let count = |left: usize| left.checked_sub(1);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count).is_err() {
            return Err(EmbedError("the model of the test stopped".to_owned()));
        }
        let text = text.to_lowercase();
        let mut numbers = vec![0.0; DIMENSIONS];
        for (place, words) in IDEAS.iter().enumerate() {
            let uses = words.iter().map(|word| text.matches(word).count()).sum::<usize>();
            numbers[place] = uses as f32;
        }
        for (at, byte) in text.bytes().enumerate() {
            let place =
                IDEAS.len() + (usize::from(byte) * 31 + at * 7) % (DIMENSIONS - IDEAS.len());
            numbers[place] += 0.03;
        }
        // A text without letters has a direction too.
        numbers[DIMENSIONS - 1] += 0.01;
        Ok(numbers)
    }
}

#[async_trait]
impl Embedder for Ideas {
    fn model(&self) -> &Model {
        &self.model
    }

    async fn question(&self, text: &str) -> Result<Query, EmbedError> {
        Ok(Query::of(&self.numbers(text)?).expect("it has a direction"))
    }

    async fn passages(&self, texts: Vec<String>) -> Result<Vec<Vector>, EmbedError> {
        let vector =
            |text: &String| Ok(Vector::of(&self.numbers(text)?).expect("it has a direction"));
        texts.iter().map(vector).collect()
    }
}

//! A labelled set, and how well its passages are found.

use std::{error::Error, fs, path::Path};

use consign_embeddings::Arctic;
use consign_knowledge::{
    Ask, AskVector, Embedder, Filters, Language, Languages, Query, Signals, Stems, Term, Totals,
    Vector, rank, terms,
};
use serde::Deserialize;

/// The places of an answer that count.
const PLACES: usize = 10;

/// A set before it has vectors.
pub(super) struct Draft {
    pub(super) name: String,
    /// Whether calibrations are fitted to it; the others are for looking.
    pub(super) fitted: bool,
    pub(super) passages: Vec<Passage>,
    /// Each with the places of the passages that answer.
    pub(super) questions: Vec<(String, Vec<usize>)>,
}

pub(super) struct Passage {
    pub(super) headings: Vec<String>,
    pub(super) content: String,
}

#[derive(Deserialize)]
struct Line {
    passage: String,
    questions: Vec<String>,
}

pub(super) fn read(path: &Path) -> Result<Draft, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let lines: Vec<Line> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let (mut passages, mut questions) = (Vec::new(), Vec::new());
    for (answer, line) in lines.into_iter().enumerate() {
        passages.push(Passage { headings: Vec::new(), content: line.passage });
        questions.extend(line.questions.into_iter().map(|question| (question, vec![answer])));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Draft { name, fitted: true, passages, questions })
}

pub(super) struct Set {
    pub(super) name: String,
    pub(super) fitted: bool,
    passages: Vec<(Stems, Vector)>,
    pub(super) questions: Vec<Question>,
    pub(super) languages: Languages,
}

pub(super) struct Question {
    pub(super) text: String,
    pub(super) query: Query,
    /// The places of the passages that answer.
    pub(super) answers: Vec<usize>,
}

#[derive(Clone, Copy)]
pub(super) enum Way {
    Words,
    Vectors,
    Both,
}

impl Set {
    pub(super) async fn of(draft: Draft, model: &Arctic) -> Result<Self, Box<dyn Error>> {
        let all: Vec<&str> =
            draft.passages.iter().map(|passage| passage.content.as_str()).collect();
        let language = Language::of(&all.join("\n"));
        // As the index has it: a passage under its headings.
        let stems = draft.passages.iter().map(|Passage { headings, content }| {
            Stems::of(headings.iter().chain([content]).map(String::as_str), language)
        });
        let stems: Vec<_> = stems.collect();
        let texts = draft.passages.iter().map(|Passage { headings, content }| {
            if headings.is_empty() {
                return content.clone();
            }
            format!("{}\n{content}", headings.join(" > "))
        });
        let vectors = model.passages(texts.collect()).await?;
        let mut questions = Vec::new();
        for (text, answers) in draft.questions {
            let query = model.question(&text).await?;
            questions.push(Question { text, query, answers });
        }
        let passages = stems.into_iter().zip(vectors).collect();
        let languages = Languages::none().with(language);
        Ok(Self { name: draft.name, fitted: draft.fitted, passages, questions, languages })
    }

    /// What speaks for each passage.
    pub(super) fn signals(&self, question: &str, query: &Query) -> Vec<Signals> {
        let words = self.passages.iter().map(|(stems, _)| u64::from(stems.length())).sum();
        let totals = Totals { chunks: self.passages.len() as u64, words };
        let times = |stems: &Stems, term: &Term| -> u32 {
            term.alternatives().map(|word| stems.count(word)).sum()
        };
        let known: Vec<_> = terms(question, self.languages)
            .into_iter()
            .map(|term| {
                let having = self.passages.iter().filter(|(stems, _)| times(stems, &term) > 0);
                (totals.rarity(having.count() as u64), term)
            })
            .collect();
        let all: f64 = known.iter().map(|(rarity, _)| rarity).sum();
        let foreign = Arctic::about().calibration.is_foreign(self.languages);
        let of = |(stems, vector): &(Stems, Vector)| {
            let (mut bm25, mut covered) = (0.0, 0.0);
            for (rarity, term) in &known {
                let times = times(stems, term);
                if times > 0 {
                    bm25 += totals.score(*rarity, times, stems.length());
                    covered += rarity;
                }
            }
            let coverage = if covered > 0.0 { covered / all } else { 0.0 };
            let cosine = Some(query.cosine(vector.scale, &vector.parts));
            Signals { bm25, coverage, cosine, foreign }
        };
        self.passages.iter().map(of).collect()
    }

    /// The mean nDCG of all questions.
    pub(super) fn gain(&self, way: Way) -> f64 {
        let sum: f64 = self.questions.iter().map(|question| self.gain_of(question, way)).sum();
        sum / self.questions.len() as f64
    }

    fn gain_of(&self, question: &Question, way: Way) -> f64 {
        let calibration = Arctic::about().calibration;
        let model = || "m".to_owned();
        let vector = match way {
            Way::Words => None,
            Way::Vectors | Way::Both => {
                Some(AskVector { model: model(), query: question.query.clone(), calibration })
            }
        };
        let ask = Ask {
            question: question.text.clone(),
            vector,
            filters: Filters::default(),
            top_k: PLACES,
            min_relevance: 0.0,
        };
        let mut all = self.signals(&question.text, &question.query);
        for signals in &mut all {
            match way {
                Way::Words => signals.cosine = None,
                Way::Vectors => (signals.bm25, signals.coverage) = (0.0, 0.0),
                Way::Both => {}
            }
        }
        let ranked = rank(&ask, all.into_iter().enumerate().collect());
        let worth = |place: usize| 1.0 / (place as f64 + 2.0).log2();
        let found = ranked.iter().enumerate();
        let found = found.filter(|(_, (passage, _))| question.answers.contains(passage));
        let gain: f64 = found.map(|(place, _)| worth(place)).sum();
        gain / (0..PLACES.min(question.answers.len())).map(worth).sum::<f64>()
    }
}

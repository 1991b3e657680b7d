//! How well passages are found: nDCG@10 by words, by vectors and by both, and what scores of right and wrong answers
//! look like. `cargo run --release -p consign-embeddings --example retrieval FILE.jsonl…`
//!
//! A line of a file is `{"passage", "questions": […]}`; only this passage answers these questions. The model must be
//! installed.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]
#![expect(clippy::unwrap_used, reason = "it stops where it fails")]

use std::{env, fs};

use consign_embeddings::{Arctic, ModelFolder, Options};
use consign_knowledge::{
    Ask, AskVector, Calibration, Embedder, Filters, Language, Languages, Query, Signals, Stems,
    Totals, Vector, rank, terms,
};

struct Set {
    name: String,
    passages: Vec<(Stems, Vector)>,
    /// With the place of the passage that answers.
    questions: Vec<(String, Query, usize)>,
    languages: Languages,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = ModelFolder::find(env::var_os("CONSIGN_MODELS").as_deref()).unwrap();
    let model = Arctic::load(&folder, &Options::default()).unwrap();
    let mut sets = Vec::new();
    for path in env::args().skip(1) {
        sets.push(read(&path, &model).await);
    }
    println!("{:<12} {:>9} {:>6} {:>8} {:>6}", "set", "questions", "words", "vectors", "both");
    for set in &sets {
        let mean = |way| {
            let all = set.questions.iter().map(|question| gain(set, question, way));
            all.sum::<f64>() / set.questions.len() as f64
        };
        let (words, vectors, both) = (mean(Way::Words), mean(Way::Vectors), mean(Way::Both));
        println!(
            "{:<12} {:>9} {words:>6.3} {vectors:>8.3} {both:>6.3}",
            set.name,
            set.questions.len()
        );
    }
    // Right answers; and the best that there is where the answer is not, as a person would be shown it.
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for (place, set) in sets.iter().enumerate() {
        for (question, query, answer) in &set.questions {
            right.push(signals(set, question, query)[*answer]);
            let others = sets.iter().enumerate().filter(|(other, _)| *other != place);
            for (_, other) in others.filter(|(_, other)| other.languages == set.languages) {
                let all = signals(other, question, query);
                let best = |score: &dyn Fn(&Signals) -> f64| {
                    *all.iter().max_by(|a, b| score(a).total_cmp(&score(b))).unwrap()
                };
                wrong.push(best(&|one| one.coverage));
                wrong.push(best(&|one| f64::from(one.cosine.unwrap())));
            }
            let mut near = signals(set, question, query);
            near.remove(*answer);
            near.sort_by(|a, b| b.cosine.unwrap().total_cmp(&a.cosine.unwrap()));
            wrong.extend(&near[..1]);
        }
    }
    let shown = |name: &str, all: &[Signals]| {
        let quantiles = |score: &dyn Fn(&Signals) -> f64| {
            let mut all: Vec<f64> = all.iter().map(score).collect();
            all.sort_by(f64::total_cmp);
            [0.05, 0.25, 0.5, 0.75, 0.95]
                .map(|at| format!("{:.2}", all[(at * (all.len() - 1) as f64) as usize]))
                .join(" ")
        };
        println!(
            "{name}: coverage {}, cosine {}",
            quantiles(&|one| one.coverage),
            quantiles(&|one| f64::from(one.cosine.unwrap()))
        );
    };
    shown("right", &right);
    shown("wrong", &wrong);
    for (name, with_cosine) in [("words", false), ("both", true)] {
        let fitted = fit(&right, &wrong, with_cosine);
        println!("{name}: {fitted:?}");
        let share = |all: &[Signals], calibration: Calibration| {
            let found = all.iter().filter(|one| judge(calibration, one, with_cosine)).count();
            100.0 * found as f64 / all.len() as f64
        };
        let used = if with_cosine { Arctic::about().calibration } else { Calibration::TEXT };
        for (whose, calibration) in [("fitted", fitted), ("used", used)] {
            println!(
                "  {whose}: at 0.7, {:.0} % of right answers pass and {:.0} % of wrong ones",
                share(&right, calibration),
                share(&wrong, calibration),
            );
        }
    }
}

async fn read(path: &str, model: &Arctic) -> Set {
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let passages: Vec<String> =
        lines.iter().map(|line| line["passage"].as_str().unwrap().to_owned()).collect();
    let language = Language::of(&passages.join("\n"));
    let vectors = model.passages(passages.clone()).await.unwrap();
    let stems = passages.iter().map(|passage| Stems::of([passage.as_str()], language));
    let mut questions = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        for question in line["questions"].as_array().unwrap() {
            let question = question.as_str().unwrap().to_owned();
            let query = model.question(&question).await.unwrap();
            questions.push((question, query, place));
        }
    }
    let name = path.rsplit('/').next().unwrap_or(path).to_owned();
    Set {
        name,
        passages: stems.zip(vectors).collect(),
        questions,
        languages: Languages::none().with(language),
    }
}

fn signals(set: &Set, question: &str, query: &Query) -> Vec<Signals> {
    let words = set.passages.iter().map(|(stems, _)| u64::from(stems.length())).sum();
    let totals = Totals { chunks: set.passages.len() as u64, words };
    let times = |stems: &Stems, term: &consign_knowledge::Term| -> u32 {
        term.alternatives().map(|word| stems.count(word)).sum()
    };
    let known: Vec<_> = terms(question, set.languages)
        .into_iter()
        .map(|term| {
            let count = set.passages.iter().filter(|(stems, _)| times(stems, &term) > 0).count();
            (totals.rarity(count as u64), term)
        })
        .collect();
    let all: f64 = known.iter().map(|(rarity, _)| rarity).sum();
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
        Signals { bm25, coverage, cosine: Some(query.cosine(vector.scale, &vector.parts)) }
    };
    set.passages.iter().map(of).collect()
}

#[derive(Clone, Copy)]
enum Way {
    Words,
    Vectors,
    Both,
}

fn gain(set: &Set, (question, query, answer): &(String, Query, usize), way: Way) -> f64 {
    let vector = AskVector {
        model: "m".to_owned(),
        query: query.clone(),
        calibration: Arctic::about().calibration,
    };
    let vector = match way {
        Way::Words => None,
        Way::Vectors | Way::Both => Some(vector),
    };
    let ask = Ask {
        question: question.clone(),
        vector,
        filters: Filters::default(),
        top_k: 10,
        min_relevance: 0.0,
    };
    let mut all = signals(set, question, query);
    for signals in &mut all {
        match way {
            Way::Words => signals.cosine = None,
            Way::Vectors => (signals.bm25, signals.coverage) = (0.0, 0.0),
            Way::Both => {}
        }
    }
    let ranked = rank(&ask, all.into_iter().enumerate().collect());
    let place = ranked.iter().position(|(found, _)| found == answer);
    place.map_or(0.0, |place| 1.0 / (place as f64 + 2.0).log2())
}

fn judge(calibration: Calibration, signals: &Signals, with_cosine: bool) -> bool {
    let signals = Signals { cosine: signals.cosine.filter(|_| with_cosine), ..*signals };
    let query = Query::of(&[1.0]).unwrap();
    let (filters, question) = (Filters::default(), String::new());
    let vector = AskVector { model: String::new(), query, calibration };
    if with_cosine {
        let ask = Ask { question, vector: Some(vector), filters, top_k: 1, min_relevance: 0.7 };
        return ask.judge().finds(&signals);
    }
    calibration.offset + calibration.coverage * signals.coverage >= (0.7_f64 / 0.3).ln()
        && signals.coverage > 0.0
}

/// The logistic function that tells right from wrong best, both counted as equally many; by gradient descent.
fn fit(right: &[Signals], wrong: &[Signals], with_cosine: bool) -> Calibration {
    let row = |one: &Signals| {
        [1.0, one.coverage, if with_cosine { f64::from(one.cosine.unwrap()) } else { 0.0 }]
    };
    let weight = |all: &[Signals]| 0.5 / all.len() as f64;
    let rows: Vec<([f64; 3], f64, f64)> = right
        .iter()
        .map(|one| (row(one), 1.0, weight(right)))
        .chain(wrong.iter().map(|one| (row(one), 0.0, weight(wrong))))
        .collect();
    let mut weights = [0.0; 3];
    for _ in 0..400_000 {
        let mut slope = [0.0; 3];
        for (row, target, weight) in &rows {
            let sum: f64 = row.iter().zip(weights).map(|(a, b)| a * b).sum();
            let error = 1.0 / (1.0 + (-sum).exp()) - target;
            for (slope, value) in slope.iter_mut().zip(row) {
                *slope += weight * error * value;
            }
        }
        for (at, slope) in slope.iter().enumerate() {
            // A little is held against large weights, except for the offset.
            let held = if at == 0 { 0.0 } else { 2e-4 * weights[at] };
            weights[at] -= 1.5 * (slope + held);
        }
    }
    Calibration { offset: weights[0], coverage: weights[1], cosine: weights[2] }
}

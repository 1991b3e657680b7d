//! From what speaks for a chunk to its place in the answer and its `relevance_score`.
//!
//! Two questions, two measures. *Which is better?* is answered by the fused score: 0.6 of the cosine and 0.4 of BM25,
//! each as its distance from the mean of the candidates, in standard deviations; BM25 counts for less where no
//! candidate has much of the question. It says nothing about whether anything
//! fits. *Does it fit?* is answered by the [`Calibration`]: how much of the question a chunk covers, weighted by the
//! rarity of the words, and where there is a vector its cosine too. Its result lies between 0 and 1 and means the same
//! for each way of searching: of ten questions about something else entirely, one finds a chunk that reaches 0.7.
//!
//! The first measure orders, the second is compared with the minimum and shown. Where the two disagree about
//! neighbours, these share the mean of their scores, so that a better place never shows a lower score.

use crate::{index::Ask, language::Languages};

/// What speaks for a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signals {
    pub bm25: f64,
    /// The share of the question's words that it has, weighted by their rarity: 0 to 1.
    pub coverage: f64,
    /// Nothing while it has no vector.
    pub cosine: Option<f32>,
    /// Whether it is in a language that the model does not know.
    pub foreign: bool,
}

/// The weight of the cosine; that of BM25 is the rest.
const COSINE: f64 = 0.6;

/// The same for a chunk in a language that the model does not know.
const FOREIGN_COSINE: f64 = 0.4;

/// How many of the best by words, and of the best by vectors, are compared with each other.
pub(crate) const CANDIDATES: usize = 200;

/// How many places have their scores evened out, at least.
const EVENED: usize = 100;

/// How well a chunk fits, as a logistic function of what speaks for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    pub offset: f64,
    pub coverage: f64,
    pub cosine: f64,
    /// The languages that the model has learned.
    pub knows: Languages,
    /// How much higher cosines are in any other language: to a model that does not know it, its texts are all alike.
    pub foreign: f64,
}

impl Calibration {
    /// By words alone, fitted to the sets of `bench/data` by `consign-bench retrieval --fit`.
    pub const TEXT: Self =
        Self { offset: -1.70, coverage: 7.1, cosine: 0.0, knows: Languages::none(), foreign: 0.0 };

    /// Whether the model knows none of the languages of a document.
    #[must_use]
    pub fn is_foreign(&self, languages: Languages) -> bool {
        !languages.meets(self.knows)
    }

    /// How much speaks for it: the argument of the logistic function.
    fn weigh(&self, signals: &Signals, cosine: f64) -> f64 {
        let cosine = if signals.foreign { cosine - self.foreign } else { cosine };
        self.offset + self.coverage * signals.coverage + self.cosine * cosine
    }
}

/// Decides what counts as found, for one search.
#[derive(Clone, Copy, Debug)]
pub struct Judge<'a> {
    with_vectors: Option<&'a Calibration>,
    /// The minimum, before the logistic function: comparing there spares an exponential for each chunk.
    least: f64,
}

impl Judge<'_> {
    /// Whether a chunk counts as found.
    #[must_use]
    pub fn finds(&self, signals: &Signals) -> bool {
        self.weigh(signals).is_some_and(|weight| weight >= self.least)
    }

    /// How well a chunk fits, from 0 to 1: 0 where nothing speaks for it.
    #[must_use]
    pub fn relevance(&self, signals: &Signals) -> f64 {
        self.weigh(signals).map_or(0.0, |weight| 1.0 / (1.0 + (-weight).exp()))
    }

    fn weigh(&self, signals: &Signals) -> Option<f64> {
        match (signals.cosine, self.with_vectors) {
            (Some(cosine), Some(model)) => Some(model.weigh(signals, f64::from(cosine))),
            (_, _) if signals.coverage > 0.0 => Some(Calibration::TEXT.weigh(signals, 0.0)),
            (_, _) => None,
        }
    }
}

impl Ask {
    #[must_use]
    pub fn judge(&self) -> Judge<'_> {
        let least = (self.min_relevance / (1.0 - self.min_relevance)).ln();
        Judge { with_vectors: self.vector.as_ref().map(|vector| &vector.calibration), least }
    }

    /// How many of the best of each kind an index must give to [`rank`].
    #[must_use]
    pub fn candidates(&self) -> usize {
        CANDIDATES.max(self.top_k)
    }
}

/// The best of these, with their relevance, best first. `K` names a chunk and decides between equals.
#[must_use]
pub fn rank<K: Ord>(ask: &Ask, mut candidates: Vec<(K, Signals)>) -> Vec<(K, f64)> {
    candidates.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let (fused, judge) = (fuse(&candidates), ask.judge());
    let found = candidates.into_iter().zip(fused).filter(|((_, signals), _)| judge.finds(signals));
    let mut found: Vec<_> = found.collect();
    found.sort_by(|((a, _), x), ((b, _), y)| y.total_cmp(x).then_with(|| a.cmp(b)));
    found.truncate(EVENED.max(ask.top_k));
    let scores = found.iter().map(|((_, signals), _)| judge.relevance(signals));
    let scores = even_out(scores);
    let names = found.into_iter().map(|((name, _), _)| name);
    names.zip(scores).take(ask.top_k).collect()
}

fn fuse<K>(candidates: &[(K, Signals)]) -> Vec<f64> {
    let by_words = Spread::of(candidates.iter().map(|(_, signals)| signals.bm25));
    let cosines = || candidates.iter().filter_map(|(_, signals)| signals.cosine.map(f64::from));
    if cosines().next().is_none() {
        return candidates.iter().map(|(_, signals)| signals.bm25).collect();
    }
    let by_vector = Spread::of(cosines());
    // Where no candidate has much of the question, a word that one of them has by chance must not decide.
    let covered = candidates.iter().fold(0.0, |most: f64, (_, signals)| most.max(signals.coverage));
    let fuse = |(_, signals): &(K, Signals)| {
        // Without a vector it stands where the mean stands.
        let cosine = signals.cosine.map_or(0.0, |cosine| by_vector.distance(f64::from(cosine)));
        let share = if signals.foreign { FOREIGN_COSINE } else { COSINE };
        share * cosine + (1.0 - share) * covered * by_words.distance(signals.bm25)
    };
    candidates.iter().map(fuse).collect()
}

struct Spread {
    mean: f64,
    deviation: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let count = values.clone().count().max(1) as f64;
        let mean = values.clone().sum::<f64>() / count;
        let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        Self { mean, deviation: variance.sqrt() }
    }

    fn distance(&self, value: f64) -> f64 {
        if self.deviation > 1e-9 { (value - self.mean) / self.deviation } else { 0.0 }
    }
}

/// The falling row that is nearest to these: neighbours in the wrong order share their mean.
fn even_out(scores: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for score in scores {
        pools.push((score, 1));
        while let [.., (a, n), (b, m)] = pools.as_slice()
            && a < b
        {
            let count = n + m;
            let mean = (a * *n as f64 + b * *m as f64) / count as f64;
            pools.truncate(pools.len() - 2);
            pools.push((mean, count));
        }
    }
    pools.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{filter::Filters, index::AskVector, language::Language, vector::Query};

    fn ask(top_k: usize, min_relevance: f64) -> Ask {
        Ask {
            question: String::new(),
            vector: None,
            filters: Filters::default(),
            top_k,
            min_relevance,
        }
    }

    fn hybrid(top_k: usize, min_relevance: f64) -> Ask {
        let knows = Languages::none().with(Language::English);
        let calibration =
            Calibration { offset: -8.0, coverage: 4.0, cosine: 10.0, knows, foreign: 0.1 };
        let query = Query::of(&[1.0]).unwrap();
        let vector = Some(AskVector { model: "m".to_owned(), query, calibration });
        Ask { vector, ..ask(top_k, min_relevance) }
    }

    fn words(bm25: f64, coverage: f64) -> Signals {
        Signals { bm25, coverage, ..Signals::default() }
    }

    fn names(found: &[(u32, f64)]) -> Vec<u32> {
        found.iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn by_words_alone_bm25_orders_and_coverage_decides() {
        let all = vec![
            (1, words(1.0, 0.9)),
            (2, words(3.0, 0.9)),
            (3, words(2.0, 0.3)),
            (4, words(0.0, 0.0)),
        ];
        assert_eq!(names(&rank(&ask(9, 0.7), all.clone())), [2, 1]);
        assert_eq!(names(&rank(&ask(1, 0.7), all.clone())), [2]);
        assert_eq!(names(&rank(&ask(9, 0.0), all)), [2, 3, 1]);
    }

    #[test]
    fn a_word_and_a_meaning_count_together() {
        let of = |bm25, cosine| Signals {
            bm25,
            coverage: bm25 / 10.0,
            cosine: Some(cosine),
            foreign: false,
        };
        let all = vec![(1, of(0.0, 0.9)), (2, of(10.0, 0.3)), (3, of(8.0, 0.8)), (4, of(0.0, 0.2))];
        assert_eq!(names(&rank(&hybrid(9, 0.0), all)), [3, 1, 2, 4]);
    }

    #[test]
    fn what_has_no_vector_yet_is_judged_by_its_words() {
        let all = vec![
            (1, Signals { cosine: Some(0.2), ..Signals::default() }),
            (2, words(9.0, 1.0)),
            (3, words(0.0, 0.0)),
            (4, Signals { cosine: Some(0.95), ..Signals::default() }),
        ];
        let found = rank(&hybrid(9, 0.5), all);
        assert_eq!(names(&found), [2, 4]);
    }

    #[test]
    fn scores_never_rise_down_the_list() {
        assert_eq!(even_out([0.9, 0.7, 0.8, 0.1].into_iter()), [0.9, 0.75, 0.75, 0.1]);
        assert_eq!(even_out([0.0, 1.0, 0.5].into_iter()), [0.5, 0.5, 0.5]);
        assert_eq!(even_out(std::iter::empty()), [0.0; 0]);
    }

    #[test]
    fn equals_are_ordered_by_name() {
        let all = [3, 1, 2].map(|name| (name, words(1.0, 1.0)));
        assert_eq!(names(&rank(&ask(2, 0.7), all.to_vec())), [1, 2]);
    }

    #[test]
    fn by_words_the_default_minimum_asks_for_more_than_a_third_of_the_question() {
        let relevance = |coverage| ask(1, 0.7).judge().relevance(&words(1.0, coverage));
        assert!(relevance(1.0) > 0.95 && relevance(0.4) > 0.7);
        assert!(relevance(0.33) < 0.7 && relevance(0.0) == 0.0);
    }

    #[test]
    fn in_a_language_that_the_model_does_not_know_a_cosine_says_less() {
        let of = |foreign| Signals { cosine: Some(0.9), foreign, ..Signals::default() };
        let judge = |signals| hybrid(1, 0.7).judge().relevance(&signals);
        assert!((judge(of(true)) - 0.5).abs() < 1e-6 && judge(of(false)) > 0.7);
        let calibration = hybrid(1, 0.7).vector.unwrap().calibration;
        let german = Languages::none().with(Language::German);
        assert!(calibration.is_foreign(german) && calibration.is_foreign(Languages::none()));
        assert!(!calibration.is_foreign(german.with(Language::English)));
        // Words decide there sooner.
        let rows = |foreign| {
            let of = |bm25, cosine| Signals {
                bm25,
                coverage: bm25 / 10.0,
                cosine: Some(cosine),
                foreign,
            };
            rank(&hybrid(9, 0.0), vec![(1, of(0.0, 0.9)), (2, of(10.0, 0.3))])
        };
        assert_eq!((names(&rows(false)), names(&rows(true))), (vec![1, 2], vec![2, 1]));
    }

    proptest::proptest! {
        #[test]
        fn any_candidates_give_a_falling_list_within_bounds(
            all in proptest::collection::vec(
                (0.0..50.0_f64, 0.0..=1.0_f64, proptest::option::of(-1.0..1.0_f32), proptest::bool::ANY), 0..60
            ),
            top_k in 1..20_usize,
            least in 0.0..1.0_f64,
        ) {
            let signals = |(bm25, coverage, cosine, foreign)| Signals { bm25, coverage, cosine, foreign };
            let all: Vec<_> = all.into_iter().map(signals).enumerate().collect();
            let ask = hybrid(top_k, least);
            let count = all.iter().filter(|(_, signals)| ask.judge().finds(signals)).count();
            let found = rank(&ask, all);
            assert_eq!(found.len(), count.min(top_k));
            assert!(found.windows(2).all(|pair| pair[0].1 >= pair[1].1 - 1e-12));
            assert!(found.iter().all(|(_, score)| (least - 1e-9..=1.0).contains(score)));
        }
    }
}

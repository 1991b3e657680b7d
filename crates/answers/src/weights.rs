//! How much a word says: rare words say more.

use std::collections::BTreeMap;

/// The rarity of stems, from an index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    known: BTreeMap<String, f64>,
    /// Of a stem that no chunk has.
    unseen: f64,
}

/// Without an index every word that some passage has counts the same, and one that none has a little more: rarity among
/// five passages that were found for their words says nothing.
const FOUND: f64 = 1.0;
const NOT_FOUND: f64 = 1.3;

/// How rare a word is that none of 300 chunks has. In a smaller library every word seems common, and its rarity is taken as
/// if there were that many.
const SMALL: f64 = 6.4;

impl Weights {
    /// From an index: the rarity of stems (see `consign_knowledge::Totals`), and that of a stem which no chunk has.
    /// Values that are no numbers above 0 are left out.
    #[must_use]
    pub fn of(rarities: impl IntoIterator<Item = (String, f64)>, unseen: f64) -> Self {
        let sound = |rarity: &f64| rarity.is_finite() && *rarity > 0.0;
        let known = rarities.into_iter().filter(|(_, rarity)| sound(rarity));
        if !sound(&unseen) {
            return Self { known: known.collect(), unseen: NOT_FOUND };
        }
        // The logarithm of a product: so many more chunks without a word add the same to each.
        let more = (SMALL - unseen).max(0.0);
        let known = known.map(|(stem, rarity)| (stem, rarity + more)).collect();
        Self { known, unseen: unseen + more }
    }

    /// The weight of a word by its stems: that of the most common one.
    fn of_stems(&self, stems: &[String]) -> f64 {
        let known = stems.iter().filter_map(|stem| self.known.get(stem).copied());
        let least = known.fold(f64::INFINITY, f64::min);
        // Rare words count more, but no single word counts for everything.
        let rarity = if least.is_finite() { least } else { self.unseen };
        (rarity / self.unseen.max(1e-6)).clamp(0.08, 1.0).sqrt()
    }
}

/// The weight of a word, from the index where there is one.
pub(crate) fn weight(weights: Option<&Weights>, stems: &[String], found: bool) -> f64 {
    match weights {
        Some(weights) => weights.of_stems(stems),
        None if found => FOUND,
        None => NOT_FOUND,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more_and_unseen_ones_most() {
        let weights = Weights::of(
            [("day".to_owned(), 0.5), ("osmium".to_owned(), 6.0), ("bad".to_owned(), f64::NAN)],
            7.0,
        );
        let of = |stem: &str| weight(Some(&weights), &[stem.to_owned()], true);
        assert!(of("day") < of("osmium") && of("osmium") < of("nowhere"));
        assert_eq!(of("bad"), of("nowhere"));
        // Three chunks, of which one and all have a word.
        let small = Weights::of([("aurora".to_owned(), 0.98), ("team".to_owned(), 0.13)], 2.08);
        let of = |stem: &str| weight(Some(&small), &[stem.to_owned()], true);
        assert!(of("aurora") > 0.85 && of("team") > 0.7 && of("aurora") < of("nowhere"));
        assert!(weight(None, &[], true) < weight(None, &[], false));
    }
}

//! Languages whose words can be stemmed, and which of them a text is in.
//!
//! Guessing is left to `whatlang`. It is unsure about short texts, so a text that has only ASCII letters and is not
//! clearly something else counts as English. A question is never guessed at: it is stemmed in every language that the
//! documents have ([`Languages`]).

use rust_stemmers::Algorithm;
use whatlang::Lang;

/// A language of a text. `Other` has neither stems nor stop words here: its words are taken as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    #[default]
    Other,
    Arabic,
    Danish,
    Dutch,
    English,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Tamil,
    Turkish,
}

/// In the order of their numbers, which stores keep: add at the end only.
const ALL: [(Language, &str, Option<Algorithm>); 19] = [
    (Language::Other, "", None),
    (Language::Arabic, "ar", Some(Algorithm::Arabic)),
    (Language::Danish, "da", Some(Algorithm::Danish)),
    (Language::Dutch, "nl", Some(Algorithm::Dutch)),
    (Language::English, "en", Some(Algorithm::English)),
    (Language::Finnish, "fi", Some(Algorithm::Finnish)),
    (Language::French, "fr", Some(Algorithm::French)),
    (Language::German, "de", Some(Algorithm::German)),
    (Language::Greek, "el", Some(Algorithm::Greek)),
    (Language::Hungarian, "hu", Some(Algorithm::Hungarian)),
    (Language::Italian, "it", Some(Algorithm::Italian)),
    (Language::Norwegian, "no", Some(Algorithm::Norwegian)),
    (Language::Portuguese, "pt", Some(Algorithm::Portuguese)),
    (Language::Romanian, "ro", Some(Algorithm::Romanian)),
    (Language::Russian, "ru", Some(Algorithm::Russian)),
    (Language::Spanish, "es", Some(Algorithm::Spanish)),
    (Language::Swedish, "sv", Some(Algorithm::Swedish)),
    (Language::Tamil, "ta", Some(Algorithm::Tamil)),
    (Language::Turkish, "tr", Some(Algorithm::Turkish)),
];

/// How much of a text is looked at: three parts of this many bytes.
const PART: usize = 2_000;

impl Language {
    /// What a text is most likely written in.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let sample = sample(text);
        let Some(info) = whatlang::detect(&sample) else { return Self::Other };
        if !info.is_reliable() && sample.is_ascii() {
            return Self::English;
        }
        Self::known(info.lang())
    }

    /// The same question about a part of a text in `whole`: only a clear answer counts.
    #[must_use]
    pub(crate) fn of_part(text: &str, whole: Self) -> Self {
        const SHORT: usize = 300;
        if text.len() < SHORT {
            return whole;
        }
        match whatlang::detect(text) {
            Some(info) if info.is_reliable() => Self::known(info.lang()),
            Some(_) | None => whole,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others have no stems")]
    fn known(lang: Lang) -> Self {
        match lang {
            Lang::Ara => Self::Arabic,
            Lang::Dan => Self::Danish,
            Lang::Nld => Self::Dutch,
            Lang::Eng => Self::English,
            Lang::Fin => Self::Finnish,
            Lang::Fra => Self::French,
            Lang::Deu => Self::German,
            Lang::Ell => Self::Greek,
            Lang::Hun => Self::Hungarian,
            Lang::Ita => Self::Italian,
            Lang::Nob => Self::Norwegian,
            Lang::Por => Self::Portuguese,
            Lang::Ron => Self::Romanian,
            Lang::Rus => Self::Russian,
            Lang::Spa => Self::Spanish,
            Lang::Swe => Self::Swedish,
            Lang::Tam => Self::Tamil,
            Lang::Tur => Self::Turkish,
            _ => Self::Other,
        }
    }

    /// The two letters of ISO 639-1, empty for [`Language::Other`].
    #[must_use]
    pub fn code(self) -> &'static str {
        ALL[self as usize].1
    }

    pub(crate) fn algorithm(self) -> Option<Algorithm> {
        ALL[self as usize].2
    }
}

/// The beginning, the middle and the end: a title page or a list of names says little.
fn sample(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= 3 * PART {
        return text.into();
    }
    let part = |from: usize| {
        let from = text.floor_char_boundary(from);
        &text[from..text.ceil_char_boundary(from + PART).min(text.len())]
    };
    [part(0), part(text.len() / 2), part(text.len() - PART)].join("\n").into()
}

/// A set of languages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Languages(u32);

impl Languages {
    #[must_use]
    pub const fn none() -> Self {
        Self(0)
    }

    #[must_use]
    pub const fn with(self, language: Language) -> Self {
        Self(self.0 | 1 << language as u32)
    }

    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether one of these is among the others.
    #[must_use]
    pub const fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Language> {
        ALL.iter()
            .map(|(language, ..)| *language)
            .filter(move |one| self.0 & (1 << *one as u32) != 0)
    }

    /// As a number, for a store.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Back from the number. Languages that this version does not know are left out.
    #[must_use]
    pub fn from_bits(bits: u32) -> Self {
        Self(bits & ((1 << ALL.len()) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_in_its_language() {
        let check = |text: &str, language| assert_eq!(Language::of(text), language, "{text}");
        check(
            "The refund is paid within fourteen days after the goods have come back to us.",
            Language::English,
        );
        check(
            "Die Erstattung erfolgt innerhalb von vierzehn Tagen nach Eingang der Ware bei uns.",
            Language::German,
        );
        check(
            "Le remboursement est effectué dans les quatorze jours qui suivent le retour des marchandises.",
            Language::French,
        );
        check("Refunds: 14 days.", Language::English);
        check(
            "Возврат денег происходит в течение четырнадцати дней после получения товара.",
            Language::Russian,
        );
        check("退款将在收到货物后十四天内支付。", Language::Other);
        check("", Language::Other);
    }

    #[test]
    fn a_short_part_is_in_the_language_of_the_whole() {
        assert_eq!(Language::of_part("Total: 14", Language::German), Language::German);
        let english =
            "The refund is paid within fourteen days after the goods have come back to us. "
                .repeat(5);
        assert_eq!(Language::of_part(&english, Language::German), Language::English);
    }

    #[test]
    fn each_language_is_at_its_number() {
        for (number, (language, code, algorithm)) in ALL.iter().enumerate() {
            assert_eq!(*language as usize, number);
            assert_eq!((language.code(), language.algorithm()), (*code, *algorithm));
        }
        let both = Languages::none().with(Language::Turkish).with(Language::Other);
        assert_eq!(Languages::from_bits(both.bits()), both);
        assert_eq!(both.iter().collect::<Vec<_>>(), [Language::Other, Language::Turkish]);
        assert_eq!(Languages::from_bits(u32::MAX).iter().count(), ALL.len());
    }
}

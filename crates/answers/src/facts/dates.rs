//! Dates, as they are usually written in four languages.

use std::ops::Range;

use crate::{lists, phrase::Word};

/// A date, as far as it is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Date {
    pub(crate) year: Option<u32>,
    pub(crate) month: Option<u32>,
    pub(crate) day: Option<u32>,
    pub(crate) range: Range<usize>,
}

impl Date {
    /// Whether this date of a source says what a date of an answer says.
    pub(crate) fn says(&self, answer: &Self) -> bool {
        let agrees = |own: Option<u32>, said: Option<u32>| said.is_none() || own == said;
        agrees(self.year, answer.year)
            && agrees(self.month, answer.month)
            && agrees(self.day, answer.day)
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = u32> {
        [self.year, self.month, self.day].into_iter().flatten()
    }
}

/// The number of a month by its name, or by its first three letters.
pub(super) fn month(word: &str) -> Option<u32> {
    let at = |months: &[&str; 12]| {
        months.iter().position(|month| {
            *month == word
                || word.len() == 3 && month.is_ascii() && month.len() > 4 && month.starts_with(word)
        })
    };
    let found = lists::ALL.iter().find_map(|(_, lists)| at(&lists.months));
    let found = found.or_else(|| (word == "sept").then_some(8));
    found.and_then(|at| u32::try_from(at + 1).ok())
}

pub(super) fn find(text: &str, words: &[Word]) -> Vec<Date> {
    let mut dates: Vec<Date> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match numeric(text, words, at).or_else(|| named(text, words, at)) {
            Some((date, count)) => {
                dates.push(date);
                at += count;
            }
            None => at += 1,
        }
    }
    dates
}

/// `2024-03-15`, `15.03.2024`, `15/03/2024`.
fn numeric(text: &str, words: &[Word], at: usize) -> Option<(Date, usize)> {
    let first = words.get(at)?;
    // A number with points is one word.
    let whole: Vec<&str> = first.normal.split('.').collect();
    if let [day, month, year] = whole.as_slice() {
        let date =
            made(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?, first.range.clone());
        return Some((date?, 1));
    }
    let (second, third) = (words.get(at + 1)?, words.get(at + 2)?);
    let gap = |a: &Word, b: &Word| text.get(a.range.end..b.range.start).unwrap_or_default();
    let (one, two) = (gap(first, second), gap(second, third));
    if one != two || !matches!(one, "-" | "/" | ".") {
        return None;
    }
    let number = |word: &Word| word.normal.parse::<u32>().ok();
    let (a, b, c) = (number(first)?, number(second)?, number(third)?);
    let range = first.range.start..third.range.end;
    let date = if a > 31 {
        made(a, b, c, range)
    } else {
        made(c, b, a, range.clone()).or_else(|| made(c, a, b, range))
    };
    Some((date?, 3))
}

fn made(year: u32, month: u32, day: u32, range: Range<usize>) -> Option<Date> {
    let sound =
        (1000..2200).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    sound.then_some(Date { year: Some(year), month: Some(month), day: Some(day), range })
}

/// `15 March 2024`, `15. März`, `15 de marzo de 2024`, `March 15, 2024`, `March 2024`.
fn named(text: &str, words: &[Word], at: usize) -> Option<(Date, usize)> {
    let day = |word: &Word| {
        let digits = word.normal.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        digits.parse::<u32>().ok().filter(|day| (1..=31).contains(day) && digits.len() <= 2)
    };
    let year =
        |word: &Word| word.normal.parse::<u32>().ok().filter(|year| (1000..2200).contains(year));
    let skip = |from: usize| {
        let filler =
            words.get(from).is_some_and(|word| matches!(word.normal.as_str(), "de" | "of" | "del"));
        if filler { from + 1 } else { from }
    };
    let month_at = |at: usize| words.get(at).and_then(|word| month(&word.normal));
    let span = |to: usize| Some(words.get(at)?.range.start..words.get(to)?.range.end);
    let first = words.get(at)?;
    if let Some(day) = day(first) {
        let place = skip(at + 1);
        if let Some(month) = month_at(place) {
            let behind = skip(place + 1);
            let year = words.get(behind).and_then(year);
            let end = if year.is_some() { behind } else { place };
            return Some((
                Date { year, month: Some(month), day: Some(day), range: span(end)? },
                end - at + 1,
            ));
        }
    }
    let month = month_at(at)?;
    // "may" is a verb more often than a month.
    if !first.capital && first.normal == "may" {
        return None;
    }
    let next = words.get(at + 1);
    if let Some(day) = next.and_then(day)
        && text.get(first.range.end..words.get(at + 1)?.range.start) == Some(" ")
    {
        let year = words.get(at + 2).and_then(year);
        let end = if year.is_some() { at + 2 } else { at + 1 };
        return Some((
            Date { year, month: Some(month), day: Some(day), range: span(end)? },
            end - at + 1,
        ));
    }
    let behind = skip(at + 1);
    let year = words.get(behind).and_then(year);
    if year.is_none() && first.normal.len() <= 3 {
        return None;
    }
    let end = if year.is_some() { behind } else { at };
    Some((Date { year, month: Some(month), day: None, range: span(end)? }, end - at + 1))
}

#[cfg(test)]
mod tests {
    use crate::facts::Facts;

    #[test]
    fn dates_are_the_same_however_they_are_written() {
        let all = [
            "on 15 March 2024",
            "on March 15, 2024",
            "2024-03-15",
            "am 15. März 2024",
            "15.03.2024",
            "el 15 de marzo de 2024",
            "le 15 mars 2024",
            "15/03/2024",
            "the 15th of March 2024",
        ];
        for source in all {
            let facts = Facts::of(source);
            assert_eq!(facts.dates.len(), 1, "{source}: {facts:?}");
            for answer in all {
                assert!(facts.has_this_date(&Facts::of(answer).dates[0]), "{source} / {answer}");
            }
            assert!(facts.has_this_date(&Facts::of("in March 2024").dates[0]));
            assert!(!facts.has_this_date(&Facts::of("16 March 2024").dates[0]));
            assert!(!facts.has_this_date(&Facts::of("April 2024").dates[0]));
        }
    }

    #[test]
    fn other_words_are_no_dates() {
        for text in ["You may go", "It is 1.5.2", "room 12", "99.99.9999"] {
            assert_eq!(Facts::of(text).dates, [], "{text}");
        }
    }
}

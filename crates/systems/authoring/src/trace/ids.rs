//! Test ids: `<subject>-<class>`, and `-2` for the second of its kind.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization as _;

use super::{
    scenario::{Case, Spec},
    words::{ACTOR_ADJECTIVES, ACTORS, ARTICLES, Class, NEGATIONS},
};

/// A subject is cut after the word that reaches this many characters.
const LONGEST_SUBJECT: usize = 60;

/// Gives out ids of one specification; none twice.
pub(super) struct Ids {
    subject: String,
    given: HashMap<Class, usize>,
}

impl Ids {
    pub(super) fn of(spec: &Spec) -> Self {
        let first = spec.scenarios.first().map(|scenario| without_actor(&scenario.name));
        let subject = spec.title.as_deref().map(slug).filter(|title| !title.is_empty());
        let subject = subject.or_else(|| first.map(|name| slug(&name))).unwrap_or_default();
        let subject = if subject.is_empty() { "spec".to_owned() } else { subject };
        Self { subject, given: HashMap::new() }
    }

    pub(super) fn next(&mut self, class: Class) -> String {
        let count = self.given.entry(class).or_default();
        *count += 1;
        let id = format!("{}-{}", self.subject, class.as_str());
        if *count == 1 { id } else { format!("{id}-{count}") }
    }
}

/// The class of a case: what its name says, else what its steps say, else the happy path.
pub(super) fn classify(case: &Case) -> Class {
    let steps = case.steps.get(case.background..).unwrap_or_default();
    class_of(&case.name).or_else(|| class_of(&steps.join(" . "))).unwrap_or(Class::HappyPath)
}

fn class_of(text: &str) -> Option<Class> {
    let words = words_of(text);
    let says = |class: &Class| class.words().iter().any(|phrase| found(&words, phrase, *class));
    [Class::Permission, Class::ErrorHandling, Class::EdgeCase].into_iter().find(says)
}

fn found(words: &[String], phrase: &str, class: Class) -> bool {
    let phrase: Vec<&str> = phrase.split(' ').collect();
    let denied = |at: usize| {
        let before = &words[at.saturating_sub(2)..at];
        before.iter().any(|word| NEGATIONS.contains(&word.as_str()) || word.ends_with("n't"))
    };
    words.windows(phrase.len()).enumerate().any(|(at, here)| {
        here.iter().zip(&phrase).all(|(word, wanted)| word == wanted)
            && (class == Class::Permission || !denied(at))
    })
}

/// Words in small letters. A full stop is a word of its own, so that no phrase goes over it.
fn words_of(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('’', "'");
    let within = |c: char| !(c.is_alphanumeric() || c == '\'' || c == '.');
    let words = text.split(within).flat_map(|word| match word.strip_suffix('.') {
        Some(word) => [word, "."],
        None => [word, ""],
    });
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn without_actor(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let is = |list: &[&str], word: &&str| list.contains(&word.to_lowercase().as_str());
    let mut rest = &words[..];
    if let Some((first, after)) = rest.split_first()
        && is(ARTICLES, first)
    {
        rest = after;
    }
    while let Some((first, after)) = rest.split_first()
        && is(ACTOR_ADJECTIVES, first)
    {
        rest = after;
    }
    let before = rest.len();
    while let Some((first, after)) = rest.split_first()
        && is(ACTORS, first)
    {
        rest = after;
    }
    if rest.is_empty() || rest.len() == before { name.to_owned() } else { rest.join(" ") }
}

/// Small letters and digits, in words with `-` between them. Accents of Latin letters are dropped.
fn slug(text: &str) -> String {
    let text: String = text.nfkd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).nfc().collect();
    let text = text.to_lowercase().replace(['\'', '’'], "");
    let mut slug = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.extend(word.chars().take(LONGEST_SUBJECT));
        if slug.chars().count() >= LONGEST_SUBJECT {
            break;
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_has_no_actor_and_no_accent() {
        for (name, expected) in [
            ("User login", "login"),
            ("The registered user resets a password", "resets-a-password"),
            ("Admin user sees Café's menu", "sees-cafes-menu"),
            ("User", "user"),
            ("The login page", "the-login-page"),
            ("登录 页面", "登录-页面"),
        ] {
            assert_eq!(slug(&without_actor(name)), expected, "{name}");
        }
    }

    #[test]
    fn a_class_follows_the_words_of_the_name_and_then_of_the_steps() {
        for (name, steps, expected) in [
            ("User login", "they enter valid credentials", Class::HappyPath),
            ("Invalid password", "", Class::ErrorHandling),
            ("Login", "Then they see an error message", Class::ErrorHandling),
            ("Login", "Then no error is shown", Class::HappyPath),
            ("Login", "it doesn't fail", Class::HappyPath),
            ("Upload an empty file", "Then an error is shown", Class::EdgeCase),
            ("A guest is not allowed to delete", "an error", Class::Permission),
            ("Without permission", "", Class::Permission),
            ("Page not found", "", Class::ErrorHandling),
            ("Report", "as long as it takes", Class::HappyPath),
        ] {
            let case = Case { name: name.to_owned(), steps: vec![steps.to_owned()], background: 0 };
            assert_eq!(classify(&case), expected, "{name}: {steps}");
        }
    }
}

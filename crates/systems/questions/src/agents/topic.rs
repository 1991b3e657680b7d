//! The topic of a question, in words that can be searched for.
//!
//! Each content word becomes a [`Group`]: its stem, and what else the thing may be called. How far
//! "else" reaches is the level: it grows each time that the critic sends the question back.

use consign_code::Term;
use consign_contracts::json::{Json, Object};

use super::{
    Brief,
    entities::{self, Entity, EntityKind},
    glossary,
    intent::spelling,
    json, perception, words,
};

/// What a question is about.
pub(super) struct Topic {
    /// The question as it was made regular.
    pub(super) text: String,
    pub(super) groups: Vec<Group>,
    /// Names that the question gives, as they were written.
    pub(super) symbols: Vec<String>,
    pub(super) paths: Vec<Path>,
    /// Quoted words, flags and routes: looked for as they stand.
    pub(super) phrases: Vec<String>,
    /// From 0: how far to look for other words.
    pub(super) level: usize,
    /// What "it" was taken for: the subject of an earlier question of the session.
    pub(super) taken_for: Option<String>,
    /// Words that are spelled otherwise here: `midleware`, `middleware`.
    pub(super) respelled: Vec<String>,
    /// It asks where something is done, which is in functions.
    pub(super) acts: bool,
    /// It asks for a value, which constants have.
    pub(super) value: bool,
}

pub(super) struct Path {
    pub(super) text: String,
    pub(super) line: Option<u64>,
}

/// One thing, and what it may be called.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) word: String,
    pub(super) stem: String,
    /// Other names, nearest first.
    pub(super) kin: Vec<String>,
    pub(super) weight: f64,
}

/// What a word is worth that code is hardly written in.
const FOREIGN: f64 = 0.4;

/// What a verb is worth beside the thing that it is done to.
const ACTION: f64 = 0.35;

/// Beyond this nothing broader is known.
pub(super) const BROADEST: usize = 2;

impl Topic {
    pub(super) fn of(brief: &Brief) -> Self {
        let raw = brief.text("raw_input").unwrap_or_default();
        let (mut text, mut entities, mut terms, mut foreign) = match brief.output("perception") {
            // What perception saw may have been written by a model, and then has fewer members.
            Some(seen) if seen.get("terms").is_some() => (
                json::text(seen, "normalized_input").unwrap_or(raw).to_owned(),
                json::objects(seen, "entities").filter_map(entity).collect(),
                json::texts(seen, "terms"),
                json::texts(seen, "foreign_terms"),
            ),
            Some(seen) => {
                let again =
                    perception::perceive(json::text(seen, "normalized_input").unwrap_or(raw));
                (again.text, again.entities, again.terms, again.foreign)
            }
            None => {
                let seen = perception::perceive(raw);
                (seen.text, seen.entities, seen.terms, seen.foreign)
            }
        };
        if let Some(answer) =
            brief.text("clarification_response").filter(|it| !it.trim().is_empty())
        {
            // Who was asked what they meant has said it better the second time.
            let said = perception::perceive(answer);
            text = format!("{text} {}", said.text);
            entities = said.entities.into_iter().chain(entities).collect();
            terms = said.terms.into_iter().chain(terms).collect();
            foreign.extend(said.foreign);
        }
        let level = json::list(&brief.envelope, "prior_plans").len().min(BROADEST);
        let mut topic = Self::new(text, entities, &terms, level);
        topic.take_up(brief);
        let respelled = brief.output("intent").map(|intent| json::texts(intent, "respelled"));
        for pair in respelled.unwrap_or_default().chunks_exact(2) {
            topic.respell(&pair[0], &pair[1]);
        }
        topic.soften_action();
        if let Some(subject) = brief.output("intent").and_then(|intent| intent.get("subject")) {
            topic.settle(subject);
        }
        let weights = brief.output("intent").and_then(|intent| intent.get("weights"));
        match weights.and_then(Json::as_object) {
            Some(weights) => topic.weigh(weights),
            // Until it is known which of them are in the repository.
            None => {
                let groups = topic.groups.iter_mut();
                groups
                    .filter(|group| foreign.contains(&group.word))
                    .for_each(|group| group.weight *= FOREIGN);
            }
        }
        topic
    }

    /// Of "where is the port configured?" the port is what counts.
    fn soften_action(&mut self) {
        let lower = self.text.to_lowercase();
        let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
        let first = words.next();
        // What happens is done by functions, whatever it happens to.
        self.acts = first == Some("when") || lower.starts_with("what happens");
        let is_where = first == Some("where");
        let last = words.rfind(|word| !word.is_empty()).unwrap_or_default();
        if !is_where || !perception::is_action(last) {
            return;
        }
        self.acts = true;
        if self.groups.len() > 1 {
            let action = self.groups.iter_mut().filter(|group| group.word == last);
            action.for_each(|group| group.weight *= ACTION);
        }
    }

    /// Takes out all names: the question is about the program as a whole.
    pub(super) fn name_nothing(&mut self) {
        self.symbols.clear();
        self.paths.clear();
        self.phrases.clear();
        self.groups.clear();
    }

    /// A word was meant for another; one that only asks is none to be looked for.
    pub(super) fn respell(&mut self, word: &str, meant: &str) {
        self.text = self.text.to_lowercase().replace(word, meant);
        self.respelled.extend([word.to_owned(), meant.to_owned()]);
        self.groups.retain(|group| group.word != word);
        if !spelling::says_nothing(meant) {
            self.add(meant, 1.0);
        }
    }

    /// "Who calls it?" is about what was asked before.
    fn take_up(&mut self, brief: &Brief) {
        let named = !self.symbols.is_empty() || !self.paths.is_empty() || !self.phrases.is_empty();
        if named || !refers_back(&self.text) {
            return;
        }
        let context = brief.output("perception").and_then(|seen| seen.get("context"));
        let history = context.and_then(|context| context.get("session_history")?.as_array());
        let questions = history.unwrap_or_default().iter().rev();
        let earlier = questions.filter_map(|turn| turn.get("question").and_then(Json::as_str));
        for question in earlier {
            let seen = perception::perceive(question);
            let before = Self::new(seen.text, seen.entities, &seen.terms, self.level);
            if before.is_empty() {
                continue;
            }
            self.taken_for = Some(before.title());
            (self.symbols, self.paths, self.phrases) =
                (before.symbols, before.paths, before.phrases);
            for group in before.groups {
                if self.groups.iter().all(|known| known.stem != group.stem) {
                    self.groups.push(group);
                }
            }
            return;
        }
    }

    /// What intent found out about the names: words that are names here, and names that are none.
    fn settle(&mut self, subject: &Json<'static>) {
        let Some(subject) = subject.as_object() else { return };
        self.symbols = json::texts(subject, "symbols");
        let paths = json::texts(subject, "paths");
        self.paths.retain(|path| paths.contains(&path.text));
        for path in paths {
            if self.paths.iter().all(|known| known.text != path) {
                self.paths.push(Path { text: path, line: None });
            }
        }
        self.drop_named();
    }

    /// A word that is a name is looked for as such, and not by its stem.
    pub(super) fn drop_named(&mut self) {
        let (symbols, text) = (&self.symbols, &self.text);
        let named = |word: &str| {
            symbols.iter().any(|name| {
                // A name that the question has only as words stands for all of them.
                let spelled_out = || words::parts(name).iter().any(|part| part == word);
                name.eq_ignore_ascii_case(word)
                    || !text.contains(words::last_name(name)) && spelled_out()
            })
        };
        self.groups.retain(|group| !named(&group.word));
    }

    /// Words that are everywhere in this repository say less than rare ones.
    fn weigh(&mut self, weights: &Object<'static>) {
        for group in &mut self.groups {
            if let Some(weight) = weights.get(&group.word).and_then(Json::as_number) {
                group.weight *= weight.as_f64().clamp(0.1, 1.0);
            }
        }
    }

    fn new(text: String, entities: Vec<Entity>, terms: &[String], level: usize) -> Self {
        let mut topic = Self {
            text,
            groups: Vec::new(),
            symbols: Vec::new(),
            paths: Vec::new(),
            phrases: Vec::new(),
            level,
            taken_for: None,
            respelled: Vec::new(),
            acts: false,
            value: false,
        };
        topic.value = asks_for_a_value(&topic.text);
        let mut slashed: Vec<String> = Vec::new();
        for entity in entities {
            match entity.kind {
                EntityKind::Path => {
                    // `HTTP/3` and `read/write` look like paths; their words are looked for as well.
                    if entities::is_maybe_words(&entity.text) {
                        slashed.push(entity.text.clone());
                    }
                    topic.paths.push(Path { text: entity.text, line: entity.line });
                }
                EntityKind::Symbol => topic.symbols.push(entity.text),
                EntityKind::Phrase | EntityKind::Flag | EntityKind::Route => {
                    topic.phrases.push(entity.text)
                }
                EntityKind::Url | EntityKind::Acronym => {}
            }
        }
        for text in slashed {
            let parts = words::parts(&text);
            topic.add(&parts.concat(), 0.8);
            parts.iter().filter(|part| part.len() > 2).for_each(|part| topic.add(part, 0.5));
        }
        for term in terms {
            topic.add(term, 1.0);
        }
        if level > 0 {
            let parts: Vec<String> =
                topic.symbols.iter().flat_map(|name| words::parts(name)).collect();
            parts.iter().filter(|part| part.len() > 2).for_each(|part| topic.add(part, 0.6));
        }
        topic
    }

    /// Adds a word unless one of its kin in grammar is there.
    pub(super) fn add(&mut self, word: &str, weight: f64) {
        let stem = words::stem(word);
        if self.groups.iter().any(|group| group.stem == stem) || word.is_empty() {
            return;
        }
        let most = [4, 8, 12][self.level.min(BROADEST)];
        let mut kin: Vec<String> =
            glossary::synonyms(word).into_iter().take(most).map(words::stem).collect();
        kin.extend(perception::apart(word));
        self.groups.push(Group { word: word.to_owned(), stem, kin, weight });
    }

    /// Whether there is anything that could be looked for.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
            && self.symbols.is_empty()
            && self.paths.is_empty()
            && self.phrases.is_empty()
    }

    /// The words for a survey, each once: names weigh most, other names of a thing least.
    pub(super) fn terms(&self) -> Vec<Term> {
        let mut terms: Vec<Term> = Vec::new();
        let mut add = |text: &str, weight: f64| {
            let text = text.trim().to_lowercase();
            if text.len() > 1
                && text.len() <= 200
                && terms.len() < 100
                && !text.contains('\n')
                && !terms.iter().any(|term| term.text == text)
            {
                terms.push(Term::new(text, weight));
            }
        };
        for name in &self.symbols {
            add(words::last_name(name), 3.0);
        }
        for phrase in &self.phrases {
            add(phrase, 3.0);
        }
        for group in &self.groups {
            add(&group.stem, group.weight);
        }
        let far = [0.25, 0.5, 0.7][self.level.min(BROADEST)];
        for group in &self.groups {
            for kin in &group.kin {
                add(kin, group.weight * far);
            }
        }
        terms
    }

    /// The thing in a few words, for sentences.
    pub(super) fn title(&self) -> String {
        let named: Vec<String> = self
            .symbols
            .iter()
            .chain(&self.phrases)
            .map(|name| format!("`{name}`"))
            .chain(self.paths.iter().map(|path| format!("`{}`", path.text)))
            .take(3)
            .collect();
        if !named.is_empty() {
            return named.join(" and ");
        }
        let said: Vec<&str> = self.groups.iter().take(4).map(|group| group.word.as_str()).collect();
        if said.is_empty() { "the code".to_owned() } else { said.join(", ") }
    }

    /// How well a name fits: 0 if it has nothing to do with it, about 1 for each group that it names.
    pub(super) fn fits(&self, name: &str) -> f64 {
        let parts = words::parts(name);
        let begins = |stem: &str| {
            parts.iter().any(|part| part == stem || stem.len() >= 4 && part.starts_with(stem))
        };
        let whole = joined(&parts);
        let mut score = 0.0;
        for group in &self.groups {
            if begins(&group.stem) {
                score += group.weight;
            } else if group.kin.iter().any(|kin| begins(kin)) {
                score += group.weight * [0.45, 0.6, 0.7][self.level.min(BROADEST)];
            } else if group.stem.len() >= 5 && whole.contains(&group.stem) {
                score += group.weight * 0.8;
            }
        }
        for symbol in &self.symbols {
            if words::last_name(symbol).eq_ignore_ascii_case(words::last_name(name)) {
                score += 2.0;
            }
        }
        score
    }

    /// Whether a name has every word of the question in it, and there are several.
    pub(super) fn covers(&self, name: &str) -> bool {
        let parts = words::parts(name);
        self.groups.len() > 1
            && self
                .groups
                .iter()
                .all(|group| parts.iter().any(|part| words::has_stem(part, &group.stem)))
    }

    /// How much of a name has to do with it, from 0 to 1: `login` is about a login, and
    /// `AdminLoginFormFactory` only in part.
    pub(super) fn precision(&self, name: &str) -> f64 {
        let parts = words::parts(name);
        let known = |part: &&String| {
            self.groups.iter().any(|group| {
                let mut names = std::iter::once(&group.stem).chain(&group.kin);
                names
                    .any(|stem| *part == stem || stem.len() >= 4 && part.starts_with(stem.as_str()))
            })
        };
        let whole = joined(&parts);
        if self.groups.iter().any(|group| group.stem == whole) {
            return 1.0;
        }
        parts.iter().filter(known).count() as f64 / parts.len().max(1) as f64
    }

    /// How much of the question a text mentions, in the same measure as [`Topic::fits`].
    pub(super) fn speaks(&self, text: &str) -> f64 {
        let lower = text.to_lowercase();
        let own: f64 = self
            .groups
            .iter()
            .filter(|group| lower.contains(&group.stem))
            .map(|group| group.weight)
            .sum();
        let named =
            self.symbols.iter().filter(|name| text.contains(words::last_name(name))).count();
        let quoted =
            self.phrases.iter().filter(|phrase| lower.contains(&phrase.to_lowercase())).count();
        own + 2.0 * (named + quoted) as f64
    }
}

/// Whether a question is after a number or a text that is set somewhere.
fn asks_for_a_value(text: &str) -> bool {
    const VALUE: &str = " default defaults maximum max minimum min limit limits timeout size capacity big large \
        standardwert höchstens maximal défaut maximale predeterminado máximo ";
    let lower = text.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
    let asks = ["what", "how", "which", "where"].iter().any(|ask| lower.starts_with(ask));
    asks && !lower.starts_with("how does")
        && !lower.starts_with("how do ")
        && words.any(|word| !word.is_empty() && VALUE.contains(&format!(" {word} ")))
}

/// Whether a question is about something that was named before.
fn refers_back(text: &str) -> bool {
    const BACK: &str = " it its that this these those they them es das dieses diese ";
    let lower = text.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| !word.is_empty() && BACK.contains(&format!(" {word} ")))
}

/// `check_out` and `checkOut` are both `checkout`.
fn joined(parts: &[String]) -> String {
    parts.concat()
}

fn entity(one: &Object<'static>) -> Option<Entity> {
    let kind = json::text(one, "kind")?;
    Some(Entity {
        text: json::text(one, "text")?.to_owned(),
        kind: EntityKind::ALL.into_iter().find(|known| known.name() == kind)?,
        line: json::whole(one, "line"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(question: &str, level: usize) -> Topic {
        let seen = perception::perceive(question);
        Topic::new(seen.text, seen.entities, &seen.terms, level)
    }

    #[test]
    fn a_name_fits_by_its_words() {
        let topic = topic("How is a connection checked out of the pool?", 0);
        assert!(topic.fits("checkOut") > 0.5);
        assert!(topic.fits("ConnectionPool.checkOut") > topic.fits("ConnectionPool"));
        assert!(topic.fits("ConnectionPool") > topic.fits("Connection"));
        assert!(topic.fits("parse") < 0.01);
    }

    #[test]
    fn each_level_reaches_further() {
        let near = topic("retry", 0);
        let far = topic("retry", 2);
        let weight = |topic: &Topic, text: &str| {
            topic.terms().iter().find(|term| term.text == text).map_or(0.0, |term| term.weight)
        };
        assert!(weight(&near, "backoff") < weight(&far, "backoff"));
    }

    #[test]
    fn terms_are_fit_for_a_survey() {
        let topic = topic("`a b` Foo::bar \"Foo::Bar\" foo FOO bar how the \"x\"", 1);
        let mut texts: Vec<String> = topic.terms().into_iter().map(|term| term.text).collect();
        let before = texts.len();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), before);
    }
}

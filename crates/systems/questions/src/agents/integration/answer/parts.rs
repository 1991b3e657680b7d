//! The answer to "how does it work": definitions in an order that can be followed.

use std::fmt::Write;

use super::{
    super::super::{
        super::tools::{Evidence, Role},
        topic::Topic,
        words,
    },
    AnswerText, PARTS, capital, files, list, named, sentence,
};

impl<'e> AnswerText<'e> {
    pub(super) fn parts(
        &mut self,
        topic: &Topic,
        evidence: &'e [Evidence],
        heading: &str,
        order: fn(&mut Vec<&Evidence>),
    ) {
        let quoted = self.quoted(topic, evidence);
        let all: Vec<&Evidence> =
            evidence.iter().filter(|one| one.role == Role::Definition).collect();
        let mut definitions: Vec<&Evidence> = Vec::new();
        for one in &all {
            if definitions.len() < PARTS && !definitions.iter().any(|known| same(known, one)) {
                definitions.push(one);
            }
        }
        if definitions.is_empty() {
            if !quoted {
                let _ = write!(
                    self.text,
                    "No definition has a name about {}; these lines mention it:\n\n",
                    topic.title()
                );
                evidence.iter().take(PARTS).for_each(|one| self.line(one));
            }
            return;
        }
        let files = files(&definitions);
        let main = definitions[0];
        let subject = match topic.groups.len() {
            1 if topic.symbols.is_empty() => capital(&topic.title()),
            _ if !topic.symbols.is_empty() => topic.title(),
            _ => "This".to_owned(),
        };
        // A definition that shares one word of three is hardly what was asked for.
        if topic.symbols.is_empty() && share(topic, main) < MAINLY {
            let nearest = topic.title();
            let _ =
                write!(self.text, "The closest match for {nearest} is in {}: ", list(&files, 3));
        } else {
            let _ = write!(self.text, "{subject} is mainly in {}: ", list(&files, 3));
        }
        self.say(&named(main));
        if let Some(note) = main.note.as_deref().filter(|note| !note.trim().is_empty()) {
            let _ = write!(self.text, " — {}", sentence(note).trim_end_matches('.'));
        }
        self.say(".\n\n");
        self.say(heading);
        self.text.push('\n');
        order(&mut definitions);
        for (at, one) in definitions.iter().enumerate() {
            self.part(Some(at + 1), one);
            if at < 3 || std::ptr::eq(*one, main) {
                self.quote(one, 3);
            }
            let others: Vec<&&Evidence> = all
                .iter()
                .filter(|other| !std::ptr::eq(**other, *one) && same(other, one))
                .take(3)
                .collect();
            if !others.is_empty() {
                let places: Vec<String> = others.iter().map(|other| other.location()).collect();
                let _ = writeln!(self.text, "   Also in {}.", places.join(", "));
                others.into_iter().for_each(|other| self.cite(other));
            }
        }
        let callers: Vec<&Evidence> =
            evidence.iter().filter(|one| one.role == Role::Call).take(4).collect();
        if !callers.is_empty() {
            self.say("\nWhere it is used:\n");
            callers.into_iter().for_each(|one| self.line(one));
        }
        let said: Vec<&Evidence> = evidence
            .iter()
            .filter(|one| one.role == Role::Mention && !files.contains(&one.path.as_str()))
            .take(2)
            .collect();
        if !said.is_empty() && !quoted {
            self.say("\nAlso mentioned here:\n");
            said.into_iter().for_each(|one| self.line(one));
        }
    }
}

/// The share of the question's words that a definition needs to count as an answer.
const MAINLY: f64 = 0.6;

/// The share of the question's words that a definition has in its name, its place or its
/// documentation.
fn share(topic: &Topic, one: &Evidence) -> f64 {
    let note = one.note.as_deref().unwrap_or_default();
    let name = one.symbol.as_deref().unwrap_or_default();
    let text = format!("{} {name} {note} {}", one.path, one.content);
    let parts = words::parts(&text);
    let has = |stem: &str| parts.iter().any(|part| words::has_stem(part, stem));
    let groups = topic.groups.iter();
    let there = groups.filter(|group| has(&group.stem) || group.kin.iter().any(|kin| has(kin)));
    there.count() as f64 / topic.groups.len().max(1) as f64
}

/// Whether two definitions are variants of one, such as for two platforms: the same name, and the
/// same documentation or text.
fn same(a: &Evidence, b: &Evidence) -> bool {
    let documented = a.note.as_deref().is_some_and(|note| !note.trim().is_empty());
    a.symbol.is_some()
        && a.symbol == b.symbol
        && a.kind == b.kind
        && (documented && a.note == b.note
            || a.content.lines().count() > 1 && a.content == b.content)
}

/// Puts callers before what they call, and otherwise keeps the order.
pub(super) fn order(definitions: &mut Vec<&Evidence>) {
    let mut ordered: Vec<&Evidence> = Vec::new();
    while !definitions.is_empty() {
        let calls = |a: &Evidence, b: &Evidence| {
            let name = b.symbol.as_deref().map(words::last_name).unwrap_or_default();
            let own = a.symbol.as_deref().map(words::last_name).unwrap_or_default();
            own != name && a.calls.iter().any(|called| called == name)
        };
        let free = definitions.iter().position(|one| {
            !definitions.iter().any(|other| !std::ptr::eq(*other, *one) && calls(other, one))
        });
        ordered.push(definitions.remove(free.unwrap_or(0)));
    }
    *definitions = ordered;
}

//! The answer to "where does this error come from": who raises it, and where its text is.

use std::fmt::Write;

use super::{
    super::super::{
        super::tools::{Evidence, Role},
        topic::Topic,
    },
    AnswerText, capital, files, list,
};

const SHOWN: usize = 8;

impl<'e> AnswerText<'e> {
    pub(super) fn problem(&mut self, topic: &Topic, evidence: &'e [Evidence]) {
        let quoted = self.quoted(topic, evidence);
        let own = |one: &&Evidence| !quoted || !has_phrase(topic, one);
        let raised: Vec<&Evidence> =
            evidence.iter().filter(|one| one.role == Role::Raise).filter(own).take(SHOWN).collect();
        let title = if topic.symbols.is_empty() && topic.phrases.is_empty() {
            capital(&topic.title())
        } else {
            topic.title()
        };
        if !raised.is_empty() {
            let lead = if quoted { "\nAlso raised in" } else { "" };
            let _ = match quoted {
                true => writeln!(self.text, "{lead} {}:", list(&files(&raised), 3)),
                false => writeln!(self.text, "{title} comes from {}.\n", list(&files(&raised), 3)),
            };
            raised.iter().for_each(|one| self.line(one));
        } else if !quoted {
            let spoken: Vec<&Evidence> =
                evidence.iter().filter(|one| one.role != Role::Definition).take(SHOWN).collect();
            let shown =
                if spoken.is_empty() { evidence.iter().take(SHOWN).collect() } else { spoken };
            let several = topic.symbols.is_empty() && topic.groups.len() > 1;
            let verb = if several { "are" } else { "is" };
            let _ = match topic.phrases.is_empty() {
                true => {
                    writeln!(
                        self.text,
                        "{title} {verb} mentioned in {}.\n",
                        list(&files(&shown), 3)
                    )
                }
                false => writeln!(self.text, "These lines have some of its words:\n"),
            };
            shown.into_iter().for_each(|one| self.line(one));
        }
        let named = evidence.iter().filter(|one| one.role == Role::Definition);
        if let Some(one) =
            named.filter(|_| !topic.symbols.is_empty()).find(|one| super::is_asked_for(topic, one))
        {
            self.say("\nIt is defined here:\n");
            self.part(None, one);
        }
    }

    /// Begins with the lines that contain the quoted text word for word. Says so where there are
    /// none, and returns whether there are any.
    pub(super) fn quoted(&mut self, topic: &Topic, evidence: &'e [Evidence]) -> bool {
        let phrases: Vec<&String> =
            topic.phrases.iter().filter(|phrase| phrase.trim().contains(' ')).collect();
        if phrases.is_empty() {
            return false;
        }
        let mut found: Vec<&Evidence> =
            evidence.iter().filter(|one| has_phrase(topic, one)).collect();
        // As it was quoted; in other letters only where there is nothing else.
        let exact =
            |one: &&Evidence| phrases.iter().any(|phrase| one.content.contains(phrase.trim()));
        if found.iter().any(exact) {
            found.retain(exact);
        }
        found.truncate(SHOWN);
        let said =
            phrases.iter().map(|phrase| format!("`{phrase}`")).collect::<Vec<_>>().join(" and ");
        if found.is_empty() {
            let _ = write!(
                self.text,
                "{said} is not in the code word for word: it may be built from parts, or come from elsewhere.\n\n"
            );
            return false;
        }
        let _ = writeln!(self.text, "{said} is in {}:\n", list(&files(&found), 3));
        found.into_iter().for_each(|one| {
            self.bare_line(one);
        });
        self.text.push('\n');
        true
    }
}

fn has_phrase(topic: &Topic, one: &Evidence) -> bool {
    let text = one.content.to_lowercase();
    topic.phrases.iter().any(|phrase| text.contains(&phrase.trim().to_lowercase()))
}

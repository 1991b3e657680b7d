//! The answer to "where is it defined". Only a definition with the name that was asked for counts
//! as the answer.

use std::fmt::Write;

use super::{
    super::super::{
        super::tools::{Evidence, Role},
        Brief,
        goals::Need,
        topic::Topic,
    },
    AnswerText, PARTS, has_name, is_asked_for, named, not_looked_for, sentence,
};

impl<'e> AnswerText<'e> {
    pub(super) fn definition(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let quoted = self.quoted(topic, evidence);
        let all: Vec<&Evidence> =
            evidence.iter().filter(|one| one.role == Role::Definition).collect();
        let title = topic.title();
        if all.is_empty() {
            if quoted {
                return;
            }
            let what = match not_looked_for(brief, Need::Definition) {
                true => format!("The definition of {title} was not looked for"),
                false => format!("No definition of {title} was found"),
            };
            let having: Vec<&Evidence> =
                evidence.iter().filter(|one| has_name(topic, one)).take(PARTS).collect();
            if having.is_empty() {
                let _ = write!(self.text, "{what}. Lines with some of its words:\n\n");
                return evidence.iter().take(PARTS).for_each(|one| self.bare_line(one));
            }
            let _ = write!(self.text, "{what}; these lines have the name:\n\n");
            return having.into_iter().for_each(|one| self.bare_line(one));
        }
        let (own, others): (Vec<&Evidence>, Vec<&Evidence>) =
            all.into_iter().partition(|one| is_asked_for(topic, one));
        let Some((first, again)) = own.split_first() else {
            self.say(&match topic.symbols.is_empty() {
                true => format!("The closest matches for {title}:\n\n"),
                false => format!("No definition of {title} was found. The closest matches:\n\n"),
            });
            for (at, one) in others.iter().take(PARTS).enumerate() {
                self.part(Some(at + 1), one);
                if at < 2 {
                    self.quote(one, 3);
                }
            }
            let said = evidence.iter().filter(|one| one.role == Role::Mention).take(4);
            let said: Vec<&Evidence> = said.collect();
            if !said.is_empty() {
                self.say("\nLines that mention it:\n");
                said.into_iter().for_each(|one| self.bare_line(one));
            }
            return;
        };
        let _ = write!(self.text, "{} is defined in {}", named(first), first.location());
        if let Some(note) = first.note.as_deref().filter(|note| !note.trim().is_empty()) {
            let _ = write!(self.text, ": {}", sentence(note).trim_end_matches('.'));
        }
        self.say(".\n");
        self.quote(first, 4);
        if !again.is_empty() {
            self.say("\nOther definitions of this name:\n");
            again.iter().take(PARTS).for_each(|one| self.part(None, one));
        }
        if !others.is_empty() && again.is_empty() {
            self.say("\nRelated:\n");
            others.iter().take(3).for_each(|one| self.part(None, one));
        }
    }
}

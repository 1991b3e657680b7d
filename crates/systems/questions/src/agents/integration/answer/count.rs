//! The answer to "how many". Without an exact count there is no number; what was found is shown
//! instead.

use std::fmt::Write;

use consign_contracts::json::Json;

use super::{
    super::super::{
        super::tools::{Evidence, Role},
        Brief,
        counting::Counted,
        goals::Need,
        json,
        topic::Topic,
    },
    AnswerText, LISTED, PARTS, capital, count_of, not_looked_for,
};

const SHOWN: usize = 15;

impl<'e> AnswerText<'e> {
    pub(super) fn count(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let asked = Counted::of(&topic.text);
        let counted =
            brief.output("execution").and_then(|it| it.get("counted")).and_then(Json::as_object);
        let Some(counted) = counted else {
            return self.uncounted(brief, topic, asked.as_ref(), evidence);
        };
        let total = json::whole(counted, "total").unwrap_or(0);
        let of = json::text(counted, "of").unwrap_or("matches");
        let at_least = if json::is_true(counted, "more") { "At least " } else { "" };
        let _ = write!(self.text, "{at_least}{total}, counting {of}.");
        if let Some(note) = json::text(counted, "note") {
            let _ = write!(self.text, " {}.", capital(note));
        }
        let marks = json::texts(counted, "marks");
        if !marks.is_empty() {
            let _ = write!(self.text, " Tests are {}.", marks.join("; "));
        }
        if counted.get("sure").and_then(Json::as_bool) == Some(false) {
            self.say(" The code does not tell whether they belong to this one or to another of that name.");
        }
        let unsure = json::whole(counted, "unsure").unwrap_or(0);
        if unsure > 0 {
            let others = count_of(unsure, "other use");
            let _ = write!(self.text, " {others} of that name may or may not belong to it.");
        }
        self.say("\n\n");
        // Only what was counted; the rest of what was found is something else.
        let places = json::texts(counted, "locations");
        let most = if asked.is_some_and(|asked| asked.list) { LISTED } else { SHOWN };
        let mut shown: Vec<&Evidence> = Vec::new();
        for one in
            places.iter().filter_map(|place| evidence.iter().find(|one| one.location() == *place))
        {
            if shown.len() < most && !shown.iter().any(|known| std::ptr::eq(*known, one)) {
                shown.push(one);
            }
        }
        shown.iter().for_each(|one| self.bare_line(one));
        // A line may have two of them.
        let told = places.iter().filter(|place| shown.iter().any(|one| one.location() == **place));
        if !shown.is_empty() {
            self.more(total, told.count());
        }
    }

    fn uncounted(
        &mut self,
        brief: &Brief,
        topic: &Topic,
        asked: Option<&Counted>,
        evidence: &'e [Evidence],
    ) {
        if not_looked_for(brief, Need::Count) {
            return self.say("This was not counted: the tools for it are not allowed here.\n");
        }
        let what = asked.map(|asked| asked.what.clone()).filter(|what| !what.is_empty());
        let what = what.unwrap_or_else(|| topic.title());
        let lead = match asked.is_some_and(|asked| asked.list) {
            true => format!("The code's structure does not tell which {what} are meant."),
            false if asked.is_some_and(|asked| asked.noun.is_some() && asked.said.is_empty()) => {
                format!(
                    "The code's structure does not tell which {what} are meant, so they cannot be counted."
                )
            }
            false => {
                format!("How many {what} there are cannot be counted from the code's structure.")
            }
        };
        self.say(&lead);
        // That there are files says nothing about it.
        let evidence = || evidence.iter().filter(|one| one.role != Role::Structure);
        if evidence().next().is_none() {
            return self.say("\n");
        }
        self.say(" What was found about it:\n\n");
        let defined = evidence().filter(|one| one.role == Role::Definition).take(PARTS);
        let defined: Vec<&Evidence> = defined.collect();
        let said = evidence().filter(|one| one.role != Role::Definition);
        defined.iter().for_each(|one| self.part(None, one));
        said.take(PARTS.saturating_sub(defined.len())).for_each(|one| self.bare_line(one));
    }
}

//! The answer to "which tests are there for it".

use std::fmt::Write;

use consign_contracts::json::Object;

use super::{
    super::super::{super::tools::Evidence, Brief, goals::Need, json, topic::Topic},
    AnswerText, LISTED, count_of, not_looked_for, results,
    usage::listed,
};

impl<'e> AnswerText<'e> {
    pub(super) fn tests(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let looked = results(brief, "outline").filter(|result| result.get("tests").is_some());
        let (mut none, mut told) = (Vec::new(), false);
        for result in looked {
            let of = which(result);
            let total = json::whole(result, "total").unwrap_or(0);
            if total == 0 {
                none.push(format!("tests{of}"));
                continue;
            }
            // What has all of the words need not be told again among those that have one.
            if told && of.contains("the words") {
                continue;
            }
            told = true;
            let least = if json::is_true(result, "more") { "At least " } else { "" };
            let _ = writeln!(self.text, "{least}{}{of}:\n", count_of(total, "test"));
            let found = listed(result, "tests", evidence);
            found.iter().take(LISTED).for_each(|one| self.part(None, one));
            self.more(total, found.len().min(LISTED));
            let marks = json::texts(result, "marks");
            let _ = writeln!(self.text, "\nTests are {}.\n", marks.join("; "));
        }
        if told {
            return;
        }
        if none.is_empty() {
            return match not_looked_for(brief, Need::Tests) {
                true => {
                    let _ = writeln!(self.text, "Tests of {} were not looked for.", topic.title());
                }
                false => self.nothing(brief, topic),
            };
        }
        let _ = writeln!(
            self.text,
            "No {} were found. Tests that do not have its name cannot be found.",
            none.join(", and no ")
        );
        let defined: Vec<&Evidence> =
            evidence.iter().filter(|one| super::is_asked_for(topic, one)).take(3).collect();
        if !defined.is_empty() {
            self.say("\nIt is defined here:\n");
            defined.into_iter().for_each(|one| self.part(None, one));
        }
    }
}

/// Describes which tests were searched for.
fn which(result: &Object<'static>) -> String {
    let mut of = String::new();
    let names: Vec<String> =
        json::texts(result, "mentions").iter().map(|name| format!("`{name}`")).collect();
    let words = json::texts(result, "words");
    if !names.is_empty() {
        of.push_str(&format!(" naming {}", names.join(" and ")));
    }
    if !words.is_empty() {
        of.push_str(&format!(" with the words {}", words.join(" and ")));
    }
    match json::text(result, "path") {
        None | Some("." | "") => {}
        Some(path) => of.push_str(&format!(" in {path}")),
    }
    of
}

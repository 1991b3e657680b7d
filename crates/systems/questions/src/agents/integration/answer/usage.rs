//! The answers to "where is it used" and "what extends or implements it".

use std::fmt::Write;

use consign_contracts::json::Object;

use super::{
    super::super::{
        super::tools::{Evidence, Role},
        Brief,
        goals::Need,
        json,
        topic::Topic,
        words,
    },
    AnswerText, LISTED, USES, capital, count_of, files, has_name, is_asked_for, list,
    not_looked_for, results,
};

impl<'e> AnswerText<'e> {
    pub(super) fn usage(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        if let (Some(path), true) = (topic.paths.first(), topic.symbols.is_empty()) {
            return self.taken_in(&path.text, evidence);
        }
        let mut uses: Vec<&Evidence> = evidence
            .iter()
            .filter(|one| matches!(one.role, Role::Call | Role::Usage | Role::Raise))
            .collect();
        // Who asks who calls it wants calls, and not imports of it.
        uses.sort_by_key(|one| one.role == Role::Usage);
        let title = if topic.symbols.is_empty() { capital(&topic.title()) } else { topic.title() };
        if uses.is_empty() && not_looked_for(brief, Need::Usage) {
            let _ = writeln!(self.text, "Uses of {} were not looked for.\n", topic.title());
        } else if uses.is_empty() {
            let said = evidence.iter().filter(|one| one.role == Role::Mention);
            let said: Vec<&Evidence> = said.filter(|one| has_name(topic, one)).take(8).collect();
            let _ = match said.is_empty() {
                true => writeln!(self.text, "No use of {} was found.\n", topic.title()),
                // Text, settings and comments may still be how it is used.
                false => writeln!(
                    self.text,
                    "No identifier has the name {}; these lines contain it as text:\n",
                    topic.title()
                ),
            };
            said.into_iter().for_each(|one| self.bare_line(one));
        } else {
            self.headline(brief, topic, &title, &uses);
            uses.iter().take(USES).for_each(|one| self.line(one));
            let all = totals(brief, topic).map_or(uses.len() as u64, |totals| totals.all);
            let shown = &uses[..uses.len().min(USES)];
            self.more(all, told(brief, shown));
        }
        self.defined_here(topic, evidence);
    }

    /// Where a file is imported, by its name: paths are written in too many ways to be followed.
    fn taken_in(&mut self, path: &str, evidence: &'e [Evidence]) {
        let stem = words::file_stem(path);
        let lines: Vec<&Evidence> = evidence
            .iter()
            .filter(|one| {
                one.role == Role::Mention && one.content.contains(stem) && one.path != path
            })
            .collect();
        if lines.is_empty() {
            let _ = writeln!(self.text, "No line was found that imports `{path}`.");
            return;
        }
        let _ = writeln!(self.text, "Lines that import something named `{stem}`:\n");
        lines.iter().take(LISTED).for_each(|one| self.bare_line(one));
        self.more(lines.len() as u64, lines.len().min(LISTED));
    }

    fn headline(&mut self, brief: &Brief, topic: &Topic, title: &str, uses: &[&Evidence]) {
        let files = files(uses);
        let Some(totals) = totals(brief, topic) else {
            let _ = writeln!(self.text, "{title} is used in {}.\n", list(&files, 4));
            return;
        };
        let least = if totals.more { "at least " } else { "" };
        let other = totals.all.saturating_sub(totals.calls);
        let how = match (totals.calls, other) {
            (0, other) => format!("is used in {least}{}", count_of(other, "place")),
            (calls, 0) => format!("is called in {least}{}", count_of(calls, "place")),
            (calls, other) => format!(
                "is called in {least}{} and otherwise used in {other}",
                count_of(calls, "place")
            ),
        };
        match totals.sure {
            true => {
                let _ = writeln!(self.text, "{title} {how}: {}.", list(&files, 4));
            }
            false => {
                let last = topic.symbols.first().map_or("", |name| words::last_name(name));
                let _ = writeln!(
                    self.text,
                    "No use is certain to be of {title}. Something named `{last}` {how}: {}.",
                    list(&files, 4)
                );
            }
        }
        if totals.unsure > 0 {
            let _ = writeln!(
                self.text,
                "{} of that name may or may not belong to it: the code does not tell.",
                count_of(totals.unsure, "other use")
            );
        }
        self.text.push('\n');
    }

    /// All definitions with the name. Of several, it is not known here which one is meant.
    fn defined_here(&mut self, topic: &Topic, evidence: &'e [Evidence]) {
        let defined: Vec<&Evidence> = evidence
            .iter()
            .filter(|one| one.role == Role::Definition)
            .filter(|one| topic.symbols.is_empty() || is_asked_for(topic, one))
            .collect();
        match defined[..] {
            [] => {}
            [one] => {
                self.say("\nIt is defined here:\n");
                self.part(None, one);
            }
            ref several => {
                self.say("\nThese definitions have the name:\n");
                several.iter().take(4).for_each(|one| self.part(None, one));
                if several.len() > 4 {
                    let _ = writeln!(self.text, "- and {} more", several.len() - 4);
                }
            }
        }
    }

    pub(super) fn implementers(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let looked = results(brief, "find_references")
            .filter(|result| result.get("implementers").is_some())
            .collect::<Vec<_>>();
        if looked.is_empty() {
            return match not_looked_for(brief, Need::Implementers) {
                true => {
                    let _ = writeln!(
                        self.text,
                        "Types that extend or implement {} were not looked for.",
                        topic.title()
                    );
                }
                false => self.nothing(brief, topic),
            };
        }
        for result in looked {
            let name = json::text(result, "name").unwrap_or_default();
            let total = json::whole(result, "total").unwrap_or(0);
            let found = listed(result, "implementers", evidence);
            if total == 0 {
                let _ =
                    writeln!(self.text, "Nothing was found that extends or implements `{name}`.");
            } else {
                let least = if json::is_true(result, "more") { "At least " } else { "" };
                let verb = if total == 1 { "extends or implements" } else { "extend or implement" };
                let _ = writeln!(
                    self.text,
                    "{least}{} {verb} `{name}` directly:\n",
                    count_of(total, "definition")
                );
                found.iter().take(LISTED).for_each(|one| self.bare_line(one));
                self.more(total, found.len().min(LISTED));
                if found.iter().any(|one| one.path.ends_with(".rs")) {
                    self.say(
                        "\nCode that macros generate is not in the text, and is not included.\n",
                    );
                }
            }
            if let Some(note) = json::text(result, "note") {
                let _ = writeln!(self.text, "{}.", capital(note));
            }
        }
        self.defined_here(topic, evidence);
    }

    /// How many of a list are not shown.
    pub(super) fn more(&mut self, total: u64, shown: usize) {
        if total > shown as u64 {
            let _ = writeln!(self.text, "- and {} more", total - shown as u64);
        }
    }
}

/// How many uses these lines have: one line may have two.
fn told(brief: &Brief, shown: &[&Evidence]) -> usize {
    let uses = results(brief, "find_references").flat_map(|it| json::objects(it, "references"));
    let mut places: Vec<(&str, u64)> = uses
        .filter_map(|one| Some((json::text(one, "path")?, json::whole(one, "line")?)))
        .filter(|place| shown.iter().any(|one| (one.path.as_str(), one.line as u64) == *place))
        .collect();
    let all = places.len();
    places.sort_unstable();
    places.dedup();
    shown.len() + all - places.len()
}

/// The evidence for what a result lists under a key, in the order of the list.
pub(super) fn listed<'e>(
    result: &Object<'static>,
    key: &str,
    evidence: &'e [Evidence],
) -> Vec<&'e Evidence> {
    let at = |one: &Object<'static>| {
        let path = json::text(one, "path")?;
        let line = json::whole(one, "line")?;
        evidence.iter().find(|known| known.path == path && known.line as u64 == line)
    };
    json::objects(result, key).filter_map(at).collect()
}

/// The totals of a search for uses, before anything was left out.
struct Totals {
    all: u64,
    calls: u64,
    unsure: u64,
    sure: bool,
    more: bool,
}

fn totals(brief: &Brief, topic: &Topic) -> Option<Totals> {
    let last = words::last_name(topic.symbols.first()?.split('(').next()?);
    let of_it = |result: &&Object<'static>| {
        json::text(result, "name").is_some_and(|name| words::last_name(name) == last)
    };
    let result = results(brief, "find_references").find(of_it)?;
    let all = json::whole(result, "total")?;
    Some(Totals {
        all,
        calls: json::whole(result, "calls").unwrap_or(0).min(all),
        unsure: json::whole(result, "unsure").unwrap_or(0),
        sure: result.get("sure").and_then(|sure| sure.as_bool()).unwrap_or(true),
        more: json::is_true(result, "more"),
    })
}

//! The steps for a question about changes: who, when, and why.

use consign_engine::Fault;

use super::{
    super::super::{intent::ground::ok, json::object},
    Planner, Step,
};

/// Words that are looked for in the messages of commits.
const SPOKEN_OF: usize = 3;
/// Lines of one definition that are asked about.
const MOST_LINES: usize = 99;

impl Planner<'_> {
    pub(super) fn history(&self) -> Result<(), Fault> {
        if let Some(author) = author(&self.topic.text) {
            self.add(Step::new(
                "git_log",
                object! { "author": &author, "limit": 20_u32 },
                format!("the commits of {author}"),
            ));
            return Ok(());
        }
        let places = self.places()?;
        // What was asked about first: the lines of a definition, or the line itself.
        for (path, from, to) in &places {
            self.add(blame(path, *from, (*to).min(from + MOST_LINES)));
        }
        for path in self.paths.iter().take(2) {
            if let Some(line) = self.line_of(path) {
                self.add(blame(path, line, line));
            }
            self.add(log(path, false));
            if asks_for_the_beginning(&self.topic.text) {
                self.add(log(path, true));
            }
            if places.is_empty() && self.line_of(path).is_none() && self.is_file(path)? {
                self.add(blame(path, 1, 40));
            }
        }
        for (path, _, _) in &places {
            self.add(log(path, false));
        }
        if self.topic.is_empty() {
            self.add(Step::new("git_log", object! { "limit": 10_u32 }, "the newest commits"));
        } else if self.topic.symbols.is_empty() && self.paths.is_empty() {
            for group in self.topic.groups.iter().take(SPOKEN_OF) {
                self.add(Step::new(
                    "git_log",
                    object! { "grep": &group.stem, "limit": 100_u32 },
                    format!("commits that mention {}", group.word),
                ));
            }
        }
        Ok(())
    }

    /// Where the definitions are that the question is about, with their lines.
    fn places(&self) -> Result<Vec<(String, usize, usize)>, Fault> {
        let mut places: Vec<(String, usize, usize)> = Vec::new();
        if let Some(view) = self.view.filter(|view| view.is_free("find_symbol")) {
            for name in self.topic.symbols.iter().take(2) {
                let bare = name.split('(').next().unwrap_or(name);
                let found =
                    ok(view.find_symbol(bare, None))?.map(|found| found.items).unwrap_or_default();
                let here = |path: &str| self.paths.iter().any(|known| known == path);
                let best = found.iter().find(|one| here(&one.path)).or(found.first());
                places.extend(best.map(|one| (one.path.clone(), one.line, one.end_line)));
            }
        }
        if self.paths.is_empty() && places.is_empty() && !self.topic.groups.is_empty() {
            let best = self.ranked.iter().take(1);
            places.extend(
                best.map(|one| (one.symbol.path.clone(), one.symbol.line, one.symbol.end_line)),
            );
        }
        Ok(places)
    }
}

fn log(path: &str, oldest: bool) -> Step {
    if oldest {
        return Step::new(
            "git_log",
            object! { "path": path, "oldest": true, "limit": 1_u32 },
            format!("the commit that added {path}"),
        );
    }
    Step::new(
        "git_log",
        object! { "path": path, "limit": 10_u32 },
        format!("the commits that changed {path}"),
    )
}

fn blame(path: &str, from: usize, to: usize) -> Step {
    let lines = if from == to { format!("line {from}") } else { format!("lines {from} to {to}") };
    Step::new(
        "git_blame",
        object! { "path": path, "from": from, "to": to },
        format!("who last changed {lines} of {path}"),
    )
}

/// Whether the question is about how something began, and not about its present state.
fn asks_for_the_beginning(text: &str) -> bool {
    let lower = text.to_lowercase();
    [
        "created",
        "wrote",
        "written",
        "introduced",
        "first",
        "added",
        "author",
        "erstellt",
        "geschrieben",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// The person whose changes are asked for: "what did Bob change?", "commits by Bob".
pub(in super::super::super) fn author(text: &str) -> Option<String> {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !(c.is_alphanumeric() || "@._-".contains(c))))
        .collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let is =
        |at: usize, list: &[&str]| lower.get(at).is_some_and(|word| list.contains(&word.as_str()));
    for at in 1..words.len() {
        let by = is(at - 1, &["by", "von", "par", "por"])
            && at >= 2
            && is(at - 2, &["commits", "changes", "commit", "changed", "made", "done", "written"]);
        let did = is(at - 1, &["did", "has"])
            && (at + 1..words.len()).any(|later| {
                is(
                    later,
                    &[
                        "change",
                        "changed",
                        "commit",
                        "committed",
                        "write",
                        "add",
                        "added",
                        "do",
                        "done",
                        "fix",
                    ],
                )
            });
        let named = !is(
            at,
            &["it", "this", "that", "the", "they", "we", "you", "who", "anybody", "somebody"],
        );
        if (by || did) && named && !words[at].is_empty() {
            return Some(words[at].to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_about_a_person_is_told_from_one_about_code() {
        for (text, expected) in [
            ("What did Bob change?", Some("Bob")),
            ("Show the commits by alice@example.org", Some("alice@example.org")),
            ("When did it change?", None),
            ("Who changed cart.py?", None),
        ] {
            assert_eq!(author(text).as_deref(), expected, "{text}");
        }
    }
}

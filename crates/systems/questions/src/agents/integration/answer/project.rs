//! The answer about the project itself: its dependencies, licence and versions.

use std::fmt::Write;

use super::{
    super::super::{
        super::tools::Evidence,
        Brief,
        goals::Need,
        json,
        manifest::{About, FILES, Fact, facts},
        topic::Topic,
    },
    AnswerText, LISTED, not_looked_for, results,
};

impl<'e> AnswerText<'e> {
    pub(super) fn project(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let read: Vec<(String, String)> = pages(brief);
        if read.is_empty() && not_looked_for(brief, Need::Project) {
            return self.say("Nothing was looked up: the tools for it are not allowed here.\n");
        }
        let (wanted, called) = wanted(&topic.text);
        let mut told = false;
        for (path, text) in &read {
            let found: Vec<Fact> =
                facts(path, text).into_iter().filter(|fact| wanted.contains(&fact.about)).collect();
            if found.is_empty() {
                continue;
            }
            told = true;
            let _ = writeln!(self.text, "{called}, as `{path}` says:\n");
            for fact in found.iter().take(LISTED) {
                let note = if fact.about == About::Development { " (development)" } else { "" };
                let _ = writeln!(self.text, "- {}{note} — {path}:{}", fact.text, fact.line);
            }
            self.more(found.len() as u64, found.len().min(LISTED));
            self.text.push('\n');
            evidence.iter().filter(|one| one.path == *path).take(1).for_each(|one| self.cite(one));
        }
        if let Some(path) = cut(brief) {
            let _ = writeln!(self.text, "Only the beginning of `{path}` was read.\n");
        }
        if wanted.contains(&About::Licence) {
            for (path, text) in read.iter().filter(|(path, _)| !FILES.contains(&path.as_str())) {
                let Some(first) = text.lines().map(str::trim).find(|line| !line.is_empty()) else {
                    continue;
                };
                told = true;
                let _ = writeln!(self.text, "`{path}` begins: {first}");
                evidence
                    .iter()
                    .filter(|one| one.path == *path)
                    .take(1)
                    .for_each(|one| self.cite(one));
            }
        }
        if !told {
            let names: Vec<&str> = read.iter().map(|(path, _)| path.as_str()).collect();
            let _ = match names.is_empty() {
                true => writeln!(
                    self.text,
                    "The repository has no manifest at its top that could say it; the known ones are {}.",
                    FILES.join(", ")
                ),
                false => {
                    writeln!(self.text, "{called}: not stated in {}.", names.join(", "))
                }
            };
        }
    }
}

/// The files that were read, each put together of its pages.
fn pages(brief: &Brief) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for read in results(brief, "read_file") {
        let (Some(path), Some(text)) = (json::text(read, "path"), json::text(read, "text")) else {
            continue;
        };
        match files.iter_mut().find(|(known, _)| known == path) {
            Some((_, whole)) => {
                whole.push('\n');
                whole.push_str(text);
            }
            None => files.push((path.to_owned(), text.to_owned())),
        }
    }
    files
}

/// The path of a manifest that was not read to its end.
fn cut(brief: &Brief) -> Option<&str> {
    let last = |path: &str| {
        let pages =
            results(brief, "read_file").filter(|read| json::text(read, "path") == Some(path));
        pages.filter_map(|read| json::whole(read, "to")).max().unwrap_or(0)
    };
    results(brief, "read_file").find_map(|read| {
        let path = json::text(read, "path").filter(|path| FILES.contains(path))?;
        (json::whole(read, "total_lines")? > last(path)).then_some(path)
    })
}

/// What is asked about, and what it is called.
fn wanted(question: &str) -> (&'static [About], &'static str) {
    let lower = question.to_lowercase();
    if lower.contains("licen") {
        (&[About::Licence], "The licence")
    } else if lower.contains("version") || lower.contains("msrv") {
        (&[About::Needs], "The version that is needed")
    } else if lower.contains("feature") || lower.contains("extras") {
        (&[About::Feature], "Features")
    } else {
        (&[About::Dependency, About::Development], "Dependencies")
    }
}

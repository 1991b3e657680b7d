//! The answer about a line: the lines around it, and the definition that it is part of.

use std::fmt::Write;

use consign_contracts::json::Json;

use super::{
    super::super::{
        super::tools::{Evidence, Role},
        Brief, clip, json,
        topic::Topic,
    },
    AnswerText, named, results, sentence,
};

impl<'e> AnswerText<'e> {
    pub(super) fn lines(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let asked: Vec<(String, u64)> = topic
            .paths
            .iter()
            .filter_map(|path| Some((path.text.trim_matches('/').to_owned(), path.line?)))
            .collect();
        for read in results(brief, "read_file").filter(|read| read.get("text").is_some()) {
            let path = json::text(read, "path").unwrap_or_default();
            let from = json::whole(read, "from").unwrap_or(1);
            let total = json::whole(read, "total_lines").unwrap_or(0);
            let Some((_, line)) = asked.iter().find(|(named, _)| path.ends_with(named.as_str()))
            else {
                continue;
            };
            if *line > total {
                let _ =
                    writeln!(self.text, "`{path}` has {total} lines; there is no line {line}.\n");
                continue;
            }
            let around = |one: &&Evidence| {
                one.role == Role::Definition
                    && one.path == path
                    && (one.line as u64..=one.end_line as u64).contains(line)
            };
            // The innermost says most.
            let within = evidence.iter().filter(around).min_by_key(|one| one.end_line - one.line);
            match within {
                Some(one) => {
                    let _ = write!(
                        self.text,
                        "Line {line} of `{path}` is in {} ({})",
                        named(one),
                        one.location()
                    );
                    if let Some(note) = one.note.as_deref().filter(|note| !note.trim().is_empty()) {
                        let _ = write!(self.text, ": {}", sentence(note).trim_end_matches('.'));
                    }
                    self.say(".\n");
                    self.cite(one);
                }
                None => {
                    let _ = writeln!(self.text, "Line {line} of `{path}` is not in a definition.");
                }
            }
            self.say("\n```\n");
            let text = read.get("text").and_then(Json::as_str).unwrap_or_default();
            for (at, shown) in text.lines().enumerate() {
                let number = from + at as u64;
                let mark = if number == *line { '>' } else { ' ' };
                let _ = writeln!(self.text, "{mark} {number:5}  {}", clip(shown, 160));
            }
            self.say("```\n");
            let here = |one: &&Evidence| one.path == path && one.line as u64 == *line;
            evidence.iter().filter(here).for_each(|one| self.cite(one));
        }
        if self.text.trim().is_empty() {
            self.nothing(brief, topic);
        }
    }
}

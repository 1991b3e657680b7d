//! The answer to "who changed it": the last change, and the commits before it.

use std::fmt::Write;

use consign_contracts::json::Object;

use super::{
    super::super::{super::tools::Evidence, Brief, clip, goals::Need, json, plan, topic::Topic},
    AnswerText, capital, not_looked_for, results,
};

impl<'e> AnswerText<'e> {
    pub(super) fn history(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        if let Some(why) = no_history(brief) {
            let _ = writeln!(self.text, "The history cannot be read: {why}.\n");
            return;
        }
        let title = if topic.symbols.is_empty() && topic.paths.is_empty() {
            capital(&topic.title())
        } else {
            topic.title()
        };
        let logs: Vec<&Object<'static>> =
            results(brief, "git_log").filter(|log| log.get("commits").is_some()).collect();
        let first_of = |log: &Object<'static>| json::objects(log, "commits").next().cloned();
        let author = plan::author(&topic.text);
        let line = topic.paths.iter().find_map(|path| path.line);
        // Of a definition or a line only its own lines count, and not the last commit to its file.
        let of_words = topic.symbols.is_empty() && topic.paths.is_empty() && !topic.is_empty();
        let own_lines = !topic.symbols.is_empty() || line.is_some() || of_words;
        let lines = own_lines.then(|| newest_block(brief)).flatten();
        let title = match begins(brief).filter(|_| of_words) {
            Some(place) => format!("The closest match for {}, {place},", topic.title()),
            None => title,
        };
        let oldest =
            logs.iter().find(|log| json::is_true(log, "oldest")).and_then(|log| first_of(log));
        let commits: Vec<_> = logs
            .iter()
            .filter(|log| !json::is_true(log, "oldest") && json::text(log, "grep").is_none())
            .flat_map(|log| json::objects(log, "commits"))
            .collect();
        let spoken = spoken_of(&logs);
        if let Some(author) = &author {
            let _ = match commits.len() {
                0 => writeln!(self.text, "No commit of {author} was found.\n"),
                _ => writeln!(self.text, "The commits of {author}, the newest first:\n"),
            };
            return commits.iter().take(10).for_each(|commit| self.commit(commit));
        }
        if let Some(first) = &oldest {
            self.changed(&title, "was added by", first);
        }
        if !spoken.is_empty() {
            let _ =
                writeln!(self.text, "Commits that mention {}, the newest first:\n", topic.title());
            spoken.iter().take(8).for_each(|commit| self.commit(commit));
            self.more(spoken.len() as u64, spoken.len().min(8));
            self.text.push('\n');
        }
        match (&lines, commits.first()) {
            (None, None) if !spoken.is_empty() => {}
            (Some(block), _) => {
                let at = line.map(|line| format!(" (line {line})")).unwrap_or_default();
                self.changed(&format!("{title}{at}"), "was last changed by", block);
            }
            (None, Some(newest)) if topic.is_empty() => {
                let _ = newest;
                self.say("The newest commits:\n");
            }
            (None, Some(newest)) => self.changed(&title, "was last changed by", newest),
            (None, None) if not_looked_for(brief, Need::History) => {
                let _ =
                    writeln!(self.text, "The history of {} was not looked at.\n", topic.title());
            }
            (None, None) => {
                let _ =
                    writeln!(self.text, "No commit was found that changed {}.\n", topic.title());
            }
        }
        let skip = usize::from(lines.is_none() && !topic.is_empty());
        let before: Vec<_> = commits.iter().skip(skip).take(8).collect();
        if !before.is_empty() {
            match (&lines, topic.is_empty()) {
                (Some(_), _) => self.say("\nThe latest commits to its file:\n"),
                (None, true) => {}
                (None, false) => self.say("\nBefore that:\n"),
            }
            before.into_iter().for_each(|commit| self.commit(commit));
        }
        if !evidence.is_empty() {
            self.say("\nWhere it is:\n");
            evidence.iter().take(6).for_each(|one| self.line(one));
        }
    }

    fn changed(&mut self, title: &str, verb: &str, commit: &Object<'static>) {
        let of = |key| json::text(commit, key).unwrap_or_default();
        let id = if of("id").is_empty() { of("commit") } else { of("id") };
        if id.is_empty() {
            let _ = writeln!(self.text, "{title} has changes that are not committed.");
            return;
        }
        let _ = writeln!(
            self.text,
            "{title} {verb} {} on {}: “{}” ({}).",
            of("author"),
            day(of("date")),
            of("subject"),
            clip(id, 10),
        );
    }

    fn commit(&mut self, commit: &Object<'static>) {
        let of = |key| json::text(commit, key).unwrap_or_default();
        let _ = writeln!(
            self.text,
            "- {} {}: {} ({})",
            day(of("date")),
            of("author"),
            of("subject"),
            clip(of("id"), 10)
        );
    }
}

fn day(date: &str) -> &str {
    date.split('T').next().unwrap_or_default()
}

/// The newest change to the lines that were asked about. What is not committed is newer than all.
fn newest_block(brief: &Brief) -> Option<Object<'static>> {
    let blamed = results(brief, "git_blame").find(|blame| blame.get("blocks").is_some())?;
    let date = |block: &&Object<'static>| match json::text(block, "date") {
        Some(date) => date.to_owned(),
        None => "~".to_owned(),
    };
    json::objects(blamed, "blocks").max_by_key(date).cloned()
}

/// The commits that mention all words that were searched for, newest first; if there are none,
/// those of a search for a single word.
fn spoken_of<'l>(logs: &[&'l Object<'static>]) -> Vec<&'l Object<'static>> {
    let mut said = logs.iter().filter(|log| json::text(log, "grep").is_some());
    let Some(first) = said.next() else { return Vec::new() };
    let others: Vec<_> = said.collect();
    let id = |commit: &Object<'static>| json::text(commit, "id").map(str::to_owned);
    let in_all = |commit: &&Object<'static>| {
        others.iter().all(|log| json::objects(log, "commits").any(|other| id(other) == id(commit)))
    };
    json::objects(first, "commits").filter(in_all).collect()
}

/// Where the lines begin that were asked about.
fn begins(brief: &Brief) -> Option<String> {
    let blamed = results(brief, "git_blame").find(|blame| blame.get("blocks").is_some())?;
    let line = json::whole(json::objects(blamed, "blocks").next()?, "from")?;
    Some(format!("{}:{line}", json::text(blamed, "path")?))
}

/// Why there is no history, where every look at it failed.
fn no_history(brief: &Brief) -> Option<String> {
    let mut looks = results(brief, "git_log").chain(results(brief, "git_blame")).peekable();
    looks.peek()?;
    let mut why = None;
    for look in looks {
        why = Some(json::text(look, "error")?.to_owned());
    }
    why
}

#[cfg(test)]
mod tests {
    use super::{
        super::super::super::json::{IntoJson, object},
        *,
    };

    #[test]
    fn only_commits_that_say_every_word_speak_of_it() {
        let log = |word: &'static str, ids: &[&str]| {
            let commits: Vec<_> = ids.iter().map(|id| object! { "id": *id }.into_json()).collect();
            object! { "grep": word, "commits": commits }
        };
        let (time, durable) = (log("time", &["c", "b", "a"]), log("durable", &["d", "b"]));
        let newest = object! { "commits": vec![object! { "id": "z" }.into_json()] };
        let ids = |logs: &[&Object<'static>]| -> Vec<String> {
            let said = spoken_of(logs).into_iter();
            said.filter_map(|commit| json::text(commit, "id").map(str::to_owned)).collect()
        };
        assert_eq!(ids(&[&time, &durable, &newest]), ["b"]);
        assert_eq!(ids(&[&time]), ["c", "b", "a"]);
        assert!(ids(&[&newest]).is_empty(), "what was asked for nothing speaks of nothing");
    }
}

//! Words an answer: first the result, then its parts with their places, then what is missing.
//!
//! Every sentence follows from what a tool returned. What was asked for and not found is said first, so
//! that the closest match is not taken for the thing itself.

mod compare;
mod count;
mod definition;
mod entry_points;
mod history;
mod lines;
mod parts;
mod problem;
mod project;
mod structure;
mod tests_of;
mod usage;

use std::fmt::Write;

use consign_contracts::json::{Json, Object};

use super::super::{
    super::tools::{Evidence, Role},
    Brief,
    barred::{self, Barred},
    clip, critic,
    goals::Need,
    intent::{kind::Kind, spelling},
    json, plan,
    topic::Topic,
    words,
};

/// An answer and what it cites, in the order in which it does.
pub(super) struct AnswerText<'e> {
    pub(super) text: String,
    pub(super) cited: Vec<&'e Evidence>,
}

/// How many definitions, and lines of other kinds, an answer shows.
const PARTS: usize = 7;
const USES: usize = 30;
/// How many entries of a list an answer shows; it says how many more there are.
const LISTED: usize = 40;

pub(super) fn tell<'e>(
    brief: &Brief,
    topic: &Topic,
    evidence: &'e [Evidence],
    dropped: &[String],
) -> AnswerText<'e> {
    let kind = critic::kind(brief);
    let mut told = AnswerText { text: String::new(), cited: Vec::new() };
    if let Some(before) = &topic.taken_for {
        let _ = write!(
            told.text,
            "This question was understood to be about {before}, like the one before it.\n\n"
        );
    }
    for pair in topic.respelled.chunks_exact(2) {
        if !spelling::says_nothing(&pair[1]) {
            let _ = write!(told.text, "`{}` was understood as `{}`.\n\n", pair[0], pair[1]);
        }
    }
    // What is counted, listed in the history or simply not there has no lines to show.
    let speaks_without = match kind {
        Kind::History
        | Kind::Count
        | Kind::ListStructure
        | Kind::FindImplementers
        | Kind::FindTests
        | Kind::AboutProject
        | Kind::FindEntryPoints => true,
        Kind::TraceFlow
        | Kind::AnalyzeCode
        | Kind::Explain
        | Kind::FindUsage
        | Kind::FindDefinition
        | Kind::Compare
        | Kind::FindProblem
        | Kind::ShowLines => false,
    };
    if evidence.is_empty() && !speaks_without {
        told.nothing(brief, topic);
    } else {
        match kind {
            Kind::FindUsage => told.usage(brief, topic, evidence),
            Kind::FindImplementers => told.implementers(brief, topic, evidence),
            Kind::ListStructure => told.structure(brief, topic, evidence),
            Kind::History => told.history(brief, topic, evidence),
            Kind::FindProblem => told.problem(topic, evidence),
            Kind::Count => told.count(brief, topic, evidence),
            Kind::Compare => told.compare(topic, evidence),
            Kind::FindDefinition => told.definition(brief, topic, evidence),
            Kind::ShowLines => told.lines(brief, topic, evidence),
            Kind::FindTests => told.tests(brief, topic, evidence),
            Kind::AboutProject => told.project(brief, topic, evidence),
            Kind::FindEntryPoints => told.entry_points(brief, evidence),
            Kind::TraceFlow => {
                told.absent(brief);
                told.reworded(brief);
                told.parts(topic, evidence, "The way through it:", parts::order);
            }
            Kind::AnalyzeCode | Kind::Explain => {
                told.absent(brief);
                told.reworded(brief);
                told.parts(topic, evidence, "Its main parts:", |_| {});
            }
        }
    }
    told.missing(brief, dropped);
    told.text = told.text.trim_end().to_owned();
    told
}

impl<'e> AnswerText<'e> {
    fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn cite(&mut self, one: &'e Evidence) {
        if !self.cited.iter().any(|known| std::ptr::eq(*known, one)) {
            self.cited.push(one);
        }
    }

    fn nothing(&mut self, brief: &Brief, topic: &Topic) {
        if brief.repo.is_none() {
            return self
                .say("The question has no repository, so there is nothing to answer it from.\n");
        }
        if topic.is_empty() {
            return self.say("The question names nothing that can be searched for.\n");
        }
        let goals = plan::goals(brief);
        if !goals.is_empty() && goals.iter().all(|goal| not_looked_for(brief, goal.need)) {
            return self.say("Nothing was looked up: the tools for it are not allowed here.\n");
        }
        // As they were asked for: a stem is nobody's word.
        let groups = topic.groups.iter().map(|group| &group.word);
        let asked = topic.symbols.iter().chain(&topic.phrases).chain(groups);
        let words: Vec<String> = asked.take(8).map(|word| format!("`{word}`")).collect();
        let _ = write!(self.text, "Nothing was found about {}.", topic.title());
        if !words.is_empty() {
            let _ = write!(self.text, " Searched for: {}.", words.join(", "));
        }
        self.text.push('\n');
    }

    /// Words of the question that occur nowhere: what follows is about the others.
    fn absent(&mut self, brief: &Brief) {
        let absent =
            brief.output("intent").map(|intent| json::texts(intent, "absent")).unwrap_or_default();
        if !absent.is_empty() {
            let words: Vec<String> =
                absent.iter().take(4).map(|word| format!("`{word}`")).collect();
            let _ = write!(
                self.text,
                "Nothing here mentions {}. This was found about the rest of the question:\n\n",
                words.join(" or ")
            );
        }
    }

    /// Words of the question that the code has other words for.
    fn reworded(&mut self, brief: &Brief) {
        let intent = brief.output("intent");
        let pairs = intent.map(|intent| json::texts(intent, "reworded")).unwrap_or_default();
        let told: Vec<String> =
            pairs.chunks_exact(2).map(|pair| format!("`{}` for `{}`", pair[1], pair[0])).collect();
        if !told.is_empty() {
            let _ = write!(self.text, "Searched for other words: {}.\n\n", told.join(", "));
        }
    }

    /// One definition with its place, what it is for and what it calls.
    fn part(&mut self, number: Option<usize>, one: &'e Evidence) {
        let lead = number.map_or("- ".to_owned(), |number| format!("{number}. "));
        let _ = write!(self.text, "{lead}{} — {}", named(one), one.location());
        if let Some(note) = one.note.as_deref().filter(|note| !note.trim().is_empty()) {
            let _ = write!(self.text, ". {}", sentence(note));
        }
        let own = one.symbol.as_deref().map(words::last_name).unwrap_or_default();
        let mut calls: Vec<String> = Vec::new();
        for name in one.calls.iter().filter(|name| *name != own) {
            let name = format!("`{name}`");
            if calls.len() < 5 && !calls.contains(&name) {
                calls.push(name);
            }
        }
        if !calls.is_empty() {
            let ends = self.text.ends_with(['.', '!', '?', ':']);
            let _ =
                write!(self.text, "{} Calls {}.", if ends { "" } else { "." }, calls.join(", "));
        }
        self.text.push('\n');
        self.cite(one);
    }

    fn quote(&mut self, one: &'e Evidence, lines: usize) {
        let shown: Vec<&str> = one.content.lines().take(lines).collect();
        let indent = shown
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start().len())
            .min()
            .unwrap_or(0);
        self.text.push_str("   ```\n");
        for line in shown {
            let _ = writeln!(self.text, "   {}", clip(line.get(indent..).unwrap_or(line), 160));
        }
        self.text.push_str("   ```\n");
        self.cite(one);
    }

    fn line(&mut self, one: &'e Evidence) {
        let first = one.content.lines().next().unwrap_or_default().trim();
        let _ = write!(self.text, "- {} — `{}`", one.location(), clip(first, 140));
        // What was searched for may be a stem, and the line has the word.
        if !one.relevance.is_empty() && one.role != Role::Mention {
            let _ = write!(self.text, " ({})", one.relevance);
        }
        self.text.push('\n');
        self.cite(one);
    }

    /// Adds a line without a reason: the lines of a search show by themselves why they are there.
    fn bare_line(&mut self, one: &'e Evidence) {
        let first = one.content.lines().next().unwrap_or_default().trim();
        let _ = writeln!(self.text, "- {} — `{}`", one.location(), clip(first, 140));
        self.cite(one);
    }

    fn missing(&mut self, brief: &Brief, dropped: &[String]) {
        let open = brief
            .output("critic")
            .map(|critic| json::texts(critic, "unsatisfied_goals"))
            .unwrap_or_default();
        let goals = plan::goals(brief);
        let unseen = |text: &String| {
            goals.iter().any(|goal| goal.text == *text && not_looked_for(brief, goal.need))
        };
        let (unseen, open): (Vec<_>, Vec<_>) = open.into_iter().partition(unseen);
        for (what, goals) in [("Not answered", open), ("Not looked for", unseen)] {
            if !goals.is_empty() {
                let _ = write!(self.text, "\n{what}: {}.\n", goals.join("; "));
            }
        }
        for way in barred::ways(&Barred::read(brief)) {
            let _ = write!(self.text, "\n{way}\n");
        }
        if !dropped.is_empty() {
            let _ = write!(
                self.text,
                "\n{} place{} changed in the meantime and {} left out.\n",
                dropped.len(),
                if dropped.len() == 1 { " has" } else { "s have" },
                if dropped.len() == 1 { "is" } else { "are" },
            );
        }
    }
}

/// Whether something is missing because its tools are not allowed.
fn not_looked_for(brief: &Brief, need: Need) -> bool {
    barred::is_closed(&Barred::read(brief), need)
}

/// The results of the steps with a tool, failures included.
fn results<'b>(brief: &'b Brief, tool: &'static str) -> impl Iterator<Item = &'b Object<'static>> {
    let execution = brief.output("execution");
    execution
        .into_iter()
        .flat_map(|execution| json::objects(execution, "results"))
        .filter(move |one| json::text(one, "tool") == Some(tool))
        .filter_map(|one| one.get("result").and_then(Json::as_object))
}

/// The kind and name of a definition. Of the names around it only the last is shown: in C# every
/// name has its whole namespace.
fn named(one: &Evidence) -> String {
    let name = one.symbol.as_deref().map_or(one.path.as_str(), near_name);
    match &one.kind {
        Some(kind) => format!("{kind} `{name}`"),
        None => format!("`{name}`"),
    }
}

/// A name with only the last of the names around it.
fn near_name(symbol: &str) -> &str {
    let mut ends = symbol.rmatch_indices(['.', ':']).map(|(at, _)| at + 1);
    let mut from = 0;
    let mut parts = 0;
    let mut last = symbol.len() + 1;
    for at in &mut ends {
        // `a::b` has two marks for one end.
        if at + 1 == last {
            last = at;
            continue;
        }
        last = at;
        parts += 1;
        if parts == 2 {
            from = at;
            break;
        }
    }
    &symbol[from..]
}

/// Whether a definition is of something that the question names.
fn is_asked_for(topic: &Topic, one: &Evidence) -> bool {
    let own = one.symbol.as_deref().map(words::last_name).unwrap_or_default();
    topic.symbols.iter().any(|name| words::last_name(name.split('(').next().unwrap_or(name)) == own)
}

/// Whether a line has what was asked for, and not only a part of it.
fn has_name(topic: &Topic, one: &Evidence) -> bool {
    let text = one.content.to_lowercase();
    let has = |name: &str| text.contains(&words::last_name(name).to_lowercase());
    let quoted = |phrase: &String| text.contains(&phrase.trim().to_lowercase());
    if topic.symbols.is_empty() && topic.phrases.is_empty() {
        return topic.speaks(&one.content) > 0.0;
    }
    topic.symbols.iter().any(|name| has(name)) || topic.phrases.iter().any(quoted)
}

fn files<'a>(evidence: &[&'a Evidence]) -> Vec<&'a str> {
    let mut files: Vec<&str> = Vec::new();
    for one in evidence {
        if !files.contains(&one.path.as_str()) {
            files.push(&one.path);
        }
    }
    files
}

fn list(files: &[&str], most: usize) -> String {
    let shown: Vec<String> = files.iter().take(most).map(|path| format!("`{path}`")).collect();
    match files.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn count_of(number: u64, one: &str) -> String {
    let plural = if number == 1 {
        ""
    } else if one.ends_with('s') {
        "es"
    } else {
        "s"
    };
    format!("{number} {one}{plural}")
}

fn sentence(text: &str) -> String {
    let one_line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    clip(&one_line, 220).to_owned()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_name_the_nearest_is_told() {
        for (whole, near) in [
            ("login", "login"),
            ("Session.login", "Session.login"),
            ("Cysharp.Threading.Tasks.UniTask.Forget", "UniTask.Forget"),
            ("a::b::c::d", "c::d"),
        ] {
            assert_eq!(near_name(whole), near);
        }
    }
}

//! The words of an answer: what it comes to first, then the parts with their places, then what is missing.

use std::fmt::Write;

use consign_contracts::json::Json;

use super::super::{
    super::tools::{Evidence, Role},
    Brief,
    barred::{self, Barred},
    clip, critic,
    goals::Need,
    intent::kind::Kind,
    json, plan,
    topic::Topic,
    words,
};

/// An answer and what it cites, in the order in which it does.
pub(super) struct Told<'e> {
    pub(super) text: String,
    pub(super) cited: Vec<&'e Evidence>,
}

const PARTS: usize = 7;
const USES: usize = 12;

pub(super) fn tell<'e>(
    brief: &Brief,
    topic: &Topic,
    evidence: &'e [Evidence],
    dropped: &[String],
) -> Told<'e> {
    let kind = critic::kind(brief);
    let mut told = Told { text: String::new(), cited: Vec::new() };
    if evidence.is_empty() {
        told.nothing(brief, topic);
    } else {
        match kind {
            Kind::FindUsage => told.usage(brief, topic, evidence),
            Kind::ListStructure => told.structure(brief, evidence),
            Kind::History => told.history(brief, topic, evidence),
            Kind::FindProblem => told.problem(topic, evidence),
            Kind::Count => told.count(brief, topic, evidence),
            Kind::Compare => told.compare(topic, evidence),
            Kind::FindDefinition => told.definition(brief, topic, evidence),
            Kind::TraceFlow => told.parts(topic, evidence, "The way through it:", order),
            Kind::AnalyzeCode | Kind::Explain => {
                told.parts(topic, evidence, "Its main parts:", |_| {})
            }
        }
    }
    told.missing(brief, dropped);
    told.text = told.text.trim_end().to_owned();
    told
}

impl<'e> Told<'e> {
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
                .say("There is no repository to look into, so there is nothing to answer from.\n");
        }
        if topic.is_empty() {
            return self.say("The question names nothing that could be looked for.\n");
        }
        let goals = plan::goals(brief);
        if !goals.is_empty() && goals.iter().all(|goal| not_looked_for(brief, goal.need)) {
            return self.say("Nobody looked: the tools for it may not be used here.\n");
        }
        let words: Vec<String> =
            topic.terms().iter().take(8).map(|term| format!("`{}`", term.text)).collect();
        let line = format!(
            "Nothing was found about {}. Looked for: {}.\n",
            topic.title(),
            words.join(", ")
        );
        self.say(&line);
    }

    /// One definition with its place, what it is for and what it calls.
    fn part(&mut self, number: Option<usize>, one: &'e Evidence) {
        let lead = number.map_or("- ".to_owned(), |number| format!("{number}. "));
        let _ = write!(self.text, "{lead}{} — {}", named(one), one.location());
        if let Some(note) = one.note.as_deref().filter(|note| !note.trim().is_empty()) {
            let _ = write!(self.text, ". {}", sentence(note));
        }
        let own = one.symbol.as_deref().map(words::last_name).unwrap_or_default();
        let calls: Vec<String> = one
            .calls
            .iter()
            .filter(|name| *name != own)
            .take(5)
            .map(|name| format!("`{name}`"))
            .collect();
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
        let _ = writeln!(
            self.text,
            "- {} — `{}` ({})",
            one.location(),
            clip(first, 140),
            one.relevance
        );
        self.cite(one);
    }

    fn parts(
        &mut self,
        topic: &Topic,
        evidence: &'e [Evidence],
        heading: &str,
        order: fn(&mut Vec<&Evidence>),
    ) {
        let all: Vec<&Evidence> =
            evidence.iter().filter(|one| one.role == Role::Definition).collect();
        // A thing that is there once for each platform is told once.
        let same = |a: &Evidence, b: &Evidence| {
            a.symbol.is_some() && a.symbol == b.symbol && a.note == b.note
        };
        let mut definitions: Vec<&Evidence> = Vec::new();
        for one in &all {
            if definitions.len() < PARTS && !definitions.iter().any(|known| same(known, one)) {
                definitions.push(one);
            }
        }
        if definitions.is_empty() {
            let line = format!(
                "No definition is about {} by name; these lines speak of it:\n\n",
                topic.title()
            );
            self.say(&line);
            return evidence.iter().take(PARTS).for_each(|one| self.line(one));
        }
        let files = files(&definitions);
        let main = definitions[0];
        let subject = match topic.groups.len() {
            1 => capital(&topic.title()),
            _ if !topic.symbols.is_empty() => topic.title(),
            _ => "This".to_owned(),
        };
        let _ = write!(self.text, "{subject} is mainly in {}: {}", list(&files, 3), named(main));
        if let Some(note) = main.note.as_deref().filter(|note| !note.trim().is_empty()) {
            let _ = write!(self.text, " — {}", sentence(note).trim_end_matches('.'));
        }
        self.say(".\n\n");
        self.say(heading);
        self.text.push('\n');
        order(&mut definitions);
        for (at, one) in definitions.iter().enumerate() {
            self.part(Some(at + 1), one);
            if at < 3 || std::ptr::eq(*one, main) {
                self.quote(one, 3);
            }
            let others: Vec<&&Evidence> = all
                .iter()
                .filter(|other| !std::ptr::eq(**other, *one) && same(other, one))
                .take(3)
                .collect();
            if !others.is_empty() {
                let places: Vec<String> = others.iter().map(|other| other.location()).collect();
                let _ = writeln!(self.text, "   The same is in {}.", places.join(", "));
                others.into_iter().for_each(|other| self.cite(other));
            }
        }
        let callers: Vec<&Evidence> =
            evidence.iter().filter(|one| one.role == Role::Call).take(4).collect();
        if !callers.is_empty() {
            self.say("\nWhere it is used:\n");
            callers.into_iter().for_each(|one| self.line(one));
        }
        let said: Vec<&Evidence> = evidence
            .iter()
            .filter(|one| one.role == Role::Mention && !files.contains(&one.path.as_str()))
            .take(2)
            .collect();
        if !said.is_empty() {
            self.say("\nAlso speaks of it:\n");
            said.into_iter().for_each(|one| self.line(one));
        }
    }

    fn definition(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let defined: Vec<&Evidence> =
            evidence.iter().filter(|one| one.role == Role::Definition).take(PARTS).collect();
        let Some((first, others)) = defined.split_first() else {
            let title = topic.title();
            self.say(&if not_looked_for(brief, Need::Definition) {
                format!(
                    "Nobody looked for the definition of {title}; these lines have the name:\n\n"
                )
            } else {
                format!("No definition of {title} was found; these lines have the name:\n\n")
            });
            return evidence.iter().take(PARTS).for_each(|one| self.line(one));
        };
        let _ = write!(self.text, "{} is defined in {}", named(first), first.location());
        if let Some(note) = first.note.as_deref().filter(|note| !note.trim().is_empty()) {
            let _ = write!(self.text, ": {}", sentence(note).trim_end_matches('.'));
        }
        self.say(".\n");
        self.quote(first, 4);
        if !others.is_empty() {
            self.say("\nThere is also:\n");
            others.iter().for_each(|one| self.part(None, one));
        }
    }

    fn usage(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let uses: Vec<&Evidence> = evidence
            .iter()
            .filter(|one| matches!(one.role, Role::Call | Role::Usage | Role::Raise))
            .collect();
        if uses.is_empty() && not_looked_for(brief, Need::Usage) {
            let _ = writeln!(self.text, "Nobody looked for uses of {}.\n", topic.title());
        } else if uses.is_empty() {
            let _ = writeln!(self.text, "No use of {} was found.\n", topic.title());
        } else {
            let files = files(&uses);
            let calls = uses.iter().filter(|one| one.role == Role::Call).count();
            let _ = writeln!(
                self.text,
                "{} is used in {} ({} of {} places shown are calls).\n",
                capital(&topic.title()),
                list(&files, 4),
                calls,
                uses.len(),
            );
            uses.iter().take(USES).for_each(|one| self.line(one));
            if uses.len() > USES {
                let _ = writeln!(self.text, "- and {} more", uses.len() - USES);
            }
        }
        if let Some(one) = evidence.iter().find(|one| one.role == Role::Definition) {
            self.say("\nIt is defined here:\n");
            self.part(None, one);
        } else if uses.is_empty() {
            evidence.iter().take(5).for_each(|one| self.line(one));
        }
    }

    fn problem(&mut self, topic: &Topic, evidence: &'e [Evidence]) {
        let raised: Vec<&Evidence> =
            evidence.iter().filter(|one| one.role == Role::Raise).take(8).collect();
        let (shown, verb): (Vec<&Evidence>, &str) = if raised.is_empty() {
            let spoken = evidence
                .iter()
                .filter(|one| one.role != Role::Definition)
                .take(8)
                .collect::<Vec<_>>();
            if spoken.is_empty() {
                (evidence.iter().take(8).collect(), "is found in")
            } else {
                (spoken, "is found in")
            }
        } else {
            (raised, "comes from")
        };
        let _ = writeln!(
            self.text,
            "{} {verb} {}.\n",
            capital(&topic.title()),
            list(&files(&shown), 3)
        );
        for one in &shown {
            self.line(one);
        }
        if let Some(one) = evidence.iter().find(|one| one.role == Role::Definition) {
            self.say("\nIt is defined here:\n");
            self.part(None, one);
        }
    }

    fn structure(&mut self, brief: &Brief, evidence: &'e [Evidence]) {
        let tree = results(brief, "list_tree").find(|tree| tree.get("entries").is_some());
        let place = tree.and_then(|tree| json::text(tree, "path")).unwrap_or_default();
        let entries: Vec<&str> = tree
            .map(|tree| {
                json::objects(tree, "entries")
                    .filter_map(|entry| json::text(entry, "path"))
                    .collect()
            })
            .unwrap_or_default();
        let named =
            if place.is_empty() { "The repository".to_owned() } else { format!("`{place}`") };
        let folders = entries.iter().filter(|path| path.ends_with('/')).count();
        let _ = match tree {
            Some(_) => writeln!(
                self.text,
                "{named} has {} files{} shown here.\n",
                entries.len() - folders,
                if folders > 0 { format!(" and {folders} folders") } else { String::new() },
            ),
            None => writeln!(self.text, "The files were not listed."),
        };
        for path in entries.iter().take(25) {
            let _ = writeln!(self.text, "- {path}");
        }
        if entries.len() > 25 {
            let _ = writeln!(self.text, "- and {} more", entries.len() - 25);
        }
        let mut by_file: Vec<(&str, Vec<&Evidence>)> = Vec::new();
        for one in evidence.iter().filter(|one| one.role == Role::Definition) {
            match by_file.iter_mut().find(|(path, _)| *path == one.path) {
                Some((_, found)) => found.push(one),
                None => by_file.push((&one.path, vec![one])),
            }
        }
        if by_file.is_empty() {
            return evidence.iter().take(8).for_each(|one| self.cite(one));
        }
        self.say("\nWhat the main files define:\n");
        for (path, found) in by_file.iter().take(8) {
            let names: Vec<String> = found
                .iter()
                .take(5)
                .map(|one| {
                    format!("`{}` ({})", one.symbol.as_deref().unwrap_or_default(), one.line)
                })
                .collect();
            let _ = writeln!(self.text, "- {path}: {}", names.join(", "));
            found.iter().take(2).for_each(|one| self.cite(one));
        }
    }

    fn history(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let commits: Vec<_> =
            results(brief, "git_log").flat_map(|log| json::objects(log, "commits")).collect();
        if let Some(newest) = commits.first() {
            let of = |key| json::text(newest, key).unwrap_or_default();
            let day = of("date").split('T').next().unwrap_or_default().to_owned();
            let _ = writeln!(
                self.text,
                "{} was last changed by {} on {day}: “{}” ({}).\n",
                capital(&topic.title()),
                of("author"),
                of("subject"),
                clip(of("id"), 10),
            );
            if commits.len() > 1 {
                self.say("Before that:\n");
            }
            for commit in commits.iter().skip(1).take(8) {
                let of = |key| json::text(commit, key).unwrap_or_default();
                let day = of("date").split('T').next().unwrap_or_default();
                let _ = writeln!(
                    self.text,
                    "- {day} {}: {} ({})",
                    of("author"),
                    of("subject"),
                    clip(of("id"), 10)
                );
            }
        } else if not_looked_for(brief, Need::History) {
            let _ = writeln!(self.text, "Nobody looked at the history of {}.\n", topic.title());
        } else {
            let _ = writeln!(self.text, "No commit was found that changed {}.\n", topic.title());
        }
        self.say("Where it stands:\n");
        evidence.iter().take(6).for_each(|one| self.line(one));
    }

    fn count(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let counted =
            brief.output("execution").and_then(|it| it.get("counted")).and_then(Json::as_object);
        let total = counted.and_then(|it| json::whole(it, "total"));
        let more = counted.is_some_and(|it| json::is_true(it, "more"));
        let of = counted.and_then(|it| json::text(it, "of")).unwrap_or("matches");
        let counted = counted.map(|it| json::texts(it, "locations")).unwrap_or_default();
        // Only what was counted; the rest of what was found is something else.
        let shown: Vec<&Evidence> = evidence
            .iter()
            .filter(|one| counted.is_empty() || counted.contains(&one.location()))
            .take(15)
            .collect();
        match total {
            Some(total) => {
                let at_least = if more { "At least " } else { "" };
                let _ = writeln!(self.text, "{at_least}{total}, counting {of}.\n");
            }
            None => {
                let title = capital(&topic.title());
                let _ = writeln!(self.text, "{title}: at least {} places.\n", shown.len());
            }
        }
        shown.iter().for_each(|one| self.line(one));
        if total.is_some_and(|total| total > shown.len() as u64) {
            let _ = writeln!(self.text, "- and others like these");
        }
        if shown.is_empty() {
            evidence.iter().take(5).for_each(|one| self.line(one));
        }
    }

    fn compare(&mut self, topic: &Topic, evidence: &'e [Evidence]) {
        let sides = super::super::intent::sides(topic);
        let fits = |one: &&Evidence, side: &super::super::intent::Side| {
            let name = one.symbol.as_deref().unwrap_or_default();
            if side.names.is_empty() {
                let lower = format!("{} {}", one.path, name).to_lowercase();
                side.terms.iter().all(|term| lower.contains(&words::stem(term)))
            } else {
                side.names.iter().any(|known| {
                    words::last_name(known) == words::last_name(name)
                        || name.split('.').any(|part| part == words::last_name(known))
                })
            }
        };
        let titles: Vec<String> = sides.iter().map(|side| side.title.clone()).collect();
        let _ = writeln!(self.text, "{}, side by side.", capital(&titles.join(" and ")));
        let mut missing = Vec::new();
        for side in &sides {
            let found: Vec<&Evidence> = evidence
                .iter()
                .filter(|one| one.role == Role::Definition)
                .filter(|one| fits(one, side))
                .take(4)
                .collect();
            let Some((first, others)) = found.split_first() else {
                missing.push(side.title.clone());
                continue;
            };
            let _ = writeln!(self.text, "\n{}:", capital(&side.title));
            self.part(None, first);
            self.quote(first, 4);
            others.iter().for_each(|one| self.part(None, one));
            let lines = first.end_line + 1 - first.line;
            let plural = if lines == 1 { "" } else { "s" };
            let _ = writeln!(self.text, "  It has {lines} line{plural}.");
        }
        if !missing.is_empty() {
            let _ = writeln!(
                self.text,
                "\nNo definition was found for {}. Nearest:",
                missing.join(" and ")
            );
            evidence.iter().take(5).for_each(|one| self.line(one));
        }
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
        for (what, goals) in [("Not found", open), ("Not looked for", unseen)] {
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
                "\n{} place{} changed since it was found and left out.\n",
                dropped.len(),
                if dropped.len() == 1 { " has" } else { "s have" },
            );
        }
    }
}

/// What is not there because nobody was allowed to look.
fn not_looked_for(brief: &Brief, need: Need) -> bool {
    barred::is_closed(&Barred::read(brief), need)
}

fn results<'b>(
    brief: &'b Brief,
    tool: &'static str,
) -> impl Iterator<Item = &'b consign_contracts::json::Object<'static>> {
    let execution = brief.output("execution");
    execution
        .into_iter()
        .flat_map(|execution| json::objects(execution, "results"))
        .filter(move |one| json::text(one, "tool") == Some(tool))
        .filter_map(|one| one.get("result").and_then(Json::as_object))
}

/// What something is called, with its kind.
fn named(one: &Evidence) -> String {
    let name = one.symbol.as_deref().unwrap_or(&one.path);
    match &one.kind {
        Some(kind) => format!("{kind} `{name}`"),
        None => format!("`{name}`"),
    }
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

fn sentence(text: &str) -> String {
    let one_line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    clip(&one_line, 220).to_owned()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Callers before what they call; otherwise as good as before.
fn order(definitions: &mut Vec<&Evidence>) {
    let mut ordered: Vec<&Evidence> = Vec::new();
    while !definitions.is_empty() {
        let calls = |a: &Evidence, b: &Evidence| {
            let name = b.symbol.as_deref().map(words::last_name).unwrap_or_default();
            let own = a.symbol.as_deref().map(words::last_name).unwrap_or_default();
            own != name && a.calls.iter().any(|called| called == name)
        };
        let free = definitions.iter().position(|one| {
            !definitions.iter().any(|other| !std::ptr::eq(*other, *one) && calls(other, one))
        });
        ordered.push(definitions.remove(free.unwrap_or(0)));
    }
    *definitions = ordered;
}

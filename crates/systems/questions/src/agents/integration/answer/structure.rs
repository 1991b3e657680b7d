//! The answer to "what is in it": of the repository, a folder or a file.

use std::fmt::Write;

use consign_contracts::json::{Json, Object};

use super::{
    super::super::{
        super::tools::{Evidence, Role},
        Brief, clip,
        goals::Need,
        json,
        topic::Topic,
    },
    AnswerText, count_of, near_name, not_looked_for, results,
};

/// Entries of a tree that are told, and lines of a text that is no code.
const ENTRIES: usize = 25;
const OPENING: usize = 25;
/// Definitions of a file that are told with what they are for, and others that are named.
const PARTS_OF_FILE: usize = 15;
const NAMES_OF_FILE: usize = 40;

impl<'e> AnswerText<'e> {
    pub(super) fn structure(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let tree = results(brief, "list_tree").find(|tree| tree.get("entries").is_some());
        match tree {
            Some(tree) => {
                self.readme(brief, evidence);
                self.tree(tree);
            }
            None => match results(brief, "read_file").find(|read| read.get("text").is_some()) {
                Some(read) => return self.file(brief, read, evidence),
                None if not_looked_for(brief, Need::Structure) => {
                    self.say("The files were not listed.\n");
                }
                None if evidence.is_empty() => return self.nothing(brief, topic),
                None => self.say("The files were not listed.\n"),
            },
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
            let total = results(brief, "outline")
                .find(|one| json::text(one, "path") == Some(path))
                .and_then(|one| json::whole(one, "total"))
                .map_or(found.len(), |total| total as usize);
            let more = match total.saturating_sub(names.len()) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let _ = writeln!(self.text, "- {path}: {}{more}", names.join(", "));
            found.iter().take(2).for_each(|one| self.cite(one));
        }
    }

    fn tree(&mut self, tree: &Object<'static>) {
        let place = json::text(tree, "path").unwrap_or_default();
        let entries: Vec<&str> =
            json::objects(tree, "entries").filter_map(|entry| json::text(entry, "path")).collect();
        let named =
            if place.is_empty() { "The repository".to_owned() } else { format!("`{place}`") };
        let folders = entries.iter().filter(|path| path.ends_with('/')).count();
        let files = entries.len() - folders;
        let more = if json::is_true(tree, "truncated") { "more than " } else { "" };
        let _ = match folders {
            0 => writeln!(self.text, "{named} has {more}{}:\n", count_of(files as u64, "file")),
            _ => writeln!(
                self.text,
                "{named} has {more}{} and {} in its first two levels:\n",
                count_of(files as u64, "file"),
                count_of(folders as u64, "folder")
            ),
        };
        for path in entries.iter().take(ENTRIES) {
            let _ = writeln!(self.text, "- {path}");
        }
        if entries.len() > ENTRIES {
            let _ = writeln!(self.text, "- and {} more", entries.len() - ENTRIES);
        }
    }

    /// The first paragraph of the README.
    fn readme(&mut self, brief: &Brief, evidence: &'e [Evidence]) {
        let Some(read) = results(brief, "read_file").find(|read| read.get("text").is_some()) else {
            return;
        };
        let path = json::text(read, "path").unwrap_or_default();
        let text = read.get("text").and_then(Json::as_str).unwrap_or_default();
        let Some((at, paragraph)) = first_paragraph(text) else { return };
        let line = json::whole(read, "from").unwrap_or(1) + at as u64;
        let paragraph = without_links(&paragraph);
        let _ = write!(self.text, "{path}:{line} says: {}\n\n", whole_sentences(&paragraph, 500));
        let here = |one: &&Evidence| one.path == path;
        if let Some(one) = evidence.iter().find(here) {
            self.cite(one);
        }
    }

    /// The other definitions of a file, in short: a list that is cut silently would be wrong.
    fn rest_of_file(&mut self, brief: &Brief, path: &str, told: &[&Evidence]) {
        let outline = results(brief, "outline").find(|one| json::text(one, "path") == Some(path));
        let Some(outline) = outline else { return };
        let is_told = |line: u64| told.iter().any(|one| one.line as u64 == line);
        let rest: Vec<String> = json::objects(outline, "symbols")
            .filter_map(|one| Some((json::text(one, "name")?, json::whole(one, "line")?)))
            .filter(|(_, line)| !is_told(*line))
            .take(NAMES_OF_FILE)
            .map(|(name, line)| format!("`{}` ({line})", near_name(name)))
            .collect();
        if rest.is_empty() {
            return;
        }
        let total = json::whole(outline, "total").unwrap_or(0) as usize;
        let more = match total.saturating_sub(told.len() + rest.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let _ = writeln!(self.text, "\nAlso {}{more}.", rest.join(", "));
    }

    fn file(&mut self, brief: &Brief, read: &Object<'static>, evidence: &'e [Evidence]) {
        let path = json::text(read, "path").unwrap_or_default();
        let total = json::whole(read, "total_lines").unwrap_or(0);
        let defined: Vec<&Evidence> = evidence
            .iter()
            .filter(|one| one.role == Role::Definition && one.path == path)
            .collect();
        let lines = count_of(total, "line");
        if defined.is_empty() {
            let _ = writeln!(self.text, "`{path}` has {lines}. It begins:\n\n```");
            let text = read.get("text").and_then(Json::as_str).unwrap_or_default();
            for line in text.lines().take(OPENING) {
                let _ = writeln!(self.text, "{}", clip(line, 160));
            }
            self.say("```\n");
        } else {
            let _ = writeln!(self.text, "`{path}` has {lines} and defines:\n");
            let mut defined = defined;
            defined.sort_by_key(|one| one.line);
            defined.truncate(PARTS_OF_FILE);
            defined.iter().for_each(|one| self.part(None, one));
            self.rest_of_file(brief, path, &defined);
        }
        evidence.iter().filter(|one| one.path == path).take(1).for_each(|one| self.cite(one));
    }
}

/// As many whole sentences as fit, and one at least.
fn whole_sentences(text: &str, most: usize) -> &str {
    let ends = text.match_indices(". ").map(|(at, _)| at + 1);
    match ends.take_while(|end| *end <= most).last() {
        _ if text.len() <= most => text,
        Some(end) => &text[..end],
        None => clip(text, most),
    }
}

/// Text as it reads where links are links: `[text](place)`, `[text][place]` and `[text]` are `text`.
fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((said, after)) = after.split_once(']') else { break };
        plain.push_str(before.strip_suffix('!').unwrap_or(before));
        plain.push_str(said);
        let place = [('(', ')'), ('[', ']')].into_iter().find_map(|(open, close)| {
            after.strip_prefix(open).and_then(|inside| inside.split_once(close))
        });
        rest = place.map_or(after, |(_, after)| after);
    }
    plain.push_str(rest);
    plain
}

/// The first words of a text that are neither a title, a badge nor code, and where they begin, from 0.
fn first_paragraph(text: &str) -> Option<(usize, String)> {
    let mut paragraph = String::new();
    let (mut began, mut fenced) = (0, false);
    for (at, raw) in text.lines().enumerate() {
        let line = raw.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        let skipped = fenced
            || line.starts_with(['#', '<', '!', '|', '=', '>'])
            || line.starts_with("[![")
            || line.starts_with("[!")
            || line.starts_with(".. ")
            || (line.chars().count() > 2 && line.chars().all(|letter| "=-~*_".contains(letter)));
        if skipped || line.is_empty() {
            if paragraph.split_whitespace().count() > 3 {
                break;
            }
            paragraph.clear();
            continue;
        }
        if paragraph.is_empty() {
            began = at;
        } else {
            paragraph.push(' ');
        }
        paragraph.push_str(line);
    }
    (paragraph.split_whitespace().count() > 3).then_some((began, paragraph))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readme_says_what_it_is_about_after_its_title() {
        let text = "# Title\n[![badge](x)](y)\n\nA tool that hands\nwork to agents.\n\n## Next\n";
        assert_eq!(
            first_paragraph(text),
            Some((3, "A tool that hands work to agents.".to_owned()))
        );
        assert_eq!(
            first_paragraph("Name\n====\n\nIt does one thing well.\n"),
            Some((3, "It does one thing well.".to_owned()))
        );
        assert_eq!(first_paragraph("# Only a title\n"), None);
    }

    #[test]
    fn a_link_is_read_as_its_words() {
        for (text, plain) in [
            (
                "A [WSGI] server, see [docs](https://x.y/z) and [more][1].",
                "A WSGI server, see docs and more.",
            ),
            ("No link, a[0", "No link, a[0"),
        ] {
            assert_eq!(without_links(text), plain);
        }
    }
}

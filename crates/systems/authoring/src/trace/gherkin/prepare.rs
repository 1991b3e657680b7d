//! A specification line by line, before the parser sees it.
//!
//! [`prepare`] gives the parser a text of headers, steps and tags only. Tables, doc strings and
//! English descriptions are kept beside it, under the line that they belong to. In English it also
//! holds every line to the place where it may stand. Other languages keep their descriptions: only
//! the parser knows their keywords.

use super::{
    super::Refused,
    headers::{Header, header, is_step},
    prepared::{Argument, Prepared},
    row, shorten,
};

/// The parser's time grows with the square of the lines; this many take it a tenth of a second.
const MOST_LINES: usize = 20_000;

/// Where in an English text a line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before the feature.
    Top,
    /// After a header. What is neither header, tag nor step is its description.
    Described(Header),
    /// After a step of a background or a scenario; `argued` when it has its table or doc string.
    Steps { of: Header, argued: bool },
    /// After a row of examples.
    Rows,
    /// After tags, which a header must follow.
    Tagged,
    /// In another language, where only the parser knows.
    Anywhere,
}

pub(super) fn prepare(text: &str, english: bool) -> Result<Prepared, Refused> {
    let mut prepared = Prepared { written: count(text.lines().count()), ..Prepared::default() };
    let lines = author_lines(text, english);
    let mut at = if english { At::Top } else { At::Anywhere };
    let first = lines.iter().find_map(|(_, line)| header(line.trim()));
    if english && !matches!(first, Some((Header::Feature, _))) {
        prepared.push("Feature:", 1);
        at = At::Described(Header::Feature);
    }
    let mut reader = Reader { prepared, at, anchor: 0, seen_scenario: false };
    let mut lines = lines.into_iter();
    while let Some((origin, line)) = lines.next() {
        let Some(fence) = reader.opens_doc_string(&line) else {
            reader.line(origin, &line)?;
            continue;
        };
        let indent = line.len() - line.trim_start().len();
        let mut content = Vec::new();
        loop {
            let Some((_, line)) = lines.next() else {
                return Err(Refused::at(origin, "this doc string is not closed"));
            };
            if line.trim_start().starts_with(fence) {
                break;
            }
            content.push(unescaped(&line, indent, fence));
        }
        reader.argue(origin, Argument::DocString(content.join("\n")))?;
    }
    reader.finish()
}

struct Reader {
    prepared: Prepared,
    at: At,
    /// The last line that can have a table, a doc string or a description.
    anchor: usize,
    seen_scenario: bool,
}

impl Reader {
    fn opens_doc_string(&self, line: &str) -> Option<&'static str> {
        let fence =
            ["\"\"\"", "```"].into_iter().find(|fence| line.trim_start().starts_with(fence));
        fence.filter(|_| !matches!(self.at, At::Described(_) | At::Top))
    }

    fn line(&mut self, origin: u32, line: &str) -> Result<(), Refused> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if line.starts_with('@') {
            let tags = tags(origin, line)?;
            self.leave(origin);
            self.prepared.push(&tags, origin);
            if self.at != At::Anywhere {
                self.at = At::Tagged;
            }
            return Ok(());
        }
        match self.at {
            At::Anywhere => {
                if line.starts_with('|') {
                    return self.row(origin, line);
                }
                self.anchor = self.prepared.push(line, origin);
                Ok(())
            }
            At::Top | At::Described(_) | At::Steps { .. } | At::Rows | At::Tagged => {
                self.english(origin, line)
            }
        }
    }

    fn english(&mut self, origin: u32, line: &str) -> Result<(), Refused> {
        if let Some((header, _)) = header(line) {
            return self.header(origin, header, line);
        }
        match self.at {
            At::Described(of @ (Header::Background | Header::Scenario)) if is_step(line) => {
                self.step(origin, of, line);
            }
            At::Steps { of, .. } if is_step(line) => self.step(origin, of, line),
            At::Described(Header::Examples) | At::Steps { argued: false, .. } | At::Rows
                if line.starts_with('|') =>
            {
                return self.row(origin, line);
            }
            At::Steps { argued: true, .. } if line.starts_with('|') && self.in_table() => {
                return self.row(origin, line);
            }
            At::Described(_) => {
                let description = self.prepared.descriptions.entry(self.anchor).or_default();
                if !description.is_empty() {
                    description.push('\n');
                }
                description.push_str(line);
            }
            At::Top | At::Steps { .. } | At::Rows | At::Tagged | At::Anywhere => {
                return Err(self.unexpected(origin, line));
            }
        }
        Ok(())
    }

    fn header(&mut self, origin: u32, header: Header, line: &str) -> Result<(), Refused> {
        let tagged = self.at == At::Tagged;
        let fits = match header {
            Header::Feature => self.prepared.lines.iter().all(|line| line.starts_with('@')),
            Header::Background => match self.at {
                At::Described(Header::Feature | Header::Rule) => true,
                At::Described(_)
                | At::Top
                | At::Steps { .. }
                | At::Rows
                | At::Tagged
                | At::Anywhere => false,
            },
            Header::Examples => match self.at {
                At::Described(Header::Scenario | Header::Examples) | At::Rows => true,
                At::Steps { of, .. } => of == Header::Scenario,
                At::Tagged => self.seen_scenario,
                At::Described(_) | At::Top | At::Anywhere => false,
            },
            Header::Rule | Header::Scenario => {
                self.at != At::Top && (!tagged || self.has_feature())
            }
        };
        if !fits {
            return Err(self.unexpected(origin, line));
        }
        self.leave(origin);
        if header == Header::Rule && self.at == At::Described(Header::Rule) {
            self.prepared.fill("Scenario: -", origin);
            self.prepared.fill("* -", origin);
        }
        self.anchor = self.prepared.push(line, origin);
        self.seen_scenario = match header {
            Header::Scenario => true,
            Header::Examples => self.seen_scenario,
            Header::Feature | Header::Rule | Header::Background => false,
        };
        self.at = At::Described(header);
        Ok(())
    }

    fn has_feature(&self) -> bool {
        self.prepared.lines.iter().any(|line| matches!(header(line), Some((Header::Feature, _))))
    }

    fn step(&mut self, origin: u32, of: Header, line: &str) {
        self.anchor = self.prepared.push(line, origin);
        self.at = At::Steps { of, argued: false };
    }

    fn row(&mut self, origin: u32, line: &str) -> Result<(), Refused> {
        let cells = row::cells(line);
        if let Some(Argument::Table { rows, ragged }) =
            self.prepared.arguments.get_mut(&self.anchor)
        {
            if rows.first().is_some_and(|first| first.len() != cells.len()) {
                ragged.get_or_insert(origin);
            }
            rows.push(cells);
            return Ok(());
        }
        self.argue(origin, Argument::Table { rows: vec![cells], ragged: None })?;
        // The parser ends the description of examples at a row.
        self.prepared.push("| - |", origin);
        if self.at == At::Described(Header::Examples) {
            self.at = At::Rows;
        }
        Ok(())
    }

    fn in_table(&self) -> bool {
        matches!(self.prepared.arguments.get(&self.anchor), Some(Argument::Table { .. }))
    }

    fn argue(&mut self, origin: u32, argument: Argument) -> Result<(), Refused> {
        match &mut self.at {
            At::Steps { argued, .. } if !*argued => *argued = true,
            At::Described(Header::Examples) | At::Anywhere => {}
            At::Steps { .. } | At::Described(_) | At::Top | At::Rows | At::Tagged => {
                return Err(self.unexpected(origin, "\"\"\""));
            }
        }
        self.prepared.arguments.entry(self.anchor).or_insert(argument);
        Ok(())
    }

    /// Closes what has no step or no row: the parser would take the next header for a description.
    fn leave(&mut self, origin: u32) {
        match self.at {
            At::Described(Header::Background | Header::Scenario) => {
                self.prepared.fill("* -", origin);
            }
            At::Described(Header::Examples) => self.prepared.fill("| - |", origin),
            At::Described(Header::Feature | Header::Rule)
            | At::Top
            | At::Steps { .. }
            | At::Rows
            | At::Tagged
            | At::Anywhere => {}
        }
    }

    fn finish(mut self) -> Result<Prepared, Refused> {
        let end = self.prepared.end_of_file();
        if self.at == At::Tagged {
            return Err(Refused::at(end, "tags stand at the end, and nothing follows them"));
        }
        self.leave(end);
        if self.prepared.lines.len() > MOST_LINES {
            let message = format!("the specification has more than {MOST_LINES} lines; split it");
            return Err(Refused { message, line: None });
        }
        let mut start = 0;
        for line in &self.prepared.lines {
            self.prepared.starts.push(start);
            start += line.len() + 1;
        }
        Ok(self.prepared)
    }

    fn unexpected(&self, origin: u32, found: &str) -> Refused {
        let expected = match self.at {
            At::Top => "`Feature:`, a tag or a comment",
            At::Tagged => "a tag, `Scenario:`, `Rule:` or `Examples:`",
            At::Rows => "a row, a tag or the next scenario",
            At::Steps { .. } => "a step, a table, a doc string or the next scenario",
            At::Described(Header::Feature | Header::Rule) => "`Background:` or `Scenario:`",
            At::Described(_) | At::Anywhere => "a step or the next scenario",
        };
        Refused::at(origin, &format!("expected {expected}, found `{}`", shorten(found)))
    }
}

/// The author's lines with their numbers. A fence of code around everything is no part of it, and
/// `►` ends a line where a header has one.
fn author_lines(text: &str, english: bool) -> Vec<(u32, String)> {
    let mut lines: Vec<&str> = text.lines().collect();
    let filled = |line: &&str| !line.trim().is_empty();
    let ends = (lines.iter().position(filled), lines.iter().rposition(filled));
    if let (Some(first), Some(last)) = ends
        && first < last
        && lines[first].trim().starts_with("```")
        && lines[last].trim() == "```"
    {
        lines[first] = "";
        lines[last] = "";
    }
    let on_one_line =
        |line: &&str| line.contains('►') && (!english || header(line.trim()).is_some());
    let split = lines.iter().any(on_one_line);
    let mut found = Vec::with_capacity(lines.len());
    for (number, line) in (1..).zip(lines) {
        if split && !line.trim_start().starts_with(['#', '|']) {
            found.extend(line.split('►').map(|part| (number, part.to_owned())));
        } else {
            found.push((number, line.to_owned()));
        }
    }
    found
}

/// The line of tags without its comment.
fn tags(origin: u32, line: &str) -> Result<String, Refused> {
    let end = line.match_indices('#').find(|(at, _)| line[..*at].ends_with(char::is_whitespace));
    let line = end.map_or(line, |(at, _)| &line[..at]).trim();
    let tags: Vec<&str> = line.split('@').skip(1).map(str::trim).collect();
    if tags.iter().any(|tag| tag.contains(char::is_whitespace)) {
        return Err(Refused::at(origin, "a tag may not contain whitespace"));
    }
    if tags.iter().any(|tag| tag.is_empty()) {
        return Err(Refused::at(origin, "a tag needs a name after its `@`"));
    }
    Ok(tags.iter().map(|tag| format!("@{tag}")).collect::<Vec<_>>().join(" "))
}

fn unescaped(line: &str, indent: usize, fence: &str) -> String {
    let blank = line.len() - line.trim_start().len();
    let cut = (0..=indent.min(blank)).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    let escaped: String = fence.chars().flat_map(|c| ['\\', c]).collect();
    line[cut..].replace(&escaped, fence)
}

fn count(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}

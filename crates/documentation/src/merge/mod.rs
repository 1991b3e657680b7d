//! Updates an existing document section by section, and keeps what people wrote.
//!
//! [`merge`] takes the document that is there, the one that was written, and what is wrong with the first. Front
//! matter, titles, badges, text between `<!-- keep -->` and `<!-- /keep -->`, definitions of links, sections that the
//! new document does not have, and the order of sections survive. A section that is not written anew stays as it is,
//! byte for byte. Merging the result again changes nothing.

mod pieces;

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use self::pieces::{Part, Pieces};
use super::{
    Contract, Critique, Issue, IssueKind, contracts::folded, markdown::Heading, rules::WRITER,
};

/// Which sections are written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Sections with issues, required sections that are missing, and sections that are signed by the rules. What a
    /// model or a person wrote and the check finds right is left alone, and the rules put their words in place of
    /// nobody else's: [`to_mend`] says what may be taken out of these.
    WhatIsWrong,
    /// All sections that the new document has.
    All,
}

/// What happened to a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    Replaced,
    Added,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Changed {
    /// Empty for what stands before the first section.
    pub heading: String,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    pub text: String,
    /// Empty if the document is left alone, byte for byte.
    pub changes: Vec<Changed>,
    /// Why a document that has to change could not be taken apart.
    pub refused: Option<&'static str>,
}

/// What begins the mark under a section that says who wrote it.
pub const MARK: &str = "<!-- scribe:";

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant that a test compiles")
}

static BADGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\s*(?:\[?!\[[^\]]*\]\([^)]*(?:badge|shields\.io|\.svg|travis|codecov|/ci)[^)]*\)|<img[^>]*(?:badge|shields\.io)|<a [^>]*>\s*<img[^>]*(?:badge|shields)|\[!\[[^\]]*\]\[[^\]]*\]\](?:\[|\())",
    )
});
static DEFINITION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s{0,3}\[([^\]\n]+)\]:\s*\S"));

/// A section of the result.
struct Section {
    name: Option<String>,
    text: String,
    changed: bool,
}

/// The existing document with the new one's sections where they are needed. `critique` is of the existing one.
#[must_use]
pub fn merge(
    existing: &str,
    written: &str,
    contract: Contract,
    critique: &Critique,
    update: Update,
) -> Merged {
    if existing.trim().is_empty() {
        let changes = vec![Changed { heading: String::new(), what: What::Added }];
        return Merged { text: written.to_owned(), changes, refused: None };
    }
    let refuse =
        |why| Merged { text: existing.to_owned(), changes: Vec::new(), refused: Some(why) };
    let old = match Pieces::read(existing) {
        Ok(old) => old,
        Err(why) => return refuse(why),
    };
    let Ok(new) = Pieces::read(written) else {
        return refuse(
            "a block of code, a comment or a kept block of the new document is not closed",
        );
    };
    let job = Job { old, new, contract, critique, update, ending: line_end(existing) };
    let (mut sections, mut changes, used) = job.replaced();
    job.add_missing(&mut sections, &mut changes, &used);
    if changes.is_empty() {
        return Merged { text: existing.to_owned(), changes, refused: None };
    }
    Merged { text: joined(&sections, job.ending), changes, refused: None }
}

/// The issues in sections that somebody wrote and for which the new document has only words of the rules, with the
/// headings of these sections. Take them out with [`remove_invented`](super::repair::remove_invented) before [`merge`],
/// which leaves such sections alone. Blocks that do not parse are left to people: an example may be a fragment.
#[must_use]
pub fn to_mend(
    existing: &str,
    written: &str,
    contract: Contract,
    critique: &Critique,
) -> (Critique, Vec<String>) {
    let none = Critique { issues: Vec::new(), ..critique.clone() };
    let (Ok(old), Ok(new)) = (Pieces::read(existing), Pieces::read(written)) else {
        return (none, Vec::new());
    };
    let (update, ending) = (Update::WhatIsWrong, line_end(existing));
    let mut issues = critique.issues.clone();
    issues.retain(|issue| issue.line > 0 && issue.kind != IssueKind::Block);
    let critique = Critique { issues, ..none };
    let job = Job { old, new, contract, critique: &critique, update, ending };
    let parts: Vec<&Part> = job.old.parts.iter().filter(|part| job.is_to_mend(part)).collect();
    let within = |issue: &&Issue| parts.iter().any(|part| part.lines.contains(&(issue.line - 1)));
    let issues = critique.issues.iter().filter(within).cloned().collect();
    let name = |part: &&Part| part.heading.as_ref().map_or("", |it| &it.text).to_owned();
    let headings = parts.iter().map(name).collect();
    (Critique { issues, ..critique.clone() }, headings)
}

struct Job<'a> {
    old: Pieces<'a>,
    new: Pieces<'a>,
    contract: Contract,
    critique: &'a Critique,
    update: Update,
    ending: &'static str,
}

impl Job<'_> {
    /// The sections that are there, some of them written anew, and which ones of the new document they took.
    fn replaced(&self) -> (Vec<Section>, Vec<Changed>, BTreeSet<usize>) {
        let (mut sections, mut changes) = (Vec::new(), Vec::new());
        let mut used = BTreeSet::new();
        for part in &self.old.parts {
            let text = self.old.slice(&part.lines);
            let name = part.heading.as_ref().map(|heading| heading.text.clone());
            let found = self.fitting(part, &used);
            used.extend(found);
            let result = found
                .map(|found| &self.new.parts[found])
                .filter(|other| self.is_wanted(part, other))
                .and_then(|other| self.replace(part, other));
            // Blank lines at the end are no change.
            let result = result.filter(|result| result.trim_end() != text.trim_end());
            let changed = result.is_some();
            if changed {
                changes.push(Changed {
                    heading: name.clone().unwrap_or_default(),
                    what: What::Replaced,
                });
            }
            sections.push(Section {
                name,
                text: result.unwrap_or_else(|| text.to_owned()),
                changed,
            });
        }
        (sections, changes, used)
    }

    /// Whether a part is written anew, if the new document has it.
    fn is_wanted(&self, part: &Part, other: &Part) -> bool {
        self.update == Update::All
            || is_by_rules(&self.old, part)
            || self.old.is_wrong(part, self.critique) && !is_by_rules(&self.new, other)
    }

    /// Whether the rules could only put their words in place of what somebody wrote.
    fn is_to_mend(&self, part: &Part) -> bool {
        let found = self.fitting(part, &BTreeSet::new());
        self.old.is_wrong(part, self.critique)
            && !is_by_rules(&self.old, part)
            && found.is_some_and(|found| is_by_rules(&self.new, &self.new.parts[found]))
    }

    /// The section of the new document that a part stands for: by its words, else by the contract.
    fn fitting(&self, part: &Part, used: &BTreeSet<usize>) -> Option<usize> {
        let find = |same: &dyn Fn(Option<&Heading>, Option<&Heading>) -> bool| {
            let fits =
                |at: &usize| same(part.heading.as_ref(), self.new.parts[*at].heading.as_ref());
            (0..self.new.parts.len()).find(fits)
        };
        let found = find(&|one, other| match (one, other) {
            (None, None) => true,
            (Some(one), Some(other)) => folded(&one.text) == folded(&other.text),
            _ => false,
        });
        let found = found.or_else(|| find(&|one, other| self.is_same(one, other)));
        found.filter(|found| !used.contains(found))
    }

    fn is_same(&self, one: Option<&Heading>, other: Option<&Heading>) -> bool {
        match (one, other) {
            (None, None) => true,
            (Some(one), Some(other)) => {
                let section = |heading: &Heading| {
                    self.contract.sections().iter().position(|section| section.is(&heading.text))
                };
                folded(&one.text) == folded(&other.text)
                    || section(one).is_some() && section(one) == section(other)
            }
            _ => false,
        }
    }

    /// The heading that is there, its badges, the new body, and what is kept. `None` where the heading itself is kept.
    fn replace(&self, part: &Part, other: &Part) -> Option<String> {
        let (old, ending) = (&self.old, self.ending);
        let head = old.head(part);
        if head.clone().any(|line| old.is_kept(line)) {
            return None;
        }
        let has_title = head.end > old.document.front_matter.max(part.lines.start);
        let kept = old.kept_of(part);
        let body = self.body(other, has_title, &kept);
        let rest: Vec<usize> =
            (head.end..part.lines.end).filter(|line| old.is_prose(*line)).collect();
        let badges: String = rest
            .iter()
            .map(|line| old.line(*line))
            .filter(|line| BADGE.is_match(line) && !body.contains(line.trim()))
            .collect();
        let definitions: String = rest
            .iter()
            .filter(|line| self.is_needed(**line))
            .map(|line| old.line(*line))
            .filter(|line| !body.contains(line.trim()))
            .collect();
        // The mark stays the last line of the section.
        let (body, mark) = match body.rfind(MARK) {
            Some(at) if !body[at..].trim_end().contains('\n') => body.split_at(at),
            _ => (body.as_str(), ""),
        };
        let mut text = old.slice(&head).to_owned();
        let mut add = |piece: &str| {
            let piece = piece.trim_matches(['\n', '\r']).trim_end();
            if !piece.is_empty() {
                separate(&mut text, ending);
                text.push_str(piece);
                text.push_str(ending);
            }
        };
        add(&badges);
        add(&with_ending(body, ending));
        for block in kept.iter().filter(|block| !body.contains(**block)) {
            add(block);
        }
        add(&definitions);
        add(mark.trim());
        Some(text)
    }

    /// Whether a line defines a link that is right, or that another section uses.
    fn is_needed(&self, line: usize) -> bool {
        let text = self.old.line(line);
        let Some(name) = DEFINITION.captures(text).map(|found| found[1].to_lowercase()) else {
            return false;
        };
        // Within a code span it is none.
        let mut links = self.old.document.links.iter();
        if !links.any(|link| link.line == line + 1 && link.text.is_empty() && !link.by_label) {
            return false;
        }
        let wrong = self.critique.issues.iter().any(|issue| issue.line == line + 1);
        let mark = format!("[{name}]");
        let uses = |text: &str| text.to_lowercase().contains(&mark);
        let used = || {
            let goes = |other: &&Part| {
                let found = self.fitting(other, &BTreeSet::new());
                found.is_some_and(|found| self.is_wanted(other, &self.new.parts[found]))
            };
            let mut stay = self.old.parts.iter().filter(|other| !goes(other));
            stay.any(|other| uses(self.old.slice(&other.lines)))
                || self.old.kept.iter().any(|kept| uses(&self.old.text[kept.clone()]))
                || uses(self.new.text)
        };
        !wrong || used()
    }

    /// What stands under the heading of a new section; of the lead, what stands under the title if there is one already.
    /// Marks for keeping are for people: a writer's own go, and copies of what is kept anyway.
    fn body(&self, part: &Part, has_title: bool, kept: &[&str]) -> String {
        let from = match &part.heading {
            None if !has_title => self.new.document.front_matter.min(part.lines.end),
            _ => self.new.head(part).end,
        };
        let bytes = self.new.bytes(&(from..part.lines.end));
        let mut text = self.new.text[bytes.clone()].to_owned();
        let inside = self
            .new
            .kept
            .iter()
            .filter(|block| bytes.start <= block.start && block.end <= bytes.end);
        for block in inside.rev() {
            let is = &self.new.text[block.clone()];
            let place = block.start - bytes.start..block.end - bytes.start;
            if kept.iter().any(|kept| kept.trim() == is.trim()) {
                continue;
            }
            let copy =
                self.old.kept.iter().any(|kept| self.old.text[kept.clone()].trim() == is.trim());
            let inner = is.split_once("-->").map_or(is, |(_, inner)| inner);
            let inner = inner.rfind("<!--").map_or(inner, |end| &inner[..end]);
            text.replace_range(place, if copy { "" } else { inner });
        }
        text
    }

    /// Puts in the sections that the document does not have, each behind the one that it follows in the new document.
    fn add_missing(
        &self,
        sections: &mut Vec<Section>,
        changes: &mut Vec<Changed>,
        used: &BTreeSet<usize>,
    ) {
        let missing: Vec<&str> =
            self.critique.of(IssueKind::Section).map(|issue| issue.reference.as_str()).collect();
        let mut after = 0;
        for (at, part) in self.new.parts.iter().enumerate() {
            let Some(heading) = &part.heading else {
                if missing.contains(&"Title") && self.update == Update::WhatIsWrong {
                    self.add_title(part, sections, changes);
                }
                // What comes first comes behind the title, not behind all that people wrote.
                after = 1;
                continue;
            };
            if used.contains(&at) {
                let same = |section: &Section| {
                    section.name.as_ref().is_some_and(|name| {
                        self.is_same(
                            Some(&Heading { text: name.clone(), ..heading.clone() }),
                            Some(heading),
                        )
                    })
                };
                after = sections.iter().position(same).map_or(after, |place| place + 1);
                continue;
            }
            let required =
                self.contract.sections().iter().find(|section| section.is(&heading.text));
            let is_missing = required.is_some_and(|section| missing.contains(&section.name))
                || missing.contains(&"Main Content") && required.is_none()
                || missing.contains(&"Versions") && super::contracts::is_version(&heading.text);
            if self.update == Update::WhatIsWrong && !is_missing {
                continue;
            }
            let place = after.min(sections.len());
            changes.push(Changed { heading: heading.text.clone(), what: What::Added });
            let head = self.new.slice(&self.new.head(part));
            let text = with_ending(&format!("{head}{}", self.body(part, true, &[])), self.ending);
            sections
                .insert(place, Section { name: Some(heading.text.clone()), text, changed: true });
            after = place + 1;
        }
    }

    /// The title alone, behind the front matter.
    fn add_title(&self, part: &Part, sections: &mut [Section], changes: &mut Vec<Changed>) {
        let front = self.new.document.front_matter.min(part.lines.end);
        let title = self.new.slice(&(front..self.new.head(part).end.max(front))).trim();
        let has_title = self.old.document.headings.iter().any(|heading| heading.level == 1);
        let Some(lead) = sections.first_mut().filter(|_| !title.is_empty() && !has_title) else {
            return;
        };
        // The lead may have been written anew with its title.
        if lead.changed && lead.text.contains(title) {
            return;
        }
        let at = self.old.bytes(&(0..self.old.document.front_matter)).end;
        let (before, behind) = lead.text.split_at(at.min(lead.text.len()));
        let mut text = before.to_owned();
        if !text.is_empty() {
            separate(&mut text, self.ending);
        }
        text.push_str(&with_ending(title, self.ending));
        text.push_str(self.ending);
        if !behind.trim().is_empty() {
            text.push_str(self.ending);
            text.push_str(behind.trim_start_matches(['\n', '\r']));
        }
        if !lead.changed {
            changes.insert(0, Changed { heading: String::new(), what: What::Added });
        }
        (lead.text, lead.changed) = (text, true);
    }
}

/// Whether the rules signed it. They say the same until the repository says something else.
fn is_by_rules(pieces: &Pieces<'_>, part: &Part) -> bool {
    let mark = crate::sign::mark(WRITER);
    pieces.document.comments.iter().any(|comment| {
        let line = comment.line - 1;
        comment.text == mark && part.lines.contains(&line) && !pieces.is_kept(line)
    })
}

fn line_end(text: &str) -> &'static str {
    let (both, all) = (text.matches("\r\n").count(), text.matches('\n').count());
    if both * 2 > all { "\r\n" } else { "\n" }
}

fn with_ending(text: &str, ending: &str) -> String {
    let plain = text.replace("\r\n", "\n");
    if ending == "\n" { plain } else { plain.replace('\n', ending) }
}

/// A blank line at the end.
fn separate(text: &mut String, ending: &str) {
    if text.is_empty() {
        return;
    }
    if !text.ends_with('\n') {
        text.push_str(ending);
    }
    let line = text.trim_end_matches('\n').len();
    let blank = text[line..].len() > 1 || text[..line].ends_with("\n\r");
    if !blank {
        text.push_str(ending);
    }
}

/// The sections, with a blank line around those that are new.
fn joined(sections: &[Section], ending: &str) -> String {
    let mut out = String::new();
    let mut before = false;
    for section in sections.iter().filter(|section| !section.text.is_empty()) {
        if before || section.changed {
            separate(&mut out, ending);
        }
        out.push_str(&section.text);
        before = section.changed;
    }
    if before {
        out.truncate(out.trim_end_matches(['\n', '\r']).len());
        out.push_str(ending);
    }
    out
}

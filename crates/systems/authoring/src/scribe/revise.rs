//! What a revision may change: sections whose outline changed, or everything.

use std::collections::BTreeSet;

use consign_documentation::{Contract, markdown::Document};

use super::agents::Section;

/// Which sections of a document changed between two plans, by heading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) changed: Vec<String>,
    pub(crate) removed: Vec<String>,
}

impl Difference {
    pub(crate) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty()
    }
}

/// The heading of an outline: what stands before the colon.
pub(crate) fn heading(outline: &str) -> &str {
    outline.split(':').next().unwrap_or(outline).trim()
}

/// What changed for one document.
pub(crate) fn difference(path: &str, before: &[Section], after: &[Section]) -> Difference {
    let of = |sections: &[Section]| -> Vec<String> {
        let of = sections.iter().filter(|section| section.path == path);
        of.map(|section| section.outline.trim().to_owned()).collect()
    };
    let (before, after) = (of(before), of(after));
    let headings: BTreeSet<&str> = after.iter().map(|outline| heading(outline)).collect();
    let changed = after.iter().filter(|outline| !before.contains(outline));
    let removed = before.iter().map(|outline| heading(outline));
    Difference {
        changed: changed.map(|outline| heading(outline).to_owned()).collect(),
        removed: removed.filter(|name| !headings.contains(name)).map(str::to_owned).collect(),
    }
}

/// The earlier text with the changed sections of the new one. All other sections stay as they were, byte for byte.
pub(crate) fn composed(path: &str, earlier: &str, new: &str, difference: &Difference) -> String {
    let contract = Contract::of(path);
    let (old, new) = (split(earlier), split(new));
    let among = |names: &[String], heading: Option<&str>| {
        names.iter().any(|name| is_same(contract, name, heading))
    };
    let mut out = String::new();
    let mut used = BTreeSet::new();
    for (name, text) in &old {
        let found = new.iter().position(|(other, _)| match (name, other) {
            (Some(name), Some(other)) => is_same(contract, name, Some(other)),
            (None, None) => true,
            _ => false,
        });
        used.extend(found);
        if among(&difference.removed, name.as_deref()) && name.is_some() {
            continue;
        }
        match found.filter(|_| among(&difference.changed, name.as_deref())) {
            Some(at) => push(&mut out, &new[at].1),
            None => push(&mut out, text),
        }
    }
    for (at, (name, text)) in new.iter().enumerate() {
        if !used.contains(&at) && among(&difference.changed, name.as_deref()) {
            push(&mut out, text);
        }
    }
    out
}

/// Sections with a blank line between them.
fn push(out: &mut String, text: &str) {
    if !out.is_empty() {
        while !out.ends_with("\n\n") {
            out.push('\n');
        }
    }
    out.push_str(text);
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Whether a heading is the section of this name. Without a heading it is the title.
fn is_same(contract: Contract, name: &str, heading: Option<&str>) -> bool {
    let Some(heading) = heading else { return name.eq_ignore_ascii_case("title") };
    let known = contract.sections().iter().find(|section| section.is(name));
    name.eq_ignore_ascii_case(heading) || known.is_some_and(|section| section.is(heading))
}

/// The sections of a document with their headings; what stands before the first has none.
fn split(text: &str) -> Vec<(Option<String>, String)> {
    let document = Document::read(text);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let starts = document.headings.iter().filter(|heading| heading.level == 2);
    let mut parts = Vec::new();
    let (mut from, mut name) = (0, None);
    for start in starts {
        let at = (start.line - 1).clamp(from, lines.len());
        parts.push((name.take(), lines[from..at].concat()));
        (from, name) = (at, Some(start.text.clone()));
    }
    parts.push((name, lines[from..].concat()));
    parts.retain(|(name, text)| name.is_some() || !text.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(outlines: &[&str]) -> Vec<Section> {
        let section = |outline: &&str| Section {
            path: "README.md".to_owned(),
            outline: (*outline).to_owned(),
            sources: Vec::new(),
        };
        outlines.iter().map(section).collect()
    }

    #[test]
    fn only_sections_with_another_outline_change() {
        let before = sections(&["Title: x", "Usage: how", "Old: gone"]);
        let after = sections(&["Title: x", "Usage: how, with options", "Extra: new"]);
        let difference = difference("README.md", &before, &after);
        assert_eq!(difference.changed, ["Usage", "Extra"]);
        assert_eq!(difference.removed, ["Old"]);
        let earlier = "# X\n\nlead\n\n## Usage\n\nold use\n\n## Old\n\nbye\n\n## License\n\nMIT\n";
        let new = "# Other\n\nother lead\n\n## Usage\n\nnew use\n\n## License\n\nother\n\n## Extra\n\nmore\n";
        assert_eq!(
            composed("README.md", earlier, new, &difference),
            "# X\n\nlead\n\n## Usage\n\nnew use\n\n## License\n\nMIT\n\n## Extra\n\nmore\n"
        );
    }

    #[test]
    fn the_same_plan_changes_nothing() {
        let plan = sections(&["Title: x", "Usage: how"]);
        let difference = difference("README.md", &plan, &plan);
        assert!(difference.is_empty());
        let earlier = "# X\n\n## Usage\n\nuse\n";
        assert_eq!(composed("README.md", earlier, "# Y\n\n## Usage\n\nno\n", &difference), earlier);
    }
}

//! Goals: what an answer must reach, and what kind of evidence would show that it did.

use consign_contracts::json::Object;

use super::{
    json::{self, object},
    perception, words,
};

/// What evidence satisfies a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Definition,
    Usage,
    /// Several definitions, and who calls whom.
    Flow,
    /// What something consists of.
    Parts,
    Structure,
    History,
    Raise,
    Count,
    /// What extends or implements something.
    Implementers,
    /// The lines themselves.
    Lines,
    Tests,
    /// What a manifest says.
    Project,
    /// Where programs start.
    EntryPoints,
    /// Anything that speaks of it.
    Mention,
}

impl Need {
    const ALL: [Self; 14] = [
        Self::Definition,
        Self::Usage,
        Self::Flow,
        Self::Parts,
        Self::Structure,
        Self::History,
        Self::Raise,
        Self::Count,
        Self::Implementers,
        Self::Lines,
        Self::Tests,
        Self::Project,
        Self::EntryPoints,
        Self::Mention,
    ];

    /// The tools that look for it.
    pub(super) fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Definition | Self::Parts => &["find_symbol", "outline"],
            Self::Usage => &["find_references"],
            Self::Flow => &["find_symbol", "find_references", "outline"],
            Self::Structure => &["list_tree"],
            Self::History => &["git_log", "git_blame"],
            Self::Raise => &["find_references", "code_search"],
            Self::Count => {
                &["code_search", "find_references", "find_symbol", "outline", "list_tree"]
            }
            Self::Implementers => &["find_references"],
            Self::Lines | Self::Project => &["read_file"],
            Self::Tests | Self::EntryPoints => &["outline"],
            Self::Mention => &["code_search"],
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Usage => "usage",
            Self::Flow => "flow",
            Self::Parts => "parts",
            Self::Structure => "structure",
            Self::History => "history",
            Self::Raise => "raise",
            Self::Count => "count",
            Self::Implementers => "implementers",
            Self::Lines => "lines",
            Self::Tests => "tests",
            Self::Project => "project",
            Self::EntryPoints => "entry_points",
            Self::Mention => "mention",
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Goal {
    pub(super) text: String,
    pub(super) need: Need,
    /// Names and stems that the evidence must speak of; none means any.
    pub(super) about: Vec<String>,
}

impl Goal {
    pub(super) fn new(text: String, need: Need, about: &[String]) -> Self {
        Self { text, need, about: about.to_vec() }
    }

    pub(super) fn to_json(&self) -> Object<'static> {
        object! { "goal": &self.text, "needs": self.need.word(), "about": self.about.as_slice() }
    }

    /// A goal as intent wrote it, or as good as can be told from its words if a model did.
    pub(super) fn of(text: &str, details: &[&Object<'static>]) -> Self {
        let known = details.iter().find(|one| json::text(one, "goal") == Some(text));
        let need = known.and_then(|one| json::text(one, "needs"));
        let need = need.and_then(|word| Need::ALL.into_iter().find(|need| need.word() == word));
        match (known, need) {
            (Some(one), Some(need)) => Self::new(text.to_owned(), need, &json::texts(one, "about")),
            _ => Self::guess(text),
        }
    }

    fn guess(text: &str) -> Self {
        let seen = perception::perceive(text);
        let names =
            seen.entities.iter().map(|entity| words::last_name(&entity.text).to_lowercase());
        let about: Vec<String> =
            names.chain(seen.terms.iter().map(|term| words::stem(term))).collect();
        let lower = text.to_lowercase();
        let has = |cues: &[&str]| cues.iter().any(|cue| lower.contains(cue));
        let need = if has(&["who calls", "used", "usage", "caller", "reference"]) {
            Need::Usage
        } else if has(&["history", "changed", "commit", "author", "blame"]) {
            Need::History
        } else if has(&["raise", "thrown", "throws", "error comes"]) {
            Need::Raise
        } else if has(&["structure", "list the files", "layout", "folder"]) {
            Need::Structure
        } else if has(&["how many", "count "]) {
            Need::Count
        } else if has(&["defin", "declar", "implement", "locate", "find the"]) {
            Need::Definition
        } else {
            Need::Mention
        };
        Self::new(text.to_owned(), need, &about)
    }
}

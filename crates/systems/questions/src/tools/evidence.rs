//! A piece of evidence: a place in the repository, its text, and why it matters.

use consign_contracts::json::{Json, Object};

use crate::json::{self, IntoJson, object};

/// What a piece of evidence shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Definition,
    /// Where a failure is raised, thrown or returned.
    Raise,
    Call,
    Usage,
    Structure,
    History,
    Mention,
}

impl Role {
    pub(crate) const ALL: [Self; 7] = [
        Self::Definition,
        Self::Raise,
        Self::Call,
        Self::Usage,
        Self::Structure,
        Self::History,
        Self::Mention,
    ];

    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Raise => "raise",
            Self::Call => "call",
            Self::Usage => "usage",
            Self::Structure => "structure",
            Self::History => "history",
            Self::Mention => "mention",
        }
    }
}

/// One place, and the text that stands there.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    pub path: String,
    /// From 1; the content begins here.
    pub line: usize,
    /// The last line of what was found: a definition's body goes on beyond its content.
    pub end_line: usize,
    pub content: String,
    pub relevance: String,
    pub role: Role,
    /// The symbol that it is, or is about.
    pub symbol: Option<String>,
    /// What the symbol is: function, class and so on.
    pub kind: Option<String>,
    /// The first sentence of its documentation, or another remark.
    pub note: Option<String>,
    /// The names of what is called there.
    pub calls: Vec<String>,
    pub score: f64,
}

impl Evidence {
    pub(crate) fn at(path: &str, line: usize, role: Role, relevance: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line,
            end_line: line,
            content: String::new(),
            relevance: relevance.into(),
            role,
            symbol: None,
            kind: None,
            note: None,
            calls: Vec::new(),
            score: 0.0,
        }
    }

    #[must_use]
    pub fn location(&self) -> String {
        format!("{}:{}", self.path, self.line)
    }

    pub(crate) fn to_json(&self) -> Object<'static> {
        let mut one = object! {
            "location": self.location(),
            "content": &self.content,
            "relevance": &self.relevance,
            "role": self.role.word(),
            "score": self.score,
        };
        if let Some(symbol) = &self.symbol {
            one.set("symbol", symbol.into_json());
        }
        if let Some(kind) = &self.kind {
            one.set("kind", kind.into_json());
        }
        if let Some(note) = &self.note {
            one.set("note", note.into_json());
        }
        if self.end_line > self.line {
            one.set("end_line", self.end_line.into_json());
        }
        if !self.calls.is_empty() {
            one.set("calls", self.calls.as_slice().into_json());
        }
        one
    }

    /// Reads what [`Evidence::to_json`] or a model wrote. `None` without a place that can be looked
    /// up.
    pub(crate) fn read(one: &Object<'_>) -> Option<Self> {
        let (path, line) = place(json::text(one, "location")?)?;
        let owned = |key| json::text(one, key).map(str::to_owned);
        let role = json::text(one, "role");
        Some(Self {
            path: path.to_owned(),
            line,
            end_line: json::whole(one, "end_line")
                .and_then(|end| usize::try_from(end).ok())
                .filter(|end| *end >= line)
                .unwrap_or(line),
            content: owned("content").unwrap_or_default(),
            relevance: owned("relevance").unwrap_or_default(),
            role: Role::ALL
                .into_iter()
                .find(|known| Some(known.word()) == role)
                .unwrap_or(Role::Mention),
            symbol: owned("symbol"),
            kind: owned("kind"),
            note: owned("note"),
            calls: json::texts(one, "calls"),
            score: one.get("score").and_then(Json::as_number).map_or(0.0, |score| score.as_f64()),
        })
    }
}

/// A location's path and line.
pub(crate) fn place(location: &str) -> Option<(&str, usize)> {
    let (path, line) = location.rsplit_once(':')?;
    let line = line.split('-').next()?.parse().ok().filter(|line| *line > 0)?;
    (!path.is_empty()).then_some((path, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_comes_back_as_it_was_written() {
        let mut evidence = Evidence::at("src/a.rs", 7, Role::Raise, "raises it");
        evidence.content = "bail!(\"no\")".into();
        evidence.symbol = Some("check".into());
        evidence.end_line = 9;
        evidence.calls = vec!["bail".into()];
        assert_eq!(Evidence::read(&evidence.to_json()), Some(evidence));
    }

    #[test]
    fn a_place_is_a_path_and_a_line() {
        assert_eq!(place("a/b.rs:12"), Some(("a/b.rs", 12)));
        assert_eq!(place("a:b.rs:12-14"), Some(("a:b.rs", 12)));
        for broken in ["a/b.rs", "a:0", ":3", "a:x", ""] {
            assert_eq!(place(broken), None, "{broken}");
        }
    }
}

//! The deterministic writer (model `rules`): documents from facts alone.
//!
//! [`write`] says what the repository says, and where; it has no opinion and no prose of its own beyond that. What
//! the repository does not say is said to be unknown. Its documents pass [`check`](super::check()): each name in them was
//! taken from the repository. Words of the repository (descriptions, commit subjects) are [`plain`]: no markup of a
//! stranger reaches a document.

mod api;
mod changelog;
mod guide;
mod page;
mod readme;

use consign_contracts::authoring::DocDepth;

use self::page::Page;
use super::{Contract, Facts, Snapshot, sign::mark};

/// The name of this writer.
pub const WRITER: &str = "rules";

/// The document for a target.
#[must_use]
pub fn write(path: &str, facts: &Facts, snapshot: &Snapshot, depth: DocDepth) -> String {
    let most = match depth {
        DocDepth::Lite => 10,
        DocDepth::Standard => 40,
        DocDepth::Deep => 200,
    };
    let page = Page { path, facts, snapshot, most };
    let (title, lead, sections) = match Contract::of(path) {
        Contract::Readme => readme::write(&page),
        Contract::Api => api::write(&page),
        Contract::Changelog => changelog::write(&page),
        Contract::Adr => guide::decision(&page),
        Contract::Guide => guide::write(&page),
    };
    let mark = mark(WRITER);
    let mut out = format!("# {title}\n");
    for part in [lead.trim(), &mark].into_iter().filter(|part| !part.is_empty()) {
        out.push_str(&format!("\n{part}\n"));
    }
    for (heading, body) in sections {
        out.push_str(&format!("\n## {heading}\n\n{}\n\n{mark}\n", body.trim()));
    }
    out
}

/// Title, lead, and sections by heading.
type Written = (String, String, Vec<(String, String)>);

/// Text of a stranger without markup, on one line.
#[must_use]
pub fn plain(text: &str) -> String {
    let kept: String = text
        .chars()
        .map(|c| if "`<>[]*|#\\{}~!$".contains(c) || c.is_control() { ' ' } else { c })
        .collect();
    let words: Vec<&str> = kept
        .split_whitespace()
        .filter(|word| !word.contains("://") && !word.contains("www."))
        .collect();
    let text: String = words.join(" ").chars().take(300).collect();
    text.trim_start_matches(['-', '+', '=', ':', '>']).trim().replace("__", " ").replace("--", "-")
}

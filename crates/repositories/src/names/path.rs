//! The path of a file that may be written.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use super::BadName;

const LONGEST: usize = 1_000;
/// What file systems allow for one name.
const LONGEST_PART: usize = 255;

/// A path inside a repository, with `/`: relative, without `..`, and not in `.git`, in whichever way a file
/// system might read that name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(String);

impl RepoPath {
    pub fn new(text: &str) -> Result<Self, BadName> {
        fault(text).map_or_else(|| Ok(Self(text.to_owned())), |why| Err(BadName::Path(why)))
    }

    /// Whether a person has to approve a change of this file: it would run on the repository's own
    /// machines.
    #[must_use]
    pub fn needs_approval(&self) -> bool {
        let mut parts = self.0.split('/').map(folded);
        parts.next().as_deref() == Some(".github") && parts.next().as_deref() == Some("workflows")
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a path of a tree can be looked up at all. Less strict than [`RepoPath`]: what is read is there.
pub(crate) fn is_readable(path: &str) -> bool {
    path.len() <= 4 * LONGEST
        && !path.contains('\0')
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn fault(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("it is empty");
    }
    if text.len() > LONGEST {
        return Some("it is longer than 1000 bytes");
    }
    if text.starts_with('/') {
        return Some("it is absolute");
    }
    // A colon is a drive or a second stream of a file on Windows, a backslash separates there.
    if text.contains(|it: char| it.is_control() || it == '\\' || it == ':') {
        return Some("it has a backslash, a colon or a control character");
    }
    text.split('/').find_map(fault_of_part)
}

fn fault_of_part(part: &str) -> Option<&'static str> {
    if part.is_empty() {
        return Some("a part of it is empty");
    }
    if part.len() > LONGEST_PART {
        return Some("a part of it is longer than 255 bytes");
    }
    let folded = folded(part);
    // Windows drops full stops and spaces at the end of a name: nothing is left of `..` then.
    if folded.is_empty() {
        return Some("a part of it is . or ..");
    }
    if part.ends_with(['.', ' ']) || part.starts_with(char::is_whitespace) {
        return Some("a part of it begins with a space, or ends with a space or a full stop");
    }
    if folded == ".git" || is_short_name(&folded) {
        return Some("it is in .git");
    }
    None
}

/// How the most forgiving file system reads a name: without case, without what is invisible, with wide
/// letters as plain ones, without a second stream, full stops and spaces at the end.
fn folded(part: &str) -> String {
    let visible = part.chars().filter(|it| !is_ignored(*it)).nfkc();
    let lower: String =
        visible.filter(|it| !is_ignored(*it)).flat_map(char::to_lowercase).collect();
    let name = lower.split(':').next().unwrap_or_default();
    name.trim_end_matches(['.', ' ']).to_owned()
}

/// Characters that HFS+ leaves out when it compares names, and others that have no width.
fn is_ignored(it: char) -> bool {
    matches!(it, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}')
        || matches!(it, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(it, '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}')
}

/// The short name that Windows gives to `.git`: `git~1`, or with another digit.
fn is_short_name(folded: &str) -> bool {
    folded
        .strip_prefix("git~")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_digit()))
}

//! The name of a branch that may be written to.

use std::fmt;

use super::BadName;

/// Room for `.lock` and the folders before it, on any file system.
const LONGEST: usize = 200;

/// A branch name: git's rules for references, and nothing that could be taken for something else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BranchName(String);

impl BranchName {
    pub fn new(text: &str) -> Result<Self, BadName> {
        fault(text).map_or_else(|| Ok(Self(text.to_owned())), |why| Err(BadName::Branch(why)))
    }

    /// A branch to publish on: never the base branch, in whichever way that is written.
    pub fn apart_from(text: &str, base: &str) -> Result<Self, BadName> {
        let branch = Self::new(text)?;
        let base = base.trim().trim_start_matches('/');
        let base = base.strip_prefix("refs/").unwrap_or(base);
        let base = base.strip_prefix("heads/").unwrap_or(base);
        // On a file system that ignores case both would be one file.
        match branch.0.to_lowercase() == base.to_lowercase() {
            true => Err(BadName::IsBase),
            false => Ok(branch),
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn fault(text: &str) -> Option<&'static str> {
    let has = |these: &[char]| text.contains(these);
    let any = |odd: &dyn Fn(&str) -> bool| text.split('/').any(odd);
    let rules: [(bool, &str); 11] = [
        (text.is_empty(), "it is empty"),
        (text.len() > LONGEST, "it is longer than 200 bytes"),
        (
            text.contains(|it: char| it.is_control() || it.is_whitespace()),
            "it has spaces or control characters",
        ),
        (has(&['~', '^', ':', '?', '*', '[', '\\']), "it has one of ~ ^ : ? * [ \\"),
        (text.contains("..") || text.contains("@{") || text == "@", "it has .. or @{"),
        (any(&str::is_empty), "it begins or ends with /, or has //"),
        (any(&|part| part.starts_with('.')), "a part begins with a full stop"),
        (any(&|part| part.ends_with('.')), "a part ends with a full stop"),
        (any(&|part| part.to_ascii_lowercase().ends_with(".lock")), "a part ends with .lock"),
        (text.starts_with('-'), "it begins with -"),
        (is_something_else(text), "it would be taken for a reference or a commit"),
    ];
    rules.into_iter().find(|(broken, _)| *broken).map(|(_, why)| why)
}

fn is_something_else(text: &str) -> bool {
    let is_id = matches!(text.len(), 40 | 64) && text.bytes().all(|it| it.is_ascii_hexdigit());
    let lower = text.to_ascii_lowercase();
    is_id || lower == "head" || lower.starts_with("refs/") || lower.starts_with("heads/")
}

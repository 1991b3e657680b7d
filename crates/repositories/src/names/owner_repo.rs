//! The name of a repository on GitHub.

use std::fmt;

use super::BadName;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OwnerRepo {
    owner: String,
    repo: String,
}

impl OwnerRepo {
    pub fn new(owner: &str, repo: &str) -> Result<Self, BadName> {
        match is_part(owner) && is_part(repo) {
            true => Ok(Self { owner: owner.to_owned(), repo: repo.to_owned() }),
            false => Err(BadName::OwnerRepo),
        }
    }

    /// Reads `owner/repo`.
    pub fn parse(text: &str) -> Result<Self, BadName> {
        let (owner, repo) = text.split_once('/').ok_or(BadName::OwnerRepo)?;
        Self::new(owner, repo)
    }

    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }

    #[must_use]
    pub fn repo(&self) -> &str {
        &self.repo
    }
}

impl fmt::Display for OwnerRepo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.repo)
    }
}

fn is_part(text: &str) -> bool {
    // Both would be steps in a URL.
    let is_step = matches!(text, "." | "..");
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=100).contains(&text.len()) && text.bytes().all(is_plain) && !is_step
}

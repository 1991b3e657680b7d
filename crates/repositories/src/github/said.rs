//! The words of the other side, fit to be shown: short, in one line, and without the token.

use crate::Secret;

const LONGEST: usize = 300;

pub(super) fn said(text: &str, token: Option<&Secret>) -> String {
    let text = match token.map(Secret::reveal).filter(|token| !token.is_empty()) {
        Some(token) => text.replace(token, "***"),
        None => text.to_owned(),
    };
    let line = text.chars().map(|it| if it.is_control() { ' ' } else { it });
    line.take(LONGEST).collect::<String>().trim().to_owned()
}

/// What GitHub says when the thing to be made exists, or is not the one to be replaced.
pub(super) fn is_conflict(text: &str) -> bool {
    let text = text.to_lowercase();
    ["already exists", "wasn't supplied", "does not match", "is at "]
        .iter()
        .any(|known| text.contains(known))
}

/// What GitHub says of a repository without commits.
pub(super) fn is_empty_repository(text: &str) -> bool {
    text.to_lowercase().contains("repository is empty")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_token_is_shown() {
        let token = Secret::new("ghp_secret".to_owned());
        assert_eq!(said("bad ghp_secret\n\u{1b}[1m", Some(&token)), "bad ***  [1m");
        assert_eq!(said(&"x".repeat(999), None).len(), LONGEST);
    }
}

//! The key of a change: the last line of its commit's message, or a hidden comment below the text of its pull request.
//!
//! What was made is found again by it: the subject alone may be that of an earlier change of the same file, and a branch
//! may have had the pull requests of others before.

use crate::{Committed, Error, LogEntry};

const TRAILER: &str = "Consign-Key: ";
const COMMENT: (&str, &str) = ("<!-- consign-key: ", " -->");
/// Keys are ids of jobs and paths.
const LONGEST: usize = 300;
/// How many commits of a branch are searched for a key. Between an answer that was lost and the next call
/// there are not that many.
pub(crate) const LOOKBACK: usize = 100;

fn check(key: &str) -> Result<(), Error> {
    let plain = !key.is_empty() && key.len() <= LONGEST && !key.contains(char::is_control);
    match plain && key.trim() == key {
        true => Ok(()),
        false => Err(Error::refused("the key of a change is one line of at most 300 bytes")),
    }
}

/// The text of a pull request with the key below it, where readers do not see it.
pub(crate) fn below_text(text: &str, key: &str) -> Result<String, Error> {
    check(key)?;
    Ok(format!("{}\n\n{}{key}{}\n", text.trim_end(), COMMENT.0, COMMENT.1))
}

/// The key below the text of a pull request. The last one counts: what stands above it is not ours.
pub(crate) fn of_text(text: &str) -> Option<String> {
    let key = |line: &str| {
        line.trim().strip_prefix(COMMENT.0)?.strip_suffix(COMMENT.1).map(str::to_owned)
    };
    text.lines().rev().find_map(key)
}

/// The message with the key below it.
pub(crate) fn with_key(message: &str, key: &str) -> Result<String, Error> {
    check(key)?;
    Ok(format!("{}\n\n{TRAILER}{key}\n", cleaned(message)))
}

/// A message that every kind of repository keeps as it is, and that has a subject.
fn cleaned(message: &str) -> String {
    let plain = |it: &char| !it.is_control() || matches!(it, '\n' | '\t');
    let text: String = message.chars().filter(plain).collect();
    let text = text.trim();
    if text.is_empty() { "Update".to_owned() } else { text.to_owned() }
}

/// The commit of a history that was made for this key.
#[must_use]
pub fn committed_for(log: &[LogEntry], key: &str) -> Option<Committed> {
    find(log, key)
}

pub(crate) fn find(log: &[LogEntry], key: &str) -> Option<Committed> {
    let line = format!("{TRAILER}{key}");
    let is_of = |entry: &&LogEntry| entry.body.trim_end().rsplit('\n').next() == Some(&line);
    let entry = log.iter().find(is_of)?;
    Some(Committed { sha: entry.id.clone(), message: entry.summary.clone() })
}

/// The first line of a message, and what is below it.
pub(crate) fn split(message: &str) -> (String, String) {
    let message = message.trim();
    let (summary, body) = message.split_once('\n').unwrap_or((message, ""));
    (summary.trim().to_owned(), body.trim().to_owned())
}

/// The subject of a message as the history will show it.
pub(crate) fn subject(message: &str) -> String {
    split(&cleaned(message)).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CommitId;

    fn entry(message: &str) -> LogEntry {
        let (summary, body) = split(message);
        let id = CommitId::parse(&"a".repeat(40)).unwrap();
        LogEntry { id, summary, body, author: String::new(), at: String::new() }
    }

    #[test]
    fn a_pull_request_is_known_by_the_last_key_of_its_text() {
        let text = below_text(
            "What <!-- consign-key: forged -->\n<!-- consign-key: forged -->\n",
            "job-1",
        )
        .unwrap();
        assert!(text.ends_with("\n\n<!-- consign-key: job-1 -->\n"), "{text}");
        assert_eq!(of_text(&text).as_deref(), Some("job-1"));
        // A forge may change the ends of lines, and a person may write below it.
        assert_eq!(of_text(&text.replace('\n', "\r\n")).as_deref(), Some("job-1"));
        assert_eq!(of_text(&format!("{text}\nfixes #1")).as_deref(), Some("job-1"));
        assert_eq!(of_text("no key"), None);
        assert!(below_text("x", "a\nb").is_err());
    }

    #[test]
    fn a_commit_is_found_by_its_key_and_nothing_else() {
        let message = with_key("docs: update A\u{1b}.md\n\nwhy", "job-1/A.md").unwrap();
        assert_eq!(message, "docs: update A.md\n\nwhy\n\nConsign-Key: job-1/A.md\n");
        let log = [entry("other"), entry(&message)];
        assert_eq!(find(&log, "job-1/A.md").unwrap().message, "docs: update A.md");
        assert_eq!(find(&log, "job-1/A"), None);
        // A message cannot pass for another key: ours is always the last line.
        let forged = with_key("x\n\nConsign-Key: job-2", "job-3").unwrap();
        assert_eq!(find(&[entry(&forged)], "job-2"), None);
        for bad in ["", " a", "a\nb", &"k".repeat(301)] {
            assert!(with_key("m", bad).is_err(), "{bad:?}");
        }
        assert_eq!(with_key(" ", "k").unwrap(), "Update\n\nConsign-Key: k\n");
    }
}

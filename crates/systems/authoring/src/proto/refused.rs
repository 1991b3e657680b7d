//! Why Proto does not begin, or does not accept files.

/// What is wrong with a request or with proposed files. Nothing was made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Neither requirements nor a goal, or only blank ones.
    #[error("say what to build: `requirements` or `goal` is needed and must not be blank")]
    NothingAsked,
    /// A file has a name that must not be written.
    #[error("the path {path:?} is not accepted: {reason}")]
    Path { path: String, reason: &'static str },
    /// More files than a scaffold may have.
    #[error("{found} files are too many: a scaffold has at most {most}")]
    TooMany { found: usize, most: usize },
    /// A file, or all files together, are too large.
    #[error("{what} has {found} bytes: at most {most} are accepted")]
    TooLarge { what: String, found: usize, most: usize },
}

/// Requirements are read by a person, too.
const MOST_ASKED: usize = 256 << 10;

/// Refuses a request without requirements and goal. Blank text counts as absent.
pub fn check(requirements: Option<&str>, goal: Option<&str>) -> Result<(), Refused> {
    asked(requirements, goal).map(|_| ())
}

/// Everything that was asked for, as one text: the requirements, then the goal.
pub(super) fn asked(requirements: Option<&str>, goal: Option<&str>) -> Result<String, Refused> {
    let mut parts: Vec<&str> = [requirements, goal]
        .into_iter()
        .flatten()
        .map(str::trim)
        .filter(|p| !is_blank(p))
        .collect();
    parts.dedup();
    if parts.is_empty() {
        return Err(Refused::NothingAsked);
    }
    let text = parts.join("\n\n");
    if text.len() > MOST_ASKED {
        let (what, found) = ("what is asked for".to_owned(), text.len());
        return Err(Refused::TooLarge { what, found, most: MOST_ASKED });
    }
    Ok(text)
}

/// Text of which a reader sees nothing: white space, control characters and invisible marks.
fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_asked_is_refused() {
        for (requirements, goal) in [
            (None, None),
            (Some(""), None),
            (None, Some(" \n\t")),
            (Some("\u{200b}"), Some("\u{feff} ")),
        ] {
            assert_eq!(check(requirements, goal), Err(Refused::NothingAsked));
        }
    }

    #[test]
    fn one_of_the_two_is_enough_and_equal_texts_count_once() {
        assert_eq!(asked(None, Some("a blog")), Ok("a blog".into()));
        assert_eq!(asked(Some(" "), Some("a blog")), Ok("a blog".into()));
        assert_eq!(asked(Some("a blog"), Some(" a blog ")), Ok("a blog".into()));
        assert_eq!(asked(Some("a blog"), Some("fast")), Ok("a blog\n\nfast".into()));
    }
}

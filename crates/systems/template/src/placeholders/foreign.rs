//! Recognises names that are spelled like ours but belong to others.
//!
//! An address on the web leads where it leads, `go-shop` and `shop.org` are not `shop`, and a person is
//! replaced only where the person is named as the author. Only what stands around a name is looked at,
//! so that the same word is treated alike in every file and path.

use super::Subject;

/// How far back an address may begin.
const NEAR: usize = 400;

/// Whether the text at `at..end` belongs to others.
#[must_use]
pub fn is_foreign(subject: Subject, text: &str, at: usize, end: usize) -> bool {
    if in_address(text, at) {
        return true;
    }
    subject == Subject::Project && (after_hyphen(&text[..at]) || before_domain(&text[end..]))
}

/// `https://example.org/shop`, but not `http://localhost/shop`, which is the project's own.
fn in_address(text: &str, at: usize) -> bool {
    let near = &text[text.floor_char_boundary(at.saturating_sub(NEAR))..at];
    let ends = |it: char| it.is_whitespace() || "\"'`<>()[]{},|".contains(it);
    let run = near.rsplit(ends).next().unwrap_or(near);
    if run.contains("git@") {
        return true;
    }
    let Some((_, rest)) = ["https://", "http://", "git://", "ssh://"]
        .into_iter()
        .find_map(|scheme| run.split_once(scheme))
    else {
        return false;
    };
    // The host may be what stands here: `https://shop.org`.
    let whole = &text[at - rest.len()..];
    let host =
        whole.split(|it: char| it.is_whitespace() || "/\"'`<>()[]{},:?#".contains(it)).next();
    let host = host.unwrap_or_default();
    host.contains('.') && !host.starts_with("127.") && host != "0.0.0.0"
}

/// `pytest-shop`, but not `--shop`.
fn after_hyphen(before: &str) -> bool {
    let mut back = before.chars().rev();
    back.next() == Some('-') && back.next().is_some_and(char::is_alphanumeric)
}

/// `shop.org`, but not `shop.organise` or `shop.io.read()`.
fn before_domain(after: &str) -> bool {
    ["org", "com", "net", "io", "dev"].into_iter().any(|domain| {
        let rest = after.strip_prefix('.').and_then(|it| it.strip_prefix(domain));
        rest.is_some_and(|rest| {
            let mut next = rest.chars();
            let end = next.next();
            // The end of a sentence is no further part.
            let dotted = end == Some('.') && next.next().is_some_and(char::is_alphanumeric);
            !dotted
                && !end.is_some_and(|it| it.is_alphanumeric() || "_(:".contains(it))
                && !rest.trim_start().starts_with("import")
        })
    })
}

/// Whether a person who stands here is named as the author: in a manifest's field, or in a line about
/// the copyright.
pub(super) fn is_author_place(manifest: bool, text: &str, at: usize) -> bool {
    let near = &text[text.floor_char_boundary(at.saturating_sub(NEAR))..at];
    let line = near.rsplit('\n').next().unwrap_or(near).to_lowercase();
    if ["copyright", "(c)", "©"].iter().any(|word| line.contains(word)) {
        return true;
    }
    let near = near.to_lowercase();
    manifest && ["author", "<developer", "compan"].iter().any(|word| near.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_somebody_elses_name_is_theirs() {
        for (text, expected) in [
            ("use shop;", false),
            ("pytest-shop", true),
            ("--shop", false),
            ("shop-core", false),
            ("shop.org", true),
            ("See shop.com.", true),
            ("shop.organise()", false),
            ("from shop.io import x", false),
            ("https://example.org/acme/shop", true),
            ("(https://shop.org)", true),
            ("http://localhost:80/shop", false),
            ("http://shop:80/", false),
            ("postgres://localhost/shop", false),
            ("git@github.com:acme/shop.git", true),
            ("https://example.org and shop", false),
        ] {
            let at = text.rfind("shop").unwrap_or_default();
            assert_eq!(is_foreign(Subject::Project, text, at, at + 4), expected, "{text}");
        }
    }

    #[test]
    fn a_person_is_the_author_only_where_it_says_so() {
        for (manifest, text, expected) in [
            (true, "authors = [\"@", true),
            (true, "\"author\": {\n  \"name\": \"@", true),
            (false, "Copyright (c) 2020 @", true),
            (false, "# thanks to @", false),
            (true, "description = \"by @", false),
        ] {
            assert_eq!(is_author_place(manifest, text, text.len() - 1), expected, "{text}");
        }
    }
}

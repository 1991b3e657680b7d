//! Removes markup from a sentence.
//!
//! Only what is known is taken away: `Vec<T>` is no tag, and neither is anything between backticks.

/// Tags that say how something looks, or what it is in a comment.
const TAGS: &[&str] = &[
    "a",
    "b",
    "blockquote",
    "br",
    "c",
    "code",
    "details",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "hr",
    "i",
    "img",
    "inheritdoc",
    "li",
    "ol",
    "p",
    "para",
    "paramref",
    "pre",
    "remarks",
    "see",
    "span",
    "strong",
    "summary",
    "tt",
    "typeparamref",
    "u",
    "ul",
];
/// Longer tags are none.
const LONGEST: usize = 300;

/// The words of a paragraph.
pub(super) fn plain(paragraph: &str) -> String {
    let text = untagged(&unbraced(paragraph));
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

/// `{@code x}` is `x`, and `{@link Session#close the end}` is `the end`.
fn unbraced(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("{@") {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 2..];
        // Without its end nobody knows what is inside.
        let Some(end) = closing(rest) else { return plain };
        let (tag, inside) =
            rest[..end].split_once(char::is_whitespace).unwrap_or((&rest[..end], ""));
        if tag.starts_with("link") || tag == "see" {
            let shown = inside.trim().split_once(['|', ' ', '\n']).map_or(inside, |(_, said)| said);
            plain.push_str(shown.trim().trim_start_matches('#'));
        } else {
            plain.push_str(inside);
        }
        rest = &rest[end + 1..];
    }
    plain.push_str(rest);
    plain
}

/// Where the brace is closed that was open before this text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, byte) in text.bytes().enumerate().take(LONGEST) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Without the tags that are known. `<see cref="Session"/>` is `Session`.
fn untagged(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    let mut quoted = false;
    while let Some(at) = rest.find(['<', '`']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('`') {
            quoted = !quoted;
        } else if let Some(tag) = tag(rest).filter(|_| !quoted) {
            // What stands for a word is said by its only attribute.
            let said = tag.split_once('"').and_then(|(_, value)| value.split('"').next());
            let word = ["<see", "<param", "<typeparam"].iter().any(|name| tag.starts_with(name));
            plain.push_str(said.filter(|_| word).map_or("", bare));
            rest = &rest[tag.len()..];
            continue;
        }
        plain.push_str(&rest[..1]);
        rest = &rest[1..];
    }
    plain.push_str(rest);
    plain
}

/// The tag that a text begins with, if it is a known one.
fn tag(text: &str) -> Option<&str> {
    let end = text.bytes().take(LONGEST).position(|byte| byte == b'>')?;
    let name = text[1..end].trim_start_matches('/');
    let name = name.split(|char: char| !char.is_ascii_alphanumeric()).next()?;
    TAGS.contains(&name.to_ascii_lowercase().as_str()).then(|| &text[..=end])
}

/// `T:App.Session` is `App.Session`.
fn bare(reference: &str) -> &str {
    match reference.split_once(':') {
        Some((kind, name)) if kind.len() == 1 => name,
        Some(_) | None => reference,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_taken_away_and_code_is_not() {
        for (text, expected) in [
            ("A <b>bold</b> word", "A bold word"),
            ("<p>Sends {@code x} to {@link Host#name the host}.", "Sends x to the host."),
            ("See {@link Host}", "See Host"),
            ("See {@link Host|the host} and {@link #close}", "See the host and close"),
            ("A Vec<T> and `<b>`", "A Vec<T> and `<b>`"),
            ("Ends the <see cref=\"T:App.Session\"/> now", "Ends the App.Session now"),
            ("a &lt; b", "a < b"),
            ("never closed {@code x", "never closed "),
            ("x < y > z", "x < y > z"),
            ("größer <i>als</i> ß", "größer als ß"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }
}

//! Addresses in a line: what a reader of it could be sent to, or what a picture would be loaded from.
//!
//! A model that obeys an instruction in a passage can put what it has read into the address of an attacker. So a line has
//! only addresses that its citations have. The whole address must match: a longer path or a shorter host is another one.

/// The first address of a text, target of a link or tag that what it cites does not have.
pub(super) fn missing(text: &str, cited: &str) -> Option<String> {
    let known: Vec<&str> = pieces(cited).collect();
    let is_known = |address: &str| known.iter().any(|piece| ends_with(piece, address));
    let address = pieces(text).find(|piece| is_address(piece) && !is_known(piece));
    let marked = || marked(text).find(|mark| !cited.contains(mark));
    address.or_else(marked).map(str::to_owned)
}

/// Parts of a text between which no address goes on, without what stands around them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split("](").flat_map(|part| part.split(is_gap));
    parts.map(|part| {
        let part = part.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/');
        part.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '/')
    })
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || matches!(c, '<' | '>' | '"' | '|' | '`' | '“' | '”' | '„' | '«' | '»')
}

/// Whether a known address is this one, perhaps behind a word that belongs to the text.
fn ends_with(known: &str, address: &str) -> bool {
    let before = known.strip_suffix(address);
    before.is_some_and(|before| {
        !before.ends_with(|c: char| c.is_alphanumeric() || "./@-_%".contains(c))
    })
}

fn is_address(piece: &str) -> bool {
    let plain = piece.replace('\\', "").to_lowercase();
    ["mailto:", "data:", "javascript:", "file:", "tel:"].iter().any(|scheme| plain.contains(scheme))
        || plain.contains("www.")
        || follows(&plain, "//", char::is_alphanumeric)
        || plain.split_once('@').is_some_and(|(who, host)| !who.is_empty() && host.contains('.'))
        || plain.split_once(['/', '?']).is_some_and(|(host, _)| is_host(host))
}

/// Whether behind one of these marks such a letter stands.
fn follows(text: &str, mark: &str, is_so: fn(char) -> bool) -> bool {
    text.match_indices(mark)
        .any(|(at, _)| text[at + mark.len()..].starts_with(|c: char| is_so(c) || c == '['))
}

/// `example.org`, but not `3.5` and not `e.g`.
fn is_host(host: &str) -> bool {
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    let Some((first, last)) = host.rsplit_once('.') else { return false };
    let is_label =
        |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    first.split('.').all(is_label)
        && last.chars().count() >= 2
        && last.chars().all(char::is_alphabetic)
}

/// The targets of links and pictures, and tags, as they stand.
fn marked(text: &str) -> impl Iterator<Item = &str> {
    let until = |from: usize, end: char| {
        let rest = &text[from..];
        rest.find(end).map_or(rest, |to| &rest[..to + end.len_utf8()])
    };
    let targets = text.match_indices("](").map(move |(at, _)| until(at, ')'));
    let named = text.match_indices("]:").map(move |(at, _)| until(at, ' '));
    let tags = text.match_indices('<').filter_map(move |(at, _)| {
        let tag = until(at, '>');
        let inner = tag.strip_prefix('<')?.strip_suffix('>')?;
        let begins = inner.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
        // An address in angle brackets is looked for without them.
        let is_bare = !inner.contains(char::is_whitespace) && is_address(inner);
        (begins && !is_bare).then_some(tag)
    });
    targets.chain(named).chain(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_stands_in_what_is_cited_or_is_missing() {
        const CITED: &str = "Ask (https://good.example/leave?a=1) or mailto:anna@good.example, see [the rules](rules.md), \
            <b>now</b>. Mirror: ftp://files.example/x. Write to bob@good.example.";
        for known in [
            "See https://good.example/leave?a=1.",
            "Write to anna@good.example or <bob@good.example>!",
            "The [the rules](rules.md) are good.",
            "It is <b>now</b>, at 3.5 m/s and/or e.g. 1/2, in settings.toml.",
            "From \"ftp://files.example/x\"",
        ] {
            assert_eq!(missing(known, CITED), None, "{known}");
        }
        for other in [
            "See https://evil.example/x.",
            "See https://good.example/leave?a=12.",
            "See https://good.example/leave.",
            "See https://good.example/leav",
            "See http://good.example/leave?a=1",
            "A picture ![x](https://evil.example/?q=28)",
            "A picture ![x](evil)",
            "A picture ![x](//evil.example/p.png)",
            "The [the rules](other.md) are good.",
            "Go to evil.example/x",
            "Go to www.evil.example",
            "Go to //evil.example",
            "Go to https:\\/\\/evil.example",
            "Go to https:\u{200b}//evil.example",
            "Write to eve@evil.example",
            "Write to na@good.example",
            "It is <img src=x> here",
            "[x]: evil",
            "javascript:alert(1)",
        ] {
            assert!(missing(other, CITED).is_some(), "{other}");
        }
    }
}

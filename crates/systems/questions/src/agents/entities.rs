//! What a question names: paths, symbols, flags, routes, quoted words.
//!
//! A name is taken as it was written; whether there is such a thing is not known here. What looks
//! like a name is never dropped, so that a later stage can still find out that there is one.

use super::words;

/// Something that a question names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entity {
    pub(super) text: String,
    pub(super) kind: EntityKind,
    /// The line that was given with a path.
    pub(super) line: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntityKind {
    Path,
    Symbol,
    /// Words in quotes: a message, a title.
    Phrase,
    Flag,
    Route,
    Url,
    /// All capitals, like POST or CSRF: a name or just a word.
    Acronym,
}

impl EntityKind {
    pub(super) const ALL: [Self; 7] =
        [Self::Path, Self::Symbol, Self::Phrase, Self::Flag, Self::Route, Self::Url, Self::Acronym];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Symbol => "symbol",
            Self::Phrase => "phrase",
            Self::Flag => "flag",
            Self::Route => "route",
            Self::Url => "url",
            Self::Acronym => "acronym",
        }
    }
}

/// Endings of files that people name without a folder.
const EXTENSIONS: &str = " rs py pyi js jsx mjs cjs ts tsx mts go java kt kts cs c h cc cpp cxx hpp hh rb php swift \
    scala lua ex exs hs dart zig pl pm vue svelte html htm css scss sh bash zsh sql proto graphql tf md mdx rst txt \
    json jsonl yaml yml toml xml ini cfg conf env lock gradle cmake mk csv ";

/// Everything that a text names, in order, each once.
pub(super) fn find(text: &str) -> Vec<Entity> {
    let mut found: Vec<Entity> = Vec::new();
    let mut add = |entity: Entity| {
        if !entity.text.is_empty() && !found.iter().any(|known| known.text == entity.text) {
            found.push(entity);
        }
    };
    for piece in pieces(text) {
        match piece {
            Piece::Quoted(inside, '`') => {
                let kind = of_token(inside).map_or_else(
                    || {
                        if words::is_identifier(inside) {
                            EntityKind::Symbol
                        } else {
                            EntityKind::Phrase
                        }
                    },
                    |entity| match entity.kind {
                        EntityKind::Acronym => EntityKind::Symbol,
                        EntityKind::Path
                        | EntityKind::Symbol
                        | EntityKind::Phrase
                        | EntityKind::Flag
                        | EntityKind::Route
                        | EntityKind::Url => entity.kind,
                    },
                );
                if kind == EntityKind::Path {
                    of_token(inside).into_iter().for_each(&mut add);
                } else {
                    add(Entity { text: inside.to_owned(), kind, line: None });
                }
            }
            Piece::Quoted(inside, _) => {
                add(Entity { text: inside.to_owned(), kind: EntityKind::Phrase, line: None });
                inside.split_whitespace().filter_map(of_token).for_each(&mut add);
            }
            Piece::Plain(plain) => plain.split_whitespace().filter_map(of_token).for_each(&mut add),
        }
    }
    found
}

/// Text without what [`find`] took as a quoted phrase or a name: the plain words of it.
pub(super) fn without(text: &str) -> String {
    let mut plain = String::new();
    for piece in pieces(text) {
        match piece {
            Piece::Quoted(..) => plain.push(' '),
            Piece::Plain(words) => {
                for token in words.split_whitespace() {
                    let named = of_token(token).is_some_and(|entity| match entity.kind {
                        EntityKind::Acronym => false,
                        EntityKind::Path
                        | EntityKind::Symbol
                        | EntityKind::Phrase
                        | EntityKind::Flag
                        | EntityKind::Route
                        | EntityKind::Url => true,
                    });
                    plain.push_str(if named { " " } else { token });
                    plain.push(' ');
                }
            }
        }
    }
    plain
}

/// Text in which every quoted phrase and every name is [`MASK`]: what is left is what asks.
pub(super) fn masked(text: &str) -> String {
    let mut masked = String::new();
    for piece in pieces(text) {
        match piece {
            Piece::Quoted(..) => masked.push_str(&format!(" {MASK} ")),
            Piece::Plain(words) => {
                for token in words.split_whitespace() {
                    let named = of_token(token)
                        .is_some_and(|entity| !matches!(entity.kind, EntityKind::Acronym));
                    masked.push_str(if named { MASK } else { token });
                    masked.push(' ');
                }
            }
        }
    }
    masked
}

/// The word that replaces a name in a masked text. No question contains it.
pub(super) const MASK: &str = "xnamex";

enum Piece<'t> {
    Plain(&'t str),
    Quoted(&'t str, char),
}

/// Cuts a text at its quotes. A quote that is not closed is a letter like any other.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut rest, mut plain) = (text, 0);
    loop {
        let opening = rest[plain..].char_indices().find(|(at, letter)| {
            let at = plain + at;
            let before = rest[..at].chars().next_back();
            matches!(letter, '`' | '"')
                || *letter == '\'' && !before.is_some_and(char::is_alphanumeric)
        });
        let Some((at, quote)) = opening else { break };
        let (at, inside) = (plain + at, plain + at + 1);
        let closing = rest[inside..].find(quote).filter(|length| {
            let after = rest[inside + length + 1..].chars().next();
            *length > 0 && (quote != '\'' || !after.is_some_and(char::is_alphanumeric))
        });
        match closing {
            Some(length) if !rest[inside..inside + length].trim().is_empty() => {
                pieces.push(Piece::Plain(&rest[..at]));
                pieces.push(Piece::Quoted(rest[inside..inside + length].trim(), quote));
                rest = &rest[inside + length + 1..];
                plain = 0;
            }
            Some(_) | None => plain = inside,
        }
    }
    pieces.push(Piece::Plain(rest));
    pieces
}

/// What a word between spaces names, if it looks like a name.
fn of_token(token: &str) -> Option<Entity> {
    let bare = token
        .trim_start_matches(['(', '[', '{', '<', '"', '\'', '`', ',', ';', '¿', '¡', '*'])
        .trim_end_matches(['?', '!', ',', ';', '"', '\'', '`', ']', '}', '>', '*', ':']);
    let bare = bare.trim_end_matches('.');
    // A bracket that the name itself opened is part of it.
    let bare = if bare.contains('(') { bare } else { bare.trim_end_matches(')') };
    let entity = |kind| Some(Entity { text: bare.to_owned(), kind, line: None });
    if bare.is_empty() || !bare.chars().any(char::is_alphanumeric) {
        return None;
    }
    if bare.contains("://") {
        return entity(EntityKind::Url);
    }
    if bare.strip_prefix("--").is_some_and(|name| name.starts_with(char::is_alphabetic)) {
        return entity(EntityKind::Flag);
    }
    if let Some((path, line)) = as_path(bare) {
        return Some(Entity { text: path.to_owned(), kind: EntityKind::Path, line });
    }
    if bare.starts_with('/') && bare.len() > 1 && !bare.contains("//") {
        return entity(EntityKind::Route);
    }
    if bare.contains('/') && !bare.contains("//") {
        return entity(EntityKind::Path);
    }
    if is_symbol(bare) {
        return entity(EntityKind::Symbol);
    }
    let capitals = bare.chars().filter(|letter| letter.is_uppercase()).count();
    let all = bare.chars().all(|letter| letter.is_uppercase() || letter.is_numeric());
    if capitals >= 2 && all {
        return entity(EntityKind::Acronym);
    }
    None
}

/// A file name with an ending that files have, and the line that was given with it.
fn as_path(token: &str) -> Option<(&str, Option<u64>)> {
    let (path, line) = match token.split_once("#L") {
        Some((path, line)) => (path, first_number(line)),
        None => match token.find(':') {
            Some(at) if token[at + 1..].starts_with(|c: char| c.is_ascii_digit()) => {
                (&token[..at], first_number(&token[at + 1..]))
            }
            _ => (token, None),
        },
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.')?;
    let known = EXTENSIONS.contains(&format!(" {} ", extension.to_ascii_lowercase()));
    let lead =
        stem.is_empty() || stem.chars().all(|c| c.is_alphanumeric() || "._-[]@+".contains(c));
    let absolute_route = path.starts_with('/') && !known;
    (known && lead && !absolute_route && !extension.contains('(')).then_some((path, line))
}

/// Whether what looks like a path may as well be two words with a slash between them.
pub(super) fn is_maybe_words(path: &str) -> bool {
    path.matches('/').count() == 1 && !path.ends_with('/') && as_path(path).is_none()
}

fn first_number(text: &str) -> Option<u64> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Names as they are written in code and hardly anywhere else.
fn is_symbol(token: &str) -> bool {
    let called = token.ends_with("()") || token.ends_with("(…)") || token.ends_with("(...)");
    let name = token.split('(').next().unwrap_or(token).trim_end_matches('!');
    let segments: Vec<&str> = name
        .split(['.', '#'])
        .flat_map(|part| part.split("::"))
        .flat_map(|part| part.split("->"))
        .collect();
    if segments.iter().any(|segment| !words::is_identifier(segment)) {
        return false;
    }
    // `e.g` and `i.e` are words; `a.b` is a name only if somebody wrote more than letters.
    if segments.len() > 1 {
        return name.contains("::") || segments.iter().any(|segment| segment.chars().count() > 1);
    }
    called || has_underscore(name) || is_camel(name)
}

fn has_underscore(name: &str) -> bool {
    name.contains('_') && name.chars().any(char::is_alphanumeric)
}

/// `AuthManager`, `parseOptions`, `HTTPServer`: a capital after a small letter, or before one and
/// after another capital.
fn is_camel(name: &str) -> bool {
    let letters: Vec<char> = name.chars().collect();
    let hump = letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let acronym = letters
        .windows(3)
        .any(|three| three[0].is_uppercase() && three[1].is_uppercase() && three[2].is_lowercase());
    // APIs, URLs: a plural is not a name.
    hump || acronym
        && !(name.ends_with('s') && letters.iter().filter(|l| l.is_lowercase()).count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, &'static str)> {
        find(text).into_iter().map(|entity| (entity.text, entity.kind.name())).collect()
    }

    #[test]
    fn names_are_told_from_words() {
        for (text, expected) in [
            ("look at src/auth.py please", &[("src/auth.py", "path")][..]),
            ("what is in auth.py:42?", &[("auth.py", "path")]),
            ("Does AuthManager.validate_token work?", &[("AuthManager.validate_token", "symbol")]),
            ("who calls parse_config()?", &[("parse_config()", "symbol")]),
            (
                "is MAX_SIZE or parseOptions used",
                &[("MAX_SIZE", "symbol"), ("parseOptions", "symbol")],
            ),
            ("`run` and `std::fmt`", &[("run", "symbol"), ("std::fmt", "symbol")]),
            (
                "why \"no such file\" and 'bad key'",
                &[("no such file", "phrase"), ("bad key", "phrase")],
            ),
            (
                "the --dry-run flag of /api/v1/users",
                &[("--dry-run", "flag"), ("/api/v1/users", "route")],
            ),
            ("a POST request, e.g. this one, isn't it", &[("POST", "acronym")]),
            ("see https://example.org/a", &[("https://example.org/a", "url")]),
            ("folder src/cmap/auth and .env", &[("src/cmap/auth", "path"), (".env", "path")]),
            ("(see `src/a.rs:7`)", &[("src/a.rs", "path")]),
            ("Plain words only.", &[]),
            ("\" unclosed ` quotes ' here", &[]),
        ] {
            let expected: Vec<(String, &str)> =
                expected.iter().map(|(text, kind)| ((*text).to_owned(), *kind)).collect();
            assert_eq!(names(text), expected, "{text}");
        }
        assert_eq!(find("auth.py:42:7")[0].line, Some(42));
        assert_eq!(find("auth.py#L42-L50")[0].line, Some(42));
    }

    #[test]
    fn what_is_left_are_words() {
        assert_eq!(without("who calls parse_config() in `a b`").trim(), "who calls   in");
    }
}

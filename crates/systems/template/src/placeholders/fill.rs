//! Fills in placeholders, and unescapes tokens that the source had itself.
//!
//! A token is two braces, any number of `literal:`, one of our names, two braces. One that says
//! `literal:` loses it and is otherwise left; one that does not is filled in. Everything else is text.

use std::collections::BTreeMap;

use super::Key;

const OPEN: &str = "{{";
const CLOSE: &str = "}}";
const LITERAL: &str = "literal:";

/// What goes into each placeholder.
pub type Values = BTreeMap<Key, String>;

/// A piece of a text, in order; nothing is lost.
pub(super) enum Piece<'a> {
    Text(&'a str),
    /// The whole of it, its key, and whether it is escaped.
    Token {
        text: &'a str,
        key: Key,
        literal: bool,
    },
}

/// Fills in every placeholder that has a value, and collects those that have none.
#[must_use]
pub fn fill(template: &str, values: &Values) -> (String, Vec<Key>) {
    let mut filled = String::with_capacity(template.len());
    let mut unknown = Vec::new();
    for piece in pieces(template) {
        match piece {
            Piece::Text(text) => filled.push_str(text),
            Piece::Token { text, literal: true, .. } => {
                filled.push_str(OPEN);
                filled.push_str(&text[OPEN.len() + LITERAL.len()..]);
            }
            Piece::Token { text, key, literal: false } => match values.get(&key) {
                Some(value) => filled.push_str(value),
                None => {
                    filled.push_str(text);
                    if !unknown.contains(&key) {
                        unknown.push(key);
                    }
                }
            },
        }
    }
    (filled, unknown)
}

/// A token of the source, made safe: [`fill`] gives it back.
pub(super) fn escape(token: &str, into: &mut String) {
    into.push_str(OPEN);
    into.push_str(LITERAL);
    into.push_str(&token[OPEN.len()..]);
}

pub(super) fn place(key: Key, into: &mut String) {
    into.push_str(OPEN);
    into.push_str(&key.to_string());
    into.push_str(CLOSE);
}

/// Splits a text at its tokens.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(found) = text[at..].find(OPEN) {
        let begin = at + found;
        match token(&text[begin..]) {
            Some((length, key, literal)) => {
                all.push(Piece::Text(&text[from..begin]));
                let end = begin + length;
                all.push(Piece::Token { text: &text[begin..end], key, literal });
                (from, at) = (end, end);
            }
            // The next brace may begin one: `{{{ProjectName}}}`.
            None => at = begin + 1,
        }
    }
    all.push(Piece::Text(&text[from..]));
    all
}

/// The token that a text begins with: its length, its key, whether it is escaped.
fn token(text: &str) -> Option<(usize, Key, bool)> {
    let mut name = text.strip_prefix(OPEN)?;
    let mut literal = false;
    while let Some(rest) = name.strip_prefix(LITERAL) {
        (name, literal) = (rest, true);
    }
    let known = Key::all().iter().find(|(_, known)| {
        name.strip_prefix(known.as_str()).is_some_and(|rest| rest.starts_with(CLOSE))
    });
    let (key, known) = known?;
    let length = text.len() - name.len() + known.len() + CLOSE.len();
    Some((length, *key, literal))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Casing, Subject},
        *,
    };

    fn values() -> Values {
        let key = |casing| Key { subject: Subject::Project, casing };
        Values::from([
            (key(Casing::Pascal), "NewShop".to_owned()),
            (key(Casing::Snake), "new_shop".to_owned()),
        ])
    }

    #[test]
    fn only_our_own_names_are_filled_in() {
        for (template, expected) in [
            ("class {{ProjectName}}Db", "class NewShopDb"),
            (
                "{{ user.name }} {{#each}} ${{ github.sha }}",
                "{{ user.name }} {{#each}} ${{ github.sha }}",
            ),
            ("{{{{project_name}}}}", "{{new_shop}}"),
            ("{{{project_name}}}", "{new_shop}"),
            ("{{literal:ProjectName}}", "{{ProjectName}}"),
            ("{{literal:literal:ProjectName}}", "{{literal:ProjectName}}"),
            ("{{ ProjectName }}", "{{ ProjectName }}"),
            ("{{ProjectName", "{{ProjectName"),
            ("{{literal:other}}", "{{literal:other}}"),
            ("ä{{ProjectName}}ö", "äNewShopö"),
        ] {
            let (filled, unknown) = fill(template, &values());
            assert_eq!((filled.as_str(), unknown.len()), (expected, 0), "{template}");
        }
    }

    #[test]
    fn a_placeholder_without_a_value_is_named() {
        let (filled, unknown) = fill("{{project-name}} {{project-name}} {{EntityName}}", &values());
        assert_eq!(filled, "{{project-name}} {{project-name}} {{EntityName}}");
        let unknown: Vec<_> = unknown.iter().map(Key::to_string).collect();
        assert_eq!(unknown, ["project-name", "EntityName"]);
    }
}

//! What the requirements ask for, as a value: name, entities, operations, sign-in and storage.

use super::entity::Entity;
use super::find::{self, Token};
use super::text::one_line;

/// Only the beginning of a very long text is searched.
const LONGEST_TEXT: usize = 20_000;
const LONGEST_TITLE: usize = 60;

#[derive(Debug, Clone)]
pub(super) struct Needs {
    /// The project's name, as people write it: one line, not escaped.
    pub(super) title: String,
    /// Never empty: without any in the text it is `item`.
    pub(super) entities: Vec<Entity>,
    /// Whether the text itself named an entity.
    pub(super) entities_found: bool,
    pub(super) update: bool,
    pub(super) delete: bool,
    pub(super) auth: bool,
    pub(super) postgres: bool,
}

impl Needs {
    pub(super) fn read(text: &str) -> Self {
        let end = text.char_indices().nth(LONGEST_TEXT).map_or(text.len(), |(at, _)| at);
        let tokens = find::tokens(&text[..end]);
        let has = |words: &[&str]| asks_for(&tokens, words);
        let auth = has(&[
            "auth",
            "authentication",
            "authenticated",
            "login",
            "log-in",
            "logins",
            "signup",
            "sign-up",
            "jwt",
            "sign-in",
        ]) || follows(&tokens, &["log", "sign"], &["in", "up"]);
        let mut entities = find::entities(&tokens);
        if auth {
            // Sign-up and log-in are what a service with authentication does with users.
            entities.retain(|entity| entity.one.snake() != "user");
        }
        let entities_found = !entities.is_empty();
        if entities.is_empty() {
            entities.extend(Entity::read("item"));
        }
        let (update, delete) = operations(&tokens);
        let title = heading(text).or_else(|| called(&tokens)).unwrap_or_else(|| {
            if entities_found {
                format!("{} API", entities[0].one.title())
            } else {
                "Starter API".into()
            }
        });
        let postgres = has(&["postgres", "postgresql", "pg"]);
        Self { title, entities, entities_found, update, delete, auth, postgres }
    }
}

/// Whether one of the words is there and not refused by "no" or "without" shortly before.
fn asks_for(tokens: &[Token<'_>], words: &[&str]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        let refused = tokens[at.saturating_sub(2)..at]
            .iter()
            .any(|before| ["no", "without", "not"].contains(&before.lower.as_str()));
        words.contains(&token.lower.as_str()) && !refused
    })
}

fn follows(tokens: &[Token<'_>], first: &[&str], second: &[&str]) -> bool {
    tokens.windows(2).any(|pair| {
        first.contains(&pair[0].lower.as_str()) && second.contains(&pair[1].lower.as_str())
    })
}

/// Whether records can be updated and deleted. Creating, reading and listing are always there: nothing
/// could be shown without them.
fn operations(tokens: &[Token<'_>]) -> (bool, bool) {
    let has = |words: &[&str]| asks_for(tokens, words);
    let all =
        has(&["crud", "rest", "restful", "manage", "manages", "managing", "management", "manager"]);
    let update = has(&[
        "update", "updates", "updating", "edit", "edits", "editing", "change", "modify", "rename",
        "complete",
    ]);
    let delete = has(&[
        "delete", "deletes", "deleting", "remove", "removes", "removing", "cancel", "archive",
    ]);
    // "list" does not count as a named operation: "todo list app" asks for none.
    let none = !update
        && !delete
        && !has(&["create", "creates", "creating", "add", "adds", "adding", "read", "view"]);
    (all || none || update, all || none || delete)
}

/// A first line that is a Markdown heading names the project.
fn heading(text: &str) -> Option<String> {
    let title = text.trim_start().lines().next()?.strip_prefix("# ")?;
    let title = one_line(title.trim_end_matches(['#', ' ']), LONGEST_TITLE);
    title.chars().any(char::is_alphanumeric).then_some(title)
}

/// "called X", "named X": a quoted name, up to four capitalised words, or the one word.
fn called(tokens: &[Token<'_>]) -> Option<String> {
    let at =
        tokens.iter().position(|token| ["called", "named"].contains(&token.lower.as_str()))? + 1;
    let close = match tokens.get(at)?.text {
        "\"" => Some("\""),
        "'" => Some("'"),
        "`" => Some("`"),
        "“" => Some("”"),
        "«" => Some("»"),
        _ => None,
    };
    let name: Vec<&str> = match close {
        Some(close) => {
            let inside = &tokens[at + 1..];
            let end = inside.iter().take(8).position(|token| token.text == close)?;
            inside[..end].iter().map(|token| token.text).collect()
        }
        None => {
            let capital = |token: &&Token<'_>| token.text.starts_with(char::is_uppercase);
            let words: Vec<&str> =
                tokens[at..].iter().take(4).take_while(capital).map(|token| token.text).collect();
            if words.is_empty() { vec![tokens[at].text] } else { words }
        }
    };
    let name = one_line(&name.join(" "), LONGEST_TITLE);
    name.chars().any(char::is_alphanumeric).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_document_is_understood() {
        let needs = Needs::read(
            "Build a REST API for a todo list app with CRUD operations, user authentication, and PostgreSQL storage",
        );
        assert_eq!((needs.title.as_str(), needs.entities.len()), ("Todo API", 1));
        assert!(needs.update && needs.delete && needs.auth && needs.postgres);
    }

    #[test]
    fn a_project_has_the_name_that_it_is_given() {
        for (text, title) in [
            ("A blog called \"Night Owl\" for readers", "Night Owl"),
            ("a tracker named Rocket Ship which tracks parcels", "Rocket Ship"),
            ("# Parcel Service\nManage parcels", "Parcel Service"),
            ("Manage parcels", "Parcel API"),
            ("something", "Starter API"),
            ("an app called \"", "Starter API"),
        ] {
            assert_eq!(Needs::read(text).title, title, "{text}");
        }
    }

    #[test]
    fn operations_are_those_that_are_named() {
        for (text, expected) in [
            ("CRUD for parcels", (true, true)),
            ("a todo list app", (true, true)),
            ("People create and view parcels", (false, false)),
            ("create and edit parcels", (true, false)),
            ("add and remove parcels", (false, true)),
        ] {
            let needs = Needs::read(text);
            assert_eq!((needs.update, needs.delete), expected, "{text}");
        }
    }

    #[test]
    fn what_is_refused_is_not_asked_for() {
        assert!(!Needs::read("a todo app without user authentication").auth);
        assert!(!Needs::read("a todo app, no login").auth);
        assert!(Needs::read("users log in and keep notes").auth);
    }
}

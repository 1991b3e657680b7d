//! Which entities a text names: phrases, quoted and capitalised names, known nouns, and no grammar.

use super::entity::Entity;
use super::words::{
    ACTORS, ANNOUNCERS, CONTAINERS, DOMAINS, KEEPERS, NOUNS, SKIPPED, STOPPED, TELLING_CONTAINERS,
    VERBS, is_plural, singular,
};

/// At most this many entities are made.
const MOST_ENTITIES: usize = 8;
/// How many words a rule looks ahead for the entity.
const REACH: usize = 3;
/// How many words and marks a list of fields may have.
const LONGEST_BRACKET: usize = 60;

/// A word or a mark of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) lower: String,
}

impl Token<'_> {
    fn is_word(&self) -> bool {
        self.text.starts_with(char::is_alphanumeric)
    }
}

/// Words (letters, digits, and `-`, `_`, `'`, `.`, `+`, `#` inside them) and single marks.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mut end = first.len_utf8();
        if first.is_alphanumeric() {
            end = rest
                .find(|c: char| {
                    !c.is_alphanumeric() && !matches!(c, '-' | '_' | '\'' | '.' | '+' | '#')
                })
                .unwrap_or(rest.len());
            end = rest[..end].trim_end_matches(['-', '_', '\'', '.', '+', '#']).len();
        }
        let (token, tail) = rest.split_at(end);
        if !first.is_whitespace() || first == '\n' {
            let lower = match token.to_lowercase().as_str() {
                "to-do" => "todo".into(),
                "to-dos" => "todos".into(),
                "e-commerce" => "ecommerce".into(),
                other => other.to_owned(),
            };
            found.push(Token { text: token, lower });
        }
        rest = tail;
    }
    found
}

/// The entities in the order in which the text names them. Empty: it names none.
pub(super) fn entities(tokens: &[Token<'_>]) -> Vec<Entity> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    for at in 0..tokens.len() {
        places.extend(mentioned(tokens, at));
        places.extend(before_container(tokens, at));
        places.extend(capitalised(tokens, at));
        if let Some(first) = phrase(tokens, at) {
            places.push(first);
            places.extend(enumerated(tokens, first.0 + first.1));
        }
    }
    places.extend(quoted(tokens));
    places.sort_unstable();
    let mut found: Vec<Entity> = Vec::new();
    for (at, length) in places {
        let name: Vec<&str> =
            tokens[at..at + length].iter().map(|token| token.lower.as_str()).collect();
        let Some(entity) = Entity::read(&name.join(" ")) else { continue };
        if found.len() < MOST_ENTITIES && found.iter().all(|known| known.one != entity.one) {
            found.push(entity.with_fields(&fields(tokens, at + length)));
        }
    }
    if found.is_empty() {
        let implied = tokens
            .iter()
            .find_map(|token| DOMAINS.iter().find(|(domain, _)| *domain == token.lower));
        found = implied
            .map_or(&[][..], |(_, names)| names)
            .iter()
            .filter_map(|name| Entity::read(name))
            .collect();
    }
    found
}

/// A known noun that is a plural, follows an article or precedes a container. "todo" always counts.
fn mentioned(tokens: &[Token<'_>], at: usize) -> Option<(usize, usize)> {
    let word = tokens[at].lower.as_str();
    let one = singular(word);
    if !NOUNS.contains(&one.as_str()) || ACTORS.contains(&one.as_str()) {
        return None;
    }
    let before = at.checked_sub(1).map_or("", |before| tokens[before].lower.as_str());
    let after = tokens.get(at + 1).map_or("", |after| after.lower.as_str());
    let article = ["a", "an", "the", "each", "every", "per"].contains(&before);
    (one == "todo" || is_plural(word) || article || CONTAINERS.contains(&after)).then_some((at, 1))
}

/// "plant tracker", "equipment management": the word before names the entity, whatever it is.
fn before_container(tokens: &[Token<'_>], at: usize) -> Option<(usize, usize)> {
    let telling = TELLING_CONTAINERS.contains(&tokens[at].lower.as_str());
    let list_app = tokens[at].lower == "list"
        && tokens.get(at + 1).is_some_and(|next| CONTAINERS.contains(&next.lower.as_str()));
    let before = at.checked_sub(1)?;
    ((telling || list_app) && fits(&tokens[before].lower)).then_some((before, 1))
}

/// A capitalised word inside a sentence, unless it belongs to a name or follows a preposition.
fn capitalised(tokens: &[Token<'_>], at: usize) -> Option<(usize, usize)> {
    let token = &tokens[at];
    let before = &tokens[at.checked_sub(1)?];
    let mut letters = token.text.chars();
    let shape = letters.next().is_some_and(|c| c.is_ascii_uppercase())
        && letters.as_str().len() >= 2
        && letters.all(|c| c.is_ascii_lowercase());
    let neighbour =
        tokens.get(at + 1).is_some_and(|next| next.text.starts_with(char::is_uppercase));
    let inside = before.text.starts_with(|c: char| c.is_lowercase()) || before.text == ",";
    let preposition = [
        "for", "at", "by", "with", "in", "on", "using", "called", "named", "from", "like", "to",
        "via", "and", "or",
    ]
    .contains(&before.lower.as_str());
    (shape
        && inside
        && !preposition
        && !neighbour
        && fits(&token.lower)
        && is_entity_like(&token.lower))
    .then_some((at, 1))
}

/// Capitalised words are also products and places: a plural or a known noun is an entity.
fn is_entity_like(word: &str) -> bool {
    let one = singular(word);
    is_plural(word) || NOUNS.contains(&one.as_str()) || one.len() <= 12
}

/// "manage X", "CRUD for X", "API for X", "list of X", "create Xs".
fn phrase(tokens: &[Token<'_>], at: usize) -> Option<(usize, usize)> {
    let word = tokens[at].lower.as_str();
    let next = tokens.get(at + 1).map_or("", |token| token.lower.as_str());
    let after_of = tokens.get(at + 2).map_or("", |token| token.lower.as_str());
    if ANNOUNCERS.contains(&word) && ["for", "of", "on", "over"].contains(&next) && after_of != "my"
    {
        let found = noun(tokens, at + 2, false)?;
        // "an app for customers" says who uses it, "CRUD for customers" what it is about.
        let named =
            ["api", "crud", "endpoints", "operations", "resource", "resources", "routes", "list"]
                .contains(&word);
        let actor = ACTORS.contains(&singular(&tokens[found.0].lower).as_str());
        return (named || !actor).then_some(found);
    }
    if KEEPERS.contains(&word) {
        return noun(tokens, at + 1, false);
    }
    if VERBS.contains(&word) {
        return noun(tokens, at + 1, true);
    }
    None
}

/// The entity that begins at `from`. `strict`: only a plural or a known noun will do.
fn noun(tokens: &[Token<'_>], mut from: usize, strict: bool) -> Option<(usize, usize)> {
    while tokens.get(from).is_some_and(|token| SKIPPED.contains(&token.lower.as_str())) {
        from += 1;
    }
    let mut first = None;
    for (at, token) in tokens.iter().enumerate().skip(from).take(REACH) {
        let word = token.lower.as_str();
        let container = CONTAINERS.contains(&word);
        let ends = (container && first.is_some()) || VERBS.contains(&word);
        if ends || !fits(word) || !token.is_word() {
            break;
        }
        if NOUNS.contains(&singular(word).as_str()) || (is_plural(word) && !container) {
            return Some((at, 1));
        }
        first = first.or(Some((at, 1)));
    }
    first.filter(|(at, _)| !strict && !CONTAINERS.contains(&tokens[*at].lower.as_str()))
}

/// The further entities of "products, customers (name, e-mail) and orders".
fn enumerated(tokens: &[Token<'_>], mut at: usize) -> Vec<(usize, usize)> {
    let joins = |at: usize| {
        tokens.get(at).is_some_and(|t| [",", "and", "or", "&", "/"].contains(&t.lower.as_str()))
    };
    let mut found = Vec::new();
    loop {
        at = after_bracket(tokens, at);
        if !joins(at) {
            return found;
        }
        while joins(at) {
            at += 1;
        }
        let Some(next) = noun(tokens, at, true).filter(|(place, _)| *place == at) else {
            return found;
        };
        found.push(next);
        at = next.0 + next.1;
    }
}

/// Where the text goes on after a bracket that opens at `at`.
fn after_bracket(tokens: &[Token<'_>], at: usize) -> usize {
    if tokens.get(at).is_none_or(|token| token.text != "(") {
        return at;
    }
    let close = tokens[at..].iter().take(LONGEST_BRACKET).position(|token| token.text == ")");
    close.map_or(at, |close| at + close + 1)
}

/// Names of one or two words in quotes, unless they name the project.
fn quoted(tokens: &[Token<'_>]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let close = match tokens[at].text {
            "\"" => "\"",
            "`" => "`",
            "“" => "”",
            "«" => "»",
            _ => continue,
        };
        let before = at.checked_sub(1).map_or("", |before| tokens[before].lower.as_str());
        let opens = tokens[..at].iter().filter(|token| token.text == tokens[at].text).count() % 2
            == 0
            || close != tokens[at].text;
        if ["called", "named", "name", "title"].contains(&before) || !opens {
            continue;
        }
        for length in 1..=2 {
            let inside = tokens.get(at + 1..at + 1 + length).unwrap_or_default();
            let closed = tokens.get(at + 1 + length).is_some_and(|token| token.text == close);
            if closed && inside.iter().all(|token| fits(&token.lower)) {
                found.push((at + 1, length));
            }
        }
    }
    found
}

/// The fields of "products (name, price)" and "products with fields name and price".
fn fields(tokens: &[Token<'_>], at: usize) -> Vec<String> {
    let is = |offset: usize, word: &str| {
        tokens.get(at + offset).is_some_and(|token| token.lower == word)
    };
    let (from, bracket) = if is(0, "(") {
        (at + 1, true)
    } else if is(0, "with") && is(1, "fields") {
        (at + 2, false)
    } else if is(0, "with") && is(1, "the") && is(2, "fields") {
        (at + 3, false)
    } else {
        return Vec::new();
    };
    let mut names = vec![String::new()];
    let mut closed = false;
    for token in tokens[from..].iter().take(LONGEST_BRACKET) {
        match token.lower.as_str() {
            ")" if bracket => {
                closed = true;
                break;
            }
            "," | "and" | "&" | "/" => names.push(String::new()),
            ":" | "a" | "an" | "the" => {}
            _ if token.is_word() => {
                if let Some(name) = names.last_mut() {
                    name.push(' ');
                    name.push_str(token.text);
                }
            }
            _ => break,
        }
    }
    names.retain(|name| !name.trim().is_empty());
    // A bracket that is not closed, or one with a single remark in it, is no list of fields.
    if bracket && (!closed || names.len() < 2) { Vec::new() } else { names }
}

/// A word that can be an entity at all.
fn fits(word: &str) -> bool {
    (3..=24).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && !STOPPED.contains(&word)
        && !SKIPPED.contains(&word)
        && !word.ends_with("ly")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> =
            entities(&tokens(text)).iter().map(|entity| entity.one.snake()).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_example_of_the_document_has_one_entity() {
        check(
            "Build a REST API for a todo list app with CRUD operations, user authentication, and PostgreSQL storage",
            &["todo"],
        );
    }

    #[test]
    fn phrases_name_entities() {
        check("Manage widgets", &["widget"]);
        check("CRUD for gadgets and gizmos", &["gadget", "gizmo"]);
        check("An API for managing users, products and orders", &["user", "product", "order"]);
        check("an API for an online book store", &["book"]);
        check("A plant tracker", &["plant"]);
        check("equipment management system", &["equipment"]);
        check("a list of blog posts", &["post"]);
        check("Customers browse products and place orders.", &["product", "order"]);
        check("create, update and delete widgets", &["widget"]);
        check("a to-do app", &["todo"]);
    }

    #[test]
    fn quoted_and_capitalised_names_are_entities() {
        check("Store a \"Line Item\" per row", &["line_item"]);
        check("It keeps Invoices, Widgets too", &["invoice", "widget"]);
        check("A service called \"Rocket\" which keeps `Parcel`", &["parcel"]);
    }

    #[test]
    fn a_domain_counts_only_without_entities() {
        check("a blog", &["post", "comment"]);
        check("a blog with recipes", &["recipe"]);
        check("An online shop", &["product", "order"]);
    }

    #[test]
    fn ordinary_words_are_no_entities() {
        check("Build something fast in order to win", &[]);
        check("A web app for my team", &[]);
        check("Please note that users can log in", &[]);
        check("Сделай сервис", &[]);
    }

    #[test]
    fn fields_are_read_after_an_entity() {
        let text = "Manage products (name, price, unit of measure) and shelves with fields label and capacity";
        let found = entities(&tokens(text));
        let names =
            |at: usize| found[at].fields.iter().map(|field| field.name.snake()).collect::<Vec<_>>();
        assert_eq!(names(0), ["name", "price", "unit_of_measure"]);
        assert_eq!(
            (found[1].one.snake().as_str(), names(1)),
            ("shelf", vec!["label".into(), "capacity".into()])
        );
    }
}

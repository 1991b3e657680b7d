//! Finds entities that can be created but not read, updated or deleted.
//!
//! By what functions, types and routes are called: `create_order`, `OrderController.Create`,
//! `DeleteOrderHandler`, `router.post('/orders')`.

use super::{super::imports::stem, Tally, symbols::Defined};
use crate::{
    analysis::Analysis,
    placeholders::{plural, words},
};

/// Entities that are looked at.
const MOST: usize = 12;

/// What can be done with something, and what it is called.
const OPERATIONS: [(&str, &str, &[&str]); 4] = [
    ("create", "creates", &["create", "add", "insert", "new", "register", "store", "post"]),
    (
        "read",
        "reads",
        &[
            "read", "get", "find", "fetch", "list", "show", "index", "load", "query", "select",
            "search",
        ],
    ),
    (
        "update",
        "updates",
        &["update", "edit", "modify", "patch", "put", "change", "save", "upsert"],
    ),
    ("delete", "deletes", &["delete", "remove", "destroy"]),
];

pub(super) fn operations(
    analysis: &Analysis,
    sources: &[(String, String)],
    symbols: &[Defined],
) -> Tally {
    let mut tally = Tally::default();
    for entity in analysis.names.entities.iter().take(MOST) {
        let done = OPERATIONS.map(|(_, _, verbs)| find(entity, verbs, sources, symbols));
        // Whoever creates nothing need not delete it.
        let Some(created) = &done[0] else { continue };
        for (found, (_, does, _)) in done.iter().zip(OPERATIONS) {
            match found {
                Some(_) => tally.there(),
                None => tally.lacks(
                    "operation",
                    entity,
                    format!("{created} creates {entity}, and nothing {does} it."),
                ),
            }
        }
    }
    tally
}

/// Where something is done to an entity.
fn find(
    entity: &str,
    verbs: &[&str],
    sources: &[(String, String)],
    symbols: &[Defined],
) -> Option<String> {
    let one = words(entity);
    let names = [plural(&one), one];
    let symbol = symbols.iter().find(|symbol| {
        let own = words(&symbol.name);
        let place = symbol.container.as_deref().map(words).unwrap_or_default();
        says(&own, verbs, &names)
            || (symbol.is_function
                && does(&own, verbs)
                && (is_place_of(&place, &names) || is_place_of(&words(stem(&symbol.path)), &names)))
    });
    if let Some(symbol) = symbol {
        let name = match &symbol.container {
            Some(container) => format!("{container}.{}", symbol.name),
            None => symbol.name.clone(),
        };
        return Some(format!("`{name}` in {}", symbol.path));
    }
    sources.iter().find_map(|(path, text)| {
        let about =
            |to: &str| names.iter().any(|name| words(to).windows(name.len()).any(|it| it == name));
        let routed = text.lines().any(|line| route(line, verbs).is_some_and(about));
        routed.then(|| format!("a route in {path}"))
    })
}

/// What may follow a verb or an entity without changing what is meant.
const AROUND: &[&str] = &[
    "a",
    "action",
    "all",
    "api",
    "async",
    "by",
    "case",
    "command",
    "controller",
    "dao",
    "endpoint",
    "handler",
    "id",
    "many",
    "mutation",
    "new",
    "one",
    "query",
    "repository",
    "request",
    "resource",
    "route",
    "router",
    "routes",
    "service",
    "store",
    "the",
    "use",
    "usecase",
    "view",
    "views",
    "viewset",
];

fn is_around(words: &[String]) -> bool {
    words.iter().all(|word| AROUND.contains(&word.as_str()))
}

/// `create_order`, `getAllOrders`, `DeleteOrderHandler`, `OrderCreateView`.
fn says(own: &[String], verbs: &[&str], names: &[Vec<String>]) -> bool {
    let is_verb = |word: &String| verbs.contains(&word.as_str());
    names.iter().any(|name| {
        let at = own.windows(name.len()).position(|part| part == name);
        at.is_some_and(|at| {
            let (before, after) = (&own[..at], &own[at + name.len()..]);
            match before {
                [verb, between @ ..] => is_verb(verb) && is_around(between) && is_around(after),
                [] => {
                    after.split_first().is_some_and(|(verb, rest)| is_verb(verb) && is_around(rest))
                }
            }
        })
    })
}

/// `create`, `createAsync`, `get_by_id`.
fn does(own: &[String], verbs: &[&str]) -> bool {
    own.split_first().is_some_and(|(verb, rest)| verbs.contains(&verb.as_str()) && is_around(rest))
}

/// `OrderController`, `orders`.
fn is_place_of(place: &[String], names: &[Vec<String>]) -> bool {
    names.iter().any(|name| place.strip_prefix(name.as_slice()).is_some_and(is_around))
}

/// The path in `router.post('/orders', …)` or `@app.delete("/orders/{id}")`.
fn route<'a>(line: &'a str, verbs: &[&str]) -> Option<&'a str> {
    let lower = line.to_ascii_lowercase();
    verbs.iter().find_map(|verb| {
        let mark = format!(".{verb}(");
        let at = lower.find(&mark)? + mark.len();
        let rest = line.get(at..)?.trim_start();
        let quote = rest.chars().next().filter(|it| "'\"`".contains(*it))?;
        rest[1..].split(quote).next().filter(|it| it.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Names;

    fn check(names: &[(&str, Option<&str>)], text: &str, expected: &[&str]) {
        let names: Vec<Defined> = names
            .iter()
            .map(|(name, container)| Defined {
                name: (*name).to_owned(),
                path: "a.py".to_owned(),
                container: container.map(str::to_owned),
                is_function: true,
                is_interface: false,
            })
            .collect();
        let entities = vec!["Order".to_owned()];
        let analysis =
            Analysis { names: Names { entities, ..Names::default() }, ..Analysis::default() };
        let tally = operations(&analysis, &[("r.js".to_owned(), text.to_owned())], &names);
        let found: Vec<_> = tally.missing.iter().map(|it| it.what.as_str()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_create_without_the_rest_is_named() {
        let missing = |whence: &str| {
            ["reads", "updates", "deletes"]
                .map(|it| format!("{whence} creates Order, and nothing {it} it."))
        };
        let all = missing("`create_order` in a.py");
        let all: Vec<_> = all.iter().map(String::as_str).collect();
        check(&[("create_order", None)], "", &all);
        check(
            &[("create_order", None), ("get_orders", None), ("update_order", None)],
            "",
            &all[2..],
        );
        check(
            &[("Create", Some("OrderController")), ("Show", Some("OrderController"))],
            "",
            &[
                "`OrderController.Create` in a.py creates Order, and nothing updates it.",
                "`OrderController.Create` in a.py creates Order, and nothing deletes it.",
            ],
        );
        check(&[("create_border", None)], "", &[]);
    }

    #[test]
    fn routes_count_too() {
        check(
            &[],
            "r.post('/orders', f)\nr.get('/orders/:id', f)\nr.put('/orders/:id')\nr.delete('/orders/:id')",
            &[],
        );
        check(
            &[],
            "r.post('/orders', f)\nr.get('/orders')\nr.delete('/orders')",
            &["a route in r.js creates Order, and nothing updates it."],
        );
    }
}

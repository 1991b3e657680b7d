//! HTTP endpoints that the code declares as literals.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{Source, layout, lines, pattern};
use crate::Snapshot;

/// A route of a service.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Endpoint {
    /// As in the code.
    pub path: String,
    /// In capitals.
    pub method: String,
    pub source: Source,
}

const METHODS: &str = "get|post|put|patch|delete|head|options";

static CALL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r#"\b(?:app|router|route|routes|server|fastify|api|r|e|g|mux|group|api_router|bp|blueprint|v\d)\.(?i:({METHODS}))\(\s*['"`](/[^'"`\s]*)['"`]"#
    ))
});
static DECORATOR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r#"(?:@\w+\.|#\[|@(?:\w+\.)?)(?i:({METHODS}))(?:Mapping)?\(\s*(?:value\s*=\s*)?['"](/[^'"\s]*)['"]"#
    ))
});
static FLASK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"@\w+\.route\(\s*['"](/[^'"\s]*)['"](?:.*?methods\s*=\s*\[([^\]]*)\])?"#)
});
static AXUM: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\.route\(\s*"(/[^"\s]*)"\s*,(.*)$"#));
static AXUM_METHOD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(get|post|put|patch|delete|any)\("));
static GO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"\bHandle(?:Func)?\(\s*"(?:(GET|POST|PUT|PATCH|DELETE)\s+)?(/[^"\s]*)""#)
});

pub(super) fn find(snapshot: &Snapshot) -> Vec<Endpoint> {
    let mut found = BTreeSet::new();
    for (path, file) in
        snapshot.files.iter().filter(|(path, _)| layout::is_program(path) && !layout::is_test(path))
    {
        for (number, line) in lines::of_code(path, &file.text) {
            let mut add = |method: &str, route: &str| {
                let (method, path_of_route) = (method.to_uppercase(), route.to_owned());
                found.insert(Endpoint {
                    path: path_of_route,
                    method,
                    source: Source::new(path, number + 1),
                });
            };
            for call in CALL.captures_iter(line).chain(DECORATOR.captures_iter(line)) {
                add(&call[1], &call[2]);
            }
            for route in FLASK.captures_iter(line) {
                let methods = route.get(2).map_or("GET", |methods| methods.as_str());
                for method in methods.split(',') {
                    add(method.trim().trim_matches(['"', '\'']), &route[1]);
                }
            }
            for route in AXUM.captures_iter(line) {
                for method in AXUM_METHOD.captures_iter(&route[2]) {
                    add(&method[1], &route[1]);
                }
            }
            for route in GO.captures_iter(line) {
                add(route.get(1).map_or("ANY", |method| method.as_str()), &route[2]);
            }
        }
    }
    let mut seen = BTreeSet::new();
    found
        .into_iter()
        .filter(|endpoint| seen.insert((endpoint.method.clone(), endpoint.path.clone())))
        .collect()
}

//! HTTP endpoints.

use std::sync::LazyLock;

use regex::Regex;

use super::{Checker, IssueKind, pattern, shell};
use crate::markdown::Document;

static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+(?:https?://(?:localhost|127\.0\.0\.1)(?::\d+)?)?(/[^\s`'\x22)|,]*)",
    )
});
static ROW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\|\s*`?(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)`?\s*\|\s*`?(/[^\s`|]*)`?\s*\|")
});
static LOCAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::\d+)?(/[^\s`'\x22)|,?#]*)")
});
static METHOD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:-X|--request)[ =]?(GET|POST|PUT|PATCH|DELETE)"));

pub(super) fn look_up(checker: &mut Checker<'_>, document: &Document) {
    for span in &document.spans {
        if let Some(named) = NAMED.captures(&span.text) {
            one(checker, document, span.line, Some(&named[1]), &named[2]);
        }
    }
    for prose in &document.prose {
        for named in NAMED.captures_iter(&prose.text) {
            let line = prose.line_at(named.get(0).map_or(0, |it| it.start()));
            one(checker, document, line, Some(&named[1]), &named[2]);
        }
    }
    for (number, line) in checker.text.lines().enumerate() {
        if let Some(row) = ROW.captures(line) {
            one(checker, document, number + 1, Some(&row[1]), &row[2]);
        }
    }
    for block in &document.blocks {
        let is_remote = block.text.lines().any(|line| {
            let host = line.to_lowercase();
            let host = host.strip_prefix("host:");
            host.is_some_and(|host| !host.contains("localhost") && !host.contains("127.0.0.1"))
        });
        let is_http = block.language == "http" && !is_remote || shell::is_shell(&block.language);
        // Requests of a client that serves nothing go to others.
        let is_http = is_http && !checker.facts.endpoints.is_empty();
        for (number, line) in block.text.lines().enumerate().filter(|_| is_http) {
            let method = METHOD.captures(line).map(|method| method[1].to_owned());
            if let Some(local) = LOCAL.captures(line).filter(|_| {
                line.contains("curl") || line.contains("http ") || line.contains("wget")
            }) {
                one(checker, document, block.line + number, method.as_deref(), &local[1]);
            } else if block.language == "http"
                && let Some(named) = NAMED.captures(line)
            {
                one(checker, document, block.line + number, Some(&named[1]), &named[2]);
            }
        }
    }
}

fn one(
    checker: &mut Checker<'_>,
    document: &Document,
    line: usize,
    method: Option<&str>,
    path: &str,
) {
    let path =
        path.split(['?', '#']).next().unwrap_or(path).trim_end_matches(['.', ';', ':', '*', '_']);
    let parts = segments(path);
    if parts.is_empty()
        || path.contains("...")
        || path.contains("foo")
        || path.contains("example")
        || path.starts_with("/path/")
    {
        return;
    }
    let declared = checker.facts.endpoints.iter().any(|endpoint| {
        let same_method = method.is_none_or(|method| {
            endpoint.method == method
                || endpoint.method == "ANY"
                || ["HEAD", "OPTIONS"].contains(&method)
        });
        let route = segments(&endpoint.path);
        let prefix = parts.get(..parts.len().saturating_sub(route.len())).unwrap_or_default();
        same_method
            && fits(&route, &parts)
            && prefix.iter().all(|part| checker.facts.index.has_folded(part))
    });
    // A route that is put together from parts, or that the document's own example declares.
    let quoted = |text: &str| {
        ['"', '\'', '`'].iter().any(|quote| text.contains(&format!("{quote}{path}{quote}")))
    };
    let literal = || {
        checker
            .snapshot
            .files
            .iter()
            .any(|(name, file)| !crate::facts::is_prose(name) && quoted(&file.text))
    };
    let own = || {
        document.blocks.iter().any(|block| {
            !shell::is_shell(&block.language)
                && (quoted(&block.text) || declares(&block.text, &parts))
        })
    };
    let assembled = || {
        checker.facts.endpoints.is_empty()
            && parts
                .iter()
                .filter(|part| !is_parameter(part))
                .all(|part| checker.facts.index.has_folded(part))
    };
    let found = declared
        || own()
        || if checker.facts.endpoints.is_empty() {
            literal() || assembled()
        } else {
            method.is_none() && literal()
        };
    let near = checker
        .facts
        .index
        .nearest(path, checker.facts.endpoints.iter().map(|endpoint| endpoint.path.as_str()))
        .map(str::to_owned);
    let shown = method.map_or_else(|| path.to_owned(), |method| format!("{method} {path}"));
    checker.note(found, IssueKind::Endpoint, line, &shown, near);
}

static ROUTE: LazyLock<Regex> = LazyLock::new(|| pattern(r#"['"`](/[^'"`\s]*)['"`]"#));

fn declares(text: &str, parts: &[String]) -> bool {
    ROUTE.captures_iter(text).any(|route| fits(&segments(&route[1]), parts))
}

fn segments(path: &str) -> Vec<String> {
    path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn is_parameter(part: &str) -> bool {
    part.starts_with([':', '{', '<', '$', '*', '['])
        || part.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a declared route takes a path. A router may be mounted below a prefix.
fn fits(route: &[String], path: &[String]) -> bool {
    if route.is_empty() || route.len() > path.len() {
        return false;
    }
    let behind = &path[path.len() - route.len()..];
    let is_static = |part: &String| !is_parameter(part);
    let same = route
        .iter()
        .zip(behind)
        .all(|(declared, written)| declared == written || is_parameter(declared));
    same && (route.len() == path.len() || route.iter().any(is_static))
}

//! Environment variables that the code reads.

use std::sync::LazyLock;

use regex::Regex;

use super::{Named, matches, pattern};
use crate::Snapshot;

static RUST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\benv(?:::var(?:_os)?|!)\(\s*"([A-Z][A-Z0-9_]+)""#));
static CLAP: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\benv\s*=\s*"([A-Z][A-Z0-9_]+)""#));
static NODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\b(?:process|import\.meta)\.env(?:\.([A-Z][A-Z0-9_]+)|\[['"]([A-Z][A-Z0-9_]+)['"]\])"#,
    )
});
static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"\b(?:environ(?:\.get\(|\.pop\(|\[)|getenv\()\s*['"]([A-Z][A-Z0-9_]+)['"]"#)
});
static GO: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\bos\.(?:Getenv|LookupEnv)\(\s*"([A-Z][A-Z0-9_]+)""#));
static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"\b(?:System\.getenv|GetEnvironmentVariable|Deno\.env\.get)\(\s*"([A-Z][A-Z0-9_]+)""#)
});

pub(super) fn find(snapshot: &Snapshot) -> Vec<Named> {
    matches(snapshot, &[&RUST, &CLAP, &NODE, &PYTHON, &GO, &OTHERS], |name| {
        !name.starts_with("CARGO_")
    })
}

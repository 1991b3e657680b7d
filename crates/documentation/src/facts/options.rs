//! Options of a command line that the code declares, where they are cheap to see.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{Named, Source, layout, matches, pattern};
use crate::Snapshot;

/// `.option('-p, --port <n>')`, `add_argument("--port")`.
static DECLARED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:\boption|\bOption|add_argument|add_option|\.arg)\(\s*(?:['"][^'"]*?)?['"]?[^'"]*?(--[a-z][a-z0-9-]+)"#,
    )
});
static LONG: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\blong(?:\s*=\s*|\()\s*"([a-z][a-z0-9-]+)""#));
static DERIVED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"#\[(?:arg|clap)\((?:[^\]]*[\s,(])?long\s*[,)\]]"));
static FIELD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:r#)?([a-z][a-z0-9_]*)\s*:"));

pub(super) fn find(snapshot: &Snapshot) -> Vec<Named> {
    let with_dashes =
        |named: Named| Named { name: format!("--{}", named.name.trim_start_matches('-')), ..named };
    let mut found: BTreeSet<Named> =
        matches(snapshot, &[&DECLARED, &LONG], |_| true).into_iter().map(with_dashes).collect();
    let rust = |path: &str| path.ends_with(".rs") && !layout::is_test(path);
    for (path, file) in snapshot.files.iter().filter(|(path, _)| rust(path)) {
        let mut waiting = false;
        for (number, line) in file.text.lines().enumerate().filter(|(_, line)| line.len() < 2_000) {
            waiting |= DERIVED.is_match(line);
            if let Some(field) = FIELD.captures(line).filter(|_| waiting) {
                let name = format!("--{}", field[1].replace('_', "-"));
                found.insert(Named { name, source: Source::new(path, number + 1) });
                waiting = false;
            }
        }
    }
    let mut seen = BTreeSet::new();
    found.into_iter().filter(|named| seen.insert(named.name.clone())).collect()
}

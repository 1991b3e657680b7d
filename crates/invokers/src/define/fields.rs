//! The tables of a definition, and the fields of each. docs/agents.md has the same.

/// The table at the top has no name.
pub(super) const TOP: &str = "";

/// The ways to be reached. A definition has one of them.
pub(super) const WAYS: [&str; 5] = ["model", "subprocess", "http", "mcp", "bridge"];

const TABLES: [(&str, &[&str]); 9] = [
    (
        TOP,
        &[
            "name",
            "description",
            "effect",
            "timeout_seconds",
            "contract",
            "limits",
            "model",
            "subprocess",
            "http",
            "mcp",
            "bridge",
        ],
    ),
    ("contract", &["input", "output"]),
    ("limits", &["max_cost_usd", "memory_mb", "output_mb"]),
    (
        "model",
        &[
            "name",
            "fallback",
            "system",
            "prompt",
            "files",
            "tools",
            "temperature",
            "max_tokens",
            "stream",
            "repair",
            "allow",
            "base_url",
        ],
    ),
    ("model.tools", &["name", "description", "parameters"]),
    ("subprocess", &["command", "directory", "env", "answers"]),
    ("http", &["url", "probe_url", "bearer_env", "allow_private"]),
    ("mcp", &["tool", "command", "directory", "env", "url", "allow_private", "bearer_env"]),
    ("bridge", &["prompt", "deadline_seconds"]),
];

/// The fields of a table.
pub(super) fn fields(table: &str) -> &'static [&'static str] {
    TABLES.iter().find(|(name, _)| *name == table).map_or(&[], |(_, fields)| fields)
}

/// A longer list does not fit on a line.
const LISTED: usize = 7;

/// What to do about a key that no field of its table is like.
pub(super) fn instead(table: &str, key: &str) -> String {
    let has = |(_, fields): &&(&str, &[&str])| fields.contains(&key);
    let elsewhere = TABLES.iter().filter(|(name, _)| *name != table).filter(has);
    let elsewhere: Vec<_> = elsewhere.map(|(name, _)| *name).collect();
    match elsewhere[..] {
        [TOP] if (table, key) == ("bridge", "timeout_seconds") => {
            "write deadline_seconds".to_owned()
        }
        [TOP] => "it belongs above the first [table]".to_owned(),
        [owner] => format!("it belongs in [{owner}]"),
        _ if fields(table).len() > LISTED => "remove it (docs/agents.md has the fields)".to_owned(),
        _ => format!("write one of {}, or remove it", fields(table).join(", ")),
    }
}

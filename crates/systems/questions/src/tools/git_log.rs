//! `git_log`: lists commits, newest first.

use consign_code::LogQuery;

use super::{Broken, Evidence, Role, Tool, View, Yield, params::Params};
use crate::{json::object, words::clip};

pub(super) const TOOL: Tool = Tool {
    name: "git_log",
    description: "Commits that changed a path or say a word, the newest first",
    params: r#"{
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1, "maxLength": 1000},
            "grep": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "a word of the message"},
            "author": {"type": "string", "minLength": 1, "maxLength": 300, "description": "part of a name or address"},
            "oldest": {"type": "boolean", "description": "the oldest first"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100}
        },
        "additionalProperties": false
    }"#,
    run,
};

fn run(view: &View, params: Params<'_>) -> Result<Yield, Broken> {
    let path = params.optional("path")?;
    let grep = params.optional("grep")?;
    let author = params.optional("author")?;
    let oldest = params.flag("oldest")?;
    let limit = params.number("limit", 1, 100)?.unwrap_or(10);
    params.done()?;
    let found = view.git_log(&LogQuery {
        path: path.map(str::to_owned),
        grep: grep.map(str::to_owned),
        author: author.map(str::to_owned),
        oldest_first: oldest,
        limit,
    })?;
    let commits: Vec<_> = found
        .items
        .iter()
        .map(|commit| {
            object! {
                "id": &commit.id,
                "author": &commit.author,
                "date": &commit.date,
                "subject": clip(&commit.subject, 300),
                "files_changed": commit.files_changed,
            }
        })
        .collect();
    // A commit has no line; a path that it changed does.
    let evidence = match (path, found.items.first()) {
        (Some(path), Some(newest)) if !oldest => {
            let day = newest.date.split('T').next().unwrap_or(&newest.date);
            let relevance = format!("`{path}` was last changed by {} on {day}", newest.author);
            let mut one = Evidence::at(path, 1, Role::History, relevance);
            one.note = Some(format!("{} — {}", clip(&newest.id, 10), clip(&newest.subject, 200)));
            one.score = 0.9;
            vec![one]
        }
        (Some(_) | None, _) => Vec::new(),
    };
    let result = object! {
        "path": path,
        "grep": grep,
        "commits": commits,
        "oldest": oldest,
        "truncated": found.truncated,
        "note": found.note,
    };
    Ok(Yield { result, evidence })
}

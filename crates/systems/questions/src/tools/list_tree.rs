//! `list_tree`: lists or counts folders and files.

use consign_code::{Language, Node, Row};

use super::{
    Broken, Evidence, Role, Tool, View, Yield,
    params::{Params, wrong},
};
use crate::json::object;

pub(super) const TOOL: Tool = Tool {
    name: "list_tree",
    description: "Folders and files below a folder, some levels deep",
    params: r#"{
        "type": "object",
        "properties": {
            "path": {"type": "string", "maxLength": 1000, "description": "a folder; left out, the repository"},
            "depth": {"type": "integer", "minimum": 1, "maximum": 6},
            "limit": {"type": "integer", "minimum": 1, "maximum": 500},
            "count": {"enum": ["files", "folders", "lines", "test_files"], "description": "count these below the folder, at any depth"},
            "language": {"type": "string", "minLength": 1, "maxLength": 50, "description": "with count: only of this language"}
        },
        "additionalProperties": false
    }"#,
    run,
};

fn run(view: &View, params: Params<'_>) -> Result<Yield, Broken> {
    let path = params.optional("path")?.unwrap_or("").trim_matches('/');
    let depth = params.number("depth", 1, 6)?.unwrap_or(2);
    let limit = params.number("limit", 1, 500)?.unwrap_or(100);
    let count = params.optional("count")?;
    let language = params.optional("language")?;
    params.done()?;
    let path = if path == "." { "" } else { path };
    if let Some(count) = count {
        return counted(view, path, count, language);
    }
    let tree = view.list_tree(path, depth, limit)?;
    let mut evidence = Vec::new();
    let entries: Vec<_> = tree
        .nodes
        .iter()
        .map(|node| match node {
            Node::Directory { path, files, language } => object! {
                "path": format!("{path}/"),
                "files": *files,
                "language": language.map(|language| language.name()),
            },
            Node::File { path, language } => {
                // Its first line shows that it is there; outlines say what is in it.
                let mut one =
                    Evidence::at(path, 1, Role::Structure, "is part of what was asked for");
                one.score = if language.is_some() { 0.4 } else { 0.2 };
                evidence.push(one);
                object! { "path": path, "language": language.map(|language| language.name()) }
            }
        })
        .collect();
    evidence.truncate(60);
    let result = object! { "path": path, "entries": entries, "truncated": tree.truncated };
    Ok(Yield { result, evidence })
}

/// How many there are, and of which languages.
fn counted(view: &View, path: &str, count: &str, language: Option<&str>) -> Result<Yield, Broken> {
    let of: fn(&Row) -> usize = match count {
        "files" => |row| row.files,
        "lines" => |row| row.lines,
        "test_files" => |row| row.tests,
        "folders" => |_| 0,
        other => {
            return Err(wrong(format!(
                "{other:?} cannot be counted; files, folders, lines and test_files can"
            )));
        }
    };
    let census = view.census(path)?;
    let name = |row: &Row| row.language.map_or("other", Language::name);
    let asked = |row: &&Row| language.is_none_or(|wanted| name(row).eq_ignore_ascii_case(wanted));
    let rows: Vec<_> = census.rows.iter().filter(asked).collect();
    let languages: Vec<_> = rows
        .iter()
        .map(|row| object! { "language": name(row), "files": row.files, "lines": row.lines, "test_files": row.tests })
        .collect();
    let total = match count {
        "folders" => census.folders,
        _ => rows.iter().map(|row| of(row)).sum::<usize>(),
    };
    let result = object! {
        "path": path,
        "total": total,
        "languages": languages,
        "more": census.truncated,
        "skipped": census.skipped,
    };
    Ok(Yield { result, evidence: Vec::new() })
}

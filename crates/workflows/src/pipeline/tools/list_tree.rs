//! `list_tree`: folders and files.

use consign_code::Node;

use super::{
    super::agents::json::object, Broken, Evidence, Role, Tool, View, Yield, params::Params,
};

pub(super) const TOOL: Tool = Tool {
    name: "list_tree",
    description: "Folders and files below a folder, some levels deep",
    params: r#"{
        "type": "object",
        "properties": {
            "path": {"type": "string", "maxLength": 1000, "description": "a folder; left out, the repository"},
            "depth": {"type": "integer", "minimum": 1, "maximum": 6},
            "limit": {"type": "integer", "minimum": 1, "maximum": 500}
        },
        "additionalProperties": false
    }"#,
    run,
};

fn run(view: &View, params: Params<'_>) -> Result<Yield, Broken> {
    let path = params.optional("path")?.unwrap_or("").trim_matches('/');
    let depth = params.number("depth", 1, 6)?.unwrap_or(2);
    let limit = params.number("limit", 1, 500)?.unwrap_or(100);
    params.done()?;
    let path = if path == "." { "" } else { path };
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

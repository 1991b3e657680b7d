//! `read_file`: returns some lines of a file.

use super::{
    Broken, Evidence, Role, Tool, View, Yield,
    params::{Params, wrong},
};
use crate::{json::object, words::clip};

pub(super) const TOOL: Tool = Tool {
    name: "read_file",
    description: "Lines of a file, from and to included, at most 200 at a time",
    params: r#"{
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1, "maxLength": 1000},
            "from": {"type": "integer", "minimum": 1},
            "to": {"type": "integer", "minimum": 1}
        },
        "required": ["path"],
        "additionalProperties": false
    }"#,
    run,
};

const MOST_LINES: usize = 200;

fn run(view: &View, params: Params<'_>) -> Result<Yield, Broken> {
    let path = params.text("path")?;
    let from = params.number("from", 1, usize::MAX)?.unwrap_or(1);
    let to = params.number("to", 1, usize::MAX)?;
    params.done()?;
    if to.is_some_and(|to| to < from) {
        return Err(wrong("to must not be smaller than from"));
    }
    let last = from.saturating_add(MOST_LINES - 1);
    let text = view.read_file(path, from, to.unwrap_or(last).min(last))?;
    let lines: Vec<&str> = text.lines.iter().map(|line| clip(line, 300)).collect();
    let first = text.lines.iter().position(|line| !line.trim().is_empty());
    let evidence = first
        .map(|at| {
            let mut one = Evidence::at(
                &text.path,
                text.from + at,
                Role::Mention,
                "the lines that were asked for",
            );
            one.score = 0.5;
            one
        })
        .into_iter()
        .collect();
    let result = object! {
        "path": &text.path,
        "from": text.from,
        "to": text.to,
        "total_lines": text.total_lines,
        "text": lines.join("\n"),
        "truncated": text.truncated,
    };
    Ok(Yield { result, evidence })
}

//! `git_blame`: tells who last changed the lines of a file.

use super::{
    Broken, Evidence, Role, Tool, View, Yield,
    params::{Params, wrong},
};
use crate::{json::object, words::clip};

pub(super) const TOOL: Tool = Tool {
    name: "git_blame",
    description: "Who last changed each line of a file, when, and in which commit",
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

const MOST_LINES: usize = 100;

fn run(view: &View, params: Params<'_>) -> Result<Yield, Broken> {
    let path = params.text("path")?;
    let from = params.number("from", 1, usize::MAX)?.unwrap_or(1);
    let to = params.number("to", 1, usize::MAX)?;
    params.done()?;
    if to.is_some_and(|to| to < from) {
        return Err(wrong("to must not be smaller than from"));
    }
    let last = from.saturating_add(MOST_LINES - 1);
    let lines = view.git_blame(path, from, to.unwrap_or(last).min(last))?;
    // Lines of one commit in a row are told once.
    let mut blocks: Vec<(usize, usize, usize)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match blocks.last_mut() {
            Some((first, end, _)) if commit(&lines[*first]) == commit(line) => *end = at,
            Some(_) | None => blocks.push((at, at, line.line)),
        }
    }
    let mut listed = Vec::new();
    let mut evidence = Vec::new();
    for (first, end, number) in blocks.into_iter().take(40) {
        let origin = lines[first].origin.as_ref();
        let day = origin.and_then(|origin| origin.date.split('T').next()).unwrap_or("");
        listed.push(object! {
            "from": number,
            "to": lines[end].line,
            "commit": origin.map(|origin| origin.commit.as_str()),
            "author": origin.map(|origin| origin.author.as_str()),
            "date": origin.map(|origin| origin.date.as_str()),
            "subject": origin.map(|origin| clip(&origin.subject, 200)),
        });
        let (relevance, note) = match origin {
            Some(origin) => (
                format!("last changed by {} on {day}", origin.author),
                Some(format!("{} — {}", clip(&origin.commit, 10), clip(&origin.subject, 200))),
            ),
            None => ("changed and not committed".to_owned(), None),
        };
        let mut one = Evidence::at(path, number, Role::History, relevance);
        one.end_line = lines[end].line;
        one.note = note;
        one.score = 0.7;
        evidence.push(one);
    }
    Ok(Yield { result: object! { "path": path, "blocks": listed }, evidence })
}

fn commit(line: &consign_code::BlameLine) -> Option<&str> {
    line.origin.as_ref().map(|origin| origin.commit.as_str())
}

//! `code_search`: finds lines that contain a text or match a pattern.

use consign_code::Query;

use super::{Broken, Evidence, Role, Tool, View, Yield, params::Params};
use crate::{json::object, words::clip};

pub(super) const TOOL: Tool = Tool {
    name: "code_search",
    description: "Lines that contain a text, or match a regular expression, best first",
    params: r#"{
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "text to look for, in whatever case"},
            "regex": {"type": "boolean", "description": "the query is a regular expression"},
            "whole_word": {"type": "boolean"},
            "case_sensitive": {"type": "boolean"},
            "glob": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "only files whose path matches, like src/**/*.rs"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 200}
        },
        "required": ["query"],
        "additionalProperties": false
    }"#,
    run,
};

fn run(view: &View, params: Params<'_>) -> Result<Yield, Broken> {
    let query = Query {
        pattern: params.text("query")?.to_owned(),
        regex: params.flag("regex")?,
        whole_word: params.flag("whole_word")?,
        case_sensitive: params.flag("case_sensitive")?,
        glob: params.optional("glob")?.map(str::to_owned),
        limit: params.number("limit", 1, 200)?.unwrap_or(30),
    };
    params.done()?;
    let found = view.search(&query)?;
    let why = if query.regex {
        "matches what was searched for".to_owned()
    } else {
        format!("contains `{}`", query.pattern)
    };
    let hits = found.items.iter();
    let lines: Vec<_> = hits
        .clone()
        .take(20)
        .map(|hit| object! { "path": &hit.path, "line": hit.line, "text": clip(hit.text.trim(), 200) })
        .collect();
    let most = found.items.first().map_or(1.0, |hit| hit.score).max(f64::MIN_POSITIVE);
    let evidence = hits
        .map(|hit| {
            let mut one = Evidence::at(&hit.path, hit.line, Role::Mention, why.as_str());
            let imports = ["use ", "import ", "from ", "#include", "export {", "pub use "];
            let said = if imports.iter().any(|word| hit.text.trim_start().starts_with(word)) {
                0.4
            } else {
                1.0
            };
            one.score = 0.6 * said * hit.score / most;
            one
        })
        .collect();
    let result = object! {
        "hits": lines,
        "total": found.total.max(found.items.len()),
        "truncated": found.truncated,
        "files_read": found.files_read,
    };
    Ok(Yield { result, evidence })
}

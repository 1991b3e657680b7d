//! `find_references`: finds where a name is used, or what extends or implements it.

use consign_code::{Class, Usage, Uses};

use super::{Broken, Evidence, Role, Tool, View, Yield, params::Params};
use crate::{json::object, words::clip};

pub(super) const TOOL: Tool = Tool {
    name: "find_references",
    description: "Where a name is called, imported or otherwise used, without its definition",
    params: r#"{
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 1000},
            "calls": {"type": "boolean", "description": "only calls"},
            "implementers": {"type": "boolean", "description": "instead of uses, the types that extend or implement it; of a Go interface those that have its methods"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 200}
        },
        "required": ["name"],
        "additionalProperties": false
    }"#,
    run,
};

/// The keywords with which languages report a failure.
const RAISING: &[&str] = &[
    "raise ", "throw ", "throw(", "panic!", "bail!", "Err(", "reject(", "panic(", "error(",
    "fail(", "abort(",
];

/// Whether a line raises or returns a failure.
fn raises(line: &str) -> bool {
    RAISING.iter().any(|word| line.contains(word))
}

fn run(view: &View, params: Params<'_>) -> Result<Yield, Broken> {
    let name = params.text("name")?;
    let limit = params.number("limit", 1, 200)?.unwrap_or(40);
    let only_calls = params.flag("calls")?;
    let implementers = params.flag("implementers")?;
    params.done()?;
    if implementers {
        return heirs(view, name, limit);
    }
    let Uses { mut found, calls, unsure, complete } = view.find_references(name, usize::MAX)?;
    if only_calls {
        found.items.retain(|one| one.usage == Usage::Call);
        found.total = calls;
    }
    // Who calls it, each once: known only where all calls are.
    let mut callers: Vec<(&str, &str)> = found
        .items
        .iter()
        .filter(|one| one.usage == Usage::Call)
        .filter_map(|one| Some((one.path.as_str(), one.within.as_deref()?)))
        .collect();
    callers.sort_unstable();
    callers.dedup();
    let mut files: Vec<&str> = found.items.iter().map(|one| one.path.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    let whole = found.items.len() >= found.total;
    let (callers, files) = (whole.then_some(callers.len()), whole.then_some(files.len()));
    found.truncated |= found.items.len() > limit;
    found.total = found.total.max(found.items.len());
    found.items.truncate(limit);
    // What is found is what is sure, where anything is.
    let sure = found.items.iter().all(|one| one.sure);
    let uses: Vec<_> = found
        .items
        .iter()
        .take(40)
        .map(|one| {
            object! {
                "path": &one.path,
                "line": one.line,
                "text": clip(one.text.trim(), 200),
                "usage": word(one.usage),
                "within": one.within.as_deref(),
            }
        })
        .collect();
    let evidence = found
        .items
        .iter()
        .enumerate()
        .map(|(at, one)| {
            let raised = raises(&one.text);
            let (role, verb, worth) = match one.usage {
                _ if raised => (Role::Raise, "raises", 0.95),
                Usage::Call => (Role::Call, "calls", 0.9),
                Usage::Type => (Role::Usage, "uses the type", 0.7),
                Usage::Other => (Role::Usage, "uses", 0.6),
                Usage::Import => (Role::Usage, "imports", 0.35),
            };
            let relevance = match &one.within {
                Some(within) => format!("`{within}` {verb} `{name}`"),
                None => format!("{verb} `{name}`"),
            };
            let mut evidence = Evidence::at(&one.path, one.line, role, relevance);
            evidence.symbol.clone_from(&one.within);
            let tests = one.within.as_deref().is_some_and(|within| within.starts_with("test"));
            let place = if Class::of(&one.path) == Class::Source && !tests { 1.0 } else { 0.5 };
            evidence.score = place * worth / (1.0 + at as f64 * 0.01);
            evidence
        })
        .collect();
    let result = object! {
        "name": name,
        "references": uses,
        "total": found.total.max(found.items.len()),
        "calls": calls,
        "callers": callers,
        "files": files,
        "sure": sure,
        "unsure": if sure { unsure } else { 0 },
        "more": !complete,
        "truncated": found.truncated,
        "note": found.note,
    };
    Ok(Yield { result, evidence })
}

/// How a trait depends on another one that is in its bounds.
const ASKS: &str = "asks for";
const MOST_ASKING: usize = 5;

/// The types that extend or implement a name. The order has no meaning.
fn heirs(view: &View, name: &str, limit: usize) -> Result<Yield, Broken> {
    let mut found = view.heirs(name)?;
    // A trait that asks for another does not implement it.
    let asking: Vec<String> = found
        .items
        .iter()
        .filter(|heir| heir.how == ASKS)
        .map(|heir| format!("`{}` ({}:{})", heir.name, heir.path, heir.line))
        .collect();
    found.items.retain(|heir| heir.how != ASKS);
    found.total -= asking.len();
    if !asking.is_empty() {
        let more = asking.len().saturating_sub(MOST_ASKING);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let shown = asking[..asking.len().min(MOST_ASKING)].join(", ");
        found.note = Some(format!(
            "a type that implements one of these must implement it too: {shown}{more}"
        ));
    }
    let shown = found.items.iter().take(limit);
    let listed: Vec<_> = shown
        .clone()
        .map(|heir| object! { "name": &heir.name, "path": &heir.path, "line": heir.line, "how": heir.how })
        .collect();
    let evidence = shown
        .enumerate()
        .map(|(at, heir)| {
            let why = format!("`{}` {} `{name}`", heir.name, heir.how);
            let mut one = Evidence::at(&heir.path, heir.line, Role::Usage, why);
            one.symbol = Some(heir.name.clone());
            one.score = 1.0 / (1.0 + at as f64 * 0.01);
            one
        })
        .collect();
    let result = object! {
        "name": name,
        "implementers": listed,
        "total": found.total,
        "more": found.at_least || found.skipped > 0,
        "note": found.note,
    };
    Ok(Yield { result, evidence })
}

fn word(usage: Usage) -> &'static str {
    match usage {
        Usage::Call => "call",
        Usage::Import => "import",
        Usage::Type => "type",
        Usage::Other => "other",
    }
}

//! `outline`: lists or counts the definitions of a file or a folder.

use consign_code::{Found, Kind, Language, Symbol};

use super::{
    Broken, Tool, View, Yield,
    find_symbol::{describe, full_name, of_symbol},
    params::{Params, wrong},
};
use crate::{
    json::object,
    words::{last_name, stem},
};

pub(super) const TOOL: Tool = Tool {
    name: "outline",
    description: "The functions, types and other definitions of a file, in its order, or of all files of a folder",
    params: r#"{
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "a file or a folder; `.` is the repository"},
            "kinds": {"type": "array", "maxItems": 14, "items": {"enum": ["function", "method", "class", "struct", "enum", "trait", "interface", "type", "constant", "variable", "module", "macro", "field", "variant"]}},
            "words": {"type": "array", "maxItems": 4, "items": {"type": "string", "minLength": 1, "maxLength": 100}, "description": "all of these are in the name; `a|b` is either"},
            "within": {"type": "string", "minLength": 1, "maxLength": 300, "description": "only members of the type of this name"},
            "language": {"type": "string", "minLength": 1, "maxLength": 50, "description": "only of this language"},
            "tests": {"type": "boolean", "description": "tests instead of definitions, with `words` in their names or texts"},
            "mentions": {"type": "array", "maxItems": 4, "items": {"type": "string", "minLength": 1, "maxLength": 300}, "description": "only tests that have all of these names"},
            "entry_points": {"type": "boolean", "description": "instead of definitions, where programs start: functions `main`, and what manifests name"}
        },
        "required": ["path"],
        "additionalProperties": false
    }"#,
    run,
};

fn run(view: &View, params: Params<'_>) -> Result<Yield, Broken> {
    let path = params.text("path")?;
    let kinds = params.texts("kinds")?;
    let words = params.texts("words")?;
    let within = params.optional("within")?;
    let language = params.optional("language")?;
    let tests = params.flag("tests")?;
    let mentions = params.texts("mentions")?;
    let entry_points = params.flag("entry_points")?;
    params.done()?;
    if entry_points {
        return super::entry_points::run(view, path);
    }
    let language = language.map(known).transpose()?;
    if tests {
        return super::tests_of::run(view, path, language, &words, &mentions);
    }
    let plain = kinds.is_empty() && words.is_empty() && within.is_none() && language.is_none();
    let found = match plain && path != "." {
        true => view.outline(path)?,
        false => chosen(view, path, &kinds, &words, within, language)?,
    };
    let symbols: Vec<_> = found.items.iter().take(60).map(describe).collect();
    let evidence = found
        .items
        .iter()
        .take(200)
        .enumerate()
        .map(|(at, symbol)| {
            let relevance =
                format!("`{}` has {} `{}`", symbol.path, symbol.kind.name(), full_name(symbol));
            let mut one = of_symbol(symbol, relevance);
            let depth = if symbol.container.is_some() { 0.3 } else { 0.5 };
            let kind = match symbol.kind {
                Kind::Constant | Kind::Variable | Kind::Field | Kind::Variant => 0.4,
                Kind::Module | Kind::Type => 0.7,
                Kind::Function
                | Kind::Method
                | Kind::Class
                | Kind::Struct
                | Kind::Enum
                | Kind::Trait
                | Kind::Interface
                | Kind::Macro => 1.0,
            };
            one.score = depth * kind / (1.0 + at as f64 * 0.02);
            one
        })
        .collect();
    let total = found.total.max(found.items.len());
    let result = object! {
        "path": path,
        "symbols": symbols,
        "total": total,
        // The list may be cut while the count is whole.
        "more": found.note.is_some(),
        "truncated": found.truncated,
        "note": found.note,
    };
    Ok(Yield { result, evidence })
}

/// The language of that name.
fn known(name: &str) -> Result<Language, Broken> {
    Language::named(name).ok_or_else(|| wrong(format!("{name:?} is not a known language")))
}

/// The definitions of a file or folder that are of these kinds, have these words in their names, and are members
/// of a type.
fn chosen(
    view: &View,
    path: &str,
    kinds: &[&str],
    words: &[&str],
    within: Option<&str>,
    language: Option<Language>,
) -> Result<Found<Symbol>, Broken> {
    let kinds = kinds
        .iter()
        .map(|word| {
            Kind::named(word).ok_or_else(|| wrong(format!("{word:?} is not a kind of symbol")))
        })
        .collect::<Result<Vec<Kind>, Broken>>()?;
    let words: Vec<Vec<String>> =
        words.iter().map(|word| word.split('|').map(stem).collect()).collect();
    let within = within.map(last_name);
    let fits = |name: &str, container: Option<&str>| {
        let parts: Vec<String> = crate::words::parts(name).iter().map(|part| stem(part)).collect();
        let named = words.iter().all(|any| any.iter().any(|word| parts.contains(word)));
        named && within.is_none_or(|within| container.map(last_name) == Some(within))
    };
    view.definitions(if path == "." { "" } else { path }, &kinds, language, &fits)
}

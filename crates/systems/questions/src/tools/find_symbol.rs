//! `find_symbol`: finds where a name is defined.

use consign_code::{Class, Kind, Symbol};

use super::{
    Broken, Evidence, Role, Tool, View, Yield,
    params::{Params, wrong},
};
use crate::{json::object, words::clip};

pub(super) const TOOL: Tool = Tool {
    name: "find_symbol",
    description: "Where a function, type or other name is defined: login, Session.login, auth::login",
    params: r#"{
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 1000},
            "kind": {"enum": ["function", "method", "class", "struct", "enum", "trait", "interface", "type", "constant", "variable", "module", "macro", "field", "variant"]},
            "path": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "only definitions in this file"}
        },
        "required": ["name"],
        "additionalProperties": false
    }"#,
    run,
};

fn run(view: &View, params: Params<'_>) -> Result<Yield, Broken> {
    let name = params.text("name")?;
    let kind = match params.optional("kind")? {
        None => None,
        Some(word) => Some(
            Kind::named(word).ok_or_else(|| wrong(format!("{word:?} is not a kind of symbol")))?,
        ),
    };
    let path = params.optional("path")?;
    params.done()?;
    let found = match path {
        None => view.find_symbol(name, kind)?,
        // One file is parsed instead of all that have the name.
        Some(path) => view.outline(path)?,
    };
    let wanted = crate::words::last_name(name);
    let fits = |symbol: &&Symbol| {
        path.is_none() || symbol.name == wanted && kind.is_none_or(|kind| symbol.kind == kind)
    };
    let symbols: Vec<&Symbol> = found.items.iter().filter(fits).collect();
    let listed: Vec<_> = symbols.iter().take(20).map(|symbol| describe(symbol)).collect();
    let evidence =
        symbols.iter().enumerate().map(|(at, symbol)| evidence(symbol, name, at)).collect();
    let result = object! {
        "definitions": listed,
        "total": symbols.len(),
        "truncated": found.truncated,
        "note": found.note,
    };
    Ok(Yield { result, evidence })
}

pub(super) fn describe(symbol: &Symbol) -> consign_contracts::json::Object<'static> {
    object! {
        "name": full_name(symbol),
        "kind": symbol.kind.name(),
        "path": &symbol.path,
        "line": symbol.line,
        "end_line": symbol.end_line,
        "signature": clip(&symbol.signature, 300),
        "doc": symbol.doc.as_deref().map(|doc| clip(doc, 300)),
    }
}

/// The name with what it is in.
pub(crate) fn full_name(symbol: &Symbol) -> String {
    match &symbol.container {
        Some(container) => format!("{container}.{}", symbol.name),
        None => symbol.name.clone(),
    }
}

fn evidence(symbol: &Symbol, asked: &str, at: usize) -> Evidence {
    let relevance = format!("defines {} `{}`", symbol.kind.name(), full_name(symbol));
    let mut one = of_symbol(symbol, relevance);
    let exact = crate::words::last_name(asked) == symbol.name;
    let place = if Class::of(&symbol.path) == Class::Source { 1.0 } else { 0.6 };
    one.score = place * if exact { 1.0 } else { 0.7 } / (1.0 + at as f64 * 0.08);
    one
}

/// A definition as evidence.
pub(crate) fn of_symbol(symbol: &Symbol, relevance: String) -> Evidence {
    let mut one = Evidence::at(&symbol.path, symbol.line, Role::Definition, relevance);
    one.end_line = symbol.end_line.max(symbol.line);
    one.symbol = Some(full_name(symbol));
    one.kind = Some(symbol.kind.name().to_owned());
    one.note = symbol.doc.as_deref().map(|doc| clip(doc, 300).to_owned());
    one
}

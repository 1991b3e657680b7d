//! `outline`: what a file defines.

use consign_code::Kind;

use super::{
    super::agents::json::object,
    Broken, Tool, View, Yield,
    find_symbol::{describe, full_name, of_symbol},
    params::Params,
};

pub(super) const TOOL: Tool = Tool {
    name: "outline",
    description: "The functions, types and other definitions of a file, in its order",
    params: r#"{
        "type": "object",
        "properties": {"path": {"type": "string", "minLength": 1, "maxLength": 1000}},
        "required": ["path"],
        "additionalProperties": false
    }"#,
    run,
};

fn run(view: &View, params: Params<'_>) -> Result<Yield, Broken> {
    let path = params.text("path")?;
    params.done()?;
    let found = view.outline(path)?;
    let symbols: Vec<_> = found.items.iter().take(60).map(describe).collect();
    let evidence = found
        .items
        .iter()
        .enumerate()
        .map(|(at, symbol)| {
            let relevance = format!("`{path}` has {} `{}`", symbol.kind.name(), full_name(symbol));
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
    let result = object! {
        "path": path,
        "symbols": symbols,
        "total": found.total.max(found.items.len()),
        "truncated": found.truncated,
    };
    Ok(Yield { result, evidence })
}

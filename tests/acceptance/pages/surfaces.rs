//! `docs/surfaces.md`: the one table of what each surface offers.

use std::collections::BTreeSet;

use serde_json::json;

use super::{page, quoted, rows, section};
use crate::{home::Home, mcp::Conversation, pipelines::yard::Yard, support::text};

/// The cells of a column of the table, without its heading.
fn column(page: &str, name: &str) -> Vec<String> {
    let table = rows(section(page, "## What each surface offers"));
    let (head, lines) = table.split_first().expect("the table has a head");
    let at = head.iter().position(|cell| *cell == name);
    let at = at.unwrap_or_else(|| panic!("the table has no column {name:?}"));
    lines.iter().map(|line| line[at].to_owned()).collect()
}

/// What the cells of a column name.
fn named(page: &str, name: &str) -> BTreeSet<String> {
    let cells = column(page, name);
    cells.iter().flat_map(|cell| quoted(cell)).map(str::to_owned).collect()
}

#[test]
fn the_table_names_every_route_of_the_server_and_no_other() {
    let yard = Yard::new();
    let server = yard.serve(&[]);
    let paths = server.get("/openapi.json").is(200).json()["paths"].clone();
    let paths = paths.as_object().expect("an object");
    let routes: BTreeSet<_> = paths
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().expect("an object").keys();
            let methods = methods.filter(|word| ["get", "post"].contains(&word.as_str()));
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect();
    assert!(routes.len() > 10, "{routes:?}");
    let page = page("docs/surfaces.md");
    let known: BTreeSet<_> = named(&page, "HTTP")
        .into_iter()
        // A parameter of a route is not another route.
        .map(|route| route.split('?').next().unwrap_or_default().to_owned())
        .filter(|route| route.starts_with("GET ") || route.starts_with("POST "))
        .collect();
    assert_eq!(known, routes);
}

#[test]
fn the_table_names_every_tool_and_no_other() {
    let home = Home::new();
    let mut mcp = Conversation::begin(&home);
    let told = mcp.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let told = told.as_array().expect("a list");
    let tools: BTreeSet<_> = told.iter().map(|tool| text(tool, "name").to_owned()).collect();
    assert!(tools.len() > 5, "{tools:?}");
    assert_eq!(named(&page("docs/surfaces.md"), "MCP"), tools);
}

#[test]
fn what_a_surface_does_not_offer_has_a_reason() {
    let page = page("docs/surfaces.md");
    for name in ["CLI", "HTTP", "MCP"] {
        for cell in column(&page, name) {
            let gives_reason = cell.strip_prefix("no: ").is_some_and(|reason| !reason.is_empty());
            assert!(cell.contains('`') || gives_reason, "{name}: {cell:?}");
        }
    }
}

#[test]
fn the_table_names_commands_that_exist() {
    let cli = super::page("docs/cli.md");
    for command in named(&page("docs/surfaces.md"), "CLI") {
        let words: Vec<_> = command
            .split(' ')
            .take_while(|word| !word.starts_with('-') && word.to_lowercase() == *word)
            .collect();
        assert!(cli.contains(&format!("\n## {}\n", words.join(" "))), "{command:?}");
    }
}

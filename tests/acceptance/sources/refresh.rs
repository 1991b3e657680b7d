//! `consign sources refresh`: known sources are looked at again.

use std::fs;

use serde_json::json;

use super::desk::{Desk, Told};
use crate::support::text;

#[test]
fn what_changed_is_replaced_and_what_is_gone_is_kept_as_missing() {
    let desk = Desk::new();
    let changes = desk.file("changes.txt", "Once there were herons.");
    desk.file("stays.txt", "There are always storks.");
    let goes = desk.file("goes.txt", "Here today are cranes.");
    let told = desk.ingest(&[&desk.place(), "--meta", "team=red"], 0);
    let source = |name: &str| text(told.row(name), "source_id").to_owned();
    fs::write(&changes, "Now there are egrets.").expect("it can be written");
    fs::remove_file(&goes).expect("it can be removed");

    let refreshed = Told::of(&desk.run(&["sources", "refresh", "--json"]).exits(1));
    assert_eq!(refreshed.row("changes.txt")["status"], "replaced");
    assert_eq!(refreshed.row("stays.txt")["status"], "unchanged");
    let gone = refreshed.row("goes.txt");
    assert_eq!(gone["error"]["error_code"], "ERR_CONNECTOR_NOT_FOUND");
    assert_eq!(gone["source_id"], source("goes.txt"));
    assert_eq!(refreshed.counts["runs"].as_array().map(Vec::len), Some(1));

    let missing = |name: &str| {
        desk.run(&["sources", "show", &source(name), "--json"]).exits(0).json()["missing"].clone()
    };
    assert_eq!(["goes.txt", "stays.txt"].map(missing), [json!(true), json!(false)]);
    assert_eq!(desk.found("cranes", &[]).len(), 1, "it is kept");
    // What was said of the files stays with them.
    assert_eq!(desk.found("egrets", &["--filter", "team=red"]).len(), 1);
    assert!(desk.found("herons", &["--min-score", "0"]).is_empty());

    // It is there again, as it was.
    fs::write(&goes, "Here today are cranes.").expect("it can be written");
    let id = source("goes.txt");
    desk.run(&["sources", "refresh", &id]).exits(0);
    assert_eq!(missing("goes.txt"), json!(false));
}

#[test]
fn what_came_as_text_has_no_place_to_look_at() {
    let desk = Desk::new();
    let line = json!({"id": "memo", "text": "A memo about radishes."}).to_string();
    desk.home.consign(&["ingest", "--stream"]).stdin(line).run().exits(0);
    let refreshed = Told::of(&desk.run(&["sources", "refresh", "--json"]).exits(0));
    assert_eq!((refreshed.rows.len(), &refreshed.counts["without_place"]), (0, &json!(1)));
    assert_eq!(desk.found("radishes", &[]).len(), 1);
    desk.run(&["sources", "refresh", "no-such-source", "--json"]).fails(1, "NOT_FOUND");
}

//! `consign sources refresh`: known sources are looked at again.

use std::{fs, os::unix::fs::symlink};

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

/// What lies in a folder may be changed by others than the one who named the folder.
#[test]
fn a_file_that_has_become_a_link_is_not_followed() {
    let desk = Desk::new();
    let secret = desk.file("elsewhere/secret.txt", "The secret is the word chrysanthemum.");
    let file = desk.file("folder/sub/a.txt", "Nothing but daisies.");
    let folder = format!("{}/folder", desk.place());
    desk.ingest(&[&folder, "--recursive"], 0);
    let refused = |what: &str| {
        let refreshed = Told::of(&desk.run(&["sources", "refresh", "--json"]).exits(1));
        let row = refreshed.row("a.txt");
        assert_eq!(row["error"]["error_code"], "ADDRESS_NOT_ALLOWED", "{what}: {row}");
        assert!(desk.found("chrysanthemum", &["--min-score", "0"]).is_empty(), "{what}");
    };
    fs::remove_file(&file).expect("it can be removed");
    symlink(&secret, &file).expect("a link");
    refused("the file");
    fs::remove_dir_all(format!("{folder}/sub")).expect("it can be removed");
    fs::copy(&secret, format!("{}/elsewhere/a.txt", desk.place())).expect("it can be copied");
    let to = format!("{}/elsewhere", desk.place());
    symlink(to, format!("{folder}/sub")).expect("a link");
    refused("its folder");
}

/// Users of the server reach the folders that are shared with them, and so do their sources.
#[test]
fn files_of_a_user_are_looked_at_again_below_the_shared_folders_only() {
    let desk = Desk::new();
    let file = desk.file("a.txt", "A text about parsnips.");
    let owner = ["--owner", "user:00000000-0000-4000-8000-000000000000"];
    desk.ingest(&[&[file.as_str()], &owner[..]].concat(), 0);
    fs::write(&file, "A text about turnips.").expect("it can be written");
    let refresh = [&["sources", "refresh", "--json"], &owner[..]].concat();
    let refused = Told::of(&desk.run(&refresh).exits(1));
    assert_eq!(refused.row("a.txt")["error"]["error_code"], "ADDRESS_NOT_ALLOWED");
    let settings = format!("[connector]\nroots = [{:?}]\n", desk.place());
    fs::write(desk.home.path().join("settings.toml"), settings).expect("the home is there");
    let refreshed = Told::of(&desk.run(&refresh).exits(0));
    assert_eq!(refreshed.row("a.txt")["status"], "replaced");
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

//! Two owners: whatever one does, nothing of the other is seen.

use serde_json::json;

use super::desk::{Desk, Told};
use crate::support::text;

#[test]
fn owners_see_nothing_of_each_other() {
    let desk = Desk::new();
    let file = desk.file("plan.txt", "The merger with Halberd Shipping closes in April.");
    let mine = desk.ingest(&[&file, "--owner", "ann", "--meta", "team=red"], 0);
    let source = text(&mine.rows[0], "source_id").to_owned();
    let wide = ["--min-score", "0", "--top-k", "100"];
    let of = |owner: &str, more: &[&str]| {
        desk.found("merger Halberd", &[&wide[..], &["--owner", owner], more].concat()).len()
    };
    assert_eq!(of("ann", &[]), 1);
    for owner in ["bob", "local"] {
        for filter in [
            format!("source_id={source}"),
            "team=red".to_owned(),
            "file_name=plan.txt".to_owned(),
            "collection=default".to_owned(),
        ] {
            assert_eq!(of(owner, &["--filter", &filter]), 0, "{owner} {filter}");
        }
        assert_eq!(of(owner, &[]), 0);
        let answer = desk.search("merger", &["--owner", owner]);
        assert_eq!(answer["total_found"], 0);
        assert_eq!(answer["search"]["vectors_total"], 0, "not even counted");
        assert!(desk.sources(&["--owner", owner]).is_empty());
        for command in [&["show"][..], &["show", "--text"], &["remove"], &["refresh"]] {
            let args = [&["sources"], command, &[&source, "--owner", owner]].concat();
            desk.run(&args).fails(1, "NOT_FOUND");
        }
    }
    // The same file of another owner is another source, and removing it leaves the first.
    let other = desk.ingest(&[&file, "--owner", "bob"], 0);
    assert_eq!(other.rows[0]["status"], "taken");
    let theirs = text(&other.rows[0], "source_id").to_owned();
    assert_ne!(theirs, source);
    desk.run(&["sources", "remove", &theirs, "--owner", "bob"]).exits(0);
    assert_eq!((of("ann", &[]), of("bob", &[])), (1, 0));
}

#[test]
fn an_owner_cannot_replace_what_another_sent() {
    let desk = Desk::new();
    let send = |owner: &str, said: &str| {
        let line = json!({"id": "memo", "text": said}).to_string();
        let args = ["ingest", "--stream", "--owner", owner];
        desk.home.consign(&args).stdin(line).run().exits(0).json()
    };
    let first = send("ann", "Ann writes about tamarinds.");
    let second = send("bob", "Bob writes about turnips.");
    assert_eq!((&first["status"], &second["status"]), (&json!("taken"), &json!("taken")));
    let text = |owner: &str, source: &str| {
        desk.run(&["sources", "show", source, "--text", "--owner", owner]).exits(0).stdout
    };
    assert!(text("ann", first["source_id"].as_str().unwrap_or_default()).contains("tamarinds"));
    let refreshed = desk.run(&["sources", "refresh", "--json", "--owner", "bob"]).exits(0);
    assert_eq!(Told::of(&refreshed).counts["without_place"], 1);
}

//! `consign contracts show`

use std::fs;

use serde_json::Value;

use crate::{
    list::published,
    support::{consign, keys, text},
};

#[test]
fn in_a_pipe_the_published_schema_comes_byte_for_byte() {
    for (name, path) in published() {
        let shown = consign(["contracts", "show", &name]).exits(0);
        assert_eq!(shown.stdout, fs::read_to_string(&path).expect("it can be read"), "{path}");
        assert_eq!(shown.stderr, "");
    }
}

#[test]
fn asking_for_the_schema_changes_nothing_in_a_pipe() {
    let plain = consign(["contracts", "show", "job/manifest"]).exits(0);
    let asked = consign(["contracts", "show", "--raw", "job/manifest"]).exits(0);
    assert_eq!(plain.stdout, asked.stdout);
}

#[test]
fn for_programs_the_schema_comes_with_what_the_list_says() {
    for listed in consign(["contracts", "list", "bridge", "--json"]).exits(0).json_lines() {
        let name = text(&listed, "name");
        let shown = consign(["contracts", "show", name, "--json"]).exits(0).json();
        for key in keys(&listed) {
            assert_eq!(shown[key], listed[key], "{key} of {name}");
        }
        let schema = fs::read_to_string(&published()[name]).expect("it can be read");
        let schema: Value = serde_json::from_str(&schema).expect("a schema is JSON");
        assert_eq!(shown["schema"], schema);
    }
}

#[test]
fn an_unknown_name_is_a_mistake_that_knows_what_was_meant() {
    for (typed, meant) in [
        ("bridge/agent-requst", "bridge/agent-request"),
        ("agent-failure", "crew/agent-failure"),
        ("envelope/output.criti", "envelope/output.critic"),
        ("authoring/scribe-payload", "authoring/scribe.payload"),
    ] {
        consign(["contracts", "show", typed])
            .fails(2, "CONTRACT_UNKNOWN")
            .telling(&format!("hint: did you mean `{meant}`?"));
    }
}

#[test]
fn a_name_like_no_other_is_sent_to_the_list() {
    let long = "x".repeat(100_000);
    for typed in ["qqqqq", "", "/", "🚀", &long] {
        let shown = consign(["contracts", "show", typed])
            .fails(2, "CONTRACT_UNKNOWN")
            .telling("hint: `consign contracts list` shows all");
        assert!(!shown.stderr.contains("did you mean"), "{shown:#?}");
    }
}

#[test]
fn no_name_at_all_is_a_mistake() {
    consign(["contracts", "show"]).fails(2, "USAGE");
}

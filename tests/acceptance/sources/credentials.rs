//! Credentials: sealed, named, used, and never seen.

use std::fs;

use serde_json::json;

use super::desk::Desk;

const SECRET: &str = "open-sesame-0x51-never-to-be-seen";

fn add(desk: &Desk, args: &[&str], secret: &str) -> crate::support::Outcome {
    let args = [&["credentials", "add"], args].concat();
    desk.home.consign(&args).env("AI_KEY_ENCRYPTION_KEY", "").stdin(secret).run()
}

#[test]
fn they_are_added_listed_and_removed_and_never_shown() {
    let desk = Desk::new();
    let refused = add(&desk, &["wiki"], SECRET).fails(1, "ENCRYPTION_NOT_CONFIGURED");
    assert!(refused.stderr.contains("consign keys init"), "{}", refused.stderr);
    desk.run(&["keys", "init"]).exits(0);
    let added = add(&desk, &["wiki", "--json"], SECRET).exits(0);
    assert_eq!((&added.json()["name"], &added.json()["kind"]), (&json!("wiki"), &json!("bearer")));
    add(&desk, &["wiki"], SECRET).fails(1, "DUPLICATE_KEY");
    let oauth = format!(r#"{{"client_id": "i", "refresh_token": "{SECRET}"}}"#);
    let replaced = add(&desk, &["wiki", "--replace", "--kind", "oauth", "--json"], &oauth).exits(0);
    assert_eq!(replaced.json()["kind"], "oauth");
    for wrong in [
        add(&desk, &["a/b"], SECRET),
        add(&desk, &["a", "--kind", "oauth"], SECRET),
        add(&desk, &["a"], "two words"),
        add(&desk, &["a", SECRET], ""),
        add(&desk, &["a", "--secret", SECRET], ""),
        add(&desk, &["a", "--kind", "key"], SECRET),
    ] {
        assert!(matches!(wrong.code, Some(1 | 2)), "{wrong:#?}");
        assert!(!wrong.stderr.contains(SECRET), "{}", wrong.stderr);
    }
    let listed = desk.run(&["credentials", "list", "--json"]).exits(0);
    assert_eq!(listed.json_lines().len(), 1);
    let others = desk.run(&["credentials", "list", "--owner", "ada", "--json"]).exits(0);
    assert_eq!(others.stdout, "");
    desk.run(&["credentials", "remove", "wiki", "--owner", "ada"]).fails(1, "KEY_NOT_FOUND");
    for said in [&added, &replaced, &listed] {
        assert!(!format!("{}{}", said.stdout, said.stderr).contains(SECRET));
    }
    for entry in fs::read_dir(desk.home.path()).expect("a home").filter_map(Result::ok) {
        let bytes = fs::read(entry.path()).unwrap_or_default();
        let has = bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
        assert!(!has, "{:?}", entry.path());
    }
    desk.run(&["credentials", "remove", "wiki"]).exits(0);
    desk.run(&["credentials", "remove", "wiki"]).fails(1, "KEY_NOT_FOUND");
}

#[test]
fn keys_and_credentials_are_told_apart_and_sealed_anew_together() {
    let desk = Desk::new();
    desk.run(&["keys", "init"]).exits(0);
    add(&desk, &["payslips", "--kind", "password"], SECRET).exits(0);
    assert_eq!(desk.run(&["keys", "list", "--json"]).exits(0).stdout, "");
    desk.run(&["keys", "rotate"]).exits(0);
    let listed = desk.run(&["credentials", "list", "--json"]).exits(0);
    assert_eq!(listed.json()["kind"], "password", "it opens with the new sealing key");
}

//! `consign inbox`

use serde_json::{Value, json};

use crate::{
    home::{Home, keeps},
    support::text,
};

fn places(lines: &[Value]) -> Vec<String> {
    lines.iter().map(|ask| format!("{}/{}", text(ask, "run"), text(ask, "interaction"))).collect()
}

#[test]
fn everything_that_is_asked_is_there_oldest_first() {
    let home = Home::new();
    let first = home.start("sample/approval", r#"{"asks": 2}"#, 43);
    let args = ["runs", "start", "sample/budget", "--cost", "0.02"];
    let second = text(&home.json(&args, 43), "id").to_owned();
    let inbox = home.run(&["inbox", "--json"]).exits(0);
    keeps("engine/interaction", &inbox.stdout);
    let lines = inbox.json_lines();
    let expected =
        [format!("{first}/ask-1"), format!("{first}/ask-2"), format!("{second}/@limit@1")];
    assert_eq!(places(&lines), expected);
    assert_eq!(lines[0]["schema"], json!({"type": "boolean"}));
    assert_eq!((text(&lines[0], "kind"), &lines[0]["deadline"]), ("approval", &json!(null)));

    let piped = home.run(&["inbox"]).exits(0);
    let fields: Vec<_> = piped.stdout.lines().next().unwrap_or_default().split('\t').collect();
    assert_eq!(fields[..4], [first.as_str(), "ask-1", "approval", "Approve 1 of 2?"]);
    assert_eq!((fields.len(), fields[5]), (6, ""));

    let table = home.terminal().consign(&["inbox", "--color", "never"]).exits(0).stdout;
    let shown = ["what is asked", "deadline", "ask-2", "never", "(LIMIT_COST)"];
    for shown in shown.iter().chain(&["consign runs approve RUN"]) {
        assert!(table.contains(shown), "{shown:?} is missing: {table}");
    }
    let shown = home.run(&["runs", "show", &second]).exits(0).stdout;
    assert!(
        shown.contains("waiting for a higher limit @limit@1 (LIMIT_COST): The run may cost"),
        "{shown}"
    );
}

#[test]
fn it_can_be_narrowed() {
    let home = Home::new();
    let asks = home.start("sample/approval", "{}", 43);
    let args = ["runs", "start", "sample/budget", "--cost", "0.02"];
    let limit = text(&home.json(&args, 43), "id").to_owned();
    let check = |narrow: &[&str], expected: &[String]| {
        let lines = home.run(&[&["inbox", "--json"], narrow].concat()).exits(0).json_lines();
        assert_eq!(places(&lines), expected, "{narrow:?}");
    };
    check(&["--kind", "limit"], &[format!("{limit}/@limit@1")]);
    check(&["--run", &asks[..5]], &[format!("{asks}/ask-1")]);
    check(&["--run", &asks, "--kind", "limit"], &[]);
    home.run(&["inbox", "--kind", "question"]).fails(2, "USAGE").telling("agent_response");
    home.run(&["inbox", "--run", "nobody"]).fails(1, "RUN_NOT_FOUND");
}

#[test]
fn it_goes_on_where_it_stopped_also_when_that_was_answered_meanwhile() {
    let home = Home::new();
    let run = home.start("sample/approval", r#"{"asks": 5}"#, 43);
    let page = home.run(&["inbox", "--json", "--limit", "2"]).exits(0);
    let cursor = format!("{run}/ask-2");
    let page = page.telling(&format!("{{\"cursor\":\"{cursor}\"}}\n"));
    assert_eq!(places(&page.json_lines()), [format!("{run}/ask-1"), cursor.clone()]);
    home.run(&["runs", "answer", &run, "ask-2", "--value", "true"]).exits(0);
    let rest = home.run(&["inbox", "--json", "--cursor", &cursor]).exits(0);
    let expected = [3, 4, 5].map(|number| format!("{run}/ask-{number}"));
    assert_eq!((places(&rest.json_lines()), rest.stderr.as_str()), (expected.to_vec(), ""));
    assert_eq!(home.run(&["inbox", "--all"]).exits(0).stdout.lines().count(), 4);
    for cursor in ["ask-1", "nobody/ask-1"] {
        let code = if cursor.contains('/') { "CURSOR_UNKNOWN" } else { "USAGE" };
        home.run(&["inbox", "--cursor", cursor]).fails(2, code).telling("RUN/INTERACTION");
    }
}

#[test]
fn an_empty_inbox_is_empty() {
    let home = Home::new();
    for args in [&["inbox"][..], &["inbox", "--json"]] {
        let empty = home.run(args).exits(0);
        assert_eq!((empty.stdout.as_str(), empty.stderr.as_str()), ("", ""));
    }
    let told = home.terminal().consign(&["inbox", "--color", "never"]).exits(0).stdout;
    assert_eq!(told, "Inbox is empty\n");
    home.detach("sample/steps", "{}");
    home.detach("sample/steps", "{}");
    let told = home.terminal().consign(&["inbox", "--color", "never"]).exits(0).stdout;
    let queued = "2 runs are queued for a worker; start one with `consign worker`\n";
    assert_eq!(told, format!("Inbox is empty\n{queued}"));
    assert_eq!(home.run(&["inbox"]).exits(0).stdout, "");
}

//! Pipelines as they were written before stages followed each other and before a person was a stage: with
//! `default_next` everywhere, with bridge stages in the place of people. They run as they did.

use std::fs;

use serde_json::{Value, json};

use super::yard::Yard;
use crate::support::{keys, root, text};

/// The old pipelines beside the programs of the examples.
fn yard() -> Yard {
    let yard = Yard::new();
    for folder in ["examples/pipelines", "tests/acceptance/pipelines/as_they_were"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder of the repository") {
            let path = entry.expect("an entry can be read").path();
            if path.is_file() {
                let name = path.file_name().expect("a file has a name").to_string_lossy();
                yard.file(&name, fs::read(&path).expect("a file of the repository"));
            }
        }
    }
    yard
}

#[track_caller]
fn outputs(run: &Value) -> &Value {
    assert_eq!(run["output"]["terminal_reason"], "completed_successfully", "{run}");
    &run["output"]["outputs"]
}

#[test]
fn each_of_them_is_here() {
    let folder = root().join("tests/acceptance/pipelines/as_they_were");
    let mut names: Vec<_> = fs::read_dir(folder)
        .expect("the fixtures")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let known = ["changes.toml", "checks.toml", "questions.json", "review.script.json"];
    assert_eq!(names, [&known[..], &["review.toml", "shorten.toml"]].concat());
    let yard = yard();
    for name in names.iter().filter(|name| *name != "review.script.json") {
        let text = fs::read_to_string(yard.path(name)).expect("it was copied");
        assert!(text.contains("default_next"), "{name}");
        let checked = yard.run(&["pipeline", "check", name, "--json"]).exits(0).json();
        assert_eq!(checked["valid"], true, "{name}");
    }
}

#[test]
fn an_agent_outside_answers_in_the_place_of_a_person() {
    let yard = yard();
    let change = fs::read_to_string(yard.path("change.json")).expect("it was copied");
    let mut change: Value = serde_json::from_str(&change).expect("it is JSON");
    change["outbox"] = json!(yard.path("outbox"));
    let released = || fs::read_dir(yard.path("outbox")).map_or(0, Iterator::count);
    let model = ["--model", "scripted:review.script.json"];
    let start = || {
        let run = yard.durable("review.toml", &change, &model, 42);
        let inbox = yard.run(&["inbox", "--run", text(&run, "id"), "--json"]).exits(0).json();
        assert_eq!((text(&inbox, "kind"), text(&inbox, "agent")), ("agent_response", "approve"));
        let prompt = text(&inbox, "prompt");
        assert!(prompt.ends_with(" TIMEOUT_SECONDS = 60\n"), "nothing is added: {prompt}");
        text(&run, "id").to_owned()
    };
    let answer = |run: &str, value: &str| {
        yard.run(&["runs", "answer", run, "--value", value]).exits(0);
        yard.home.show(run)
    };
    let yes = answer(&start(), r#"{"approved": true, "note": "fine"}"#);
    assert_eq!(outputs(&yes)["approve"], json!({"approved": true, "note": "fine"}));
    assert_eq!(released(), 1);
    // What is not approved leads to the end, as the file says.
    let no = answer(&start(), r#"{"approved": false}"#);
    assert!(outputs(&no).get("release").is_none());
    let declined = start();
    yard.run(&["runs", "answer", &declined, "--decline", "not mine to say"]).exits(0);
    assert_eq!(yard.home.show(&declined)["status"], "failed");
    assert_eq!(released(), 1);
    // A script answers for every agent, the one outside included.
    let script = ["--agent-script", "review.script.json"];
    let scripted = yard.durable("review.toml", &change, &script, 0);
    assert_eq!(outputs(&scripted)["release"]["written"], "nowhere: this is a script");
}

#[test]
fn the_others_come_to_what_they_came_to() {
    let yard = yard();
    yard.file("pages/one.md", "[two](two.md) and [none](none.md)\nTODO: more\n");
    yard.file("pages/two.md", "[one](one.md#top)\nfine \n");
    let run = yard.durable("checks.toml", &json!({"folder": "pages"}), &[], 0);
    assert_eq!(outputs(&run)["summary"]["fine"], false);
    assert_eq!(run["output"]["agent_hop_count"], 4);
    let run = yard.durable("checks.toml", &json!({"folder": "nowhere"}), &[], 0);
    assert_eq!(keys(&outputs(&run)["broken"]), ["fine", "problems"]);

    let notice = fs::read_to_string(yard.path("notice.json")).expect("it was copied");
    let notice: Value = serde_json::from_str(&notice).expect("it is JSON");
    let run = yard.durable("shorten.toml", &notice, &[], 0);
    assert_eq!(outputs(&run)["notice"]["drafts"], 4);
    assert_eq!(run["output"]["metadata"]["critic_fires"], 3);

    let library = root().join("examples/pipelines/library");
    let library = library.to_str().expect("the repository has a plain name");
    let args = ["--policy", "policy.toml", "--repo", library];
    let run = yard.durable("questions.json", &json!("who calls overdue?"), &args, 0);
    let answer = &outputs(&run)["integration"];
    assert!(text(answer, "final_response").contains("`remind` calls `overdue`"), "{answer}");
}

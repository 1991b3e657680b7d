//! Options of `template create`: repeated with `--resume`, recorded, and what they leave behind.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::fs;

use serde_json::{Value, json};

use super::workshop::{REQUEST, STATE, Workshop, answer};
use crate::{
    home::Home,
    support::{Folder, Outcome, text},
};

#[test]
fn the_first_command_can_be_repeated_with_resume() {
    let options = ["--no-agents", "--max-templates", "5", "--project-name", "order-desk"];
    let shop = Workshop::new();
    shop.create(&options).exits(42);
    shop.answer();
    let report = shop.create(&[&options[..], &["--resume"]].concat()).exits(0).json();
    let phases = report["phases"].as_array().unwrap().iter().map(|done| done["phase"].as_u64());
    assert_eq!(phases.flatten().collect::<Vec<_>>(), [1, 2, 3, 4, 8, 9]);
}

#[test]
fn what_is_left_out_with_resume_stays_and_what_differs_is_refused() {
    let shop = Workshop::new();
    shop.create(&["--project-name", "order-desk", "--max-templates", "5"]).exits(42);
    let options = &shop.read(STATE)["phase_data"]["consign"]["options"];
    assert_eq!(options["project_name"], "order-desk");
    let before = fs::read(shop.project().join(STATE)).unwrap();
    for (option, told) in [
        (&["--no-agents"][..], "--no-agents is given"),
        (&["--max-templates", "6"], "--max-templates is 6, and the state has 5"),
        (&["--project-name", "desk-order"], "the state has order-desk"),
    ] {
        let refused = shop.create(&[&["--resume"], option].concat()).exits(1).error();
        assert_eq!(refused["code"], "STATE_MISMATCH");
        assert!(refused.to_string().contains(told), "{refused}");
    }
    assert_eq!(fs::read(shop.project().join(STATE)).unwrap(), before);
    shop.answer();
    shop.resume().exits(42);
    let options = &shop.read(STATE)["phase_data"]["consign"]["options"];
    assert_eq!(
        (&options["project_name"], &options["max_templates"]),
        (&json!("order-desk"), &json!(5))
    );
}

fn lines(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_agents_were_given_is_written_down_whoever_answers() {
    let shop = Workshop::new();
    let file = shop.file("invocations.jsonl", "");
    let run = text(&shop.create(&["--invocations", &file]).exits(42).json(), "run").to_owned();
    let request = shop.request();
    let expected = json!({"agent": "architectural-reviewer", "prompt": request["prompt"],
        "timeout_seconds": 120.0, "run": run, "activity": request["request_id"], "attempt": 1});
    assert_eq!(lines(&file), [expected]);
    // The same request is not asked a second time.
    shop.create(&["--resume", "--invocations", &file]).exits(42);
    assert_eq!(lines(&file).len(), 1);
    shop.respond(json!({"status": "error", "error_type": "TIMEOUT"}));
    shop.create(&["--resume", "--invocations", &file]).exits(42);
    let again = lines(&file).pop().unwrap();
    assert_eq!((&again["attempt"], &again["timeout_seconds"]), (&json!(2), &json!(240.0)));
    // Nor is it recorded where nobody says so.
    shop.answer();
    shop.resume().exits(42);
    assert_eq!(lines(&file).len(), 2);
}

#[test]
fn what_a_script_and_a_watch_are_given_is_written_down_too() {
    let script = r#"[{"agent": "*", "status": "cancelled", "times": 0}]"#;
    let shop = Workshop::new();
    let (script, file) = (shop.file("script.json", script), shop.file("given.jsonl", ""));
    let report = shop.create(&["--agent-script", &script, "--invocations", &file]).exits(0).json();
    assert_eq!(json!(lines(&file).len()), report["requests"]);
    let shop = Workshop::new();
    let file = shop.file("given.jsonl", "");
    shop.create(&["--no-agents"]).exits(42);
    let said = shop.file("said.json", answer(&shop.request(), 0.9).to_string());
    let project = shop.project().to_string_lossy().into_owned();
    let exec = format!("cat {said}");
    let args = ["bridge", "watch", "--path", &project, "--exec", &exec, "--invocations", &file];
    shop.run(&args).exits(0);
    let given = lines(&file);
    assert_eq!(given.len(), 1);
    assert!(text(&given[0], "prompt").len() > 100, "{given:?}");
}

#[test]
fn a_file_of_invocations_that_cannot_be_written_stops_before_anybody_is_asked() {
    let shop = Workshop::new();
    let nowhere = shop.file("a-file", "") + "/invocations.jsonl";
    let refused = shop.create(&["--invocations", &nowhere]).exits(1).error();
    assert_eq!(refused["code"], "INVOCATIONS_UNWRITABLE");
    assert!(!shop.there().contains(REQUEST) && shop.there().contains(STATE));
    shop.resume().exits(42);
}

/// A project whose own name nobody can tell: it has no manifest, and its folder is called `app`.
fn nameless(more: &[&str]) -> (Folder, Outcome) {
    let (folder, home) = (Folder::new(), Home::new());
    let project = folder.path().join("app");
    fs::create_dir_all(&project).unwrap();
    let main = "import tea_house\n\n\nclass TeaHouse:\n    title = \"tea-house\"\n\n\n\
                def main():\n    print(TeaHouse.title)\n";
    fs::write(project.join("main.py"), main).unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (project, output) = (at("app"), at("template"));
    let mut args = vec!["template", "create", "--json", "--path", &project, "--name", "nameless"];
    args.extend(["--output", &output, "--no-ask", "--no-agents"]);
    args.extend(more);
    let outcome = home.consign(&args).env("HOME", folder.path()).run();
    (folder, outcome)
}

fn manifest(folder: &Folder) -> Value {
    let bytes = fs::read(folder.path().join("template/manifest.json")).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn a_template_without_placeholders_says_so() {
    let (folder, outcome) = nameless(&[]);
    let report = outcome.exits(0).json();
    let warnings = report["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{report}");
    assert!(warnings[0].as_str().unwrap().contains("--project-name"), "{report}");
    let manifest = manifest(&folder);
    assert_eq!(
        (&manifest["placeholders"], &manifest["warnings"]),
        (&json!([]), &report["warnings"])
    );
}

#[test]
fn the_name_that_is_to_be_replaced_can_be_said() {
    let (folder, outcome) = nameless(&["--project-name", "tea-house"]);
    assert_eq!(outcome.exits(0).json()["warnings"], json!([]));
    assert!(manifest(&folder).get("warnings").is_none());
    let file = folder.path().join("template/templates/main.py.template");
    let text = fs::read_to_string(file).unwrap();
    assert!(text.starts_with("import {{project_name}}\n\n\nclass {{ProjectName}}:"), "{text}");
    assert!(text.contains("title = \"{{project-name}}\""), "{text}");
}

#[test]
fn a_name_that_is_nowhere_or_cannot_be_one_is_told() {
    let (folder, outcome) = nameless(&["--project-name", "coffee-house"]);
    let report = outcome.exits(0).json();
    let warning = report["warnings"][0].as_str().unwrap().to_owned();
    assert!(warning.contains("coffee-house (--project-name) is not replaced"), "{warning}");
    assert_eq!(manifest(&folder)["warnings"], report["warnings"]);
    for name in ["app", "ab", "../evil", "{{x}}"] {
        let (folder, outcome) = nameless(&["--project-name", name]);
        outcome.exits(2);
        assert!(!folder.path().join("template").exists());
    }
}

//! What is in `examples/agents`, and the definitions in `docs`, through the binary. No key, no network.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    harness::Process,
    home::{Home, until},
    support::{Consign, root, text},
};

/// Files that are looked at by a test of their own.
const TRIED: [&str; 6] = ["booking", "glossary", "reviewer", "summary", "triage", "word-count"];

fn example(name: &str) -> String {
    let path = root().join("examples/agents").join(name);
    path.into_os_string().into_string().expect("the repository has a plain name")
}

fn read(name: &str) -> String {
    fs::read_to_string(example(name)).expect("an example of ours")
}

/// Tries an agent and gives the run.
#[track_caller]
fn tried(home: &Home, agent: &str, input: &Value, exit: i32) -> Value {
    home.json(&["agents", "try", agent, "--input", &input.to_string()], exit)
}

/// What the journal keeps of a run's attempts, in order: `used` of each that ended.
#[track_caller]
fn used(home: &Home, run: &Value) -> Vec<Value> {
    let events = home.run(&["runs", "show", text(run, "id"), "--events", "--json"]).exits(0);
    let ended = ["attempt_failed", "call_failed", "call_completed"];
    let is_end = |event: &Value| ended.contains(&text(event, "kind"));
    events
        .json_lines()
        .iter()
        .filter(|event| is_end(event))
        .map(|e| e["body"]["used"].clone())
        .collect()
}

/// The port of a server that says where it listens.
#[track_caller]
fn port(server: &Process) -> String {
    until("the server listens", || {
        let said = server.stdout();
        let (_, port) = said.split_once("http://127.0.0.1:")?;
        let digits: String = port.chars().take_while(char::is_ascii_digit).collect();
        // Whatever comes after the port says that all of it is there.
        (port.len() > digits.len()).then_some(digits)
    })
}

#[test]
fn every_example_is_tried_here() {
    let files = fs::read_dir(example("")).expect("the examples");
    let names =
        files.map(|file| file.expect("an example").file_name().to_string_lossy().into_owned());
    let mut agents: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned())).collect();
    agents.retain(|name| name != "double.models");
    agents.sort();
    assert_eq!(agents, TRIED);
}

#[test]
fn a_scripted_model_is_held_to_its_contract_and_asked_again() {
    let home = Home::new();
    let input = json!({"title": "Login fails", "body": "Since Monday."});
    let run = tried(&home, &example("triage.toml"), &input, 0);
    assert_eq!(run["output"], json!({"kind": "bug", "urgent": true, "why": "Nobody can log in."}));
    assert_eq!(run["usage"]["spent_usd"], json!(0.0005));
    let rungs: Vec<Value> = used(&home, &run).iter().map(|used| used["rung"].clone()).collect();
    assert_eq!(rungs, [json!("first"), json!("ask_again")]);
    let run = tried(&home, "triage", &json!({"title": ""}), 1);
    assert_eq!(run["fault"]["code"], "CONTRACT_BREACH");
}

#[test]
fn a_program_counts_words() {
    let home = Home::new();
    let run = tried(&home, &example("word-count.toml"), &json!({"text": "one two two"}), 0);
    assert_eq!(run["output"], json!({"words": 3, "top": [["two", 2], ["one", 1]]}));
    let said = format!("run {}, attempt 1: 3 words\n", text(&run, "id"));
    assert_eq!(used(&home, &run)[0]["stderr"], json!(said));
}

#[test]
fn whoever_is_outside_reviews() {
    let home = Home::new();
    let run = tried(&home, &example("reviewer.toml"), &json!({"diff": "- a\n+ b"}), 42);
    let asked = home.json(&["inbox", "--kind", "agent_response"], 0);
    assert_eq!(asked["run"], run["id"]);
    assert!(text(&asked, "prompt").ends_with("\n\n- a\n+ b"), "{asked}");
    let (id, key) = (text(&asked, "run"), text(&asked, "interaction"));
    let wrong = json!({"action": "PERHAPS"}).to_string();
    home.run(&["runs", "answer", id, key, "--value", &wrong]).fails(1, "CONTRACT_BREACH");
    let answer =
        json!({"action": "COMPLETED", "summary_for_supervisor": "Fine.", "evidence_files": []});
    home.run(&["runs", "answer", id, key, "--value", &answer.to_string()]).exits(0);
    assert_eq!(home.show(id)["output"], answer);
}

#[test]
fn a_tool_of_an_mcp_server_looks_words_up() {
    let home = Home::new();
    let run = tried(&home, &example("glossary.toml"), &json!({"word": "journal"}), 0);
    let meaning = "all that happened in a run, in order";
    assert_eq!(run["output"], json!({"word": "journal", "meaning": meaning}));
    let run = tried(&home, "glossary", &json!({"word": "none"}), 1);
    assert_eq!(run["fault"]["code"], "MCP_TOOL_FAILED");
}

#[test]
fn a_server_books_a_room_once_for_each_call() {
    let home = Home::new();
    let server = Consign::of("python3", [example("booking_server.py"), "0".to_owned()]);
    let server = home.let_go_on(server);
    let definition = read("booking.toml").replace("4021", &port(&server));
    let agent = home.file("booking.toml", definition);
    let booked = |number: u32| json!({"booking": number, "room": "blue", "day": "2026-12-01"});
    let input = json!({"room": "blue", "day": "2026-12-01"});
    for number in [1, 2] {
        assert_eq!(tried(&home, &agent, &input, 0)["output"], booked(number));
    }
    let run = tried(&home, "booking", &json!({"room": "blue"}), 1);
    assert_eq!(run["fault"]["code"], "HTTP_AGENT_REFUSED");
}

#[test]
fn the_fallback_answers_where_the_first_model_does_not() {
    let home = Home::new();
    let script = example("double.script.json");
    let double =
        home.spawn(&["models", "double", "--listen", "127.0.0.1:0", "--script", &script, "--json"]);
    let config = read("double.models.toml").replace("4010", &port(&double));
    fs::create_dir_all(home.path()).expect("a temporary folder can be written");
    fs::write(home.path().join("models.toml"), config).expect("a temporary folder can be written");
    let input = json!({"text": "A long story."}).to_string();
    let agent = example("summary.toml");
    let args = ["agents", "try", &agent, "--input", &input, "--json"];
    let consign = home.consign(&args).env("OPENAI_API_KEY", "any").env("ANTHROPIC_API_KEY", "any");
    let run = consign.run().exits(0).json();
    assert_eq!(run["output"], json!({"summary": "It was long."}));
    let used = used(&home, &run);
    assert_eq!(used[0]["model"], "openai/gpt-5-mini");
    assert_eq!(used[1]["model"], "anthropic/claude-haiku-4-5");
    let left = json!([{"model": "openai/gpt-5-mini", "code": "AI_RATE_LIMITED"}]);
    assert_eq!(used[1]["fell_back_from"], left);
}

/// The blocks of a language in a page, each without its fence.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("docs").join(page)).expect("a page of ours");
    let fence = format!("```{language}\n");
    let block = |rest: &str| rest.split_once("```").map(|(block, _)| block.to_owned());
    text.split(&fence).skip(1).filter_map(block).collect()
}

#[test]
fn every_definition_in_the_docs_can_be_used() {
    let definitions = blocks("agents.md", "toml");
    let whole = definitions.iter().filter(|block| block.starts_with("name = "));
    let home = Home::new();
    home.file("answer.schema.json", r#"{"type": "object"}"#);
    home.file("style.md", "Be brief.");
    let mut count = 0;
    for block in whole {
        let file = home.file("agent.toml", block);
        home.run(&["agents", "show", &file]).exits(0);
        count += 1;
    }
    assert!(count >= 6, "the page had more: {count}");
}

#[test]
fn every_setting_in_the_docs_can_be_used() {
    let home = Home::new();
    fs::create_dir_all(home.path()).expect("a temporary folder can be written");
    let place = |name: &str| -> PathBuf { home.path().join(name) };
    let mut found = Vec::new();
    for block in blocks("settings.md", "toml") {
        let files =
            ["models.toml", "prices.toml", "accounts.toml", "sources.toml", "settings.toml"];
        let named = files.into_iter().find(|name| block.starts_with(&format!("# {name}")));
        let name = named.unwrap_or_else(|| panic!("whose is this? {block}"));
        // A folder that is shared must be there.
        let shared = tempfile::tempdir().expect("a temporary folder can be made");
        let block = block.replace("/srv/repos", &shared.path().display().to_string());
        fs::write(place(name), &block).expect("a temporary folder can be written");
        let reader = match name {
            "accounts.toml" => "users",
            "sources.toml" | "settings.toml" => "runs",
            _ => "models",
        };
        home.run(&[reader, "list"]).exits(0);
        remove(&place(name));
        found.push(name);
    }
    assert!(found.contains(&"models.toml") && found.contains(&"prices.toml"), "{found:?}");
}

#[test]
fn every_script_in_the_docs_can_be_used() {
    let home = Home::new();
    let scripts = blocks("models.md", "json");
    let (agents, double): (Vec<_>, Vec<_>) = scripts
        .iter()
        .filter(|block| block.starts_with('['))
        .partition(|b| b.contains("\"agent\""));
    assert!(!agents.is_empty() && !double.is_empty());
    for script in agents {
        let file = home.file("agents.json", script);
        // It has an entry for everybody.
        let args = ["runs", "start", "sample/steps", "--input", "{\"steps\": 1}"];
        home.run(&[&args[..], &["--agent-script", &file]].concat()).exits(0);
    }
    for script in double {
        let file = home.file("double.json", script);
        let args = ["models", "double", "--listen", "127.0.0.1:0", "--script", &file];
        let double = home.spawn(&args);
        port(&double);
    }
}

fn remove(path: &Path) {
    fs::remove_file(path).expect("it was just written");
}

//! No key is found anywhere: not in the data directory, the journal, recordings, invocations or output.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    home::Home,
    models::Double,
    support::{Consign, Folder, Outcome, text},
};

const KEYS: [(&str, &str); 4] = [
    ("OPENAI_API_KEY", "sk-proj-OPENAI-secret-7f3a9c21"),
    ("ANTHROPIC_API_KEY", "sk-ant-ANTHROPIC-secret-55d0e8"),
    ("XAI_API_KEY", "xai-GROK-secret-0b14aa"),
    ("GEMINI_API_KEY", "AIza-GEMINI-secret-93c2"),
];
const SEALED: &str = "sk-sealed-ALICE-secret-41ab77";
const BEARER: &str = "bearer-AGENT-secret-2299ee";

/// Everything that was printed, and every byte below these folders.
fn leaks(said: &[String], folders: &[&Path]) -> Vec<String> {
    let secrets = KEYS.iter().map(|(_, key)| *key).chain([SEALED, BEARER]);
    let mut found = Vec::new();
    let mut files: Vec<PathBuf> = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| folder.to_path_buf()).collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder can be listed").filter_map(Result::ok) {
            let entry = entry.path();
            if entry.is_dir() { open.push(entry) } else { files.push(entry) }
        }
    }
    assert!(files.len() > 3, "{files:?}");
    for secret in secrets {
        for file in &files {
            let bytes = fs::read(file).unwrap_or_default();
            if bytes.windows(secret.len()).any(|window| window == secret.as_bytes()) {
                found.push(format!("{secret} in {}", file.display()));
            }
        }
        found.extend(said.iter().filter(|text| text.contains(secret)).cloned());
    }
    found
}

#[test]
fn no_key_is_found_after_calls_faults_recordings_and_exports() {
    // Some providers repeat the key that they refuse, and a model may be made to say anything.
    let script = format!(
        r#"[{{"text": "Your key is {} and {}", "times": 2}},
            {{"fault": {{"kind": "unauthorized"}}, "times": 2}},
            {{"fault": {{"kind": "bad_json"}}}}, {{"fault": {{"kind": "cut_off"}}, "text": "a b"}}]"#,
        "nobody-knows", "nothing"
    );
    let (home, folder, double) = (Home::new(), Folder::new(), Double::start(Some(&script)));
    let mut said = Vec::new();
    let mut run = |consign: Consign| -> Outcome {
        let consign = KEYS.iter().fold(consign, |consign, (name, key)| consign.env(name, key));
        let outcome = consign.env("AGENT_TOKEN", BEARER).run();
        said.push(outcome.stdout.clone());
        said.push(outcome.stderr.clone());
        outcome
    };
    run(home.consign(&["keys", "init"])).exits(0);
    run(home.consign(&["keys", "set", "openai", "--owner", "alice"]).stdin(SEALED)).exits(0);
    fs::write(home.path().join("models.toml"), double.settings()).unwrap();
    let tape = folder.path().join("tape.jsonl").display().to_string();
    let calls = folder.path().join("calls.jsonl").display().to_string();
    let mut ids = Vec::new();
    for (number, model) in
        ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5", "xai/grok-4", "google/gemini-2.5-flash"]
            .into_iter()
            .enumerate()
    {
        let text_of =
            format!("name = \"agent-{number}\"\neffect = \"pure\"\n[model]\nname = \"{model}\"\n");
        let file = folder.file(&format!("agent-{number}.toml"), text_of);
        for owner in ["local", "alice"] {
            let args = [
                "agents",
                "try",
                &file,
                "--input",
                r#"{"q": 1}"#,
                "--json",
                "--owner",
                owner,
                "--record",
                &tape,
                "--invocations",
                &calls,
            ];
            let outcome = run(home.consign(&args));
            if !outcome.stdout.is_empty() {
                ids.push(text(&outcome.json(), "id").to_owned());
            }
        }
    }
    let echo = "import os, sys\nprint(dict(os.environ), file=sys.stderr)\nprint(repr(os.environ.get('AGENT_TOKEN')), file=sys.stderr)\nprint('[]')";
    let program = folder.file("echo.py", echo);
    let definition = format!(
        "name = \"echo\"\neffect = \"pure\"\n[subprocess]\ncommand = [\"python3\", {program:?}]\nenv = [\"AGENT_TOKEN\"]\n"
    );
    let file = folder.file("echo.toml", definition);
    let outcome = run(home.consign(&["agents", "try", &file, "--json"])).exits(0);
    ids.push(text(&outcome.json(), "id").to_owned());
    let base = format!("{}/openai/v1", double.url);
    run(home.consign(&["models", "test", "gpt-5-mini", "--base-url", &base, "--record", &tape]));
    for args in [&["keys", "list"][..], &["models", "list"], &["agents", "list"], &["doctor"]] {
        run(home.consign(args));
        run(home.consign(&[args, &["--json"]].concat()));
    }
    assert!(ids.len() >= 3);
    for id in &ids {
        run(home.consign(&["runs", "show", id, "--events", "--json"])).exits(0);
        run(home.consign(&["runs", "verify", id])).exits(0);
    }
    run(home.consign(&["keys", "rotate"])).exits(0);
    assert_eq!(leaks(&said, &[&home.path(), folder.path()]), [""; 0]);
}

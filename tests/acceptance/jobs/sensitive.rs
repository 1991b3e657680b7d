//! Sensitive jobs: what was said is sealed wherever it is kept.

use std::{fs, path::Path};

use serde_json::json;

use crate::home::Home;

const MARKS: [&str; 6] =
    ["OBJECTIVE-7f3a", "TASK-91bc", "SUMMARY-55aa", "ADVICE-c0de", "REASON-beef", "INVALID-d00d"];

/// The files below a folder that have a text in them, but for the workspace.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut ahead = vec![folder.to_owned()];
    while let Some(next) = ahead.pop() {
        for entry in fs::read_dir(&next).expect("it is there") {
            let path = entry.expect("it is there").path();
            let meta = fs::symlink_metadata(&path).expect("it is there");
            if meta.is_dir() && !path.ends_with("workspace") {
                ahead.push(path);
            } else if meta.is_file() {
                let bytes = fs::read(&path).expect("it is there");
                if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
                    found.push(path.display().to_string());
                }
            }
        }
    }
    found
}

#[test]
fn a_sensitive_job_keeps_nothing_readable_and_opens_with_its_key() {
    let home = Home::new();
    home.run(&["job", "new", "quiet", "--objective", "x", "--sensitive"])
        .fails(1, "ENCRYPTION_NOT_CONFIGURED");
    home.run(&["keys", "init"]).exits(0);
    let phases = home.file("phases.toml", "[[phase]]\nname = \"main\"\ntask = \"TASK-91bc\"\n");
    home.run(&[
        "job",
        "new",
        "quiet",
        "--objective",
        "OBJECTIVE-7f3a",
        "--sensitive",
        "--phases",
        &phases,
    ])
    .exits(0);
    home.run(&["job", "activate", "quiet"]).exits(0);
    let said = |action: &str, summary: &str| json!({"action": action, "evidence_files": [], "summary_for_supervisor": summary});
    let script = json!([
        {"agent": "Worker", "response": said("STUCK", "SUMMARY-55aa")},
        {"agent": "Worker", "response": "INVALID-d00d is no JSON"},
        {"agent": "Worker", "response": said("COMPLETED", "SUMMARY-55aa again")},
        {"agent": "Supervisor", "response": said("RETRY", "REASON-beef")},
        {"agent": "Worker", "response": said("COMPLETED", "SUMMARY-55aa")},
        {"agent": "Supervisor", "response": said("COMPLETED", "SUMMARY-55aa")},
    ]);
    let script = home.file("script.json", script.to_string());
    home.run(&["job", "run", "quiet", "--agent-script", &script]).exits(43);
    let inbox = home.run(&["inbox", "--json"]).exits(0).stdout;
    home.run(&["job", "advise", "quiet", "ADVICE-c0de", "--run"]).exits(43);
    home.run(&["job", "advise", "quiet", "ADVICE-c0de", "--run"]).exits(0);
    for mark in MARKS {
        assert_eq!(holding(&home.path(), mark), Vec::<String>::new(), "{mark}");
        assert!(!inbox.contains(mark), "{mark} in {inbox}");
    }
    let opened = home.run(&["job", "history", "quiet", "--json"]).exits(0).stdout;
    for mark in MARKS {
        assert!(opened.contains(mark), "{mark} in {opened}");
    }
    let status = home.json(&["job", "status", "quiet"], 0);
    assert_eq!(status["description"], "OBJECTIVE-7f3a");
    assert_eq!(status["metrics"]["interactions"], 6);
    home.run(&["job", "replay", "quiet"]).exits(0);
    // Without the key everything but the texts can be seen.
    let key = home.path().join("sealing.key");
    assert!(
        key.exists(),
        "{:?}",
        fs::read_dir(home.path()).expect("it is there").collect::<Vec<_>>()
    );
    fs::rename(&key, home.path().join("elsewhere")).expect("it is there");
    let sealed = home.run(&["job", "history", "quiet", "--json"]).exits(0).stdout;
    assert!(sealed.contains("(sealed)") && sealed.contains("COMPLETED"), "{sealed}");
    for mark in MARKS {
        assert!(!sealed.contains(mark), "{mark}");
    }
}

#[test]
fn secrets_are_taken_out_before_anything_is_sent_or_kept() {
    let home = Home::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    home.run(&["job", "new", "leaky", "--objective", &format!("Use {token} for it")]).exits(0);
    let notes = home.file("notes.md", format!("postgres://me:word@db/x and {token}"));
    home.run(&["job", "add", "leaky", &notes]).exits(0);
    home.run(&["job", "activate", "leaky"]).exits(0);
    let said = json!({
        "action": "COMPLETED", "evidence_files": [], "summary_for_supervisor": format!("It is {token}."),
    });
    let script = json!([{"agent": "*", "response": said, "times": 0}]);
    let script = home.file("script.json", script.to_string());
    let told = home.file("told.jsonl", "");
    home.run(&["job", "run", "leaky", "--agent-script", &script, "--invocations", &told]).exits(0);
    for file in [
        fs::read_to_string(&told).expect("it is there"),
        fs::read_to_string(home.path().join("jobs/leaky/jobHistory.json")).expect("it is there"),
    ] {
        assert!(!file.contains(&token) && !file.contains("me:word"), "{file}");
        assert!(file.contains("***"));
    }
}

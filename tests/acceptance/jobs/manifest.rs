//! The files of a job: repaired where a crash or a hand touched them, refused where a person edited them, replayed.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::trial::Trial;

fn played() -> Trial {
    let mut trial = Trial::new(&[]);
    trial.play("wC sR w:missing-evidence sC wC sC wS");
    trial
}

fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("it is there")).expect("it is there");
    change(&mut value);
    fs::write(path, format!("{value:#}\n")).expect("it is there");
}

/// Writes a history in our own layout, one interaction to a line.
fn relay(value: &Value) -> String {
    let lines = |name: &str| {
        let all = value[name].as_array().expect("it is there").iter().map(ToString::to_string);
        all.collect::<Vec<_>>().join(",\n")
    };
    let head: Vec<_> = value
        .as_object()
        .expect("it is there")
        .iter()
        .filter(|(name, _)| !["interactions", "recovery_points"].contains(&name.as_str()))
        .map(|(name, value)| format!("{}: {value}", json!(name)))
        .collect();
    format!(
        "{{{}, \"interactions\": [\n{}\n], \"recovery_points\": [\n{}\n]}}\n",
        head.join(", "),
        lines("interactions"),
        lines("recovery_points")
    )
}

#[test]
fn replay_finds_every_kind_of_tampering_by_the_number_of_the_interaction() {
    let trial = played();
    let directory = trial.directory();
    let (history, audit) = (directory.join("jobHistory.json"), directory.join("audit.log"));
    let (whole, lines) = (
        fs::read_to_string(&history).expect("it is there"),
        fs::read_to_string(&audit).expect("it is there"),
    );
    let good: Value = serde_json::from_str(&whole).expect("it is there");
    type Change = Box<dyn Fn(&mut Value)>;
    let set = |at: usize, pointer: &'static str, value: Value| -> Change {
        Box::new(move |history: &mut Value| {
            *history["interactions"][at].pointer_mut(pointer).expect("it is there") = value.clone();
        })
    };
    let list = |change: fn(&mut Vec<Value>)| -> Change {
        Box::new(move |history: &mut Value| {
            change(history["interactions"].as_array_mut().expect("it is there"))
        })
    };
    let point = |change: fn(&mut Vec<Value>)| -> Change {
        Box::new(move |history: &mut Value| {
            change(history["recovery_points"].as_array_mut().expect("it is there"))
        })
    };
    let rows: Vec<(&str, u64, Change)> = vec![
        ("timestamp", 1, set(1, "/timestamp", json!("2020-01-01T00:00:00Z"))),
        ("state before", 2, set(2, "/state_before", json!("DRAFT"))),
        ("workspace", 0, set(0, "/workspace_path", json!("/elsewhere"))),
        ("prompt", 3, set(3, "/request/prompt", json!("another"))),
        ("context files", 4, set(4, "/request/files_context", json!(["x"]))),
        ("role", 1, set(1, "/request/metadata/role", json!("Somebody"))),
        ("phase", 1, set(1, "/request/metadata/phase", json!("three"))),
        ("model", 1, set(1, "/request/metadata/model", json!("another"))),
        ("status of the call", 2, set(2, "/response/status", json!("ERROR"))),
        ("action", 1, set(1, "/response/action", json!("COMPLETED"))),
        ("evidence", 0, set(0, "/response/evidence_files", json!([]))),
        ("summary", 5, set(5, "/response/summary_for_supervisor", json!("Fine."))),
        ("raw response", 0, set(0, "/response/raw_response", json!("{}"))),
        ("time", 4, set(4, "/response/execution_time_seconds", json!(99))),
        ("cost", 4, set(4, "/response/cost_usd", json!(0))),
        ("new status", 6, set(6, "/response/new_status", json!("SUCCESS"))),
        ("first removed", 0, list(|all| drop(all.remove(0)))),
        ("one removed in the middle", 3, list(|all| drop(all.remove(3)))),
        ("last removed", 6, list(|all| drop(all.pop()))),
        ("two swapped", 2, list(|all| all.swap(2, 3))),
        ("one doubled", 3, list(|all| all.insert(3, all[2].clone()))),
        (
            "one added",
            7,
            list(|all| {
                let mut more = all[6].clone();
                more["sequence"] = json!(7);
                all.push(more);
            }),
        ),
        ("renumbered", 4, set(4, "/sequence", json!(40))),
        ("recovery point altered", 3, point(|all| all[0]["resume_phase"] = json!("three"))),
        ("recovery point removed", 5, point(|all| drop(all.pop()))),
    ];
    for (what, sequence, change) in rows {
        let mut altered = good.clone();
        change(&mut altered);
        fs::write(&history, relay(&altered)).expect("it is there");
        let found = trial.home.json(&["job", "replay", "work"], 1);
        let numbers: Vec<_> = found["findings"]
            .as_array()
            .expect("it is there")
            .iter()
            .filter_map(|own| own["sequence"].as_u64())
            .collect();
        assert!(numbers.contains(&sequence), "{what}: {found:#}");
        assert_eq!(
            fs::read_to_string(&history).expect("it is there"),
            relay(&altered),
            "{what}: nothing is repaired"
        );
    }
    fs::write(&history, &whole).expect("it is there");
    for (what, altered) in [
        (
            "audit line removed",
            lines.lines().take(1).map(|line| format!("{line}\n")).collect::<String>(),
        ),
        ("audit line altered", lines.replace("gone.txt", "there.txt")),
    ] {
        fs::write(&audit, altered).expect("it is there");
        let found = trial.home.json(&["job", "replay", "work"], 1);
        assert_eq!(found["findings"][0]["sequence"], 2, "{what}: {found:#}");
    }
    fs::write(&audit, &lines).expect("it is there");
    trial.home.run(&["job", "replay", "work"]).exits(0);
}

#[test]
fn an_altered_history_is_put_aside_and_written_anew() {
    let trial = played();
    let history = trial.directory().join("jobHistory.json");
    let good = trial.history();
    let mut altered = good.clone();
    altered["interactions"][1]["response"]["action"] = json!("COMPLETED");
    fs::write(&history, relay(&altered)).expect("it is there");
    trial.home.run(&["job", "status", "work"]).exits(0);
    assert!(trial.history() == good);
    assert!(trial.audit().ends_with("HISTORY_ALTERED"), "{}", trial.audit());
    let kept = fs::read_to_string(trial.directory().join("jobHistory.json.altered-1"))
        .expect("it is there");
    assert_eq!(serde_json::from_str::<Value>(&kept).expect("it is there"), altered);
    trial.home.run(&["job", "replay", "work"]).exits(0);
    // A torn file, a missing one, a missing manifest: all are as they were after the next command.
    for broken in ["{\"version\": \"1.0\", \"interact", ""] {
        fs::write(&history, broken).expect("it is there");
        trial.home.run(&["job", "status", "work"]).exits(0);
        assert!(trial.history() == good, "{broken}");
    }
    for name in ["jobHistory.json", "job_manifest.json", "audit.log"] {
        fs::remove_file(trial.directory().join(name)).expect("it is there");
        trial.home.run(&["job", "status", "work"]).exits(0);
        assert_eq!(
            (trial.history(), trial.status().as_str()),
            (good.clone(), "INTERVENTION_REQUIRED"),
            "{name}"
        );
        trial.home.run(&["job", "replay", "work"]).exits(0);
    }
}

#[test]
fn a_manifest_that_was_edited_is_refused_until_it_is_adopted() {
    let mut trial = played();
    let manifest = trial.directory().join("job_manifest.json");
    edit(&manifest, |own| own["description"] = json!("Something else"));
    assert!(trial.job("advise", &["x"]).stderr.contains("MANIFEST_DIVERGED"));
    let looked = trial.job("status", &[]);
    assert!(looked.code == Some(0) && looked.stderr.contains("edited"), "{}", looked.stderr);
    let adopted = trial.job("adopt", &[]);
    assert_eq!(adopted.code, Some(0), "{}", adopted.stderr);
    assert_eq!(trial.manifest()["description"], "Something else");
    // Laid out anew it is the same.
    let text = fs::read_to_string(&manifest).expect("it is there");
    let value: Value = serde_json::from_str(&text).expect("it is there");
    fs::write(&manifest, value.to_string()).expect("it is there");
    assert_eq!(trial.job("status", &[]).stderr, "");
    edit(&manifest, |own| {
        own["cost_threshold"] = json!(2500);
        own["require_approval"] = json!(true);
        own["phases"].as_array_mut().expect("it is there").push(json!({
            "name": "four", "task": "Do four.", "role": "Worker", "supervisor": null, "context": [], "check": null
        }));
    });
    let adopted = trial.job("adopt", &[]);
    assert_eq!(adopted.code, Some(0), "{}", adopted.stderr);
    let now = trial.manifest();
    assert_eq!(
        (now["cost_threshold"].as_u64(), now["phases"].as_array().expect("it is there").len()),
        (Some(2500), 4)
    );
    for (name, value) in [
        ("status", json!("SUCCESS")),
        ("metrics", json!({"cumulative_cost": 0})),
        ("job_id", json!("other")),
        ("history", json!([])),
        ("new", json!(1)),
    ] {
        edit(&manifest, |own| own[name] = value);
        let refused = trial.job("adopt", &[]);
        assert!(
            refused.stderr.contains("MANIFEST_DIVERGED") && refused.stderr.contains(name),
            "{}",
            refused.stderr
        );
        fs::remove_file(&manifest).expect("it is there");
        trial.job("status", &[]);
    }
    edit(&manifest, |own| own["phases"][0]["task"] = json!("Do something else."));
    assert!(trial.job("adopt", &[]).stderr.contains("begun"));
    edit(&manifest, |own| own["version"] = json!("2.0"));
    assert!(trial.job("status", &[]).stderr.contains("VERSION_TOO_NEW"));
}

#[test]
fn the_files_keep_their_contracts() {
    let trial = played();
    for (contract, name) in
        [("job/manifest", "job_manifest.json"), ("job/history", "jobHistory.json")]
    {
        let path = trial.directory().join(name);
        trial
            .home
            .run(&["contracts", "check", contract, path.to_str().expect("it is there")])
            .exits(0);
    }
    let request = trial.home.json(&["job", "preview", "work"], 0)["request"].to_string();
    let file = trial.home.file("request.json", request);
    trial.home.run(&["contracts", "check", "job/request", &file]).exits(0);
}

#[test]
fn a_history_is_rotated_read_across_its_parts_and_damage_is_found() {
    let mut trial = Trial::new(&[]);
    fs::write(trial.home.path().join("jobs.toml"), "rotate_bytes = 6000\n").expect("it is there");
    trial.play("wC sR wC sR wC sR wC sC wC sC .");
    assert_eq!(trial.status(), "SUCCESS");
    let parts = trial.directory().join("history");
    let names = || -> Vec<String> {
        let entries = fs::read_dir(&parts).expect("it is there");
        entries
            .map(|entry| entry.expect("it is there").file_name().to_string_lossy().into_owned())
            .collect()
    };
    let segments = names().iter().filter(|name| name.ends_with(".json.zst")).count();
    assert!(segments >= 2, "{:?}", names());
    let all = trial.home.run(&["job", "history", "work", "--json"]).exits(0).stdout;
    let numbers: Vec<u64> = all
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).expect("it is there")["sequence"]
                .as_u64()
                .expect("it is there")
        })
        .collect();
    assert_eq!(numbers, (0..12).collect::<Vec<_>>());
    let some = trial
        .home
        .run(&["job", "history", "work", "--from", "2", "--to", "9", "--json"])
        .exits(0)
        .stdout;
    assert_eq!(some.lines().count(), 8);
    trial.home.run(&["job", "replay", "work"]).exits(0);
    let segment = parts.join("000001.json.zst");
    let mut bytes = fs::read(&segment).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&segment, bytes).expect("it is there");
    let found = trial.home.json(&["job", "replay", "work"], 1);
    assert!(!found["findings"].as_array().expect("it is there").is_empty(), "{found}");
}

#[test]
fn files_as_the_document_has_them_are_taken_in() {
    let mut trial = played();
    let (history, manifest) =
        (trial.directory().join("jobHistory.json"), trial.directory().join("job_manifest.json"));
    let good = trial.history();
    let mut old = good.clone();
    for name in ["version", "first_sequence"] {
        old.as_object_mut().expect("it is there").remove(name);
    }
    fs::write(&history, format!("{old:#}\n")).expect("it is there");
    assert_eq!(trial.job("status", &[]).code, Some(0));
    assert!(trial.history() == good);
    let ours = trial.manifest();
    let document = json!({
        "job_id": ours["job_id"], "description": "By hand", "status": ours["status"], "metrics": {},
    });
    fs::write(&manifest, document.to_string()).expect("it is there");
    assert!(trial.job("advise", &["x"]).stderr.contains("MANIFEST_DIVERGED"));
    let adopted = trial.job("adopt", &[]);
    assert_eq!(adopted.code, Some(0), "{}", adopted.stderr);
    let now = trial.manifest();
    assert_eq!(
        (now["version"].as_str(), now["description"].as_str()),
        (Some("1.0"), Some("By hand"))
    );
    trial.home.run(&["job", "replay", "work"]).exits(0);
}

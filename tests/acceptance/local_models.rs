//! `consign models pull`: models that work on this machine, fetched, checked and put into place.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use serde_json::{Value, json};

use crate::{
    harness::embeddings,
    support::{Consign, Folder, Outcome, text},
};

/// `consign ARGS` with a folder of models.
fn with(models: &Folder, args: &[&str]) -> Consign {
    Consign::new(args).env("CONSIGN_MODELS", models.path().join("models"))
}

fn pull(models: &Folder, more: &[&str]) -> Outcome {
    with(models, &[&["models", "pull", "embeddings"], more].concat()).run()
}

fn state(models: &Folder) -> Value {
    let all = with(models, &["models", "pull", "--json"]).run().exits(0).json_lines();
    all.into_iter().find(|model| model["name"] == "embeddings").expect("it is in the list")
}

#[test]
fn a_model_comes_from_a_folder_once_and_is_repaired() {
    let Some(installed) = embeddings() else { return };
    let models = Folder::new();
    assert_eq!(state(&models)["state"], "missing");
    let name = text(&state(&models), "folder").rsplit('/').next().expect("a name").to_owned();
    let from = installed.join(&name);
    let from = ["--from", from.to_str().expect("a plain name")];
    let told = pull(&models, &[&from[..], &["--json"]].concat()).exits(0).json();
    assert_eq!((&told["fetched"], &told["state"]), (&json!(true), &json!("present")));
    let told = pull(&models, &[&from[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(told["fetched"], json!(false));
    let told = pull(&models, &from).exits(0).stdout;
    assert!(told.starts_with("embeddings was here already, and sound"), "{told}");
    // Of the right length, but not what it should be.
    let file = models.path().join("models").join(&name).join("tokenizer.json");
    let mut bytes = fs::read(&file).unwrap();
    bytes[1000] ^= 1;
    fs::write(&file, &bytes).unwrap();
    assert_eq!(
        pull(&models, &[&from[..], &["--json"]].concat()).exits(0).json()["fetched"],
        json!(true)
    );
    fs::write(&file, "cut off").unwrap();
    assert_eq!(state(&models)["state"], "damaged");
    let told = with(&models, &["doctor"]).env("CONSIGN_HOME", models.path().join("home")).run();
    assert!(told.stdout.contains("model      damaged embeddings"), "{told:#?}");
    pull(&models, &from).exits(0);
    assert_eq!(state(&models)["state"], "present");
    let left: Vec<_> = fs::read_dir(models.path().join("models")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn files_with_other_sums_are_refused_and_nothing_is_changed() {
    let (models, given) = (Folder::new(), Folder::new());
    let place = given.path().to_str().expect("a plain name");
    pull(&models, &["--from", place])
        .fails(1, "MODEL_NOT_FETCHED")
        .telling("has neither model.onnx");
    given.file("model.onnx", "no model");
    given.file("tokenizer.json", "{}");
    let refused = pull(&models, &["--from", place]).fails(1, "MODEL_SUM_WRONG");
    refused.telling("model.onnx is not the file that is pinned: its SHA-256 is ");
    assert_eq!(state(&models)["state"], "missing");
}

/// A folder with a `python3` that only says something.
fn python(said: &str) -> Folder {
    let folder = Folder::new();
    let file = folder.file("python3", format!("#!/bin/sh\necho '{said}' >&2\nexit 1\n"));
    fs::set_permissions(Path::new(&file), fs::Permissions::from_mode(0o755))
        .expect("it can be made a program");
    folder
}

#[test]
fn without_a_network_or_pip_it_says_what_can_be_done() {
    let models = Folder::new();
    for (said, told) in [
        ("/usr/bin/python3: No module named pip", "Python has no pip"),
        ("ERROR: No matching distribution found for x", "No matching distribution found for x"),
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
            "is not the one that is pinned",
        ),
    ] {
        let python = python(said);
        let pull = with(&models, &["models", "pull", "embeddings"]);
        let refused = pull.env("PATH", python.path()).run().exits(1).telling(told);
        assert!(refused.stderr.contains("hint: "), "{refused:#?}");
    }
    let nowhere = Folder::new();
    let pull = with(&models, &["models", "pull", "embeddings"]).env("PATH", nowhere.path());
    pull.run().fails(1, "MODEL_NOT_FETCHED").telling("install Python 3").telling("--from FOLDER");
    assert_eq!(fs::read_dir(models.path().join("models")).unwrap().count(), 0);
    with(&models, &["models", "pull", "embedings"]).run().exits(2).telling("there are embeddings");
}

#[test]
fn doctor_says_whether_models_are_here_and_how_to_get_them() {
    let (models, home) = (Folder::new(), Folder::new());
    let doctor =
        |args: &[&str]| with(&models, args).env("CONSIGN_HOME", home.path()).run().exits(0);
    let told = doctor(&["doctor"]).stdout;
    let line = "model      missing embeddings: documents are searched by words alone; `consign models pull embeddings` fetches it\n";
    assert!(told.contains(line), "{told}");
    let told = doctor(&["doctor", "--json"]).json();
    let found =
        told["models"].as_array().expect("a list").iter().find(|one| one["name"] == "embeddings");
    assert_eq!(found.expect("it is in the list")["state"], "missing");
}

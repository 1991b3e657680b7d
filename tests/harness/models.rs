//! The models that work on this machine, where they are installed.

use std::{path::PathBuf, process::Command};

use serde_json::Value;

/// The folder of models, if it has the one for searching by meaning; otherwise it says that this was not tested.
#[expect(clippy::print_stderr, reason = "it tells what was not tested")]
pub(crate) fn embeddings() -> Option<PathBuf> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_consign"));
    command.args(["models", "pull", "--json"]);
    let told = command.output().expect("the binary starts").stdout;
    let told = String::from_utf8(told).expect("what we print is UTF-8");
    let models = told.lines().map(|line| serde_json::from_str(line).expect("it is JSON"));
    let found = models.into_iter().find(|model: &Value| model["name"] == "embeddings");
    let found = found.expect("it is one of the models that can be fetched");
    if found["state"] != "present" {
        eprintln!(
            "SKIPPED: the model for searching by meaning is not here (`consign models pull embeddings`), so this was NOT tested"
        );
        return None;
    }
    let folder = PathBuf::from(found["folder"].as_str().expect("a path"));
    Some(folder.parent().expect("it lies in the folder of models").to_owned())
}

//! No file handles left.

use serde_json::json;

use super::Kept;
use crate::support::{args_to_start, need};

/// With fewer, not even the runtime below us starts.
const FEWEST: usize = 9;

#[test]
fn a_command_without_file_handles_says_so_and_leaves_everything_as_it_was() {
    need("prlimit");
    let kept = Kept::new();
    let home = &kept.home;
    let work = args_to_start("sample/steps", &json!({"steps": 2}), &[]);
    let answer = ["runs", "answer", &kept.waiting, "--value", "true", "--no-resume"];
    let answer = answer.map(str::to_owned).to_vec();
    let mut refused = 0;
    for args in [work, answer] {
        let first = (FEWEST..64).find(|handles| {
            let limit = format!("--nofile={handles}");
            let outcome = home.start(home.under(["prlimit", &limit], &args)).wait();
            let enough = outcome.code == Some(0);
            if !enough {
                outcome.fails_with(&["STORE_UNAVAILABLE"]);
                refused += 1;
            }
            enough
        });
        assert!(first.is_some(), "{args:?} wants more than 64 handles");
    }
    eprintln!("refused {refused} times");
    assert!(refused >= 10, "{refused} refusals are too few to mean anything");
    kept.is_there();
    for run in kept.runs() {
        // What was begun and could not go on is taken up again; the rest is for the worker.
        let shown = home.show(&run);
        if shown["placement"] == "foreground" && shown["status"] == "queued" {
            home.run(["runs", "resume", &run]).succeeds();
        }
    }
    kept.finishes();
}

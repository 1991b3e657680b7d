//! Repositories of which not everything is read, and jobs that meet each other on a branch.

use std::collections::BTreeMap;

use consign_repositories::Error;
use serde_json::json;

use crate::{
    repository::{Double, sample},
    scribe::{input, play, setting},
};

/// A README that people wrote, of which all is true. What it names is in the last file of the repository.
const README: &str = "# shop\n\nOrders of a small shop.\n\n## Installation\n\nSee Ada.\n\n## Usage\n\nCall \
    `melt_all_coins()`, say `--melt-slowly`, and set `SHOP_COIN_OVEN`.\n\n## License\n\nMIT\n";

/// The sample with that README and more files than are read of a repository on a server.
fn large() -> Double {
    let double = sample();
    double.change("main", "README.md", README);
    let mut files = double.state().files("main");
    for number in 0..500 {
        files.insert(format!("src/deep/part{number:03}.rs"), b"//! A part.\n".to_vec());
    }
    let last = "pub fn melt_all_coins() { let _ = (\"melt-slowly\", std::env::var(\"SHOP_COIN_OVEN\")); }\n";
    files.insert("src/deep/zzz.rs".to_owned(), last.as_bytes().to_vec());
    double.replace("main", files);
    double
}

#[tokio::test(start_paused = true)]
async fn what_people_wrote_of_files_that_were_not_read_stays() {
    let double = large();
    let (result, _) = play(setting(&double), &input(json!({"dryRun": true}), "rules")).await;
    let reads = double.state().calls.iter().filter(|call| *call == "read").count();
    assert!(reads < 420, "{reads}");
    assert_eq!(result["diagnostics"]["sources"]["namesOnly"], 106, "{result}");
    let check = &result["critiques"][0]["critique"];
    assert_eq!(check["check"]["takenOut"], json!([]), "{check}");
    assert_eq!(check["check"]["notLookedUp"], 3, "{check}");
    let told = check["suggestions"].to_string();
    assert!(told.contains("3 of its references could not be looked up: 106 files"), "{told}");
    let text = result["artifacts"][0]["content"].as_str().unwrap();
    for name in ["melt_all_coins", "--melt-slowly", "SHOP_COIN_OVEN"] {
        assert!(text.contains(name), "{name} was taken out: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_words_go_where_everything_was_read() {
    let double = sample();
    double.change("main", "README.md", README);
    let (result, _) = play(setting(&double), &input(json!({"dryRun": true}), "rules")).await;
    let text = result["artifacts"][0]["content"].as_str().unwrap();
    assert!(!text.contains("melt_all_coins"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_second_job_on_a_branch_whose_pull_request_is_closed_opens_its_own() {
    let double = sample();
    let job = || input(json!({"featureBranch": "docs/x"}), "rules");
    let (first, _) = play(setting(&double), &job()).await;
    assert_eq!(first["pullRequest"]["url"], "https://github.com/o/demo/pull/1");
    double.state().pulls[0].1.is_open = false;
    double.change("docs/x", "README.md", "# shop\n\nIt bakes `src/gone/nothing.rs`.\n");
    // Another job has another key: the double of a run has one id, so the key is changed in its place.
    double.state().pulls[0].1.key = Some("of another job".to_owned());
    let (second, _) = play(setting(&double), &job()).await;
    assert_eq!(second["pullRequest"]["url"], "https://github.com/o/demo/pull/2", "{second}");
    // As long as it is open, a third one adds to it.
    double.change("docs/x", "README.md", "# shop\n\nIt bakes `src/gone/nothing.rs`.\n");
    double.state().pulls[1].1.key = Some("of another job".to_owned());
    let (third, _) = play(setting(&double), &job()).await;
    assert_eq!(third["pullRequest"], second["pullRequest"], "{third}");
    assert_eq!(double.state().pulls.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_branch_that_cannot_be_made_after_all_tries_is_told_as_not_created() {
    let down = || Error::Unreachable { why: "no route".to_owned() };
    let double = sample();
    double.state().fails.insert("create_branch", (99, down));
    let job = || input(json!({"featureBranch": "docs/x"}), "rules");
    let (result, _) = play(setting(&double), &job()).await;
    assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(false), &json!(0)), "{result}");
    assert_eq!((&result["branchCreated"], result.get("branch")), (&json!(false), None), "{result}");
    assert!(result["metadata"]["githubError"].as_str().unwrap().contains("no route"));
    assert_eq!(double.writes(), Vec::<String>::new());
    // One that is there already is used.
    let main = double.state().branches["main"].clone();
    double.state().branches =
        BTreeMap::from([("main".to_owned(), main.clone()), ("docs/x".to_owned(), main)]);
    let (result, _) = play(setting(&double), &job()).await;
    assert_eq!(
        (&result["ok"], &result["branchCreated"]),
        (&json!(true), &json!(false)),
        "{result}"
    );
    assert_eq!(double.writes(), ["commit README.md on docs/x", "pull request of docs/x"]);
}

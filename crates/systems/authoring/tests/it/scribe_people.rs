//! What people wrote in a repository is kept by Scribe, and what they did not write for it is left alone.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use consign_testkit::scripted::{Act, Scripted};
use serde_json::{Value, json};

use crate::{
    repository::{Double, sample},
    scribe::{input, play, setting},
};

const MODEL: &str = "scripted:/x";

async fn by_rules(double: &Double, payload: Value) -> Value {
    play(setting(double), &input(payload, "rules")).await.0
}

fn content(result: &Value) -> &str {
    result["artifacts"][0]["content"].as_str().unwrap()
}

fn issues(result: &Value) -> String {
    result["critiques"][0]["critique"]["issues"].to_string()
}

#[tokio::test(start_paused = true)]
async fn the_rules_take_out_what_is_wrong_and_nothing_else() {
    let double = sample();
    let before = "# The Shop\n\nAda keeps it.\n\n## Usage\n\nAsk Bo for `SHOP_ADDRESS`. Also set `SHOP_SECRET_COIN`.\n\n```rust\nlet x = ...\n```\n\n## Contributing\n\nWe are glad of everyone. Read [our guide](GUIDE_OF_OURS.md) first.\n";
    double.change("main", "README.md", before);
    let result = by_rules(&double, json!({"dryRun": true})).await;
    let made = content(&result);
    for line in [
        "# The Shop\n\nAda keeps it.\n",
        "## Usage\n\nAsk Bo for `SHOP_ADDRESS`.",
        "```rust\nlet x = ...\n```\n",
        "## Contributing\n\nWe are glad of everyone. Read our guide first.\n",
    ] {
        assert!(made.contains(line), "{line}\n{made}");
    }
    let (features, usage) = (made.find("## Features").unwrap(), made.find("## Usage").unwrap());
    assert!(!made.contains("COIN") && features < usage, "{made}");
    let told = issues(&result);
    assert!(told.contains("was taken out: environment: SHOP_SECRET_COIN"), "{told}");
    assert!(told.contains("was taken out: link: GUIDE_OF_OURS.md"), "{told}");
    // Once is enough.
    double.change("main", "README.md", made);
    assert_eq!(by_rules(&double, json!({"dryRun": true})).await["filesUpdated"], 0);
}

#[tokio::test(start_paused = true)]
async fn a_document_is_found_by_its_name_in_other_letters() {
    let double = sample();
    double.change("main", "Readme.md", "# The Shop\n\nAda keeps it.\n");
    let result = by_rules(&double, json!({"outputTargets": ["README.md", "docs/API.md"]})).await;
    assert_eq!(result["artifacts"][0]["filePath"], "Readme.md");
    assert_eq!(result["diagnostics"]["targets"], json!(["Readme.md", "docs/API.md"]));
    let branch = result["branch"].as_str().unwrap();
    assert!(double.text(branch, "Readme.md").unwrap().contains("Ada keeps it."));
    assert_eq!(double.text(branch, "README.md"), None);
    assert_eq!(result["critiques"][0]["critique"]["issues"], json!([]), "{result}");
    // Two that were asked for are two.
    let both = json!({"outputTargets": ["README.md", "Readme.md"], "dryRun": true});
    let result = by_rules(&double, both).await;
    assert_eq!(result["diagnostics"]["targets"], json!(["README.md", "Readme.md"]));
}

#[tokio::test(start_paused = true)]
async fn code_is_no_document() {
    let double = sample();
    for target in ["src/main.rs", "Cargo.toml"] {
        let result = by_rules(&double, json!({"outputTargets": [target]})).await;
        assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(false), &json!(0)));
        assert!(issues(&result).contains("code or data, and no document"), "{result}");
    }
    assert_eq!(double.writes(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn an_example_that_goes_takes_its_inventions_along() {
    let double = sample();
    let text = "# shop\n\nOrders.\n\n## Features\n\nCall `brew_coffee()` often.\n\n## Usage\n\n```rust\nfn brew_coffee( {\n```\n";
    let acts = vec![Act::answers(&json!(text).to_string()); 2];
    let setting = setting(&double).agent("scribe.write", Scripted::new(acts));
    let (result, _) = play(setting, &input(json!({"dryRun": true}), MODEL)).await;
    assert!(!content(&result).contains("brew_coffee"), "{result}");
    let check = &result["critiques"][0]["critique"]["check"];
    assert_eq!(check["takenOut"].as_array().unwrap().len(), 2, "{check}");
}

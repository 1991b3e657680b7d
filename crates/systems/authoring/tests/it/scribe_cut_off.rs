//! Documents that a model could not finish: a shorter one is asked for once, and then whole sections are kept.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use consign_engine::Fault;
use consign_testkit::scripted::{Act, Scripted};
use serde_json::{Value, json};

use crate::{
    repository::sample,
    scribe::{input, play, setting},
};

const MODEL: &str = "scripted:/x";
/// What is true of the sample, and ends in the middle.
const HALF: &str = "# shop\n\nOrders of a small shop.\n\n## Usage\n\nAsk Ada.\n\n## Configuration\n\nSet `SHOP_ADD";
/// The same, as a whole.
const WHOLE: &str = "# shop\n\nOrders of a small shop.\n\n## Usage\n\nAsk Bob.\n\n## Configuration\n\nSet `SHOP_ADDRESS`.\n";

fn says(text: &str, cut_off: bool) -> Act {
    Act::answers(&json!({"answer": text, "cut_off": cut_off}).to_string())
}

async fn made(acts: Vec<Act>) -> (String, Value) {
    let setting = setting(&sample()).agent("scribe.write", Scripted::new(acts));
    let (result, _) = play(setting, &input(json!({"dryRun": true}), MODEL)).await;
    assert_eq!(result["ok"], true, "{result}");
    (result["artifacts"][0]["content"].as_str().unwrap().to_owned(), result)
}

/// Whether the critique says that something was cut off.
fn is_told(result: &Value) -> bool {
    let told = result["critiques"][0]["critique"]["issues"].to_string().contains("cut off");
    assert_eq!(told, result["metadata"]["writers"][0]["cutOff"] == true, "{result}");
    told
}

#[tokio::test(start_paused = true)]
async fn a_text_that_is_cut_off_is_asked_for_again_once() {
    // The last answer is for the sections that it lacks.
    let (text, result) = made(vec![says(HALF, true), says(WHOLE, false), says(WHOLE, false)]).await;
    assert!(text.contains("Ask Bob.") && text.contains("Set `SHOP_ADDRESS`."), "{text}");
    assert!(!text.contains("Ask Ada.") && !is_told(&result), "{text}");
}

#[tokio::test(start_paused = true)]
async fn cut_off_twice_only_its_whole_sections_are_kept_and_that_is_said() {
    let down = Fault::permanent("AI_PROVIDER_ERROR", "down");
    for second in [says(HALF, true), says(" ", false), Act::fails(down)] {
        let (text, result) = made(vec![says(HALF, true), second]).await;
        assert!(text.contains("Ask Ada.") && !text.contains("SHOP_ADD`"), "{text}");
        assert!(!text.contains("Set `SHOP_ADD\n") && is_told(&result), "{text}");
        // What is missing now is the rules' to write.
        let configuration = text.split("## Configuration").nth(1).unwrap();
        assert!(
            configuration.contains("SHOP_ADDRESS") && configuration.contains("scribe: rules"),
            "{text}"
        );
        let issues = result["critiques"][0]["critique"]["issues"].to_string();
        assert!(issues.contains("without `Configuration`"), "{issues}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_of_which_nothing_is_whole_becomes_the_least_that_is_needed() {
    let start = "# shop\n\nOrders of a sma";
    let (text, result) = made(vec![says(start, true), says(start, true)]).await;
    assert!(!text.contains("of a sma\n"), "{text}");
    assert_eq!(result["metadata"]["writers"][0]["minimal"], true, "{result}");
    assert!(is_told(&result));
}

#[tokio::test(start_paused = true)]
async fn half_of_a_correction_is_not_taken_for_the_document() {
    let wrong = WHOLE.replace("Ask Bob.", "Ask Bob. Set `SHOP_MAGIC_COIN` first.");
    let (text, result) = made(vec![says(&wrong, false), says(HALF, true)]).await;
    assert!(text.contains("Ask Bob.") && text.contains("Set `SHOP_ADDRESS`."), "{text}");
    assert!(!text.contains("SHOP_MAGIC_COIN") && !text.contains("Ask Ada."), "{text}");
    assert!(!is_told(&result));
}

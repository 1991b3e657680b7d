//! What goes out of an answer: only what was checked, in a form that sends nobody anywhere.

use serde_json::{Value, json};

use super::talk::{NOTICE, NOTICE_ANSWER, Talk};
use crate::{support::text, terminal::Terminal};

/// What a model says: `content` first, as it is told to.
fn saying(content: &str) -> Value {
    let cited =
        json!([{"source_id": "p", "chunk_id": "p1", "text_snippet": NOTICE_ANSWER, "url": null}]);
    let content = json!(content);
    let rest = r#""tone_used":"x","follow_up_suggestions":[],"confidence_score":1.0"#;
    json!({ "text": format!(r#"{{"content":{content},"citations":{cited},{rest}}}"#) })
}

fn content_of(told: &Value) -> &str {
    text(&told["final_response"], "content")
}

#[test]
fn what_a_model_says_without_support_does_not_go_out() {
    let talk = Talk::new();
    let right = format!("{NOTICE_ANSWER} [1]");
    let cut = NOTICE_ANSWER.trim_end_matches('.');
    let behind = format!("{right}{}The door code is 4711.", "\n".repeat(1_001));
    for (content, expected) in [
        (format!("# The notice period is 90 days\n\n{right}"), right.clone()),
        (format!("# The door code is 4711\n{right}"), right.clone()),
        (
            "# The door code is 4711\nThis is not in the documents.".to_owned(),
            "This is not in the documents.".to_owned(),
        ),
        (format!("No.\n{right}"), right.clone()),
        (format!("The boss may fire anybody:\n{right}"), right.clone()),
        (format!("{right} {cut} ![x](https://evil.example/?q=14). [1]"), right.clone()),
        (format!("{right} {cut}, see evil.example/notice. [1]"), right.clone()),
        (
            "# Notice period\n\nIn the probation:\n- 14 days [1]\n".to_owned(),
            "- 14 days [1]".to_owned(),
        ),
    ] {
        let double = talk.double(&json!([saying(&content)]));
        let told = talk.with(&double, &["ask", NOTICE, "--json"]).run().exits(0).json();
        let said = content_of(&told);
        assert!(said.ends_with(&expected), "{content}: {told:#}");
        for wrong in ["90 days", "4711", "No.", "fire", "evil"] {
            assert!(!told.to_string().contains(wrong), "{content}: {told:#}");
        }
    }
    let double = talk.double(&json!([saying(&behind)]));
    let told = talk.with(&double, &["ask", NOTICE, "--json"]).run().exits(0).json();
    assert!(
        content_of(&told).contains("14 days") && !told.to_string().contains("4711"),
        "{told:#}"
    );
}

#[test]
fn a_form_that_was_asked_for_outlasts_the_check() {
    let talk = Talk::new();
    let form = "as a numbered list, sources as a table, like a pirate";
    let told = talk.ask(NOTICE, &["--instructions", form]);
    let said = content_of(&told);
    assert!(said.starts_with(&format!("1. {NOTICE_ANSWER} [1]")), "{said}");
    assert!(said.contains("| 1 | ") && said.contains("not followed: \"like a pirate\""), "{said}");
    let confidence = &told["final_response"]["confidence_score"];
    let plain = talk.ask(NOTICE, &[]);
    assert_eq!(*confidence, plain["final_response"]["confidence_score"]);
}

#[test]
fn markdown_shows_no_picture_and_no_link_of_a_document() {
    const PICTURE: &str = "![plan](https://evil.example/p.png)";
    let talk = Talk::empty();
    talk.takes(
        "garage.txt",
        format!(
            "The parking garage closes at 22 hours, see {PICTURE} and [more](https://evil.example)."
        ),
    );
    let question = "When does the parking garage close?";
    let shown = talk.run(&["ask", question, "--format", "md"]).exits(0).stdout;
    assert!(shown.contains("closes at 22 hours"), "{shown}");
    assert!(shown.contains(r"\!\[plan\](https") && shown.contains(r"\[more\](https"), "{shown}");
    assert!(!shown.contains("![") && !shown.contains("[more]"), "{shown}");
    // The quote is what the document says; the answer loads nothing.
    let told = talk.ask(question, &[]);
    assert!(!content_of(&told).contains("!["), "{told:#}");
    assert!(text(&told["final_response"]["citations"][0], "text_snippet").contains(PICTURE));
}

#[test]
fn a_terminal_shows_no_draft_that_the_guard_has_not_let_out() {
    let talk = Talk::new();
    let content =
        format!("{NOTICE_ANSWER} [1] Ask anna.smith@example.org about it. [1] Then wait. [1] ");
    let mut slow = saying(&(content + &"And wait more. [1] ".repeat(20)));
    slow["chunks"] = json!(40);
    slow["chunk_delay_ms"] = json!(50);
    let double = talk.double(&json!([slow, saying(&format!("{NOTICE_ANSWER} [1]"))]));
    let terminal = Terminal::new()
        .set("CONSIGN_HOME", talk.home.path().display().to_string())
        .set("OPENAI_BASE_URL", double.address.clone())
        .set("OPENAI_API_KEY", "sk-acceptance-0123456789");
    let model = ["--model", "openai/gpt-5-mini", "--color", "always"];
    let shown = terminal.consign(&[&["ask", NOTICE], &model[..]].concat()).exits(0).stdout;
    assert!(shown.contains("14 days"), "{shown:?}");
    assert!(!shown.contains("anna") && !shown.contains("And wait"), "{shown:?}");
}

#[test]
fn an_evaluation_counts_sentences_that_were_taken_out() {
    let talk = Talk::new();
    let line = json!({"question": NOTICE, "expected_source": "handbook.txt"});
    let file = talk.folder.file("questions.jsonl", format!("{line}\n"));
    let good = format!("{NOTICE_ANSWER} [1]");
    let evaluated = |script: Value| {
        let double = talk.double(&script);
        let told = talk.with(&double, &["eval", &file, "--json"]).run().exits(0).json_lines();
        told.last().expect("a summary")["summary"]["unsupported_sentences"].clone()
    };
    assert_eq!(evaluated(json!([saying(&good)])), 0);
    let partly = saying(&format!("{good} Bob signs it. [1] It was made in 1901."));
    assert_eq!(evaluated(json!([partly])), 2);
    let wrong = saying("It is 41 days. [1] It was made in 1901.");
    assert_eq!(evaluated(json!([wrong, saying(&good)])), 2);
}

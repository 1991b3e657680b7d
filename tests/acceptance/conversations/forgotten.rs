//! What is removed leaves nothing: the whole home is looked through, journals included.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::talk::{Talk, said};
use crate::{home::until, sources::removal::with_words, support::text};

const NOTHING: Vec<PathBuf> = Vec::new();

/// Starts a turn that stays with its tailor, and gives its run once it is there.
fn stuck(
    talk: &Talk,
    question: &str,
    session: &str,
    script: &Value,
) -> (crate::harness::Process, String) {
    let script = talk.folder.file(&format!("{session}.script.json"), script.to_string());
    let args = ["ask", question, "--json", "--session", session, "--agent-script", &script];
    let asking = talk.home.spawn(&args);
    until("the tailor is at work", || {
        let shown = talk.run(&["sessions", "show", session, "--json"]).stdout;
        let state: Value = serde_json::from_str(&shown).ok()?;
        let step = state["current_plan"].as_array()?.last()?;
        (step["tool_call"] == "tailor" && step["status"] == "in_progress").then_some(())
    });
    let is_it = |run: &Value| talk.home.show(text(run, "id"))["input"]["session"] == session;
    let turns = talk.turns();
    let run = turns.iter().find(|run| run["status"] == "running" && is_it(run));
    let run = text(run.expect("it is under way"), "id").to_owned();
    (asking, run)
}

fn late() -> Value {
    json!([{"agent": "tailor", "status": "timeout", "times": 0}])
}

fn endless() -> Value {
    json!([{"agent": "tailor", "response": {}, "delay_ms": 600_000, "times": 0}])
}

#[test]
fn a_removed_conversation_leaves_no_word_of_it() {
    let talk = Talk::new();
    let words = ["bergamot", "tarantell"];
    let of = ["--session", "secret"];
    let ask = |question: &str| talk.ask(question, &of);
    let answered = ask("How long is the notice period in the probation of a bergamot?");
    ask("Who founded the bergamot tarantella?");
    talk.ask_scripted("How long is the notice period of the bergamot?", &late(), &of).exits(1);
    // A fork has the journal of what it goes on from.
    talk.run(&["runs", "fork", text(&answered, "run"), "--at", "start"]).exits(0);
    let (asking, run) =
        stuck(&talk, "How long is the notice period in bergamot?", "secret", &endless());
    talk.run(&["runs", "cancel", &run]).exits(0);
    asking.wait().exits(1);
    ask("And when is the tarantella?");
    // Killed, and not gone on with.
    let (asking, _) =
        stuck(&talk, "How long is the notice period, bergamot?", "secret", &endless());
    asking.kill();
    talk.ask("How long is the notice period of the buttercup?", &["--session", "kept"]);
    assert_ne!(
        with_words(&talk.home.path(), &words),
        NOTHING,
        "otherwise the look below shows nothing"
    );
    talk.run(&["sessions", "remove", "secret"]).exits(0);
    talk.run(&["sessions", "show", "secret"]).fails(1, "NOT_FOUND");
    assert_eq!(with_words(&talk.home.path(), &words), NOTHING);
    assert_ne!(with_words(&talk.home.path(), &["buttercup"]), NOTHING);
    talk.run(&["runs", "verify", "--all"]).exits(0);
    let open = talk
        .turns()
        .into_iter()
        .filter(|run| run["status"] == "running" || run["status"] == "queued");
    assert_eq!(open.count(), 0);
}

#[test]
fn a_conversation_that_is_removed_during_a_turn_leaves_no_word_of_it() {
    let talk = Talk::new();
    let question = "How long is the notice period in the probation of a bergamot?";
    let (asking, _) = stuck(&talk, question, "secret", &endless());
    talk.run(&["sessions", "remove", "secret"]).exits(0);
    // It was told to stop.
    asking.wait().exits(1);
    assert_eq!(with_words(&talk.home.path(), &["bergamot"]), NOTHING);
    talk.run(&["sessions", "show", "secret"]).fails(1, "NOT_FOUND");
}

const DOCUMENT: &str =
    "The parking garage closes at 22 hours.\n\nA chrysanthemum needs photosynthesis there.\n";
const CLOSES: &str = "When does the parking garage close?";
const QUOTE: &str = "The parking garage closes at 22 hours.";
/// Stems too: an index keeps words by these. No question and no answer has them.
const WORDS: [&str; 2] = ["chrysanthem", "photosynthe"];

#[test]
fn a_removed_document_leaves_no_word_but_what_was_answered() {
    let talk = Talk::new();
    let source = talk.takes("garage.txt", DOCUMENT);
    let answered = talk.ask(CLOSES, &["--session", "s"]);
    assert!(text(&answered["final_response"], "content").starts_with(QUOTE));
    talk.run(&["runs", "fork", text(&answered, "run"), "--at", "start"]).exits(0);
    talk.ask_scripted(CLOSES, &late(), &["--session", "failed"]).exits(1);
    let (asking, run) = stuck(&talk, CLOSES, "cancelled", &endless());
    talk.run(&["runs", "cancel", &run]).exits(0);
    asking.wait().exits(1);
    let kept = talk.ask("How long is the notice period in the probation?", &["--session", "kept"]);
    assert!(talk.state("s")["accumulated_context"].to_string().contains("chrysanthemum"));
    talk.run(&["sources", "remove", &source]).exits(0);
    assert_eq!(with_words(&talk.home.path(), &WORDS), NOTHING);
    for session in ["s", "failed", "cancelled"] {
        let context = talk.state(session)["accumulated_context"].to_string();
        assert!(!context.contains(&source), "{session}: {context}");
    }
    // What was said stays said, and is not in the documents any more.
    assert!(text(&talk.state("s")["history"][1], "content").starts_with(QUOTE));
    let again = talk.ask(CLOSES, &["--session", "s"]);
    assert_eq!(again["final_response"]["citations"], json!([]), "{again:#}");
    talk.run(&["runs", "verify", "--all"]).exits(0);
    // The other conversation is as it was, its journal too.
    let journal = talk.run(&["runs", "show", text(&kept, "run"), "--events", "--json"]).exits(0);
    assert!(
        journal.stdout.contains("The notice period in the probation is 14 days."),
        "{journal:#?}"
    );
}

#[test]
fn a_document_that_is_removed_during_a_turn_is_in_no_answer_and_no_journal() {
    let talk = Talk::new();
    let source = talk.takes("garage.txt", DOCUMENT);
    let passage = &talk.passages("local", CLOSES)[0];
    let answer = said(&format!("{QUOTE} [1]"), passage, QUOTE);
    let script = json!([
        {"agent": "tailor", "response": answer, "delay_ms": 600_000},
        {"agent": "tailor", "response": answer, "times": 0},
    ]);
    let (asking, run) = stuck(&talk, CLOSES, "s", &script);
    asking.kill();
    talk.run(&["sources", "remove", &source]).exits(0);
    // The next turn finishes the one before from its journal, which still has the passages.
    talk.ask("How long is the notice period in the probation?", &["--session", "s"]);
    let history = talk.state("s")["history"].clone();
    assert_eq!(history.as_array().map(Vec::len), Some(4));
    assert!(text(&history[1], "content").starts_with("I don't know"), "{history:#}");
    assert_eq!(with_words(&talk.home.path(), &WORDS), NOTHING);
    talk.run(&["runs", "verify", &run]).exits(0);
}

//! Two owners with the same names of collections, files and sessions: nothing crosses.

use serde_json::{Value, json};

use super::talk::Talk;
use crate::support::text;

/// What each owner's table says, and a word that only they have.
const OWNERS: [(&str, &str, &str); 2] = [("ann", "19 EUR", "zinnia"), ("bob", "77 EUR", "quokka")];
const FEE: &str = "What is the fee of the basic plan?";

fn two() -> Talk {
    let talk = Talk::empty();
    for (owner, fee, word) in OWNERS {
        let table = format!("plan,fee,users\nbasic,{fee},5\n{word},99 EUR,25\n");
        talk.takes_for(owner, "fees.csv", table);
        talk.takes_for(
            owner,
            "notes.txt",
            format!("The feeding time of the {word} is 12 hours after sunrise.\n"),
        );
    }
    talk
}

#[test]
fn answers_suggestions_citations_and_history_are_an_owners_own() {
    let talk = two();
    for (at, (owner, fee, word)) in OWNERS.into_iter().enumerate() {
        let (_, other_fee, other_word) = OWNERS[1 - at];
        let of = ["--owner", owner, "--session", "plans", "--collection", "default"];
        let sources =
            talk.run(&["sources", "list", "--json", "--owner", owner]).exits(0).json_lines();
        let own: Vec<_> = sources.iter().map(|source| text(source, "source_id")).collect();
        let mut told = String::new();
        for question in [
            FEE,
            &*format!("What is the feeding time of the {word}?"),
            &*format!("What is the feeding time of the {other_word}?"),
            &*format!("What is the fee of the {other_word} plan?"),
            "And when?",
        ] {
            let answer = talk.ask(question, &of);
            let citations = answer["final_response"]["citations"].as_array().expect("a list");
            assert!(
                citations.iter().all(|cited| own.contains(&text(cited, "source_id"))),
                "{answer:#}"
            );
            if question.contains(other_word) {
                assert_eq!(citations.len(), 0, "{owner}: {question}: {answer:#}");
            }
            told += &answer["final_response"].to_string();
        }
        assert!(told.contains(fee) && told.contains("12 hours"), "{told}");
        assert!(!told.contains(other_fee) && !told.contains(other_word), "{told}");
    }
    for (at, (owner, fee, _)) in OWNERS.into_iter().enumerate() {
        let (other, other_fee, _) = OWNERS[1 - at];
        let state = talk.state_of(owner, "plans");
        assert_eq!(state["history"].as_array().map(Vec::len), Some(10));
        assert!(
            state.to_string().contains(fee) && !state.to_string().contains(other_fee),
            "{state:#}"
        );
        let listed =
            talk.run(&["sessions", "list", "--json", "--owner", owner]).exits(0).json_lines();
        assert_eq!((listed.len(), &listed[0]["turns"]), (1, &json!(5)));
        // What the other has cited means nothing here.
        let theirs =
            talk.run(&["sources", "list", "--json", "--owner", other]).exits(0).json_lines();
        let id = text(&theirs[0], "source_id");
        talk.run(&["sources", "show", id, "--owner", owner]).fails(1, "NOT_FOUND");
    }
    talk.run(&["sessions", "show", "plans"]).fails(1, "NOT_FOUND");
    talk.run(&["sessions", "remove", "plans", "--owner", "carl"]).fails(1, "NOT_FOUND");
    talk.run(&["sessions", "remove", "plans", "--owner", "ann"]).exits(0);
    talk.run(&["sessions", "show", "plans", "--owner", "ann"]).fails(1, "NOT_FOUND");
    assert_eq!(talk.state_of("bob", "plans")["history"].as_array().map(Vec::len), Some(10));
    // And a session of the same name begins anew.
    talk.ask(FEE, &["--owner", "ann", "--session", "plans"]);
    assert_eq!(talk.state_of("ann", "plans")["history"].as_array().map(Vec::len), Some(2));
}

#[test]
fn an_evaluation_sees_the_documents_of_its_owner_and_leaves_no_session() {
    let talk = two();
    for (at, (owner, fee, word)) in OWNERS.into_iter().enumerate() {
        let (_, other_fee, other_word) = OWNERS[1 - at];
        let lines = [
            json!({"question": FEE, "expected_source": "fees.csv", "expected_words": [fee]}),
            json!({"question": FEE, "expected_source": "fees.csv", "expected_words": [other_fee]}),
            json!({"question": format!("What is the feeding time of the {word}?"), "expected_source": "notes.txt"}),
            json!({"question": format!("What is the feeding time of the {other_word}?"), "not_there": true}),
        ];
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let file = talk.folder.file("questions.jsonl", lines);
        let told = talk.run(&["eval", &file, "--json", "--owner", owner]).exits(0).json_lines();
        let verdicts: Vec<_> = told[..4].iter().map(|line| text(line, "verdict")).collect();
        assert_eq!(
            verdicts,
            ["right", "right source, other words", "right", "refused rightly"],
            "{told:#?}"
        );
        let summary = &told[4]["summary"];
        assert_eq!((&summary["answerable"], &summary["not_there"]), (&json!(3), &json!(1)));
        assert!(!told.iter().any(|line| text_of(line).contains(other_fee)), "{told:#?}");
        let left = talk.run(&["sessions", "list", "--json", "--owner", owner]).exits(0);
        assert_eq!(left.stdout, "");
    }
}

fn text_of(line: &Value) -> String {
    line["answer"].to_string()
}

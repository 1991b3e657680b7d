//! How a document is named, and what is said where there is none.

use super::desk::Desk;
use crate::{support::text, terminal::Terminal};

#[test]
fn a_document_is_named_by_its_file_its_path_or_the_beginning_of_its_id() {
    let desk = Desk::new();
    let file = desk.file("deep/lease.md", "# Lease\n\nThe rent is due in May.\n");
    let told = desk.ingest(&[&file], 0);
    let id = text(&told.rows[0], "source_id").to_owned();
    let whole = desk.run(&["sources", "show", &id, "--json"]).exits(0).json();
    let begins = &id["src_".len()..][..6];
    for name in [&file, "lease.md", "deep/lease.md", &id[..10], begins] {
        let found = desk.run(&["sources", "show", name, "--json"]).exits(0).json();
        assert_eq!(found, whole, "{name}");
    }
    for name in ["ease.md", &id[..5], "src_", "lease", ""] {
        desk.run(&["sources", "show", name]).fails(1, "NOT_FOUND").telling("consign sources list");
    }
    // The same file in another collection is another document.
    desk.ingest(&[&file, "--collection", "other"], 0);
    let refused = desk.run(&["sources", "remove", "lease.md"]).fails(1, "SOURCE_AMBIGUOUS");
    refused.telling(&id).telling("other").telling("more of its id");
    assert_eq!(desk.sources(&[]).len(), 2, "nothing is removed that could be another");
    desk.run(&["sources", "remove", &id[..12]]).exits(0).telling(&id);
    desk.run(&["sources", "remove", "lease.md"]).exits(0);
    assert_eq!(desk.sources(&[]).len(), 0);
}

#[test]
fn where_there_is_nothing_to_look_in_it_says_so() {
    let desk = Desk::new();
    for command in ["ask", "search"] {
        let told = desk.run(&[command, "notice period"]).exits(0);
        told.telling("there are no documents yet; `consign ingest PATH` takes some in");
    }
    let file = desk.file("lease.md", "# Lease\n\nThe rent is due in May.\n");
    desk.ingest(&[&file], 0);
    for command in ["ask", "search"] {
        let told = desk.run(&[command, "rent", "--collection", "contracts"]).exits(0);
        told.telling("no documents in the collection contracts; `consign sources list` shows all");
        let told = desk.run(&[command, "zeppelins over Vladivostok"]).exits(0);
        assert!(!told.stderr.contains("no documents"), "{told:#?}");
    }
    let told = desk.run(&["search", "zeppelins"]).exits(0);
    told.telling("--min-score 0 shows what comes nearest");
}

#[test]
fn steps_are_drawn_on_a_terminal_and_make_room_for_the_answer() {
    let desk = Desk::new();
    let ask = |color: &str| {
        let terminal = Terminal::new().wide(100);
        let terminal = terminal.set("CONSIGN_HOME", desk.home.path().display().to_string());
        terminal.consign(&["ask", "notice period", "--color", color]).exits(0).stdout
    };
    const ANSWER: &str = "This is not in the documents.";
    const STEP: &str = "Plan the turn";
    let told = ask("always");
    let left = told.rsplit_once("\u{1b}[2K").map_or(&*told, |(_, left)| left);
    assert!(left.contains(ANSWER) && !left.contains(STEP), "{told:?}");
    // Where lines cannot be drawn again, each step is told as it ends.
    let told = ask("never");
    let (steps, _) = told.split_once(ANSWER).expect("the answer");
    assert!(steps.contains(&format!("✓ {STEP}")), "{told}");
    assert!(steps.contains(": nothing was found") && !steps.contains("ERR_"), "{told}");
}

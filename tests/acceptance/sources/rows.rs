//! What is told of each file of an ingest, and how the command ends.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use super::{
    desk::Desk,
    files::{pdf, sealed},
    removal::with_words,
};
use crate::support::{keys, text};

#[test]
fn each_file_has_a_row_with_what_became_of_it() {
    let desk = Desk::new();
    desk.file("a.txt", "The first version speaks of elephants.");
    desk.file("b.txt", "Nothing changes here, said the hedgehog.");
    let first = desk.ingest(&[&desk.place()], 0);
    let members = [
        "checksum",
        "chunks",
        "collection",
        "document_id",
        "error",
        "pages",
        "source_id",
        "source_identifier",
        "status",
        "warnings",
    ];
    assert_eq!(keys(first.row("a.txt")), members);
    let counted = ["chunks", "failed", "replaced", "run", "skipped", "taken", "unchanged"];
    assert_eq!(keys(&first.counts), counted);
    assert_eq!(first.row("a.txt")["collection"], "default");

    desk.file("a.txt", "The second version speaks of flamingos.");
    desk.file("c.txt", "A new file is about lobsters.");
    desk.file("sealed.docx", sealed());
    desk.file("song.mp3", b"ID3\x04\0\0\0\0\0\x21\xff\xfb\x90\x44");
    let second = desk.ingest(&[&desk.place()], 0);
    let row = |name: &str, status: &str, code: Option<&str>| {
        (name.to_owned(), status.to_owned(), code.map(str::to_owned))
    };
    let expected = [
        row("a.txt", "replaced", None),
        row("b.txt", "unchanged", None),
        row("c.txt", "taken", None),
        row("sealed.docx", "skipped", Some("ERR_PARSER_ENCRYPTED")),
        row("song.mp3", "skipped", Some("ERR_PARSER_UNSUPPORTED")),
    ];
    assert_eq!(second.statuses(), expected);
    let counts = ["taken", "replaced", "unchanged", "skipped", "failed"];
    assert_eq!(counts.map(|name| second.counts[name].clone()), [1, 1, 1, 2, 0].map(|n| json!(n)));
    // The source stays the same, the document is another one.
    let (before, now) = (first.row("a.txt"), second.row("a.txt"));
    assert_eq!(before["source_id"], now["source_id"]);
    assert_ne!(before["document_id"], now["document_id"]);
    assert!(
        desk.found("elephants", &["--min-score", "0"])
            .iter()
            .all(|hit| { !text(hit, "content").contains("elephants") })
    );
    assert_eq!(desk.found("flamingos", &[]).len(), 1);
}

#[test]
fn what_is_said_of_a_file_is_kept_even_if_its_bytes_are_known() {
    let desk = Desk::new();
    let file = desk.file("a.txt", "A text about parsnips.");
    desk.ingest(&[&file], 0);
    assert!(desk.found("parsnips", &["--filter", "team=red"]).is_empty());
    let told = desk.ingest(&[&file, "--meta", "team=red"], 0);
    assert_eq!(told.rows[0]["status"], "replaced");
    assert_eq!(desk.found("parsnips", &["--filter", "team=red"]).len(), 1);
    // The same again, or nothing, is no news.
    for more in [&["--meta", "team=red"][..], &[]] {
        let told = desk.ingest(&[&[file.as_str()], more].concat(), 0);
        assert_eq!(told.rows[0]["status"], "unchanged");
        assert_eq!(desk.found("parsnips", &["--filter", "team=red"]).len(), 1);
    }
    // It is read again, and says what it said.
    let told = desk.ingest(&[&file, "--ocr", "--meta", "team=red"], 0);
    assert_eq!(told.rows[0]["status"], "unchanged");
    let run = text(&told.counts, "run");
    let journal = desk.run(&["runs", "show", run, "--events", "--json"]).exits(0).stdout;
    assert!(journal.contains("parser-0"), "{journal}");
}

#[test]
fn a_password_in_an_address_is_written_nowhere() {
    let desk = Desk::new();
    desk.ingest(&[&desk.file("a.txt", "A text about parsnips.")], 0);
    let told = desk.run(&["ingest", "https://ada:hunter2secret@a.example/", "--json"]);
    let told = told.fails(1, "INVALID_INPUT");
    assert!(!format!("{}{}", told.stdout, told.stderr).contains("hunter2"));
    assert_eq!(with_words(&desk.home.path(), &["hunter2secret"]), Vec::<std::path::PathBuf>::new());
}

#[test]
fn it_exits_with_1_when_a_source_that_was_named_gave_nothing() {
    let desk = Desk::new();
    let good = desk.file("good.txt", "Something about badgers.");
    let sealed = desk.file("sealed.docx", sealed());
    let told = desk.ingest(&[&good, &sealed], 1);
    assert_eq!(told.counts["taken"], 1);
    let gone = format!("{}/gone.pdf", desk.place());
    let told = desk.ingest(&[&gone, &good], 1);
    assert_eq!(told.row("gone.pdf")["error"]["error_code"], "ERR_CONNECTOR_NOT_FOUND");
    assert_eq!(told.row("gone.pdf")["status"], "skipped");
    assert_eq!(told.row("good.txt")["status"], "unchanged");
    desk.ingest(&[&good], 0);
}

#[test]
fn a_folder_is_taken_without_the_folders_in_it_unless_that_is_said() {
    let desk = Desk::new();
    desk.file("top.txt", "Above there are kestrels.");
    desk.file("below/deep/low.txt", "Below there are moles.");
    assert_eq!(desk.ingest(&[&desk.place()], 0).counts["taken"], 1);
    assert!(desk.found("moles", &[]).is_empty());
    let told = desk.ingest(&[&desk.place(), "--recursive"], 0);
    assert_eq!((&told.counts["taken"], &told.counts["unchanged"]), (&json!(1), &json!(1)));
    assert_eq!(desk.found("moles", &[]).len(), 1);
}

#[test]
fn links_are_not_followed_out_of_a_folder() {
    let desk = Desk::new();
    let outside = desk.file("outside/secret.txt", "The secret is the word chrysanthemum.");
    desk.file("inside/plain.txt", "Nothing to see but daisies.");
    let inside = desk.folder.path().join("inside");
    symlink(&outside, inside.join("link.txt")).expect("a link");
    symlink(desk.folder.path().join("outside"), inside.join("folder")).expect("a link");
    let inside = inside.to_str().expect("a plain name").to_owned();
    let told = desk.ingest(&[&inside, "--recursive"], 0);
    assert_eq!(told.counts["taken"], 1, "{:#?}", told.rows);
    assert!(desk.found("chrysanthemum", &["--min-score", "0"]).is_empty());
    let text = fs::read_to_string(&outside).unwrap_or_default();
    assert!(text.contains("chrysanthemum"));
}

#[test]
fn a_search_has_its_defaults_and_its_filters() {
    let desk = Desk::new();
    for number in 0..8 {
        let said = format!("The quartz miner number {number} digs for quartz.");
        desk.file(&format!("many/{number}.txt"), said);
    }
    desk.file("lease.pdf", pdf(&["First page on quartz.", "Second page on quartz veins."]));
    let many = format!("{}/many", desk.place());
    desk.ingest(&[&many, "--collection", "mines", "--meta", "team=red"], 0);
    desk.ingest(&[&format!("{}/lease.pdf", desk.place()), "--meta", "team=blue"], 0);
    let all = desk.search("quartz", &["--min-score", "0", "--top-k", "100"]);
    assert_eq!(all["total_found"], 10);
    // Five, and none below 0.7.
    let usual = desk.search("quartz miner", &[]);
    assert_eq!(usual["results"].as_array().map(Vec::len), Some(5), "{usual:#?}");
    let least = usual["results"][4]["relevance_score"].as_f64().expect("a number");
    assert!(least >= 0.7, "{usual:#?}");
    let number = |more: &[&str]| {
        let wide = ["--min-score", "0", "--top-k", "100"];
        desk.found("quartz", &[&wide[..], more].concat()).len()
    };
    assert_eq!(number(&["--filter", "kind=pdf"]), 2);
    assert_eq!(number(&["--filter", "kind=pdf", "--filter", "page_number=2"]), 1);
    assert_eq!(number(&["--filter", "kind=pdf", "--filter", "kind=txt"]), 10, "either value");
    assert_eq!(number(&["--filter", "team=red"]), 8);
    assert_eq!(number(&["--filter", "team=red", "--filter", "kind=pdf"]), 0);
    assert_eq!(number(&["--collection", "mines"]), 8);
    assert_eq!(number(&["--filter", "file_name=3.txt"]), 1);
    assert_eq!(number(&["--filter", "no_such_key=1"]), 0, "an unknown key finds nothing");
}

#[test]
fn people_see_passages_line_by_line() {
    let desk = Desk::new();
    desk.file("verse.txt", "- a wombat\n- a numbat\n- a quokka\n");
    desk.ingest(&[&desk.place()], 0);
    let told = desk.run(&["search", "numbat", "--min-score", "0"]).exits(0);
    assert!(!told.stdout.contains('\u{FFFD}'), "{told:#?}");
    for line in ["   - a wombat", "   - a numbat", "   - a quokka"] {
        assert!(told.stdout.lines().any(|shown| shown == line), "{told:#?}");
    }
    assert!(told.stderr.contains("1 passage,"), "{told:#?}");
}

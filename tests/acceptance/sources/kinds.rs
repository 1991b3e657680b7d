//! Every kind of file is taken in and found, with page and quote.

use serde_json::json;

use super::{
    desk::Desk,
    files::{every_kind, pdf, sealed},
};
use crate::{
    home::keeps,
    support::{keys, text},
};

#[test]
fn every_kind_is_found_with_its_page_and_quote() {
    let desk = Desk::new();
    let samples = every_kind();
    for sample in &samples {
        desk.file(sample.name, &sample.bytes);
    }
    let told = desk.ingest(&[&desk.place()], 0);
    assert_eq!(told.counts["taken"], samples.len(), "{:#?}", told.rows);
    for sample in &samples {
        let row = told.row(sample.name);
        let found = desk.found(sample.words, &[]);
        let first = found.first().unwrap_or_else(|| panic!("{} is not found", sample.name));
        assert_eq!(first["source_id"], row["source_id"], "{}: {found:#?}", sample.name);
        assert!(text(first, "content").contains(sample.quote), "{first:#?}");
        let metadata = &first["metadata"];
        assert_eq!(metadata["kind"], sample.kind, "{first:#?}");
        assert_eq!(metadata["file_name"], sample.name);
        assert_eq!(metadata["page_number"].as_u64(), sample.page, "{first:#?}");
        // The passage is exactly these bytes of the text that is kept.
        let whole = desk.text(text(row, "source_id"));
        let span = |at: usize| {
            let place = metadata["span"][at].as_u64().expect("a place");
            usize::try_from(place).expect("a place in memory")
        };
        assert_eq!(whole.get(span(0)..span(1)), first["content"].as_str(), "{}", sample.name);
        let url = format!("file://{}", text(row, "source_identifier"));
        assert_eq!(text(first, "source_url"), url);
    }
    let answer = desk.run(&["search", "--json", "walrus"]).exits(0).stdout;
    keeps("crew/memory.output", &answer);
}

#[test]
fn parse_makes_the_passages_that_ingest_keeps() {
    let desk = Desk::new();
    for sample in every_kind() {
        let file = desk.file(sample.name, &sample.bytes);
        let told = desk.ingest(&[&file], 0);
        let parsed = desk.run(&["parse", &file, "--json"]).exits(0);
        keeps("crew/parser.output", &parsed.stdout);
        let chunks = parsed.json()["chunks"].clone();
        let chunks = chunks.as_array().expect("a list");
        assert_eq!(told.rows[0]["chunks"], chunks.len(), "{}", sample.name);
        let has_quote = chunks.iter().any(|chunk| {
            text(chunk, "content").contains(sample.quote)
                && chunk["page_number"].as_u64() == sample.page
        });
        assert!(has_quote, "{}: {chunks:#?}", sample.name);
        let input = json!({"file_path": file, "file_type": "txt", "ingestion_source": "local"});
        let lines = format!("{input}\n");
        let streamed = desk.home.consign(&["parse", "--stream"]).stdin(lines).run().exits(0);
        assert_eq!(streamed.json()["chunks"], json!(chunks), "{}", sample.name);
    }
}

#[test]
fn a_stream_of_files_answers_each_line_in_its_place() {
    let desk = Desk::new();
    let good = desk.file("good.pdf", pdf(&["Plain words."]));
    let bad = desk.file("sealed.docx", sealed());
    let line = |file: &str| {
        json!({"file_path": file, "file_type": "pdf", "ingestion_source": "local"}).to_string()
    };
    let lines = [line(&bad), "{}".to_owned(), line("/no/such/file.pdf"), line(&good)].join("\n");
    let told = desk.home.consign(&["parse", "--stream"]).stdin(lines).run().exits(1);
    let told = told.json_lines();
    let codes: Vec<_> = told.iter().map(|line| line["error"]["code"].as_str()).collect();
    assert_eq!(codes[..2], [Some("ERR_PARSER_ENCRYPTED"), Some("VALIDATION_ERROR")]);
    assert!(codes[2].is_some() && codes[3].is_none(), "{codes:?}");
    assert_eq!(keys(&told[0]["error"]), ["code", "details", "message"]);
    assert_eq!(told[0]["error"]["details"]["agent_id"], "parser");
    assert_eq!(told[3]["total_pages"], 1);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_of_parse() {
    let desk = Desk::new();
    let sealed = desk.file("sealed.docx", sealed());
    let refused = desk.run(&["parse", &sealed, "--json"]).fails(1, "ERR_PARSER_ENCRYPTED");
    assert_eq!(refused.error()["details"]["agent_id"], "parser");
    let archive = desk.file("a.gz", b"\x1f\x8b\x08\0\0\0\0\0");
    desk.run(&["parse", &archive]).fails(1, "ERR_PARSER_UNSUPPORTED");
}

//! The contracts of the parser and of memory, member by member: what each accepts, what is taken where it says nothing, and
//! what its answers mean. Those of the connector are held in its own tests, where sites and drives are at hand.

use serde_json::{Value, json};

use super::{desk::Desk, files::pdf};
use crate::{
    home::keeps,
    support::{keys, text},
};

const PAGE: &str = "# Title\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n![A boat](boat.png)\n\nSome words on quartz.\n";

/// The answers to some lines, each of a contract.
fn stream(desk: &Desk, command: &str, lines: &[Value], exit: i32) -> Vec<Value> {
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    desk.home.consign(&[command, "--stream"]).stdin(lines).run().exits(exit).json_lines()
}

/// What is refused, in its place.
fn refused(told: &[Value]) -> Vec<bool> {
    told.iter().map(|line| line["error"]["code"] == "VALIDATION_ERROR").collect()
}

#[test]
fn a_parser_takes_every_word_of_its_contract_and_no_other() {
    let desk = Desk::new();
    let file = desk.file("a.md", PAGE);
    let with = |name: &str, value: Value| {
        let mut input = json!({"file_path": file, "file_type": "txt", "ingestion_source": "local"});
        input[name] = value;
        input
    };
    let plain = stream(&desk, "parse", &[with("more", json!("is kept open"))], 0).remove(0);
    let chunks = &plain["chunks"];
    for word in ["pdf", "html", "docx", "pptx", "txt"] {
        let told = stream(&desk, "parse", &[with("file_type", json!(word))], 0).remove(0);
        assert_eq!(&told["chunks"], chunks, "the content decides, not {word}");
        assert_eq!(told["metadata"]["kind"], "markdown");
        let warned = told["metadata"]["warnings"].as_array().expect("a list").len();
        assert_eq!(warned, usize::from(word != "txt"), "{told:#}");
    }
    for word in ["gdrive", "local", "web_scrape"] {
        let told = stream(&desk, "parse", &[with("ingestion_source", json!(word))], 0).remove(0);
        assert_eq!(&told["chunks"], chunks);
    }
    // What has no pages is not read as pictures; left out, it is as if it were false.
    for force in [true, false] {
        let told = stream(&desk, "parse", &[with("force_ocr", json!(force))], 0).remove(0);
        assert_eq!(&told["chunks"], chunks);
    }
    let wrong = [
        with("file_type", json!("rtf")),
        with("file_type", json!("PDF")),
        with("ingestion_source", json!("web")),
        with("force_ocr", json!("yes")),
        with("file_path", json!(null)),
        json!({"file_type": "txt", "ingestion_source": "local"}),
        json!({"file_path": file, "ingestion_source": "local"}),
        json!({"file_path": file, "file_type": "txt"}),
        json!([]),
    ];
    let told = stream(&desk, "parse", &wrong, 1);
    assert_eq!(refused(&told), vec![true; wrong.len()], "{told:#?}");
}

#[test]
fn every_member_of_a_parsed_document_says_what_its_contract_means() {
    let desk = Desk::new();
    let file = desk.file("a.md", PAGE);
    let told = desk.run(&["parse", &file, "--json"]).exits(0);
    keeps("crew/parser.output", &told.stdout);
    let (told, again) = (told.json(), desk.run(&["parse", &file, "--json"]).exits(0).json());
    assert_eq!(told["document_id"], again["document_id"]);
    assert_eq!(told["chunks"], again["chunks"], "the same file has the same chunks");
    assert_eq!(told["total_pages"], 1);
    assert!(told["processing_time_ms"].as_f64() > Some(0.0));
    let metadata = &told["metadata"];
    assert_eq!((&metadata["kind"], &metadata["title"]), (&json!("markdown"), &json!("Title")));
    assert_eq!(text(metadata, "checksum").len(), 64);
    let chunks = told["chunks"].as_array().expect("a list");
    let layouts: Vec<_> = chunks.iter().map(|chunk| text(chunk, "layout_type")).collect();
    assert_eq!(layouts, ["header", "table", "image", "text"]);
    let contents: Vec<_> = chunks.iter().map(|chunk| text(chunk, "content")).collect();
    let table = "| a | b |\n| --- | --- |\n| 1 | 2 |";
    assert_eq!(contents, ["# Title", table, "![A boat](boat.png)", "Some words on quartz."]);
    let members = [
        "bbox",
        "chunk_id",
        "chunk_index",
        "content",
        "heading",
        "layout_type",
        "page_number",
        "span",
    ];
    for (index, chunk) in chunks.iter().enumerate() {
        assert_eq!(keys(chunk), members);
        assert_eq!(chunk["chunk_index"], index);
        assert_eq!(text(chunk, "chunk_id"), format!("{}:{index}", text(&told, "document_id")));
        assert_eq!((&chunk["page_number"], &chunk["bbox"]), (&Value::Null, &Value::Null));
    }

    let file = desk.file("b.pdf", pdf(&["Words on the first page.", "Words on the second page."]));
    let told = desk.run(&["parse", &file, "--json"]).exits(0);
    keeps("crew/parser.output", &told.stdout);
    let told = told.json();
    assert_eq!(told["total_pages"], 2);
    for (at, chunk) in told["chunks"].as_array().expect("a list").iter().enumerate() {
        assert_eq!(chunk["page_number"], at + 1);
        // Points from the top left: 72 from the left and about 100 from the top, as it was made.
        let corners: Vec<f64> =
            chunk["bbox"].as_array().expect("a box").iter().filter_map(Value::as_f64).collect();
        let [left, top, right, bottom] = corners[..] else { panic!("{chunk:#}") };
        assert!((left - 72.0).abs() < 3.0 && right > left + 50.0 && right < 472.0, "{corners:?}");
        assert!(top > 80.0 && bottom > top + 5.0 && bottom < 115.0, "{corners:?}");
    }
}

/// Nine short passages on quartz.
fn quarry() -> Desk {
    let desk = Desk::new();
    for number in 0..9 {
        let said = format!("The quartz miner number {number} digs for quartz.");
        desk.file(&format!("{number}.txt"), said);
    }
    desk.ingest(&[&desk.place()], 0);
    desk
}

#[test]
fn a_query_has_its_defaults_and_its_bounds() {
    let desk = quarry();
    let with = |name: &str, value: Value| {
        let mut query = json!({"query_text": "quartz miner with a wheelbarrow"});
        query[name] = value;
        query
    };
    let same = [
        json!({"query_text": "quartz miner with a wheelbarrow"}),
        with("top_k", json!(5)),
        with("min_relevance_score", json!(0.7)),
        with("filters", json!(null)),
        with("filters", json!({})),
        with("more", json!("is kept open")),
    ];
    let told = stream(&desk, "search", &same, 0);
    for (query, answer) in same.iter().zip(&told) {
        assert_eq!(answer, &told[0], "{query}");
    }
    let count = |answer: &Value| {
        (answer["results"].as_array().map(Vec::len), answer["total_found"].as_u64())
    };
    let plain = json!({"query_text": "quartz miner"});
    let told = stream(&desk, "search", std::slice::from_ref(&plain), 0);
    assert_eq!(count(&told[0]), (Some(5), Some(9)), "five, although nine reach 0.7");
    let more = |name: &str, value: Value| {
        let mut query = plain.clone();
        query[name] = value;
        query
    };
    let queries = [
        more("top_k", json!(1)),
        more("top_k", json!(100)),
        more("min_relevance_score", json!(1)),
        more("min_relevance_score", json!(0)),
        more("filters", json!({"file_name": "3.txt"})),
        more("filters", json!({"file_name": ["3.txt", "4.txt", "none.txt"]})),
        more("filters", json!({"file_name": "3.txt", "kind": "pdf"})),
        more("filters", json!({"no_such_key": "3.txt"})),
        json!({"query_text": ""}),
    ];
    let told: Vec<_> = stream(&desk, "search", &queries, 0).iter().map(count).collect();
    let expected = [(1, 9), (9, 9), (0, 0), (5, 9), (1, 1), (2, 2), (0, 0), (0, 0), (0, 0)];
    assert_eq!(told, expected.map(|(shown, all)| (Some(shown), Some(all))));
    let wrong = [
        more("top_k", json!(0)),
        more("top_k", json!(-1)),
        more("top_k", json!(1.5)),
        more("top_k", json!("5")),
        more("min_relevance_score", json!(-0.1)),
        more("min_relevance_score", json!(1.1)),
        more("min_relevance_score", json!("0.7")),
        more("filters", json!([])),
        more("query_text", json!(null)),
        json!({}),
    ];
    let told = stream(&desk, "search", &wrong, 1);
    assert_eq!(refused(&told), vec![true; wrong.len()], "{told:#?}");
}

#[test]
fn every_member_of_a_result_says_what_its_contract_means() {
    let desk = quarry();
    let line = json!({"id": "pasted", "text": "A pasted text on quartz."}).to_string();
    desk.home.consign(&["ingest", "--stream"]).stdin(line).run().exits(0);
    let query = json!({"query_text": "quartz", "top_k": 100, "min_relevance_score": 0});
    let told = stream(&desk, "search", &[query], 0).remove(0);
    keeps("crew/memory.output", &told.to_string());
    assert_eq!(keys(&told), ["results", "search", "total_found"]);
    let results = told["results"].as_array().expect("a list");
    assert_eq!((results.len(), &told["total_found"]), (10, &json!(10)));
    let scores: Vec<f64> =
        results.iter().filter_map(|hit| hit["relevance_score"].as_f64()).collect();
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{scores:?}");
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let members = ["chunk_id", "content", "metadata", "relevance_score", "source_id", "source_url"];
    let known = [
        "checksum",
        "chunk_index",
        "collection",
        "document_id",
        "file_name",
        "file_type",
        "heading",
        "kind",
        "layout_type",
        "page_number",
        "source_id",
        "source_type",
        "span",
        "title",
    ];
    let sources = desk.sources(&["--all"]);
    for hit in results {
        let metadata = &hit["metadata"];
        assert_eq!((keys(hit), keys(metadata)), (members.to_vec(), known.to_vec()));
        let id = format!("{}:{}", text(metadata, "document_id"), metadata["chunk_index"]);
        assert_eq!(text(hit, "chunk_id"), id);
        assert_eq!(hit["source_id"], metadata["source_id"]);
        let source = sources.iter().find(|source| source["source_id"] == hit["source_id"]);
        let source = source.expect("it is one of those that are listed");
        assert_eq!(source["document_id"], metadata["document_id"]);
        let whole = desk.text(text(hit, "source_id"));
        assert_eq!(whole.trim_end(), text(hit, "content"));
        let pasted = text(hit, "content").starts_with("A pasted");
        let url = format!("file://{}", text(source, "source_identifier"));
        let expected = if pasted { Value::Null } else { json!(url) };
        assert_eq!(hit["source_url"], expected);
    }
}

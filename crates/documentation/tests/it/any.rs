//! Any Markdown at all: nothing panics, the same text gives the same answer, and merging twice is merging once.

use consign_contracts::authoring::DocDepth;
use consign_documentation::{
    Contract, Facts, Snapshot, check,
    merge::{Update, merge},
    rules, sign,
};
use proptest::prelude::*;

use crate::world::rust;

fn any_markdown() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        6 => prop::sample::select(vec![
            "# T", "## Usage", "## License", "### x", "T\n===", "## Main", "text `make lint` and `make nope`", "`a_b()` `X_Y` `--z-z`",
            "```json", "```", "{\"a\": 1}", "~~~sh", "~~~", "$ shop --nope", "[a](b.md#c)", "[a][b]", "[b]: c.md", "<!-- keep -->",
            "<!-- /keep -->", "<!-- scribe: rules -->", "<!--", "-->", "---", "| a | `GET /x` |", "- item", "    code", "<h1>x</h1>",
            "[![b](https://img.shields.io/badge/license-MIT-x)](y)", "GET /orders/1", "requires Rust 1.2+", "shop = \"9\"", "", "", "\r",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[`\\[\\]()<>#|*_é中\u{feff} -]{0,30}",
    ];
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

fn world() -> (Snapshot, Facts) {
    let snapshot = rust();
    let facts = Facts::of(&snapshot);
    (snapshot, facts)
}

proptest! {
    #[test]
    fn any_document_is_checked_alike_twice(text in any_markdown(), path in prop::sample::select(vec!["README.md", "docs/API.md", "CHANGELOG.md", "docs/adr/1.md", "docs/x.md"])) {
        let (snapshot, facts) = world();
        let once = check(path, &text, &facts, &snapshot);
        prop_assert_eq!(&once, &check(path, &text, &facts, &snapshot));
        prop_assert!(once.score <= 100 && once.verified <= once.checked);
        let lines = text.lines().count();
        for issue in &once.issues {
            prop_assert!(issue.line <= lines.max(1), "{}", issue.text);
        }
    }

    #[test]
    fn merging_twice_is_merging_once(text in any_markdown(), all in any::<bool>()) {
        let (snapshot, facts) = world();
        let update = if all { Update::All } else { Update::WhatIsWrong };
        let written = rules::write("README.md", &facts, &snapshot, DocDepth::Lite);
        let merged = |text: &str| merge(text, &written, Contract::Readme, &check("README.md", text, &facts, &snapshot), update).text;
        let once = merged(&text);
        prop_assert_eq!(&merged(&once), &once);
    }

    #[test]
    fn any_files_give_facts_and_documents(files in prop::collection::btree_map("[a-z]{1,4}(/[a-z]{1,4})?\\.(rs|js|py|go|md|toml|json)", any_markdown(), 0..5)) {
        let mut snapshot = Snapshot::new("o", "n");
        for (path, text) in &files {
            snapshot.add(path, text.as_bytes());
        }
        let facts = Facts::of(&snapshot);
        for path in ["README.md", "docs/API.md", "docs/CHANGELOG.md", "docs/FAQ.md"] {
            let text = rules::write(path, &facts, &snapshot, DocDepth::Deep);
            prop_assert_eq!(sign::sign(&text, "x"), text);
        }
    }
}

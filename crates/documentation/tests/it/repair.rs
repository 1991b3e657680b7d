//! What was invented is taken out, and nothing else is.

use consign_contracts::authoring::DocDepth;
use consign_documentation::{
    Contract, Facts, IssueKind, check,
    diff::{self, LineCounts},
    markdown::Document,
    repair::{Taken, add_missing, remove_invented},
    rules,
};

use crate::world::{TRUE_README, checked, rust};

/// The document after the cut, and what went.
fn cut(text: &str) -> (String, Vec<Taken>) {
    let (out, removed) = remove_invented(text, &checked("README.md", text, &rust()));
    let left: Vec<_> = checked("README.md", &out, &rust())
        .issues
        .into_iter()
        .filter(|issue| issue.kind != IssueKind::Section)
        .collect();
    assert_eq!(left, [], "{out}");
    (out, removed.into_iter().map(|removed| removed.what).collect())
}

#[test]
fn only_what_was_invented_goes() {
    for (invented, without, taken) in [
        ("A. Set `SHOP_NOT_THERE` first. B.\n", "A. B.\n", Taken::Sentence),
        ("A.\nLast: `src/gone.rs`.\n", "A.\n\n", Taken::Sentence),
        ("Only `src/gone.rs` is here.\n\nB.\n", "B.\n", Taken::Line),
        ("- one\n- two, see `src/gone.rs`\n- three\n", "- one\n- three\n", Taken::Line),
        ("- one. Set `SHOP_NOT_THERE`.\n- two\n", "- one. \n- two\n", Taken::Sentence),
        (
            "| a | b |\n|---|---|\n| `SHOP_NOT_THERE` | x |\n| y | z |\n",
            "| a | b |\n|---|---|\n| y | z |\n",
            Taken::Line,
        ),
        ("See [the plan](docs/PLAN.md) now.\n", "See the plan now.\n", Taken::Link),
        ("A ![pic](pic.png) B.\n", "A  B.\n", Taken::Link),
        (
            "See [the plan][p] now.\n\n[p]: docs/PLAN.md\n\nB.\n",
            "See the plan now.\n\nB.\n",
            Taken::Link,
        ),
        (
            "```sh\nmake build\nmake coffee \\\n  now\n```\n",
            "```sh\nmake build\n```\n",
            Taken::Line,
        ),
        ("A.\n\n```sh\n# nice\nmake coffee\n```\n\nB.\n", "A.\n\nB.\n", Taken::Line),
        (
            "```console\n$ make coffee\nhot\n$ make build\n```\n",
            "```console\n$ make build\n```\n",
            Taken::Line,
        ),
        ("A.\n\n```json\n{\"a\": \n```\n\nB.\n", "A.\n\nB.\n", Taken::Block),
        ("A.\n\n```rust\nuse shop::count_stocks;\n```\n\nB.\n", "A.\n\nB.\n", Taken::Block),
        (
            "```toml\n[dependencies]\nshop = \"9.1\"\n```\n",
            "```toml\n[dependencies]\nshop = \"1.4.2\"\n```\n",
            Taken::Corrected,
        ),
        (
            "A.\n\n### `src/gone.rs`\n\nIt is good.\n\n### Next\n\nB.\n",
            "A.\n\n### Next\n\nB.\n",
            Taken::Section,
        ),
        (
            "A.\n\n### More\n\nSee `src/gone.rs`.\n\n### Next\n\nB.\n",
            "A.\n\n### Next\n\nB.\n",
            Taken::Line,
        ),
        ("A.\n\n```sh\nmake build\n", "A.\n\n```sh\nmake build\n```\n", Taken::Block),
    ] {
        let text = format!("# shop\n\n{invented}");
        let (out, all) = cut(&text);
        let wanted = format!("# shop\n\n{without}");
        assert_eq!((out.trim_end(), all), (wanted.trim_end(), vec![taken]), "{invented}");
    }
}

#[test]
fn what_is_right_or_kept_stays() {
    let critique = checked("README.md", TRUE_README, &rust());
    assert_eq!(remove_invented(TRUE_README, &critique), (TRUE_README.to_owned(), vec![]));
    let kept = "# shop\n\n<!-- keep -->\nRun `make coffee`.\n<!-- /keep -->\n";
    let critique = checked("README.md", kept, &rust());
    assert_eq!(critique.of(IssueKind::Command).count(), 1);
    assert_eq!(remove_invented(kept, &critique), (kept.to_owned(), vec![]));
}

#[test]
fn sections_that_lack_come_from_the_rules() {
    let facts = Facts::of(&rust());
    let by_rules = rules::write("README.md", &facts, &rust(), DocDepth::Standard);
    let text = "# shop\n\nOrders.\n\n## Usage\n\nRun `make build`.\n";
    let critique = check("README.md", text, &facts, &rust());
    let (out, added) = add_missing(text, &by_rules, Contract::Readme, &critique);
    assert_eq!(added, ["Features", "Installation", "Configuration", "Contributing", "License"]);
    assert_eq!(Contract::Readme.missing(&Document::read(&out)), Vec::<&str>::new());
    assert!(out.starts_with("# shop\n\nOrders.\n"));
    assert!(out.contains("## Usage\n\nRun `make build`.\n"));
    let critique = check("README.md", &out, &facts, &rust());
    assert_eq!(add_missing(&out, &by_rules, Contract::Readme, &critique), (out, vec![]));
}

#[test]
fn lines_are_counted_as_a_reader_would() {
    let count = |added, removed, changed| LineCounts { added, removed, changed };
    assert_eq!(diff::count("", "a\nb\n"), count(2, 0, 2));
    assert_eq!(diff::count("a\nb\nc\n", "a\nx\nc\n"), count(1, 1, 1));
    assert_eq!(diff::count("a\nb\n", "a\n"), count(0, 1, 1));
    assert_eq!(diff::count("a\n", "a\n"), count(0, 0, 0));
}

//! What Scribe writes by rules is true, and what people wrote is kept.

use consign_contracts::authoring::{DocDepth, DocPack};
use consign_documentation::{
    Contract, Facts, IssueKind, Snapshot,
    merge::{Update, What, merge, to_mend},
    repair::remove_invented,
    rules, sign, targets,
};

use crate::world::{TRUE_README, checked, node, python, rust, snapshot};

#[test]
fn documents_by_rules_pass_the_check() {
    for repository in [rust(), node(), python(), snapshot("empty", &[("notes.txt", "nothing")])] {
        let facts = Facts::of(&repository);
        let mut all: Snapshot = repository.clone();
        let targets =
            [targets::of_pack(DocPack::Full), vec!["docs/adr/0001-x.md".to_owned()]].concat();
        targets.iter().for_each(|target| all.add(target, b""));
        for depth in [DocDepth::Lite, DocDepth::Standard, DocDepth::Deep] {
            for target in &targets {
                let text = rules::write(target, &facts, &repository, depth);
                let critique = checked(target, &text, &all);
                assert_eq!(critique.issues, [], "{}/{target}\n{text}", repository.name);
                assert_eq!(critique.score, 100);
                let headings = text
                    .lines()
                    .filter(|line| line.starts_with("# ") || line.starts_with("## "))
                    .count();
                assert_eq!(text.matches("<!-- scribe: rules -->").count(), headings, "{target}");
            }
        }
    }
}

#[test]
fn a_readme_by_rules_says_what_the_repository_says() {
    let facts = Facts::of(&rust());
    let text = rules::write("README.md", &facts, &rust(), DocDepth::Standard);
    for word in [
        "# shop",
        "Orders of a small shop",
        "`SHOP_ADDRESS`",
        "[src/main.rs:7](src/main.rs#L7)",
        "MIT",
        "Rust 1.80 or newer",
        "cargo install --path .",
    ] {
        assert!(text.contains(word), "{word}\n{text}");
    }
    let changes = rules::write("docs/CHANGELOG.md", &facts, &rust(), DocDepth::Standard);
    for word in
        ["## Unreleased", "orders: show one order", "## Breaking Changes", "## 1.4.2 - 2026-03-01"]
    {
        assert!(changes.contains(word), "{word}\n{changes}");
    }
}

#[test]
fn words_of_a_stranger_bring_no_markup() {
    let manifest = "[package]\nname = \"x\"\ndescription = \"[click](http://evil.example) <script> `rm -rf` # ignore all <!-- keep -->\"\n";
    let repository =
        snapshot("x", &[("Cargo.toml", manifest), ("src/lib.rs", "pub fn run_it() {}\n")]);
    let text = rules::write("README.md", &Facts::of(&repository), &repository, DocDepth::Lite);
    for mark in ["<script>", "](http", "`rm", "<!-- keep"] {
        assert!(!text.contains(mark), "{mark}\n{text}");
    }
}

fn merged(existing: &str, written: &str, update: Update) -> (String, Vec<(String, What)>) {
    let critique = checked("README.md", existing, &rust());
    let merged = merge(existing, written, Contract::Readme, &critique, update);
    (merged.text, merged.changes.into_iter().map(|change| (change.heading, change.what)).collect())
}

fn by_rules() -> String {
    rules::write("README.md", &Facts::of(&rust()), &rust(), DocDepth::Standard)
}

#[test]
fn a_document_that_is_right_is_left_alone() {
    for text in [
        TRUE_README.to_owned(),
        TRUE_README.replace('\n', "\r\n"),
        TRUE_README.trim_end().to_owned(),
    ] {
        assert_eq!(merged(&text, &by_rules(), Update::WhatIsWrong), (text, vec![]));
    }
}

#[test]
fn only_the_wrong_section_is_replaced() {
    let broken = TRUE_README.replace("`SHOP_ADDRESS`", "`SHOP_HOST_NAME`");
    let by_model = by_rules().replace("<!-- scribe: rules -->", "<!-- scribe: openai/gpt-x -->");
    let (text, changes) = merged(&broken, &by_model, Update::WhatIsWrong);
    assert_eq!(changes, [("Configuration".to_owned(), What::Replaced)]);
    assert!(!text.contains("SHOP_HOST_NAME") && text.contains("`SHOP_ADDRESS`"));
    let (before, after) =
        (broken.find("## Configuration").unwrap(), broken.find("## Contributing").unwrap());
    assert!(text.starts_with(&broken[..before]) && text.ends_with(&broken[after..]));
    assert_eq!(checked("README.md", &text, &rust()).issues, []);
}

#[test]
fn the_rules_take_nobodys_words_away() {
    let existing = "# shop\n\nWords of Ada. Run `make nonsense`.\n\n## Usage\n\nRead [the rules](HOUSE_RULES.md) first.\n\n```rust\nfn (\n```\n\n## Thanks\n\nTo [Bo](BO.md).\n";
    let critique = checked("README.md", existing, &rust());
    let (wrong, headings) = to_mend(existing, &by_rules(), Contract::Readme, &critique);
    let kinds: Vec<IssueKind> = wrong.issues.iter().map(|issue| issue.kind).collect();
    assert_eq!(
        (kinds, headings),
        (vec![IssueKind::Command, IssueKind::Link], vec![String::new(), "Usage".to_owned()])
    );
    let (mended, _) = remove_invented(existing, &wrong);
    assert_eq!(
        mended,
        existing
            .replace("Run `make nonsense`.", "")
            .replace("[the rules](HOUSE_RULES.md)", "the rules")
    );
    let (text, changes) = merged(&mended, &by_rules(), Update::WhatIsWrong);
    assert!(changes.iter().all(|(_, what)| *what == What::Added), "{changes:?}");
    let (usage, thanks) = (mended.find("## Usage").unwrap(), mended.find("## Thanks").unwrap());
    for stays in [&mended[..usage], &mended[usage..thanks], &mended[thanks..]] {
        assert!(text.contains(stays), "{stays}\n{text}");
    }
    let (features, usage) = (text.find("## Features").unwrap(), text.find("## Usage").unwrap());
    assert!(features < usage, "{text}");
    assert_eq!(merged(&text, &by_rules(), Update::WhatIsWrong), (text.clone(), vec![]));
}

#[test]
fn a_licence_is_told_by_its_name() {
    let told = |licence: &str| {
        let manifest = format!("[package]\nname = \"x\"\nlicense = \"{licence}\"\n");
        let repository =
            snapshot("x", &[("Cargo.toml", &manifest), ("src/lib.rs", "pub fn a() {}\n")]);
        let text = rules::write("README.md", &Facts::of(&repository), &repository, DocDepth::Lite);
        text.rsplit_once("## License\n\n").unwrap().1.lines().next().unwrap().to_owned()
    };
    assert_eq!(told("Unlicense OR MIT"), "MIT, Unlicense.");
    assert_eq!(told("UNLICENSED"), "The repository names no licence.");
}

#[test]
fn examples_in_comments_are_no_facts() {
    let python = "import os\n\nQUERY = \"\"\"\nselect 1\n\"\"\"\n\ndef run():\n    \"\"\"Say::\n\n        @app.route('/shown')\n        os.environ['SHOWN']\n    \"\"\"\n    # os.environ['TOLD']\n    return os.environ['READ']\n\n@app.route('/served')\ndef serve(): pass\n";
    let facts = Facts::of(&snapshot("x", &[("x.py", python), ("docs/config.rst", "Config\n")]));
    let names: Vec<&str> = facts.environment.iter().map(|it| it.name.as_str()).collect();
    let paths: Vec<&str> = facts.endpoints.iter().map(|it| it.path.as_str()).collect();
    assert_eq!((names, paths), (vec!["READ"], vec!["/served"]));
    assert_eq!(facts.configuration, [""; 0]);
}

#[test]
fn a_missing_section_is_added_in_its_place() {
    let start = TRUE_README.find("## Contributing").unwrap();
    let end = TRUE_README.find("## License").unwrap();
    let without = [&TRUE_README[..start], &TRUE_README[end..]].concat();
    let (text, changes) = merged(&without, &by_rules(), Update::WhatIsWrong);
    assert_eq!(changes, [("Contributing".to_owned(), What::Added)]);
    let order: Vec<usize> = ["## Configuration", "## Contributing", "## License"]
        .iter()
        .map(|it| text.find(it).unwrap())
        .collect();
    assert!(order.is_sorted(), "{text}");
}

#[test]
fn what_people_wrote_survives() {
    let existing = "---\ntitle: shop\n---\n# The Shop\n\n[![build](https://img.shields.io/badge/build-ok-green.svg)](https://example.com)\n\nOld words.\n\n## House rules\n\nNo shoes.\n\n## Usage\n\nRun `make nonsense`.\n\n<!-- keep -->\nAsk Ada before you run it.\n<!-- /keep -->\n\nMore `make nonsense`.\n\n## License\n\nMIT\n";
    let (text, _) = merged(existing, &by_rules(), Update::All);
    for kept in [
        "---\ntitle: shop\n---\n# The Shop\n",
        "[![build]",
        "## House rules\n\nNo shoes.\n",
        "<!-- keep -->\nAsk Ada before you run it.\n<!-- /keep -->",
    ] {
        assert!(text.contains(kept), "{kept}\n{text}");
    }
    assert!(!text.contains("nonsense") && !text.contains("Old words"), "{text}");
    let order: Vec<usize> = ["## House rules", "## Usage", "## License"]
        .iter()
        .map(|it| text.find(it).unwrap())
        .collect();
    assert!(order.is_sorted(), "{text}");
    assert_eq!(merged(&text, &by_rules(), Update::All), (text.clone(), vec![]));
}

#[test]
fn wrong_words_between_keep_marks_are_left_to_people() {
    let kept = TRUE_README
        .replace("run `make build`.", "\n\n<!-- keep -->\nRun `make coffee`.\n<!-- /keep -->");
    assert_eq!(merged(&kept, &by_rules(), Update::WhatIsWrong).1, []);
}

#[test]
fn every_section_is_signed_once() {
    let signed = sign::sign("# A\n\ntext\n\n## B\n\nmore\n", "openai/gpt-x");
    assert_eq!(
        signed,
        "# A\n\ntext\n\n<!-- scribe: openai/gpt-x -->\n\n## B\n\nmore\n\n<!-- scribe: openai/gpt-x -->\n"
    );
    assert_eq!(sign::sign(&signed, "another"), signed);
    assert_eq!(sign::mark("a --> b"), "<!-- scribe: a-b -->");
}

#[test]
fn a_document_with_something_open_is_not_taken_apart() {
    for open in ["```sh\nrun", "<!-- keep -->", "<!-- a comment", "<!-- /keep -->"] {
        let existing = format!("# shop\n\nRun `make nonsense`.\n\n{open}\n\n## Usage\n\nx\n");
        let critique = checked("README.md", &existing, &rust());
        let merged = merge(&existing, &by_rules(), Contract::Readme, &critique, Update::All);
        assert_eq!((merged.text, merged.changes), (existing, vec![]), "{open}");
        assert!(merged.refused.is_some(), "{open}");
    }
}

#[test]
fn a_document_of_a_pack_may_have_another_name() {
    let check = |target: &str, there: &[&str], expected: Option<&str>| {
        assert_eq!(
            targets::held_by(target, there.iter().copied()),
            expected,
            "{target}: {there:?}"
        );
    };
    check("README.md", &["README.rst", "docs/README.md", "src/readme.txt"], Some("README.rst"));
    check("README.md", &["README", "README.rst"], Some("README"));
    check("README.md", &["docs/README.md", "README.zh.md", "readme_check.py"], None);
    check("docs/CHANGELOG.md", &["HISTORY.rst", "History.md"], Some("History.md"));
    check("docs/CHANGELOG.md", &["NEWS"], Some("NEWS"));
    check("docs/CHANGELOG.md", &["docs/releases.md", "CHANGES.md"], Some("CHANGES.md"));
    check("docs/CHANGELOG.md", &["src/history.rs", "CHANGELOG.old.md", "docs/history/x.md"], None);
    check("docs/CONTRIBUTING.md", &[".github/CONTRIBUTING.md"], Some(".github/CONTRIBUTING.md"));
    check(
        "docs/CONTRIBUTING.md",
        &[".github/contributing.md", "contributing.adoc"],
        Some(".github/contributing.md"),
    );
    check("docs/API.md", &["docs/api.rst", "docs/api", "api/api.md"], Some("docs/api"));
    check("docs/FAQ.md", &["docs/FAQ.md", "docs/FAQ.png"], None);
    for (path, expected) in [
        ("README.md", true),
        ("README", true),
        ("a.markdown", true),
        ("README.RST", false),
        ("x.txt", false),
    ] {
        assert_eq!(targets::is_markdown(path), expected, "{path}");
    }
}

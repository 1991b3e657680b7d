//! Scribe reads a repository and finds what a document invents.

use consign_contracts::authoring::{DocDepth, DocPack};
use consign_documentation::{
    Contract, Facts, IssueKind, check, choose, markdown::Document, plan, quality, targets,
};

use crate::world::{TRUE_README, checked, node, python, rust, snapshot};

#[test]
fn facts_have_their_sources() {
    let facts = Facts::of(&rust());
    let package = facts.main_package().expect("it has a manifest");
    assert_eq!((facts.name.as_str(), package.version.as_deref()), ("shop", Some("1.4.2")));
    assert_eq!(facts.licences.iter().collect::<Vec<_>>(), ["MIT"]);
    let named = |list: &[consign_documentation::facts::Named]| -> Vec<String> {
        list.iter().map(|named| format!("{} {}", named.name, named.source)).collect()
    };
    assert_eq!(named(&facts.options), ["--dry-run src/main.rs:9", "--listen-on src/main.rs:8"]);
    assert_eq!(
        named(&facts.environment),
        ["SHOP_ADDRESS src/main.rs:7", "SHOP_DATABASE_URL src/main.rs:14"]
    );
    let routes: Vec<String> = facts
        .endpoints
        .iter()
        .map(|it| format!("{} {} {}", it.method, it.path, it.source))
        .collect();
    assert_eq!(
        routes,
        [
            "GET /orders src/main.rs:16",
            "POST /orders src/main.rs:16",
            "GET /orders/{id} src/main.rs:17"
        ]
    );
    let item = facts.api.iter().find(|item| item.name == "count_stock").expect("it is public");
    assert_eq!(item.doc.as_deref(), Some("Counts the stock of one shelf."));
    let runs: Vec<&str> = facts.commands.iter().map(|command| command.run.as_str()).collect();
    assert_eq!(runs, ["cargo build", "cargo test", "cargo run", "make build", "make lint"]);
    let changes: Vec<(&str, bool, Option<&str>)> = facts
        .changes
        .iter()
        .map(|change| (change.subject.as_str(), change.breaking, change.release.as_deref()))
        .collect();
    assert_eq!(
        changes,
        [
            ("show one order", false, None),
            ("refuse negative amounts", true, None),
            ("release", false, Some("1.4.2")),
            ("list orders", true, None)
        ]
    );
}

#[test]
fn facts_of_other_languages() {
    let facts = Facts::of(&node());
    assert_eq!(facts.programs[0].name, "tiny-queue");
    let runs: Vec<&str> = facts.commands.iter().map(|command| command.run.as_str()).collect();
    assert_eq!(runs, ["npm install", "npm run build", "npm test", "npm run lint:fix"]);
    assert_eq!(facts.environment[0].name, "QUEUE_LOG_LEVEL");
    assert_eq!(facts.options[0].name, "--concurrency");
    assert_eq!(facts.endpoints[0].path, "/jobs/:id");
    let facts = Facts::of(&python());
    assert_eq!(facts.programs[0].name, "soil");
    assert_eq!(facts.environment[0].name, "SOIL_TOKEN");
    assert_eq!(facts.options[0].name, "--grid-size");
    assert!(facts.licences.contains("BSD-3-Clause"));
}

#[test]
fn a_true_document_has_no_issue() {
    let critique = checked("README.md", TRUE_README, &rust());
    assert_eq!(critique.issues, [], "{critique:#?}");
    assert!(critique.checked >= 20, "{}", critique.checked);
    assert_eq!((critique.score, critique.verified), (100, critique.checked));
}

/// One change each, and the issue that it must give at that line.
const BROKEN: &[(&str, &str, IssueKind, &str)] = &[
    ("make lint", "make lnit", IssueKind::Command, "make lnit"),
    ("cargo install", "cargo instal", IssueKind::Command, "cargo instal --path ."),
    ("git clone", "git clnoe", IssueKind::Command, "git clnoe https://example.com/shop"),
    ("--features tls", "--features ssl", IssueKind::Command, "cargo test --features ssl"),
    ("--dry-run", "--simulate", IssueKind::Option, "--simulate"),
    ("`src/main.rs`", "`src/routes.rs`", IssueKind::Path, "src/routes.rs"),
    ("`config/shop.toml`", "`config/shops.toml`", IssueKind::Path, "config/shops.toml"),
    ("`SHOP_DATABASE_URL`", "`SHOP_DB_URL`", IssueKind::Environment, "SHOP_DB_URL"),
    ("`count_stock()`", "`count_shelves()`", IssueKind::Name, "count_shelves"),
    ("`StockError`", "`ShelfError`", IssueKind::Name, "ShelfError"),
    ("use shop::count_stock", "use shop::count_stocks", IssueKind::Name, "count_stocks"),
    ("`GET /orders/7`", "`GET /purchases/7`", IssueKind::Endpoint, "GET /purchases/7"),
    ("`POST /orders`", "`DELETE /orders`", IssueKind::Endpoint, "DELETE /orders"),
    ("shop = \"1.4\"", "shop = \"2.0\"", IssueKind::Version, "shop 2.0"),
    ("Rust 1.80", "Rust 1.60", IssueKind::Version, "Rust 1.60"),
    ("the MIT license", "the Apache license", IssueKind::Licence, "Apache-2.0"),
    ("](#usage)", "](#how-to)", IssueKind::Link, "#how-to"),
    (
        "](docs/GUIDE.md#opening-hours)",
        "](docs/GUIDE.md#hours)",
        IssueKind::Link,
        "docs/GUIDE.md#hours",
    ),
    ("](LICENSE)", "](LICENSE.txt)", IssueKind::Link, "LICENSE.txt"),
    ("\"amount\": 2}", "\"amount\": 2", IssueKind::Block, "json: {\"article\": 7, \"amount\": 2"),
    ("count_stock(3);", "count_stock(3;", IssueKind::Block, "rust: use shop::count_stock;"),
    ("## Configuration", "## Colours", IssueKind::Section, "Configuration"),
    ("# shop\n", "\n", IssueKind::Section, "Title"),
];

#[test]
fn each_way_to_break_it_is_found_at_its_line() {
    let snapshot = rust();
    for (from, to, kind, reference) in BROKEN {
        let at = TRUE_README.find(from).unwrap_or_else(|| panic!("no {from}"));
        let text = TRUE_README.replacen(from, to, 1);
        let line = TRUE_README[..at].matches('\n').count() + 1;
        let critique = checked("README.md", &text, &snapshot);
        let issue = critique
            .issues
            .iter()
            .find(|issue| (issue.kind, issue.reference.as_str()) == (*kind, *reference));
        let issue = issue.unwrap_or_else(|| panic!("{to}: {:#?}", critique.issues));
        if *kind == IssueKind::Section {
            assert_eq!(issue.line, 0, "{to}");
        } else {
            // A block is flagged where it begins.
            let most = usize::from(*kind == IssueKind::Block);
            assert!(issue.line <= line && line - issue.line <= most, "{to}");
        }
        assert!(critique.score < 100, "{to}");
    }
}

#[test]
fn an_issue_says_what_may_be_meant() {
    let text = "# A\n\nRun `make lnit` or `shop --listen-onn`.\n";
    let critique = checked("docs/X.md", text, &rust());
    let texts: Vec<&str> = critique
        .issues
        .iter()
        .filter(|issue| issue.line > 0)
        .map(|issue| issue.text.as_str())
        .collect();
    assert_eq!(
        texts,
        [
            "line 3: command is not in the repository: `make lnit`; did you mean `make lint`?",
            "line 3: option is not in the code: `--listen-onn`; did you mean `--listen-on`?",
        ]
    );
}

#[test]
fn what_belongs_to_others_is_no_issue() {
    let text = "# A\n\nSet `<your-token>`, `HOME` and `path/to/file.rs`, see https://example.com and `std::collections::HashMap`.\nUse `clap::Parser`, [`fetch_all()`](https://docs.rs/other), `Vec<u8>`, `application/json`, `foo_bar()`.\n\n```sh\ncurl -fsSL https://example.com/install.sh | sh\nexport PATH=$PATH:~/bin\ndocker run --rm -it image\n```\n\n```python\nprint('another language')\nunknown_function()\n```\n";
    let critique = checked("docs/X.md", text, &rust());
    assert_eq!(
        critique.issues.iter().filter(|issue| issue.kind != IssueKind::Section).count(),
        0,
        "{critique:#?}"
    );
}

#[test]
fn a_changelog_may_name_what_is_gone() {
    let text = "# Changelog\n\n## Unreleased\n\n### Breaking Changes\n\n- removed `old_function()` and `--old-option`\n\n## 1.4.2\n\n- first\n";
    assert_eq!(checked("CHANGELOG.md", text, &rust()).issues, []);
    let newer = text.replace("1.4.2", "9.0.0");
    assert_eq!(checked("CHANGELOG.md", &newer, &rust()).issues[0].kind, IssueKind::Version);
}

#[test]
fn contracts_by_path_and_their_sections() {
    for (path, contract, sections) in [
        (
            "README.md",
            Contract::Readme,
            vec![
                "Title",
                "Features",
                "Installation",
                "Usage",
                "Configuration",
                "Contributing",
                "License",
            ],
        ),
        (
            "docs/DEVELOPMENT.md",
            Contract::Guide,
            vec![
                "Overview",
                "Prerequisites",
                "Main Content",
                "Examples",
                "Troubleshooting",
                "Next Steps",
            ],
        ),
        (
            "docs/CHANGELOG.md",
            Contract::Changelog,
            vec!["Unreleased", "Versions", "Breaking Changes"],
        ),
        (
            "docs/adr/0001-x.md",
            Contract::Adr,
            vec!["Status", "Context", "Decision", "Consequences"],
        ),
        (
            "docs/API.md",
            Contract::Api,
            vec!["Overview", "Authentication", "Endpoints", "Examples", "Error Handling"],
        ),
    ] {
        assert_eq!(Contract::of(path), contract, "{path}");
        assert_eq!(contract.missing(&Document::read("some text")), sections, "{path}");
    }
    let tolerant = "Shop\n====\n\n### 1. KEY FEATURES ✨\n\n## Getting Started\n\n#### Options:\n\n<h2>Contributing</h2>\n\nLicence\n-------\n";
    assert_eq!(Contract::Readme.missing(&Document::read(tolerant)), Vec::<&str>::new());
}

#[test]
fn the_page_lists_every_synonym() {
    let page = include_str!("../../../../docs/scribe.md");
    for contract in Contract::ALL {
        for section in contract.sections() {
            assert!(page.contains(section.name), "{}", section.name);
            for synonym in section.synonyms {
                assert!(page.contains(synonym), "{}: {synonym}", section.name);
            }
        }
    }
}

#[test]
fn targets_and_budgets() {
    assert_eq!(targets::of_pack(DocPack::Readme), ["README.md"]);
    assert_eq!(targets::of_pack(DocPack::Standard).len(), 4);
    assert_eq!(targets::of_pack(DocPack::Full).len(), 8);
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert_eq!(targets::targets(None, &[], None), ["README.md"]);
    assert_eq!(targets::targets(None, &[], Some("docs/X.md")), ["docs/X.md"]);
    assert_eq!(targets::targets(None, &words(&["a.md"]), Some("out/")), ["out/a.md"]);
    assert_eq!(
        targets::targets(Some(DocPack::Full), &words(&["FAQ", "docs/API.md", "x.md"]), None),
        ["docs/API.md", "docs/FAQ.md"]
    );
    let budget = targets::budget(Some(DocPack::Full), DocDepth::Lite, None, None);
    assert_eq!((budget.tokens, budget.passes, budget.clamped.len()), (4_000, 2, 0));
    let budget = targets::budget(None, DocDepth::Deep, Some(100_000), Some(1));
    assert_eq!((budget.tokens, budget.passes, budget.clamped.len()), (64_000, 1, 1));
}

#[test]
fn a_plan_names_sections_and_sources() {
    let facts = Facts::of(&rust());
    let plan = plan::plan(&facts, &["README.md".to_owned()], DocDepth::Lite);
    assert_eq!(plan.sections.len(), 7);
    let configuration = plan
        .sections
        .iter()
        .find(|it| it.outline.starts_with("Configuration"))
        .expect("it is planned");
    assert_eq!(configuration.sources, ["src/main.rs:14", "src/main.rs:7"]);
}

#[test]
fn what_does_not_fit_is_left_out_and_said() {
    let snapshot = rust();
    let (chosen, left_out) = choose::choose(&snapshot, 200);
    assert_eq!(&chosen[..2], ["Makefile", "Cargo.toml"]);
    assert_eq!(chosen.len() + left_out.len(), snapshot.files.len());
    assert!(
        chosen.iter().map(|path| choose::tokens(snapshot.text(path).unwrap())).sum::<u64>() <= 200
    );
}

#[test]
fn quality_is_made_of_its_parts() {
    let snapshot = rust();
    let good = checked("README.md", TRUE_README, &snapshot);
    let parts = quality::score(1, &[&good], &[]).expect("there is a document");
    assert_eq!(
        (parts.total(), parts.targets, parts.sections, parts.references, parts.critiques),
        (100, 30, 30, 25, 15)
    );
    let half = quality::score(2, &[&good], &[50]).expect("there is a document");
    assert_eq!((half.targets, half.critiques), (15, 7));
    assert_eq!(quality::score(1, &[], &[]), None);
    let bad = checked("README.md", "# shop\n\nRun `make everything`.\n", &snapshot);
    let parts = quality::score(1, &[&bad], &[]).expect("there is a document");
    assert_eq!((parts.sections, parts.references), (4, 0));
}

#[test]
fn the_checker_is_deterministic() {
    let mut snapshot = rust();
    snapshot.add("README.md", TRUE_README.as_bytes());
    let facts = Facts::of(&snapshot);
    let broken =
        TRUE_README.replace("make lint", "make lnit").replace("`SHOP_ADDRESS`", "`SHOP_X_Y`");
    let once = check("README.md", &broken, &facts, &snapshot);
    assert_eq!(once.issues.len(), 2, "{:?}", once.issues);
    assert_eq!(once, check("README.md", &broken, &facts, &snapshot));
}

#[test]
fn examples_of_a_library_are_its_own() {
    let go = snapshot(
        "args",
        &[
            ("go.mod", "module github.com/acme/args\n\ngo 1.20\n"),
            (
                "args.go",
                "package args\n\ntype Command struct{}\n\nfunc (c *Command) SetGroupID(id string) {}\n",
            ),
        ],
    );
    let text = "# args\n\n```go\nvar root = &args.Command{Use: \"pizza\"}\nfunc orderPizza() {}\n```\n\nThen `orderPizza()` runs with `--cheese`:\n\n```sh\npizza --cheese\nhelm status\n```\n\nA `boost::mpl::list` is not ours, and `.bashrc_local` is a file. [1][2]\n";
    let critique = checked("docs/guide.md", text, &go);
    let wrong: Vec<&str> = critique
        .issues
        .iter()
        .filter(|issue| issue.kind != IssueKind::Section)
        .map(|issue| issue.text.as_str())
        .collect();
    assert_eq!(wrong, Vec::<&str>::new());
    for (from, to, reference) in [
        ("args.Command", "args.CommandLine", "args.CommandLine"),
        ("Then `orderPizza()`", "Then `.SetGroupId()`", "SetGroupId"),
        ("helm status", "gti status", "gti status"),
    ] {
        let critique = checked("docs/guide.md", &text.replace(from, to), &go);
        assert!(critique.issues.iter().any(|issue| issue.reference == reference), "{reference}");
    }
}

#[test]
fn cmake_says_name_and_version() {
    let manifest = "cmake_minimum_required(VERSION 3.5)\n\nproject(Fast\n  VERSION 3.1.0\n  DESCRIPTION \"Parses fast\"\n)\n";
    let facts = Facts::of(&snapshot("fast", &[("CMakeLists.txt", manifest)]));
    let package = facts.main_package().expect("it has a manifest");
    assert_eq!((package.name.as_str(), package.version.as_deref()), ("Fast", Some("3.1.0")));
    assert_eq!((package.description.as_deref(), package.line), (Some("Parses fast"), 3));
}

#[test]
fn binary_and_long_files_count_as_paths_only() {
    let mut snapshot = snapshot("x", &[]);
    snapshot.add("logo.png", b"\x89PNG\0\0");
    snapshot.add("long.txt", &vec![b'a'; 5 << 20]);
    assert!(snapshot.files["long.txt"].cut);
    let critique =
        checked("docs/X.md", "# X\n\n![logo](../logo.png) ![gone](../gone.png)\n", &snapshot);
    let links: Vec<&str> =
        critique.of(IssueKind::Link).map(|issue| issue.reference.as_str()).collect();
    assert_eq!(links, ["../gone.png"]);
}

#[test]
fn what_is_drawn_left_out_or_brought_along_is_no_issue() {
    for text in [
        "```json\n{\"a\": 1}\n  ^ here\n```\n",
        "```js\nlogger({ key: <your own key> })\n```\n",
        "```rust\npub struct Foo { .. }\n```\n",
        "```python\n%timeit f(1, \\\n  2)\n```\n",
        "Licensed under the MIT license.\n\nThe hash is licensed under the BSD-3-Clause license.\n",
        "See [opening hours](/GUIDE.md) and `target/Release/shop_test.exe`.\n",
    ] {
        let critique = checked("docs/page.md", text, &rust());
        let wrong: Vec<_> =
            critique.issues.iter().filter(|issue| issue.kind != IssueKind::Section).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
    let claim = "The hash is licensed under the BSD-3-Clause license.\n";
    assert_eq!(checked("docs/page.md", claim, &rust()).of(IssueKind::Licence).count(), 1);
}

#[test]
fn an_option_that_no_example_of_a_library_declares_is_found() {
    let library = snapshot(
        "pizza",
        &[
            (
                "package.json",
                "{\"name\": \"pizza\", \"version\": \"1.0.0\", \"main\": \"index.js\"}",
            ),
            ("index.js", "exports.option = function option(name, strict) {}\n// allow-unknown\n"),
        ],
    );
    let page = |typed: &str, spoken: &str| {
        format!(
            "# pizza\n\n## Usage\n\n```js\nprogram.option('--cheese <type>')\n```\n\n```console\n$ pizzeria {typed}\n  --crust-size  how large it is\n```\n\nSay `{spoken}` for it.\n"
        )
    };
    let found = |typed: &str, spoken: &str| -> Vec<(usize, String)> {
        let issues = checked("docs/USE.md", &page(typed, spoken), &library).issues;
        let options = issues.into_iter().filter(|issue| issue.kind == IssueKind::Option);
        options.map(|issue| (issue.line, issue.reference)).collect()
    };
    for declared in ["--cheese", "--crust-size", "--help", "--allow-unknown"] {
        assert_eq!(found(&format!("{declared}=x"), declared), [], "{declared}");
    }
    let invented = "--melted-coins".to_owned();
    assert_eq!(found("--melted-coins", "--cheese"), [(10, invented.clone())]);
    assert_eq!(found("--melted", "--cheese"), [(10, "--melted".to_owned())]);
    assert_eq!(found("--cheese", "--melted-coins"), [(14, invented)]);
    // What a document types and speaks of is its own example.
    assert_eq!(found("--melted-coins 3", "--melted-coins"), []);
}

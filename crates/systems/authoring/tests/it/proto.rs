//! Proto by rules: the document's examples, and what holds for any text.

use std::collections::BTreeSet;

use consign_authoring::proto::{Refused, Scaffold, Source, check, check_paths, generate, reflect};
use proptest::prelude::*;

const TODO: &str = "Build a REST API for a todo list app with CRUD operations, user authentication, and PostgreSQL storage";
const STACKS: [&str; 3] = ["Node.js + Express + TypeScript", "FastAPI", "axum"];

fn content<'a>(scaffold: &'a Scaffold, path: &str) -> &'a str {
    let file = scaffold.artifacts.iter().find(|file| file.path == path);
    &file.unwrap_or_else(|| panic!("{path} is not there")).content
}

#[test]
fn the_example_of_the_document_gives_its_files() {
    let made = generate(Some(TODO), None, Some(STACKS[0])).unwrap();
    assert_eq!((made.source.as_str(), made.name.as_str()), ("stack", "Todo API"));
    assert!(content(&made, "README.md").starts_with("# Todo API\n"));
    assert!(content(&made, "package.json").starts_with('{'));
    assert!(content(&made, "src/index.ts").starts_with("import express from 'express';\n"));
    assert!(content(&made, "src/routes/todos.ts").contains("router.delete('/:id'"));
    assert!(content(&made, "src/db/schema.ts").contains("export interface TodoInput"));
    assert!(content(&made, "README.md").contains("DATABASE_URL"));
    assert!(content(&made, "schema.sql").contains("create table \"todos\""));
}

#[test]
fn without_a_known_stack_the_minimal_scaffold_is_made() {
    for stack in [None, Some(""), Some("COBOL on Cogs"), Some("Python + Django")] {
        let made = generate(Some(TODO), None, stack).unwrap();
        let paths: Vec<_> = made.artifacts.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["README.md", "package.json", "index.js"]);
        assert_eq!((made.source, made.source.as_str()), (Source::Fallback, "fallback"));
        assert!(content(&made, "README.md").contains("todo list app with CRUD operations"));
    }
    assert!(generate(Some(TODO), None, Some("COBOL")).unwrap().message.contains("COBOL"));
}

#[test]
fn a_request_for_nothing_is_refused() {
    assert_eq!(check(None, Some("\n")), Err(Refused::NothingAsked));
    assert_eq!(generate(Some(" "), None, Some("axum")), Err(Refused::NothingAsked));
    assert!(generate(None, Some("a blog"), None).is_ok());
}

#[test]
fn no_template_leaves_a_name_or_a_directive_behind() {
    let texts = [
        TODO,
        "Manage plants (name, price) and pots",
        "create and view parcels",
        "add and remove notes, users log in",
    ];
    for stack in STACKS.into_iter().chain([""]) {
        for text in texts {
            for file in generate(Some(text), None, Some(stack)).unwrap().artifacts {
                let leftover = file.content.lines().find(|line| {
                    let word = line.trim();
                    line.contains("@{")
                        || word == "@end"
                        || word == "@else"
                        || word.starts_with("@if ")
                        || word.starts_with("@for ")
                });
                assert_eq!(leftover, None, "{stack}: {}", file.path);
            }
        }
    }
}

#[test]
fn text_of_a_stranger_stays_text() {
    let evil = "# x](http://evil) <script>alert(1)</script>\ncalled \"'); process.exit(1); //\" manage \"'];drop\" \
                widgets (a\"b, ${x}, {{y}}) `rm -rf /` \u{202e} */ \"\"\" ''' @{title}\n@end\n@if auth";
    for stack in STACKS.into_iter().chain([""]) {
        let made = generate(Some(evil), None, Some(stack)).unwrap();
        for file in &made.artifacts {
            for sign in
                ["process.exit(1); //", "<script>", "'];drop", "${x}", "rm -rf /`", "\u{202e}"]
            {
                let manifest =
                    ["package.json", "pyproject.toml", "Cargo.toml"].contains(&file.path.as_str());
                // A manifest quotes the description; `parses` below holds that it stays a string.
                assert!(
                    manifest || !file.content.contains(sign) || escaped(&file.content, sign),
                    "{stack}: {} has {sign}",
                    file.path
                );
            }
        }
        parses(&made);
    }
}

/// In the README the text stands in a quote, with all Markdown escaped.
fn escaped(content: &str, sign: &str) -> bool {
    let quoted = content
        .lines()
        .filter(|line| line.contains(sign))
        .all(|line| line.starts_with('>') || line.starts_with("# "));
    quoted && !sign.contains(['<', '`', '\u{202e}'])
}

#[track_caller]
fn parses(made: &Scaffold) {
    for file in &made.artifacts {
        if file.path.ends_with(".json") {
            let value: serde_json::Value = serde_json::from_str(&file.content)
                .unwrap_or_else(|error| panic!("{}: {error}", file.path));
            assert!(value.is_object());
        }
        if file.path.ends_with(".toml") {
            toml::from_str::<toml::Table>(&file.content)
                .unwrap_or_else(|error| panic!("{}: {error}", file.path));
        }
    }
}

/// Texts that are likely to reach every rule: its words, marks and quotes in any order.
fn wordy() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "manage", "CRUD", "for", "API", "list", "of", "todo", "Orders", "users", "record", "class",
        "type", "(", ")", ",", "and", "\"", "`", "called", "Widget", "widgets", "login", "without",
        "auth", "Postgres", "create", "delete", "tracker", "with", "fields", "#", "\n", ".", "é",
        "日本", "string", "date", "results", "people", "self", "mod", "health", "auths", "-", "'",
    ]);
    prop::collection::vec(words, 0..40).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gives_a_safe_scaffold_and_the_same_one_twice(
        text in prop_oneof![any::<String>(), "\\PC{0,200}", wordy()],
        goal in prop::option::of(wordy()),
        stack in prop_oneof![Just("express".to_owned()), Just("python".into()), Just("rust".into()), any::<String>()],
    ) {
        let made = generate(Some(&text), goal.as_deref(), Some(&stack));
        prop_assert_eq!(&made, &generate(Some(&text), goal.as_deref(), Some(&stack)));
        prop_assert_eq!(made.is_ok(), check(Some(&text), goal.as_deref()).is_ok());
        let Ok(made) = made else { return Ok(()) };
        prop_assert_eq!(check_paths(&made.artifacts), Ok(()));
        for file in &made.artifacts {
            prop_assert!(file.path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte)), "{}", file.path);
            prop_assert!(file.content.is_empty() || file.content.ends_with('\n'));
        }
        parses(&made);
        prop_assert!(!made.plan.is_empty() && !made.message.contains('\n') && !made.name.trim().is_empty());
        prop_assert!(reflect(&made, &text).score <= 100);
    }

    #[test]
    fn entities_of_a_scaffold_have_names_of_their_own(text in wordy()) {
        prop_assume!(check(Some(&text), None).is_ok());
        let made = generate(Some(&text), None, Some("express")).unwrap();
        let schema = content(&made, "src/db/schema.ts");
        let types: Vec<&str> = schema.lines().filter(|line| line.starts_with("export interface")).collect();
        prop_assert_eq!(types.len(), types.iter().collect::<BTreeSet<_>>().len());
    }
}

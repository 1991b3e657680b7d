//! `docs/errors.md` has every code that the program can say, with its status, and no other.

use std::collections::{BTreeMap, BTreeSet};

use super::{page, quoted, rows, sources};

/// Texts in capitals that are no codes of ours: words of providers, of languages, of SQL, variables of other programs,
/// and codes that are always replaced before they are told.
const NO_CODES: [&str; 32] = [
    "API_KEY_INVALID",
    "BIRTH_DATE",
    "CARGO_PKG_VERSION",
    "DATABASE_URL",
    "ENDED",
    "FAILED_PRECONDITION",
    "GITHUB_PERSONAL_ACCESS_TOKEN",
    "HALTED_COST",
    "HALTED_TIME",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "IMAGE_SAFETY",
    "INTERVENTION_REQUIRED",
    "INVALID_ARGUMENT",
    "MAX_TOKENS",
    "MIMALLOC_ARENA_EAGER_COMMIT",
    "NATIONAL_ID",
    "NODE_EXTRA_CA_CERTS",
    "OMP_THREAD_LIMIT",
    "PERMISSION_DENIED",
    "PIP_REQUIRE_VIRTUALENV",
    "PROHIBITED_CONTENT",
    "REFUSED",
    "RESOURCE_EXHAUSTED",
    "RUST_BACKTRACE",
    "SCREAMING_CASE",
    "TEST_CASE",
    "TEST_F",
    "TEST_P",
    "TOOL_FAILED",
    "TYPED_TEST",
    "UPPER_CASE",
];
/// What makes an error or a fault of a code, however long the code is.
const MAKERS: [&str; 5] = ["new(", "usage(", "permanent(", "transient(", "outcome_unknown("];
/// Closed vocabularies whose words are codes.
const ENUMS: [&str; 3] = ["enum ErrorCode {", "enum ErrorType {", "enum FailureCode {"];
/// Why an envelope ended; a run that ended so fails with the word in capitals.
const REASONS: &str = "enum TerminalReason {";
/// These end nothing, or end it well.
const NO_FAILURES: [&str; 3] =
    ["COMPLETED_SUCCESSFULLY", "CLARIFICATION_REQUIRED", "CONFIRMATION_REQUIRED"];

/// The codes of the sources, each with a file that has it, and everything that could be one.
fn in_the_sources() -> (BTreeMap<String, String>, BTreeSet<String>) {
    let (mut codes, mut literals) = (BTreeMap::new(), BTreeSet::new());
    for source in sources::program() {
        // It names variables of other programs.
        if source.path.ends_with("scribe/check/known.rs") {
            continue;
        }
        let mut add = |code: &str| {
            codes.entry(code.to_owned()).or_insert_with(|| source.path.display().to_string());
        };
        for (before, word) in sources::capitals(&source.text) {
            literals.insert(word.to_owned());
            let made = MAKERS.iter().any(|maker| before.trim_end().ends_with(maker));
            if word.contains('_') || made {
                add(word);
            }
        }
        for name in ENUMS {
            words(&source.text, name).for_each(&mut add);
        }
        for reason in words(&source.text, REASONS) {
            let code = reason.to_uppercase();
            if !NO_FAILURES.contains(&&*code) {
                add(&code);
                literals.insert(code);
            }
        }
    }
    codes.retain(|code, _| !NO_CODES.contains(&&**code));
    (codes, literals)
}

/// The words of an enum that is declared in a text.
fn words<'t>(text: &'t str, declaration: &str) -> impl Iterator<Item = &'t str> {
    let body = text.split_once(declaration).map_or("", |(_, rest)| rest);
    let body = body.split_once('}').map_or("", |(body, _)| body);
    body.split('"').skip(1).step_by(2)
}

/// The codes of the page, each with its status where it has one. A code that stands twice is a mistake.
fn on_the_page() -> BTreeMap<String, String> {
    let page = page("docs/errors.md");
    let mut codes = BTreeMap::new();
    for row in rows(&page).into_iter().filter(|row| row.len() == 4) {
        for code in quoted(row[0]) {
            let before = codes.insert(code.to_owned(), row[1].to_owned());
            assert!(before.is_none(), "docs/errors.md has {code} twice");
        }
    }
    assert!(codes.len() > 150, "the pattern of this test finds only {codes:?}");
    codes
}

/// Variables are on a page of their own.
fn variables() -> BTreeSet<String> {
    quoted(&page("docs/settings.md")).map(str::to_owned).collect()
}

#[test]
fn every_code_of_the_sources_is_on_the_page() {
    let ((codes, _), page, variables) = (in_the_sources(), on_the_page(), variables());
    let missing: Vec<_> = codes
        .iter()
        .filter(|(code, _)| !page.contains_key(*code) && !variables.contains(*code))
        .map(|(code, file)| format!("{code} of {file}"))
        .collect();
    let told = "docs/errors.md lacks these codes; add a row with meaning and remedy for each, or, where it is no code, \
                name it in NO_CODES of tests/acceptance/pages/errors.rs";
    assert!(missing.is_empty(), "{told}:\n{}", missing.join("\n"));
}

#[test]
fn every_code_of_the_page_is_in_the_sources() {
    let (_, literals) = in_the_sources();
    let gone: Vec<_> = on_the_page().into_keys().filter(|code| !literals.contains(code)).collect();
    assert!(gone.is_empty(), "docs/errors.md has codes that the program no longer says: {gone:?}");
}

/// The server's one table: `line(404, "CODE")`, `invalid("CODE")` and `store_failure("CODE")`.
fn statuses() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for source in sources::program() {
        let table = source.text.split_once("const TABLE: &[Line] = &[");
        let Some((table, _)) = table.and_then(|(_, rest)| rest.split_once("];")) else { continue };
        for entry in table.lines().map(|line| line.trim().trim_end_matches("),")) {
            let Some((kind, given)) = entry.split_once('(') else { continue };
            let (status, code) = match kind {
                "line" => given.split_once(", ").expect("a status and a code"),
                "invalid" => ("400", given),
                "store_failure" => ("500", given),
                other => panic!("{other} is new in the server's table: say here what it means"),
            };
            // A constant is called like its code.
            found.insert(code.trim_matches('"').to_owned(), status.to_owned());
        }
    }
    assert!(found.len() > 30, "the server's table was not found: {found:?}");
    found
}

#[test]
fn every_code_has_the_status_that_the_server_gives_it() {
    let (statuses, page) = (statuses(), on_the_page());
    let mut wrong = Vec::new();
    for (code, told) in &page {
        let ours = statuses.get(code).map_or("", String::as_str);
        if told != ours {
            wrong
                .push(format!("{code} is {told:?} on the page and {ours:?} in the server's table"));
        }
    }
    assert!(wrong.is_empty(), "docs/errors.md, column HTTP:\n{}", wrong.join("\n"));
}

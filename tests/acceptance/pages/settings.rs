//! `docs/settings.md`: the variables that the sources name, the files that a home has, and the keys that its settings
//! take.

use std::collections::BTreeSet;

use super::{block, page, quoted, rows, section, sources};
use crate::{home::Home, support::root};

const PAGE: &str = "docs/settings.md";
/// A key that nothing takes.
const UNKNOWN: &str = "no_such_key";

/// The first cells of the tables in a section, taken apart.
fn names(page: &str, heading: &str) -> BTreeSet<String> {
    let rows = rows(section(page, heading));
    let names = rows.iter().skip(1).flat_map(|row| quoted(row[0]));
    names.map(str::to_owned).collect()
}

/// Whether a text in capitals is the name of a variable of ours.
fn is_ours(name: &str) -> bool {
    name.starts_with("CONSIGN_")
        || name.starts_with("AI_KEY_ENCRYPTION_KEY")
        || name.ends_with("_API_KEY")
        || name.ends_with("_BASE_URL")
        || name.contains("_OAUTH_CLIENT_")
        || ["GITHUB_API_URL", "GITHUB_MCP_URL", "GITHUB_TOKEN"].contains(&name)
}

#[test]
fn every_variable_that_the_sources_name_is_on_the_page_and_no_other() {
    let page = page(PAGE);
    let (mut ours, mut read) = (BTreeSet::new(), BTreeSet::new());
    for source in sources::program() {
        for (before, name) in sources::capitals(&source.text) {
            if is_ours(name) {
                ours.insert(name.to_owned());
            } else if ["var(", "var_os("].iter().any(|reader| before.ends_with(reader)) {
                read.insert(name.to_owned());
            }
        }
    }
    let mut told = names(&page, "### Read by Consign");
    told.append(&mut names(&page, "### Given to programs that Consign starts"));
    assert!(ours.len() > 20, "the pattern of this test finds only {ours:?}");
    assert_eq!(told, ours, "{PAGE}, left; the sources, right");
    let of_the_system = names(&page, "### Of the system");
    let missing: Vec<_> = read.difference(&of_the_system).collect();
    assert!(missing.is_empty(), "{PAGE} lacks {missing:?}");
}

#[test]
fn every_file_of_a_home_is_on_the_page() {
    let page = page(PAGE);
    let told: BTreeSet<String> = names(&page, "## The home")
        .into_iter()
        .map(|name| name.trim_end_matches('/').to_owned())
        .collect();
    let home = Home::new();
    home.start("sample/steps", r#"{"steps": 1}"#, 0);
    home.run(&["keys", "init"]).exits(0);
    let agent = root().join("examples/agents/word-count.toml");
    home.run(&["agents", "add", &agent.to_string_lossy()]).exits(0);
    let stage = "name = \"p\"\n[[stage]]\nname = \"s\"\n\
                 agent = { effect = \"pure\", subprocess = { command = [\"echo\", \"1\"] } }\n";
    home.run(&["run", &home.file("pipeline.toml", stage)]).exits(0);
    let _worker = home.worker();
    let found: BTreeSet<String> = std::fs::read_dir(home.path())
        .expect("the commands made it")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(found.len() >= 6, "{found:?}");
    let missing: Vec<_> = found.difference(&told).collect();
    assert!(missing.is_empty(), "{PAGE} lacks {missing:?}, which are in a home");
    let named: String = sources::program().into_iter().map(|source| source.text).collect();
    let gone = |name: &&String| !found.contains(*name) && !named.contains(&format!("{name}\""));
    let gone: Vec<_> = told.iter().filter(gone).collect();
    assert!(gone.is_empty(), "{PAGE} has {gone:?}, which no source names");
}

/// A home with this file in it.
fn home_with(file: &str, text: &str) -> Home {
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a temporary folder can be made");
    std::fs::write(home.path().join(file), text).expect("it can be written");
    home
}

/// The keys of a table of settings, as the page lists them.
fn keys(page: &str, heading: &str, table: &str) -> BTreeSet<String> {
    let rows = rows(section(page, heading));
    let of_table = rows.iter().filter(|row| row[0].trim_matches('`') == table);
    of_table.flat_map(|row| quoted(row[1])).map(str::to_owned).collect()
}

/// The keys that the program says it knows, when it refuses one: the end of the line that names that one.
fn known(told: &str) -> BTreeSet<String> {
    let mut lines = told.lines().filter(|line| line.contains(UNKNOWN) && line.contains(", "));
    let line = lines.next().unwrap_or_else(|| panic!("no keys are listed: {told}"));
    let last_word = |part: &str| part.split_whitespace().last().unwrap_or_default().to_owned();
    // Two are listed as "a or b".
    let line = line.replace(" or ", ", ");
    let words = line.split(", ").map(last_word).map(|word| word.trim_matches('`').to_owned());
    words.filter(|word| word != UNKNOWN).collect()
}

/// Puts a line behind the one that begins so, or first of all.
fn with_line(text: &str, after: &str, line: &str) -> String {
    if after.is_empty() {
        return format!("{line}\n{text}");
    }
    assert!(text.contains(after), "{after:?} is not in {text}");
    text.lines()
        .flat_map(|old| if old.starts_with(after) { vec![old, line] } else { vec![old] })
        .flat_map(|line| [line, "\n"])
        .collect()
}

#[test]
fn every_setting_of_the_page_is_taken_and_any_other_refused() {
    let page = page(PAGE);
    let unknown = format!("{UNKNOWN} = 1");
    for (file, heading, tables) in [
        (
            "models.toml",
            "## models.toml",
            &[("providers", "[providers"), ("patience", "[patience"), ("policy", "[policy")][..],
        ),
        ("prices.toml", "## prices.toml", &[("top", ""), ("models", "[models")]),
        (
            "settings.toml",
            "## settings.toml",
            &[("connector", "[connector"), ("parser", "[parser")],
        ),
        ("accounts.toml", "## accounts.toml", &[("top", ""), ("mail", "[mail")]),
    ] {
        let reader = match file {
            "accounts.toml" => ["users", "list"],
            "settings.toml" => ["sources", "list"],
            _ => ["models", "list"],
        };
        let block = block(&page, "toml", &format!("# {file}"));
        home_with(file, block).run(&reader).exits(0);
        for (table, opening) in tables {
            let told = keys(&page, heading, table);
            for key in &told {
                let there = [format!("{key} ="), format!("[{key}."), format!("[{key}]")];
                let there = there.iter().any(|form| block.contains(form));
                assert!(there, "{PAGE}: the example of {file} lacks {key}");
            }
            let text = with_line(block, opening, &unknown);
            let refused = home_with(file, &text).run(&reader);
            let refused = refused.fails(1, "CONFIG_INVALID").stderr;
            assert_eq!(told, known(&refused), "{PAGE}, left; the program, right: {refused}");
        }
    }
    // The rates beyond a number of tokens are in one line.
    let block = block(&page, "toml", "# prices.toml");
    let text = block.replace("over = {", &format!("over = {{ {unknown},"));
    let refused = home_with("prices.toml", &text).run(&["models", "list"]);
    let refused = refused.fails(1, "CONFIG_INVALID").stderr;
    assert_eq!(keys(&page, "## prices.toml", "over"), known(&refused), "{refused}");
}

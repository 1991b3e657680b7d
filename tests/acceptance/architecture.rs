//! The layout of the house: which crate may import which, and that surfaces drive nothing themselves.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("we are in it")
}

/// The crates of ours that a manifest names in a section.
fn ours(manifest: &str, section: &str) -> BTreeSet<String> {
    let heading = format!("[{section}]");
    let lines = manifest.lines().skip_while(|line| line.trim() != heading).skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.strip_prefix("consign-"))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .map(str::to_owned)
        .collect()
}

/// What each crate below `crates/` imports, without what only its tests do.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let mut imports = BTreeMap::new();
    for folder in ["crates", "crates/systems"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder of ours") {
            let path = entry.expect("a readable folder").path();
            let Ok(manifest) = fs::read_to_string(path.join("Cargo.toml")) else { continue };
            let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
            imports.insert(name, ours(&manifest, "dependencies"));
        }
    }
    assert!(imports.len() >= 15, "the pattern of this test finds only {:?}", imports.keys());
    imports
}

const SYSTEMS: [&str; 7] =
    ["authoring", "basics", "conversation", "pipeline", "questions", "supervised", "template"];

/// What a crate may import. A crate that is not here must be put here, with what it may.
fn allowed(name: &str) -> &'static [&'static str] {
    const BELOW_SYSTEMS: &[&str] = &[
        "answers",
        "code",
        "connector",
        "contracts",
        "documentation",
        "engine",
        "files",
        "guard",
        "invokers",
        "knowledge",
        "models",
        "parsers",
        "repositories",
        "store",
    ];
    match name {
        "contracts" | "files" => &[],
        "engine" => &["contracts"],
        "accounts" => &["engine"],
        "identity" => &["accounts", "contracts", "engine", "models"],
        "store" => &["accounts", "contracts", "engine", "files", "knowledge"],
        "knowledge" => &["contracts", "engine"],
        "answers" => &["contracts", "knowledge"],
        "embeddings" => &["files", "knowledge"],
        "models" => &["contracts", "engine", "files"],
        "double" => &["contracts", "engine", "models"],
        "invokers" => &["contracts", "engine", "files", "models"],
        "repositories" => &["contracts", "engine", "files", "invokers", "models"],
        "code" => &["files"],
        "connector" => &["contracts", "engine", "files", "invokers", "models"],
        "documentation" => &["code", "contracts"],
        "guard" => &["contracts"],
        "parsers" => &["contracts", "files"],
        "testkit" => &["accounts", "contracts", "engine", "guard", "knowledge"],
        system if SYSTEMS.contains(&system) => BELOW_SYSTEMS,
        "app" => &[
            "accounts",
            "answers",
            "authoring",
            "basics",
            "code",
            "connector",
            "contracts",
            "conversation",
            "embeddings",
            "engine",
            "files",
            "guard",
            "identity",
            "invokers",
            "knowledge",
            "models",
            "parsers",
            "pipeline",
            "questions",
            "repositories",
            "store",
            "supervised",
            "template",
        ],
        "server" => &["accounts", "app", "contracts", "engine"],
        "cli" => &[
            "accounts",
            "app",
            "authoring",
            "basics",
            "contracts",
            "double",
            "engine",
            "files",
            "guard",
            "invokers",
            "models",
            "pipeline",
            "questions",
            "server",
            "store",
            "supervised",
            "template",
        ],
        other => panic!("crate {other} is new: say in this test what it may import"),
    }
}

#[test]
fn dependencies_point_down_only() {
    let mut wrong = Vec::new();
    for (name, imports) in imports() {
        let allowed = allowed(&name);
        for import in imports.iter().filter(|import| !allowed.contains(&import.as_str())) {
            wrong.push(format!("{name} imports {import}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_system_imports_another() {
    for (name, imports) in imports() {
        if SYSTEMS.contains(&name.as_str()) {
            let others: Vec<_> =
                imports.iter().filter(|import| SYSTEMS.contains(&import.as_str())).collect();
            assert!(others.is_empty(), "{name} imports {others:?}");
        }
    }
}

/// The sources of a crate, without its tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of ours") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|known| known == "rs") {
            found.push(path);
        }
    }
    found
}

/// Calls that start, drive, answer, raise or cancel runs, or carry envelopes.
const DRIVES: [&str; 16] = [
    ".enlist()",
    ".submit(",
    ".attend(",
    ".repeated(",
    "engine.answer(",
    "engine.decline(",
    "engine.raise(",
    "engine.cancel(",
    "engine.advise(",
    "engine.mirror(",
    "engine.follow(",
    "Worker::new(",
    "InMemoryDriver::new(",
    "carry(",
    "Submission {",
    "Engine::new(",
];

/// Whether a line has this call. A longer name that ends with it is another one.
fn names(line: &str, call: &str) -> bool {
    let is_name = |before: &str| before.ends_with(|letter: char| letter.is_alphanumeric());
    let begins = call.starts_with(char::is_alphanumeric);
    line.match_indices(call).any(|(at, _)| !(begins && is_name(&line[..at])))
}

#[test]
fn surfaces_reach_the_engine_through_app_alone() {
    let mut wrong = Vec::new();
    for krate in ["crates/cli/src", "crates/server/src"] {
        for file in sources(&root().join(krate)) {
            let text = fs::read_to_string(&file).expect("a source of ours");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (at, line) in code.lines().enumerate() {
                let spoken = line.trim_start().starts_with("//");
                for call in DRIVES.iter().filter(|call| !spoken && names(line, call)) {
                    wrong.push(format!("{}:{}: {call}", file.display(), at + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "use cases belong into crates/app:\n{}", wrong.join("\n"));
}

/// What drives a creation and shows it as a run: a use case puts them together.
const TEMPLATE_PARTS: [&str; 2] = ["maker", "mirror"];

/// The modules of a crate that a source names: after `krate::`, also in a list in braces.
fn modules_named(code: &str, krate: &str) -> BTreeSet<String> {
    let name = |text: &str| {
        let text = text.trim_start();
        let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        text[..end.unwrap_or(text.len())].to_owned()
    };
    let mut named = BTreeSet::new();
    for (at, _) in code.match_indices(&format!("{krate}::")) {
        let rest = code[at + krate.len() + 2..].trim_start();
        let Some(list) = rest.strip_prefix('{') else {
            named.insert(name(rest));
            continue;
        };
        // Only what stands in the list itself: `a::{b, c}` in it names `a`.
        let (mut depth, mut begins) = (1, true);
        for (at, letter) in list.char_indices() {
            if begins && depth == 1 {
                named.insert(name(&list[at..]));
                begins = false;
            }
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' => begins = depth == 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    // A comma after the last one.
    named.remove("");
    named
}

#[test]
fn modules_are_found_however_they_are_named() {
    let code = "use consign_template::{\n    answers,\n    creation::{Order, mirror_of},\n    maker::End,\n};\n\
                use consign_template::folder::Folder;\nconsign_template::mirror::sync(x); other::maker::y()";
    let named = modules_named(code, "consign_template");
    let expected = ["answers", "creation", "folder", "maker", "mirror"];
    assert_eq!(named, expected.map(str::to_owned).into());
}

#[test]
fn surfaces_make_templates_through_app_alone() {
    let mut wrong = Vec::new();
    for krate in ["crates/cli/src", "crates/server/src"] {
        for file in sources(&root().join(krate)) {
            let text = fs::read_to_string(&file).expect("a source of ours");
            let named = modules_named(&text, "consign_template");
            let parts = TEMPLATE_PARTS.iter().filter(|part| named.contains(**part));
            wrong.extend(parts.map(|part| format!("{}: {part}", file.display())));
        }
    }
    assert!(wrong.is_empty(), "use cases belong into crates/app:\n{}", wrong.join("\n"));
}

#[test]
fn the_server_words_no_commands_and_knows_no_workflow() {
    let mut wrong = Vec::new();
    for file in sources(&root().join("crates/server/src")) {
        let text = fs::read_to_string(&file).expect("a source of ours");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (at, line) in code.lines().enumerate() {
            if line.contains("\"pipeline/")
                || line.contains("consign runs")
                || line.contains("consign template")
            {
                wrong.push(format!("{}:{}: {}", file.display(), at + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

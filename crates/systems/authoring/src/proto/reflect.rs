//! A second look at a scaffold, whoever made it: is what was asked for there, and does it hold together?

use super::find;
use super::needs::Needs;
use super::{Artifact, Scaffold, check_paths};

/// What a second look found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reflection {
    /// What is wrong or missing.
    pub issues: Vec<String>,
    /// What would make it better.
    pub suggestions: Vec<String>,
    /// 100 less 15 for every issue and 3 for every suggestion, at least 0.
    pub score: u8,
}

/// Compares a scaffold with its requirements. A finding never fails a job; the result tells it.
pub fn reflect(scaffold: &Scaffold, requirements: &str) -> Reflection {
    let files = &scaffold.artifacts;
    let mut issues = Vec::new();
    if let Err(refused) = check_paths(files) {
        issues.push(format!("A file cannot be written: {refused}."));
    }
    issues.extend(files.iter().filter_map(parse_problem));
    issues.extend(uncovered(files, requirements));
    issues.extend(broken_promises(files));
    let suggestions = suggestions(files, requirements);
    let lost = issues.len().saturating_mul(15).saturating_add(suggestions.len().saturating_mul(3));
    let score = u8::try_from(100usize.saturating_sub(lost)).unwrap_or(0);
    Reflection { issues, suggestions, score }
}

fn parse_problem(file: &Artifact) -> Option<String> {
    let error = match extension(&file.path) {
        "json" => serde_json::from_str::<serde::de::IgnoredAny>(&file.content)
            .err()
            .map(|error| error.to_string()),
        "toml" => toml::from_str::<toml::Table>(&file.content)
            .err()
            .map(|error| error.message().to_owned()),
        _ => None,
    };
    error.map(|error| format!("{} does not parse: {error}.", file.path))
}

/// Entities and operations that the requirements name and no source file shows.
fn uncovered(files: &[Artifact], requirements: &str) -> Vec<String> {
    let needs = Needs::read(requirements);
    let sources: Vec<String> = files
        .iter()
        .filter(|file| is_source(&file.path))
        .map(|file| file.content.to_lowercase())
        .collect();
    let shows =
        |words: &[&str]| sources.iter().any(|text| words.iter().any(|word| text.contains(word)));
    let mut missing = Vec::new();
    if needs.entities_found {
        for entity in &needs.entities {
            let (one, many) = (entity.one.snake(), entity.many.snake());
            if !shows(&[&one, &many, &entity.one.camel().to_lowercase(), &entity.many.kebab()]) {
                missing.push(format!("No source file is about {}.", entity.many.spoken()));
            }
        }
        let mut operations = vec![
            ("create", ["post(", ".create(", "insert"]),
            ("read and list", ["get(", ".list(", "select"]),
        ];
        operations.extend(needs.update.then_some(("update", ["put(", "patch(", ".update("])));
        operations
            .extend(needs.delete.then_some(("delete", ["delete(", "remove(", "delete from"])));
        for (operation, signs) in operations {
            if !shows(&signs) {
                missing.push(format!(
                    "No source file shows how to {operation} {}.",
                    needs.entities[0].many.spoken()
                ));
            }
        }
    }
    if needs.auth && !shows(&["scrypt", "argon2", "bcrypt", "jwt", "bearer", "oauth", "session"]) {
        missing.push("Authentication is asked for and no source file has it.".into());
    }
    missing
}

/// Paths and scripts that the README names and that are not there.
fn broken_promises(files: &[Artifact]) -> Vec<String> {
    let Some(readme) = files.iter().find(|file| file.path.eq_ignore_ascii_case("readme.md")) else {
        return vec!["There is no README.md.".into()];
    };
    let mut broken: Vec<String> = Vec::new();
    for span in code_spans(&readme.content) {
        let known = |path: &str| {
            let folder = format!("{}/", path.trim_end_matches('/'));
            files.iter().any(|file| file.path == path || file.path.starts_with(&folder))
        };
        if looks_like_path(span)
            && !known(span.trim_start_matches("./"))
            && !is_made_by_a_tool(span)
        {
            broken.push(format!("README.md names {span}, which is not there."));
        }
    }
    let manifest = files.iter().find(|file| file.path == "package.json");
    let manifest: Option<serde_json::Value> =
        manifest.and_then(|file| serde_json::from_str(&file.content).ok());
    for script in find::tokens(&readme.content).windows(3).filter_map(script) {
        if manifest.as_ref().is_some_and(|manifest| manifest["scripts"].get(&script).is_none()) {
            broken.push(format!(
                "README.md says `npm run {script}`, and package.json has no such script."
            ));
        }
    }
    broken.sort();
    broken.dedup();
    broken
}

/// The script that `npm run X`, `npm start` or `npm test` calls.
fn script(words: &[find::Token<'_>]) -> Option<String> {
    match (words[0].lower.as_str(), words[1].lower.as_str()) {
        ("npm", "run") => Some(words[2].text.to_owned()),
        ("npm", "start" | "test") => Some(words[1].lower.clone()),
        _ => None,
    }
}

/// What stands between single backticks, line by line.
fn code_spans(markdown: &str) -> impl Iterator<Item = &str> {
    let lines = markdown
        .lines()
        .filter(|line| !line.trim_start().starts_with("```") && !line.starts_with('>'));
    lines.flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// A relative path of a file: a known ending, no blanks, no pattern, no address.
fn looks_like_path(text: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "css", "html", "js", "json", "jsx", "lock", "md", "mjs", "py", "rs", "sh", "sql", "toml",
        "ts", "tsx", "txt", "yaml", "yml",
    ];
    let plain = !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_'));
    plain
        && !text.starts_with('/')
        && ENDINGS.contains(&extension(text))
        && text.rsplit('/').next() != Some("Node.js")
}

fn is_made_by_a_tool(path: &str) -> bool {
    matches!(path, "package-lock.json" | "Cargo.lock")
        || path.starts_with("dist/")
        || path.starts_with("target/")
}

fn suggestions(files: &[Artifact], requirements: &str) -> Vec<String> {
    let has = |test: &dyn Fn(&Artifact) -> bool| files.iter().any(test);
    let mut found = Vec::new();
    if !has(&|file| file.path.to_lowercase().contains("test")) {
        found.push("Add tests.".to_owned());
    }
    if !has(&|file| file.path == ".gitignore") {
        found.push("Add a .gitignore.".into());
    }
    if let Some(file) = files
        .iter()
        .find(|file| file.content.trim().is_empty() && !file.path.ends_with("__init__.py"))
    {
        found.push(format!("{} is empty: fill it or leave it out.", file.path));
    }
    let connects = |file: &Artifact| {
        is_source(&file.path)
            && ["pg", "psycopg", "sqlx", "asyncpg", "DATABASE_URL"]
                .iter()
                .any(|word| file.content.contains(word))
    };
    if Needs::read(requirements).postgres && !has(&connects) {
        found.push("PostgreSQL is asked for and storage is in memory: connect a repository to DATABASE_URL.".into());
    }
    found
}

fn is_source(path: &str) -> bool {
    ["go", "js", "jsx", "mjs", "py", "rb", "rs", "ts", "tsx", "java", "kt", "php", "cs"]
        .contains(&extension(path))
}

fn extension(path: &str) -> &str {
    path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use super::super::{Source, generate};
    use super::*;

    const TODO: &str = "A REST API for todos with user authentication";

    fn scaffold(files: &[(&str, &str)]) -> Scaffold {
        let artifacts = files
            .iter()
            .map(|(path, content)| Artifact { path: (*path).into(), content: (*content).into() })
            .collect();
        Scaffold {
            artifacts,
            source: Source::Fallback,
            message: String::new(),
            plan: vec![],
            name: String::new(),
        }
    }

    #[test]
    fn the_known_stacks_have_no_issues() {
        for stack in ["express", "fastapi", "axum"] {
            for text in [
                TODO,
                "Manage plants and pots with PostgreSQL",
                "create and view parcels",
                "something",
            ] {
                let made = generate(Some(text), None, Some(stack)).unwrap();
                let found = reflect(&made, text);
                assert_eq!(found.issues, Vec::<String>::new(), "{stack}: {text}");
                assert!(found.score >= 95, "{found:?}");
            }
        }
    }

    #[test]
    fn the_minimal_scaffold_says_what_it_lacks() {
        let found = reflect(&generate(Some(TODO), None, None).unwrap(), TODO);
        assert!(found.issues.iter().any(|issue| issue.contains("Authentication")), "{found:?}");
        assert!(found.score < 60);
    }

    #[test]
    fn files_that_do_not_parse_and_broken_promises_are_issues() {
        let readme = "Run `npm run dev`.\n\nnpm run dev now. See `src/gone.ts` and `package.json`, not `Node.js`.";
        let found = reflect(
            &scaffold(&[
                ("README.md", readme),
                ("package.json", "{\"scripts\":{}}"),
                ("a.toml", "= 1"),
                ("b.json", "{"),
            ]),
            "something",
        );
        let text = found.issues.join("\n");
        for part in ["a.toml does not parse", "b.json does not parse", "src/gone.ts", "npm run dev"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("names package.json") && !text.contains("Node.js"), "{text}");
    }

    #[test]
    fn a_path_that_cannot_be_written_is_an_issue() {
        let found = reflect(&scaffold(&[("README.md", "x"), ("../x", "")]), "x");
        assert!(found.issues[0].contains("cannot be written"));
    }
}

//! Guides: architecture, development, deployment, contributing, questions; and an empty decision record.

use super::{Page, Written, plain, readme};

pub(super) fn write(page: &Page<'_>) -> Written {
    let name = page.name();
    let stem = page
        .path
        .rsplit('/')
        .next()
        .unwrap_or(page.path)
        .split('.')
        .next()
        .unwrap_or("")
        .to_uppercase();
    let (title, overview, main) = match stem.as_str() {
        "ARCHITECTURE" => (
            format!("Architecture of {name}"),
            "Where things are in this repository.",
            architecture(page),
        ),
        "DEVELOPMENT" => (
            format!("Development of {name}"),
            "How to build and test a checkout.",
            vec![("Commands".to_owned(), page.command_table()), ("Tests".to_owned(), page.tests())],
        ),
        "DEPLOYMENT" => (
            format!("Deployment of {name}"),
            "What is built, and what it reads when it runs.",
            deployment(page),
        ),
        "CONTRIBUTING" => (
            format!("Contributing to {name}"),
            "What to run before you send a change.",
            vec![("Checks".to_owned(), checks(page)), ("Tests".to_owned(), page.tests())],
        ),
        "FAQ" => (
            format!("Questions about {name}"),
            "Answers that the repository itself gives.",
            questions(page),
        ),
        _ => (
            format!("Guide to {name}"),
            "What the repository says about itself.",
            architecture(page),
        ),
    };
    let mut sections = vec![
        ("Overview".to_owned(), overview.to_owned()),
        ("Prerequisites".to_owned(), page.needs()),
    ];
    sections.extend(main);
    let runs = page.commands(&["install", "build", "test", "run"]);
    let examples = if runs.is_empty() {
        "The repository names no command.".to_owned()
    } else {
        Page::shell(&runs)
    };
    sections.push(("Examples".to_owned(), examples));
    sections.push(("Troubleshooting".to_owned(), troubleshooting(page)));
    let documents = page.documents(8);
    let next = if documents.is_empty() {
        "The repository has no other documents.".to_owned()
    } else {
        documents
    };
    sections.push(("Next Steps".to_owned(), next));
    let lead = page
        .facts
        .main_package()
        .and_then(|package| package.description.as_deref())
        .map(plain)
        .unwrap_or_default();
    (title, lead, sections)
}

fn architecture(page: &Page<'_>) -> Vec<(String, String)> {
    let facts = page.facts;
    let mut folders = String::from("| folder | files |\n|---|---|\n");
    for folder in facts.directories.iter().take(page.most) {
        folders.push_str(&format!("| {} | {} |\n", page.link(&folder.path), folder.files));
    }
    if facts.directories.is_empty() {
        folders = "All files are at the root.".to_owned();
    }
    let languages: Vec<String> = facts
        .languages
        .iter()
        .take(8)
        .map(|(name, files)| format!("- {name}: {files} files"))
        .collect();
    let mut found = vec![("Structure".to_owned(), folders)];
    if !languages.is_empty() {
        found.push(("Languages".to_owned(), languages.join("\n")));
    }
    let packages: Vec<String> = facts
        .packages
        .iter()
        .take(page.most)
        .map(|package| format!("- {} ({})", plain(&package.name), page.link(&package.path)))
        .collect();
    if !packages.is_empty() {
        found.push(("Packages".to_owned(), packages.join("\n")));
    }
    let programs: Vec<String> = facts
        .programs
        .iter()
        .take(page.most)
        .map(|program| format!("- `{}` ({})", program.name, page.source(&program.source)))
        .collect();
    if !programs.is_empty() {
        found.push(("Programs".to_owned(), programs.join("\n")));
    }
    found
}

fn deployment(page: &Page<'_>) -> Vec<(String, String)> {
    let names = [
        "Dockerfile",
        "docker-compose.yml",
        "docker-compose.yaml",
        "compose.yaml",
        "Procfile",
        "fly.toml",
        "vercel.json",
        "netlify.toml",
        "serverless.yml",
    ];
    let files: Vec<String> = page
        .snapshot
        .paths()
        .filter(|path| names.contains(path))
        .map(|path| format!("- {}", page.link(path)))
        .collect();
    let files = if files.is_empty() {
        "The repository has no file for containers or hosting.".to_owned()
    } else {
        files.join("\n")
    };
    vec![
        ("Files for deployment".to_owned(), files),
        ("Configuration".to_owned(), readme::configuration(page)),
    ]
}

fn checks(page: &Page<'_>) -> String {
    let runs = page.commands(&["build", "lint", "test"]);
    if runs.is_empty() {
        "The repository names no command that checks a change.".to_owned()
    } else {
        Page::shell(&runs)
    }
}

fn questions(page: &Page<'_>) -> Vec<(String, String)> {
    let languages: Vec<&str> =
        page.facts.languages.iter().take(5).map(|(name, _)| name.as_str()).collect();
    let mut found = Vec::new();
    if !languages.is_empty() {
        found.push(("What is it written in?".to_owned(), format!("{}.", languages.join(", "))));
    }
    let tests = page.commands(&["test"]);
    if !tests.is_empty() {
        found.push(("How do I run the tests?".to_owned(), Page::shell(&tests)));
    }
    found.push(("Which terms apply to it?".to_owned(), readme::licence(page)));
    found
}

fn troubleshooting(page: &Page<'_>) -> String {
    let tests = page.commands(&["test"]);
    match tests.first() {
        Some(test) => format!(
            "Run `{test}` first: if it fails in a fresh checkout, something of the prerequisites is missing."
        ),
        None => "The repository describes no known problems.".to_owned(),
    }
}

/// Rules decide nothing: each section of a decision record says that it is open.
pub(super) fn decision(_page: &Page<'_>) -> Written {
    let open = |heading: &str| {
        (heading.to_owned(), "Not decided. A person writes this section.".to_owned())
    };
    let sections = ["Status", "Context", "Decision", "Consequences"]
        .iter()
        .map(|heading| open(heading))
        .collect();
    ("Decision".to_owned(), "A record of a decision.".to_owned(), sections)
}

//! API.

use super::{Page, Written};

pub(super) fn write(page: &Page<'_>) -> Written {
    let facts = page.facts;
    let overview = format!(
        "{} HTTP endpoints and {} public functions and types.",
        facts.endpoints.len(),
        page.public().len()
    );
    let mut sections = vec![
        ("Overview".to_owned(), overview),
        (
            "Authentication".to_owned(),
            "The repository does not describe how callers prove who they are.".to_owned(),
        ),
        ("Endpoints".to_owned(), endpoints(page)),
    ];
    if !page.public().is_empty() {
        sections.push(("Functions and types".to_owned(), page.items(page.most)));
    }
    sections.push(("Examples".to_owned(), examples(page)));
    sections.push(("Error Handling".to_owned(), errors(page)));
    (format!("API of {}", page.name()), "What other code can call.".to_owned(), sections)
}

fn endpoints(page: &Page<'_>) -> String {
    if page.facts.endpoints.is_empty() {
        return "Scribe found no HTTP endpoint in the code.".to_owned();
    }
    let mut out = String::from("| method | path | source |\n|---|---|---|\n");
    for endpoint in page.facts.endpoints.iter().take(page.most) {
        out.push_str(&format!(
            "| `{}` | `{}` | {} |\n",
            endpoint.method,
            endpoint.path.replace('|', ""),
            page.source(&endpoint.source)
        ));
    }
    out
}

fn examples(page: &Page<'_>) -> String {
    let facts = page.facts;
    if let Some(endpoint) = facts.endpoints.iter().find(|endpoint| {
        endpoint.method == "GET" && !endpoint.path.contains([':', '{', '<', '*', '$'])
    }) {
        return format!("```http\nGET {} HTTP/1.1\n```", endpoint.path);
    }
    let examples: Vec<String> = page
        .snapshot
        .paths()
        .filter(|path| {
            path.split('/').next().is_some_and(|folder| folder.starts_with("example"))
                && path.contains('/')
        })
        .take(10)
        .map(|path| format!("- {}", page.link(path)))
        .collect();
    if examples.is_empty() { page.tests() } else { examples.join("\n") }
}

fn errors(page: &Page<'_>) -> String {
    let is_error = |name: &str| {
        name.ends_with("Error")
            || name.ends_with("Exception")
            || name.starts_with("Err") && name.len() > 3
    };
    let found: Vec<String> = page
        .public()
        .into_iter()
        .filter(|item| is_error(&item.name))
        .take(page.most)
        .map(|item| format!("- `{}` ({})", item.name, page.source(&item.source)))
        .collect();
    if found.is_empty() {
        "Scribe found no public type of an error.".to_owned()
    } else {
        found.join("\n")
    }
}

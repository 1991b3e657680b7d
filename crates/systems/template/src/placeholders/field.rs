//! Finds the fields of a manifest that have the project's name and the author's address.

use std::ops::Range;

/// Whether a file is one that a project is described by.
pub(super) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let known = [
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "pom.xml",
        "composer.json",
        "go.mod",
        "mix.exs",
        "pubspec.yaml",
        "build.gradle",
        "build.gradle.kts",
        "Directory.Build.props",
    ];
    known.contains(&name)
        || [".csproj", ".fsproj", ".gemspec", ".cabal", ".nuspec"]
            .iter()
            .any(|it| name.ends_with(it))
}

/// Where a manifest has its own name, if that is what it says.
pub(super) fn own_name(path: &str, text: &str, name: &str) -> Option<Range<usize>> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let found = match file {
        "package.json" | "composer.json" => value(text, "\"name\"", ':', "{"),
        "Cargo.toml" => value(text, "name", '=', "[package]"),
        "pyproject.toml" => value(text, "name", '=', "[project]")
            .or_else(|| value(text, "name", '=', "[tool.poetry]")),
        "go.mod" => {
            let begin = line(text, "module ")? + "module ".len();
            let end = text[begin..].find(['\n', '\r', ' ']).map_or(text.len(), |end| begin + end);
            Some(begin..end)
        }
        "pom.xml" => artifact(text),
        _ => None,
    }?;
    // Without its scope: `@acme/shop`, `example.org/shop`.
    let from = text[found.clone()].rfind('/').map_or(found.start, |at| found.start + at + 1);
    (&text[from..found.end] == name).then_some(from..found.end)
}

fn line(text: &str, begins: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with(begins) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// The text in quotes behind the first such key below a heading.
fn value(text: &str, key: &str, between: char, heading: &str) -> Option<Range<usize>> {
    let mut from = text.find(heading)? + heading.len();
    let toml = heading.starts_with('[');
    let end = if toml {
        text[from..].find("\n[").map_or(text.len(), |end| from + end)
    } else {
        text.len()
    };
    // Whoever has more of them has it at the top.
    for _ in 0..100 {
        let found = text[from..end].find(key)?;
        let at = from + found;
        from = at + key.len();
        // A key of the object itself, and not of one inside of it.
        let outer = text[..at].matches('{').count() == text[..at].matches('}').count() + 1;
        let begins = text[..at].trim_end_matches([' ', '\t']).ends_with('\n');
        if if toml { !begins } else { !outer } {
            continue;
        }
        let rest = text[from..end].trim_start();
        let Some(rest) = rest.strip_prefix(between).map(str::trim_start) else { continue };
        let quote = rest.chars().next().filter(|it| "\"'".contains(*it))?;
        let begin = end - rest.len() + 1;
        let length = text[begin..end].find(quote)?;
        return Some(begin..begin + length);
    }
    None
}

/// The `artifactId` of a project, and not of its parent or of what it depends on.
fn artifact(text: &str) -> Option<Range<usize>> {
    let from = text.find("</parent>").unwrap_or(0);
    let begin = from + text[from..].find("<artifactId>")? + "<artifactId>".len();
    let early = ["<dependencies>", "<build>", "<dependencyManagement>"];
    if early.iter().any(|it| text[from..begin].contains(it)) {
        return None;
    }
    let length = text[begin..].find('<')?;
    Some(begin..begin + length)
}

/// The address that stands with an author, as `Name <mail>` or as a field of the same entry.
pub fn author_email<'a>(path: &str, text: &'a str, author: &str) -> Option<&'a str> {
    if !is_manifest(path) || author.is_empty() {
        return None;
    }
    text.match_indices(author).find_map(|(at, _)| {
        if !super::foreign::is_author_place(true, text, at) {
            return None;
        }
        let rest = &text[at + author.len()..];
        let beside = rest.strip_prefix(" <").and_then(|it| it.split('>').next());
        let entry = &rest[..rest.floor_char_boundary(rest.len().min(200))];
        // An entry ends where the next one begins.
        let entry = entry.split(['}', ']']).next().unwrap_or(entry);
        let mail =
            beside.or_else(|| entry.split(['"', '\'', '<', '>', ' ']).find(|it| is_mail(it)));
        mail.filter(|it| is_mail(it))
    })
}

fn is_mail(text: &str) -> bool {
    let fits = |it: char| it.is_ascii_alphanumeric() || "@._+-".contains(it);
    text.len() <= 100
        && text.chars().all(fits)
        && text
            .split_once('@')
            .is_some_and(|(who, host)| !who.is_empty() && host.contains('.') && !host.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_says_what_its_project_is_called() {
        for (path, text, expected) in [
            ("package.json", "{\"a\": {\"name\": \"app\"}, \"name\": \"@x/app\"}", true),
            ("Cargo.toml", "[package]\nname = \"app\"\n", true),
            ("Cargo.toml", "[workspace]\n[[bin]]\nname = \"app\"\n", false),
            ("pyproject.toml", "[project]\nrename = 1\nname = 'app'\n", true),
            ("go.mod", "module example.org/app\n\ngo 1.21\n", true),
            (
                "pom.xml",
                "<parent><artifactId>x</artifactId></parent><artifactId>app</artifactId>",
                true,
            ),
            ("package.json", "{\"name\": \"other\"}", false),
            ("a.py", "name = \"app\"", false),
        ] {
            let found = own_name(path, text, "app").map(|range| range.start);
            assert_eq!(found, text.rfind("app").filter(|_| expected), "{text}");
        }
    }

    #[test]
    fn an_address_is_found_with_its_author() {
        for (path, text, expected) in [
            ("Cargo.toml", "authors = [\"Jane Doe <jane@acme.org>\"]", Some("jane@acme.org")),
            (
                "pyproject.toml",
                "authors = [{name = \"Jane Doe\", email = \"j@acme.org\"}]",
                Some("j@acme.org"),
            ),
            ("setup.py", "author='Jane Doe',\n author_email='j@acme.org',", Some("j@acme.org")),
            (
                "package.json",
                "{\"author\": {\"name\": \"Jane Doe\"}, \"bugs\": \"b@acme.org\"}",
                None,
            ),
            ("README.md", "authors: Jane Doe <jane@acme.org>", None),
        ] {
            assert_eq!(author_email(path, text, "Jane Doe"), expected, "{text}");
        }
    }
}

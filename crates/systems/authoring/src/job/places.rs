//! Names that a user or a model gives and that end up in addresses, branches and paths.

/// What may stand in braces in a branch pattern and in the templates of a pull request.
pub(super) const PLACEHOLDERS: [&str; 5] = ["timestamp", "date", "agent", "jobId", "repo"];

/// The most documents that a job may name.
pub(super) const MOST_TARGETS: usize = 100;

/// Whether this may be the owner or the name of a repository.
pub(super) fn is_repository_name(name: &str) -> bool {
    let plain = |letter: u8| letter.is_ascii_alphanumeric() || b"._-".contains(&letter);
    (1..=100).contains(&name.len()) && name.bytes().all(plain) && !matches!(name, "." | "..")
}

/// Why git would not take this as the name of a branch.
pub(super) fn unfit_branch(name: &str) -> Option<&'static str> {
    let forbidden = |letter: char| letter.is_control() || " ~^:?*[\\".contains(letter);
    match () {
        () if name.is_empty() || name.len() > 250 => Some("it has not 1 to 250 letters"),
        () if name.starts_with('-') => Some("it begins with `-`"),
        () if name == "@" || name.contains("@{") => Some("it has `@{` in it, or is `@`"),
        () if name.contains("..") => Some("it has `..` in it"),
        () if name.ends_with('.') => Some("it ends with `.`"),
        () if name.chars().any(forbidden) => Some("it has a letter that git forbids"),
        () if name.split('/').any(str::is_empty) => Some("it has an empty part between `/`"),
        () if name.split('/').any(|part| part.starts_with('.')) => {
            Some("a part of it begins with `.`")
        }
        () if name.split('/').any(|part| part.to_ascii_lowercase().ends_with(".lock")) => {
            Some("a part of it ends with `.lock`")
        }
        () => None,
    }
}

/// The first placeholder of a template that nothing is put in for.
pub(super) fn unknown_placeholder(template: &str) -> Option<&str> {
    placeholders(template).find(|name| !PLACEHOLDERS.contains(name))
}

/// A branch pattern with something of the right form in every placeholder.
pub(super) fn filled(pattern: &str) -> String {
    let sample = |text: String, name: &&str| text.replace(&format!("{{{name}}}"), "x1");
    PLACEHOLDERS.iter().fold(pattern.to_owned(), sample)
}

/// Words in braces. Other braces mean nothing: a template may hold code.
fn placeholders(template: &str) -> impl Iterator<Item = &str> {
    let word = |name: &&str| {
        !name.is_empty()
            && name.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
    };
    template
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
        .filter(word)
}

/// Why nothing may be written to this path of a repository.
pub(super) fn unfit_target(path: &str, may_touch_workflows: bool) -> Option<&'static str> {
    let whole = path.strip_suffix('/').unwrap_or(path);
    let small = whole.to_ascii_lowercase();
    let mut parts = small.split('/');
    let drive = path.as_bytes().get(1) == Some(&b':');
    match () {
        () if whole.is_empty() => Some("the path is empty, or the root"),
        () if path.len() > 1000 => Some("the path is too long"),
        () if path.starts_with('/') || drive => Some("the path is absolute; it must be relative"),
        () if path.contains('\\') || path.chars().any(char::is_control) => {
            Some("the path has a backslash or a control character in it")
        }
        () if parts.clone().any(|part| part == "..") => Some("the path has `..` in it"),
        () if parts.clone().any(|part| part.is_empty() || part == ".") => {
            Some("the path has an empty part, or `.`, in it")
        }
        // Windows and macOS take these names for `.git`, too.
        () if parts.any(|part| part.trim_end_matches(['.', ' ']) == ".git" || part == "git~1") => {
            Some("the path leads into `.git`")
        }
        () if !may_touch_workflows
            && (small == ".github/workflows" || small.starts_with(".github/workflows/")) =>
        {
            Some("files in .github/workflows are written only with requiresApproval")
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_stays_inside_the_repository() {
        let check = |path: &str, fit: bool| {
            assert_eq!(unfit_target(path, false).is_none(), fit, "{path:?}");
        };
        check("README.md", true);
        check("docs/", true);
        check("docs/a..b.md", true);
        check(".github/ISSUE_TEMPLATE.md", true);
        for bad in [
            "",
            "/",
            "/etc/passwd",
            "../x",
            "docs/../../x",
            "a/./b",
            "a//b",
            ".git/config",
            "sub/.GIT/x",
            "c:/x",
            "a\\b",
            "a\nb",
            ".github/workflows/ci.yml",
            ".GitHub/Workflows/ci.yml",
            ".git./x",
        ] {
            check(bad, false);
        }
        assert_eq!(unfit_target(".github/workflows/ci.yml", true), None);
    }

    #[test]
    fn branches_are_what_git_takes() {
        for good in ["main", "docs/scribe-1", "feature/a.b", "wip{1}"] {
            assert_eq!(unfit_branch(good), None, "{good}");
        }
        for bad in [
            "", "-x", "a..b", "a b", "a~1", "a/", "/a", "a//b", ".a", "a/.b", "a.lock", "@",
            "a@{1}", "a.", "a\u{7}",
        ] {
            assert!(unfit_branch(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn only_words_in_braces_are_placeholders() {
        assert_eq!(unknown_placeholder("docs/scribe-{timestamp}-{jobId}"), None);
        assert_eq!(unknown_placeholder("docs/{branch}"), Some("branch"));
        assert_eq!(unknown_placeholder("call f({\"a\": 1}) and {}"), None);
        assert_eq!(filled("docs/{agent}-{date}"), "docs/x1-x1");
    }

    #[test]
    fn repositories_have_plain_names() {
        assert!(is_repository_name("demo-app_1.0"));
        for bad in ["", ".", "..", "a/b", "a b", "é", &"x".repeat(101)] {
            assert!(!is_repository_name(bad), "{bad}");
        }
    }
}

//! Recognises test code, by its name and by where it is in a file.

use consign_code::Class;

use super::{super::tools::View, words};

/// Whether a name with what it is in belongs to tests: `tests.throttle`, `test_login`, `login_test`.
pub(in super::super) fn is_test_name(full: &str) -> bool {
    let mut parts: Vec<&str> = full.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    let own = parts.pop().unwrap_or_default();
    let hump = own.strip_prefix("test").and_then(|rest| rest.chars().next());
    own.starts_with("test_")
        || own.ends_with("_test")
        || hump.is_some_and(char::is_uppercase)
        || parts.iter().any(|part| {
            matches!(*part, "test" | "tests")
                || part.starts_with("test_")
                || part.ends_with("_tests")
        })
}

/// Whether a symbol of a file is test code, as far as its name and path show.
pub(in super::super) fn is_test(path: &str, symbol: Option<&str>) -> bool {
    Class::of(path) == Class::Test || symbol.is_some_and(is_test_name)
}

/// Whether a name is specific enough to mean something by itself.
pub(in super::super) fn is_telling(name: &str) -> bool {
    const EVERYWHERE: &str = " new default get set main run from into init constructor build make create open \
        close read write next iter len size name value values key keys item items data self this call apply \
        clone copy drop fmt eq hash add remove delete update push pop insert start stop test setup index map \
        filter each list load save string error result options config params args then with ";
    let own = words::last_name(name);
    own.chars().count() > 2
        && !own.starts_with("__")
        && !EVERYWHERE.contains(&format!(" {} ", own.to_lowercase()))
        && !is_test_name(name)
}

/// The lines of a file that are tests beside the code: what follows `#[cfg(test)]`, and `describe(…)`.
pub(in super::super) fn ranges(view: &View, path: &str) -> Vec<(usize, usize)> {
    if Class::of(path) == Class::Test {
        return Vec::new();
    }
    match view.read_file(path, 1, usize::MAX) {
        Ok(text) => blocks(&text.lines),
        Err(_) => Vec::new(),
    }
}

fn blocks(lines: &[String]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].trim_start();
        if !(line.starts_with("#[cfg(test)]") || line.starts_with("describe(")) {
            at += 1;
            continue;
        }
        let indent = lines[at].len() - line.len();
        // It ends with the first line that closes as far out as it began, or at once: `mod tests;`.
        let body = lines[at..].iter().position(|line| line.trim_end().ends_with('{'));
        let one_line = lines[at..].iter().position(|line| line.trim_end().ends_with(';'));
        let end = match (body, one_line) {
            (Some(body), one_line) if one_line.is_none_or(|one| body < one) => {
                let closes = |line: &String| {
                    let bare = line.trim_start();
                    bare.starts_with('}') && line.len() - bare.len() <= indent
                };
                lines[at + body..].iter().position(closes).map(|length| at + body + length)
            }
            (_, Some(one)) => Some(at + one),
            (_, None) => None,
        };
        let end = end.unwrap_or(lines.len() - 1);
        found.push((at + 1, end + 1));
        at = end + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_their_names() {
        for name in ["tests.throttle", "a::tests::works", "test_login", "login_test", "testLogin"] {
            assert!(is_test_name(name), "{name}");
        }
        for name in ["Throttle", "TestClient.get", "attest", "latest", "testimony", "contest.enter"]
        {
            assert!(!is_test_name(name), "{name}");
        }
        assert!(is_test("tests/it/main.rs", Some("helper")));
    }

    #[test]
    fn what_everything_is_called_tells_nothing() {
        for name in ["new", "Session.new", "get", "x", "__init__", "tests.login"] {
            assert!(!is_telling(name), "{name}");
        }
        assert!(is_telling("Session.check_token"));
    }

    #[test]
    fn tests_beside_the_code_are_found_by_where_they_stand() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let code = "fn a() {}\n#[cfg(test)]\nmod checks {\n    fn b() {\n    }\n}\nfn c() {}";
        assert_eq!(blocks(&lines(code)), [(2, 6)]);
        assert_eq!(blocks(&lines("#[cfg(test)]\nmod tests;\nfn c() {\n}")), [(1, 2)]);
        assert_eq!(blocks(&lines("x\ndescribe('a', () => {\n  it()\n})\ny")), [(2, 4)]);
        assert_eq!(blocks(&lines("#[cfg(test)]\nmod open {")), [(1, 2)]);
    }
}

//! Patterns of paths: `*` and `?` within a name, `**` across folders.
//!
//! A pattern without a slash means a name at any depth, as in `.gitignore`; one that matches a
//! folder matches everything in it. Letters match in either case, since a file system may not tell
//! them apart and a rule that denies must not be escaped by a capital.

use unicode_normalization::UnicodeNormalization;

/// Whether a pattern matches a path or a folder that it is in.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    Pattern::new(pattern).matches(&Path::new(path))
}

/// A pattern, ready for many paths.
pub(super) struct Pattern(Vec<Vec<char>>);

/// A path, ready for many patterns.
pub(super) struct Path(Vec<Vec<char>>);

impl Pattern {
    pub(super) fn new(pattern: &str) -> Self {
        let bare = pattern.trim_start_matches("./").trim_start_matches('/').trim_end_matches('/');
        Self(folded(bare).split('/').map(|name| name.chars().collect()).collect())
    }

    pub(super) fn matches(&self, Path(names): &Path) -> bool {
        match self.0.as_slice() {
            [wanted] if wanted != ANY => names.iter().any(|name| is_name(wanted, name)),
            wanted => !names.is_empty() && begins(wanted, names),
        }
    }
}

impl Path {
    pub(super) fn new(path: &str) -> Self {
        let path = folded(path.trim_start_matches("./"));
        let names = path.split('/').filter(|name| !name.is_empty());
        Self(names.map(|name| name.chars().collect()).collect())
    }
}

/// Any folders, or none.
const ANY: &[char] = &['*', '*'];

/// One form for what file systems hold for the same: letters in either case, and marks on a letter or apart.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfc().collect::<String>().to_lowercase()
}

/// Whether a path or a folder on its way is what a pattern says. Backs up only to the last `**`, since a
/// hostile repository may have folders in folders in folders.
fn begins(pattern: &[Vec<char>], names: &[Vec<char>]) -> bool {
    let (mut at, mut to, mut any) = (0, 0, None);
    while to < names.len() {
        match pattern.get(at) {
            None => return true,
            Some(name) if name == ANY => {
                any = Some((at, to));
                at += 1;
            }
            Some(name) if is_name(name, &names[to]) => {
                at += 1;
                to += 1;
            }
            Some(_) => match any {
                Some((any_at, any_to)) => {
                    at = any_at + 1;
                    to = any_to + 1;
                    any = Some((any_at, to));
                }
                None => return false,
            },
        }
    }
    // The folder itself as well: its name says that there is something in it.
    pattern[at..].iter().all(|name| name == ANY)
}

/// Backs up only to the last star, so that a hostile pattern takes no more than length × length.
fn is_name(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut to, mut star) = (0, 0, None);
    while to < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, to));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[to] => {
                at += 1;
                to += 1;
            }
            _ => match star {
                Some((star_at, star_to)) => {
                    at = star_at + 1;
                    to = star_to + 1;
                    star = Some((star_at, to));
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_paths_and_what_is_in_them() {
        for (pattern, path, expected) in [
            ("secrets/**", "secrets/a/b.txt", true),
            ("secrets/**", "secrets", true),
            ("secrets/**", "src/secrets/a", false),
            ("**/secrets/**", "src/secrets/a", true),
            ("secrets", "src/secrets/a", true),
            ("secrets/", "secrets/a", true),
            (".env*", ".env", true),
            (".env*", "app/.env.local", true),
            (".env*", "app/env", false),
            ("*.pem", "keys/a.pem", true),
            ("config/*.toml", "config/a.toml", true),
            ("config/*.toml", "config/x/a.toml", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b/c", true),
            ("SECRETS", "Secrets/key", true),
            ("**", "anything", true),
            ("**", "", false),
            ("**/a/**/b", "a/a/x/b/c", true),
            ("**/a/b", "a/a/b", true),
            ("**/a/b", "a/b/a", true),
            ("**/a/b", "b/a", false),
            ("a/**/b/c", "a/b/b/c", true),
            ("?", "ab", false),
            ("a*b*c", "axxbyyc", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_hostile_pattern_is_no_trouble() {
        assert!(!matches(&format!("{}c", "a*".repeat(500)), &"a".repeat(2_000)));
        assert!(!matches(&format!("{}c", "**/a/".repeat(30)), &"a/".repeat(2_000)));
    }
}

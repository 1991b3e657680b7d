//! Patterns of paths: `*` and `?` within a name, `**` across folders.
//!
//! A pattern without a slash means a name at any depth, as in `.gitignore`; one that matches a
//! folder matches everything in it. Letters match in either case, since a file system may not tell
//! them apart and a rule that denies must not be escaped by a capital.

use unicode_normalization::UnicodeNormalization;

/// Whether a pattern matches a path or a folder that it is in.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let pattern = folded(pattern.trim_start_matches("./").trim_start_matches('/'));
    let bare = pattern.trim_end_matches('/');
    let path = folded(path.trim_start_matches("./"));
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    let wanted: Vec<&str> = bare.split('/').collect();
    if wanted.len() == 1 && wanted[0] != "**" {
        return names.iter().any(|name| is_name(wanted[0], name));
    }
    (1..=names.len()).any(|end| is_path(&wanted, &names[..end]))
}

/// One form for what file systems hold for the same: letters in either case, and marks on a letter or apart.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfc().collect::<String>().to_lowercase()
}

fn is_path(pattern: &[&str], names: &[&str]) -> bool {
    match pattern {
        [] => names.is_empty(),
        // The folder itself as well: its name says that there is something in it.
        ["**"] => true,
        ["**", rest @ ..] => (0..=names.len()).any(|skipped| is_path(rest, &names[skipped..])),
        [first, rest @ ..] => names
            .split_first()
            .is_some_and(|(name, names)| is_name(first, name) && is_path(rest, names)),
    }
}

/// Backs up only to the last star, so that a hostile pattern takes no more than length × length.
fn is_name(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
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
            ("?", "ab", false),
            ("a*b*c", "axxbyyc", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_hostile_pattern_is_no_trouble() {
        assert!(!matches(&format!("{}c", "a*".repeat(500)), &"a".repeat(2_000)));
    }
}

//! Finds the commit that is checked out.
//!
//! `HEAD` may name a reference, and that another; libgit2 follows the names wherever they lead. Here a name
//! must be one of a reference, and what it names is opened beneath `.git` by handle and in bounds.

use git2::Oid;

use super::guard::refused;
use crate::{Error, root::Root};

/// A reference has one line.
const LINE: u64 = 4 << 10;
/// All references of a large project take some megabytes.
const PACKED: u64 = 32 << 20;
const LONGEST: usize = 1_000;
/// References that name others.
const LINKS: usize = 5;

/// The commit; `None` before the first one.
pub(super) fn find(root: &Root) -> Result<Option<Oid>, Error> {
    let mut name = "HEAD".to_owned();
    for _ in 0..LINKS {
        let Some(text) = small(root, &name, LINE)? else {
            return if name == "HEAD" {
                Err(refused("its .git has no HEAD"))
            } else {
                packed(root, &name)
            };
        };
        let text = text.trim_ascii();
        let Some(next) = text.strip_prefix(b"ref:") else {
            return id(text).map(Some);
        };
        name = reference(next.trim_ascii()).ok_or_else(unknown)?;
    }
    Err(refused("its references point at each other and never at a commit"))
}

/// Forty digits; what has more is of a kind that is not known here.
fn id(digits: &[u8]) -> Result<Oid, Error> {
    let text = std::str::from_utf8(digits).ok().filter(|text| text.len() == 40);
    text.and_then(|text| Oid::from_str(text).ok()).ok_or_else(unknown)
}

fn unknown() -> Error {
    refused("its HEAD is neither a commit nor a reference, or of an unknown kind")
}

/// A name as git allows them, below `refs/`.
fn reference(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    let odd = |part: &str| {
        part.is_empty()
            || part.starts_with('.')
            || part.ends_with('.')
            || part.ends_with(".lock")
            || part.contains("..")
            || part.contains(char::is_control)
            || part.contains([' ', '~', '^', ':', '?', '*', '[', '\\'])
    };
    let below = name.strip_prefix("refs/")?;
    (name.len() <= LONGEST && !below.split('/').any(odd)).then(|| name.to_owned())
}

/// Looks a reference up in the list of those that have no file of their own.
fn packed(root: &Root, name: &str) -> Result<Option<Oid>, Error> {
    let Some(text) = small(root, "packed-refs", PACKED)? else { return Ok(None) };
    let line = text.split(|&byte| byte == b'\n').find_map(|line| {
        let (id, rest) = line.split_at_checked(40)?;
        (rest.trim_ascii_end().strip_prefix(b" ") == Some(name.as_bytes())).then_some(id)
    });
    line.map(id).transpose()
}

/// A file, if it is there. A folder of that name is none.
pub(super) fn small(root: &Root, path: &str, limit: u64) -> Result<Option<Vec<u8>>, Error> {
    let mut bytes = Vec::new();
    match root.read(path, limit, &mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(Error::Missing { .. }) => Ok(None),
        Err(Error::Outside { .. }) => Err(refused("its .git has a link that leads out of it")),
        Err(Error::TooLarge { .. }) => Err(refused("its .git has a file that is too large")),
        Err(_) if root.dir(path).is_ok() => Ok(None),
        Err(_) => Err(refused("its .git has something that is not a readable file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_below_refs() {
        for (name, expected) in [
            ("refs/heads/main", true),
            ("refs/heads/a/b-c_d.e", true),
            ("refs/heads/größe", true),
            ("HEAD", false),
            ("logs/pipe", false),
            ("hooks/x", false),
            ("refs/../config", false),
            ("refs/heads/..", false),
            ("refs/heads/.invalid", false),
            ("refs//heads", false),
            ("refs/", false),
            ("/refs/heads/a", false),
            ("refs/heads/a b", false),
            ("refs/heads/a\nb", false),
            ("refs/heads/a.lock", false),
        ] {
            assert_eq!(reference(name.as_bytes()).is_some(), expected, "{name}");
        }
        assert!(reference(format!("refs/{}", "a/".repeat(600)).as_bytes()).is_none());
    }
}

//! What a workspace consists of, as a value with a name of its own.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use serde::{Deserialize, Serialize};

use super::{
    super::name,
    digest::{Digest, NotADigest},
};

/// The name of a snapshot: the SHA-256 of its list of files. The same content has the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TreeId(Digest);

impl fmt::Display for TreeId {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(to)
    }
}

impl FromStr for TreeId {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        text.parse().map(Self)
    }
}

/// What a path of a snapshot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    File,
    Folder,
    Link,
}

/// What a path of a snapshot is, with all that is kept of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Node {
    File {
        mode: u32,
        digest: Digest,
        bytes: u64,
    },
    Folder {
        mode: u32,
    },
    /// The words of the link, as [`name::written`].
    Link {
        target: String,
    },
}

impl Node {
    pub(super) fn what(&self) -> What {
        match self {
            Self::File { .. } => What::File,
            Self::Folder { .. } => What::Folder,
            Self::Link { .. } => What::Link,
        }
    }
}

/// The rights that a snapshot keeps.
pub(super) fn kept_mode(mode: u32) -> u32 {
    mode & 0o777
}

/// A list of files, folders and links by path. A folder comes before what is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tree {
    nodes: BTreeMap<PathBuf, Node>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    path: String,
    #[serde(flatten)]
    node: Node,
}

impl Tree {
    pub(super) fn insert(&mut self, path: PathBuf, node: Node) {
        self.nodes.insert(path, node);
    }

    pub(super) fn remove(&mut self, path: &Path) {
        self.nodes.remove(path);
    }

    pub(super) fn get(&self, path: &Path) -> Option<&Node> {
        self.nodes.get(path)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&PathBuf, &Node)> {
        self.nodes.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether a folder has nothing in it.
    pub(super) fn is_empty_folder(&self, path: &Path) -> bool {
        let after = (std::ops::Bound::Excluded(path), std::ops::Bound::Unbounded);
        self.nodes.range::<Path, _>(after).next().is_none_or(|(next, _)| !next.starts_with(path))
    }

    /// The file of the list, and its name.
    pub(super) fn written(&self) -> (TreeId, Vec<u8>) {
        let line = |(path, node): (&PathBuf, &Node)| Line {
            path: name::written(path),
            node: node.clone(),
        };
        let lines: Vec<String> = self
            .nodes
            .iter()
            .map(|node| serde_json::to_string(&line(node)).expect("a line is plain data"))
            .collect();
        let bytes = format!("[\n{}\n]\n", lines.join(",\n")).into_bytes();
        (TreeId(Digest::of(&bytes)), bytes)
    }

    /// Reads the list that has this name. None if it is not that one.
    pub(super) fn read(id: TreeId, bytes: &[u8]) -> Option<Self> {
        if id != TreeId(Digest::of(bytes)) {
            return None;
        }
        let lines: Vec<Line> = serde_json::from_slice(bytes).ok()?;
        let node = |line: Line| Some((PathBuf::from(name::read(&line.path)?), line.node));
        Some(Self { nodes: lines.into_iter().map(node).collect::<Option<_>>()? })
    }
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    use super::*;

    fn odd() -> PathBuf {
        PathBuf::from(OsStr::from_bytes(b"a/\xff"))
    }

    fn tree() -> Tree {
        let file = |text: &[u8]| {
            let (digest, bytes) = (Digest::of(text), text.len() as u64);
            Node::File { mode: 0o644, digest, bytes }
        };
        let mut tree = Tree::default();
        tree.insert("a-b".into(), file(b"x"));
        tree.insert("a".into(), Node::Folder { mode: 0o755 });
        tree.insert(odd(), file(b""));
        tree.insert("e".into(), Node::Folder { mode: 0o700 });
        tree.insert("l".into(), Node::Link { target: "../out".into() });
        tree
    }

    #[test]
    fn a_list_comes_back_and_is_sorted() {
        let (id, bytes) = tree().written();
        assert_eq!(Tree::read(id, &bytes), Some(tree()));
        let text = String::from_utf8(bytes.clone()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], r#"{"path":"a","kind":"folder","mode":493},"#);
        assert!(
            lines[2].starts_with(r#"{"path":"a/\\xff","kind":"file","mode":420,"digest":"e3b0"#)
        );
        assert_eq!(lines[5], r#"{"path":"l","kind":"link","target":"../out"}"#);
        assert_eq!(Tree::read(id, &bytes[1..]), None, "another list");
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn an_empty_list_has_a_name_too() {
        let (id, bytes) = Tree::default().written();
        assert_eq!(Tree::read(id, &bytes), Some(Tree::default()));
    }

    #[test]
    fn a_folder_is_empty_if_nothing_is_below_it() {
        let tree = tree();
        assert!(tree.is_empty_folder(Path::new("e")));
        assert!(!tree.is_empty_folder(Path::new("a")));
    }
}

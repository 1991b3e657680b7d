//! What has changed between two snapshots, as text that people and models know from git.
//!
//! It is for reading: names are escaped and long files are only described, so it is not meant to be applied.

use std::path::Path;

use similar::TextDiff;

use super::{
    super::{Error, name},
    changes::different,
    objects::Objects,
    snapshots::Snapshots,
    tree::{Node, Tree, TreeId},
};

/// Files with more bytes are described.
const MOST_BYTES: u64 = 256 * 1024;
/// Two files that have more lines together are described: comparing them can take the square of it.
const MOST_LINES: usize = 20_000;

/// The differences as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    pub text: String,
    /// How many files, links and empty folders differ.
    pub files: usize,
    /// How many of them the text does not show, or does not show to the end.
    pub not_shown: usize,
}

impl Snapshots {
    /// The differences from one snapshot to another, as a unified diff of at most so many bytes. If that is not all, one
    /// more line says how many files are not shown.
    ///
    /// # Errors
    /// One of them is not there or damaged.
    pub fn diff(&self, from: &TreeId, to: &TreeId, most_bytes: usize) -> Result<Diff, Error> {
        let (from, to) = (self.tree(from)?, self.tree(to)?);
        let objects = Objects::new(&self.store);
        let mut different = different(&from, &to);
        different
            .retain(|(path, old, new)| is_shown(&from, path, *old) || is_shown(&to, path, *new));
        let files = different.len();
        let (mut text, mut shown) = (String::new(), 0);
        for (path, old, new) in different {
            let part = compare(&objects, path, old, new)?;
            let left = most_bytes.saturating_sub(text.len());
            if part.len() > left {
                // Whole lines only.
                let lines = part.as_bytes().get(..left).unwrap_or_default();
                let end = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                text.push_str(&part[..end]);
                break;
            }
            text.push_str(&part);
            shown += 1;
        }
        let not_shown = files - shown;
        if not_shown > 0 {
            text.push_str(&format!(
                "[cut: {not_shown} of {files} files are not shown, or not to the end]\n"
            ));
        }
        Ok(Diff { text, files, not_shown })
    }
}

/// A folder is shown only if nothing else shows that it is there.
fn is_shown(tree: &Tree, path: &Path, node: Option<&Node>) -> bool {
    match node {
        None => false,
        Some(Node::Folder { .. }) => tree.is_empty_folder(path),
        Some(Node::File { .. } | Node::Link { .. }) => true,
    }
}

/// The mode of git.
fn mode(node: &Node) -> String {
    match node {
        Node::File { mode, .. } => format!("100{mode:03o}"),
        Node::Folder { mode } => format!("040{mode:03o}"),
        Node::Link { .. } => "120000".to_owned(),
    }
}

fn compare(
    objects: &Objects<'_>,
    path: &Path,
    old: Option<&Node>,
    new: Option<&Node>,
) -> Result<String, Error> {
    let shown = name::written(path);
    let mut text = format!("diff --git a/{shown} b/{shown}\n");
    match (old.map(mode), new.map(mode)) {
        (None, Some(new)) => text.push_str(&format!("new file mode {new}\n")),
        (Some(old), None) => text.push_str(&format!("deleted file mode {old}\n")),
        (Some(old), Some(new)) if old != new => {
            text.push_str(&format!("old mode {old}\nnew mode {new}\n"));
        }
        _ => {}
    }
    if let (Some(Node::File { digest: old, .. }), Some(Node::File { digest: new, .. })) = (old, new)
        && old == new
    {
        return Ok(text);
    }
    let side = |node: Option<&Node>, letter: char| {
        node.map_or("/dev/null".to_owned(), |_| format!("{letter}/{shown}"))
    };
    let (a, b) = (side(old, 'a'), side(new, 'b'));
    let (before, after) = (content(objects, path, old)?, content(objects, path, new)?);
    match (&before, &after) {
        (Content::Text(before), Content::Text(after)) if before == after => {}
        (Content::Text(before), Content::Text(after)) => {
            let lines =
                |text: &str| text.bytes().filter(|byte| matches!(byte, b'\n' | b'\r')).count();
            if lines(before) + lines(after) > MOST_LINES {
                text.push_str(&format!("Files {a} and {b} differ (too many lines to show)\n"));
            } else {
                let diff = TextDiff::from_lines(before.as_str(), after.as_str());
                text.push_str(&diff.unified_diff().header(&a, &b).to_string());
            }
        }
        (Content::Binary(_), _) | (_, Content::Binary(_)) => {
            let sizes = format!("{} and {} bytes", before.bytes(), after.bytes());
            text.push_str(&format!("Binary files {a} and {b} differ ({sizes})\n"));
        }
        (Content::Large(_), _) | (_, Content::Large(_)) => {
            let sizes = format!("{} and {} bytes", before.bytes(), after.bytes());
            text.push_str(&format!("Files {a} and {b} differ (too large to show: {sizes})\n"));
        }
    }
    Ok(text)
}

enum Content {
    Text(String),
    Binary(u64),
    Large(u64),
}

impl Content {
    fn bytes(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::Binary(bytes) | Self::Large(bytes) => *bytes,
        }
    }
}

fn content(objects: &Objects<'_>, path: &Path, node: Option<&Node>) -> Result<Content, Error> {
    match node {
        None | Some(Node::Folder { .. }) => Ok(Content::Text(String::new())),
        Some(Node::Link { target }) => Ok(Content::Text(target.clone())),
        Some(Node::File { bytes, .. }) if *bytes > MOST_BYTES => Ok(Content::Large(*bytes)),
        Some(Node::File { digest, bytes, .. }) => {
            let content = objects.read(digest, *bytes, path)?;
            if content.contains(&0) {
                return Ok(Content::Binary(*bytes));
            }
            Ok(String::from_utf8(content).map_or(Content::Binary(*bytes), Content::Text))
        }
    }
}

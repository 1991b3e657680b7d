//! Reads the files of the workspace that a prompt brings, within limits.
//!
//! Links that stay inside the workspace are followed. What is not brought is named, with the reason: a prompt is never
//! silently shorter than the phase asked for.

use std::{collections::HashSet, path::Path};

use consign_files::{Error, Kind, Links, Root};

use super::evidence::is_below;

const MOST_FILES: usize = 50;
const MOST_BYTES: u64 = 256 * 1024;
const MOST_IN_ALL: u64 = 1024 * 1024;
/// More names of a folder are not counted.
const MOST_NAMES: usize = 10_000;

/// What a prompt brings of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// In the order in which they were wanted.
    pub parts: Vec<Part>,
    pub left_out: Vec<LeftOut>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub path: String,
    pub content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The whole file.
    Text(String),
    /// What is there instead of a text, such as `binary, 1234 bytes` or `missing`.
    Described(String),
}

/// A path that is not in the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub path: String,
    pub why: String,
}

/// Reads what is wanted, each path once: at most 50 paths, 256 KB of each and 1 MB in all.
#[must_use]
pub fn context(root: &Root, wanted: &[String]) -> Context {
    let mut context = Context::default();
    let following = root.open_dir("").map(|root| root.following(Links::Inside));
    let (mut seen, mut left) = (HashSet::new(), MOST_IN_ALL);
    for path in wanted {
        // `./a//b` is `a/b`.
        let clean: Vec<_> = Path::new(path).components().collect();
        if !seen
            .insert(clean.into_iter().filter(|part| part.as_os_str() != ".").collect::<Vec<_>>())
        {
            continue;
        }
        let read = match &following {
            _ if context.parts.len() == MOST_FILES => Err(format!("more than {MOST_FILES} files")),
            Ok(root) => read(root, path, left),
            Err(error) => Err(error.to_string()),
        };
        let path = path.clone();
        match read {
            Ok(content) => {
                if let Content::Text(text) = &content {
                    left -= text.len() as u64;
                }
                context.parts.push(Part { path, content });
            }
            Err(why) => context.left_out.push(LeftOut { path, why }),
        }
    }
    context
}

/// The content, or why it is left out. No more than `left` bytes of text.
fn read(root: &Root, path: &str, left: u64) -> Result<Content, String> {
    if !is_below(path) {
        return Err("not a path inside the workspace".to_owned());
    }
    let described = |what: String| Ok(Content::Described(what));
    match root.look(path).map(|about| about.kind) {
        Ok(Kind::File) => {}
        Ok(Kind::Folder) => return described(folder(root, path)),
        Ok(Kind::Link | Kind::Other) => return described("not a file".to_owned()),
        Err(error) => return absent(&error),
    }
    match root.read(path, MOST_BYTES) {
        Ok(bytes) => {
            let length = bytes.len();
            let text = if bytes.contains(&0) { None } else { String::from_utf8(bytes).ok() };
            match text {
                None => described(format!("binary, {length} bytes")),
                Some(text) if text.len() as u64 > left => {
                    Err(format!("more than {} KB in all", MOST_IN_ALL / 1024))
                }
                Some(text) => Ok(Content::Text(text)),
            }
        }
        Err(error) => absent(&error),
    }
}

fn absent(error: &Error) -> Result<Content, String> {
    match error {
        Error::Missing { .. } | Error::NotAFolder { .. } => {
            Ok(Content::Described("missing".to_owned()))
        }
        Error::NotAFile { .. } => Ok(Content::Described("not a file".to_owned())),
        Error::BadPath { .. } => Err("not a path inside the workspace".to_owned()),
        Error::Outside { .. } => Err("leads out of the workspace".to_owned()),
        Error::Link { .. } | Error::Loop { .. } => Err("goes through too many links".to_owned()),
        Error::TooLarge { .. } => Err(format!("larger than {} KB", MOST_BYTES / 1024)),
        Error::Io { source, .. } | Error::Sync { source, .. } => {
            Err(format!("cannot be read: {source}"))
        }
        Error::HardLinked { .. } | Error::AlreadyExists { .. } => Err("cannot be read".to_owned()),
    }
}

fn folder(root: &Root, path: &str) -> String {
    let count = root.open_dir(path).and_then(|folder| {
        let count = folder.entries()?.take(MOST_NAMES + 1).count();
        Ok(count)
    });
    match count {
        Ok(count) if count > MOST_NAMES => format!("folder, more than {MOST_NAMES} names"),
        Ok(1) => "folder, 1 name".to_owned(),
        Ok(count) => format!("folder, {count} names"),
        Err(_) => "folder".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    fn place() -> (tempfile::TempDir, Root) {
        let place = tempfile::tempdir().unwrap();
        let root = Root::open(place.path()).unwrap();
        (place, root)
    }

    /// Each part as one line, then what is left out.
    fn told(root: &Root, wanted: &[&str]) -> Vec<String> {
        let wanted: Vec<String> = wanted.iter().map(|path| (*path).to_owned()).collect();
        let context = context(root, &wanted);
        let part = |part: Part| match part.content {
            Content::Text(text) => format!("{} = {text}", part.path),
            Content::Described(what) => format!("{} ({what})", part.path),
        };
        let parts = context.parts.into_iter().map(part);
        parts
            .chain(context.left_out.into_iter().map(|out| format!("{}! {}", out.path, out.why)))
            .collect()
    }

    #[test]
    fn each_path_is_brought_described_or_left_out() {
        let (place, root) = place();
        fs::create_dir_all(place.path().join("folder/below")).unwrap();
        for (name, bytes) in [
            ("a.txt", &b"text"[..]),
            ("nul", b"a\0b"),
            ("latin", b"gr\xfcn"),
            ("empty", b""),
            ("most", &[b'x'; 256 * 1024]),
            ("more", &[b'x'; 256 * 1024 + 1]),
        ] {
            fs::write(place.path().join(name), bytes).unwrap();
        }
        symlink("a.txt", place.path().join("link")).unwrap();
        symlink("/etc/passwd", place.path().join("out")).unwrap();
        symlink("loop", place.path().join("loop")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, place.path().join("pipe"), rustix::fs::Mode::RUSR)
            .unwrap();
        let wanted = [
            "folder",
            "a.txt",
            "./a.txt",
            "a.txt",
            "nul",
            "latin",
            "empty",
            "more",
            "link",
            "out",
            "loop",
            "pipe",
            "none",
            "a.txt/x",
            "../x",
            "/etc/passwd",
            "",
        ];
        assert_eq!(
            told(&root, &wanted),
            [
                "folder (folder, 1 name)",
                "a.txt = text",
                "nul (binary, 3 bytes)",
                "latin (binary, 4 bytes)",
                "empty = ",
                "link = text",
                "pipe (not a file)",
                "none (missing)",
                "a.txt/x (missing)",
                "more! larger than 256 KB",
                "out! leads out of the workspace",
                "loop! goes through too many links",
                "../x! not a path inside the workspace",
                "/etc/passwd! not a path inside the workspace",
                "! not a path inside the workspace",
            ]
        );
        assert_eq!(told(&root, &["most"])[0].len(), "most = ".len() + 256 * 1024);
    }

    #[test]
    fn a_prompt_has_at_most_a_megabyte_and_fifty_files() {
        let (place, root) = place();
        let names: Vec<String> = (0..60).map(|number| format!("f{number:02}")).collect();
        for (number, name) in names.iter().enumerate() {
            let bytes = if number < 5 { 250 * 1024 } else { 10 };
            fs::write(place.path().join(name), vec![b'x'; bytes]).unwrap();
        }
        let context = context(&root, &names);
        assert_eq!(context.parts.len(), 50);
        let out: Vec<&str> = context.left_out.iter().map(|out| out.path.as_str()).collect();
        assert_eq!(out[0], "f04", "the small ones after it still fit");
        assert_eq!(context.left_out[0].why, "more than 1024 KB in all");
        assert_eq!(out[1..], names[51..]);
        assert_eq!(context.left_out[1].why, "more than 50 files");
    }
}

//! Decides which files are ignored: by the repository's own rules, and because they are not source.
//!
//! The rules are the repository's own: `.gitignore` and `.ignore` files from its root down. Those of
//! the user and of directories above the root are not asked. The files are read by handle and in
//! bounds, which is why this does not use the walk of the `ignore` crate: it opens whatever has the
//! name, be it a pipe or a link to `/dev/zero`.

use std::{path::Path, sync::Arc};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use crate::root::Dir;

/// Larger rule files are not read; a pattern costs memory and time to compile.
const LARGEST: u64 = 128 << 10;
const MOST_LINES: usize = 2_000;

/// Directories of foreign code and of build output.
const FOREIGN: &[&str] = &[
    "node_modules",
    "bower_components",
    "jspm_packages",
    "target",
    "vendor",
    "third_party",
    "dist",
    "build",
    "out",
    "venv",
    "__pycache__",
    "site-packages",
    "Pods",
    "coverage",
];

/// The rules that hold in one directory, and those above it.
pub(crate) struct Rules {
    above: Option<Arc<Self>>,
    git: Option<Gitignore>,
    own: Option<Gitignore>,
}

impl Rules {
    /// Reads the rules of a directory. One without any shares those above it.
    pub(crate) fn read(
        above: Option<Arc<Self>>,
        dir: &Dir,
        path: &str,
        git: bool,
        own: bool,
    ) -> Option<Arc<Self>> {
        let git = git.then(|| compile(dir, path, ".gitignore")).flatten();
        let own = own.then(|| compile(dir, path, ".ignore")).flatten();
        if git.is_none() && own.is_none() {
            return above;
        }
        Some(Arc::new(Self { above, git, own }))
    }

    /// `.ignore` outranks `.gitignore`; of the same kind the nearest decides.
    pub(crate) fn ignores(&self, path: &str, is_dir: bool) -> bool {
        let nearest = |pick: fn(&Self) -> Option<&Gitignore>| {
            let mut rules = Some(self);
            while let Some(at) = rules {
                match pick(at).map_or(Match::None, |rules| rules.matched(path, is_dir)) {
                    Match::None => rules = at.above.as_deref(),
                    Match::Ignore(_) => return Some(true),
                    Match::Whitelist(_) => return Some(false),
                }
            }
            None
        };
        nearest(|at| at.own.as_ref()).or_else(|| nearest(|at| at.git.as_ref())).unwrap_or(false)
    }
}

fn compile(dir: &Dir, path: &str, name: &str) -> Option<Gitignore> {
    let mut bytes = Vec::new();
    dir.read(name, name, LARGEST, &mut bytes).ok()?;
    let mut builder = GitignoreBuilder::new(Path::new(path));
    for line in String::from_utf8_lossy(&bytes).lines().take(MOST_LINES) {
        // A line that means nothing is passed over, as git does.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

/// Whether a directory is left out whatever the rules say.
pub(crate) fn is_foreign_dir(name: &str) -> bool {
    name.starts_with('.') || FOREIGN.contains(&name)
}

/// Whether a file is left out whatever the rules say.
pub(crate) fn is_foreign_file(name: &str) -> bool {
    name.starts_with('.') || name.ends_with(".min.js") || name.ends_with(".min.css")
}

/// Whether a name promises that there is no text inside, so that it need not be opened.
pub(crate) fn is_binary_name(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "png",
        "jpg",
        "jpeg",
        "gif",
        "ico",
        "webp",
        "bmp",
        "tiff",
        "pdf",
        "zip",
        "gz",
        "tgz",
        "bz2",
        "xz",
        "zst",
        "7z",
        "rar",
        "tar",
        "jar",
        "war",
        "class",
        "o",
        "a",
        "so",
        "dylib",
        "dll",
        "exe",
        "lib",
        "obj",
        "pdb",
        "wasm",
        "pyc",
        "woff",
        "woff2",
        "ttf",
        "otf",
        "eot",
        "mp3",
        "mp4",
        "mov",
        "avi",
        "webm",
        "wav",
        "ogg",
        "flac",
        "sqlite",
        "db",
        "bin",
        "dat",
        "parquet",
        "npy",
        "npz",
        "pt",
        "onnx",
        "safetensors",
        "psd",
        "nupkg",
        "whl",
        "deb",
        "rpm",
        "dmg",
    ];
    name.rsplit_once('.').is_some_and(|(_, end)| {
        end.len() <= 11 && ENDS.contains(&end.to_ascii_lowercase().as_str())
    })
}

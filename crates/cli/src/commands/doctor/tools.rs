//! Looks for programs that Consign can make use of.

use std::path::PathBuf;

use consign_app::programs::find;

/// A program, and what it is good for.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) used_for: &'static str,
    pub(super) without: &'static str,
    pub(super) path: Option<PathBuf>,
}

const TOOLS: [(&str, &str, &str); 5] = [
    ("cargo", "building Consign from source", "a binary that is already built still works"),
    ("cc", "linking that build", "./run and ./test install it"),
    ("mold", "linking faster", "links with the toolchain's own linker, slower"),
    (
        "git",
        "pipelines of yours that call it",
        "costs nothing: Consign reads a repository's history by itself",
    ),
    (
        "tesseract",
        "reading scans and pictures of text, quickly",
        "the models of `consign models pull ocr` read them, where they are there",
    ),
];

pub(super) fn look() -> Vec<Tool> {
    TOOLS
        .into_iter()
        .map(|(name, used_for, without)| Tool { name, used_for, without, path: find(name) })
        .collect()
}

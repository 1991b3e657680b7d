//! `go.mod`. Facts: `go` (the version of the language).

use super::kind::{Manifest, Use};

pub(super) fn read(text: &str, manifest: &mut Manifest) {
    let mut inside = false;
    for (at, line) in text.lines().enumerate() {
        let (said, comment) = line.split_once("//").unwrap_or((line, ""));
        let words: Vec<&str> = said.split_whitespace().collect();
        match words.as_slice() {
            ["module", name] => manifest.call(name.trim_matches('"')),
            ["go", version] => {
                manifest.facts.insert("go", (*version).to_owned());
            }
            ["require", "("] => inside = true,
            [")"] => inside = false,
            ["require", name, version] => {
                require(name, version, comment, at + 1, manifest);
            }
            [name, version] if inside => require(name, version, comment, at + 1, manifest),
            _ => {}
        }
    }
}

fn require(name: &str, version: &str, comment: &str, line: usize, manifest: &mut Manifest) {
    // What only others need is nobody's choice.
    if !comment.contains("indirect") {
        manifest.depend(name, Some(version), Use::Runtime, line);
    }
}

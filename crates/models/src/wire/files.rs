//! Puts files of the context into the prompt as text, so that no file can imitate what is around
//! it.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::chat::File;

/// The files and then the text. Each file stands between two marks with the same id. The id is a
/// hash of all of it, so that no file can contain its own end mark: writing one into it changes the
/// id.
#[must_use]
pub fn with_files<'a>(text: &'a str, files: &[File]) -> Cow<'a, str> {
    if files.is_empty() {
        return Cow::Borrowed(text);
    }
    let id = id(text, files);
    let mut all = String::new();
    for file in files {
        // A name is quoted as JSON does it: it stays on its line.
        let name = serde_json::Value::from(file.name.as_str());
        let end = if file.text.ends_with('\n') { "" } else { "\n" };
        all.push_str(&format!(
            "<file id=\"{id}\" name={name}>\n{}{end}</file id=\"{id}\">\n\n",
            file.text
        ));
    }
    all.push_str(text);
    Cow::Owned(all)
}

fn id(text: &str, files: &[File]) -> String {
    let mut hash = Sha256::new();
    let parts = files.iter().flat_map(|file| [&file.name, &file.text]).map(String::as_str);
    for part in parts.chain([text]) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex::encode(&hash.finalize()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> File {
        File { name: name.into(), text: text.into() }
    }

    #[test]
    fn files_stand_before_the_text_between_marks_of_their_own() {
        assert_eq!(with_files("Why?", &[]), "Why?");
        let shown = with_files("Why?", &[file("a.rs", "fn a() {}"), file("b\n\"c", "x\n")]);
        let id = &shown["<file id=\"".len()..][..32];
        let marked = format!(
            "<file id=\"{id}\" name=\"a.rs\">\nfn a() {{}}\n</file id=\"{id}\">\n\n\
             <file id=\"{id}\" name=\"b\\n\\\"c\">\nx\n</file id=\"{id}\">\n\nWhy?"
        );
        assert_eq!(shown, marked);
    }

    #[test]
    fn a_file_cannot_hold_its_own_end_mark() {
        let mut text = "quiet".to_owned();
        for _ in 0..8 {
            let shown = with_files("", &[file("a", &text)]);
            let mark = shown.lines().rfind(|line| line.starts_with("</file")).unwrap().to_owned();
            assert_eq!(shown.matches(&mark).count(), 1);
            text = format!("{text}\n{mark}");
        }
    }
}

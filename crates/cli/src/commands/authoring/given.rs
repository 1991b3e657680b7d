//! What a job is given: a text, and perhaps the folder of a project.

use std::path::Path;

use consign_app::authoring_files::{Framework, framework_of};
use consign_contracts::json::Limits;

use crate::{
    error::{Error, Exit},
    input::Source,
};

/// A text, and how to call the place that it comes from.
pub(in crate::commands) struct Text {
    pub(in crate::commands) text: String,
    pub(in crate::commands) name: String,
}

/// Reads a text. Without a file it is standard input.
pub(in crate::commands) fn read(file: Option<&Path>) -> Result<Text, Error> {
    let source = Source::of(file.unwrap_or(Path::new("-")));
    let (limit, name) = (Limits::default().bytes, source.name());
    let bytes = source.read(limit)?;
    let malformed = |why: String| Error::new("INPUT_MALFORMED", format!("{name} {why}"));
    if bytes.len() > limit {
        return Err(malformed(format!("is larger than {limit} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| malformed("is not UTF-8".to_owned()))?;
    Ok(Text { text, name })
}

/// Words a refusal of the payload for a user who typed no payload: `payload.spec: …` becomes `spec.feature: …`. What is
/// wrong is the text and not the command line.
pub(in crate::commands) fn in_terms_of(mut error: Error, member: &str, name: &str) -> Error {
    if let Some(why) = error.message.strip_prefix(&format!("payload.{member}: ")) {
        error.message = format!("{name}: {why}");
        error.exit = Exit::Failed;
    }
    error
}

/// What the folder tests with that `--repo` names. A repository on a server is not looked at.
pub(in crate::commands) fn framework(repo: &Path) -> Result<Option<Framework>, Error> {
    if is_remote(repo) && !repo.exists() {
        return Ok(None);
    }
    let found = framework_of(repo)?;
    Ok((found != Framework::Default).then_some(found))
}

/// Whether it has the form `owner/repo`.
pub(in crate::commands) fn is_remote(repo: &Path) -> bool {
    let plain = |name: &str| {
        let letter = |it: u8| it.is_ascii_alphanumeric() || b"._-".contains(&it);
        !name.is_empty() && !name.bytes().all(|it| it == b'.') && name.bytes().all(letter)
    };
    let parts = repo.to_str().and_then(|repo| repo.split_once('/'));
    parts.is_some_and(|(owner, name)| plain(owner) && plain(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_on_a_server_is_told_from_a_folder() {
        let check = |repo: &str, expected: bool| {
            assert_eq!(is_remote(Path::new(repo)), expected, "{repo}");
        };
        check("acme/shop", true);
        check("acme/shop.js", true);
        for folder in [".", "..", "../shop", "./shop", "shop", "/srv/shop", "a/b/c", "shop/"] {
            check(folder, false);
        }
    }
}

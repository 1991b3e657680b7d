//! What is to be fetched.

use consign_contracts::crew::{ConnectorInput, SourceType};
use reqwest::Url;

/// How far a caller is trusted with local paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Only paths below `[connector] roots`: what came over HTTP or MCP.
    #[default]
    Roots,
    /// Any path: the user of this machine named it on the command line.
    Named,
    /// Exactly this path, and no link on the way to it: it was found in what the user of this machine named.
    Known,
    /// Only what was sent to us: a name below the folder of [`Options::sent`](crate::Options::sent).
    Sent,
}

/// One source to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    pub source_type: SourceType,
    /// A path, an address, or the id or address of something in Google Drive.
    pub identifier: String,
    /// The credentials to use, by name.
    pub credentials_id: Option<String>,
    /// Whether to fetch what lies below or behind it too.
    pub recursive: bool,
    pub trust: Trust,
}

/// A source that cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the source is empty: name a path, an address or gdrive:ID")]
pub struct BadFetch;

impl Fetch {
    /// What a person means by one word: an address, `gdrive:ID`, or else a path.
    pub fn of_word(word: &str) -> Result<Self, BadFetch> {
        let word = word.trim();
        if word.is_empty() {
            return Err(BadFetch);
        }
        let starts = |with: &str| {
            word.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
        };
        let source_type = if starts("gdrive:") {
            SourceType::Gdrive
        } else if starts("http://") || starts("https://") {
            SourceType::Web
        } else {
            SourceType::Local
        };
        let identifier = word.to_owned();
        let trust = Trust::default();
        Ok(Self { source_type, identifier, credentials_id: None, recursive: false, trust })
    }

    /// Whether its address has a user or a password in it. Such a source is never fetched, and is best not written down.
    #[must_use]
    pub fn has_user_info(&self) -> bool {
        if self.source_type == SourceType::Local {
            return false;
        }
        match Url::parse(self.identifier.trim()) {
            Ok(url) if !url.cannot_be_a_base() => {
                !url.username().is_empty() || url.password().is_some()
            }
            // It leads nowhere, but it may have been meant as an address with a password.
            Ok(_) | Err(_) => self.identifier.contains('@'),
        }
    }

    #[must_use]
    pub fn recursive(self, recursive: bool) -> Self {
        Self { recursive, ..self }
    }

    #[must_use]
    pub fn trusting(self, trust: Trust) -> Self {
        Self { trust, ..self }
    }

    #[must_use]
    pub fn with_credentials(self, credentials_id: Option<String>) -> Self {
        Self { credentials_id, ..self }
    }
}

/// As the document has it. Local paths are those below the roots, unless the caller says more.
impl TryFrom<ConnectorInput> for Fetch {
    type Error = BadFetch;

    fn try_from(input: ConnectorInput) -> Result<Self, BadFetch> {
        let identifier = input.source_identifier.trim().to_owned();
        if identifier.is_empty() {
            return Err(BadFetch);
        }
        Ok(Self {
            source_type: input.source_type,
            identifier,
            credentials_id: input.credentials_id.and_then(|named| named.0),
            recursive: input.recursive.unwrap_or(false),
            trust: Trust::Roots,
        })
    }
}

#[cfg(test)]
mod tests {
    use consign_contracts::wire::Message;

    use super::*;

    #[test]
    fn a_word_is_an_address_a_drive_id_or_a_path() {
        let check = |word: &str, kind: SourceType| {
            assert_eq!(Fetch::of_word(word).unwrap().source_type, kind, "{word}");
        };
        check("https://a.example/", SourceType::Web);
        check("HTTP://a.example/", SourceType::Web);
        check("gdrive:1aB", SourceType::Gdrive);
        check("docs/a.pdf", SourceType::Local);
        check("http:", SourceType::Local);
        check("é", SourceType::Local);
        assert_eq!(Fetch::of_word(" "), Err(BadFetch));
    }

    #[test]
    fn a_user_or_a_password_in_an_address_is_seen() {
        let check = |source_type: SourceType, identifier: &str, expected: bool| {
            let fetch = Fetch { source_type, ..Fetch::of_word(identifier).unwrap() };
            assert_eq!(fetch.has_user_info(), expected, "{identifier}");
        };
        for address in [
            "https://ada:secret@a.example/",
            "https://ada@a.example/",
            "https://:secret@a.example/",
            "https:ada:secret@a.example",
            "https://ada:secret@a.example:bad/",
            "ada:secret@a.example",
        ] {
            check(SourceType::Web, address, true);
            check(SourceType::Gdrive, address, true);
        }
        check(SourceType::Web, "https://a.example/@ada?to=b@c.example", false);
        check(SourceType::Gdrive, "1aB", false);
        check(SourceType::Local, "/home/ada@work/a.txt", false);
    }

    #[test]
    fn the_documents_input_has_its_defaults() {
        let input = br#"{"source_type":"web","source_identifier":"https://a.example/"}"#;
        let fetch = Fetch::try_from(ConnectorInput::from_json(input).unwrap()).unwrap();
        assert_eq!(
            (fetch.recursive, fetch.credentials_id, fetch.trust),
            (false, None, Trust::Roots)
        );
        let full = br#"{"source_type":"gdrive","source_identifier":"1","credentials_id":"mine","recursive":true}"#;
        let fetch = Fetch::try_from(ConnectorInput::from_json(full).unwrap()).unwrap();
        assert_eq!((fetch.recursive, fetch.credentials_id.as_deref()), (true, Some("mine")));
        for bad in [
            r#"{"source_type":"ftp","source_identifier":"x"}"#,
            r#"{"source_type":"web"}"#,
            r#"{"source_identifier":"x"}"#,
        ] {
            assert!(ConnectorInput::from_json(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}

//! What is to be fetched.

use consign_contracts::crew::{ConnectorInput, SourceType};

/// How far a caller is trusted with local paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Only paths below `[connector] roots`: what came over HTTP or MCP.
    #[default]
    Roots,
    /// Any path: the user of this machine named it on the command line.
    Named,
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

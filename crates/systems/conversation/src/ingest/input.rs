//! What an ingest is given.

use consign_connector::{Fetch, Trust};
use consign_contracts::crew::SourceType;
use consign_engine::{Data, Fault};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The collection of documents for which none is named.
pub const DEFAULT_COLLECTION: &str = "default";

/// The most sources of one ingest. A folder or a site is one source, however many files it has.
const MOST_SOURCES: usize = 10_000;
/// The longest name of a collection, in bytes.
const LONGEST_COLLECTION: usize = 100;

/// The input of a run that takes sources in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestInput {
    pub sources: Vec<SourceInput>,
    #[serde(default = "default_collection")]
    pub collection: String,
    /// How pictures of text are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ocr: Option<OcrWish>,
    /// How far the caller is trusted with local paths.
    #[serde(default)]
    pub trust: Trusting,
    /// The user's own facts about these documents; searches can be filtered by them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

fn default_collection() -> String {
    DEFAULT_COLLECTION.to_owned()
}

/// A source, with the members of contract `crew/connector.input`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceInput {
    pub source_type: String,
    pub source_identifier: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials_id: Option<String>,
    #[serde(default)]
    pub recursive: bool,
    /// What the source is called, where that is not what it is fetched by: the name of a file that was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
}

/// Every page is read as a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OcrWish {
    /// By tesseract where it is installed, else by the models.
    Fast,
    /// By the models where they are there, else by tesseract.
    Best,
}

/// How far the caller is trusted with local paths: [`Trust`], on the way into a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trusting {
    #[default]
    Roots,
    Named,
    Known,
    Sent,
}

impl SourceInput {
    #[must_use]
    pub fn of(fetch: &Fetch) -> Self {
        Self {
            source_type: fetch.source_type.as_str().to_owned(),
            source_identifier: fetch.identifier.clone(),
            credentials_id: fetch.credentials_id.clone(),
            recursive: fetch.recursive,
            called: None,
        }
    }

    /// What a person calls it.
    pub(crate) fn name(&self) -> &str {
        self.called.as_deref().unwrap_or(&self.source_identifier)
    }

    pub(crate) fn fetch(&self, trust: Trusting) -> Result<Fetch, Fault> {
        let source_type = SourceType::from_word(&self.source_type)
            .ok_or_else(|| invalid("a source is one of gdrive, web, local"))?;
        Ok(Fetch {
            source_type,
            identifier: self.source_identifier.clone(),
            credentials_id: self.credentials_id.clone(),
            recursive: self.recursive,
            trust: match trust {
                Trusting::Roots => Trust::Roots,
                Trusting::Named => Trust::Named,
                Trusting::Known => Trust::Known,
                Trusting::Sent => Trust::Sent,
            },
        })
    }
}

impl IngestInput {
    /// Reads the input of a run and refuses what makes no sense.
    pub(crate) fn read(input: &Data) -> Result<Self, Fault> {
        let read: Self = input.to().map_err(|cause| invalid(cause.to_string()))?;
        read.check()?;
        Ok(read)
    }

    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), Fault> {
        if self.sources.is_empty() || self.sources.len() > MOST_SOURCES {
            return Err(invalid(format!("name 1 to {MOST_SOURCES} sources")));
        }
        check_collection(&self.collection)?;
        for source in &self.sources {
            let fetch = source.fetch(self.trust)?;
            // It is not repeated: nothing of it may get into a journal or a log.
            if fetch.has_user_info() {
                return Err(invalid(
                    "an address has a user or a password in it: use `consign credentials add` for these",
                ));
            }
            if source.source_identifier.trim().is_empty() {
                return Err(invalid("a source is empty: name a path, an address or gdrive:ID"));
            }
        }
        Ok(())
    }
}

/// Refuses a name that no collection can have.
pub(crate) fn check_collection(name: &str) -> Result<(), Fault> {
    let is_fit = !name.trim().is_empty()
        && name.len() <= LONGEST_COLLECTION
        && !name.chars().any(char::is_control);
    if is_fit {
        return Ok(());
    }
    Err(invalid(format!(
        "the name of a collection has 1 to {LONGEST_COLLECTION} bytes, on one line"
    )))
}

fn invalid(why: impl Into<String>) -> Fault {
    Fault::permanent("INVALID_INPUT", why.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(input: &Value, is_fit: bool) {
        let read = IngestInput::read(&Data::of(input));
        assert_eq!(read.is_ok(), is_fit, "{input}: {read:?}");
    }

    #[test]
    fn an_input_names_sources_that_make_sense() {
        let local = json!({"source_type": "local", "source_identifier": "/a"});
        check(&json!({"sources": [local]}), true);
        check(
            &json!({"sources": [local], "collection": "a b", "ocr": "best", "trust": "named"}),
            true,
        );
        check(&json!({"sources": []}), false);
        check(&json!({"sources": [{"source_type": "ftp", "source_identifier": "a"}]}), false);
        check(&json!({"sources": [{"source_type": "web", "source_identifier": " "}]}), false);
        check(&json!({"sources": [local], "collection": ""}), false);
        check(&json!({"sources": [local], "collection": "a\nb"}), false);
        check(&json!({"sources": [local], "color": "red"}), false);
    }

    #[test]
    fn a_password_in_an_address_is_refused_and_not_repeated() {
        for address in ["https://ada:hunter2@a.example/", "https://ada:hunter2@a.example:x/"] {
            let source = json!({"source_type": "web", "source_identifier": address});
            let fault = IngestInput::read(&Data::of(&json!({"sources": [source]}))).unwrap_err();
            assert!(!fault.message.contains("hunter2"), "{}", fault.message);
        }
    }

    #[test]
    fn a_caller_is_trusted_with_nothing_unless_it_says_so() {
        let input = json!({"sources": [{"source_type": "local", "source_identifier": "/a"}]});
        let read = IngestInput::read(&Data::of(&input)).unwrap();
        assert_eq!((read.trust, read.collection.as_str()), (Trusting::Roots, DEFAULT_COLLECTION));
        assert_eq!(read.sources[0].fetch(read.trust).unwrap().trust, Trust::Roots);
    }
}

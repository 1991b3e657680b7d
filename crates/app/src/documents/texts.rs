//! Texts that are sent one by one, kept in batches.

use consign_conversation::{TextInput, ingest::FileRow};
use consign_engine::Owner;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    Home,
    error::{Error, Refused},
};

/// A text, as it is sent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TextLine {
    id: String,
    text: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    collection: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
}

/// Reads `{id, text, title?, collection?, metadata?}`. Collection and metadata are those of the caller where it has none
/// of its own.
pub fn read_text(
    line: &[u8],
    collection: &str,
    metadata: &Map<String, Value>,
) -> Result<TextInput, Error> {
    let invalid = |why: String| Refused::new("VALIDATION_ERROR", why);
    let read: TextLine = serde_json::from_slice(line).map_err(|why| invalid(why.to_string()))?;
    let mut facts = metadata.clone();
    facts.extend(read.metadata);
    let text = TextInput {
        id: read.id,
        text: read.text,
        title: read.title,
        collection: read.collection.unwrap_or_else(|| collection.to_owned()),
        metadata: facts,
    };
    text.check().map_err(|fault| invalid(fault.message))?;
    Ok(text)
}

/// Takes texts in, in one commit, and says what became of each, in their order.
pub async fn take_texts(
    home: &Home,
    owner: &Owner,
    texts: Vec<TextInput>,
) -> Result<Vec<FileRow>, Error> {
    Ok(consign_conversation::take_texts(&home.library, owner, texts).await?)
}

/// What became of a text, under its id.
#[must_use]
pub fn text_row(id: &str, row: &FileRow) -> Value {
    let mut told = json!(row);
    told["id"] = json!(id);
    told
}

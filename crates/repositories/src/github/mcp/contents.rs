//! What `get_file_contents` answers: GitHub's own document with the file as text, or the file as a
//! resource.

use base64::{Engine, engine::general_purpose::STANDARD};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use super::super::wire::{Contents, FolderEntry, parse};
use crate::{BlobId, Error};

/// The answer of a tool.
pub(super) struct Answer(pub(super) CallToolResult);

impl Answer {
    /// The JSON of the answer.
    pub(super) fn text(&self) -> Result<&str, Error> {
        let mut blocks = self.0.content.iter().filter_map(|block| block.as_text());
        let text = blocks.next().map(|text| text.text.as_str());
        text.ok_or_else(|| Error::invalid("the tool answered without text"))
    }
}

pub(super) enum Read {
    Folder(Vec<FolderEntry>),
    File {
        blob: BlobId,
        size: u64,
        /// May be other bytes than those of `blob`.
        content: Vec<u8>,
    },
}

pub(super) fn read(answer: Answer) -> Result<Read, Error> {
    let resource = answer.0.content.iter().find_map(|block| {
        let ContentBlock::Resource(resource) = block else { return None };
        Some(&resource.resource)
    });
    if let Some(resource) = resource {
        let content = match resource {
            ResourceContents::TextResourceContents { text, .. } => text.as_bytes().to_vec(),
            ResourceContents::BlobResourceContents { blob, .. } => {
                STANDARD.decode(blob).map_err(|_| Error::invalid("a file is not base64"))?
            }
            _ => return Err(Error::invalid("a resource is of an unknown kind")),
        };
        return Ok(Read::File { blob: BlobId::of(&content), size: content.len() as u64, content });
    }
    match parse::<Contents>(answer.text()?.as_bytes())? {
        Contents::Folder(entries) => Ok(Read::Folder(entries)),
        Contents::File(file) if file.r#type == "file" => Ok(Read::File {
            blob: BlobId::parse(&file.sha)?,
            size: file.size,
            content: file.content.unwrap_or_default().into_bytes(),
        }),
        Contents::File(_) => Err(Error::not_found("a plain file")),
    }
}

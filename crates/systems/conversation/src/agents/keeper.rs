//! The memory's step of an ingest: cuts what was read into chunks and keeps them, in one commit of the index.

use std::sync::Arc;

use async_trait::async_trait;
use consign_engine::{Attempt, Data, Failure, Fault, Invoker, Nanos, Reply};
use consign_knowledge::{About, Draft, Put, SourceId, Version};

use super::{
    broken, failure,
    parser::{ReadFile, discard, reread},
    passing, removed,
};
use crate::{
    Library,
    failure::Failed,
    ingest::{FileRow, RowStatus, workflow::KeepInput},
    reading::{cut, kept},
};

pub(super) struct KeeperAgent(pub(super) Arc<Library>);

impl KeeperAgent {
    async fn step(&self, attempt: &Attempt) -> Result<Data, Failure> {
        let input: KeepInput = attempt.input.to().map_err(broken)?;
        let read: ReadFile = input.read.to().map_err(broken)?;
        let (owner, now) = (attempt.owner.clone(), self.0.now());
        let source = SourceId::of(&owner, &input.collection, &read.file.identifier);
        let (identifier, copy) = (read.file.identifier.clone(), read.file.file_path.clone());
        let collection = input.collection.clone();
        let removed = || {
            discard(&copy);
            Ok(Data::of(&removed(&self.0, &source, &identifier, &collection)))
        };
        if self.0.is_removed(&attempt.run, &source) {
            return removed();
        }
        let working = tokio::task::spawn_blocking(move || {
            let document = reread(&read.parsed)?;
            let chunks = kept(&document, &cut(&document));
            let source = SourceId::of(&owner, &input.collection, &read.file.identifier);
            let about = About {
                collection: input.collection.clone(),
                source_type: read.file.source_type.clone(),
                identifier: read.file.identifier.clone(),
                url: read.file.source_url.clone(),
                checksum: read.file.checksum.clone(),
                kind: document.kind.to_string(),
                file_type: document.kind.file_type().as_str().to_owned(),
                file_name: read.file.file_name.clone(),
                title: document.title.clone(),
                metadata: input.metadata.clone(),
                pages: document.pages.unwrap_or(1),
                ingested_at: now,
            };
            let row = FileRow {
                source_id: source.to_string(),
                document_id: Some(read.document_id),
                source_identifier: read.file.identifier,
                collection: input.collection,
                status: RowStatus::Taken,
                chunks: u32::try_from(chunks.len()).unwrap_or(u32::MAX),
                pages: about.pages,
                checksum: Some(read.file.checksum),
                error: None,
                warnings: read.warnings,
                fetched_as: None,
            };
            let version = Version::of(&owner, Draft { about, text: document.text, chunks });
            let version = version.map_err(|unfit| {
                failure(Fault::permanent("ERR_PARSER_UNSUPPORTED", unfit.to_string()))
            })?;
            Ok::<_, Failure>((row, version))
        });
        let worked = working.await.unwrap_or_else(|cause| {
            Err(failure(Fault::permanent("INTERNAL_ERROR", cause.to_string())))
        });
        let (mut row, version) = worked?;
        let put = self.0.index.put(&attempt.owner, vec![version]).await;
        let put = put.map_err(|error| passing("DATABASE_ERROR", error.to_string()))?;
        // Whoever removed it meanwhile has not seen what was put just now.
        if self.0.is_removed(&attempt.run, &source) {
            let gone = self.0.index.remove(&attempt.owner, &source).await;
            gone.map_err(|error| passing("DATABASE_ERROR", error.to_string()))?;
            return removed();
        }
        row.status = match put.first() {
            Some(Put::Replaced) => RowStatus::Replaced,
            // A step that was repeated after its answer was lost finds its own work.
            Some(Put::Unchanged) if attempt.number > 1 => RowStatus::Taken,
            Some(Put::Unchanged) => RowStatus::Unchanged,
            Some(Put::Taken) => RowStatus::Taken,
            None => {
                let failed = Failed::new("memory", "INTERNAL_ERROR", "the index kept nothing");
                row.error = Some(failed.at(self.0.now()));
                RowStatus::Failed
            }
        };
        if row.chunks == 0 && row.error.is_none() {
            row.warnings.push("there is no text in it; a scan is read with --ocr".to_owned());
        }
        Ok(Data::of(&row))
    }
}

#[async_trait]
impl Invoker for KeeperAgent {
    fn worst_case(&self, _: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        self.step(&attempt).await.map(|gave| Reply::new(gave, Nanos::ZERO))
    }
}

//! Known sources are looked at again: an ingest of what an owner has, in runs of their own.
//!
//! [`wanted`] says what is to be fetched again, [`note_missing`] keeps what came of it. A source that is gone stays, so
//! that answers which cite it can still be checked; it is marked as missing until it is there again or removed.

use std::{collections::BTreeMap, path::Path};

use consign_conversation::ingest::{FileRow, IngestInput, OcrWish, SourceInput, Trusting};
use consign_engine::Owner;
use consign_knowledge::{Source, SourceId, SourceQuery};

use crate::{Home, error::Error};

/// Sources that one run looks at.
const MOST_IN_A_RUN: usize = 1000;
/// Sources that are read at a time.
const PAGE: usize = 500;
/// How the names of owners begin that are users of the server.
const USER: &str = "user:";
/// The code of a source that is gone.
const GONE: &str = "ERR_CONNECTOR_NOT_FOUND";

/// What is to be looked at again.
#[derive(Clone, Debug, Default)]
pub struct Refresh {
    /// Each is the input of one run.
    pub inputs: Vec<IngestInput>,
    /// Sources that came as text: there is no place to look at.
    pub without_place: Vec<Source>,
}

/// What looking again at one source, or at all of an owner, means.
pub async fn wanted(
    home: &Home,
    owner: &Owner,
    id: Option<&str>,
    ocr: Option<OcrWish>,
    credentials: Option<&str>,
) -> Result<Refresh, Error> {
    let sources = match id {
        Some(id) => vec![super::show(home, owner, id).await?],
        None => all(home, owner).await?,
    };
    // Users have no hand in what lies on this machine, but below the folders that are shared with them. What else was
    // taken in, its own user named; what was found there may have become a link to somewhere else since.
    let is_user = owner.as_str().starts_with(USER);
    let trust = if is_user { Trusting::Roots } else { Trusting::Known };
    let mut refresh = Refresh::default();
    // What is said of all files of a run is the same: collection and metadata.
    let mut groups: BTreeMap<(String, String), Vec<Source>> = BTreeMap::new();
    for source in sources {
        let about = &source.about;
        let has_place = match about.source_type.as_str() {
            "local" => Path::new(&about.identifier).is_absolute(),
            "web" | "gdrive" => true,
            _ => false,
        };
        if has_place {
            let facts = serde_json::Value::Object(about.metadata.clone()).to_string();
            groups.entry((about.collection.clone(), facts)).or_default().push(source);
        } else {
            refresh.without_place.push(source);
        }
    }
    for group in groups.into_values() {
        refresh.inputs.extend(group.chunks(MOST_IN_A_RUN).filter_map(|sources| {
            let first = &sources.first()?.about;
            Some(IngestInput {
                sources: sources.iter().map(|source| again(source, credentials)).collect(),
                collection: first.collection.clone(),
                ocr,
                trust,
                metadata: first.metadata.clone(),
            })
        }));
    }
    Ok(refresh)
}

/// Notes which of these files were gone. Says how many of them are known.
pub async fn note_missing(home: &Home, owner: &Owner, rows: &[FileRow]) -> Result<usize, Error> {
    let mut noted = 0;
    for row in rows {
        if row.error.as_ref().is_some_and(|error| error.error_code == GONE) {
            let source = SourceId::named(&row.source_id);
            noted += usize::from(home.library.index.set_missing(owner, &source, true).await?);
        }
    }
    Ok(noted)
}

async fn all(home: &Home, owner: &Owner) -> Result<Vec<Source>, Error> {
    let mut all: Vec<Source> = Vec::new();
    loop {
        let place =
            |source: &Source| (source.about.collection.clone(), source.about.identifier.clone());
        let after = all.last().map(place);
        let query = SourceQuery { collection: None, after, most: PAGE };
        let page = home.library.index.sources(owner, &query).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

fn again(source: &Source, credentials: Option<&str>) -> SourceInput {
    SourceInput {
        source_type: source.about.source_type.clone(),
        source_identifier: source.about.identifier.clone(),
        credentials_id: credentials.map(str::to_owned),
        recursive: false,
        called: None,
    }
}

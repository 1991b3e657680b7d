//! What is sent to be taken in: files, or the names of sources.

use axum::{
    body::Body,
    http::{HeaderMap, header},
};
use consign_app::documents::{
    DEFAULT_COLLECTION, IngestInput, SourceInput, Trusting, Upload, UploadWishes,
};
use consign_contracts::{
    crew::SourceType,
    json::{Json, Object},
    wire::{Wire, wire},
};
use serde_json::{Map, Value};

use super::form;
use crate::{
    endpoint::{BodyForm, Checked, FromBody, Route},
    error::{Part, Problem},
    server::App,
};

wire! {
    /// A source, as contract crew/connector.input has it.
    pub closed struct SentSource {
        /// What it is.
        source_type: SourceType,
        /// A path below a shared folder, an address, or the id of a file of Google Drive.
        source_identifier: String [minLength: 1, maxLength: 4096, pattern: r"\S"],
        /// The credentials to use, by name.
        credentials_id: Option<String> [minLength: 1, maxLength: 64],
        /// Folders in folders, and the pages that pages link to.
        recursive: Option<bool>,
    }
}

wire! {
    /// Sources to take in.
    pub closed struct SentSources {
        /// The sources.
        sources: Vec<SentSource> [minItems: 1, maxItems: 1000],
        /// Where they go; `default` if left out.
        collection: Option<String> [minLength: 1, maxLength: 100, pattern: r"^[^\x00-\x1f\x7f]*$"],
        /// Facts about them by which searches can be filtered.
        metadata: Option<Object<'static>>,
        /// Read every page as a picture: fast or best.
        ocr: Option<String> [pattern: "^(fast|best)$"],
    }
}

/// What is to be taken in.
pub(crate) enum Sent {
    Files(Box<Upload>, UploadWishes),
    Sources(IngestInput),
}

impl FromBody for Sent {
    const FORM: BodyForm = BodyForm::Files { form: "SentFiles", schema: SentSources::schema };

    async fn read(
        route: &'static Route,
        app: &App,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Self, Problem> {
        let Some(media) = form_of(headers) else {
            let Checked(sources) = Checked::<SentSources>::read(route, app, headers, body).await?;
            return Ok(Self::Sources(sources.input()?));
        };
        let (upload, wishes) = form::read(app, media, body).await?;
        Ok(Self::Files(Box::new(upload), wishes))
    }
}

/// The media type of a form, sent as it is.
fn form_of(headers: &HeaderMap) -> Option<&str> {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(given), None) = (types.next(), types.next()) else { return None };
    let given = given.to_str().ok()?;
    let media = given.split(';').next().unwrap_or_default().trim();
    let is_plain = !headers.contains_key(header::CONTENT_ENCODING);
    (is_plain && media.eq_ignore_ascii_case("multipart/form-data")).then_some(given)
}

impl SentSources {
    fn input(self) -> Result<IngestInput, Problem> {
        let source = |source: SentSource| SourceInput {
            source_type: source.source_type.as_str().to_owned(),
            source_identifier: source.source_identifier.trim().to_owned(),
            credentials_id: source.credentials_id,
            recursive: source.recursive.unwrap_or(false),
            called: None,
        };
        Ok(IngestInput {
            sources: self.sources.into_iter().map(source).collect(),
            collection: self.collection.unwrap_or_else(|| DEFAULT_COLLECTION.to_owned()),
            ocr: self.ocr.as_deref().and_then(form::ocr),
            trust: Trusting::Roots,
            metadata: self.metadata.map(facts).transpose()?.unwrap_or_default(),
        })
    }
}

fn facts(given: Object<'static>) -> Result<Map<String, Value>, Problem> {
    serde_json::from_str(&Json::Object(given).to_string()).map_err(|_| {
        Problem::invalid(Part::Body, "/metadata", "type", "metadata has numbers that are too large")
    })
}

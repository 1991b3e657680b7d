//! `/api/settings/credentials`: with what the caller's sources and sealed files are opened. It never comes out again.

use std::sync::Arc;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use consign_app::{
    documents::credentials::{self, CredentialKind, OwnCredential},
    view,
};
use consign_contracts::{
    Breach,
    json::{Json, Object},
    wire::{Wire, wire},
};
use serde_json::{Value, json};

use super::{Confidential, SecretText};
use crate::{
    endpoint::{
        Access, Answer, Call, CredentialsPath, Endpoint, Method, NoBody, NoPath, NoQuery, Operation,
    },
    error::Problem,
    respond,
    server::App,
};

/// What credentials are, by its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KindWord(CredentialKind);

impl Wire for KindWord {
    fn schema() -> Object<'static> {
        let mut schema = String::schema();
        let words = CredentialKind::ALL.map(|kind| Json::from(kind.as_str()));
        schema.set("enum", Json::Array(words.into()));
        schema
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        let kind = json.as_str().and_then(CredentialKind::from_word).map(Self);
        kind.ok_or_else(|| Breach {
            pointer: String::new(),
            keyword: "enum".to_owned(),
            message: "expected one of bearer, oauth, password".to_owned(),
        })
    }

    fn write(&self) -> Json<'static> {
        Json::from(self.0.as_str())
    }
}

wire! {
    /// Credentials to keep.
    pub closed struct AddCredentialsBody {
        /// Under which name.
        name: String [pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"],
        /// What they are.
        kind: KindWord,
        /// A token, a password, or of oauth the text of a JSON object with client_id, refresh_token and client_secret.
        secret: SecretText [minLength: 1, maxLength: 4096],
    }
}

wire! {
    /// Credentials that take the place of those before.
    pub closed struct ReplaceCredentialsBody {
        /// What they are.
        kind: KindWord,
        /// A token, a password, or of oauth the text of a JSON object with client_id, refresh_token and client_secret.
        secret: SecretText [minLength: 1, maxLength: 4096],
    }
}

fn shown(known: &OwnCredential) -> Value {
    json!({
        "name": known.name,
        "kind": known.kind.map(CredentialKind::as_str),
        "createdAt": view::at(known.at).as_str(),
    })
}

pub(in crate::routes) struct ListCredentials;

impl Endpoint for ListCredentials {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/settings/credentials";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "listCredentials",
        "Your credentials for sources and sealed files",
        &[Answer::json(200, "CredentialsPage", "All of them, without the secrets themselves.")],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let known = credentials::list(&app.home, &call.caller.owner).await?;
        let items: Vec<Value> = known.iter().map(shown).collect();
        Ok(respond::text(StatusCode::OK, json!({ "items": items }).to_string()))
    }
}

pub(in crate::routes) struct AddCredentials;

impl Endpoint for AddCredentials {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/settings/credentials";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "addCredentials",
        "Keep credentials for sources or sealed files",
        &[Answer::json(201, "Credentials", "They were sealed and are kept.")],
    )
    .description(
        "409 DUPLICATE_KEY if there are some of this name; 503 ENCRYPTION_NOT_CONFIGURED without a sealing key.",
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Confidential<AddCredentialsBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let Confidential(AddCredentialsBody { name, kind: KindWord(kind), secret }) = call.body;
        let (owner, secret) = (&call.caller.owner, secret.reveal().into_bytes());
        let kept = credentials::add(&app.home, owner, &name, kind, secret, false).await?;
        Ok(respond::text(StatusCode::CREATED, shown(&kept).to_string()))
    }
}

pub(in crate::routes) struct ReplaceCredentials;

impl Endpoint for ReplaceCredentials {
    const METHOD: Method = Method::Put;
    const PATH: &'static str = "/api/settings/credentials/{name}";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "replaceCredentials",
        "Keep credentials in the place of those of this name",
        &[Answer::json(200, "Credentials", "They were sealed and are kept.")],
    );
    type Path = CredentialsPath;
    type Query = NoQuery;
    type Body = Confidential<ReplaceCredentialsBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let CredentialsPath(name) = call.path;
        let Confidential(ReplaceCredentialsBody { kind: KindWord(kind), secret }) = call.body;
        let (owner, secret) = (&call.caller.owner, secret.reveal().into_bytes());
        let kept = credentials::add(&app.home, owner, &name, kind, secret, true).await?;
        Ok(respond::text(StatusCode::OK, shown(&kept).to_string()))
    }
}

pub(in crate::routes) struct RemoveCredentials;

impl Endpoint for RemoveCredentials {
    const METHOD: Method = Method::Delete;
    const PATH: &'static str = "/api/settings/credentials/{name}";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "removeCredentials",
        "Remove credentials",
        &[Answer::empty(204, "They are gone.")],
    );
    type Path = CredentialsPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let CredentialsPath(name) = call.path;
        credentials::remove(&app.home, &call.caller.owner, &name).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    }
}

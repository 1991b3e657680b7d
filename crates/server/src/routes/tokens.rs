//! `/api/tokens`: the tokens with which a user's programs sign in.

use std::sync::Arc;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use consign_accounts::{Role, Scope, Scopes, TokenInfo};
use consign_app::view;
use consign_contracts::{
    Breach,
    json::{Json, Object},
    wire::{Wire, rules, wire},
};
use serde_json::{Value, json};

use crate::{
    endpoint::{
        Access, Answer, Call, Checked, Endpoint, Method, NamePath, NoBody, NoPath, NoQuery,
        Operation,
    },
    error::Problem,
    respond,
    server::App,
};

/// A scope, by its word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScopeWord(Scope);

impl Wire for ScopeWord {
    fn schema() -> Object<'static> {
        rules(r#"{"enum": ["runs", "jobs", "answer", "admin"]}"#)
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        // The schema has been checked: it is one of the words.
        Ok(Self(json.as_str().and_then(Scope::from_word).unwrap_or(Scope::Runs)))
    }

    fn write(&self) -> Json<'static> {
        Json::from(self.0.as_str())
    }
}

wire! {
    /// A token to make.
    pub closed struct TokenBody {
        /// What it is for.
        name: Option<String> [minLength: 1, maxLength: 100, pattern: r"^[^\x00-\x1f\x7f-\x9f]*$"],
        /// What it may do; left out, it has `runs`, `jobs` and `answer` and can change the account's settings.
        scopes: Option<Vec<ScopeWord>> [minItems: 1, maxItems: 4],
    }
}

const MOST_TOKENS: usize = 100;

fn token_json(token: &TokenInfo) -> Value {
    let scopes = token.scopes.as_ref().map(|scopes| {
        scopes.iter().map(|scope| Value::from(scope.as_str())).collect::<Vec<Value>>()
    });
    json!({
        "id": token.id,
        "name": token.name,
        "scopes": scopes,
        "createdAt": view::at(token.created_at).as_str(),
    })
}

pub(super) struct CreateToken;

impl Endpoint for CreateToken {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/tokens";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "createToken",
        "Make a token",
        &[Answer::json(201, "NewToken", "The token, which is never shown again.")],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Option<Checked<TokenBody>>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let user = call.caller.account_user()?;
        let (name, scopes) = match call.body {
            Some(Checked(TokenBody { name, scopes })) => (name, scopes),
            None => (None, None),
        };
        let scopes =
            scopes.map(|words| words.into_iter().map(|ScopeWord(scope)| scope).collect::<Scopes>());
        let wants_admin = scopes.as_ref().is_some_and(|scopes| scopes.contains(Scope::Admin));
        if wants_admin && user.role != Role::Admin {
            return Err(Problem::new("FORBIDDEN", "the scope `admin` is for admins"));
        }
        let accounts = app.accounts()?;
        if accounts.tokens(&user.id).await?.len() >= MOST_TOKENS {
            let told = format!("a user has at most {MOST_TOKENS} tokens; revoke one first");
            return Err(Problem::new("INVALID_STATE", told));
        }
        let (token, secret) = accounts.create_token(&user.id, name.as_deref(), scopes).await?;
        let mut body = token_json(&token);
        body["token"] = Value::from(secret.reveal());
        Ok(respond::text(StatusCode::CREATED, body.to_string()))
    }
}

pub(super) struct ListTokens;

impl Endpoint for ListTokens {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/tokens";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "listTokens",
        "Your tokens",
        &[Answer::json(200, "TokenPage", "All of them.")],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let tokens = app.accounts()?.tokens(call.caller.user_id()?).await?;
        let items: Vec<Value> = tokens.iter().map(token_json).collect();
        Ok(respond::text(StatusCode::OK, json!({ "items": items }).to_string()))
    }
}

pub(super) struct RevokeToken;

impl Endpoint for RevokeToken {
    const METHOD: Method = Method::Delete;
    const PATH: &'static str = "/api/tokens/{id}";
    const ACCESS: Access = Access::Unscoped;
    const OPERATION: Operation = Operation::new(
        "revokeToken",
        "Revoke a token",
        &[Answer::empty(204, "It signs nobody in any more.")],
    );
    type Path = NamePath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let user = call.caller.user_id()?;
        let NamePath(id) = &call.path;
        if !app.accounts()?.revoke_token(Some(user), id).await? {
            return Err(Problem::new("NOT_FOUND", "there is no such token"));
        }
        Ok(StatusCode::NO_CONTENT.into_response())
    }
}

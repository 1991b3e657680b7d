//! `/api/users`: what admins see and do. Nothing of other users' work is here.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use consign_accounts::{User, UserId};
use consign_app::view;
use serde_json::{Value, json};

use crate::{
    endpoint::{
        Access, Answer, Call, Endpoint, Method, NamePath, NoBody, NoPath, NoQuery, Operation,
    },
    error::Problem,
    respond,
    server::App,
};

fn user_json(user: &User) -> Value {
    json!({
        "id": user.id.to_string(),
        "email": user.email,
        "role": user.role.as_str(),
        "verified": user.is_verified,
        "disabled": user.is_disabled,
        "createdAt": view::at(user.created_at).as_str(),
    })
}

pub(super) struct ListUsers;

impl Endpoint for ListUsers {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/api/users";
    const ACCESS: Access = Access::Admin;
    const OPERATION: Operation =
        Operation::new("listUsers", "All users", &[Answer::json(200, "UserPage", "All of them.")]);
    type Path = NoPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, _call: Call<Self>) -> Result<Response, Problem> {
        let users = app.accounts()?.users().await?;
        let items: Vec<Value> = users.iter().map(user_json).collect();
        Ok(respond::text(StatusCode::OK, json!({ "items": items }).to_string()))
    }
}

const CHANGED: &[Answer] = &[Answer::json(200, "User", "The user as it is now.")];

pub(super) struct DisableUser;

impl Endpoint for DisableUser {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/users/{id}/disable";
    const ACCESS: Access = Access::Admin;
    const OPERATION: Operation =
        Operation::new("disableUser", "Disable a user: sessions and tokens end", CHANGED);
    type Path = NamePath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let NamePath(id) = &call.path;
        if call.caller.identity().is_some_and(|identity| identity.user.id.to_string() == *id) {
            return Err(Problem::new("INVALID_STATE", "you cannot disable yourself"));
        }
        set(&app, id, true).await
    }
}

pub(super) struct EnableUser;

impl Endpoint for EnableUser {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/users/{id}/enable";
    const ACCESS: Access = Access::Admin;
    const OPERATION: Operation =
        Operation::new("enableUser", "Let a disabled user log in again", CHANGED);
    type Path = NamePath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let NamePath(id) = &call.path;
        set(&app, id, false).await
    }
}

async fn set(app: &App, id: &str, is_disabled: bool) -> Result<Response, Problem> {
    let unknown = || Problem::new("USER_NOT_FOUND", "there is no user of that id");
    let accounts = app.accounts()?;
    let id = UserId::from_word(id).ok_or_else(unknown)?;
    let user = accounts.set_disabled(&id, is_disabled).await?;
    Ok(respond::text(StatusCode::OK, user_json(&user).to_string()))
}

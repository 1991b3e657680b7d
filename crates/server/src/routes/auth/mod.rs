//! `/auth`: signing up, logging in and out, passwords and sign-in with other services.
//!
//! Every rule (who may, how often, what is told) is in `consign_accounts`. A route takes the members of its body,
//! calls, and turns sessions into cookies. A server without accounts answers all of them with 404.

pub(super) mod login;
pub(super) mod logout;
pub(super) mod me;
pub(super) mod oauth;
pub(super) mod password;
pub(super) mod reset;
pub(super) mod setup;
pub(super) mod setup_page;
pub(super) mod signup;
pub(super) mod verify;

use axum::{
    http::{StatusCode, header},
    response::Response,
};
use consign_accounts::{Client, SignedIn, User};
use serde_json::{Value, json};

use crate::{
    cookies,
    endpoint::{Call, Endpoint},
    respond,
    server::App,
    sign_in::SignIn,
};

/// The client of a call, as limits count it.
fn client<E: Endpoint>(call: &Call<E>) -> Client {
    Client { address: call.peer().address }
}

/// Whether cookies go over encrypted connections only.
fn is_secure<E: Endpoint>(app: &App, call: &Call<E>) -> bool {
    let is_public_https = match &app.sign_in {
        SignIn::Accounts(parts) => parts.public_url.starts_with("https://"),
        SignIn::Token(_) => false,
    };
    call.peer().is_tls || is_public_https
}

fn user_json(user: &User) -> Value {
    json!({ "id": user.id.to_string(), "email": user.email, "role": user.role.as_str() })
}

/// The answer to a log-in: the user, the token against forged requests, and the cookie.
fn signed_in(signed_in: &SignedIn, is_secure: bool) -> Response {
    let body = json!({ "user": user_json(&signed_in.user), "csrfToken": signed_in.csrf });
    let mut response = respond::text(StatusCode::OK, body.to_string());
    let cookie = cookies::set_session(signed_in.session.reveal(), is_secure);
    response.headers_mut().append(header::SET_COOKIE, cookie);
    response
}

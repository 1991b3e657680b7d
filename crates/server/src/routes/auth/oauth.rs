//! `GET /auth/oauth/{provider}` and `/callback`: signing in with another service.
//!
//! The sign-in is bound to the browser that began it (a cookie), to this attempt (`state`, taken once) and to this
//! server (PKCE, and an exact address to come back to). Whose account it is says `consign_accounts`.

use std::sync::Arc;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use consign_accounts::Provider;
use consign_app::accounts::{OauthError, pkce_challenge};
use consign_contracts::wire::wire;

use super::{client, is_secure, login::SIGNED_IN, signed_in};
use crate::{
    cookies,
    endpoint::{Access, Answer, Call, Endpoint, Method, NoBody, NoQuery, Operation, ProviderPath},
    error::Problem,
    server::App,
    sign_in::AccountsParts,
};

wire! {
    /// What a service sends a browser back with.
    pub closed struct CallbackQuery {
        /// To be exchanged for the user.
        code: Option<String>,
        /// Names the attempt.
        state: Option<String>,
        /// Why the user was not signed in there.
        error: Option<String>,
        /// In words.
        error_description: Option<String>,
        /// Where more is said.
        error_uri: Option<String>,
        /// What the user allowed.
        scope: Option<String>,
        /// Google's own.
        authuser: Option<String>,
        /// Google's own.
        prompt: Option<String>,
        /// Google's own.
        hd: Option<String>,
        /// Who issued the code.
        iss: Option<String>,
    }
}

/// Where a service sends browsers back to. It must be registered there, exactly so.
fn redirect_uri(parts: &AccountsParts, provider: Provider) -> String {
    format!("{}/auth/oauth/{}/callback", parts.public_url, provider.as_str())
}

pub(in crate::routes) struct BeginOauth;

impl Endpoint for BeginOauth {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/auth/oauth/{provider}";
    const ACCESS: Access = Access::Public;
    const OPERATION: Operation = Operation::new(
        "beginOauth",
        "Sign in with another service",
        &[Answer::empty(302, "To the service.").headers(&[("Location", "The service.")])],
    );
    type Path = ProviderPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (client, is_secure) = (client(&call), is_secure(&app, &call));
        let ProviderPath(provider) = call.path;
        let parts = app.with_accounts()?;
        if !parts.oauth.is_configured(provider) {
            return Err(not_configured(provider));
        }
        parts.check_first(call.headers()).await?;
        let attempt = parts.accounts.begin_oauth(provider, &client).await?;
        let challenge = pkce_challenge(attempt.pkce_verifier.reveal()).map_err(refused)?;
        let back = redirect_uri(parts, provider);
        let to = parts.oauth.authorize_url(provider, attempt.state.reveal(), &challenge, &back);
        let to = to.map_err(refused)?;
        let to = HeaderValue::try_from(to)
            .map_err(|why| Problem::new("INTERNAL_ERROR", why.to_string()))?;
        let mut response = StatusCode::FOUND.into_response();
        response.headers_mut().insert(header::LOCATION, to);
        let cookie = cookies::set_browser(attempt.browser.reveal(), is_secure);
        response.headers_mut().append(header::SET_COOKIE, cookie);
        Ok(response)
    }
}

pub(in crate::routes) struct EndOauth;

impl Endpoint for EndOauth {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/auth/oauth/{provider}/callback";
    const ACCESS: Access = Access::Public;
    const OPERATION: Operation =
        Operation::new("endOauth", "Come back from another service", SIGNED_IN);
    type Path = ProviderPath;
    type Query = CallbackQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (client, is_secure) = (client(&call), is_secure(&app, &call));
        let ProviderPath(provider) = call.path;
        let parts = app.with_accounts()?;
        if !parts.oauth.is_configured(provider) {
            return Err(not_configured(provider));
        }
        let browser = cookies::browser(call.headers()).unwrap_or_default();
        // The attempt is used up whatever comes of it.
        let state = call.query.state.as_deref().unwrap_or_default();
        let verifier = parts.accounts.take_oauth(provider, state, &browser).await?;
        let Some(code) = call.query.code.as_deref().filter(|_| call.query.error.is_none()) else {
            let name = provider.as_str();
            return Err(Problem::new(
                "UNAUTHORIZED",
                format!("{name} did not sign you in; try again"),
            ));
        };
        let uri = redirect_uri(parts, provider);
        let outside = parts.oauth.exchange(provider, code, verifier.reveal(), &uri).await;
        let outside = outside.map_err(refused)?;
        let session = parts.accounts.sign_in_with(provider, outside, &client).await?;
        let mut response = signed_in(&session, is_secure);
        response.headers_mut().append(header::SET_COOKIE, cookies::end_browser(is_secure));
        Ok(response)
    }
}

/// A service that could not be reached or refused the user. What it said itself is not repeated.
fn refused(error: OauthError) -> Problem {
    let told = error.to_string();
    match error {
        OauthError::NotConfigured(provider) => not_configured(provider),
        OauthError::Invalid(_) => Problem::new("INTERNAL_ERROR", told),
        OauthError::Refused { .. } => Problem::new("UNAUTHORIZED", told),
        OauthError::Misconfigured { .. } => {
            Problem { cause: Some(told.clone()), ..Problem::new("OAUTH_NOT_CONFIGURED", told) }
        }
        OauthError::Unreachable { .. } | OauthError::Answer { .. } => {
            Problem::new("SIGN_IN_UNAVAILABLE", told)
        }
    }
}

fn not_configured(provider: Provider) -> Problem {
    let told = format!("sign-in with {} is not set up on this server", provider.as_str());
    Problem::new("OAUTH_NOT_CONFIGURED", told)
}

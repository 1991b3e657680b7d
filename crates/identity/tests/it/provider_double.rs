//! GitHub and Google on this machine, as far as signing in goes: they keep the promises of OAuth that we
//! lean on (PKCE, the exact redirect URI, the client secret, one use of a code) and can misbehave.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::{RawQuery, State},
    http::{HeaderMap, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use oauth2::url::{Url, form_urlencoded};
use sha2::{Digest, Sha256};

pub(crate) const ID: &str = "the-client";
pub(crate) const SECRET: &str = "hush-hush";
const TOKEN: &str = "token-of-ann";

/// How the double answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Usual,
    UnverifiedAddress,
    NoId,
    HugeToken,
    HugeUser,
    RedirectsToken,
    RedirectsUser,
    FailsToken,
    FailsUser,
    ForbidsUser,
    Nonsense,
    Silent,
}

/// A code that was given out, and what for.
struct Given {
    challenge: String,
    redirect_uri: String,
}

struct Inner {
    manner: Manner,
    codes: Mutex<HashMap<String, Given>>,
    /// Every request as `METHOD /path`.
    seen: Mutex<Vec<String>>,
}

#[derive(Clone)]
pub(crate) struct ProviderDouble {
    pub(crate) address: SocketAddr,
    inner: Arc<Inner>,
}

impl ProviderDouble {
    pub(crate) async fn start(manner: Manner) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Arc::new(Inner { manner, codes: Mutex::default(), seen: Mutex::default() });
        let app = Router::new().fallback(answer).with_state(inner.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, inner }
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.inner.seen.lock().unwrap().clone()
    }

    /// What a browser does with the address that it is sent to: the query that it comes back with.
    pub(crate) async fn visit(&self, authorize_url: &str) -> HashMap<String, String> {
        // The first to install one wins, and any will do.
        let _ = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
        let browser = reqwest::Client::builder()
            .no_proxy()
            .tls_certs_only([])
            .redirect(reqwest::redirect::Policy::none());
        let answer = browser.build().unwrap().get(authorize_url).send().await.unwrap();
        assert_eq!(answer.status(), 302);
        let back = Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
        back.query_pairs().into_owned().collect()
    }
}

fn pairs(form: &[u8]) -> HashMap<String, String> {
    form_urlencoded::parse(form).into_owned().collect()
}

async fn answer(
    State(inner): State<Arc<Inner>>,
    method: Method,
    uri: Uri,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let call = format!("{method} {}", uri.path());
    inner.seen.lock().unwrap().push(call.clone());
    match &*call {
        "GET /login/oauth/authorize" => authorize(&inner, "user:email", &query.unwrap()),
        "GET /o/oauth2/v2/auth" => authorize(&inner, "openid email", &query.unwrap()),
        "POST /login/oauth/access_token" => token(&inner, &headers, &pairs(&body), true).await,
        "POST /token" => token(&inner, &headers, &pairs(&body), false).await,
        "GET /user" | "GET /user/emails" | "GET /v1/userinfo" => user(&inner, &call, &headers),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn authorize(inner: &Inner, scope: &str, query: &str) -> Response {
    let asked = pairs(query.as_bytes());
    for (name, expected) in [
        ("client_id", ID),
        ("response_type", "code"),
        ("code_challenge_method", "S256"),
        ("scope", scope),
    ] {
        assert_eq!(asked[name], expected);
    }
    let mut codes = inner.codes.lock().unwrap();
    let code = format!("code-{}", codes.len());
    let mut back = Url::parse(&asked["redirect_uri"]).unwrap();
    back.query_pairs_mut().append_pair("code", &code).append_pair("state", &asked["state"]);
    codes.insert(
        code,
        Given {
            challenge: asked["code_challenge"].clone(),
            redirect_uri: asked["redirect_uri"].clone(),
        },
    );
    (StatusCode::FOUND, [(header::LOCATION, String::from(back))]).into_response()
}

fn json(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json; charset=utf-8")], text).into_response()
}

fn redirect() -> Response {
    (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, "/elsewhere")]).into_response()
}

fn huge() -> Response {
    json(StatusCode::OK, format!("{{\"a\":\"{}\"}}", "a".repeat(300_000)))
}

async fn token(
    inner: &Inner,
    headers: &HeaderMap,
    form: &HashMap<String, String>,
    is_github: bool,
) -> Response {
    match inner.manner {
        Manner::HugeToken => return huge(),
        Manner::RedirectsToken => return redirect(),
        Manner::FailsToken => return StatusCode::BAD_GATEWAY.into_response(),
        Manner::Nonsense => return json(StatusCode::OK, "[\"hush\"]".to_owned()),
        Manner::Silent => return std::future::pending().await,
        Manner::Usual
        | Manner::UnverifiedAddress
        | Manner::NoId
        | Manner::HugeUser
        | Manner::RedirectsUser
        | Manner::FailsUser
        | Manner::ForbidsUser => {}
    }
    assert_eq!(headers[header::ACCEPT], "application/json");
    assert_eq!(form["grant_type"], "authorization_code");
    // GitHub says with 200 that it refuses, Google with 400.
    let refused = |github: &str, google: &str| {
        let (status, code) = match is_github {
            true => (StatusCode::OK, github),
            false => (StatusCode::BAD_REQUEST, google),
        };
        let said = format!("hush: {form:?}");
        json(status, serde_json::json!({"error": code, "error_description": said}).to_string())
    };
    if form["client_id"] != ID || form.get("client_secret").is_none_or(|given| given != SECRET) {
        return refused("incorrect_client_credentials", "invalid_client");
    }
    // A code is gone as soon as anybody tries it.
    let Some(given) = inner.codes.lock().unwrap().remove(&form["code"]) else {
        return refused("bad_verification_code", "invalid_grant");
    };
    if form["redirect_uri"] != given.redirect_uri {
        return refused("redirect_uri_mismatch", "redirect_uri_mismatch");
    }
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    if challenge != given.challenge {
        return refused("bad_verification_code", "invalid_grant");
    }
    let scope = if is_github { "user:email" } else { "openid email" };
    let text = format!(r#"{{"access_token":"{TOKEN}","token_type":"bearer","scope":"{scope}"}}"#);
    json(StatusCode::OK, text)
}

fn user(inner: &Inner, call: &str, headers: &HeaderMap) -> Response {
    assert!(headers[header::USER_AGENT].to_str().unwrap().starts_with("consign/"));
    if headers[header::AUTHORIZATION] != format!("Bearer {TOKEN}") {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    match inner.manner {
        Manner::HugeUser => return huge(),
        Manner::RedirectsUser => return redirect(),
        Manner::FailsUser => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Manner::ForbidsUser => return StatusCode::FORBIDDEN.into_response(),
        Manner::Usual
        | Manner::UnverifiedAddress
        | Manner::NoId
        | Manner::HugeToken
        | Manner::RedirectsToken
        | Manner::FailsToken
        | Manner::Nonsense
        | Manner::Silent => {}
    }
    let verified = inner.manner != Manner::UnverifiedAddress;
    let id = if inner.manner == Manner::NoId { "" } else { "42" };
    let text = match call {
        // The address on the profile is not to be believed.
        "GET /user" if id.is_empty() => r#"{"login":"ann"}"#.to_owned(),
        "GET /user" => format!(r#"{{"login":"ann","id":{id},"email":"eve@example.com"}}"#),
        "GET /user/emails" => format!(
            r#"[{{"email":"old@example.com","primary":false,"verified":true,"visibility":null}},
                {{"email":"ann@example.com","primary":true,"verified":{verified}}}]"#
        ),
        _ => format!(
            r#"{{"sub":"{id}","email":"ann@example.com","email_verified":{verified},"name":"Ann"}}"#
        ),
    };
    json(StatusCode::OK, text)
}

//! GitHub and Google on this machine, as far as signing in goes: they keep what OAuth promises (PKCE, the exact
//! redirect URI, the client's secret, one use of a code) and say whoever a test wants them to say.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use consign_app::accounts::OauthClients;
use percent_encoding::percent_decode_str;
use serde_json::json;
use sha2::{Digest, Sha256};

const ID: &str = "the-client";
const SECRET: &str = "hush-hush";

/// Who is signed in at the service.
#[derive(Clone, Copy)]
pub(crate) struct Person {
    pub(crate) id: u64,
    pub(crate) email: &'static str,
    pub(crate) is_verified: bool,
}

/// A code that was given out, and what for.
struct Given {
    person: Person,
    challenge: String,
    redirect_uri: String,
}

type Codes = Arc<Mutex<HashMap<String, Given>>>;

pub(crate) struct OauthDouble {
    pub(crate) address: SocketAddr,
    codes: Codes,
}

/// What stands in a query or a form.
pub(crate) fn pairs(text: &str) -> HashMap<String, String> {
    let decoded = |text: &str| {
        percent_decode_str(&text.replace('+', " ")).decode_utf8().unwrap().into_owned()
    };
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decoded(name), decoded(value))).collect()
}

impl OauthDouble {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, codes) = (listener.local_addr().unwrap(), Codes::default());
        let app = Router::new().fallback(answer).with_state(codes.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, codes }
    }

    pub(crate) fn clients(&self) -> OauthClients {
        let base = format!("http://{}", self.address);
        let lookup = |name: &str| match name {
            "GITHUB_OAUTH_CLIENT_ID" | "GOOGLE_OAUTH_CLIENT_ID" => Some(ID.to_owned()),
            "GITHUB_OAUTH_CLIENT_SECRET" | "GOOGLE_OAUTH_CLIENT_SECRET" => Some(SECRET.to_owned()),
            "CONSIGN_OAUTH_GITHUB_URL" | "CONSIGN_OAUTH_GOOGLE_URL" => Some(base.clone()),
            _ => None,
        };
        OauthClients::from_environment(lookup).unwrap()
    }

    /// What a browser comes back with from the address that it was sent to: a code for this person.
    pub(crate) fn visit(&self, location: &str, person: Person) -> String {
        let (place, query) = location.split_once('?').unwrap();
        assert!(place.starts_with(&format!("http://{}/", self.address)), "{place}");
        let asked = pairs(query);
        assert_eq!((&*asked["client_id"], &*asked["response_type"]), (ID, "code"));
        assert_eq!(asked["code_challenge_method"], "S256");
        assert!(!location.contains(SECRET));
        let mut codes = self.codes.lock().unwrap();
        let code = format!("code-{}-{}", person.id, codes.len());
        let (challenge, redirect_uri) =
            (asked["code_challenge"].clone(), asked["redirect_uri"].clone());
        codes.insert(code.clone(), Given { person, challenge, redirect_uri });
        code
    }
}

async fn answer(
    State(codes): State<Codes>,
    method: Method,
    uri: Uri,
    headers: axum::http::HeaderMap,
    body: Bytes,
) -> Response {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let person = || {
        let told = bearer.and_then(|bearer| bearer.strip_prefix("Bearer ")).unwrap();
        let mut parts = told.split('|');
        let mut next = || parts.next().unwrap().to_owned();
        (next().parse::<u64>().unwrap(), next(), next() == "true")
    };
    let told = match (method.as_str(), uri.path()) {
        ("POST", "/login/oauth/access_token") => return token(&codes, &body, StatusCode::OK),
        ("POST", "/token") => return token(&codes, &body, StatusCode::BAD_REQUEST),
        // The address on the profile is not to be believed.
        ("GET", "/user") => json!({"login": "x", "id": person().0, "email": "eve@example.com"}),
        ("GET", "/user/emails") => {
            let (_, email, verified) = person();
            json!([{"email": email, "primary": true, "verified": verified}])
        }
        ("GET", "/v1/userinfo") => {
            let (id, email, verified) = person();
            json!({"sub": id.to_string(), "email": email, "email_verified": verified})
        }
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    written(StatusCode::OK, &told)
}

fn token(codes: &Codes, body: &Bytes, refused: StatusCode) -> Response {
    let form = pairs(std::str::from_utf8(body).unwrap());
    let refuse = |code: &str| written(refused, &json!({"error": code}));
    if form["client_id"] != ID || form["client_secret"] != SECRET {
        return refuse("invalid_client");
    }
    // A code is gone as soon as anybody tries it.
    let Some(given) = codes.lock().unwrap().remove(&form["code"]) else {
        return refuse("bad_verification_code");
    };
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    if form["redirect_uri"] != given.redirect_uri || challenge != given.challenge {
        return refuse("bad_verification_code");
    }
    let Person { id, email, is_verified } = given.person;
    let token = format!("{id}|{email}|{is_verified}");
    written(StatusCode::OK, &json!({"access_token": token, "token_type": "bearer"}))
}

fn written(status: StatusCode, told: &serde_json::Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], told.to_string()).into_response()
}

//! `GET /auth/setup`: the page behind the link that the server prints at its first start.
//!
//! The token stands after `#`, so that it is in no request and no log. The page's only script is named by its hash in
//! the content security policy.

use std::sync::{Arc, LazyLock};

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

use crate::{
    endpoint::{Access, Answer, Call, Endpoint, Method, NoBody, NoPath, NoQuery, Operation},
    error::Problem,
    server::App,
};

const SCRIPT: &str = include_str!("setup_page.js");
const STYLE: &str = include_str!("setup_page.css");

static PAGE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Set up Consign</title>\n<style>{STYLE}</style>\n{}\n<script>{SCRIPT}</script>\n</html>\n",
        include_str!("setup_page.html")
    )
});

static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    let policy = format!(
        "default-src 'none'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
         script-src 'sha256-{}'; style-src 'sha256-{}'",
        hash(SCRIPT),
        hash(STYLE)
    );
    HeaderValue::try_from(policy).expect("a policy is plain text")
});

pub(in crate::routes) struct SetUpPage;

impl Endpoint for SetUpPage {
    const METHOD: Method = Method::Get;
    const PATH: &'static str = "/auth/setup";
    const ACCESS: Access = Access::Public;
    const OPERATION: Operation = Operation::new(
        "setUpPage",
        "The page on which the first user is made",
        &[Answer::text(200, "text/html", "The page.")],
    );
    type Path = NoPath;
    type Query = NoQuery;
    type Body = NoBody;

    async fn answer(app: Arc<App>, _call: Call<Self>) -> Result<Response, Problem> {
        app.accounts()?;
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
            (header::CONTENT_SECURITY_POLICY, POLICY.clone()),
            (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        ];
        Ok((StatusCode::OK, headers, PAGE.as_str()).into_response())
    }
}

//! The access token: the one that was given, or one that Google gives for a refresh token.

use std::time::Duration;

use reqwest::{
    Method, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
};
use serde::Deserialize;

use crate::{
    Credential, Error, Secret,
    http::{
        Http, Tries, Trouble, body,
        client::{Allowance, Ask},
        refused,
    },
};

/// The most that is read of an answer.
const ANSWER: usize = 64 << 10;
/// A token is renewed so long before its end.
const EARLY: Duration = Duration::from_secs(60);

pub(super) struct Tokens {
    credential: Credential,
    url: Url,
    now: Option<Token>,
}

struct Token {
    secret: Secret,
    /// In ticks of the clock.
    until: Option<Duration>,
}

#[derive(Deserialize)]
struct Answer {
    access_token: String,
    expires_in: Option<u64>,
}

#[derive(Default, Deserialize)]
struct Refusal {
    #[serde(default)]
    error: String,
}

impl Tokens {
    pub(super) fn new(http: &Http, credential: Option<Credential>) -> Result<Self, Error> {
        let wanted = "Google Drive wants credentials: add some with `consign credentials add NAME` and name \
            them with --credentials NAME";
        let now = match &credential {
            Some(Credential::Bearer(secret)) => Some(Token { secret: secret.clone(), until: None }),
            Some(Credential::OAuth { .. }) => None,
            Some(Credential::Password(_)) => {
                let why = "Google Drive takes credentials of the kind `bearer` or `oauth`";
                return Err(Error::auth(why));
            }
            None => return Err(Error::auth(wanted)),
        };
        let url = http.url(&http.options.gdrive_token_url)?;
        let credential = credential.ok_or_else(|| Error::auth(wanted))?;
        Ok(Self { credential, url, now })
    }

    /// A token that is still good for a while.
    pub(super) async fn get(&mut self, http: &Http, until: Duration) -> Result<HeaderValue, Error> {
        let now = http.parts.clock.ticks();
        let is_good = |token: &Token| token.until.is_none_or(|end| now + EARLY < end);
        let token = match self.now.take().filter(is_good) {
            Some(token) => token,
            None => self.renew(http, until).await?,
        };
        let token = self.now.insert(token);
        authorization(&token.secret)
    }

    /// The token was refused: says whether there may be another one.
    pub(super) fn drop_refused(&mut self) -> bool {
        let can_renew = matches!(self.credential, Credential::OAuth { .. });
        if can_renew {
            self.now = None;
        }
        can_renew
    }

    async fn renew(&self, http: &Http, until: Duration) -> Result<Token, Error> {
        let Credential::OAuth { client_id, client_secret, refresh_token } = &self.credential else {
            return Err(Error::auth(
                "Google Drive does not take this token any more: add a new one",
            ));
        };
        let mut form = Url::parse("http://form/").map_err(|_| Error::auth("no form"))?;
        form.query_pairs_mut()
            .append_pair("grant_type", "refresh_token")
            .append_pair("client_id", client_id)
            .append_pair("refresh_token", refresh_token.reveal());
        if let Some(secret) = client_secret {
            form.query_pairs_mut().append_pair("client_secret", secret.reveal());
        }
        let form = form.query().unwrap_or_default();
        let mut tries = Tries::new(http, &self.url, until);
        loop {
            match self.ask(http, form.to_owned()).await {
                Ok(done) => return Ok(done),
                Err(trouble) => tries.failed(trouble).await?,
            }
        }
    }

    async fn ask(&self, http: &Http, form: String) -> Result<Token, Trouble> {
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, kind)]);
        let ask = Ask { method: Method::POST, url: &self.url, headers, body: Some(form) };
        let mut allowance = Allowance::new(http.options.max_time);
        let response = http.send(ask, super::api::INTERVAL, &mut allowance).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let began = http.parts.clock.ticks();
        let answer = body::read(response, &self.url, ANSWER, false);
        let answer = allowance.within(&self.url, answer).await?;
        if status.is_success() {
            let answer: Answer = serde_json::from_slice(&answer).map_err(|_| {
                Trouble::lasting(Error::unreachable("Google's answer has no access token in it"))
            })?;
            let until = answer.expires_in.map(|seconds| began + Duration::from_secs(seconds));
            return Ok(Token { secret: Secret::new(answer.access_token), until });
        }
        if matches!(status.as_u16(), 400 | 401 | 403) {
            let said: Refusal = serde_json::from_slice(&answer).unwrap_or_default();
            let plain = said.error.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            let why = if plain { said.error.as_str() } else { "" };
            let why =
                format!("Google gives no access token for these credentials ({why}): add new ones");
            return Err(Trouble::lasting(Error::auth(why).with_status(status.as_u16())));
        }
        Err(refused(&self.url, status, &headers, http.parts.clock.wall()))
    }
}

fn authorization(token: &Secret) -> Result<HeaderValue, Error> {
    let value = HeaderValue::from_str(&format!("Bearer {}", token.reveal()));
    let mut value = value
        .map_err(|_| Error::auth("the token has characters that cannot be sent: add it again"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// The header that a token goes into.
pub(super) const HEADER: reqwest::header::HeaderName = AUTHORIZATION;

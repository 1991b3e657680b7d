//! The two halves of a sign-in: the address for the browser, and the exchange of the code it brings back.
//!
//! The provider checks the PKCE verifier, the redirect URI and that a code is used once. The redirect URI
//! is the caller's, built from the server's public URL, and is sent exactly as given both times. The
//! access token is used for who the user is, then dropped: Consign does nothing else in a user's name.

use std::{borrow::Cow, time::Duration};

use consign_accounts::{OutsideUser, Provider};
use oauth2::{
    AccessToken, AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken,
    EndpointNotSet, EndpointSet, HttpRequest, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl,
    RequestTokenError, Scope, TokenResponse, TokenUrl,
    basic::{BasicClient, BasicErrorResponse},
    http::{
        HeaderValue, Method, Request,
        header::{ACCEPT, AUTHORIZATION},
    },
};
use reqwest::Url;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    error::Error,
    github, google,
    http::{Broken, Http},
    settings::{Problem, ProviderSettings},
};

/// How long an exchange may take in all: two or three requests, while somebody looks at an empty page.
const EXCHANGING: Duration = Duration::from_secs(20);

type Oauth = BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// The providers that people can sign in with.
#[derive(Debug)]
pub struct OauthClients {
    github: Option<ProviderSettings>,
    google: Option<ProviderSettings>,
    http: Http,
    exchanging: Duration,
}

impl OauthClients {
    /// `None` is a provider that is not configured.
    #[must_use]
    pub fn new(github: Option<ProviderSettings>, google: Option<ProviderSettings>) -> Self {
        Self { github, google, http: Http::default(), exchanging: EXCHANGING }
    }

    /// Reads the variables of both providers; see [`ProviderSettings::from_environment`].
    pub fn from_environment(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, Problem> {
        let read = |provider| ProviderSettings::from_environment(provider, &lookup);
        Ok(Self::new(read(Provider::GitHub)?, read(Provider::Google)?))
    }

    /// The same clients with another limit of time for a whole exchange.
    #[must_use]
    pub fn within(self, exchanging: Duration) -> Self {
        Self { exchanging, ..self }
    }

    #[must_use]
    pub fn is_configured(&self, provider: Provider) -> bool {
        self.settings(provider).is_ok()
    }

    /// Where to send the browser. `pkce_challenge` is that of the verifier that `exchange` gets later.
    pub fn authorize_url(
        &self,
        provider: Provider,
        state: &str,
        pkce_challenge: &str,
        redirect_uri: &str,
    ) -> Result<String, Error> {
        let oauth = self.oauth(provider)?;
        let scopes = match provider {
            Provider::GitHub => github::SCOPES,
            Provider::Google => google::SCOPES,
        };
        let (url, _) = oauth
            .authorize_url(|| CsrfToken::new(state.to_owned()))
            .set_redirect_uri(Cow::Owned(redirect(redirect_uri)?))
            .add_scopes(scopes.iter().map(|scope| Scope::new((*scope).to_owned())))
            .add_extra_param("code_challenge", pkce_challenge)
            .add_extra_param("code_challenge_method", "S256")
            .url();
        Ok(url.into())
    }

    /// Who the user is that came back with this code.
    pub async fn exchange(
        &self,
        provider: Provider,
        code: &str,
        pkce_verifier: &str,
        redirect_uri: &str,
    ) -> Result<OutsideUser, Error> {
        let settings = self.settings(provider)?;
        let exchanging = async {
            let token = self.token(provider, code, pkce_verifier, redirect_uri).await?;
            self.outside_user(provider, settings, &token).await
        };
        match tokio::time::timeout(self.exchanging, exchanging).await {
            Ok(answered) => answered,
            Err(_elapsed) => {
                Err(Error::Unreachable { provider, why: "it took too long".to_owned() })
            }
        }
    }

    async fn token(
        &self,
        provider: Provider,
        code: &str,
        pkce_verifier: &str,
        redirect_uri: &str,
    ) -> Result<AccessToken, Error> {
        let answered = self
            .oauth(provider)?
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .set_pkce_verifier(verifier(pkce_verifier)?)
            .set_redirect_uri(Cow::Owned(redirect(redirect_uri)?))
            .request_async(&self.http)
            .await;
        match answered {
            Ok(token) => Ok(token.access_token().clone()),
            Err(error) => Err(refusal(provider, error)),
        }
    }

    async fn outside_user(
        &self,
        provider: Provider,
        settings: &ProviderSettings,
        token: &AccessToken,
    ) -> Result<OutsideUser, Error> {
        let urls = &settings.endpoints;
        let outside = match (provider, &urls.emails) {
            (Provider::GitHub, Some(emails)) => {
                let user = self.get(provider, &urls.user, token).await?;
                github::outside(&user, self.get(provider, emails, token).await?)
            }
            (Provider::GitHub, None) => {
                github::outside(&self.get(provider, &urls.user, token).await?, Vec::new())
            }
            (Provider::Google, _) => google::outside(self.get(provider, &urls.user, token).await?),
        };
        // Accounts are linked by it: one that two users could share must not come through.
        match outside.id.trim().is_empty() || outside.id.len() > 255 {
            true => Err(Error::Answer { provider, why: "the user has no id".to_owned() }),
            false => Ok(outside),
        }
    }

    /// One JSON document, read with the token.
    async fn get<T: DeserializeOwned>(
        &self,
        provider: Provider,
        url: &Url,
        token: &AccessToken,
    ) -> Result<T, Error> {
        let answer = |why: String| Error::Answer { provider, why };
        let mut bearer = HeaderValue::try_from(format!("Bearer {}", token.secret()))
            .map_err(|_| answer("its token cannot be sent".to_owned()))?;
        bearer.set_sensitive(true);
        let request: HttpRequest = Request::builder()
            .method(Method::GET)
            .uri(url.as_str())
            .header(ACCEPT, "application/json")
            .header(AUTHORIZATION, bearer)
            .body(Vec::new())
            .map_err(|_| answer("its URL is not valid".to_owned()))?;
        let response = self.http.send(request).await.map_err(|why| broken(provider, &why))?;
        if !response.status().is_success() {
            return Err(answer(format!("status {}", response.status().as_u16())));
        }
        serde_json::from_slice(response.body())
            .map_err(|_| answer("it does not say who the user is".to_owned()))
    }

    fn settings(&self, provider: Provider) -> Result<&ProviderSettings, Error> {
        let settings = match provider {
            Provider::GitHub => &self.github,
            Provider::Google => &self.google,
        };
        settings.as_ref().ok_or(Error::NotConfigured(provider))
    }

    fn oauth(&self, provider: Provider) -> Result<Oauth, Error> {
        let settings = self.settings(provider)?;
        let urls = &settings.endpoints;
        Ok(BasicClient::new(ClientId::new(settings.client_id.clone()))
            .set_client_secret(ClientSecret::new(settings.client_secret.reveal().to_owned()))
            // Both providers take it there, and GitHub only there.
            .set_auth_type(AuthType::RequestBody)
            .set_auth_uri(AuthUrl::from_url(urls.authorize.clone()))
            .set_token_uri(TokenUrl::from_url(urls.token.clone())))
    }
}

/// The PKCE challenge (S256) of a verifier.
pub fn pkce_challenge(pkce_verifier: &str) -> Result<String, Error> {
    let challenge = PkceCodeChallenge::from_code_verifier_sha256(&verifier(pkce_verifier)?);
    Ok(challenge.as_str().to_owned())
}

/// A verifier has 43 to 128 characters of a small set (RFC 7636, section 4.1).
fn verifier(text: &str) -> Result<PkceCodeVerifier, Error> {
    let is_one = (43..=128).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b));
    match is_one {
        true => Ok(PkceCodeVerifier::new(text.to_owned())),
        false => Err(Error::Invalid("the PKCE verifier is not one")),
    }
}

fn redirect(uri: &str) -> Result<RedirectUrl, Error> {
    RedirectUrl::new(uri.to_owned()).map_err(|_| Error::Invalid("the redirect URI is not a URL"))
}

fn broken(provider: Provider, why: &Broken) -> Error {
    match why {
        Broken::Unreachable(why) => Error::Unreachable { provider, why: (*why).to_owned() },
        Broken::Answer(why) => Error::Answer { provider, why: (*why).to_owned() },
    }
}

/// Why there is no token. Of the provider's words only its error code is kept.
fn refusal(provider: Provider, error: RequestTokenError<Broken, BasicErrorResponse>) -> Error {
    let code = match error {
        RequestTokenError::Request(why) => return broken(provider, &why),
        RequestTokenError::ServerResponse(said) => Some(said.error().as_ref().to_owned()),
        // GitHub says with status 200 that it refuses.
        RequestTokenError::Parse(_, body) => serde_json::from_slice::<Value>(&body)
            .ok()
            .and_then(|said| Some(said.get("error")?.as_str()?.to_owned())),
        RequestTokenError::Other(_) => None,
    };
    let is_code = |code: &String| {
        (1..=64).contains(&code.len())
            && code.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    match code.filter(is_code) {
        None => Error::Answer { provider, why: "it is not a token".to_owned() },
        Some(code) => match &*code {
            "invalid_client"
            | "incorrect_client_credentials"
            | "unauthorized_client"
            | "redirect_uri_mismatch"
            | "unsupported_grant_type" => Error::Misconfigured { provider, code },
            _ => Error::Refused { provider, code },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        let challenge = pkce_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
        assert_eq!(challenge.unwrap(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        let long = "a".repeat(129);
        for verifier in ["", "short", &long[..42], &long, &" ".repeat(50), &"ä".repeat(30)] {
            assert!(matches!(pkce_challenge(verifier), Err(Error::Invalid(_))), "{verifier}");
        }
    }

    #[test]
    fn what_is_not_configured_says_so() {
        let clients = OauthClients::from_environment(|_| None).unwrap();
        for provider in Provider::ALL {
            assert!(!clients.is_configured(provider));
            let refused = clients.authorize_url(provider, "s", "c", "https://h/");
            assert_eq!(refused.unwrap_err(), Error::NotConfigured(provider));
        }
    }
}

//! Signing in with GitHub and Google, and everything that must not sign anybody in.

use std::time::Duration;

use consign_accounts::{OutsideUser, Provider};
use consign_identity::oauth::{Error, OauthClients, pkce_challenge};

use crate::provider_double::{ID, Manner, ProviderDouble, SECRET};

const BACK: &str = "https://consign.example.com/auth/oauth/callback";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const OTHER: &str = "aBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

fn clients(double: &ProviderDouble, secret: &'static str) -> OauthClients {
    let base = format!("http://{}", double.address);
    let lookup = |name: &str| match name {
        "GITHUB_OAUTH_CLIENT_ID" | "GOOGLE_OAUTH_CLIENT_ID" => Some(ID.to_owned()),
        "GITHUB_OAUTH_CLIENT_SECRET" | "GOOGLE_OAUTH_CLIENT_SECRET" => Some(secret.to_owned()),
        "CONSIGN_OAUTH_GITHUB_URL" | "CONSIGN_OAUTH_GOOGLE_URL" => Some(base.clone()),
        _ => None,
    };
    OauthClients::from_environment(lookup).unwrap()
}

/// The code that the browser comes back with.
async fn code(double: &ProviderDouble, clients: &OauthClients, provider: Provider) -> String {
    let challenge = pkce_challenge(VERIFIER).unwrap();
    let url = clients.authorize_url(provider, "the state+/=", &challenge, BACK).unwrap();
    assert!(!url.contains(SECRET) && !url.contains(VERIFIER), "{url}");
    let back = double.visit(&url).await;
    assert_eq!(back["state"], "the state+/=");
    back["code"].clone()
}

async fn sign_in(manner: Manner, provider: Provider) -> Result<OutsideUser, Error> {
    let double = ProviderDouble::start(manner).await;
    // Whoever says nothing is not waited for.
    let seconds = if manner == Manner::Silent { 0 } else { 60 };
    let clients = clients(&double, SECRET).within(Duration::from_secs(seconds));
    let code = code(&double, &clients, provider).await;
    let signed_in = clients.exchange(provider, &code, VERIFIER, BACK).await;
    assert!(!double.seen().contains(&"GET /elsewhere".to_owned()), "a redirect was followed");
    assert!(!double.seen().contains(&"POST /elsewhere".to_owned()), "a redirect was followed");
    if let Err(error) = &signed_in {
        let shown = format!("{error} {error:?} {clients:?}");
        for secret in ["hush", VERIFIER, &code, "token-of-ann"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
    signed_in
}

#[tokio::test]
async fn who_comes_back_with_a_code_is_known() {
    for provider in Provider::ALL {
        let outside = sign_in(Manner::Usual, provider).await.unwrap();
        assert_eq!(outside.id, "42");
        assert_eq!(outside.email.as_deref(), Some("ann@example.com"));
        assert!(outside.is_email_verified);
    }
}

#[tokio::test]
async fn an_address_that_the_provider_did_not_check_is_not_called_verified() {
    for provider in Provider::ALL {
        let outside = sign_in(Manner::UnverifiedAddress, provider).await.unwrap();
        assert_eq!(outside.id, "42");
        assert!(!outside.is_email_verified, "{provider:?}");
    }
    // Neither another verified address of GitHub nor the one on the profile takes its place.
    let outside = sign_in(Manner::UnverifiedAddress, Provider::GitHub).await.unwrap();
    assert_eq!(outside.email, None);
}

#[tokio::test]
async fn a_code_works_once_with_its_verifier_and_its_redirect_uri() {
    for provider in Provider::ALL {
        let double = ProviderDouble::start(Manner::Usual).await;
        let clients = clients(&double, SECRET);
        let first = code(&double, &clients, provider).await;
        clients.exchange(provider, &first, VERIFIER, BACK).await.unwrap();
        let again = clients.exchange(provider, &first, VERIFIER, BACK).await.unwrap_err();
        assert!(matches!(again, Error::Refused { .. }), "{again}");

        let second = code(&double, &clients, provider).await;
        let wrong = clients.exchange(provider, &second, OTHER, BACK).await.unwrap_err();
        assert!(matches!(wrong, Error::Refused { .. }), "{wrong}");

        let third = code(&double, &clients, provider).await;
        let elsewhere = format!("{BACK}/");
        let moved = clients.exchange(provider, &third, VERIFIER, &elsewhere).await.unwrap_err();
        assert!(matches!(moved, Error::Misconfigured { .. }), "{moved}");

        let invented = clients.exchange(provider, "x&client_id=y", VERIFIER, BACK).await;
        assert!(matches!(invented, Err(Error::Refused { .. })), "{invented:?}");
    }
}

#[tokio::test]
async fn a_wrong_client_secret_is_the_operators_to_mend() {
    for provider in Provider::ALL {
        let double = ProviderDouble::start(Manner::Usual).await;
        let clients = clients(&double, "hush-wrong");
        let code = code(&double, &clients, provider).await;
        let error = clients.exchange(provider, &code, VERIFIER, BACK).await.unwrap_err();
        assert!(matches!(error, Error::Misconfigured { .. }), "{error}");
        assert!(!format!("{error} {error:?}").contains("hush"), "{error:?}");
    }
}

#[tokio::test]
async fn answers_that_are_not_as_they_should_be_sign_nobody_in() {
    for provider in Provider::ALL {
        for manner in [
            Manner::HugeToken,
            Manner::HugeUser,
            Manner::RedirectsToken,
            Manner::RedirectsUser,
            Manner::ForbidsUser,
            Manner::Nonsense,
            Manner::NoId,
        ] {
            let error = sign_in(manner, provider).await.unwrap_err();
            assert!(matches!(error, Error::Answer { .. }), "{manner:?}: {error}");
        }
        for manner in [Manner::FailsToken, Manner::FailsUser, Manner::Silent] {
            let error = sign_in(manner, provider).await.unwrap_err();
            assert!(matches!(error, Error::Unreachable { .. }), "{manner:?}: {error}");
        }
    }
}

#[tokio::test]
async fn a_provider_that_is_not_there_is_said_to_be_unreachable() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let lookup = |name: &str| match name {
        "CONSIGN_OAUTH_GITHUB_URL" => Some(base.clone()),
        name => name.starts_with("GITHUB_OAUTH").then(|| "hush".to_owned()),
    };
    let clients = OauthClients::from_environment(lookup).unwrap();
    assert!(!clients.is_configured(Provider::Google));
    let error = clients.exchange(Provider::GitHub, "c", VERIFIER, BACK).await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
    for (verifier, back) in [("short", BACK), (VERIFIER, "nowhere")] {
        let error = clients.exchange(Provider::GitHub, "c", verifier, back).await.unwrap_err();
        assert!(matches!(error, Error::Invalid(_)), "{error}");
    }
}

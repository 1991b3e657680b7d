//! What an operator sets for a provider: its client id, its secret, and other addresses than usual.
//!
//! A provider without id or secret is not configured. The addresses are the operator's, never a user's:
//! they may be private, but they are `https`, because the client secret goes there. Plain `http` is for
//! this machine only.

use consign_accounts::{Provider, Secret};
use reqwest::Url;

/// A provider as an operator configured it.
#[derive(Clone, Debug)]
pub struct ProviderSettings {
    pub client_id: String,
    pub client_secret: Secret,
    pub endpoints: Endpoints,
}

/// The addresses of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoints {
    /// Where the browser goes.
    pub authorize: Url,
    /// Where a code becomes a token.
    pub token: Url,
    /// Who has the token.
    pub user: Url,
    /// The addresses of who has it, where `user` does not say them reliably.
    pub emails: Option<Url>,
}

/// Why the settings of a provider cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("{name} is not a URL; write one such as https://github.example.com")]
    NotUrl { name: &'static str },
    #[error(
        "{name} must be an https URL; http is only for this machine (127.0.0.1, [::1], localhost)"
    )]
    NotSafe { name: &'static str },
    #[error("{name} must be a scheme, a host and a port, and no more")]
    NotBase { name: &'static str },
}

impl ProviderSettings {
    /// Reads the variables of a provider: `GITHUB_OAUTH_CLIENT_ID`, `GITHUB_OAUTH_CLIENT_SECRET` and
    /// `CONSIGN_OAUTH_GITHUB_URL`, and likewise with `GOOGLE`. `None` if id or secret is missing.
    pub fn from_environment(
        provider: Provider,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, Problem> {
        let (id, secret, base) = match provider {
            Provider::GitHub => {
                ("GITHUB_OAUTH_CLIENT_ID", "GITHUB_OAUTH_CLIENT_SECRET", "CONSIGN_OAUTH_GITHUB_URL")
            }
            Provider::Google => {
                ("GOOGLE_OAUTH_CLIENT_ID", "GOOGLE_OAUTH_CLIENT_SECRET", "CONSIGN_OAUTH_GOOGLE_URL")
            }
        };
        let set = |name| {
            let value = lookup(name).map(|value| value.trim().to_owned());
            value.filter(|value| !value.is_empty())
        };
        let (Some(client_id), Some(client_secret)) = (set(id), set(secret)) else {
            return Ok(None);
        };
        let endpoints = match set(base) {
            Some(url) => Endpoints::below(provider, base, &url)?,
            None => Endpoints::usual(provider),
        };
        Ok(Some(Self { client_id, client_secret: Secret::new(client_secret), endpoints }))
    }
}

impl Endpoints {
    /// The public addresses of a provider.
    #[must_use]
    pub fn usual(provider: Provider) -> Self {
        let url = |text| Url::parse(text).expect("it is written here and tested");
        match provider {
            Provider::GitHub => Self {
                authorize: url("https://github.com/login/oauth/authorize"),
                token: url("https://github.com/login/oauth/access_token"),
                user: url("https://api.github.com/user"),
                emails: Some(url("https://api.github.com/user/emails")),
            },
            Provider::Google => Self {
                authorize: url("https://accounts.google.com/o/oauth2/v2/auth"),
                token: url("https://oauth2.googleapis.com/token"),
                user: url("https://openidconnect.googleapis.com/v1/userinfo"),
                emails: None,
            },
        }
    }

    /// All addresses of a provider below one base. `name` is the setting that the base comes from.
    pub fn below(provider: Provider, name: &'static str, base: &str) -> Result<Self, Problem> {
        let base = Url::parse(base).map_err(|_| Problem::NotUrl { name })?;
        if !is_safe(&base) {
            return Err(Problem::NotSafe { name });
        }
        let is_bare = base.username().is_empty() && base.password().is_none();
        if !is_bare || base.path() != "/" || base.query().is_some() || base.fragment().is_some() {
            return Err(Problem::NotBase { name });
        }
        let at = |path: &str| {
            let mut url = base.clone();
            url.set_path(path);
            url
        };
        Ok(match provider {
            Provider::GitHub => Self {
                authorize: at("/login/oauth/authorize"),
                token: at("/login/oauth/access_token"),
                user: at("/user"),
                emails: Some(at("/user/emails")),
            },
            Provider::Google => Self {
                authorize: at("/o/oauth2/v2/auth"),
                token: at("/token"),
                user: at("/v1/userinfo"),
                emails: None,
            },
        })
    }
}

/// Whether a secret may be sent there.
pub(super) fn is_safe(url: &Url) -> bool {
    match url.scheme() {
        "https" => url.has_host(),
        // Host names of these schemes are in lower case, and addresses in their one usual form.
        "http" => matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_without_id_or_secret_is_not_configured() {
        for provider in Provider::ALL {
            let word = provider.as_str().to_uppercase();
            let read = |known: &[&str]| {
                let known: Vec<_> =
                    known.iter().map(|end| format!("{word}_OAUTH_CLIENT_{end}")).collect();
                let lookup = |name: &str| {
                    known.iter().any(|known| known == name).then(|| " hush\n".to_owned())
                };
                ProviderSettings::from_environment(provider, lookup).unwrap()
            };
            assert!(read(&[]).is_none() && read(&["ID"]).is_none() && read(&["SECRET"]).is_none());
            let settings = read(&["ID", "SECRET"]).unwrap();
            assert_eq!(settings.client_secret.reveal(), "hush");
            assert_eq!(settings.endpoints, Endpoints::usual(provider));
            let shown = format!("{:?}", ProviderSettings { client_id: String::new(), ..settings });
            assert!(!shown.contains("hush"), "{shown}");
        }
    }

    #[test]
    fn a_base_is_https_or_on_this_machine_and_nothing_else() {
        let check = |base: &str, expected: Option<Problem>| {
            for provider in Provider::ALL {
                assert_eq!(Endpoints::below(provider, "X", base).err(), expected, "{base}");
            }
        };
        for base in ["https://h.example", "https://10.0.0.1:8443/", "http://127.0.0.1:1"] {
            check(base, None);
        }
        for base in ["http://[::1]:1", "http://LOCALHOST:1/"] {
            check(base, None);
        }
        for base in ["http://h.example", "http://10.0.0.1", "ftp://h", "http://localhost.h"] {
            check(base, Some(Problem::NotSafe { name: "X" }));
        }
        for base in ["https://h/x", "https://u:p@h", "https://h/?a", "https://h/#a"] {
            check(base, Some(Problem::NotBase { name: "X" }));
        }
        check("nowhere", Some(Problem::NotUrl { name: "X" }));
        let github = Endpoints::below(Provider::GitHub, "X", "http://127.0.0.1:1").unwrap();
        assert_eq!(github.emails.unwrap().as_str(), "http://127.0.0.1:1/user/emails");
        let google = Endpoints::below(Provider::Google, "X", "http://127.0.0.1:1").unwrap();
        assert_eq!(google.user.as_str(), "http://127.0.0.1:1/v1/userinfo");
    }
}

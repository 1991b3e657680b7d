//! Where mails go out and whom they come from, as an operator writes it.
//!
//! ```toml
//! [mail]
//! url = "smtps://user:password@mail.example.com:465"
//! from = "Consign <consign@example.com>"
//! ```
//!
//! `smtps` is TLS from the first byte. `smtp` starts in plain text and goes on with TLS; a server that
//! offers none gets no mail, unless the URL ends in `?tls=none`. The URL holds a password: no error here
//! repeats any part of it.

use consign_accounts::Secret;
use lettre::message::Mailbox;
use percent_encoding::percent_decode_str;
use reqwest::Url;

/// The section `[mail]`, as written. [`SmtpMailer::new`](super::SmtpMailer::new) reads what it means.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `smtp[s]://user:password@host:port?tls=required|none`. User and password may be absent; special
    /// characters in them are percent-encoded.
    pub url: Secret,
    /// The sender: an address, or a name and an address.
    pub from: String,
}

impl Settings {
    /// Reads `CONSIGN_SMTP_URL` and `CONSIGN_MAIL_FROM`. `None` if there is no URL.
    pub fn from_environment(
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, Problem> {
        let set = |name| lookup(name).filter(|value| !value.trim().is_empty());
        match (set("CONSIGN_SMTP_URL"), set("CONSIGN_MAIL_FROM")) {
            (None, _) => Ok(None),
            (Some(url), Some(from)) => Ok(Some(Self { url: Secret::new(url), from })),
            (Some(_), None) => Err(Problem::NoSender),
        }
    }
}

/// Why mail cannot be sent with these settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("the SMTP URL {0}; write smtps://user:password@host:port")]
    Url(&'static str),
    #[error("mail has no sender; set CONSIGN_MAIL_FROM to an address such as consign@example.com")]
    NoSender,
    #[error(
        "the sender of mail is not an address; write one such as Consign <consign@example.com>"
    )]
    Sender,
    #[error("TLS for mail could not be set up: {0}")]
    Tls(String),
}

/// A mail server.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) security: Security,
    /// User and password.
    pub(super) login: Option<(String, Secret)>,
}

/// How a connection is kept private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Security {
    /// TLS from the first byte.
    Implicit,
    /// TLS after `STARTTLS`, or no mail.
    StartTls,
    Plain,
}

impl Server {
    pub(super) fn read(text: &str) -> Result<Self, Problem> {
        let url = Url::parse(text.trim()).map_err(|_| {
            Problem::Url("cannot be read (is a special character not percent-encoded?)")
        })?;
        let security = security(&url)?;
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return Err(Problem::Url("has more than a host and a port"));
        }
        let host = url.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() || host.contains('%') {
            return Err(Problem::Url("has no valid host"));
        }
        let port = url.port().unwrap_or(match security {
            Security::Implicit => 465,
            Security::StartTls => 587,
            Security::Plain => 25,
        });
        Ok(Self { host, port, security, login: login(&url)? })
    }
}

fn security(url: &Url) -> Result<Security, Problem> {
    let mut tls = None;
    for (name, value) in url.query_pairs() {
        match (&*name, &*value, tls) {
            ("tls", "required", None) => tls = Some(true),
            ("tls", "none", None) => tls = Some(false),
            _ => return Err(Problem::Url("has an unknown option: only tls is one")),
        }
    }
    match (url.scheme(), tls) {
        ("smtps", None | Some(true)) => Ok(Security::Implicit),
        ("smtps", Some(false)) => Err(Problem::Url("is smtps and tls=none at once")),
        ("smtp", None | Some(true)) => Ok(Security::StartTls),
        ("smtp", Some(false)) => Ok(Security::Plain),
        _ => Err(Problem::Url("is not smtp or smtps")),
    }
}

fn login(url: &Url) -> Result<Option<(String, Secret)>, Problem> {
    let decoded = |text| {
        let decoded = percent_decode_str(text).decode_utf8();
        decoded.map_err(|_| Problem::Url("has a user or password that is not UTF-8"))
    };
    match (url.username(), url.password()) {
        ("", None) => Ok(None),
        ("", Some(_)) => Err(Problem::Url("has a password and no user")),
        (_, None) => Err(Problem::Url("has a user and no password")),
        (user, Some(password)) => {
            let password = Secret::new(decoded(password)?.into_owned());
            Ok(Some((decoded(user)?.into_owned(), password)))
        }
    }
}

pub(super) fn sender(text: &str) -> Result<Mailbox, Problem> {
    text.trim().parse().map_err(|_| Problem::Sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_says_where_to_how_safely_and_as_whom() {
        let check = |url: &str, host: &str, port: u16, security: Security, login: &str| {
            let read = Server::read(url).unwrap_or_else(|problem| panic!("{url}: {problem}"));
            assert_eq!((&*read.host, read.port, read.security), (host, port, security), "{url}");
            let found = read.login.map_or_else(String::new, |(user, password)| {
                format!("{user} {}", password.reveal())
            });
            assert_eq!(found, login, "{url}");
        };
        check("smtps://mail.example.com", "mail.example.com", 465, Security::Implicit, "");
        check("smtps://a:b@h:1?tls=required", "h", 1, Security::Implicit, "a b");
        check("smtp://h", "h", 587, Security::StartTls, "");
        check("smtp://h/?tls=required", "h", 587, Security::StartTls, "");
        check("smtp://127.0.0.1?tls=none", "127.0.0.1", 25, Security::Plain, "");
        check("smtp://[::1]:2525?tls=none", "::1", 2525, Security::Plain, "");
        check("smtps://me%40h.org:p%2Fq%23%3A@h", "h", 465, Security::Implicit, "me@h.org p/q#:");
    }

    #[test]
    fn what_is_wrong_with_a_url_is_said_without_repeating_it() {
        let urls = [
            "",
            "hush",
            "http://user:hush@h",
            "smtp://user:hush@",
            "smtp://user:hu/sh@h",
            "smtp://user:hu#sh@h",
            "smtp://hush@h",
            "smtp://:hush@h",
            "smtp://user:hush@h/path",
            "smtp://user:hush@h:99999",
            "smtp://user:hush@h?tls=maybe",
            "smtp://user:hush@h?tls=none&tls=required",
            "smtp://user:hush@h?password=hush",
            "smtps://user:hush@h?tls=none",
            "smtp://user:hush%ff@h",
        ];
        for url in urls {
            let problem = Server::read(url).expect_err(url);
            assert!(!format!("{problem} {problem:?}").contains("hu"), "{url}: {problem}");
        }
        let settings = Settings { url: Secret::new("smtps://a:hush@h"), from: "a@h".to_owned() };
        let read = Server::read(settings.url.reveal()).unwrap();
        assert!(!format!("{settings:?} {read:?}").contains("hush"));
    }

    #[test]
    fn mail_is_configured_by_two_variables() {
        let read = |url: &'static str, from: &'static str| {
            let known = move |name: &str| match name {
                "CONSIGN_SMTP_URL" => Some(url.to_owned()),
                "CONSIGN_MAIL_FROM" => Some(from.to_owned()),
                _ => None,
            };
            Settings::from_environment(known)
        };
        let settings = read("smtps://h", "Consign <c@example.com>").unwrap().unwrap();
        assert_eq!(sender(&settings.from).unwrap().email.to_string(), "c@example.com");
        assert!(read("", "c@example.com").unwrap().is_none());
        assert!(Settings::from_environment(|_| None).unwrap().is_none());
        assert_eq!(read("smtps://h", " ").unwrap_err(), Problem::NoSender);
        for from in ["", "nobody", "a@b\r\nBcc: c@d", "Consign"] {
            assert_eq!(sender(from).unwrap_err(), Problem::Sender, "{from}");
        }
    }
}

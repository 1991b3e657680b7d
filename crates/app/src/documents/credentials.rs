//! Credentials with which an owner's sources are opened, under names of the owner's own choosing.
//!
//! They are sealed like keys of models. What goes in is never told again: a list has names, kinds and dates.

use consign_connector::{Credential, Secret};
use consign_engine::{At, Owner, vault::Kept};
use consign_models::keys::{LONGEST, OwnText, fit};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::{
    Home,
    error::{Error, Refused},
    settings::{invalid, refused},
};

/// What stands before the name of each in the vault.
const BEGIN: &str = "credential:";
/// The longest name.
const LONGEST_NAME: usize = 64;

/// What credentials are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialKind {
    /// A token that is sent to a site or to Google Drive.
    Bearer,
    /// A refresh token of Google, with the client that it was given to.
    OAuth,
    /// The password of sealed files.
    Password,
}

impl CredentialKind {
    pub const ALL: [Self; 3] = [Self::Bearer, Self::OAuth, Self::Password];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bearer => "bearer",
            Self::OAuth => "oauth",
            Self::Password => "password",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// Credentials of an owner, as they may be shown to that owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCredential {
    pub name: String,
    /// `None` while they cannot be opened: the sealing key is missing, or they are damaged.
    pub kind: Option<CredentialKind>,
    /// When they were brought.
    pub at: At,
}

/// The secret of credentials of the kind `oauth`, as it is brought and sealed.
#[derive(Deserialize, Serialize)]
struct OAuthSecret {
    client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    refresh_token: String,
}

/// The credentials of an owner, by name.
pub async fn list(home: &Home, owner: &Owner) -> Result<Vec<OwnCredential>, Error> {
    let texts = home.models.keys().texts(owner, BEGIN).await.map_err(refused("secret"))?;
    let shown = |OwnText { name, at, text }: OwnText| {
        let kind = text.and_then(|text| {
            CredentialKind::from_word(text.reveal().split_once(':').map_or("", |(kind, _)| kind))
        });
        OwnCredential { name: name.trim_start_matches(BEGIN).to_owned(), kind, at }
    };
    Ok(texts.into_iter().map(shown).collect())
}

/// Whether an owner has credentials of this name.
pub async fn has(home: &Home, owner: &Owner, name: &str) -> Result<bool, Error> {
    Ok(list(home, owner).await?.iter().any(|known| known.name == name))
}

/// Seals credentials and keeps them; `DUPLICATE_KEY` if there are some of this name that are not to be replaced.
pub async fn add(
    home: &Home,
    owner: &Owner,
    name: &str,
    kind: CredentialKind,
    secret: Vec<u8>,
    replace: bool,
) -> Result<OwnCredential, Error> {
    check_name(name)?;
    let secret = sealed(kind, secret)?;
    let at = home.engine.now();
    let keys = home.models.keys();
    let kept = keys.keep_text(owner, &kept_as(name), &secret, at, replace).await;
    match kept.map_err(refused("secret"))? {
        Kept::Done => Ok(OwnCredential { name: name.to_owned(), kind: Some(kind), at }),
        Kept::Exists => {
            let told = format!("you have credentials {name} already; replace or remove them");
            Err(Refused::new("DUPLICATE_KEY", told).into())
        }
    }
}

/// Removes credentials, also some that cannot be opened any more.
pub async fn remove(home: &Home, owner: &Owner, name: &str) -> Result<(), Error> {
    let removed = home.models.keys().remove_text(owner, &kept_as(name)).await;
    if removed.map_err(refused("secret"))? {
        return Ok(());
    }
    Err(Refused::new("KEY_NOT_FOUND", "you have no credentials of that name")
        .hint("`consign credentials list` shows them")
        .into())
}

/// Refuses a name that no credentials can have.
pub fn check_name(name: &str) -> Result<(), Error> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if begins && name.len() <= LONGEST_NAME && name.chars().all(plain) {
        return Ok(());
    }
    let told = format!(
        "a name of credentials has 1 to {LONGEST_NAME} letters, digits, dots, dashes and underscores, and begins with a \
         letter or digit"
    );
    Err(invalid([("/name".to_owned(), "pattern".to_owned(), told)]).into())
}

/// Whether what is sealed under this name is credentials, and no key.
#[must_use]
pub fn is_kept_as(name: &str) -> bool {
    name.starts_with(BEGIN)
}

/// The name in the vault.
pub(super) fn kept_as(name: &str) -> String {
    format!("{BEGIN}{name}")
}

/// Reads what was sealed: the kind, a colon and the secret.
pub(super) fn read(text: &str) -> Option<Credential> {
    let (kind, secret) = text.split_once(':')?;
    let given = || Secret::new(secret.to_owned());
    Some(match CredentialKind::from_word(kind)? {
        CredentialKind::Bearer => Credential::Bearer(given()),
        CredentialKind::Password => Credential::Password(given()),
        CredentialKind::OAuth => {
            let read: OAuthSecret = serde_json::from_str(secret).ok()?;
            Credential::OAuth {
                client_id: read.client_id,
                client_secret: read.client_secret.map(Secret::new),
                refresh_token: Secret::new(read.refresh_token),
            }
        }
    })
}

/// What is sealed of a secret that was brought. One line break at its end is not part of it.
fn sealed(kind: CredentialKind, secret: Vec<u8>) -> Result<Secret, Error> {
    let unfit = |told: &str| -> Error {
        invalid([("/secret".to_owned(), "value".to_owned(), told.to_owned())]).into()
    };
    let fits = match kind {
        CredentialKind::Bearer => {
            let fits =
                fit(secret).map_err(|why| unfit(&format!("that cannot be a token: it {why}")));
            Zeroizing::new(fits?.reveal().to_owned())
        }
        CredentialKind::Password => {
            let text = text_of(secret).ok_or_else(|| unfit("a password is text of one line"))?;
            let is_line = !text.is_empty() && !text.chars().any(char::is_control);
            if !is_line || text.len() > LONGEST {
                return Err(unfit("a password is one line of 1 to 4096 bytes"));
            }
            text
        }
        CredentialKind::OAuth => {
            let wanted = "oauth wants an object of JSON with `client_id`, `refresh_token` and, where there is one, \
                          `client_secret`";
            let text = text_of(secret).ok_or_else(|| unfit(wanted))?;
            // What is wrong with it is not told: it would quote the secret.
            let read: OAuthSecret = serde_json::from_str(&text).map_err(|_| unfit(wanted))?;
            if read.client_id.is_empty() || read.refresh_token.is_empty() || text.len() > LONGEST {
                return Err(unfit(wanted));
            }
            Zeroizing::new(serde_json::to_string(&read).map_err(|_| unfit(wanted))?)
        }
    };
    Ok(Secret::new(format!("{}:{}", kind.as_str(), &*fits)))
}

fn text_of(bytes: Vec<u8>) -> Option<Zeroizing<String>> {
    let text = Zeroizing::new(String::from_utf8(bytes).ok()?);
    let line = text.strip_suffix('\n').unwrap_or(&text);
    Some(Zeroizing::new(line.strip_suffix('\r').unwrap_or(line).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(kind: CredentialKind, secret: &str) -> Option<Credential> {
        read(sealed(kind, secret.as_bytes().to_vec()).ok()?.reveal())
    }

    #[test]
    fn what_is_sealed_opens_as_what_it_was() {
        let bearer = opened(CredentialKind::Bearer, "token-1\n");
        assert!(matches!(bearer, Some(Credential::Bearer(secret)) if secret.reveal() == "token-1"));
        let password = opened(CredentialKind::Password, "two: wörds\r\n");
        assert!(
            matches!(password, Some(Credential::Password(secret)) if secret.reveal() == "two: wörds")
        );
        let given = r#"{"type": "authorized_user", "client_id": "i", "refresh_token": "r:1"}"#;
        match opened(CredentialKind::OAuth, given) {
            Some(Credential::OAuth { client_id, client_secret: None, refresh_token }) => {
                assert_eq!((client_id.as_str(), refresh_token.reveal()), ("i", "r:1"));
            }
            other => panic!("{other:?}"),
        }
        assert!(read("other:x").is_none() && read("bearer").is_none());
    }

    #[test]
    fn a_secret_that_cannot_be_one_is_refused_without_it() {
        for (kind, secret) in [
            (CredentialKind::Bearer, "two words-hush"),
            (CredentialKind::Bearer, ""),
            (CredentialKind::Password, ""),
            (CredentialKind::Password, "hush\nhush"),
            (CredentialKind::Password, &"hush".repeat(2000)),
            (CredentialKind::OAuth, "hush"),
            (CredentialKind::OAuth, r#"{"client_id": "hush", "refresh_token": ""}"#),
            (CredentialKind::OAuth, r#"{"client_id": ["hush"]}"#),
        ] {
            let why = sealed(kind, secret.as_bytes().to_vec()).unwrap_err();
            assert!(!format!("{why:?}").contains("hush"), "{why:?}");
        }
    }

    #[test]
    fn a_name_has_nothing_in_it_that_means_something_elsewhere() {
        for name in ["drive", "a.b-c_d", "7"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", ".", "-x", "a b", "a/b", "é", "credential:x", &"x".repeat(65)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}

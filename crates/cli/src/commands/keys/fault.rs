//! Errors about keys, as errors of the command line.

use consign_models::keys::{self, NEW_KEY, OLD_KEY};

use crate::{error::Error, text::shell_word};

impl From<keys::Error> for Error {
    fn from(error: keys::Error) -> Self {
        let plain = Self::new(error.code(), error.to_string());
        match error {
            keys::Error::Store(error) => error.into(),
            keys::Error::NotConfigured { .. } => {
                plain.hint(format!("`consign keys init` makes one, or set {NEW_KEY}"))
            }
            keys::Error::Exists(_) => {
                plain.hint("`consign keys rotate` changes it and keeps all keys")
            }
            keys::Error::Locked { owner, name, .. } => {
                let set = replace(owner.as_str(), &name);
                plain.hint(format!(
                    "put that sealing key back (beside a new one it goes into {OLD_KEY}, or on a \
                     line of its own below); if it is lost, {set} brings the key anew"
                ))
            }
            keys::Error::Damaged { owner, name } => {
                plain.hint(format!("{} brings the key anew", replace(owner.as_str(), &name)))
            }
            keys::Error::Duplicate { .. } => plain.hint("`--replace` puts the new one in its place"),
            keys::Error::Unfit { .. } => {
                plain.hint("a key is one word, as the provider gave it, and at most one line break")
            }
            keys::Error::NoOldKey => plain.hint(format!(
                "set {NEW_KEY} to a new one (`openssl rand -hex 32`) and {OLD_KEY} to the one of now, \
                 and try again"
            )),
            keys::Error::Busy => {
                plain.hint("try again; if it stays so, look for a `consign keys` that was stopped")
            }
            keys::Error::Disk { .. } => plain.hint("`consign doctor` looks at the directory"),
            // It says itself what to do.
            keys::Error::Refused(_) => plain,
        }
    }
}

fn replace(owner: &str, name: &str) -> String {
    format!("`consign keys set {} --owner {} --replace`", shell_word(name), shell_word(owner))
}

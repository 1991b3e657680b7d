//! Where sealing keys come from: the environment, or else a file in the home. Never from both, so
//! that it is always clear which one must not be lost.

use std::path::Path;

use super::{
    Environment, encoding,
    error::Error,
    file::KeyFile,
    lock::{self, KeyFileLock},
    ring::Ring,
    seal::SealingKey,
};

/// The variable with the sealing key.
pub const NEW_KEY: &str = "AI_KEY_ENCRYPTION_KEY";
/// The variable with the previous sealing key, needed while there are keys that were sealed with
/// it.
pub const OLD_KEY: &str = "AI_KEY_ENCRYPTION_KEY_OLD";

#[derive(Clone)]
pub(super) struct Source {
    folder: Box<Path>,
    file: KeyFile,
    environment: Environment,
}

/// The sealing keys, and who may change them.
pub(super) enum Found {
    /// From the environment: only the user can change them.
    Environment(Ring),
    /// From the file: this program can change them.
    File(Ring),
}

impl Source {
    pub(super) fn new(home: &Path, environment: Environment) -> Self {
        Self { folder: home.into(), file: KeyFile::in_folder(home), environment }
    }

    pub(super) fn ring(&self) -> Result<Ring, Error> {
        match self.find()? {
            Found::Environment(ring) | Found::File(ring) => Ok(ring),
        }
    }

    pub(super) fn find(&self) -> Result<Found, Error> {
        let Some(newest) = self.variable(NEW_KEY)? else {
            let ring = self.file.read()?;
            let missing = || Error::NotConfigured { file: self.file.path() };
            return ring.map(Found::File).ok_or_else(missing);
        };
        let ring = Ring::of(newest);
        Ok(Found::Environment(match self.variable(OLD_KEY)? {
            Some(older) => ring.followed_by(older),
            None => ring,
        }))
    }

    /// Reads a variable. An empty one counts as not set.
    fn variable(&self, name: &str) -> Result<Option<SealingKey>, Error> {
        let Some(text) = (self.environment)(name) else { return Ok(None) };
        let text = zeroize::Zeroizing::new(text.into_encoded_bytes());
        let text = text.trim_ascii();
        if text.is_empty() {
            return Ok(None);
        }
        let told = || {
            format!(
                "{name} does not hold a key of 32 bytes, as 64 hexadecimal digits or base64; \
                 `openssl rand -hex 32` makes one"
            )
        };
        let key = encoding::read(text).ok_or_else(|| Error::Refused(told()))?;
        Ok(Some(SealingKey::new(key)))
    }

    /// Waits until no other process changes keys.
    pub(super) async fn turn(&self) -> Result<KeyFileLock, Error> {
        lock::turn(&self.folder).await
    }

    /// Writes the file for the first time. The caller holds the [lock](Self::turn).
    pub(super) fn begin(&self, ring: &Ring) -> Result<(), Error> {
        if self.variable(NEW_KEY)?.is_some() {
            let told = format!("{NEW_KEY} is set, and is used instead of a file");
            return Err(Error::Exists(told));
        }
        if self.file.is_there() {
            return Err(Error::Exists(self.file.path().display().to_string()));
        }
        self.file.write(ring)
    }

    /// Replaces the file. The caller holds the [lock](Self::turn).
    pub(super) fn replace(&self, ring: &Ring) -> Result<(), Error> {
        self.file.write(ring)
    }

    /// Removes what an interrupted change left behind.
    pub(super) fn tidy(&self) -> Result<(), Error> {
        self.file.tidy()
    }
}

//! The folder of models: the platform's place for what can be fetched again, never a home.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};

use crate::bundle::{Bundle, File};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFolder(PathBuf);

/// Whether a model is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Present,
    Missing,
    /// A file of it is not the one that it should be.
    Damaged(PathBuf),
}

impl ModelFolder {
    /// The folder that was named, such as by `CONSIGN_MODELS`, else the platform's cache. Nothing where a user has none.
    #[must_use]
    pub fn find(named: Option<&OsStr>) -> Option<Self> {
        match named {
            Some(named) if !named.is_empty() => Some(Self(std::path::absolute(named).ok()?)),
            Some(_) | None => {
                let places = etcetera::choose_base_strategy().ok()?;
                Some(Self(places.cache_dir().join("consign").join("models")))
            }
        }
    }

    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, bundle: &Bundle, file: &File) -> PathBuf {
        self.0.join(bundle.folder).join(file.name)
    }

    /// Looks whether the files are there and of the right size, which is quick.
    pub fn look(&self, bundle: &Bundle) -> io::Result<State> {
        for file in bundle.files {
            let path = self.file(bundle, file);
            match fs::metadata(&path) {
                Ok(found) if found.len() == file.bytes => {}
                Ok(_) => return Ok(State::Damaged(path)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Missing),
                Err(error) => return Err(error),
            }
        }
        Ok(State::Present)
    }

    /// Reads a file of a model, and checks its sum.
    pub(crate) fn read(&self, bundle: &Bundle, file: &File) -> Result<Vec<u8>, String> {
        let path = self.file(bundle, file);
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if sum(&bytes) == file.sha256 {
            return Ok(bytes);
        }
        Err(format!("{} is damaged; remove it and fetch the model again", path.display()))
    }
}

pub(crate) fn sum(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

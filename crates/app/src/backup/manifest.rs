//! The manifest of a back-up: what it is of, and the hash of every file.

use std::{collections::BTreeMap, fmt::Write as _, os::unix::ffi::OsStrExt, path::Path};

use consign_files::trusted;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Refused};

/// The file of the manifest.
pub const MANIFEST: &str = "backup.json";
/// The form that this program writes. It reads no newer one.
const FORM: u64 = 1;
/// A manifest is no larger than this: some ten million files.
const MOST_BYTES: u64 = 2 << 30;

/// What a back-up is of, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub form: u64,
    /// The version of the program that wrote it.
    pub consign: String,
    pub created_at: String,
    /// Where the home was.
    pub home: String,
    pub database_format: usize,
    pub runs: u64,
    /// Whether the sealing key is in it.
    pub sealing_key: bool,
    /// Keys that only the sealing key opens.
    pub sealed_keys: u64,
    /// Every file and link by its path, without the manifest itself.
    pub files: BTreeMap<String, Held>,
}

/// What lies under a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Held {
    File { bytes: u64, sha256: String },
    Link { link: String },
}

impl Manifest {
    pub(super) const fn form() -> u64 {
        FORM
    }

    /// Reads the manifest of a back-up.
    pub(super) fn read(folder: &Path) -> Result<Self, Error> {
        let bytes = trusted::read(&folder.join(MANIFEST), MOST_BYTES).map_err(|error| {
            let refused = invalid(folder, &error.to_string());
            match error.is_missing() {
                true => refused.hint("name the folder that `consign backup` wrote"),
                false => refused,
            }
        })?;
        let why = |cause: serde_json::Error| invalid(folder, &format!("{MANIFEST}: {cause}"));
        let form: serde_json::Value = serde_json::from_slice(&bytes).map_err(why)?;
        match form["form"].as_u64() {
            Some(FORM) => {}
            Some(newer) if newer > FORM => {
                let told = format!("the back-up has form {newer}, and this version reads {FORM}");
                return Err(Refused::new("BACKUP_TOO_NEW", told)
                    .hint("use the version of consign that wrote it, or a newer one")
                    .into());
            }
            Some(_) | None => {
                return Err(invalid(folder, &format!("{MANIFEST} has no form")).into());
            }
        }
        Ok(serde_json::from_value(form).map_err(why)?)
    }

    pub(super) fn bytes(&self) -> u64 {
        let of = |held: &Held| match held {
            Held::File { bytes, .. } => *bytes,
            Held::Link { .. } => 0,
        };
        self.files.values().map(of).sum()
    }

    /// How files differ from those of the manifest, a line for each.
    pub(super) fn differences(&self, found: &BTreeMap<String, Held>) -> Vec<String> {
        let mut told = Vec::new();
        for (path, held) in &self.files {
            match found.get(path) {
                None => told.push(format!("{path}: is missing")),
                Some(found) if found != held => told.push(format!("{path}: was changed")),
                Some(_) => {}
            }
        }
        let strangers = found.keys().filter(|path| !self.files.contains_key(*path));
        told.extend(strangers.map(|path| format!("{path}: is not in the manifest")));
        told
    }
}

pub(super) fn invalid(folder: &Path, why: &str) -> Refused {
    let told = format!("{} is not a sound back-up: {why}", folder.display());
    Refused::new("BACKUP_INVALID", told)
}

/// A path as text. Bytes that are no UTF-8, and `%`, are written as `%` and two digits.
pub(super) fn written(path: &Path) -> String {
    let mut text = String::new();
    for part in path.as_os_str().as_bytes().utf8_chunks() {
        text += &part.valid().replace('%', "%25");
        for byte in part.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02x}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    use super::*;

    #[test]
    fn every_path_has_a_text_of_its_own() {
        let check =
            |path: &[u8], text| assert_eq!(written(Path::new(OsStr::from_bytes(path))), text);
        check(b"jobs/paint/workspace/a b.txt", "jobs/paint/workspace/a b.txt");
        check("straße".as_bytes(), "straße");
        check(b"\xff.txt", "%ff.txt");
        check(b"%ff.txt", "%25ff.txt");
    }
}

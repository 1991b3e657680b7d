//! Creates a file only where there is none: of two processes at once exactly one succeeds.

use std::fs::File;

use super::{ACCESS, BridgeFile, Error, Folder};

/// A handle to a file that was created here, whatever its name is by now.
pub struct Made(File);

impl Folder {
    /// Creates a file, durably and completely, if there is none.
    ///
    /// # Errors
    /// [`Error::Taken`] if there is one.
    pub fn create(&self, file: BridgeFile, bytes: &[u8]) -> Result<Made, Error> {
        let name = file.name();
        let made = self.root.create_once(name, bytes, ACCESS).map_err(|error| {
            if matches!(error, consign_files::Error::AlreadyExists { .. }) {
                Error::Taken { name: self.place(name) }
            } else {
                self.io("make", name, error)
            }
        })?;
        Ok(Made(made))
    }

    /// Removes a file that was created here, if it still has its name. Returns whether it did.
    pub fn take_back(&self, file: BridgeFile, made: &Made) -> bool {
        let name = file.name();
        let is_ours = self.root.is_at(name, &made.0).unwrap_or(false);
        is_ours && self.root.remove_file(name).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const FILE: BridgeFile = BridgeFile::Response;

    #[test]
    fn what_is_there_is_kept() {
        let project = tempfile::tempdir().unwrap();
        let folder = Folder::open(project.path()).unwrap();
        folder.create(FILE, b"first").unwrap();
        assert!(matches!(folder.create(FILE, b"second"), Err(Error::Taken { .. })));
        assert_eq!(folder.read(FILE).unwrap().unwrap(), b"first");
        assert_eq!(fs::read_dir(project.path()).unwrap().count(), 1, "no leftovers");
    }

    #[test]
    fn only_what_was_made_here_is_taken_back() {
        let project = tempfile::tempdir().unwrap();
        let folder = Folder::open(project.path()).unwrap();
        let made = folder.create(FILE, b"ours").unwrap();
        let place = project.path().join(FILE.name());
        fs::rename(&place, project.path().join("consumed")).unwrap();
        fs::write(&place, "somebody's").unwrap();
        assert!(!folder.take_back(FILE, &made), "somebody has had it");
        assert_eq!(fs::read_to_string(&place).unwrap(), "somebody's");
        fs::rename(project.path().join("consumed"), &place).unwrap();
        assert!(folder.take_back(FILE, &made));
        assert!(!place.exists());
    }
}

//! A folder beside the place where its contents will be, until they are whole.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Mutex,
};

use super::{Error, paths::safe, place};

pub(in super::super) struct Stage {
    at: PathBuf,
    parent: PathBuf,
    folders: Mutex<BTreeSet<PathBuf>>,
}

impl Stage {
    /// A fresh folder. What a crash of the same run left is replaced; the rest is none of our business.
    pub(in super::super) fn beside(output: &Path, run: &str) -> Result<Self, Error> {
        let plain = |it: u8| it.is_ascii_alphanumeric() || b"-_".contains(&it);
        if run.is_empty() || run.len() > 100 || !run.bytes().all(plain) {
            return Err(Error::Run { run: run.chars().take(100).collect() });
        }
        let (parent, name) = place(output)?;
        make_ways(&parent)?;
        let at = parent.join(format!(".{name}.{run}.staging"));
        match fs::symlink_metadata(&at) {
            Ok(about) if about.is_dir() => fs::remove_dir_all(&at),
            Ok(_) => fs::remove_file(&at),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
        .map_err(Error::io("replace", &at))?;
        fs::create_dir(&at).map_err(Error::io("create", &at))?;
        let folders = Mutex::new(BTreeSet::from([at.clone()]));
        Ok(Self { at, parent, folders })
    }

    /// Writes and syncs a file.
    pub(in super::super) fn write(
        &self,
        path: &str,
        content: &[u8],
        executable: bool,
    ) -> Result<(), Error> {
        let file = self.at.join(safe(path)?);
        let mut folders = self.folders.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let missing: Vec<&Path> = file
            .ancestors()
            .skip(1)
            .take_while(|it| it.starts_with(&self.at) && !folders.contains(*it))
            .collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder).map_err(Error::io("create", folder))?;
            folders.insert(folder.to_owned());
        }
        drop(folders);
        let mode = if executable { 0o755 } else { 0o644 };
        let opened = OpenOptions::new().write(true).create_new(true).mode(mode).open(&file);
        let mut opened = opened.map_err(Error::io("create", &file))?;
        opened
            .write_all(content)
            .and_then(|()| opened.sync_all())
            .map_err(Error::io("write", &file))
    }

    /// Puts it into place. Only an empty folder is replaced: the system refuses any other.
    pub(in super::super) fn settle(self, output: &Path) -> Result<(), Error> {
        let folders = self.folders.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // The deepest first, so that a folder is synced after what is in it.
        for folder in folders.iter().rev() {
            sync(folder)?;
        }
        drop(folders);
        let renamed = fs::rename(&self.at, output);
        if let Err(error) = renamed {
            let occupied = [
                io::ErrorKind::DirectoryNotEmpty,
                io::ErrorKind::NotADirectory,
                io::ErrorKind::AlreadyExists,
            ];
            if occupied.contains(&error.kind()) {
                return Err(Error::Occupied { output: output.display().to_string() });
            }
            return Err(Error::io("move the staging folder to", output)(error));
        }
        sync(&self.parent)
    }
}

impl Drop for Stage {
    /// What was given up leaves nothing behind. After a rename there is nothing.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.at);
    }
}

/// Makes a folder and those above it, each of them durable before anything is put in it.
fn make_ways(folder: &Path) -> Result<(), Error> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|it| !it.exists()).collect();
    for folder in missing.into_iter().rev() {
        match fs::create_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made.map_err(Error::io("create", folder))?,
        }
        if let Some(above) = folder.parent() {
            sync(above)?;
        }
    }
    Ok(())
}

fn sync(folder: &Path) -> Result<(), Error> {
    File::open(folder).and_then(|it| it.sync_all()).map_err(Error::io("sync", folder))
}

//! A staging folder beside its final place, until its contents are complete.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

use consign_files::{Access, Root, sync_file, trusted};

use super::{Error, paths::safe, place};

pub(in super::super) struct Stage {
    at: PathBuf,
    parent: Root,
    root: Root,
    /// Those that were made in it.
    folders: Mutex<BTreeSet<PathBuf>>,
}

impl Stage {
    /// Creates a new folder. One that a crash of the same run left is replaced; other files are not
    /// touched.
    pub(in super::super) fn beside(output: &Path, run: &str) -> Result<Self, Error> {
        let plain = |it: u8| it.is_ascii_alphanumeric() || b"-_".contains(&it);
        if run.is_empty() || run.len() > 100 || !run.bytes().all(plain) {
            return Err(Error::Run { run: run.chars().take(100).collect() });
        }
        let (parent, name) = place(output)?;
        trusted::create_folders(&parent, 0o777).map_err(unwritten("create", &parent))?;
        let at = parent.join(format!(".{name}.{run}.staging"));
        match fs::symlink_metadata(&at) {
            Ok(about) if about.is_dir() => fs::remove_dir_all(&at),
            Ok(_) => fs::remove_file(&at),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
        .map_err(Error::io("replace", &at))?;
        fs::create_dir(&at).map_err(Error::io("create", &at))?;
        let parent = Root::open(&parent).map_err(unwritten("open", &parent))?;
        let name = at.file_name().unwrap_or_default();
        let root = parent.open_dir(name).map_err(unwritten("open", &at))?;
        Ok(Self { at, parent, root, folders: Mutex::default() })
    }

    /// Writes and syncs a file.
    pub(in super::super) fn write(
        &self,
        path: &str,
        content: &[u8],
        executable: bool,
    ) -> Result<(), Error> {
        let path = PathBuf::from(safe(path)?);
        let file = self.at.join(&path);
        let mut folders = self.folders.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let missing: Vec<&Path> = path
            .ancestors()
            .skip(1)
            .take_while(|it| !it.as_os_str().is_empty() && !folders.contains(*it))
            .collect();
        for folder in missing.into_iter().rev() {
            let made = self.root.create_dir(folder, 0o777);
            made.map_err(unwritten("create", &self.at.join(folder)))?;
            folders.insert(folder.to_owned());
        }
        drop(folders);
        let access = Access::Shared(if executable { 0o755 } else { 0o644 });
        let mut opened = self.root.create_new(&path, access).map_err(unwritten("create", &file))?;
        opened.write_all(content).map_err(Error::io("write", &file))?;
        sync_file(&opened, &file).map_err(unwritten("write", &file))
    }

    /// Puts it into place. Only an empty folder is replaced: the system refuses any other.
    pub(in super::super) fn settle(self, output: &Path) -> Result<(), Error> {
        let folders = self.folders.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // The deepest first, so that a folder is synced after what is in it.
        for folder in folders.iter().rev() {
            let synced = self.root.open_dir(folder).and_then(|folder| folder.sync());
            synced.map_err(unwritten("sync", &self.at.join(folder)))?;
        }
        drop(folders);
        self.root.sync().map_err(unwritten("sync", &self.at))?;
        let (_, name) = place(output)?;
        let renamed = self.parent.rename(self.at.file_name().unwrap_or_default(), name);
        if let Err(error) = renamed {
            let occupied = [
                io::ErrorKind::DirectoryNotEmpty,
                io::ErrorKind::NotADirectory,
                io::ErrorKind::AlreadyExists,
            ];
            if occupied.contains(&error.kind()) {
                return Err(Error::Occupied { output: output.display().to_string() });
            }
            return Err(unwritten("move the staging folder to", output)(error));
        }
        let parent = self.at.parent().unwrap_or(&self.at);
        self.parent.sync().map_err(unwritten("sync", parent))
    }
}

impl Drop for Stage {
    /// Removes an abandoned folder. After the rename there is none.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.at);
    }
}

fn unwritten(doing: &'static str, path: &Path) -> impl FnOnce(consign_files::Error) -> Error {
    let failed = Error::io(doing, path);
    |error| failed(error.into())
}

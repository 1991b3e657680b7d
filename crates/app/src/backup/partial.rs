//! The folder of a back-up that is not complete: `DIR.partial`, beside where it will be.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use consign_files::{Lock, Root, trusted};

use super::failed;
use crate::error::{Error, Refused};

/// A folder that is gone when this is dropped, unless it was [finished](Partial::finish).
pub(super) struct Partial {
    /// Where it is now, and where it will be.
    pub(super) path: PathBuf,
    goal: PathBuf,
    pub(super) root: Root,
    /// Tells the folder of a living process from what a dead one left.
    _lock: Lock,
}

impl Partial {
    /// Makes the folder. What an interrupted back-up to the same place left is removed.
    pub(super) fn begin(goal: &Path) -> Result<Self, Error> {
        make_way(goal)?;
        let mut name = goal.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        let path = goal.with_file_name(name);
        let io = |doing| {
            let path = path.clone();
            move |source| failed(&consign_files::Error::Io { doing, path, source })
        };
        if let Some(above) = path.parent() {
            trusted::create_folders(above, 0o700).map_err(|error| failed(&error))?;
        }
        if path.is_dir() {
            // It is locked while it is removed, so that nobody else takes it for one of the dead.
            let left = Root::open(&path).map_err(|error| failed(&error))?;
            let Some(_lock) = left.try_lock().map_err(|error| failed(&error))? else {
                let told = format!("another process is making a back-up in {}", goal.display());
                return Err(Refused::new("BACKUP_EXISTS", told).into());
            };
            fs::remove_dir_all(&path).map_err(io("remove"))?;
        }
        DirBuilder::new().mode(0o700).create(&path).map_err(io("create"))?;
        let root = Root::open(&path).map_err(|error| failed(&error))?;
        let lock = root.try_lock().map_err(|error| failed(&error))?;
        let lock =
            lock.ok_or_else(|| Refused::new("BACKUP_EXISTS", "another process was faster"))?;
        Ok(Self { path, goal: goal.to_owned(), root, _lock: lock })
    }

    /// Makes everything durable and gives the folder its name.
    pub(super) fn finish(self) -> Result<(), Error> {
        let finish = || {
            self.root.sync_everything()?;
            let above = Root::open(self.goal.parent().unwrap_or(Path::new("/")))?;
            let name = |path: &Path| PathBuf::from(path.file_name().unwrap_or_default());
            above.rename_new(name(&self.path), name(&self.goal))?;
            above.sync()
        };
        // After the rename nothing is under the old name, and dropping this removes nothing.
        finish().map_err(|error| failed(&error))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // What stays is removed by the next back-up to the same place.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Refuses a place that has something in it. An empty folder is removed: the back-up takes its name.
fn make_way(goal: &Path) -> Result<(), Error> {
    let told = match fs::remove_dir(goal) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
            format!("{} is not empty", goal.display())
        }
        Err(error) => format!("{} cannot take a back-up: {error}", goal.display()),
    };
    let hint = "name a folder that does not exist yet";
    Err(Refused::usage("BACKUP_EXISTS", told).hint(hint).into())
}

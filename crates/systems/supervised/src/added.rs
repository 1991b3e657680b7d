//! The files that a person added to a job, kept beside the workspace.
//!
//! A workspace that is laid anew is as it was before; what was added since then must still be there. So every file that is
//! added is kept in `.added`, and put back where a workspace lacks it.

use std::{fs, io, path::Path};

use consign_files::{Access, Root};

use crate::workspace::{self, Snapshots, TreeId};

/// The folder of what was added, in the job's own.
const FOLDER: &str = ".added";
/// A file that is added is no larger than this.
pub const MOST_BYTES: u64 = 64 << 20;

/// Keeps a file that is about to be added. Its name is that of a file in the workspace.
pub fn keep(directory: &Path, name: &str, bytes: &[u8]) -> Result<(), workspace::Error> {
    let folder = directory.join(FOLDER);
    if let Err(source) = fs::create_dir(&folder)
        && source.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(workspace::Error::Io { doing: "make", path: folder, source });
    }
    Ok(Root::open(&folder)?.write_atomic(name, bytes, Access::Private)?)
}

/// Lays a workspace, and puts back what was added and is not in it.
pub fn lay(snapshots: &Snapshots, tree: &TreeId, directory: &Path) -> Result<(), workspace::Error> {
    let workspace = directory.join("workspace");
    snapshots.lay(tree, &workspace)?;
    let Ok(kept) = Root::open(&directory.join(FOLDER)) else { return Ok(()) };
    let workspace = Root::open(&workspace)?;
    for entry in kept.entries()? {
        let name = entry?.name;
        // The unfinished file of a crash is hidden, and none of ours.
        let hidden =
            name.to_string_lossy().ends_with(".new") && name.to_string_lossy().starts_with('.');
        if hidden || workspace.metadata(&name).is_ok() {
            continue;
        }
        let bytes = kept.read(&name, MOST_BYTES)?;
        workspace.write_atomic(&name, &bytes, Access::Shared(0o644))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_there_after_an_older_workspace_was_laid() {
        let folder = tempfile::tempdir().unwrap();
        let (directory, workspace) = (folder.path(), folder.path().join("workspace"));
        fs::create_dir(&workspace).unwrap();
        fs::write(workspace.join("old"), "old").unwrap();
        let snapshots = Snapshots::open(directory).unwrap();
        let tree = snapshots.take(&workspace).unwrap().id;
        keep(directory, "brief.md", b"brief").unwrap();
        keep(directory, "old", b"added").unwrap();
        fs::write(workspace.join("brief.md"), "changed").unwrap();
        fs::write(workspace.join("more"), "more").unwrap();
        lay(&snapshots, &tree, directory).unwrap();
        let read = |name: &str| fs::read_to_string(workspace.join(name)).ok();
        assert_eq!(read("brief.md").as_deref(), Some("brief"));
        assert_eq!((read("old").as_deref(), read("more")), (Some("old"), None));
    }
}

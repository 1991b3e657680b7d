//! Finds programs on this machine by name.

use std::path::{Path, PathBuf};

/// Where a program is that goes by a name.
pub fn find(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| is_program(file))
}

pub fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|known| known.is_file() && known.permissions().mode() & 0o111 != 0)
}

//! Checks the directory that Consign keeps everything in.

use std::path::{Path, PathBuf};

/// A directory that can be used.
pub(super) struct HomeCheck {
    pub(super) path: PathBuf,
    pub(super) exists: bool,
    /// Where to measure: the directory, or the nearest one above it that exists.
    pub(super) probe: PathBuf,
    pub(super) free: u64,
}

/// Finds the directory and tries it. The error says why it cannot be used.
pub(super) fn look() -> Result<HomeCheck, String> {
    let path = crate::home::path()?;
    let probe =
        path.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/")).to_owned();
    let shown = path.display();
    if !probe.is_dir() {
        return Err(format!("{shown} cannot be made: {} is not a directory", probe.display()));
    }
    // Only trying tells: permissions, read-only mounts and quotas all have a say.
    tempfile::tempfile_in(&probe).map_err(|cause| format!("{shown} cannot be written: {cause}"))?;
    let space = rustix::fs::statvfs(&probe)
        .map_err(|cause| format!("the space for {shown} cannot be read: {cause}"))?;
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    Ok(HomeCheck { exists: path.exists(), path, probe, free })
}

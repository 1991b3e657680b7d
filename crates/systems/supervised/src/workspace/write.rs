//! Writes the files that an answer brings into the workspace.

use std::path::Path;

use consign_files::{Access, Error as FilesError, Kind, Links, Root};

use super::{Error, evidence::is_below};

const NEW_FILE: u32 = 0o644;
const NEW_FOLDER: u32 = 0o755;

/// Writes texts to paths of the workspace, in this order. Folders are made as needed, and each file is replaced in one
/// step, durably; one that was there keeps its rights. No link is followed or replaced.
///
/// All paths are looked at first, so that nothing is written if one of them cannot be.
///
/// # Errors
/// The path and the reason. If the disk fails, the files before that one are written.
pub fn write_files(root: &Root, files: &[(String, String)]) -> Result<(), Error> {
    let root = root.open_dir("")?.following(Links::Refuse);
    for (path, _) in files {
        mode_there(&root, path)?;
    }
    for (path, text) in files {
        let mode = mode_there(&root, path)?;
        if let Some(above) = Path::new(path).parent() {
            root.create_dir_all(above, NEW_FOLDER)?;
        }
        root.write_atomic(path, text.as_bytes(), Access::Shared(mode.unwrap_or(NEW_FILE)))?;
        if let Some(mode) = mode
            && root.metadata(path)?.mode != mode
        {
            root.set_mode(path, mode)?;
        }
    }
    Ok(())
}

/// The rights of the file at a path, None if there is none.
fn mode_there(root: &Root, path: &str) -> Result<Option<u32>, Error> {
    let refused = |why| Err(Error::Refused { path: path.to_owned(), why });
    if !is_below(path) || path.ends_with('/') || path.ends_with("/.") {
        return refused("it is not the path of a file inside the workspace");
    }
    match root.metadata(path) {
        Ok(about) => match about.kind {
            Kind::File => Ok(Some(about.mode & 0o777)),
            Kind::Folder => refused("a folder is there"),
            Kind::Link => refused("a link is there, and links are not written through"),
            Kind::Other => refused("a pipe, a socket or a device is there"),
        },
        Err(FilesError::Missing { .. }) => Ok(None),
        Err(FilesError::Link { .. }) => refused("a folder on its way is a link"),
        Err(FilesError::NotAFolder { .. }) => refused("a file is where a folder should be"),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt, os::unix::fs::symlink};

    use super::*;

    fn pair(path: &str, text: &str) -> (String, String) {
        (path.to_owned(), text.to_owned())
    }

    #[test]
    fn files_are_made_with_their_folders_and_replaced() {
        let place = tempfile::tempdir().unwrap();
        let root = Root::open(place.path()).unwrap();
        let script = place.path().join("run");
        fs::write(&script, "old").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o776)).unwrap();
        let files = [pair("a/b/c.txt", "one"), pair("./run", "new"), pair("a/b/c.txt", "two")];
        write_files(&root, &files).unwrap();
        assert_eq!(fs::read_to_string(place.path().join("a/b/c.txt")).unwrap(), "two");
        assert_eq!(fs::read_to_string(&script).unwrap(), "new");
        assert_eq!(fs::metadata(&script).unwrap().permissions().mode() & 0o7777, 0o776);
        assert_eq!(fs::read_dir(place.path().join("a/b")).unwrap().count(), 1);
    }

    #[test]
    fn nothing_is_written_through_links_or_over_folders() {
        let place = tempfile::tempdir().unwrap();
        let inside = place.path().join("workspace");
        fs::create_dir_all(inside.join("folder")).unwrap();
        fs::write(inside.join("file"), "").unwrap();
        fs::write(place.path().join("secret"), "secret").unwrap();
        symlink("../secret", inside.join("out")).unwrap();
        symlink("..", inside.join("up")).unwrap();
        symlink("folder", inside.join("in")).unwrap();
        let rows = [
            ("folder", "a folder is there"),
            ("out", "a link is there"),
            ("up/new", "a folder on its way is a link"),
            ("in/new", "a folder on its way is a link"),
            ("file/new", "a file is where a folder should be"),
            ("", "not the path of a file"),
            (".", "not the path of a file"),
            ("new/", "not the path of a file"),
            ("../new", "not the path of a file"),
            ("/new", "not the path of a file"),
            ("a\0", "not the path of a file"),
        ];
        for links in [Links::Refuse, Links::Inside] {
            let root = Root::open(&inside).unwrap().following(links);
            for (path, why) in rows {
                let error = write_files(&root, &[pair("first", ""), pair(path, "x")]).unwrap_err();
                assert!(error.to_string().contains(why), "{path:?}: {error}");
                assert!(error.to_string().contains(&format!("{path:?}")), "{error}");
                assert!(
                    !inside.join("first").exists(),
                    "nothing is written before all is looked at"
                );
            }
        }
        assert_eq!(fs::read_to_string(place.path().join("secret")).unwrap(), "secret");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
    }
}

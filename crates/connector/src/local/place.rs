//! What a path names, and whether this caller may read it.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

use consign_files::{Error as FilesError, Kind, Root};
use reqwest::Url;

use crate::{Error, Fetch, Options, Trust};

/// A file or a folder that was named, by handle.
pub(super) enum Place {
    /// The folder that it is in, and its name there.
    File {
        folder: Root,
        name: OsString,
    },
    Folder(Root),
}

impl Place {
    pub(super) fn open(fetch: &Fetch, options: &Options) -> Result<Self, Error> {
        let identifier = &fetch.identifier;
        let place = match fetch.trust {
            Trust::Named => named(&path_of(identifier)?),
            Trust::Known => known(&path_of(identifier)?),
            Trust::Roots => {
                below(&path_of(identifier)?, &options.roots, options.hidden_and_ignored)
            }
            Trust::Sent => return sent(Path::new(identifier), options.sent.as_deref()),
        }?;
        let never = real(&options.never);
        if never.iter().any(|never| place.root().path().starts_with(never)) {
            return Err(Error::not_allowed("the path is in the home of this program"));
        }
        Ok(place)
    }

    pub(super) fn root(&self) -> &Root {
        match self {
            Self::File { folder, .. } | Self::Folder(folder) => folder,
        }
    }
}

/// Where these folders really are.
pub(super) fn real(folders: &[PathBuf]) -> Vec<PathBuf> {
    folders.iter().filter_map(|folder| fs::canonicalize(folder).ok()).collect()
}

/// A path, or a `file://` address.
fn path_of(identifier: &str) -> Result<PathBuf, Error> {
    let is_address = identifier.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("file://"));
    if !is_address {
        return Ok(PathBuf::from(identifier));
    }
    let path = Url::parse(identifier).ok().and_then(|url| url.to_file_path().ok());
    path.ok_or_else(|| {
        Error::not_found(format!("{identifier:?} is not the address of a file here"))
    })
}

/// What the user of this machine names: links on the way to it are followed, this once.
fn named(path: &Path) -> Result<Place, Error> {
    match Root::open(path) {
        Ok(folder) => return Ok(Place::Folder(folder)),
        Err(FilesError::NotAFolder { .. }) => {}
        Err(error) => return Err(to_error(error)),
    }
    let failed = |source| to_error(FilesError::Io { doing: "open", path: path.to_owned(), source });
    let real = fs::canonicalize(path).map_err(failed)?;
    let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else {
        return Err(Error::not_found(format!("{path:?} has no name")));
    };
    let folder = Root::open(folder).map_err(to_error)?;
    file(folder, Path::new(name))
}

/// What was found here before, under the path that it had: one that has become a link, or lies behind one, may lead out
/// of what was named.
fn known(path: &Path) -> Result<Place, Error> {
    let top = Root::open(Path::new("/")).map_err(to_error)?;
    let below = path.strip_prefix("/");
    let below = below.map_err(|_| Error::not_found(format!("{path:?} is no whole path")))?;
    if below.as_os_str().is_empty() {
        return Ok(Place::Folder(top));
    }
    file(top, below)
}

fn file(folder: Root, path: &Path) -> Result<Place, Error> {
    let name = path.file_name().unwrap_or_default().to_owned();
    let folder = match path.parent().filter(|above| !above.as_os_str().is_empty()) {
        Some(above) => folder.open_dir(above).map_err(to_error)?,
        None => folder,
    };
    match folder.metadata(&name).map_err(to_error)?.kind {
        Kind::File => Ok(Place::File { folder, name }),
        Kind::Folder => folder.open_dir(&name).map(Place::Folder).map_err(to_error),
        Kind::Link => Err(Error::not_allowed("the path is a link, and links are not followed")),
        Kind::Other => Err(Error::unsupported("the path names a pipe or a device, not a file")),
    }
}

/// What a stranger names. What is not below a root is answered alike whether or not it exists.
fn below(path: &Path, roots: &[PathBuf], with_hidden: bool) -> Result<Place, Error> {
    let refused =
        || Error::not_allowed("the path is not below one of the folders in `roots` of [connector]");
    for root in roots {
        let Ok(opened) = Root::open(root) else { continue };
        let rest = path.strip_prefix(root).or_else(|_| path.strip_prefix(opened.path()));
        let Ok(rest) = rest else { continue };
        if rest.as_os_str().is_empty() {
            return Ok(Place::Folder(opened));
        }
        let hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
        let of_git = |name: &OsStr| name.eq_ignore_ascii_case(".git");
        if rest.iter().any(|name| of_git(name) || (hidden(name) && !with_hidden)) {
            return Err(Error::not_allowed("the path has a hidden name in it"));
        }
        return file(opened, rest);
    }
    Err(refused())
}

/// A file that was sent to us, by its name below the folder of such files.
fn sent(name: &Path, folder: Option<&Path>) -> Result<Place, Error> {
    let plain = |part| matches!(part, std::path::Component::Normal(_));
    let Some(folder) = folder.filter(|_| name.components().all(plain)) else {
        return Err(Error::not_allowed("this is no file that was sent"));
    };
    file(Root::open(folder).map_err(to_error)?, name)
}

/// What an error with a file means for a source.
pub(super) fn to_error(error: FilesError) -> Error {
    let kind = error.kind();
    match &error {
        FilesError::Missing { path } => {
            Error::not_found(format!("{} does not exist", path.display()))
        }
        FilesError::NotAFolder { path } => {
            Error::not_found(format!("{} is not a folder", path.display()))
        }
        FilesError::BadPath { path, why } => {
            Error::not_allowed(format!("{} is refused: {why}", path.display()))
        }
        FilesError::Outside { path } | FilesError::Link { path } | FilesError::Loop { path } => {
            let path = path.display();
            Error::not_allowed(format!(
                "{path} is a link or goes through one: links are not followed"
            ))
        }
        FilesError::NotAFile { path } => {
            Error::unsupported(format!("{} is not a regular file", path.display()))
        }
        FilesError::HardLinked { .. }
        | FilesError::TooLarge { .. }
        | FilesError::AlreadyExists { .. }
        | FilesError::Sync { .. }
        | FilesError::Io { .. }
            if kind == std::io::ErrorKind::PermissionDenied =>
        {
            Error::unreachable(format!("{error}: this user may not read it"))
        }
        FilesError::HardLinked { .. }
        | FilesError::TooLarge { .. }
        | FilesError::AlreadyExists { .. }
        | FilesError::Sync { .. }
        | FilesError::Io { .. } => {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            Error::unreachable(format!("{error}{}", cause.unwrap_or_default()))
        }
    }
}

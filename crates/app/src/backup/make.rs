//! Takes a back-up of a home that any number of processes may be using.

use std::{
    collections::HashSet,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use consign_engine::store;
use consign_files::{Access, Lock, Root, trusted};
use consign_store::{Copied, Options, SqliteStore};
use tokio::time::{Instant, sleep};

use super::{
    MANIFEST, Manifest, SEALING_KEY, failed, in_background, is_of_a_process, manifest::Held,
    partial::Partial, tree,
};
use crate::{
    error::{Error, Refused},
    machine::now,
};

/// What to copy, and where to.
#[derive(Clone, Debug)]
pub struct BackUp {
    pub home: PathBuf,
    /// A folder that does not exist yet, or is empty.
    pub to: PathBuf,
    pub with_sealing_key: bool,
}

/// A back-up that is complete.
#[derive(Clone, Debug)]
pub struct BackedUp {
    pub folder: PathBuf,
    pub copied: Copied,
    pub files: u64,
    pub bytes: u64,
    pub sealing_key: SealingKey,
    /// Links that lead out of the home, such as those to definitions of agents: what they lead to is not in it.
    pub links_out: u64,
    /// Pipes, sockets and devices, which are not copied.
    pub left_out: Vec<String>,
}

/// What became of the sealing key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealingKey {
    Included,
    /// There is one, and it was not asked for.
    LeftOut,
    /// The home has none.
    None,
}

/// How long a change of keys is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Takes a back-up. After an error there is none.
pub async fn back_up(request: BackUp) -> Result<BackedUp, Error> {
    let BackUp { home, to, with_sealing_key } = request;
    let goal = absolute(&to)?;
    let home = home.canonicalize().map_err(|cause| Refused::unreadable(&home, &cause))?;
    if !home.join("consign.db").exists() {
        let told = format!("{} has no database: there is nothing to back up", home.display());
        return Err(Refused::new("STORE_UNAVAILABLE", told)
            .hint("CONSIGN_HOME names the home; `consign doctor` looks at it")
            .into());
    }
    if goal.starts_with(&home) {
        let told = format!("{} is inside of the home", goal.display());
        return Err(Refused::usage("BACKUP_EXISTS", told).hint("name a folder elsewhere").into());
    }
    let partial = Partial::begin(&goal)?;
    let root = Root::open(&home).map_err(|error| failed(&error))?;
    // While keys are sealed anew, the database and the file belong to different keys.
    let keys = match root.metadata(SEALING_KEY) {
        Ok(_) if with_sealing_key => Some(lock_keys(&home).await?),
        Ok(_) | Err(_) => None,
    };
    // Files that are written from the journal, first.
    let (partial, root, mut left_out) =
        copy_some(partial, root, |path| is_of_jobs(path) && !is_snapshot(path)).await?;
    let store = SqliteStore::open(&home, &Options::default()).map_err(store::Error::from)?;
    let copied = store.copy_to(&partial.path).await;
    store.close().await;
    let copied = copied?;
    // Files that the journal names, what people wrote, and jobs that began meanwhile.
    let known: HashSet<_> = match partial.root.open_dir("jobs") {
        Ok(jobs) => names(&jobs)?.into_iter().collect(),
        Err(_) => HashSet::new(),
    };
    let has_key = root.metadata(SEALING_KEY).is_ok();
    let (partial, root, more) = copy_some(partial, root, move |path| match path.to_str() {
        Some("sealing.key") => with_sealing_key,
        Some("sealing.key.new" | "consign.db" | "blobs" | "consign.db-journal") => false,
        Some(name) if is_of_a_process(name) => false,
        _ if is_in_jobs(path) => {
            let mut parts = path.components().skip(1);
            let is_new = parts.next().is_some_and(|name| !known.contains(name.as_os_str()));
            is_of_jobs(path) && (is_new || parts.next().is_none() || is_snapshot(path))
        }
        _ => true,
    })
    .await?;
    left_out.extend(more);
    drop((keys, root));
    let sealing_key = match (has_key, with_sealing_key) {
        (false, _) => SealingKey::None,
        (true, true) => SealingKey::Included,
        (true, false) => SealingKey::LeftOut,
    };
    in_background(move || {
        let files = tree::list(&partial.root, &|_| true).map_err(|error| failed(&error))?;
        let is_out = |held: &&Held| matches!(held, Held::Link { link } if link.starts_with('/'));
        let links_out = files.values().filter(is_out).count() as u64;
        let manifest = Manifest {
            form: Manifest::form(),
            consign: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: now().to_string(),
            home: home.to_string_lossy().into_owned(),
            database_format: copied.format,
            runs: copied.runs,
            sealing_key: sealing_key == SealingKey::Included,
            sealed_keys: copied.sealed,
            files,
        };
        let text = serde_json::to_vec_pretty(&manifest)
            .map_err(|cause| Refused::new("INTERNAL", cause.to_string()))?;
        trusted::write_atomic(&partial.path.join(MANIFEST), &text, Access::Private)
            .map_err(|error| failed(&error))?;
        partial.finish()?;
        let (files, bytes) = (manifest.files.len() as u64, manifest.bytes());
        Ok(BackedUp { folder: goal, copied, files, bytes, sealing_key, links_out, left_out })
    })
    .await
}

/// Copies a part of the home, and gives back what it needs for the next.
async fn copy_some(
    partial: Partial,
    root: Root,
    is_wanted: impl Fn(&Path) -> bool + Send + 'static,
) -> Result<(Partial, Root, Vec<String>), Error> {
    in_background(move || {
        let left_out = tree::copy(&root, &partial.root, &is_wanted);
        Ok((partial, root, left_out.map_err(|error| failed(&error))?))
    })
    .await
}

fn names(folder: &Root) -> Result<Vec<OsString>, Error> {
    let names = folder.entries().and_then(|names| names.map(|entry| Ok(entry?.name)).collect());
    names.map_err(|error| failed(&error))
}

fn is_in_jobs(path: &Path) -> bool {
    path.starts_with("jobs")
}

/// The directories of jobs and what is in them, except for their locks.
fn is_of_jobs(path: &Path) -> bool {
    let is_lock = path.components().nth(2).is_some_and(|part| part.as_os_str() == ".lock");
    is_in_jobs(path) && !is_lock
}

/// What a job's workspace was like. The journal names it, and nothing is ever removed from it.
fn is_snapshot(path: &Path) -> bool {
    path.components().nth(2).is_some_and(|part| part.as_os_str() == ".snapshots")
}

/// Waits until nobody changes keys, and keeps them from changing.
async fn lock_keys(home: &Path) -> Result<Lock, Error> {
    let path = home.join("sealing.lock");
    let until = Instant::now() + PATIENCE;
    loop {
        match Lock::try_file(&path, Access::Private).map_err(|error| failed(&error))? {
            Some(lock) => return Ok(lock),
            None if Instant::now() < until => sleep(LOOK_EVERY).await,
            None => {
                let told = "another process is changing keys, and does not end";
                return Err(Refused::new("BACKUP_FAILED", told).hint("try again later").into());
            }
        }
    }
}

/// The absolute path, with links resolved in what exists of it.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    let whole = std::path::absolute(path).map_err(|cause| Refused::unreadable(path, &cause))?;
    let (Some(above), Some(name)) = (whole.parent(), whole.file_name()) else {
        return Err(Refused::usage("BACKUP_EXISTS", "a folder needs a name").into());
    };
    let above = above.canonicalize().unwrap_or_else(|_| above.to_owned());
    Ok(above.join(name))
}

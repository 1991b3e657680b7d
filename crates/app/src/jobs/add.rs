//! Adding files to a job: they are copied into its workspace, and go with every request.

use std::{fs, path::PathBuf};

use consign_contracts::job::JobStatus;
use consign_engine::{Data, Speaker};
use consign_files::{Access, Root};
use consign_supervised::added::{self, MOST_BYTES};
use serde_json::json;

use super::{
    drive::{not_there, settle},
    open::{OpenJob, write_files},
};
use crate::{
    error::{Error, Refused},
    home::Home,
};

/// Files that are to be added.
#[derive(Clone, Debug)]
pub struct AddFiles {
    pub files: Vec<PathBuf>,
    /// Whether they may take the place of others.
    pub replace: bool,
}

/// Adds files. Gives their names in the workspace.
pub async fn add(
    home: &Home,
    job: &OpenJob,
    wanted: &AddFiles,
    by: &Speaker,
) -> Result<Vec<String>, Error> {
    match job.status() {
        JobStatus::Draft
        | JobStatus::Pending
        | JobStatus::InterventionRequired
        | JobStatus::HaltedCost
        | JobStatus::HaltedTime => {}
        JobStatus::Running | JobStatus::Reviewing | JobStatus::Success | JobStatus::Canceled => {
            return Err(not_there(job, "given files").into());
        }
    }
    let root = Root::open(&job.place.directory.join("workspace")).map_err(failed)?;
    let mut read = Vec::new();
    for file in &wanted.files {
        let name = file.file_name().and_then(|name| name.to_str()).ok_or_else(|| {
            Refused::usage(
                "INVALID_INPUT",
                format!("{} has no name that can be used", file.display()),
            )
        })?;
        let meta = fs::metadata(file).map_err(|cause| Refused::unreadable(file, &cause))?;
        if !meta.is_file() || meta.len() > MOST_BYTES {
            let told =
                format!("{} is not a file of at most {} MiB", file.display(), MOST_BYTES >> 20);
            return Err(Refused::usage("INVALID_INPUT", told).into());
        }
        if root.metadata(name).is_ok() && !wanted.replace {
            let told = format!("there is a {name} in the workspace already");
            return Err(Refused::new("FILE_EXISTS", told).hint("replace it with --replace").into());
        }
        if read.iter().any(|(own, _): &(String, Vec<u8>)| own == name) {
            let told = format!("two of the files are called {name}");
            return Err(Refused::usage("INVALID_INPUT", told).into());
        }
        let bytes = fs::read(file).map_err(|cause| Refused::unreadable(file, &cause))?;
        read.push((name.to_owned(), bytes));
    }
    for (name, bytes) in &read {
        added::keep(&job.place.directory, name, bytes)
            .map_err(|why| Refused::new("JOB_FILES_UNAVAILABLE", why.to_string()))?;
        root.write_atomic(name, bytes, Access::Shared(0o644)).map_err(failed)?;
    }
    let names: Vec<String> = read.into_iter().map(|(name, _)| name).collect();
    home.engine.signal(&job.run, "add", &Data::of(&json!({ "files": names })), by).await?;
    settle(&home.engine, &job.run).await?;
    write_files(&home.job_files, &home.engine, &job.run).await?;
    Ok(names)
}

fn failed(why: consign_files::Error) -> Refused {
    Refused::new("JOB_FILES_UNAVAILABLE", why.to_string())
}

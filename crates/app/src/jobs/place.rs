//! Where a job lies: a path, or a name below the folder of jobs.

use std::path::{Path, PathBuf};

use consign_supervised::name::{run_name, unfit};

use crate::error::{Error, Refused};

/// A job's directory, and the name that follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPlace {
    pub job_id: String,
    pub directory: PathBuf,
    /// What it was asked for by: hints name it so.
    pub typed: String,
}

impl JobPlace {
    /// The id of the job's first run.
    #[must_use]
    pub fn first_run(&self) -> String {
        run_name(&self.job_id, &self.directory)
    }
}

/// The folder of jobs where none is named.
#[must_use]
pub fn default_jobs_dir(home: &Path) -> PathBuf {
    home.join("jobs")
}

/// The place that is meant: something with a slash, or that begins with a dot, is a path; the rest is a name below
/// `jobs_dir`. `only_names` is for requests from outside.
pub fn place(jobs_dir: &Path, typed: &str, only_names: bool) -> Result<JobPlace, Error> {
    let is_path = typed.contains('/') || typed.starts_with('.');
    if typed.is_empty() {
        return Err(Refused::usage("INVALID_JOB_NAME", "the name of the job is empty").into());
    }
    if is_path && only_names {
        let told = format!("{typed:?} is not the name of a job");
        return Err(Refused::usage("INVALID_JOB_NAME", told).into());
    }
    let path = if is_path { PathBuf::from(typed) } else { jobs_dir.join(typed) };
    let directory = absolute(&path)?;
    let job_id =
        directory.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    if let Some(why) = unfit(&job_id) {
        let told = format!("the name {job_id:?} of the job {why}");
        return Err(Refused::usage("INVALID_JOB_NAME", told)
            .hint("the job is named after its directory: choose another one")
            .into());
    }
    Ok(JobPlace { job_id, directory, typed: typed.to_owned() })
}

/// The absolute path, with links resolved as far as it exists: a job has one run, whatever way leads to it.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    let path = std::path::absolute(path).map_err(|cause| Refused::unreadable(path, &cause))?;
    if let Ok(real) = std::fs::canonicalize(&path) {
        return Ok(real);
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(absolute(parent)?.join(name)),
        _ => Ok(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_a_path_or_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let by_name = place(&root, "paint", false).unwrap();
        assert_eq!((by_name.job_id.as_str(), &by_name.directory), ("paint", &root.join("paint")));
        std::os::unix::fs::symlink(&root, root.join("link")).unwrap();
        let by_path =
            place(Path::new("/x"), root.join("link/paint").to_str().unwrap(), false).unwrap();
        assert_eq!(by_path.directory, by_name.directory);
        for bad in ["", "..", "a b", "../-x", "x/"] {
            let named = place(&root, bad, true);
            assert!(named.is_err(), "{bad}");
        }
    }
}

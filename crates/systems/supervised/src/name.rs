//! The names of jobs and of their runs.
//!
//! A job is named after its directory. Its first run is `NAME.HASH`, where the hash is of the whole path: the run of a
//! directory can be found without reading it. A run that goes on with a closed one is `NAME.HASHg2`, then `g3`.

use std::{os::unix::ffi::OsStrExt, path::Path};

use sha2::{Digest, Sha256};

/// A name is no longer than this, so that the id of a run has room for the rest.
pub const LONGEST: usize = 44;

/// Why a name cannot be that of a job.
#[must_use]
pub fn unfit(name: &str) -> Option<&'static str> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let begins = name.starts_with(|first: char| first.is_ascii_alphanumeric());
    match () {
        () if name.is_empty() || name.len() > LONGEST => Some("is not 1 to 44 letters long"),
        () if !begins => Some("does not begin with a letter or digit"),
        () if !name.chars().all(plain) => Some("has other letters than a to z, 0 to 9, -, _ and ."),
        () => None,
    }
}

/// The name of the first run of a job.
#[must_use]
pub fn run_name(job_id: &str, directory: &Path) -> String {
    let digest = Sha256::digest(directory.as_os_str().as_bytes());
    format!("{job_id}.{}", hex::encode(&digest[..4]))
}

/// The name of a later run of the same job: `generation` counts from 1.
#[must_use]
pub fn run_of_generation(job_id: &str, directory: &Path, generation: u32) -> String {
    let first = run_name(job_id, directory);
    if generation <= 1 { first } else { format!("{first}g{generation}") }
}

/// The job's name and generation in the name of a run; `None` if it is no run of a job.
#[must_use]
pub fn job_of_run(run: &str) -> Option<(&str, u32)> {
    let (name, rest) = run.rsplit_once('.')?;
    let (hash, generation) = match rest.split_once('g') {
        Some((hash, generation)) => (hash, generation.parse().ok()?),
        None => (rest, 1),
    };
    (hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .then_some((name, generation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_tells_the_name_of_its_job() {
        let directory = Path::new("/jobs/a.b-1");
        let first = run_name("a.b-1", directory);
        assert_eq!(job_of_run(&first), Some(("a.b-1", 1)));
        assert_eq!(job_of_run(&run_of_generation("a.b-1", directory, 12)), Some(("a.b-1", 12)));
        assert_eq!(run_of_generation("a.b-1", directory, 1), first);
        assert_ne!(run_name("a.b-1", Path::new("/other/a.b-1")), first);
        for other in ["2a3g", "a.zzzzzzzz", "a.0000000", "job"] {
            assert_eq!(job_of_run(other), None, "{other}");
        }
        for bad in ["", "-a", "a b", "ä", &"a".repeat(45)] {
            assert!(unfit(bad).is_some(), "{bad}");
        }
        assert_eq!(unfit("a.b-1_C"), None);
    }
}

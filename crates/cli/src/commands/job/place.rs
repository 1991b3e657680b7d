//! The job that a command is about.

use std::path::PathBuf;

use consign_app::jobs::{self, JobPlace, OpenJob, Purpose, default_jobs_dir};
use consign_supervised::directory::Caught;

use crate::{
    engine::Session,
    error::Error,
    output::{Output, WARN, styled},
};

#[derive(clap::Args)]
pub(super) struct PlaceArgs {
    /// The job's directory, or its name below the folder of jobs
    #[arg(value_name = "DIR")]
    pub(super) job: String,

    #[command(flatten)]
    pub(super) jobs: JobsDir,
}

#[derive(clap::Args)]
pub(super) struct JobsDir {
    /// The folder of jobs [env: CONSIGN_JOBS_DIR] [default: `jobs` in the home]
    #[arg(long, value_name = "DIR")]
    jobs_dir: Option<PathBuf>,
}

impl JobsDir {
    pub(super) fn folder(&self, session: &Session) -> PathBuf {
        let set = std::env::var_os("CONSIGN_JOBS_DIR").filter(|set| !set.is_empty());
        let set = self.jobs_dir.clone().or(set.map(PathBuf::from));
        set.unwrap_or_else(|| default_jobs_dir(&session.folder))
    }
}

impl PlaceArgs {
    pub(super) fn place(&self, session: &Session) -> Result<JobPlace, Error> {
        Ok(jobs::place(&self.jobs.folder(session), &self.job, false)?)
    }

    /// Opens the job, and says what was wrong with its files.
    pub(super) async fn open(
        &self,
        session: &Session,
        purpose: Purpose,
        output: &Output,
    ) -> Result<OpenJob, Error> {
        let job = jobs::open(session, &self.place(session)?, purpose).await?;
        match &job.files {
            Caught::Current => {}
            Caught::Repaired(why) => {
                output
                    .tell(styled(WARN, format!("the files were repaired from the journal: {why}")));
            }
            Caught::Diverged(why) => output.tell(styled(
                WARN,
                format!(
                    "the manifest was edited by hand ({why}); `consign job adopt` takes that over"
                ),
            )),
        }
        Ok(job)
    }
}

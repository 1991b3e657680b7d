//! Where the files of a job go: `--out DIR`, `--force`, `--dry-run`.

use std::path::PathBuf;

use consign_app::authoring_files::{Change, Target, files_of, place, write};

use super::job::Completed;
use crate::{
    commands::runs::form,
    error::Error,
    output::{Audience, GOOD, Output, printable, styled},
};

#[derive(clap::Args)]
pub(in crate::commands) struct OutArgs {
    /// Write the files into this folder; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace files that are there already
    #[arg(long, requires = "out")]
    force: bool,

    /// Write nothing; with --out say what would be written
    #[arg(long)]
    dry_run: bool,
}

impl OutArgs {
    pub(in crate::commands) fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    fn target(&self) -> Option<Target<'_>> {
        let folder = self.out.as_deref()?;
        Some(Target { folder, may_replace: self.force })
    }

    /// Refuses what cannot be the folder of the files, before anything is done.
    pub(in crate::commands) fn check(&self) -> Result<(), Error> {
        match self.target() {
            Some(target) => Ok(place(target, &[]).map(drop)?),
            None => Ok(()),
        }
    }

    /// Writes the files of a job if they are wanted, and says what was written. `command` is the one that can do it
    /// again. Answers whether they were wanted.
    pub(in crate::commands) fn deliver(
        &self,
        done: &Completed,
        command: &str,
        output: &mut Output,
    ) -> Result<bool, Error> {
        let Some(target) = self.target() else { return Ok(false) };
        let files = files_of(&done.data());
        let placed = if self.dry_run { place(target, &files) } else { write(target, &files) };
        let placed = placed.map_err(|refused| {
            let run = &done.run;
            Error::from(refused)
                .hint_too(format!(
                    "the job itself is done: `consign {command} --run {run} --out DIR` writes its files"
                ))
                .detail("run", form::text(run))
        })?;
        if output.reader == Audience::Program {
            return Ok(true);
        }
        for file in placed {
            let verb = match (self.dry_run, file.change) {
                (false, Change::New) => styled(GOOD, "wrote"),
                (false, Change::Replaced) => styled(GOOD, "replaced"),
                (true, Change::New) => "would write".to_owned(),
                (true, Change::Replaced) => "would replace".to_owned(),
            };
            output.line(format!("{verb} {}", printable(&file.path.display().to_string())))?;
        }
        Ok(true)
    }
}

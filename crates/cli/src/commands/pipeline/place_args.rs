//! Where the agents of a pipeline may look, as arguments of a command.

use std::path::PathBuf;

use consign_app::pipelines::Where;

#[derive(clap::Args)]
pub(in crate::commands) struct PlaceArgs {
    /// The repository that questions are about; the current directory if left out
    #[arg(long, value_name = "DIR")]
    pub(in crate::commands) repo: Option<PathBuf>,

    /// Which tools may be used: a TOML or JSON file with allow, deny and confirm
    #[arg(long, value_name = "FILE")]
    pub(in crate::commands) policy: Option<PathBuf>,
}

impl PlaceArgs {
    pub(in crate::commands) fn at(&self) -> Where<'_> {
        Where { repo: self.repo.as_deref(), policy: self.policy.as_deref() }
    }
}

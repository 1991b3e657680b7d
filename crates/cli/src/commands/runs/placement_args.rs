//! Options that say which process may drive a new run: this one, or the workers.

use consign_engine::Placement;

#[derive(clap::Args)]
pub(in crate::commands) struct PlacementArgs {
    /// Leave it to the workers
    #[arg(long)]
    detach: bool,

    /// Never let a worker or server continue it when this command is gone
    #[arg(long, conflicts_with = "detach")]
    here_only: bool,
}

impl PlacementArgs {
    pub(in crate::commands) fn detach(&self) -> bool {
        self.detach
    }

    /// The placement, given that of a run that is left to the workers.
    pub(in crate::commands) fn placement(&self, detached: Placement) -> Placement {
        match (self.detach, self.here_only) {
            (true, _) => detached,
            (false, true) => Placement::HereOnly,
            (false, false) => Placement::Foreground,
        }
    }
}

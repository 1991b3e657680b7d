//! The port to repositories, and what their errors mean to a run.

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use consign_engine::{Fault, Owner};
use consign_repositories::{Error, OwnerRepo, Repository};

/// Opens the repository that a job reads from and publishes to. Credentials are the implementer's business.
#[async_trait]
pub trait OpenRepository: Send + Sync {
    /// `owner` is the owner of the run; `name` is the owner and the repository of the payload. `folder` is the git
    /// folder that the user of a terminal named in its place ([`JobSettings::folder`](crate::job::JobSettings)).
    ///
    /// # Errors
    /// A transient fault is tried again, a permanent one ends the step. [`fault_of`] makes one of a repository's error.
    async fn open(
        &self,
        owner: &Owner,
        name: &OwnerRepo,
        folder: Option<&Path>,
    ) -> Result<Arc<dyn Repository>, Fault>;
}

/// Opens nothing, where no repository is configured.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRepositories;

#[async_trait]
impl OpenRepository for NoRepositories {
    async fn open(
        &self,
        _owner: &Owner,
        name: &OwnerRepo,
        _folder: Option<&Path>,
    ) -> Result<Arc<dyn Repository>, Fault> {
        let text = format!("{name} cannot be reached: no repository is configured here");
        Err(Fault::permanent("REPOSITORY_NOT_CONFIGURED", text))
    }
}

/// An error of a repository as the fault of a step. What it asks to wait is kept.
#[must_use]
pub fn fault_of(error: &Error) -> Fault {
    let code = match error {
        Error::NotFound { .. } => "REPOSITORY_NOT_FOUND",
        Error::BadCredentials | Error::Forbidden { .. } => "REPOSITORY_DENIED",
        Error::RateLimited { .. } => "REPOSITORY_RATE_LIMITED",
        Error::Conflict { .. } => "REPOSITORY_CONFLICT",
        Error::Refused { .. } | Error::TooLarge { .. } | Error::Name(_) => "REPOSITORY_REFUSED",
        Error::Unreachable { .. } => "REPOSITORY_UNREACHABLE",
        Error::InvalidAnswer { .. } => "REPOSITORY_ANSWER",
        Error::Unsupported { .. } => "REPOSITORY_UNSUPPORTED",
    };
    if !error.is_transient() {
        return Fault::permanent(code, error.to_string());
    }
    let fault = Fault::transient(code, error.to_string());
    match error.retry_after() {
        Some(wait) => fault.with_retry_after(wait),
        None => fault,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_may_pass_is_tried_again_after_the_wait_that_was_asked_for() {
        let limited = Error::RateLimited { retry_after: Some(Duration::from_secs(7)) };
        let fault = fault_of(&limited);
        assert_eq!((fault.recoverable, fault.wait()), (true, Duration::from_secs(7)));
        assert!(fault_of(&Error::Unreachable { why: "no answer".to_owned() }).recoverable);
        for lasting in [
            Error::BadCredentials,
            Error::Conflict { what: "README.md exists already".to_owned() },
            Error::Unsupported { what: "a pull request" },
        ] {
            assert!(!fault_of(&lasting).recoverable, "{lasting}");
        }
    }
}

//! Which runs a caller can reach: all of a home, or those of one owner.
//!
//! Surfaces that serve several people make a [`Reach`] of the caller's identity and ask it before anything else does
//! something to a run. A run out of reach is answered exactly like one that is not there.

use std::sync::Arc;

use consign_engine::{
    Engine, Owner, RunId,
    store::{self, Row},
};

use crate::error::{Error, Refused};

/// Which runs a caller can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every run of the home: the caller is its only user.
    Everything,
    /// The runs of one owner.
    Only(Owner),
}

impl Reach {
    /// The run as it is now, if it can be reached.
    pub async fn row(&self, engine: &Arc<Engine>, run: &RunId) -> Result<Row, Error> {
        let row = engine.store().row(run).await?;
        match self.covers(&row.owner) {
            true => Ok(row),
            false => Err(store::Error::NotFound(run.clone()).into()),
        }
    }

    /// Refuses a run that is out of reach. Costs nothing where everything can be reached.
    pub async fn check(&self, engine: &Arc<Engine>, run: &RunId) -> Result<(), Error> {
        match self {
            Self::Everything => Ok(()),
            Self::Only(_) => self.row(engine, run).await.map(drop),
        }
    }

    #[must_use]
    pub fn covers(&self, owner: &Owner) -> bool {
        match self {
            Self::Everything => true,
            Self::Only(own) => own == owner,
        }
    }

    /// The owner to whom a list is narrowed: the one that was asked for, or the only one there is.
    pub fn narrow(&self, wanted: Option<Owner>) -> Result<Option<Owner>, Error> {
        match (self, wanted) {
            (Self::Everything, wanted) => Ok(wanted),
            (Self::Only(own), None) => Ok(Some(own.clone())),
            (Self::Only(own), Some(wanted)) => self.own(own, wanted).map(Some),
        }
    }

    /// The owner that a new run is for: the one that was asked for, or else `usual`.
    pub fn payer(&self, wanted: Option<Owner>, usual: &Owner) -> Result<Owner, Error> {
        match (self, wanted) {
            (Self::Everything, wanted) => Ok(wanted.unwrap_or_else(|| usual.clone())),
            (Self::Only(own), None) => Ok(own.clone()),
            (Self::Only(own), Some(wanted)) => self.own(own, wanted),
        }
    }

    fn own(&self, own: &Owner, wanted: Owner) -> Result<Owner, Error> {
        if wanted == *own {
            return Ok(wanted);
        }
        let told = format!("the owner is {own}; leave it out");
        Err(Refused::usage("INVALID_INPUT", told).into())
    }

    /// The name of a run that the caller chose. Names are shared by the whole home, so those of one owner among several
    /// get a prefix that no other owner has: a name that another owner uses must not be noticed.
    #[must_use]
    pub fn name(&self, chosen: &str) -> RunId {
        match self {
            Self::Everything => RunId::from(chosen),
            Self::Only(owner) => {
                use sha2::{Digest, Sha256};
                let digest = Sha256::digest(format!("run of\n{owner}").as_bytes());
                let prefix = hex::encode(&digest[..6]);
                match chosen.starts_with(&format!("{prefix}-")) {
                    true => RunId::from(chosen),
                    false => RunId::new(format!("{prefix}-{chosen}")),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_among_several_is_held_to_itself() {
        let anna = Reach::Only(Owner::from("user:anna"));
        assert!(anna.covers(&Owner::from("user:anna")) && !anna.covers(&Owner::from("local")));
        assert_eq!(anna.narrow(None).ok(), Some(Some(Owner::from("user:anna"))));
        assert!(anna.narrow(Some(Owner::from("user:ben"))).is_err());
        assert!(anna.payer(Some(Owner::from("user:ben")), &Owner::from("local")).is_err());
        let all = Reach::Everything;
        assert_eq!(all.narrow(None).ok(), Some(None));
        assert_eq!(all.payer(None, &Owner::from("local")).ok(), Some(Owner::from("local")));
    }

    #[test]
    fn two_owners_can_choose_the_same_name() {
        let name = |owner: &str| Reach::Only(Owner::from(owner)).name("nightly");
        assert_ne!(name("user:anna"), name("user:ben"));
        assert_eq!(name("user:anna"), name("user:anna"));
        assert!(name("user:anna").as_str().ends_with("-nightly"));
        let anna = Reach::Only(Owner::from("user:anna"));
        assert_eq!(anna.name(name("user:anna").as_str()), name("user:anna"));
        assert_eq!(Reach::Everything.name("nightly"), RunId::from("nightly"));
    }
}

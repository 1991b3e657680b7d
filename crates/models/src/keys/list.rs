//! Lists which keys there are, and whether they can be used. It reveals nothing of their content.

use consign_engine::{At, Owner, vault::Sealed};

use super::{
    KeySource, Keys,
    error::Error,
    seal::{Fingerprint, sealed_with},
};
use crate::Provider;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// An owner's own key.
    Sealed {
        owner: Owner,
        /// The provider's name. It is text, because a newer program may know more providers than
        /// this one.
        name: String,
        at: At,
        /// The sealing key that it was sealed with; `None` if the bytes are not sealed bytes.
        with: Option<Fingerprint>,
        standing: Standing,
    },
    /// A key in an environment variable of this machine.
    Environment { provider: Provider, variable: &'static str, standing: Standing },
}

/// Whether a key can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Ready,
    /// Its sealing key is missing here.
    Locked,
    /// It is not what was stored, or cannot be a key.
    Damaged,
}

impl Standing {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Locked => "locked",
            Self::Damaged => "damaged",
        }
    }
}

impl Listed {
    #[must_use]
    pub const fn source(&self) -> KeySource {
        match self {
            Self::Sealed { .. } => KeySource::User,
            Self::Environment { .. } => KeySource::Environment,
        }
    }

    #[must_use]
    pub const fn standing(&self) -> Standing {
        match self {
            Self::Sealed { standing, .. } | Self::Environment { standing, .. } => *standing,
        }
    }
}

impl Keys {
    /// All keys: first those of owners, by owner and name, then those of the environment.
    pub async fn list(&self) -> Result<Vec<Listed>, Error> {
        let all = self.vault.all_sealed().await?;
        // A sealing key that cannot be used opens nothing, and hides nothing either.
        let ring = self.source.ring().ok();
        let sealed = all.into_iter().map(|sealed| {
            let standing = match ring.as_ref().map(|ring| ring.open(&sealed)) {
                Some(Ok(_)) => Standing::Ready,
                Some(Err(Error::Damaged { .. })) => Standing::Damaged,
                Some(Err(_)) | None => Standing::Locked,
            };
            let Sealed { owner, name, bytes, at } = sealed;
            Listed::Sealed { owner, name, at, with: sealed_with(&bytes), standing }
        });
        let machines = Provider::ALL.into_iter().filter_map(|provider| {
            let (variable, key) = self.variable(provider)?;
            let standing = if key.is_ok() { Standing::Ready } else { Standing::Damaged };
            Some(Listed::Environment { provider, variable, standing })
        });
        Ok(sealed.chain(machines).collect())
    }
}

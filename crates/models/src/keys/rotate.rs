//! Changing the sealing key without losing a key, wherever the process dies.
//!
//! With a file: 1. everything is opened, or nothing is begun; 2. the file gets the new sealing key
//! before the old ones; 3. everything is sealed anew in one transaction; 4. the file gets the new one
//! alone. Up to 3 all is sealed with the old ones, after it with the new one, and the file has both
//! until it is done. A change that was broken off is finished by the next, with the sealing key that
//! was made for it.
//!
//! With the environment the user does 2 and 4.

use consign_engine::vault::{Reseal, Resealed, Sealed};

use super::{
    Keys,
    error::Error,
    ring::Ring,
    seal::{Fingerprint, SealingKey, sealed_with},
    source::Found,
};

/// The outcome of a change of the sealing key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotated {
    /// The sealing key of all keys from now on.
    pub sealing_key: Fingerprint,
    /// How many keys were sealed anew.
    pub resealed: usize,
    pub how: How,
}

/// Where the sealing key of a change comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It was made for this change.
    New,
    /// It was made for an earlier change that was interrupted, and that is finished now.
    Finished,
    /// The user set it in the environment. The old one is no longer needed.
    Environment,
}

impl How {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Finished => "finished",
            Self::Environment => "environment",
        }
    }
}

/// How often to retry when the vault changes in the meantime. Processes that keep to the lock do
/// not change it.
const LOOKS: usize = 5;

impl Keys {
    /// Seals all keys anew, with a new sealing key.
    pub async fn rotate(&self) -> Result<Rotated, Error> {
        let _turn = self.source.turn().await?;
        match self.source.find()? {
            Found::Environment(ring) if ring.is_single() => Err(Error::NoOldKey),
            Found::Environment(ring) => self.reseal(&ring, How::Environment).await,
            Found::File(ring) => {
                // Before anything is written: what cannot be opened now could never be again.
                self.all_open(&ring).await?;
                self.source.tidy()?;
                let (ring, how) = match ring.is_single() {
                    true => (ring.led_by(SealingKey::random()), How::New),
                    false => (ring, How::Finished),
                };
                if how == How::New {
                    self.source.replace(&ring)?;
                }
                let rotated = self.reseal(&ring, how).await?;
                self.source.replace(&Ring::of(ring.newest().clone()))?;
                Ok(rotated)
            }
        }
    }

    async fn all_open(&self, ring: &Ring) -> Result<(), Error> {
        let all = self.vault.all_sealed().await?;
        all.iter().try_for_each(|sealed| ring.open(sealed).map(drop))
    }

    /// Seals with the newest sealing key whatever is sealed with another.
    async fn reseal(&self, ring: &Ring, how: How) -> Result<Rotated, Error> {
        let sealing_key = ring.newest().fingerprint();
        for _ in 0..LOOKS {
            let mut resealed = 0;
            let mut all = Vec::new();
            for sealed in self.vault.all_sealed().await? {
                let secret = ring.open(&sealed)?;
                let Sealed { owner, name, bytes: from, .. } = sealed;
                let to = if sealed_with(&from) == Some(sealing_key) {
                    from.clone()
                } else {
                    resealed += 1;
                    ring.newest().seal(&owner, &name, &secret)
                };
                all.push(Reseal { owner, name, from, to });
            }
            match self.vault.reseal(all).await? {
                Resealed::Done => return Ok(Rotated { sealing_key, resealed, how }),
                Resealed::Moved => {}
            }
        }
        Err(Error::Busy)
    }
}

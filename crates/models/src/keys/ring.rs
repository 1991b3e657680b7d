//! The sealing keys of a home, newest first: the newest seals, and each of them opens.

use consign_engine::{At, Owner, vault::Sealed};
use zeroize::Zeroizing;

use super::{
    encoding,
    error::Error,
    seal::{Fingerprint, SealingKey, sealed_with},
};
use crate::transport::Secret;

/// One or more sealing keys.
#[derive(Clone)]
pub(super) struct Ring {
    newest: SealingKey,
    older: Vec<SealingKey>,
}

/// How many sealing keys a file may hold.
const MOST: usize = 16;

impl Ring {
    pub(super) fn of(newest: SealingKey) -> Self {
        Self { newest, older: Vec::new() }
    }

    pub(super) fn random() -> Self {
        Self::of(SealingKey::random())
    }

    /// A ring with one more key, before all others.
    #[must_use]
    pub(super) fn led_by(&self, newest: SealingKey) -> Self {
        let older = self.all().cloned().collect();
        Self { newest, older }
    }

    #[must_use]
    pub(super) fn followed_by(mut self, older: SealingKey) -> Self {
        self.older.push(older);
        self
    }

    pub(super) fn newest(&self) -> &SealingKey {
        &self.newest
    }

    pub(super) fn is_single(&self) -> bool {
        self.older.is_empty()
    }

    fn all(&self) -> impl Iterator<Item = &SealingKey> {
        std::iter::once(&self.newest).chain(&self.older)
    }

    pub(super) fn seal(&self, owner: &Owner, name: &str, secret: &Secret, at: At) -> Sealed {
        let bytes = self.newest.seal(owner, name, secret);
        Sealed { owner: owner.clone(), name: name.to_owned(), bytes, at }
    }

    pub(super) fn open(&self, sealed: &Sealed) -> Result<Secret, Error> {
        let Sealed { owner, name, bytes, .. } = sealed;
        let damaged = || Error::Damaged { owner: owner.clone(), name: name.clone() };
        let with = sealed_with(bytes).ok_or_else(damaged)?;
        let key = self.find(with).ok_or_else(|| Error::Locked {
            owner: owner.clone(),
            name: name.clone(),
            with,
        })?;
        key.open(owner, name, bytes).ok_or_else(damaged)
    }

    fn find(&self, with: Fingerprint) -> Option<&SealingKey> {
        self.all().find(|key| key.fingerprint() == with)
    }
}

/// How a ring is written in a file: one key per line, newest first.
impl Ring {
    /// Reads the lines of a file. The error says what is wrong, and on which line.
    pub(super) fn read(text: &[u8]) -> Result<Self, String> {
        let mut keys = Vec::new();
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            if keys.len() == MOST {
                return Err(format!("has more than {MOST} keys"));
            }
            let key = encoding::read(line).ok_or_else(|| format!("has no key on line {number}"))?;
            keys.push(SealingKey::new(key));
        }
        let mut keys = keys.into_iter();
        let newest = keys.next().ok_or("is empty")?;
        Ok(Self { newest, older: keys.collect() })
    }

    pub(super) fn write(&self) -> Zeroizing<Vec<u8>> {
        // All at once: a text that grows leaves copies of itself behind.
        let mut text = Zeroizing::new(Vec::with_capacity((self.older.len() + 1) * 65));
        for key in self.all() {
            encoding::write(key.bytes(), &mut text);
            text.push(b'\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_is_read_as_it_was_written() {
        let ring = Ring::random().followed_by(SealingKey::random());
        let again = Ring::read(&ring.write()).expect("it can be read");
        let prints = |ring: &Ring| ring.all().map(SealingKey::fingerprint).collect::<Vec<_>>();
        assert_eq!(prints(&again), prints(&ring));
        assert!(!again.is_single());
    }

    #[test]
    fn what_is_wrong_is_told_by_its_line_and_not_repeated() {
        let good = "0".repeat(64);
        let check = |text: &str, told: &str| {
            let why = Ring::read(text.as_bytes()).err();
            assert_eq!(why.as_deref(), Some(told));
        };
        check("", "is empty");
        check("\n \n", "is empty");
        check("hunter2", "has no key on line 1");
        check(&format!("\n{good}\nhunter2\n"), "has no key on line 3");
        check(&format!("{good}\n").repeat(17), "has more than 16 keys");
        assert!(Ring::read(format!("\r\n{good}\r\n\n").as_bytes()).is_ok());
    }

    #[test]
    fn the_newest_seals_and_each_opens() {
        let (old, new) = (SealingKey::random(), SealingKey::random());
        let secret = Secret::new("sk-1".to_owned());
        let before = Ring::of(old.clone());
        let both = before.led_by(new.clone());
        let sealed = |ring: &Ring| ring.seal(&"ada".into(), "xai", &secret, At(0));
        let check = |ring: &Ring, sealed: &Sealed, code: Option<&str>| {
            assert_eq!(ring.open(sealed).err().map(|error| error.code()), code);
        };
        let (older, newer) = (sealed(&before), sealed(&both));
        assert_eq!(sealed_with(&newer.bytes), Some(new.fingerprint()));
        check(&both, &older, None);
        check(&both, &newer, None);
        check(&before, &newer, Some("SEALING_KEY_WRONG"));
        check(&Ring::of(new), &older, Some("SEALING_KEY_WRONG"));
        check(&both, &Sealed { bytes: b"ckey".to_vec(), ..older.clone() }, Some("KEY_DAMAGED"));
        check(&both, &Sealed { owner: "bob".into(), ..older }, Some("KEY_DAMAGED"));
    }
}

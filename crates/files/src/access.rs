//! Who may use a file that this crate creates.

use std::{fs::File, io};

use rustix::fs::Mode;

/// The rights on a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its owner reads and writes it, and others do neither: mode 0600, whatever the umask is.
    Private,
    /// These bits, less those of the umask: 0o644, or 0o755 for a program.
    Shared(u32),
}

impl Access {
    pub(crate) fn mode(self) -> Mode {
        match self {
            Self::Private => Mode::RUSR | Mode::WUSR,
            Self::Shared(bits) => Mode::from_raw_mode(bits & 0o777),
        }
    }

    /// Restores the rights that the umask removed from a file that was opened with
    /// [`mode`](Self::mode).
    pub(crate) fn settle(self, file: &File) -> io::Result<()> {
        match self {
            Self::Private => Ok(rustix::fs::fchmod(file, self.mode())?),
            Self::Shared(_) => Ok(()),
        }
    }
}

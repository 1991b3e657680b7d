//! Reading documents, never more of them than the limit.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal, Read, Write},
    path::{Path, PathBuf},
};

use consign_contracts::json::Malformed;

use crate::{error::Error, output::printable};

/// Where a document comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

impl Source {
    /// `-` means standard input.
    pub(crate) fn of(file: &Path) -> Self {
        if file == Path::new("-") { Self::Stdin } else { Self::File(file.to_owned()) }
    }

    /// How to call it in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".to_owned(),
            Self::File(file) => printable(&file.display().to_string()).into_owned(),
        }
    }

    pub(crate) fn open(&self) -> Result<BufReader<Box<dyn Read + Send>>, Error> {
        let input: Box<dyn Read + Send> = match self {
            Self::Stdin => {
                if io::stdin().is_terminal() {
                    let _ = writeln!(io::stderr(), "reading from the terminal; end with Ctrl-D");
                }
                Box::new(io::stdin())
            }
            Self::File(file) => {
                Box::new(File::open(file).map_err(|cause| Error::unreadable_input(file, &cause))?)
            }
        };
        Ok(BufReader::with_capacity(1 << 18, input))
    }

    /// All bytes up to one more than `limit`, so that a longer document is seen to be longer.
    pub(crate) fn read(&self, limit: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let read = self.open()?.take((limit as u64).saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|cause| Error::unreadable(Path::new(&self.name()), &cause))?;
        Ok(bytes)
    }
}

/// One line of a stream.
pub(crate) enum Line {
    Bytes(Vec<u8>),
    TooLarge(Malformed),
}

/// Reads the next line without its end; `None` when there is none. A line beyond the limit is
/// passed over without being held.
pub(crate) fn next_line(input: &mut impl BufRead, limit: usize) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let read =
        input.by_ref().take((limit as u64).saturating_add(1)).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        return Ok(Some(Line::Bytes(bytes)));
    }
    if bytes.len() <= limit {
        return Ok(Some(Line::Bytes(bytes)));
    }
    input.skip_until(b'\n')?;
    Ok(Some(Line::TooLarge(Malformed::too_large(limit))))
}

//! Reads a key from standard input: all of a pipe, or what the user types without an echo.
//!
//! It goes straight into one buffer, past those of the standard library, which would keep a copy.

use std::{
    io::{self, IsTerminal, Stdin, Write},
    path::Path,
};

use consign_models::{
    keys::{self, LONGEST, fit},
    transport::Secret,
};
use rustix::{
    io::{Errno, read},
    termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr},
};

use crate::{
    error::{Error, Exit},
    output::printable,
};

/// A key, a line break, and one more by which a longer text is seen to be longer.
const ROOM: usize = LONGEST + 3;

pub(super) fn read_key(prompt: &str) -> Result<Secret, Error> {
    let bytes = read_secret(prompt)?;
    let place = || "standard input".to_owned();
    fit(bytes).map_err(|why| keys::Error::Unfit { place: place(), why }.into())
}

/// All of a pipe, or a line that is typed without an echo.
pub(in crate::commands) fn read_secret(prompt: &str) -> Result<Vec<u8>, Error> {
    let stdin = io::stdin();
    if stdin.is_terminal() { typed(&stdin, prompt) } else { piped(&stdin) }
}

fn piped(stdin: &Stdin) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; ROOM];
    let mut filled = 0;
    while filled < ROOM {
        match read(stdin, &mut bytes[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(Errno::INTR) => {}
            Err(error) => return Err(unreadable(error)),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Letter by letter: a terminal that collects lines would drop what is beyond its own buffer, and
/// one that sends Ctrl-C as a signal would be left without echo.
fn typed(stdin: &Stdin, prompt: &str) -> Result<Vec<u8>, Error> {
    let _quiet = Quiet::begin(stdin)?;
    let mut stderr = io::stderr();
    let _ = write!(stderr, "{}", printable(prompt));
    let _ = stderr.flush();
    let mut bytes = Vec::with_capacity(ROOM);
    let ended = loop {
        let mut letter = [0];
        match read(stdin, &mut letter) {
            Ok(0) => break Ok(()),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => break Err(unreadable(error)),
        }
        match letter[0] {
            b'\r' | b'\n' | END => break Ok(()),
            STOP => break Err(stopped()),
            BACKSPACE | DELETE => drop(bytes.pop()),
            CLEAR => bytes.clear(),
            letter if bytes.len() < ROOM => bytes.push(letter),
            _ => {}
        }
    };
    let _ = writeln!(stderr);
    ended.map(|()| bytes)
}

/// Ctrl-C, Ctrl-D, Ctrl-H, Ctrl-U, and what the key that deletes sends.
const STOP: u8 = 0x03;
const END: u8 = 0x04;
const BACKSPACE: u8 = 0x08;
const CLEAR: u8 = 0x15;
const DELETE: u8 = 0x7f;

/// A terminal that shows nothing and hands out each letter, until the value goes.
struct Quiet<'a> {
    stdin: &'a Stdin,
    before: Termios,
}

impl<'a> Quiet<'a> {
    fn begin(stdin: &'a Stdin) -> Result<Self, Error> {
        let before = tcgetattr(stdin).map_err(unreadable)?;
        let mut quiet = before.clone();
        quiet.local_modes -=
            LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG;
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        // What was typed ahead is kept.
        tcsetattr(stdin, OptionalActions::Now, &quiet).map_err(unreadable)?;
        Ok(Self { stdin, before })
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        // There is nothing else that could be done about it.
        let _ = tcsetattr(self.stdin, OptionalActions::Now, &self.before);
    }
}

fn unreadable(error: Errno) -> Error {
    Error::unreadable(Path::new("standard input"), &error.into())
}

fn stopped() -> Error {
    let mut error = Error::new("STOPPED", "no key was set");
    error.exit = Exit::Interrupted;
    error
}

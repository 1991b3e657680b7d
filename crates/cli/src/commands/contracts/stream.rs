//! `consign contracts check --stream`: one document a line, one verdict a line.

use std::{io::Write, path::Path};

use consign_contracts::json::Json;

use super::{check::Against, verdict};
use crate::{
    error::{Error, Exit},
    input::{self, Line, Source},
    output::{Audience, Output, object},
};

/// A broken line spoils only itself; any makes the whole fail.
pub(super) fn run(against: &Against, source: &Source, output: &mut Output) -> Result<Exit, Error> {
    let mut input = source.open()?;
    let (mut line, mut documents, mut refused) = (0_u64, 0_u64, 0_u64);
    let unreadable = |cause| Error::unreadable(Path::new(&source.name()), &cause);
    while let Some(next) = input::next_line(&mut input, against.limit()).map_err(unreadable)? {
        line += 1;
        let verdict = match next {
            // An empty line is no document.
            Line::Bytes(bytes) if bytes.trim_ascii().is_empty() => continue,
            Line::Bytes(bytes) => against.verdict(&bytes),
            Line::TooLarge(malformed) => Err(malformed),
        };
        documents += 1;
        refused += u64::from(verdict::exit(&verdict) != Exit::Done);
        match output.reader {
            Audience::Program => {
                let number = object([("line", Json::Number(line.into()))]);
                output.object(number.followed_by(verdict::as_object(&against.name, &verdict)))?;
            }
            Audience::Person | Audience::Pipe => {
                output.line(format!("{line}: {}", verdict::in_short(&verdict)))?;
            }
        }
        // A caller that waits for a verdict before it sends the next document must get it now.
        if input.buffer().is_empty() {
            output.finish()?;
        }
    }
    if output.reader == Audience::Person {
        output.finish()?;
        let _ = writeln!(std::io::stderr(), "{documents} documents, {refused} refused");
    }
    Ok(if refused == 0 { Exit::Done } else { Exit::Failed })
}

//! Writing a whole `jobHistory.json` in the place of another, in one step.

use std::io::{BufWriter, Write};

use consign_engine::Data;
use consign_files::{Access, Root, sync_file};

use super::{Error, head::HeadLine, names, tail::Tail};

/// No head may be longer: it would not be read.
const HEAD_LIMIT: usize = 1 << 20;

/// Writes the file beside the old one, durably, and replaces that. A crash leaves the old one or the new one. The lines
/// are streamed.
pub(super) fn write(
    root: &Root,
    head: &HeadLine,
    lines: impl Iterator<Item = Result<Data, Error>>,
    tail: &Tail,
) -> Result<(), Error> {
    let text = head.text();
    if text.len() > HEAD_LIMIT {
        return Err(Error::refused("what is known of the job is too long for a head"));
    }
    let failed = || Error::io("write", names::UNFINISHED);
    root.remove_file(names::UNFINISHED)?;
    let mut file = BufWriter::new(root.create_new(names::UNFINISHED, Access::Private)?);
    file.write_all(text.as_bytes()).map_err(failed())?;
    for (at, line) in lines.enumerate() {
        let joint: &[u8] = if at == 0 { b"" } else { b",\n" };
        file.write_all(joint).map_err(failed())?;
        file.write_all(line?.as_str().as_bytes()).map_err(failed())?;
    }
    file.write_all(tail.bytes()).map_err(failed())?;
    let file = file.into_inner().map_err(|error| failed()(error.into_error()))?;
    sync_file(&file, &root.path().join(names::UNFINISHED))?;
    root.rename(names::UNFINISHED, names::FILE)?;
    Ok(root.sync()?)
}

//! Copies one file, and counts its checksum on the way.

use std::{
    fs::File,
    io::{Read, Write},
    os::unix::fs::MetadataExt,
    path::Path,
};

use consign_contracts::crew::SourceType;
use consign_engine::At;
use consign_files::Root;
use reqwest::Url;
use serde_json::{Map, json};

use super::place::to_error;
use crate::{
    Destination, Error, Fetched, KindHint, Validators,
    destination::{too_large, unwritten},
    http::Http,
    known::{LocalStamp, Of},
    web::total,
};

/// Bytes that are read at a time.
const PIECE: usize = 128 << 10;
/// How often a file is read that is being written meanwhile.
const TRIES: usize = 3;
/// The times of a file system are coarse: what was changed this long before it was read may change again
/// without a new time.
const COARSE: i64 = 2_000_000_000;

pub(super) enum Copied {
    New(Box<Fetched>),
    Unchanged(Validators),
}

pub(super) fn copy(
    http: &Http,
    root: &Root,
    path: &Path,
    identifier: &str,
    into: &Destination,
    before: Option<&Validators>,
    left: u64,
) -> Result<Copied, Error> {
    let limit = http.options.max_bytes;
    for _ in 0..TRIES {
        let mut file = root.open_file(path).map_err(to_error)?;
        let read_at = http.parts.clock.wall().0.saturating_mul(1_000);
        let stamp = stamp(&file, read_at)?;
        if let Some(before) = before
            && let Of::Local(old) = &before.of
            && is_same(old, &stamp)
        {
            return Ok(Copied::Unchanged(before.clone()));
        }
        if stamp.size > limit {
            return Err(too_large(limit));
        }
        if stamp.size > left {
            return Err(total(http.options.max_total_bytes));
        }
        let most = limit.min(left);
        let mut draft = into.draft(identifier, most)?;
        let mut piece = vec![0; PIECE];
        loop {
            let read = match file.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    return Err(Error::unreachable(format!("it cannot be read: {error}")));
                }
            };
            draft.write_all(&piece[..read]).map_err(|error| unwritten(&error, most))?;
        }
        let after = self::stamp(&file, read_at)?;
        if (after.size, after.modified, after.changed)
            != (draft.size(), stamp.modified, stamp.changed)
        {
            // Half of it may be new.
            continue;
        }
        if let Some(before) = before.filter(|before| before.checksum == draft.checksum()) {
            let checksum = before.checksum.clone();
            return Ok(Copied::Unchanged(Validators { checksum, of: Of::Local(stamp) }));
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let copy = draft.finish(name.as_deref())?;
        let mut metadata = Map::new();
        metadata.insert("path".to_owned(), identifier.into());
        metadata.insert("file_name".to_owned(), json!(name));
        let modified = At(stamp.modified.div_euclid(1_000));
        metadata.insert("modified".to_owned(), modified.to_string().into());
        let hint = KindHint { file_name: name, ..KindHint::default() };
        return Ok(Copied::New(Box::new(Fetched {
            source_type: SourceType::Local,
            identifier: identifier.to_owned(),
            file: copy.file,
            size: copy.size,
            checksum: copy.checksum.clone(),
            source_metadata: metadata,
            source_url: Url::from_file_path(identifier).ok().map(String::from),
            hint,
            validators: Validators { checksum: copy.checksum, of: Of::Local(stamp) },
        })));
    }
    let why = "it changes while it is read: try again when it is finished";
    Err(Error { recoverable: true, ..Error::unreachable(why) })
}

fn stamp(file: &File, read_at: i64) -> Result<LocalStamp, Error> {
    let about = file.metadata();
    let about = about.map_err(|error| Error::unreachable(format!("it cannot be read: {error}")))?;
    let nanoseconds =
        |seconds: i64, more: i64| seconds.saturating_mul(1_000_000_000).saturating_add(more);
    Ok(LocalStamp {
        size: about.len(),
        modified: nanoseconds(about.mtime(), about.mtime_nsec()),
        changed: nanoseconds(about.ctime(), about.ctime_nsec()),
        device: about.dev(),
        inode: about.ino(),
        read_at,
    })
}

/// Whether nothing can have changed since it was read.
fn is_same(old: &LocalStamp, new: &LocalStamp) -> bool {
    let settled = old.changed.saturating_add(COARSE) < old.read_at;
    let times = |stamp: &LocalStamp| (stamp.size, stamp.modified, stamp.changed);
    let which = |stamp: &LocalStamp| (stamp.device, stamp.inode);
    settled && times(old) == times(new) && which(old) == which(new)
}

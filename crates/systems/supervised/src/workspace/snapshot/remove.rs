//! Removes whole folders of any depth, within a workspace, by handle.
//!
//! Folders can be nested deeper than a path can be long, and deeper than there are handles. So a folder that is not
//! empty is moved into one folder at the top of the workspace, and what is left in that one is flat. After a crash it
//! is one more folder that does not belong there.

use std::ffi::{OsStr, OsString};

use consign_files::{Error as FilesError, Kind, Root};

use super::{super::Error, access};

pub(super) struct Removal<'a> {
    workspace: &'a Root,
    /// The folder at the top, once it is needed.
    bin: Option<(OsString, Root)>,
    moved: u64,
}

impl<'a> Removal<'a> {
    pub(super) fn new(workspace: &'a Root) -> Self {
        Self { workspace, bin: None, moved: 0 }
    }

    /// Removes a name of a folder, with all that is below it.
    pub(super) fn remove(&mut self, folder: &Root, name: &OsStr, kind: Kind) -> Result<(), Error> {
        let Some(first) = self.remove_or_move(folder, name, kind)? else { return Ok(()) };
        let mut ahead = vec![first];
        while let Some(name) = ahead.pop() {
            let bin = self.bin()?;
            let (folder, _) = access::enter(&bin, &name)?;
            let entries: Vec<_> = folder.entries()?.collect::<Result<_, _>>()?;
            for entry in entries {
                ahead.extend(self.remove_or_move(&folder, &entry.name, entry.kind)?);
            }
            bin.remove_dir(&name)?;
        }
        Ok(())
    }

    /// Removes a name; a folder that is not empty is moved, and its new name is the answer.
    fn remove_or_move(
        &mut self,
        folder: &Root,
        name: &OsStr,
        kind: Kind,
    ) -> Result<Option<OsString>, Error> {
        if kind != Kind::Folder {
            folder.remove_file(name)?;
            return Ok(None);
        }
        if folder.remove_dir(name).is_ok() {
            return Ok(None);
        }
        access::open_up(folder, name, folder.metadata(name)?.mode)?;
        let bin = self.bin()?;
        self.moved += 1;
        let moved = OsString::from(self.moved.to_string());
        folder.rename_into(name, &bin, &moved)?;
        Ok(Some(moved))
    }

    fn bin(&mut self) -> Result<Root, Error> {
        if let Some((_, bin)) = &self.bin {
            return Ok(bin.open_dir("")?);
        }
        let mut number = 0_u32;
        let name = loop {
            let name = OsString::from(format!(".consign-removed.{number}"));
            match self.workspace.create_dir(&name, 0o700) {
                Ok(()) => break name,
                Err(FilesError::AlreadyExists { .. }) if number < 1000 => number += 1,
                Err(error) => return Err(error.into()),
            }
        };
        let bin = self.workspace.open_dir(&name)?;
        let own = bin.open_dir("")?;
        self.bin = Some((name, bin));
        Ok(own)
    }

    /// All that was to be removed is removed.
    pub(super) fn end(self) -> Result<(), Error> {
        if let Some((name, _)) = self.bin {
            self.workspace.remove_dir(name)?;
        }
        Ok(())
    }
}

//! Reads the files of a creation in a project, and reports what is wrong with them.

use std::path::Path;

use consign_contracts::{
    bridge::AgentRequest,
    wire::{Message, Refused as Unread},
};
use consign_engine::RunId;
use consign_template::{
    creation::{Creation, Unreadable},
    folder::{self, BridgeFile, Folder},
    maker::Stopped,
    respond::RespondError,
};

use crate::{
    error::{Error, Refused},
    machine::random,
};

impl From<Stopped> for Refused {
    fn from(stopped: Stopped) -> Self {
        let refused = Self::new(stopped.code, stopped.message).listing(stopped.lines);
        match stopped.hint {
            Some(hint) => refused.hint(hint),
            None => refused,
        }
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        Refused::from(stopped).into()
    }
}

impl From<folder::Error> for Error {
    fn from(error: folder::Error) -> Self {
        Stopped::from(error).into()
    }
}

impl From<RespondError> for Error {
    fn from(error: RespondError) -> Self {
        error.fault().into()
    }
}

pub(super) fn open(path: &Path) -> Result<Folder, Error> {
    Ok(Folder::open(path)?)
}

/// The state in a folder, if there is one.
pub(super) fn state(folder: &Folder) -> Result<Option<Creation>, Error> {
    let Some(bytes) = folder.read(BridgeFile::State)? else {
        return Ok(None);
    };
    let request = request(folder).ok().flatten();
    let run = RunId::from_random(random()).to_string();
    let creation = Creation::read(&bytes, request.as_ref(), &run).map_err(|unreadable| {
        let told = format!("{} cannot be gone on with: {unreadable}", BridgeFile::State.name());
        let breaches = match unreadable {
            Unreadable::Refused(Unread::Breached(breaches)) => breaches,
            Unreadable::Refused(Unread::Malformed(_))
            | Unreadable::Version(_)
            | Unreadable::Data(_)
            | Unreadable::Nameless(_)
            | Unreadable::Phase { .. } => Vec::new(),
        };
        Refused::new("STATE_REFUSED", told)
            .listing(breaches.iter().take(10).map(ToString::to_string))
            .hint(
                "`consign contracts show bridge/template-create-state` has the form; mend the file, or begin \
                 anew with --fresh, which moves it aside",
            )
    })?;
    Ok(Some(creation))
}

/// The request in a folder, if there is one.
pub(super) fn request(folder: &Folder) -> Result<Option<AgentRequest>, Error> {
    let Some(bytes) = folder.read(BridgeFile::Request)? else {
        return Ok(None);
    };
    let name = BridgeFile::Request.name();
    let request = AgentRequest::from_json(&bytes).map_err(|refused| {
        Refused::new("REQUEST_REFUSED", format!("{name}: {refused}"))
            .hint("`consign template create … --resume` writes it anew")
    })?;
    Ok(Some(request))
}

/// The agent whose body is asked for in a folder, if it is that.
pub(super) fn enhanced(folder: &Folder) -> Option<String> {
    let creation = state(folder).ok()??;
    creation.enhances().map(|agent| agent.name.clone())
}

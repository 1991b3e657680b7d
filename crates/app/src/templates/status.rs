//! How the creation in a project stands, and what it asks. Only looks: nothing is locked or changed.

use std::path::{Path, PathBuf};

use consign_contracts::{
    bridge::{AgentRequest, AgentResponse},
    wire::Message,
};
use consign_template::{
    answers,
    creation::{Creation, Reply},
    folder::{BridgeFile, Folder},
    maker::Stopped,
};

use super::project::{enhanced, open, request, state};
use crate::error::Error;

/// How the creation in a project stands.
#[derive(Clone, Debug)]
pub struct CreationStatus {
    pub project: PathBuf,
    /// The creation and where it stands, if there is one.
    pub creation: Option<(Box<Creation>, Standing)>,
}

/// Where a creation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It asks, and there is no answer.
    Waiting,
    /// It asks, and the answer will count when the creation is resumed.
    Answered,
    /// It asks, and what was answered will not count.
    Refused,
    /// It asks nothing: it was stopped in the middle of its work.
    Stopped,
}

impl Standing {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Stopped => "stopped",
        }
    }
}

/// What lies in the place of the response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerFile {
    None,
    /// It answers the request, and was not taken yet.
    Waiting,
    /// It answers something else.
    Other(String),
    Refused(String),
}

/// What is asked in a project, and whether it is answered.
#[derive(Clone, Debug)]
pub struct PendingRequest {
    pub project: PathBuf,
    pub request: Option<AgentRequest>,
    pub answer: AnswerFile,
}

/// How the creation in a project stands.
pub fn status(project: &Path) -> Result<CreationStatus, Error> {
    let folder = open(project)?;
    let creation = state(&folder)?.map(|creation| {
        let asked = creation.pending.as_ref().map(|pending| &pending.request);
        let standing = match (asked, answer_file(&folder, asked)) {
            (None, _) => Standing::Stopped,
            (Some(_), AnswerFile::None) => Standing::Waiting,
            (Some(_), AnswerFile::Waiting) => Standing::Answered,
            (Some(_), AnswerFile::Other(_) | AnswerFile::Refused(_)) => Standing::Refused,
        };
        (Box::new(creation), standing)
    });
    Ok(CreationStatus { project: folder.path().to_owned(), creation })
}

/// What is asked in a project, and whether it is answered.
pub fn pending(project: &Path) -> Result<PendingRequest, Error> {
    let folder = open(project)?;
    let request = request(&folder)?;
    let answer = answer_file(&folder, request.as_ref());
    Ok(PendingRequest { project: folder.path().to_owned(), request, answer })
}

fn answer_file(folder: &Folder, request: Option<&AgentRequest>) -> AnswerFile {
    let bytes = match folder.read(BridgeFile::Response) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return AnswerFile::None,
        Err(error) => return AnswerFile::Refused(Stopped::from(error).message),
    };
    match AgentResponse::from_json(&bytes) {
        Err(refused) => AnswerFile::Refused(refused.to_string()),
        Ok(response) => match request {
            Some(request)
                if request
                    .request_id
                    .as_str()
                    .eq_ignore_ascii_case(response.request_id.as_str()) =>
            {
                match worth(folder, request, &response) {
                    Ok(()) => AnswerFile::Waiting,
                    Err(why) => AnswerFile::Refused(why),
                }
            }
            Some(_) | None => AnswerFile::Other(format!("it answers {}", response.request_id)),
        },
    }
}

/// Whether an answer would count. A failure is no answer, and is taken as it is.
fn worth(folder: &Folder, request: &AgentRequest, response: &AgentResponse) -> Result<(), String> {
    let Reply::Answered { text, confidence } = Reply::from(response) else { return Ok(()) };
    let agent = enhanced(folder);
    answers::worth(request.phase_name, agent.as_deref(), &text, confidence).map(drop)
}

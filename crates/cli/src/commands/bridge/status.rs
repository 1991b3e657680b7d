//! `consign bridge status`: what is asked, and whether somebody has answered.

use std::path::PathBuf;

use consign_contracts::{
    bridge::{AgentRequest, AgentResponse},
    json::Json,
    wire::Message,
};
use consign_template::{
    answers,
    creation::Reply,
    folder::{BridgeFile, Folder},
    maker::Stopped,
};

use crate::{
    commands::template::{create::described, making},
    error::{Error, Exit},
    output::{FAINT, Output, Reader, STRONG, object, printable, styled},
};

const HELP: &str = "\
Only looks: nothing is changed, and nobody is kept from working. Exits with 0 whatever it finds.

With --json: {\"project\", \"request\": {…} or null, \"response\": \"none\" | \"waiting\" | \"other\" | \"refused\", \
\"why\"?}; `waiting` answers the request and will count when the creation is resumed.

Examples:
  consign bridge status --path ~/src/shop
  consign bridge status --path . --json | jq -r .response";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The project
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,
}

/// What lies in the place of the response.
pub(crate) enum Answered {
    None,
    /// It answers the request, and nobody has taken it yet.
    Waiting,
    /// It answers something else.
    Other(String),
    Refused(String),
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let folder = making::open(&args.path)?;
    let request = making::request(&folder)?;
    let answered = answered(&folder, request.as_ref());
    let (word, why) = match &answered {
        Answered::None => ("none", None),
        Answered::Waiting => ("waiting", None),
        Answered::Other(why) => ("other", Some(why)),
        Answered::Refused(why) => ("refused", Some(why)),
    };
    let project = folder.path().display().to_string();
    if output.reader == Reader::Program {
        let asked = request.as_ref().map_or(Json::Null, |request| Json::Object(described(request)));
        let mut told = object([
            ("project", Json::String(project.into())),
            ("request", asked),
            ("response", Json::from(word)),
        ]);
        if let Some(why) = why {
            told.set("why", Json::String(why.clone().into()));
        }
        output.object(told)?;
        return Ok(Exit::Done);
    }
    let Some(request) = request else {
        output.line(format!("nothing is asked in {}", printable(&project)))?;
        return Ok(Exit::Done);
    };
    let head = format!(
        "{} is asked in phase {}, {}",
        request.agent_name, request.phase, request.phase_name
    );
    output.line(styled(STRONG, head))?;
    let time = request.timeout_seconds.as_ref().map_or("120".to_owned(), ToString::to_string);
    let tries = request.retry_count.as_ref().map_or("0".to_owned(), ToString::to_string);
    let state = match &answered {
        Answered::None => "nobody has answered".to_owned(),
        Answered::Waiting => "answered; it counts when the creation is resumed".to_owned(),
        Answered::Other(why) | Answered::Refused(why) => format!("it will not count: {why}"),
    };
    let rows = [
        ("request", request.request_id.to_string()),
        ("asked", format!("{} (an agent has {time} s; retry {tries})", request.created_at)),
        (
            "prompt",
            format!(
                "{} characters in {}",
                request.prompt.chars().count(),
                BridgeFile::Request.name()
            ),
        ),
        ("response", state),
    ];
    for (what, text) in rows {
        output.line(format!("  {}{}", styled(FAINT, format!("{what:<10}")), printable(&text)))?;
    }
    Ok(Exit::Done)
}

/// Whether an answer would count. A failure is no answer, and is taken as it is.
fn worth(folder: &Folder, request: &AgentRequest, response: &AgentResponse) -> Result<(), String> {
    let Reply::Answered { text, confidence } = Reply::from(response) else { return Ok(()) };
    let agent = making::enhanced(folder);
    answers::worth(request.phase_name, agent.as_deref(), &text, confidence).map(drop)
}

pub(crate) fn answered(folder: &Folder, request: Option<&AgentRequest>) -> Answered {
    let bytes = match folder.read(BridgeFile::Response) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Answered::None,
        Err(error) => return Answered::Refused(Stopped::from(error).message),
    };
    match AgentResponse::from_json(&bytes) {
        Err(refused) => Answered::Refused(refused.to_string()),
        Ok(response) => match request {
            Some(request)
                if request
                    .request_id
                    .as_str()
                    .eq_ignore_ascii_case(response.request_id.as_str()) =>
            {
                match worth(folder, request, &response) {
                    Ok(()) => Answered::Waiting,
                    Err(why) => Answered::Refused(why),
                }
            }
            Some(_) | None => Answered::Other(format!("it answers {}", response.request_id)),
        },
    }
}

//! `consign bridge status`: what is asked in a project, and whether it was answered.

use std::path::PathBuf;

use consign_app::templates::{self, AnswerFile, PendingRequest};
use consign_contracts::json::Json;
use consign_template::folder::BridgeFile;

use crate::{
    commands::template::create::described,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, STRONG, object, printable, styled},
};

const HELP: &str = "\
Only looks: nothing is changed, and no other command has to wait. Exits with 0 whatever it finds.

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

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let PendingRequest { project, request, answer } = templates::pending(&args.path)?;
    let (word, why) = match &answer {
        AnswerFile::None => ("none", None),
        AnswerFile::Waiting => ("waiting", None),
        AnswerFile::Other(why) => ("other", Some(why)),
        AnswerFile::Refused(why) => ("refused", Some(why)),
    };
    let project = project.display().to_string();
    if output.reader == Audience::Program {
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
    let state = match &answer {
        AnswerFile::None => "no answer yet".to_owned(),
        AnswerFile::Waiting => "answered; it counts when the creation is resumed".to_owned(),
        AnswerFile::Other(why) | AnswerFile::Refused(why) => format!("it will not count: {why}"),
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

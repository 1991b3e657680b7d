//! Going on with a creation in rounds: a command or a model answers, the creation goes on, until it is done.

use std::path::{Path, PathBuf};

use consign_contracts::bridge::{AgentRequest, AgentResponse, ErrorType, ResponseStatus};
use consign_engine::{
    Owner, RunId, Stop,
    store::{self, Interaction},
};
use consign_template::{
    creation::Report,
    maker::{End, Reach, note_request},
    mirror,
    respond::{self, RespondError},
};
use tokio::sync::watch;

use super::{
    answerer::{Answerer, Asking},
    create::WaitingCreation,
    event::Events,
    making::Making,
    order::output_path,
    project::open,
};
use crate::{
    error::{Error, Refused},
    home::Home,
    machine::now,
};

/// Which creation is gone on with, and who answers.
#[derive(Clone, Debug)]
pub struct Watch {
    /// The root of the project.
    pub project: PathBuf,
    pub answerer: Answerer,
    /// Who pays; another than the owner of the creation's run is refused.
    pub owner: Option<Owner>,
    /// The template's name and folder: the caller knows where a creation leads that this machine did not begin.
    pub known: Option<(String, PathBuf)>,
    /// The file to which a line is added for each request that is answered.
    pub invocations: Option<PathBuf>,
    /// Failed rounds in a row after which it stops.
    pub most_failed: u32,
}

/// A creation that this process goes on with, in a home. Its project is locked as long as this lives.
pub struct Watching<'h> {
    home: &'h Home,
    wanted: Watch,
    making: Making,
    failed: u32,
}

/// What a round came to.
#[derive(Debug)]
pub enum WatchRound {
    /// The request was answered, or another program was faster: the next round goes on.
    GoesOn,
    /// The template is there.
    Complete(Box<Report>),
    /// This many rounds in a row have failed. Everything is left in place.
    Failed(u32, Box<WaitingCreation>),
    /// A limit is reached. Everything is left in place.
    Limit(Box<Interaction>, Box<WaitingCreation>),
    /// This process was told to stop. Everything is left in place.
    Stopped(Box<WaitingCreation>),
}

impl<'h> Watching<'h> {
    /// Takes the creation in a project, if it is known here and the command or model can be asked.
    pub async fn begin(home: &'h Home, wanted: Watch) -> Result<Self, Error> {
        let mut making = Making::resumed(open(&wanted.project)?)?;
        is_known(&wanted, home, &making).await?;
        let owner = making.belongs_to(home, wanted.owner.as_ref()).await?;
        wanted.answerer.is_there(home, owner).await?;
        Ok(Self { home, wanted, making, failed: 0 })
    }

    /// Goes on with the creation until it asks, and has that answered.
    pub async fn round(
        &mut self,
        stop: watch::Receiver<Stop>,
        events: &mut Events<'_>,
    ) -> Result<WatchRound, Error> {
        let fallbacks = self.making.creation.fallbacks();
        match self.making.drive(Some(self.home), Reach::Bridge, true, None, events).await? {
            End::Complete => {
                return Ok(WatchRound::Complete(Box::new(self.making.creation.report())));
            }
            End::Waits => {}
        }
        // A request that is done without ends the row.
        if self.making.creation.fallbacks() > fallbacks {
            self.failed = 0;
        }
        let Some(waiting) = self.making.waiting().map(Box::new) else {
            return Ok(WatchRound::GoesOn);
        };
        if self.failed >= self.wanted.most_failed {
            return Ok(WatchRound::Failed(self.failed, waiting));
        }
        let request = &waiting.request;
        if let Some(path) = &self.wanted.invocations {
            note_request(path, &self.making.creation.run, request)?;
        }
        match self.wanted.answerer.answer(self.home, &self.making, request, stop).await? {
            Asking::Response(response) => {
                let succeeded = response.status == ResponseStatus::Success;
                self.failed = if succeeded { 0 } else { self.failed + 1 };
                self.write(request, &response)?;
                Ok(WatchRound::GoesOn)
            }
            Asking::Overtaken => Ok(WatchRound::GoesOn),
            Asking::Limit(limit) => Ok(WatchRound::Limit(limit, waiting)),
            Asking::Stopped => Ok(WatchRound::Stopped(waiting)),
        }
    }

    /// Puts a response into its file. One that does not fit there becomes a failure.
    fn write(&self, request: &AgentRequest, response: &AgentResponse) -> Result<(), Error> {
        let put = |response: &AgentResponse| {
            respond::respond(self.making.folder.path(), request.request_id.as_str(), response)
        };
        let written = match put(response) {
            Err(RespondError::TooLarge { .. }) => {
                let why = Some("the answer is too large".to_owned());
                put(&respond::fail(request, ErrorType::ValidationError, why, None, now()))
            }
            written => written,
        };
        match written {
            // Another program was faster, and the first answer counts.
            Ok(()) | Err(RespondError::AlreadyAnswered) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether this machine began the creation, or the user says that they know it: a state may be a
/// stranger's, and lead anywhere.
async fn is_known(wanted: &Watch, home: &Home, making: &Making) -> Result<(), Error> {
    let creation = &making.creation;
    if Path::new(&creation.order.project) != making.folder.path() {
        let told = format!("the state is of a project in {}", creation.order.project);
        let refused = Refused::new("STATE_MISMATCH", told)
            .hint("move the project back, or begin anew with `consign template create --fresh`");
        return Err(refused.into());
    }
    if let Some((name, to)) = &wanted.known {
        if *name == creation.order.name && output_path(to)? == creation.order.output {
            return Ok(());
        }
        let refused = Refused::new("STATE_MISMATCH", "the state belongs to another creation")
            .listing([
                format!("--name in the state: {}", creation.order.name),
                format!("--output in the state: {}", creation.order.output),
            ])
            .hint("look at it with `consign template status`");
        return Err(refused.into());
    }
    let run = RunId::from(creation.run.as_str());
    match home.store().row(&run).await {
        Ok(row)
            if row.workflow == mirror::CREATE
                && mirror::is_of(&home.engine, &run, &creation.order).await? =>
        {
            Ok(())
        }
        Ok(_) | Err(store::Error::NotFound(_)) => {
            let told = "this machine did not begin the creation in this project";
            let refused = Refused::new("STATE_UNKNOWN", told)
                .listing([
                    format!("template: {}", creation.order.name),
                    format!("output: {}", creation.order.output),
                ])
                .hint("if that is what you want, say so with --name and --output");
            Err(refused.into())
        }
        Err(error) => Err(error.into()),
    }
}

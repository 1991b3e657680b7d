//! `consign bridge watch`: closes the loop. Somebody answers, the creation goes on, until it is done.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use consign_contracts::bridge::{ErrorType, ResponseStatus};
use consign_engine::{RunId, Stop, store};
use consign_template::{
    maker::{End, Reach, Told},
    mirror,
    respond::{self, RespondError},
};

use super::handler::{Handler, model};
use crate::{
    commands::template::{
        create,
        making::{self, Making},
    },
    engine::{Session, now, session},
    error::{Error, Exit},
    output::Output,
    signals::Signals,
};

const HELP: &str = "\
Goes on with the creation in a project: whenever an agent is asked, the command gets the prompt on standard input \
and its standard output is the answer (a shell reads the line; CONSIGN_REQUEST_ID, CONSIGN_AGENT, CONSIGN_PHASE \
and CONSIGN_RETRY are set), or the model is asked. The response is written to its file like anybody's, and the creation is \
resumed. A command that fails, or takes longer than the request allows, is a failed round: the request is \
tried three times with more time each, then done without. Ctrl-C leaves everything in place.

A state that this machine did not begin must be named: --name and --output say that you know where it leads.

Exits with 0 when the template is there, 42 when --max-iterations rounds in a row have failed (a request that is \
done without ends the row), 1 when it cannot go on.

Examples:
  consign bridge watch --path ~/src/shop --exec 'my-agent --headless'
  consign bridge watch --path ~/src/shop --model anthropic/claude-haiku-4-5 --max-iterations 2";

#[derive(clap::Args)]
#[command(after_help = HELP)]
#[command(group(clap::ArgGroup::new("who").required(true).args(["exec", "model"])))]
pub(crate) struct Args {
    /// The project
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,

    /// The command that answers: the prompt on its standard input, the answer on its standard output
    #[arg(long, value_name = "CMD")]
    exec: Option<String>,

    /// The model that answers, such as openai/gpt-5-mini
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Failed rounds in a row after which it stops
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    max_iterations: u32,

    /// The template's name, for a creation that this machine did not begin
    #[arg(long, value_name = "NAME", requires = "output")]
    name: Option<String>,

    /// The template's folder, likewise
    #[arg(long, value_name = "DIR", requires = "name")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let handler = match (&args.exec, &args.model) {
        (Some(line), _) => Handler::Command(line.clone()),
        (None, name) => Handler::Model(model(name.as_deref().unwrap_or_default())?),
    };
    let folder = making::open(&args.path)?;
    let mut making = Making::resumed(folder)?;
    session(async |session| {
        known(args, session, &making).await?;
        handler.is_there(session).await?;
        watch(args, session, &handler, &mut making, output).await
    })
}

/// Whether this machine began the creation, or the user says that they know it: a state may be a
/// stranger's, and lead anywhere.
async fn known(args: &Args, session: &Session, making: &Making) -> Result<(), Error> {
    let creation = &making.creation;
    if Path::new(&creation.order.project) != making.folder.path() {
        let told = format!("the state is of a project in {}", creation.order.project);
        return Err(Error::new("STATE_MISMATCH", told)
            .hint("move the project back, or begin anew with `consign template create --fresh`"));
    }
    if let (Some(name), Some(to)) = (&args.name, &args.output) {
        if *name == creation.order.name && making::output_path(to)? == creation.order.output {
            return Ok(());
        }
        return Err(Error::new("STATE_MISMATCH", "the state belongs to another creation")
            .listing([
                format!("--name in the state: {}", creation.order.name),
                format!("--output in the state: {}", creation.order.output),
            ])
            .hint("look at it with `consign template status`"));
    }
    let run = RunId::from(creation.run.as_str());
    match session.store().row(&run).await {
        Ok(row)
            if row.workflow == mirror::CREATE
                && mirror::is_of(&session.engine, &run, &creation.order).await? =>
        {
            Ok(())
        }
        Ok(_) | Err(store::Error::NotFound(_)) => {
            let told = "this machine did not begin the creation in this project";
            Err(Error::new("STATE_UNKNOWN", told)
                .listing([
                    format!("template: {}", creation.order.name),
                    format!("output: {}", creation.order.output),
                ])
                .hint("if that is what you want, say so with --name and --output"))
        }
        Err(error) => Err(error.into()),
    }
}

async fn watch(
    args: &Args,
    session: &Session,
    handler: &Handler,
    making: &mut Making,
    output: &mut Output,
) -> Result<Exit, Error> {
    let signals = Signals::listen(Duration::from_secs(5))?;
    let mut progress = create::Progress::new(output);
    let mut tell = |told: Told<'_>| progress.tell(&told);
    let mut failed = 0;
    loop {
        let fallbacks = making.creation.fallbacks();
        match making.drive(Some(session), Reach::Bridge, true, &mut tell, output).await? {
            End::Complete => {
                create::finished(&making.creation.report(), false, output)?;
                return Ok(Exit::Done);
            }
            End::Waits => {}
        }
        if making.creation.fallbacks() > fallbacks {
            failed = 0;
        }
        if failed >= args.max_iterations {
            output
                .tell(format!("{failed} rounds in a row have failed; everything is left in place"));
            create::waiting(making, output)?;
            return Ok(Exit::WaitsForAgent);
        }
        let Some(pending) = making.creation.pending.clone() else { continue };
        let mut stop = signals.stop.clone();
        let stopped = async move {
            let _ = stop.wait_for(|stop| *stop != Stop::GoOn).await;
        };
        let request = &pending.request;
        let answered = handler.answer(session, making.folder.path(), request, stopped).await;
        let Some(response) = answered else {
            create::waiting(making, output)?;
            return Ok(signals.exit().unwrap_or(Exit::Interrupted));
        };
        failed = if response.status == ResponseStatus::Success { 0 } else { failed + 1 };
        let answer = |response| {
            respond::respond(making.folder.path(), request.request_id.as_str(), response)
        };
        let written = match answer(&response) {
            Err(RespondError::TooLarge { .. }) => {
                let why = Some("the answer is too large".to_owned());
                let kind = ErrorType::ValidationError;
                answer(&respond::fail(request, kind, why, None, now()))
            }
            written => written,
        };
        match written {
            // Somebody else was quicker, and the first answer counts.
            Ok(()) | Err(RespondError::AlreadyAnswered) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

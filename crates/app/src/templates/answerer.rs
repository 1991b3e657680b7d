//! The answerer of a watch: a command, with the prompt on its standard input, or a model.
//!
//! A command is the user's own, and what it costs is not known here. A model is a call of the creation's
//! run: the engine holds back what it may cost, makes it and writes it down.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use consign_contracts::{
    bridge::{AgentName, AgentRequest, AgentResponse, ErrorType},
    wire::Integer,
};
use consign_engine::{Nanos, Owner, Stop, store::Interaction};
use consign_invokers::process::{Pipe, Piped};
use consign_models::ModelName;
use consign_template::{
    mirror::{self, AskModel, Asked},
    respond,
};
use tokio::sync::watch;

use super::making::Making;
use crate::{
    error::{Error, Refused},
    home::Home,
    machine::now,
};

/// A request larger than this is not handed on.
const MOST_REQUEST: usize = 1_000_000;

/// What answers the requests of a creation.
#[derive(Clone, Debug)]
pub enum Answerer {
    /// A line for a shell: the prompt on its standard input, the answer on its standard output.
    Command(String),
    /// A model, and what the creation may cost in all.
    Model(ModelName, Option<Nanos>),
}

/// What asking came to.
pub(super) enum Asking {
    /// An answer, or why there is none: it is to be written to its file.
    Response(Box<AgentResponse>),
    /// Another program has answered the request meanwhile.
    Overtaken,
    /// A limit is reached.
    Limit(Box<Interaction>),
    /// This process was told to stop: nothing is written.
    Stopped,
}

/// What a command came to.
enum Said {
    Text(String),
    Failed(ErrorType, String),
    Stopped,
}

impl Answerer {
    /// Answers a request, or says why not.
    pub(super) async fn answer(
        &self,
        home: &Home,
        making: &Making,
        request: &AgentRequest,
        stop: watch::Receiver<Stop>,
    ) -> Result<Asking, Error> {
        if request.prompt.len() > MOST_REQUEST {
            let why = format!("the prompt is larger than {MOST_REQUEST} bytes");
            let kind = ErrorType::ValidationError;
            let response = respond::fail(request, kind, Some(why), None, now());
            return Ok(Asking::Response(Box::new(response)));
        }
        let seconds = request.timeout_seconds.as_ref().and_then(Integer::as_i64);
        let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok()).unwrap_or(120);
        match self {
            Self::Command(line) => {
                let time = Duration::from_secs(seconds);
                Ok(run(line, making.folder.path(), request, time, stop).await)
            }
            Self::Model(name, cost) => {
                let run = making.mirrored(home).await?;
                let ask = AskModel {
                    request_id: request.request_id.to_string(),
                    model: name.to_string(),
                    timeout_seconds: seconds,
                };
                let (engine, actor) = (&home.engine, &home.user.actor);
                Ok(match mirror::ask_model(engine, &run, &ask, *cost, actor, stop).await? {
                    Asked::Answered(answer) => {
                        Asking::Response(Box::new(answer.response(request, now())))
                    }
                    Asked::Overtaken => Asking::Overtaken,
                    Asked::Limit(limit) => Asking::Limit(limit),
                    Asked::Stopped => Asking::Stopped,
                })
            }
        }
    }

    /// Refuses a model that has no key, or that a policy does not allow.
    pub(super) async fn is_there(&self, home: &Home, owner: &Owner) -> Result<(), Error> {
        let Self::Model(name, _) = self else { return Ok(()) };
        for agent in AgentName::ALL {
            mirror::check_model(&home.models, agent.as_str(), name)?;
        }
        if !home.models.keys().suffice(owner, name.provider).await? {
            let told = format!("there is no key for {}", name.provider.as_str());
            let refused = Refused::new("AI_KEY_MISSING", told)
                .hint("set the provider's variable, or seal a key: `consign keys set PROVIDER`");
            return Err(refused.into());
        }
        Ok(())
    }
}

/// Runs the command once.
async fn run(
    line: &str,
    project: &Path,
    request: &AgentRequest,
    time: Duration,
    mut stop: watch::Receiver<Stop>,
) -> Asking {
    let stopped = async move {
        let _ = stop.wait_for(|stop| *stop != Stop::GoOn).await;
    };
    let began = Instant::now();
    let said = command(line, project, request, time, stopped).await;
    let took = began.elapsed();
    let failed = |kind: ErrorType, message: String| {
        respond::fail(request, kind, Some(message), Some(took), now())
    };
    let response = match said {
        Said::Stopped => return Asking::Stopped,
        Said::Failed(kind, message) => failed(kind, message),
        Said::Text(text) => {
            let metadata = respond::metadata(request, &text, None, None);
            match respond::wrap(request, text, Some(took), Some(metadata), now()) {
                Ok(response) => response,
                Err(error) => failed(ErrorType::ValidationError, error.to_string()),
            }
        }
    };
    Asking::Response(Box::new(response))
}

/// The prompt goes in, the answer comes out. A shell reads the line: it is the user's own.
async fn command(
    line: &str,
    project: &Path,
    request: &AgentRequest,
    timeout: Duration,
    stopped: impl Future<Output = ()>,
) -> Said {
    // This very program, also when another has been put in its place meanwhile.
    let launcher = Path::new("/proc/self/exe");
    let own = std::env::current_exe().unwrap_or_default();
    let launcher = if launcher.exists() { launcher } else { own.as_path() };
    let command = ["/bin/sh", "-c", line].map(str::to_owned);
    let told = [
        ("CONSIGN_REQUEST_ID", request.request_id.to_string()),
        ("CONSIGN_AGENT", request.agent_name.to_string()),
        ("CONSIGN_PHASE", request.phase_name.to_string()),
        ("CONSIGN_RETRY", request.retry_count.as_ref().map_or("0".to_owned(), ToString::to_string)),
    ];
    let told = told.into_iter().map(|(name, value)| (name.into(), value.into()));
    let env = std::env::vars_os().chain(told).collect();
    let most = respond::MOST_ANSWER;
    let pipe = Pipe { launcher, command: &command, directory: project, env, timeout, most };
    match pipe.run(&request.prompt, stopped).await {
        Piped::Said(bytes) => match String::from_utf8(bytes) {
            Ok(text) if text.trim().is_empty() => {
                Said::Failed(ErrorType::InvocationFailed, "the command said nothing".to_owned())
            }
            Ok(text) => Said::Text(text),
            Err(_) => Said::Failed(ErrorType::ParseError, "it did not say UTF-8".to_owned()),
        },
        Piped::Failed { how, stderr } => {
            let last = stderr.trim().lines().last().unwrap_or_default();
            let last = last.replace(['\r', '\t'], " ");
            let why = if last.is_empty() { how } else { format!("{how}: {last}") };
            Said::Failed(ErrorType::InvocationFailed, why)
        }
        Piped::TimedOut => {
            Said::Failed(ErrorType::Timeout, format!("no answer within {} s", timeout.as_secs()))
        }
        Piped::TooMuch => {
            let text = format!("the answer is larger than {most} bytes");
            Said::Failed(ErrorType::ValidationError, text)
        }
        Piped::NotStarted(why) => Said::Failed(ErrorType::InvocationFailed, why),
        Piped::Cancelled => Said::Stopped,
    }
}

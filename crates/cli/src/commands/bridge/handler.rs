//! Who answers in a watch: a command, with the prompt on its standard input, or a model.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use consign_contracts::{
    bridge::{AgentRequest, AgentResponse, ErrorType, ResponseMetadata},
    json::{Number, Object},
    wire::Integer,
};
use consign_engine::{Data, Owner};
use consign_invokers::process::{Pipe, Piped};
use consign_models::{
    ModelName,
    chat::{AnswerSchema, Message, Request},
    client::{Client, Target},
    web::Web,
};
use consign_template::{answers, respond};

use crate::{
    engine::{Session, now},
    error::Error,
    text::one_line,
};

/// A request larger than this is not handed to anybody.
const MOST_REQUEST: usize = 1_000_000;
/// What a model may say.
const MOST_TOKENS: u32 = 16_384;

/// Who answers.
pub(super) enum Handler {
    Command(String),
    Model(ModelName),
}

/// What one call came to.
enum Said {
    Text {
        text: String,
        model: Option<String>,
        tokens: Option<u64>,
    },
    Failed(ErrorType, String),
    /// Somebody pressed Ctrl-C: nothing is written.
    Stopped,
}

impl Handler {
    /// Answers a request, or says why not. Nothing if somebody stopped it.
    pub(super) async fn answer(
        &self,
        session: &Session,
        project: &Path,
        request: &AgentRequest,
        stopped: impl Future<Output = ()>,
    ) -> Option<AgentResponse> {
        let began = Instant::now();
        let said = if request.prompt.len() > MOST_REQUEST {
            let text = format!("the prompt is larger than {MOST_REQUEST} bytes");
            Said::Failed(ErrorType::ValidationError, text)
        } else {
            let seconds = request.timeout_seconds.as_ref().and_then(Integer::as_i64);
            let time =
                Duration::from_secs(seconds.and_then(|it| it.try_into().ok()).unwrap_or(120));
            match self {
                Self::Command(line) => command(line, project, request, time, stopped).await,
                Self::Model(name) => {
                    let asked = ask(session, name, request);
                    tokio::select! {
                        biased;
                        () = stopped => Said::Stopped,
                        said = tokio::time::timeout(time, asked) => said.unwrap_or_else(|_| {
                            Said::Failed(ErrorType::Timeout, format!("no answer within {} s", time.as_secs()))
                        }),
                    }
                }
            }
        };
        let took = began.elapsed();
        let failed = |kind: ErrorType, message: String| {
            respond::fail(request, kind, Some(message), Some(took), now())
        };
        Some(match said {
            Said::Stopped => return None,
            Said::Failed(kind, message) => failed(kind, message),
            Said::Text { text, model, tokens } => {
                let sure = answers::read(request.phase_name, &text).ok();
                let sure = sure.as_ref().and_then(answers::Answer::overall);
                let metadata = ResponseMetadata {
                    model,
                    tokens_used: tokens.and_then(|it| i64::try_from(it).ok()).map(Integer::from),
                    confidence: sure.and_then(|sure| Number::try_from(sure).ok()),
                    extra: Object::new(),
                };
                match respond::wrap(request, text, Some(took), Some(metadata), now()) {
                    Ok(response) => response,
                    Err(error) => failed(ErrorType::ValidationError, error.to_string()),
                }
            }
        })
    }
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
            Ok(text) => Said::Text { text, model: None, tokens: None },
            Err(_) => Said::Failed(ErrorType::ParseError, "it did not say UTF-8".to_owned()),
        },
        Piped::Failed { how, stderr } => {
            let last = stderr.trim().lines().last().unwrap_or_default();
            let last = one_line(last);
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

async fn ask(session: &Session, name: &ModelName, request: &AgentRequest) -> Said {
    let failed = |why: String| Said::Failed(ErrorType::InvocationFailed, why);
    let models = &session.models;
    let owner = Owner::from("local");
    let key = match models.keys().key_for(&owner, name.provider).await {
        Ok(key) => key.map(|(key, _)| key),
        // Without a key nobody is there to be asked, however often.
        Err(fault) => return Said::Failed(ErrorType::AgentNotFound, fault.message),
    };
    let base_url = models.config().base_url(name.provider);
    let target = Target { name: name.clone(), base_url, key };
    // A model has no metadata to say how sure it is, so its answer must.
    let schema = Data::from(&answers::asked(request.phase_name, None));
    let asked = Request {
        system: None,
        messages: vec![Message::user(&request.prompt)],
        tools: Vec::new(),
        schema: Some(AnswerSchema { name: "answer".to_owned(), schema }),
        temperature: 0.0,
        max_tokens: MOST_TOKENS,
        stream: false,
    };
    let client =
        Client::new(std::sync::Arc::new(Web::new())).with_patience(models.config().patience);
    match client.ask(&target, &asked, &mut |_| {}).await {
        Ok(answer) => {
            let tokens = answer.usage.map(|usage| usage.input_tokens + usage.output_tokens);
            Said::Text { text: answer.text, model: Some(name.to_string()), tokens }
        }
        Err(refused) => failed(refused.trouble.fault().message),
    }
}

impl Handler {
    /// Whether there is anybody to ask: a key that is missing will not come.
    pub(super) async fn is_there(&self, session: &Session) -> Result<(), Error> {
        match self {
            Self::Command(_) => Ok(()),
            Self::Model(name) => {
                let key = session.models.keys().key_for(&Owner::from("local"), name.provider).await;
                if key.map_err(|fault| Error::from(&fault))?.is_none() && name.provider.needs_key()
                {
                    let told = format!("there is no key for {}", name.provider.as_str());
                    return Err(Error::new("AI_KEY_MISSING", told).hint(
                        "set the provider's variable, or seal a key: `consign keys set PROVIDER`",
                    ));
                }
                Ok(())
            }
        }
    }
}

/// What a command line says that names no model.
pub(super) fn model(name: &str) -> Result<ModelName, Error> {
    name.parse().map_err(|why: String| {
        Error::usage("MODEL_INVALID", why).hint("`consign models list` shows some")
    })
}

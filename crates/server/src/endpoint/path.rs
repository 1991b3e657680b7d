//! The names in a path, percent-decoded and typed.
//!
//! A name that cannot be that of a run is answered like one that is not there, with 404: to the client both
//! mean the same. Only bytes that are no text break the contract.

use axum::{extract::FromRequestParts, extract::Path, http::request::Parts};
use consign_accounts::Provider;
use consign_app::{
    conversations::WhichTurn,
    settings::{agents::AgentType, ai_keys},
};
use consign_engine::{Key, RunId};

use crate::{
    caller::Caller,
    error::{Part, Problem},
    server::App,
};

/// A name in braces, and what it stands for.
pub(crate) struct PathParameter {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
}

/// The names of a path, as a type.
pub(crate) trait FromPath: Sized + Send {
    /// In the order of the path.
    const PARAMETERS: &'static [PathParameter];
    /// All words that the name can be, where it has a vocabulary.
    const WORDS: &'static [&'static str] = &[];

    fn read(
        head: &mut Parts,
        app: &App,
        caller: &Caller,
    ) -> impl Future<Output = Result<Self, Problem>> + Send;
}

/// `/api/tokens/{id}`, `/api/users/{id}…`: an id that only its use case can judge.
pub(crate) struct NamePath(pub(crate) String);

/// `/api/documents/{source_id}`
pub(crate) struct SourcePath(pub(crate) String);

/// `/api/conversations/{session}…`. Whether it can be a name at all, its use case says.
pub(crate) struct SessionPath(pub(crate) String);

/// `/api/conversations/{session}/turns/{turn}`
pub(crate) struct TurnPath(pub(crate) String, pub(crate) WhichTurn);

/// `/api/settings/credentials/{name}`
pub(crate) struct CredentialsPath(pub(crate) String);

/// `/api/agents/jobs/{id}/artifacts/{path}`
pub(crate) struct ArtifactPath(pub(crate) String, pub(crate) String);

/// `/auth/oauth/{provider}…`
pub(crate) struct ProviderPath(pub(crate) Provider);

/// `/api/settings/ai-keys/{provider}…`
pub(crate) struct AiProviderPath(pub(crate) ai_keys::Provider);

/// `/api/settings/agents/{type}`
pub(crate) struct AgentPath(pub(crate) AgentType);

/// A path without names.
pub(crate) struct NoPath;

/// `/api/runs/{id}…`
pub(crate) struct RunPath(pub(crate) RunId);

/// `/api/runs/{id}/answers/{key}`
pub(crate) struct InteractionPath(pub(crate) RunId, pub(crate) Key);

/// `/api/pipelines/{name}/runs`
pub(crate) struct PipelinePath(pub(crate) String);

/// `/api/jobs/{id}…`. Whether it can be a name at all, the folder of jobs says.
pub(crate) struct JobPath(pub(crate) String);

/// Keys of workflows have 200 letters at most, and the engine's own contain one.
const MOST_KEY: usize = 256;

const ID: PathParameter = PathParameter { name: "id", description: "The run." };
const SESSION: PathParameter =
    PathParameter { name: "session", description: "The session, percent-encoded." };
const KEY: PathParameter =
    PathParameter { name: "key", description: "The interaction, percent-encoded." };

impl FromPath for NoPath {
    const PARAMETERS: &'static [PathParameter] = &[];

    async fn read(_head: &mut Parts, _app: &App, _caller: &Caller) -> Result<Self, Problem> {
        Ok(Self)
    }
}

impl FromPath for RunPath {
    const PARAMETERS: &'static [PathParameter] = &[ID];

    async fn read(head: &mut Parts, app: &App, caller: &Caller) -> Result<Self, Problem> {
        let run = run_id(names(head).await?)?;
        caller.reach.check(&app.engine, &run).await?;
        Ok(Self(run))
    }
}

impl FromPath for PipelinePath {
    const PARAMETERS: &'static [PathParameter] =
        &[PathParameter { name: "name", description: "The pipeline, by the name in its file." }];

    async fn read(head: &mut Parts, _app: &App, _caller: &Caller) -> Result<Self, Problem> {
        let name = names::<String>(head).await?;
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
            return Err(Problem::new("PIPELINE_NOT_FOUND", "there is no pipeline of that name"));
        }
        Ok(Self(name))
    }
}

impl FromPath for JobPath {
    const PARAMETERS: &'static [PathParameter] =
        &[PathParameter { name: "id", description: "The job, by its name." }];

    async fn read(head: &mut Parts, _app: &App, _caller: &Caller) -> Result<Self, Problem> {
        names(head).await.map(Self)
    }
}

impl FromPath for NamePath {
    const PARAMETERS: &'static [PathParameter] =
        &[PathParameter { name: "id", description: "Its id." }];

    async fn read(head: &mut Parts, _app: &App, _caller: &Caller) -> Result<Self, Problem> {
        names(head).await.map(Self).map_err(|_| nothing())
    }
}

impl FromPath for SourcePath {
    const PARAMETERS: &'static [PathParameter] =
        &[PathParameter { name: "source_id", description: "The source." }];

    async fn read(head: &mut Parts, _app: &App, _caller: &Caller) -> Result<Self, Problem> {
        names(head).await.map(Self).map_err(|_| nothing())
    }
}

impl FromPath for SessionPath {
    const PARAMETERS: &'static [PathParameter] = &[SESSION];

    async fn read(head: &mut Parts, _app: &App, _caller: &Caller) -> Result<Self, Problem> {
        names(head).await.map(Self).map_err(|_| nothing())
    }
}

impl FromPath for TurnPath {
    const PARAMETERS: &'static [PathParameter] = &[
        SESSION,
        PathParameter { name: "turn", description: "The turn: its number, from 1, or `last`." },
    ];

    async fn read(head: &mut Parts, _app: &App, _caller: &Caller) -> Result<Self, Problem> {
        let (session, turn): (String, String) = names(head).await.map_err(|_| nothing())?;
        let which = match turn.as_str() {
            "last" => WhichTurn::Last,
            number => WhichTurn::Number(number.parse().map_err(|_| nothing())?),
        };
        Ok(Self(session, which))
    }
}

impl FromPath for CredentialsPath {
    const PARAMETERS: &'static [PathParameter] =
        &[PathParameter { name: "name", description: "The credentials." }];

    async fn read(head: &mut Parts, _app: &App, _caller: &Caller) -> Result<Self, Problem> {
        names(head).await.map(Self).map_err(|_| nothing())
    }
}

impl FromPath for ArtifactPath {
    const PARAMETERS: &'static [PathParameter] = &[
        PathParameter { name: "id", description: "The job." },
        PathParameter {
            name: "path",
            description: "The file, as the job lists it; it may have slashes.",
        },
    ];

    async fn read(head: &mut Parts, _app: &App, _caller: &Caller) -> Result<Self, Problem> {
        let names = names::<(String, String)>(head).await;
        names.map(|(id, path)| Self(id, path)).map_err(|_| nothing())
    }
}

impl FromPath for ProviderPath {
    const PARAMETERS: &'static [PathParameter] =
        &[PathParameter { name: "provider", description: "The other service." }];
    const WORDS: &'static [&'static str] = &["github", "google"];

    async fn read(head: &mut Parts, _app: &App, _caller: &Caller) -> Result<Self, Problem> {
        let name = names::<String>(head).await?;
        let provider = Provider::from_word(&name).map(Self);
        provider.ok_or_else(|| Problem::from(consign_accounts::Error::InvalidProvider))
    }
}

impl FromPath for AiProviderPath {
    const PARAMETERS: &'static [PathParameter] =
        &[PathParameter { name: "provider", description: "The provider of models." }];
    const WORDS: &'static [&'static str] = &ai_keys::PROVIDERS;

    async fn read(head: &mut Parts, _app: &App, _caller: &Caller) -> Result<Self, Problem> {
        let name = names::<String>(head).await?;
        ai_keys::Provider::from_word(&name).map(Self).ok_or_else(|| no_word::<Self>("provider"))
    }
}

impl FromPath for AgentPath {
    const PARAMETERS: &'static [PathParameter] =
        &[PathParameter { name: "type", description: "The agent." }];
    const WORDS: &'static [&'static str] = &["scribe", "trace", "proto"];

    async fn read(head: &mut Parts, _app: &App, _caller: &Caller) -> Result<Self, Problem> {
        let name = names::<String>(head).await?;
        AgentType::from_word(&name).map(Self).ok_or_else(|| no_word::<Self>("type"))
    }
}

/// A name that is not of the vocabulary.
fn no_word<P: FromPath>(name: &str) -> Problem {
    let told = format!("there is no such {name}; there are {}", P::WORDS.join(", "));
    Problem::invalid(Part::Path, format!("/{name}"), "enum", told)
}

impl FromPath for InteractionPath {
    const PARAMETERS: &'static [PathParameter] = &[ID, KEY];

    async fn read(head: &mut Parts, app: &App, caller: &Caller) -> Result<Self, Problem> {
        let (id, key) = names::<(String, String)>(head).await?;
        let run = run_id(id)?;
        caller.reach.check(&app.engine, &run).await?;
        if key.len() > MOST_KEY || key.contains(char::is_control) {
            let told = format!("run {run} never asked this");
            return Err(Problem::new("INTERACTION_NOT_FOUND", told));
        }
        Ok(Self(run, Key::new(key)))
    }
}

/// An id that cannot be one is answered like one that is not there.
fn nothing() -> Problem {
    Problem::new("NOT_FOUND", "there is nothing of that id")
}

async fn names<T: serde::de::DeserializeOwned + Send>(head: &mut Parts) -> Result<T, Problem> {
    let path = Path::<T>::from_request_parts(head, &()).await;
    path.map(|Path(names)| names).map_err(|_| {
        let told = "a name in the path is not percent-encoded UTF-8";
        Problem::invalid(Part::Path, "", "encoding", told)
    })
}

/// The id of a run, if the text can be one. An id has nothing in it that could mean something to a store.
pub(crate) fn run_id(text: String) -> Result<RunId, Problem> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if text.is_empty() || text.len() > 100 || !text.chars().all(plain) {
        return Err(Problem::new("RUN_NOT_FOUND", "there is no run of that name"));
    }
    Ok(RunId::new(text))
}

//! The session with a server: a program with MCP on stdin and stdout, or an address.
//!
//! One session serves all calls of a [`Server`]. It is opened when it is first needed, and again after it
//! broke. The program ends with the last of its sessions; it gets the token and no other secret of the
//! environment.

use std::{fmt, process::Stdio, sync::Arc, time::Duration};

use consign_invokers::address::Reach;
use reqwest::Url;
use rmcp::{
    ServiceError, ServiceExt,
    model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation},
    service::{RoleClient, RunningService},
    transport::{
        StreamableHttpClientTransport, async_rw::AsyncRwTransport,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::Value;
use tokio::{
    process::{Child, Command},
    sync::Mutex,
    time::timeout,
};

use super::{contents::Answer, refusal::refusal, web::Web};
use crate::{Error, Secret, github::rest::is_this_machine};

/// The most that is read of one answer.
pub(super) const ANSWER: usize = 32 << 20;
/// The variable that the official server reads its token from.
const TOKEN: &str = "GITHUB_PERSONAL_ACCESS_TOKEN";
/// What a program needs to run at all.
const VARIABLES: [&str; 6] =
    ["PATH", "HOME", "LANG", "TMPDIR", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];

/// Where the server is. All of it is the operator's, never a user's.
#[derive(Clone, Debug)]
pub enum Reached {
    /// A program and its arguments.
    Command(Vec<String>),
    /// An address with streamable HTTP. Plain `http` is only for this machine.
    Url { url: String, allow_private: bool },
}

#[derive(Clone, Debug)]
pub struct Options {
    pub reached: Reached,
    /// For one call, or to open the session.
    pub timeout: Duration,
}

impl Options {
    #[must_use]
    pub const fn new(reached: Reached) -> Self {
        Self { reached, timeout: Duration::from_secs(60) }
    }
}

/// The MCP server for one user, for any number of repositories.
pub struct Server {
    line: Line,
    token: Option<Secret>,
    timeout: Duration,
    session: Mutex<Option<Arc<Session>>>,
    /// The tool takes a file that it finds in the place of a new one for the one to be replaced.
    pub(super) writing: Mutex<()>,
}

enum Line {
    Command { program: String, arguments: Vec<String> },
    Url { url: Url, http: reqwest::Client },
}

struct Session {
    service: RunningService<RoleClient, ClientConfig>,
    /// The argument of `get_file_contents` that names a commit.
    at: &'static str,
    _program: Option<Program>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match &self.line {
            Line::Command { program, .. } => program,
            Line::Url { url, .. } => url.as_str(),
        };
        f.debug_struct("Server").field("place", &place).finish_non_exhaustive()
    }
}

impl Server {
    /// Checks the options. Nothing is started or sent yet.
    pub fn new(options: &Options, token: Option<Secret>) -> Result<Self, Error> {
        let line = match &options.reached {
            Reached::Command(command) => {
                let (program, arguments) = command
                    .split_first()
                    .ok_or_else(|| Error::refused("the command of GitHub's MCP server is empty"))?;
                Line::Command { program: program.clone(), arguments: arguments.to_vec() }
            }
            Reached::Url { url, allow_private } => {
                let bad = |why: &str| Error::refused(format!("GitHub's MCP server: {why}"));
                let reach = Reach { private: *allow_private };
                let url = reach.url(url).map_err(|why| bad(&why.to_string()))?;
                if url.scheme() == "http" && !is_this_machine(&url) {
                    return Err(bad("its address must begin with https: a token would be sent"));
                }
                let http = crate::github::rest::build(&url, reach).map_err(|_| bad("no client"))?;
                Line::Url { url, http }
            }
        };
        Ok(Self {
            line,
            token,
            timeout: options.timeout,
            session: Mutex::default(),
            writing: Mutex::default(),
        })
    }

    pub(super) async fn argument_of_contents(&self) -> Result<&'static str, Error> {
        Ok(self.session().await?.at)
    }

    /// Calls a tool, once.
    pub(super) async fn call(&self, tool: &'static str, arguments: Value) -> Result<Answer, Error> {
        let Value::Object(arguments) = arguments else {
            return Err(Error::invalid("a tool takes its arguments by name"));
        };
        let session = self.session().await?;
        let call = CallToolRequestParams::new(tool).with_arguments(arguments);
        let error = match timeout(self.timeout, session.service.call_tool(call)).await {
            Ok(Ok(result)) if result.is_error == Some(true) => {
                let said: Vec<_> =
                    result.content.iter().filter_map(|block| block.as_text()).collect();
                let said: Vec<_> = said.iter().map(|text| text.text.as_str()).collect();
                return Err(refusal(&said.join(" "), self.token.as_ref()));
            }
            Ok(Ok(result)) => return Ok(Answer(result)),
            Ok(Err(ServiceError::McpError(error))) => {
                return Err(refusal(&error.message, self.token.as_ref()));
            }
            Ok(Err(error)) => refusal(&error.to_string(), self.token.as_ref()),
            Err(_) => Error::unreachable("GitHub's MCP server took too long"),
        };
        // Whatever is wrong with the session, the next call gets a new one.
        let mut kept = self.session.lock().await;
        if kept.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, &session)) {
            *kept = None;
        }
        Err(error)
    }

    async fn session(&self) -> Result<Arc<Session>, Error> {
        let mut kept = self.session.lock().await;
        if let Some(session) = kept.as_ref().filter(|it| !it.service.is_transport_closed()) {
            return Ok(session.clone());
        }
        let opened = timeout(self.timeout, self.open()).await;
        let opened =
            opened.map_err(|_| Error::unreachable("GitHub's MCP server did not greet in time"))?;
        let session = Arc::new(opened?);
        *kept = Some(session.clone());
        Ok(session)
    }

    async fn open(&self) -> Result<Session, Error> {
        let us = Implementation::new("consign", env!("CARGO_PKG_VERSION"));
        let us = ClientConfig::new(ClientCapabilities::default(), us);
        let broken = |cause: &dyn fmt::Display| refusal(&cause.to_string(), self.token.as_ref());
        let (service, program) = match &self.line {
            Line::Command { program, arguments } => {
                let mut program = Program::start(program, arguments, self.token.as_ref())?;
                let (stdin, stdout) = (program.0.stdin.take(), program.0.stdout.take());
                let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
                    return Err(Error::unreachable("GitHub's MCP server has no pipes"));
                };
                let transport =
                    AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(ANSWER);
                (us.serve(transport).await.map_err(|it| broken(&it))?, Some(program))
            }
            Line::Url { url, http } => {
                let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
                config.reinit_on_expired_session = false;
                config.auth_header = self.token.as_ref().map(|token| token.reveal().to_owned());
                let web = Web { http: http.clone() };
                let transport = StreamableHttpClientTransport::with_client(web, config);
                (us.serve(transport).await.map_err(|it| broken(&it))?, None)
            }
        };
        let tools = service.list_tools(None).await.map_err(|it| broken(&it))?.tools;
        let contents = tools.iter().find(|tool| tool.name == "get_file_contents");
        let has = |name: &str| {
            let properties = contents.and_then(|tool| tool.input_schema.get("properties"));
            properties.is_some_and(|properties| properties.get(name).is_some())
        };
        let at = if has("branch") || !has("sha") { "branch" } else { "sha" };
        Ok(Session { service, at, _program: program })
    }
}

/// A program that ends with us, and with all that it started.
struct Program(Child);

impl Program {
    fn start(program: &str, arguments: &[String], token: Option<&Secret>) -> Result<Self, Error> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true);
        if let Some(token) = token {
            command.env(TOKEN, token.reveal());
        }
        let child = command.spawn();
        let child = child.map_err(|why| {
            Error::unreachable(format!("GitHub's MCP server {program:?} did not start: {why}"))
        })?;
        Ok(Self(child))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let id = self.0.id().and_then(|id| i32::try_from(id).ok());
        if let Some(id) = id.and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
    }
}

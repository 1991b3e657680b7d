//! One MCP session: handshake, one call, end. It is the same for every kind of server and
//! transport.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use consign_engine::{Effect, Failure, Fault, FaultClass, Nanos};
use rmcp::{
    ServiceError, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ErrorCode,
        Implementation, JsonObject, PaginatedRequestParams,
    },
    service::{Peer, RoleClient},
    transport::IntoTransport,
};

use super::result::EXCERPT;
use crate::outside::{Secrets, broken_off, first};

/// How long a server may take to end the session.
pub(super) const PARTING: Duration = Duration::from_millis(500);
/// How many pages of tools are read, and how many names a message lists.
const PAGES: usize = 10;
const NAMES: usize = 30;

/// Whether the call may have reached the server. Before that it can have had no effect.
#[derive(Clone, Default)]
pub(super) struct Sent(Arc<AtomicBool>);

impl Sent {
    pub(super) fn set(&self, sent: bool) {
        self.0.store(sent, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why a session failed.
pub(super) enum Trouble {
    /// There was no session.
    NoSession(String),
    /// The server has no such tool, only these.
    Missing(Vec<String>),
    /// The server refused the call.
    Refused(String),
    /// There was a session, but the call was not sent.
    Unsent(String),
    /// The call was sent, and there is no result.
    Broken(String),
    /// The attempt failed before a session began.
    Unbegun(Fault),
    /// This side ended the session.
    Ended(Fault),
}

impl Trouble {
    /// This trouble, with `why` as its reason where it is about the connection.
    pub(super) fn because(self, why: &str) -> Self {
        match self {
            Self::NoSession(_) => Self::NoSession(why.to_owned()),
            Self::Unsent(_) => Self::Unsent(why.to_owned()),
            Self::Broken(_) => Self::Broken(why.to_owned()),
            Self::Missing(_) | Self::Refused(_) | Self::Unbegun(_) | Self::Ended(_) => self,
        }
    }

    pub(super) fn failure(self, tool: &str, effect: Effect, secrets: &Secrets) -> Failure {
        let short = |text: String| first(&text.as_str().into(), EXCERPT, secrets);
        let (fault, begun) = match self {
            Self::NoSession(why) => {
                let message = format!("could not open a session with the server: {}", short(why));
                (Fault::transient("MCP_UNAVAILABLE", message), false)
            }
            Self::Missing(names) if names.is_empty() => {
                let message = format!("the server has no tool {tool:?}, and no other tools");
                (Fault::permanent("MCP_TOOL_NOT_FOUND", message), false)
            }
            Self::Missing(names) => {
                let names = short(names.join(", "));
                let message = format!("the server has no tool {tool:?}; it has {names}");
                (Fault::permanent("MCP_TOOL_NOT_FOUND", message), false)
            }
            Self::Refused(why) => {
                let message = format!("the server refused the call: {}", short(why));
                (Fault::permanent("MCP_REFUSED", message), false)
            }
            Self::Unsent(why) => {
                let message = format!(
                    "the connection to the server was lost before the call: {}",
                    short(why)
                );
                (Fault::transient("MCP_UNAVAILABLE", message), false)
            }
            Self::Broken(why) => {
                let message = format!("the server returned no result: {}", short(why));
                let class = FaultClass::Transient;
                (broken_off(effect, class, "MCP_UNAVAILABLE", message), true)
            }
            Self::Unbegun(fault) => (fault, false),
            Self::Ended(fault) => (fault, true),
        };
        Failure::new(fault, (!begun).then_some(Nanos::ZERO))
    }
}

/// Opens a session, makes one call, and ends the session.
pub(super) async fn talk<T, E, A>(
    transport: T,
    tool: &str,
    arguments: JsonObject,
    sent: &Sent,
) -> Result<CallToolResult, Trouble>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let us = Implementation::new("consign", env!("CARGO_PKG_VERSION"));
    let us = ClientConfig::new(ClientCapabilities::default(), us);
    let served = us.serve(transport).await;
    let mut session = served.map_err(|cause| Trouble::NoSession(cause.to_string()))?;
    let call = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    sent.set(true);
    let result = match session.call_tool(call).await {
        Ok(result) => Ok(result),
        Err(ServiceError::McpError(error))
            if matches!(error.code, ErrorCode::INVALID_PARAMS | ErrorCode::METHOD_NOT_FOUND) =>
        {
            match names(session.peer()).await {
                Some(names) if !names.iter().any(|name| name == tool) => {
                    Err(Trouble::Missing(names))
                }
                _ => Err(Trouble::Refused(error.message.into_owned())),
            }
        }
        Err(cause) if !sent.get() => Err(Trouble::Unsent(cause.to_string())),
        Err(cause) => Err(Trouble::Broken(cause.to_string())),
    };
    let _ = session.close_with_timeout(PARTING).await;
    result
}

/// The names of a server's tools, at most as many as a message lists.
async fn names(server: &Peer<RoleClient>) -> Option<Vec<String>> {
    let (mut names, mut page) = (Vec::new(), None);
    for _ in 0..PAGES {
        let wanted = PaginatedRequestParams::default().with_cursor(page);
        let found = server.list_tools(Some(wanted)).await.ok()?;
        names.extend(found.tools.into_iter().map(|tool| tool.name.into_owned()));
        page = found.next_cursor;
        if page.is_none() || names.len() > NAMES {
            break;
        }
    }
    Some(names)
}

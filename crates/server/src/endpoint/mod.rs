//! How a route is declared: once, in one place.
//!
//! A route is a type that implements [`Endpoint`]: its method and path, what OpenAPI says of it, the contracts of
//! its path, query and body, and the handler. [`Route::of`] makes a line of the table in [`crate::routes`] out of it,
//! and both the router and `/openapi.json` are made from that table, so that they cannot disagree.
//!
//! A handler is given typed values and never a request that breaks its contract: that is answered here, with
//! `400 VALIDATION_ERROR` and all breaches. What is checked is the caller's right to the route first, then the path
//! (a run of another owner is not there), then query, then body, so that no body is read for nothing. A handler must not parse anything itself; what only the engine can know (whether there is
//! such a run, whether an answer fits its question) it leaves to the engine.

mod body;
mod contract;
mod operation;
mod path;
mod query;

use std::sync::{Arc, LazyLock};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, request::Parts},
    response::Response,
    routing::{MethodFilter, MethodRouter, on},
};
use consign_accounts::Scope;
use consign_contracts::{schema::Schema, wire::Wire};
use tokio::time::Instant;

pub(crate) use self::{
    body::{BodyForm, Checked, Document, EnvelopeBody, FromBody, JobSubmissionBody, NoBody},
    contract::compile_text,
    operation::{Answer, Operation},
    path::{
        AgentPath, AiProviderPath, ArtifactPath, CredentialsPath, FromPath, InteractionPath,
        JobPath, NamePath, NoPath, PathParameter, PipelinePath, ProviderPath, RunPath, SessionPath,
        SourcePath, TurnPath, run_id,
    },
    query::{AnyQuery, NoQuery, QueryContract, page_size},
};
use crate::{
    caller::Caller,
    error::Problem,
    gate::{Identified, Peer},
    server::App,
    wire::Closing,
};

/// A route: everything that is said of it, and its handler.
pub(crate) trait Endpoint: Sized + 'static {
    const METHOD: Method;
    /// As axum and OpenAPI write it, with names in braces.
    const PATH: &'static str;
    const ACCESS: Access = Access::Scope(Scope::Runs);
    const CAPACITY: Capacity = Capacity::Requests;
    const OPERATION: Operation;

    /// The names in the path: [`NoPath`], [`RunPath`], [`JobPath`] and others.
    type Path: FromPath;
    /// The parameters after the `?`: a closed object declared with `wire!`, or [`NoQuery`].
    type Query: Wire + Send;
    /// [`NoBody`], or [`Checked`] with an object that is declared with `wire!`.
    type Body: FromBody;

    fn answer(
        app: Arc<App>,
        call: Call<Self>,
    ) -> impl Future<Output = Result<Response, Problem>> + Send;
}

/// A request that keeps to its contract.
pub(crate) struct Call<E: Endpoint> {
    pub(crate) path: E::Path,
    pub(crate) query: E::Query,
    pub(crate) body: E::Body,
    /// Who makes it.
    pub(crate) caller: Caller,
    /// When its head had come.
    pub(crate) received: Instant,
    head: Parts,
}

impl<E: Endpoint> Call<E> {
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// The client's end of the connection, as far as it can be known.
    pub(crate) fn peer(&self) -> Peer {
        self.head.extensions.get().copied().unwrap_or_default()
    }

    /// Tells when the server stops; `None` if the router is not on a socket of ours.
    pub(crate) fn closing(&self) -> Option<Closing> {
        self.head.extensions.get().cloned()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Delete,
    Get,
    Post,
    Put,
}

impl Method {
    /// As OpenAPI writes it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::Get => "get",
            Self::Post => "post",
            Self::Put => "put",
        }
    }

    /// As HTTP writes it.
    pub(crate) fn in_capitals(self) -> &'static str {
        match self {
            Self::Delete => "DELETE",
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
        }
    }

    fn filter(self) -> MethodFilter {
        match self {
            Self::Delete => MethodFilter::DELETE,
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
        }
    }

    /// Whether a request of this method changes something.
    pub(crate) fn changes(self) -> bool {
        self != Self::Get
    }
}

/// Who may use a route. The one user of a server without accounts may use all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Public,
    /// Every user, by session or by any token.
    Anyone,
    /// A session, or a token that has this scope.
    Scope(Scope),
    /// A session, or a token without scopes: what decides over the account itself.
    Unscoped,
    /// A session of an admin, or an admin's token with the scope for it.
    Admin,
}

/// Which limit on requests at the same time counts a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capacity {
    /// None: it is answered however busy the server is, on the runtime's own thread, so it must compute nothing.
    Unlimited,
    /// `Options::max_requests`
    Requests,
    /// `Options::max_processing`: it may wait for long.
    Processing,
    /// `Options::max_sign_ins`: it hashes a password, which is slow on purpose.
    SignIns,
}

/// A line of the table of routes.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) capacity: Capacity,
    pub(crate) operation: Operation,
    pub(crate) path_parameters: &'static [PathParameter],
    /// All words that the name in the path can be; none where it can be any text.
    pub(crate) path_words: &'static [&'static str],
    pub(crate) query: LazyLock<QueryContract>,
    pub(crate) body: BodyForm,
    body_schema: LazyLock<Option<Schema>>,
    handler: fn(&'static Route) -> MethodRouter<Arc<App>>,
}

impl Route {
    pub(crate) const fn of<E: Endpoint>() -> Self {
        Self {
            method: E::METHOD,
            path: E::PATH,
            access: E::ACCESS,
            capacity: E::CAPACITY,
            operation: E::OPERATION,
            path_parameters: E::Path::PARAMETERS,
            path_words: E::Path::WORDS,
            query: LazyLock::new(QueryContract::of::<E::Query>),
            body: E::Body::FORM,
            body_schema: LazyLock::new(body::schema_of::<E::Body>),
            handler: handler::<E>,
        }
    }

    /// The schema of a body that is declared with the route, compiled.
    pub(crate) fn body_schema(&self) -> Option<&Schema> {
        self.body_schema.as_ref()
    }

    pub(crate) fn handler(&'static self) -> MethodRouter<Arc<App>> {
        (self.handler)(self)
    }
}

fn handler<E: Endpoint>(route: &'static Route) -> MethodRouter<Arc<App>> {
    on(route.method.filter(), move |State(app): State<Arc<App>>, request: Request| {
        handle::<E>(route, app, request)
    })
}

async fn handle<E: Endpoint>(
    route: &'static Route,
    app: Arc<App>,
    request: Request,
) -> Result<Response, Problem> {
    let received = Instant::now();
    let (mut head, body) = request.into_parts();
    let caller = Identified::take(&mut head.extensions, route.access)?;
    caller.admit(route.access, route.method, &head.headers)?;
    let path = E::Path::read(&mut head, &app, &caller).await?;
    let query = QueryContract::read(&route.query, &head.uri)?;
    let body = E::Body::read(route, &app, &head.headers, body).await?;
    E::answer(app, Call { path, query, body, caller, received, head }).await
}

//! Makes the router of a server: every route behind the gate.

use std::{path::PathBuf, sync::Arc, thread::available_parallelism};

use axum::{Router, extract::Request, middleware::from_fn_with_state};
use consign_accounts::Accounts;
use consign_app::Home;
use consign_engine::Engine;
use tokio::sync::Semaphore;

use crate::{
    Options, Processor,
    caller::no_accounts,
    endpoint::{Access, Method},
    error::Problem,
    gate::{self, Identified, KnownCredentials, OwnerPlaces},
    permits::ComputePermits,
    routes,
    sign_in::{AccountsParts, SignIn},
};

/// What a server is made of.
pub struct Parts {
    pub home: Home,
    /// Where its jobs lie: a request names one of them, and no other folder.
    pub jobs_dir: PathBuf,
    /// Who is let in.
    pub sign_in: SignIn,
    pub processor: Arc<dyn Processor>,
    pub options: Options,
}

/// Makes routers.
pub struct Server;

impl Server {
    /// Every route behind the gate. Put it on a socket with [`serve`](crate::serve), which also bounds
    /// what comes before a request is one.
    #[expect(clippy::new_ret_no_self, reason = "a server is its router, and nothing besides")]
    pub fn new(parts: Parts) -> Router {
        let Parts { home, jobs_dir, sign_in, processor, options } = parts;
        let app = Arc::new(App {
            engine: home.engine.clone(),
            home,
            jobs_dir,
            sign_in,
            processor,
            requests: room_for(options.max_requests),
            processing: room_for(options.max_processing),
            sign_ins: room_for(options.max_sign_ins),
            sign_in_turns: room_for(available_parallelism().map_or(2, usize::from).max(2)),
            streams: room_for(options.max_streams),
            owner_places: OwnerPlaces::shared(
                options.max_requests_per_user,
                options.max_requests / 2,
            ),
            owner_processing: OwnerPlaces::new(options.max_requests_per_user),
            owner_streams: OwnerPlaces::new(options.max_streams_per_user),
            known_credentials: KnownCredentials::default(),
            compute_permits: ComputePermits::for_all_processors(),
            processing_permits: ComputePermits::for_all_processors(),
            options,
        });
        let router = routes::ROUTES
            .iter()
            .fold(Router::new(), |router, route| router.route(route.path, route.handler()));
        router
            .fallback(async |request: Request| {
                refused(request, Problem::new("NOT_FOUND", "there is no such route"))
            })
            .method_not_allowed_fallback(async |request: Request| {
                let told = "the route has other methods: see `allow`";
                refused(request, Problem::new("METHOD_NOT_ALLOWED", told))
            })
            .layer(from_fn_with_state(app.clone(), gate::gate))
            .with_state(app)
    }
}

/// What every route has at hand.
pub(crate) struct App {
    /// That of the home.
    pub(crate) engine: Arc<Engine>,
    pub(crate) home: Home,
    pub(crate) jobs_dir: PathBuf,
    pub(crate) sign_in: SignIn,
    pub(crate) processor: Arc<dyn Processor>,
    pub(crate) options: Options,
    pub(crate) requests: Arc<Semaphore>,
    pub(crate) processing: Arc<Semaphore>,
    pub(crate) sign_ins: Arc<Semaphore>,
    /// Of those, the ones that are on a thread: one for each processor, so that the next has begun when one ends.
    pub(crate) sign_in_turns: Arc<Semaphore>,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) owner_places: OwnerPlaces,
    pub(crate) owner_processing: OwnerPlaces,
    pub(crate) owner_streams: OwnerPlaces,
    pub(crate) known_credentials: KnownCredentials,
    /// For large bodies. Envelopes have permits of their own, so that neither keeps the other waiting.
    pub(crate) compute_permits: ComputePermits,
    pub(crate) processing_permits: ComputePermits,
}

impl App {
    /// The accounts of this server, if it has some.
    pub(crate) fn accounts(&self) -> Result<&Accounts, Problem> {
        self.with_accounts().map(|parts| &parts.accounts)
    }

    pub(crate) fn with_accounts(&self) -> Result<&AccountsParts, Problem> {
        match &self.sign_in {
            SignIn::Accounts(parts) => Ok(parts),
            SignIn::Token(_) => Err(no_accounts()),
        }
    }
}

/// What is answered where there is no route, or none of this method: who is not let in does not learn which there are.
fn refused(request: Request, problem: Problem) -> Problem {
    let (mut head, _) = request.into_parts();
    let method = Method::Get;
    let access = if routes::is_public(head.uri.path()) { Access::Public } else { Access::Anyone };
    let caller = Identified::take(&mut head.extensions, access);
    match caller.and_then(|caller| caller.admit(access, method, &head.headers)) {
        Ok(()) => problem,
        Err(unknown) => unknown,
    }
}

fn room_for(most: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)))
}

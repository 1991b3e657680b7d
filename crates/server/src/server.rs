//! Makes the router of a server: every route behind the gate.

use std::{path::PathBuf, sync::Arc};

use axum::{Router, middleware::from_fn_with_state};
use consign_app::Home;
use consign_engine::Engine;
use tokio::sync::Semaphore;

use crate::{Options, Processor, Token, error::Problem, gate, permits::ComputePermits, routes};

/// What a server is made of.
pub struct Parts {
    pub home: Home,
    /// Where its jobs lie: a request names one of them, and no other folder.
    pub jobs_dir: PathBuf,
    pub token: Token,
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
        let Parts { home, jobs_dir, token, processor, options } = parts;
        let app = Arc::new(App {
            engine: home.engine.clone(),
            home,
            jobs_dir,
            token,
            processor,
            requests: room_for(options.max_requests),
            processing: room_for(options.max_processing),
            streams: room_for(options.max_streams),
            compute_permits: ComputePermits::for_all_processors(),
            processing_permits: ComputePermits::for_all_processors(),
            options,
        });
        let router = routes::ROUTES
            .iter()
            .fold(Router::new(), |router, route| router.route(route.path, route.handler()));
        router
            .fallback(async || Problem::new("NOT_FOUND", "there is no such route"))
            .method_not_allowed_fallback(async || {
                Problem::new("METHOD_NOT_ALLOWED", "the route has other methods: see `allow`")
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
    pub(crate) token: Token,
    pub(crate) processor: Arc<dyn Processor>,
    pub(crate) options: Options,
    pub(crate) requests: Arc<Semaphore>,
    pub(crate) processing: Arc<Semaphore>,
    pub(crate) streams: Arc<Semaphore>,
    /// For large bodies. Envelopes have permits of their own, so that neither keeps the other waiting.
    pub(crate) compute_permits: ComputePermits,
    pub(crate) processing_permits: ComputePermits,
}

fn room_for(most: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)))
}

//! The routes, one to a file: each with its handler and what `/openapi.json` says of it.

mod healthz;
mod inbox;
mod openapi;
mod process;
mod readyz;
mod runs;

use std::sync::Arc;

use axum::routing::MethodRouter;

use crate::{form::Form, server::App};

/// One method of one path.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) room: Room,
    pub(crate) handler: fn() -> MethodRouter<Arc<App>>,
    /// The operation as OpenAPI 3.1 has it, without what is the same for all.
    pub(crate) operation: &'static str,
    /// What its body must be, where that is ours to say.
    pub(crate) form: Option<&'static Form>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Public,
    Token,
}

/// With whom a request is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// With nobody: it is answered however busy the server is, and computes nothing.
    Always,
    Requests,
    /// It may wait for long.
    Processing,
}

pub(crate) static ROUTES: [Route; 12] = [
    healthz::ROUTE,
    readyz::ROUTE,
    openapi::ROUTE,
    process::ROUTE,
    runs::list::ROUTE,
    runs::start::ROUTE,
    runs::show::ROUTE,
    runs::events::ROUTE,
    runs::answer::ROUTE,
    runs::raise::ROUTE,
    runs::cancel::ROUTE,
    inbox::ROUTE,
];

/// Whether a path needs no token. None of these has a name in it.
pub(crate) fn is_public(path: &str) -> bool {
    ROUTES.iter().any(|route| route.access == Access::Public && route.path == path)
}

/// With whom a request to a path is counted. What has a name in it, or is nowhere, is one of many.
pub(crate) fn room_of(path: &str) -> Room {
    let route = ROUTES.iter().find(|route| route.path == path);
    route.map_or(Room::Requests, |route| route.room)
}

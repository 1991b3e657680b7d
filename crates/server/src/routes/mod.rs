//! The routes, one to a file, and the table of all of them.
//!
//! A route is added by a file with a type that implements [`Endpoint`](crate::endpoint::Endpoint), and a line here.
//! The router, `/openapi.json`, and the gate's questions (who may ask, which limit counts) all read this table.

mod healthz;
mod inbox;
mod jobs;
mod openapi;
mod pipelines;
mod process;
mod readyz;
mod runs;

use crate::endpoint::{Access, Capacity, Route};

pub(crate) static ROUTES: [Route; 39] = [
    Route::of::<healthz::Healthz>(),
    Route::of::<readyz::Readyz>(),
    Route::of::<openapi::OpenApi>(),
    Route::of::<process::Process>(),
    Route::of::<runs::list::ListRuns>(),
    Route::of::<runs::start::StartRun>(),
    Route::of::<runs::show::ShowRun>(),
    Route::of::<runs::events::Events>(),
    Route::of::<runs::answer::Answer>(),
    Route::of::<runs::decide::Approve>(),
    Route::of::<runs::decide::Reject>(),
    Route::of::<runs::signal::Signal>(),
    Route::of::<runs::raise::Raise>(),
    Route::of::<runs::cancel::Cancel>(),
    Route::of::<runs::points::Points>(),
    Route::of::<runs::fork::Fork>(),
    Route::of::<runs::fork::Retry>(),
    Route::of::<pipelines::start::StartPipeline>(),
    Route::of::<inbox::Inbox>(),
    Route::of::<jobs::list::ListJobs>(),
    Route::of::<jobs::create::CreateJob>(),
    Route::of::<jobs::show::ShowJob>(),
    Route::of::<jobs::history::History>(),
    Route::of::<jobs::audit::Audit>(),
    Route::of::<jobs::preview::Preview>(),
    Route::of::<jobs::replay::Replay>(),
    Route::of::<jobs::metrics::Metrics>(),
    Route::of::<jobs::activate::ActivateJob>(),
    Route::of::<jobs::pace::RunJob>(),
    Route::of::<jobs::pace::StepJob>(),
    Route::of::<jobs::advise::Advise>(),
    Route::of::<jobs::halt::Halt>(),
    Route::of::<jobs::decide::ApproveJob>(),
    Route::of::<jobs::decide::RejectJob>(),
    Route::of::<jobs::raise::RaiseJob>(),
    Route::of::<jobs::cancel::CancelJob>(),
    Route::of::<jobs::restore::Restore>(),
    Route::of::<jobs::restore::Rerun>(),
    Route::of::<jobs::adopt::Adopt>(),
];

/// Whether a path needs no token. None of these has a name in it.
pub(crate) fn is_public(path: &str) -> bool {
    ROUTES.iter().any(|route| route.access == Access::Public && route.path == path)
}

/// Which limit counts a request to a path. Paths with a name in them, and paths that are not there, count as requests.
pub(crate) fn capacity_of(path: &str) -> Capacity {
    let route = ROUTES.iter().find(|route| route.path == path);
    route.map_or(Capacity::Requests, |route| route.capacity)
}

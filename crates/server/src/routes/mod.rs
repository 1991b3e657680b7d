//! The routes, one to a file, and the table of all of them.
//!
//! A route is added by a file with a type that implements [`Endpoint`](crate::endpoint::Endpoint), and a line here.
//! The router, `/openapi.json`, and the gate's questions (who may ask, which limit counts) all read this table.

mod agent_jobs;
mod auth;
mod conversations;
mod documents;
mod guard;
mod healthz;
mod inbox;
mod jobs;
mod openapi;
mod pipelines;
mod process;
mod readyz;
mod runs;
mod search;
mod settings;
mod tokens;
mod users;

use crate::endpoint::{Access, Capacity, Route};

pub(crate) static ROUTES: [Route; 96] = [
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
    Route::of::<runs::redact::Redact>(),
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
    Route::of::<agent_jobs::submit::SubmitJob>(),
    Route::of::<agent_jobs::list::ListAgentJobs>(),
    Route::of::<agent_jobs::show::ShowAgentJob>(),
    Route::of::<agent_jobs::cancel::CancelAgentJob>(),
    Route::of::<agent_jobs::decide::ApproveAgentJob>(),
    Route::of::<agent_jobs::decide::RejectAgentJob>(),
    Route::of::<agent_jobs::events::AgentJobEvents>(),
    Route::of::<agent_jobs::artifact::ShowArtifact>(),
    Route::of::<agent_jobs::archive::Archive>(),
    Route::of::<agent_jobs::revise::Revise>(),
    Route::of::<agent_jobs::revise::Revisions>(),
    Route::of::<agent_jobs::comments::AddComment>(),
    Route::of::<agent_jobs::comments::ListComments>(),
    Route::of::<documents::list::ListDocuments>(),
    Route::of::<documents::send::SendDocuments>(),
    Route::of::<documents::show::ShowDocument>(),
    Route::of::<documents::remove::RemoveDocument>(),
    Route::of::<search::SearchDocuments>(),
    Route::of::<conversations::list::ListConversations>(),
    Route::of::<conversations::show::ShowConversation>(),
    Route::of::<conversations::remove::RemoveConversation>(),
    Route::of::<conversations::ask::AskTurn>(),
    Route::of::<conversations::turn::ShowTurn>(),
    Route::of::<guard::GuardText>(),
    Route::of::<auth::signup::SignUp>(),
    Route::of::<auth::verify::Verify>(),
    Route::of::<auth::verify::Resend>(),
    Route::of::<auth::login::LogIn>(),
    Route::of::<auth::logout::LogOut>(),
    Route::of::<auth::me::Me>(),
    Route::of::<auth::password::ChangePassword>(),
    Route::of::<auth::reset::Reset>(),
    Route::of::<auth::setup::SetUp>(),
    Route::of::<auth::setup_page::SetUpPage>(),
    Route::of::<auth::oauth::BeginOauth>(),
    Route::of::<auth::oauth::EndOauth>(),
    Route::of::<tokens::ListTokens>(),
    Route::of::<tokens::CreateToken>(),
    Route::of::<tokens::RevokeToken>(),
    Route::of::<users::ListUsers>(),
    Route::of::<users::DisableUser>(),
    Route::of::<users::EnableUser>(),
    Route::of::<settings::ai_keys::ListAiKeys>(),
    Route::of::<settings::ai_keys::AddAiKey>(),
    Route::of::<settings::ai_keys::ReplaceAiKey>(),
    Route::of::<settings::ai_keys::RemoveAiKey>(),
    Route::of::<settings::ai_keys::TestAiKey>(),
    Route::of::<settings::credentials::ListCredentials>(),
    Route::of::<settings::credentials::AddCredentials>(),
    Route::of::<settings::credentials::ReplaceCredentials>(),
    Route::of::<settings::credentials::RemoveCredentials>(),
    Route::of::<settings::agents::GetAgentSettings>(),
    Route::of::<settings::agents::SetAgentSettings>(),
    Route::of::<settings::github::GetGitHub>(),
    Route::of::<settings::github::SetGitHub>(),
    Route::of::<settings::github::RemoveGitHub>(),
];

/// Whether a path without names belongs to a public route.
pub(crate) fn is_public(path: &str) -> bool {
    ROUTES.iter().any(|route| route.access == Access::Public && route.path == path)
}

/// Which limit counts a request to a path. Paths that are not there count as requests.
pub(crate) fn capacity_of(path: &str) -> Capacity {
    let plain = ROUTES.iter().find(|route| route.path == path);
    let route = plain.or_else(|| {
        let mut other = ROUTES.iter().filter(|route| route.capacity != Capacity::Requests);
        other.find(|route| route.path.contains('{') && is_of(path, route.path))
    });
    route.map_or(Capacity::Requests, |route| route.capacity)
}

/// Whether a path is one of a route with names in it, each of which is a part of the path.
fn is_of(path: &str, route: &str) -> bool {
    let is_name = |part: &str| part.starts_with('{');
    let (mut given, mut known) = (path.split('/'), route.split('/'));
    loop {
        match (given.next(), known.next()) {
            (None, None) => return true,
            (Some(given), Some(known)) if is_name(known) || given == known => {}
            _ => return false,
        }
    }
}

/// A route as tests and tools see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteLine {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub method: &'static str,
    /// With names in braces.
    pub path: &'static str,
    pub is_public: bool,
}

/// Every route of the server.
pub fn route_table() -> impl Iterator<Item = RouteLine> {
    ROUTES.iter().map(|route| RouteLine {
        method: route.method.in_capitals(),
        path: route.path,
        is_public: route.access == Access::Public,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_wait_is_counted_by_itself_also_where_the_path_has_names() {
        let check = |path: &str, capacity| assert_eq!(capacity_of(path), capacity, "{path}");
        check("/api/v1/process", Capacity::Processing);
        check("/api/pipelines/questions/runs", Capacity::Processing);
        check("/api/conversations/a%2Fb/turns", Capacity::Processing);
        check("/api/conversations/s/turns/last", Capacity::Processing);
        check("/api/conversations/s", Capacity::Requests);
        check("/api/conversations/s/turns/1/x", Capacity::Requests);
        check("/api/runs/nightly", Capacity::Requests);
        check("/nowhere", Capacity::Requests);
    }
}

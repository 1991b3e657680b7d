//! `POST /api/conversations/{session}/turns`: a question, answered by a run that a worker drives.

use std::sync::Arc;

use axum::response::Response;
use consign_app::conversations::{self, Ask, Persona, Prepared, TurnInput};
use consign_contracts::wire::wire;
use consign_engine::{Limits, Placement, Settings};

use super::reply::{Reply, TurnWait, wants_stream};
use crate::{
    caller::Caller,
    endpoint::{Answer, Call, Capacity, Checked, Endpoint, Method, Operation, SessionPath},
    error::{Part, Problem},
    routes::runs::event_stream::Hold,
    server::App,
};

wire! {
    /// What the user says, and how it is to be answered.
    pub closed struct TurnBody {
        /// What the user says.
        user_message: String [minLength: 1, maxLength: 65536, pattern: r"\S"],
        /// Who the answer is for: technical, executive or general. The session keeps it.
        persona: Option<String> [pattern: "^([Tt]echnical|[Ee]xecutive|[Gg]eneral)$"],
        /// Only documents of this collection.
        collection: Option<String> [minLength: 1, maxLength: 100],
        /// How the answer should look, such as `as a list`.
        formatting_instructions: Option<String> [maxLength: 2000],
        /// The session, if it is said here too: that of the path.
        session_id: Option<String>,
        /// The user, if one is named: the caller.
        user_id: Option<String>,
    }
}

pub(in crate::routes) struct AskTurn;

impl Endpoint for AskTurn {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/api/conversations/{session}/turns";
    const CAPACITY: Capacity = Capacity::Processing;
    const OPERATION: Operation = Operation::new(
        "ask",
        "Ask a question about documents, in a conversation",
        &[
            Answer::json(200, "TurnAnswer", "The answer: contract crew/orchestrator.output.")
                .or_stream_of(super::reply::EVENTS)
                .headers(&[("Location", "The turn.")]),
            Answer::json(202, "WholeRun", "It takes longer: the run, which goes on.")
                .headers(&[("Location", "The turn, where its answer will be.")]),
        ],
    )
    .description(
        "With `Accept: text/event-stream` the steps of the turn as they happen, then its answer. The turn goes on whatever \
         becomes of the request: `Location` is where it is. A second turn of the session at the same time is refused with \
         TURN_IN_PROGRESS, and a message that the guard blocks with its code, and contract crew/agent-failure in `details`.",
    );
    type Path = SessionPath;
    type Query = TurnWait;
    type Body = Checked<TurnBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let SessionPath(session) = &call.path;
        conversations::session_name(session)
            .map_err(|refused| Problem::invalid(Part::Path, "/session", "name", refused.message))?;
        let Checked(body) = &call.body;
        check(body, session, &call.caller)?;
        // Nothing is begun that could not be told of.
        let hold = match wants_stream(call.headers()) {
            true => Some(Hold::take(&app, &call.caller, call.headers())?),
            false => None,
        };
        let (owner, by) = (&call.caller.owner, &call.caller.speaker);
        let preparing = conversations::prepare(&app.home, owner, by, ask(body, session));
        let turn = match app.compute_permits.run(preparing).await? {
            Prepared::Turn(turn) => *turn,
            Prepared::Blocked(blocked) => return Err(blocked.refused().into()),
        };
        let input = TurnInput::read(&turn.input)
            .map_err(|cause| Problem::new("INTERNAL_ERROR", cause.to_string()))?;
        let run = conversations::start(&app.home, turn).await?.run;
        let reply = Reply { session: session.clone(), number: input.number.saturating_add(1), run };
        match hold {
            Some(hold) => reply.stream(&app, call.closing(), hold, 0),
            None => reply.wait(&app, &call.query, call.received, call.closing()).await,
        }
    }
}

fn check(body: &TurnBody, session: &str, caller: &Caller) -> Result<(), Problem> {
    if body.session_id.as_deref().is_some_and(|named| named != session) {
        let told = "session_id is another session than the one of the path";
        return Err(Problem::invalid(Part::Body, "/session_id", "const", told));
    }
    let is_caller = |named: &str| {
        let id = caller.identity().map(|identity| identity.user.id.to_string());
        named == caller.owner.as_str() || id.is_some_and(|id| id == named)
    };
    if body.user_id.as_deref().is_some_and(|named| !is_caller(named)) {
        let told = "user_id is somebody else than the caller";
        return Err(Problem::invalid(Part::Body, "/user_id", "const", told));
    }
    Ok(())
}

fn ask(body: &TurnBody, session: &str) -> Ask {
    let persona = |word: &String| {
        let all = [Persona::Technical, Persona::Executive, Persona::General];
        all.into_iter().find(|persona| persona.as_str().eq_ignore_ascii_case(word))
    };
    Ask {
        session: session.to_owned(),
        message: body.user_message.clone(),
        persona: body.persona.as_ref().and_then(persona),
        collection: body.collection.clone(),
        formatting_instructions: body.formatting_instructions.clone(),
        // The operator's settings decide.
        model: None,
        limits: Limits::default(),
        settings: Settings::default(),
        placement: Placement::Anywhere,
    }
}

//! The project's folder, as the home of its template creation.

use std::{
    borrow::Cow,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use async_trait::async_trait;
use consign_engine::{Answer, At, Data, ExternalHome, Fault, store::Interaction};

use super::{Mirror, workflow::Places};
use crate::respond::{self, RespondError};

/// Takes answers by writing `.agent-response.json` into the project. Whoever goes on reads it there.
pub struct ProjectHome;

#[async_trait]
impl ExternalHome for ProjectHome {
    async fn answer(
        &self,
        state: &Data,
        ask: &Interaction,
        answer: Answer<'_>,
    ) -> Result<(), Fault> {
        let mirror = mirror(state)?;
        // That of the entry, and no other: the mirror may have gone on since it was shown. A request that was
        // opened again has a number behind its id.
        let asked = ask.key.as_str();
        let request = mirror.pending().map(|pending| pending.request_id.clone());
        let is_it = |id: &String| {
            asked
                .strip_prefix(id.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let request = request.filter(is_it).ok_or_else(|| {
            let text = format!("run {} waits for no answer to {asked}", ask.run);
            Fault::permanent("NOT_PENDING", text)
        })?;
        let project = mirror.places().project_path;
        let opened = ask.opened_at;
        // Written by us, so that it is the same text wherever the answer came from.
        let answer = match answer {
            Answer::Value(value) => Ok(value.tree()?.text()),
            Answer::Declined(why) => Err(why.to_owned()),
        };
        let work = move || write(Path::new(&project), &request, answer, opened);
        let done = tokio::task::spawn_blocking(work).await;
        let done = done.map_err(|broken| Fault::transient("INTERNAL", broken.to_string()))?;
        done.map_err(|error| error.fault())
    }

    fn begin(&self) -> String {
        "consign template create --path PROJECT --name NAME --output DIR".to_owned()
    }

    fn go_on(&self, state: &Data) -> String {
        let Ok(mirror) = mirror(state) else { return self.begin() };
        let places = mirror.places();
        match mirror.model() {
            // Whoever raises a limit for a model wants that model to go on.
            Some(call) => format!(
                "consign bridge watch --path {} --model {}",
                word(&places.project_path),
                word(&call.ask.model)
            ),
            None => command(&places, "--resume"),
        }
    }

    fn end(&self, state: &Data) -> String {
        let Ok(mirror) = mirror(state) else { return self.begin() };
        let places = mirror.places();
        let project = Path::new(&places.project_path);
        let files = [".template-create-state.json", respond::REQUEST, respond::RESPONSE];
        let files = files.map(|file| word(&project.join(file).to_string_lossy()).into_owned());
        let fresh = command(&places, "--fresh");
        format!("begin anew with: {fresh}   or remove its files: rm -f {}", files.join(" "))
    }
}

fn write(
    project: &Path,
    request_id: &str,
    answer: Result<String, String>,
    opened: At,
) -> Result<(), RespondError> {
    let request = respond::pending_as(project, request_id)?;
    let now = now();
    let took = Some(now.since(opened));
    let response = match answer {
        Ok(text) => respond::wrap(&request, text, took, None, now)?,
        Err(why) => respond::give_up(&request, &why, took, now),
    };
    respond::respond(project, request_id, &response)
}

fn mirror(state: &Data) -> Result<Mirror, Fault> {
    state.to().map_err(|cause| {
        Fault::permanent("STATE_UNREADABLE", format!("the state of a template creation: {cause}"))
    })
}

/// The command of a template creation, to be typed as it stands.
fn command(places: &Places, how: &str) -> String {
    format!(
        "consign template create --path {} --name {} --output {} {how}",
        word(&places.project_path),
        word(&places.template_name),
        word(&places.output_path)
    )
}

/// A word as a shell reads it.
fn word(text: &str) -> Cow<'_, str> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:@,+=%".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
}

fn now() -> At {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    At(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use consign_engine::{AskKind, Key, RunId, store::AskState};
    use serde_json::json;

    use super::*;

    const FIRST: &str = "550e8400-e29b-41d4-a716-446655440000";
    const SECOND: &str = "650e8400-e29b-41d4-a716-446655440000";

    #[tokio::test]
    async fn an_answer_is_for_the_request_of_its_entry_and_no_other() {
        let project = tempfile::tempdir().unwrap();
        let request = json!({"request_id": SECOND, "version": "1.0", "phase": 5,
            "phase_name": "agent_creation", "agent_name": "architectural-reviewer",
            "prompt": "Which agents? ".repeat(10), "created_at": "2025-11-18T10:30:00Z"});
        std::fs::write(project.path().join(respond::REQUEST), request.to_string()).unwrap();
        let path = project.path().to_str().unwrap();
        // The files have gone on to the second request, and the inbox still shows the first.
        let pending = json!({"request_id": SECOND, "agent_name": "architectural-reviewer",
            "phase_name": "agent_creation", "prompt": "", "retry_count": 0, "schema": {}});
        let view = json!({"run": "r", "seq": 3, "project_path": path, "output_path": "/o",
            "template_name": "n", "phase": 5, "phase_name": "agent_recommendation",
            "checkpoint": "before_agent_invocation", "pending": pending});
        let places = json!({"project_path": path, "output_path": "/o", "template_name": "n"});
        let state = Data::of(&json!({"places": places, "view": view}));
        let ask = |key: &str| Interaction {
            run: RunId::from("r"),
            key: Key::from(key),
            kind: AskKind::AgentResponse,
            code: None,
            agent: None,
            prompt: String::new(),
            schema: Data::null(),
            deadline: None,
            default: None,
            opened_at: At(0),
            state: AskState::Open,
            answered: None,
        };
        let value = Data::of(&json!({}));
        let there = || project.path().join(respond::RESPONSE).exists();
        let fault =
            ProjectHome.answer(&state, &ask(FIRST), Answer::Value(&value)).await.unwrap_err();
        assert_eq!((fault.code.as_ref(), there()), ("NOT_PENDING", false));
        ProjectHome
            .answer(&state, &ask(&format!("{SECOND}.2")), Answer::Value(&value))
            .await
            .unwrap();
        assert!(there());
    }

    #[test]
    fn commands_can_be_typed_as_they_stand() {
        let places = Places {
            project_path: "/home/ada/it's mine".to_owned(),
            output_path: "/tmp/out".to_owned(),
            template_name: "web-api".to_owned(),
        };
        assert_eq!(
            command(&places, "--resume"),
            r"consign template create --path '/home/ada/it'\''s mine' --name web-api --output /tmp/out --resume"
        );
    }
}

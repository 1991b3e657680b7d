//! The project's folder, as the home of its template creation.

use std::{
    borrow::Cow,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use async_trait::async_trait;
use consign_engine::{Answer, At, Data, Elsewhere, Fault, store::Interaction};

use super::{Mirror, workflow::Places};
use crate::template::respond::{self, RespondError};

/// Takes answers by writing `.agent-response.json` into the project. Whoever goes on reads it there.
pub struct Home;

#[async_trait]
impl Elsewhere for Home {
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
            Answer::Value(value) => Ok(value.tree().text()),
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
        mirror(state).map_or_else(|_| self.begin(), |mirror| command(&mirror.places(), "--resume"))
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
    use super::*;

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

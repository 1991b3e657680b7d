//! `consign keys list`: which keys there are, and whether they can be used.

use consign_app::documents::credentials;
use consign_contracts::json::Json;
use consign_engine::At;
use consign_models::keys::{Listed, Standing};

use super::{super::runs::form, keys};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, WARN, object, styled},
    text::span,
};

pub(super) const HELP: &str = "\
A key of source `user` is the owner's own; one of source `environment` counts for every owner who has \
none. Its state is `ready`, `locked` (the sealing key that it was sealed with is not here) or `damaged`.

In a pipe the fields are provider, owner, source, state, time of creation, fingerprint of the sealing \
key and variable, separated by tabs; what there is not is empty.

Examples:
  consign keys list
  consign keys list --json | jq -r 'select(.state != \"ready\") | .provider'";

pub(super) fn run(output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let keys = keys(session);
        // Credentials have a list of their own.
        let is_key = |key: &Listed| match key {
            Listed::Sealed { name, .. } => !credentials::is_kept_as(name),
            Listed::Environment { .. } => true,
        };
        let mut all = keys.list().await?;
        all.retain(is_key);
        print(&all, session.engine.now(), output)?;
        if all.iter().any(|key| key.standing() == Standing::Locked)
            && let Err(why) = keys.sealing_key()
        {
            output.tell(styled(WARN, Error::from(why).message));
        }
        Ok(Exit::Done)
    })
}

/// A key as it is told, without anything of it.
struct KeyLine<'a> {
    provider: &'a str,
    owner: Option<&'a str>,
    at: Option<At>,
    sealing_key: Option<String>,
    variable: Option<&'static str>,
}

impl<'a> KeyLine<'a> {
    fn of(key: &'a Listed) -> Self {
        match key {
            Listed::Sealed { owner, name, at, with, .. } => Self {
                provider: name,
                owner: Some(owner.as_str()),
                at: Some(*at),
                sealing_key: with.map(|with| with.to_string()),
                variable: None,
            },
            Listed::Environment { provider, variable, .. } => Self {
                provider: provider.as_str(),
                owner: None,
                at: None,
                sealing_key: None,
                variable: Some(variable),
            },
        }
    }
}

pub(super) fn print(all: &[Listed], now: At, output: &mut Output) -> Result<(), Error> {
    match output.reader {
        Audience::Program => {
            for key in all {
                let KeyLine { provider, owner, at, sealing_key, variable } = KeyLine::of(key);
                output.object(object([
                    ("provider", form::text(provider)),
                    ("owner", owner.map_or(Json::Null, form::text)),
                    ("source", Json::from(key.source().as_str())),
                    ("state", Json::from(key.standing().as_str())),
                    ("created_at", at.map_or(Json::Null, form::at)),
                    ("sealing_key", sealing_key.map_or(Json::Null, form::text)),
                    ("variable", variable.map_or(Json::Null, Json::from)),
                ]))?;
            }
        }
        Audience::Pipe => {
            let row = |key: &Listed| {
                let KeyLine { provider, owner, at, sealing_key, variable } = KeyLine::of(key);
                let word = |word: Option<&str>| word.unwrap_or_default().to_owned();
                let at = at.map_or(String::new(), |at| at.to_string());
                let (source, state) = (key.source().as_str(), key.standing().as_str());
                let names = [provider.to_owned(), word(owner), source.to_owned(), state.to_owned()];
                let rest = [at, sealing_key.unwrap_or_default(), word(variable)];
                names.into_iter().chain(rest).collect()
            };
            output.rows(&[], all.iter().map(row).collect())?;
        }
        Audience::Person if all.is_empty() => {
            output.line(styled(FAINT, "no keys; `consign keys set openai` brings one"))?;
        }
        Audience::Person => {
            let row = |key: &Listed| {
                let KeyLine { provider, owner, at, sealing_key, variable } = KeyLine::of(key);
                let whose = owner.unwrap_or("everybody").to_owned();
                let source = variable.unwrap_or(key.source().as_str()).to_owned();
                let age = at.map(|at| format!("{} ago", span(now.since(at))));
                let state = key.standing().as_str().to_owned();
                let (age, with) = (age.unwrap_or_default(), sealing_key.unwrap_or_default());
                vec![provider.to_owned(), whose, source, state, age, with]
            };
            let head = ["provider", "owner", "source", "state", "set", "sealed with"];
            output.rows(&head, all.iter().map(row).collect())?;
        }
    }
    Ok(())
}

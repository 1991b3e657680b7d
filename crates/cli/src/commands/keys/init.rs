//! `consign keys init`: makes a sealing key, in a file of its own.

use consign_models::keys::Standing;

use super::{super::runs::form, keys};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, WARN, object, printable, styled},
    text::count,
};

pub(super) const HELP: &str = "\
Writes 32 random bytes to `sealing.key` in CONSIGN_HOME, which only you may read. It is refused where \
there is such a file, or where AI_KEY_ENCRYPTION_KEY is set. Without this file no sealed key can be \
opened again, so keep a copy of it, apart from copies of the database.

Examples:
  consign keys init
  consign keys init --json | jq -r .file";

pub(super) fn run(output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let keys = keys(session);
        let made = keys.init().await?;
        let file = session.folder.join("sealing.key").display().to_string();
        match output.reader {
            Audience::Program => output
                .object(object([("file", form::text(&file)), ("sealing_key", form::text(made))]))?,
            Audience::Pipe => output.rows(&[], vec![vec![file.clone(), made.to_string()]])?,
            Audience::Person => output.line(format!("{}, sealing key {made}", printable(&file)))?,
        }
        output.tell(styled(FAINT, "keep a copy: without it no sealed key can be opened again"));
        let others = keys.list().await?;
        let locked = others.iter().filter(|key| key.standing() == Standing::Locked).count();
        if locked > 0 {
            let told = format!("{} sealed before, with another one", count(locked as u64, "key"));
            output.tell(styled(WARN, told));
        }
        Ok(Exit::Done)
    })
}

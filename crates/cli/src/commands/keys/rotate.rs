//! `consign keys rotate`: seals all keys anew, with a new sealing key.

use consign_contracts::json::Json;
use consign_models::keys::{How, OLD_KEY, Rotated};

use super::{super::runs::form, keys};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, object, styled},
    text::count,
};

pub(super) const HELP: &str = "\
With `sealing.key`: makes a new sealing key, seals all keys with it in one transaction, and then \
forgets the old one. Wherever it is interrupted no key is lost, and the next `keys rotate` finishes \
it with the sealing key that was made. The same goes for a file with several sealing keys, newest \
first: all is sealed with the first, and the others go.

With AI_KEY_ENCRYPTION_KEY: set it to the new sealing key, AI_KEY_ENCRYPTION_KEY_OLD to the one before, \
and rotate. Then the old one can go.

If one key cannot be opened, nothing is changed. Keys of providers stay the same; to change one of \
them, `consign keys set PROVIDER --replace`.

Examples:
  consign keys rotate
  AI_KEY_ENCRYPTION_KEY=$NEW AI_KEY_ENCRYPTION_KEY_OLD=$OLD consign keys rotate";

pub(super) fn run(output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let Rotated { sealing_key, resealed, how } = keys(session).rotate().await?;
        let resealed = resealed as u64;
        match output.reader {
            Audience::Program => output.object(object([
                ("sealing_key", form::text(sealing_key)),
                ("resealed", Json::Number(resealed.into())),
                ("how", Json::from(how.as_str())),
            ]))?,
            Audience::Pipe => {
                let row = [sealing_key.to_string(), resealed.to_string(), how.as_str().to_owned()];
                output.rows(&[], vec![row.to_vec()])?;
            }
            Audience::Person => {
                let keys = count(resealed, "key");
                output.line(format!("{keys} sealed anew, with sealing key {sealing_key}"))?;
            }
        }
        let told = match how {
            How::New => "keep a copy of the new sealing.key",
            How::Finished => "this finished a change of the sealing key that was begun before",
            How::Environment => {
                output.tell(styled(FAINT, format!("{OLD_KEY} is needed no more")));
                return Ok(Exit::Done);
            }
        };
        output.tell(styled(FAINT, told));
        Ok(Exit::Done)
    })
}

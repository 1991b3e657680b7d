//! The vectors of what was taken in: the rest of them, with a line that shows how far they are.

use std::time::Duration;

use consign_app::documents::{Progress, Vectored, finish_vectors};
use consign_engine::{Owner, Stop};

use super::MORE_VECTORS;
use crate::{
    engine::Session,
    error::{Error, Exit},
    live::Live,
    output::{Audience, FAINT, Output, styled},
    signals::Signals,
};

/// Goes on with the vectors of an owner: with all that are left, or, unless that is asked for, with a few only. A signal
/// ends it; what is done stays.
pub(super) async fn finish(
    session: &Session,
    owner: &Owner,
    all: bool,
    output: &Output,
) -> Result<Exit, Error> {
    let mut signals = Signals::listen(Duration::ZERO)?;
    let mut live = match output.reader {
        Audience::Program => Live::nowhere(),
        Audience::Person | Audience::Pipe => Live::on_stderr(output.color),
    };
    let mut tell = |progress: Progress| {
        // Progress that cannot be drawn must not stop it.
        let _ = live.draw(&[so_far(progress)]);
    };
    let done = tokio::select! {
        done = finish_vectors(session, owner, all, &mut tell) => Some(done),
        _ = signals.stop.wait_for(|stop| *stop != Stop::GoOn) => None,
    };
    let _ = live.clear();
    let Some(done) = done else {
        output.tell(format!("stopped; {MORE_VECTORS}"));
        return Ok(signals.exit().unwrap_or(Exit::Interrupted));
    };
    match done? {
        Vectored::Done(progress) if all => output.tell(so_far(progress)),
        Vectored::Done(_) => {}
        Vectored::Left(progress) => {
            output.tell(styled(FAINT, format!("{}: {MORE_VECTORS}", so_far(progress))));
        }
        // Who waits for them must know that they do not come, programs too.
        Vectored::NoModel(why) if all => {
            output.warn(format!("no vectors: {why}; `consign models pull embeddings` fetches it"));
        }
        Vectored::NoModel(_) => output.tell(styled(
            FAINT,
            "found by words alone; `consign models pull embeddings` lets it find by meaning too",
        )),
    }
    Ok(Exit::Done)
}

fn so_far(Progress { done, total }: Progress) -> String {
    format!("vectors {done} of {total}")
}

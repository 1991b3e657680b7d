//! What can be posted to the writer.
//!
//! Implement [`Write`] for a new kind of request; [`posted`] adds the channel for its answer.

use consign_engine::store::Error;
use tokio::sync::oneshot;

use super::WriteContext;
use crate::sqlite::fail::Halt;

/// Something to be written.
///
/// It checks everything that could refuse it before it writes anything, so that a refusal leaves no
/// rows in the shared transaction. It may be run twice: when its batch failed, it is tried alone.
pub(crate) trait Write: Send + 'static {
    type Answer: Send + 'static;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Self::Answer, Halt>;
}

/// A [`Write`] together with the caller that waits for it.
pub(super) trait Request: Send {
    /// Writes, and keeps the answer until the outcome of the transaction is known.
    fn write(&mut self, context: &mut WriteContext<'_>) -> rusqlite::Result<()>;

    /// Sends the answer, or the error that failed the whole transaction.
    fn reply(self: Box<Self>, fate: Result<(), Error>);
}

pub(super) fn posted<W: Write>(
    write: W,
    to: oneshot::Sender<Result<W::Answer, Error>>,
) -> Box<dyn Request> {
    Box::new(Posted { write, answer: None, to })
}

struct Posted<W: Write> {
    write: W,
    answer: Option<Result<W::Answer, Error>>,
    to: oneshot::Sender<Result<W::Answer, Error>>,
}

impl<W: Write> Request for Posted<W> {
    fn write(&mut self, context: &mut WriteContext<'_>) -> rusqlite::Result<()> {
        self.answer = Some(match self.write.write(context) {
            Ok(answer) => Ok(answer),
            Err(Halt::Answer(error)) => Err(error),
            Err(Halt::Sql(error)) => return Err(error),
        });
        Ok(())
    }

    fn reply(self: Box<Self>, fate: Result<(), Error>) {
        let unwritten = || Err(Error::Unavailable("the request was not executed".into()));
        let answer = match fate {
            Ok(()) => self.answer.unwrap_or_else(unwritten),
            Err(error) => Err(error),
        };
        // If the caller no longer waits, the answer is dropped. The request is written all the same.
        let _ = self.to.send(answer);
    }
}

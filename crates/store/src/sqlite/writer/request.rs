//! What can be posted to the writer.

use consign_engine::store::Error;
use tokio::sync::oneshot;

use super::WriteContext;
use crate::sqlite::fail::Halt;

/// Something to be written.
///
/// It looks at everything that could refuse it before it writes anything, so that a refusal leaves
/// no rows in the transaction that it shares. It may be asked twice: when its batch failed, it is
/// tried alone.
pub(crate) trait Write: Send + 'static {
    type Answer: Send + 'static;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Self::Answer, Halt>;
}

/// A [`Write`] with somebody who waits for it.
pub(super) trait Request: Send {
    /// Writes, and keeps the answer until it is known what became of the transaction.
    fn write(&mut self, context: &mut WriteContext<'_>) -> rusqlite::Result<()>;

    /// Gives the answer, or the error that took the whole transaction.
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
        let unwritten = || Err(Error::Unavailable("it was never tried".into()));
        let answer = match fate {
            Ok(()) => self.answer.unwrap_or_else(unwritten),
            Err(error) => Err(error),
        };
        // Whoever no longer waits has lost interest; it is written all the same.
        let _ = self.to.send(answer);
    }
}

//! Names of sessions, and turns by their numbers.

use consign_engine::{
    Owner,
    store::{self, Row},
};

use crate::{
    Home,
    error::{Error, Refused},
};

/// The longest name of a session, in bytes.
const LONGEST_SESSION: usize = 200;

/// Which turn of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichTurn {
    /// Counts from 1.
    Number(u32),
    /// The newest, under way or ended.
    Last,
}

/// What a session can be called.
///
/// # Errors
/// `VALIDATION_ERROR`.
pub fn session_name(session: &str) -> Result<(), Refused> {
    let is_name = !session.trim().is_empty()
        && session.len() <= LONGEST_SESSION
        && !session.chars().any(char::is_control);
    if is_name {
        return Ok(());
    }
    let told = format!(
        "the name of a session has 1 to {LONGEST_SESSION} bytes, and no control characters"
    );
    Err(Refused::usage("VALIDATION_ERROR", told))
}

/// The run of a turn, and the number of that turn, from 1.
///
/// # Errors
/// `NOT_FOUND`, if there is no such turn. One that was blocked has no run.
pub async fn turn(
    home: &Home,
    owner: &Owner,
    session: &str,
    which: WhichTurn,
) -> Result<(u32, Row), Error> {
    let nothing =
        || Refused::new("NOT_FOUND", "there is no such turn, or the guard has blocked it");
    let found = home.turns.conversations.conversation(owner, session).await?;
    let conversation = found.ok_or_else(nothing)?;
    let numbers = match which {
        WhichTurn::Number(number) => vec![number.checked_sub(1).ok_or_else(nothing)?],
        // The one under way, or else the one that ended last.
        WhichTurn::Last => {
            let ended = conversation.turns.checked_sub(1);
            [Some(conversation.turns), ended].into_iter().flatten().collect()
        }
    };
    for number in numbers {
        match home.store().row(&conversation.run(number)).await {
            Ok(row) => return Ok((number.saturating_add(1), row)),
            Err(store::Error::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(nothing().into())
}

//! What people say about a job: kept beside it, read in order, never changed.

use consign_contracts::json::{Json, Object};
use consign_engine::{
    Owner, Speaker,
    discussion::{Added, Comment, MOST_COMMENTS},
};

use super::{
    find,
    id::{keyed_id, random_id, read_id},
    submit::reused,
};
use crate::{
    Home,
    error::{Error, Refused},
    view,
};

/// Comments on a page, if no number is given; and the most.
const USUAL: usize = 20;
const MOST: usize = 100;

/// A page of comments, the oldest first.
#[derive(Clone, Debug)]
pub struct CommentPage {
    pub items: Vec<Object<'static>>,
    pub next_cursor: Option<String>,
}

impl CommentPage {
    /// `{items, nextCursor}`.
    #[must_use]
    pub fn into_object(self) -> Object<'static> {
        let items = self.items.into_iter().map(Json::Object).collect();
        let next = self.next_cursor.map_or(Json::Null, |next| Json::String(next.into()));
        view::object([("items", Json::Array(items)), ("nextCursor", next)])
    }
}

/// Adds a comment. The same key and text give the same comment.
pub async fn comment(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    id: &str,
    text: &str,
    idempotency_key: Option<&str>,
) -> Result<Object<'static>, Error> {
    let row = find(home, owner, id).await?;
    let own = match idempotency_key {
        Some(key) => keyed_id(owner, key)?,
        None => random_id(),
    };
    let comment = Comment {
        run: row.id,
        id: own.to_string(),
        owner: owner.clone(),
        author: speaker.actor.clone(),
        at: home.engine.now(),
        text: text.to_owned(),
    };
    match home.discussion.add_comment(comment.clone()).await? {
        Added::New => Ok(shown(&comment)),
        Added::There(first) if first.text == comment.text => Ok(shown(&first)),
        Added::There(_) => Err(reused().into()),
        Added::Full => {
            let told = format!("a job has at most {MOST_COMMENTS} comments");
            Err(Refused::new("INVALID_STATE", told).into())
        }
    }
}

/// A page of the comments of a job.
pub async fn comments(
    home: &Home,
    owner: &Owner,
    id: &str,
    limit: Option<u64>,
    cursor: Option<&str>,
) -> Result<CommentPage, Error> {
    let row = find(home, owner, id).await?;
    let limit = match limit.map(usize::try_from) {
        None => USUAL,
        Some(Ok(limit @ 1..=MOST)) => limit,
        Some(_) => {
            let told = format!("limit: it is 1 to {MOST}");
            return Err(Refused::usage("VALIDATION_ERROR", told).into());
        }
    };
    if cursor.is_some_and(|cursor| read_id(cursor).is_none()) {
        let told = "cursor: it is not one of this list";
        return Err(Refused::usage("VALIDATION_ERROR", told).into());
    }
    let mut found = home.discussion.comments(&row.id, cursor, limit + 1).await?;
    let is_last = found.len() <= limit;
    found.truncate(limit);
    let next_cursor = found.last().filter(|_| !is_last).map(|last| last.id.clone());
    Ok(CommentPage { items: found.iter().map(shown).collect(), next_cursor })
}

fn shown(comment: &Comment) -> Object<'static> {
    view::object([
        ("id", view::text(&comment.id)),
        ("author", view::text(&comment.author)),
        ("text", view::text(&comment.text)),
        ("createdAt", view::at(comment.at)),
    ])
}

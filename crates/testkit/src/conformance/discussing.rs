//! Cases about what people say about runs: comments in their order, and chains of revisions.
//!
//! `consign_testkit::discussion_conformance!` makes a test of each, at a new, empty [`DiscussionPlace`].

use std::sync::Arc;

use async_trait::async_trait;
use consign_engine::{
    At, RunId,
    discussion::{Added, Comment, Discussion, MOST_COMMENTS, MOST_REVISIONS, Revised},
};

/// Where an adapter under test keeps what people say. Empty at first.
#[async_trait]
pub trait DiscussionPlace: Send + Sync {
    async fn open_discussion(&self) -> Arc<dyn Discussion>;
}

/// Makes one test of each case, at a new, empty
/// [`DiscussionPlace`](crate::conformance::discussing::DiscussionPlace) each time.
#[macro_export]
macro_rules! discussion_conformance {
    ($place:expr) => {
        $crate::conformance_cases! { $place;
            discussing {
                comments_come_in_their_order_page_by_page,
                a_comment_of_an_id_is_kept_once,
                a_run_has_only_so_many_comments,
                a_chain_is_known_by_its_first_run,
                a_chain_is_only_so_long,
                what_was_said_is_there_when_the_store_is_opened_again,
            }
        }
    };
}

fn comment(run: &str, id: &str, text: &str) -> Comment {
    Comment {
        run: run.into(),
        id: id.to_owned(),
        owner: "user:ada".into(),
        author: "http:user:ada".into(),
        at: At(1_800_000_000_000_001),
        text: text.to_owned(),
    }
}

fn revised(run: &str, parent: &str, first: &str) -> Revised {
    Revised {
        run: run.into(),
        parent: parent.into(),
        first: first.into(),
        owner: "user:ada".into(),
        at: At(7),
        instruction: "shorter, it's \"long\"\n".to_owned(),
        mode: "edit".to_owned(),
        scope: "files".to_owned(),
    }
}

async fn ids(store: &dyn Discussion, run: &str, after: Option<&str>, most: usize) -> String {
    let found = store.comments(&run.into(), after, most).await.expect("it can be read");
    found.into_iter().map(|comment| comment.id).collect::<Vec<_>>().join(" ")
}

pub async fn comments_come_in_their_order_page_by_page(place: &dyn DiscussionPlace) {
    let store = place.open_discussion().await;
    let given = comment("a", "z", "it's \u{1f600}\0\n");
    assert_eq!(store.add_comment(given.clone()).await.expect("an answer"), Added::New);
    for (run, id) in [("b", "z"), ("a", "m"), ("a", "a"), ("ab", "x")] {
        store.add_comment(comment(run, id, "x")).await.expect("an answer");
    }
    let found = store.comments(&"a".into(), None, 1).await.expect("it can be read");
    assert_eq!(found, [given]);
    assert_eq!(ids(&*store, "a", None, 9).await, "z m a");
    assert_eq!(ids(&*store, "a", Some("z"), 1).await, "m");
    assert_eq!(ids(&*store, "a", Some("m"), 9).await, "a");
    assert_eq!(ids(&*store, "a", Some("a"), 9).await, "");
    // An id of another run is none of this one.
    assert_eq!(ids(&*store, "a", Some("x"), 9).await, "");
    assert_eq!(ids(&*store, "c", None, 9).await, "");
}

pub async fn a_comment_of_an_id_is_kept_once(place: &dyn DiscussionPlace) {
    let store = place.open_discussion().await;
    store.add_comment(comment("a", "1", "first")).await.expect("an answer");
    let again = store.add_comment(comment("a", "1", "second")).await.expect("an answer");
    assert_eq!(again, Added::There(comment("a", "1", "first")));
    assert_eq!(ids(&*store, "a", None, 9).await, "1");
}

pub async fn a_run_has_only_so_many_comments(place: &dyn DiscussionPlace) {
    let store = place.open_discussion().await;
    for at in 0..MOST_COMMENTS {
        store.add_comment(comment("a", &at.to_string(), "x")).await.expect("an answer");
    }
    let more = store.add_comment(comment("a", "more", "x")).await.expect("an answer");
    assert_eq!(more, Added::Full);
    let again = store.add_comment(comment("a", "0", "x")).await.expect("an answer");
    assert_eq!(again, Added::There(comment("a", "0", "x")));
    let other = store.add_comment(comment("b", "more", "x")).await.expect("an answer");
    assert_eq!(other, Added::New);
}

pub async fn a_chain_is_known_by_its_first_run(place: &dyn DiscussionPlace) {
    let store = place.open_discussion().await;
    let chain = [revised("b", "a", "a"), revised("d", "b", "a"), revised("c", "a", "a")];
    for one in &chain {
        assert_eq!(store.add_revision(one.clone()).await.expect("an answer"), Added::New);
    }
    store.add_revision(revised("y", "x", "x")).await.expect("an answer");
    let again = Revised { at: At(8), ..revised("d", "c", "a") };
    let there = store.add_revision(again).await.expect("an answer");
    assert_eq!(there, Added::There(chain[1].clone()));
    assert_eq!(store.revisions(&"a".into()).await.expect("it can be read"), chain);
    assert_eq!(store.revisions(&"b".into()).await.expect("it can be read"), []);
    assert_eq!(store.revision(&"d".into()).await.expect("an answer").as_ref(), Some(&chain[1]));
    assert_eq!(store.revision(&"a".into()).await.expect("an answer"), None);
}

pub async fn a_chain_is_only_so_long(place: &dyn DiscussionPlace) {
    let store = place.open_discussion().await;
    for at in 0..MOST_REVISIONS {
        store.add_revision(revised(&format!("r{at}"), "a", "a")).await.expect("an answer");
    }
    let more = store.add_revision(revised("more", "a", "a")).await.expect("an answer");
    assert_eq!(more, Added::Full);
    assert_eq!(store.revision(&RunId::from("more")).await.expect("an answer"), None);
}

pub async fn what_was_said_is_there_when_the_store_is_opened_again(place: &dyn DiscussionPlace) {
    let store = place.open_discussion().await;
    store.add_comment(comment("a", "1", "x")).await.expect("an answer");
    store.add_revision(revised("b", "a", "a")).await.expect("an answer");
    drop(store);
    let store = place.open_discussion().await;
    assert_eq!(ids(&*store, "a", None, 9).await, "1");
    assert_eq!(store.revisions(&"a".into()).await.expect("it can be read").len(), 1);
}

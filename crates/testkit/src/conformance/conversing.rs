//! Cases about conversations: turns that end once, what is kept of them, and what is forgotten.
//!
//! `consign_testkit::conversation_conformance!` makes a test of each, at a new, empty [`ConversationPlace`].

use std::sync::Arc;

use async_trait::async_trait;
use consign_engine::{At, Data, Owner, RunId};
use consign_knowledge::{
    SourceId,
    conversation::{Conversation, Conversations, Ended, LastTurn, Message, SessionQuery, TurnEnd},
};
use serde_json::{Value, json};

/// Where an adapter under test keeps conversations. Empty at first.
#[async_trait]
pub trait ConversationPlace: Send + Sync {
    async fn open_conversations(&self) -> Arc<dyn Conversations>;
}

/// Makes one test of each case, at a new, empty
/// [`ConversationPlace`](crate::conformance::conversing::ConversationPlace) each time.
#[macro_export]
macro_rules! conversation_conformance {
    ($place:expr) => {
        $crate::conformance_cases! { $place;
            conversing {
                a_conversation_begins_once,
                a_turn_ends_once,
                what_was_blocked_ends_no_turn,
                the_newest_messages_come_in_their_order,
                what_belongs_to_the_last_turn_is_replaced,
                the_one_that_went_on_last_is_listed_first,
                owners_see_nothing_of_each_other,
                a_conversation_that_was_removed_begins_anew,
                a_source_is_forgotten,
                sources_are_forgotten_one_after_the_other,
                what_was_said_is_there_when_it_is_opened_again,
            }
        }
    };
}

fn ada() -> Owner {
    Owner::from("user:ada")
}

fn at(second: i64) -> At {
    At(1_800_000_000_000_000 + second * 1_000_000)
}

fn source(name: &str) -> SourceId {
    SourceId::of(&ada(), "default", name)
}

fn passage(source: &SourceId, content: &str) -> Value {
    json!({"source_id": source.as_str(), "content": content})
}

/// The end of a turn in which something was asked and answered.
fn turn(of: &Conversation, number: u32, said: &str) -> TurnEnd {
    let message = |role: &str, content: String| Message {
        role: role.to_owned(),
        content,
        at: at(i64::from(number)),
    };
    TurnEnd {
        id: of.id.clone(),
        number,
        run: Some(of.run(number)),
        messages: vec![
            message("user", format!("{said}?")),
            message("assistant", format!("{said}. It's \u{1f600}\n")),
        ],
        last: LastTurn {
            plan: Some(Data::of(&json!([{"step_id": 1, "said": said}]))),
            context: Data::of(&json!([passage(&source("a"), said)])),
        },
        preferences: Data::of(&json!({"persona": said})),
        marks: Some(Data::of(&json!({"EMAIL": [said]}))),
        sources: vec![source("a")],
        at: at(i64::from(number)),
    }
}

async fn begin(store: &dyn Conversations, owner: &Owner, session: &str) -> Conversation {
    store.open(owner, session, &format!("id of {session}"), at(0)).await.expect("it begins")
}

async fn end(store: &dyn Conversations, of: &Conversation, turn: TurnEnd) -> Ended {
    store.end_turn(&of.owner, &of.session, turn).await.expect("an answer")
}

async fn said(store: &dyn Conversations, owner: &Owner, session: &str, most: usize) -> Vec<String> {
    let of = store.conversation(owner, session).await.expect("it can be read");
    let Some(of) = of else { return Vec::new() };
    let found = store.messages(&of, most).await.expect("it can be read");
    found.into_iter().map(|message| message.content).collect()
}

pub async fn a_conversation_begins_once(place: &dyn ConversationPlace) {
    let store = place.open_conversations().await;
    assert_eq!(store.conversation(&ada(), "s").await.expect("it can be read"), None);
    let first = store.open(&ada(), "s", "one", at(1)).await.expect("it begins");
    assert_eq!((first.id.as_str(), first.turns, first.began_at), ("one", 0, at(1)));
    assert_eq!(first.last, LastTurn { plan: None, context: Data::of(&json!([])) });
    assert_eq!(first.preferences, Data::of(&json!({})));
    let again = store.open(&ada(), "s", "two", at(2)).await.expect("it is there");
    assert_eq!(again, first);
    let all = (0..8).map(|number| {
        let (store, id) = (store.clone(), number.to_string());
        async move { store.open(&ada(), "many", &id, at(3)).await.expect("it begins").id }
    });
    let ids = futures_util::future::join_all(all).await;
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}

pub async fn a_turn_ends_once(place: &dyn ConversationPlace) {
    let store = place.open_conversations().await;
    let of = begin(&*store, &ada(), "s").await;
    assert_eq!(end(&*store, &of, turn(&of, 0, "one")).await, Ended::Done);
    assert_eq!(end(&*store, &of, turn(&of, 0, "again")).await, Ended::Before);
    assert_eq!(said(&*store, &ada(), "s", 9).await, ["one?", "one. It's \u{1f600}\n"]);
    let two = [turn(&of, 1, "two"), turn(&of, 1, "three")];
    let [two, three] = two.map(|turn| end(&*store, &of, turn));
    let (two, three) = futures_util::future::join(two, three).await;
    assert!(matches!((two, three), (Ended::Done, Ended::Before) | (Ended::Before, Ended::Done)));
    let now = store.conversation(&ada(), "s").await.expect("it can be read").expect("it is there");
    assert_eq!((now.turns, said(&*store, &ada(), "s", 9).await.len()), (2, 4));
    let other = TurnEnd { id: "another".to_owned(), ..turn(&of, 2, "x") };
    assert_eq!(end(&*store, &of, other).await, Ended::Gone);
    assert_eq!(
        store.end_turn(&ada(), "none", turn(&of, 0, "x")).await.expect("an answer"),
        Ended::Gone
    );
}

pub async fn what_was_blocked_ends_no_turn(place: &dyn ConversationPlace) {
    let store = place.open_conversations().await;
    let of = begin(&*store, &ada(), "s").await;
    end(&*store, &of, turn(&of, 0, "one")).await;
    let blocked = TurnEnd { run: None, sources: Vec::new(), ..turn(&of, 1, "blocked") };
    // While another turn is under way, and after it has ended.
    assert_eq!(end(&*store, &of, blocked.clone()).await, Ended::Done);
    assert_eq!(end(&*store, &of, turn(&of, 1, "two")).await, Ended::Done);
    assert_eq!(end(&*store, &of, blocked).await, Ended::Done);
    let now = store.conversation(&ada(), "s").await.expect("it can be read").expect("it is there");
    assert_eq!(now.turns, 2);
    assert_eq!(now.preferences, Data::of(&json!({"persona": "two"})));
    assert_eq!(now.last.plan, Some(Data::of(&json!([{"step_id": 1, "said": "two"}]))));
    let asked: Vec<_> = said(&*store, &ada(), "s", 9).await.into_iter().step_by(2).collect();
    assert_eq!(asked, ["one?", "blocked?", "two?", "blocked?"]);
}

pub async fn sources_are_forgotten_one_after_the_other(place: &dyn ConversationPlace) {
    let store = place.open_conversations().await;
    let of = begin(&*store, &ada(), "s").await;
    let both = LastTurn {
        plan: None,
        context: Data::of(&json!([passage(&source("a"), "one"), passage(&source("b"), "two")])),
    };
    let sources = vec![source("a"), source("b")];
    end(&*store, &of, TurnEnd { last: both, sources, ..turn(&of, 0, "one") }).await;
    for gone in ["a", "b"] {
        store.forget_source(&ada(), &source(gone)).await.expect("an answer");
        for run in store.to_redact(9).await.expect("a list") {
            store.redacted(&run).await.expect("it is noted");
        }
    }
    let now = store.conversation(&ada(), "s").await.expect("it can be read").expect("it is there");
    assert_eq!(now.last.context, Data::of(&json!([])));
}

pub async fn the_newest_messages_come_in_their_order(place: &dyn ConversationPlace) {
    let store = place.open_conversations().await;
    let of = begin(&*store, &ada(), "s").await;
    for number in 0..5 {
        end(&*store, &of, turn(&of, number, &number.to_string())).await;
    }
    let now = store.conversation(&ada(), "s").await.expect("it can be read").expect("it is there");
    let newest = store.messages(&now, 3).await.expect("it can be read");
    let told: Vec<_> = newest.iter().map(|m| (m.role.as_str(), m.at)).collect();
    assert_eq!(told, [("assistant", at(3)), ("user", at(4)), ("assistant", at(4))]);
    assert_eq!(said(&*store, &ada(), "s", 99).await.len(), 10);
    assert!(said(&*store, &ada(), "s", 0).await.is_empty());
}

pub async fn what_belongs_to_the_last_turn_is_replaced(place: &dyn ConversationPlace) {
    let store = place.open_conversations().await;
    let of = begin(&*store, &ada(), "s").await;
    end(&*store, &of, turn(&of, 0, "one")).await;
    let given = turn(&of, 1, "two");
    end(&*store, &of, given.clone()).await;
    let now = store.conversation(&ada(), "s").await.expect("it can be read").expect("it is there");
    assert_eq!(
        (now.last, now.preferences, now.marks),
        (given.last, given.preferences, given.marks)
    );
    assert_eq!((now.began_at, now.ended_at), (at(0), at(1)));
    let none = LastTurn { plan: None, context: Data::of(&json!([])) };
    let bare = TurnEnd { last: none.clone(), marks: None, ..turn(&of, 2, "three") };
    end(&*store, &of, bare).await;
    let now = store.conversation(&ada(), "s").await.expect("it can be read").expect("it is there");
    assert_eq!((now.last, now.marks), (none, None));
    assert_eq!(store.runs(&ada(), "s").await.expect("they can be read").len(), 3);
}

pub async fn the_one_that_went_on_last_is_listed_first(place: &dyn ConversationPlace) {
    let store = place.open_conversations().await;
    for (number, session) in (0..).zip(["a", "b", "c", "d"]) {
        let of = begin(&*store, &ada(), session).await;
        // The last two at the same time.
        let ended = TurnEnd { at: at(number.min(2)), ..turn(&of, 0, "x") };
        end(&*store, &of, ended).await;
    }
    let (mut after, mut listed) = (None, Vec::new());
    loop {
        let page = store.list(&ada(), &SessionQuery { after, most: 1 }).await.expect("a page");
        let [one] = &page[..] else { break };
        listed.push(one.session.clone());
        after = Some((one.ended_at, one.session.clone()));
    }
    assert_eq!(listed, ["d", "c", "b", "a"]);
}

pub async fn owners_see_nothing_of_each_other(place: &dyn ConversationPlace) {
    let store = place.open_conversations().await;
    let bob = Owner::from("user:bob");
    let of = begin(&*store, &ada(), "s").await;
    end(&*store, &of, turn(&of, 0, "one")).await;
    assert_eq!(store.conversation(&bob, "s").await.expect("it can be read"), None);
    assert!(said(&*store, &bob, "s", 9).await.is_empty());
    let query = SessionQuery { after: None, most: 9 };
    assert!(store.list(&bob, &query).await.expect("a list").is_empty());
    assert!(store.runs(&bob, "s").await.expect("a list").is_empty());
    assert!(!store.remove(&bob, "s").await.expect("an answer"));
    assert_eq!(store.end_turn(&bob, "s", turn(&of, 1, "x")).await.expect("an answer"), Ended::Gone);
    store.forget_source(&bob, &source("a")).await.expect("an answer");
    assert!(store.to_redact(9).await.expect("a list").is_empty());
    let same = begin(&*store, &bob, "s").await;
    assert_ne!(same.run(0), of.run(0));
    assert_eq!(said(&*store, &ada(), "s", 9).await.len(), 2);
}

pub async fn a_conversation_that_was_removed_begins_anew(place: &dyn ConversationPlace) {
    let store = place.open_conversations().await;
    let of = begin(&*store, &ada(), "s").await;
    let kept = begin(&*store, &ada(), "kept").await;
    end(&*store, &of, turn(&of, 0, "one")).await;
    end(&*store, &of, TurnEnd { sources: Vec::new(), ..turn(&of, 1, "two") }).await;
    end(&*store, &kept, turn(&kept, 0, "kept")).await;
    assert!(store.remove(&ada(), "s").await.expect("an answer"));
    assert!(!store.remove(&ada(), "s").await.expect("an answer"));
    assert_eq!(store.conversation(&ada(), "s").await.expect("it can be read"), None);
    // The third is the one that may be under way.
    let mut runs = [of.run(0), of.run(1), of.run(2)];
    runs.sort_unstable();
    assert_eq!(store.to_redact(9).await.expect("a list"), runs);
    assert_eq!(store.to_redact(1).await.expect("a list"), runs[..1]);
    for run in &runs {
        store.redacted(run).await.expect("it is noted");
    }
    assert!(store.to_redact(9).await.expect("a list").is_empty());
    let anew = store.open(&ada(), "s", "new", at(9)).await.expect("it begins");
    assert_eq!((anew.id.as_str(), anew.turns), ("new", 0));
    assert_eq!(end(&*store, &anew, turn(&of, 2, "late")).await, Ended::Gone);
    assert!(store.messages(&of, 9).await.expect("it can be read").is_empty());
    assert!(said(&*store, &ada(), "s", 9).await.is_empty());
    assert_eq!(said(&*store, &ada(), "kept", 9).await.len(), 2);
}

pub async fn a_source_is_forgotten(place: &dyn ConversationPlace) {
    let store = place.open_conversations().await;
    let of = begin(&*store, &ada(), "s").await;
    let both = LastTurn {
        plan: None,
        context: Data::of(&json!([
            passage(&source("a"), "one"),
            passage(&source("b"), "two"),
            passage(&source("a"), "three")
        ])),
    };
    let sources = vec![source("a"), source("b")];
    end(&*store, &of, turn(&of, 0, "before")).await;
    end(&*store, &of, TurnEnd { last: both, sources, ..turn(&of, 1, "one") }).await;
    let only_b = TurnEnd { sources: vec![source("b")], ..turn(&of, 0, "x") };
    let other = begin(&*store, &ada(), "other").await;
    end(&*store, &other, TurnEnd { id: other.id.clone(), run: Some(other.run(0)), ..only_b }).await;
    store.forget_source(&ada(), &source("a")).await.expect("an answer");
    let now = store.conversation(&ada(), "s").await.expect("it can be read").expect("it is there");
    assert_eq!(now.last.context, Data::of(&json!([passage(&source("b"), "two")])));
    let mut runs = [of.run(0), of.run(1)];
    runs.sort_unstable();
    assert_eq!(store.to_redact(9).await.expect("a list"), runs);
    assert_eq!(said(&*store, &ada(), "s", 9).await.len(), 4, "what was said stays");
    let late = RunId::from("late");
    store.redact_later(&late).await.expect("it is noted");
    store.redact_later(&late).await.expect("it is noted");
    assert_eq!(store.to_redact(9).await.expect("a list").len(), 3);
}

pub async fn what_was_said_is_there_when_it_is_opened_again(place: &dyn ConversationPlace) {
    let store = place.open_conversations().await;
    let of = begin(&*store, &ada(), "s").await;
    end(&*store, &of, turn(&of, 0, "one")).await;
    let before = store.conversation(&ada(), "s").await.expect("it can be read");
    drop(store);
    let store = place.open_conversations().await;
    assert_eq!(store.conversation(&ada(), "s").await.expect("it can be read"), before);
    assert_eq!(said(&*store, &ada(), "s", 9).await.len(), 2);
}

//! Cases about the inbox: open asks are listed, oldest first.

use consign_engine::{
    AskKind, At, Status,
    store::{AskState, InboxQuery, Interaction},
};

use super::{Scene, StorePlace, scene::all_asks};
use crate::draft::{Draft, answer, json};

async fn open(scene: &Scene, query: &InboxQuery) -> Vec<String> {
    let asks = scene.inbox(query).await.expect("the inbox");
    assert!(asks.iter().all(|ask| ask.state == AskState::Open));
    asks.iter().map(|ask| format!("{}/{}", ask.run, ask.key)).collect()
}

/// All open asks, in pages of two.
async fn paged(scene: &Scene, query: &InboxQuery) -> Vec<Interaction> {
    let mut found: Vec<Interaction> = Vec::new();
    loop {
        let after = found.last().map(|ask| (ask.run.clone(), ask.key.clone()));
        let page = InboxQuery { after, most: 2, ..query.clone() };
        let asks = scene.inbox(&page).await.expect("a page");
        assert!(asks.len() <= 2);
        if asks.is_empty() {
            return found;
        }
        found.extend(asks);
        assert!(found.len() < 100, "the pages have no end");
    }
}

/// Three runs, of which the second asks first.
async fn busy(scene: &Scene) {
    let one = scene.held("one", "w1").await;
    let two = scene.held("two", "w1").await;
    let three = scene.held("three", "w1").await;
    let mut at = three.at;
    for (row, key, kind) in [
        (&two, "z", AskKind::Approval),
        (&one, "b", AskKind::Limit),
        (&three, "a", AskKind::Approval),
        (&one, "a", AskKind::Clarification),
        (&two, "c", AskKind::Approval),
    ] {
        at = At(at.0 + 1_000_000);
        let row = scene.see(&row.id).await;
        let draft = Draft::after(&row).at(at).asks(key, kind);
        scene.step(&row, draft).await;
    }
}

pub async fn the_oldest_ask_comes_first(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    busy(&scene).await;
    let whole = ["two/z", "one/b", "three/a", "one/a", "two/c"];
    assert_eq!(open(&scene, &all_asks()).await, whole);
    assert_eq!(open(&scene, &InboxQuery { most: 2, ..all_asks() }).await, whole[..2]);
    assert_eq!(open(&scene, &InboxQuery { most: 0, ..all_asks() }).await, [""; 0]);
}

/// Two processes may write in another order than their clocks have it.
pub async fn an_ask_can_be_older_than_one_that_was_written_before_it(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let (one, two) = (scene.held("one", "w1").await, scene.held("two", "w1").await);
    scene.step(&two, Draft::after(&two).asks("b", AskKind::Approval)).await;
    scene.step(&one, Draft::after(&one).asks("a", AskKind::Approval)).await;
    assert_eq!(open(&scene, &all_asks()).await, ["one/a", "two/b"]);
    let query = InboxQuery { after: Some(("one".into(), "a".into())), ..all_asks() };
    assert_eq!(open(&scene, &query).await, ["two/b"]);
}

pub async fn asks_are_found_by_run_and_kind(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    busy(&scene).await;
    let check = async |run: Option<&str>, kind: Option<AskKind>, expected: &[&str]| {
        let query = InboxQuery { run: run.map(Into::into), kind, ..all_asks() };
        assert_eq!(open(&scene, &query).await, expected, "{query:?}");
    };
    check(Some("two"), None, &["two/z", "two/c"]).await;
    check(None, Some(AskKind::Approval), &["two/z", "three/a", "two/c"]).await;
    check(Some("one"), Some(AskKind::Limit), &["one/b"]).await;
    check(Some("one"), Some(AskKind::Approval), &[]).await;
    check(Some("nobody"), None, &[]).await;
}

pub async fn asks_are_found_by_the_agent_in_whose_place_to_answer(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    busy(&scene).await;
    let row = scene.held("bridged", "w1").await;
    let ask = |key: &str, agent: &str| Interaction {
        run: "bridged".into(),
        kind: AskKind::AgentResponse,
        agent: Some(agent.into()),
        ..plain(key)
    };
    let draft = Draft::after(&row).opens(ask("x", "ada")).opens(ask("y", "bob"));
    scene.step(&row, draft).await;
    let check = async |agent: &str, expected: &[&str]| {
        let query = InboxQuery { agent: Some(agent.to_owned()), ..all_asks() };
        assert_eq!(open(&scene, &query).await, expected, "{query:?}");
    };
    check("ada", &["bridged/x"]).await;
    check("bob", &["bridged/y"]).await;
    check("a", &[]).await;
    let kept = scene.inbox(&all_asks()).await.expect("the inbox");
    let agents: Vec<_> = kept.iter().filter_map(|ask| ask.agent.as_deref()).collect();
    assert_eq!(agents, ["ada", "bob"]);
}

pub async fn a_page_goes_on_after_the_last_ask_of_the_one_before(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    busy(&scene).await;
    let whole = scene.inbox(&all_asks()).await.expect("the inbox");
    assert_eq!(paged(&scene, &all_asks()).await, whole);
    let approvals = InboxQuery { kind: Some(AskKind::Approval), ..all_asks() };
    assert_eq!(paged(&scene, &approvals).await.len(), 3);
}

pub async fn a_page_can_go_on_after_an_ask_that_was_answered_meanwhile(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    busy(&scene).await;
    let row = scene.see(&"one".into()).await;
    scene.brings(answer(&row, "b", "true")).await;
    let query = InboxQuery { after: Some(("one".into(), "b".into())), ..all_asks() };
    assert_eq!(open(&scene, &query).await, ["three/a", "one/a", "two/c"]);
}

pub async fn pages_lose_none_of_the_asks_that_were_opened_at_one_instant(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    let at = row.at;
    let ask = |key: &str| Interaction { opened_at: at, ..plain(key) };
    let draft = ["d", "b", "e", "a", "c"].iter().map(|key| ask(key));
    scene.step(&row, draft.fold(Draft::after(&row), Draft::opens)).await;
    let whole = scene.inbox(&all_asks()).await.expect("the inbox");
    assert_eq!(whole.len(), 5);
    assert_eq!(paged(&scene, &all_asks()).await, whole);
}

fn plain(key: &str) -> Interaction {
    Interaction {
        run: "one".into(),
        key: key.into(),
        kind: AskKind::Confirmation,
        code: None,
        agent: None,
        prompt: String::new(),
        schema: json("true"),
        deadline: None,
        default: None,
        opened_at: At(0),
        state: AskState::Open,
        answered: None,
    }
}

pub async fn an_ask_comes_back_as_it_was_put(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    let ask = Interaction {
        prompt: "Dürfen wir? 手紙\n\"yes\" ".repeat(9_000),
        schema: json(r#"{ "maximum": 1.00, "type": "number" }"#),
        deadline: Some(At(9)),
        default: Some(json("0.10")),
        opened_at: At(-7),
        ..plain("ok")
    };
    let null = Interaction { default: Some(json("null")), opened_at: At(1), ..plain("null") };
    let draft = Draft::after(&row).opens(ask.clone()).opens(null.clone());
    scene.step(&row, draft).await;
    let put = vec![ask, null];
    assert_eq!(scene.inbox(&all_asks()).await.expect("the inbox"), put);
    for ask in put {
        let found = scene.interaction(&ask.run, &ask.key).await.expect("an answer");
        assert_eq!(found, Some(ask));
    }
}

pub async fn every_kind_of_ask_is_kept(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    let kinds = [
        AskKind::Clarification,
        AskKind::Confirmation,
        AskKind::Approval,
        AskKind::Intervention,
        AskKind::Limit,
        AskKind::AgentResponse,
    ];
    let asks = |draft: Draft, kind: &AskKind| draft.asks(kind.as_str(), *kind);
    scene.step(&row, kinds.iter().fold(Draft::after(&row), asks)).await;
    let found = scene.inbox(&all_asks()).await.expect("the inbox");
    assert_eq!(found.iter().map(|ask| ask.kind).collect::<Vec<_>>(), kinds);
}

pub async fn a_run_that_closes_withdraws_what_it_asked(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    busy(&scene).await;
    let row = scene.see(&"three".into()).await;
    let row = scene.step(&row, Draft::after(&row).asks("b", AskKind::Approval)).await;
    let row = scene.brings(answer(&row, "a", "true")).await;
    let draft = Draft::after(&row).asks("c", AskKind::Approval).closed(Status::Cancelled);
    scene.step(&row, draft).await;
    assert_eq!(open(&scene, &all_asks()).await, ["two/z", "one/b", "one/a", "two/c"]);
    let ends = [("a", AskState::Answered), ("b", AskState::Withdrawn), ("c", AskState::Withdrawn)];
    for (key, state) in ends {
        let ask = scene.interaction(&row.id, &key.into()).await.expect("an answer");
        assert_eq!(ask.map(|ask| ask.state), Some(state), "{key}");
    }
}

/// The engine asks for a higher limit under one key, as often as one is reached.
pub async fn what_is_over_can_be_asked_again_under_the_same_key(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = scene.held("one", "w1").await;
    let row = scene.step(&row, Draft::after(&row).asks("@limit", AskKind::Limit)).await;
    let row = scene.step(&row, Draft::after(&row).asks("other", AskKind::Approval)).await;
    let row = scene.brings(answer(&row, "@limit", "1")).await;
    assert_eq!(open(&scene, &all_asks()).await, ["one/other"]);
    let row = scene.step(&row, Draft::after(&row).asks("@limit", AskKind::Limit)).await;
    assert_eq!(open(&scene, &all_asks()).await, ["one/other", "one/@limit"]);
    let row = scene.brings(answer(&row, "@limit", "2")).await;
    let row = scene.step(&row, Draft::after(&row).asks("@limit", AskKind::Limit)).await;
    scene.step(&row, Draft::after(&row).withdraws("@limit")).await;
    assert_eq!(open(&scene, &all_asks()).await, ["one/other"]);
}

//! Cases about what is found: words, filters, vectors, and whose it is.

use std::sync::Arc;

use consign_contracts::json;
use consign_knowledge::{
    Ask, AskVector, ChunkId, Embedder, Filler, Filters, Index, Progress, SourceQuery, Vector,
};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

use super::documents::{ADA, IndexPlace, ada, ask, contents, find, put};
use crate::documents::{Ideas, MODEL, MemoryIndex, any_question, any_version, document};

fn filters(text: &str) -> Filters {
    let tree = json::parse(text.as_bytes()).expect("JSON");
    Filters::of(tree.as_object().expect("an object"))
}

/// A question of words and of what they mean.
async fn hybrid(question: &str) -> Ask {
    let model = Ideas::default();
    let query = model.question(question).await.expect("it works");
    let calibration = model.model().calibration;
    let vector = AskVector { model: MODEL.to_owned(), query, calibration };
    Ask { vector: Some(vector), ..ask(question) }
}

async fn fill(index: &Arc<dyn Index>) {
    let filler = Filler::new(index.clone(), Arc::new(Ideas::default()));
    while filler.step().await.expect("it can be filled") > 0 {}
}

pub async fn every_form_of_a_word_is_found(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let text = "The refunds were refunded within 14 days.\nInvoices follow ERR_LATE.\n退款将在十四天内支付。";
    put(&*index, document("a", text)).await;
    for question in ["refund", "REFUNDING?", "the refund of 14 days", "refunds refunded"] {
        assert_eq!(find(&*index, &ask(question)).await.total, 1, "{question}");
    }
    for (question, start) in
        [("invoice", "Invoices"), ("late", "Invoices"), ("err_late", "Invoices"), ("退款", "退款")]
    {
        let found = contents(&*index, &ask(question)).await;
        assert!(found.len() == 1 && found[0].starts_with(start), "{question}: {found:?}");
    }
}

pub async fn a_question_finds_in_each_language_of_the_documents(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let german =
        "Die Erstattung der Verträge erfolgt innerhalb von vierzehn Tagen nach Eingang der Ware.";
    let english = "The contracts are refunded within fourteen days after the goods have come back.";
    put(&*index, document("de", german)).await;
    put(&*index, document("en", english)).await;
    assert_eq!(contents(&*index, &ask("Vertrag Erstattung")).await, [german]);
    assert_eq!(contents(&*index, &ask("contract refund")).await, [english]);
    assert_eq!(find(&*index, &ask("der die das")).await.total, 0);
}

pub async fn what_asks_for_nothing_finds_nothing(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let at_all = |question: &str| Ask { min_relevance: 0.0, ..ask(question) };
    assert_eq!(find(&*index, &at_all("refund")).await.total, 0);
    put(&*index, document("a", "The refund is paid.")).await;
    for question in ["", "...", "the", "unknown", "\"refund OR", "refund* NEAR("] {
        let expected = u64::from(question.contains("refund"));
        assert_eq!(find(&*index, &at_all(question)).await.total, expected, "{question}");
    }
}

pub async fn the_minimum_and_the_filters_count_before_top_k(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let lines: Vec<String> =
        (0..20).map(|number| format!("Refund number {number} of the shop.")).collect();
    put(&*index, document("a", &lines.join("\n")).metadata("team", "x")).await;
    put(&*index, document("b", "A refund number elsewhere.")).await;
    let mut ask = ask("refund number");
    let found = find(&*index, &ask).await;
    assert_eq!((found.hits.len(), found.total), (5, 21));
    assert!(found.hits.windows(2).all(|pair| pair[0].relevance >= pair[1].relevance));
    assert!(found.hits.iter().all(|hit| (0.7..=1.0).contains(&hit.relevance)));
    ask.filters = filters(r#"{"team":"x"}"#);
    ask.top_k = 100;
    let found = find(&*index, &ask).await;
    assert_eq!((found.hits.len(), found.total), (20, 20));
    ask.min_relevance = 1.0;
    let found = find(&*index, &ask).await;
    assert_eq!((found.hits.len(), found.total), (0, 0));
    ask.min_relevance = 0.0;
    ask.question = "refund something else entirely".to_owned();
    assert_eq!(find(&*index, &ask).await.total, 20);
    ask.min_relevance = 0.7;
    assert_eq!(find(&*index, &ask).await.total, 0);
}

pub async fn filters_apply_to_documents_and_to_chunks(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let (a, _) = put(
        &*index,
        document("a", "Refund one.\nRefund two.")
            .metadata("year", 2024)
            .metadata("tags", vec!["x", "y"])
            .metadata("kind", "mine")
            .chunk(1, |chunk| chunk.page = Some(2)),
    )
    .await;
    put(&*index, document("b", "Refund three.").collection("other").metadata("year", "2025")).await;
    let check = |text: String, expected: &'static [&'static str]| {
        let index = index.clone();
        async move {
            let ask = Ask { filters: filters(&text), min_relevance: 0.0, ..ask("refund") };
            let mut found = contents(&*index, &ask).await;
            found.sort_unstable();
            assert_eq!(found, expected, "{text}");
        }
    };
    let all = &["Refund one.", "Refund three.", "Refund two."];
    check("{}".to_owned(), all).await;
    check(r#"{"collection":"other"}"#.to_owned(), &["Refund three."]).await;
    check(r#"{"collection":["other","default"]}"#.to_owned(), all).await;
    check(r#"{"year":"2024"}"#.to_owned(), &["Refund one.", "Refund two."]).await;
    check(r#"{"year":[2024,2025]}"#.to_owned(), all).await;
    check(r#"{"tags":"y","page_number":"2"}"#.to_owned(), &["Refund two."]).await;
    check(r#"{"page_number":2}"#.to_owned(), &["Refund two."]).await;
    check(r#"{"layout_type":"table"}"#.to_owned(), &[]).await;
    check(r#"{"layout_type":"text","file_name":"b"}"#.to_owned(), &["Refund three."]).await;
    check(r#"{"kind":"mine"}"#.to_owned(), &[]).await;
    check(r#"{"kind":"txt"}"#.to_owned(), all).await;
    check(r#"{"unknown":"x"}"#.to_owned(), &[]).await;
    check(r#"{"tags":[]}"#.to_owned(), &[]).await;
    check(format!(r#"{{"source_id":"{}"}}"#, a.source), &["Refund one.", "Refund two."]).await;
    check(format!(r#"{{"document_id":"{}","year":2025}}"#, a.document), &[]).await;
}

pub async fn vectors_find_what_words_do_not(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    put(
        &*index,
        document("a", "You get your money back.\nThe parcel comes at noon.\nKittens sleep."),
    )
    .await;
    let ask = hybrid("reimburse").await;
    let found = find(&*index, &ask).await;
    assert_eq!((found.total, found.progress), (0, Progress { done: 0, total: 3 }));
    fill(&index).await;
    let found = find(&*index, &ask).await;
    assert_eq!(found.progress, Progress { done: 3, total: 3 });
    assert_eq!(found.total, 1);
    assert_eq!(found.hits[0].chunk.content, "You get your money back.");
    let ask = Ask { filters: filters(r#"{"collection":"other"}"#), ..ask };
    assert_eq!(find(&*index, &ask).await.total, 0);
}

pub async fn what_has_no_vector_yet_is_found_by_its_words(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    put(&*index, document("a", "You get your money back.")).await;
    fill(&index).await;
    put(&*index, document("b", "We reimburse in cash.")).await;
    let found = find(&*index, &hybrid("reimburse").await).await;
    assert_eq!(found.progress, Progress { done: 1, total: 2 });
    let mut said: Vec<_> = found.hits.iter().map(|hit| hit.chunk.content.as_str()).collect();
    said.sort_unstable();
    assert_eq!(said, ["We reimburse in cash.", "You get your money back."]);
}

pub async fn vectors_of_another_model_are_of_no_use(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let (version, _) =
        put(&*index, document("a", "You get your money back.\nKittens sleep.")).await;
    fill(&index).await;
    let other = Vector::of(&[1.0, 2.0]).expect("a direction");
    let id = ChunkId { document: version.document.clone(), index: 0 };
    let owner = ada();
    let add =
        |model: &'static str| index.add_vectors(&owner, model, vec![(id.clone(), other.clone())]);
    assert_eq!(add(MODEL).await.expect("an answer"), 0, "it has one already");
    assert_eq!(add("other").await.expect("an answer"), 1);
    let progress = |model: &'static str| index.progress(&owner, model);
    assert_eq!(progress("other").await.expect("an answer"), Progress { done: 1, total: 2 });
    assert_eq!(progress(MODEL).await.expect("an answer"), Progress { done: 0, total: 2 });
    assert_eq!(find(&*index, &hybrid("reimburse").await).await.total, 0);
    assert_eq!(index.owners_without_vectors(MODEL).await.expect("an answer"), [ada()]);
    fill(&index).await;
    assert_eq!(find(&*index, &hybrid("reimburse").await).await.total, 1);
}

pub async fn vectors_of_replaced_chunks_are_dropped(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    put(&*index, document("a", "You get your money back.\nKittens sleep.")).await;
    let waiting = index.without_vectors(&ada(), MODEL, 9).await.expect("an answer");
    assert_eq!(waiting.len(), 2);
    put(&*index, document("a", "Kittens sleep and sleep.")).await;
    let vector = Vector::of(&[1.0]).expect("a direction");
    let late: Vec<_> = waiting.into_iter().map(|chunk| (chunk.id, vector.clone())).collect();
    assert_eq!(index.add_vectors(&ada(), MODEL, late).await.expect("an answer"), 0);
    let (now, _) = put(&*index, document("a", "Kittens sleep and sleep.")).await;
    let beyond = ChunkId { document: now.document, index: 7 };
    let added = index.add_vectors(&ada(), MODEL, vec![(beyond, vector)]).await;
    assert_eq!(added.expect("an answer"), 0);
    let progress = index.progress(&ada(), MODEL).await.expect("an answer");
    assert_eq!(progress, Progress { done: 0, total: 1 });
}

pub async fn an_owner_sees_and_weighs_only_their_own(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let text = "The refund is paid.\nThe refund of an invoice.\nInvoices are late.";
    put(&*index, document("a", text)).await;
    fill(&index).await;
    let ask = hybrid("refund invoice money").await;
    let before = find(&*index, &ask).await;
    assert!(before.total > 0);
    let bob = "bob".into();
    let many: Vec<_> = (0..30)
        .map(|number| {
            document(&format!("{number}"), "The refund. Money. Die Rechnung und der Vertrag.")
                .of("bob")
        })
        .collect();
    let theirs = many[0].clone();
    index.put(&bob, many).await.expect("it can be put");
    fill(&index).await;
    assert_eq!(find(&*index, &ask).await, before, "another owner's documents changed the answer");
    for text in [
        format!(r#"{{"source_id":"{}"}}"#, theirs.source),
        format!(r#"{{"document_id":"{}"}}"#, theirs.document),
    ] {
        let ask = Ask { filters: filters(&text), min_relevance: 0.0, ..ask.clone() };
        assert_eq!(find(&*index, &ask).await.total, 0);
    }
    assert_eq!(index.source(&ada(), &theirs.source).await.expect("an answer"), None);
    assert_eq!(index.text(&ada(), &theirs.document, 0..1).await.expect("an answer"), None);
    assert!(index.chunks(&ada(), &theirs.document, 0, 1).await.expect("an answer").is_empty());
    assert!(!index.remove(&ada(), &theirs.source).await.expect("an answer"));
    assert!(!index.set_missing(&ada(), &theirs.source, true).await.expect("an answer"));
    let id = ChunkId { document: theirs.document.clone(), index: 0 };
    let vector = Vector::of(&[1.0]).expect("a direction");
    assert_eq!(index.add_vectors(&ada(), "m", vec![(id, vector)]).await.expect("an answer"), 0);
    assert_eq!(index.find(&"cy".into(), &ask).await.expect("an answer").total, 0);
    let all = index.sources(&bob, &SourceQuery::default()).await.expect("an answer");
    assert!(all.len() == 30 && all.iter().all(|source| !source.missing));
}

pub async fn vectors_are_filled_in_and_go_on_where_they_stopped(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let lines: Vec<String> =
        (0..50).map(|number| format!("The price of number {number}.")).collect();
    put(&*index, document("a", &lines.join("\n"))).await;
    let model = Arc::new(Ideas::failing_after(40));
    let filler = Filler::new(index.clone(), model.clone());
    assert!(filler.step().await.expect("it begins") > 0);
    assert!(filler.step().await.is_err());
    let done = index.progress(&ada(), MODEL).await.expect("an answer").done;
    assert!((1..50).contains(&done));
    let missing = index.without_vectors(&ada(), MODEL, 99).await.expect("an answer").len();
    assert_eq!(missing as u64, 50 - done);
    model.mend();
    while filler.step().await.expect("it goes on") > 0 {}
    let all = index.progress(&ada(), MODEL).await.expect("an answer");
    assert_eq!(all, Progress { done: 50, total: 50 });
    assert!(index.owners_without_vectors(MODEL).await.expect("an answer").is_empty());
}

pub async fn another_process_finds_what_was_written(place: &dyn IndexPlace) {
    let (ours, theirs) = (place.open_index().await, place.open_index().await);
    let ask = hybrid("refund").await;
    for round in 0..3 {
        let (version, _) = put(&*ours, document("a", &format!("The refund {round}.\nMore."))).await;
        assert_eq!(find(&*theirs, &ask).await.progress, Progress { done: 0, total: 2 });
        fill(&ours).await;
        let found = find(&*theirs, &ask).await;
        assert_eq!((found.total, found.progress.done), (1, 2));
        assert_eq!(found.hits[0].chunk.content, format!("The refund {round}."));
        assert!(theirs.remove(&ada(), &version.source).await.expect("an answer"));
        assert_eq!(find(&*ours, &ask).await.total, 0);
    }
}

/// How many random games are played, and how long each is.
const GAMES: usize = 12;
const MOVES: usize = 40;

/// One move of a game.
#[derive(Clone, Debug)]
enum Move {
    Put(Vec<crate::documents::DocumentDraft>),
    Remove(u8, bool),
    Fill(usize),
    Find {
        question: String,
        top_k: usize,
        least: f64,
        filter: Option<&'static str>,
        by_words: bool,
    },
}

fn any_move() -> impl Strategy<Value = Move> {
    let filter = prop::sample::select(
        &[r#"{"tag":1}"#, r#"{"collection":"other"}"#, r#"{"page_number":[1,3]}"#][..],
    );
    let least = prop::sample::select(&[0.0, 0.3, 0.7][..]);
    prop_oneof![
        2 => prop::collection::vec(any_version(), 1..4).prop_map(Move::Put),
        1 => (0..10_u8, any::<bool>()).prop_map(|(source, other)| Move::Remove(source, other)),
        1 => (1..40_usize).prop_map(Move::Fill),
        4 => (any_question(), 1..30_usize, least, prop::option::of(filter), any::<bool>()).prop_map(
            |(question, top_k, least, filter, by_words)| Move::Find { question, top_k, least, filter, by_words }
        ),
    ]
}

/// The same moves, by two peers in turn, give the same answers as an index that goes through everything.
pub async fn an_index_agrees_with_one_in_memory(place: &dyn IndexPlace) {
    let peers = [place.open_index().await, place.open_index().await];
    let (model, mut runner) = (Ideas::default(), TestRunner::deterministic());
    for game in 0..GAMES {
        let (name, oracle) = (format!("{ADA}-{game}"), MemoryIndex::new());
        let owner = consign_engine::Owner::from(name.as_str());
        for number in 0..MOVES {
            let peer = &peers[(game + number) % 2];
            let next = any_move().new_tree(&mut runner).expect("a move").current();
            match next.clone() {
                Move::Put(drafts) => {
                    let versions: Vec<_> =
                        drafts.into_iter().map(|draft| draft.of(&name)).collect();
                    let put = peer.put(&owner, versions.clone()).await.expect("an answer");
                    assert_eq!(put, oracle.put(&owner, versions).await.expect("an answer"));
                }
                Move::Remove(source, other) => {
                    let collection = if other { "other" } else { "default" };
                    let draft = document(&format!("{source}.txt"), "").collection(collection);
                    let source = draft.of(&name).source;
                    let removed = peer.remove(&owner, &source).await.expect("an answer");
                    assert_eq!(removed, oracle.remove(&owner, &source).await.expect("an answer"));
                }
                Move::Fill(most) => {
                    let chunks =
                        oracle.without_vectors(&owner, MODEL, most).await.expect("an answer");
                    let texts = chunks.iter().map(|chunk| chunk.passage()).collect();
                    let vectors = model.passages(texts).await.expect("it works");
                    let vectors: Vec<_> =
                        chunks.into_iter().map(|chunk| chunk.id).zip(vectors).collect();
                    let added =
                        peer.add_vectors(&owner, MODEL, vectors.clone()).await.expect("an answer");
                    assert_eq!(
                        added,
                        oracle.add_vectors(&owner, MODEL, vectors).await.expect("an answer")
                    );
                }
                Move::Find { question, top_k, least, filter, by_words } => {
                    let mut ask = if by_words { ask(&question) } else { hybrid(&question).await };
                    (ask.top_k, ask.min_relevance) = (top_k, least);
                    ask.filters = filters(filter.unwrap_or("{}"));
                    let expected = oracle.find(&owner, &ask).await.expect("an answer");
                    let found = peer.find(&owner, &ask).await.expect("an answer");
                    assert_eq!(found, expected, "game {game}, move {number}: {next:?}");
                }
            }
        }
        let query = SourceQuery { most: 1_000, ..SourceQuery::default() };
        let (ours, theirs) =
            (peers[0].sources(&owner, &query).await, oracle.sources(&owner, &query).await);
        assert_eq!(ours.expect("an answer"), theirs.expect("an answer"));
    }
}

//! Cases about documents that are put, read and removed.
//!
//! `consign_testkit::index_conformance!` makes a test of each, and of those in [`finding`](super::finding), at a new,
//! empty [`IndexPlace`].

use std::sync::Arc;

use async_trait::async_trait;
use consign_contracts::crew::LayoutType;
use consign_engine::Owner;
use consign_knowledge::{
    Ask, Filters, Found, Index, Progress, Put, Source, SourceQuery, Vector, Version,
};

use crate::documents::{DocumentDraft, document};

/// Where an adapter under test keeps documents. Empty at first.
#[async_trait]
pub trait IndexPlace: Send + Sync {
    /// Opens the index here as another process would.
    async fn open_index(&self) -> Arc<dyn Index>;
}

/// Makes one test of each case for an index, at a new, empty
/// [`IndexPlace`](crate::conformance::documents::IndexPlace) each time.
#[macro_export]
macro_rules! index_conformance {
    ($place:expr) => {
        $crate::conformance_cases! { $place;
            documents {
                a_document_comes_back_whole,
                a_new_version_takes_the_place_of_the_old,
                the_same_version_is_left_alone,
                a_new_title_alone_is_a_new_version,
                a_removed_source_is_gone,
                sources_are_listed_page_by_page,
                a_source_that_was_missing_is_there_again,
                a_span_is_exact_wherever_it_lies,
                a_content_of_its_own_is_kept_beside_the_text,
                a_document_without_chunks_is_kept,
                documents_are_there_when_the_index_is_opened_again,
            }
            finding {
                every_form_of_a_word_is_found,
                a_question_finds_in_each_language_of_the_documents,
                what_asks_for_nothing_finds_nothing,
                the_minimum_and_the_filters_count_before_top_k,
                filters_apply_to_documents_and_to_chunks,
                vectors_find_what_words_do_not,
                what_has_no_vector_yet_is_found_by_its_words,
                vectors_of_another_model_are_of_no_use,
                vectors_of_replaced_chunks_are_dropped,
                an_owner_sees_and_weighs_only_their_own,
                vectors_are_filled_in_and_go_on_where_they_stopped,
                another_process_finds_what_was_written,
                an_index_agrees_with_one_in_memory,
            }
        }
    };
}

pub(super) const ADA: &str = "ada";

pub(super) fn ada() -> Owner {
    ADA.into()
}

pub(super) async fn put(index: &dyn Index, draft: DocumentDraft) -> (Version, Put) {
    let version = draft.of(ADA);
    let put = index.put(&ada(), vec![version.clone()]).await.expect("it can be put");
    (version, put[0])
}

/// A question of words alone, with the contract's defaults.
pub(super) fn ask(question: &str) -> Ask {
    let filters = Filters::default();
    Ask { question: question.to_owned(), vector: None, filters, top_k: 5, min_relevance: 0.7 }
}

pub(super) async fn find(index: &dyn Index, ask: &Ask) -> Found {
    index.find(&ada(), ask).await.expect("it can be searched")
}

/// What was found, as text.
pub(super) async fn contents(index: &dyn Index, ask: &Ask) -> Vec<String> {
    find(index, ask).await.hits.into_iter().map(|hit| hit.chunk.content).collect()
}

async fn sources(index: &dyn Index, query: &SourceQuery) -> Vec<Source> {
    index.sources(&ada(), query).await.expect("it can be listed")
}

pub async fn a_document_comes_back_whole(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let draft = document("it's.txt", "Refunds take 14 days.\nZoë pays € 7.")
        .metadata("team", "it's")
        .metadata("tags", vec!["a", "b"])
        .about(|about| {
            about.url = Some("file:///it's.txt".to_owned());
            about.title = Some("Refunds".to_owned());
        })
        .chunk(1, |chunk| {
            chunk.page = Some(2);
            chunk.layout = LayoutType::Table;
            chunk.heading = vec!["Money".to_owned(), "Back".to_owned()];
            chunk.bbox = Some([1.5, 2.0, 3.25, 4.0]);
        });
    let (version, put) = put(&*index, draft).await;
    assert_eq!(put, Put::Taken);
    let source =
        index.source(&ada(), &version.source).await.expect("an answer").expect("it is there");
    assert_eq!((&source.id, &source.document), (&version.source, &version.document));
    assert_eq!((&source.about, source.chunks, source.missing), (&version.about, 2, false));
    assert_eq!(source.length, version.text.len() as u64);
    let chunks = index.chunks(&ada(), &version.document, 0, 9).await.expect("an answer");
    assert_eq!(chunks.len(), 2);
    for (at, (found, given)) in chunks.iter().zip(&version.chunks).enumerate() {
        assert_eq!(found.id.to_string(), format!("{}:{at}", version.document));
        assert_eq!((&found.source, &*found.about), (&version.source, &version.about));
        assert_eq!((found.content.as_str(), &found.span), (version.content(at), &given.span));
        assert_eq!((found.page, found.layout), (given.page, given.layout));
        assert_eq!((&found.heading, found.bbox), (&given.heading, given.bbox));
    }
    let later = index.chunks(&ada(), &version.document, 1, 9).await.expect("an answer");
    assert_eq!(later, chunks[1..]);
    assert_eq!(find(&*index, &ask("money back")).await.hits[0].chunk, chunks[1]);
}

pub async fn a_new_version_takes_the_place_of_the_old(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let (old, _) =
        put(&*index, document("a", "The refund is paid.\nInvoices are sent.\nMore.")).await;
    put(&*index, document("b", "Nothing of it.")).await;
    let (new, status) = put(&*index, document("a", "Parcels are delivered at noon.")).await;
    assert_eq!((status, &new.source), (Put::Replaced, &old.source));
    assert_ne!(new.document, old.document);
    assert_eq!(find(&*index, &ask("refund invoice")).await.total, 0);
    assert_eq!(contents(&*index, &ask("parcel")).await, ["Parcels are delivered at noon."]);
    assert_eq!(index.text(&ada(), &old.document, 0..1).await.expect("an answer"), None);
    assert!(index.chunks(&ada(), &old.document, 0, 9).await.expect("an answer").is_empty());
    assert_eq!(sources(&*index, &SourceQuery::default()).await.len(), 2);
    let all = index.progress(&ada(), "m").await.expect("an answer");
    assert_eq!(all, Progress { done: 0, total: 2 });
}

pub async fn the_same_version_is_left_alone(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let draft = document("a", "The refund is paid.");
    let (version, _) = put(&*index, draft.clone()).await;
    let id = index.chunks(&ada(), &version.document, 0, 1).await.expect("an answer").remove(0).id;
    let vector = Vector::of(&[1.0]).expect("a direction");
    index.add_vectors(&ada(), "m", vec![(id, vector)]).await.expect("an answer");
    let later = draft.about(|about| about.ingested_at.0 += 1);
    assert_eq!(put(&*index, later).await.1, Put::Unchanged);
    let done = index.progress(&ada(), "m").await.expect("an answer");
    assert_eq!(done, Progress { done: 1, total: 1 });
    assert_eq!(find(&*index, &ask("refund")).await.total, 1);
}

pub async fn a_new_title_alone_is_a_new_version(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let draft = document("a", "The refund is paid.");
    let (old, _) = put(&*index, draft.clone()).await;
    let titled = draft.about(|about| about.title = Some("Refunds".to_owned()));
    let (new, status) = put(&*index, titled).await;
    assert_eq!((status, &new.document), (Put::Replaced, &old.document));
    let hit = find(&*index, &ask("refund")).await.hits.remove(0);
    assert_eq!(hit.chunk.about.title.as_deref(), Some("Refunds"));
}

pub async fn a_removed_source_is_gone(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let (gone, _) = put(&*index, document("a", "The refund is paid.").metadata("team", "x")).await;
    let (kept, _) = put(&*index, document("b", "The refund is late.")).await;
    assert!(index.remove(&ada(), &gone.source).await.expect("an answer"));
    assert!(!index.remove(&ada(), &gone.source).await.expect("an answer"));
    assert_eq!(contents(&*index, &ask("refund")).await, ["The refund is late."]);
    assert_eq!(index.source(&ada(), &gone.source).await.expect("an answer"), None);
    assert_eq!(index.text(&ada(), &gone.document, 0..1).await.expect("an answer"), None);
    let ids: Vec<_> =
        sources(&*index, &SourceQuery::default()).await.into_iter().map(|one| one.id).collect();
    assert_eq!(ids, [kept.source]);
    let filters = Filters::default().and("team", "x");
    assert_eq!(find(&*index, &Ask { filters, ..ask("refund") }).await.total, 0);
    // Also when it comes back.
    assert_eq!(put(&*index, document("a", "The refund is paid.")).await.1, Put::Taken);
    assert_eq!(find(&*index, &ask("refund")).await.total, 2);
}

pub async fn sources_are_listed_page_by_page(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let names = [("a", "2"), ("a", "10"), ("b", "1"), ("a", "ä"), ("", "1")];
    let drafts =
        names.map(|(collection, name)| document(name, "Text.").collection(collection).of(ADA));
    let put = index.put(&ada(), drafts.into()).await.expect("it can be put");
    assert_eq!(put, [Put::Taken; 5]);
    let (mut query, mut seen) = (SourceQuery { most: 2, ..SourceQuery::default() }, Vec::new());
    loop {
        let page = sources(&*index, &query).await;
        let Some(last) = page.last() else { break };
        query.after = Some((last.about.collection.clone(), last.about.identifier.clone()));
        seen.extend(page.into_iter().map(|one| (one.about.collection, one.about.identifier)));
    }
    let seen: Vec<_> =
        seen.iter().map(|(collection, name)| (collection.as_str(), name.as_str())).collect();
    assert_eq!(seen, [("", "1"), ("a", "10"), ("a", "2"), ("a", "ä"), ("b", "1")]);
    let only = SourceQuery { collection: Some("b".to_owned()), ..SourceQuery::default() };
    assert_eq!(sources(&*index, &only).await.len(), 1);
    let after = Some(("a".to_owned(), "10".to_owned()));
    let only = SourceQuery { collection: Some("a".to_owned()), after, most: 9 };
    assert_eq!(sources(&*index, &only).await.len(), 2);
}

pub async fn a_source_that_was_missing_is_there_again(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let draft = document("a", "The refund is paid.");
    let (version, _) = put(&*index, draft.clone()).await;
    let missing = || async {
        index
            .source(&ada(), &version.source)
            .await
            .expect("an answer")
            .expect("it is there")
            .missing
    };
    assert!(index.set_missing(&ada(), &version.source, true).await.expect("an answer"));
    assert!(missing().await);
    assert_eq!(find(&*index, &ask("refund")).await.total, 1);
    assert_eq!(put(&*index, draft).await.1, Put::Unchanged);
    assert!(!missing().await);
    let other = document("b", "").of(ADA).source;
    assert!(!index.set_missing(&ada(), &other, true).await.expect("an answer"));
}

pub async fn a_span_is_exact_wherever_it_lies(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let text: String = (0..4_000).map(|number| format!("{number}é€ ")).collect();
    let (version, _) = put(&*index, document("a", &text)).await;
    let owner = ada();
    let part = |span| index.text(&owner, &version.document, span);
    for start in (0..text.len()).step_by(997) {
        for length in [0, 1, 5, 8_191, 8_192, 20_000] {
            let span = start..(start + length).min(text.len());
            let found = part(span.clone()).await.expect("an answer");
            assert_eq!(found.as_deref(), text.get(span.clone()), "{span:?}");
        }
    }
    assert_eq!(part(0..text.len()).await.expect("an answer").as_deref(), Some(text.as_str()));
    assert_eq!(part(0..text.len() + 1).await.expect("an answer"), None);
    #[expect(clippy::reversed_empty_ranges, reason = "somebody may ask for it")]
    let reversed = 5..3;
    assert_eq!(part(reversed).await.expect("an answer"), None);
    let stranger = index.text(&"bob".into(), &version.document, 0..1).await.expect("an answer");
    assert_eq!(stranger, None);
}

pub async fn a_content_of_its_own_is_kept_beside_the_text(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let table = "| Country | Days |\n| --- | --- |\n| France | 14 |";
    let draft = document("a", "Rows.").chunk(0, |chunk| chunk.content = Some(table.to_owned()));
    let (version, _) = put(&*index, draft).await;
    assert_eq!(contents(&*index, &ask("france days")).await, [table]);
    assert_eq!(find(&*index, &ask("rows")).await.total, 0);
    let text = index.text(&ada(), &version.document, 0..5).await.expect("an answer");
    assert_eq!(text.as_deref(), Some("Rows."));
}

pub async fn a_document_without_chunks_is_kept(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let (version, status) = put(&*index, document("empty", "")).await;
    assert_eq!((status, version.chunks.len()), (Put::Taken, 0));
    assert_eq!(put(&*index, document("empty", "")).await.1, Put::Unchanged);
    assert!(index.owners_without_vectors("m").await.expect("an answer").is_empty());
    assert!(index.without_vectors(&ada(), "m", 9).await.expect("an answer").is_empty());
    assert_eq!(find(&*index, &ask("refund")).await.total, 0);
    assert_eq!(put(&*index, document("empty", "Refund.")).await.1, Put::Replaced);
    assert_eq!(find(&*index, &ask("refund")).await.total, 1);
}

pub async fn documents_are_there_when_the_index_is_opened_again(place: &dyn IndexPlace) {
    let index = place.open_index().await;
    let (version, _) = put(&*index, document("a", "The refund is paid.")).await;
    drop(index);
    let index = place.open_index().await;
    assert_eq!(find(&*index, &ask("refund")).await.total, 1);
    assert!(index.remove(&ada(), &version.source).await.expect("an answer"));
}

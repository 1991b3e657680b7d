//! Vectors in the background of a home, by a model that knows a few ideas and takes its time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use consign_app::{
    Home,
    documents::{self, Filling, Progress, Vectored, Vectors, Way},
};
use consign_contracts::{crew::MemoryQuery, json::Object};
use consign_engine::Owner;
use consign_knowledge::{EmbedError, Embedder, Model, Query, Vector};
use consign_testkit::documents::{Ideas, document};
use tempfile::TempDir;

/// Counts what it is asked.
struct Counting {
    ideas: Ideas,
    is_ready: bool,
    questions: AtomicUsize,
    passages: AtomicUsize,
}

impl Counting {
    fn new(is_ready: bool) -> Arc<Self> {
        let (questions, passages) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { ideas: Ideas::default(), is_ready, questions, passages })
    }

    fn passages(&self) -> usize {
        self.passages.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Embedder for Counting {
    fn model(&self) -> &Model {
        self.ideas.model()
    }

    fn is_ready(&self) -> bool {
        self.is_ready
    }

    async fn question(&self, text: &str) -> Result<Query, EmbedError> {
        self.questions.fetch_add(1, Ordering::Relaxed);
        self.ideas.question(text).await
    }

    async fn passages(&self, texts: Vec<String>) -> Result<Vec<Vector>, EmbedError> {
        let vectors = self.ideas.passages(texts).await?;
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.passages.fetch_add(vectors.len(), Ordering::Relaxed);
        Ok(vectors)
    }
}

struct Place {
    home: Home,
    owner: Owner,
    folder: TempDir,
}

impl Place {
    async fn new(model: Arc<dyn Embedder>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut home = Home::open(folder.path().to_owned()).await.unwrap();
        home.vectors = Arc::new(Vectors::of(model));
        Self { home, owner: "ann".into(), folder }
    }

    /// The same home, as another process has it.
    async fn beside(&self, model: Arc<dyn Embedder>) -> Home {
        let mut home = Home::open(self.folder.path().to_owned()).await.unwrap();
        home.vectors = Arc::new(Vectors::of(model));
        home
    }

    /// Takes documents in, of a passage each, without the process that reads files.
    async fn take(&self, texts: impl IntoIterator<Item = String>) -> Vec<String> {
        let one = |(number, text): (usize, String)| {
            document(&format!("{number}.txt"), &text).of(self.owner.as_str())
        };
        let versions: Vec<_> = texts.into_iter().enumerate().map(one).collect();
        let ids = versions.iter().map(|version| version.source.to_string()).collect();
        self.home.library.index.put(&self.owner, versions).await.unwrap();
        ids
    }

    async fn take_many(&self, count: usize) {
        self.take((0..count).map(|number| format!("Sentence number {number}."))).await;
    }

    async fn search(&self, question: &str) -> documents::Answer {
        let query = MemoryQuery {
            query_text: question.to_owned(),
            top_k: None,
            min_relevance_score: None,
            filters: None,
            extra: Object::new(),
        };
        documents::search(&self.home, &self.owner, &query, None).await.unwrap()
    }

    async fn finish(&self, all: bool) -> Vectored {
        documents::finish_vectors(&self.home, &self.owner, all, &mut |_| {}).await.unwrap()
    }
}

fn all(count: u64) -> Vectored {
    Vectored::Done(Progress { done: count, total: count })
}

#[tokio::test]
async fn a_search_finds_by_meaning_what_shares_no_word_and_says_how_far_vectors_are() {
    let model = Counting::new(true);
    let place = Place::new(model.clone()).await;
    place.take(["Kittens sleep all day.".to_owned(), "Parcels come at noon.".to_owned()]).await;
    let before = place.search("cat").await;
    assert_eq!((before.way, before.results.len()), (Way::Text, 0));
    assert_eq!(before.progress, Progress { done: 0, total: 2 });
    assert_eq!(place.finish(true).await, all(2));
    let after = place.search("cat").await;
    assert_eq!((after.way, after.progress), (Way::Hybrid, Progress { done: 2, total: 2 }));
    assert!(after.results[0].hit.chunk.content.contains("Kittens"), "{after:?}");
}

#[tokio::test]
async fn a_model_that_is_not_loaded_is_not_asked_in_vain() {
    let model = Counting::new(false);
    let place = Place::new(model.clone()).await;
    assert_eq!(place.search("cat").await.way, Way::Text);
    place.take(["Kittens sleep all day.".to_owned()]).await;
    place.search("cat").await;
    assert_eq!(model.questions.load(Ordering::Relaxed), 0);
    place.finish(true).await;
    assert_eq!(place.search("cat").await.way, Way::Hybrid);
    assert_eq!(model.questions.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_few_are_finished_and_many_are_left() {
    let place = Place::new(Counting::new(true)).await;
    place.take_many(500).await;
    assert_eq!(place.finish(false).await, Vectored::Left(Progress { done: 0, total: 500 }));
    assert_eq!(place.finish(true).await, all(500));
    let place = Place::new(Counting::new(true)).await;
    place.take_many(20).await;
    assert_eq!(place.finish(false).await, all(20));
}

#[tokio::test]
async fn work_that_is_stopped_goes_on_where_it_was() {
    let model = Counting::new(true);
    let place = Place::new(model.clone()).await;
    place.take_many(400).await;
    let filling = Filling::begin(&place.home, &place.owner);
    while model.passages() < 100 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    filling.end().await;
    let at_the_stop = model.passages();
    let other = place.beside(model.clone()).await;
    let done = documents::finish_vectors(&other, &place.owner, true, &mut |_| {}).await.unwrap();
    assert_eq!(done, all(400));
    assert!(at_the_stop < 400, "it was stopped too late");
    // What was under way at the stop is done again, and nothing else.
    assert!(model.passages() <= 400 + 32, "{}", model.passages());
}

#[tokio::test]
async fn two_at_once_do_the_work_once() {
    let (one, two) = (Counting::new(true), Counting::new(true));
    let place = Place::new(one.clone()).await;
    place.take_many(300).await;
    let other = place.beside(two.clone()).await;
    let (mut seen, owner) = (Vec::new(), place.owner.clone());
    let mut tell = |progress: Progress| seen.push(progress.done);
    let (here, there) = tokio::join!(
        place.finish(true),
        documents::finish_vectors(&other, &owner, true, &mut tell)
    );
    assert_eq!((here, there.unwrap()), (all(300), all(300)));
    assert_eq!(one.passages() + two.passages(), 300);
    assert!(seen.is_sorted() && seen.last() == Some(&300), "{seen:?}");
}

#[tokio::test]
async fn a_server_takes_up_what_was_left_of_every_owner() {
    let model = Counting::new(true);
    let mut place = Place::new(model.clone()).await;
    place.take_many(100).await;
    place.owner = "bob".into();
    place.take_many(100).await;
    let until = async {
        while model.passages() < 200 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        never = documents::fill_in_background(&place.home) => match never {},
        () = until => {}
    }
    assert_eq!(place.finish(true).await, all(100));
}

#[tokio::test]
async fn removing_a_source_leaves_none_of_its_vectors() {
    let place = Place::new(Counting::new(true)).await;
    let sources = place.take(["Kittens sleep.".to_owned(), "A kitten eats.".to_owned()]).await;
    place.finish(true).await;
    assert!(documents::remove(&place.home, &place.owner, &sources[0]).await.unwrap());
    let answer = place.search("cat").await;
    assert_eq!(answer.progress, Progress { done: 1, total: 1 });
    assert_eq!(answer.results.len(), 1);
}

#[tokio::test]
async fn a_model_that_fails_is_told_and_words_are_found_all_the_same() {
    let model = Arc::new(Ideas::failing_after(0));
    let place = Place::new(model.clone()).await;
    place.take(["Kittens sleep all day.".to_owned()]).await;
    let failed = documents::finish_vectors(&place.home, &place.owner, true, &mut |_| {}).await;
    assert!(failed.unwrap_err().to_string().contains("the model of the test stopped"));
    let answer = place.search("kittens sleep").await;
    assert_eq!((answer.way, answer.results.len()), (Way::Text, 1));
    assert!(answer.trouble.is_some());
    model.mend();
    assert_eq!(place.finish(true).await, all(1));
}

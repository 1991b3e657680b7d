//! What the model makes of texts.

use std::{env, sync::OnceLock, time::Duration};

use consign_embeddings::{Arctic, EMBEDDINGS, ModelFolder, Options, State};
use consign_knowledge::{Embedder, Query, Vector};

/// The model, or a word that there is none.
fn model() -> Option<&'static Arctic> {
    static MODEL: OnceLock<Option<Arctic>> = OnceLock::new();
    let load = || {
        let folder = ModelFolder::find(env::var_os("CONSIGN_MODELS").as_deref())?;
        if folder.look(&EMBEDDINGS).ok()? != State::Present {
            println!("skipped: the model is not in {}", folder.path().display());
            return None;
        }
        Some(Arctic::load(&folder, &Options { threads: 2 }).unwrap())
    };
    MODEL.get_or_init(load).as_ref()
}

async fn cosines(model: &Arctic, question: &str, passages: &[&str]) -> Vec<f32> {
    let query = model.question(question).await.unwrap();
    let texts = passages.iter().map(|text| (*text).to_owned()).collect();
    let vectors = model.passages(texts).await.unwrap();
    vectors.iter().map(|vector| query.cosine(vector.scale, &vector.parts)).collect()
}

#[tokio::test]
async fn what_means_the_same_is_nearer_than_what_does_not() {
    let Some(model) = model() else { return };
    let passages = [
        "You get your money back within two weeks.",
        "The office is closed on public holidays.",
        "Kittens sleep for most of the day.",
    ];
    let found = cosines(model, "How long does a refund take?", &passages).await;
    assert!(found[0] > found[1] + 0.03 && found[0] > found[2] + 0.03, "{found:?}");
    let found = cosines(model, "When can nobody be reached at work?", &passages).await;
    assert!(found[1] > found[0] && found[1] > found[2], "{found:?}");
}

#[tokio::test]
async fn a_passage_has_the_same_vector_in_whatever_company() {
    let Some(model) = model() else { return };
    let texts: Vec<String> = (0..40)
        .map(|number| {
            format!("Number {number} says: {}", "many words and more. ".repeat(number % 13))
        })
        .collect();
    let together = model.passages(texts.clone()).await.unwrap();
    for (text, vector) in texts.into_iter().zip(together).step_by(7) {
        let alone = model.passages(vec![text.clone()]).await.unwrap().remove(0);
        let as_query = |vector: &Vector| {
            let numbers: Vec<f32> = vector.parts.iter().map(|part| f32::from(*part)).collect();
            Query::of(&numbers).unwrap()
        };
        let cosine = as_query(&alone).cosine(vector.scale, &vector.parts);
        assert!(cosine > 0.98, "{text}: {cosine}");
    }
}

#[tokio::test]
async fn any_text_has_a_vector() {
    let Some(model) = model() else { return };
    let texts = ["", " ", "[SEP] [CLS]", "\u{0}\u{7}", "東京都", "é\u{301}", "🦀"];
    let mut all: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    all.push("word ".repeat(20_000));
    assert_eq!(model.passages(all.clone()).await.unwrap().len(), all.len());
    for text in &all {
        model.question(text).await.unwrap();
    }
    assert_eq!(model.passages(Vec::new()).await.unwrap(), []);
}

#[tokio::test]
async fn a_question_does_not_wait_for_passages() {
    let Some(model) = model() else { return };
    let texts: Vec<String> =
        (0..200).map(|number| format!("{number} {}", "many words ".repeat(80))).collect();
    let passages = tokio::spawn(model.passages(texts));
    for _ in 0..3 {
        tokio::time::timeout(Duration::from_secs(20), model.question("how many?"))
            .await
            .unwrap()
            .unwrap();
        assert!(!passages.is_finished(), "the passages were done before the question");
    }
    passages.abort();
}

//! What a question costs among many passages, from its text to the passages that are shown, its vector included.

use std::{error::Error, path::Path};

use consign_app::{Home, documents};
use consign_contracts::{
    crew::{LayoutType, MemoryQuery},
    json::Object,
};
use consign_embeddings::Arctic;
use consign_engine::{At, Owner};
use consign_knowledge::{About, Chunk, ChunkId, Draft, Vector, Version};
use serde_json::json;

use super::{Args, Figures, corpus::Chance};
use crate::clock::{meanwhile, rounded, share};

const PASSAGES: usize = 50;
const WORDS_OF_A_PASSAGE: usize = 75;

pub(super) fn measure(args: &Args, folder: &Path) -> Figures {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let home = Home::open(folder.join("home")).await?;
        let (owner, mut chance) = (Owner::from("local"), Chance::new(7));
        fill(&home, &owner, args.chunks, &mut chance).await?;
        let mut times = Vec::new();
        for number in 0..args.questions + 10 {
            let query = MemoryQuery {
                query_text: chance.text(8),
                top_k: None,
                min_relevance_score: None,
                filters: None,
                extra: Object::new(),
            };
            let (cost, answer) = meanwhile(documents::search(&home, &owner, &query, None)).await;
            let answer = answer?;
            if answer.way != documents::Way::Hybrid {
                return Err("it was not a search by meaning: fetch the model".into());
            }
            // The first ones load the model and the vectors.
            if number >= 10 {
                times.push(cost.cpu.as_secs_f64() * 1e3);
            }
        }
        Ok(json!({
            "chunks": args.chunks,
            "questions": args.questions,
            "cpu_p50_ms": rounded(share(times.clone(), 0.5)),
            "cpu_p99_ms": rounded(share(times, 0.99)),
        }))
    })
}

/// Passages of noise, with vectors of noise.
async fn fill(
    home: &Home,
    owner: &Owner,
    chunks: usize,
    chance: &mut Chance,
) -> Result<(), Box<dyn Error>> {
    let index = &home.library.index;
    let model = Arctic::about();
    for number in 0..chunks / PASSAGES {
        let version = document(owner, number, chance)?;
        let document = version.document.clone();
        index.put(owner, vec![version]).await?;
        let vectors = (0..PASSAGES).filter_map(|place| {
            let numbers: Vec<f32> = (0..model.dimensions)
                .map(|_| (chance.next() + chance.next() - 1.0) as f32)
                .collect();
            let index = u32::try_from(place).ok()?;
            Some((ChunkId { document: document.clone(), index }, Vector::of(&numbers)?))
        });
        index.add_vectors(owner, &model.name, vectors.collect()).await?;
    }
    Ok(())
}

fn document(owner: &Owner, number: usize, chance: &mut Chance) -> Result<Version, Box<dyn Error>> {
    let (mut text, mut chunks) = (String::new(), Vec::new());
    for _ in 0..PASSAGES {
        let from = text.len();
        text += &chance.text(WORDS_OF_A_PASSAGE);
        chunks.push(Chunk {
            span: from..text.len(),
            content: None,
            page: Some(1),
            layout: LayoutType::Text,
            heading: Vec::new(),
            bbox: None,
        });
    }
    let about = About {
        collection: "default".to_owned(),
        source_type: "local".to_owned(),
        identifier: format!("{number:06}.txt"),
        url: None,
        checksum: format!("{number:064}"),
        kind: "txt".to_owned(),
        file_type: "txt".to_owned(),
        file_name: None,
        title: None,
        metadata: serde_json::Map::new(),
        pages: 1,
        ingested_at: At(0),
    };
    Version::of(owner, Draft { about, text, chunks }).map_err(|unfit| format!("{unfit:?}").into())
}

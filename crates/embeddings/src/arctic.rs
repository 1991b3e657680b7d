//! Snowflake's arctic-embed-s, by rten.
//!
//! A text's vector is what the network says at its first token. A question gets a sentence put before it; a passage does
//! not. Loading takes a moment and about a hundred megabytes: do it when it is first needed, and once.

use std::{num::NonZero, sync::Arc, thread};

use async_trait::async_trait;
use consign_knowledge::{
    Calibration, EmbedError, Embedder, Language, Languages, Model, Query, Vector,
};
use rten::{ModelOptions, NodeId, RunOptions, ThreadPool, Value, ValueOrView};
use rten_tensor::{NdTensor, prelude::*};
use tokio::{sync::oneshot, task::spawn_blocking};

use crate::{
    batch::batches,
    bundle::EMBEDDINGS,
    folder::ModelFolder,
    tokens::Tokens,
    workers::{Job, Workers},
};

const NAME: &str = "snowflake-arctic-embed-s-int8";
const DIMENSIONS: usize = 384;

/// What questions begin with, as the model was trained.
const QUESTION: &str = "Represent this sentence for searching relevant passages: ";

/// What its cosines and the words together mean, fitted to the sets of `bench/data` by `consign-bench retrieval --fit`.
const CALIBRATION: Calibration = Calibration {
    offset: -10.3,
    coverage: 3.2,
    cosine: 17.2,
    knows: Languages::none().with(Language::English),
    foreign: 0.065,
};

#[derive(Clone, Debug)]
pub struct Options {
    /// How many threads turn passages into vectors.
    pub threads: usize,
}

impl Default for Options {
    /// One for each core, up to four.
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        Self { threads: cores.min(4) }
    }
}

pub struct Arctic {
    model: Model,
    tokens: Arc<Tokens>,
    network: Arc<Network>,
    /// For questions.
    pool: Arc<ThreadPool>,
    workers: Workers,
}

impl Arctic {
    /// Loads the model, and checks its files. It waits for the disk.
    pub fn load(folder: &ModelFolder, options: &Options) -> Result<Self, EmbedError> {
        let file = |at: usize| folder.read(&EMBEDDINGS, &EMBEDDINGS.files[at]).map_err(EmbedError);
        let network = Arc::new(Network::read(file(0)?).map_err(EmbedError)?);
        let tokens = Tokens::read(&file(1)?).map_err(EmbedError)?;
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        let workers = Workers::start(&network, options.threads);
        let workers = workers.map_err(|error| EmbedError(error.to_string()))?;
        let model = Self::about();
        Ok(Self { model, tokens: Arc::new(tokens), network, pool, workers })
    }

    /// What is known of the model without loading it.
    #[must_use]
    pub fn about() -> Model {
        Model { name: NAME.to_owned(), dimensions: DIMENSIONS, calibration: CALIBRATION }
    }
}

#[async_trait]
impl Embedder for Arctic {
    fn model(&self) -> &Model {
        &self.model
    }

    async fn question(&self, text: &str) -> Result<Query, EmbedError> {
        let (tokens, network, pool) =
            (self.tokens.clone(), self.network.clone(), self.pool.clone());
        let text = format!("{QUESTION}{text}");
        let run = spawn_blocking(move || network.run(&[tokens.of(&text)?], &pool));
        let vectors = run.await.map_err(aborted)?.map_err(EmbedError)?;
        let query = vectors.first().and_then(|numbers| Query::of(numbers));
        query.ok_or_else(|| EmbedError("the model gave no direction".to_owned()))
    }

    async fn passages(&self, texts: Vec<String>) -> Result<Vec<Vector>, EmbedError> {
        let tokens = self.tokens.clone();
        let tokens = spawn_blocking(move || {
            texts.iter().map(|text| tokens.of(text)).collect::<Result<Vec<_>, _>>()
        });
        let tokens = tokens.await.map_err(aborted)?.map_err(EmbedError)?;
        let mut order: Vec<(usize, Vec<i32>)> = tokens.into_iter().enumerate().collect();
        order.sort_by_key(|(_, text)| text.len());
        let lengths: Vec<usize> = order.iter().map(|(_, text)| text.len()).collect();
        let mut vectors = vec![None; order.len()];
        let mut order = order.into_iter();
        let mut waiting = Vec::new();
        for batch in batches(&lengths) {
            let (places, texts): (Vec<_>, Vec<_>) = order.by_ref().take(batch.len()).unzip();
            let (to, answer) = oneshot::channel();
            self.workers.post(Job { texts, to }).map_err(EmbedError)?;
            waiting.push((places, answer));
        }
        for (places, answer) in waiting {
            let found = answer.await.map_err(aborted)?.map_err(EmbedError)?;
            for (place, numbers) in places.into_iter().zip(found) {
                vectors[place] = Vector::of(&numbers);
            }
        }
        let all: Option<Vec<Vector>> = vectors.into_iter().collect();
        all.ok_or_else(|| EmbedError("the model gave no direction".to_owned()))
    }
}

fn aborted(cause: impl std::fmt::Display) -> EmbedError {
    EmbedError(format!("the work was aborted: {cause}"))
}

/// The network itself: tokens in, numbers out.
pub(crate) struct Network {
    model: rten::Model,
    ids: NodeId,
    mask: NodeId,
    types: Option<NodeId>,
    output: NodeId,
}

impl Network {
    fn read(bytes: Vec<u8>) -> Result<Self, String> {
        let mut options = ModelOptions::with_all_ops();
        // Without it, short texts take more than twice as long.
        options.prepack_weights(true);
        let model = options.load(bytes).map_err(|error| error.to_string())?;
        let node = |name: &str| model.node_id(name).map_err(|error| error.to_string());
        let output = model.output_ids().first().copied().ok_or("the model has no output")?;
        let (ids, mask) = (node("input_ids")?, node("attention_mask")?);
        let types = model.find_node("token_type_ids");
        Ok(Self { ids, mask, types, output, model })
    }

    /// The vectors of some texts, which are padded to the longest.
    pub(crate) fn run(
        &self,
        texts: &[Vec<i32>],
        pool: &Arc<ThreadPool>,
    ) -> Result<Vec<Vec<f32>>, String> {
        let longest = texts.iter().map(Vec::len).max().unwrap_or_default();
        let shape = [texts.len(), longest];
        let mut ids = NdTensor::<i32, 2>::zeros(shape);
        let mut mask = NdTensor::<i32, 2>::zeros(shape);
        for (row, text) in texts.iter().enumerate() {
            for (column, id) in text.iter().enumerate() {
                ids[[row, column]] = *id;
                mask[[row, column]] = 1;
            }
        }
        let given = |node, tensor: NdTensor<i32, 2>| (node, ValueOrView::from(Value::from(tensor)));
        let mut inputs = vec![given(self.ids, ids), given(self.mask, mask)];
        inputs.extend(self.types.map(|types| given(types, NdTensor::zeros(shape))));
        let options = RunOptions::default().with_thread_pool(Some(pool.clone()));
        let [output] = self
            .model
            .run_n(inputs, [self.output], Some(options))
            .map_err(|error| error.to_string())?;
        let output = NdTensor::<f32, 3>::try_from(output).map_err(|error| error.to_string())?;
        if output.shape() != [texts.len(), longest, DIMENSIONS] {
            return Err(format!("the model gave numbers of shape {:?}", output.shape()));
        }
        let first = |row: usize| (0..DIMENSIONS).map(|part| output[[row, 0, part]]).collect();
        Ok((0..texts.len()).map(first).collect())
    }
}

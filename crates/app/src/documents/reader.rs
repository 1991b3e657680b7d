//! Reads files of strangers in processes of their own: the binary starts itself with a hidden command.

use std::{
    env,
    ffi::OsString,
    io,
    num::NonZero,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use async_trait::async_trait;
use consign_contracts::crew::FileType;
use consign_conversation::{FileReader, Reading, ingest::OcrWish};
use consign_parsers::{
    Document, Limits, Ocr, Options, ParseError, Quality, When,
    child::{Worker, serve},
};

use tokio::sync::Semaphore;

use crate::local_models::{OCR, State, model_folder};

/// The hidden command that [`serve_child`] is behind.
pub const PARSE_CHILD: &str = "parse-child";

/// Idle processes that are kept for the next file.
const MOST_IDLE: usize = 4;

/// Reads files that come on standard input, until it is closed.
pub fn serve_child() -> io::Result<()> {
    serve()
}

/// Reads files in processes of its own, several at a time.
pub(super) struct ChildReader {
    program: PathBuf,
    idle: Arc<Mutex<Vec<Worker>>>,
    /// How many files are read at a time: each may need all the memory that a file may need.
    places: Arc<Semaphore>,
    limits: Limits,
    languages: Option<String>,
}

impl ChildReader {
    pub(super) fn new(limits: Limits, languages: Option<String>) -> Self {
        let program = env::current_exe().unwrap_or_default();
        let places = thread::available_parallelism().map_or(1, NonZero::get) + 1;
        let places = Arc::new(Semaphore::new(places));
        Self { program, idle: Arc::default(), places, limits, languages }
    }

    fn options(&self, reading: Reading) -> Options {
        let Reading { name, wished, password, ocr, force_ocr, time } = reading;
        let mut limits = self.limits.clone();
        if let Some(time) = time {
            limits.time = limits.time.min(time);
        }
        let quality = match ocr {
            Some(OcrWish::Best) => Quality::Best,
            Some(OcrWish::Fast) | None => Quality::Fast,
        };
        let when = if force_ocr { When::Always } else { When::Needed };
        let ocr = Ocr {
            when,
            quality,
            models: ocr_models(),
            tesseract: found("tesseract"),
            languages: self.languages.clone(),
        };
        let wished = wished.as_deref().and_then(FileType::from_word);
        Options { wished, name, password, ocr, limits }
    }
}

#[async_trait]
impl FileReader for ChildReader {
    async fn read(
        &self,
        bytes: Vec<u8>,
        reading: Reading,
        stopped: Box<dyn Fn() -> bool + Send + Sync>,
    ) -> Result<Document, ParseError> {
        let options = self.options(reading);
        let (program, idle) = (self.program.clone(), self.idle.clone());
        let place = self.places.clone().acquire_owned().await;
        let place = place.map_err(|closed| ParseError::Process { details: closed.to_string() })?;
        let working = tokio::task::spawn_blocking(move || {
            let _place = place;
            let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let arguments = [OsString::from(PARSE_CHILD)];
            let mut worker = kept.unwrap_or_else(|| Worker::new(&program, &arguments));
            let read = worker.parse(&bytes, &options, &*stopped);
            let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < MOST_IDLE {
                idle.push(worker);
            }
            read
        });
        working
            .await
            .unwrap_or_else(|cause| Err(ParseError::Process { details: cause.to_string() }))
    }
}

/// The folder of the models that read pictures of text, when they are there. They may come or go while a service runs.
fn ocr_models() -> Option<PathBuf> {
    let folder = model_folder()?;
    match folder.look(&OCR) {
        Ok(State::Missing) | Err(_) => None,
        // What is wrong with damaged files is said when they are read.
        Ok(State::Present | State::Damaged(_)) => Some(folder.path().join(OCR.folder)),
    }
}

/// Where a program is on the path.
fn found(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|program| program.is_file())
}

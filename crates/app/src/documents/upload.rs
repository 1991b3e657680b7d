//! Files that are sent to us: written below the home as they come, and taken in by a run that workers drive.
//!
//! [`Upload::begin`] makes a folder for a run that is not there yet, and holds its lock. [`Upload::file`] and
//! [`Upload::write`] fill it, [`Upload::begin_run`] starts the run. A folder whose lock is free and whose run is not there, or
//! over, is swept away ([`sweep`](super::sweep)); so is one whose upload was given up. What a file is called by its sender
//! names no file of ours.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use consign_conversation::{
    Library,
    ingest::{DEFAULT_COLLECTION, IngestInput, OcrWish, SourceInput, Trusting},
};
use consign_engine::{Owner, Placement, RunId, Settings, Speaker, store};
use consign_files::{Access, Lock, Root, sync_file, trusted};
use serde_json::{Map, Value};

use super::ingest::{Ingest, submission};
use crate::{
    Home,
    error::{Error, Refused},
    machine::{host, random},
};

/// The file whose lock an upload holds, beside the files.
pub(super) const LOCK: &str = "lock";
/// Files of one upload.
const MOST_FILES: usize = 100;
/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 255;
/// How often a folder is tried to be made: one that was swept before its lock was taken is gone.
const TRIES: usize = 3;

/// What may be sent to a home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UploadRules {
    /// Bytes of the files of one upload together.
    pub max_bytes: u64,
    /// Whether callers from outside may name local folders at all.
    pub shares_folders: bool,
}

/// What is said of all files of an upload.
#[derive(Clone, Debug)]
pub struct UploadWishes {
    pub collection: String,
    /// The sender's own facts; searches can be filtered by them.
    pub metadata: Map<String, Value>,
    /// Names the password of sealed files.
    pub credentials_id: Option<String>,
    pub ocr: Option<OcrWish>,
}

impl Default for UploadWishes {
    fn default() -> Self {
        let collection = DEFAULT_COLLECTION.to_owned();
        Self { collection, metadata: Map::new(), credentials_id: None, ocr: None }
    }
}

/// Files that are being sent.
pub struct Upload {
    run: RunId,
    folder: Root,
    path: PathBuf,
    files: Vec<String>,
    open: Option<File>,
    left: u64,
    most: u64,
    /// The run is there: the folder is its own from now on.
    is_taken: bool,
    _lock: Lock,
}

impl Upload {
    /// A folder for files to come.
    pub fn begin(home: &Home) -> Result<Self, Error> {
        let most = home.uploads.max_bytes;
        trusted::create_folders(&home.library.sent, 0o700).map_err(unwritable)?;
        let all = Root::open(&home.library.sent).map_err(unwritable)?;
        let mut last = None;
        for _ in 0..TRIES {
            let run = RunId::from_random(random());
            let name = Library::name_of(&run);
            let path = home.library.sent.join(&name);
            all.create_dir(&name, 0o700).map_err(unwritable)?;
            match Lock::try_file(&path.join(LOCK), Access::Private) {
                Ok(Some(lock)) => {
                    let folder = all.open_dir(&name).map_err(unwritable)?;
                    let (files, open, left) = (Vec::new(), None, most);
                    let is_taken = false;
                    return Ok(Self {
                        run,
                        folder,
                        path,
                        files,
                        open,
                        left,
                        most,
                        is_taken,
                        _lock: lock,
                    });
                }
                Ok(None) => {}
                Err(why) => last = Some(why),
            }
        }
        Err(last.map_or_else(
            || store::Error::Unavailable("no folder for an upload".to_owned()).into(),
            unwritable,
        ))
    }

    /// Begins the next file. `name` is what its sender calls it.
    pub fn file(&mut self, name: &str) -> Result<(), Error> {
        self.end_file()?;
        let name = plain(name).ok_or_else(|| refused("/file", "a file has a name".to_owned()))?;
        if self.files.len() == MOST_FILES {
            return Err(refused("/file", format!("an upload has at most {MOST_FILES} files")));
        }
        if self.files.contains(&name) {
            return Err(refused("/file", format!("two files are called {name:?}")));
        }
        self.files.push(name);
        let number = self.files.len().to_string();
        self.open = Some(self.folder.create_new(number, Access::Private).map_err(unwritable)?);
        Ok(())
    }

    /// Adds to the file that was begun last.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let too_large = || {
            let told = format!("the files of an upload have at most {} bytes", self.most);
            Refused::new("BODY_TOO_LARGE", told)
        };
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
        let Some(file) = &mut self.open else { return Ok(()) };
        file.write_all(bytes).map_err(|cause| unavailable(&cause))
    }

    /// Makes the file that was begun last durable: the run that is to read it is.
    fn end_file(&mut self) -> Result<(), Error> {
        let Some(file) = self.open.take() else { return Ok(()) };
        sync_file(&file, &self.path).map_err(unwritable)
    }

    /// Starts the run that takes the files in, for workers of this machine.
    pub async fn begin_run(
        mut self,
        home: &Home,
        owner: &Owner,
        speaker: &Speaker,
        wishes: UploadWishes,
    ) -> Result<RunId, Error> {
        self.end_file()?;
        if self.files.is_empty() {
            return Err(refused("/file", "send at least one `file`".to_owned()));
        }
        self.folder.sync().map_err(unwritable)?;
        trusted::sync_folder(&home.library.sent).map_err(unwritable)?;
        let name = Library::name_of(&self.run);
        let source = |(number, called): (usize, &String)| SourceInput {
            source_type: "local".to_owned(),
            source_identifier: format!("{name}/{}", number + 1),
            credentials_id: wishes.credentials_id.clone(),
            recursive: false,
            called: Some(called.clone()),
        };
        let input = IngestInput {
            sources: self.files.iter().enumerate().map(source).collect(),
            collection: wishes.collection,
            ocr: wishes.ocr,
            trust: Trusting::Sent,
            metadata: wishes.metadata,
        };
        let run = start(home, owner, speaker, Some(self.run.clone()), input).await?;
        self.is_taken = true;
        Ok(run)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if !self.is_taken
            && let Err(error) = fs::remove_dir_all(&self.path)
        {
            tracing::warn!(%error, "an upload that was given up could not be removed");
        }
    }
}

/// Starts a run that takes in what a caller from outside names, for workers of this machine: local paths below the
/// roots of the settings only.
pub async fn begin_outside(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    input: IngestInput,
) -> Result<RunId, Error> {
    let is_local = |source: &SourceInput| source.source_type == "local";
    if input.sources.iter().any(is_local) && !home.uploads.shares_folders {
        let told = "no folder of this machine is shared: its operator names some as `roots` of [connector] in settings.toml";
        return Err(Refused::new("ADDRESS_NOT_ALLOWED", told).into());
    }
    let sources = input.sources.into_iter().map(|source| SourceInput { called: None, ..source });
    let sources = sources.collect();
    start(home, owner, speaker, None, IngestInput { sources, trust: Trusting::Roots, ..input })
        .await
}

/// The copies that an ingest makes lie on this machine, so a worker of it takes the run.
async fn start(
    home: &Home,
    owner: &Owner,
    speaker: &Speaker,
    id: Option<RunId>,
    input: IngestInput,
) -> Result<RunId, Error> {
    input.check()?;
    let wanted = Ingest { input, id, limits: Default::default(), settings: Settings::default() };
    let submission = submission(owner, speaker, wanted, Placement::Host(host()));
    Ok(home.engine.submit(submission).await?.run)
}

/// The name of a file without the folders of its sender, and without what is no text; `None` if nothing is left.
fn plain(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut plain: String = last.chars().filter(|letter| !letter.is_control()).collect();
    while plain.len() > LONGEST_NAME {
        plain.pop();
    }
    let plain = plain.trim();
    (!plain.is_empty() && plain != "." && plain != "..").then(|| plain.to_owned())
}

fn refused(pointer: &str, told: String) -> Error {
    crate::settings::invalid([(pointer.to_owned(), "value".to_owned(), told)]).into()
}

fn unwritable(error: consign_files::Error) -> Error {
    store::Error::Unavailable(error.to_string()).into()
}

fn unavailable(cause: &std::io::Error) -> Error {
    store::Error::Unavailable(cause.to_string()).into()
}

/// Removes folders of uploads that no run needs: those that nobody is filling, and whose run is over or was never made.
pub(super) async fn sweep(home: &Home) -> Result<(), Error> {
    let Ok(entries) = fs::read_dir(&home.library.sent) else { return Ok(()) };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let Some(run) = name.to_str().and_then(Library::run_of) else { continue };
        // Who holds it fills the folder. It is held until the run is there, so the run is looked for after it.
        let Ok(Some(_lock)) = Lock::try_file(&entry.path().join(LOCK), Access::Private) else {
            continue;
        };
        let is_needed = match home.store().row(&run).await {
            Ok(row) => !row.status.is_closed(),
            Err(store::Error::NotFound(_)) => false,
            Err(error) => return Err(error.into()),
        };
        if !is_needed {
            remove(&entry.path());
        }
    }
    Ok(())
}

fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder) {
        tracing::warn!(%error, "what was sent and is not needed could not be removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_a_file_and_nothing_else() {
        for (given, name) in [
            ("report.pdf", Some("report.pdf")),
            ("/etc/passwd", Some("passwd")),
            ("..\\..\\a b.txt", Some("a b.txt")),
            ("C:\\x\\Grüße.md", Some("Grüße.md")),
            ("a\0b\n\u{1b}[2J.txt", Some("ab[2J.txt")),
            ("..", None),
            ("a/..", None),
            ("a/", None),
            (" \t", None),
            ("", None),
        ] {
            assert_eq!(plain(given).as_deref(), name, "{given:?}");
        }
        let long = plain(&"é".repeat(400)).unwrap();
        assert!(long.len() <= LONGEST_NAME && long.len() > 250);
    }

    async fn home(folder: &Path) -> Home {
        Home::open(folder.to_owned()).await.unwrap()
    }

    fn folders(home: &Home) -> usize {
        fs::read_dir(&home.library.sent).map_or(0, Iterator::count)
    }

    #[tokio::test]
    async fn an_upload_is_bounded_and_gone_when_it_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut home = home(folder.path()).await;
        home.uploads.max_bytes = 10;
        let mut upload = Upload::begin(&home).unwrap();
        upload.file("a.txt").unwrap();
        upload.write(b"12345").unwrap();
        assert!(upload.file("x/a.txt").is_err(), "the same name again");
        upload.file("b.txt").unwrap();
        upload.write(b"12345").unwrap();
        let Err(Error::Refused(why)) = upload.write(b"6") else { panic!("it has room for more") };
        assert_eq!(why.code, "BODY_TOO_LARGE");
        assert_eq!(folders(&home), 1);
        drop(upload);
        assert_eq!(folders(&home), 0);
    }

    #[tokio::test]
    async fn what_nobody_fills_and_no_run_needs_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path()).await;
        let upload = Upload::begin(&home).unwrap();
        let left = home.library.sent.join("0000000000000000");
        fs::create_dir(&left).unwrap();
        fs::write(left.join("1"), "left").unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        let speaker = Speaker::person("test");
        let mut queued = Upload::begin(&home).unwrap();
        queued.file("a.txt").unwrap();
        queued.write(b"said").unwrap();
        let owner = Owner::from("local");
        let run = queued.begin_run(&home, &owner, &speaker, UploadWishes::default());
        let run = run.await.unwrap();
        sweep(&home).await.unwrap();
        assert!(!left.exists(), "a process that filled it has died");
        assert!(upload.path.exists(), "it is being filled");
        assert!(home.library.sent_to(&run).join("1").exists(), "its run is to go on");
    }

    #[tokio::test]
    async fn a_caller_from_outside_names_no_folder_unless_one_is_shared() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path()).await;
        let source = SourceInput {
            source_type: "local".to_owned(),
            source_identifier: "/etc".to_owned(),
            credentials_id: None,
            recursive: true,
            called: Some("x".to_owned()),
        };
        let input = IngestInput {
            sources: vec![source],
            collection: "default".to_owned(),
            ocr: None,
            trust: Trusting::Named,
            metadata: Map::new(),
        };
        let (owner, speaker) = (Owner::from("local"), Speaker::person("test"));
        let refused = begin_outside(&home, &owner, &speaker, input).await;
        let Err(Error::Refused(why)) = refused else { panic!("it was taken: {refused:?}") };
        assert_eq!(why.code, "ADDRESS_NOT_ALLOWED");
    }
}

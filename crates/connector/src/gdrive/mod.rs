//! Google Drive: one file, or the files of a folder.
//!
//! Files are fetched as they are. Google's own documents have no bytes, and are exported: Docs as DOCX, Sheets
//! as XLSX, Slides as PPTX, because these keep headings, tables, sheets and notes, and drawings as PDF. A
//! shortcut is followed to its file. What has no document in it (forms, sites, maps) is skipped.
//!
//! A folder is listed whole before its first file is fetched, and its files come by name. With `recursive` its
//! folders follow. Every file and folder is taken once, however many ways lead to it.

mod answer;
mod api;
mod id;
mod token;

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use consign_contracts::crew::SourceType;
use serde_json::{Map, Value, json};

use self::{
    answer::{File, SHORTCUT},
    api::Api,
};
use crate::{
    Code, Credential, Destination, Error, Fetch, Fetched, Item, KindHint, Known, Past, Skipped,
    Summary, Unchanged, Validators,
    error::Limit,
    http::Http,
    item::PATIENCE,
    known::{DriveStamp, Of},
    web::total,
};

/// A file, or the files of a folder.
pub(crate) struct Drive {
    http: Arc<Http>,
    api: Api,
    into: Destination,
    recursive: bool,
    start: String,
    ahead: VecDeque<Ahead>,
    seen: HashSet<String>,
    looked_at: u64,
    until: Duration,
    cut: Vec<Error>,
}

enum Ahead {
    /// What was named: a file or a folder.
    Start,
    File(Box<File>, String),
    Folder {
        id: String,
        drive: Option<String>,
        path: String,
        depth: u32,
    },
}

impl Drive {
    pub(crate) fn new(
        http: Arc<Http>,
        fetch: &Fetch,
        into: Destination,
        credential: Option<Credential>,
    ) -> Result<Self, Error> {
        let start = id::id(&fetch.identifier)?;
        let until = http.parts.clock.ticks() + http.options.max_total_time;
        let api = Api::new(http.clone(), credential, until)?;
        Ok(Self {
            http,
            api,
            into,
            recursive: fetch.recursive,
            seen: HashSet::from([start.clone()]),
            start,
            ahead: VecDeque::from([Ahead::Start]),
            looked_at: 0,
            until,
            cut: Vec::new(),
        })
    }

    pub(crate) async fn next(
        &mut self,
        known: &dyn Known,
        summary: &mut Summary,
    ) -> Result<Option<Item>, Error> {
        let began = self.http.parts.clock.ticks();
        loop {
            if self.http.parts.clock.ticks().saturating_sub(began) >= PATIENCE {
                return Ok(Some(Item::NotYet));
            }
            let Some(ahead) = self.ahead.front() else {
                let identifier = self.start.clone();
                let told = |error| Item::Skipped(Skipped { identifier, error });
                return Ok(self.cut.pop().map(told));
            };
            if let Some(error) = self.over(summary) {
                self.ahead.clear();
                self.cut.push(error);
                continue;
            }
            match ahead {
                Ahead::Start => {
                    let found = self.api.file(&self.start).await;
                    self.ahead.pop_front();
                    match found {
                        Ok(file) => self.came(file, "", 0, true, summary),
                        Err(error) => return Ok(Some(skipped(&self.start, error))),
                    }
                }
                Ahead::Folder { id, drive, path, depth } => {
                    let (id, path, depth) = (id.clone(), path.clone(), *depth);
                    let most = self.http.options.max_files.saturating_sub(self.looked_at);
                    let listed = self.api.list(&id, drive.as_deref(), most).await;
                    self.ahead.pop_front();
                    match listed {
                        Ok((files, is_cut)) => self.enter(files, is_cut, &path, depth, summary),
                        Err(error) => return Ok(Some(skipped(&id, error))),
                    }
                }
                Ahead::File(file, path) => {
                    let (file, path) = (file.clone(), path.clone());
                    let item = self.take(&file, &path, known, summary).await?;
                    self.ahead.pop_front();
                    self.looked_at += 1;
                    if item.is_some() {
                        return Ok(item);
                    }
                }
            }
        }
    }

    fn over(&self, summary: &Summary) -> Option<Error> {
        let options = &self.http.options;
        if self.looked_at >= options.max_files {
            let why = format!("files after the first {} are left out", options.max_files);
            Some(Error::too_large(Limit::Files, why))
        } else if summary.bytes >= options.max_total_bytes {
            Some(total(options.max_total_bytes))
        } else if self.http.parts.clock.ticks() >= self.until {
            let seconds = options.max_total_time.as_secs_f64();
            let why = format!("the folder took longer than {seconds} s: the rest is left out");
            Some(Error { limit: Some(Limit::Seconds), ..Error::timeout(why) })
        } else {
            None
        }
    }

    /// Puts what a folder has ahead of what was ahead: its files by name, then its folders.
    fn enter(
        &mut self,
        files: Vec<File>,
        is_cut: bool,
        path: &str,
        depth: u32,
        summary: &mut Summary,
    ) {
        if is_cut {
            let why = "Google Drive did not list the whole folder: some of its files are left out";
            self.cut.push(Error::too_large(Limit::Files, why));
        }
        let later = std::mem::take(&mut self.ahead);
        let mut files = files;
        files.sort_by(|one, other| {
            let key = |file: &File| (file.is_folder(), file.name.clone(), file.id.clone());
            key(one).cmp(&key(other))
        });
        for file in files {
            let id = file.target().to_owned();
            if self.seen.insert(id) {
                self.came(file, path, depth, false, summary);
            } else {
                summary.duplicates += 1;
            }
        }
        self.ahead.extend(later);
    }

    fn came(&mut self, file: File, path: &str, depth: u32, named: bool, summary: &mut Summary) {
        if !file.is_folder() {
            self.ahead.push_back(Ahead::File(Box::new(file), path.to_owned()));
        } else if !named && !self.recursive {
            summary.folders_not_entered += 1;
        } else if depth >= self.http.options.max_depth {
            let why = format!("folders more than {depth} deep are left out");
            let is_told = self.cut.iter().any(|cut| cut.limit == Some(Limit::Depth));
            if !is_told {
                self.cut.push(Error::too_large(Limit::Depth, why));
            }
        } else {
            let path =
                if path.is_empty() { file.name.clone() } else { format!("{path}/{}", file.name) };
            let (id, drive) = (file.target().to_owned(), file.drive_id.clone());
            self.ahead.push_back(Ahead::Folder { id, drive, path, depth: depth + 1 });
        }
    }

    async fn take(
        &mut self,
        file: &File,
        path: &str,
        known: &dyn Known,
        summary: &mut Summary,
    ) -> Result<Option<Item>, Error> {
        let identifier = file.target().to_owned();
        let before = match known.past(&identifier) {
            Some(Past::Done(_)) => {
                summary.done_before += 1;
                return Ok(None);
            }
            Some(Past::Before(validators)) => Some(validators),
            None => None,
        };
        let fetched = self.fetch(file, path, before.as_ref(), summary).await;
        match fetched {
            Ok(item) => Ok(Some(item)),
            Err(error) if error.code == Code::Home => Err(error),
            Err(error) => Ok(Some(skipped(&identifier, error))),
        }
    }

    async fn fetch(
        &mut self,
        file: &File,
        path: &str,
        before: Option<&Validators>,
        summary: &Summary,
    ) -> Result<Item, Error> {
        let looked_up;
        let file = match file.mime_type.as_str() {
            SHORTCUT => {
                looked_up = self.api.file(file.target()).await?;
                &looked_up
            }
            _ => file,
        };
        let stamp = file.stamp();
        if let Some(before) = before
            && let Of::Gdrive(old) = &before.of
            && is_same(old, &stamp)
        {
            let (identifier, checksum) = (file.id.clone(), before.checksum.clone());
            let validators = Validators { checksum: checksum.clone(), of: Of::Gdrive(stamp) };
            return Ok(Item::Unchanged(Unchanged { identifier, checksum, validators }));
        }
        let export = file.export()?;
        let options = &self.http.options;
        let left = options.max_total_bytes.saturating_sub(summary.bytes);
        let most = options.max_bytes.min(left);
        if file.size().is_some_and(|size| size > options.max_bytes) {
            return Err(crate::destination::too_large(options.max_bytes));
        }
        if file.size().is_some_and(|size| size > left) {
            return Err(total(options.max_total_bytes));
        }
        let copy = self.api.download(file, export, &self.into, most).await?;
        if let Some(sum) = &stamp.sha256
            && export.is_none()
            && !sum.eq_ignore_ascii_case(&copy.checksum)
        {
            self.into.discard(&copy.file)?;
            let why = "the bytes are not those that Google Drive says the file has";
            return Err(Error { recoverable: true, ..Error::unreachable(why) });
        }
        let validators = Validators { checksum: copy.checksum.clone(), of: Of::Gdrive(stamp) };
        if before.is_some_and(|before| before.checksum == copy.checksum) {
            self.into.discard(&copy.file)?;
            let (identifier, checksum) = (file.id.clone(), copy.checksum);
            return Ok(Item::Unchanged(Unchanged { identifier, checksum, validators }));
        }
        let content_type = export.map_or(file.mime_type.as_str(), |export| export.mime_type);
        Ok(Item::Fetched(Box::new(Fetched {
            source_type: SourceType::Gdrive,
            identifier: file.id.clone(),
            file: copy.file,
            size: copy.size,
            checksum: copy.checksum,
            source_metadata: metadata(file, path, export.map(|export| export.mime_type)),
            source_url: file.web_view_link.clone(),
            hint: KindHint {
                file_name: Some(crate::text::one_line(&file.name)),
                ..KindHint::of_content_type(Some(content_type))
            },
            validators,
        })))
    }
}

/// Whether a file is the one that was fetched. Of Google's own documents only the time is known.
fn is_same(old: &DriveStamp, new: &DriveStamp) -> bool {
    match (&new.sha256, &new.md5) {
        (Some(sum), _) => old.sha256.as_ref() == Some(sum),
        (None, Some(sum)) => old.md5.as_ref() == Some(sum),
        (None, None) => new.modified.is_some() && old == new,
    }
}

fn metadata(file: &File, path: &str, exported: Option<&str>) -> Map<String, Value> {
    let mut metadata = file.said.clone();
    metadata.remove("exportLinks");
    if !path.is_empty() {
        metadata.insert("path".to_owned(), json!(format!("{path}/{}", file.name)));
    }
    if let Some(exported) = exported {
        metadata.insert("exported_as".to_owned(), exported.into());
    }
    metadata
}

fn skipped(identifier: &str, error: Error) -> Item {
    Item::Skipped(Skipped { identifier: identifier.to_owned(), error })
}

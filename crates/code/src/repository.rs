//! A repository on disk, opened for one question.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{Cancel, Error, Hides, Limits, hidden_paths::HiddenPaths, root::Root, walk::Listing};

/// The entry point. Each method is in the file of its result: `search` in `search.rs`,
/// `find_symbol` in `symbols.rs` and so on.
///
/// Paths in and out are relative to the root, with `/`.
pub struct Repository {
    pub(crate) root: Root,
    pub(crate) limits: Limits,
    pub(crate) cancel: Cancel,
    /// Whether folders of output are recognised by marks, and not by their names.
    by_marks: bool,
    listing: Mutex<Option<Arc<Listing>>>,
}

impl Repository {
    /// Opens a directory with the default limits, never cancelled.
    ///
    /// # Errors
    /// [`Error::Root`] if it is not a directory that can be read.
    pub fn open(root: &Path) -> Result<Self, Error> {
        Self::open_with(root, Limits::default(), Cancel::new())
    }

    /// Opens a directory. The root is resolved once, links and all; from then on it is a handle.
    ///
    /// # Errors
    /// [`Error::Root`] if it is not a directory that can be read.
    pub fn open_with(root: &Path, limits: Limits, cancel: Cancel) -> Result<Self, Error> {
        let root = Root::open(root)?.with_hidden(HiddenPaths::default());
        Ok(Self { root, limits, cancel, by_marks: false, listing: Mutex::default() })
    }

    /// This repository without what is hidden: nothing of it is listed, walked into, counted or
    /// read, and naming it gives [`Error::Hidden`]. A link is hidden if its target is.
    #[must_use]
    pub fn hiding(self, hides: Hides) -> Self {
        Self {
            root: self.root.with_hidden(HiddenPaths::new(hides)),
            listing: Mutex::default(),
            ..self
        }
    }

    /// This repository, with folders such as `build` and `bin` left out only where something in or
    /// beside them shows that they were built. For callers that count source and accept the cost of
    /// a look into each.
    #[must_use]
    pub fn telling_output_by_marks(self) -> Self {
        Self { by_marks: true, listing: Mutex::default(), ..self }
    }

    /// Its path, without links.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The files, listed once. A list that time cut short is not kept.
    pub(crate) fn listing(&self) -> Result<Arc<Listing>, Error> {
        let mut kept = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = kept.as_ref() {
            return Ok(listing.clone());
        }
        let listing =
            Arc::new(crate::walk::list(&self.root, &self.limits, self.by_marks, &self.cancel)?);
        if !listing.late {
            *kept = Some(listing.clone());
        }
        Ok(listing)
    }
}

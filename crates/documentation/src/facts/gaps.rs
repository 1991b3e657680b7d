//! What was not read of a repository, and what therefore cannot be said of it.
//!
//! That a name is in no file that was read says nothing while files are missing. [`Gaps::hide`] tells for each kind of
//! reference whether it may be in what is missing: such a reference is "not looked up", and never wrong.

use consign_code::Language;

use super::{
    layout::{self, is_lock, is_prose, name_of},
    manifests,
};
use crate::{IssueKind, Snapshot, WhyLeftOut};

/// What is not known of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Gaps {
    /// Files that may have code, of which the text or its end is not known.
    pub files: usize,
    /// Not even the paths of all files are known.
    pub paths: bool,
    /// A manifest or a licence is among the files.
    pub manifests: bool,
    /// Links and submodules, by name: what lies below them is not known.
    #[serde(skip)]
    places: Vec<String>,
}

impl Gaps {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let mut gaps = Self { paths: snapshot.truncated, ..Self::default() };
        for file in &snapshot.left_out {
            let path = file.path.as_str();
            let has_code = !is_prose(path) && !is_lock(path);
            let counts = match file.why {
                WhyLeftOut::Binary => false,
                WhyLeftOut::Bound | WhyLeftOut::Unreadable | WhyLeftOut::Budget => has_code,
                // What is that large and in no language that is known is no code.
                WhyLeftOut::Large => has_code && Language::of(path).is_some(),
                WhyLeftOut::Link | WhyLeftOut::Submodule => {
                    gaps.places.push(name_of(path).to_owned());
                    file.why == WhyLeftOut::Submodule
                }
            };
            gaps.files += usize::from(counts);
            let is_file = !matches!(file.why, WhyLeftOut::Binary | WhyLeftOut::Link);
            gaps.manifests |=
                is_file && (manifests::is_manifest(path) || layout::is_licence(&path));
        }
        let cut = snapshot.files.iter().filter(|(path, file)| {
            file.cut && !is_prose(path) && !is_lock(path) && Language::of(path).is_some()
        });
        gaps.files += cut.count();
        gaps
    }

    /// Whether nothing is missing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.files == 0 && !self.paths
    }

    /// Whether a reference that was not found may be in what was not read.
    #[must_use]
    pub fn hide(&self, kind: IssueKind, reference: &str) -> bool {
        match kind {
            IssueKind::Command
            | IssueKind::Option
            | IssueKind::Environment
            | IssueKind::Name
            | IssueKind::Endpoint => !self.is_none(),
            // Code may make the file that a document speaks of.
            IssueKind::Path => !self.is_none() || self.is_below(reference),
            IssueKind::Link => self.paths || self.is_below(reference),
            IssueKind::Version | IssueKind::Licence => self.paths || self.manifests,
            IssueKind::Block | IssueKind::Section => false,
        }
    }

    /// Whether a path leads through a link or a submodule.
    fn is_below(&self, path: &str) -> bool {
        let path = path.split(['#', '?']).next().unwrap_or(path).trim_end_matches('/');
        let mut folders = path.split('/').rev().skip(1);
        folders.any(|folder| self.places.iter().any(|place| place == folder))
    }

    /// What is missing, in words.
    #[must_use]
    pub fn told(&self) -> String {
        match (self.files, self.paths) {
            (0, true) => "not all files of the repository are known".to_owned(),
            (1, false) => "1 file of the repository was not read".to_owned(),
            (files, false) => format!("{files} files of the repository were not read"),
            (files, true) => {
                format!("{files} files of the repository were not read, and not all are known")
            }
        }
    }
}

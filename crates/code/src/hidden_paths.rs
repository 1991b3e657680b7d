//! Hides parts of a repository.
//!
//! Three things are hidden: what the caller hides ([`Repository::hiding`]), what belongs to git itself,
//! where tokens are, and names with control characters, which would forge lines in an answer. A path is
//! judged as it is on disk, without links, by [`crate::root`], through which everything is opened, and
//! by [`crate::walk`], so that nothing hidden is listed, counted or read.
//!
//! [`Repository::hiding`]: crate::Repository::hiding

use std::sync::Arc;

use crate::Error;

/// Whether a path is hidden: relative to the root, with `/`, without links. What is in a folder that is
/// hidden is hidden too, whatever this says of it.
pub type Hides = Arc<dyn Fn(&str) -> bool + Send + Sync>;

#[derive(Clone, Default)]
pub(crate) struct HiddenPaths {
    hides: Option<Hides>,
}

impl HiddenPaths {
    pub(crate) fn new(hides: Hides) -> Self {
        Self { hides: Some(hides) }
    }

    /// Whether the caller hides something, besides what is always hidden.
    pub(crate) fn has_rule(&self) -> bool {
        self.hides.is_some()
    }

    /// Whether a path is hidden, in a folder that is not.
    pub(crate) fn hides(&self, path: &str) -> bool {
        path.contains(char::is_control)
            || is_of_git(path)
            || self.hides.as_ref().is_some_and(|hides| hides(path))
    }

    /// Judges `real` and every folder on the way to it; `asked` is what errors call it.
    pub(crate) fn check(&self, real: &str, asked: &str) -> Result<(), Error> {
        if is_of_git(real) {
            return Err(Error::OfGit { path: asked.to_owned() });
        }
        let folders = real.match_indices('/').map(|(end, _)| &real[..end]);
        // The root itself is where everything is: nothing would be left without it.
        let mut ways = folders.chain((!real.is_empty()).then_some(real));
        if ways.any(|way| self.hides(way)) {
            return Err(Error::Hidden { path: asked.to_owned() });
        }
        Ok(())
    }
}

/// Whether a path belongs to git, in any case: a file system may not distinguish cases.
fn is_of_git(path: &str) -> bool {
    path.split(['/', '\\']).any(|name| name.eq_ignore_ascii_case(".git"))
}

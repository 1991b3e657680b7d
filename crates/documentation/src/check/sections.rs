//! Required sections.

use super::{Checker, IssueKind};
use crate::{check::critique::Issue, markdown::Document};

pub(super) fn look_up(checker: &mut Checker<'_>, document: &Document) {
    for name in checker.contract.missing(document) {
        checker.issues.insert(Issue::new(IssueKind::Section, 0, name, None));
    }
}

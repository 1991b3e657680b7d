//! Pages of an earlier major version, which stay where they are when the code goes on.

use super::Checker;
use crate::facts::is_major;

/// Whether the document lies in a folder such as `v1`, and the repository is at a later major version: by its main
/// package, or by another such folder beside this one.
pub(super) fn is_past(checker: &Checker<'_>) -> bool {
    let mut above = String::new();
    for part in checker.path.split('/') {
        if is_major(part) && checker.path.len() > above.len() + part.len() {
            let beside = checker.snapshot.paths().filter_map(|path| {
                let part = path.strip_prefix(&above)?.split('/').next()?;
                number(part)
            });
            let newest = beside.chain(current(checker)).max();
            return number(part).is_some_and(|own| newest.is_some_and(|newest| own < newest));
        }
        above.push_str(part);
        above.push('/');
    }
    false
}

/// The major version of the main package: of its version, or of the end of its module's path.
fn current(checker: &Checker<'_>) -> Option<u64> {
    let main = checker.facts.main_package()?;
    let by_name = main.name.rsplit('/').next().and_then(number);
    let by_version = || main.version.as_deref()?.split('.').next()?.parse().ok();
    by_name.or_else(by_version)
}

/// The number of `v2`.
fn number(part: &str) -> Option<u64> {
    part.strip_prefix('v').filter(|_| is_major(part))?.parse().ok()
}

//! `setup.py`, read as text: it is a program, and is not run.

use super::{
    kind::{Manifest, Use, quoted},
    python::require,
};

pub(super) fn read(text: &str, manifest: &mut Manifest) {
    let mut list: Option<Use> = None;
    for (at, line) in text.lines().enumerate() {
        let said = line.trim();
        for (key, used) in [("install_requires", Use::Runtime), ("tests_require", Use::Development)]
        {
            if said.starts_with(key) && said.contains('[') {
                list = Some(used);
            }
        }
        if let Some(used) = list {
            let start = said.find('[').map_or(0, |at| at + 1);
            for word in quoted(said.get(start..).unwrap_or_default()) {
                require(word, used, at + 1, manifest);
            }
            if said.ends_with(']') || said.ends_with("],") {
                list = None;
            }
        } else if let Some(rest) = said.strip_prefix("name=") {
            manifest.call(quoted(rest).first().copied().unwrap_or_default());
        } else if let Some(rest) = said.strip_prefix("author=") {
            manifest.author(quoted(rest).first().copied().unwrap_or_default());
        }
    }
}

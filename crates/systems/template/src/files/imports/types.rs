//! Languages whose files are found by the types in them: Java, Kotlin, C#, PHP, Ruby and their like.
//!
//! A file is usually called after its type. So whatever a file mentions that is the name of another
//! file is taken to be wanted by it; what is written as an import of a file (`require_relative`,
//! `import 'a.dart'`) is followed besides. What is not mentioned by such a name cannot be missed.

use std::collections::BTreeSet;

use super::{
    Import, Index,
    index::{folder, join, stem},
};
use crate::placeholders::{Casing, words};

/// Files of one name; more is a convention (`index`, `mod`) and no type.
const MOST: usize = 4;

pub(super) fn imports(index: &Index, path: &str, content: &str) -> Vec<Import> {
    let ending = path.rsplit('.').next().unwrap_or("");
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    let letters = |it: char| !(it.is_alphanumeric() || it == '_');
    for word in content.split(letters) {
        if word.len() < 2 || !word.starts_with(char::is_uppercase) || !seen.insert(word) {
            continue;
        }
        let snake = Casing::Snake.write(&words(word));
        for name in [word, snake.as_str()] {
            if name == stem(path) {
                continue;
            }
            let files = index.stem(name).iter().filter(|it| it.rsplit('.').next() == Some(ending));
            let files: Vec<String> = files.filter(|it| *it != path).cloned().collect();
            if !files.is_empty() && files.len() <= MOST {
                all.push(Import::new(word, files));
            }
        }
    }
    for line in content.lines().map(str::trim) {
        let relative = line.strip_prefix("require_relative ").or_else(|| {
            line.strip_prefix("import ")
                .or_else(|| line.strip_prefix("part "))
                .filter(|_| ending == "dart")
        });
        let Some(to) = relative.and_then(|rest| rest.split(['\'', '"']).nth(1)) else { continue };
        if to.contains(':') {
            continue;
        }
        let at = join(folder(path), to).unwrap_or_default();
        let file = index.first([at.clone(), format!("{at}.{ending}")]);
        all.push(Import::new(to, file.into_iter().collect()));
    }
    all
}

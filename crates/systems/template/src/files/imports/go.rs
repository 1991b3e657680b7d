//! Go: the files of a folder are one package, and a package is imported by the module's name and its
//! folder.

use super::{
    Import, Index,
    index::{folder, join},
};

pub(super) fn imports(index: &Index, path: &str, content: &str) -> Vec<Import> {
    let mut all = Vec::new();
    let here = package(index, folder(path), path.ends_with("_test.go"));
    all.push(Import::new("its package", here));
    let mut inside = false;
    for line in content.lines() {
        let line = line.trim();
        if line.starts_with("import (") {
            inside = true;
        } else if inside && line.starts_with(')') {
            inside = false;
        } else if (inside || line.starts_with("import "))
            && let Some(import) = line.split('"').nth(1)
        {
            all.extend(resolve(index, import));
        }
        if let Some(pattern) = line.strip_prefix("//go:embed ") {
            for to in pattern.split_whitespace() {
                all.extend(embedded(index, path, to));
            }
        }
    }
    all
}

/// The files of a package; `None` if it is not the project's own.
fn resolve(index: &Index, import: &str) -> Option<Import> {
    let (rest, root) = index.modules.iter().find_map(|(module, root)| {
        let rest = import.strip_prefix(module.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then_some((rest, root))
    })?;
    let at = join(root, rest)?;
    Some(Import::new(import, package(index, &at, false)))
}

fn package(index: &Index, folder: &str, tests: bool) -> Vec<String> {
    let files = index.beside(folder).filter(|it| it.ends_with(".go"));
    files.filter(|it| tests || !it.ends_with("_test.go")).cloned().collect()
}

fn embedded(index: &Index, path: &str, pattern: &str) -> Option<Import> {
    let plain = pattern.trim_start_matches("all:").split('*').next().unwrap_or("");
    let at = join(folder(path), plain.trim_end_matches('/'))?;
    let mut files: Vec<String> = index.below(&at).take(200).cloned().collect();
    files.extend(Some(at).filter(|it| index.has(it)));
    Some(Import::new(&format!("go:embed {pattern}"), files))
}

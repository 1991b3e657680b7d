//! Python: `from .a import b`, `from package.a import b`, `import package.a`, and every `__init__.py`
//! on the way.

use super::{
    Import, Index,
    index::{folder, join},
};

pub(super) fn imports(index: &Index, path: &str, content: &str) -> Vec<Import> {
    let mut all = Vec::new();
    // A package that a file is in is imported before it.
    let mut above = folder(path);
    while !above.is_empty() {
        let file = format!("{above}/__init__.py");
        if index.has(&file) && file != path {
            all.push(Import::new(&file, vec![file.clone()]));
        }
        above = folder(above);
    }
    for line in content.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("from ") {
            let Some((module, names)) = rest.split_once(" import ") else { continue };
            all.extend(from(index, path, module.trim(), names));
        } else if let Some(rest) = line.strip_prefix("import ") {
            for module in rest.split(',') {
                let module = module.split_whitespace().next().unwrap_or("");
                let files = absolute(index, path, module);
                if !files.is_empty() {
                    all.push(Import::new(module, files));
                }
            }
        }
    }
    all
}

fn from(index: &Index, path: &str, module: &str, names: &str) -> Option<Import> {
    let dots = module.bytes().take_while(|it| *it == b'.').count();
    let rest = module[dots..].replace('.', "/");
    let names = names.trim_start_matches('(').split(',').map(|it| it.split_whitespace().next());
    let names: Vec<&str> = names.flatten().filter(|it| *it != ")").collect();
    if dots == 0 {
        let mut files = absolute(index, path, module);
        for name in names {
            files.extend(absolute(index, path, &format!("{module}.{name}")));
        }
        return (!files.is_empty()).then(|| Import::new(module, files));
    }
    let mut base = folder(path).to_owned();
    for _ in 1..dots {
        if base.is_empty() {
            return None;
        }
        base = folder(&base).to_owned();
    }
    let at = join(&base, &rest)?;
    let mut files: Vec<String> = module_files(index, &at).into_iter().collect();
    for name in names {
        files.extend(join(&at, name).and_then(|it| module_files(index, &it)));
    }
    if files.iter().all(|file| file == path) && !files.is_empty() {
        return None;
    }
    // `from . import x` may mean what `__init__.py` defines, and a folder needs none.
    if files.is_empty() && (rest.is_empty() || index.has_below(&at)) {
        return None;
    }
    Some(Import::new(&format!("{module} import"), files))
}

fn absolute(index: &Index, path: &str, module: &str) -> Vec<String> {
    let to = module.replace('.', "/");
    if to.is_empty() || to.contains("//") {
        return Vec::new();
    }
    // From the folder of the file up: sources may lie in `src`, or in a folder of their own.
    let mut above = folder(path);
    loop {
        for root in [above.to_owned(), join(above, "src").unwrap_or_default()] {
            let found = join(&root, &to).and_then(|it| module_files(index, &it));
            if let Some(found) = found.filter(|found| found != path) {
                return vec![found];
            }
        }
        if above.is_empty() {
            return Vec::new();
        }
        above = folder(above);
    }
}

fn module_files(index: &Index, at: &str) -> Option<String> {
    index.first([format!("{at}.py"), format!("{at}/__init__.py"), format!("{at}.pyi")])
}

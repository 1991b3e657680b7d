//! Rust: `mod a;` downwards, the root of the crate upwards, and files that are included.

use super::{
    Import, Index,
    index::{folder, join, stem},
};

pub(super) fn imports(index: &Index, path: &str, content: &str) -> Vec<Import> {
    let mut all = Vec::new();
    all.extend(root(index, path));
    let mut named = None;
    let mut optional = false;
    for line in content.lines() {
        let bare = line.trim();
        if let Some(rest) = bare.strip_prefix("#[path") {
            named = rest.split('"').nth(1);
            continue;
        }
        if bare.starts_with("#[cfg(") {
            optional = true;
        }
        if let Some(module) = module(bare) {
            let found = match named {
                Some(named) => join(folder(path), named).filter(|it| index.has(it)),
                None => below(index, path, module),
            };
            // One inside of another module, or for another system, may well be elsewhere.
            let sure = !line.starts_with(char::is_whitespace) && !optional;
            if found.is_some() || sure {
                all.push(Import::new(&format!("mod {module};"), found.into_iter().collect()));
            }
        }
        if !bare.starts_with('#') {
            (named, optional) = (None, false);
        }
        all.extend(included(index, path, bare));
    }
    all
}

/// The name in `pub(crate) mod name;`.
fn module(line: &str) -> Option<&str> {
    let line = line.split("//").next()?.trim();
    let rest = line.strip_suffix(';')?;
    let (before, name) = rest.rsplit_once(' ').unwrap_or(("", rest));
    let before = before.trim();
    let is_mod = before == "mod" || (before.starts_with("pub") && before.ends_with(" mod"));
    let name = name.trim().trim_start_matches("r#");
    let plain = !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    (is_mod && plain).then_some(name)
}

fn below(index: &Index, path: &str, module: &str) -> Option<String> {
    let here = folder(path);
    let own = stem(path);
    let roots = ["mod", "lib", "main", "build"];
    // A binary or a test of its own is a root too, whatever it is called.
    let top = roots.contains(&own)
        || ["bin", "tests", "examples", "benches"].contains(&here.rsplit('/').next().unwrap_or(""));
    let nested = join(here, own)?;
    let bases = if top { vec![here.to_owned(), nested] } else { vec![nested, here.to_owned()] };
    index.first(bases.iter().flat_map(|base| {
        let at = join(base, module).unwrap_or_default();
        [format!("{at}.rs"), format!("{at}/mod.rs")]
    }))
}

/// A module is part of a crate, which cannot be built without its root.
fn root(index: &Index, path: &str) -> Option<Import> {
    let mut above = folder(path);
    loop {
        let manifest = join(above, "Cargo.toml")?;
        if index.has(&manifest) {
            return Some(Import::new("the crate's manifest", vec![manifest]));
        }
        if above.is_empty() {
            return None;
        }
        above = folder(above);
    }
}

/// `include_str!("a.sql")` and its like.
fn included(index: &Index, path: &str, line: &str) -> Vec<Import> {
    let words = ["include_str!(\"", "include!(\"", "include_bytes!(\""];
    let found = words.into_iter().flat_map(|word| {
        line.match_indices(word).filter_map(|(at, _)| line[at + word.len()..].split('"').next())
    });
    let found = found.filter_map(|to| Some((to, join(folder(path), to)?)));
    found
        .map(|(to, file)| {
            Import::new(to, Some(file).filter(|it| index.has(it)).into_iter().collect())
        })
        .collect()
}

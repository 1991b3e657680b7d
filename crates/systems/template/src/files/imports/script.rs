//! JavaScript and TypeScript: `import … from './a'`, `require('./a')`, `import('./a')`.

use super::{
    Import, Index,
    index::{folder, join},
};

const ENDINGS: &[&str] = &[
    "", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".vue", ".svelte", ".json",
];

pub(super) fn imports(index: &Index, path: &str, content: &str) -> Vec<Import> {
    specifiers(content).filter_map(|it| Some(Import::new(it, resolve(index, path, it)?))).collect()
}

/// What stands in quotes after `from`, `import`, `require(` or `import(`.
fn specifiers(content: &str) -> impl Iterator<Item = &str> {
    let lines = content.lines().filter(|line| {
        let line = line.trim_start();
        !line.starts_with("//") && !line.starts_with('*')
    });
    lines.flat_map(|line| {
        ["from", "import", "require(", "import(", "require.resolve("].into_iter().flat_map(
            move |word| {
                line.match_indices(word).filter_map(move |(at, _)| {
                    let rest = line[at + word.len()..].trim_start();
                    let quote = rest.chars().next().filter(|it| "'\"`".contains(*it))?;
                    rest[1..].split(quote).next().filter(|_| rest[1..].contains(quote))
                })
            },
        )
    })
}

/// The file of an import; `None` if it is not the project's own.
fn resolve(index: &Index, path: &str, specifier: &str) -> Option<Vec<String>> {
    let specifier = specifier.split(['?', '#']).next().unwrap_or(specifier);
    if specifier.contains("${") {
        return None;
    }
    let alias = specifier.strip_prefix("@/").or_else(|| specifier.strip_prefix("~/"));
    if let Some(rest) = alias {
        let mut above = folder(path);
        // The nearest `src` or the top, as bundlers are usually told.
        loop {
            let at = join(above, &format!("src/{rest}")).and_then(|to| file(index, &to));
            let at = at.or_else(|| join(above, rest).and_then(|to| file(index, &to)));
            if let Some(found) = at {
                return Some(vec![found]);
            }
            if above.is_empty() {
                return None;
            }
            above = folder(above);
        }
    }
    if !(specifier.starts_with("./")
        || specifier.starts_with("../")
        || specifier == "."
        || specifier == "..")
    {
        return None;
    }
    let to = join(folder(path), specifier)?;
    if let Some(found) = file(index, &to) {
        return Some(vec![found]);
    }
    if index.is_closed(&to) {
        return None;
    }
    // A folder with a package stands for the file that it names. One that is not there is built.
    let Some(main) = index.main(&to) else { return Some(Vec::new()) };
    let main = join(&to, main).and_then(|it| file(index, &it))?;
    Some(vec![main])
}

fn file(index: &Index, to: &str) -> Option<String> {
    let direct = ENDINGS.iter().map(|ending| format!("{to}{ending}"));
    // TypeScript writes the name that the file has once it is compiled.
    let compiled = to.strip_suffix(".js").or_else(|| to.strip_suffix(".jsx")).map(str::to_owned);
    let compiled = compiled.into_iter().flat_map(|it| [format!("{it}.ts"), format!("{it}.tsx")]);
    let folder = ENDINGS[1..].iter().map(|ending| {
        if to.is_empty() { format!("index{ending}") } else { format!("{to}/index{ending}") }
    });
    index.first(direct.chain(compiled).chain(folder))
}

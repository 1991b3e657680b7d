//! Entry points in source: functions `main`, and what Python runs.

use std::collections::BTreeMap;

use consign_code::{File, Language, Symbol};

use super::Start;

/// Names of the function that a program starts with.
const MAIN: &[&str] = &["main", "Main", "wmain", "WinMain", "wWinMain"];

const LANGUAGES: &[Language] = &[
    Language::Rust,
    Language::Python,
    Language::Go,
    Language::Java,
    Language::Kotlin,
    Language::CSharp,
    Language::C,
    Language::Cpp,
];

/// Whether a file may have an entry point, by its name.
pub(super) fn may_start(file: &File) -> bool {
    // A build script starts nothing that anybody asks for.
    let builds = file.path.rsplit('/').next() == Some("build.rs");
    !builds && !file.binary && file.language.is_some_and(|language| LANGUAGES.contains(&language))
}

/// Whether what the text shows can be looked up among the symbols of the file.
pub(super) fn is_parsed(path: &str) -> bool {
    Language::of(path)
        .is_some_and(|language| language != Language::Python && language.has_grammar())
}

/// Lines that look like an entry point.
pub(super) fn starts(path: &str, text: &str) -> Vec<Start> {
    let Some(language) = Language::of(path) else { return Vec::new() };
    let mut found = Vec::new();
    let module = path.ends_with("__main__.py");
    if !module && !text.contains("main") && !text.contains("Main") {
        return found;
    }
    let of_program = language != Language::Go || text.lines().any(is_package_main);
    for (at, line) in text.lines().enumerate() {
        let named = line.contains("main") || line.contains("Main");
        if named && of_program && begins(language, line) {
            found.push(Start { line: at + 1, what: String::new(), rank: 0 });
        }
    }
    // A module that is run need not ask how it is.
    if module && found.is_empty() {
        let first = text.lines().position(|line| !line.trim().is_empty());
        found.extend(first.map(|at| Start { line: at + 1, what: String::new(), rank: 0 }));
    }
    found
}

fn is_package_main(line: &str) -> bool {
    line.split_whitespace().take(2).eq(["package", "main"])
}

fn begins(language: Language, line: &str) -> bool {
    // Of `fn main()` what is before the name, if a bracket follows.
    let before = MAIN.iter().find_map(|name| {
        let at = line.find(&format!("{name}(")).or_else(|| line.find(&format!("{name} (")))?;
        let before = &line[..at];
        (!before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
            .then_some(before)
    });
    let says = |word: &str| before.is_some_and(|it| it.split_whitespace().any(|one| one == word));
    let ends = |word: &str| before.is_some_and(|it| it.split_whitespace().last() == Some(word));
    if language == Language::Python {
        let bare: String = line.split_whitespace().collect();
        line.starts_with("if") && bare.replace('\'', "\"").starts_with("if__name__==\"__main__\"")
    } else if language == Language::Rust {
        ends("fn")
    } else if language == Language::Go {
        before == Some("func ")
    } else if language == Language::Kotlin {
        ends("fun") && before.is_some_and(|it| !it.trim_start().starts_with("//"))
    } else if [Language::Java, Language::CSharp].contains(&language) {
        says("static")
    } else {
        before.is_some_and(|it| it.trim().is_empty())
            || ["int", "void", "auto"].iter().any(|it| says(it))
    }
}

/// The function of that line, if it is one that a program starts with.
pub(super) fn main_at<'s>(path: &str, symbols: &'s [Symbol], line: usize) -> Option<&'s Symbol> {
    let inside = matches!(Language::of(path), Some(Language::Java | Language::CSharp));
    symbols.iter().find(|symbol| {
        symbol.line == line
            && MAIN.contains(&symbol.name.as_str())
            && (inside || symbol.container.is_none())
    })
}

/// Says what starts there, and how important it is. `binaries` has the names that manifests give to files.
pub(super) fn describe(
    path: &str,
    symbol: Option<&Symbol>,
    binaries: &BTreeMap<String, String>,
    start: &mut Start,
) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let above = folder.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or(name);
    let within = symbol.and_then(|symbol| symbol.container.as_deref());
    let in_bin = |folder: &str| folder == "src/bin" || folder.ends_with("/src/bin");
    let (what, rank) = match Language::of(path) {
        Some(Language::Python) if name == "__main__.py" => {
            let package = folder.strip_prefix("src/").unwrap_or(folder).replace('/', ".");
            (format!("run by `python -m {package}`"), 0)
        }
        Some(Language::Python) => ("run as a script".to_owned(), 3),
        Some(Language::Rust) => match binaries.get(path) {
            Some(binary) => (format!("the binary `{binary}`"), 0),
            None if in_bin(folder) => (format!("the binary `{stem}`"), 0),
            None if name == "main.rs" && folder.rsplit_once('/').is_some_and(|it| in_bin(it.0)) => {
                (format!("the binary `{above}`"), 0)
            }
            None if name == "main.rs" && above == "src" => ("the binary".to_owned(), 0),
            None if above == "examples" => (format!("the example `{stem}`"), 3),
            None => ("a function `main`".to_owned(), 3),
        },
        Some(Language::Go) if above.is_empty() => ("the command".to_owned(), 0),
        Some(Language::Go) => (format!("the command `{above}`"), 0),
        _ => match within {
            Some(class) => (format!("the program of `{class}`"), 0),
            None => ("the program".to_owned(), 0),
        },
    };
    (start.what, start.rank) = (what, rank);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_starts_in_its_own_way() {
        for (path, text, expected) in [
            ("src/main.rs", "use a;\n\npub async fn main() {\n    domain();\n}\n", &[3][..]),
            ("src/lib.rs", "fn remain() {}\nfn domain() {}\nlet main = 1;\n", &[]),
            ("main.go", "package main\n\nfunc main() {\n}\n", &[3]),
            ("lib.go", "package lib\n\nfunc main() {\n}\n", &[]),
            ("a.c", "static int a;\nint\nmain (int argc)\n{\n", &[3]),
            ("a.cpp", "int main() {\n  call_main();\n  main_loop();\n}\n", &[1]),
            ("A.java", "class A {\n  public static void main(String[] args) {}\n}\n", &[2]),
            ("A.java", "class A {\n  void main() {}\n}\n", &[]),
            ("a.kt", "fun main(args: Array<String>) {}\n// fun main()\n", &[1]),
            ("A.cs", "class A {\n  static async Task Main(string[] args) {}\n}\n", &[2]),
            ("a.py", "def main(): pass\n\nif __name__ == '__main__':\n    main()\n", &[3]),
            ("a.py", "def f():\n    if __name__ == '__main__': pass\n", &[]),
            ("a/__main__.py", "\nfrom a import run\nrun()\n", &[2]),
        ] {
            let lines: Vec<usize> = starts(path, text).iter().map(|start| start.line).collect();
            assert_eq!(lines, expected, "{path}: {text}");
        }
    }
}

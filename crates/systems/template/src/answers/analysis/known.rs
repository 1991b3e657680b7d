//! What is known to occur in a project: its languages, and the words of its dependencies, imports and
//! settings.
//!
//! An agent that mistakes the project for another one names what none of these has.

use std::{collections::BTreeSet, path::Path};

use consign_code::{Class, File, Language, Repository};

use crate::{
    analysis::{Analysis, usual_names},
    import_lines::{import_lines, words},
};

/// Files whose imports are looked at, and bytes of each.
const MOST_FILES: usize = 1_500;
const LARGEST: u64 = 256 << 10;
const MOST_WORDS: usize = 50_000;
/// Shorter names are part of too many others.
const TELLING: usize = 6;

/// Words that are in the names of many frameworks, and tell none from another.
const GENERIC: &[&str] = &[
    "and",
    "api",
    "app",
    "application",
    "applications",
    "based",
    "built",
    "builtin",
    "core",
    "for",
    "framework",
    "in",
    "js",
    "library",
    "mvc",
    "net",
    "on",
    "package",
    "platform",
    "sdk",
    "standard",
    "stdlib",
    "test",
    "testing",
    "tests",
    "the",
    "toolkit",
    "unit",
    "using",
    "web",
    "with",
];

/// Languages that are known by their endings only.
const OTHERS: &[(&str, &[&str])] = &[
    ("F#", &["fs", "fsx"]),
    ("Visual Basic", &["vb", "bas"]),
    ("Clojure", &["clj", "cljs", "cljc"]),
    ("Erlang", &["erl"]),
    ("OCaml", &["ml", "mli"]),
    ("Groovy", &["groovy"]),
    ("Nim", &["nim"]),
    ("Crystal", &["cr"]),
    ("Solidity", &["sol"]),
    ("Fortran", &["f", "f90", "f95"]),
    ("COBOL", &["cob", "cbl"]),
    ("Pascal", &["pas", "pp"]),
    ("Assembly", &["asm", "s"]),
    ("Elm", &["elm"]),
    ("V", &["v"]),
];

pub(super) struct Known {
    languages: BTreeSet<String>,
    endings: BTreeSet<String>,
    words: BTreeSet<String>,
    /// Names of dependencies and frameworks without anything between their letters.
    names: BTreeSet<String>,
}

impl Known {
    pub(super) fn of(project: &Path, heuristic: &Analysis) -> Result<Self, consign_code::Error> {
        let repository = Repository::open(project)?.telling_output_by_marks();
        let files = repository.files()?.files;
        let ending = |file: &File| file.path.rsplit_once('.').map(|(_, end)| end.to_lowercase());
        let found = files.iter().filter_map(|file| file.language);
        let found = found.map(|language| language.name().to_owned());
        let counted = heuristic.languages.iter().map(|share| share.name.clone());
        let mut known = Self {
            languages: found.chain(counted).collect(),
            endings: files.iter().filter_map(ending).collect(),
            words: BTreeSet::new(),
            names: BTreeSet::new(),
        };
        if known.languages.contains(Language::Tsx.name()) {
            known.languages.insert(Language::TypeScript.name().to_owned());
        }
        for dependency in &heuristic.dependencies {
            known.learn(&dependency.name);
            usual_names(&dependency.name).for_each(|name| known.learn(name));
        }
        heuristic.frameworks.iter().for_each(|found| known.learn(&found.name));
        heuristic.testing.iter().for_each(|found| known.learn(&found.framework));
        for file in files.iter().filter(|file| is_setting(file)) {
            let name = file.path.rsplit('/').next().unwrap_or(&file.path);
            known.words.extend(words(name));
        }
        let code = files.iter().filter(|file| {
            file.language.is_some() && matches!(file.class, Class::Source | Class::Test)
        });
        let code: Vec<&str> = code.take(MOST_FILES).map(|file| file.path.as_str()).collect();
        let imports = repository.read_each(&code, LARGEST, |_, bytes| imported(bytes))?;
        for word in imports.into_iter().flatten().flatten() {
            if known.words.len() >= MOST_WORDS {
                break;
            }
            known.words.insert(word);
        }
        Ok(known)
    }

    fn learn(&mut self, name: &str) {
        self.words.extend(words(name));
        self.names.insert(words(name).collect());
    }

    /// The language as the project has it, if it has a file in it.
    pub(super) fn language(&self, said: &str) -> Option<String> {
        let lower = said.to_lowercase();
        let parts =
            lower.split(|letter: char| !letter.is_alphanumeric() && !"#+-".contains(letter));
        let mut names = std::iter::once(lower.as_str()).chain(parts).filter_map(language);
        names.find(|name| self.has(name)).map(str::to_owned)
    }

    fn has(&self, language: &str) -> bool {
        let other = OTHERS.iter().find(|(name, _)| *name == language);
        let ends = |endings: &&[&str]| endings.iter().any(|ending| self.endings.contains(*ending));
        self.languages.contains(language) || other.is_some_and(|(_, endings)| ends(endings))
    }

    /// Whether a framework of this name occurs in the project, in whatever spelling.
    pub(super) fn knows(&self, framework: &str) -> bool {
        let all: Vec<String> = words(framework).filter(|word| !is_version(word)).collect();
        let whole = all.concat();
        let named =
            |name: &String| *name == whole || whole.len() >= TELLING && name.contains(&whole);
        if whole.is_empty() {
            return false;
        }
        if self.words.contains(&whole) || self.names.iter().any(named) {
            return true;
        }
        let telling: Vec<&String> = all.iter().filter(|word| !is_generic(word)).collect();
        let found = telling.iter().filter(|word| self.knows_word(word)).count();
        found * 2 > telling.len()
    }

    fn knows_word(&self, word: &str) -> bool {
        let bare = word.strip_suffix("js").filter(|bare| bare.len() > 1);
        self.words.contains(word) || bare.is_some_and(|bare| self.words.contains(bare))
    }
}

/// The usual name of a language that people call so.
fn language(word: &str) -> Option<&'static str> {
    let alias = match word {
        "golang" => "Go",
        "js" | "node" | "nodejs" | "node.js" | "ecmascript" => "JavaScript",
        "ts" => "TypeScript",
        "py" | "python2" | "python3" | "cpython" => "Python",
        "csharp" | "c-sharp" => "C#",
        "fsharp" => "F#",
        "cpp" | "cplusplus" => "C++",
        "bash" | "sh" | "zsh" => "Shell",
        _ => word,
    };
    let other = || OTHERS.iter().find(|(name, _)| name.eq_ignore_ascii_case(alias));
    Language::named(alias).map(Language::name).or_else(|| other().map(|(name, _)| *name))
}

fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    digits.starts_with(|letter: char| letter.is_ascii_digit())
}

fn is_generic(word: &str) -> bool {
    word.len() < 2 || GENERIC.contains(&word) || language(word).is_some()
}

/// A file that tools read, and that bears the name of one.
fn is_setting(file: &File) -> bool {
    let data = [Language::Json, Language::Yaml, Language::Toml, Language::Xml];
    let data = file.language.is_none_or(|language| data.contains(&language));
    file.class != Class::Docs && (data || file.path.contains("conf"))
}

/// The words of the lines that bring something in.
fn imported(bytes: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(bytes);
    import_lines(&text).flat_map(words).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::analysis::{Cancel, analyse};

    fn known(files: &[(&str, &str)]) -> Known {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = analyse(folder.path(), &Cancel::new()).unwrap();
        Known::of(folder.path(), &found).unwrap()
    }

    fn script() -> Known {
        known(&[
            ("package.json", r#"{"dependencies": {"next": "15", "@testing-library/react": "1"}}"#),
            ("src/page.tsx", "import x from 'drizzle-orm'\n"),
            ("src/a.test.ts", "import {\n  it,\n} from 'vitest'\n"),
            ("playwright.config.ts", "export default {}\n"),
        ])
    }

    #[test]
    fn a_language_is_known_by_a_file_in_it_whatever_it_is_called() {
        let python = known(&[("a.py", "x = 1\n"), ("lib/b.clj", "(x)\n")]);
        for (said, found) in [
            ("Python", Some("Python")),
            ("python 3.12", Some("Python")),
            ("Python3", Some("Python")),
            ("C#/Python", Some("Python")),
            ("Clojure", Some("Clojure")),
            ("C#", None),
            ("Klingon", None),
            ("", None),
        ] {
            assert_eq!(python.language(said).as_deref(), found, "{said}");
        }
        assert_eq!(script().language("TypeScript").as_deref(), Some("TypeScript"));
        assert_eq!(known(&[("a.go", "package a\n")]).language("Golang").as_deref(), Some("Go"));
    }

    #[test]
    fn a_framework_is_known_by_a_dependency_an_import_or_a_file() {
        let script = script();
        for framework in [
            "Next.js",
            "NextJS 15",
            "Vitest",
            "React Testing Library",
            "Drizzle ORM",
            "Playwright Test",
        ] {
            assert!(script.knows(framework), "{framework}");
        }
        for framework in [".NET MAUI", "React Native", "xUnit", "Jest", "web framework", "", "15"] {
            assert!(!script.knows(framework), "{framework}");
        }
        let rest = known(&[("requirements.txt", "djangorestframework==3\n"), ("a.py", "x = 1\n")]);
        assert!(rest.knows("Django REST framework"));
        assert!(!rest.knows("Flask"));
    }
}

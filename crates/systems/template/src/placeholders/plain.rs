//! Decides which casing a name of one lower-case word stands for.
//!
//! `shop` is camel, kebab, snake and flat case at once, and a new name of two words must be written in
//! one of them. Within a stack everything that has to agree (folder, package, import, manifest) gets
//! the one that is allowed in all these places. JavaScript has none such: an identifier may have no
//! hyphen and a package no capital. In Rust there would be one, but a package is called `my-shop` and
//! cargo itself makes `my_shop` of it in the code. There the place decides.

use consign_code::Language;

use super::Casing;

/// What the project is mostly written in, as far as names go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stack {
    /// Python, Ruby, PHP, C: `my_shop` is good everywhere.
    #[default]
    Snake,
    /// Rust: packages, programs and folders have hyphens, modules and code do not.
    Rust,
    /// Java, Kotlin, C#, Go: packages have neither hyphens nor underscores.
    Flat,
    /// JavaScript and what compiles to it.
    Script,
}

/// The context of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamePosition {
    /// In the name of a file or folder.
    Path,
    /// In a program of a script language.
    Script,
    /// In a program in Rust.
    Rust,
    /// In any other text.
    Text,
    /// In a licence, which names its holder: nothing there is replaced.
    Licence,
}

impl Stack {
    #[must_use]
    pub fn of(language: &str) -> Self {
        match language {
            "Rust" => Self::Rust,
            "JavaScript" | "TypeScript" | "TSX" | "Vue" | "Svelte" => Self::Script,
            "Java" | "Kotlin" | "C#" | "Go" | "Scala" | "Swift" | "Dart" => Self::Flat,
            _ => Self::Snake,
        }
    }

    /// The casing of a plain word that stands between `before` and `after`.
    pub(super) fn casing(self, place: NamePosition, before: &str, after: &str) -> Casing {
        let next = after.chars().next();
        if next.is_some_and(char::is_uppercase) {
            return Casing::Camel;
        }
        let (last, next) = (before.chars().next_back().unwrap_or(' '), next.unwrap_or(' '));
        if last == '-' && before.chars().rev().nth(1).is_some_and(char::is_alphanumeric)
            || next == '-' && after.chars().nth(1).is_some_and(char::is_alphanumeric)
        {
            return Casing::Kebab;
        }
        match self {
            Self::Snake => Casing::Snake,
            Self::Rust if is_module(place, before, after) => Casing::Snake,
            Self::Rust => Casing::Kebab,
            Self::Flat => Casing::Flat,
            Self::Script if last == '_' || next == '_' => Casing::Snake,
            Self::Script if place == NamePosition::Script && !in_quotes(before, "'\"`") => {
                Casing::Camel
            }
            Self::Script => Casing::Kebab,
        }
    }
}

impl NamePosition {
    /// What is inside of a file of this path.
    #[must_use]
    pub(super) fn inside(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let stem = name.split(['.', '-']).next().unwrap_or("");
        let code = Language::of(path).is_some_and(Language::has_grammar);
        if !code && ["license", "licence", "copying", "notice", "copyright"].contains(&stem) {
            return Self::Licence;
        }
        if Language::of(path) == Some(Language::Rust) {
            return Self::Rust;
        }
        let script = [Language::JavaScript, Language::TypeScript, Language::Tsx];
        let script = script.into_iter().chain([Language::Vue, Language::Svelte]);
        match Language::of(path) {
            Some(language) if script.into_iter().any(|it| it == language) => Self::Script,
            Some(_) | None => Self::Text,
        }
    }
}

/// Whether a name in a project of Rust is that of a module or a part of an identifier, rather than that
/// of a package, a program or a folder.
fn is_module(place: NamePosition, before: &str, after: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before);
    // The one identifier that has a program's name in it.
    if line.ends_with("CARGO_BIN_EXE_") {
        return false;
    }
    if line.ends_with(['_', '{'])
        || line.ends_with("::")
        || after.starts_with('_')
        || after.starts_with("::")
    {
        return true;
    }
    let word = line.rsplit(['"', ' ', '`', '(']).next().unwrap_or(line);
    let below_src = word.rsplit_once("src/").is_some_and(|(_, rest)| !rest.starts_with("bin/"));
    match place {
        NamePosition::Rust => below_src || !in_quotes(&line.replace("'\"'", ""), "\""),
        NamePosition::Path => below_src,
        NamePosition::Script | NamePosition::Text | NamePosition::Licence => {
            let section = before.rsplit('\n').map(str::trim).find(|it| it.starts_with('['));
            below_src || (section == Some("[lib]") && line.trim_start().starts_with("name"))
        }
    }
}

/// Whether a line that began so far is inside of a string. `${` in a template is code again.
fn in_quotes(before: &str, quotes: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before);
    let mut open: Option<char> = None;
    let mut templates = 0_usize;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, open) {
            ('\\', Some(_)) => {
                letters.next();
            }
            ('$', Some('`')) if letters.peek() == Some(&'{') => {
                open = None;
                templates += 1;
            }
            ('}', None) if templates > 0 => {
                open = Some('`');
                templates -= 1;
            }
            (_, None) if quotes.contains(letter) => open = Some(letter),
            (_, Some(quote)) if letter == quote => open = None,
            (_, _) => {}
        }
    }
    open.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_decides_where_no_casing_is_good_everywhere() {
        for (stack, place, before, after, expected) in [
            (Stack::Snake, NamePosition::Text, "from ", ".db", Casing::Snake),
            (Stack::Snake, NamePosition::Path, "src/", "/db.py", Casing::Snake),
            (Stack::Rust, NamePosition::Rust, "use ", "::db;", Casing::Snake),
            (Stack::Rust, NamePosition::Rust, "fn f(a: &'static str) { ", "();", Casing::Snake),
            (Stack::Rust, NamePosition::Rust, "cargo_bin(\"", "\")", Casing::Kebab),
            (Stack::Rust, NamePosition::Rust, "env!(\"CARGO_BIN_EXE_", "\")", Casing::Kebab),
            (Stack::Rust, NamePosition::Rust, "filter(\"", "::db=info\")", Casing::Snake),
            (Stack::Rust, NamePosition::Rust, "format!(\"{", "}\")", Casing::Snake),
            (Stack::Rust, NamePosition::Rust, "a('\"', ", ")", Casing::Snake),
            (Stack::Rust, NamePosition::Path, "crates/", "/Cargo.toml", Casing::Kebab),
            (Stack::Rust, NamePosition::Path, "src/", ".rs", Casing::Snake),
            (Stack::Rust, NamePosition::Path, "src/bin/", ".rs", Casing::Kebab),
            (Stack::Rust, NamePosition::Text, "[package]\nname = \"", "\"", Casing::Kebab),
            (Stack::Rust, NamePosition::Text, "[lib]\nname = \"", "\"", Casing::Snake),
            (Stack::Rust, NamePosition::Text, "[lib]\n[[bin]]\nname = \"", "\"", Casing::Kebab),
            (Stack::Rust, NamePosition::Text, "path = \"src/", ".rs\"", Casing::Snake),
            (Stack::Rust, NamePosition::Text, "path = \"crates/", "\"", Casing::Kebab),
            (Stack::Snake, NamePosition::Text, "name = \"", "-cli\"", Casing::Kebab),
            (Stack::Flat, NamePosition::Text, "package ", "_test", Casing::Flat),
            (Stack::Flat, NamePosition::Text, "var ", "Db", Casing::Camel),
            (Stack::Script, NamePosition::Script, "const ", " = 1", Casing::Camel),
            (Stack::Script, NamePosition::Script, "require('./", "')", Casing::Kebab),
            (Stack::Script, NamePosition::Script, "f(`a ${", "} b`)", Casing::Camel),
            (Stack::Script, NamePosition::Script, "f(`a ${x} ", "`)", Casing::Kebab),
            (Stack::Script, NamePosition::Path, "lib/", ".js", Casing::Kebab),
            (Stack::Script, NamePosition::Text, "\"name\": \"", "\"", Casing::Kebab),
            (Stack::Script, NamePosition::Script, "a.", "_url", Casing::Snake),
        ] {
            assert_eq!(stack.casing(place, before, after), expected, "{before}|{after}");
        }
    }

    #[test]
    fn a_licence_keeps_its_names() {
        assert_eq!(NamePosition::inside("LICENSE"), NamePosition::Licence);
        assert_eq!(NamePosition::inside("a/LICENSE-MIT"), NamePosition::Licence);
        assert_eq!(NamePosition::inside("COPYING.txt"), NamePosition::Licence);
        assert_eq!(NamePosition::inside("src/license.py"), NamePosition::Text);
        assert_eq!(NamePosition::inside("src/app.vue"), NamePosition::Script);
        assert_eq!(NamePosition::inside("src/app.py"), NamePosition::Text);
    }
}

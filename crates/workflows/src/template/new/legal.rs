//! Names that a stack accepts.
//!
//! A name gets into identifiers, packages, folders and manifests at once, so that it must be allowed
//! in all of them.

/// Why a name of these words cannot be a name in this language.
pub(super) fn fault(language: &str, words: &[String]) -> Option<String> {
    let first = words.first()?;
    if first.starts_with(|it: char| it.is_ascii_digit()) {
        return Some(format!("it begins with a digit, and no name in {language} may"));
    }
    if words.iter().any(|word| !word.bytes().all(|it| it.is_ascii_alphanumeric())) {
        return Some("it has letters that not every place takes: a to z and digits are safe".to_owned());
    }
    if let [word] = words
        && keywords(language).contains(&word.as_str())
    {
        return Some(format!("`{word}` is a word of {language} itself"));
    }
    None
}

fn keywords(language: &str) -> &'static [&'static str] {
    match language {
        "Rust" => &[
            "as", "async", "await", "box", "break", "const", "continue", "core", "crate", "dyn", "else",
            "enum", "extern", "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod",
            "move", "mut", "pub", "ref", "return", "self", "static", "std", "struct", "super", "test",
            "trait", "true", "type", "unsafe", "use", "where", "while",
        ],
        "Python" => &[
            "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
            "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
            "nonlocal", "not", "or", "pass", "raise", "return", "site", "try", "while", "with", "yield",
        ],
        "Go" => &[
            "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for",
            "func", "go", "goto", "if", "import", "interface", "internal", "map", "package", "range",
            "return", "select", "struct", "switch", "type", "var", "vendor",
        ],
        "Java" | "Kotlin" | "C#" | "Scala" => &[
            "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const",
            "continue", "default", "do", "double", "else", "enum", "extends", "final", "finally", "float",
            "for", "fun", "goto", "if", "implements", "import", "in", "int", "interface", "internal",
            "is", "long", "namespace", "native", "new", "object", "out", "package", "private",
            "protected", "public", "return", "short", "static", "string", "super", "switch", "this",
            "throw", "throws", "try", "using", "val", "var", "void", "volatile", "when", "while",
        ],
        "Ruby" => &[
            "alias", "and", "begin", "break", "case", "class", "def", "do", "else", "elsif", "end",
            "ensure", "false", "for", "if", "in", "module", "next", "nil", "not", "or", "redo", "rescue",
            "retry", "return", "self", "super", "then", "true", "undef", "unless", "until", "when",
            "while", "yield",
        ],
        _ => &[
            "abstract", "array", "as", "break", "case", "catch", "class", "const", "continue", "debugger",
            "default", "delete", "do", "else", "enum", "export", "extends", "false", "finally", "for",
            "function", "if", "import", "in", "instanceof", "interface", "let", "namespace", "new",
            "null", "package", "private", "protected", "public", "return", "static", "super", "switch",
            "this", "throw", "true", "try", "typeof", "use", "var", "void", "while", "with", "yield",
        ],
    }
}

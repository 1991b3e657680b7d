//! Languages of source code, by the end of a name.

/// The language of a file, by its name. `txt`, `log` and the like are none.
pub(super) fn by_name(name: &str) -> Option<&'static str> {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match file {
        "Makefile" | "makefile" | "GNUmakefile" => return Some("make"),
        "Dockerfile" | "Containerfile" => return Some("dockerfile"),
        "CMakeLists.txt" => return Some("cmake"),
        _ => {}
    }
    let (_, end) = file.rsplit_once('.')?;
    let end = end.to_ascii_lowercase();
    BY_END.iter().find(|(_, ends)| ends.contains(&end.as_str())).map(|(language, _)| *language)
}

/// The language that the first line names.
pub(super) fn by_first_line(text: &str) -> Option<&'static str> {
    if text.starts_with("<?php") {
        return Some("php");
    }
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().filter_map(|word| word.rsplit('/').next());
    let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match program {
        "sh" | "bash" | "zsh" | "dash" | "ksh" => "shell",
        "python" => "python",
        "perl" => "perl",
        "ruby" => "ruby",
        "node" => "javascript",
        "php" => "php",
        "lua" => "lua",
        "awk" | "gawk" => "awk",
        _ => "script",
    })
}

const BY_END: [(&str, &[&str]); 47] = [
    ("ada", &["adb", "ads"]),
    ("assembler", &["asm", "s"]),
    ("c", &["c", "h"]),
    ("clojure", &["clj", "cljs", "cljc", "edn"]),
    ("cpp", &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "ipp"]),
    ("csharp", &["cs"]),
    ("css", &["css", "scss", "sass", "less"]),
    ("dart", &["dart"]),
    ("elixir", &["ex", "exs"]),
    ("erlang", &["erl", "hrl"]),
    ("fortran", &["f", "f90", "f95", "for"]),
    ("fsharp", &["fs", "fsx", "fsi"]),
    ("go", &["go"]),
    ("graphql", &["graphql", "gql"]),
    ("groovy", &["groovy", "gradle"]),
    ("haskell", &["hs", "lhs"]),
    ("ini", &["ini", "cfg", "conf", "properties", "env"]),
    ("java", &["java"]),
    ("javascript", &["js", "mjs", "cjs", "jsx"]),
    ("json", &["json", "jsonl", "ndjson", "json5", "ipynb"]),
    ("julia", &["jl"]),
    ("kotlin", &["kt", "kts"]),
    ("latex", &["tex", "sty", "cls", "bib"]),
    ("lisp", &["lisp", "lsp", "el", "scm", "rkt"]),
    ("lua", &["lua"]),
    ("nix", &["nix"]),
    ("objective-c", &["mm"]),
    ("ocaml", &["ml", "mli"]),
    ("pascal", &["pas", "pp", "dpr"]),
    ("perl", &["pl", "pm"]),
    ("php", &["php"]),
    ("powershell", &["ps1", "psm1"]),
    ("prolog", &["pro"]),
    ("protobuf", &["proto"]),
    ("python", &["py", "pyi", "pyw"]),
    ("r", &["r"]),
    ("ruby", &["rb", "rake", "gemspec"]),
    ("rust", &["rs"]),
    ("scala", &["scala", "sc", "sbt"]),
    ("shell", &["sh", "bash", "zsh", "fish", "bat", "cmd"]),
    ("sql", &["sql"]),
    ("swift", &["swift"]),
    ("toml", &["toml"]),
    ("typescript", &["ts", "tsx", "mts", "cts"]),
    ("vue", &["vue", "svelte"]),
    ("xml", &["xml", "xsd", "xsl", "svg", "wsdl"]),
    ("yaml", &["yaml", "yml"]),
];

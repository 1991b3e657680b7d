//! Recognises the language of a file by its name.

use std::fmt;

macro_rules! languages {
    ($($variant:ident $name:literal [$($extension:literal),*];)*) => {
        /// Languages that can be recognised by a file's name. [`Language::has_grammar`] tells which
        /// of them can be parsed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Language { $($variant,)* }

        impl Language {
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The language of this name, in any case.
            #[must_use]
            pub fn named(word: &str) -> Option<Self> {
                let known = [$(Self::$variant),*];
                known.into_iter().find(|language| language.name().eq_ignore_ascii_case(word))
            }

            fn of_extension(extension: &str) -> Option<Self> {
                match extension { $($($extension)|* => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

languages! {
    Rust "Rust" ["rs"];
    Python "Python" ["py", "pyi", "pyw"];
    JavaScript "JavaScript" ["js", "jsx", "mjs", "cjs"];
    TypeScript "TypeScript" ["ts", "mts", "cts"];
    Tsx "TSX" ["tsx"];
    Go "Go" ["go"];
    Java "Java" ["java"];
    CSharp "C#" ["cs"];
    C "C" ["c", "h"];
    Cpp "C++" ["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl"];
    Ruby "Ruby" ["rb", "rake"];
    Php "PHP" ["php"];
    Kotlin "Kotlin" ["kt", "kts"];
    Swift "Swift" ["swift"];
    Scala "Scala" ["scala"];
    ObjectiveC "Objective-C" ["m", "mm"];
    Lua "Lua" ["lua"];
    Elixir "Elixir" ["ex", "exs"];
    Haskell "Haskell" ["hs"];
    Dart "Dart" ["dart"];
    Zig "Zig" ["zig"];
    R "R" ["r"];
    Julia "Julia" ["jl"];
    Perl "Perl" ["pl", "pm"];
    Vue "Vue" ["vue"];
    Svelte "Svelte" ["svelte"];
    Html "HTML" ["html", "htm"];
    Css "CSS" ["css", "scss", "sass", "less"];
    Shell "Shell" ["sh", "bash", "zsh", "fish"];
    PowerShell "PowerShell" ["ps1", "psm1"];
    Sql "SQL" ["sql"];
    Protobuf "Protocol Buffers" ["proto"];
    GraphQl "GraphQL" ["graphql", "gql"];
    Terraform "Terraform" ["tf", "tfvars"];
    Markdown "Markdown" ["md", "mdx", "markdown"];
    Text "Text" ["txt", "rst", "adoc"];
    Json "JSON" ["json", "jsonl", "json5"];
    Yaml "YAML" ["yaml", "yml"];
    Toml "TOML" ["toml"];
    Xml "XML" ["xml", "xsd", "csproj"];
}

impl Language {
    /// By extension; a few names have none.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, extension) = name.rsplit_once('.')?;
        Self::of_extension(&extension.to_ascii_lowercase())
    }

    /// Whether it is prose or data, and not a program.
    pub(crate) fn is_prose_or_data(self) -> bool {
        let others = [Self::Markdown, Self::Text, Self::Html, Self::Css];
        others.contains(&self) || [Self::Json, Self::Yaml, Self::Toml, Self::Xml].contains(&self)
    }

    /// Whether it is a programming language that cannot be parsed here.
    pub(crate) fn lacks_grammar(self) -> bool {
        let scripts = [Self::Shell, Self::PowerShell, Self::Sql];
        let schemas = [Self::Protobuf, Self::GraphQl, Self::Terraform];
        !self.has_grammar()
            && !self.is_prose_or_data()
            && !scripts.contains(&self)
            && !schemas.contains(&self)
    }

    /// Whether symbols, references and calls can be found in it.
    #[must_use]
    pub fn has_grammar(self) -> bool {
        crate::syntax::grammar(self).is_some()
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

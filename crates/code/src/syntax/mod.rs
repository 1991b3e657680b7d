//! Parses source: definitions, calls and uses of names.
//!
//! [`parse`] is the only place that runs a parser. The time for one file is bounded; trees are walked
//! with a cursor and without recursion, so that no nesting can exhaust the stack. What differs
//! between languages is a [`Grammar`], a file each. Nothing here reads files.

mod before;
mod c;
mod csharp;
mod docs;
mod go;
mod go_types;
mod heirs;
mod java;
mod javascript;
mod markup;
mod python;
mod rust;
mod scan;
mod sentence;
mod tests;
mod transparent;
mod uses;

use std::{
    ops::{ControlFlow, Range},
    sync::OnceLock,
    time::Instant,
};

use tree_sitter::{Node, ParseOptions, Parser, Tree};

pub(crate) use self::{
    before::{Before, close},
    docs::{doc, line, signature},
    go_types::{GoBody, GoFile, Method, go_types},
    heirs::parts,
    scan::{Called, Defined, Want, scan},
    tests::TestAt,
    uses::{Use, introduced},
};
use crate::{Cancel, Kind, Language, Limits};

/// What is specific to a language.
pub(crate) struct Grammar {
    language: fn() -> tree_sitter::Language,
    /// Nodes that may define something, which `define` then looks at.
    defines: &'static [&'static str],
    define: for<'t> fn(&Site<'_, 't>) -> Option<Definition<'t>>,
    /// Nodes that call, and the field with what is called.
    calls: &'static [(&'static str, &'static str)],
    /// Comments and strings: what is in them is no code.
    quiet: &'static [&'static str],
    /// Code inside of strings.
    loud: &'static [&'static str],
    imports: &'static [&'static str],
    /// Nodes whose names are types.
    types: &'static [&'static str],
    /// What stands between the parts of a name.
    pub(crate) separator: &'static str,
    roles: OnceLock<Roles>,
}

/// A node that may define something, and where it is.
pub(crate) struct Site<'a, 't> {
    node: Node<'t>,
    kind: &'t str,
    parent: Option<Node<'t>>,
    inside: Inside,
    source: &'a [u8],
}

/// What the nearest definition around a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Module,
    Type,
    Function,
}

/// What a node defines.
pub(crate) struct Definition<'t> {
    /// Nothing for what only surrounds others, such as an `impl`.
    kind: Option<Kind>,
    name: Node<'t>,
    body: Option<Node<'t>>,
    /// Where it belongs, if the text says something else than the place it is in.
    container: Option<String>,
}

impl<'t> Site<'_, 't> {
    fn field(&self, name: &str) -> Option<Node<'t>> {
        self.node.child_by_field_name(name)
    }

    fn text(&self, node: Node<'t>) -> &str {
        text(self.source, node)
    }

    /// A definition with the usual fields.
    fn named(&self, kind: Kind) -> Option<Definition<'t>> {
        self.called(kind, self.field("name")?)
    }

    fn called(&self, kind: Kind, name: Node<'t>) -> Option<Definition<'t>> {
        Some(Definition { kind: Some(kind), name, body: self.field("body"), container: None })
    }

    fn function(&self) -> Kind {
        if self.inside == Inside::Type { Kind::Method } else { Kind::Function }
    }

    /// What holds a value here: a local variable is not a symbol.
    fn value(&self, name: Node<'t>, constant: bool) -> Option<Definition<'t>> {
        let shouts = self.text(name).bytes().all(|byte| !byte.is_ascii_lowercase());
        match self.inside {
            Inside::Function => None,
            Inside::Type if !shouts => self.called(Kind::Field, name),
            Inside::Type => self.called(Kind::Constant, name),
            Inside::Module if constant || shouts => self.called(Kind::Constant, name),
            Inside::Module => self.called(Kind::Variable, name),
        }
    }
}

/// The text of a node; one that is not UTF-8 has none.
pub(crate) fn text<'s>(source: &'s [u8], node: Node<'_>) -> &'s str {
    source.get(node.byte_range()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
}

/// Parts of what is called: `f()()()` may go on for a million brackets.
const PARTS: usize = 64;

/// The last word of a name or of what is called: `c` of `a.b::c`.
fn last_name(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..PARTS {
        let next = ["field", "property", "attribute", "name", "function", "type"]
            .into_iter()
            .find_map(|field| node.child_by_field_name(field));
        match next {
            Some(next) => node = next,
            None if node.named_child_count() == 0 => return node.is_named().then_some(node),
            // `Name<T>` has its name first; a pointer has nothing else.
            None => match node.kind() {
                "generic_name"
                | "generic_type"
                | "pointer_type"
                | "reference_type"
                | "qualified_name"
                | "scoped_type_identifier" => node = node.named_child(0)?,
                _ => return None,
            },
        }
    }
    None
}

/// What nodes are, by the number of their kind.
struct Roles(Vec<u8>);

impl Roles {
    const DEFINES: u8 = 1;
    const CALLS: u8 = 2;
    const QUIET: u8 = 4;
    const LOUD: u8 = 8;
    const IMPORTS: u8 = 16;
    const TYPES: u8 = 32;

    fn new(grammar: &Grammar) -> Self {
        let language = (grammar.language)();
        let role = |kind: &str| {
            let has = |kinds: &[&str], role| if kinds.contains(&kind) { role } else { 0 };
            let calls = grammar.calls.iter().any(|(call, _)| *call == kind);
            has(grammar.defines, Self::DEFINES)
                | has(grammar.quiet, Self::QUIET)
                | has(grammar.loud, Self::LOUD)
                | has(grammar.imports, Self::IMPORTS)
                | has(grammar.types, Self::TYPES)
                | if calls { Self::CALLS } else { 0 }
        };
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        Self((0..count).map(|id| language.node_kind_for_id(id).map_or(0, role)).collect())
    }

    fn of(&self, node: Node<'_>) -> u8 {
        // Keywords share their names with nodes: `class` in JavaScript.
        if !node.is_named() {
            return 0;
        }
        self.0.get(usize::from(node.kind_id())).copied().unwrap_or(0)
    }
}

impl Grammar {
    fn roles(&self) -> &Roles {
        self.roles.get_or_init(|| Roles::new(self))
    }
}

/// The grammar of a language, if there is one.
pub(crate) fn grammar(language: Language) -> Option<&'static Grammar> {
    if language == Language::Rust {
        Some(&rust::GRAMMAR)
    } else if language == Language::Python {
        Some(&python::GRAMMAR)
    } else if language == Language::JavaScript {
        Some(&javascript::JAVASCRIPT)
    } else if language == Language::TypeScript {
        Some(&javascript::TYPESCRIPT)
    } else if language == Language::Tsx {
        Some(&javascript::TSX)
    } else if language == Language::Go {
        Some(&go::GRAMMAR)
    } else if language == Language::Java {
        Some(&java::GRAMMAR)
    } else if language == Language::CSharp {
        Some(&csharp::GRAMMAR)
    } else if language == Language::C {
        Some(&c::C)
    } else if language == Language::Cpp {
        Some(&c::CPP)
    } else {
        None
    }
}

/// Where each row begins.
pub(crate) fn rows(source: &[u8]) -> Vec<usize> {
    std::iter::once(0).chain(memchr::memchr_iter(b'\n', source).map(|at| at + 1)).collect()
}

/// A file that is parsed.
pub(crate) struct Parsed {
    pub(crate) language: Language,
    pub(crate) grammar: &'static Grammar,
    tree: Tree,
    /// The names of macros that the tree does not have, because it has what is inside of them.
    macros: Vec<Range<usize>>,
}

impl Parsed {
    /// Whether some of it could not be read.
    pub(crate) fn has_mistake(&self) -> bool {
        self.tree.root_node().has_error()
    }
}

/// Parses a file; `None` if the language is not supported, or time was up.
pub(crate) fn parse(
    language: Language,
    source: &[u8],
    limits: &Limits,
    cancel: &Cancel,
) -> Option<Parsed> {
    let language = settle(language, source);
    let grammar = grammar(language)?;
    let began = Instant::now();
    let is_over = || began.elapsed() > limits.parse_time || cancel.is_over();
    let tree = tree(grammar, source, is_over)?;
    let (tree, macros) = if language == Language::Rust {
        let opened = transparent::open(source, tree, |text| self::tree(grammar, text, is_over));
        (opened.tree, opened.macros)
    } else {
        (tree, Vec::new())
    };
    Some(Parsed { language, grammar, tree, macros })
}

fn tree(grammar: &Grammar, source: &[u8], is_over: impl Fn() -> bool) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&(grammar.language)()).ok()?;
    let mut progress = |_: &tree_sitter::ParseState| {
        if is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| source.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// A header of C may be one of C++; its words tell.
fn settle(language: Language, source: &[u8]) -> Language {
    let has = |word: &[u8]| memchr::memmem::find(source, word).is_some();
    if language == Language::C
        && (has(b"class ") || has(b"namespace ") || has(b"template <") || has(b"template<"))
    {
        Language::Cpp
    } else {
        language
    }
}

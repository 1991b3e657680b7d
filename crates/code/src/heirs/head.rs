//! Whether a mention of a type may stand in the head of another, by the text before it.
//!
//! It decides which files are parsed, and nothing else: where it is not sure, it says yes.

use memchr::memmem::Finder;

use crate::{Language, words};

/// Heads are shorter than this, with all that they build on.
const LONGEST: usize = 4_000;

/// Finds mentions of a name that may be in a head.
pub(super) struct Mention<'n> {
    finder: Finder<'n>,
    size: usize,
}

impl<'n> Mention<'n> {
    pub(super) fn new(name: &'n str) -> Self {
        Self { finder: Finder::new(name), size: name.len() }
    }

    /// Whether one of the mentions in a file may be in a head.
    pub(super) fn may_be_base(&self, language: Language, bytes: &[u8]) -> bool {
        self.finder.find_iter(bytes).any(|at| {
            let before = &bytes[at.saturating_sub(LONGEST)..at];
            words::is_whole(bytes, at, at + self.size) && is_in_head(language, before)
        })
    }
}

fn is_in_head(language: Language, before: &[u8]) -> bool {
    let says = |head: &[u8], begins: &[&[u8]]| begins.iter().any(|begin| has_word(head, begin));
    if language == Language::Python {
        let head = after_last(before, b"):");
        has_word(head, b"class") && memchr::memchr(b'(', head).is_some()
    } else if language == Language::Java {
        says(statement(before), &[b"extends", b"implements"])
    } else if [Language::JavaScript, Language::TypeScript, Language::Tsx].contains(&language) {
        // A type in braces may come before: `extends Component<{ name: string }> implements Base`.
        says(before, &[b"extends", b"implements"])
    } else if [Language::CSharp, Language::Cpp, Language::C].contains(&language) {
        memchr::memchr(b':', statement(before)).is_some()
    } else if language == Language::Rust {
        says(statement(before), &[b"impl", b"trait", b"derive"])
    } else {
        true
    }
}

/// What comes after the last `;`, `{` or `}` that is not in a comment.
fn statement(before: &[u8]) -> &[u8] {
    let mut end = before.len();
    while let Some(at) = before[..end].iter().rposition(|byte| b";{}".contains(byte)) {
        let line = memchr::memrchr(b'\n', &before[..at]).map_or(0, |begin| begin + 1);
        let line = &before[line..at];
        let has = |mark: &[u8]| memchr::memmem::find(line, mark).is_some();
        if !has(b"//") && !has(b"/*") && !line.trim_ascii_start().starts_with(b"*") {
            return &before[at + 1..];
        }
        end = at;
    }
    before
}

fn after_last<'b>(before: &'b [u8], mark: &[u8]) -> &'b [u8] {
    memchr::memmem::rfind(before, mark).map_or(before, |at| &before[at + mark.len()..])
}

fn has_word(text: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find_iter(text, word).any(|at| words::is_whole(text, at, at + word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_mention_in_a_head_is_parsed() {
        let long = format!("class A(\n{}    Base,\n): pass\n", "    Mixin,\n".repeat(50));
        for (language, text, expected) in [
            (Language::Python, "from a import Base\n", false),
            (Language::Python, "class A(B):\n    x = Base()\n", false),
            (Language::Python, "class A:\n    x: Base\n", false),
            (Language::Python, "class A(Base): pass\n", true),
            (
                Language::Python,
                "class A[T](\n    B,  # a class: fine\n    m.Base[T],\n): pass\n",
                true,
            ),
            (Language::Python, &long, true),
            (Language::Java, "import a.Base;\nclass A extends B { Base b; }\n", false),
            (Language::Java, "class A extends B // was {}; see C\n    implements Base {}\n", true),
            (Language::TypeScript, "class A extends B<{ a: string; }> implements Base {}\n", true),
            (Language::TypeScript, "const a: Base = make();\n", false),
            (Language::CSharp, "class A : B, Base {}\n", true),
            (Language::CSharp, "class A : B { Base b; }\n", false),
            (Language::Cpp, "struct A final : private B, ns::Base<int> {};\n", true),
            (Language::Rust, "use a::Base;\nfn f(x: &dyn Base) {}\n", false),
            (Language::Rust, "impl<T: Clone> Base for A<T> {}\n", true),
            (Language::Rust, "#[derive(Clone,\n    // {}\n    Base)]\nstruct A;\n", true),
            (Language::Rust, "trait A: Send + Base {}\n", true),
            (Language::Python, "class A(BaseClass): pass\n", false),
        ] {
            let found = Mention::new("Base").may_be_base(language, text.as_bytes());
            assert_eq!(found, expected, "{text}");
        }
    }
}

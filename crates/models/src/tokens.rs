//! An upper bound for the tokens of a request.
//!
//! What a budget holds back for a call is worked out from this before anything is sent, so it must
//! never be too low. OpenAI's tokenizers are known: its models' texts are counted with them. Tokens of
//! other providers have at least one byte each, so the bytes are the bound. What providers put around the
//! texts (roles, schemas and tools in their own words, prompts of their own) is not published, and is
//! allowed for generously.
//!
//! A tokenizer's vocabulary is unpacked when it is first used, which takes some hundredths of a second,
//! and stays in memory. A tokenizer first splits a text into pieces, most of them words, and then works
//! on each piece. The longer a piece, the slower it gets for each byte. A text with an unnaturally long
//! piece, or one that is longer than any model reads, is counted by its bytes too: no text can hold up
//! the program for long.
//!
//! A call is priced when it is admitted, quoted, sent and paid. A long text is counted once for all.

use std::{
    borrow::Cow,
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{LazyLock, Mutex, PoisonError},
};

use tiktoken::CoreBpe;

use crate::{
    ModelName, Provider,
    chat::{Message, Request},
    wire::with_files,
};

/// The most tokens that a provider will count in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    pub input_tokens: u64,
    /// Whether the texts were counted with the model's own tokenizer.
    pub exact: bool,
}

/// The tokens of a text, at most; and whether the model's own tokenizer was used.
#[must_use]
pub fn count(name: &ModelName, text: &str) -> (u64, bool) {
    match tokenizer(name) {
        Some(_) if is_miscounted(text) => by_bytes(text),
        Some(tokenizer) if text.len() >= LONG => counted(tokenizer, text),
        Some(tokenizer) => by_tokenizer(tokenizer, text),
        None => by_bytes(text),
    }
}

fn by_bytes(text: &str) -> (u64, bool) {
    (text.len() as u64, false)
}

/// Not the tokenizer's own `count`: that is compiled into this crate, where an unoptimised build puts
/// a table of more than a megabyte on the stack.
fn by_tokenizer(tokenizer: &CoreBpe, text: &str) -> (u64, bool) {
    (tokenizer.encode(text).len() as u64, true)
}

/// Whether a text has an apostrophe before a long s: OpenAI's tokenizer takes the two for an ending
/// like `'s`, ours does not.
fn is_miscounted(text: &str) -> bool {
    text.contains("'ſ")
}

/// Shorter texts are counted as fast as they are looked up. None of them is slow.
const LONG: usize = 4 << 10;

/// The counts of long texts, by two keyed hashes, so that no outsider can make texts collide.
struct Counted {
    hashers: [RandomState; 2],
    known: Mutex<HashMap<[u64; 2], (u64, bool)>>,
}

static COUNTED: LazyLock<Counted> = LazyLock::new(|| Counted {
    hashers: [RandomState::new(), RandomState::new()],
    known: Mutex::default(),
});

/// The tokens of a long text, as far as it was not counted before.
fn counted(tokenizer: &'static CoreBpe, text: &str) -> (u64, bool) {
    const MOST: usize = 1024;
    let Counted { hashers, known } = &*COUNTED;
    let which = std::ptr::from_ref(tokenizer).addr();
    let key = [&hashers[0], &hashers[1]].map(|hasher| hasher.hash_one((which, text)));
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(&key) {
        return *known;
    }
    let tokens = match is_slow(text) {
        true => by_bytes(text),
        false => by_tokenizer(tokenizer, text),
    };
    let mut known = lock();
    if known.len() >= MOST {
        known.clear();
    }
    known.insert(key, tokens);
    tokens
}

/// Whether counting the tokens of a text might take longer than a moment.
fn is_slow(text: &str) -> bool {
    const MOST: usize = 4 << 20;
    const MOST_IN_A_PIECE: usize = 64 << 10;
    text.len() > MOST || has_a_piece_over(text, MOST_IN_A_PIECE)
}

fn has_a_piece_over(text: &str, most: usize) -> bool {
    let (mut piece, mut before) = (0, Kind::Digit);
    text.chars().any(|letter| {
        let kind = Kind::of(letter);
        if !before.may_share_a_piece_with(kind) {
            piece = 0;
        }
        before = kind;
        piece += letter.len_utf8();
        piece > most
    })
}

/// What the tokenizers tell apart when they split a text, as far as it takes no tables.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Letter,
    Digit,
    Space,
    Other,
    /// Anything that is no space.
    NotAscii,
}

impl Kind {
    fn of(letter: char) -> Self {
        match letter {
            'a'..='z' | 'A'..='Z' => Self::Letter,
            '0'..='9' => Self::Digit,
            _ if letter.is_whitespace() => Self::Space,
            _ if letter.is_ascii() => Self::Other,
            _ => Self::NotAscii,
        }
    }

    /// Whether the two beside each other can be in one piece of more than a few bytes. What is not
    /// known to be apart is taken together: a piece may seem longer than it is, never shorter.
    fn may_share_a_piece_with(self, next: Self) -> bool {
        match (self, next) {
            (Self::Digit, _) | (_, Self::Digit) => false,
            (Self::NotAscii, other) | (other, Self::NotAscii) => other != Self::Space,
            (one, next) => one == next,
        }
    }
}

/// The most tokens that a request can have.
#[must_use]
pub fn worst_input(name: &ModelName, request: &Request) -> Estimate {
    let around = Around::of(name.provider);
    let mut total = around.question;
    let mut texts: Vec<Cow<'_, str>> = Vec::new();
    if let Some(system) = &request.system {
        texts.push(system.into());
        total += around.message;
    }
    for message in &request.messages {
        total += around.message;
        match message {
            Message::User { text, files } => texts.push(with_files(text, files)),
            Message::Assistant { text, tool_calls } => {
                texts.push(text.into());
                for call in tool_calls {
                    texts.extend([&call.id, &call.name, &call.arguments].map(Cow::from));
                    total += around.call;
                }
            }
            Message::Tool { id, name, content } => {
                texts.extend([id, name, content].map(Cow::from));
                total += around.call;
            }
        }
    }
    // These are written anew on the other side: by their bytes.
    for tool in &request.tools {
        let bytes = tool.name.len() + tool.description.len() + tool.parameters.as_str().len();
        total += bytes as u64 + around.call;
    }
    if !request.tools.is_empty() {
        total += around.tools;
    }
    if let Some(schema) = &request.schema {
        total += (schema.name.len() + schema.schema.as_str().len()) as u64 + around.schema;
    }
    let begin = Estimate { input_tokens: total, exact: tokenizer(name).is_some() };
    texts.iter().fold(begin, |before, text| {
        let (tokens, exact) = count(name, text);
        Estimate { input_tokens: before.input_tokens + tokens, exact: before.exact && exact }
    })
}

/// The tokens that a provider adds around the texts.
struct Around {
    question: u64,
    message: u64,
    /// A call, its result, or a tool.
    call: u64,
    tools: u64,
    /// Includes the words that describe the schema to a model that cannot take it as such.
    schema: u64,
}

impl Around {
    const fn of(provider: Provider) -> Self {
        let (message, call) = (8, 24);
        match provider {
            Provider::OpenAi => Self { question: 16, message, call, tools: 128, schema: 128 },
            // Claude is told in some hundred tokens how to use tools and keep to a schema.
            Provider::Anthropic => Self { question: 32, message, call, tools: 800, schema: 800 },
            // Grok is always told something first, in 650 tokens or so.
            Provider::Xai => Self { question: 1024, message, call, tools: 512, schema: 512 },
            Provider::Google => Self { question: 64, message, call, tools: 256, schema: 512 },
            Provider::Ollama | Provider::Compatible => {
                Self { question: 256, message: 32, call: 64, tools: 512, schema: 512 }
            }
        }
    }
}

/// The tokenizer of a model, where it is published.
fn tokenizer(name: &ModelName) -> Option<&'static CoreBpe> {
    if name.provider != Provider::OpenAi {
        return None;
    }
    let model = name.model.strip_prefix("ft:").unwrap_or(&name.model);
    let is = |family: &&str| {
        let rest = model.strip_prefix(family);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.', ':']))
    };
    let newer = ["gpt-4o", "chatgpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "o1", "o3", "o4"];
    if newer.iter().any(&is) {
        return tiktoken::get_encoding("o200k_base");
    }
    let older = ["gpt-4", "gpt-3.5"];
    older.iter().any(is).then(|| tiktoken::get_encoding("cl100k_base"))?
}

#[cfg(test)]
mod tests {
    use consign_engine::Data;
    use proptest::prelude::*;

    use super::*;
    use crate::chat::{AnswerSchema, File, Tool, ToolCall};

    fn name(name: &str) -> ModelName {
        name.parse().unwrap()
    }

    #[test]
    fn openais_tokens_are_counted_as_openai_counts_them() {
        let check = |model: &str, text: &str, tokens: u64, exact: bool| {
            assert_eq!(count(&name(model), text), (tokens, exact), "{model} {text}");
        };
        check("openai/gpt-5-mini", "", 0, true);
        check("openai/gpt-5-mini", "hello world", 2, true);
        check("openai/gpt-5-mini", "お誕生日おめでとう", 8, true);
        check("openai/gpt-4", "お誕生日おめでとう", 9, true);
        check("openai/gpt-3.5-turbo", "tiktoken is great!", 6, true);
        check("openai/ft:gpt-4o:me", "hello world", 2, true);
        // A model that nobody knows yet, and everybody else's.
        check("openai/gpt-50", "hello world", 11, false);
        check("openai/gpt-next", "hello world", 11, false);
        check("anthropic/claude-sonnet-4-5", "hello wörld", 12, false);
        check("compatible/gpt-5", "hello world", 11, false);
    }

    /// Counted with another implementation, which its authors compare with OpenAI's own.
    #[test]
    fn another_implementation_counts_the_same() {
        let texts = [
            ("I'll say he's right, they'RE not; O'Neil'd've.", 16, 17),
            ("HTTPServer parseJSON camelCase SCREAMING_CASE x86_64", 14, 14),
            ("1234567 3.14159 0xDEADBEEF 2026-01-31T23:59:59Z", 28, 28),
            ("    if x == 1 {\n\t\treturn;\r\n    }\n\n\n", 12, 12),
            ("a  b   c \n d\t\n  \n", 9, 9),
            ("end.\n/usr/bin/env\n//! doc\n/* x */\n", 12, 12),
            ("https://example.org/a?b=c&d=%20#e", 14, 14),
            ("{\"key\":[1,null,true,\"\\u00e9\"]}", 13, 12),
            ("Größe, naïve, señor, ça và, İstanbul, ǅ", 16, 18),
            ("Съешь же ещё этих мягких французских булок", 12, 28),
            ("Ξεσκεπάζω την ψυχοφθόρα βδελυγμία", 19, 33),
            ("我能吞下玻璃而不伤身体。“引号”，１２３\u{3000}全角", 19, 26),
            ("いろはにほへと ちりぬるを、ﾊﾝｶｸｶﾅ。々〆〇", 32, 36),
            ("키스의 고유조건은 입술끼리 만나야 하고", 14, 25),
            (
                "ก\u{e34}นกระจกได\u{e49} แต\u{e48}ม\u{e31}นไม\u{e48}ทำให\u{e49}ฉ\u{e31}นเจ\u{e47}บ",
                14,
                29,
            ),
            ("म\u{948}\u{902} का\u{901}च खा सकता ह\u{942}\u{901} ४५", 10, 26),
            ("أستطيع أكل الزجاج ٣٤", 10, 18),
            ("אני יכול לאכול זכוכית", 7, 23),
            ("e\u{301}\u{323} o\u{308}\u{20e3} ª ʰ ² ½ Ⅷ ①", 20, 25),
            ("👩\u{200d}👩\u{200d}👧 🇩🇪 👍🏽 🎉🎉", 19, 30),
            ("\0\u{1b}[31m\u{7f}\u{feff}\u{200b}\u{a0}\u{2028}x", 11, 11),
            ("!!!!====----____~~~~****", 6, 6),
            ("<|endoftext|><|fim_prefix|>", 12, 13),
            ("aGVsbG8gd29ybGQhIFRoaXMgaXMgYmFzZTY0IQ==", 26, 27),
            ("supercalifragilisticexpialidocious Donaudampfschifffahrtsgesellschaft", 19, 23),
        ];
        for (text, newer, older) in texts {
            assert_eq!(count(&name("gpt-5"), text), (newer, true), "{text}");
            assert_eq!(count(&name("gpt-4"), text), (older, true), "{text}");
        }
    }

    #[test]
    fn marks_that_mean_something_to_a_tokenizer_are_only_text_to_it() {
        assert!(count(&name("gpt-5"), "<|endoftext|><|im_start|>").0 > 4);
    }

    /// GPT-4o's tokenizer takes the two characters for the ending that `'s` is; the one that is used
    /// here does not, and would count one token less.
    #[test]
    fn a_long_s_after_an_apostrophe_is_taken_by_its_bytes() {
        let text = "don'ſ'VEdon't";
        assert_eq!(count(&name("gpt-5"), text), (text.len() as u64, false));
        assert_eq!(count(&name("gpt-4"), &text.repeat(1000)), (1000 * text.len() as u64, false));
        assert!(count(&name("gpt-5"), "ſ's").1);
    }

    #[test]
    fn every_part_of_a_question_counts() {
        let call = ToolCall { id: "c".into(), name: "f".into(), arguments: "{\"a\":1}".into() };
        let data = |text: &str| Data::parse(text).unwrap();
        let whole = Request {
            system: Some("Be brief.".into()),
            messages: vec![
                Message::User {
                    text: "How many?".into(),
                    files: vec![File { name: "a".into(), text: "one two three".into() }],
                },
                Message::Assistant { text: "I look.".into(), tool_calls: vec![call] },
                Message::Tool { id: "c".into(), name: "f".into(), content: "two".into() },
            ],
            tools: vec![Tool {
                name: "f".into(),
                description: "Looks.".into(),
                parameters: data(r#"{"type":"object"}"#),
            }],
            schema: Some(AnswerSchema { name: "n".into(), schema: data(r#"{"type":"object"}"#) }),
            ..Request::default()
        };
        type Change = fn(&mut Request);
        let less: [Change; 6] = [
            |less| less.system = None,
            |less| drop(less.messages.pop()),
            |less| drop(less.messages.remove(0)),
            |less| drop(less.messages.remove(1)),
            |less| less.tools.clear(),
            |less| less.schema = None,
        ];
        for provider in Provider::ALL {
            let name = ModelName { provider, model: "gpt-5".into() };
            let all = worst_input(&name, &whole);
            assert_eq!(all.exact, provider == Provider::OpenAi);
            for change in less {
                let mut less = whole.clone();
                change(&mut less);
                assert!(worst_input(&name, &less).input_tokens < all.input_tokens);
            }
        }
    }

    #[test]
    fn what_would_take_long_is_taken_by_its_bytes() {
        let model = name("gpt-5");
        let check = |text: String, exact: bool| {
            let (tokens, is_exact) = count(&model, &text);
            assert_eq!((tokens == text.len() as u64, is_exact), (!exact, exact));
        };
        check("=".repeat(100_000), false);
        check(format!("{}-", "=".repeat(40)).repeat(2000), false);
        check("a b ".repeat(2 << 20), false);
        check("aé".repeat(30_000), false);
        check("-é".repeat(30_000), false);
        check(" \u{a0}".repeat(30_000), false);
        check(format!("{}x\n", " ".repeat(40)).repeat(2000), true);
        check("7".repeat(100_000), true);
        check("一二三，四五六。\n".repeat(5000), true);
    }

    #[test]
    fn long_runs_are_counted_and_never_more_than_their_bytes() {
        let model = name("gpt-5");
        for run in
            ["a", " ", "\n", "é", "👩‍👩‍👧", "A", "1", "\u{0}", "ab ", "\r\n ", "=", "漢", "\u{301}"]
        {
            let text = run.repeat(20_000);
            let tokens = count(&model, &text).0;
            assert!(tokens > 0 && tokens <= text.len() as u64, "{run:?}: {tokens}");
        }
    }

    #[test]
    fn a_text_that_was_counted_before_has_as_many_tokens_for_each_tokenizer() {
        let text = "お誕生日おめでとう".repeat(300);
        for _ in 0..2 {
            assert_eq!(count(&name("gpt-5"), &text), (2400, true));
            assert_eq!(count(&name("gpt-4"), &text), (2700, true));
            assert_eq!(count(&name("gpt-next"), &text), (text.len() as u64, false));
        }
    }

    proptest! {
        #[test]
        fn a_text_never_has_more_tokens_than_bytes(text in "\\PC{0,200}") {
            prop_assert!(count(&name("gpt-5"), &text).0 <= text.len() as u64);
        }
    }
}

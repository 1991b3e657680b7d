//! How many tokens a question has, at most.
//!
//! What a budget holds back for a call is worked out from this before anything is sent, so it must
//! never be too low. OpenAI's tokenizers are known: its models' texts are counted with them. Everybody
//! else's tokens have at least one byte each, so the bytes are the bound. What providers put around the
//! texts (roles, schemas and tools in their own words, prompts of their own) is not published, and is
//! allowed for generously.
//!
//! A tokenizer is unpacked when it is first wanted, and stays. Counting is linear in the text, but a
//! hundred times slower in long runs of one character. A text that is made of those, or is longer than
//! any model reads, is taken by its bytes too: nobody can hold us up with it.
//!
//! A call is priced when it is admitted, quoted, sent and paid. A long text is counted once for all.

use std::{
    borrow::Cow,
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{LazyLock, Mutex, PoisonError},
};

use bpe_openai::Tokenizer;

use crate::{
    ModelName, Provider,
    chat::{Message, Request},
    wire::with_files,
};

/// The most tokens that a provider will count in a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    pub input_tokens: u64,
    /// The texts were counted with the model's own tokenizer.
    pub exact: bool,
}

/// The tokens of a text, at most; and whether the model's own tokenizer was used.
#[must_use]
pub fn count(name: &ModelName, text: &str) -> (u64, bool) {
    match tokenizer(name) {
        Some(tokenizer) if text.len() >= LONG => counted(tokenizer, text),
        Some(tokenizer) => (tokenizer.count(text) as u64, true),
        None => (text.len() as u64, false),
    }
}

/// Shorter texts are counted as fast as they are looked up. None of them is slow.
const LONG: usize = 4 << 10;

/// What long texts came to, by two hashes that nobody outside can aim at.
struct Counted {
    hashers: [RandomState; 2],
    known: Mutex<HashMap<[u64; 2], (u64, bool)>>,
}

static COUNTED: LazyLock<Counted> = LazyLock::new(|| Counted {
    hashers: [RandomState::new(), RandomState::new()],
    known: Mutex::default(),
});

/// The tokens of a long text, as far as it was not counted before.
fn counted(tokenizer: &'static Tokenizer, text: &str) -> (u64, bool) {
    const MOST: usize = 1024;
    let Counted { hashers, known } = &*COUNTED;
    let which = std::ptr::from_ref(tokenizer).addr();
    let key = [&hashers[0], &hashers[1]].map(|hasher| hasher.hash_one((which, text)));
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(&key) {
        return *known;
    }
    let tokens = match is_slow(text) {
        true => (text.len() as u64, false),
        false => (tokenizer.count(text) as u64, true),
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
    const MOST_IN_RUNS: usize = 64 << 10;
    // Spaces are quick, and code is full of them.
    let runs = text.as_bytes().chunk_by(|one, next| one == next && *one != b' ');
    let in_runs = runs.map(<[u8]>::len).filter(|length| *length >= 32).sum::<usize>();
    text.len() > MOST || in_runs > MOST_IN_RUNS
}

/// The tokens of a question, at most.
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

/// What is put around the texts, in tokens.
struct Around {
    question: u64,
    message: u64,
    /// A call, its result, or a tool.
    call: u64,
    tools: u64,
    /// Including the words in which a model is told of it, where it cannot be given as such.
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
fn tokenizer(name: &ModelName) -> Option<&'static Tokenizer> {
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
        return Some(bpe_openai::o200k_base());
    }
    let older = ["gpt-4", "gpt-3.5"];
    older.iter().any(is).then(bpe_openai::cl100k_base)
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

    #[test]
    fn marks_that_mean_something_to_a_tokenizer_are_only_text_to_it() {
        assert!(count(&name("gpt-5"), "<|endoftext|><|im_start|>").0 > 4);
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
        check(format!("{}x\n", " ".repeat(40)).repeat(2000), true);
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

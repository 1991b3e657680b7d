//! Which known stack a hint means.

use super::find::{self, Token};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stack {
    Express,
    FastApi,
    Axum,
}

/// Frameworks of these languages that are none of ours: making another one would be a surprise.
const OTHERS: &[&str] = &[
    "actix",
    "actix-web",
    "adonis",
    "aiohttp",
    "angular",
    "django",
    "fastify",
    "flask",
    "hapi",
    "hono",
    "koa",
    "leptos",
    "litestar",
    "nest",
    "nestjs",
    "nest.js",
    "next",
    "next.js",
    "nextjs",
    "nuxt",
    "poem",
    "react",
    "rocket",
    "salvo",
    "sanic",
    "starlette",
    "svelte",
    "sveltekit",
    "tornado",
    "vue",
    "warp",
];

impl Stack {
    /// The stack of a hint. The framework's name wins over the language's. Without a hint, the
    /// requirements may name the framework, but not merely a language.
    pub(super) fn read(hint: Option<&str>, requirements: &str) -> Option<Self> {
        let hint = hint.map(str::trim).filter(|hint| !hint.is_empty());
        let end = |text: &str| text.char_indices().nth(20_000).map_or(text.len(), |(at, _)| at);
        match hint {
            Some(hint) => {
                let tokens = find::tokens(&hint[..end(hint)]);
                framework(&tokens, true).or_else(|| language(&tokens))
            }
            None => framework(&find::tokens(&requirements[..end(requirements)]), false),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Express => "Express + TypeScript",
            Self::FastApi => "FastAPI",
            Self::Axum => "axum",
        }
    }
}

/// `express` is also a verb: outside a hint it counts beside a word of its world only.
fn framework(tokens: &[Token<'_>], hint: bool) -> Option<Stack> {
    let near_node =
        || tokens.iter().any(|token| is_node(&token.lower) || token.lower == "typescript");
    tokens.iter().enumerate().find_map(|(at, token)| match token.lower.as_str() {
        "express.js" | "expressjs" => Some(Stack::Express),
        "express" if hint || near_node() => Some(Stack::Express),
        "fastapi" | "fast-api" => Some(Stack::FastApi),
        "fast" if hint && tokens.get(at + 1).is_some_and(|next| next.lower == "api") => {
            Some(Stack::FastApi)
        }
        "axum" => Some(Stack::Axum),
        _ => None,
    })
}

fn language(tokens: &[Token<'_>]) -> Option<Stack> {
    if tokens.iter().any(|token| OTHERS.contains(&token.lower.as_str())) {
        return None;
    }
    tokens.iter().find_map(|token| match token.lower.as_str() {
        "typescript" | "ts" => Some(Stack::Express),
        word if is_node(word) => Some(Stack::Express),
        "python" | "python3" => Some(Stack::FastApi),
        "rust" => Some(Stack::Axum),
        _ => None,
    })
}

fn is_node(word: &str) -> bool {
    matches!(word, "node" | "nodejs" | "node.js")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_recognised() {
        for (hint, expected) in [
            ("Node.js + Express + TypeScript", Some(Stack::Express)),
            ("express", Some(Stack::Express)),
            ("typescript api", Some(Stack::Express)),
            ("NodeJS", Some(Stack::Express)),
            ("FastAPI", Some(Stack::FastApi)),
            ("Fast API with Python 3.12", Some(Stack::FastApi)),
            ("python", Some(Stack::FastApi)),
            ("React + FastAPI", Some(Stack::FastApi)),
            ("axum (rust)", Some(Stack::Axum)),
            ("Rust", Some(Stack::Axum)),
            ("Python + Django", None),
            ("React + TypeScript", None),
            ("Rust + Actix", None),
            ("Ruby on Rails", None),
            ("", None),
        ] {
            assert_eq!(Stack::read(Some(hint), "a todo app"), expected, "{hint}");
        }
    }

    #[test]
    fn without_a_hint_the_requirements_may_name_a_framework() {
        assert_eq!(Stack::read(None, "A todo API with FastAPI"), Some(Stack::FastApi));
        assert_eq!(Stack::read(Some(" "), "Express and TypeScript please"), Some(Stack::Express));
        assert_eq!(Stack::read(None, "Let users express themselves"), None);
        assert_eq!(Stack::read(None, "A python script"), None);
    }
}

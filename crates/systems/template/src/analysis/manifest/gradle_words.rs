//! The words of Gradle's two dialects that declare something.

use super::kind::quoted;

/// What a call of this function is given: `implementation("a:b:1")`, `implementation 'a:b:1'`.
pub(super) fn call<'a>(said: &'a str, word: &str) -> Option<&'a str> {
    let rest = said.strip_prefix(word)?;
    let inside = rest.strip_prefix('(').or_else(|| rest.strip_prefix(' '))?;
    Some(inside.trim().trim_end_matches(')').trim_start_matches('('))
}

/// Plugins of a line: `id("x") version "1"`, `id 'x' version '1'`, `kotlin("jvm") version "1"`,
/// `apply plugin: 'x'`.
pub(super) fn ids(said: &str) -> Vec<(String, Option<String>)> {
    let words = quoted(said);
    let Some(first) = words.first() else { return Vec::new() };
    let starts = |word: &str| said.starts_with(word);
    let version = said.contains("version").then(|| words.get(1)).flatten();
    let version = version.map(|version| (*version).to_owned());
    if starts("id(") || starts("id ") || starts("apply plugin") {
        vec![((*first).to_owned(), version)]
    } else if starts("kotlin(") {
        vec![(format!("org.jetbrains.kotlin.{first}"), version)]
    } else {
        Vec::new()
    }
}

/// `val x = "1"`, `def x = '1'`, `ext.x = '1'`, `x = "1"`
pub(super) fn variables(text: &str) -> Vec<(String, String)> {
    let mut known = Vec::new();
    for line in text.lines() {
        let Some((left, right)) = line.split_once('=') else { continue };
        let right = right.trim();
        if !right.starts_with(['"', '\'']) {
            continue;
        }
        let name = left.split_whitespace().next_back().unwrap_or_default();
        let name = name.rsplit('.').next().unwrap_or(name).trim_matches(['"', '\'', '[', ']']);
        if let Some(value) = quoted(right).first() {
            known.push((name.to_owned(), (*value).to_owned()));
        }
        if known.len() > 500 {
            break;
        }
    }
    known
}

//! Recognises keys, tokens and passwords, and the files that hold them.
//!
//! [`by_name`] and [`by_content`] say why a file must not be given to others, [`hidden`] takes secrets
//! out of a text before it is shown or sent. A false alarm of the first two costs a file, so they
//! know only what has an unmistakable form; `hidden` also takes what stands where a secret would, such as
//! the value of an `Authorization` header. Nothing here decodes, measures entropy or reads a file, and
//! all of it is linear in the text.

mod forms;

use std::ops::Range;

use self::forms::Kind;

/// Why a file is taken for a secret by its name.
#[must_use]
pub fn by_name(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let sample = [".example", ".sample", ".template", ".dist", "-example", "-sample"];
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    if name == ".envrc" || name == ".env" || name.starts_with(".env.") || name.ends_with(".env") {
        return (!ends(&sample)).then_some("it holds the settings of one machine");
    }
    if ends(&[
        ".pem",
        ".key",
        ".p12",
        ".pfx",
        ".jks",
        ".keystore",
        ".kdbx",
        ".ovpn",
        ".ppk",
        ".gpg",
    ]) {
        return Some("it holds a key");
    }
    let stem = name.split('.').next().unwrap_or("");
    if ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"].contains(&stem) {
        return Some("it holds a key");
    }
    let files = [
        ".netrc",
        "_netrc",
        ".git-credentials",
        ".htpasswd",
        ".pypirc",
        ".dockercfg",
        ".pgpass",
        ".dockerconfigjson",
        "kubeconfig",
    ];
    let data = ends(&[".json", ".yml", ".yaml", ".toml", ".ini", ".enc"]);
    let named = ["credentials", "secrets", "secret", "service-account", "serviceaccount"];
    if files.contains(&name.as_str())
        || name == "master.key"
        || name == "credentials"
        || ends(&[".tfvars", ".tfvars.json"])
        || (data && named.iter().any(|word| stem == *word || stem.starts_with(&format!("{word}-"))))
        || ends(&[".tfstate", ".tfstate.backup"])
    {
        return Some("it holds credentials");
    }
    None
}

/// Why a file is taken for a secret by what is in it.
#[must_use]
pub fn by_content(path: &str, content: &str) -> Option<&'static str> {
    let data = [".json", ".yml", ".yaml", "config", "conf"].iter().any(|end| path.ends_with(end));
    let kinds: Vec<Kind> = forms::find(content).map(|found| found.kind).collect();
    if kinds.contains(&Kind::PrivateKey) {
        return Some("it holds a private key");
    }
    if ["client-key-data:", "\"auths\":"].iter().any(|word| content.contains(word)) && data {
        return Some("it holds credentials");
    }
    if kinds.contains(&Kind::Token) {
        return Some("it holds a token");
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let settings = [".npmrc", ".yarnrc", ".yarnrc.yml", "pip.conf", "nuget.config", "NuGet.Config"];
    let words = ["_authToken", "_password", "_auth=", "npmAuthToken", "ClearTextPassword"];
    (settings.contains(&name) && words.iter().any(|word| content.contains(word)))
        .then_some("it holds a token")
}

/// A text with `***` in the place of each key, token and password in it.
///
/// Quotes and escapes stay as they are, so that JSON remains JSON. To hide what is hidden changes nothing.
#[must_use]
pub fn hidden(content: &str) -> String {
    let Some(mut text) = replaced(content) else { return content.to_owned() };
    // What stands beside a secret can look like one when that is gone. It never takes many turns.
    for _ in 0..MOST_TURNS {
        match replaced(&text) {
            Some(next) => text = next,
            None => break,
        }
    }
    text
}

/// Where keys, tokens and passwords are in a text, in its order and without overlaps.
#[must_use]
pub fn places(content: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = forms::find(content).map(|found| found.range).collect();
    ranges.retain(|range| !matches!(&content[range.clone()], "" | "***"));
    ranges.sort_by_key(|range| range.start);
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match apart.last_mut().filter(|last| range.start < last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => apart.push(range),
        }
    }
    apart
}

const MOST_TURNS: usize = 8;

/// The text without what is found in it, or none if that is the same.
fn replaced(content: &str) -> Option<String> {
    let mut ranges: Vec<Range<usize>> = forms::find(content).map(|found| found.range).collect();
    ranges.retain(|range| !matches!(&content[range.clone()], "" | "***"));
    if ranges.is_empty() {
        return None;
    }
    ranges.sort_by_key(|range| range.start);
    let mut text = String::with_capacity(content.len());
    let mut from = 0;
    for range in ranges {
        if range.start >= from {
            text.push_str(&content[from..range.start]);
            text.push_str("***");
        }
        from = from.max(range.end);
    }
    text.push_str(&content[from..]);
    Some(text)
}

#[cfg(test)]
mod tests;

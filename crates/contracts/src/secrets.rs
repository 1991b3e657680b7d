//! Recognises what must not get into a template: keys, tokens and the files that hold them.
//!
//! By name and by content. A false alarm costs a file, which the result names; a secret that slips
//! through is given to all users of the template. Content is searched for tokens with an
//! unmistakable form only.

use std::{collections::BTreeSet, ops::Range};

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

/// Tokens that begin so and go on for so many letters and digits.
const TOKENS: &[(&str, usize)] = &[
    ("AKIA", 16),
    ("ASIA", 16),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghs_", 30),
    ("ghu_", 30),
    ("github_pat_", 20),
    ("glpat-", 20),
    ("xoxa-", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("xoxr-", 16),
    ("xoxs-", 16),
    ("sk-ant-", 16),
    ("sk-proj-", 16),
    ("sk-live-", 16),
    ("sk_live_", 16),
    ("rk_live_", 16),
    ("AIza", 35),
    ("npm_", 36),
    ("SG.", 40),
    ("pypi-AgEI", 40),
];

/// Why a file is taken for a secret by what is in it.
#[must_use]
pub fn by_content(path: &str, content: &str) -> Option<&'static str> {
    let data = [".json", ".yml", ".yaml", "config", "conf"].iter().any(|end| path.ends_with(end));
    if keys(content).next().is_some() {
        return Some("it holds a private key");
    }
    if ["client-key-data:", "\"auths\":"].iter().any(|word| content.contains(word)) && data {
        return Some("it holds credentials");
    }
    if tokens(content).next().is_some() {
        return Some("it holds a token");
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let settings = [".npmrc", ".yarnrc", ".yarnrc.yml", "pip.conf", "nuget.config", "NuGet.Config"];
    let words = ["_authToken", "_password", "_auth=", "npmAuthToken", "ClearTextPassword"];
    (settings.contains(&name) && words.iter().any(|word| content.contains(word)))
        .then_some("it holds a token")
}

/// A text without the keys and tokens in it.
#[must_use]
pub fn hidden(content: &str) -> String {
    let mut ranges: Vec<Range<usize>> =
        keys(content).chain(tokens(content)).chain(users(content)).collect();
    ranges.sort_by_key(|range| range.start);
    let mut text = String::with_capacity(content.len());
    let mut from = 0;
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        if range.start >= from {
            text.push_str(&content[from..range.start]);
            text.push_str("***");
        }
        from = from.max(range.end);
    }
    text.push_str(&content[from..]);
    text
}

/// The bodies of private keys.
fn keys(content: &str) -> impl Iterator<Item = Range<usize>> {
    content.match_indices("-----BEGIN ").filter_map(|(at, begin)| {
        let (head, body) = content[at + begin.len()..].split_once("-----")?;
        let start = content.len() - body.len();
        // A test that looks for the words has no key behind them. In a string lines end with `\\n`.
        let key = body.trim_start_matches(|it: char| it.is_whitespace() || "\\n\"'+,".contains(it));
        let run = key.bytes().take_while(|it| it.is_ascii_alphanumeric() || b"+/=".contains(it));
        let held = run.count() >= 16 || key.starts_with("Proc-Type");
        let end = body.find("-----END").map_or(content.len(), |end| start + end);
        (head.ends_with("PRIVATE KEY") && head.len() < 40 && held).then_some(start..end)
    })
}

/// Credentials in URLs: `scheme://user:password@host`.
fn users(content: &str) -> impl Iterator<Item = Range<usize>> {
    content.match_indices("://").filter_map(|(at, between)| {
        let begin = at + between.len();
        let rest = &content[begin..];
        let ends = |it: char| it.is_whitespace() || "/\"'`<>?#".contains(it);
        let place = rest.split(ends).next().unwrap_or(rest);
        let user = place.rsplit_once('@').map(|(user, _)| user)?;
        user.contains(':').then_some(begin..begin + user.len())
    })
}

/// The tokens of well-known forms.
fn tokens(content: &str) -> impl Iterator<Item = Range<usize>> {
    TOKENS.iter().flat_map(move |(begin, length)| {
        content.match_indices(begin).filter_map(move |(at, _)| {
            let before = content[..at].chars().next_back();
            let rest = &content.as_bytes()[at + begin.len()..];
            let run =
                rest.iter().take_while(|it| it.is_ascii_alphanumeric() || b"_-.".contains(it));
            let run: Vec<u8> = run.take(300).copied().collect();
            // Three letters over and over are somebody's example.
            let letters: BTreeSet<u8> = run.iter().copied().collect();
            let held = !before.is_some_and(char::is_alphanumeric)
                && run.len() >= *length
                && letters.len() > 3;
            held.then_some(at..at + begin.len() + run.len())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_secrets_are_known_by_name() {
        for (path, expected) in [
            (".env", true),
            ("app/.env.production", true),
            (".env.example", false),
            ("certs/server.pem", true),
            ("deploy/id_rsa.pub", true),
            ("config/credentials.yml.enc", true),
            ("src/credentials.rs", false),
            ("src/keys.py", false),
            ("secrets.json", true),
            ("src/Secrets.java", false),
            ("terraform.tfstate", true),
            ("prod.tfvars", true),
            (".aws/credentials", true),
            (".envrc", true),
        ] {
            assert_eq!(by_name(path).is_some(), expected, "{path}");
        }
    }

    #[test]
    fn tokens_are_known_by_their_form() {
        let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{line}\n");
        let token = format!("token = \"{}{}\"", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        for (path, content, expected) in [
            ("a.txt", key.as_str(), true),
            ("a.py", "if '-----BEGIN PRIVATE KEY-----' in text:\n    pass", false),
            ("a.py", &token, true),
            ("a.py", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", false),
            (".npmrc", "//registry.example/:_authToken=abc", true),
            (".npmrc", "engine-strict=true", false),
            ("a.js", "sketch_live_x", false),
            (
                "a.json",
                "{\"key\": \"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w\\n\"}",
                true,
            ),
            ("a.js", "k = 'sk_live_4eC39HqLyjWDarjt'", true),
            ("a.js", "k = 'xoxb-123456789012-abcdefABCDEF'", true),
        ] {
            assert_eq!(by_content(path, content).is_some(), expected, "{content}");
        }
    }

    #[test]
    fn what_is_shown_has_three_stars_where_a_secret_was() {
        let token = format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        assert_eq!(hidden(&format!("a = '{token}'; b = '{token}'\n")), "a = '***'; b = '***'\n");
        let key = "x\n-----BEGIN EC PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n-----END EC PRIVATE KEY-----\ny";
        assert_eq!(
            hidden(key),
            "x\n-----BEGIN EC PRIVATE KEY-----***-----END EC PRIVATE KEY-----\ny"
        );
        assert_eq!(
            hidden("postgres://me:word@db/x http://a:80/b@c"),
            "postgres://***@db/x http://a:80/b@c"
        );
        assert_eq!(hidden("nothing here"), "nothing here");
    }
}

//! What must not get into a template: keys, tokens and the files that hold them.
//!
//! By name and by content. A false alarm costs a file, which the result names; a secret that slips
//! through is handed to everybody who uses the template. Content is searched for tokens with an
//! unmistakable form only.

/// Why a file is taken for a secret by its name.
pub(super) fn by_name(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let sample = [".example", ".sample", ".template", ".dist", "-example", "-sample"];
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    if name == ".env" || name.starts_with(".env.") || name.ends_with(".env") {
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
    let files =
        [".netrc", "_netrc", ".git-credentials", ".htpasswd", ".pypirc", ".dockercfg", ".pgpass"];
    let data = ends(&[".json", ".yml", ".yaml", ".toml", ".ini", ".enc"]);
    let named = ["credentials", "secrets", "secret", "service-account", "serviceaccount"];
    if files.contains(&name.as_str())
        || name == "master.key"
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
    ("ghp_", 36),
    ("gho_", 36),
    ("ghs_", 36),
    ("github_pat_", 40),
    ("glpat-", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("sk-ant-", 30),
    ("sk-proj-", 30),
    ("sk_live_", 20),
    ("rk_live_", 20),
    ("AIza", 35),
    ("npm_", 36),
    ("SG.", 40),
    ("pypi-AgEI", 40),
];

/// Why a file is taken for a secret by what is in it.
pub(super) fn by_content(path: &str, content: &str) -> Option<&'static str> {
    let key = content.match_indices("-----BEGIN ").any(|(at, begin)| {
        let rest = &content[at + begin.len()..];
        let head = rest.split("-----").next().unwrap_or("");
        // A test that looks for the words has no key behind them.
        head.ends_with("PRIVATE KEY")
            && rest
                .lines()
                .nth(1)
                .is_some_and(|line| line.trim().len() >= 40 && is_base64(line.trim()))
    });
    if key {
        return Some("it holds a private key");
    }
    let token = TOKENS.iter().any(|(begin, length)| {
        content.match_indices(begin).any(|(at, _)| {
            let before = content[..at].chars().next_back();
            let rest = &content[at + begin.len()..];
            let run =
                rest.bytes().take_while(|it| it.is_ascii_alphanumeric() || b"_-".contains(it));
            // Three letters over and over are somebody's example.
            let run: Vec<u8> = run.take(80).collect();
            let letters: std::collections::BTreeSet<u8> = run.iter().copied().collect();
            !before.is_some_and(char::is_alphanumeric) && run.len() >= *length && letters.len() > 8
        })
    });
    if token {
        return Some("it holds a token");
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let settings = [".npmrc", ".yarnrc", ".yarnrc.yml", "pip.conf", "nuget.config", "NuGet.Config"];
    let words = ["_authToken", "_password", "_auth=", "npmAuthToken", "ClearTextPassword"];
    (settings.contains(&name) && words.iter().any(|word| content.contains(word)))
        .then_some("it holds a token")
}

fn is_base64(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
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
        ] {
            assert_eq!(by_content(path, content).is_some(), expected, "{content}");
        }
    }
}

//! A bounded sample of a project's own files, quoted as data.

use std::{collections::BTreeSet, fmt::Write};

use consign_code::{Error, Node, Repository, Text};
use consign_contracts::secrets;

use crate::{analysis::Analysis, folder::is_bridge, plain};

const MOST_FILES: usize = 24;
const MOST_LINES: usize = 120;
/// Bytes of one file, and of all.
const MOST_OF_ONE: usize = 6 << 10;
const MOST_OF_ALL: usize = 96 << 10;
const MOST_PATHS: usize = 300;
const DEEPEST: usize = 5;

/// Whether people keep secrets in such a file. It is never shown to an outside agent.
#[must_use]
pub(crate) fn is_private(path: &str) -> bool {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let harmless = ["example", "sample", "template", "dist"].contains(&ending);
    let keys = ["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "tfvars", "tfstate"];
    secrets::by_name(path).is_some()
        || name == ".env"
        || name.starts_with(".env.") && !harmless
        || keys.contains(&ending)
        || name.starts_with("id_rsa")
        || name.starts_with("id_ed25519")
        || [".npmrc", ".pypirc", ".netrc", ".htpasswd", ".git-credentials"].contains(&name)
        || ["secrets", "credentials"].contains(&stem) && !harmless
}

/// The files that tell most about a project, in the order in which they were found to.
fn told(analysis: &Analysis) -> Vec<&str> {
    let evidence = (analysis.frameworks.iter().flat_map(|found| &found.evidence))
        .chain(analysis.architecture.iter().flat_map(|found| &found.evidence))
        .chain(analysis.testing.iter().flat_map(|found| &found.evidence));
    let paths = (analysis.key_files.iter().map(|file| file.path.as_str()))
        .chain(evidence.map(|evidence| evidence.path.as_str()));
    let mut seen = BTreeSet::new();
    paths.filter(|path| !is_private(path) && !is_bridge(path) && seen.insert(*path)).collect()
}

/// The files' beginnings, each in a fence of its own.
pub(super) fn files(repository: &Repository, analysis: &Analysis) -> Result<String, Error> {
    let mut sample = String::new();
    let mut count = 0;
    for path in told(analysis) {
        if count == MOST_FILES || sample.len() >= MOST_OF_ALL {
            break;
        }
        match repository.read_file(path, 1, MOST_LINES) {
            Ok(text) => {
                sample.push_str(&quoted(&text));
                count += 1;
            }
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            // A folder, a file that is gone or cannot be read: there are others.
            Err(_) => {}
        }
    }
    if count == 0 {
        sample.push_str("No file could be quoted.\n");
    }
    Ok(sample)
}

fn quoted(text: &Text) -> String {
    let mut body = String::new();
    let mut shown = 0;
    for line in &text.lines {
        if body.len() + line.len() > MOST_OF_ONE {
            break;
        }
        body.push_str(&plain::block(line, MOST_OF_ONE));
        body.push('\n');
        shown += 1;
    }
    let body = secrets::hidden(&body);
    let fence = plain::fence(&body);
    let cut = if shown < text.total_lines {
        format!(" (lines 1 to {shown} of {})", text.total_lines)
    } else {
        String::new()
    };
    let path = plain::line(&text.path, 500).replace('`', "'");
    format!("### `{path}`{cut}\n\n{fence}\n{body}{fence}\n\n")
}

/// The project's folders and files, as far as there is room.
pub(super) fn tree(repository: &Repository) -> Result<String, Error> {
    let tree = repository.list_tree("", DEEPEST, MOST_PATHS)?;
    let mut listing = String::new();
    for node in &tree.nodes {
        let written = match node {
            Node::Directory { path, files, .. } => {
                writeln!(listing, "{}/ ({files})", plain::line(path, 300))
            }
            Node::File { path, .. } if is_bridge(path) => Ok(()),
            Node::File { path, .. } => writeln!(listing, "{}", plain::line(path, 300)),
        };
        written.expect("writing to a string cannot fail");
    }
    if tree.truncated {
        listing.push_str("(and more)\n");
    }
    let fence = plain::fence(&listing);
    Ok(format!("{fence}\n{listing}{fence}"))
}

#[cfg(test)]
mod tests {
    use super::is_private;

    #[test]
    fn files_with_secrets_are_told_from_others() {
        for path in [".env", "api/.env.local", "certs/server.pem", "ID_RSA", "config/secrets.yml"] {
            assert!(is_private(path), "{path}");
        }
        for path in [".env.example", "src/env.ts", "src/secrets_test.rs", "Program.cs", "keys.go"] {
            assert!(!is_private(path), "{path}");
        }
    }
}

//! Reading and writing files, as GitHub does it.

use std::path::Path;

use base64::{Engine, engine::general_purpose::STANDARD};
use git2::{FileMode, ObjectType, Repository, Signature, build::TreeUpdateBuilder};
use serde_json::{Value, json};

use super::{Answer, Asked, answers};

/// Larger files have no content here.
const INLINE: usize = 1 << 20;

pub(super) fn read(git: &Repository, path: &str, at: &str) -> Answer {
    let Some(commit) = super::routes::resolve(git, at) else {
        return answers::refused(404, "No commit found for the ref");
    };
    let tree = commit.tree().unwrap();
    if path.is_empty() {
        return folder(git, "", tree.id());
    }
    let Ok(mut entry) = tree.get_path(Path::new(path)) else {
        return answers::refused(404, "Not Found");
    };
    if entry.kind() == Some(ObjectType::Tree) {
        return folder(git, path, entry.id());
    }
    if entry.filemode() == 0o160_000 {
        return Answer::Json(
            200,
            json!({"type": "submodule", "sha": entry.id().to_string(), "size": 0}),
        );
    }
    // A link to a file is read as that file.
    if entry.filemode() == 0o120_000 {
        let blob = git.find_blob(entry.id()).unwrap();
        entry = tree.get_path(Path::new(std::str::from_utf8(blob.content()).unwrap())).unwrap();
    }
    let blob = git.find_blob(entry.id()).unwrap();
    let mut file = answers::entry(git, path, &entry);
    let (content, encoding) = match blob.size() <= INLINE {
        true => (lines(&STANDARD.encode(blob.content())), "base64"),
        false => (String::new(), "none"),
    };
    file["content"] = content.into();
    file["encoding"] = encoding.into();
    Answer::Json(200, file)
}

fn lines(text: &str) -> String {
    text.as_bytes()
        .chunks(60)
        .map(|line| format!("{}\n", std::str::from_utf8(line).unwrap()))
        .collect()
}

fn folder(git: &Repository, path: &str, id: git2::Oid) -> Answer {
    let tree = git.find_tree(id).unwrap();
    let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
    let entry = |it: git2::TreeEntry<'_>| {
        answers::entry(git, &format!("{prefix}{}", it.name().unwrap()), &it)
    };
    Answer::Json(200, tree.iter().take(1_000).map(entry).collect())
}

pub(super) fn write(git: &Repository, path: &str, asked: &Asked) -> Answer {
    let member = |name: &str| asked.body.get(name).and_then(Value::as_str);
    let (Some(message), Some(content)) = (member("message"), member("content")) else {
        return answers::refused(422, "Invalid request.");
    };
    let name = format!("refs/heads/{}", member("branch").unwrap_or("main"));
    let Ok(tip) = git.find_reference(&name).and_then(|it| it.peel_to_commit()) else {
        return answers::refused(404, "Branch not found");
    };
    let there = tip.tree().unwrap().get_path(Path::new(path)).ok().map(|it| it.id().to_string());
    match (&there, member("sha")) {
        (Some(_), None) => {
            return answers::refused(422, "Invalid request.\n\n\"sha\" wasn't supplied.");
        }
        (there, Some(sha)) if there.as_deref() != Some(sha) => {
            return answers::refused(409, &format!("{path} does not match {sha}"));
        }
        _ => {}
    }
    let content = STANDARD.decode(content).unwrap();
    let mut update = TreeUpdateBuilder::new();
    update.upsert(path, git.blob(&content).unwrap(), FileMode::Blob);
    let Ok(tree) = update.create_updated(git, &tip.tree().unwrap()) else {
        return answers::refused(422, "path contains a malformed path component");
    };
    let by = Signature::now("Octo", "octo@example.com").unwrap();
    let tree = git.find_tree(tree).unwrap();
    let id = git.commit(None, &by, &by, message, &tree, &[&tip]).unwrap();
    if git.reference_matching(&name, id, true, tip.id(), "put").is_err() {
        return answers::refused(409, &format!("is at {id} but expected {}", tip.id()));
    }
    let entry = tree.get_path(Path::new(path)).unwrap();
    let commit = answers::committed(&git.find_commit(id).unwrap());
    let status = if there.is_some() { 200 } else { 201 };
    Answer::Json(status, json!({"content": answers::entry(git, path, &entry), "commit": commit}))
}

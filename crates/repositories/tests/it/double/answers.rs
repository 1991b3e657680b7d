//! The documents that GitHub answers with. All members that its official MCP server insists on are there.

use git2::{Commit, ObjectType, Repository, TreeEntry};
use serde_json::{Value, json};

use super::{Answer, Pull};

pub(super) fn refused(status: u16, message: &str) -> Answer {
    Answer::Json(status, json!({"message": message, "documentation_url": "https://docs"}))
}

/// A refusal with its reasons, as a validation gives them.
pub(super) fn not_valid(reason: &str) -> Answer {
    let errors = json!([{"resource": "PullRequest", "code": "custom", "message": reason}]);
    Answer::Json(422, json!({"message": "Validation Failed", "errors": errors}))
}

fn user(login: &str) -> Value {
    json!({"login": login, "id": 1, "node_id": "U", "avatar_url": "u", "url": "u", "html_url": "u",
           "type": "User"})
}

pub(super) fn repo(name: &str) -> Value {
    let (owner, short) = name.split_once('/').unwrap();
    json!({"id": 1, "node_id": "R", "name": short, "full_name": name, "private": true,
           "owner": user(owner), "html_url": format!("https://github.test/{name}"),
           "description": null, "fork": false, "url": "u", "created_at": "t", "updated_at": "t",
           "pushed_at": "t", "git_url": "u", "ssh_url": "u", "clone_url": "u",
           "default_branch": "main"})
}

pub(super) fn reference(name: &str, sha: &str) -> Value {
    json!({"ref": name, "node_id": "X", "url": "u",
           "object": {"sha": sha, "type": "commit", "url": "u"}})
}

fn author(commit: &Commit<'_>) -> Value {
    let author = commit.author();
    let at = jiff::Timestamp::from_second(author.when().seconds()).unwrap();
    json!({"name": author.name().unwrap(), "email": author.email().unwrap(), "date": at.to_string()})
}

pub(super) fn listed(commit: &Commit<'_>) -> Value {
    let message = commit.message().unwrap().trim_end();
    json!({"sha": commit.id().to_string(), "node_id": "C", "url": "u", "html_url": "u",
           "comments_url": "u",
           "commit": {"author": author(commit), "committer": author(commit), "message": message,
                      "tree": {"sha": commit.tree_id().to_string(), "url": "u"}, "url": "u",
                      "comment_count": 0}})
}

pub(super) fn committed(commit: &Commit<'_>) -> Value {
    let parents: Vec<_> = commit
        .parent_ids()
        .map(|id| json!({"sha": id.to_string(), "url": "u", "html_url": "u"}))
        .collect();
    json!({"sha": commit.id().to_string(), "node_id": "C", "url": "u", "html_url": "u",
           "author": author(commit), "committer": author(commit),
           "message": commit.message().unwrap(),
           "tree": {"sha": commit.tree_id().to_string(), "url": "u"}, "parents": parents})
}

/// An entry of a folder. A submodule is listed as a file, without an address to download it from.
pub(super) fn entry(git: &Repository, path: &str, entry: &TreeEntry<'_>) -> Value {
    let name = path.rsplit('/').next().unwrap();
    let (kind, download) = match (entry.kind(), entry.filemode()) {
        (Some(ObjectType::Tree), _) => ("dir", Value::Null),
        (_, 0o160_000) => ("file", Value::Null),
        (_, 0o120_000) => ("symlink", "u".into()),
        _ => ("file", "u".into()),
    };
    let size = git.find_blob(entry.id()).map_or(0, |blob| blob.size());
    json!({"type": kind, "size": size, "name": name, "path": path, "sha": entry.id().to_string(),
           "url": "u", "git_url": "u", "html_url": "u", "download_url": download,
           "_links": {"self": "u", "git": "u", "html": "u"}})
}

pub(super) fn pull(pull: &Pull) -> Value {
    let owner = pull.repo.split('/').next().unwrap();
    let side = |branch: &str| {
        json!({"label": format!("{owner}:{branch}"), "ref": branch, "sha": "s",
               "user": user(owner), "repo": repo(&pull.repo)})
    };
    let state = if pull.is_open { "open" } else { "closed" };
    json!({"url": "u", "id": pull.number, "node_id": "P",
           "html_url": format!("https://github.test/{}/pull/{}", pull.repo, pull.number),
           "diff_url": "u", "patch_url": "u", "issue_url": "u", "number": pull.number,
           "state": state, "locked": false, "title": pull.title, "user": user(owner),
           "body": pull.body, "created_at": "t", "updated_at": "t", "closed_at": null,
           "merged_at": null, "merge_commit_sha": null, "assignee": null, "assignees": [],
           "requested_reviewers": [], "labels": [], "head": side(&pull.head),
           "base": side(&pull.base)})
}

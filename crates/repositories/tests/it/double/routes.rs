//! Which call does what.

use git2::{Commit, ObjectType, Oid, Repository};
use serde_json::{Value, json};

use super::{Answer, Asked, Inner, Pull, answers, contents};

pub(super) fn answer(inner: &Inner, asked: &Asked) -> Answer {
    let segments: Vec<&str> = asked.segments.iter().map(String::as_str).collect();
    let missing = || answers::refused(404, "Not Found");
    let [first, owner, repo, rest @ ..] = segments.as_slice() else {
        return if segments == ["search", "repositories"] {
            search(inner, asked)
        } else {
            missing()
        };
    };
    let name = format!("{owner}/{repo}");
    let Some(git) = inner.git(&name).filter(|_| *first == "repos") else { return missing() };
    match (asked.method.as_str(), rest) {
        ("GET", []) => Answer::Json(200, answers::repo(&name)),
        ("GET", ["git", "ref" | "refs", "heads", branch @ ..]) => {
            let name = format!("refs/heads/{}", branch.join("/"));
            match git.find_reference(&name).ok().and_then(|it| it.target()) {
                Some(id) => Answer::Json(200, answers::reference(&name, &id.to_string())),
                None if git.is_empty().unwrap() => {
                    answers::refused(409, "Git Repository is empty.")
                }
                None => missing(),
            }
        }
        ("POST", ["git", "refs"]) => make_reference(&git, &asked.body),
        ("GET", ["git", "trees", at]) => tree(&git, at),
        ("GET", ["git", "blobs", id]) => {
            let blob = Oid::from_str(id).ok().and_then(|id| git.find_blob(id).ok());
            match blob.filter(|_| asked.wants_raw) {
                Some(blob) => Answer::Raw(blob.content().to_vec()),
                None => missing(),
            }
        }
        ("GET", ["contents", path @ ..]) => {
            contents::read(&git, &path.join("/"), asked.query("ref").unwrap_or("main"))
        }
        ("PUT", ["contents", path @ ..]) => contents::write(&git, &path.join("/"), asked),
        ("GET", ["commits"]) => commits(&git, asked),
        ("GET", ["pulls"]) => pulls(inner, &name, asked),
        ("POST", ["pulls"]) => make_pull(inner, &git, &name, &asked.body),
        _ => missing(),
    }
}

/// A commit by its id or by its branch.
pub(super) fn resolve<'git>(git: &'git Repository, at: &str) -> Option<Commit<'git>> {
    let branch = git.find_reference(&format!("refs/heads/{at}"));
    let branch = branch.and_then(|it| it.peel_to_commit()).ok();
    branch.or_else(|| git.find_commit(Oid::from_str(at).ok()?).ok())
}

fn search(inner: &Inner, asked: &Asked) -> Answer {
    let words = asked.query("q").unwrap_or_default();
    let name = words.split(' ').find_map(|word| word.strip_prefix("repo:")).unwrap_or_default();
    match inner.git(name) {
        Some(_) => {
            let items = json!([answers::repo(name)]);
            let body = json!({"total_count": 1, "incomplete_results": false, "items": items});
            Answer::Json(200, body)
        }
        None => answers::not_valid("The listed users and repositories cannot be searched"),
    }
}

fn make_reference(git: &Repository, body: &Value) -> Answer {
    let (name, sha) = (body["ref"].as_str().unwrap(), body["sha"].as_str().unwrap());
    let Ok(commit) = git.find_commit(Oid::from_str(sha).unwrap()) else {
        return answers::refused(422, "Object does not exist");
    };
    match git.reference(name, commit.id(), false, "made") {
        Ok(_) => Answer::Json(201, answers::reference(name, sha)),
        Err(_) => answers::refused(422, "Reference already exists"),
    }
}

fn tree(git: &Repository, at: &str) -> Answer {
    let Some(commit) = resolve(git, at) else { return answers::refused(404, "Not Found") };
    let mut entries = Vec::new();
    let root = commit.tree().unwrap();
    root.walk(git2::TreeWalkMode::PreOrder, |prefix, entry| {
        let kind = entry.kind().unwrap_or(ObjectType::Commit);
        let mut found = json!({"path": format!("{}{}", prefix, entry.name().unwrap()),
            "mode": format!("{:06o}", entry.filemode()), "type": kind.str(),
            "sha": entry.id().to_string(), "url": "u"});
        if let Ok(blob) = git.find_blob(entry.id()) {
            found["size"] = blob.size().into();
        }
        entries.push(found);
        git2::TreeWalkResult::Ok
    })
    .unwrap();
    let body =
        json!({"sha": root.id().to_string(), "url": "u", "tree": entries, "truncated": false});
    Answer::Json(200, body)
}

fn commits(git: &Repository, asked: &Asked) -> Answer {
    if git.is_empty().unwrap() {
        return answers::refused(409, "Git Repository is empty.");
    }
    let at = asked.query("sha").unwrap_or("main");
    let Some(commit) = resolve(git, at) else {
        return answers::refused(404, &format!("No commit found for SHA: {at}"));
    };
    let number = |name, usual| asked.query(name).map_or(usual, |it| it.parse::<usize>().unwrap());
    let (size, page) = (number("per_page", 30).min(100), number("page", 1));
    let mut walk = git.revwalk().unwrap();
    walk.set_sorting(git2::Sort::TIME | git2::Sort::TOPOLOGICAL).unwrap();
    walk.push(commit.id()).unwrap();
    let ids = walk.skip((page - 1) * size).take(size);
    Answer::Json(
        200,
        ids.map(|id| answers::listed(&git.find_commit(id.unwrap()).unwrap())).collect(),
    )
}

fn pulls(inner: &Inner, name: &str, asked: &Asked) -> Answer {
    let state = inner.state.lock().unwrap();
    // A head without an owner is no filter.
    let head = asked.query("head").and_then(|head| Some(head.split_once(':')?.1));
    let wanted = asked.query("state").unwrap_or("open");
    let is_it = |pull: &&Pull| {
        pull.repo.eq_ignore_ascii_case(name)
            && head.is_none_or(|head| head == pull.head)
            && (wanted == "all" || pull.is_open == (wanted == "open"))
    };
    Answer::Json(200, state.pulls.iter().rev().filter(is_it).map(answers::pull).collect())
}

fn make_pull(inner: &Inner, git: &Repository, name: &str, body: &Value) -> Answer {
    let text = |member: &str| body[member].as_str().unwrap_or_default().to_owned();
    let (head, base) = (text("head"), text("base"));
    let (Some(from), Some(to)) = (resolve(git, &head), resolve(git, &base)) else {
        return answers::not_valid("head or base is invalid");
    };
    if from.id() == to.id() {
        return answers::not_valid(&format!("No commits between {base} and {head}"));
    }
    let mut state = inner.state.lock().unwrap();
    let is_it = |pull: &Pull| pull.repo == name && pull.head == head && pull.is_open;
    if state.pulls.iter().any(is_it) {
        return answers::not_valid(&format!("A pull request already exists for {head}."));
    }
    let number = state.pulls.len() as u64 + 1;
    let (title, body) = (text("title"), text("body"));
    let pull = Pull { repo: name.to_owned(), number, head, base, title, body, is_open: true };
    let answer = answers::pull(&pull);
    state.pulls.push(pull);
    Answer::Json(201, answer)
}

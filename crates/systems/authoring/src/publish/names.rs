//! How branches, commits and pull requests are named. Nothing here comes from a model.

use consign_engine::At;
use serde::{Deserialize, Serialize};

/// What may stand in braces in the pattern of a branch and in the templates of a pull request.
pub(crate) const PLACEHOLDERS: [&str; 5] = ["timestamp", "date", "agent", "jobId", "repo"];

/// What stands for the placeholders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Names {
    /// When the job was submitted, in microseconds.
    pub(crate) at: At,
    pub(crate) agent: String,
    pub(crate) job: String,
    pub(crate) repo: String,
}

impl Names {
    /// A template with its placeholders filled. Other braces stay as they are.
    pub(crate) fn fill(&self, template: &str) -> String {
        let seconds = self.at.0.div_euclid(1_000_000).to_string();
        let day: String = self.at.to_string().chars().take(10).collect();
        let values = [&seconds, &day, &self.agent, &self.job, &self.repo];
        // In one pass: what is put in is not looked through again.
        let mut out = String::with_capacity(template.len());
        let mut rest = template;
        while let Some(at) = rest.find('{') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let found = PLACEHOLDERS.iter().zip(values).find_map(|(name, value)| {
                let tail = rest[1..].strip_prefix(name)?.strip_prefix('}')?;
                Some((value, tail))
            });
            match found {
                Some((value, tail)) => {
                    out.push_str(value);
                    rest = tail;
                }
                None => {
                    out.push('{');
                    rest = &rest[1..];
                }
            }
        }
        out.push_str(rest);
        out
    }
}

/// The message of the commit of one file.
pub(crate) fn commit_message(agent: &str, path: &str, is_new: bool) -> String {
    let word = if is_new { "generate" } else { "update" };
    match agent {
        "scribe" => format!("docs: {word} {path} via Scribe agent"),
        "trace" => format!("test: {word} {path} via Trace agent"),
        _ => format!("feat: {word} {path} via Proto agent"),
    }
}

/// The title and the text of a pull request where no template says them.
pub(crate) fn pull_request(agent: &str, repo: &str, files: &[(&str, bool)]) -> (String, String) {
    let title = match (agent, files) {
        ("scribe", [(path, is_new)]) => commit_message(agent, path, *is_new),
        ("scribe", _) => format!("docs: update the documentation of {repo}"),
        ("trace", _) => "test: a test plan with its tests".to_owned(),
        _ => "feat: a first working skeleton".to_owned(),
    };
    let what = match agent {
        "scribe" => "Scribe wrote these documents and checked them against the code:",
        "trace" => "Trace made these files from a specification:",
        _ => "Proto made these files from requirements:",
    };
    let mut body = format!("{what}\n");
    for (path, is_new) in files {
        let word = if *is_new { "new" } else { "updated" };
        body.push_str(&format!("\n- `{path}` ({word})"));
    }
    (title, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once() {
        let names = Names {
            at: At(1_707_350_400_000_000),
            agent: "scribe".to_owned(),
            job: "{date}".to_owned(),
            repo: "demo".to_owned(),
        };
        let check = |template: &str, filled: &str| assert_eq!(names.fill(template), filled);
        check("docs/scribe-{timestamp}", "docs/scribe-1707350400");
        check("{agent}/{date}/{repo}", "scribe/2024-02-08/demo");
        check("{jobId}", "{date}");
        check("f({}) {other} {", "f({}) {other} {");
    }

    #[test]
    fn messages_say_which_file_and_who() {
        assert_eq!(
            commit_message("scribe", "README.md", true),
            "docs: generate README.md via Scribe agent"
        );
        assert_eq!(
            commit_message("scribe", "docs/API.md", false),
            "docs: update docs/API.md via Scribe agent"
        );
        let (title, body) = pull_request("scribe", "demo", &[("README.md", false)]);
        assert_eq!(title, "docs: update README.md via Scribe agent");
        assert!(body.ends_with("\n- `README.md` (updated)"), "{body}");
    }
}
